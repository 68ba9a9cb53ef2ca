// attention/backward on the emulator: its gradients against finite differences, at every size against double,
// and what it recomputes against what the forward pass had.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "app/model/marks.hpp"
#include "app/model/progress.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& attention() { return *find_ladder("attention"); }

struct Problem {
  std::int64_t seq = 64, head_dim = 32, heads = 1;
  bool causal = false;
  std::string dtype = "float", input = "random";
  std::int64_t tile_q = 32;
  Params params() const {
    return *complete_params(attention().info, "backward",
                            {{"seq", seq},
                             {"head_dim", head_dim},
                             {"heads", heads},
                             {"causal", std::string(causal ? "yes" : "no")},
                             {"dtype", dtype},
                             {"input", input},
                             {"tile_q", tile_q},
                             {"tile_k", std::int64_t{32}}});
  }
  std::string text() const {
    std::string all;
    for (const auto& [name, value] : params()) all += name + "=" + to_string(value) + " ";
    return all;
  }
};

struct Outcome {
  simt::ProblemBuffers buffers;
  simt::Emulation emulation;
  Check check;
  explicit Outcome(const Problem& p, std::int64_t block = 0) : buffers(attention(), p.params(), "backward") {
    simt::EmulationOptions options;
    options.followed_block = block;
    emulation = simt::emulate(attention(), "attention/05_backward.cuh", p.params(), buffers.spans(), options);
    check = attention().check(p.params(), "backward", buffers.contents());
  }
  float number(std::size_t buffer, std::size_t i) const {
    float x;
    std::memcpy(&x, buffers.contents()[buffer].data() + i * sizeof x, sizeof x);
    return x;
  }
  std::vector<double> numbers(std::size_t buffer) const {
    std::vector<double> all(buffers.contents()[buffer].size() / sizeof(float));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = double(number(buffer, i));
    return all;
  }
};

// One head in double, from float inputs.
struct Head {
  std::size_t seq, d;
  bool causal;
  std::vector<double> in[4];  // q, k, v, do

  Head(const Outcome& run, const Problem& p)
      : seq(std::size_t(p.seq)), d(std::size_t(p.head_dim)), causal(p.causal) {
    for (std::size_t i = 0; i < 4; ++i) in[i] = run.numbers(i == 3 ? 5 : i);
  }
  std::vector<double> probabilities(std::size_t row) const {
    const std::size_t columns = causal ? row + 1 : seq;
    std::vector<double> p(columns);
    double top = -INFINITY, sum = 0;
    for (std::size_t col = 0; col < columns; ++col) {
      for (std::size_t c = 0; c < d; ++c) p[col] += in[0][row * d + c] * in[1][col * d + c];
      p[col] /= std::sqrt(double(d)), top = std::max(top, p[col]);
    }
    for (double& x : p) x = std::exp(x - top), sum += x;
    for (double& x : p) x /= sum;
    return p;
  }
  // The sum of do o: what the gradients are of.
  double loss() const {
    double sum = 0;
    for (std::size_t row = 0; row < seq; ++row) {
      const auto p = probabilities(row);
      for (std::size_t col = 0; col < p.size(); ++col)
        for (std::size_t c = 0; c < d; ++c) sum += in[3][row * d + c] * p[col] * in[2][col * d + c];
    }
    return sum;
  }
  double slope(std::size_t matrix, std::size_t i) {
    const double step = 1e-5, x = in[matrix][i];
    in[matrix][i] = x + step;
    const double above = loss();
    in[matrix][i] = x - step;
    const double below = loss();
    in[matrix][i] = x;
    return (above - below) / (2 * step);
  }
  // The gradient by the score of one pair: p (do . v - do . o).
  double score_gradient(std::size_t row, std::size_t col) const {
    const auto p = probabilities(row);
    double with_v = 0, with_o = 0;
    for (std::size_t c = 0; c < d; ++c) {
      with_v += in[3][row * d + c] * in[2][col * d + c];
      for (std::size_t j = 0; j < p.size(); ++j) with_o += in[3][row * d + c] * p[j] * in[2][j * d + c];
    }
    return col < p.size() ? p[col] * (with_v - with_o) : 0;
  }
};

struct Shown {
  MarkedAxis axis;
  explicit Shown(const Outcome& o) : axis(o.emulation.launches) {}
  // After the last step of a launch.
  double at_end(const char* name, std::int64_t index, int launch) const {
    int last = 0;
    for (int step = 0; step < int(axis.steps.size()); ++step)
      if (axis.steps[std::size_t(step)].launch <= launch) last = step;
    const auto x = axis.shown.at(name_id(name), std::uint32_t(index), last);
    return x ? double(*x) : NAN;
  }
};

}  // namespace

TEST_CASE("every element of dq, dk and dv is the slope that finite differences find") {
  for (bool causal : {false, true}) {
    const Problem p{9, 32, 1, causal};
    CAPTURE(p.text());
    const Outcome run(p);
    Head head(run, p);
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      double worst = 0, largest = 0;
      for (std::size_t i = 0; i < head.in[matrix].size(); ++i) {
        const double slope = head.slope(matrix, i);
        const double error = std::abs(double(run.number(6 + matrix, i)) - slope);
        worst = error <= worst ? worst : error;  // a NaN stays
        largest = std::max(largest, std::abs(slope));
      }
      CAPTURE(matrix);
      CHECK(worst <= 2e-6);
      CHECK(largest > 0.1);
    }
  }
}

