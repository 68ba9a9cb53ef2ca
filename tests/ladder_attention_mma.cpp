// attention on tensor cores, flash2_mma, flash3, pingpong and fp8, on the emulator: right at every size,
// mask, type and tile, the numbers that they show tile by tile against a computation of their own in double,
// and their shared memory without a conflict.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "app/model/e4m3.hpp"
#include "app/model/marks.hpp"
#include "app/model/progress.hpp"
#include "kernels/host_half.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& attention() { return *find_ladder("attention"); }

std::string file_of(const std::string& rung) {
  for (const RungInfo& info : attention().info.rungs)
    if (info.slug == rung) return info.file;
  return "";
}

struct Problem {
  std::int64_t seq = 64, head_dim = 64, heads = 2;
  bool causal = false;
  std::string dtype = "bf16", input = "random";
  std::int64_t tile_q = 64, tile_k = 64;
  std::string rung = "flash2_mma";
  Params params() const {
    Params given{{"seq", seq},      {"head_dim", head_dim},
                 {"heads", heads},  {"causal", std::string(causal ? "yes" : "no")},
                 {"input", input},  {"tile_q", tile_q},
                 {"tile_k", tile_k}};
    if (dtype != "e4m3") given["dtype"] = dtype;  // the rung's own
    return *complete_params(attention().info, rung, given);
  }
  std::string text() const {
    std::string all = rung + " ";
    for (const auto& [name, value] : params()) all += name + "=" + to_string(value) + " ";
    return all;
  }
  int tiles_k() const { return int((seq + tile_k - 1) / tile_k); }
};

struct Outcome {
  simt::ProblemBuffers buffers;
  simt::Emulation emulation;
  Check check;
  explicit Outcome(const Problem& p, std::int64_t block = 0) : buffers(attention(), p.params(), p.rung) {
    simt::EmulationOptions options;
    options.followed_block = block;
    emulation = simt::emulate(attention(), file_of(p.rung), p.params(), buffers.spans(), options);
    check = attention().check(p.params(), p.rung, buffers.contents());
  }
};

void check_right(const Problem& p) {
  CAPTURE(p.text());
  const Outcome o(p);
  CHECK(o.check.pass);
  CHECK(o.check.max_error <= o.check.tolerance);
  CHECK(o.emulation.findings.empty());
}

double input(const Outcome& o, const Problem& p, std::size_t matrix, std::int64_t i) {
  if (p.dtype == "e4m3") return value_of_e4m3(o.buffers.contents()[matrix][std::size_t(i)]);
  std::uint16_t bits;
  std::memcpy(&bits, o.buffers.contents()[matrix].data() + i * 2, 2);
  return p.dtype == "half" ? lab::half::of_bits(bits).wide() : lab::nv_bfloat16::of_bits(bits).wide();
}

// Of one row, over its first `columns` columns, in double.
struct Prefix {
  double m = -INFINITY, sum = 0, size = 0;  // size: the largest sum of |q| |k| / sqrt(d)
  std::vector<double> scores, o, o_size;    // o_size: sum of p |v|
  Prefix(const Outcome& run, const Problem& p, std::int64_t head, std::int64_t row, std::int64_t columns)
      : scores(std::size_t(columns)), o(std::size_t(p.head_dim)), o_size(std::size_t(p.head_dim)) {
    const auto at = [&](std::int64_t r, std::int64_t d) { return (head * p.seq + r) * p.head_dim + d; };
    for (std::int64_t col = 0; col < columns; ++col) {
      double& score = scores[std::size_t(col)];
      double all = 0;
      for (std::int64_t d = 0; d < p.head_dim; ++d) {
        const double x =
            input(run, p, 0, at(row, d)) * input(run, p, 1, at(col, d)) / std::sqrt(double(p.head_dim));
        score += x, all += std::abs(x);
      }
      size = std::max(size, all);
      if (p.causal && col > row) score = -INFINITY;
      m = std::max(m, score);
    }
    for (std::int64_t col = 0; col < columns; ++col) {
      const double weight = std::exp(scores[std::size_t(col)] - m);
      sum += weight;
      for (std::int64_t d = 0; d < p.head_dim; ++d) {
        const double term = weight * input(run, p, 2, at(col, d));
        o[std::size_t(d)] += term, o_size[std::size_t(d)] += std::abs(term);
      }
    }
  }
};

