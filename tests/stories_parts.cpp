// Kinds of parts, codes, result files; and exercises that cannot be read.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/stories/exercise_answers.hpp"
#include "app/stories/exercise_reader.hpp"
#include "damage.hpp"
#include "engine_support.hpp"
#include "exercise_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Said = Verdict::Kind;

namespace {

constexpr const char* kFront = "---\nlab: transpose\ntitle: x\nvary: n = 4, *8, 16\nlet: m = 2 * n\n---\n";

Exercise exercise_with(const std::string& ask) {
  auto read = read_exercise(std::string(kFront) + "# One\n```ask\npart: one\n" + ask + "```\nWhy.\n", "x.md");
  if (!read) FAIL(read.error().text());
  return std::move(*read);
}

std::string fault_of(const std::string& text) {
  const auto read = read_exercise(text, "x.md");
  return read ? "" : read.error().text();
}

class FakeJudge final : public ProgramJudge {
 public:
  Result<Verdict> judge(const std::string& task, std::string_view text, const Params& values) override {
    seen = task + " " + std::string(text) + " " + to_string(values.at("n"));
    return Verdict{Said::right, {"well written", {}}};
  }
  Result<std::string> starting_text(const std::string&) override { return std::string("// begin"); }
  std::string seen;
};

Verdict checked(const Exercise& exercise, const std::string& text, const std::string& reason = "",
                ProgramJudge* judge = nullptr, Seed seed = {}) {
  MadeFigures figures;
  const auto drawn = draw_exercise(exercise, seed);
  REQUIRE(drawn.ok());
  const auto verdict = check_part(*drawn, 0, {text, reason}, figures, judge);
  if (!verdict) FAIL(verdict.error().text());
  return *verdict;
}
Said kind(const Exercise& exercise, const std::string& text, const std::string& reason = "") {
  return checked(exercise, text, reason).kind;
}

}  // namespace

TEST_CASE("numbers see what was drawn; a prediction is a number") {
  for (const char* word : {"number", "predict"}) {
    const Exercise exercise = exercise_with(std::string(word) + ": How many?\nanswer: m + x\nunit: us\n");
    CHECK(kind(exercise, "21") == Said::right);
    CHECK(kind(exercise, "0.021 ms") == Said::right);
    CHECK(kind(exercise, "20") == Said::wrong);
    CHECK(kind(exercise, "20 KB") == Said::not_understood);
  }
}

TEST_CASE("several: all that belong and no other, and a reason where one is asked for") {
  const Exercise exercise =
      exercise_with("several: Which?\n+ a\n- b || b is none\n? n > 4 | c\nreason: Why?\n");
  CHECK(kind(exercise, "1, 3", "so") == Said::right);
  CHECK(kind(exercise, "c a", "so") == Said::right);
  CHECK(kind(exercise, "1 3") == Said::not_understood);
  CHECK(checked(exercise, "1", "so").reason.text().find("missing") != std::string::npos);
  const Verdict wrong = checked(exercise, "1,2,3", "so");
  CHECK(wrong.kind == Said::wrong);
  REQUIRE(wrong.why);
  CHECK(wrong.why->front().text == "b is none");
  CHECK(kind(exercise, "4", "so") == Said::not_understood);
  CHECK(kind(exercise_with("several: Which?\n- a\n- b\n"), "0") == Said::right);
}

TEST_CASE("order: the steps that belong, in their order; never shown in that order as they stand") {
  const Exercise exercise = exercise_with("order: How?\n+ first\n+ second\n+ third\n- never\n");
  const auto drawn = draw_exercise(exercise, {});
  MadeFigures figures;
  const auto right = right_part_answer(*drawn, 0, figures);
  REQUIRE(right.ok());
  CHECK(*right != "1, 2, 3");
  CHECK(kind(exercise, *right) == Said::right);
  CHECK(kind(exercise, right->substr(0, 4)) == Said::wrong);
  CHECK(kind(exercise, "2, 1, 3, 4") == Said::wrong);
}

TEST_CASE("a seed shuffles the options, and the answer is the place that its student sees") {
  const Exercise exercise = exercise_with("choice: Which?\n- a\n- b\n+ c\n- d\n- e\n");
  std::set<std::string> places;
  for (int i = 0; i < 40; ++i) {
    const Seed seed = student_seed("pass", std::to_string(i));
    const auto drawn = draw_exercise(exercise, seed);
    MadeFigures figures;
    const auto right = right_part_answer(*drawn, 0, figures);
    CHECK(checked(exercise, *right, "", nullptr, seed).kind == Said::right);
    places.insert(*right);
  }
  CHECK(places.size() == 5);
}

