// What the layouts of the lab coalescing cost, in the sectors and requests of the emulator.
#include <doctest/doctest.h>

#include "kernels/coalescing/places.hpp"
#include "kernels/experiments.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

struct Outcome {
  Counts counts;
  Check check;
  bool clean = false;
};

Outcome run(const std::string& rung, const Params& given = {}) {
  const Ladder& ladder = *find_ladder("coalescing");
  Params own;
  for (const Parameter& p : ladder.info.parameters)
    if (given.contains(p.name) &&
        (p.rungs.empty() || std::find(p.rungs.begin(), p.rungs.end(), rung) != p.rungs.end()))
      own[p.name] = given.at(p.name);
  const auto params = complete_params(ladder.info, rung, own);
  REQUIRE(params.ok());
  simt::ProblemBuffers buffers(ladder, *params, rung);
  const auto& info = ladder.info.rungs.at(std::size_t(ladder.info.rung_index(rung)));
  const auto emulation = simt::emulate(ladder, info.file, *params, buffers.spans(), {});
  return {emulation.counts, ladder.check(*params, rung, buffers.contents()), emulation.findings.empty()};
}

double sectors_per_load(const std::string& rung, const Params& given = {}) {
  const Counts c = run(rung, given).counts;
  return double(c.global_load_sectors) / double(c.global_load_requests);
}

Value whole(std::int64_t x) { return x; }

}  // namespace

TEST_CASE("every rung is right at its own and the validated settings, and the emulator finds nothing") {
  const Ladder& ladder = *find_ladder("coalescing");
  for (const RungInfo& rung : ladder.info.rungs)
    for (const Params& params : ladder.validation_params) {
      CAPTURE(rung.slug);
      const Outcome o = run(rung.slug, params);
      CHECK(o.check.pass);
      CHECK(o.clean);
    }
}

TEST_CASE("an output that nobody wrote fails the check") {
  const Ladder& ladder = *find_ladder("coalescing");
  for (const RungInfo& rung : ladder.info.rungs) {
    const Params params = *complete_params(ladder.info, rung.slug, {});
    CHECK_FALSE(
        ladder.check(params, rung.slug, simt::ProblemBuffers(ladder, params, rung.slug).contents()).pass);
  }
}

TEST_CASE("a stride touches 4 sectors per step until every lane has one of its own") {
  CHECK(sectors_per_load("strided", {{"stride", whole(0)}}) == 1);
  for (std::int64_t stride = 1; stride <= 32; ++stride)
    CHECK(sectors_per_load("strided", {{"stride", whole(stride)}}) == (stride < 8 ? 4 * double(stride) : 32));
}

TEST_CASE("a start off a sector's edge costs one sector more, whatever the offset") {
  for (std::int64_t offset = 0; offset < 32; ++offset)
    CHECK(sectors_per_load("strided", {{"stride", whole(1)}, {"offset", whole(offset)}}) ==
          (offset % 8 ? 5 : 4));
}

TEST_CASE(
    "rows of pitch 33 begin off a sector seven times out of eight; a pitch of whole sectors repairs it") {
  CHECK(sectors_per_load("misaligned", {{"pitch", whole(33)}}) == 4 + 7 / 8.0);
  CHECK(sectors_per_load("misaligned", {{"pitch", whole(36)}}) == 4.5);
  CHECK(sectors_per_load("misaligned", {{"pitch", whole(40)}}) == 4);
}

TEST_CASE("of eight fields an array of structs asks for a sector per lane, the other layouts for four") {
  for (std::int64_t read : {1, 3, 8}) {
    CHECK(sectors_per_load("aos", {{"read", whole(read)}}) == 32);
    CHECK(sectors_per_load("soa", {{"read", whole(read)}}) == 4);
    CHECK(sectors_per_load("aosoa", {{"read", whole(read)}}) == 4);
  }
}

TEST_CASE("wider lanes ask for as many sectors more as they bring bytes") {
  for (std::int64_t width : {4, 8, 16})
    CHECK(sectors_per_load("vector", {{"width", whole(width)}}) == double(width));
}

TEST_CASE("alignas(16) makes one request of four, and each sector is asked for once") {
  const Counts packed = run("packed").counts, aligned = run("aligned").counts;
  CHECK(packed.global_load_requests == 4 * aligned.global_load_requests);
  CHECK(packed.global_load_sectors == 4 * aligned.global_load_sectors);
  CHECK(packed.global_store_sectors == 4 * aligned.global_store_sectors);
}

TEST_CASE("a gather within a warp's own line costs nothing; a wide one takes nearly a sector per lane") {
  const auto gathered = [](std::int64_t window) {
    const Counts c = run("gather", {{"n", whole(1 << 16)}, {"window", whole(window)}}).counts;
    const std::int64_t warps = (1 << 16) / 32;  // each loads its indices as well: 4 sectors
    return double(c.global_load_sectors - 4 * warps) / double(c.global_load_requests - warps);
  };
  CHECK(gathered(1) == 4);
  CHECK(gathered(32) == 4);
  CHECK(gathered(256) > 18);
  CHECK(gathered(1 << 16) > 31.9);
}

TEST_CASE("more fields than a particle has are refused") {
  CHECK_FALSE(
      complete_params(find_ladder("coalescing")->info, "aos", {{"fields", whole(4)}, {"read", whole(5)}})
          .ok());
}

TEST_CASE("the recorded settings can all be run, and their curves are told apart by their parameter") {
  const Ladder& ladder = *find_ladder("coalescing");
  std::vector<Run> recordings;
  for (const RecordedSetting& setting : ladder.recorded_params) {
    const auto params = complete_params(ladder.info, setting.rung, setting.params);
    REQUIRE_MESSAGE(params.ok(), params.error().text());
    Run& r = recordings.emplace_back();
    r.request.rung = setting.rung, r.request.params = *params;
    r.time = Timing{1, 1, 1, 1, 0, 0, ""};
  }
  const Metrics curves = plan_of<CurvesPlan>(ladder)->curves(recordings).flat();
  CHECK(curves.contains("curve.strided.stride_32.gb_per_s"));
  CHECK(curves.contains("curve.strided.offset_31.gb_per_s"));
  CHECK(curves.contains("curve.aosoa.read_8.gb_per_s"));
  CHECK(curves.size() == ladder.recorded_params.size() + 1);  // stride 1, offset 0 lies on both
}

TEST_CASE(
    "the sectors of the curves are those of the emulator's loads, at every recorded setting but the "
    "gathers'") {
  const Ladder& ladder = *find_ladder("coalescing");
  for (const RecordedSetting& setting : ladder.recorded_params) {
    if (setting.rung == "gather") continue;
    Params params = setting.params;
    params["n"] = whole(512);
    CAPTURE(setting.rung);
    CHECK(coalescing::sectors_per_load(setting.rung, params) == sectors_per_load(setting.rung, params));
  }
}
