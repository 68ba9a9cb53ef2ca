// `lockstep handout` and the other verbs of a lecture, as the program that is run.
#include <doctest/doctest.h>

#include <fstream>

#include "engine_support.hpp"
#include "places.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// "/Type /Page", not "/Type /Pages".
int pages_in(const std::string& pdf) {
  constexpr std::string_view kPage = "/Type /Page";
  int pages = 0;
  for (std::size_t at = pdf.find(kPage); at != pdf.npos; at = pdf.find(kPage, at + 1))
    pages += pdf[at + kPage.size()] != 's';
  return pages;
}

constexpr const char* kShort =
    "---\ntitle: Two scenes\n---\n"
    "# The first\n```scene\nstory: transpose, 2\n```\n```notes\nListen.\n```\n"
    "# The second\n```scene\nlab: banks\nrung: column\npitch: 32\ncolumn: 5\npattern: load\n```\nA column.\n";

std::filesystem::path short_tour(const TemporaryFolder& folder) {
  std::ofstream(folder / "two.md") << kShort;
  return folder / "two.md";
}

}  // namespace

TEST_CASE("a hand-out has as many pages as its tour has scenes, with the fonts inside") {
  const TemporaryFolder folder;
  const auto tour = short_tour(folder);
  for (const char* paper : {"a4", "letter"}) {
    const auto made = run_program({"handout", tour, "--paper", paper, "-o", folder / "out.pdf"});
    REQUIRE_MESSAGE(made.exit == 0, made.err);
    const std::string pdf = text_of(folder / "out.pdf");
    CHECK(pages_in(pdf) == 2);
    CHECK(pdf.find("/FontFile") != std::string::npos);
    const std::string box = std::string(paper) == "a4" ? "595." : "612";
    CHECK(pdf.find("/MediaBox [ 0 0 " + box) != std::string::npos);
  }
  const std::string first = text_of(folder / "out.pdf");
  REQUIRE(run_program({"handout", tour, "--paper", "letter", "-o", folder / "again.pdf"}).exit == 0);
  CHECK(text_of(folder / "again.pdf") == first);  // the same bytes
}

TEST_CASE("the lecture that ships is printed in Chinese with solutions: sixteen pages") {
  const TemporaryFolder folder;
  const auto made =
      run_program({"handout", "six_labs", "--lang", "zh", "--solutions", "-o", folder / "out.pdf"});
  REQUIRE_MESSAGE(made.exit == 0, made.err);
  CHECK(pages_in(text_of(folder / "out.pdf")) == 16);
}

TEST_CASE("pictures of both windows of a lecture, and what is refused, with what to do") {
  const TemporaryFolder folder;
  const auto tour = short_tour(folder);
  CHECK(run_program({"shot", tour, "--story", "2", "--projector", "-o", folder / "a.svg"}).exit == 0);
  CHECK(run_program({"shot", tour, "--story", "1", "--notes", "-o", folder / "b.svg"}).exit == 0);
  CHECK(text_of(folder / "b.svg").find("Listen.") != std::string::npos);
  CHECK(run_program({"shot", tour, "--story", "1", "--lens", "640,360", "-o", folder / "c.svg"}).exit == 0);
  const auto refused = [&](std::vector<std::string> words, const char* said) {
    const auto result = run_program(words);
    CHECK(result.exit == 2);
    CHECK_MESSAGE(result.err.find(said) != std::string::npos, result.err);
  };
  refused({"shot", tour, "--story", "3", "-o", folder / "a.svg"}, "--story takes a whole number from 1 to 2");
  refused({"shot", tour, "--rung", "naive", "-o", folder / "a.svg"}, "a tour's scene sets rung");
  refused({"shot", "banks", "--notes", "-o", folder / "a.svg"}, "--notes are of a tour");
  refused({"handout", tour}, "handout needs -o FILE.pdf");
  refused({"handout", tour, "-o", folder / "a.png"}, "ends in .pdf");
  refused({"handout", tour, "--paper", "a3", "-o", folder / "a.pdf"}, "--paper takes a4 or letter");
  refused({"handout", "monday", "-o", folder / "a.pdf"}, "there is no tour 'monday'");
  refused({"tour", tour, "--scene", "9"}, "--scene takes a whole number from 1 to 2");
  refused({"tour", "--scene", "2"}, "name its file");
  refused({"tour", tour, "-o", folder / "x"}, "a lecture opens in the window");
  std::string words;
  for (int i = 0; i < 400; ++i) words += "Too many words. ";
  std::ofstream(folder / "long.md") << "---\ntitle: x\n---\n# One\n```scene\nlab: banks\nrung: column\n```\n"
                                    << words << "\n";
  refused({"handout", folder / "long.md", "-o", folder / "a.pdf"}, "scene 1 does not fit on a page");
  std::ofstream(folder / "bad.md") << "---\ntitle: x\n---\n# One\n```scene\nlab: bank\n```\n";
  refused({"tour", folder / "bad.md"}, "bad.md:6:6: there is no lab 'bank'");
  CHECK(run_program({"tour", tour}).exit == 3);  // no display here
}
