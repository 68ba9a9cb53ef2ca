// The architecture ladder on the emulator: what blocks write, and what is told of it.
#include <doctest/doctest.h>

#include "app/model/occupancy.hpp"
#include "app/model/placement.hpp"
#include "kernels/architecture/sizes.hpp"
#include "kernels/experiments.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& architecture() { return *find_ladder("architecture"); }

Params params_of(const std::string& rung, const Params& given) {
  Params own;
  for (const Parameter& p : architecture().info.parameters)
    if (given.contains(p.name) && (p.rungs.empty() || p.rungs.front() == rung))
      own[p.name] = given.at(p.name);
  if (rung == "clusters") own["blocks"] = std::int64_t{(int_param(given, "blocks") + 7) / 8 * 8};
  const auto params = complete_params(architecture().info, rung, own);
  REQUIRE_MESSAGE(params.ok(), params.error().text());
  return *params;
}

Params at(std::int64_t blocks, std::int64_t threads, const char* skew) {
  return {{"blocks", blocks}, {"threads", threads}, {"skew", std::string(skew)}};
}

}  // namespace

TEST_CASE(
    "every thread ends with what it started from and its multiply-adds, and the emulator finds nothing") {
  for (const RungInfo& rung : architecture().info.rungs)
    for (const Params& given :
         {at(1, 32, "even"), at(31, 96, "rising"), at(33, 64, "falling"), at(9, 1024, "last")})
      for (const std::int64_t registers : {24, 64, 128}) {
        Params asked = given;
        asked["registers"] = registers;
        if (rung.slug == "places" && registers * int_param(given, "threads") > 65536) continue;
        const Params params = params_of(rung.slug, asked);
        simt::ProblemBuffers buffers(architecture(), params, rung.slug);
        const auto emulation = simt::emulate(architecture(), rung.file, params, buffers.spans(), {});
        CAPTURE(rung.slug);
        CHECK(emulation.findings.empty());
        CHECK(architecture().check(params, rung.slug, buffers.contents()).pass);
        buffers.spans()[1][2] ^= 0x40;
        CHECK_FALSE(architecture().check(params, rung.slug, buffers.contents()).pass);
        buffers.reset();
        CHECK_FALSE(architecture().check(params, rung.slug, buffers.contents()).pass);
      }
}

TEST_CASE("rising and falling spread the same work that even blocks do") {
  for (const int blocks : {1, 7, 400}) {
    std::int64_t even = 0, rising = 0, falling = 0;
    for (int b = 0; b < blocks; ++b) {
      even += lab::turns_of(lab::kEven, 256, b, blocks);
      rising += lab::turns_of(lab::kRising, 256, b, blocks);
      falling += lab::turns_of(lab::kFalling, 256, b, blocks);
    }
    CHECK(rising == falling);
    CHECK(double(rising) == doctest::Approx(double(even)).epsilon(0.01));
  }
}

TEST_CASE("what the blocks noted down is read with times since the first of them, over the clock's wrap") {
  const auto measurement = plan_of<MeasurementPlan>(architecture())
                               ->measurements("places", params_of("places", at(2, 32, "even")))
                               .front();
  const std::uint32_t where[] = {5, 8, 100, 4000, 17, 0, 0xfffffff0u, 50};
  const std::uint8_t none{};
  const auto* first = reinterpret_cast<const std::uint8_t*>(where);
  const std::vector<ConstBytes> buffers{{&none, 1}, {&none, 1}, {first, sizeof where}};
  CHECK(measurement.value({}, buffers) == doctest::Approx(4.016));
  CHECK(measurement.text({}, buffers) == "5,8,116,4016;17,0,0,66;");
}

TEST_CASE("threads, registers, shared bytes and SMs beyond a device's are refused with what is possible") {
  const auto refused = [&](const Params& given) {
    const auto params = complete_params(architecture().info, "places", given);
    return params.ok() ? "" : params.error().text();
  };
  CHECK(refused({{"threads", std::int64_t{1024}}, {"registers", std::int64_t{128}}}).find("at most 512") !=
        std::string::npos);
  CHECK(refused({{"sm", std::int64_t{132}}}).find("0 to 131") != std::string::npos);
  CHECK(refused({{"device", std::string("B200")}, {"sm", std::int64_t{147}}}).empty());
  CHECK(refused({{"device", std::string("T4")}, {"shared_bytes", std::int64_t{65537}}}).find("65536") !=
        std::string::npos);
}

TEST_CASE("the model knows where blocks go, and of clusters nothing") {
  const auto* plan = plan_of<PlacementPlan>(architecture());
  REQUIRE(plan);
  const auto placement = plan->modelled(params_of("places", at(400, 1024, "even")), "places", Gpu{});
  REQUIRE(placement);
  CHECK(figures_of(*placement).first_wave == 132 * resident_blocks(Gpu{}, {1024, 24, 0}).blocks);
  CHECK_FALSE(plan->modelled(params_of("clusters", at(400, 1024, "even")), "clusters", Gpu{}));
}
