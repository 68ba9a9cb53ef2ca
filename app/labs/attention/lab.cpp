// Why does FlashAttention move so much less?
// Step through the tiles: the scores of a tile exist on chip only, the row's maximum and sum run along, and O
// is put right whenever the maximum moves. Standard attention writes every score to memory and reads it back.
// Compare flash1 with flash2: the order of the two loops decides how often O travels, the warps' shares
// whether they have to talk.
#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_tower.hpp"
#include "app/model/attention.hpp"
#include "app/model/gpu.hpp"
#include "app/model/progress.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

namespace step_of = attention_step;

std::string n(std::int64_t x) { return std::to_string(x); }

class AttentionLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("attention")->info; }
  StepAxis steps(const Run& run) const override {
    return marked_steps(build_steps(run.launches), run.launches);
  }
  int opening_step(const Run& run, const StepAxis& axis) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  Message step_title(const Run& run, const StepAxis& axis, int step) const override;
  Message sentence(const Run& run, const StepAxis& axis, int step) const override;
  Color phase_color(const Run& run, const Phase& phase) const override;
  Message phase_name(const Run& run, const Phase& phase) const override;
  std::vector<NumberRow> numbers(const Run& run) const override;
  std::vector<LabPanel> panels(const Run& run, Rect stage, const Theme& theme) const override;
  std::vector<Message> things_to_try() const override;
};

// --- steps
// ------------------------------------------------------------------------------------------------------

// The step in which most rows see their maximum move, past the first tile of each; where none does, the
// product.
int AttentionLab::opening_step(const Run& run, const StepAxis& axis) const {
  const auto sizes = attention_sizes(run);
  int best = int(axis.steps.size()) * 4 / 10;
  std::int64_t most = 0;
  if (!sizes) return best;
  for (int s = 0; s < std::min<int>(int(axis.steps.size()), 512); ++s)
    if (const RowChanges changes = changes_of(*sizes, axis, s); changes.moved > most)
      most = changes.moved, best = s;
  for (int s = 0; most == 0 && s < int(axis.groups.size()); ++s)
    if (axis.groups[std::size_t(s)].mark == step_of::product) return s;
  return best;
}

std::string rows_text(std::int64_t tile, std::int64_t edge, std::int64_t seq) {
  const std::int64_t first = tile * edge, last = std::min(seq, first + edge) - 1;
  return first == last ? n(first) : n(first) + "–" + n(last);
}

// Is the step one of a launch that makes gradients?
bool in_backward(const Run& run, const StepAxis& axis, int step) {
  return run.launches[std::size_t(axis.steps[std::size_t(step)].launch)].kernel.starts_with("gradient");
}

struct Told {
  AttentionSizes sizes;
  AttentionTile tile;
  std::string q, k;  // "16–31"
};
std::optional<Told> told(const Run& run, const StepAxis& axis, int step) {
  const auto sizes = attention_sizes(run);
  if (!sizes) return {};
  Told t{*sizes, tile_of(*sizes, axis, step), "?", "?"};
  if (t.tile.i >= 0) t.q = rows_text(t.tile.i, sizes->tile_q, sizes->seq);
  if (t.tile.j >= 0) t.k = rows_text(t.tile.j, sizes->tile_k, sizes->seq);
  return t;
}

Message name_of_mark(std::uint16_t mark) {
  switch (mark) {
    case step_of::load_q:
      return msg("load a tile of Q");
    case step_of::load_kv:
      return msg("load a tile of K and V");
    case step_of::scores:
      return msg("scores");
    case step_of::exchange:
      return msg("warps exchange maxima and sums");
    case step_of::softmax:
      return msg("new maximum and sum");
    case step_of::output:
      return msg("rescale O, add P·V");
    case step_of::product:
      return msg("O = P·V");
    case step_of::finish:
      return msg("divide and store");
    case step_of::recompute:
      return msg("recompute the probabilities");
    case step_of::rowsum:
      return msg("row sums of dO · O");
    case step_of::gradient_v:
      return msg("add to dV");
    case step_of::gradient_p:
      return msg("dP = dO·Vᵀ");
    case step_of::gradient_s:
      return msg("dS = P · (dP − D)");
    case step_of::gradient_k:
      return msg("add to dK");
    case step_of::gradient_q:
      return msg("add to dQ");
    default:
      return msg("before the first step");
  }
}

