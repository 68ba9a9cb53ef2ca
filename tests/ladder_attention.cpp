// The attention ladder on the emulator: right for every length, mask, type and tile; what the flash rungs
// show at every tile is what a direct computation over the columns so far gives; and the counts that are the
// point of each rung.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "app/model/marks.hpp"
#include "kernels/attention/shared_bytes.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& attention() { return *find_ladder("attention"); }
const std::vector<std::string> kForward{"standard", "flash1", "flash2"};

struct Outcome {
  Params params;
  simt::ProblemBuffers buffers;
  simt::Emulation emulation;
  Check check;
  const float* floats(std::size_t buffer) const {
    return reinterpret_cast<const float*>(buffers.spans()[buffer].data());
  }
};

Params complete(const std::string& rung, const Params& given) {
  const auto params = complete_params(attention().info, rung, given);
  REQUIRE_MESSAGE(params, params.error().text());
  return *params;
}

Outcome run(const std::string& rung, const Params& given, std::int64_t followed = 0, bool trace = true) {
  const Params params = complete(rung, given);
  Outcome o{params, simt::ProblemBuffers(attention(), params, rung), {}, {}};
  simt::EmulationOptions options;
  options.followed_block = followed, options.machine.trace = options.fold = trace;
  const RungInfo& info = attention().info.rungs.at(std::size_t(attention().info.rung_index(rung)));
  o.emulation = simt::emulate(attention(), info.file, params, o.buffers.spans(), options);
  o.check = attention().check(params, rung, o.buffers.contents());
  return o;
}

Params with(std::initializer_list<std::pair<const char*, std::int64_t>> numbers,
            std::initializer_list<std::pair<const char*, const char*>> words = {}) {
  Params params;
  for (const auto& [name, value] : numbers) params[name] = value;
  for (const auto& [name, value] : words) params[name] = std::string(value);
  return params;
}

void check_right(const std::string& rung, const Params& given) {
  const Outcome o = run(rung, given, 0, false);
  CAPTURE(rung);
  std::string text;
  for (const auto& [name, value] : o.params) text += name + "=" + to_string(value) + " ";
  CAPTURE(text);
  CHECK(o.check.pass);
  CHECK(o.check.max_error <= o.check.tolerance);
  CHECK(o.emulation.findings.empty());
}

// --- one head in double, straight from the formula ---------------------------------------------------------

class Head {
 public:
  const Outcome& o;
  std::size_t seq, d, head;
  bool causal;
  Head(const Outcome& outcome, std::size_t h)
      : o(outcome),
        seq(std::size_t(int_param(o.params, "seq"))),
        d(std::size_t(int_param(o.params, "head_dim"))),
        head(h),
        causal(to_string(o.params.at("causal")) == "yes"),
        scores_(seq * seq) {
    for (std::size_t row = 0; row < seq; ++row)
      for (std::size_t col = 0; col < seq; ++col) scores_[row * seq + col] = product(row, col);
  }
  double at(std::size_t buffer, std::size_t row, std::size_t p) const {
    return o.floats(buffer)[(head * seq + row) * d + p];
  }
  // -inf where the mask hides it.
  double score(std::size_t row, std::size_t col) const { return scores_[row * seq + col]; }

 private:
  double product(std::size_t row, std::size_t col) const {
    if (causal && col > row) return -INFINITY;
    double sum = 0;
    for (std::size_t p = 0; p < d; ++p) sum += at(0, row, p) * at(1, col, p);
    return sum / std::sqrt(double(d));
  }
  std::vector<double> scores_;  // each is asked for at every tile
};

// Maximum, sum of exponentials below it, and sum of exponentials times V, over the columns before `end`.
struct Direct {
  double m = -INFINITY, l = 0;
  std::vector<double> o;
  Direct(const Head& head, std::size_t row, std::size_t end) : o(head.d) {
    for (std::size_t col = 0; col < end; ++col) m = std::max(m, head.score(row, col));
    for (std::size_t col = 0; col < end; ++col) {
      const double weight = std::exp(head.score(row, col) - m);
      l += weight;
      for (std::size_t p = 0; p < head.d; ++p) o[p] += weight * head.at(2, col, p);
    }
  }
};

