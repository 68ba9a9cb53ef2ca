#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/travel.hpp"
#include "app/labs/story.hpp"

namespace lockstep {
namespace {

// The rows of a view [heads seq, ...] that the followed block of a launch touches, and their head.
Span rows_touched(const AttentionScene& scene, int launch, std::int64_t rows,
                  std::initializer_list<std::uint16_t> views) {
  for (const std::uint16_t id : views) {
    const ViewInfo* view = scene.run().launches[std::size_t(launch)].view(id);
    if (!is_matrix(view) || std::int64_t(view->shape[0]) != rows) continue;
    const Region region = scene.progress.region_touched(launch, *view);
    if (!region.empty()) return {region.row, region.rows};
  }
  return {};
}

}  // namespace

Span AttentionStep::q_rows() const { return scene.tiles[std::size_t(in.view.step)].q; }
Span AttentionStep::k_rows() const { return scene.tiles[std::size_t(in.view.step)].k; }

namespace {

// Where the launch of the step begins, and whether it is one of a backward pass.
void find_launch(AttentionStep& now, int launch) {
  const MarkedAxis& axis = now.scene.steps;
  now.first_step = now.in.view.step;
  while (now.first_step > 0 && axis.steps[std::size_t(now.first_step) - 1].launch == launch) --now.first_step;
  for (std::size_t s = std::size_t(now.first_step); s < axis.steps.size() && axis.steps[s].launch == launch;
       ++s)
    now.backward |= axis.marked[s].mark == attention_step::recompute;
  now.gradients = now.backward || now.mark == attention_step::rowsum;
}

}  // namespace

std::optional<AttentionStep> attention_step_of(const AttentionScene& scene, const StageInput& in) {
  const auto& sizes = scene.sizes;
  const int step = in.view.step;
  if (!sizes || step < 0 || step >= scene.steps.count()) return {};
  const int launch = scene.steps.launch_of(step);
  AttentionStep now{
      scene, in, scene.run().launches[std::size_t(launch)], *sizes, 0, -1, -1, 0, {}, {}, 0, 0, false, false};
  const AttentionTile& tile = scene.tiles[std::size_t(step)];
  now.mark = tile.mark, now.i = tile.i, now.j = tile.j;
  Span rows = rows_touched(scene, launch, sizes->seq * sizes->heads, {3, 0, 5, 6});
  Span cols = rows_touched(scene, launch, sizes->seq * sizes->heads, {1});
  if (now.mark == attention_step::turn) rows = cols = {0, sizes->seq};  // all scores are still to come
  now.head = rows.first / sizes->seq;
  for (Span* span : {&rows, &cols}) {
    if (span->count <= 0) continue;
    span->first -= now.head * sizes->seq;
    span->count = std::min(span->count, sizes->seq - span->first);
  }
  now.block_rows = rows, now.block_cols = cols.count > 0 ? cols : Span{0, sizes->seq};
  find_launch(now, launch);
  const RowChanges changes = changes_of(*sizes, scene.steps, step);
  now.focus = changes.least_row >= 0 ? changes.least_row : now.i >= 0 ? tile.q.first : rows.first;
  if (in.view.pinned && in.view.pinned->first == 3 && sizes->head_dim > 0) {
    const auto row = std::int64_t(in.view.pinned->second) / sizes->head_dim - now.head * sizes->seq;
    if (rows.holds(row)) now.focus = row;
  }
  return now;
}

namespace {

// One cell stands for the scores from edge to edge.
std::int64_t edge(std::int64_t cell, const AttentionSizes& sizes, std::int64_t cells) {
  return cell * sizes.seq / cells;
}

// Where scores are kept in memory and probabilities in memory: what an earlier launch wrote there is known of
// all rows.
struct Written {
  const ViewInfo* view = nullptr;
  const Buffer* buffer = nullptr;
  bool probabilities = false;
};
Written written_before(const AttentionStep& now) {
  constexpr std::uint16_t kScores = 5, kProbabilities = 6;
  const int launch = now.scene.steps.steps[std::size_t(now.in.view.step)].launch;
  if (!now.scene.scores_in_memory || launch == 0) return {};
  const std::uint16_t id = launch == 1 ? kScores : kProbabilities;
  const ViewInfo* view = now.launch.view(id);
  const auto rows = std::uint64_t(now.sizes.seq * now.sizes.heads);
  if (!is_matrix(view) || view->shape[0] != rows || view->shape[1] != std::uint64_t(now.sizes.seq)) return {};
  return {view, buffer_of(now.scene.run(), id), launch > 1};
}

// What memory holds of a row, beside the largest of the row: e^(s - m) of its scores, or its probabilities.
void fill_written_row(const AttentionStep& now, const Written& written, std::int64_t row, std::int64_t cells,
                      std::uint8_t* out) {
  std::vector<double> values;
  double most = -INFINITY;
  for (std::int64_t x = 0; x < cells; ++x) {
    const auto at =
        std::uint64_t((now.head * now.sizes.seq + row) * now.sizes.seq + edge(x, now.sizes, cells));
    values.push_back(written.buffer ? element(*written.view, *written.buffer, at) : NAN);
    if (std::isfinite(values.back())) most = std::max(most, values.back());
  }
  for (std::int64_t x = 0; x < cells; ++x) {
    const double value = values[std::size_t(x)];
    if (now.sizes.causal && edge(x, now.sizes, cells) > row)
      out[x] = attention_cell::hidden;
    else if (!std::isfinite(value))
      out[x] = attention_cell::kept;
    else
      out[x] = attention_cell::score(written.probabilities ? (most > 0 ? value / most : 0)
                                                           : std::exp(value - most));
  }
}

// A row of the scores: what is known of each beside the row's maximum so far. In a backward pass: the
// probabilities that this launch has computed once more, beside the largest of them.
void fill_row(const AttentionStep& now, std::int64_t row, std::int64_t cells, std::uint8_t* out) {
  const ShownValues& shown = now.scene.steps.shown;
  const int step = now.in.view.step;
  const bool ours = now.block_rows.holds(row);
  const float m =
      ours ? shown.at(attention_value::m, std::uint32_t(row), step).value_or(-INFINITY) : -INFINITY;
  std::vector<float> again(std::size_t(now.backward ? cells : 0), -1);
  float most = 0;
  for (std::int64_t x = 0; x < cells; ++x) {
    const std::int64_t col = edge(x, now.sizes, cells);
    out[x] = ours && now.block_cols.holds(col) ? attention_cell::ahead : attention_cell::elsewhere;
    if (out[x] == attention_cell::ahead && now.sizes.causal && col > row) out[x] = attention_cell::hidden;
    if (out[x] != attention_cell::ahead) continue;
    if (now.backward) {
      const auto* p = shown.entry(attention_value::p, now.score_index(row, col), step);
      if (p && p->step >= now.first_step) again[std::size_t(x)] = p->value, most = std::max(most, p->value);
    } else if (const auto* s = shown.entry(attention_value::s, now.score_index(row, col), step)) {
      const float arrived = s->step == step ? now.in.motion : 1;
      if (arrived > 0)
        out[x] = std::isfinite(m)
                     ? attention_cell::score(double(arrived) * std::exp(double(s->value) - double(m)))
                     : attention_cell::kept;
    }
  }
  for (std::size_t x = 0; x < again.size(); ++x)
    if (again[x] >= 0) out[x] = attention_cell::score(most > 0 ? again[x] / most : 0);
}

// What each warp makes of the current tile: the smallest rectangle around its scores.
std::vector<AttentionShare> shares_of(const AttentionStep& now) {
  const Span q = now.q_rows(), k = now.k_rows();
  if (q.count * k.count > 128 * 128 || q.count <= 0 || k.count <= 0) return {};
  struct Box {
    std::int64_t top = INT64_MAX, left = INT64_MAX, bottom = -1, right = -1;
  };
  std::vector<Box> boxes(32);
  for (std::int64_t row = q.first; row <= q.last(); ++row)
    for (std::int64_t col = k.first; col <= k.last(); ++col) {
      const auto* s = now.scene.steps.shown.entry(now.backward ? attention_value::p : attention_value::s,
                                                  now.score_index(row, col), now.in.view.step);
      if (!s || s->thread / kWarpSize >= 32 || s->step < now.first_step) continue;
      Box& box = boxes[s->thread / kWarpSize];
      box.top = std::min(box.top, row), box.bottom = std::max(box.bottom, row);
      box.left = std::min(box.left, col), box.right = std::max(box.right, col);
    }
  std::vector<AttentionShare> shares;
  for (std::size_t w = 0; w < boxes.size(); ++w)
    if (const Box& b = boxes[w]; b.bottom >= 0)
      shares.push_back({tr("warp {0}", {number_text(std::int64_t(w))}),
                        {b.top, b.bottom - b.top + 1},
                        {b.left, b.right - b.left + 1}});
  constexpr std::size_t kMostShares = 8;  // more are stripes, not shares
  if (shares.size() < 2 || shares.size() > kMostShares) shares.clear();
  // Warps that take every fourth row have rectangles that lie over each other: no share to draw.
  for (std::size_t a = 0; a + 1 < shares.size(); ++a)
    if (shares[a].rows.last() >= shares[a + 1].rows.first &&
        shares[a].cols.last() >= shares[a + 1].cols.first)
      return {};
  return shares;
}

// While the step is taken its row's numbers grow from what they were.
void move_row(const AttentionStep& now, std::uint32_t row, AttentionRow& r) {
  const auto move = [&](std::uint16_t name, std::optional<float>& value) {
    const auto before = now.scene.steps.shown.before(name, row, now.in.view.step);
    if (value && before) *value = float(value_between(*before, *value, now.in.motion));
  };
  move(attention_value::m, r.m), move(attention_value::l, r.l);
}

void fill_rows(const AttentionStep& now, AttentionPicture& p) {
  const ShownValues& shown = now.scene.steps.shown;
  const int step = now.in.view.step;
  bool any = false;
  p.rows.resize(std::size_t(now.sizes.seq));
  for (std::int64_t row = now.block_rows.first; row <= now.block_rows.last(); ++row) {
    AttentionRow& r = p.rows[std::size_t(row)];
    const auto index = std::uint32_t(row);
    r.m = shown.at(attention_value::m, index, step), r.l = shown.at(attention_value::l, index, step);
    const auto* m = shown.entry(attention_value::m, index, step);
    const auto* factor = shown.entry(attention_value::factor, index, step);
    if (factor && m && factor->step == m->step) r.factor = factor->value;
    const auto before = m ? shown.before(attention_value::m, index, m->step) : std::nullopt;
    r.moved = m && m->step == step && before && std::isfinite(*before) && m->value > *before;
    any |= r.m || r.l;
    if (now.in.motion < 1) move_row(now, index, r);
  }
  if (!any) p.rows.clear();
}

void fill_output(const AttentionStep& now, AttentionPicture& p) {
  const std::int64_t rows = now.block_rows.count, d = now.sizes.head_dim;
  if (rows * d > 128 * 128) return;
  AttentionOutput out{"O", tr("O: the output so far, one row per query"), now.block_rows, {}, false};
  out.values.assign(std::size_t(rows * d), NAN);
  const ShownValues& shown = now.scene.steps.shown;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t c = 0; c < d; ++c) {
      const auto at = std::uint32_t((now.block_rows.first + row) * d + c);
      const auto o = shown.at(attention_value::o, at, now.in.view.step);
      if (!o) continue;
      const double before = shown.before(attention_value::o, at, now.in.view.step).value_or(0);
      out.values[std::size_t(row * d + c)] = float(value_between(before, *o, now.in.motion));
    }
  p.outputs.push_back(std::move(out));
}

AttentionMove move_of(std::uint16_t mark) {
  switch (mark) {
    case attention_step::load_q:
      return AttentionMove::loads_q;
    case attention_step::load_kv:
      return AttentionMove::loads_kv;
    case attention_step::scores:
    case attention_step::recompute:
      return AttentionMove::multiplies_q_k;
    case attention_step::softmax:
      return AttentionMove::weighs;
    case attention_step::output:
    case attention_step::product:
    case attention_step::gradient_q:
      return AttentionMove::multiplies_p_v;
    default:
      return AttentionMove::none;
  }
}

// Tiles of K (first) and of V that have been loaded by this step and are used in it or later.
std::array<std::vector<Span>, 2> held_tiles(const AttentionStep& now) {
  const MarkedAxis& axis = now.scene.steps;
  struct Use {
    int loaded = -1, k = -1, v = -1;  // steps: of the load, of the last use
    Span rows;
  };
  std::map<std::int64_t, Use> tiles;
  const int launch = axis.launch_of(now.in.view.step);
  for (int s = now.first_step; s < axis.count() && axis.launch_of(s) == launch; ++s) {
    const AttentionTile& tile = now.scene.tiles[std::size_t(s)];
    if (tile.j < 0) continue;
    if (tile.mark == attention_step::load_kv) tiles[tile.j].loaded = s, tiles[tile.j].rows = tile.k;
    if (tile.mark == attention_step::scores) tiles[tile.j].k = s;
    if (tile.mark == attention_step::output) tiles[tile.j].v = s;
    // Where P V ends behind the next softmax, its tile is in use until then.
    if (now.scene.late_output && tile.mark == attention_step::softmax && tile.j > 0) tiles[tile.j - 1].v = s;
  }
  std::array<std::vector<Span>, 2> held;
  for (const auto& [j, use] : tiles) {
    if (use.loaded < 0 || use.loaded > now.in.view.step) continue;
    if (use.k >= now.in.view.step) held[0].push_back(use.rows);
    if (use.v >= now.in.view.step) held[1].push_back(use.rows);
  }
  return held;
}

std::array<AttentionColumn, 3> forward_columns() {
  return {{{"m", tr("m: the largest score of the row so far"), false},
           {"l", tr("l: the sum of e^(s − m) of the row so far"), true},
           {tr("factor"), tr("factor = e^(m_old − m_new): by it everything summed so far shrinks"), true}}};
}

}  // namespace