Message AttentionLab::step_title(const Run& run, const StepAxis& axis, int index) const {
  const auto t = told(run, axis, index);
  if (!t || index < 0 || index >= int(axis.groups.size())) return msg("no step");
  const bool gradients = t->tile.mark == step_of::finish && in_backward(run, axis, index);
  const std::string what = gradients ? tr("store the gradients") : tr(name_of_mark(t->tile.mark));
  if (t->tile.i < 0) return msg("{0}", {what});
  return msg("{0}: Q tile {1}, K tile {2}", {what, n(t->tile.i), n(t->tile.j)});
}

Message softmax_sentence(const Told& t, const StepAxis& axis, int index, const std::string& lines) {
  const RowChanges changes = changes_of(t.sizes, axis, index);
  if (changes.moved > 0)
    return msg(
        "Line {0}: of {1} rows {2} find a larger score than before: their sum and their O so far are worth "
        "e^(m − m') of what they were, least of all in row {3}: {4}.",
        {lines, n(changes.rows), n(changes.moved), n(changes.least_row), figure_text(changes.least_factor)});
  return msg(
      "Line {0}: the largest scores of rows {1} stay (or are the first): nothing that was summed has to "
      "change.",
      {lines, t.q});
}

Message load_sentence(const Told& t, const Traffic& now, const std::string& lines) {
  const std::vector<std::string> args{lines, t.q, t.k, bytes_text(double(now.load.lane_bytes)),
                                      grouped(now.load.sectors)};
  return t.tile.mark == step_of::load_q ? msg("Line {0}: rows {1} of Q, and what the kernel keeps of them, "
                                              "come from global memory: {3} in {4} "
                                              "sectors.",
                                              args)
                                        : msg("Line {0}: rows {2} of K and of V come from global memory: {3} "
                                              "in {4} sectors. They are read again "
                                              "for every tile of Q that meets them.",
                                              args);
}

Message output_sentence(const Told& t, const Traffic& now, const std::string& lines) {
  if (now.store.lane_bytes > 0)
    return msg(
        "Line {0}: O of rows {1} is put right, P·V of this tile added, and all of it goes back to global "
        "memory: "
        "{2} out, {3} in.",
        {lines, t.q, bytes_text(double(now.store.lane_bytes)), bytes_text(double(now.load.lane_bytes))});
  return msg(
      "Line {0}: O of rows {1} is multiplied by each row's factor, and P·V of keys {2} is added. O stays in "
      "registers; nothing is divided yet.",
      {lines, t.q, t.k});
}

