// What attention's results are held against: O and l of a row, and the gradients, in double.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/e4m3.hpp"
#include "app/model/portable.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {

// Whose inputs have 8 bits, for their first product and for their second one.
constexpr std::string_view kByteRung = "fp8";

inline bool is_backward(std::string_view rung) { return rung.starts_with("backward"); }

enum class Numbers : std::uint8_t { fp32, bf16, half, e4m3 };
inline Numbers numbers_of(const std::string& dtype) {
  if (dtype == "e4m3") return Numbers::e4m3;
  return dtype == "float" ? Numbers::fp32 : dtype == "bf16" ? Numbers::bf16 : Numbers::half;
}

struct AttentionProblem {
  std::size_t seq, d, heads, tile_k;
  bool causal;
  std::string dtype;
  Numbers numbers;  // what dtype says; it is asked for every element
  AttentionProblem(const Params& p, std::string_view rung)
      : seq(std::size_t(int_param(p, "seq"))),
        d(std::size_t(int_param(p, "head_dim"))),
        heads(std::size_t(int_param(p, "heads"))),
        tile_k(std::size_t(int_param(p, "tile_k"))),
        causal(std::get<std::string>(p.at("causal")) == "yes"),
        dtype(rung == kByteRung ? "e4m3" : std::get<std::string>(p.at("dtype"))),
        numbers(numbers_of(dtype)) {}
  std::size_t rows() const { return heads * seq; }
  std::uint32_t element_bytes() const {
    return numbers == Numbers::fp32 ? 4 : numbers == Numbers::e4m3 ? 1 : 2;
  }
  // Columns that a row of its head sees.
  std::size_t visible(std::size_t row) const { return causal ? row + 1 : seq; }
  double pairs() const { return double(seq) * double(causal ? seq + 1 : 2 * seq) / 2; }
};

// Probabilities below 2^-126 lose digits in fp32, and vanish: sums of such terms are not told from nothing.
constexpr double kNothing = 1e-30;

constexpr int kSampledGradients = 16;  // rows, where not all are checked

inline double widened(const std::uint8_t* from, Numbers numbers) {
  if (numbers == Numbers::fp32) {
    float x;
    std::memcpy(&x, from, 4);
    return x;
  }
  if (numbers == Numbers::e4m3) return value_of_e4m3(*from);
  std::uint16_t bits;
  std::memcpy(&bits, from, 2);
  if (numbers == Numbers::bf16) return bit_cast<float>(std::uint32_t{bits} << 16);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;  // half, finite
  const double x = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -x : x;
}

// Rows of the inputs in double. Where `all` rows are checked each is read once.
class InputRows {
 public:
  InputRows(const AttentionProblem& s, std::span<const ConstBytes> buffers, bool all, std::string_view rung)
      : s_(s), buffers_(buffers) {
    for (const std::size_t matrix : {0, 1, 2, 5}) {
      if (!all || (matrix == 5 && !is_backward(rung))) continue;
      std::vector<double>& read = read_[matrix];
      read.resize(s.rows() * s.d);
      for (std::size_t row = 0; row < s.rows(); ++row) widen(matrix, row, &read[row * s.d]);
    }
  }
  // s.d numbers, in `place` where they are not at hand.
  const double* row(std::size_t matrix, std::size_t row, std::vector<double>& place) const {
    if (!read_[matrix].empty()) return &read_[matrix][row * s_.d];
    place.resize(s_.d);
    widen(matrix, row, place.data());
    return place.data();
  }

 private:
  void widen(std::size_t matrix, std::size_t row, double* to) const {
    for (std::size_t c = 0; c < s_.d; ++c)
      to[c] = widened(buffers_[matrix].data() + (row * s_.d + c) * s_.element_bytes(), s_.numbers);
  }
  const AttentionProblem& s_;
  std::span<const ConstBytes> buffers_;
  std::vector<double> read_[6];
};

// One row of one head in double: its part of O, l, and the sizes that the rounding of both is proportional
// to.
struct ReferenceRow {
  std::vector<double> o, size;   // size: sum of p |v|
  std::vector<double> either;    // by which O is another one where a weight was rounded the other way
  double l = 0, score_size = 0;  // the largest sum of |q| |k| / sqrt(d)
};