// Every value that a block shows, after each of its tiles.
void check_shown(const Problem& p, std::int64_t block) {
  CAPTURE(p.text());
  CAPTURE(block);
  const Outcome run(p, block);
  const MarkedAxis axis(run.emulation.launches);
  const std::int64_t tiles_q = (p.seq + p.tile_q - 1) / p.tile_q, i = block % tiles_q, head = block / tiles_q;
  const double rounded_p = p.dtype == "half" ? 0x1p-11 : p.dtype == "e4m3" ? 0x1p-4 : 0x1p-8;
  const auto shown = [&](const char* name, std::int64_t index, int step) {
    const auto x = axis.shown.at(name_id(name), std::uint32_t(index), step);
    return x ? double(*x) : NAN;
  };
  // True where every number is within its tolerance; one CHECK a row keeps the test quick.
  const auto row_agrees = [&](std::int64_t row, int j, int step, int step_of_o, double& m_before) {
    const std::int64_t columns = std::min(p.seq, (j + 1) * p.tile_k);
    const Prefix want(run, p, head, row, columns);
    const double slack = 1e-5 * (1 + want.size);
    bool good = std::abs(shown("m", row, step) - want.m) <= slack;
    good &= std::abs(shown("l", row, step) - want.sum) <= slack * want.sum;
    good &= std::abs(shown("factor", row, step) - std::exp(m_before - want.m)) <= slack;
    for (std::int64_t d = 0; d < p.head_dim; ++d)
      good &= std::abs(shown("o", row * p.head_dim + d, step_of_o) - want.o[std::size_t(d)]) <=
              (rounded_p + slack) * want.o_size[std::size_t(d)] + 1e-6;
    for (std::int64_t col = j * p.tile_k; col < columns; ++col) {
      const double score = want.scores[std::size_t(col)], s = shown("s", row * p.seq + col, step);
      good &= std::isinf(score) ? s == score : std::abs(s - score) <= slack;
    }
    m_before = want.m;
    return good;
  };
  int last = 0;
  for (std::int64_t row = i * p.tile_q; row < std::min(p.seq, (i + 1) * p.tile_q); ++row) {
    CAPTURE(row);
    double m_before = -INFINITY;
    for (int j = 0; j < p.tiles_k(); ++j) {
      const int step = find_marked(axis, name_id("output"), std::uint32_t(i * p.tiles_k() + j));
      if (step < 0) {  // no row of the block sees this tile
        CHECK(p.causal);
        CHECK(j * p.tile_k > i * p.tile_q + p.tile_q - 1);
        continue;
      }
      CAPTURE(j);
      // pingpong asks for the output of a tile before it weighs the next one, and has it behind that.
      const int next = find_marked(axis, name_id("softmax"), std::uint32_t(i * p.tiles_k() + j + 1), step);
      const bool late = (p.rung == "pingpong" || p.rung == "fp8") && next > 0 && j + 1 < p.tiles_k();
      CHECK(row_agrees(row, j, step, late ? next : step, m_before));
      last = std::max(last, j);
    }
  }
  CHECK(find_marked(axis, name_id("finish"), std::uint32_t(i * p.tiles_k() + last)) > 0);
}

Counts counts(const Problem& p) {
  const Outcome o(p);
  CHECK(o.check.pass);
  return o.emulation.counts;
}

}  // namespace

TEST_CASE("flash2_mma is right for every length, mask, type, head dimension and tile, and nothing is found" *
          doctest::test_suite("slow")) {
  for (std::int64_t seq : {1, 17, 64, 200})
    for (bool causal : {false, true})
      for (const char* dtype : {"bf16", "half"})
        for (std::int64_t head_dim : {32, 64, 128})
          for (const auto& [q, k] : {std::pair{32, 32}, {64, 64}, {128, 64}})
            if (seq < 200 || dtype == std::string("bf16") || head_dim == 64)  // 200 takes most of the time
              check_right({seq, head_dim, 2, causal, dtype, "random", q, k});
}

