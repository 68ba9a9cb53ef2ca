// Tours: what ships can be told in both languages, what is wrong in a file is said with its line, and a
// damaged file ends in such an error or can be told.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "app/labs/lab.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/story_text.hpp"
#include "app/stories/tour.hpp"
#include "engine_support.hpp"
#include "stories_support.hpp"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

const std::vector<Story>& stories(const std::string& language) {
  static const StoryShelf english = load_stories({in_source("assets/stories")}, "en"),
                          chinese = load_stories({in_source("assets/stories")}, "zh");
  return (language == "zh" ? chinese : english).stories;
}

fs::path shipped(const std::string& language) {
  return in_source("assets/tours") / fs::path(language) / "six_labs.md";
}

std::string text_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string refusal(const std::string& text) {
  const auto tour = read_tour(text, "t.md", stories("en"));
  return tour ? "" : tour.error().text();
}

constexpr const char* kFront = "---\ntitle: A lecture\nminutes: 20\n---\n";

std::string scene_of(const std::string& block) {
  return std::string(kFront) + "# One\n```scene\n" + block + "```\n";
}

}  // namespace

TEST_CASE(
    "the lecture that ships passes the six labs of the path in 45 minutes, the same in both languages") {
  const auto english = load_tour(shipped("en"), stories("en")),
             chinese = load_tour(shipped("zh"), stories("zh"));
  REQUIRE_MESSAGE(english.ok(), (english ? "" : english.error().text()));
  REQUIRE_MESSAGE(chinese.ok(), (chinese ? "" : chinese.error().text()));
  CHECK(english->minutes == 45);
  CHECK(english->slug == "six_labs");
  REQUIRE(english->scenes.size() == chinese->scenes.size());
  std::vector<std::string> labs;
  for (std::size_t i = 0; i < english->scenes.size(); ++i) {
    const StoryScene &en = english->scenes[i], &zh = chinese->scenes[i];
    CAPTURE(en.title);
    if (labs.empty() || labs.back() != en.setup.lab) labs.push_back(en.setup.lab);
    CHECK(en.setup.lab == zh.setup.lab);
    CHECK(en.setup.rung == zh.setup.rung);
    CHECK(en.setup.settings == zh.setup.settings);
    CHECK(!en.notes.empty());
    CHECK(en.notes.size() == zh.notes.size());
    CHECK(en.ask.has_value());
    CHECK(!zh.text.empty());
  }
  std::vector<std::string> path;
  for (const Lab* lab : path_labs()) path.push_back(lab->info().slug);
  CHECK(labs == path);
}

TEST_CASE("every scene of the lecture has its run and its step, and all its figures can be computed") {
  StoryEngines engines;
  for (const char* language : {"en", "zh"}) {
    StoryFigures figures(engines.sources());
    const auto tour = load_tour(shipped(language), stories(language));
    REQUIRE(tour.ok());
    for (const StoryScene& scene : tour->scenes) {
      CAPTURE(scene.title);
      const Status shown = figures.show("", scene.setup);
      CHECK_MESSAGE(shown.ok(), (shown ? "" : shown.error().text()));
      for (const auto* part : {&scene.text, &scene.why, &scene.notes})
        for (const Paragraph& one : *part) {
          const auto text = computed_text(one.pieces, figures);
          CHECK_MESSAGE(text.ok(), (text ? "" : text.error().text()));
          if (text) CHECK(text->find("not answerable") == std::string::npos);
        }
    }
  }
}

TEST_CASE("a scene that is taken from a story keeps text and question, where the tour has none of its own") {
  const Story& told = *std::find_if(stories("en").begin(), stories("en").end(),
                                    [](const Story& story) { return story.lab == "transpose"; });
  const auto tour = read_tour(std::string(kFront) +
                                  "# As it is\n```scene\nstory: transpose, 2\n```\n"
                                  "# With my words\n```scene\nstory: transpose, 2\n```\nMine.\n"
                                  "# My question\n```scene\nstory: transpose, 2\n```\n"
                                  "```ask\nnumber: How many?\nanswer: 7\n```\nSeven.\n"
                                  "```notes\nWait.\n\n- then go on\n```\n"
                                  "# My own\n```scene\nlab: banks\nrung: column\n```\nOnly text.\n",
                              "t.md", stories("en"));
  REQUIRE_MESSAGE(tour.ok(), (tour ? "" : tour.error().text()));
  REQUIRE(tour->scenes.size() == 4);
  const StoryScene& as_it_is = tour->scenes[0];
  CHECK(as_it_is.title == "As it is");
  CHECK(as_it_is.setup.lab == "transpose");
  CHECK(as_it_is.setup.rung == told.scenes[1].setup.rung);
  CHECK(as_it_is.text.size() == told.scenes[1].text.size());
  CHECK(as_it_is.ask->unit == told.scenes[1].ask->unit);
  CHECK(as_it_is.why.size() == told.scenes[1].why.size());
  CHECK(tour->scenes[1].text.size() == 1);
  CHECK(tour->scenes[1].ask->unit == "sectors");
  CHECK(tour->scenes[2].text.size() == told.scenes[1].text.size());
  CHECK(tour->scenes[2].ask->unit.empty());
  CHECK(tour->scenes[2].why.size() == 1);
  CHECK(tour->scenes[2].notes.size() == 2);
  CHECK(tour->scenes[2].notes[1].bullet);
  CHECK(tour->scenes[3].setup.lab == "banks");
  CHECK(!tour->scenes[3].ask);
}

