// The ladder of the lab memory on the emulator: walks that go where they must, readings whose sums are right.
#include <doctest/doctest.h>

#include <set>

#include "app/model/measured_evidence.hpp"
#include "kernels/experiments.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& memory() { return *find_ladder("memory"); }

Value i(std::int64_t x) { return x; }

Params params_of(const std::string& rung, const Params& given = {}) {
  return *complete_params(memory().info, rung, given);
}

const std::int32_t* words(const simt::ProblemBuffers& buffers, std::size_t buffer) {
  return reinterpret_cast<const std::int32_t*>(buffers.contents()[buffer].data());
}

Measurement measurement(const std::string& rung, const std::string& name, const Params& given = {}) {
  for (Measurement& m : plan_of<MeasurementPlan>(memory())->measurements(rung, params_of(rung, given)))
    if (m.name == name) return std::move(m);
  FAIL("no such measurement");
  return {};
}

}  // namespace

TEST_CASE("every rung of memory is right in the emulator, and a word that differs is found") {
  for (const RungInfo& rung : memory().info.rungs)
    for (const Params& given : memory().validation_params) {
      const Params params = carried_params(memory().info, rung.slug, given);
      CAPTURE(rung.slug);
      simt::ProblemBuffers buffers(memory(), params, rung.slug);
      const auto emulation = simt::emulate(memory(), rung.file, params, buffers.spans(), {});
      CHECK(emulation.findings.empty());
      CHECK(memory().check(params, rung.slug, buffers.contents()).pass);
      buffers.spans()[1][0] ^= 0x40;
      CHECK_FALSE(memory().check(params, rung.slug, buffers.contents()).pass);
      buffers.reset();
      CHECK_FALSE(memory().check(params, rung.slug, buffers.contents()).pass);
    }
}

TEST_CASE("a walk comes to every place once before it comes to any again") {
  for (const auto& [footprint, stride] : {std::pair{1, 16}, {1, 128}, {32, 128}, {192, 128}, {8192, 4096}}) {
    const Params params = params_of("chase", {{"footprint", i(footprint)}, {"stride", i(stride)}});
    const simt::ProblemBuffers buffers(memory(), params, "chase");
    const std::int64_t places = footprint * 1024 / stride;
    CAPTURE(places);
    std::set<std::int32_t> seen;
    std::int32_t at = 0;
    std::int64_t far = 0;
    for (std::int64_t k = 0; k < places; ++k) {
      CHECK(at % (stride / 4) == 0);
      CHECK(seen.insert(at).second);
      const std::int32_t next = words(buffers, 0)[at];
      far += std::abs(next - at) > 2 * stride / 4;
      at = next;
    }
    CHECK(at == 0);
    if (places > 64) CHECK(far > places * 9 / 10);  // no neighbours: an order that nothing can guess
  }
}

TEST_CASE("a run that is looked at walks through some of many places, and comes back as well") {
  const Params params = params_of("chase", {{"footprint", i(262144)}});
  const simt::ProblemBuffers buffers(memory(), params, "chase");
  std::int32_t at = 0, highest = 0;
  std::int64_t steps = 0;
  do {
    at = words(buffers, 0)[at], highest = std::max(highest, at), ++steps;
    CHECK(at % 32 == 0);
  } while (at != 0 && steps < 1 << 20);
  CHECK(steps == 1 << 16);
  CHECK(highest > (262144 * 256 / 10) * 9);  // all over the footprint
}

TEST_CASE("a walk that went somewhere else, or less far, is found") {
  const Params params = params_of("chase");
  simt::ProblemBuffers buffers(memory(), params, "chase");
  simt::emulate(memory(), "memory/01_chase.cuh", params, buffers.spans(), {});
  REQUIRE(memory().check(params, "chase", buffers.contents()).pass);
  auto* clocks = reinterpret_cast<std::int32_t*>(buffers.spans()[2].data());
  const std::int32_t end = clocks[3];
  for (const std::int32_t wrong : {words(buffers, 0)[end], 0x7fffffff, -1}) {
    clocks[3] = wrong;
    CHECK_FALSE(memory().check(params, "chase", buffers.contents()).pass);
  }
  clocks[3] = end;
  for (const std::int32_t nowhere : {-1, 1, 1 << 20}) {
    clocks[2] = nowhere;
    CHECK_FALSE(memory().check(params, "chase", buffers.contents()).pass);
  }
}

TEST_CASE("the next launch walks on from where the last one has come to") {
  const Params params = params_of("chase", {{"footprint", i(64)}});
  simt::ProblemBuffers buffers(memory(), params, "chase");
  simt::emulate(memory(), "memory/01_chase.cuh", params, buffers.spans(), {});
  const std::int32_t come_to = words(buffers, 2)[3];
  simt::emulate(memory(), "memory/01_chase.cuh", params, buffers.spans(), {});
  CHECK(words(buffers, 2)[2] == come_to);
  CHECK(memory().check(params, "chase", buffers.contents()).pass);
}