TEST_CASE("a program goes to the judge with what was drawn, and is not judged where there is none") {
  const Exercise exercise = exercise_with("program: Write it.\ntask: map\n");
  FakeJudge judge;
  CHECK(checked(exercise, "int main", "", &judge).kind == Said::right);
  CHECK(judge.seen == "map int main 8");
  CHECK(kind(exercise, "int main") == Said::unanswerable);
}

TEST_CASE("a text is kept and not graded") {
  const Exercise exercise = exercise_with("text: What did you see?\n");
  CHECK(kind(exercise, "a lot") == Said::right);
  CHECK(kind(exercise, "  ") == Said::not_understood);
}

TEST_CASE("a prediction stands once the run has started") {
  const Exercise exercise = exercise_with("predict: How many?\nanswer: n\n");
  ExerciseAnswers answers;
  const ExercisePart& part = exercise.parts[0];
  CHECK(add_attempt(answers, part, {"7", ""}, {Said::wrong, {}}).ok());
  lock_prediction(answers, part);
  const Status refused = add_attempt(answers, part, {"8", ""}, {Said::right, {}});
  REQUIRE(!refused.ok());
  CHECK(refused.error().text() == "the run has started: this prediction stands");
  CHECK(answers.find("one")->answer.text == "7");
}

TEST_CASE("a set part names a rung and settings of its lab, and nothing else") {
  CHECK(setup_of_answer("transpose", "padded; n=64").ok());
  for (const char* wrong :
       {"padded; n=0", "fast; n=64", "padded; m=64", "padded; naive", "", "n=64", "padded; n"})
    CHECK_MESSAGE(!setup_of_answer("transpose", wrong).ok(), wrong);
  Request request = *scene_request("transpose", *setup_of_answer("transpose", "padded; n=64"));
  CHECK(settings_answer(request) == "padded; n=64");
}

TEST_CASE("a code holds 40 bits, reads like its kin, and is HMAC-SHA256 of passphrase and name") {
  // RFC 4231, test case 2: 5bdcc146bf 60754e6a ...
  CHECK(student_seed("Jefe", "what do ya want for nothing?").bits == 0x5bdcc146bfu);
  CHECK(student_seed("Jefe", "  what do  ya want\tfor nothing? ") ==
        student_seed("Jefe", "what do ya want for nothing?"));
  for (int i = 0; i < 1000; ++i) {
    const Seed seed = student_seed("p", std::to_string(i));
    const std::string code = seed_code(seed);
    CHECK(code.size() == 9);
    CHECK(seed_from_code(code) == seed);
  }
  CHECK(seed_from_code("k7qm2t9x") == seed_from_code("K7QM-2T9X"));
  CHECK(seed_from_code("O1IL-2345") == seed_from_code("0111-2345"));
  CHECK(seed_from_code("") == Seed{});
  for (const char* wrong : {"K7QM", "K7QM-2T9X1", "K7QM-2T9U", "K7QM-2T9!", "-1"})
    CHECK_MESSAGE(!seed_from_code(wrong).has_value(), wrong);
}

TEST_CASE("a result file comes back as it was written, and a stranger's is refused with what is wrong") {
  ExerciseAnswers answers{"mfu", "Ada \"L\" 李", *seed_from_code("K7QM-2T9X"), "0.1.0", {}};
  PartRecord& part = answers.part("work");
  part.answer = {"137.4", "so"}, part.hints = 2, part.locked = true;
  part.attempts.push_back({{"1", ""}, "2026-11-23T09:00:00Z", "wrong"});
  const std::string text = answers_json(answers);
  const auto read = read_answers(text, "a.json");
  REQUIRE(read.ok());
  CHECK(answers_json(*read) == text);
  CHECK(read->find("work")->hints == 2);
  const auto refused = [](const std::string& bytes) {
    const auto one = read_answers(bytes, "a.json");
    return one ? "" : one.error().text();
  };
  CHECK(refused("[1]") == "a.json: expected an object");
  CHECK(refused("{").find("not JSON") != std::string::npos);
  CHECK(refused(R"({"schema":2})") == "a.json: schema is not 1");
  CHECK(refused(R"({"schema":1,"exercise":7,"version":"","parts":[]})")
            .starts_with("a.json: exercise: expected a text"));
  CHECK(refused(R"({"schema":1,"exercise":"m","seed":"zz","version":"","parts":[]})")
            .starts_with("a.json: seed: expected a code"));
  CHECK(refused(R"({"schema":1,"exercise":"m","version":"","parts":[{"id":"a"},{"id":"a"}]})")
            .starts_with("a.json: parts[1]: expected another id"));
  CHECK(
      refused(R"({"schema":1,"exercise":"m","version":"","parts":[{"id":"a","attempts":[{"time":"now"}]}]})")
          .starts_with("a.json: parts[0].attempts[0].time: expected a time"));
  CHECK(refused(std::string(100000, '[')).find("not JSON") != std::string::npos);
  CHECK(refused(std::string(kMaxAnswersBytes + 1, ' ')).find("at most") != std::string::npos);
}