// What the weights of a row become where the second product takes them in e4m3: 256 times as large, beside
// the largest score of the tiles so far. A rounding hangs on the last digits of a score: where the weight is
// so near to the middle between two numbers of e4m3, either of them may be meant.
class RoundedWeights {
 public:
  struct Weight {
    double value = 0, either = 0;  // either: how far apart the two are that may be meant
  };
  explicit RoundedWeights(double unsure) : unsure_(unsure) {}  // relative, of a weight before it is rounded
  void take_tile(std::span<const double> scores) {
    for (const double score : scores) top_ = std::max(top_, score);
  }
  // Of a score of that tile, beside e^(score - l) of the whole row.
  Weight weight(double score, double l) const {
    constexpr double kGain = 256;
    const double x = kGain * std::exp(score - top_), scale = std::exp(top_ - l) / kGain;
    const double low = value_of_e4m3(nearest_e4m3(x * (1 - unsure_))),
                 high = value_of_e4m3(nearest_e4m3(x * (1 + unsure_)));
    return {value_of_e4m3(nearest_e4m3(x)) * scale, (high - low) * scale};
  }

 private:
  double unsure_, top_ = -INFINITY;
};

// Relative, of sums of products on tensor cores that keep sums of 8-bit numbers shorter than fp32
// (kernels/gemm/ladder.cpp has what was measured).
constexpr double kShortSums = 0x1p-12;

inline ReferenceRow reference_row(const AttentionProblem& s, const InputRows& inputs, std::size_t row) {
  const std::size_t head = row / s.seq * s.seq, columns = s.visible(row % s.seq);
  ReferenceRow r{std::vector<double>(s.d), std::vector<double>(s.d), std::vector<double>(s.d)};
  std::vector<double> scores(columns), q(s.d), place;
  const double* const q_row = inputs.row(0, row, place);
  for (std::size_t p = 0; p < s.d; ++p) q[p] = q_row[p] / std::sqrt(double(s.d));
  for (std::size_t col = 0; col < columns; ++col) {
    const double* const k = inputs.row(1, head + col, place);
    double score = 0, size = 0;
    for (std::size_t p = 0; p < s.d; ++p) score += q[p] * k[p], size += std::abs(q[p] * k[p]);
    scores[col] = score;
    r.score_size = std::max(r.score_size, size);
  }
  const double top = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - top);
  r.l = top + std::log(sum);
  RoundedWeights rounded(kShortSums * (1 + r.score_size));
  for (std::size_t col = 0; col < columns; ++col) {
    RoundedWeights::Weight weight{std::exp(scores[col] - r.l), 0};
    const double exact = weight.value;
    if (s.numbers == Numbers::e4m3) {
      if (col % s.tile_k == 0)
        rounded.take_tile(std::span(scores).subspan(col, std::min(s.tile_k, columns - col)));
      weight = rounded.weight(scores[col], r.l);
    }
    const double* const v = inputs.row(2, head + col, place);
    for (std::size_t p = 0; p < s.d; ++p) {
      r.o[p] += weight.value * v[p], r.size[p] += std::abs(exact * v[p]);
      r.either[p] += std::abs(weight.either * v[p]);
    }
  }
  return r;
}

using AddError = std::function<void(double)>;

// The gradients of sum(do o), in double: with p = exp(s - l), ds = p (do . v - d), d = do . o they are dv =
// p^T do, dq = ds k / sqrt(d), dk = ds^T q / sqrt(d). Errors are relative to the sums of the terms' sizes.
// Where not `all` rows are checked, l and d are the kernel's own, which have a check of their own.
class Gradients {
 public:
  Gradients(const AttentionProblem& s, std::span<const ConstBytes> buffers, const InputRows& inputs,
            const AddError& add)
      : s_(s), buffers_(buffers), inputs_(inputs), add_(add), l_(s.rows()), d_(s.rows()), d_size_(s.rows()) {
    for (std::size_t row = 0; row < s.rows(); ++row) {
      l_[row] = output(4, row), d_[row] = output(9, row);
      const double* const d_o = inputs_.row(5, row, places_[0]);
      for (std::size_t c = 0; c < s.d; ++c) d_size_[row] += std::abs(d_o[c]);  // |o| is at most 1
    }
  }
  void check_d(std::size_t row, const ReferenceRow& want) {
    const double* const d_o = inputs_.row(5, row, places_[0]);
    l_[row] = want.l, d_[row] = 0;
    for (std::size_t c = 0; c < s_.d; ++c) d_[row] += d_o[c] * want.o[c];
    add_(std::abs(output(9, row) - d_[row]) / std::max(d_size_[row], 1e-30) / (1 + want.score_size));
  }
  // A row of dq.
  void check_q(std::size_t i) {
    Sums dq(s_.d);
    const std::size_t head = i / s_.seq * s_.seq;
    for (std::size_t j = head; j < head + s_.visible(i - head); ++j)
      dq.add(pair(i, j), inputs_.row(1, j, places_[4]));
    dq.check(*this, 6, i, 1 / std::sqrt(double(s_.d)));
  }
  // A row of dk and of dv.
  void check_kv(std::size_t j) {
    Sums dk(s_.d), dv(s_.d);
    const std::size_t head = j / s_.seq * s_.seq;
    for (std::size_t i = s_.causal ? j : head; i < head + s_.seq; ++i) {
      const Pair both = pair(i, j);
      dk.add(both, inputs_.row(0, i, places_[4]));
      dv.add({both.p, both.p, both.p, both.score_size}, inputs_.row(5, i, places_[4]));
    }
    dk.check(*this, 7, j, 1 / std::sqrt(double(s_.d)));
    dv.check(*this, 8, j, 1);
  }

