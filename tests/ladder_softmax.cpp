// The softmax ladder on the emulator: right for every type, length and pattern, and what the kernels show on
// their way is what a direct computation gives.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/engine/engine.hpp"
#include "app/model/marks.hpp"
#include "kernels/host_half.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& softmax() { return *find_ladder("softmax"); }

struct Outcome {
  simt::Emulation emulation;
  Check check;
  std::vector<double> x, p;
};

Outcome run(const std::string& rung, const Params& given, std::int64_t block = 0) {
  const Params params = *complete_params(softmax().info, rung, given);
  simt::ProblemBuffers buffers(softmax(), params, rung);
  simt::EmulationOptions options;
  options.followed_block = block;
  const RungInfo& info = softmax().info.rungs.at(std::size_t(softmax().info.rung_index(rung)));
  Outcome o{simt::emulate(softmax(), info.file, params, buffers.spans(), options), {}, {}, {}};
  o.check = softmax().check(params, rung, buffers.contents());
  for (std::uint16_t view : {0, 1}) {
    const BufferSpec& spec = buffers.specs()[view];
    const ViewInfo as{view, spec.name, Space::global, spec.type, spec.element_bytes, spec.shape, 0};
    const auto bytes = buffers.contents()[view];
    const Buffer buffer{view, {bytes.begin(), bytes.end()}};
    for (std::uint64_t i = 0; i < spec.elements(); ++i) (view ? o.p : o.x).push_back(element(as, buffer, i));
  }
  return o;
}

Params sized(std::int64_t rows, std::int64_t cols, Params with = {}) {
  with["rows"] = rows, with["cols"] = cols;
  return with;
}
Params with(Params params, const char* name, Value value) {
  params[name] = std::move(value);
  return params;
}
std::string text(const Params& params) {
  std::string all;
  for (const auto& [name, value] : params) all += name + "=" + to_string(value) + " ";
  return all;
}

Run emulated(const std::string& rung, const Params& params) {
  const Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "softmax", request.rung = rung, request.engine = EngineKind::emulator;
  request.params = *complete_params(softmax().info, rung, params);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

}  // namespace

TEST_CASE("every rung and type is right at every length that it accepts, and the emulator finds nothing" *
          doctest::test_suite("slow")) {
  int ran = 0;
  for (const RungInfo& rung : softmax().info.rungs)
    for (const char* dtype : {"float", "bf16", "half"})
      for (std::int64_t cols : {1, 2, 8, 31, 33, 264, 1000, 4096, 5000}) {
        const Params params = with(sized(3, cols), "dtype", std::string(dtype));
        if (!complete_params(softmax().info, rung.slug, params)) {
          CHECK(rung.slug == "vectorized");
          CHECK(cols % (std::strcmp(dtype, "float") == 0 ? 4 : 8) != 0);
          continue;
        }
        CAPTURE(rung.slug);
        CAPTURE(text(params));
        const Outcome o = run(rung.slug, params);
        CHECK(o.check.pass);
        CHECK(o.check.max_error <= o.check.tolerance);
        CHECK(o.emulation.findings.empty());
        ++ran;
      }
  CHECK(ran == 4 * 3 * 9 + 3 * 5);
}

TEST_CASE("the longest rows that fit on chip") {
  for (const auto& [rung, cols] :
       {std::pair{"fused", std::int64_t{57344}}, {"vectorized", std::int64_t{32768}}}) {
    CHECK(run(rung, sized(1, cols)).check.pass);
    const auto refused = complete_params(softmax().info, rung, sized(1, cols + 8));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().text().find("at most " + std::to_string(cols)) != std::string::npos);
  }
  CHECK(complete_params(softmax().info, "vectorized", sized(1, 33)).error().text() ==
        "cols = 33 is not possible for softmax/vectorized: cols takes 1 to 1048576, multiples of 4; the "
        "nearest are 32 and 36");
  CHECK(complete_params(softmax().info, "vectorized", with(sized(1, 36), "dtype", std::string("half")))
            .error()
            .text() ==
        "cols = 36 is not possible with dtype = half: cols takes 1 to 1048576, multiples of 8");
  CHECK(int_param(snapped(softmax().info, "vectorized", with(sized(1, 36), "dtype", std::string("half"))),
                  "cols") == 40);
  CHECK(complete_params(softmax().info, "online", sized(1 << 20, 1 << 20))
            .error()
            .text()
            .find("at most 256 rows") != std::string::npos);
}

