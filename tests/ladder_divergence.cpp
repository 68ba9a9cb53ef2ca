// The divergence ladder on the emulator: right at every size, and the masks that its rungs are about.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/engine/engine.hpp"
#include "app/model/issue.hpp"
#include "app/model/measured_evidence.hpp"
#include "kernels/divergence/sizes.hpp"
#include "kernels/experiments.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

const Ladder& divergence() { return *find_ladder("divergence"); }

struct Outcome {
  simt::Emulation emulation;
  Check check;
  Params params;
};

Outcome run(const std::string& rung, const Params& given) {
  const Params params = *complete_params(divergence().info, rung, given);
  simt::ProblemBuffers buffers(divergence(), params, rung);
  const RungInfo& info = divergence().info.rungs.at(std::size_t(divergence().info.rung_index(rung)));
  Outcome o{simt::emulate(divergence(), info.file, params, buffers.spans(), {}), {}, params};
  o.check = divergence().check(params, rung, buffers.contents());
  return o;
}

bool has(const std::string& rung, const char* name) {
  for (const Parameter& p : divergence().info.parameters)
    if (p.name == name)
      return p.rungs.empty() || std::find(p.rungs.begin(), p.rungs.end(), rung) != p.rungs.end();
  return false;
}

std::vector<WarpIssue> issue(const std::string& rung, const Params& given) {
  return issue_of(run(rung, given).emulation.launches.at(0));
}

std::int64_t arithmetic_slots(const WarpIssue& warp) {
  std::int64_t all = 0;
  for (const IssueStep& step : warp.steps)
    if (step.arithmetic()) all += step.slots;
  return all;
}

using Json = nlohmann::json;

Params params_of(const Json& object) {
  Params params;
  for (const auto& [name, value] : object.items())
    if (value.is_string())
      params[name] = value.get<std::string>();
    else
      params[name] = value.get<std::int64_t>();
  return params;
}

Params sized(std::int64_t n, std::int64_t threads) { return {{"n", n}, {"threads", threads}}; }

}  // namespace

TEST_CASE("divergence: every rung is right at every size, and nothing is found") {
  for (const RungInfo& rung : divergence().info.rungs)
    for (const std::int64_t n : {1, 31, 33, 1000})
      for (const std::int64_t threads : {32, 256, 1024})
        for (const std::int64_t share : {0, 7, 100}) {
          Params params = sized(n, threads);
          if (has(rung.slug, "share"))
            params["share"] = share;
          else if (share)
            continue;
          if (has(rung.slug, "order")) params["order"] = std::string(n == 33 ? "sorted" : "random");
          CAPTURE(rung.slug);
          CAPTURE(n);
          const Outcome o = run(rung.slug, params);
          CHECK(o.check.pass);
          CHECK(o.emulation.findings.empty());
        }
}

TEST_CASE("divergence: 131,089 elements too" * doctest::test_suite("slow")) {
  for (const RungInfo& rung : divergence().info.rungs) {
    CAPTURE(rung.slug);
    CHECK(run(rung.slug, sized((1 << 17) + 17, 256)).check.pass);
  }
}

TEST_CASE("divergence: lanes that disagree take both sides, warps and blocks that do take one") {
  for (const WarpIssue& warp : issue("uniform", {})) CHECK(arithmetic_slots(warp) == 2 * kFmas);
  for (const WarpIssue& warp : issue("by_warp", {})) CHECK(arithmetic_slots(warp) == 2 * kFmas);
  for (const WarpIssue& warp : issue("by_block", {})) CHECK(arithmetic_slots(warp) == 2 * kFmas);
  for (const WarpIssue& warp : issue("by_lane", {})) {
    CHECK(arithmetic_slots(warp) == 4 * kFmas);
    std::vector<std::uint32_t> masks;
    for (const IssueStep& step : warp.steps)
      if (step.arithmetic()) masks.push_back(step.instruction.lanes);
    CHECK(masks == std::vector<std::uint32_t>{0x55555555, 0xaaaaaaaa, 0xaaaaaaaa, 0x55555555});
  }
}

