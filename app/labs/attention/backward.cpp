// What the stage shows of the backward pass: the gradients as far as they have come, worked out from the P
// and dS that the kernel showed, and its formulas with the numbers of one query and one key.
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

namespace step_of = attention_step;

enum View : std::uint16_t { kQ, kK, kV, kO, kL, kGradO, kGradQ, kGradK, kGradV, kD };

// The numbers of a buffer of the head, by row and column; NaN where the run does not keep them.
class HeadValues {
 public:
  HeadValues(const AttentionStep& now, std::uint16_t id)
      : view_(now.launch.view(id)),
        buffer_(buffer_of(now.scene.run(), id)),
        first_row_(now.head * now.sizes.seq),
        cols_(view_ && view_->shape.size() == 2 ? std::int64_t(view_->shape[1]) : 1) {}
  double at(std::int64_t row, std::int64_t col = 0) const {
    const auto index = std::uint64_t((first_row_ + row) * cols_ + col);
    return view_ && buffer_ && index < view_->elements() ? element(*view_, *buffer_, index) : NAN;
  }

 private:
  const ViewInfo* view_;
  const Buffer* buffer_;
  std::int64_t first_row_, cols_;
};

double scale_of(const AttentionStep& now) { return 1 / std::sqrt(double(now.sizes.head_dim)); }

// One gradient: to each row that it has, the rows of `from` are added with the weights that the kernel
// showed.
struct Gradient {
  const char* name;
  std::uint16_t mark;    // the step that adds to it
  std::uint16_t weight;  // P or dS
  View from, to;
  bool of_keys;
  double scale;
};

// What the steps of the launch up to this one have added.
std::vector<float> sums_of(const AttentionStep& now, const Gradient& g, Span rows) {
  const std::int64_t d = now.sizes.head_dim;
  std::vector<double> sums(std::size_t(rows.count * d), 0), added(std::size_t(d), 0);
  bool any = false;
  const HeadValues from(now, g.from);
  for (int step = now.first_step; step <= now.in.view.step; ++step) {
    const AttentionTile& tile = now.scene.tiles[std::size_t(step)];
    if (tile.mark != g.mark || tile.i < 0) continue;
    any = true;
    const double arrived = step == now.in.view.step ? double(now.in.motion) : 1;
    const Span passing = g.of_keys ? tile.q : tile.k;
    for (std::int64_t other = passing.first; other <= passing.last(); ++other) {
      for (std::int64_t c = 0; c < d; ++c) added[std::size_t(c)] = g.scale * arrived * from.at(other, c);
      for (std::int64_t own = rows.first; own <= rows.last(); ++own) {
        const auto at = g.of_keys ? now.score_index(other, own) : now.score_index(own, other);
        const double weight = now.scene.steps.shown.at(g.weight, at, step).value_or(0);
        if (weight == 0) continue;
        for (std::int64_t c = 0; c < d; ++c)
          sums[std::size_t((own - rows.first) * d + c)] += weight * added[std::size_t(c)];
      }
    }
  }
  std::vector<float> values(sums.size(), NAN);
  if (any) values.assign(sums.begin(), sums.end());
  return values;
}

// What the launch has stored at its end; nothing before.
std::vector<float> stored_of(const AttentionStep& now, const Gradient& g, Span rows) {
  const std::int64_t d = now.sizes.head_dim;
  std::vector<float> values(std::size_t(rows.count * d), NAN);
  if (now.mark != step_of::finish) return values;
  const HeadValues stored(now, g.to);
  for (std::int64_t row = 0; row < rows.count; ++row)
    for (std::int64_t c = 0; c < d; ++c)
      values[std::size_t(row * d + c)] = float(stored.at(rows.first + row, c));
  return values;
}

bool has_mark(const AttentionStep& now, std::uint16_t mark) {
  const MarkedAxis& axis = now.scene.steps;
  for (std::size_t s = std::size_t(now.first_step); s < axis.marked.size(); ++s) {
    if (axis.launch_of(int(s)) != axis.launch_of(now.first_step)) break;
    if (axis.marked[s].mark == mark) return true;
  }
  return false;
}

// The pair of a query and a key that the formulas speak of: the first of the tile.
struct Pair {
  std::int64_t row, col;
};
Pair pair_of(const AttentionStep& now) {
  return {now.q_rows().holds(now.focus) ? now.focus : now.q_rows().first, now.k_rows().first};
}

double dot(const HeadValues& a, std::int64_t row, const HeadValues& b, std::int64_t other, std::int64_t d) {
  double sum = 0;
  for (std::int64_t c = 0; c < d; ++c) sum += a.at(row, c) * b.at(other, c);
  return sum;
}

std::string index_text(const char* name, std::int64_t row, std::int64_t col) {
  return std::string(name) + "[" + number_text(row) + "][" + number_text(col) + "]";
}
std::string index_text(const char* name, std::int64_t row) {
  return std::string(name) + "[" + number_text(row) + "]";
}

}  // namespace