Rect part_of(Rect whole, std::int64_t seq, Span rows, Span cols) {
  const float n = float(std::max<std::int64_t>(1, seq));
  return {whole.x + whole.w * float(cols.first) / n, whole.y + whole.h * float(rows.first) / n,
          whole.w * float(cols.count) / n, whole.h * float(rows.count) / n};
}

AttentionPicture attention_picture(const AttentionStep& now, std::int64_t cells) {
  const AttentionSizes& sizes = now.sizes;
  AttentionPicture p;
  p.id = "stage/attention";
  p.title = sizes.heads > 1
                ? tr("scores of head {0}, {1} × {1}", {number_text(now.head), number_text(sizes.seq)})
                : tr("scores, {0} × {0}", {number_text(sizes.seq)});
  p.seq = sizes.seq, p.head_dim = sizes.head_dim;
  p.tile_q = sizes.tile_q, p.tile_k = sizes.tile_k;
  p.block_rows = now.block_rows;
  p.q_tile = now.q_rows(), p.k_tile = now.k_rows();
  const std::uint16_t mark = now.mark;
  p.q_in_use =
      mark == attention_step::scores || mark == attention_step::recompute || mark == attention_step::load_q;
  p.k_in_use =
      mark == attention_step::scores || mark == attention_step::recompute || mark == attention_step::load_kv;
  p.v_in_use = mark == attention_step::output || mark == attention_step::product ||
               mark == attention_step::load_kv || mark == attention_step::turn;
  p.v_alone = mark == attention_step::turn;
  p.cells = std::clamp<std::int64_t>(cells, 1, sizes.seq);
  p.focus = now.focus;
  p.values.resize(std::size_t(p.cells * p.cells));
  const Written written = written_before(now);
  for (std::int64_t y = 0; y < p.cells; ++y) {
    std::uint8_t* row = &p.values[std::size_t(y * p.cells)];
    written.view ? fill_written_row(now, written, edge(y, sizes, p.cells), p.cells, row)
                 : fill_row(now, edge(y, sizes, p.cells), p.cells, row);
  }
  p.shares = shares_of(now);
  p.move = move_of(mark), p.motion = now.in.motion;
  if (now.gradients) {
    p.title = tr("P, made again: {0} queries, {0} keys", {number_text(sizes.seq)});
    p.short_title = tr("P, made again");
    fill_backward_rows(now, p);
    p.outputs = gradients_of(now);
    return p;
  }
  p.columns = forward_columns();
  auto held = held_tiles(now);
  p.k_held = std::move(held[0]), p.v_held = std::move(held[1]);
  if (now.scene.scores_in_memory) p.columns[2].name.clear();  // the whole row is known: nothing is rescaled
  fill_rows(now, p);
  fill_output(now, p);
  return p;
}

