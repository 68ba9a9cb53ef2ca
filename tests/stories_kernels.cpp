// "Write this kernel": for every program of the exercises the good solution is right, at several seeds, and
// costs exactly what the exercise allows; three typical wrong ones and a wasteful one get the verdict that a
// student needs. tests/exercises/TASK/*.cu hold what stands between the marks; their first line says what is
// expected.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "app/cli/kernel_judge.hpp"
#include "app/platform/run_program.hpp"
#include "app/program/check_kernel.hpp"
#include "app/stories/exercise_reader.hpp"
#include "engine_support.hpp"
#include "places.hpp"

using namespace lockstep;
using namespace lockstep::reader;
using namespace lockstep::test;

namespace {

namespace fs = std::filesystem;

bool has_clang() { return program_on_path("clang++") && program_on_path("addr2line"); }

const ExerciseShelf& shelf() {
  static const ExerciseShelf all = load_exercises({in_source("assets/exercises")}, "en");
  return all;
}

struct Programmed {
  const Exercise* exercise;
  std::string task;
};
std::vector<Programmed> programmed() {
  std::vector<Programmed> all;
  for (const Exercise& exercise : shelf().exercises)
    for (const ExercisePart& part : exercise.parts)
      if (part.kind == PartKind::program) all.push_back({&exercise, part.program});
  return all;
}

std::string start_of(const std::string& task) {
  return text_of(in_source("assets/exercises/programs/" + task + ".cu"));
}
std::string answer_of(const std::string& task, const std::string& name) {
  return with_part(start_of(task), text_of(in_source("tests/exercises/" + task + "/" + name + ".cu")));
}

Params drawn_values(const Exercise& exercise, std::uint64_t seed) {
  const auto drawn = draw_exercise(exercise, Seed{seed});
  REQUIRE(drawn.ok());
  return drawn->values;
}

KernelVerdict checked(const Programmed& one, const std::string& name, const Params& values) {
  const auto task = read_kernel_task(start_of(one.task), one.task, values);
  REQUIRE_MESSAGE(task.ok(), (task.ok() ? "" : task.error().text()));
  const auto verdict = check_kernel(*task, answer_of(one.task, name), {}, kProgram);
  REQUIRE_MESSAGE(verdict.ok(), (verdict.ok() ? "" : verdict.error().text()));
  return *verdict;
}

// "// expects: race. Why": "race".
std::string expected_of(const std::string& text) {
  const std::size_t begin = text.find("// expects: ") + 12;
  return text.substr(begin, text.find_first_of(".\n", begin) - begin);
}
// The lines, from 1, that end in HERE.
std::set<int> marked_lines(const std::string& text) {
  std::set<int> lines;
  std::istringstream rows(text);
  int line = 0;
  for (std::string row; std::getline(rows, row);)
    if (++line; row.ends_with("// HERE")) lines.insert(line);
  return lines;
}

std::string word_of(const KernelVerdict& verdict) {
  switch (verdict.kind) {
    case KernelVerdict::Kind::right:
      return "right";
    case KernelVerdict::Kind::finding:
      return verdict.finding;
    case KernelVerdict::Kind::wrong:
      return "wrong";
    case KernelVerdict::Kind::costly:
      return "costly";
    default:
      return "something else: " + verdict.reason.text();
  }
}

}  // namespace

TEST_CASE("twelve kernels are to be written or mended, and a vector addition") {
  for (const Error& fault : shelf().faults) CHECK_MESSAGE(false, fault.text());
  std::set<std::string> track;
  for (const Programmed& one : programmed()) {
    CAPTURE(one.task);
    if (one.exercise->track == "kernels") track.insert(one.task);
    for (const char* name : {"good", "wrong1", "wrong2", "wrong3", "wasteful"})
      CHECK(fs::exists(in_source("tests/exercises/" + one.task + "/" + name + ".cu")));
    const auto part = std::find_if(one.exercise->parts.begin(), one.exercise->parts.end(),
                                   [](const ExercisePart& p) { return p.kind == PartKind::program; });
    CHECK(part->hints.size() == 3);
    CHECK(!part->why.empty());
  }
  CHECK(track.size() == 12);
  CHECK(programmed().size() >= 13);
}

TEST_CASE("no good solution stands where a student opens the exercise") {
  for (const Programmed& one : programmed()) {
    const std::string good = text_of(in_source("tests/exercises/" + one.task + "/good.cu"));
    const std::string kernel = good.substr(good.find('\n') + 1);
    CAPTURE(one.task);
    CHECK(start_of(one.task).find(kernel) == std::string::npos);
    CHECK(text_of(one.exercise->file).find("__global__") == std::string::npos);
  }
}