Message AttentionLab::sentence(const Run& run, const StepAxis& axis, int index) const {
  const auto t = told(run, axis, index);
  if (!t || index < 0 || index >= int(axis.groups.size())) return msg("This run has no steps.");
  const std::string lines = lines_text(axis.groups[std::size_t(index)]);
  const Traffic now = traffic_of(axis, index);
  const std::string read = bytes_text(double(now.load.lane_bytes)),
                    written = bytes_text(double(now.store.lane_bytes));
  switch (t->tile.mark) {
    case step_of::load_q:
    case step_of::load_kv:
      return load_sentence(*t, now, lines);
    case step_of::scores:
      return now.store.lane_bytes > 0
                 ? msg("Line {0}: queries {1} against keys {2}: {3} scores, and all of them are written to "
                       "global memory: {4}.",
                       {lines, t->q, t->k, grouped(t->sizes.pairs(t->tile.i, t->tile.j)), written})
                 : msg("Line {0}: queries {1} against keys {2}: {3} scores of {4} products each. They stay "
                       "on the chip.",
                       {lines, t->q, t->k, grouped(t->sizes.pairs(t->tile.i, t->tile.j)),
                        n(t->sizes.head_dim)});
    case step_of::exchange:
      return msg(
          "Line {0}: each warp knows a part of every row only, so the warps tell each other maxima and sums "
          "through shared memory: {1} in, {2} out. Split-Q needs none of this.",
          {lines, bytes_text(double(now.shared_store.lane_bytes)),
           bytes_text(double(now.shared_load.lane_bytes))});
    case step_of::softmax:
      return now.store.lane_bytes > 0
                 ? msg("Line {0}: the softmax reads the scores back, {1}, and writes probabilities, {2}.",
                       {lines, read, written})
                 : softmax_sentence(*t, axis, index, lines);
    case step_of::output:
      return output_sentence(*t, now, lines);
    case step_of::product:
      return msg("Line {0}: O of rows {1} is P·V; the probabilities come back from global memory: {2} in.",
                 {lines, t->q, read});
    case step_of::finish:
      if (in_backward(run, axis, index))
        return msg(
            "Line {0}: the block's gradients go from registers to global memory, each element once: {1}.",
            {lines, written});
      return msg(
          "Line {0}: one division per element of O, then O and l = m + log of the sum go to global memory: "
          "{1}.",
          {lines, written});
    case step_of::recompute:
      return msg(
          "Line {0}: the probabilities of queries {1} and keys {2} are made again from Q, K and the stored "
          "l: {3} "
          "of them, none was kept.",
          {lines, t->q, t->k, grouped(t->sizes.pairs(t->tile.i, t->tile.j))});
    default:
      return msg("Line {0}: {1}; {2} in, {3} out.", {lines, tr(name_of_mark(t->tile.mark)), read, written});
  }
}

Color AttentionLab::phase_color(const Run&, const Phase& phase) const {
  switch (phase.mark) {
    case step_of::load_q:
    case step_of::load_kv:
      return color::hbm;
    case step_of::exchange:
      return color::barrier;
    case step_of::softmax:
    case step_of::gradient_s:
    case step_of::rowsum:
      return color::registers;
    case step_of::finish:
      return color::l2;
    default:
      return color::shared;
  }
}

Message AttentionLab::phase_name(const Run&, const Phase& phase) const {
  return msg("{0}, line {1}", {tr(name_of_mark(phase.mark)), n(phase.line)});
}

// --- stage
// ------------------------------------------------------------------------------------------------------

bool touches_shared(const StepAxis& axis) {
  return std::any_of(axis.parts.begin(), axis.parts.end(),
                     [](const Step& s) { return !s.barrier && s.instruction.view >= kFirstSharedView; });
}

std::vector<TowerLevel> levels_of(const AttentionScene& scene) {
  const Traffic t = traffic_until(scene.in.axis, scene.in.step);
  const double flop = attention_flop_until(scene.sizes, scene.in.axis, scene.in.step);
  const bool tensor = scene.in.run.request.rung.ends_with("mma");
  TowerLevel math{
      tensor ? tr("tensor") : tr("FMA"), color::tensor, {tr("by the algorithm: 2 d per pair and product")}};
  math.figure = flop_text(flop);
  math.hint =
      tr("each product of a row by a row takes 2 d operations per pair of query and key; only pairs that the "
         "mask leaves count");
  const std::int64_t moves = moves_until(scene.sizes, scene.in.axis, scene.in.step);
  TowerLevel registers{tr("registers"), color::registers, {tr("maxima that moved so far")}};
  registers.figure = grouped(moves);
  registers.hint =
      tr("rows of a tile whose largest score was exceeded by a later tile, counted once per tile");
  TowerLevel shared{tr("shared"), color::shared, {}};
  if (touches_shared(scene.in.axis))
    set_reuse(shared, flop, t.shared_load.lane_bytes);
  else
    shared.lines = {tr("not used by this rung")};
  std::vector<TowerLevel> levels{math, registers, shared};
  for (TowerLevel& level : global_levels(t, flop)) levels.push_back(std::move(level));
  add_reuse_hints(levels, 2);
  return levels;
}