constexpr std::uint16_t kM = name_id("m"), kL = name_id("l"), kO = name_id("o"), kS = name_id("s"),
                        kFactor = name_id("factor"), kOutput = name_id("output");

bool near(std::optional<float> shown, double want, double size = 1) {
  return shown && std::abs(*shown - want) <= 4e-6 * (1 + size);
}

// Every row of the tiles of Q that this run's followed block works on, at every step of it.
int check_shown(const Outcome& o, const std::string& rung, std::size_t head_index, std::size_t first_tile,
                std::size_t end_tile) {
  const Head head(o, head_index);
  const MarkedAxis axis(o.emulation.launches);
  const auto tile_q = std::size_t(int_param(o.params, "tile_q")),
             tile_k = std::size_t(int_param(o.params, "tile_k"));
  const std::size_t tiles_k = (head.seq + tile_k - 1) / tile_k;
  int compared = 0, wrong = 0;
  for (std::size_t i = first_tile; i < end_tile; ++i)
    for (std::size_t j = 0; j < tiles_k; ++j) {
      const int step = find_marked(axis, kOutput, std::uint32_t(i * tiles_k + j));
      const bool hidden = head.causal && j * tile_k >= std::min((i + 1) * tile_q, head.seq);
      CHECK_MESSAGE((step < 0) == hidden, "tile ", i, ", ", j);
      if (step < 0) continue;
      for (std::size_t row = i * tile_q; row < std::min((i + 1) * tile_q, head.seq); ++row) {
        const Direct before(head, row, j * tile_k), now(head, row, std::min((j + 1) * tile_k, head.seq));
        const auto shown = [&](std::uint16_t name, std::size_t index) {
          return axis.shown.at(name, std::uint32_t(index), step);
        };
        wrong += !near(shown(kM, row), now.m, std::abs(now.m));
        wrong += !near(shown(kL, row), now.l, now.l);
        wrong += !near(shown(kFactor, row), j == 0 ? 0 : std::exp(before.m - now.m));
        for (std::size_t p = 0; p < head.d; ++p)
          wrong += !near(shown(kO, row * head.d + p), rung == "flash1" ? now.o[p] / now.l : now.o[p], now.l);
        for (std::size_t col = j * tile_k; col < std::min((j + 1) * tile_k, head.seq); ++col) {
          const double score = head.score(row, col);
          const auto s = shown(kS, row * head.seq + col);
          wrong += std::isinf(score) ? s != -INFINITY : !near(s, score, std::abs(score));
        }
        compared += int(head.d);
      }
    }
  CHECK(wrong == 0);
  return compared;
}

}  // namespace

TEST_CASE(
    "every forward rung agrees with double: lengths, masks, types, head dimensions, two heads; and nothing "
    "is found" *
    doctest::test_suite("slow")) {
  for (const std::string& rung : kForward)
    for (const char* causal : {"no", "yes"})
      for (const char* dtype : {"float", "bf16", "half"})
        for (std::int64_t d : {32, 64, 128})
          for (std::int64_t seq : {1, 17, 64, 200}) {
            // The longest one with each type and each dimension once: it takes most of the time.
            const bool once =
                (d == 32) == (dtype == std::string("float")) && (d == 128) == (dtype == std::string("half"));
            if (seq == 200 && !once) continue;
            check_right(rung, with({{"seq", seq}, {"head_dim", d}, {"heads", seq < 200 ? 2 : 1}},
                                   {{"causal", causal}, {"dtype", dtype}}));
          }
}

TEST_CASE("rows whose scores are all equal, and rows with one huge score, stay right" *
          doctest::test_suite("slow")) {
  for (const std::string& rung : kForward)
    for (const char* causal : {"no", "yes"})
      for (const char* input : {"equal", "huge"})
        for (std::int64_t seq : {1, 17, 64, 200})
          check_right(rung, with({{"seq", seq}, {"heads", 2}}, {{"causal", causal}, {"input", input}}));
}