TEST_CASE("divergence: a warp takes every case that a lane is in, and no other") {
  for (const std::int64_t ways : {1, 2, 3, 7, 31, 32}) {
    CAPTURE(ways);
    for (const WarpIssue& warp : issue("ways", {{"ways", ways}})) {
      CHECK(arithmetic_slots(warp) == 2 * ways * kFmas);
      for (const IssueStep& step : warp.steps)
        if (step.arithmetic()) {
          CHECK(step.lanes() >= 32 / ways);
          CHECK(step.lanes() <= (32 + ways - 1) / ways);
        }
    }
  }
}

TEST_CASE("divergence: sorted data leave at most one warp with both sides") {
  const Params sorted{{"order", std::string("sorted")},
                      {"share", std::int64_t{40}},
                      {"n", std::int64_t{1024}},
                      {"threads", std::int64_t{1024}}};
  Params random = sorted;
  random["order"] = std::string("random");
  const auto both = [](const std::vector<WarpIssue>& warps) {
    return std::count_if(warps.begin(), warps.end(),
                         [](const WarpIssue& w) { return arithmetic_slots(w) > 2 * kFmas; });
  };
  CHECK(both(issue("by_data", sorted)) == 1);
  CHECK(both(issue("by_data", random)) == 32);
}

TEST_CASE("divergence: a loop ends with its longest lane, a return frees a warp only where all return") {
  for (const WarpIssue& warp : issue("loop", {{"rounds", std::int64_t{16}}})) {
    int longest = 0;
    std::array<int, 32> trips{};
    for (const IssueStep& step : warp.steps)
      if (step.arithmetic())
        for (int lane = 0; lane < 32; ++lane)
          longest = std::max(longest, trips[std::size_t(lane)] += step.instruction.lanes >> lane & 1);
    CHECK(arithmetic_slots(warp) == longest * kFmas);
    CHECK(warp.efficiency() < 0.75);
  }
  Params p{{"share", std::int64_t{50}},
           {"order", std::string("sorted")},
           {"n", std::int64_t{256}},
           {"threads", std::int64_t{256}}};
  std::vector<std::int64_t> slots;
  for (const WarpIssue& warp : issue("early_return", p)) slots.push_back(arithmetic_slots(warp));
  CHECK(slots.front() == 0);
  CHECK(slots.back() == 2 * kFmas);
}

TEST_CASE("divergence: masks recorded on a GPU are the emulator's") {
  const auto engine = make_recording_engine({in_source("assets/recordings")});
  for (const RungInfo& rung : divergence().info.rungs) {
    CAPTURE(rung.slug);
    Request request;
    request.lab = "divergence", request.rung = rung.slug, request.engine = EngineKind::recording;
    request.params = *complete_params(divergence().info, rung.slug, {});
    const auto recorded = engine->run(request, [](const Progress&) { return true; });
    REQUIRE(recorded.ok());
    REQUIRE_FALSE(recorded->stale);
    const auto gpu = issue_of(recorded->launches.at(0)), ours = issue(rung.slug, {});
    REQUIRE(gpu.size() == ours.size());
    for (std::size_t w = 0; w < gpu.size(); ++w) {
      REQUIRE(gpu[w].steps.size() == ours[w].steps.size());
      for (std::size_t s = 0; s < gpu[w].steps.size(); ++s) {
        const WarpInstruction &theirs = gpu[w].steps[s].instruction, &own = ours[w].steps[s].instruction;
        CHECK(theirs.gpu_mask == own.lanes);
        CHECK(theirs.lanes == own.lanes);
        CHECK(theirs.line == own.line);
      }
    }
  }
}

