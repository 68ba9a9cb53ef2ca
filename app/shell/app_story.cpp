// The lab's story: which scene is told, how it sets the lab, and what was answered.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

SceneFile scene_file(const StoryScene& scene, const Request& request) {
  SceneFile file;
  file.lab = request.lab, file.rung = request.rung, file.settings = scene.setup.settings;
  file.block = request.block, file.warp = request.warp;
  file.at = scene.setup.at;
  return file;
}

}  // namespace

void App::tell_stories(std::vector<std::filesystem::path> folders, RunSources sources) {
  story_folders_ = std::move(folders), story_sources_ = std::move(sources);
  RunSources used = story_sources_;
  if (!used.recorded && runner_)
    used.recorded = [runner = runner_](const std::string& lab, const std::string& rung) {
      return runner->recorded_runs(lab, rung);
    };
  if (!desk_) tab = "story";
  const auto books = bookshelf();
  const std::string language = code_of(state_.language);
  desk_ = std::make_unique<StoryDesk>(books->stories(story_folders_, language), std::move(used));
  read_tour_anew();
  if (exercises_) exercises_->use(books->exercises(exercise_folders_beside(story_folders_), language));
}

int App::story_scene() const {
  const int scenes = int(story()->scenes.size());
  if (state_.story_scene >= 0) return std::min(state_.story_scene, scenes - 1);
  const auto kept = settings_.stories.find(story()->slug);
  if (kept == settings_.stories.end()) return 0;
  for (int i = 0; i < scenes; ++i)
    if (std::size_t(i) >= kept->second.size() || kept->second[std::size_t(i)].empty()) return i;
  return 0;
}

// What was half answered belongs to the scene before.
void App::settle_story() {
  answer_fault.reset(), story_hint = false, retries_ = false, points_at_.clear();
  program_sentences_.clear();
  if (typing_of(Typing::Of::answer)) typing.reset();
}

bool App::set_lab_for(const Story& told, const StoryScene& scene) {
  const auto request = scene_request(told.lab, scene.setup);
  if (!request) return failed(request.error());
  SceneFile file = scene_file(scene, *request);
  if (!open_scene(file)) {  // a run on the stage without this step: the scene is told all the same
    banner.reset(), file.at.reset();
    if (!open_scene(file)) return false;
  }
  // The parts of a book come one after the other: an engine that one names is not the next one's.
  const bool named = request->engine != EngineKind::automatic;
  if (state_.engine != request->engine && (named || book())) state_.engine = request->engine, changed(true);
  return true;
}

bool App::enter_story_scene(int scene) {
  const Story* told = story();
  if (!told || scene < 0 || scene >= int(told->scenes.size())) return false;
  const StoryScene& entered = told->scenes[std::size_t(scene)];
  keep_typed_part();
  const OpenExercise* open = exercise();  // a part without a scene of its own leaves the lab as it is
  const bool leaves = open && state_.story_scene >= 0 && entered.setup.lab == state_.lab && !state_.home &&
                      !open->exercise->parts[std::size_t(scene)].setup;
  if (leaves)
    remember();
  else if (!set_lab_for(*told, entered))
    return false;
  state_.story_scene = scene;
  if (tells_tour()) tour_entered(scene);
  if (asks_try()) tab = "story";
  if (!entered.ask && kept_reply().empty()) keep_reply("?");  // what asks nothing is read, and done
  right_scroll = 0, shows_reply = false;
  settle_story();
  return true;
}

void App::story_scene_by(int scenes) {
  if (!story()) return;
  if (tells_claim()) return step_to_claim(scenes);
  const bool entered = state_.story_scene >= 0;
  const int last = int(story()->scenes.size()) - 1;
  enter_story_scene(entered ? std::clamp(story_scene() + scenes, 0, last) : story_scene());
}

// A lab that opens for the first time opens with its story; the change that opened it is taken back with it.
void App::begin_story() {
  if (!story() || !state_.saved.empty()) return;
  const std::vector<AppState> before = undo_;
  enter_story_scene(story_scene());
  undo_ = before;
}

bool App::stage_shows_scene() const {
  if (!asked_story() || !asked_entered() || !state_.saved.empty()) return false;
  const SceneSetup& setup = asked_scene().setup;
  const auto request = scene_request(asked_story()->lab, setup);
  if (!request || request->lab != state_.lab || request->rung != state_.rung ||
      request->params != state_.params || request->block != state_.block)
    return false;
  if (!has_steps() || !setup.at) return true;
  const int step = scene_->axis().step_of(*setup.at);
  return step < 0 || step == state_.step;
}

StageNow App::stage_now() const {
  StageNow now;
  if (!state_.saved.empty()) return now;
  if (numbers_are() == Numbers::current) now.run = scene_->shared_run();
  const bool comes = runner_ && (run_due_ || runner_->busy());
  if (!now.run && comes && !state_.home) now.awaited = request();
  return now;
}

std::string App::kept_reply() const {
  if (exercise()) return part_reply();
  const auto& replies = asks_try()      ? settings_.tries
                        : tells_claim() ? settings_.claims
                        : tells_tour()  ? tour_replies_
                                        : settings_.stories;
  const auto kept = replies.find(asked_story()->slug);
  const auto scene = std::size_t(asked_index());
  return kept == replies.end() || scene >= kept->second.size() ? "" : kept->second[scene];
}

