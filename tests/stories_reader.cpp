// What a story file says, and where an error in it stands.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include "app/stories/markdown.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/words.hpp"
#include "stories_support.hpp"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

const std::string kFront = "---\nlab: transpose\ntitle: A title\n---\n";
const std::string kScene = "# One\n```scene\nrung: naive\nn: 64\n```\n";  // lines 5 to 9 behind kFront

std::string error_of(const std::string& text) {
  const auto story = read_story(text, "a.md");
  return story ? "" : story.error().text();
}
std::string error_behind(const std::string& text) { return error_of(kFront + kScene + text); }
Story story_of(const std::string& text) {
  auto story = read_story(text, "a.md");
  if (!story) FAIL(story.error().text());
  return std::move(*story);
}
std::string plain(const InlineText& text) {
  return plain_text(text, [](const Inline& piece) { return "<" + piece.text + ">"; });
}

}  // namespace

TEST_CASE("a story has a head, and scenes with setup, text, question and why") {
  const Story story = story_of(
      "---\nlab: transpose\ntitle: Turn: over\nminutes: 10\nafter: [coalescing, banks]\n---\n"
      "# First *thing*\n```scene\nrung: naive\nn: 64\nat: write out, warp 4\nblock: 2\nframe: lanes to "
      "sectors\n```\n"
      "Some *words*\nand `code{x}`, \\{brace}, {n * 2 | 1}.\n\n- an item\n- another\n\n"
      "```ask\nnumber: How many of {n}?\nanswer: step.sectors\nunit: sectors\ntolerance: 10 %\n"
      "tempting: 4 | because *so*\nhint: look | there\n```\nWhy {1 + 1}.\n");
  CHECK(story.lab == "transpose");
  CHECK(story.title == "Turn: over");
  CHECK(story.minutes == 10);
  CHECK(story.after == std::vector<std::string>{"coalescing", "banks"});
  REQUIRE(story.scenes.size() == 1);
  const StoryScene& scene = story.scenes[0];
  CHECK(scene.title == "First thing");
  CHECK(scene.setup.rung == "naive");
  CHECK(scene.setup.settings == std::vector<std::string>{"n=64"});
  REQUIRE(scene.setup.at);
  CHECK(scene.setup.at->warp == 4);
  CHECK(scene.setup.block == 2);
  CHECK(scene.setup.frame == "lanes to sectors");
  REQUIRE(scene.text.size() == 3);
  CHECK(plain(scene.text[0].pieces) == "Some words and code{x}, {brace}, <n * 2>.");
  CHECK(scene.text[0].pieces[1].kind == Inline::Kind::emphasis);
  CHECK(scene.text[0].pieces[3].kind == Inline::Kind::code);
  CHECK(scene.text[1].bullet);
  REQUIRE(scene.ask);
  CHECK(plain(scene.ask->question) == "How many of <n>?");
  CHECK(scene.ask->unit == "sectors");
  CHECK(scene.ask->tolerance->percent);
  REQUIRE(scene.ask->tempting.size() == 1);
  CHECK(plain(scene.ask->tempting[0].why) == "because so");
  CHECK(plain(scene.ask->hint) == "look | there");
  REQUIRE(scene.why.size() == 1);
  CHECK(plain(scene.why[0].pieces) == "Why <1 + 1>.");
}

TEST_CASE("stars, underscores and angles of an expression are not Markdown's") {
  const Story story =
      story_of(kFront + kScene + "{n*2*3} and {run.counts.global_load_sectors < 3} and {\"a_b_c\"}.\n");
  CHECK(plain(story.scenes[0].text[0].pieces) ==
        "<n*2*3> and <run.counts.global_load_sectors < 3> and <\"a_b_c\">.");
}

TEST_CASE("Chinese lines are joined without a space, files of Windows read alike") {
  const Story story = story_of("\xef\xbb\xbf" + kFront + kScene + "矩阵\n转置\n");
  CHECK(plain(story.scenes[0].text[0].pieces) == "矩阵转置");
  std::string windows;
  for (const char c : kFront + kScene + "one\ntwo\n")
    windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(plain(story_of(windows).scenes[0].text[0].pieces) == "one two");
}

TEST_CASE("an error of the head or a scene block names file, line, column") {
  CHECK(error_of("# One\n") == "a.md:1:1: expected '---' and below it 'lab: ...' and 'title: ...'");
  CHECK(error_of("---\nlab: transpose\n---\n") == "a.md:1:1: 'title: ...' is missing");
  CHECK(error_of("---\nlab: transpos\n---\n") == "a.md:2:6: there is no lab 'transpos'");
  CHECK(error_of("---\nlab: transpose\ntitle: x\nauthor: me\n---\n") ==
        "a.md:4:1: expected lab, title, minutes or after, not 'author'");
  CHECK(error_of("---\nlab: transpose\ntitle: x\nminutes: ten\n---\n") ==
        "a.md:4:10: expected minutes from 1 to 600");
  CHECK(error_of(kFront) == "a.md:5:1: a story has at least one scene: '# ' and its title");
  CHECK(error_of(kFront + "text\n") == "a.md:5:1: expected '# ' and a title: a story is made of scenes");
  CHECK(error_of(kFront + "# One\ntext\n") ==
        "a.md:5:3: this scene has no `scene` block: it says what stands on the stage");
  const auto scene = [](const std::string& lines) {
    return error_of(kFront + "# One\n```scene\n" + lines + "```\n");
  };
  CHECK(scene("rung: naiv\n") ==
        "a.md:7:7: there is no rung 'naiv'; the rungs are copy, naive, tiled, padded, swizzled, vectorized, "
        "ordered");
  CHECK(scene("rung: naive\nn: 0\n") == "a.md:8:1: n = 0 is not possible: n takes 1 to 16384");
  CHECK(scene("rung: naive\nm: 4\n") == "a.md:8:1: unknown parameter 'm' of lab transpose: it has n");
  CHECK(scene("rung: naive\nat: , warp 4\n") ==
        "a.md:8:5: expected the name of a step, as in 'write out, warp 4'");
  CHECK(scene("rung: naive\nwarp: -1\n") == "a.md:8:7: expected a whole number from 0 on");
  CHECK(scene("rung: naive\nengine: gpu\n") == "a.md:8:9: expected auto, cuda, emulator or recording");
  CHECK(scene("rung naive\n") == "a.md:7:1: expected 'key: value'");
  CHECK(scene("rung:\n") == "a.md:7:6: expected a value behind 'rung'");
}

