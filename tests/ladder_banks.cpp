// The banks ladder on the emulator: right results, and the wavefronts that make each rung's point.
#include <doctest/doctest.h>

#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& banks() { return *find_ladder("banks"); }

Params params_of(const std::string& rung, const Params& given) {
  const auto params = complete_params(banks().info, rung, given);
  REQUIRE_MESSAGE(params.ok(), rung);
  return *params;
}

Run run(const std::string& rung, const Params& params) {
  simt::ProblemBuffers buffers(banks(), params, rung);
  const auto& info = banks().info.rungs.at(std::size_t(banks().info.rung_index(rung)));
  auto emulation = simt::emulate(banks(), info.file, params, buffers.spans(), {});
  Run result;
  result.request.lab = "banks", result.request.rung = rung, result.request.params = params;
  result.check = banks().check(params, rung, buffers.contents());
  result.findings = emulation.findings;
  result.launches = std::move(emulation.launches);
  return result;
}

std::int64_t wavefronts(const std::string& rung, const Params& given) {
  const Run result = run(rung, params_of(rung, given));
  CHECK(result.check.pass);
  CHECK(result.findings.empty());
  return std::get<std::int64_t>(banks().figures(result).at("wavefronts_per_instruction"));
}

Value i(std::int64_t x) { return x; }

}  // namespace

TEST_CASE(
    "every rung is right at every setting that is validated on the GPU, and the emulator finds nothing") {
  for (const RungInfo& rung : banks().info.rungs)
    for (const Params& given : banks().validation_params) {
      CAPTURE(rung.slug);
      const Run result = run(rung.slug, carried_params(banks().info, rung.slug, given));
      CHECK(result.check.pass);
      CHECK(result.findings.empty());
    }
}

TEST_CASE("a wrong output fails the check, for loads and for stores") {
  for (const char* pattern : {"load", "store"}) {
    const Params params = params_of("column", {{"pattern", std::string(pattern)}});
    simt::ProblemBuffers buffers(banks(), params, "column");
    simt::emulate(banks(), "banks/02_column.cuh", params, buffers.spans(), {});
    CHECK(banks().check(params, "column", buffers.contents()).pass);
    buffers.spans()[0][17 * 4] ^= 1;
    CHECK(!banks().check(params, "column", buffers.contents()).pass);
    buffers.reset();
    CHECK(!banks().check(params, "column", buffers.contents()).pass);
  }
}

TEST_CASE("strides: odd ones are free of conflicts, 32 takes 32 wavefronts, 33 one") {
  for (std::int64_t stride = 1; stride <= 64; stride += 2)
    CHECK(wavefronts("strided", {{"stride", i(stride)}}) == 1);
  CHECK(wavefronts("strided", {{"stride", i(0)}}) == 1);
  CHECK(wavefronts("strided", {{"stride", i(2)}}) == 2);
  CHECK(wavefronts("strided", {{"stride", i(32)}}) == 32);
  CHECK(wavefronts("strided", {{"stride", i(32)}, {"pattern", std::string("store")}}) == 32);
  CHECK(wavefronts("strided", {{"stride", i(33)}, {"offset", i(7)}}) == 1);
}

TEST_CASE("a column: 32 wavefronts at pitch 32, one when padded or swizzled") {
  for (std::int64_t column : {0, 5, 31}) {
    CHECK(wavefronts("column", {{"column", i(column)}}) == 32);
    CHECK(wavefronts("column", {{"column", i(column)}, {"pitch", i(33)}}) == 1);
    CHECK(wavefronts("padded", {{"column", i(column)}}) == 1);
    CHECK(wavefronts("swizzled", {{"column", i(column)}}) == 1);
  }
}

TEST_CASE("128-bit loads: 32 wavefronts in a bad layout, 4 in a good one") {
  CHECK(wavefronts("vector", {}) == 32);
  CHECK(wavefronts("vector", {{"pitch", i(36)}}) == 4);
  CHECK(wavefronts("vector", {{"width", i(8)}, {"pitch", i(34)}}) == 2);
}

TEST_CASE("lanes that share words take fewer wavefronts than their bytes would") {
  CHECK(wavefronts("broadcast", {{"modulo", i(1)}}) == 1);
  CHECK(wavefronts("broadcast", {{"divide", i(2)}, {"width", i(8)}}) == 1);
  CHECK(wavefronts("broadcast", {{"divide", i(1)}, {"modulo", i(16)}, {"width", i(8)}}) == 2);
  CHECK(wavefronts("broadcast", {{"divide", i(2)}, {"width", i(16)}}) == 2);
}

TEST_CASE("a layout that is typed decides the wavefronts; one that does not fit is refused") {
  CHECK(wavefronts("layout", {}) == 1);
  CHECK(wavefronts("layout", {{"mask", i(0)}}) == 32);
  CHECK(wavefronts("layout", {{"formula", std::string("col * 32 + row")}}) == 1);
  CHECK(wavefronts("layout", {{"formula", std::string("col * 32 + row")}, {"access", std::string("row")}}) ==
        32);
  CHECK(!complete_params(banks().info, "layout", {{"formula", std::string("row * 999")}}).ok());
  CHECK(!complete_params(banks().info, "layout", {{"formula", std::string("row +")}}).ok());
  CHECK(!complete_params(banks().info, "strided", {{"stride", i(3)}, {"width", i(16)}}).ok());
}