void App::keep_reply(const std::string& reply) {
  if (exercise()) return;  // its answers are kept by themselves
  auto& kept = kept_replies()[asked_story()->slug];
  kept.resize(std::max(kept.size(), asked_story()->scenes.size()));
  kept[std::size_t(asked_index())] = reply;
  settle_story();
  if (!asks_try()) shows_reply = true;
}

StoryReply App::story_reply() const { return read_reply(kept_reply()); }

const SceneWords& App::scene_words() {
  if (exercise()) return desk_->part_words(told_part(), stage_now());
  return desk_->words(*asked_story(), std::size_t(asked_index()), kept_reply(), stage_now());
}

namespace {

std::string singular(const std::string& word) {
  return word.size() > 2 && word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
}

// What the answer counts: by its unit, and by the last word of the figure that it is ("sectors" of
// step.sectors); as written and in the language on screen.
std::vector<std::string> counted_words(const std::string& unit, const Expression* answer) {
  std::vector<std::string> words;
  const auto add = [&](std::string word) {
    constexpr std::string_view kMeasure = "个";  // stands between a number and what it counts
    if (word.starts_with(kMeasure)) word.erase(0, kMeasure.size());
    while (word.starts_with(' ')) word.erase(0, 1);
    if (word.empty()) return;
    for (const std::string& form : {singular(word), tr(word), tr(singular(word))})
      if (std::find(words.begin(), words.end(), form) == words.end()) words.push_back(form);
  };
  constexpr std::size_t kShortest = 4;
  if (!unit.empty() && !unit_named(unit)) add(unit);
  const auto paths = answer ? answer->figure_paths() : std::vector<std::string>{};
  if (paths.size() != 1) return words;  // made of several, it is another thing than each
  const std::string word = paths[0].substr(paths[0].find_last_of("._") + 1);
  if (word.size() >= kShortest && !unit_named(word)) add(word);
  return words;
}

constexpr double kFew = 100;  // smaller whole numbers stand on axes and for lanes, too

// Of a figure from which the answer follows.
HiddenAnswer hidden_by(const HiddenAmount& amount) {
  HiddenAnswer hidden;
  hidden.value = amount.value, hidden.words = counted_words(amount.unit, nullptr);
  if (unit_named(amount.unit)) hidden.unit = amount.unit;
  hidden.distinctive = hidden.unit.empty() && amount.value >= kFew;
  return hidden;
}

HiddenAnswer hidden_by(const Ask& ask, const SceneWords& told) {
  constexpr double kUsual = 0.01, kMost = 0.05;  // of the answer; further off it is another number
  const double value = *told.value;
  const bool whole = value == std::floor(value);
  HiddenAnswer hidden;
  hidden.value = value, hidden.words = counted_words(ask.unit, &*ask.answer);
  hidden.allowed = whole ? 0 : kUsual * std::abs(value);
  if (ask.tolerance)
    hidden.allowed =
        ask.tolerance->percent ? std::abs(value) * ask.tolerance->size / 100 : ask.tolerance->size;
  hidden.allowed = std::min(hidden.allowed, kMost * std::abs(value));
  if (unit_named(ask.unit)) hidden.unit = ask.unit;
  hidden.distinctive = hidden.unit.empty() && (!whole || value >= kFew);
  hidden.of_this_step = ask.answer->asks_for("step");
  for (const HiddenAmount& amount : told.also) hidden.also.push_back(hidden_by(amount));
  return hidden;
}

}  // namespace

StoryMask App::story_mask() {
  StoryMask mask;
  if (!desk_ || state_.home || !asked_story() || !asked_scene().ask) return mask;
  if (!kept_reply().empty() || !stage_shows_scene()) return mask;
  const Ask& ask = *asked_scene().ask;
  mask.hides = ask.hides;
  if (ask.kind == Ask::Kind::number)
    if (const SceneWords& told = scene_words(); told.value) mask.answer = hidden_by(ask, told);
  return mask;
}

std::string App::wanted_frame() const {
  if (!state_.home && !points_at_.empty()) return points_at_;
  if (state_.home || !desk_ || !asked_story() || !stage_shows_scene()) return "";
  return asked_scene().setup.frame;
}

void App::answer_story(const std::string& typed) {
  if (exercise()) return give_part({typed, part_reason()});
  if (!asked_story() || !asked_scene().ask || !kept_reply().empty()) return;
  const auto judged = desk_->judge(*asked_story(), std::size_t(asked_index()), typed, stage_now());
  if (judged.kind == Verdict::Kind::right) return keep_reply("+" + typed);
  if (judged.kind == Verdict::Kind::wrong) return keep_reply("-" + typed);
  answer_fault = judged.reason;
}

void App::give_answer() {
  if (exercise()) return hand_in_part();
  if (!typing_of(Typing::Of::answer)) return;
  const std::string typed = typing->edit.text();
  answer_story(typed);
  if (typing)
    typing->wrong = answer_fault;  // it stays, to be put right
  else                             // the field is gone; who typed goes on by the keyboard
    wanted_focus = focus_after_answer();
}