TEST_CASE("flash2_mma takes scores that are all the same, and a key that dwarfs the others" *
          doctest::test_suite("slow")) {
  for (const char* words : {"equal", "huge"})
    for (std::int64_t seq : {17, 200})
      for (bool causal : {false, true})
        for (const char* dtype : {"bf16", "half"})
          for (std::int64_t head_dim : {64, 128})
            check_right({seq, head_dim, 2, causal, dtype, words, 64, 64});
}

TEST_CASE(
    "m, l, O, the scores and the factor that flash2_mma shows after a tile are those of the tiles so far" *
    doctest::test_suite("slow")) {
  for (const char* words : {"random", "huge"})
    for (bool causal : {false, true})
      for (std::int64_t block : {0, 3, 9}) {
        check_shown({130, 64, 2, causal, "bf16", words, 32, 32}, block);
        check_shown({130, 32, 2, causal, "half", words, 32, 32}, block);
      }
  for (bool causal : {false, true})
    for (std::int64_t block : {0, 1, 3}) check_shown({200, 128, 2, causal, "bf16", "random", 128, 64}, block);
}

TEST_CASE(
    "flash2_mma reads the tiles as tensor cores want them in the fewest wavefronts, and exchanges nothing") {
  for (std::int64_t head_dim : {32, 64, 128})
    for (const auto& [q, k] : {std::pair{32, 32}, {64, 64}, {128, 64}}) {
      const Problem p{256, head_dim, 1, false, "bf16", "random", q, k};
      CAPTURE(p.text());
      const Counts c = counts(p);
      const std::int64_t blocks = p.seq / q,
                         pairs = blocks * p.tiles_k();   // of a tile of Q with one of K and V
      const std::int64_t row_wavefronts = head_dim * 2;  // of 64 rows, 128 bytes each
      // Each warp reads its own rows of Q and all of K and V for each tile.
      const std::int64_t warps = q == 128 ? 4 : q / 16;
      CHECK(c.shared_load_wavefronts == pairs * (q + 2 * warps * k) * row_wavefronts / 128);
      CHECK(c.shared_load_conflicts == 0);
      CHECK(c.shared_async_wavefronts == (blocks * q + pairs * 2 * k) * row_wavefronts / 128);
      CHECK(c.shared_store_wavefronts == 0);  // P goes from registers to registers
      CHECK(c.global_load_sectors == (blocks * q + pairs * 2 * k) * head_dim * 2 / 32);
      CHECK(c.global_store_sectors == p.seq * head_dim * 4 / 32 + p.seq / 8);  // O, and 8 rows of l a store
      CHECK(c.barriers == pairs * warps);
    }
}

TEST_CASE("flash2_mma leaves out the tiles that a causal mask hides, about half of them") {
  Problem p{512, 64, 1, false, "bf16", "random", 64, 64};
  const Counts all = counts(p);
  p.causal = true;
  const Counts seen = counts(p);
  const std::int64_t tile = 64 * 64 * 2 / 32;
  CHECK(all.global_load_sectors == tile * (8 + 2 * 64));
  CHECK(seen.global_load_sectors == tile * (8 + 2 * 36));
}

TEST_CASE("flash2_mma needs 16-bit numbers and names the tiles that it has") {
  const auto refused = complete_params(attention().info, "flash2_mma", {{"dtype", std::string("float")}});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text().find("bf16") != std::string::npos);
  CHECK_FALSE(complete_params(attention().info, "flash2_mma", {{"tile_q", std::int64_t{16}}}).ok());
}

TEST_CASE(
    "flash3 and pingpong are right for every length, mask, head dimension and tile, and nothing is found" *
    doctest::test_suite("slow")) {
  for (const char* rung : {"flash3", "pingpong"})
    for (std::int64_t seq : {1, 63, 130, 300})
      for (bool causal : {false, true})
        for (std::int64_t head_dim : {64, 128})
          for (std::int64_t tile_k : {64, 128})
            if (seq < 300 || tile_k == 64)  // five tiles: each buffer is filled again
              check_right({seq, head_dim, 2, causal, "bf16", "random", 128, tile_k, rung});
}

TEST_CASE("flash3 and pingpong take scores that are all the same, and a key that dwarfs the others" *
          doctest::test_suite("slow")) {
  for (const char* rung : {"flash3", "pingpong"})
    for (const char* words : {"equal", "huge"})
      for (bool causal : {false, true}) check_right({200, 64, 2, causal, "bf16", words, 128, 64, rung});
}

