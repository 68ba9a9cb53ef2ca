// The parts of an exercise: their texts speak of what the seed drew, their answers are judged by
// exercise_check.hpp.
#include "app/stories/story_text.hpp"
#include "story_desk.hpp"

namespace lockstep {
namespace {

// What the words depend on.
std::string key_of(const PartRecord* record) {
  if (!record || record->attempts.empty()) return "";
  const Attempt& last = record->attempts.back();
  return std::to_string(record->attempts.size()) + "\n" + last.answer.text + "\n" + last.answer.reason;
}

}  // namespace

SceneWords::Judgement StoryDesk::judgement_of(const PartTold& told, const Attempt& last) {
  SceneWords::Judgement judged;
  const PartKind kind = told.drawn.exercise->parts[told.part].kind;
  judged.kind = last.verdict == "right" ? Verdict::Kind::right : Verdict::Kind::wrong;
  if (kind == PartKind::set || kind == PartKind::program) return judged;  // judged where it was handed in
  if (const auto verdict = check_part(told.drawn, told.part, last.answer, *figures_, nullptr)) {
    judged.kind = verdict->kind;
    judged.sentences.push_back(tr(verdict->reason));
    for (const Message& more : verdict->more) judged.sentences.push_back(tr(more));
    if (verdict->why) judged.why = rich(*verdict->why);
  }
  if (auto compared = compare_part(told.drawn, told.part, last.answer, *figures_))
    judged.compared = std::move(*compared);
  return judged;
}

void StoryDesk::add_part(const PartTold& told, SceneWords& words) {
  const ExercisePart& part = told.drawn.exercise->parts[told.part];
  for (const InlineText& hint : part.hints) words.hints.push_back(rich(hint));
  if (!part.reason.empty()) words.reason = rich(part.reason);
  const auto& order = told.drawn.options[told.part];
  for (const std::size_t from : order)
    words.option_why.push_back(from < part.option_why.size() ? rich(part.option_why[from]) : RichText{});
  const bool numbered = part.kind == PartKind::number || part.kind == PartKind::predict;
  if (!numbered) words.answer.clear(), words.no_answer.reset(), words.of_the_run = false;
  if (part.kind == PartKind::choice || part.kind == PartKind::several || part.kind == PartKind::order)
    if (const auto right = right_part_answer(told.drawn, told.part, *figures_)) words.answer = *right;
  if (told.record && !told.record->attempts.empty())
    words.judgement = judgement_of(told, told.record->attempts.back());
}

const SceneWords& StoryDesk::part_words(const PartTold& told, const StageNow& stage) {
  const std::string key = key_of(told.record);
  if (is_known(told.story, told.part, key, stage)) return computed_[{&told.story, told.part}].words;
  stand_at(told.story, told.part, stage);
  drawn_.emplace(told.drawn.values, figures_.get());
  SceneWords words = words_of(told.story.scenes[told.part], "");
  waits_ = false;
  add_part(told, words);
  words.complete = words.complete && !waits_ && awaited_.empty();
  Computed& now = computed_[{&told.story, told.part}];
  now = {key, stage.run.get(), arrived_ + 1, std::move(words)};
  return now.words;
}

Result<Verdict> StoryDesk::judge_part(const PartTold& told, const PartAnswer& answer, const StageNow& stage) {
  stand_at(told.story, told.part, stage);
  auto verdict = check_part(told.drawn, told.part, answer, *figures_, nullptr);
  if (verdict && verdict->kind == Verdict::Kind::unanswerable && (waits_ || scene_waits_))
    return Verdict{
        Verdict::Kind::not_understood, msg("The run that gives the answer is under way."), nullptr, {}};
  return verdict;
}

Result<Verdict> StoryDesk::judge_part_setting(const PartTold& told, const LabScene& shown,
                                              const LabView& view) {
  StoryFigures readers({[this](const Request& request) { return run_for(request); },
                        [this](const std::string& lab, const std::string& rung) {
                          return sources_.recorded ? sources_.recorded(lab, rung) : std::vector<Run>{};
                        }});
  readers.show({std::shared_ptr<void>(), &shown}, view);  // it outlives this call
  return check_part(told.drawn, told.part, {settings_answer(shown.run().request), ""}, readers, nullptr);
}

}  // namespace lockstep