std::vector<TowerLink> links_of(const AttentionScene& scene) {
  const Traffic until = traffic_until(scene.in.axis, scene.in.step);
  const bool computes = scene.mark == step_of::scores || scene.mark == step_of::output ||
                        scene.mark == step_of::product || scene.mark == step_of::recompute;
  const Traffic all = traffic_until(scene.in.axis, int(scene.in.axis.steps.size()) - 1);
  return traffic_links(until, traffic_of(scene.in.axis, scene.in.step),
                       {touches_shared(scene.in.axis), all.copied_bytes > 0, computes});
}

void answer(Canvas& canvas, const AttentionScene& scene, const AttentionHit& hit, StageEvents& events) {
  if (!hit.row) return;
  const auto& shown = *scene.in.axis.shown;
  const auto row = std::uint32_t(*hit.row);
  std::string text = tr("row {0}", {n(*hit.row)});
  if (hit.col) {
    text = tr("query {0}, key {1}", {n(*hit.row), n(*hit.col)});
    const auto* s = shown.entry(attention_value::s, scene.score_index(*hit.row, *hit.col), scene.in.step);
    if (scene.sizes.causal && *hit.col > *hit.row) text += "\n" + tr("hidden by the mask");
    if (s) {
      text += "\n" + tr("s = {0}, step {1}, warp {2}",
                        {figure_text(s->value), n(s->step + 1), n(s->thread / kWarpSize)});
      if (const auto m = shown.at(attention_value::m, row, scene.in.step))
        text += "\n" + tr("e^(s − m) = {0}", {figure_text(std::exp(double(s->value) - double(*m)))});
    }
  }
  const auto m = shown.at(attention_value::m, row, scene.in.step),
             l = shown.at(attention_value::l, row, scene.in.step);
  if (m && l) text += "\n" + tr("m = {0}, l = {1}", {figure_text(*m), figure_text(*l)});
  if (!scene.block_rows.holds(*hit.row)) text += "\n" + tr("the row of another block");
  canvas.tooltip(text);
  const std::int64_t element = (scene.head * scene.sizes.seq + *hit.row) * scene.sizes.head_dim;
  if (hit.clicked && element >= 0) events.pin = {std::uint16_t{3}, std::uint64_t(element)};
}

// The formulas of one row, in as many columns as there is room for.
void draw_row_card(Canvas& canvas, const AttentionScene& scene, Rect r) {
  const auto lines = row_lines(scene);
  const float type = scene.in.theme.type, step = 19 * type;
  if (lines.empty() || r.h < step + 16) return;
  const float column = 330 * type;
  const int rows = std::max(1, int((r.h - 16) / step)), columns = std::max(1, int((r.w - 24) / column));
  const int used = std::min(rows, (int(lines.size()) + columns - 1) / columns);
  const Rect box{r.x, r.y, r.w, float(used) * step + 16};
  canvas.fill_rect(box, scene.in.theme.panel, 6);
  canvas.stroke_rect(box, scene.in.theme.line, 1, 6);
  for (int i = 0; i < int(lines.size()) && i / used < columns; ++i)
    canvas.text_fit({box.x + 12 + float(i / used) * column, box.y + 8 + (float(i % used) + 0.5f) * step},
                    lines[std::size_t(i)], {Font::mono, 11.5f * type, scene.in.theme.ink},
                    std::min(column - 12, box.w - 24));
}