TEST_CASE("m, l, O, the scores and the factor that flash3 and pingpong show are those of the tiles so far" *
          doctest::test_suite("slow")) {
  for (const char* rung : {"flash3", "pingpong"})
    for (bool causal : {false, true})
      for (std::int64_t block : {0, 1, 3})
        check_shown({200, 64, 2, causal, "bf16", block == 1 ? "huge" : "random", 128, 64, rung}, block);
}

TEST_CASE("in flash3 and pingpong no thread loads: boxes come, and each group's products read them") {
  for (const char* rung : {"flash3", "pingpong"})
    for (std::int64_t head_dim : {64, 128})
      for (std::int64_t tile_k : {64, 128}) {
        const Problem p{256, head_dim, 1, false, "bf16", "random", 128, tile_k, rung};
        CAPTURE(p.text());
        const Counts c = counts(p);
        const std::int64_t blocks = 2, pairs = blocks * p.tiles_k();
        CHECK(c.global_load_sectors == 0);
        CHECK(c.box_sectors == (blocks * 128 + pairs * 2 * tile_k) * head_dim * 2 / 32);
        CHECK(c.shared_load_wavefronts == 0);
        CHECK(c.shared_store_wavefronts == 0);  // weights go from registers to products
        // Of each of two groups: head_dim / 16 for the scores, tile_k / 16 for the output.
        CHECK(c.products == pairs * 2 * (head_dim + tile_k) / 16);
        CHECK(c.global_store_sectors == p.seq * head_dim * 4 / 32 + p.seq / 8);
      }
}

TEST_CASE(
    "a producer's steps stand in front of what needs them, and pingpong asks for scores before the output") {
  const auto steps = [](const char* rung) {
    const Outcome run({256, 64, 1, false, "bf16", "random", 128, 64, rung});
    const MarkedAxis axis(run.emulation.launches);
    std::string all;
    for (const MarkedStep& step : axis.marked)
      for (const char* name : {"load_q", "load_kv", "scores", "softmax", "output", "finish"})
        if (name_id(name) == step.mark) all += std::string(name) + " " + std::to_string(step.index) + ", ";
    return all;
  };
  std::string flash3 = "load_q 0, ", pingpong = "load_q 0, ";
  for (int j = 0; j < 4; ++j) {
    const std::string n = " " + std::to_string(j) + ", ", before = " " + std::to_string(j - 1) + ", ";
    flash3 += "load_kv" + n + "scores" + n + "softmax" + n + "output" + n;
    pingpong += "load_kv" + n + "scores" + n + (j ? "output" + before : "") + "softmax" + n;
  }
  CHECK(steps("flash3") == flash3 + "finish 3, ");
  CHECK(steps("pingpong") == pingpong + "output 3, finish 3, ");
}

TEST_CASE("causal is pingpong with its blocks in another order: the longest of all heads first" *
          doctest::test_suite("slow")) {
  for (std::int64_t seq : {1, 130, 300}) check_right({seq, 64, 2, true, "bf16", "random", 128, 64, "causal"});
  check_right({200, 128, 2, true, "bf16", "huge", 128, 128, "causal"});
  const Problem ours{384, 64, 2, true, "bf16", "random", 128, 64, "causal"},
      before{384, 64, 2, true, "bf16", "random", 128, 64, "pingpong"};
  const auto boxes_of_block = [](const Problem& p, std::int64_t block) {
    const Outcome run(p, block);
    int tiles = 0;
    for (const MarkedStep& step : MarkedAxis(run.emulation.launches).marked)
      tiles += step.mark == name_id("load_kv");
    return tiles;
  };
  const int in_order[] = {2, 4, 6, 2, 4, 6}, longest_first[] = {6, 6, 4, 4, 2, 2};  // tiles of K of a block
  for (std::int64_t block = 0; block < 6; ++block) {
    CHECK(boxes_of_block(before, block) == in_order[block]);
    CHECK(boxes_of_block(ours, block) == longest_first[block]);
  }
  CHECK(counts(ours).box_sectors == counts(before).box_sectors);
}

