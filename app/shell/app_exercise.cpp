// Exercises: what was given to each part, tried or not; how it is handed in and judged, and what helps.
#include <algorithm>
#include <charconv>
#include <utility>

#include "app.hpp"
#include "app/platform/files.hpp"
#include "program_desk.hpp"

namespace lockstep {
namespace {

// "3, 1, 4" as numbers.
std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    int number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc{} && number > 0) numbers.push_back(number);
    at = error == std::errc{} ? stop : at + 1;
  }
  return numbers;
}

std::string text_of(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

// Where a part's program is written.
std::filesystem::path program_file_of(const ExerciseDesk& desk, const std::string& slug,
                                      const std::string& part) {
  const std::string code = seed_code(desk.seed());
  return desk.answers_folder() / (slug + "-" + part + (code.empty() ? "" : "-" + code) + ".cu");
}

}  // namespace

void App::give_exercises(const std::filesystem::path& answers, ProgramJudge* judge) {
  exercises_ = std::make_unique<ExerciseDesk>(
      bookshelf()->exercises(exercise_folders_beside(story_folders_), code_of(state_.language)), answers);
  judge_ = judge;
  if (const auto seed = seed_from_code(settings_.student_code)) exercises_->use_seed(*seed);
}

bool App::open_exercise(const std::string& slug) {
  const Exercise* exercise = exercises_ ? exercises_->named(slug) : nullptr;
  if (!exercise) return false;
  const ExerciseAnswers& given = exercises_->answers(slug);
  const auto open = std::find_if(exercise->parts.begin(), exercise->parts.end(),
                                 [&](const auto& part) { return !is_done(part, given.find(part.id)); });
  const auto first = open == exercise->parts.end() ? 0 : open - exercise->parts.begin();
  return open_book("exercises/" + slug, int(first));
}

StoryDesk::PartTold App::told_part() const {
  const OpenExercise& open = *exercise();
  return {open.story, open.drawn, std::size_t(story_scene()), retries_ ? nullptr : part_record()};
}

const PartRecord* App::part_record() const {
  return exercises_->answers(exercise()->exercise->slug).find(part().id);
}

std::string App::part_text() const {
  const PartRecord* record = part_record();
  return record ? record->answer.text : "";
}

std::string App::part_reason() const {
  const PartRecord* record = part_record();
  return record ? record->answer.reason : "";
}

std::vector<int> App::part_choices() const { return numbers_in(part_text()); }

// As a story's reply: the last attempt, unless the part is open again.
std::string App::part_reply() const {
  const PartRecord* record = part_record();
  if (!record || record->attempts.empty() || retries_) return "";
  const Attempt& last = record->attempts.back();
  return (last.verdict == "right" ? "+" : "-") + last.answer.text;
}

// What stands in a field is the part's, tried or not.
void App::keep_typed_part() {
  if (!typing || !exercise()) return;
  const bool answer = typing->of == Typing::Of::answer, reason = typing->of == Typing::Of::reason;
  if (!answer && !reason) return;
  const std::string text = typing->edit.text();
  if (text == (answer ? part_text() : part_reason())) return;
  PartRecord& record = exercises_->change(exercise()->exercise->slug).part(part().id);
  (answer ? record.answer.text : record.answer.reason) = text;
}

void App::choose_option(int option) {
  if (part().kind != PartKind::several && part().kind != PartKind::order)
    return answer_story(std::to_string(option));
  std::vector<int> chosen = part_choices();
  if (std::erase(chosen, option) == 0) chosen.push_back(option);
  if (part().kind == PartKind::several) std::sort(chosen.begin(), chosen.end());
  exercises_->change(exercise()->exercise->slug).part(part().id).answer.text = text_of(chosen);
  answer_fault.reset();
}

void App::hand_in_part() {
  keep_typed_part();
  PartAnswer answer{part_text(), part_reason()};
  if (part().kind == PartKind::several && answer.text.empty()) answer.text = "0";  // none of them
  if (part().kind == PartKind::program) return start_judging(answer);
  if (part().kind == PartKind::set) return hand_in_setting();
  give_part(answer);
}

// What the reader's own run is set to, right or not.
void App::hand_in_setting() {
  if (!scene_ || numbers_are() != Numbers::current)
    return void(answer_fault = msg("The run that gives the answer is under way."));
  const auto verdict = desk_->judge_part_setting(told_part(), *scene_, view());
  if (!verdict) return void(answer_fault = verdict.error().message);
  keep_attempt({settings_answer(run()->request), ""}, *verdict);
}

void App::give_part(const PartAnswer& answer) {
  if (!kept_reply().empty()) return;
  const auto verdict = desk_->judge_part(told_part(), answer, stage_now());
  if (!verdict) return void(answer_fault = verdict.error().message);
  keep_attempt(answer, *verdict);
}

