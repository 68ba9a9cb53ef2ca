#include "grading.hpp"

#include <algorithm>
#include <set>

#include "app/draw/language.hpp"
#include "story_text.hpp"

namespace lockstep {
namespace {

using Said = Verdict::Kind;

// So many words the same are no chance.
constexpr std::size_t kTellingTextBytes = 40;

PartResult checked(const DrawnExercise& drawn, std::size_t i, const Verdict& verdict, StoryFigures& figures) {
  const ExercisePart& part = drawn.exercise->parts[i];
  PartResult result{part.id, verdict.kind, true, part.kind != PartKind::text, verdict.reason, ""};
  if (!verdict.why) return result;
  PartFigures staged(drawn, i, nullptr, figures);
  DrawnFigures all(drawn.values, &staged);
  if (auto why = computed_text(*verdict.why, all)) result.why = *why;
  return result;
}

// Verdicts that a student saw and that do not hold: who writes "right" into the file.
bool claims_more(const PartRecord& record, const PartResult& result) {
  return !record.attempts.empty() && record.attempts.back().verdict == "right" &&
         result.kind == Said::wrong && record.attempts.back().answer.text == record.answer.text;
}

bool is_kept_text(PartKind kind) { return kind == PartKind::text || kind == PartKind::program; }

// The right answers to the numbers of one seed, worked out once for all who compare with it.
class RightNumbers {
 public:
  RightNumbers(const Exercise& exercise, Seed seed, StoryFigures& figures) {
    auto drawn = draw_exercise(exercise, seed);
    for (std::size_t i = 0; drawn && i < exercise.parts.size(); ++i) {
      values_.emplace_back();
      if (exercise.parts[i].kind != PartKind::number) continue;
      PartFigures staged(*drawn, i, nullptr, figures);
      DrawnFigures all(drawn->values, &staged);
      const auto value = exercise.parts[i].ask.answer->evaluate(all);
      if (value && is_number(*value)) values_.back() = *value;
    }
  }
  const std::optional<Value>& operator[](std::size_t part) const { return values_[part]; }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<std::optional<Value>> values_;
};

// How many of the wrong numbers of `file` are right for another seed.
int right_for(const GradedFile& file, const Exercise& exercise, const RightNumbers& other) {
  int fitting = 0;
  for (std::size_t i = 0; i < std::min(other.size(), file.parts.size()); ++i) {
    if (!other[i] || file.parts[i].kind != Said::wrong) continue;
    const PartRecord* record = file.answers.find(exercise.parts[i].id);
    if (!record) continue;
    const Ask& ask = exercise.parts[i].ask;
    const TypedNumber given = number_typed(record->answer.text, ask.unit);
    if (given.value && near_enough(ask, *given.value, *other[i])) ++fitting;
  }
  return fitting;
}

int wrong_numbers(const GradedFile& file, const Exercise& exercise) {
  int wrong = 0;
  for (std::size_t i = 0; i < file.parts.size(); ++i)
    if (exercise.parts[i].kind == PartKind::number && file.parts[i].kind == Said::wrong) ++wrong;
  return wrong;
}

// Files of one exercise beside each other.
class ClassOfOne {
 public:
  ClassOfOne(const Exercise& exercise, StoryFigures& figures) : exercise_(exercise), figures_(figures) {}

  void add(GradedFile& file) { files_.push_back(&file); }

  void compare() {
    for (GradedFile* file : files_) {
      names_[plain_name(file->answers.name)].push_back(file);
      seeds_[file->answers.seed.bits].push_back(file);
    }
    for (const auto& [name, files] : names_)
      if (!name.empty() && files.size() > 1)
        for (GradedFile* file : files)
          file->doubts.push_back(
              msg("{0} handed this exercise in {1} times", {name, std::to_string(files.size())}));
    for (const auto& [seed, files] : seeds_)
      if (seed != 0)
        for (GradedFile* file : files) same_seed(*file, files);
    for (GradedFile* file : files_) others_answers(*file);
    same_texts();
  }

 private:
  void same_seed(GradedFile& file, const std::vector<GradedFile*>& files) {
    std::set<std::string> others;
    for (const GradedFile* other : files)
      if (plain_name(other->answers.name) != plain_name(file.answers.name))
        others.insert(other->answers.name);
    if (others.empty()) return;
    std::string all;
    for (const std::string& name : others) all += (all.empty() ? "" : ", ") + name;
    file.doubts.push_back(
        msg("the code {0} is also in the file of {1}", {seed_code(file.answers.seed), all}));
  }

  const RightNumbers& right_numbers(Seed seed) {
    const auto at = right_.find(seed.bits);
    if (at != right_.end()) return at->second;
    return right_.emplace(seed.bits, RightNumbers(exercise_, seed, figures_)).first->second;
  }

  // Two wrong numbers at least that are right for somebody else, and most of the wrong ones.
  void others_answers(GradedFile& file) {
    const int wrong = wrong_numbers(file, exercise_);
    if (wrong < 2) return;
    for (const auto& [seed, files] : seeds_) {
      if (seed == file.answers.seed.bits) continue;
      const int fitting = right_for(file, exercise_, right_numbers(Seed{seed}));
      if (fitting < 2 || fitting * 2 <= wrong) continue;
      file.doubts.push_back(msg("{0} of its wrong numbers are right for the code {1}, the one of {2}",
                                {std::to_string(fitting), seed == 0 ? "(default)" : seed_code(Seed{seed}),
                                 files.front()->answers.name}));
      return;
    }
  }

