// Stories and glossaries that were damaged end in an error with file and line, or load and can be told: every
// shipped file of both languages, changed at random places. LOCKSTEP_MUTATIONS says how many in all;
// scripts/fuzz.sh asks for 10^5.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "app/stories/answer.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/story_text.hpp"
#include "app/stories/words.hpp"
#include "stories_support.hpp"

using namespace lockstep;
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

using Random = std::mt19937;
std::size_t below(Random& random, std::size_t n) { return std::size_t(random() % n); }

// One to four changes: a sign written or put between, a piece left out or copied elsewhere, a file that
// breaks off.
std::string damaged(std::string text, Random& random) {
  constexpr std::string_view kSigns = "{}|\"`*_#-+:.,()[]<>&\\\n =0129aexn\xe6\x80\xff";
  const auto sign = [&] { return kSigns[below(random, kSigns.size())]; };
  for (std::size_t changes = 1 + below(random, 4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(random, text.size()), count = below(random, 40);
    switch (below(random, 9)) {
      case 0:
      case 1:
        text[at] = sign();
        break;
      case 2:
      case 3:
        text.insert(at, 1, sign());
        break;
      case 4:
      case 5:
        text.erase(at, count);
        break;
      case 6:
      case 7:
        text.insert(below(random, text.size()), text.substr(at, count));
        break;
      default:
        if (below(random, 8) == 0) text.resize(at);
    }
  }
  return text;
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

// "zh/banks.md:12:3: ..."
bool names_line(const Error& error, const std::string& file) {
  const std::string text = error.text(), before = file + ":";
  return text.starts_with(before) && std::atoi(text.c_str() + before.size()) > 0;
}

int mutations() {
  const char* asked = std::getenv("LOCKSTEP_MUTATIONS");
  constexpr int kUsual = 6000;
  return asked ? std::atoi(asked) : kUsual;
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
