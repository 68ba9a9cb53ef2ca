#include "scene.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/model/progress.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

std::int64_t whole_of(const Params& params, const char* name, std::int64_t otherwise) {
  const auto at = params.find(name);
  const auto* value = at == params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return value && *value > 0 ? *value : otherwise;
}

bool is_matrix(const ViewInfo* view) {
  return view && view->shape.size() == 2 && view->shape[0] > 0 && view->shape[1] > 0;
}

// The rows of a view [heads seq, ...] that the followed block of a launch touches, and their head.
Span rows_touched(const StepAxis& axis, const std::vector<Launch>& launches, int launch, std::int64_t rows,
                  std::initializer_list<std::uint16_t> views) {
  for (const std::uint16_t id : views) {
    const ViewInfo* view = launches[std::size_t(launch)].view(id);
    if (!is_matrix(view) || std::int64_t(view->shape[0]) != rows) continue;
    const Region region = region_touched(axis, launch, *view);
    if (!region.empty()) return {region.row, region.rows};
  }
  return {};
}

}  // namespace

std::int64_t AttentionSizes::pairs(std::int64_t i, std::int64_t j) const {
  std::int64_t all = 0;
  for (std::int64_t row = i * tile_q; row < std::min(seq, (i + 1) * tile_q); ++row) {
    const std::int64_t end = std::min({seq, (j + 1) * tile_k, causal ? row + 1 : seq});
    all += std::max<std::int64_t>(0, end - j * tile_k);
  }
  return all;
}

std::optional<AttentionSizes> attention_sizes(const Run& run) {
  if (run.launches.empty()) return {};
  const ViewInfo* q = run.launches.front().view(0);
  if (!is_matrix(q)) return {};
  const Params& params = run.request.params;
  AttentionSizes s;
  s.heads = whole_of(params, "heads", 1);
  const auto rows = std::int64_t(q->shape[0]);
  if (s.heads > rows || rows % s.heads != 0) return {};
  s.seq = rows / s.heads, s.head_dim = std::int64_t(q->shape[1]);
  s.tile_q = whole_of(params, "tile_q", s.seq), s.tile_k = whole_of(params, "tile_k", s.seq);
  const auto causal = params.find("causal");
  s.causal = causal != params.end() && to_string(causal->second) == "yes";
  return s;
}

AttentionTile tile_of(const AttentionSizes& sizes, const StepAxis& axis, int step) {
  if (step < 0 || step >= int(axis.groups.size())) return {};
  const StepGroup& group = axis.groups[std::size_t(step)];
  AttentionTile tile{group.mark, -1, -1};
  if (!group.mark) return tile;
  tile.i = std::int64_t(group.mark_index) / sizes.tiles_k(),
  tile.j = std::int64_t(group.mark_index) % sizes.tiles_k();
  if (tile.i >= sizes.tiles_q()) tile.i = tile.j = -1;
  return tile;
}

Span AttentionScene::q_rows() const {
  if (i < 0) return {};
  return {i * sizes.tile_q, std::min(sizes.tile_q, sizes.seq - i * sizes.tile_q)};
}
Span AttentionScene::k_rows() const {
  if (j < 0) return {};
  return {j * sizes.tile_k, std::min(sizes.tile_k, sizes.seq - j * sizes.tile_k)};
}

RowChanges changes_of(const AttentionSizes& sizes, const StepAxis& axis, int step) {
  RowChanges changes;
  const AttentionTile tile = tile_of(sizes, axis, step);
  if (tile.i < 0 || !axis.shown) return changes;
  for (std::int64_t row = tile.i * sizes.tile_q; row < std::min(sizes.seq, (tile.i + 1) * sizes.tile_q);
       ++row) {
    const auto* m = axis.shown->entry(attention_value::m, std::uint32_t(row), step);
    if (!m || m->step != step) continue;
    ++changes.rows;
    const auto before = axis.shown->before(attention_value::m, std::uint32_t(row), step);
    const auto factor = axis.shown->at(attention_value::factor, std::uint32_t(row), step);
    if (!before || !std::isfinite(*before) || !(m->value > *before)) continue;
    ++changes.moved;
    if (factor && *factor < changes.least_factor) changes.least_factor = *factor, changes.least_row = row;
  }
  return changes;
}