std::string App::focus_after_answer() const {
  if (asks_try()) return "try/again";
  return words_of_next().empty() ? "tab/story" : "story/next";
}

void App::show_story_answer() {
  if (asked_story() && kept_reply().empty()) keep_reply("?");
}

StoryDesk::Judged App::story_setting() {
  if (!scene_ || numbers_are() != Numbers::current || run()->request.lab != state_.lab)
    return {Verdict::Kind::not_understood, msg("The run is under way.")};
  if (exercise()) return part_setting();
  const Ask* ask = &*asked_scene().ask;
  SettingJudged& known = setting_judged_;
  if (desk_->waiting() || known.ask != ask || known.run != scene_->shared_run() || known.step != state_.step)
    known = {ask, scene_->shared_run(), state_.step, desk_->judge_setting(*ask, *scene_, view())};
  return known.judged;
}

namespace {

App::StoryProgress progress_of(const Story* book,
                               const std::map<std::string, std::vector<std::string>>& replies) {
  if (!book) return {};
  App::StoryProgress progress{0, int(book->scenes.size())};
  if (const auto kept = replies.find(book->slug); kept != replies.end())
    for (std::size_t i = 0; i < std::min(kept->second.size(), book->scenes.size()); ++i)
      progress.done += !kept->second[i].empty();
  return progress;
}

}  // namespace

App::StoryProgress App::story_progress(const std::string& lab) const {
  return progress_of(story_of(lab), settings_.stories);
}

App::StoryProgress App::tries_progress(const std::string& lab) const {
  return progress_of(desk_ ? desk_->tries(lab) : nullptr, settings_.tries);
}

void App::forget_stories() {
  settings_.stories.clear(), settings_.tries.clear(), settings_.claims.clear(), settle_story();
  notice = msg("the story progress is forgotten");
}

// --- what there is to try

bool App::asks_try() const {
  const bool shown = tab == "try" || (tab == "settings" && settings_are_for == "try");
  return shown && !state_.projector && open_try >= 0 && tries() && open_try < int(tries()->scenes.size());
}

void App::enter_try(int index) {
  const bool was_open = open_try == index;
  settle_story();
  if (was_open || !tries() || index < 0 || index >= int(tries()->scenes.size())) {
    open_try = -1;
    return;
  }
  if (set_lab_for(*tries(), tries()->scenes[std::size_t(index)])) open_try = index;
}

StoryReply App::try_reply(int index) const {
  const auto kept = settings_.tries.find(tries()->slug);
  const auto at = std::size_t(index);
  return kept == settings_.tries.end() || at >= kept->second.size() ? StoryReply{}
                                                                    : read_reply(kept->second[at]);
}

void App::try_again(int index) {
  const auto kept = settings_.tries.find(tries()->slug);
  if (kept != settings_.tries.end() && std::size_t(index) < kept->second.size())
    kept->second[std::size_t(index)].clear();
  settle_story();
  set_lab_for(*tries(), tries()->scenes[std::size_t(index)]);
}

void App::set_stage_for_asked() {
  if (!asks_try()) return void(enter_story_scene(story_scene()));
  set_lab_for(*tries(), asked_scene());
  settle_story();
}

// --- to the settings and back

void App::go_to_settings() {
  settings_are_for = tab == "try" ? "try" : "story";
  tab = "settings", right_scroll = 0, settings_.card_folded = false;
  wanted_focus = "settings/back";
}

void App::back_from_settings() {
  tab = std::exchange(settings_are_for, ""), right_scroll = 0;
  wanted_focus = "tab/" + tab;
}

// --- the way from the beginning

const Lab* App::next_on_path() const {
  for (const Lab* lab : path_labs())
    if (!story_progress(lab->info().slug).finished()) return lab;
  return nullptr;
}

int App::labs_done_on_path() const {
  return int(std::count_if(path_labs().begin(), path_labs().end(),
                           [&](const Lab* lab) { return story_progress(lab->info().slug).finished(); }));
}

void App::start_path() {
  const Lab* next = next_on_path();
  if (!next) next = path_labs().front();
  choose_lab(next->info().slug);
  if (story()) tab = "story", enter_story_scene(story_scene());
}

void App::go_to_lab_after() {
  const Lab* next = lab_after(lab());
  if (!next) return;
  choose_lab(next->info().slug);
  if (story()) tab = "story", enter_story_scene(story_scene());
}

// A question that asks to set the lab is answered by the reader's run.
bool App::tick_story() {
  if (!desk_) return false;
  if (auto wanted = desk_->take_wanted(); !wanted.empty()) runner_->start_soon(std::move(wanted));
  if (exercise()) return tick_exercise();
  const bool sets = !state_.home && asked_story() && asked_entered() && asked_scene().ask &&
                    asked_scene().ask->kind == Ask::Kind::set && kept_reply().empty();
  if (!sets || story_setting().kind != Verdict::Kind::right) return false;
  keep_reply("+");
  return true;
}

}  // namespace lockstep