 private:
  struct Pair {
    double p = 0, ds = 0, size = 0, score_size = 0;  // size: of the terms of ds
  };
  struct Sums {
    std::vector<double> sum, size;
    double score_size = 0;
    explicit Sums(std::size_t d) : sum(d), size(d) {}
    void add(const Pair& pair, const double* row) {
      score_size = std::max(score_size, pair.score_size);
      for (std::size_t c = 0; c < sum.size(); ++c)
        sum[c] += pair.ds * row[c], size[c] += pair.size * std::abs(row[c]);
    }
    void check(const Gradients& g, std::size_t buffer, std::size_t row, double scale) {
      for (std::size_t c = 0; c < sum.size(); ++c) {
        const double error = std::abs(g.output(buffer, row * sum.size() + c) - scale * sum[c]);
        g.add_(error / (scale * size[c] + kNothing) / (1 + score_size));
      }
    }
  };
  double output(std::size_t buffer, std::size_t i) const {
    return double(reinterpret_cast<const float*>(buffers_[buffer].data())[i]);
  }
  Pair pair(std::size_t i, std::size_t j) {
    const double *const q = inputs_.row(0, i, places_[0]), *const k = inputs_.row(1, j, places_[1]),
                        *const d_o = inputs_.row(5, i, places_[2]), *const v = inputs_.row(2, j, places_[3]);
    double score = 0, score_size = 0, dp = 0, dp_size = 0;
    for (std::size_t c = 0; c < s_.d; ++c) {
      const double qk = q[c] * k[c], dov = d_o[c] * v[c];
      score += qk, score_size += std::abs(qk), dp += dov, dp_size += std::abs(dov);
    }
    score /= std::sqrt(double(s_.d)), score_size /= std::sqrt(double(s_.d));
    const double p = std::exp(score - l_[i]);
    return {p, p * (dp - d_[i]), p * (dp_size + d_size_[i]), std::max(score_size, std::abs(l_[i]))};
  }

  const AttentionProblem& s_;
  std::span<const ConstBytes> buffers_;
  const InputRows& inputs_;
  const AddError& add_;
  std::vector<double> l_, d_, d_size_;
  std::vector<double> places_[5];
};

inline void check_all_finite(std::span<const ConstBytes> buffers, std::size_t first, std::size_t end,
                             const AddError& add) {
  for (std::size_t buffer = first; buffer < end; ++buffer)
    for (std::size_t i = 0; i < buffers[buffer].size() / sizeof(float); ++i)
      if (!std::isfinite(reinterpret_cast<const float*>(buffers[buffer].data())[i])) add(NAN);
}

inline void check_gradients(const AttentionProblem& s, std::span<const ConstBytes> buffers,
                            const InputRows& inputs, const std::vector<ReferenceRow>& rows, bool all,
                            const AddError& add) {
  Gradients gradients(s, buffers, inputs, add);
  for (std::size_t row = 0; all && row < s.rows(); ++row) gradients.check_d(row, rows[row]);
  check_all_finite(buffers, 6, 10, add);
  std::mt19937 random(11);
  for (std::size_t i = 0; i < (all ? s.rows() : kSampledGradients); ++i) {
    const std::size_t row = all ? i : random() % s.rows();
    gradients.check_q(row), gradients.check_kv(row);
  }
}

}  // namespace lockstep