TEST_CASE("the good solution is right at several seeds and costs exactly what the exercise allows" *
          doctest::test_suite("slow") * doctest::skip(!has_clang())) {
  for (const Programmed& one : programmed())
    for (const std::uint64_t seed : {0, 12345, 777}) {
      const Params values = drawn_values(*one.exercise, seed);
      const auto task = read_kernel_task(start_of(one.task), one.task, values);
      REQUIRE(task.ok());
      const KernelVerdict verdict = checked(one, "good", values);
      CAPTURE(one.task);
      CAPTURE(seed);
      CHECK(word_of(verdict) == "right");
      REQUIRE(task->most_sectors.has_value());
      CHECK(verdict.sectors == *task->most_sectors);
      if (task->most_wavefronts) CHECK(verdict.wavefronts == *task->most_wavefronts);
    }
}

TEST_CASE("typical mistakes and waste get their verdict, at the line that is meant" *
          doctest::test_suite("slow") * doctest::skip(!has_clang())) {
  for (const Programmed& one : programmed())
    for (const char* name : {"wrong1", "wrong2", "wrong3", "wasteful"}) {
      const std::string text = answer_of(one.task, name);
      const KernelVerdict verdict = checked(one, name, drawn_values(*one.exercise, 0));
      CAPTURE(one.task);
      CAPTURE(name);
      CAPTURE(verdict.reason.text());
      CHECK(word_of(verdict) == expected_of(text));
      if (const auto lines = marked_lines(text); !lines.empty()) CHECK(lines.contains(verdict.line));
      if (verdict.kind == KernelVerdict::Kind::costly) {
        CHECK(verdict.line > line_of_mark(text, kPartBegins));
        CHECK(verdict.line < line_of_mark(text, kPartEnds));
      }
    }
}

TEST_CASE("what a student starts from is not right yet; of those to mend the fault is found" *
          doctest::test_suite("slow") * doctest::skip(!has_clang())) {
  const std::map<std::string, std::string> to_mend{
      {"padding", "costly"}, {"scan", "race"}, {"histogram", "costly"}, {"transpose", "costly"}};
  for (const Programmed& one : programmed()) {
    const auto task = read_kernel_task(start_of(one.task), one.task, drawn_values(*one.exercise, 0));
    REQUIRE(task.ok());
    const auto verdict = check_kernel(*task, start_of(one.task), {}, kProgram);
    REQUIRE(verdict.ok());
    CAPTURE(one.task);
    const auto mend = to_mend.find(one.task);
    CHECK(word_of(*verdict) == (mend == to_mend.end() ? "wrong" : mend->second));
  }
}

TEST_CASE("a wrong element is named with its thread and its index, and what nobody wrote as such" *
          doctest::skip(!has_clang())) {
  const auto by_task = [](const std::string& task) {
    for (const Programmed& one : programmed())
      if (one.task == task) return one;
    return Programmed{};
  };
  const Programmed add = by_task("vector_add");
  REQUIRE(add.exercise);
  const Params values = drawn_values(*add.exercise, 0);
  const KernelVerdict missing = checked(add, "wrong1", values);
  CHECK(missing.reason.text() == "no thread wrote c[98304], which should be 162");
  REQUIRE(missing.more.size() == 3);
  CHECK(missing.more.back().text() == "128 of 98,432 elements are wrong");
  const KernelVerdict other = checked(add, "wrong3", values);
  CHECK(other.reason.text() == "c[0] is 122 and should be 156: thread 0 of block 0 wrote it, at line 13");
}

TEST_CASE("waste is told in numbers" * doctest::skip(!has_clang())) {
  for (const Programmed& one : programmed()) {
    if (one.task != "map") continue;
    const KernelVerdict verdict = checked(one, "wasteful", drawn_values(*one.exercise, 0));
    CHECK(verdict.sectors == 8192);
    CHECK(verdict.reason.text().starts_with(
        "the result is right, but your kernel moves 8,192 sectors where 1,024 are enough: line "));
  }
}

TEST_CASE("the judge takes the whole file, refuses a changed check, and says so" *
          doctest::skip(!has_clang())) {
  KernelJudge judge({in_source("assets/exercises")}, kProgram);
  const Params values{{"n", std::int64_t{1003}}, {"data", std::int64_t{7}}};
  const auto right = judge.judge("mask", answer_of("mask", "good"), values);
  REQUIRE(right.ok());
  CHECK(right->kind == Verdict::Kind::right);
  const auto untouched = judge.judge("mask", start_of("mask"), values);
  REQUIRE(untouched.ok());
  CHECK(untouched->kind == Verdict::Kind::wrong);
  std::string bent = start_of("mask");
  bent.replace(bent.find("return report"), 13, "return 0 * report");
  const auto changed = judge.judge("mask", bent, values);
  REQUIRE(changed.ok());
  CHECK(changed->kind == Verdict::Kind::not_understood);
  CHECK(changed->reason.text().find("return report(\"y\", y, expected);") != std::string::npos);
  const auto broken =
      judge.judge("mask", with_part(start_of("mask"), "__global__ void axpy(float a) { b }\n"), values);
  REQUIRE(broken.ok());
  CHECK(broken->kind == Verdict::Kind::wrong);
  CHECK(broken->reason.text().find("does not compile: line ") != std::string::npos);
  CHECK(!judge.starting_text("../../secret").ok());
  CHECK(!judge.starting_text("no_such_task").ok());
}