std::vector<LegendItem> attention_legend(const AttentionStep& now, const AttentionPicture* picture) {
  const auto has = [&](auto of_cell) {
    return !picture || std::any_of(picture->values.begin(), picture->values.end(), of_cell);
  };
  std::vector<LegendItem> items;
  const auto add = [&](const std::string& label, std::uint8_t cell) {
    items.push_back({label, attention_color(now.in.theme, cell)});
  };
  const auto add_if = [&](const std::string& label, std::uint8_t cell) {
    if (has([cell](std::uint8_t value) { return value == cell; })) add(label, cell);
  };
  if (has([](std::uint8_t value) { return value > attention_cell::kept; })) {
    add(now.backward ? tr("recomputed: the largest P of its row") : tr("e^(s − m), near 1"),
        attention_cell::score(1));
    add(tr("near 0"), attention_cell::score(0.01));
  }
  add_if(tr("a score, its maximum not yet known"), attention_cell::kept);
  add_if(tr("not yet"), attention_cell::ahead);
  add_if(tr("hidden by the mask"), attention_cell::hidden);
  add_if(tr("other blocks"), attention_cell::elsewhere);
  items.push_back({tr("in use now"), color::shared});
  items.push_back({tr("in shared memory"), held_color(now.in.theme)});
  items.push_back({tr("this step"), color::current, true});
  return items;
}