void AttentionLab::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const auto scene = attention_scene(in);
  if (!scene || !in.axis.shown) return;
  const TowerRoom at = tower_room(in.area, in.theme);
  // Room for all that the colours can mean, so that the picture keeps its size from step to step.
  const float legend_h = legend_height(canvas, in.theme, at.rest.w, attention_legend(*scene)),
              card_h = 54 * in.theme.type;
  Rect picture = at.rest;
  const bool card = picture.h > 380 * in.theme.type;
  picture.h -= legend_h + 10 + (card ? card_h + 10 : 0);
  constexpr std::int64_t kMostCells = 128;
  const AttentionPicture shown =
      attention_picture(*scene, attention_cells(in.theme, picture, scene->sizes.seq, kMostCells));
  const AttentionHit hit = draw_attention(canvas, in.theme, picture, shown);
  answer(canvas, *scene, hit, events);
  const float y = hit.below.y;
  draw_legend(canvas, in.theme, {picture.x, y, picture.w, legend_h}, attention_legend(*scene, &shown));
  if (card)
    draw_row_card(canvas, *scene,
                  {picture.x, y + legend_h + 10, at.rest.w, at.rest.bottom() - y - legend_h - 10});
  const std::string title =
      tr("Bytes so far, block {0}", {block_text(scene->launch, scene->launch.trace.block)});
  if (at.tower.w > 0)
    draw_tower(canvas, in.theme, at.tower, title, levels_of(*scene), links_of(*scene), in.motion);
  if (at.table.w > 0)
    draw_tower_table(canvas, in.theme, at.table, title, levels_of(*scene), links_of(*scene));
}

// --- numbers
// ------------------------------------------------------------------------------------------------------

