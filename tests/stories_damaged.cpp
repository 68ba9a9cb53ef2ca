// Stories and glossaries that were damaged end in an error with file and line, or load and can be told: every
// shipped file of both languages, changed at random places. LOCKSTEP_MUTATIONS says how many in all;
// scripts/fuzz.sh asks for 10^5.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/stories/answer.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/story_text.hpp"
#include "app/stories/words.hpp"
#include "damage.hpp"
#include "stories_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

struct Shipped {
  std::string name, text;  // "zh/banks.md"
  bool glossary = false;
};

std::vector<Shipped> shipped() {
  std::vector<Shipped> all;
  for (const char* language : {"en", "zh"})
    for (const auto& entry : fs::directory_iterator(in_source("assets/stories") / fs::path(language))) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::stringstream text;
      text << file.rdbuf();
      const std::string name = entry.path().filename().string();
      all.push_back({language + ("/" + name), text.str(), name == "words.md"});
    }
  std::sort(all.begin(), all.end(), [](const Shipped& a, const Shipped& b) { return a.name < b.name; });
  return all;
}

// All that the window asks of a story: its texts, and what becomes of an answer.
void tell(const Story& story) {
  MadeFigures figures;
  const auto compute = [&](const InlineText& text) { (void)computed_text(text, figures).ok(); };
  for (const StoryScene& scene : story.scenes) {
    for (const auto* part : {&scene.text, &scene.why})
      for (const Paragraph& one : *part) compute(one.pieces);
    CHECK(scene_request(story.lab, scene.setup).ok());
    if (!scene.ask) continue;
    compute(scene.ask->question), compute(scene.ask->hint);
    for (const char* typed : {"7", "4 KB", "2", "-1e9 ms", ""})
      (void)check_answer(*scene.ask, typed, figures).ok();
    (void)right_answer(*scene.ask, figures).ok();
  }
}

}  // namespace

TEST_CASE("damaged stories and glossaries of both languages end in an error with its line, or load") {
  const std::vector<Shipped> files = shipped();
  REQUIRE(files.size() >= 24);
  Random random(20261123);
  int loaded = 0, refused = 0, without_line = 0;
  for (int i = 0; i < mutations(); ++i) {
    const Shipped& file = files[std::size_t(i) % files.size()];
    const std::string text = damaged(file.text, random);
    std::optional<Error> error;
    if (file.glossary) {
      if (const auto words = read_words(text, file.name); !words) error = words.error();
    } else if (const auto story = read_story(text, file.name)) {
      tell(*story);
    } else {
      error = story.error();
    }
    (error ? refused : loaded) += 1;
    if (!error || names_line(*error, file.name)) continue;
    ++without_line;
    MESSAGE(error->text());
  }
  CHECK(without_line == 0);
  CHECK(loaded > mutations() / 20);
  CHECK(refused > mutations() / 20);
  MESSAGE(loaded << " loaded, " << refused << " were refused");
}