namespace {

// The largest score that the tile of a step has in a row.
double top_of_tile(const AttentionStep& now, std::int64_t row, int step) {
  double top = -INFINITY;
  const AttentionTile& tile = now.scene.tiles[std::size_t(step)];
  if (tile.j < 0 || tile.k.count > 1024) return top;
  for (std::int64_t col = tile.k.first; col <= tile.k.last(); ++col)
    if (const auto s = now.scene.steps.shown.at(attention_value::s, now.score_index(row, col), step))
      top = std::max(top, double(*s));
  return top;
}

}  // namespace

std::vector<RowLine> row_lines(const AttentionStep& now) {
  if (now.gradients) return backward_lines(now);
  std::vector<RowLine> lines;
  const ShownValues& shown = now.scene.steps.shown;
  const int step = now.in.view.step;
  const auto row = std::uint32_t(now.focus);
  const auto* m = shown.entry(attention_value::m, row, step);
  if (!m) return lines;
  const auto* l = shown.entry(attention_value::l, row, step);
  const auto before_m = shown.before(attention_value::m, row, m->step);
  const auto factor = shown.at(attention_value::factor, row, step);
  const bool follows = before_m && factor && std::isfinite(*before_m);
  lines.push_back({follows ? "m' = max(" + figure_text(*before_m) + ", " +
                                 figure_text(top_of_tile(now, now.focus, m->step)) +
                                 ") = " + figure_text(m->value)
                           : "m = " + figure_text(m->value),
                   tr("largest score so far")});
  if (follows)
    lines.push_back({"e^(m − m') = e^(" + figure_text(double(*before_m) - double(m->value)) +
                         ") = " + figure_text(*factor),
                     tr("factor for all summed before")});
  if (!l || l->step < m->step) return lines;  // the sum comes later in this trip
  const auto before_l = shown.before(attention_value::l, row, l->step);
  lines.push_back({follows && before_l
                       ? "l' = " + figure_text(*before_l) + " · " + figure_text(*factor) + " + " +
                             figure_text(double(l->value) - double(*before_l) * double(*factor)) + " = " +
                             figure_text(l->value)
                       : "l = " + figure_text(l->value),
                   tr("sum of e^(s − m) so far")});
  const auto first_o = std::uint32_t(now.focus * now.sizes.head_dim);
  if (const auto* o = shown.entry(attention_value::o, first_o, step); o && o->step >= m->step)
    if (const auto before_o = shown.before(attention_value::o, first_o, o->step))
      lines.push_back(
          {"O[" + number_text(now.focus) + "][0]: " + figure_text(*before_o) + " → " + figure_text(o->value),
           now.scene.late_output ? tr("output, with the P·V that was asked for")
                                 : tr("output: times the factor, plus P·V")});
  return lines;
}

}  // namespace lockstep