std::int64_t moves_until(const AttentionSizes& sizes, const StepAxis& axis, int step) {
  std::int64_t moves = 0;
  if (!axis.shown) return 0;
  for (std::int64_t row = 0; row < std::min<std::int64_t>(sizes.seq, kMostShown); ++row) {
    const auto& all = axis.shown->history(attention_value::m, std::uint32_t(row));
    for (std::size_t k = 1; k < all.size() && all[k].step <= step; ++k)
      moves += std::isfinite(all[k - 1].value) && all[k].value > all[k - 1].value;
  }
  return moves;
}

double attention_flop_until(const AttentionSizes& sizes, const StepAxis& axis, int step) {
  double flop = 0;
  for (int s = 0; s <= std::min(step, int(axis.groups.size()) - 1); ++s) {
    const AttentionTile tile = tile_of(sizes, axis, s);
    const bool products = tile.mark == attention_step::scores || tile.mark == attention_step::output ||
                          tile.mark == attention_step::product || tile.mark == attention_step::recompute ||
                          tile.mark == attention_step::gradient_v ||
                          tile.mark == attention_step::gradient_p ||
                          tile.mark == attention_step::gradient_k || tile.mark == attention_step::gradient_q;
    if (products && tile.i >= 0) flop += 2.0 * double(sizes.head_dim) * double(sizes.pairs(tile.i, tile.j));
  }
  return flop;
}

namespace {

// Where the launch of the step begins, and whether it is one of a backward pass.
void find_launch(AttentionScene& scene, int launch) {
  const StepAxis& axis = scene.in.axis;
  scene.first_step = scene.in.step;
  while (scene.first_step > 0 && axis.steps[std::size_t(scene.first_step) - 1].launch == launch)
    --scene.first_step;
  for (std::size_t s = std::size_t(scene.first_step); s < axis.steps.size() && axis.steps[s].launch == launch;
       ++s)
    scene.backward |= axis.groups[s].mark == attention_step::recompute;
}

}  // namespace

std::optional<AttentionScene> attention_scene(const StageInput& in) {
  const auto sizes = attention_sizes(in.run);
  if (!sizes || in.step < 0 || in.step >= int(in.axis.groups.size())) return {};
  const int launch = in.axis.steps[std::size_t(in.step)].launch;
  AttentionScene scene{in, in.run.launches[std::size_t(launch)], *sizes, 0, -1, -1, 0, {}, {}, 0, 0, false};
  const AttentionTile tile = tile_of(*sizes, in.axis, in.step);
  scene.mark = tile.mark, scene.i = tile.i, scene.j = tile.j;
  Span rows = rows_touched(in.axis, in.run.launches, launch, sizes->seq * sizes->heads, {3, 0, 5, 6});
  Span cols = rows_touched(in.axis, in.run.launches, launch, sizes->seq * sizes->heads, {1});
  scene.head = rows.first / sizes->seq;
  for (Span* span : {&rows, &cols}) {
    if (span->count <= 0) continue;
    span->first -= scene.head * sizes->seq;
    span->count = std::min(span->count, sizes->seq - span->first);
  }
  scene.block_rows = rows, scene.block_cols = cols.count > 0 ? cols : Span{0, sizes->seq};
  find_launch(scene, launch);
  const RowChanges changes = changes_of(*sizes, in.axis, in.step);
  scene.focus = changes.least_row >= 0 ? changes.least_row
                : scene.i >= 0         ? scene.i * sizes->tile_q
                                       : rows.first;
  if (in.pinned && in.pinned->first == 3 && sizes->head_dim > 0) {
    const auto row = std::int64_t(in.pinned->second) / sizes->head_dim - scene.head * sizes->seq;
    if (rows.holds(row)) scene.focus = row;
  }
  return scene;
}

