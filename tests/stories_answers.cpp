// Answers: what is right, and what a refusal says.
#include <doctest/doctest.h>

#include "app/stories/answer.hpp"
#include "app/stories/markdown.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/story_text.hpp"
#include "stories_support.hpp"

using namespace lockstep;
using Said = Verdict::Kind;

namespace {

Ask ask(const std::string& lines) {
  auto story = read_story(
      "---\nlab: transpose\ntitle: x\n---\n# One\n```scene\nrung: naive\n```\n```ask\n" + lines + "```\n",
      "a.md");
  if (!story) FAIL(story.error().text());
  return *story->scenes[0].ask;
}

struct Judged {
  Said kind;
  std::string reason, why;
};
Judged judged(const Ask& question, const std::string& typed, bool says_direction = false) {
  MadeFigures figures;
  const auto verdict = check_answer(question, typed, figures, says_direction);
  if (!verdict) FAIL(verdict.error().text());
  return {verdict->kind, verdict->reason.text(), verdict->why ? *computed_text(*verdict->why, figures) : ""};
}
Said kind(const Ask& question, const std::string& typed) { return judged(question, typed).kind; }

}  // namespace

TEST_CASE("a number is right within its tolerance, and refused with a reason beyond it") {
  const Ask question = ask("number: How long?\nanswer: half\nunit: ms\ntolerance: 10 %\n");
  for (const char* right : {"0.5", "0.5 ms", "0.45", "0.55ms", "500 us", "0.0005 s", " 5e-1 ms ", ".5"})
    CHECK_MESSAGE(kind(question, right) == Said::right, right);
  const Judged wrong = judged(question, "0.56 ms");
  CHECK(wrong.kind == Said::wrong);
  CHECK(wrong.reason == "It is not 0.56 ms: it is more than 10 % away from the answer.");
}

TEST_CASE("a whole answer is exact; another unit is said; no number is no mistake yet") {
  const Ask question = ask("number: How many?\nanswer: 4 KB\nunit: bytes\n");
  CHECK(kind(question, "4096") == Said::right);
  CHECK(kind(question, "4 KB") == Said::right);
  CHECK(kind(question, "4,096 bytes") == Said::right);
  CHECK(kind(question, "4095") == Said::wrong);
  CHECK(judged(question, "4 ms").reason == "'ms' is another unit: this asks for bytes.");
  CHECK(judged(question, "4 ms").kind == Said::not_understood);
  CHECK(judged(question, "many").reason == "'many' is not a number; this asks for bytes.");
  CHECK(kind(question, "") == Said::not_understood);
  CHECK(kind(question, "nan") == Said::not_understood);
  CHECK(kind(question, "1e999") == Said::not_understood);
  const Ask sectors = ask("number: How many?\nanswer: 1\nunit: sectors\n");
  CHECK(kind(sectors, "1 sector") == Said::right);
  CHECK(kind(sectors, "1 Sectors") == Said::right);
  CHECK(kind(ask("number: ?\nanswer: 1\nunit: 扇区\n"), "1 扇区") == Said::right);
}

TEST_CASE("too high or too low is said once the hint was taken, not before") {
  const Ask question = ask("number: How many?\nanswer: x\n");
  CHECK(judged(question, "6").reason == "It is not 6.");
  CHECK(judged(question, "6", true).reason == "6 is too high.");
  CHECK(judged(question, "4", true).reason == "4 is too low.");
}

TEST_CASE("a tempting answer is refused with what made it tempting") {
  const Ask question = ask("number: How many?\nanswer: x\ntempting: x + 1 | you counted both ends\n");
  CHECK(judged(question, "6").why == "you counted both ends");
  CHECK(judged(question, "7").why == "");
  CHECK(judged(question, "5").why == "");
}

TEST_CASE("an option is chosen by number, letter or its words") {
  const Ask question = ask("choice: Which?\n- HBM\n+ the L2\n- arithmetic\ntempting: 1 | most say so\n");
  for (const char* right : {"2", "b", "B", "the L2", "THE l2"})
    CHECK_MESSAGE(kind(question, right) == Said::right, right);
  CHECK(judged(question, "a").why == "most say so");
  CHECK(kind(question, "3") == Said::wrong);
  CHECK(kind(question, "4") == Said::not_understood);
  CHECK(kind(question, "0") == Said::not_understood);
  CHECK(kind(question, "2.5") == Said::not_understood);
}

TEST_CASE("a setting is right once the reader's own run fulfils it") {
  CHECK(kind(ask("set: Make x five.\nanswer: x == 5 && word == \"padded\"\n"), "done") == Said::right);
  CHECK(kind(ask("set: Make x six.\nanswer: x == 6\n"), "done") == Said::wrong);
}

TEST_CASE("what is not to be had here makes the question not answerable, never wrong") {
  const Judged verdict = judged(ask("number: How long?\nanswer: time\nunit: ms\n"), "3");
  CHECK(verdict.kind == Said::unanswerable);
  CHECK(verdict.reason == "not answerable here, because nobody looked at the clock");
}

TEST_CASE("a division of whole numbers drops nothing") {
  MadeFigures figures;
  auto story = read_story(
      "---\nlab: transpose\ntitle: x\n---\n# One\n```scene\nrung: naive\n```\n{x / 2 | 1}\n\n{ceil(x / 2)}\n",
      "a.md");
  REQUIRE(story.ok());
  const auto& text = story->scenes[0].text;
  CHECK(*computed_text(text[0].pieces, figures) == "2.5");
  CHECK(*computed_text(text[1].pieces, figures) == "3");
}