  void same_texts() {
    std::map<std::pair<std::string, std::string>, std::vector<GradedFile*>> texts;
    for (GradedFile* file : files_)
      for (const ExercisePart& part : exercise_.parts) {
        const PartRecord* record = file->answers.find(part.id);
        const std::string text =
            !record ? "" : plain_name(is_kept_text(part.kind) ? record->answer.text : record->answer.reason);
        if (text.size() >= kTellingTextBytes) texts[{part.id, text}].push_back(file);
      }
    for (const auto& [key, files] : texts) {
      if (files.size() < 2) continue;
      for (GradedFile* file : files) {
        const GradedFile* other = files.front() == file ? files.back() : files.front();
        file->doubts.push_back(msg("{0}: word for word what {1} wrote", {key.first, other->answers.name}));
      }
    }
  }

  const Exercise& exercise_;
  StoryFigures& figures_;
  std::vector<GradedFile*> files_;
  std::map<std::string, std::vector<GradedFile*>> names_;
  std::map<std::uint64_t, std::vector<GradedFile*>> seeds_;
  std::map<std::uint64_t, RightNumbers> right_;
};

void doubt_part(const ExercisePart& part, const PartRecord& record, const PartResult& result,
                std::vector<Doubt>& doubts) {
  const auto& attempts = record.attempts;
  const bool backwards = !std::is_sorted(attempts.begin(), attempts.end(),
                                         [](const Attempt& a, const Attempt& b) { return a.time < b.time; });
  if (backwards) doubts.push_back(msg("{0}: the times of its attempts run backwards", {part.id}));
  if (claims_more(record, result))
    doubts.push_back(
        msg("{0}: the file says right, and {1} is wrong", {part.id, record.answer.text.substr(0, 80)}));
  const bool changed =
      part.kind == PartKind::predict && record.locked &&
      (attempts.size() > 1 || (attempts.size() == 1 && attempts.front().answer.text != record.answer.text));
  if (changed) doubts.push_back(msg("{0}: the prediction was changed after the run had started", {part.id}));
}

}  // namespace

Result<GradedFile> grade_answers(const Exercise& exercise, ExerciseAnswers answers, const std::string& file,
                                 StoryFigures& figures, ProgramJudge* judge) {
  auto drawn = draw_exercise(exercise, answers.seed);
  if (!drawn) return drawn.error();
  GradedFile graded{file, std::move(answers), {}, {}, 0, 0};
  for (std::size_t i = 0; i < exercise.parts.size(); ++i) {
    const ExercisePart& part = exercise.parts[i];
    const PartRecord* record = graded.answers.find(part.id);
    PartResult result{
        part.id, Said::not_understood, false, part.kind != PartKind::text, msg("There is no answer yet."),
        ""};
    if (record && !record->answer.text.empty()) {
      auto verdict = check_part_alone(*drawn, i, record->answer, figures, judge);
      if (!verdict) return verdict.error();
      result = checked(*drawn, i, *verdict, figures);
    }
    graded.graded += result.graded && result.kind != Said::unanswerable ? 1 : 0;
    graded.right += result.graded && result.kind == Said::right ? 1 : 0;
    graded.parts.push_back(std::move(result));
  }
  return graded;
}

std::vector<Doubt> doubts_of(const GradedFile& graded, const Exercise& exercise) {
  std::vector<Doubt> doubts;
  for (const PartRecord& record : graded.answers.parts) {
    const auto at = std::find_if(exercise.parts.begin(), exercise.parts.end(),
                                 [&](const ExercisePart& part) { return part.id == record.id; });
    if (at == exercise.parts.end()) {
      doubts.push_back(msg("the exercise has no part '{0}'", {record.id}));
      continue;
    }
    doubt_part(*at, record, graded.parts[std::size_t(at - exercise.parts.begin())], doubts);
  }
  // What was typed last need not have been tried. A file of right answers of which none was is not the
  // program's.
  const bool tried = std::any_of(graded.answers.parts.begin(), graded.answers.parts.end(),
                                 [](const PartRecord& record) { return !record.attempts.empty(); });
  if (!tried && graded.right > 1)
    doubts.push_back(msg("right answers and not one attempt: the program writes one down for every check"));
  return doubts;
}

std::optional<Doubt> doubt_of_seed(const ExerciseAnswers& answers, std::string_view passphrase) {
  if (plain_name(answers.name).empty()) return msg("the file names nobody");
  const Seed own = student_seed(passphrase, answers.name);
  if (answers.seed == own) return {};
  if (answers.seed == Seed{})
    return msg("the file has no code: {0} was given {1}", {answers.name, seed_code(own)});
  return msg("the code {0} is not that of {1}, who was given {2}",
             {seed_code(answers.seed), answers.name, seed_code(own)});
}

void compare_files(const std::map<std::string, Exercise>& exercises, std::vector<GradedFile>& files,
                   StoryFigures& figures) {
  for (const auto& [slug, exercise] : exercises) {
    ClassOfOne group(exercise, figures);
    for (GradedFile& file : files)
      if (file.answers.exercise == slug) group.add(file);
    group.compare();
  }
}

}  // namespace lockstep