TEST_CASE("equal scores share alike, one huge score takes all, and so does the only one above −∞") {
  for (const RungInfo& rung : softmax().info.rungs)
    for (const char* dtype : {"float", "bf16", "half"})
      for (const char* input : {"random", "rising", "equal", "huge", "one"}) {
        if (rung.slug == "naive" && std::strcmp(input, "huge") == 0) continue;  // overflows, below
        const Params params =
            with(with(sized(5, 200), "dtype", std::string(dtype)), "input", std::string(input));
        CAPTURE(rung.slug);
        CAPTURE(text(params));
        const Outcome o = run(rung.slug, params);
        CHECK(o.check.pass);
        CHECK(o.emulation.findings.empty());
        for (std::size_t i = 0; i < o.p.size(); ++i) {
          if (std::strcmp(input, "huge") == 0) CHECK((o.p[i] == 1) == (o.x[i] > 50));
          if (std::strcmp(input, "one") == 0) CHECK(o.p[i] == (o.x[i] > -INFINITY ? 1 : 0));
        }
        if (std::strcmp(input, "equal") == 0)
          for (double p : o.p) CHECK(p == doctest::Approx(1.0 / 200).epsilon(0.004));
      }
}

TEST_CASE("a row of −∞ alone is 0 everywhere, and the run says how many there are; naive divides 0 by 0") {
  const Params params = with(sized(6, 100), "input", std::string("none"));
  for (const char* rung : {"safe", "online", "fused", "vectorized"})
    for (const char* dtype : {"float", "bf16", "half"}) {
      CAPTURE(rung);
      const Params typed = with(with(params, "cols", std::int64_t{104}), "dtype", std::string(dtype));
      const Outcome o = run(rung, typed);
      CHECK(o.check.pass);
      for (double p : o.p) CHECK(p == 0);
      const Run whole = emulated(rung, typed);
      REQUIRE(whole.warnings.size() == 1);
      CHECK(whole.warnings[0].text() == "6 of 6 rows hold nothing but −∞: their softmax is defined as 0");
      CHECK(whole_metric(whole, "rows_not_finite") == 0);
    }
  const Run naive = emulated("naive", params);
  CHECK_FALSE(naive.check.pass);
  CHECK(whole_metric(naive, "rows_not_finite") == 6);
  REQUIRE(naive.warnings.size() == 1);
  CHECK(naive.warnings[0].text().find("0 / 0 is NaN") != std::string::npos);
  CHECK(emulated("safe", sized(6, 100)).warnings.empty());
}

TEST_CASE("naive overflows where the scores are large, and nobody else does") {
  for (const char* dtype : {"float", "bf16", "half"}) {
    const Params params = with(with(sized(4, 64), "scale", 1000.0), "dtype", std::string(dtype));
    for (const RungInfo& rung : softmax().info.rungs) {
      const Run r = emulated(rung.slug, params);
      CAPTURE(rung.slug);
      CHECK(r.check.pass == (rung.slug != "naive"));
      CHECK(whole_metric(r, "rows_not_finite") == (rung.slug == "naive" ? 4 : 0));
    }
  }
  CHECK(emulated("naive", with(sized(4, 64), "scale", 80.0)).check.pass);
}

TEST_CASE("the result does not depend on the tile beyond rounding") {
  for (const char* rung : {"naive", "safe", "online"}) {
    const Outcome first = run(rung, with(sized(4, 1000), "tile", std::int64_t{32}));
    for (std::int64_t tile : {64, 128, 256}) {
      const Outcome other = run(rung, with(sized(4, 1000), "tile", tile));
      CHECK(other.check.pass);
      double most = 0;
      for (std::size_t i = 0; i < first.p.size(); ++i)
        most = std::max(most, std::abs(other.p[i] - first.p[i]) / first.p[i]);
      CHECK(most < 2e-6);
    }
  }
}