std::vector<AttentionOutput> gradients_of(const AttentionStep& now) {
  constexpr std::int64_t kMostProducts =
      128 * 128 * 64;  // beyond, the sums would take longer than a frame has
  const std::int64_t d = now.sizes.head_dim;
  const double scale = scale_of(now);
  const Gradient all[] = {
      {"dV", step_of::gradient_v, attention_value::p, kGradO, kGradV, true, 1},
      {"dK", step_of::gradient_k, attention_value::ds, kQ, kGradK, true, scale},
      {"dQ", step_of::gradient_q, attention_value::ds, kK, kGradQ, false, scale},
  };
  std::vector<AttentionOutput> shown;
  for (const Gradient& g : all) {
    if (!has_mark(now, g.mark)) continue;
    const Span rows = g.of_keys ? now.block_cols : now.block_rows;
    AttentionOutput out{g.name,
                        g.of_keys ? tr("{0}: what each key has gathered so far", {g.name})
                                  : tr("{0}: what each query has gathered so far", {g.name}),
                        rows,
                        {},
                        g.of_keys};
    if (rows.count * now.sizes.seq * d <= kMostProducts)
      out.values = sums_of(now, g, rows);
    else
      out.values = stored_of(now, g, rows);
    shown.push_back(std::move(out));
  }
  return shown;
}

void fill_backward_rows(const AttentionStep& now, AttentionPicture& p) {
  p.columns = {{{"l", tr("l: kept by the forward pass, m + log of the row's sum"), false},
                {"D", tr("D: the sum of dO · O along the row; the softmax's gradient subtracts it"), false},
                {"", "", false}}};
  const HeadValues l(now, kL), d(now, kD);
  const bool first = now.mark == step_of::rowsum;  // it makes D, and reads no l
  p.rows.assign(std::size_t(now.sizes.seq), {});
  const Span rows = now.block_rows.count > 0 ? now.block_rows : Span{0, now.sizes.seq};
  bool any = false;
  for (std::int64_t row = rows.first; row <= rows.last() && row < now.sizes.seq; ++row) {
    AttentionRow& r = p.rows[std::size_t(row)];
    if (const double x = l.at(row); !first && std::isfinite(x)) r.m = float(x);
    if (const double x = d.at(row); std::isfinite(x)) r.l = float(x);
    any |= r.m || r.l;
  }
  if (first) p.columns[0].name.clear();
  if (!any) p.rows.clear();
}

std::vector<RowLine> backward_lines(const AttentionStep& now) {
  const HeadValues l(now, kL), d(now, kD), v(now, kV), grad_o(now, kGradO), o(now, kO);
  if (now.mark == step_of::rowsum)
    return {{index_text("D", now.focus) + " = dO · O = " + figure_text(d.at(now.focus)),
             tr("what the softmax's gradient subtracts from every dP of the row")}};
  if (now.i < 0 || now.j < 0) return {};
  const auto [row, col] = pair_of(now);
  const auto p = now.scene.steps.shown.entry(attention_value::p, now.score_index(row, col), now.in.view.step);
  if (!p || p->step < now.first_step) return {};
  const std::string name_p = index_text("P", row, col), name_ds = index_text("dS", row, col);
  const double dp = dot(grad_o, row, v, col, now.sizes.head_dim), own = d.at(row);
  const RowLine again{name_p + " = e^(s − " + figure_text(l.at(row)) + ") = " + figure_text(p->value),
                      tr("made again from the stored l")},
      change{index_text("dP", row, col) + " = " + index_text("dO", row) + " · " + index_text("V", col) +
                 " = " + figure_text(dp),
             tr("how the loss changes with this P")};
  std::vector<RowLine> lines{again};
  switch (now.mark) {
    case step_of::gradient_v:
      lines.push_back({index_text("dV", col) + " += " + name_p + " · " + index_text("dO", row),
                       tr("the key's V takes a part of the query's dO")});
      break;
    case step_of::gradient_p:
      lines.push_back(change);
      break;
    case step_of::gradient_s:
    case step_of::gradient_k:
    case step_of::gradient_q: {
      const auto ds =
          now.scene.steps.shown.at(attention_value::ds, now.score_index(row, col), now.in.view.step);
      lines.push_back(change);
      lines.push_back({name_ds + " = P · (dP − D) = " + figure_text(p->value) + " · (" + figure_text(dp) +
                           " − " + (own < 0 ? "(" + figure_text(own) + ")" : figure_text(own)) +
                           ") = " + figure_text(ds.value_or(NAN)),
                       tr("how the loss changes with this score")});
      if (now.mark == step_of::gradient_k)
        lines.push_back({index_text("dK", col) + " += " + name_ds + " · " + index_text("Q", row),
                         tr("the key gathers from every query")});
      if (now.mark == step_of::gradient_q)
        lines.push_back({index_text("dQ", row) + " += " + name_ds + " · " + index_text("K", col),
                         tr("the query gathers from every key")});
      break;
    }
    default:
      break;
  }
  return lines;
}

}  // namespace lockstep
