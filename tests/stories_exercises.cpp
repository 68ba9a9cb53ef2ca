// The shipped exercises: the worked answers, and 200 students each.
#include <algorithm>
#include <set>

#include "app/devices/gpus.hpp"
#include "exercise_support.hpp"

using namespace lockstep;
using Said = Verdict::Kind;

namespace {

constexpr int kStudents = 200;

Seed seed_of(int student) {
  return student_seed("a test's passphrase", "student " + std::to_string(student));
}

GradedFile graded(const Exercise& exercise, const ExerciseAnswers& answers, StoryFigures& figures) {
  // By way of the file, as a student hands it in.
  const auto read = read_answers(answers_json(answers), "answers.json");
  if (!read) FAIL(read.error().text());
  auto file = grade_answers(exercise, *read, "answers.json", figures, nullptr);
  if (!file) FAIL(file.error().text());
  return std::move(*file);
}

// Every number off by more than the tolerance, every choice another one.
std::string off(const DrawnExercise& drawn, std::size_t i, const std::string& right, StoryFigures& figures) {
  const ExercisePart& part = drawn.exercise->parts[i];
  switch (part.kind) {
    case PartKind::number:
    case PartKind::predict: {
      PartFigures staged(drawn, i, nullptr, figures);
      DrawnFigures all(drawn.values, &staged);
      const auto value = part.ask.answer->evaluate(all);
      REQUIRE(value.ok());
      const double x = number_of(*value);
      double allowed = std::holds_alternative<std::int64_t>(*value) ? 0 : std::abs(x) / 100;
      if (part.ask.tolerance)
        allowed = part.ask.tolerance->percent ? std::abs(x) * part.ask.tolerance->size / 100
                                              : part.ask.tolerance->size;
      return shortest_text(x + (allowed > 0 ? allowed * 1.02 : 1));
    }
    case PartKind::choice:
      return right == "1" ? "2" : "1";
    case PartKind::several:
    case PartKind::order:
      return right == "1" ? "2" : "1";
    case PartKind::set: {
      const auto scene = scene_of_part(drawn, i);
      return settings_answer(*scene_request(scene.lab, *scene.setup));
    }
    default:
      return right;
  }
}

struct Worked {
  const char *exercise, *part;
  double answer;
  double within;  // as far as it was rounded
};

}  // namespace

TEST_CASE("at the default seed the worked answers come out") {
  const Worked kWorked[] = {{"mfu", "work", 137.4, 0.05},
                            {"mfu", "rate", 392.7, 0.05},
                            {"mfu", "mfu", 39.7, 0.05},
                            {"bound", "add", 0.167, 0.0005},
                            {"bound", "product", 1365, 0.5},
                            {"bound", "ridge", 295, 0.5},
                            {"shared_budget", "bytes", 32, 0},
                            {"shared_budget", "blocks", 6, 0},
                            {"shared_budget", "occupancy", 75, 0},
                            {"shared_budget", "deep", 3, 0},
                            {"roofline", "ridge", 295, 0.5},
                            {"roofline", "relu", 0.25, 0},
                            {"roofline", "softmax", 1.25, 0.005},
                            {"roofline", "layernorm", 2, 0.005},
                            {"bank_conflicts", "near", 1, 0},
                            {"bank_conflicts", "far", 32, 0},
                            {"graph_gain", "serial", 4, 0},
                            {"graph_gain", "share", 25, 0},
                            {"graph_gain", "graph", 3.005, 0},
                            {"graph_gain", "gain", 1.33, 0.005},
                            {"graph_gain", "measured", 3.31, 0.005},
                            {"graph_gain", "real", 4.7, 0.05},
                            {"occupancy_limits", "registers", 1024, 0},
                            {"occupancy_limits", "shared", 4, 0},
                            {"occupancy_limits", "occupancy", 50, 0}};
  ExerciseEngines engines;
  for (const Worked& worked : kWorked) {
    CAPTURE(worked.exercise);
    CAPTURE(worked.part);
    const Exercise& exercise = exercise_named(worked.exercise);
    const auto drawn = draw_exercise(exercise, {});
    REQUIRE(drawn.ok());
    const auto at = std::find_if(exercise.parts.begin(), exercise.parts.end(),
                                 [&](const ExercisePart& part) { return part.id == worked.part; });
    REQUIRE(at != exercise.parts.end());
    const auto i = std::size_t(at - exercise.parts.begin());
    const TypedNumber answer =
        number_typed(right_answer_for(*drawn, i, engines.figures), exercise.parts[i].ask.unit);
    REQUIRE(answer.value.has_value());
    CHECK(std::abs(*answer.value - worked.answer) <= worked.within + 1e-9);
  }
}

TEST_CASE("the 1 KB of each block and the launches that nobody waits for are what tempts") {
  ExerciseEngines engines;
  const auto why = [&](const char* slug, std::size_t part, const char* typed) {
    const auto drawn = draw_exercise(exercise_named(slug), {});
    const auto verdict = check_part_alone(*drawn, part, {typed, ""}, engines.figures, nullptr);
    REQUIRE(verdict.ok());
    CHECK(verdict->kind == Said::wrong);
    REQUIRE(verdict->why != nullptr);
    return plain_text(*verdict->why, [](const Inline&) { return ""; });
  };
  CHECK(why("shared_budget", 1, "7").find("1 KB more") != std::string::npos);
  CHECK(why("shared_budget", 2, "87.5").find("division alone") != std::string::npos);
  CHECK(why("graph_gain", 4, "4").find("launches the next kernels while one is running") !=
        std::string::npos);
}