// The values at the end of step `name`, tile by tile, of every row of the followed block.
TEST_CASE("m and l after each tile are those of the scores so far, computed directly") {
  for (const char* input : {"random", "rising", "huge", "one", "none"})
    for (std::int64_t tile : {32, 128})
      for (const char* rung : {"naive", "safe", "online"}) {
        if (std::strcmp(rung, "naive") == 0 && (std::strcmp(input, "huge") == 0)) continue;
        const std::int64_t cols = 333;
        const Outcome o = run(rung, with(with(sized(7, cols), "tile", tile), "input", std::string(input)), 1);
        const MarkedAxis axis(o.emulation.launches);
        CAPTURE(rung);
        CAPTURE(input);
        for (std::int64_t row = 4; row < 7; ++row) {
          double whole = -INFINITY;  // what safe subtracts
          for (std::int64_t c = 0; c < cols; ++c) whole = std::max(whole, o.x[std::size_t(row * cols + c)]);
          for (std::uint32_t j = 0; j * tile < cols; ++j) {
            const auto end = std::min<std::int64_t>(cols, (j + 1) * tile);
            double m = -INFINITY, m_before = -INFINITY, l = 0;
            for (std::int64_t c = 0; c < end; ++c) m = std::max(m, o.x[std::size_t(row * cols + c)]);
            for (std::int64_t c = 0; c < j * tile; ++c)
              m_before = std::max(m_before, o.x[std::size_t(row * cols + c)]);
            const double below = std::strcmp(rung, "online") == 0 ? m
                                 : std::strcmp(rung, "safe") == 0 ? whole
                                                                  : 0;
            for (std::int64_t c = 0; c < end; ++c) {
              const double x = o.x[std::size_t(row * cols + c)];
              if (x != -INFINITY) l += std::exp(x - below);
            }
            CAPTURE(row);
            CAPTURE(j);
            const bool online = std::strcmp(rung, "online") == 0;
            const int at = find_marked(axis, online ? name_id("tile") : name_id("sum"), j);
            REQUIRE(at >= 0);
            const auto shown = [&](const char* name, int step) {
              return axis.shown.at(name_id(name), std::uint32_t(row), step);
            };
            CHECK(double(*shown("l", at)) == doctest::Approx(l).epsilon(3e-6));
            if (online) {
              CHECK(double(*shown("m", at)) == m);
              const double factor = m_before == -INFINITY ? 0 : std::exp(m_before - m);
              CHECK(double(*shown("factor", at)) == doctest::Approx(factor).epsilon(2e-6));
            } else if (std::strcmp(rung, "safe") == 0) {
              CHECK(double(*shown("m", find_marked(axis, name_id("max"), j))) == m);
            } else {
              CHECK_FALSE(shown("m", at).has_value());
            }
          }
        }
      }
}

TEST_CASE("fused and vectorized end with the row's m and l; a warp of vectorized shows its own") {
  for (const char* rung : {"fused", "vectorized"})
    for (const char* dtype : {"float", "half"}) {
      const Outcome o = run(rung, with(sized(3, 3000), "dtype", std::string(dtype)), 2);
      const MarkedAxis axis(o.emulation.launches);
      double m = -INFINITY, l = 0;
      for (std::size_t c = 6000; c < 9000; ++c) m = std::max(m, o.x[c]);
      for (std::size_t c = 6000; c < 9000; ++c) l += std::exp(o.x[c] - m);
      const int last = int(axis.steps.size()) - 1;
      CHECK(double(*axis.shown.at(name_id("m"), 2, last)) == m);
      CHECK(double(*axis.shown.at(name_id("l"), 2, last)) == doctest::Approx(l).epsilon(2e-6));
      if (std::strcmp(rung, "fused") == 0) continue;
      double merged = 0;
      for (std::uint32_t warp = 0; warp < 16; ++warp)
        merged += *axis.shown.at(name_id("l_w"), warp, last) *
                  std::exp(*axis.shown.at(name_id("m_w"), warp, last) - m);
      CHECK(merged == doctest::Approx(l).epsilon(2e-6));
    }
}

TEST_CASE("reads: 2, 3, 2, 1, 1 times every sector of x, and one write") {
  // 8 rows of 256 floats are 8 x 32 sectors; rows start at sectors, so every warp asks for whole ones.
  const std::pair<const char*, std::int64_t> reads[] = {
      {"naive", 2}, {"safe", 3}, {"online", 2}, {"fused", 1}, {"vectorized", 1}};
  for (const auto& stated : reads)
    for (const char* dtype : {"float", "half"}) {
      const char* const rung = stated.first;
      const std::int64_t times = stated.second;
      const std::int64_t sectors = 8 * (std::strcmp(dtype, "float") == 0 ? 32 : 16);
      const Run r = emulated(rung, {{"dtype", std::string(dtype)}});
      CAPTURE(rung);
      CHECK(r.counts->global_load_sectors == times * sectors);
      CHECK(r.counts->global_store_sectors == sectors);
      CHECK(real_metric(r, "reads_per_element") == double(times));
    }
}

