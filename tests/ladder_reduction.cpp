// The reduction ladder on the emulator: right at every size, a race where there is one and nowhere else, and
// the tree that a lab shows is the one that the kernel's accesses make.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "app/engine/engine.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& reduction() { return *find_ladder("reduction"); }

struct Outcome {
  simt::Emulation emulation;
  Check check;
};

Outcome run(const std::string& rung, const Params& given, int threads = 0) {
  const Params params = *complete_params(reduction().info, rung, given);
  simt::ProblemBuffers buffers(reduction(), params, rung);
  const RungInfo& info = reduction().info.rungs.at(std::size_t(reduction().info.rung_index(rung)));
  simt::EmulationOptions options;
  options.threads = threads;
  Outcome o{simt::emulate(reduction(), info.file, params, buffers.spans(), options), {}};
  o.check = reduction().check(params, rung, buffers.contents());
  return o;
}

Params at(std::int64_t n, const char* operation, const char* values) {
  return {{"n", n}, {"operation", std::string(operation)}, {"values", std::string(values)}};
}

bool has_blocks(const RungInfo& rung) {
  for (const Parameter& p : reduction().info.parameters)
    if (p.name == "blocks") return std::find(p.rungs.begin(), p.rungs.end(), rung.slug) != p.rungs.end();
  return false;
}

void check_everywhere(const RungInfo& rung, const Params& params) {
  CAPTURE(rung.slug);
  for (const auto& [name, value] : params) {
    const std::string setting = name + " = " + to_string(value);
    INFO(setting);
  }
  const Outcome o = run(rung.slug, params);
  CHECK(o.check.pass);
  CHECK(o.emulation.findings.empty());
}

}  // namespace

TEST_CASE("every rung but the historic one is right at every size, sum and maximum, and nothing is found") {
  for (const RungInfo& rung : reduction().info.rungs) {
    if (reduction().racy(rung.slug)) continue;
    for (const std::int64_t n : {1, 2, 31, 33, 63, 64, 65, 1000, 4099})
      for (const char* operation : {"sum", "max"})
        for (const char* values : {"random", "ones", "mixed"})
          check_everywhere(rung, at(n, operation, values));
    for (const std::int64_t threads : {64, 256, 512, 1024}) {
      Params params = at(4099, "sum", "mixed");
      params["threads"] = threads;
      check_everywhere(rung, params);
      if (has_blocks(rung)) params["blocks"] = std::int64_t{37}, check_everywhere(rung, params);
    }
  }
}

TEST_CASE("a million and 17 elements too" * doctest::test_suite("slow")) {
  for (const RungInfo& rung : reduction().info.rungs)
    if (!reduction().racy(rung.slug)) check_everywhere(rung, at((1 << 20) + 17, "sum", "random"));
}

TEST_CASE("the historic rung's race is found, within a warp, at the line that adds") {
  const std::string_view text = kernel_source("reduction/06_historic.cuh");
  const std::string_view before = text.substr(0, text.find("mine[tid] ="));
  const auto adding = 1 + std::count(before.begin(), before.end(), '\n');
  for (const std::int64_t n : {31, 1000, 4099}) {
    const Outcome o = run("historic", at(n, "sum", "random"));
    REQUIRE_FALSE(o.emulation.findings.empty());
    for (const Finding& finding : o.emulation.findings) {
      CHECK(finding.kind == "race");
      CHECK(finding.thread / 32 == 0);
      CHECK(finding.line == adding);
    }
    CHECK_FALSE(o.check.pass);  // the emulator runs the lanes in another order than the GPU
  }
}

TEST_CASE("a maximum of negative numbers alone is right by one atomic") {
  const Params params = *complete_params(reduction().info, "atomic", at(1000, "max", "random"));
  simt::ProblemBuffers buffers(reduction(), params, "atomic");
  auto* in = reinterpret_cast<float*>(buffers.spans()[0].data());
  for (int i = 0; i < 1000; ++i) in[i] = -1 - in[i];
  simt::emulate(reduction(), "reduction/11_atomic.cuh", params, buffers.spans(), {});
  float got;
  std::memcpy(&got, buffers.contents()[3].data(), sizeof got);
  CHECK(got == *std::max_element(in, in + 1000));
}

TEST_CASE("the check refuses a sum that lacks one element, and NaN") {
  const Params params = *complete_params(reduction().info, "many", at(1000, "sum", "random"));
  simt::ProblemBuffers buffers(reduction(), params, "many");
  simt::emulate(reduction(), "reduction/08_many.cuh", params, buffers.spans(), {});
  const auto check = [&] { return reduction().check(params, "many", buffers.contents()).pass; };
  CHECK(check());
  auto* out = reinterpret_cast<float*>(buffers.spans()[3].data());
  const float right = *out;
  *out = right - reinterpret_cast<const float*>(buffers.contents()[0].data())[7];
  CHECK_FALSE(check());
  *out = NAN;
  CHECK_FALSE(check());
}

TEST_CASE("strided's rounds cost more wavefronts than sequential's, divergent's more warps than either") {
  std::map<std::string, Counts> counts;
  for (const char* rung : {"divergent", "strided", "sequential"})
    counts[rung] = run(rung, at(1024, "sum", "random")).emulation.counts;
  CHECK(counts["strided"].shared_load_conflicts > 0);
  CHECK(counts["sequential"].shared_load_conflicts == 0);
  CHECK(counts["divergent"].shared_load_conflicts == 0);
  CHECK(counts["divergent"].shared_load_wavefronts > counts["sequential"].shared_load_wavefronts);
}

TEST_CASE("16 bytes per load: a quarter of the requests for the same sectors") {
  const Params params{{"n", std::int64_t{1 << 16}}};
  const Counts narrow = run("shuffles", params).emulation.counts,
               wide = run("vectorized", params).emulation.counts;
  CHECK(double(narrow.global_load_requests) / double(wide.global_load_requests) ==
        doctest::Approx(4).epsilon(0.01));
  CHECK(double(narrow.global_load_sectors) / double(wide.global_load_sectors) ==
        doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("bulk: the copy engine brings every whole chunk once, in four sectors for 128 bytes") {
  for (const std::int64_t n : {511, 512, 8200, 100003}) {
    const Counts counts = run("bulk", {{"n", n}}).emulation.counts;
    const std::int64_t chunk = 4 * 128;
    CHECK(counts.box_sectors == n / chunk * chunk * 4 / 32);
    const std::int64_t rest = n % chunk, sums = 2;
    CHECK(counts.global_load_sectors <= (rest * 4 + 31) / 32 + sums);
  }
}

TEST_CASE(
    "the last block adds the same sums in the same order for any number of workers, and no hint is given") {
  for (const int threads : {1, 2, 4}) {
    Params params = at(4000, "sum", "mixed");
    params["blocks"] = std::int64_t{9};
    for (const char* rung : {"last_block", "bulk"}) {
      const Outcome o = run(rung, params, threads);
      CHECK(o.check.max_error == run(rung, params, 1).check.max_error);
      CHECK_FALSE(o.emulation.seen_write);  // it drew a number that told it
    }
  }
}