TEST_CASE("divergence: the model's cycles of blocks that are bound by issue are within 5 % of a GPU's" *
          doctest::test_suite("slow")) {
  const auto engine = make_recording_engine({in_source("assets/recordings")});
  const SmPlan& plan = *plan_of<SmPlan>(divergence());
  int compared = 0;
  double worst = 0;
  for (const RungInfo& rung : divergence().info.rungs)
    for (const Run& recorded : engine->recorded("divergence", rung.slug)) {
      const Params& p = recorded.request.params;
      const auto* measured = recorded.evidence.find<MeasuredEvidence>();
      const auto cycles = measured ? measured->real("cycles") : std::nullopt;
      if (recorded.stale || !cycles) continue;
      // A scheduler with four warps or fewer waits for their results, as one does where few are left: those
      // are not bound by issue.
      if (int_param(p, "threads") < 1024) continue;
      Run ours;
      ours.request = recorded.request;
      ours.launches = run(rung.slug, p).emulation.launches;
      const KnownFigures known = plan.known_of_run(ours);
      const auto at = known.find("model.cycles");
      if (at == known.end()) continue;
      if (std::get<double>(known.at("model.issue_slots_used").value) < 0.9) continue;
      // Two loops around a single case: their own instructions, which no trace has, are 8 % of what it
      // issues.
      if (p.contains("ways") && int_param(p, "ways") == 1) continue;
      if (rung.slug == "short_side") continue;  // its conditions are instructions, too (see its machine code)
      const double modelled = double(std::get<std::int64_t>(at->second.value));
      const std::string settings =
          rung.slug + " " + std::to_string(modelled) + " against " + std::to_string(*cycles);
      CAPTURE(settings);
      CHECK(std::abs(modelled - *cycles) <= 0.05 * *cycles);
      worst = std::max(worst, std::abs(modelled - *cycles) / *cycles);
      ++compared;
    }
  MESSAGE("worst of ", compared, ": ", 100 * worst, " %");
  CHECK(compared >= 40);
}

TEST_CASE(
    "divergence: the profiler's active threads per instruction are the emulator's, but for the branches") {
  std::ifstream file(in_source("assets/recordings/h100-80gb-hbm3/validation.json"));
  int compared = 0;
  for (const Json all = Json::parse(file); const Json& row : all.at("rows")) {
    if (row.at("lab") != "divergence" || row.at("rung") == "short_side") continue;
    if (source_hash(row.at("file").get<std::string>()) != row.at("hash").get<std::string>()) continue;
    const Params p = params_of(row.at("params"));
    // Of sorted data the followed block tells nothing of the others.
    if (p.contains("order") && std::get<std::string>(p.at("order")) == "sorted") continue;
    if (int_param(p, "n") < 128 || int_param(p, "n") > 100'000) continue;
    const Json& counters = row.at("hardware");
    const double theirs =
        counters.at("thread_instructions").get<double>() / counters.at("instructions").get<double>();
    std::int64_t slots = 0, lanes = 0;
    for (const WarpIssue& warp : issue(row.at("rung").get<std::string>(), p))
      slots += warp.slots, lanes += warp.lane_slots;
    const double ours = double(lanes) / double(slots);
    CAPTURE(row.at("rung").get<std::string>());
    CAPTURE(ours);
    CAPTURE(theirs);
    // Address and loop instructions are all lanes': the profiler's figure lies between ours and that.
    CHECK(theirs > 0.9 * ours);
    CHECK(theirs < ours + 4.5);
    ++compared;
  }
  CHECK(compared >= 12);
}

TEST_CASE(
    "divergence: sides of one FMA have conditions and no branch in the machine code, long ones the reverse") {
  std::ifstream file(in_source("assets/recordings/h100-80gb-hbm3/validation.json"));
  const Json code = Json::parse(file).at("machine_code");
  CHECK(code.at("divergence/09_short_side.cuh").at("BSSY") == 0);
  CHECK(code.at("divergence/09_short_side.cuh").at("@P FFMA") == 2 * kShortSides);
  CHECK(code.at("divergence/02_by_lane.cuh").at("BSSY") == 1);
  CHECK(code.at("divergence/02_by_lane.cuh").at("FFMA") == 2 * kFmas);
  CHECK(code.at("divergence/02_by_lane.cuh").at("@P FFMA") == 0);
}