TEST_CASE("backward is right for every length, mask, type, head dimension and tile, and nothing is found" *
          doctest::test_suite("slow")) {
  const auto check_right = [](const Problem& p) {
    CAPTURE(p.text());
    const Outcome o(p);
    CHECK(o.check.pass);
    CHECK(o.check.max_error <= o.check.tolerance);
    CHECK(o.emulation.findings.empty());
    CHECK(o.emulation.counts.shared_load_conflicts == 0);
    CHECK(o.emulation.counts.shared_store_conflicts == 0);
  };
  for (std::int64_t seq : {1, 17, 64, 200})
    for (bool causal : {false, true}) check_right({seq, 32, 2, causal});
  for (bool causal : {false, true}) {
    for (const char* dtype : {"float", "bf16", "half"}) check_right({65, 64, 2, causal, dtype, "random", 64});
    check_right({40, 128, 2, causal, "bf16", "random", 64});
    check_right({40, 128, 2, causal, "float"});
    for (const char* words : {"equal", "huge"})
      for (std::int64_t seq : {17, 70}) check_right({seq, 32, 2, causal, "float", words});
  }
}

TEST_CASE("the probabilities that backward computes once more are those of the forward pass") {
  for (bool causal : {false, true}) {
    const Problem p{70, 64, 1, causal};
    CAPTURE(p.text());
    const Outcome run(p);
    const Shown shown(run);
    REQUIRE(run.emulation.launches.size() == 4);
    for (std::int64_t row = 0; row < 32; ++row) {  // rows of the forward's block 0, and of gradient_q's
      const double l = double(run.number(4, std::size_t(row)));
      bool same = true;
      double sum = 0;
      for (std::int64_t col = 0; col < (causal ? 32 : p.seq); ++col) {
        const double forward = std::exp(shown.at_end("s", row * p.seq + col, 0) - l);
        const double again = shown.at_end("p", row * p.seq + col, 3);
        same &= std::abs(again - forward) <= 1e-6 * forward;
        if (col < 32) same &= shown.at_end("p", row * p.seq + col, 2) == again;  // gradient_kv's block 0
        sum += again;
      }
      CAPTURE(row);
      CHECK(same);
      CHECK(std::abs(sum - 1) <= 1e-5);
    }
  }
}

TEST_CASE("the gradient by each score that backward shows is p (dp - d)") {
  for (bool causal : {false, true})
    for (int launch : {2, 3}) {
      const Problem p{40, 32, 1, causal};
      const Outcome run(p, 1);
      const Shown shown(run);
      const Head head(run, p);
      double worst = 0;
      for (std::size_t a = 0; a < 40; ++a)
        for (std::size_t b = 32; b < 40; ++b) {
          const std::size_t row = launch == 2 ? a : b, col = launch == 2 ? b : a;
          if (causal && row / 32 < col / 32) continue;  // a tile that no row sees is left out
          const double error = std::abs(shown.at_end("ds", std::int64_t(row * 40 + col), launch) -
                                        head.score_gradient(row, col));
          worst = error <= worst ? worst : error;
        }
      CAPTURE(p.text());
      CHECK(worst <= 2e-6);
    }
}

TEST_CASE("backward names a step for each part of its work, at the tile that it works on") {
  const Problem p{64, 32, 1, false};
  const Outcome run(p, 1);
  const Shown shown(run);
  const auto has = [&](const char* name, std::uint32_t index, int launch) {
    int from = 0;
    while (shown.axis.steps[std::size_t(from)].launch < launch) ++from;
    const int step = find_marked(shown.axis, name_id(name), index, from);
    return step >= 0 && shown.axis.steps[std::size_t(step)].launch == launch;
  };
  CHECK(has("output", 2, 0));
  CHECK(has("rowsum", 2, 1));
  for (const char* name : {"load_q", "recompute", "gradient_v", "gradient_p", "gradient_s", "gradient_k"})
    for (std::uint32_t index : {1, 3}) CHECK(has(name, index, 2));  // K tile 1 with Q tiles 0 and 1
  for (const char* name : {"load_kv", "recompute", "gradient_p", "gradient_s", "gradient_q"})
    for (std::uint32_t index : {2, 3}) CHECK(has(name, index, 3));  // Q tile 1 with K tiles 0 and 1
  CHECK_FALSE(has("gradient_q", 1, 2));
  CHECK(has("finish", 3, 2));
  CHECK(has("finish", 3, 3));
}

TEST_CASE("backward writes its gradients and two numbers a row: no score goes to global memory") {
  for (std::int64_t seq : {64, 128}) {
    const Problem p{seq, 64, 1, false};
    const Outcome run(p);
    // o, dq, dk and dv by whole rows; l and d one by one.
    CHECK(run.emulation.counts.global_store_sectors == 4 * seq * 64 * 4 / 32 + 2 * seq);
  }
}

TEST_CASE("seven products of two operations each: two of the forward pass, five for the gradients") {
  const Params params = Problem{64, 32, 2, true}.params();
  CHECK(attention().flops(params, "backward") == 7 * 2.0 * 2 * (64 * 65 / 2) * 32);
}

TEST_CASE("a gradient that is wrong in one element, or was never written, fails the check") {
  const Problem p{33, 32, 2, true};
  Outcome run(p);
  CHECK(run.check.pass);
  for (std::size_t buffer : {6, 7, 8, 9}) {
    CAPTURE(buffer);
    auto* x = reinterpret_cast<float*>(run.buffers.spans()[buffer].data()) + 40;
    const float right = *x;
    for (float wrong : {right + 1e-2f, NAN}) {
      *x = wrong;
      CHECK_FALSE(attention().check(p.params(), "backward", run.buffers.contents()).pass);
    }
    *x = right;
  }
  CHECK(attention().check(p.params(), "backward", run.buffers.contents()).pass);
}