// A part that cannot be judged here is kept for the teacher all the same.
void App::keep_attempt(const PartAnswer& answer, const Verdict& verdict) {
  if (verdict.kind == Verdict::Kind::not_understood || verdict.kind == Verdict::Kind::unanswerable) {
    answer_fault = verdict.reason;
    if (typing) typing->wrong = answer_fault;
    return;
  }
  ExerciseAnswers& given = exercises_->change(exercise()->exercise->slug);
  if (const Status kept = add_attempt(given, part(), answer, verdict); !kept)
    return void(answer_fault = kept.error().message);
  lock_prediction(given, part());
  const bool typed = typing_of(Typing::Of::answer) || typing_of(Typing::Of::reason);
  typing.reset(), settle_story();
  shows_reply = true;
  if (typed) wanted_focus = focus_after_answer();
}

void App::take_hint() {
  PartRecord& record = exercises_->change(exercise()->exercise->slug).part(part().id);
  record.hints = std::min(record.hints + 1, int(part().hints.size()));
}

void App::try_part_again() {
  settle_story();
  retries_ = true;
}

// Of the card; a lab's own curves stand there or on its stage.
bool App::is_tab(const std::string& name) const {
  if (name == "curves") return scene_ && !scene_->panels(stage_area, theme()).empty();
  return name == "numbers" || name == "occupancy" || name == "roofline";
}

// A setting is shown in its tab, with the keyboard on it; anything else is framed where it stands.
void App::point_at_control() {
  const std::string& name = part().shows;
  for (const Parameter& parameter : info().parameters) {
    if (name != parameter.name || !state_.params.contains(name)) continue;
    go_to_settings();
    wanted_focus =
        has_slider(parameter) ? "slider/" + name : "choice/" + name + "/" + to_string(state_.params.at(name));
    return;
  }
  if (is_tab(name)) {
    tab = name, right_scroll = 0, settings_.card_folded = false, wanted_focus = "tab/" + name;
    return;
  }
  points_at_ = points_at_ == name ? "" : name;
}

StoryDesk::Judged App::part_setting() {
  const Ask* ask = &*asked_scene().ask;
  SettingJudged& known = setting_judged_;
  if (desk_->waiting() || known.ask != ask || known.run != scene_->shared_run() ||
      known.step != state_.step) {
    const auto verdict = desk_->judge_part_setting(told_part(), *scene_, view());
    known = {ask, scene_->shared_run(), state_.step, {}};
    known.judged = verdict ? StoryDesk::Judged{verdict->kind, verdict->reason}
                           : StoryDesk::Judged{Verdict::Kind::wrong, msg("The lab is not set that way yet.")};
  }
  return known.judged;
}

// --- programs, which are compiled and run outside the window's thread

void App::open_part_program() {
  if (exercises_->answers_folder().empty()) return void(answer_fault = msg("programs cannot be run here"));
  const auto file = program_file_of(*exercises_, exercise()->exercise->slug, part().id);
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) {
    std::string text = part_text();
    if (text.empty() && judge_) {
      const auto start = judge_->starting_text(part().program);
      if (!start) return void(answer_fault = start.error().message);
      text = *start;
    }
    if (Status made = make_output_folder(file.parent_path()); !made)
      return void(answer_fault = made.error().message);
    const Status written =
        write_file_atomically(file, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    if (!written) return void(answer_fault = written.error().message);
  }
  open_program(file.string());
}

void App::start_judging(const PartAnswer& answer) {
  if (judging_.valid()) return;
  if (!judge_) return void(answer_fault = msg("programs cannot be run here"));
  PartAnswer given = answer;
  const auto file = program_file_of(*exercises_, exercise()->exercise->slug, part().id);
  if (program_ && program_->file() == file)
    given.text = program_->edit.text();  // saved or not
  else if (const auto bytes = read_file(file, kMaxAnswersBytes))
    given.text.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  judged_program_ = {state_.book, story_scene(), given};
  judging_ = std::async(std::launch::async,
                        [judge = judge_, task = part().program, text = given.text,
                         values = exercise()->drawn.values] { return judge->judge(task, text, values); });
  answer_fault.reset();
}

bool App::tick_exercise() {
  if (judging_.valid() && judging_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    const Result<Verdict> verdict = judging_.get();
    if (judged_program_.book != state_.book || judged_program_.part != story_scene()) return true;
    if (!verdict) return answer_fault = verdict.error().message, true;
    keep_attempt(judged_program_.answer, *verdict);
    program_sentences_.push_back(tr(verdict->reason));
    for (const Message& more : verdict->more) program_sentences_.push_back(tr(more));
    return true;
  }
  const bool sets = !state_.home && part().kind == PartKind::set && kept_reply().empty();
  if (!sets || story_setting().kind != Verdict::Kind::right) return judging_.valid();
  keep_attempt({settings_answer(run()->request), ""}, {Verdict::Kind::right, {}, nullptr, {}});
  return true;
}

// --- the seed, and what is kept

bool App::choose_seed(const std::string& code) {
  const auto seed = seed_from_code(code);
  if (!seed) {
    exercise_fault =
        msg("'{0}' is no code: a teacher's has eight letters and digits, as in K7QM-2T9X", {code});
    return false;
  }
  exercise_fault.reset();
  settings_.student_code = seed_code(*seed);
  if (desk_) desk_->forget_story();
  exercises_->use_seed(*seed);
  return true;
}

Status App::keep_exercises() {
  keep_typed_part();
  return exercises_ ? exercises_->keep() : Status(Unit{});
}

}  // namespace lockstep
