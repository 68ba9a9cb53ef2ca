#include "scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/labs/work_lines.hpp"
#include "app/model/boxed_loop.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {

bool is_matrix(const ViewInfo* view) {
  return view && view->shape.size() == 2 && view->shape[0] > 0 && view->shape[1] > 0;
}

namespace {

constexpr const char* kStepNames[] = {
    "load_q",    "load_kv", "scores", "exchange",   "softmax",    "output",     "product",    "finish",
    "recompute", "rowsum",  "turn",   "gradient_v", "gradient_p", "gradient_s", "gradient_k", "gradient_q"};

std::int64_t whole_of(const Params& params, const char* name, std::int64_t otherwise) {
  const auto at = params.find(name);
  const auto* value = at == params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return value && *value > 0 ? *value : otherwise;
}

bool multiplies(std::uint16_t mark) {
  using namespace attention_step;
  return mark == scores || mark == output || mark == product || mark == gradient_v || mark == gradient_p ||
         mark == gradient_k || mark == gradient_q;
}

Span tile_rows(std::int64_t tile, std::int64_t edge, std::int64_t seq) {
  return {tile * edge, std::min(edge, seq - tile * edge)};
}

// Steps first to last - 1 are one launch's.
void take_parts(const AttentionSizes& sizes, std::vector<AttentionTile>& tiles, std::size_t first,
                std::size_t last) {
  const auto has = [&](std::uint16_t mark) {
    return std::any_of(tiles.begin() + std::ptrdiff_t(first), tiles.begin() + std::ptrdiff_t(last),
                       [mark](const AttentionTile& tile) { return tile.mark == mark; });
  };
  using namespace attention_step;
  const bool scored = has(scores);  // else the product of the scores is a part of `recompute`
  for (std::size_t s = first; s < last; ++s)
    tiles[s].multiplies =
        tiles[s].i >= 0 && (multiplies(tiles[s].mark) || (tiles[s].mark == recompute && !scored));
  const bool q_passes = has(gradient_k);
  if (!q_passes && !has(gradient_q)) return;
  Span AttentionTile::*const rows = q_passes ? &AttentionTile::q : &AttentionTile::k;
  const std::int64_t edge = q_passes ? sizes.tile_q : sizes.tile_k;
  std::map<std::array<std::int64_t, 3>, std::vector<std::size_t>> visits;
  for (std::size_t s = first; s < last; ++s)
    if (tiles[s].i >= 0) visits[{tiles[s].mark, tiles[s].i, tiles[s].j}].push_back(s);
  for (const auto& [tile, steps] : visits) {
    const std::int64_t part = edge / std::int64_t(steps.size());
    for (std::size_t n = 0; n < steps.size() && steps.size() > 1; ++n) {
      Span& own = tiles[steps[n]].*rows;
      const std::int64_t skipped = std::min(own.count, std::int64_t(n) * part);
      own = {own.first + skipped, std::min(part, own.count - skipped)};
    }
  }
}

std::vector<double> flop_after_steps(const std::vector<AttentionTile>& tiles, const AttentionSizes& sizes) {
  std::vector<double> after;
  double flop = 0;
  for (const AttentionTile& tile : tiles) {
    if (tile.multiplies) flop += 2.0 * double(sizes.head_dim) * double(sizes.pairs(tile.q, tile.k));
    after.push_back(flop);
  }
  return after;
}

std::vector<std::int64_t> moves_after_steps(const MarkedAxis& steps, const AttentionSizes& sizes) {
  std::vector<std::int64_t> moves(std::size_t(steps.count()), 0);
  for (std::int64_t row = 0; row < std::min<std::int64_t>(sizes.seq, kMostShown); ++row) {
    const auto all = steps.shown.history(attention_value::m, std::uint32_t(row));
    for (std::size_t k = 1; k < all.size(); ++k)
      moves[std::size_t(all[k].step)] += std::isfinite(all[k - 1].value) && all[k].value > all[k - 1].value;
  }
  for (std::size_t s = 1; s < moves.size(); ++s) moves[s] += moves[s - 1];
  return moves;
}

MarkedAxis steps_of(const Run& run) {
  MarkedAxis steps(run.launches, kStepNames);
  take_work_lines(steps, run);
  return steps;
}

bool on_tensor_cores(const Request& request) {
  const Ladder* ladder = find_ladder(request.lab);
  return ladder && std::find(ladder->tensor_rungs.begin(), ladder->tensor_rungs.end(), request.rung) !=
                       ladder->tensor_rungs.end();
}

}  // namespace

