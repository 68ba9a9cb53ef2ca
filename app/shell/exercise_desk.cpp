#include "exercise_desk.hpp"

#include <algorithm>

#include "app/draw/text_metrics.hpp"
#include "app/labs/lab.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

void add_words(const InlineText& text, std::string& all) {
  for (const Inline& piece : text) all += piece.text;
}

void add_paragraphs(const std::vector<Paragraph>& paragraphs, std::string& all) {
  for (const Paragraph& one : paragraphs) add_words(one.pieces, all);
}

void add_part(const ExercisePart& part, std::string& all) {
  all += part.title + part.ask.unit;
  add_paragraphs(part.text, all), add_paragraphs(part.why, all);
  add_words(part.ask.question, all), add_words(part.reason, all);
  for (const InlineText& hint : part.hints) add_words(hint, all);
  for (const InlineText& why : part.option_why) add_words(why, all);
  for (const Option& option : part.ask.options) add_words(option.text, all);
  for (const Tempting& one : part.ask.tempting) add_words(one.why, all);
}

std::string glyphs_of(const ExerciseShelf& shelf) {
  std::string all;
  for (const Exercise& exercise : shelf.exercises) {
    all += exercise.title;
    add_paragraphs(exercise.text, all);
    for (const ExercisePart& part : exercise.parts) add_part(part, all);
  }
  return characters_beyond_ascii(all);
}

// Where a part and all before it leave the lab as it is: as the lab opens.
SceneSetup opening_setup(const std::string& lab) {
  SceneSetup setup;
  if (const Lab* known = find_lab(lab); known && !known->info().rungs.empty())
    setup.rung = known->info().rungs.front().slug;
  return setup;
}

StoryScene scene_of(const DrawnExercise& drawn, std::size_t index) {
  const ExercisePart& part = drawn.exercise->parts[index];
  StoryScene scene;
  scene.title = part.title;
  const PartScene place = scene_of_part(drawn, index);
  scene.setup = place.setup.value_or(opening_setup(place.lab));
  scene.setup.lab = place.lab;
  if (index == 0) scene.text = drawn.exercise->text;
  scene.text.insert(scene.text.end(), part.text.begin(), part.text.end());
  scene.why = part.why, scene.place = part.place;
  scene.ask = part.ask;
  if (const auto& order = drawn.options[index]; !order.empty()) {
    scene.ask->options.clear();
    for (const std::size_t from : order) scene.ask->options.push_back(part.ask.options[from]);
  }
  return scene;
}

}  // namespace

std::vector<fs::path> exercise_folders_beside(const std::vector<fs::path>& stories) {
  std::vector<fs::path> folders;
  for (const fs::path& folder : stories) folders.push_back(folder.parent_path() / "exercises");
  return folders;
}

bool is_done(const ExercisePart& part, const PartRecord* record) {
  if (!record || record->attempts.empty()) return false;
  return part.kind == PartKind::text ||
         std::any_of(record->attempts.begin(), record->attempts.end(),
                     [](const Attempt& one) { return one.verdict == "right"; });
}

ExerciseDesk::ExerciseDesk(std::shared_ptr<const ExerciseShelf> shelf, fs::path answers)
    : answers_folder_(std::move(answers)), shelf_(std::move(shelf)), glyphs_(glyphs_of(*shelf_)) {}

void ExerciseDesk::use(std::shared_ptr<const ExerciseShelf> shelf) {
  opened_.clear();
  shelf_ = std::move(shelf), glyphs_ = glyphs_of(*shelf_);
}

void ExerciseDesk::use_seed(Seed seed) {
  if (seed == seed_) return;
  (void)keep().ok();
  seed_ = seed, opened_.clear(), kept_.clear();
}

const Exercise* ExerciseDesk::named(std::string_view slug) const {
  for (const Exercise& exercise : shelf_->exercises)
    if (exercise.slug == slug) return &exercise;
  return nullptr;
}

const OpenExercise* ExerciseDesk::opened(std::string_view slug) {
  if (const auto known = opened_.find(slug); known != opened_.end()) return known->second.get();
  const Exercise* exercise = named(slug);
  if (!exercise) return nullptr;
  auto drawn = draw_exercise(*exercise, seed_);
  if (!drawn) return nullptr;
  auto open = std::make_unique<OpenExercise>();
  open->exercise = exercise, open->drawn = std::move(*drawn);
  Story& story = open->story;
  story.slug = exercise->slug, story.lab = exercise->lab, story.title = exercise->title;
  story.minutes = exercise->minutes, story.file = exercise->file, story.language = exercise->language;
  for (std::size_t i = 0; i < exercise->parts.size(); ++i) story.scenes.push_back(scene_of(open->drawn, i));
  return opened_.emplace(std::string(slug), std::move(open)).first->second.get();
}

ExerciseDesk::Kept& ExerciseDesk::kept(std::string_view slug) {
  if (const auto known = kept_.find(slug); known != kept_.end()) return known->second;
  Kept kept;
  if (!answers_folder_.empty())
    if (auto read = load_answers(answers_folder_ / answers_file(std::string(slug), seed_).filename());
        read && read->exercise == slug && read->seed == seed_)
      kept.answers = std::move(*read);
  kept.answers.exercise = slug, kept.answers.seed = seed_;
  return kept_.emplace(std::string(slug), std::move(kept)).first->second;
}

const ExerciseAnswers& ExerciseDesk::answers(std::string_view slug) { return kept(slug).answers; }

ExerciseAnswers& ExerciseDesk::change(std::string_view slug) {
  Kept& found = kept(slug);
  found.changed = true;
  return found.answers;
}

Status ExerciseDesk::keep() {
  Status all = Unit{};
  if (answers_folder_.empty()) return all;
  for (auto& [slug, kept] : kept_) {
    if (!std::exchange(kept.changed, false)) continue;
    if (Status written = save_answers(kept.answers, answers_folder_ / answers_file(slug, seed_).filename());
        !written)
      all = written;
  }
  return all;
}

ExerciseDesk::Progress ExerciseDesk::progress(const Exercise& exercise) {
  const ExerciseAnswers& given = answers(exercise.slug);
  Progress progress{0, int(exercise.parts.size())};
  for (const ExercisePart& part : exercise.parts) progress.done += is_done(part, given.find(part.id));
  return progress;
}

int ExerciseDesk::finished() {
  return int(std::count_if(all().begin(), all().end(),
                           [&](const Exercise& one) { return progress(one).finished(); }));
}

}  // namespace lockstep
