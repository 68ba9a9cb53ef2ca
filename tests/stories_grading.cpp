// A class hands in: what is wrong with whose file, and the verbs as a shell sees them.
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/platform/files.hpp"
#include "engine_support.hpp"
#include "exercise_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using nlohmann::json;

namespace {

constexpr const char* kPassphrase = "correct horse";

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string student(int i) { return "Student " + std::to_string(i); }

ExerciseAnswers honest(int i, StoryFigures& figures) {
  return good_answers(exercise_named("mfu"), student(i), student_seed(kPassphrase, student(i)), figures);
}

}  // namespace

TEST_CASE("ten files that were tampered with or swapped are all named, and no honest one is") {
  ExerciseEngines engines;
  const TemporaryFolder folder;
  write(folder / "pass.txt", std::string(kPassphrase) + "\n");
  std::filesystem::create_directory(folder / "class");
  const auto file = [&](int i) { return folder / ("class/" + std::to_string(100 + i) + ".json"); };
  for (int i = 0; i < 40; ++i) REQUIRE(save_answers(honest(i, engines.figures), file(i)).ok());
  std::map<int, std::string> tampered;
  const auto tamper = [&](int i, const char* named, const auto& change) {
    ExerciseAnswers answers = honest(i, engines.figures);
    change(answers);
    REQUIRE(save_answers(answers, file(i)).ok());
    tampered[100 + i] = named;
  };
  tamper(1, "is not that of", [](auto& a) { a.name = "Somebody Else"; });
  tamper(2, "is not that of", [](auto& a) { a.seed.bits ^= 1; });
  tamper(3, "no code", [](auto& a) { a.seed = {}; });
  tamper(4, "all are right for the code", [&](auto& a) {
    a.parts = honest(30, engines.figures).parts;  // copied from a neighbour
  });
  tamper(5, "the file says right",
         [](auto& a) { a.parts[0].answer.text = a.parts[0].attempts[0].answer.text = "1"; });
  tamper(6, "run backwards", [](auto& a) {
    auto& attempts = a.parts[1].attempts;
    attempts.insert(attempts.begin(), {{"1", ""}, "2026-11-24T09:00:00Z", "wrong"});
  });
  tamper(7, "prediction was changed", [](auto& a) {
    PartRecord& last = a.parts.back();
    last.locked = true, last.attempts[0].answer.text = "3", last.attempts[0].verdict = "wrong";
  });
  tamper(8, "not one attempt", [](auto& a) {
    for (PartRecord& part : a.parts) part.attempts.clear();
  });
  tamper(9, "no part 'extra'", [](auto& a) { a.part("extra").answer.text = "1"; });
  tamper(10, "handed this exercise in 2 times",
         [&](auto& a) { a.name = student(11), a.seed = student_seed(kPassphrase, student(11)); });
  write(file(12), "{\"schema\":1}");
  const ProgramResult result =
      run_program({"exercise", "grade", folder / "class", "--json", "--passphrase-file", folder / "pass.txt",
                   "--exercises", in_source("assets/exercises")});
  CHECK(result.exit == 1);
  const json graded = json::parse(result.out);
  for (const auto& one : graded["files"]) {
    const int i = std::stoi(std::filesystem::path(one["file"].get<std::string>()).stem().string());
    CAPTURE(i);
    CAPTURE(one["doubts"].dump());
    if (i == 111) continue;  // the one whose name was used twice
    CHECK(one["doubts"].empty() == !tampered.contains(i));
    if (!tampered.contains(i)) CHECK(one["right"] == one["of"]);
    if (tampered.contains(i)) CHECK(one["doubts"].dump().find(tampered[i]) != std::string::npos);
  }
  REQUIRE(graded["broken"].size() == 1);
  CHECK(graded["broken"][0]["file"].get<std::string>().ends_with("112.json"));
  CHECK(result.err.find("shows who was given it, not who did the work") != std::string::npos);
}