TEST_CASE("what is wrong in a tour's file is said with its line") {
  CHECK(refusal("# One\n").starts_with("t.md:1:"));
  CHECK(refusal("---\nminutes: 20\n---\n# One\n").find("'title: ...' is missing") != std::string::npos);
  CHECK(refusal("---\nlab: banks\n---\n").starts_with("t.md:2:1: expected title or minutes"));
  CHECK(refusal(kFront).find("at least one scene") != std::string::npos);
  CHECK(refusal(std::string(kFront) + "Words.\n").starts_with("t.md:5:1: expected '# ' and a title"));
  CHECK(refusal(std::string(kFront) + "# One\nWords.\n").starts_with("t.md:5:3: this scene has no `scene`"));
  CHECK(refusal(scene_of("rung: column\n")).find("expected 'lab: ...', or 'story: LAB, NUMBER'") !=
        std::string::npos);
  CHECK(refusal(scene_of("lab: bank\nrung: column\n")).starts_with("t.md:7:6: there is no lab 'bank'"));
  CHECK(refusal(scene_of("lab: banks\nrung: colum\n")).starts_with("t.md:8:7: there is no rung 'colum'"));
  CHECK(refusal(scene_of("story: banks\n")).starts_with("t.md:7:8: expected the number of a scene"));
  CHECK(refusal(scene_of("story: banks, 99\n")).find("1 to 8") != std::string::npos);
  CHECK(refusal(scene_of("story: banks, 2x\n")).starts_with("t.md:7:8:"));
  CHECK(refusal(scene_of("story: bank, 2\n")).find("no story of the lab 'bank'") != std::string::npos);
  CHECK(refusal(scene_of("story: banks, 2\nrung: column\n")).find("its own settings") != std::string::npos);
  CHECK(refusal(scene_of("story: banks, 2\n") + "```notes\n# Large\n```\n").find("paragraphs and lists") !=
        std::string::npos);
  CHECK(refusal(scene_of("story: banks, 2\n") + "```note\nx\n```\n")
            .find("expected a block of `scene`, `ask` or `notes`") != std::string::npos);
  CHECK(refusal(scene_of("story: banks, 2\n")) == "");
}

TEST_CASE("a tour is found by its file, or by its name in the language that is asked for") {
  const std::vector<fs::path> folders{in_source("assets/tours")};
  CHECK(find_tour("six_labs", folders, "zh").ok());
  CHECK(*find_tour("six_labs", folders, "zh") == shipped("zh"));
  CHECK(*find_tour("six_labs", folders, "en") == shipped("en"));
  CHECK(*find_tour(shipped("en").string(), {}, "zh") == shipped("en"));
  CHECK(tour_in_language(shipped("en"), "zh") == shipped("zh"));
  const auto lost = find_tour("monday", folders, "en");
  REQUIRE(!lost.ok());
  CHECK(lost.error().text().find("six_labs") != std::string::npos);
}

namespace {

using Random = std::mt19937;
std::size_t below(Random& random, std::size_t n) { return std::size_t(random() % n); }

// One to four changes: a sign written or put between, a piece left out or copied elsewhere, an end that is
// gone.
std::string damaged(std::string text, Random& random) {
  constexpr std::string_view kSigns = "{}|\"`*_#-+:.,()[]<>&\\\n =0129aexn\xe6\x80\xff";
  const auto sign = [&] { return kSigns[below(random, kSigns.size())]; };
  for (std::size_t changes = 1 + below(random, 4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(random, text.size()), count = below(random, 40);
    const std::size_t kind = below(random, 7);
    if (kind < 2) text[at] = sign();
    if (kind == 2 || kind == 3) text.insert(at, 1, sign());
    if (kind == 4) text.erase(at, count);
    if (kind == 5) text.insert(below(random, text.size()), text.substr(at, count));
    if (kind == 6 && below(random, 8) == 0) text.resize(at);
  }
  return text;
}

void tell(const Story& tour) {
  MadeFigures figures;
  for (const StoryScene& scene : tour.scenes) {
    CHECK(scene_request("", scene.setup).ok());
    for (const auto* part : {&scene.text, &scene.why, &scene.notes})
      for (const Paragraph& one : *part) (void)computed_text(one.pieces, figures).ok();
  }
}

int mutations() {
  const char* asked = std::getenv("LOCKSTEP_MUTATIONS");
  constexpr int kUsual = 6000;
  return asked ? std::atoi(asked) : kUsual;
}

}  // namespace

TEST_CASE("damaged tours end in an error with its line, or can be told") {
  const std::string texts[] = {
      text_of_file(shipped("en")), text_of_file(shipped("zh")),
      scene_of("lab: transpose\nrung: naive\nn: 128\nat: write out, warp 4\n") +
          "Text with {run.params.n}.\n```ask\nchoice: Which?\n- this\n+ that\ntempting: 1 | no\n```\nWhy.\n"
          "```notes\n- say {1 + 1}\n```\n"};
  Random random(18112026);
  int loaded = 0, refused = 0, without_line = 0;
  for (int i = 0; i < mutations(); ++i) {
    const std::string text = damaged(texts[i % 3], random);
    const auto tour = read_tour(text, "zh/t.md", stories("en"));
    ++(tour ? loaded : refused);
    if (tour) tell(*tour);
    if (tour) continue;
    const std::string error = tour.error().text();
    if (error.starts_with("zh/t.md:") && std::atoi(error.c_str() + 8) > 0) continue;
    ++without_line;
    MESSAGE(error);
  }
  CHECK(without_line == 0);
  CHECK(loaded > mutations() / 20);
  CHECK(refused > mutations() / 20);
  MESSAGE(loaded << " loaded, " << refused << " were refused");
}