TEST_CASE("huge: the maximum moves when the huge key's tile comes, and what was summed before is gone") {
  const Outcome o = run("flash2", with({{"seq", 200}}, {{"input", "huge"}}));
  const MarkedAxis axis(o.emulation.launches);
  const int step = find_marked(axis, kOutput, 3);  // columns 96 to 127: the key in the middle is number 100
  int moved = 0;
  for (std::uint32_t row = 0; row < 32; ++row) {
    const float before = *axis.shown.before(kM, row, find_marked(axis, name_id("softmax"), 3));
    const float now = *axis.shown.at(kM, row, step);
    if (now <= before + 100) continue;
    ++moved;
    CHECK(axis.shown.at(kFactor, row, step) == 0.f);
    CHECK(axis.shown.at(kL, row, step) == 1.f);
  }
  CHECK(moved >= 8);
}

TEST_CASE("the result depends neither on the tile size nor on the loop order, beyond rounding" *
          doctest::test_suite("slow")) {
  for (const char* causal : {"no", "yes"}) {
    std::vector<Outcome> all;
    for (const char* rung : {"flash1", "flash2"})
      for (Params set : attention().info.sets.at(rung)) {
        for (const auto& [name, value] : with({{"seq", 300}, {"head_dim", 64}}, {{"causal", causal}}))
          set[name] = value;
        all.push_back(run(rung, set, 0, false));
      }
    REQUIRE(all.size() >= 7);
    for (const Outcome& other : all) {
      double worst = 0;
      for (std::size_t i = 0; i < 300 * 64; ++i)
        worst = std::max<double>(worst, std::abs(other.floats(3)[i] - all[0].floats(3)[i]));
      for (std::size_t i = 0; i < 300; ++i)
        worst = std::max<double>(worst, std::abs(other.floats(4)[i] - all[0].floats(4)[i]));
      CHECK(worst <= 2e-6);
    }
  }
}

TEST_CASE(
    "flash2 shows at every tile the m, l, O, factor and scores of a direct computation over the columns so "
    "far" *
    doctest::test_suite("slow")) {
  int compared = 0;
  for (const char* causal : {"no", "yes"})
    for (const Params& set : attention().info.sets.at("flash2")) {
      Params params = with({{"seq", 100}, {"heads", 2}}, {{"causal", causal}});
      params.insert(set.begin(), set.end());
      const std::int64_t tiles = (100 + int_param(set, "tile_q") - 1) / int_param(set, "tile_q");
      for (std::int64_t i = 0; i < tiles; ++i)
        compared +=
            check_shown(run("flash2", params, tiles + i), "flash2", 1, std::size_t(i), std::size_t(i) + 1);
    }
  CHECK(compared > 100 * 32 * 2 * 3);
}

TEST_CASE("flash1 shows the same, with O normalised after every tile, as it lies in HBM") {
  int compared = 0;
  for (const char* causal : {"no", "yes"})
    for (std::int64_t tile_k : {32, 64, 128}) {
      const Outcome o =
          run("flash1", with({{"seq", 100}, {"heads", 2}, {"tile_k", tile_k}}, {{"causal", causal}}), 1);
      compared += check_shown(o, "flash1", 1, 0, 4);
    }
  CHECK(compared > 100 * 32 * 2 * 3);
}

TEST_CASE("standard shows its scores, the maximum and the sum of each row, and O as it grows") {
  const Outcome o = run("standard", with({{"seq", 40}}, {{"causal", "yes"}}));
  const MarkedAxis axis(o.emulation.launches);
  const Head head(o, 0);
  const int last = int(axis.steps.size()) - 1;
  for (std::uint32_t row = 0; row < 32; ++row) {  // the followed block of each launch is its first one
    const Direct direct(head, row, 40), half(head, row, 32);
    CHECK(near(axis.shown.at(kM, row, last), direct.m));
    CHECK(near(axis.shown.at(kL, row, last), direct.l));
    for (std::uint32_t col = 0; col < 32; ++col)
      if (col > row)
        CHECK(axis.shown.at(kS, row * 40 + col, last) == -INFINITY);
      else
        CHECK(near(axis.shown.at(kS, row * 40 + col, last), head.score(row, col), 2));
    for (std::uint32_t p = 0; p < 32; ++p) {
      CHECK(near(axis.shown.at(kO, row * 32 + p, find_marked(axis, name_id("product"), 0)),
                 half.o[p] / direct.l));
      CHECK(near(axis.shown.at(kO, row * 32 + p, last), direct.o[p] / direct.l));
    }
  }
}