TEST_CASE("result files are saved whole, in a folder that is made for them") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "answers/mfu.json";
  const ExerciseAnswers answers{"mfu", "Ada", {}, "0.1.0", {}};
  REQUIRE(save_answers(answers, file).ok());
  const auto read = load_answers(file);
  REQUIRE(read.ok());
  CHECK(read->name == "Ada");
  CHECK(load_answers(folder / "none.json").error().exit == Exit::bad_input);
}

TEST_CASE("a broken exercise names file, line and reason; the others of its folder load") {
  const std::string front = kFront;
  const auto ask = [&](const std::string& lines) {
    return fault_of(front + "# One\n```ask\n" + lines + "```\n");
  };
  CHECK(fault_of("# One\n").starts_with("x.md:1:1: expected '---'"));
  CHECK(fault_of("---\nlab: nolab\ntitle: x\n---\n").starts_with("x.md:2:6: there is no lab"));
  CHECK(fault_of("---\nlab: banks\ntitle: x\nvary: n = 1..3 by 0\n---\n").starts_with("x.md:4:11: a range"));
  CHECK(fault_of("---\nlab: banks\ntitle: x\nvary: run = 1\n---\n")
            .starts_with("x.md:4:7: 'run' has a meaning"));
  CHECK(fault_of("---\nlab: banks\ntitle: x\nvary: n = 1, 2\nlet: n = 3\n---\n")
            .starts_with("x.md:5:6: n stands"));
  CHECK(fault_of("---\nlab: banks\ntitle: x\nvary: n = *1, *2\n---\n").find("one value has the star") !=
        std::string::npos);
  CHECK(fault_of("---\nlab: banks\ntitle: x\nlet: a = b + 1\n---\n# One\n```ask\npart: p\ntext: ?\n```\n")
            .starts_with("x.md:4:10: "));
  CHECK(fault_of(front).find("at least one part") != std::string::npos);
  CHECK(fault_of(front + "# One\n").starts_with("x.md:7:3: this part has no `ask`"));
  CHECK(ask("number: ?\nanswer: 1\n").find("expected 'part: '") != std::string::npos);
  CHECK(ask("part: A b\nnumber: ?\nanswer: 1\n").starts_with("x.md:9:7: 'A b' is no name"));
  CHECK(ask("part: a\nnumber: ?\n").find("expected 'answer: '") != std::string::npos);
  CHECK(ask("part: a\nchoice: ?\n- b\n- c\n").find("one option marked +") != std::string::npos);
  CHECK(ask("part: a\norder: ?\n+ b\n- c\n").find("in their order") != std::string::npos);
  CHECK(ask("part: a\nprogram: ?\n").find("has a 'task: '") != std::string::npos);
  CHECK(ask("part: a\nnumber: ?\nanswer: 1 +\n").starts_with("x.md:11:"));
  CHECK(ask("part: a\ncolour: ?\n").starts_with("x.md:10:1: expected part, number"));
  // A value that some seed draws and the lab does not have.
  CHECK(fault_of("---\nlab: transpose\ntitle: x\nvary: n = *128, 99999\n---\n# One\n```scene\nrung: copy\nn: "
                 "{n}\n```\n```ask\npart: a\ntext: ?\n```\n")
            .find("99999") != std::string::npos);
  const TemporaryFolder folder;
  std::ofstream(folder / "good.md") << front << "# One\n```ask\npart: a\ntext: ?\n```\n";
  std::ofstream(folder / "bad.md") << front << "# One\n";
  const ExerciseShelf shelf = load_exercises({folder.path(), in_source("assets/exercises")}, "en");
  REQUIRE(shelf.faults.size() == 1);
  CHECK(shelf.faults[0].text().find("bad.md:7:3: ") != std::string::npos);
  CHECK(std::any_of(shelf.exercises.begin(), shelf.exercises.end(),
                    [](const Exercise& one) { return one.slug == "good"; }));
  CHECK(shelf.exercises.size() >= 9);
}

