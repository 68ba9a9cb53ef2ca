// What the H200's notes of time say of the attention lab's last rungs, and how they come into a run.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/engine/engine.hpp"
#include "app/engine/experiment.hpp"
#include "app/model/event.hpp"
#include "app/model/step_times.hpp"
#include "kernels/ladder.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

const std::vector<std::uint16_t> kProducts{name_id("scores"), name_id("output")};

// As the emulator's run of the rung's defaults gets them.
StepTimesEvidence noted(const std::string& rung) {
  const auto recordings = make_recording_engine({in_source("assets/recordings")});
  Run run;
  run.request.lab = "attention", run.request.rung = rung, run.engine = EngineKind::emulator;
  complete_experiments(*find_ladder("attention"), recordings.get(), run);
  const auto* evidence = run.evidence.find<StepTimesEvidence>();
  REQUIRE(evidence);
  CHECK(provenance_of(run, "metrics.steps.times").words().starts_with("recorded: NVIDIA H200"));
  return *evidence;
}

struct Group {
  std::vector<StepSpan> softmax, products;
};
// The two groups that multiply; of the time in which both have tiles to go through.
std::vector<Group> groups(const std::string& rung) {
  std::vector<Group> all;
  for (const WarpNotes& warp : noted(rung).warps) {
    Group group{{}, products_of(warp, kProducts)};
    for (const StepSpan& span : spans_of(warp))
      if (span.name == name_id("softmax") && !span.waits) group.softmax.push_back(span);
    if (!group.products.empty()) all.push_back(std::move(group));
  }
  REQUIRE(all.size() == 2);
  return all;
}

// Of the first's time the part that lies within the other's spans. Both in order; the ends are left out.
double share_under(const std::vector<StepSpan>& of, const std::vector<StepSpan>& under) {
  double all = 0, covered = 0;
  for (std::size_t i = 2; i + 3 < of.size(); ++i) {
    all += double(of[i].end - of[i].begin);
    std::int64_t from = of[i].begin;
    for (const StepSpan& other : under) {
      const std::int64_t begin = std::max(from, other.begin), end = std::min(of[i].end, other.end);
      if (begin < end) covered += double(end - begin), from = end;
    }
  }
  return covered / all;
}

}  // namespace

TEST_CASE("in flash3 a group's products stand still while it weighs, in pingpong they run on") {
  for (const Group& group : groups("flash3")) CHECK(share_under(group.softmax, group.products) == 0);
  for (const char* rung : {"pingpong", "causal"})
    for (const Group& group : groups(rung)) CHECK(share_under(group.softmax, group.products) > 0.4);
}

TEST_CASE("in pingpong the other group's products are under way while a group weighs") {
  for (const char* rung : {"pingpong", "causal"}) {
    const auto two = groups(rung);
    CAPTURE(rung);
    CHECK(share_under(two[0].softmax, two[1].products) > 0.8);
    CHECK(share_under(two[1].softmax, two[0].products) > 0.8);
    CHECK(share_under(two[0].softmax, two[1].softmax) < 0.2);  // they take turns
  }
}

TEST_CASE("notes say what was run and what they cost, and rungs without notes have none") {
  const StepTimesEvidence one = noted("pingpong");
  CHECK(one.setting("seq") == "4096");
  REQUIRE(one.slowdown);
  CHECK((*one.slowdown > 1 && *one.slowdown < 1.3));
  const auto recordings = make_recording_engine({in_source("assets/recordings")});
  Run run;
  run.request.lab = "attention", run.request.rung = "flash2", run.engine = EngineKind::emulator;
  complete_experiments(*find_ladder("attention"), recordings.get(), run);
  CHECK(!run.evidence.find<StepTimesEvidence>());
}