TEST_CASE(
    "flash1 exchanges maxima, sums and parts of P V through shared memory; flash2 stores its tiles there and "
    "no more") {
  const Params params = with({{"seq", 64}});
  // One wavefront for 32 floats. flash2: 2 blocks, each a tile of Q and 2 tiles of K and of V, 32 rows of 32
  // floats.
  CHECK(run("flash2", params).emulation.counts.shared_store_wavefronts == 2 * (32 + 2 * (32 + 32)));
  // flash1: 2 tiles of K and V, and for each of them 2 tiles of Q, and 4 warps' maxima and sums of 32 rows,
  // and 32 x 32 elements of P V.
  const std::int64_t exchange = 4 * (1 + 1 + 32);
  CHECK(run("flash1", params).emulation.counts.shared_store_wavefronts ==
        2 * (32 + 32) + 4 * (32 + exchange));
  for (const std::string& rung : kForward) {
    const Counts c = run(rung, params).emulation.counts;
    CHECK(c.shared_load_conflicts + c.shared_store_conflicts == 0);
  }
}

TEST_CASE("flash2, 64 x 32, tiles of 32: sectors by hand, with and without the mask, in fp32 and bf16") {
  // A tile is 32 rows of 128 bytes: 128 sectors. Each of 2 blocks reads one of Q, and one of K and of V per
  // column tile; the mask leaves the first block one column tile. O is 64 rows of 4 sectors; l is written row
  // by row.
  const auto counts = [](const char* causal, const char* dtype) {
    return run("flash2", with({{"seq", 64}}, {{"causal", causal}, {"dtype", dtype}})).emulation.counts;
  };
  CHECK(counts("no", "float").global_load_sectors == 2 * (1 + 2 * 2) * 128);
  CHECK(counts("yes", "float").global_load_sectors == ((1 + 2) + (1 + 2 * 2)) * 128);
  CHECK(counts("no", "bf16").global_load_sectors == 2 * (1 + 2 * 2) * 64);
  for (const char* causal : {"no", "yes"}) {
    const Counts c = counts(causal, "float");
    CHECK(c.global_load_requests == c.global_load_sectors / 4);
    CHECK(c.global_store_sectors == 64 * 4 + 64);
  }
}

TEST_CASE(
    "flash2: what K and V bring from L2 falls in proportion as the tile of Q grows, counted and modelled "
    "alike" *
    doctest::test_suite("slow")) {
  // Q once; K and V once per tile of Q: N^2 d / tile_q.
  const std::int64_t matrix = 256 * 64 * 4;
  for (const std::int64_t tile_q : {16, 32, 64}) {
    const auto e = run("flash2", with({{"seq", 256}, {"head_dim", 64}, {"tile_q", tile_q}})).emulation;
    CHECK(e.counts.global_load_sectors * 32 == matrix + 2 * matrix * (256 / tile_q));
    CHECK(std::int64_t(e.l2_load_bytes) == e.counts.global_load_sectors * 32);
  }
}

TEST_CASE("flash1 reads Q and O again for every tile of K; standard writes and reads seq x seq twice" *
          doctest::test_suite("slow")) {
  const std::int64_t matrix = 256 * 32 * 4, scores = 256 * 256 * 4;
  for (std::int64_t tile_k : {32, 64, 128}) {
    const auto e = run("flash1", with({{"seq", 256}, {"tile_k", tile_k}})).emulation;
    const std::int64_t passes = 256 / tile_k, rows = 256 * 4;
    // m and sum: once per pass but the first, by four warps; and once more for l.
    CHECK(e.counts.global_load_sectors * 32 ==
          2 * matrix + passes * matrix + (passes - 1) * (matrix + 8 * rows) + 2 * rows);
    CHECK(e.counts.global_store_sectors * 32 == passes * (matrix + 2 * rows) + rows);
  }
  const auto e = run("standard", with({{"seq", 256}})).emulation;
  // Scores: 8 x 8 tiles, each a tile of Q and of K. Softmax: S three times. Product: P once and V once per
  // row tile.
  CHECK(e.counts.global_load_sectors * 32 == 2 * 8 * matrix + 3 * scores + scores + 8 * matrix);
  CHECK(e.counts.global_store_sectors * 32 == 2 * scores + matrix + 256 * 32);
  CHECK(e.hbm_store_bytes >= std::uint64_t(2 * scores + matrix));
}

