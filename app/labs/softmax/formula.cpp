// The formula of a softmax step, and the same with the numbers that the kernel showed.
#include <algorithm>
#include <cmath>

#include "app/draw/number_text.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

std::string exp_of(double a, double b) {
  return "e^(" + figure_text(a) + " − " + (b < 0 ? "(" + figure_text(b) + ")" : figure_text(b)) + ")";
}

std::vector<FormulaLine> online_lines(const SoftmaxScene& s) {
  const double m = value_or(s.before.m, -INFINITY), l = value_or(s.before.l, 0),
               m_j = value_or(s.after.m_tile, NAN), l_j = value_or(s.after.l_tile, NAN),
               top = value_or(s.after.m, NAN);
  const std::string sum = figure_text(l), own = figure_text(l_j);
  std::vector<FormulaLine> lines{
      {"l' = l · e^(m − m') + l_j · e^(m_j − m')", false},
      {"m' = max(" + figure_text(m) + ", " + figure_text(m_j) + ") = " + figure_text(top)}};
  if (top == -INFINITY) {
    lines.push_back({"l' = 0"});
    return lines;
  }
  lines.push_back({"l' = " + sum + " · " + exp_of(m, top) + " + " + own + " · " + exp_of(m_j, top)});
  lines.push_back({"   = " + sum + " · " + figure_text(value_or(s.after.factor, NAN)) + " + " + own + " · " +
                   figure_text(softmax_weight(m_j, top)) + " = " + figure_text(value_or(s.after.l, NAN))});
  return lines;
}

constexpr std::int64_t kToldWarps = 3;

std::vector<FormulaLine> merge_lines(const SoftmaxScene& s) {
  const double top = value_or(s.after.m, NAN);
  std::string maxima, terms;
  const std::int64_t warps = s.run.launches[0].threads() / 32;
  for (std::int64_t w = 0; w < std::min(warps, kToldWarps); ++w) {
    maxima += (w ? ", " : "") + figure_text(value_or(s.shown("m_w", w, s.step), NAN));
    terms += (w ? " + " : "") + figure_text(value_or(s.shown("l_w", w, s.step), NAN)) + " · " +
             exp_of(value_or(s.shown("m_w", w, s.step), NAN), top);
  }
  const bool more = warps > kToldWarps;
  return {{"l = Σ l_w · e^(m_w − m)", false},
          {"m = max(" + maxima + (more ? ", …" : "") + ") = " + figure_text(top)},
          {"l = " + terms + (more ? " + …" : "")},
          {"  = " + figure_text(value_or(s.after.l, NAN))}};
}

std::vector<FormulaLine> warp_lines(const SoftmaxScene& s) {
  std::vector<FormulaLine> lines{{"m_w = max x    l_w = Σ e^(x − m_w), over the scores of warp w", false}};
  for (std::int64_t w = 0; w < std::min<std::int64_t>(s.run.launches[0].threads() / 32, kToldWarps); ++w)
    lines.push_back({"m_" + n(w) + " = " + figure_text(value_or(s.shown("m_w", w, s.step), NAN)) + "   l_" +
                     n(w) + " = " + figure_text(value_or(s.shown("l_w", w, s.step), NAN))});
  return lines;
}

// The largest score of the columns, as an example.
std::optional<std::int64_t> example_column(const SoftmaxScene& s) {
  if (!s.scores_kept() || s.now.count <= 0) return {};
  const auto first = s.x.begin() + s.now.first;
  return s.now.first + (std::max_element(first, first + s.now.count) - first);
}

std::vector<FormulaLine> max_lines(const SoftmaxScene& s) {
  const std::string m = figure_text(value_or(s.after.m, NAN));
  if (!s.tiled()) return {{"m = max x", false}, {"m = " + m}};
  const auto col = example_column(s);
  const std::string most = col ? figure_text(s.x[std::size_t(*col)]) : "…";
  return {{"m' = max(m, x of this tile)", false},
          {"m' = max(" + figure_text(value_or(s.before.m, -INFINITY)) + ", " + most + ") = " + m}};
}

std::vector<FormulaLine> sum_lines(const SoftmaxScene& s) {
  const double l = value_or(s.after.l, NAN);
  if (!s.tiled()) return {{"l = Σ e^(x − m)", false}, {"l = " + figure_text(l)}};
  const double before = s.index == 0 ? 0 : value_or(s.before.l, 0);
  const std::string more = std::isfinite(before) ? figure_text(l - before) : "…";
  return {{s.rung == "naive" ? "l' = l + Σ e^x" : "l' = l + Σ e^(x − m)", false},
          {"l' = " + figure_text(before) + " + " + more + " = " + figure_text(l)}};
}

std::vector<FormulaLine> divide_lines(const SoftmaxScene& s) {
  const bool naive = s.rung == "naive";
  std::vector<FormulaLine> lines{{naive ? "p = e^x / l" : "p = e^(x − m) / l", false}};
  const auto col = example_column(s);
  if (!col || std::size_t(*col) >= s.p.size()) return lines;
  const double x = s.x[std::size_t(*col)], m = value_or(s.after.m, 0), l = value_or(s.after.l, NAN);
  const std::string power = naive ? "e^" + figure_text(x) : exp_of(x, m), name = "p[" + n(*col) + "] = ";
  if (naive && !std::isfinite(l))  // the quotient that there is
    lines.push_back({name + figure_text(double(std::exp(float(x)))) + " / " + figure_text(l) + " = " +
                     figure_text(s.p[std::size_t(*col)])});
  else
    lines.push_back({name + power + " / " + figure_text(l) + " = " + figure_text(s.p[std::size_t(*col)])});
  return lines;
}

}  // namespace

std::vector<FormulaLine> formula_lines(const SoftmaxScene& s) {
  switch (s.part) {
    case SoftmaxPart::tile:
      return online_lines(s);
    case SoftmaxPart::merge:
      return merge_lines(s);
    case SoftmaxPart::divide:
      return divide_lines(s);
    case SoftmaxPart::max:
      return max_lines(s);
    case SoftmaxPart::sum:
      return s.rung == "vectorized" ? warp_lines(s) : sum_lines(s);
    case SoftmaxPart::load:
      return {{s.rung == "fused" ? "x → shared memory" : "x → registers", false}};
    case SoftmaxPart::other:
      break;
  }
  return {};
}

}  // namespace lockstep