TEST_CASE("grade --csv is a line for each file, and no cell begins a formula") {
  ExerciseEngines engines;
  const TemporaryFolder folder;
  ExerciseAnswers answers = honest(1, engines.figures);
  answers.name = "=cmd()";
  REQUIRE(save_answers(answers, folder / "a.json").ok());
  const ProgramResult result = run_program({"exercise", "grade", folder.path(), "--csv"});
  CHECK(result.out.starts_with("file,name,code,exercise,right,of,attempts,hints,wrong parts,doubts\n"));
  CHECK(result.out.find(",'=cmd(),") != std::string::npos);
  CHECK(result.out.find(",mfu,4,4,4,0,") != std::string::npos);
  CHECK(result.err.find("without your passphrase") != std::string::npos);
}

TEST_CASE("exercise check: exit 0 where all is right, 1 where something is not, 2 for what is no such file") {
  ExerciseEngines engines;
  const TemporaryFolder folder;
  for (const Exercise& exercise : guided_exercises())
    REQUIRE(save_answers(good_answers(exercise, "Ada", student_seed("p", "Ada"), engines.figures),
                         folder / (exercise.slug + ".json"))
                .ok());
  for (const Exercise& exercise : guided_exercises()) {
    CAPTURE(exercise.slug);
    const ProgramResult result =
        run_program({"exercise", "check", folder / (exercise.slug + ".json"), "--json"});
    CHECK_MESSAGE(result.exit == 0, result.out << result.err);
    const json said = json::parse(result.out);
    for (const auto& part : said["parts"]) CHECK(part["verdict"] == "right");
  }
  ExerciseAnswers wrong = honest(1, engines.figures);
  wrong.parts[0].answer.text = wrong.parts[0].attempts[0].answer.text = "1";
  wrong.parts[0].attempts[0].verdict = "wrong";
  REQUIRE(save_answers(wrong, folder / "wrong.json").ok());
  const ProgramResult result = run_program({"exercise", "check", folder / "wrong.json"});
  CHECK(result.exit == 1);
  CHECK(result.out.find("It is not 1 GFLOP: it is more than 1 % away from the answer.") != std::string::npos);
  CHECK(run_program({"exercise", "check", folder / "none.json"}).exit == 2);
  CHECK(run_program({"exercise", "check"}).exit == 2);
}

TEST_CASE("exercise list, show, codes and new") {
  const auto list = json::parse(run_program({"exercise", "list", "--json"}).out)["exercises"];
  REQUIRE(list.size() >= 8);
  CHECK(list[0]["slug"] == "mfu");
  CHECK(list[7]["number"] == "8");
  const ProgramResult plain = run_program({"exercise", "show", "mfu"});
  CHECK(plain.exit == 0);
  CHECK(plain.out.find("392.7") == std::string::npos);  // no answer without --solutions
  CHECK(run_program({"exercise", "show", "mfu", "--solutions"}).out.find("392.7 TFLOP/s") !=
        std::string::npos);
  CHECK(run_program({"exercise", "show", "3", "--lang", "zh"}).out.find("要不要用图") != std::string::npos);
  CHECK(run_program({"exercise", "show", "mfoo"}).exit == 2);
  CHECK(run_program({"exercise", "show", "mfu", "--seed", "zz"}).exit == 2);
  const TemporaryFolder folder;
  write(folder / "pass.txt", "Jefe\n");
  write(folder / "names.txt", "what do ya want for nothing?\n\nAda\n");
  const auto codes = json::parse(run_program({"exercise", "codes", folder / "names.txt", "--passphrase-file",
                                              folder / "pass.txt", "--json"})
                                     .out)["codes"];
  REQUIRE(codes.size() == 2);
  CHECK(codes[0]["code"] == seed_code(Seed{0x5bdcc146bf}));
  CHECK(run_program({"exercise", "codes", "Ada"}).exit == 2);
  CHECK(run_program({"exercise", "new", folder / "mine"}).exit == 0);
  CHECK(run_program({"exercise", "check", folder / "mine.md"}).exit == 0);
  CHECK(run_program({"exercise", "new", folder / "mine"}).exit == 2);
  const auto own = json::parse(run_program({"exercise", "list", "--json", "--exercises", folder.path()}).out);
  CHECK(own["exercises"].size() == list.size() + 1);
}