std::vector<NumberRow> AttentionLab::numbers(const Run& run) const {
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

// --- curves
// ------------------------------------------------------------------------------------------------------

AttentionShape shape_of(const Run& run, const AttentionSizes& s) {
  const ViewInfo* q = run.launches.front().view(0);
  return {s.seq, s.head_dim, s.heads, s.tile_q, s.tile_k, q ? std::int64_t(q->element_bytes) : 4, s.causal};
}

PlotAxis bytes_axis(double least, double most) {
  return {tr("bytes"), std::pow(10, std::floor(std::log10(least))), std::pow(10, std::ceil(std::log10(most))),
          true};
}

// Every rung over the sequence length, at the current tiles.
Plot plot_over_seq(const Theme& theme, const std::string& rung, const AttentionShape& now, const char* id,
                   const std::function<double(std::string_view, const AttentionShape&)>& bytes, bool least) {
  constexpr double kFirst = 64, kLast = 131072;
  Plot plot{id, {tr("sequence length"), kFirst, kLast, true}, {}, {}, double(now.seq)};
  double low = INFINITY, high = 0;
  const auto add = [&](const std::string& name, Color color, PlotMark mark, const auto& value) {
    PlotSeries series{name, {}, color, mark};
    for (double seq = kFirst; seq <= kLast; seq *= 2) {
      AttentionShape shape = now;
      shape.seq = std::int64_t(seq);
      const double y = value(shape);
      if (y <= 0) return;
      series.points.push_back({seq, y, ""}), low = std::min(low, y), high = std::max(high, y);
    }
    plot.series.push_back(std::move(series));
  };
  if (least)
    add(tr("every input once"), theme.dim, PlotMark::dashed,
        [](const AttentionShape& s) { return attention_least_bytes(s); });
  for (const RungInfo& other : find_ladder("attention")->info.rungs) {
    if (other.slug == "flash2_mma" && rung != other.slug) continue;  // as flash2
    if (other.slug == "flash2" && rung == "flash2_mma") continue;
    add(other.slug, other.slug == rung ? color::l2 : mix(theme.panel, color::l2, 0.5f), PlotMark::line,
        [&](const AttentionShape& s) { return bytes(other.slug, s); });
  }
  if (high <= 0) low = 1, high = 10;
  plot.y = bytes_axis(low, high);
  return plot;
}

// Square tiles from 16 to 256 at the current sequence length, beside N^2 d^2 / M.
Plot plot_over_chip(const Theme& theme, const AttentionShape& now) {
  PlotSeries counted{"flash2", {}, color::l2, PlotMark::line}, law{"N²d²/M", {}, theme.dim, PlotMark::dashed};
  const auto square = [&](std::int64_t tile) {
    AttentionShape shape = now;
    shape.tile_q = shape.tile_k = tile;
    return shape;
  };
  double low = INFINITY, high = 0;
  const AttentionShape middle = square(64);
  const double scale = attention_load_bytes("flash2", middle) * attention_chip_bytes(middle);
  for (std::int64_t tile = 16; tile <= 256; tile *= 2) {
    const double m = attention_chip_bytes(square(tile)), y = attention_load_bytes("flash2", square(tile));
    counted.points.push_back({m, y, ""}), law.points.push_back({m, scale / m, ""});
    low = std::min({low, y, scale / m}), high = std::max({high, y, scale / m});
  }
  AttentionShape here = now;
  here.tile_q = std::max<std::int64_t>(1, now.tile_q), here.tile_k = std::max<std::int64_t>(1, now.tile_k);
  return {"panel/chip",
          {tr("bytes of tiles on the chip (M)"), attention_chip_bytes(square(16)),
           attention_chip_bytes(square(256)), true},
          bytes_axis(low, high),
          {law, counted},
          attention_chip_bytes(here)};
}

std::vector<LabPanel> AttentionLab::panels(const Run& run, Rect, const Theme&) const {
  const auto sizes = attention_sizes(run);
  if (!sizes) return {};
  const AttentionShape shape = shape_of(run, *sizes);
  const std::string rung = run.request.rung;
  const auto panel = [](Message title, std::function<Plot(const Theme&)> plot,
                        const char* said = "modelled, equal to the counts where tiles are whole") {
    return LabPanel{std::move(title), said, 190, [plot](Canvas& canvas, const Theme& theme, Rect r) {
                      draw_plot(canvas, theme, {r.x - 6, r.y, r.w + 10, r.h}, plot(theme));
                    }};
  };
  return {
      panel(msg("LOADED BY THE SMS"),
            [=](const Theme& theme) {
              return plot_over_seq(theme, rung, shape, "panel/loads", attention_load_bytes, true);
            }),
      panel(
          msg("FROM AND TO HBM, H200"),
          [=](const Theme& theme) {
            const auto bytes = [l2 = Gpu{}.l2_bytes](std::string_view other, const AttentionShape& s) {
              return attention_memory_bytes(other, s, l2);
            };
            return plot_over_seq(theme, rung, shape, "panel/memory", bytes, true);
          },
          "modelled, error 15 % where the L2 is far too small for all; K and V of a head must fit"),
      panel(msg("LOADED, BY TILE SIZE"), [=](const Theme& theme) { return plot_over_chip(theme, shape); }),
      panel(msg("MEMORY BESIDE Q, K, V, O"), [=](const Theme& theme) {
        return plot_over_seq(theme, rung, shape, "panel/kept", attention_kept_bytes, false);
      })};
}

std::vector<Message> AttentionLab::things_to_try() const {
  return {msg("Compare standard with flash2: which of them writes the scores to global memory?"),
          msg("Predict first: a tile of Q twice as high. How often is K read then?"),
          msg("Find a step in which the maximum moves in no row: what is the factor there?"),
          msg("Put flash1 beside flash2: which of the two loops is outside, and what travels because of it?"),
          msg("Turn the mask on: which tiles are never computed?")};
}

}  // namespace

const Lab& attention_lab() {
  static const AttentionLab lab;
  return lab;
}

}  // namespace lockstep