namespace {

// One cell stands for the scores from edge to edge.
std::int64_t edge(std::int64_t cell, const AttentionSizes& sizes, std::int64_t cells) {
  return cell * sizes.seq / cells;
}

// standard keeps its scores and probabilities in memory: what an earlier launch wrote there is known of all
// rows.
struct Written {
  const ViewInfo* view = nullptr;
  const Buffer* buffer = nullptr;
  bool probabilities = false;
};
Written written_before(const AttentionScene& scene) {
  constexpr std::uint16_t kScores = 5, kProbabilities = 6;
  const int launch = scene.in.axis.steps[std::size_t(scene.in.step)].launch;
  if (scene.in.run.request.rung != "standard" || launch == 0) return {};
  const std::uint16_t id = launch == 1 ? kScores : kProbabilities;
  const ViewInfo* view = scene.launch.view(id);
  const auto rows = std::uint64_t(scene.sizes.seq * scene.sizes.heads);
  if (!is_matrix(view) || view->shape[0] != rows || view->shape[1] != std::uint64_t(scene.sizes.seq))
    return {};
  return {view, buffer_of(scene.in.run, id), launch > 1};
}

// What memory holds of a row, beside the largest of the row: e^(s - m) of its scores, or its probabilities.
void fill_written_row(const AttentionScene& scene, const Written& written, std::int64_t row,
                      std::int64_t cells, std::uint8_t* out) {
  std::vector<double> values;
  double most = -INFINITY;
  for (std::int64_t x = 0; x < cells; ++x) {
    const auto at =
        std::uint64_t((scene.head * scene.sizes.seq + row) * scene.sizes.seq + edge(x, scene.sizes, cells));
    values.push_back(written.buffer ? element(*written.view, *written.buffer, at) : NAN);
    if (std::isfinite(values.back())) most = std::max(most, values.back());
  }
  for (std::int64_t x = 0; x < cells; ++x) {
    const double value = values[std::size_t(x)];
    if (scene.sizes.causal && edge(x, scene.sizes, cells) > row)
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
void fill_row(const AttentionScene& scene, std::int64_t row, std::int64_t cells, std::uint8_t* out) {
  const ShownValues& shown = *scene.in.axis.shown;
  const int step = scene.in.step;
  const bool ours = scene.block_rows.holds(row);
  const float m =
      ours ? shown.at(attention_value::m, std::uint32_t(row), step).value_or(-INFINITY) : -INFINITY;
  std::vector<float> again(std::size_t(scene.backward ? cells : 0), -1);
  float most = 0;
  for (std::int64_t x = 0; x < cells; ++x) {
    const std::int64_t col = edge(x, scene.sizes, cells);
    out[x] = ours && scene.block_cols.holds(col) ? attention_cell::ahead : attention_cell::elsewhere;
    if (out[x] == attention_cell::ahead && scene.sizes.causal && col > row) out[x] = attention_cell::hidden;
    if (out[x] != attention_cell::ahead) continue;
    if (scene.backward) {
      const auto* p = shown.entry(attention_value::p, scene.score_index(row, col), step);
      if (p && p->step >= scene.first_step) again[std::size_t(x)] = p->value, most = std::max(most, p->value);
    } else if (const auto s = shown.at(attention_value::s, scene.score_index(row, col), step)) {
      out[x] =
          std::isfinite(m) ? attention_cell::score(std::exp(double(*s) - double(m))) : attention_cell::kept;
    }
  }
  for (std::size_t x = 0; x < again.size(); ++x)
    if (again[x] >= 0) out[x] = attention_cell::score(most > 0 ? again[x] / most : 0);
}

// What each warp makes of the current tile: the smallest rectangle around its scores.
std::vector<AttentionShare> shares_of(const AttentionScene& scene) {
  const Span q = scene.q_rows(), k = scene.k_rows();
  if (q.count * k.count > 128 * 128 || q.count <= 0 || k.count <= 0) return {};
  struct Box {
    std::int64_t top = INT64_MAX, left = INT64_MAX, bottom = -1, right = -1;
  };
  std::vector<Box> boxes(32);
  for (std::int64_t row = q.first; row <= q.last(); ++row)
    for (std::int64_t col = k.first; col <= k.last(); ++col) {
      const auto* s =
          scene.in.axis.shown->entry(attention_value::s, scene.score_index(row, col), scene.in.step);
      if (!s || s->thread / kWarpSize >= 32) continue;
      Box& box = boxes[s->thread / kWarpSize];
      box.top = std::min(box.top, row), box.bottom = std::max(box.bottom, row);
      box.left = std::min(box.left, col), box.right = std::max(box.right, col);
    }
  std::vector<AttentionShare> shares;
  for (std::size_t w = 0; w < boxes.size(); ++w)
    if (const Box& b = boxes[w]; b.bottom >= 0)
      shares.push_back({tr("warp {0}", {n(std::int64_t(w))}),
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

void fill_rows(const AttentionScene& scene, AttentionPicture& p) {
  const ShownValues& shown = *scene.in.axis.shown;
  const int step = scene.in.step;
  bool any = false;
  p.rows.resize(std::size_t(scene.sizes.seq));
  for (std::int64_t row = scene.block_rows.first; row <= scene.block_rows.last(); ++row) {
    AttentionRow& r = p.rows[std::size_t(row)];
    const auto index = std::uint32_t(row);
    r.m = shown.at(attention_value::m, index, step), r.l = shown.at(attention_value::l, index, step);
    const auto* m = shown.entry(attention_value::m, index, step);
    const auto* factor = shown.entry(attention_value::factor, index, step);
    if (factor && m && factor->step == m->step) r.factor = factor->value;
    const auto before = m ? shown.before(attention_value::m, index, m->step) : std::nullopt;
    r.moved = m && m->step == step && before && std::isfinite(*before) && m->value > *before;
    any |= r.m || r.l;
  }
  if (!any) p.rows.clear();
}

void fill_output(const AttentionScene& scene, AttentionPicture& p) {
  const std::int64_t rows = scene.block_rows.count, d = scene.sizes.head_dim;
  if (rows * d > 128 * 128) return;
  p.output.assign(std::size_t(rows * d), NAN);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t c = 0; c < d; ++c)
      if (const auto o = scene.in.axis.shown->at(
              attention_value::o, std::uint32_t((scene.block_rows.first + row) * d + c), scene.in.step))
        p.output[std::size_t(row * d + c)] = *o;
}

}  // namespace

AttentionPicture attention_picture(const AttentionScene& scene, std::int64_t cells) {
  const AttentionSizes& sizes = scene.sizes;
  AttentionPicture p;
  p.id = "stage/attention";
  p.title = sizes.heads > 1 ? tr("scores of head {0}, {1} × {1}", {n(scene.head), n(sizes.seq)})
                            : tr("scores, {0} × {0}", {n(sizes.seq)});
  p.seq = sizes.seq, p.head_dim = sizes.head_dim;
  p.tile_q = sizes.tile_q, p.tile_k = sizes.tile_k;
  p.block_rows = scene.block_rows;
  p.q_tile = scene.q_rows(), p.k_tile = scene.k_rows();
  const std::uint16_t mark = scene.mark;
  p.q_in_use =
      mark == attention_step::scores || mark == attention_step::recompute || mark == attention_step::load_q;
  p.k_in_use =
      mark == attention_step::scores || mark == attention_step::recompute || mark == attention_step::load_kv;
  p.v_in_use =
      mark == attention_step::output || mark == attention_step::product || mark == attention_step::load_kv;
  p.cells = std::clamp<std::int64_t>(cells, 1, sizes.seq);
  p.focus = scene.focus;
  if (!scene.in.axis.shown) return p;
  p.values.resize(std::size_t(p.cells * p.cells));
  const Written written = written_before(scene);
  for (std::int64_t y = 0; y < p.cells; ++y) {
    std::uint8_t* row = &p.values[std::size_t(y * p.cells)];
    written.view ? fill_written_row(scene, written, edge(y, sizes, p.cells), p.cells, row)
                 : fill_row(scene, edge(y, sizes, p.cells), p.cells, row);
  }
  p.shares = shares_of(scene);
  fill_rows(scene, p);
  fill_output(scene, p);
  return p;
}

std::vector<LegendItem> attention_legend(const AttentionScene& scene, const AttentionPicture* picture) {
  const auto has = [&](auto of_cell) {
    return !picture || std::any_of(picture->values.begin(), picture->values.end(), of_cell);
  };
  std::vector<LegendItem> items;
  const auto add = [&](const std::string& label, std::uint8_t cell) {
    items.push_back({label, attention_color(scene.in.theme, cell)});
  };
  const auto add_if = [&](const std::string& label, std::uint8_t cell) {
    if (has([cell](std::uint8_t value) { return value == cell; })) add(label, cell);
  };
  if (has([](std::uint8_t value) { return value > attention_cell::kept; })) {
    add(scene.backward ? tr("recomputed: the largest P of its row") : tr("e^(s − m), near 1"),
        attention_cell::score(1));
    add(tr("near 0"), attention_cell::score(0.01));
  }
  add_if(tr("a score, its maximum not yet known"), attention_cell::kept);
  add_if(tr("not yet"), attention_cell::ahead);
  add_if(tr("hidden by the mask"), attention_cell::hidden);
  add_if(tr("other blocks"), attention_cell::elsewhere);
  items.push_back({tr("in shared memory now"), color::shared});
  items.push_back({tr("this step"), color::current, true});
  return items;
}

namespace {

// The largest score that the tile of a step has in a row.
double top_of_tile(const AttentionScene& scene, std::int64_t row, int step) {
  double top = -INFINITY;
  const AttentionTile tile = tile_of(scene.sizes, scene.in.axis, step);
  if (tile.j < 0 || scene.sizes.tile_k > 1024) return top;
  for (std::int64_t col = tile.j * scene.sizes.tile_k;
       col < std::min(scene.sizes.seq, (tile.j + 1) * scene.sizes.tile_k); ++col)
    if (const auto s = scene.in.axis.shown->at(attention_value::s, scene.score_index(row, col), step))
      top = std::max(top, double(*s));
  return top;
}

}  // namespace

std::vector<std::string> row_lines(const AttentionScene& scene) {
  std::vector<std::string> lines;
  if (!scene.in.axis.shown) return lines;
  const ShownValues& shown = *scene.in.axis.shown;
  const int step = scene.in.step;
  const auto row = std::uint32_t(scene.focus);
  const auto* m = shown.entry(attention_value::m, row, step);
  if (!m) return lines;
  const auto* l = shown.entry(attention_value::l, row, step);
  const auto before_m = shown.before(attention_value::m, row, m->step);
  const auto factor = shown.at(attention_value::factor, row, step);
  if (!before_m || !factor || !std::isfinite(*before_m)) {
    lines.push_back(
        l && l->step >= m->step
            ? tr("row {0}: m = {1}, l = {2}", {n(scene.focus), figure_text(m->value), figure_text(l->value)})
            : tr("row {0}: m = {1}", {n(scene.focus), figure_text(m->value)}));
    return lines;
  }
  lines.push_back(tr("row {0}: m' = max({1}, {2}) = {3}",
                     {n(scene.focus), figure_text(*before_m),
                      figure_text(top_of_tile(scene, scene.focus, m->step)), figure_text(m->value)}));
  lines.push_back(tr("factor = e^(m - m') = e^({0}) = {1}",
                     {figure_text(double(*before_m) - double(m->value)), figure_text(*factor)}));
  if (!l || l->step < m->step) return lines;  // the sum comes later in this trip
  if (const auto before_l = shown.before(attention_value::l, row, l->step))
    lines.push_back(
        tr("l' = {0} · {1} + {2} = {3}",
           {figure_text(*before_l), figure_text(*factor),
            figure_text(double(l->value) - double(*before_l) * double(*factor)), figure_text(l->value)}));
  const auto first_o = std::uint32_t(scene.focus * scene.sizes.head_dim);
  if (const auto* o = shown.entry(attention_value::o, first_o, step); o && o->step >= m->step)
    if (const auto before_o = shown.before(attention_value::o, first_o, o->step))
      lines.push_back(
          tr("O[{0}][0]: {1} → {2}", {n(scene.focus), figure_text(*before_o), figure_text(o->value)}));
  return lines;
}

}  // namespace lockstep