TEST_CASE("what is measured is a whole pass and a long walk") {
  const Measurement m = measurement("chase", "cycles", {{"footprint", i(1 << 20)}});
  CHECK(int_param(m.params, "warm") == (std::int64_t{1} << 30) / 128);
  const std::int64_t loads = int_param(m.params, "loads");
  CHECK(loads == 4096);
  const std::vector<std::int32_t> clocks{4096 * 300, 4096 * 150, 0, 0};
  const ConstBytes bytes(reinterpret_cast<const std::uint8_t*>(clocks.data()), 4 * clocks.size());
  const std::vector<ConstBytes> buffers{{}, {}, bytes, {}};
  CHECK(m.value(m.params, buffers) == 300);
  CHECK(m.text(m.params, buffers) == "150.000000");
}

TEST_CASE("what is measured passes the check as well, launch after launch") {
  for (const RungInfo& rung : memory().info.rungs)
    for (Measurement& m : plan_of<MeasurementPlan>(memory())->measurements(rung.slug, params_of(rung.slug))) {
      if (m.params.contains("blocks"))
        m.params["blocks"] = i(4), m.params["rounds"] = i(20);  // or it takes long
      CAPTURE(rung.slug);
      simt::ProblemBuffers buffers(memory(), m.params, rung.slug);
      for (int launch = 0; launch < 3; ++launch) {
        simt::emulate(memory(), rung.file, m.params, buffers.spans(), {});
        CHECK(memory().check(m.params, rung.slug, buffers.contents()).pass);
      }
    }
}

TEST_CASE("lines that come from two halves are told apart, and the rates are of what the launch read") {
  const auto derived = [](const std::string& rung, const Params& given, const MeasuredEvidence& measured) {
    Run run;
    run.request.lab = "memory", run.request.rung = rung, run.request.params = params_of(rung, given);
    run.evidence.put(measured);
    return plan_of<MeasurementPlan>(memory())->derived(run);
  };
  MeasuredEvidence lines;
  lines.figures["cycles"].value = 250.0;
  std::string text;
  for (int k = 0; k < 64; ++k) text += std::to_string(k % 4 ? 210 : 280) + (k < 63 ? "," : "");
  lines.figures["cycles"].text = text;
  const Metrics halves = derived("near_far", {}, lines);
  CHECK(std::get<double>(halves.at("measured.near_cycles")) == 210);
  CHECK(std::get<double>(halves.at("measured.far_cycles")) == 280);
  CHECK(std::get<double>(halves.at("measured.near_share")) == 0.75);
  lines.figures["cycles"].text = "16,16,nonsense";
  CHECK(derived("near_far", {}, lines).empty());

  MeasuredEvidence copied;
  copied.figures["each_1_ms"].value = 2.0, copied.figures["each_4_ms"].value = 1.0;
  copied.figures["each_8_ms"].value = 1.5;
  const Metrics copy = derived("copy", {{"footprint", i(2 << 20)}}, copied);
  CHECK(std::get<double>(copy.at("measured.gb_per_s")) == doctest::Approx(2 * 2.147483648e9 / 1e-3 / 1e9));
  CHECK(std::get<std::int64_t>(copy.at("measured.units_per_thread")) == 4);

  MeasuredEvidence timed;
  timed.figures["ms"].value = 1.0;
  CHECK(std::get<double>(derived("read", {}, timed).at("measured.gb_per_s")) ==
        doctest::Approx(2112.0 * 128 * 16384 / 1e6));
  CHECK(std::get<double>(derived("registers", {}, timed).at("measured.gb_per_s")) ==
        doctest::Approx(2112.0 * 256 * 8 * 4096 * 12 / 1e6));
}

TEST_CASE("settings that leave no walk are refused by name") {
  const auto refused = [](const std::string& rung, const Params& given) {
    const auto params = complete_params(memory().info, rung, given);
    return params ? std::string() : params.error().message.text();
  };
  CHECK(refused("chase", {{"footprint", i(1)}, {"stride", i(1024)}}).find("stride = 1024") == 0);
  CHECK(refused("shared_chase", {{"footprint", i(64)}}).find("footprint = 64 KB") == 0);
  CHECK(refused("read", {{"footprint", i(8)}}) != "");
  CHECK(refused("chase", {{"footprint", i(1)}, {"stride", i(512)}}) == "");
  for (const RecordedSetting& setting : memory().recorded_params) {
    CAPTURE(setting.rung);
    CHECK(refused(setting.rung, setting.params) == "");
  }
}

TEST_CASE("the host's memory is asked for where the setting says so, and nowhere else") {
  for (const char* rung : {"chase", "read"})
    for (const char* where : {"device", "host"}) {
      const auto specs = memory().buffers(params_of(rung, {{"memory", std::string(where)}}), rung);
      CHECK(specs[0].in_host() == (where == std::string("host")));
      for (std::size_t b = 1; b < specs.size(); ++b) CHECK_FALSE(specs[b].in_host());
    }
}
