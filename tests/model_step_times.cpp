// Notes that a block took of the SM's clock: what is made of them, and what a file may hold.
#include <doctest/doctest.h>

#include "app/model/event.hpp"
#include "app/model/step_times.hpp"

using namespace lockstep;

namespace {

constexpr std::uint16_t kScores = name_id("scores"), kSoftmax = name_id("softmax"),
                        kOutput = name_id("output");

StepNote step(std::uint16_t name, std::uint32_t index, std::uint32_t at) {
  return {at, at, index, name, NoteOf::step, 0};
}
StepNote waits(NoteOf of, std::uint32_t begin, std::uint32_t end, std::uint32_t pending = 0) {
  return {begin, end, pending, 0, of, 0};
}

// Scores of tile 1 and P V of tile 0 are asked for, the scores awaited, weighed while P V runs on, and that
// awaited.
const WarpNotes kPingpong{
    4,
    {step(kScores, 1, 0), waits(NoteOf::phase, 5, 205), step(kOutput, 0, 300), waits(NoteOf::phase, 310, 320),
     waits(NoteOf::products, 400, 1000, 1), step(kSoftmax, 1, 1020), waits(NoteOf::products, 1800, 2000, 0),
     step(kScores, 2, 2200)}};

}  // namespace

TEST_CASE("between its steps a warp works or waits, and short waits are work") {
  const auto spans = spans_of(kPingpong);
  REQUIRE(spans.size() == 9);
  CHECK(spans.front().begin == 0);
  for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].begin == spans[i - 1].end);
  CHECK(spans.back().end == 2200);
  CHECK(spans[1].waits == NoteOf::phase);
  CHECK((spans[1].begin == 5 && spans[1].end == 205 && spans[1].name == kScores));
  CHECK((spans[3].name == kOutput && !spans[3].waits &&
         spans[3].end == 400));  // the wait of 10 cycles is in it
  CHECK(spans[4].waits == NoteOf::products);
  CHECK((spans[5].name == kOutput && spans[5].end == 1020));
  CHECK((spans[6].name == kSoftmax && !spans[6].waits && spans[6].index == 1 && spans[6].end == 1800));
  CHECK(spans[7].waits == NoteOf::products);
}

TEST_CASE("products run from where they are asked for to the wait that they are there behind") {
  const auto products = products_of(kPingpong, {kScores, kOutput});
  REQUIRE(products.size() == 2);
  CHECK((products[0].name == kScores && products[0].index == 1));
  CHECK((products[0].begin == 205 && products[0].end == 1000));  // one group may stay: P V
  CHECK((products[1].name == kOutput && products[1].index == 0));
  CHECK((products[1].begin == 320 && products[1].end == 2000));
}

TEST_CASE("products that a wait found there have ended where it begins") {
  WarpNotes found = kPingpong;
  found.notes[6].end = 1800 + kLeastWait - 1;
  CHECK(products_of(found, {kScores, kOutput})[1].end == 1800);
}

TEST_CASE("notes are read as they were written, and nothing else is") {
  const std::vector<WarpNotes> warps{{0, {step(kScores, 0, 7)}}, kPingpong};
  const std::string text = step_notes_text(warps);
  CHECK(read_step_notes(text) == warps);
  for (std::size_t cut = 0; cut < text.size(); ++cut)
    if (const auto part = read_step_notes(text.substr(0, cut))) CHECK(part->size() == 1);
  CHECK(!read_step_notes(""));
  CHECK(!read_step_notes("4 1 0,1,0,10,0;4 1 0,1,0,10,0;"));  // a warp twice
  CHECK(!read_step_notes("4 2 0,1,0,10,0;0,1,0,9,0;"));       // back in time
  CHECK(!read_step_notes("4 1 3,1,0,10,0;"));                 // no such kind
  CHECK(!read_step_notes("4 1 0,1,0,10,-1;"));
  CHECK(!read_step_notes("4 999999 0,1,0,10,0;"));
  CHECK(!read_step_notes("32 1 0,1,0,10,0;"));
}

TEST_CASE("step times are evidence: in a run's figures and out again") {
  StepTimesEvidence noted;
  noted.warps = {kPingpong}, noted.settings = "heads = 16, seq = 4096, tile_q = 128", noted.slowdown = 1.04,
  noted.block = 0;
  Evidence evidence;
  evidence.put(noted);
  CHECK(evidence.flat().contains("steps.times"));
  const Evidence again(evidence.flat());
  REQUIRE(again.find<StepTimesEvidence>());
  CHECK(again.find<StepTimesEvidence>()->warps == noted.warps);
  CHECK(again.find<StepTimesEvidence>()->slowdown == noted.slowdown);
  CHECK(noted.setting("seq") == "4096");
  CHECK(noted.setting("heads") == "16");
  CHECK(noted.setting("tile_q") == "128");
  CHECK(noted.setting("eq") == "");
  Metrics damaged = evidence.flat();
  damaged["steps.times"] = std::string("4 1 0,1");
  CHECK(!Evidence(damaged).find<StepTimesEvidence>());
}
