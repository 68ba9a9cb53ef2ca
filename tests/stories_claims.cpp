// Claims put to the test: each that comes with the program stands on a model and on a run, computes here
// without a GPU, and says the same in both languages.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/stories/claims.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/story_text.hpp"
#include "stories_support.hpp"

using namespace lockstep;

namespace {

std::vector<Story> shipped_claims(const char* language) {
  std::vector<Error> faults;
  auto claims = load_claims({in_source("assets/stories")}, language, faults);
  for (const Error& fault : faults) FAIL_CHECK(fault.text());
  return claims;
}

// The figures of a text, computed one by one.
void check_figures(const std::vector<Paragraph>& paragraphs, FigureSource& figures, int& computed) {
  for (const Paragraph& one : paragraphs)
    for (const Inline& piece : one.pieces) {
      if (piece.kind != Inline::Kind::figure) continue;
      const auto value = piece.expression.evaluate(figures);
      CHECK_MESSAGE(value.ok(), piece.text << ": " << (value ? "" : value.error().text()));
      if (value && is_number(*value)) CHECK_MESSAGE(std::isfinite(number_of(*value)), piece.text);
      ++computed;
    }
}

std::vector<std::string> expressions_of(const Story& claim) {
  std::vector<std::string> all;
  for (const auto* part : {&claim.scenes.front().text, &claim.scenes.front().why})
    for (const Paragraph& one : *part)
      for (const Inline& piece : one.pieces)
        if (piece.kind == Inline::Kind::figure) all.push_back(piece.text);
  std::sort(all.begin(), all.end());
  return all;
}

constexpr const char* kWhole =
    "---\nlab: banks\ntitle: It is so\nverdict: depends\n---\n# claim\n```scene\nrung: column\n```\nSo it is "
    "said.\n\n# model\nTwo.\n\n# recorded\nThree.\n\n# verdict\nFour.\n";

std::string without(std::string text, const std::string& part, const std::string& instead = "") {
  return text.replace(text.find(part), part.size(), instead);
}

}  // namespace

TEST_CASE("every figure of every claim is computed here, without a GPU, in both languages") {
  StoryEngines engines;
  StoryFigures figures(engines.sources());
  for (const char* language : {"en", "zh"}) {
    const auto claims = shipped_claims(language);
    CHECK(claims.size() == 14);  // one for each row of the list
    for (const Story& claim : claims) {
      CAPTURE(claim.file.string());
      const StoryScene& scene = claim.scenes.front();
      REQUIRE(figures.show(claim.lab, scene.setup).ok());
      int computed = 0;
      check_figures(scene.text, figures, computed), check_figures(scene.why, figures, computed);
      CHECK(computed >= 2);
    }
  }
}

TEST_CASE("every claim has model, run and verdict, and one of three answers is right") {
  for (const Story& claim : shipped_claims("en")) {
    CAPTURE(claim.slug);
    std::set<std::string> labels;
    for (const Paragraph& one : claim.scenes.front().why) labels.insert(one.label);
    CHECK(labels.contains("model"));
    CHECK(labels.contains("verdict"));
    CHECK((labels.contains("recorded") || labels.contains("measured") || labels.contains("emulated")));
    const auto& options = claim.scenes.front().ask->options;
    REQUIRE(options.size() == 3);
    CHECK(std::count_if(options.begin(), options.end(), [](const Option& one) { return one.right; }) == 1);
  }
}

TEST_CASE("a claim has the same scene, figures and verdict in both languages") {
  const auto english = shipped_claims("en"), chinese = shipped_claims("zh");
  REQUIRE(english.size() == chinese.size());
  for (std::size_t i = 0; i < english.size(); ++i) {
    const Story &a = english[i], &b = chinese[i];
    CAPTURE(a.slug);
    CHECK(a.slug == b.slug);
    CHECK(b.language == "zh");
    CHECK(a.title != b.title);
    CHECK(a.scenes.front().setup.rung == b.scenes.front().setup.rung);
    CHECK(a.scenes.front().setup.settings == b.scenes.front().setup.settings);
    CHECK(expressions_of(a) == expressions_of(b));
    for (std::size_t o = 0; o < 3; ++o)
      CHECK(a.scenes.front().ask->options[o].right == b.scenes.front().ask->options[o].right);
  }
}

TEST_CASE("a claim that lacks a part is refused with file, line and reason") {
  REQUIRE(read_claim(kWhole, "c.md").ok());
  const auto refused = [](const std::string& text) {
    const auto read = read_claim(text, "c.md");
    REQUIRE(!read.ok());
    CHECK(read.error().text().starts_with("c.md:"));
    return read.error().text();
  };
  CHECK(refused(without(kWhole, "# model\nTwo.\n")).find("'# model' is missing") != std::string::npos);
  CHECK(refused(without(kWhole, "# recorded\nThree.\n")).find("what a run says") != std::string::npos);
  CHECK(refused(without(kWhole, "# verdict\nFour.\n")).find("'# verdict' is missing") != std::string::npos);
  CHECK(refused(without(kWhole, "Three.\n")).find("says nothing") != std::string::npos);
  CHECK(refused(without(kWhole, "```scene\nrung: column\n```\n")).find("`scene`") != std::string::npos);
  CHECK(refused(without(kWhole, "depends", "maybe")).find("'maybe'") != std::string::npos);
  CHECK(refused(without(kWhole, "verdict: depends\n")).find("'verdict: ...'") != std::string::npos);
  CHECK(refused(without(kWhole, "# model", "# theory")).find("expected '# '") != std::string::npos);
  CHECK(refused(without(kWhole, "# recorded", "# model")).find("twice") != std::string::npos);
  CHECK(refused(without(kWhole, "rung: column", "rung: colum")).find("there is no rung 'colum'") !=
        std::string::npos);
}