std::int64_t AttentionSizes::pairs(Span q, Span k) const {
  if (!causal) return q.count * k.count;
  std::int64_t all = 0;
  for (std::int64_t row = q.first; row <= q.last(); ++row)
    all += std::clamp<std::int64_t>(row + 1 - k.first, 0, k.count);
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

AttentionTile tile_of(const AttentionSizes& sizes, const MarkedAxis& axis, int step) {
  if (step < 0 || step >= int(axis.marked.size())) return {};
  const MarkedStep& marked = axis.marked[std::size_t(step)];
  AttentionTile tile;
  tile.mark = marked.mark;
  if (!marked.mark) return tile;
  tile.i = std::int64_t(marked.index) / sizes.tiles_k(),
  tile.j = std::int64_t(marked.index) % sizes.tiles_k();
  if (tile.i >= sizes.tiles_q()) tile.i = tile.j = -1;
  if (tile.i < 0) return tile;
  if (tile.mark == attention_step::turn) {  // of V alone
    tile.i = -1, tile.k = tile_rows(tile.j, sizes.tile_k, sizes.seq);
    return tile;
  }
  tile.q = tile_rows(tile.i, sizes.tile_q, sizes.seq), tile.k = tile_rows(tile.j, sizes.tile_k, sizes.seq);
  return tile;
}

std::vector<AttentionTile> tiles_of(const AttentionSizes& sizes, const MarkedAxis& axis) {
  std::vector<AttentionTile> tiles;
  for (int s = 0; s < axis.count(); ++s) tiles.push_back(tile_of(sizes, axis, s));
  for (int first = 0, last = 0; first < axis.count(); first = last) {
    while (last < axis.count() && axis.launch_of(last) == axis.launch_of(first)) ++last;
    take_parts(sizes, tiles, std::size_t(first), std::size_t(last));
  }
  return tiles;
}

RowChanges changes_of(const AttentionSizes& sizes, const MarkedAxis& axis, int step) {
  RowChanges changes;
  const AttentionTile tile = tile_of(sizes, axis, step);
  if (tile.i < 0) return changes;
  for (std::int64_t row = tile.q.first; row <= tile.q.last(); ++row) {
    const auto* m = axis.shown.entry(attention_value::m, std::uint32_t(row), step);
    if (!m || m->step != step) continue;
    ++changes.rows;
    const auto before = axis.shown.before(attention_value::m, std::uint32_t(row), step);
    const auto factor = axis.shown.at(attention_value::factor, std::uint32_t(row), step);
    if (!before || !std::isfinite(*before) || !(m->value > *before)) continue;
    ++changes.moved;
    if (factor && *factor < changes.least_factor) changes.least_factor = *factor, changes.least_row = row;
  }
  return changes;
}

AttentionScene::AttentionScene(std::shared_ptr<const Run> shared_run)
    : LabScene(std::move(shared_run)),
      steps(steps_of(run())),
      progress(steps),
      sizes(attention_sizes(run())),
      tiles(sizes ? tiles_of(*sizes, steps) : std::vector<AttentionTile>{}),
      tensor_cores(on_tensor_cores(run().request)) {
  for (const MarkedStep& step : steps.marked) {
    scores_in_memory |= step.mark == attention_step::product;
    transposes |= step.mark == attention_step::turn;
  }
  for (const Step& part : steps.parts)
    uses_shared |= !part.barrier && part.instruction.view >= kFirstSharedView;
  for (const Launch& launch : run().launches) boxed |= has_boxes(launch);
  copies = progress.traffic_until(steps.count() - 1).copied_bytes > 0;
  if (!sizes) return;
  for (int s = 0; s < steps.count(); ++s)
    late_output |= steps.marked[std::size_t(s)].mark == attention_step::softmax && shows_output(s);
  flop_ = flop_after_steps(tiles, *sizes);
  moves_ = moves_after_steps(steps, *sizes);
}

// Whether the first row of the step's tile has a new O in it.
bool AttentionScene::shows_output(int step) const {
  const AttentionTile& tile = tiles[std::size_t(step)];
  if (tile.i < 0) return false;
  const auto* o = steps.shown.entry(attention_value::o, std::uint32_t(tile.q.first * sizes->head_dim), step);
  return o && o->step == step;
}

bool AttentionScene::asks_for_output(int step) const {
  return late_output && steps.marked[std::size_t(step)].mark == attention_step::output && !shows_output(step);
}

double AttentionScene::flop_until(int step) const {
  return step < 0 || flop_.empty() ? 0 : flop_[std::min(std::size_t(step), flop_.size() - 1)];
}

std::int64_t AttentionScene::moves_until(int step) const {
  return step < 0 || moves_.empty() ? 0 : moves_[std::min(std::size_t(step), moves_.size() - 1)];
}

// The backward pass: where a gradient of K has its first part. Else the step in which most rows see their
// maximum move, past the first tile of each; where none does, the product.
int AttentionScene::opening_step(std::int64_t) const {
  int best = steps.count() * 4 / 10;
  for (int s = 0; s < steps.count(); ++s)
    if (steps.marked[std::size_t(s)].mark == attention_step::gradient_k) return s;
  std::int64_t most = 0;
  if (!sizes) return best;
  for (int s = 0; s < std::min(steps.count(), 512); ++s)
    if (const RowChanges changes = changes_of(*sizes, steps, s); changes.moved > most)
      most = changes.moved, best = s;
  for (int s = 0; most == 0 && s < steps.count(); ++s)
    if (steps.marked[std::size_t(s)].mark == attention_step::product) return s;
  return best;
}

bool AttentionScene::makes_gradients(int step) const {
  return run().launches[std::size_t(steps.launch_of(step))].kernel.starts_with("gradient");
}

std::vector<NumberRow> AttentionScene::numbers() const {
  const Run& run = this->run();
  std::vector<NumberRow> rows;
  rows.push_back({msg("largest error"), figure_text(run.check.max_error), "check"});
  if (run.counts) {
    const Counts& c = *run.counts;
    rows.push_back({msg("sectors, load"), grouped(c.global_load_sectors), "counts.global_load_sectors"});
    rows.push_back({msg("sectors, store"), grouped(c.global_store_sectors), "counts.global_store_sectors"});
    rows.push_back(
        {msg("wavefronts, load"), grouped(c.shared_load_wavefronts), "counts.shared_load_wavefronts"});
    rows.push_back({msg("conflicts"), grouped(c.shared_load_conflicts + c.shared_store_conflicts),
                    "counts.shared_load_conflicts"});
  }
  if (const auto l2 = whole_metric(run, "models.l2_load_bytes"))
    rows.push_back({msg("bytes from L2"), bytes_text(double(*l2)), "metrics.models.l2_load_bytes"});
  if (const auto hbm = whole_metric(run, "models.hbm_load_bytes"))
    rows.push_back({msg("bytes from HBM"), bytes_text(double(*hbm)), "metrics.models.hbm_load_bytes"});
  add_time_rows(run, Work::flop, true, rows);
  if (const auto library = real_metric(run, "libraries.cudnn_ms"); library && run.time)
    rows.push_back({msg("of {0}", {"cuDNN"}), percent_text(*library / run.time->median_ms),
                    "metrics.libraries.cudnn_ms"});
  return rows;
}

}  // namespace lockstep