namespace {

struct Shipped {
  std::string name, text;
};

std::vector<Shipped> shipped_exercises() {
  std::vector<Shipped> all;
  for (const char* language : {"en", "zh"})
    for (const auto& entry :
         std::filesystem::directory_iterator(in_source("assets/exercises") / std::filesystem::path(language)))
      if (entry.path().extension() == ".md")
        all.push_back({language + ("/" + entry.path().filename().string()), text_of(entry.path())});
  std::sort(all.begin(), all.end(), [](const Shipped& a, const Shipped& b) { return a.name < b.name; });
  return all;
}

// All that the window and the verbs ask of an exercise.
void work_through(const Exercise& exercise) {
  for (const Seed seed : {Seed{}, Seed{77}}) {
    const auto drawn = draw_exercise(exercise, seed);
    if (!drawn) continue;
    MadeFigures figures;
    DrawnFigures all(drawn->values, &figures);
    for (std::size_t i = 0; i < exercise.parts.size(); ++i) {
      const ExercisePart& part = exercise.parts[i];
      (void)scene_of_part(*drawn, i);
      (void)computed_text(part.ask.question, all).ok();
      for (const Paragraph& one : part.why) (void)computed_text(one.pieces, all).ok();
      for (const char* typed : {"7", "4 KB", "2", "1, 3", "a c b", "padded; n=64", ""})
        (void)check_part(*drawn, i, {typed, "so"}, figures, nullptr).ok();
      if (part.kind != PartKind::set && part.kind != PartKind::text && part.kind != PartKind::program)
        (void)right_part_answer(*drawn, i, figures).ok();
      (void)compare_part(*drawn, i, {"1", ""}, figures).ok();
    }
  }
}

}  // namespace

TEST_CASE("damaged exercises of both languages end in an error with its line, or load and can be worked") {
  const std::vector<Shipped> files = shipped_exercises();
  REQUIRE(files.size() >= 16);
  Random random(20261124);
  int loaded = 0, refused = 0, without_line = 0;
  for (int i = 0; i < mutations(); ++i) {
    const Shipped& file = files[std::size_t(i) % files.size()];
    const auto exercise = read_exercise(damaged(file.text, random), file.name);
    (exercise ? loaded : refused) += 1;
    if (exercise) work_through(*exercise);
    if (exercise || names_line(exercise.error(), file.name)) continue;
    ++without_line;
    MESSAGE(exercise.error().text());
  }
  CHECK(without_line == 0);
  CHECK(loaded > mutations() / 20);
  CHECK(refused > mutations() / 20);
  MESSAGE(loaded << " loaded, " << refused << " were refused");
}

TEST_CASE("damaged result files are refused or read, and what is read is written again") {
  ExerciseEngines engines;
  const std::string text =
      answers_json(good_answers(exercise_named("mfu"), "Ada", *seed_from_code("K7QM-2T9X"), engines.figures));
  Random random(20261125);
  int loaded = 0;
  for (int i = 0; i < mutations(); ++i) {
    const auto read = read_answers(damaged(text, random), "a.json");
    if (!read) {
      CHECK(read.error().text().starts_with("a.json"));
      continue;
    }
    ++loaded;
    CHECK(read_answers(answers_json(*read), "a.json").ok());
  }
  CHECK(loaded > 0);
}

TEST_CASE("the worked example of docs/exercises.md can be read, and is answerable at every seed") {
  const std::string page = text_of(in_source("docs/exercises.md"));
  const std::string open = "````markdown\n";
  const std::size_t begin = page.find(open), end = page.find("\n````\n", begin);
  REQUIRE(begin != std::string::npos);
  const auto exercise =
      read_exercise(page.substr(begin + open.size(), end + 1 - begin - open.size()), "x.md");
  if (!exercise) FAIL(exercise.error().text());
  ExerciseEngines engines;
  for (int i = 0; i < 50; ++i) {
    const auto drawn = draw_exercise(*exercise, i == 0 ? Seed{} : student_seed("p", std::to_string(i)));
    for (std::size_t part = 0; part < 2; ++part) {
      const std::string right = right_answer_for(*drawn, part, engines.figures);
      CHECK(check_part_alone(*drawn, part, {right, ""}, engines.figures, nullptr)->kind == Said::right);
    }
  }
  const auto drawn = draw_exercise(*exercise, {});
  for (const char* rung : {"padded; n=128", "swizzled; n=128"})
    CHECK(check_part_alone(*drawn, 2, {rung, ""}, engines.figures, nullptr)->kind == Said::right);
  for (const char* rung : {"copy; n=128", "naive; n=128", "tiled; n=128"})
    CHECK(check_part_alone(*drawn, 2, {rung, ""}, engines.figures, nullptr)->kind == Said::wrong);
}