TEST_CASE("the mask halves the work, and the arithmetic is counted by the pairs that it leaves") {
  const auto flops = [](const char* causal) {
    return attention().flops(complete("flash2", with({{"seq", 64}, {"heads", 2}}, {{"causal", causal}})),
                             "flash2");
  };
  CHECK(flops("no") == 4.0 * 2 * 64 * 64 * 32);
  CHECK(flops("yes") == 4.0 * 2 * (64 * 65 / 2) * 32);
  CHECK(attention().bytes(complete("flash2", with({{"seq", 64}}, {{"dtype", "half"}})), "flash2") ==
        64 * 32 * (3 * 2 + 4) + 64 * 4);
}

TEST_CASE("what cannot run is refused with what can") {
  const auto refusal = [](const std::string& rung, const Params& params) {
    const auto complete = complete_params(attention().info, rung, params);
    REQUIRE_FALSE(complete.ok());
    return complete.error().text();
  };
  CHECK(refusal("flash2", with({{"head_dim", 48}})) ==
        "head_dim = 48 is not possible: head_dim takes 32, 64, 128");
  CHECK(refusal("flash1", with({{"head_dim", 128}, {"tile_k", 256}})) ==
        "a tile of 32 × 256 does not fit at head_dim = 128: attention/flash1 takes 355840 bytes of shared "
        "memory per "
        "block, 232448 are possible; what fits: 32 × 32, 32 × 64, 32 × 128");
  CHECK(complete_params(attention().info, "flash1", with({{"head_dim", 64}, {"tile_k", 256}})).ok());
  CHECK(refusal("flash2", with({{"tile_q", 64}, {"tile_k", 256}})).find("it has") != std::string::npos);
  CHECK(refusal("standard", with({{"seq", 32768}})) ==
        "seq = 32768 with heads = 1 is too long for standard: its matrix of scores takes 4294967296 bytes, "
        "4294967295 are "
        "possible; with these heads seq goes to 32767, and the rungs that keep no scores go on");
  CHECK(complete_params(attention().info, "standard", with({{"seq", 32767}})).ok());
  CHECK(complete_params(attention().info, "flash2", with({{"seq", 32768}, {"heads", 64}})).ok());
}

TEST_CASE("the bytes that the refusals speak of are those that the launches ask for") {
  for (const char* rung : {"flash1", "flash2"})
    for (Params set : attention().info.sets.at(rung)) {
      set["seq"] = std::int64_t{1}, set["head_dim"] = std::int64_t{64};
      const int q = int(int_param(set, "tile_q")), k = int(int_param(set, "tile_k"));
      const Outcome o = run(rung, set);
      const int said = std::string(rung) == "flash1" ? lab::flash1_shared(k, 64) : lab::flash2_shared(q, 64);
      CHECK(o.emulation.launches.at(0).dynamic_shared_bytes == said);
      CHECK(o.emulation.findings.empty());  // one byte less and the machine finds an array that does not fit
    }
}

TEST_CASE("an output that was not written, or written wrong, fails the check") {
  Outcome o = run("flash2", with({{"seq", 33}}));
  CHECK(o.check.pass);
  const auto passes = [&] { return attention().check(o.params, "flash2", o.buffers.contents()).pass; };
  for (const std::size_t buffer : {3, 4}) {
    auto* values = reinterpret_cast<float*>(o.buffers.spans()[buffer].data());
    const float kept = values[32];
    values[32] += 3e-5f;
    CHECK_FALSE(passes());
    values[32] = NAN;
    CHECK_FALSE(passes());
    values[32] = kept;
    CHECK(passes());
  }
  o.buffers.reset();
  CHECK_FALSE(passes());
}