TEST_CASE("fp8 is right for every length, mask and head dimension, and nothing is found" *
          doctest::test_suite("slow")) {
  for (std::int64_t seq : {1, 15, 63, 130, 300})
    for (bool causal : {false, true})
      for (std::int64_t head_dim : {64, 128})
        check_right({seq, head_dim, 2, causal, "e4m3", "random", 128, 128, "fp8"});
  for (const char* words : {"equal", "huge"})
    for (bool causal : {false, true}) check_right({200, 64, 2, causal, "e4m3", words, 128, 128, "fp8"});
}

TEST_CASE("m, l, O, the scores and the factor that fp8 shows are those of the tiles so far" *
          doctest::test_suite("slow")) {
  for (bool causal : {false, true})
    for (std::int64_t block : {0, 1, 3})
      check_shown({200, 64, 2, causal, "e4m3", block == 1 ? "huge" : "random", 128, 128, "fp8"}, block);
}

TEST_CASE(
    "fp8 turns V over: 16 keys stand as the lanes have their weights, and beyond the last key are zeros") {
  const Problem p{37, 64, 2, false, "e4m3", "random", 128, 128, "fp8"};
  const Outcome run(p);
  const ConstBytes v = run.buffers.contents()[2], turned = run.buffers.contents()[5];
  const std::int64_t wide = 48;
  REQUIRE(turned.size() == std::size_t(2 * 64 * wide));
  int wrong = 0;
  for (std::int64_t head = 0; head < 2; ++head)
    for (std::int64_t col = 0; col < 64; ++col)
      for (std::int64_t place = 0; place < wide; ++place) {
        const std::int64_t lane = place % 16 / 4, byte = place % 4;
        const std::int64_t key = place / 16 * 16 + lane * 2 + byte % 2 + byte / 2 * 8;
        const std::uint8_t want = key < 37 ? v[std::size_t((head * 37 + key) * 64 + col)] : 0;
        wrong += turned[std::size_t((head * 64 + col) * wide + place)] != want;
      }
  CHECK(wrong == 0);
}

TEST_CASE(
    "in fp8 threads load V once; half as many products as in 16 bits, and half the bytes of the boxes") {
  for (std::int64_t head_dim : {64, 128}) {
    const Problem p{256, head_dim, 1, false, "e4m3", "random", 128, 128, "fp8"};
    CAPTURE(p.text());
    const Counts c = counts(p),
                 wide = counts({256, head_dim, 1, false, "bf16", "random", 128, 128, "pingpong"});
    CHECK(c.global_load_sectors == p.seq * head_dim / 32);
    // Lines of 128 bytes, also where the matrix has 64: what is beyond it arrives as zeros.
    CHECK(c.box_sectors == (2 * 128 + 4 * (128 + head_dim)) * 128 / 32);
    CHECK((head_dim == 64 || 2 * c.box_sectors == wide.box_sectors));
    CHECK(2 * c.products == wide.products);
    CHECK(c.global_store_sectors == wide.global_store_sectors + p.seq * head_dim / 32);
  }
}

TEST_CASE(
    "fp8's check tells weights that were rounded to 8 bits from such as were not, and from small ones lost") {
  const Problem p{128, 64, 1, false, "e4m3", "random", 128, 128, "fp8"};
  Outcome run(p);
  REQUIRE(run.check.pass);
  const auto row_with = [&](double gain) {  // O of row 5 with weights rounded at this size; 0: not at all
    const Prefix exact(run, p, 0, 5, p.seq);
    std::vector<double> o(std::size_t(p.head_dim));
    for (std::int64_t col = 0; col < p.seq; ++col) {
      double weight = std::exp(exact.scores[std::size_t(col)] - exact.m);
      if (gain > 0) weight = value_of_e4m3(nearest_e4m3(weight * gain)) / gain;
      for (std::int64_t d = 0; d < p.head_dim; ++d)
        o[std::size_t(d)] += weight * input(run, p, 2, col * p.head_dim + d) / exact.sum;
    }
    auto* const stored = reinterpret_cast<float*>(run.buffers.spans()[3].data()) + 5 * p.head_dim;
    for (std::int64_t d = 0; d < p.head_dim; ++d) stored[d] = float(o[std::size_t(d)]);
    return attention().check(p.params(), p.rung, run.buffers.contents()).pass;
  };
  CHECK(row_with(256));
  CHECK_FALSE(row_with(0));
  CHECK_FALSE(row_with(1.0 / 64));
}