TEST_CASE("200 students: right answers pass, those beyond the tolerance fail with a reason" *
          doctest::test_suite("slow")) {
  ExerciseEngines engines;
  for (const Exercise& exercise : guided_exercises()) {
    CAPTURE(exercise.slug);
    for (int student = 0; student < kStudents; ++student) {
      const Seed seed = seed_of(student);
      const ExerciseAnswers right = good_answers(exercise, "N", seed, engines.figures);
      const GradedFile good = graded(exercise, right, engines.figures);
      for (const PartResult& part : good.parts)
        CHECK_MESSAGE(part.kind == Said::right, part.id << ": " << part.reason.text());
      CHECK(doubts_of(good, exercise).empty());
      const auto drawn = draw_exercise(exercise, seed);
      ExerciseAnswers wrong = right;
      for (std::size_t i = 0; i < exercise.parts.size(); ++i)
        wrong.parts[i].answer.text = off(*drawn, i, right.parts[i].answer.text, engines.figures);
      for (const PartResult& part : graded(exercise, wrong, engines.figures).parts) {
        if (!part.graded) continue;
        CHECK_MESSAGE(part.kind == Said::wrong,
                      exercise.slug << " " << part.id << ": " << part.reason.text());
        CHECK(!part.reason.text().empty());
      }
    }
  }
}

TEST_CASE("200 students: another one's answers fail" * doctest::test_suite("slow")) {
  ExerciseEngines engines;
  for (const Exercise& exercise : guided_exercises()) {
    CAPTURE(exercise.slug);
    int same = 0;
    for (int student = 0; student < kStudents; ++student) {
      ExerciseAnswers other = good_answers(exercise, "N", seed_of(student), engines.figures);
      other.seed = seed_of(student + 1);
      const GradedFile file = graded(exercise, other, engines.figures);
      if (file.right == file.graded) ++same;
    }
    CHECK(same <= 2);  // seeds that draw the same values
  }
}

TEST_CASE("a seed draws the same on every machine, and 200 of them draw many different exercises") {
  for (const Exercise& exercise : guided_exercises()) {
    CAPTURE(exercise.slug);
    std::set<std::string> drawn;
    for (int student = 0; student < kStudents; ++student) {
      std::string all;
      const auto values = draw_exercise(exercise, seed_of(student))->values;
      for (const auto& [name, value] : values) all += name + "=" + to_string(value) + " ";
      drawn.insert(all);
    }
    CHECK(drawn.size() >= 100);
  }
  const auto values = draw_exercise(exercise_named("mfu"), *seed_from_code("K7QM-2T9X"))->values;
  CHECK(to_string(values.at("n")) == "4096");
  CHECK(to_string(values.at("base")) == "0.28");
}

TEST_CASE("exercises have the same parts and answers in both languages, three hints each and a why") {
  const auto english = guided_exercises("en"), chinese = guided_exercises("zh");
  REQUIRE(english.size() == chinese.size());
  CHECK(english.size() >= 8);
  const auto text = [](const std::optional<Expression>& one) { return one ? one->text() : ""; };
  for (std::size_t e = 0; e < english.size(); ++e) {
    const Exercise &a = english[e], &b = chinese[e];
    CAPTURE(a.slug);
    CHECK(a.slug == b.slug);
    CHECK(b.language == "zh");
    CHECK(a.vary.size() == b.vary.size());
    REQUIRE(a.parts.size() == b.parts.size());
    for (std::size_t i = 0; i < a.parts.size(); ++i) {
      const ExercisePart &x = a.parts[i], &y = b.parts[i];
      CAPTURE(x.id);
      CHECK(x.id == y.id);
      CHECK(x.kind == y.kind);
      CHECK(text(x.ask.answer) == text(y.ask.answer));
      CHECK(x.ask.tempting.size() == y.ask.tempting.size());
      CHECK(x.shows == y.shows);
      CHECK(x.hints.size() >= 3);
      CHECK(x.hints.size() == y.hints.size());
      CHECK(!x.why.empty());
      CHECK(!y.why.empty());
      REQUIRE(x.ask.options.size() == y.ask.options.size());
      for (std::size_t o = 0; o < x.ask.options.size(); ++o) {
        CHECK(x.ask.options[o].right == y.ask.options[o].right);
        CHECK(text(x.option_right[o]) == text(y.option_right[o]));
      }
    }
  }
}

TEST_CASE("every text of every exercise can be printed, with every student's numbers" *
          doctest::test_suite("slow")) {
  ExerciseEngines engines;
  for (const char* language : {"en", "zh"})
    for (const Exercise& exercise : guided_exercises(language))
      for (int student = 0; student < 20; ++student) {
        const auto drawn = draw_exercise(exercise, student == 0 ? Seed{} : seed_of(student));
        for (std::size_t i = 0; i < exercise.parts.size(); ++i) {
          PartFigures staged(*drawn, i, nullptr, engines.figures);
          DrawnFigures all(drawn->values, &staged);
          const ExercisePart& part = exercise.parts[i];
          const auto print = [&](const InlineText& text) {
            const auto printed = computed_text(text, all);
            if (!printed) FAIL_CHECK(exercise.file.string() << ":" << printed.error().text());
          };
          for (const auto* texts : {&exercise.text, &part.text, &part.why})
            for (const Paragraph& one : *texts) print(one.pieces);
          for (const auto* texts : {&part.hints, &part.option_why})
            for (const InlineText& one : *texts) print(one);
          print(part.ask.question), print(part.reason);
          for (const Option& option : part.ask.options) print(option.text);
          for (const Tempting& one : part.ask.tempting) print(one.why);
          const auto sides = compare_part(*drawn, i, {"1", ""}, staged);
          if (!sides) FAIL_CHECK(exercise.file.string() << ":" << sides.error().text());
          if (part.formula && part.measured && sides) CHECK(!sides->formula.empty());
        }
      }
}