TEST_CASE("requests and barriers by hand: 16 bytes per access, one barrier") {
  // 256 floats a row: 8 requests of 4 bytes per lane, 2 of 16.
  CHECK(emulated("fused", {}).counts->global_load_requests == 8 * 8);
  CHECK(emulated("vectorized", {}).counts->global_load_requests == 8 * 2);
  CHECK(emulated("vectorized", {}).counts->barriers == 8 * 2);  // 8 blocks of 2 warps
  CHECK(emulated("fused", {}).counts->barriers == 8 * 8 * 2);   // 8 blocks of 8 warps
  CHECK(emulated("online", {}).counts->barriers == 0);
}

TEST_CASE("the maximum moves as often as a record is set, tile by tile") {
  for (const char* input : {"random", "rising", "huge"}) {
    const Params params{{"input", std::string(input)}};
    const Outcome o = run("online", params);
    int records = -1;  // the first tile sets one too
    double most = -INFINITY;
    for (std::size_t tile = 0; tile < 8; ++tile) {
      const double m = *std::max_element(o.x.begin() + long(32 * tile), o.x.begin() + long(32 * tile + 32));
      if (m > most) ++records, most = m;
    }
    CAPTURE(input);
    CHECK(whole_metric(emulated("online", params), "max_moved") == records);
    if (std::strcmp(input, "rising") == 0) CHECK(records >= 5);
  }
  CHECK(whole_metric(emulated("online", {{"input", std::string("equal")}}), "max_moved") == 0);
  CHECK(whole_metric(emulated("online", {{"input", std::string("none")}}), "max_moved") == 0);
}

TEST_CASE("what the kernel says of itself costs nothing: counts and visits are those without it") {
  for (const RungInfo& rung : softmax().info.rungs) {
    const Outcome o = run(rung.slug, sized(1, 200));  // one block
    const BlockTrace& with = o.emulation.launches.at(0).trace;
    BlockTrace without;
    for (std::size_t t = 0; t + 1 < with.begin.size(); ++t) {
      without.begin.push_back(without.events.size());
      for (auto e = with.begin[t]; e < with.begin[t + 1]; ++e)
        if (!is_remark(with.events[e].kind)) without.events.push_back(with.events[e]);
    }
    without.begin.push_back(without.events.size());
    CHECK(without.events.size() < with.events.size());
    const auto a = canonical_instructions(with), b = canonical_instructions(without);
    REQUIRE(a.size() == b.size());
    Counts counts;
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK(a[i].visit == b[i].visit);
      CHECK(a[i].offset == b[i].offset);
      add_to(counts, b[i]);
    }
    counts.barriers = o.emulation.counts.barriers;  // not among the instructions
    CAPTURE(rung.slug);
    CHECK(counts == o.emulation.counts);
  }
}

TEST_CASE("a run's buffers give back every fp16 and bf16 number there is") {
  std::vector<std::uint8_t> bytes(2 * 65536);
  for (std::uint32_t i = 0; i < 65536; ++i)
    bytes[2 * i] = std::uint8_t(i), bytes[2 * i + 1] = std::uint8_t(i >> 8);
  const Buffer buffer{0, bytes};
  const ViewInfo half{0, "h", Space::global, "half", 2, {65536}, 0},
      bf16{0, "b", Space::global, "bf16", 2, {65536}, 0};
  int wrong = 0;
  const auto same = [](double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; };
  for (std::uint32_t i = 0; i < 65536; ++i) {
    wrong += !same(element(half, buffer, i), lab::half::of_bits(std::uint16_t(i)).wide());
    wrong += !same(element(bf16, buffer, i), lab::nv_bfloat16::of_bits(std::uint16_t(i)).wide());
  }
  CHECK(wrong == 0);
}

TEST_CASE("a wrong, a missing or a NaN result fails the check") {
  const Params params = *complete_params(softmax().info, "safe", sized(3, 40));
  simt::ProblemBuffers buffers(softmax(), params, "safe");
  CHECK_FALSE(softmax().check(params, "safe", buffers.contents()).pass);  // poison
  simt::emulate(softmax(), "softmax/02_safe.cuh", params, buffers.spans(), {});
  CHECK(softmax().check(params, "safe", buffers.contents()).pass);
  auto* p = reinterpret_cast<float*>(buffers.spans()[1].data());
  const float right = p[50];
  p[50] *= 1.00001f;
  CHECK_FALSE(softmax().check(params, "safe", buffers.contents()).pass);
  p[50] = NAN;
  CHECK_FALSE(softmax().check(params, "safe", buffers.contents()).pass);
  p[50] = right;
  CHECK(softmax().check(params, "safe", buffers.contents()).pass);
}
