// `lockstep story` and `lockstep words` as a shell sees them.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using nlohmann::json;

TEST_CASE("a story prints with its numbers, in both languages; its exit code judges an answer") {
  const ProgramResult story = run_program({"story", "transpose"});
  CHECK(story.exit == 0);
  CHECK(story.out.find("32 sectors for 128 bytes") != std::string::npos);
  CHECK(run_program({"story", "transpose", "--lang", "zh"}).out.find("32 个扇区") != std::string::npos);
  const auto answered = [](const char* answer) {
    return run_program({"story", "transpose", "--scene", "2", "--answer", answer});
  };
  CHECK(answered("32 sectors").exit == 0);
  CHECK(answered("4").exit == 1);
  CHECK(answered("4").out.find("the floats stand in a column now") != std::string::npos);
  CHECK(answered("4 KB").exit == 2);
}

TEST_CASE("stories and words as JSON") {
  const auto list = json::parse(run_program({"story", "--json"}).out);
  CHECK(list["stories"][0]["lab"].is_string());
  const auto story = json::parse(run_program({"story", "transpose", "--scene", "2", "--json"}).out);
  REQUIRE(story["scenes"].size() == 1);
  CHECK(story["scenes"][0]["scene"]["at"] == "write out, warp 4");
  CHECK(story["scenes"][0]["ask"]["answer"] == "32 sectors");
  const auto verdict =
      json::parse(run_program({"story", "transpose", "--scene", "3", "--answer", "b", "--json"}).out);
  CHECK(verdict["verdict"] == "right");
  const auto words = json::parse(run_program({"words", "--lang", "zh", "--json"}).out)["words"];
  CHECK(words.size() >= 60);
  CHECK(words[3]["term"] == "线程束(warp)");
}

TEST_CASE("a story that is not there, or cannot be read, is bad input; a folder's other stories are listed") {
  CHECK(run_program({"story", "transpos"}).exit == 2);
  CHECK(run_program({"story", "transpose", "--scene", "99"}).exit == 2);
  CHECK(run_program({"story", "transpose", "--answer", "1"}).exit == 2);
  CHECK(run_program({"story", "--stories", "/nowhere"}).exit == 2);
  const TemporaryFolder folder;
  std::ofstream(folder / "mine.md")
      << "---\nlab: banks\ntitle: Mine\n---\n# One\n```scene\nrung: strided\n```\n{1 +}\n";
  const ProgramResult damaged = run_program({"story", folder / "mine.md"});
  CHECK(damaged.exit == 2);
  CHECK(damaged.err.find("mine.md:9:5: expected a number") != std::string::npos);
  const ProgramResult list = run_program({"story", "--stories", folder.path()});
  CHECK(list.exit == 2);
  CHECK(list.out.find("transpose") != std::string::npos);
}
