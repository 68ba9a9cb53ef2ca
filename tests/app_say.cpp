// The stage in words: what `lockstep run LAB --say` prints.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "app/cli/say.hpp"
#include "app/draw/language.hpp"
#include "app/platform/paths.hpp"
#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::vector<std::string> lines_said(const Run& run) {
  std::ostringstream out;
  say_steps(run, out);
  std::istringstream in(out.str());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("each step is said by its number, title, figures and sentence") {
  const Run& run = emulated("tiled");
  const auto scene = open_run(run);
  const auto lines = lines_said(run);
  std::size_t at = 0;
  for (int step = 0; step < scene->axis().count(); ++step, ++at) {
    const LabView view{step, 0, {}, {}};
    CHECK(lines.at(at) == "step " + std::to_string(step + 1) + " of " +
                              std::to_string(scene->axis().count()) + ": " + scene->step_title(view).text());
    for (const HeadFigure& figure : scene->headline(view)) {
      const std::string& said = lines.at(++at);
      CHECK(said.starts_with(figure.value + " " + figure.unit + ", " + figure.note));
      if (!figure.provenance.empty()) CHECK(said.ends_with("(" + figure.provenance + ")"));
    }
    CHECK(lines.at(++at) == scene->sentence(view).text());
    if (step + 1 < scene->axis().count()) CHECK(lines.at(++at) == "");
  }
  CHECK(at == lines.size());
}

TEST_CASE("in Chinese it is said in Chinese") {
  REQUIRE(use_language(Language::chinese, assets_folder() / "locale").ok());
  const auto lines = lines_said(emulated("tiled"));
  CHECK(use_language(Language::english, {}).ok());
  const std::string first = lines.at(0) + lines.at(1) + lines.at(3);
  CHECK(std::count_if(first.begin(), first.end(), [](char c) { return (c & 0x80) != 0; }) > 20);
  CHECK(first.find("step") == std::string::npos);
}

TEST_CASE("a run without steps says that it has none") {
  Run run = emulated("tiled");
  run.launches.clear();
  CHECK(lines_said(run) == std::vector<std::string>{"This run has no steps."});
}