TEST_CASE("an error of a text or a question names file, line, column") {
  CHECK(error_behind("Text {1 +} more\n") ==
        "a.md:10:10: expected a number, a name, a text in quotes or '(', found the end");
  CHECK(error_behind("扇区 {1 | two}\n").find("a.md:10:8: expected decimals from 0 to 9") == 0);
  CHECK(error_behind("Text { more\n") ==
        "a.md:10:6: this '{' has no '}' on its line; a brace alone is written \\{");
  CHECK(error_behind("[a](b)\n").find("a link has no place in a story") != std::string::npos);
  CHECK(error_behind("## Two\n").find("a scene begins with one '#'") != std::string::npos);
  CHECK(error_behind("```cpp\nint x;\n```\n") ==
        "a.md:11:1: expected a block of `scene` or `ask`, not `cpp`");
  const auto ask = [](const std::string& lines) { return error_behind("```ask\n" + lines + "```\n"); };
  CHECK(ask("number: how many\n") == "a.md:11:1: expected 'answer: ' and an expression");
  CHECK(ask("number: how many\nanswer: 1 +* 2\n").find("a.md:12:12: expected a number") == 0);
  CHECK(ask("number: x\nanswer: 1\ntolerance: much\n").find("a.md:13:12: expected a number from 0 on") == 0);
  CHECK(ask("number: x\nanswer: 1\ntempting: 4\n").find("a.md:13:11: expected the answer, ' | '") == 0);
  CHECK(ask("choice: x\n- a\n- b\n") == "a.md:11:1: expected one option marked + and the others -");
  CHECK(ask("choice: x\n+ a\n") == "a.md:11:1: expected two options at least, '- ' or '+ ' each");
  CHECK(ask("colour: x\n").find("a.md:11:1: expected number, choice, set") == 0);
  CHECK(error_of(kFront + kScene +
                 "a\x01"
                 "b\n") == "a.md:10:2: a control character does not belong here");
  CHECK(error_of(kFront + kScene +
                 "a\xff"
                 "b\n") == "a.md:10:2: this is not UTF-8 text");
}

TEST_CASE("a folder with one damaged story still gives the others; a teacher's own come first") {
  const fs::path folder =
      fs::temp_directory_path() / ("lockstep_stories_" + std::to_string(std::random_device{}()));
  fs::create_directories(folder / "own");
  fs::create_directories(folder / "shipped/en");
  fs::create_directories(folder / "shipped/zh");
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  const auto titled = [](const std::string& title) {
    return "---\nlab: transpose\ntitle: " + title + "\n---\n" + kScene;
  };
  write("own/mine.md", titled("mine"));
  write("own/both.md", titled("own"));
  write("own/damaged.md", kFront + "# One\n");
  write("shipped/en/both.md", titled("shipped"));
  write("shipped/en/english.md", titled("English"));
  write("shipped/zh/both.md", titled("随附"));
  write("shipped/zh/words.md", "# warp\nx\n");
  const StoryShelf shelf = load_stories({folder / "own", folder / "shipped"}, "zh");
  std::string titles;
  for (const Story& story : shelf.stories) titles += story.title + " ";
  CHECK(titles == "own mine English ");
  REQUIRE(shelf.faults.size() == 1);
  CHECK(shelf.faults[0].text().find("damaged.md:5:3:") != std::string::npos);
  fs::remove_all(folder);
}

TEST_CASE("the glossaries of both languages have the same terms, one sentence each") {
  const auto english = load_words({in_source("assets/stories")}, "en");
  const auto chinese = load_words({in_source("assets/stories")}, "zh");
  if (!english) FAIL(english.error().text());
  if (!chinese) FAIL(chinese.error().text());
  CHECK(english->size() >= 60);
  REQUIRE(english->size() == chinese->size());
  for (std::size_t i = 0; i < english->size(); ++i) {
    const Word &word = (*english)[i], &other = (*chinese)[i];
    CAPTURE(word.name);
    CHECK(word.name == other.name);
    CHECK(word.picture == other.picture);
    const std::string sentence = plain(word.sentence), translated = plain(other.sentence);
    CHECK(sentence.back() == '.');
    CHECK(sentence.find(". ") == std::string::npos);
    CHECK(sentence.size() < 260);
    CHECK(translated.ends_with("。"));
  }
}

TEST_CASE("a glossary's error names its line") {
  const auto error = [](const char* text) { return read_words(text, "words.md").error().text(); };
  CHECK(error("") == "words.md:1:1: expected '# ' and a term");
  CHECK(error("# warp\n# lane\nx\n") == "words.md:1:3: this term has no sentence");
  CHECK(error("# warp\nx\n# warp\ny\n") == "words.md:3:3: the term 'warp' stands here twice");
  CHECK(error("# warp\nx\npicture: a\n") == "words.md:3:10: 'picture:' stands above the sentence");
}
