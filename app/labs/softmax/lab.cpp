// How can a softmax start before it has seen the whole row?
// A row is eaten tile by tile; m, l and the factors are the numbers that the kernel itself held. Step through
// online: where the maximum moves, everything summed so far shrinks. Compare how often each rung reads the
// row, raise the scale to 100 and see naive overflow, set input to `one` or `none`, double the tile.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/model/progress.hpp"
#include "kernels/ladder.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

class SoftmaxLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("softmax")->info; }
  StepAxis steps(const Run& run) const override;
  int opening_step(const Run& run, const StepAxis& axis) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  Message step_title(const Run& run, const StepAxis& axis, int step) const override;
  Message sentence(const Run& run, const StepAxis& axis, int step) const override;
  Color phase_color(const Run& run, const Phase& phase) const override;
  Message phase_name(const Run& run, const Phase& phase) const override;
  std::vector<NumberRow> numbers(const Run& run) const override;
  std::vector<Message> things_to_try() const override;
};

// --- steps
// ------------------------------------------------------------------------------------------------------

// The lines of a step are those from its first access to its last one: its arithmetic stands between them.
StepAxis SoftmaxLab::steps(const Run& run) const {
  StepAxis axis = marked_steps(build_steps(run.launches), run.launches);
  for (StepGroup& group : axis.groups) {
    if (group.lines.empty()) continue;
    const std::uint16_t first = group.lines.front(), last = group.lines.back();
    group.lines.clear();
    for (std::uint32_t line = first; line <= std::min<std::uint32_t>(last, first + 60u); ++line)
      group.lines.push_back(std::uint16_t(line));
  }
  return axis;
}

// online: where the maximum moves for the last time but not at the very end; naive: where l stops being a
// number; else a step past the middle.
int SoftmaxLab::opening_step(const Run& run, const StepAxis& axis) const {
  const int last = std::max(0, int(axis.steps.size()) - 1);
  const auto scene = softmax_scene(run, axis, last, run.request.warp);
  if (!scene || !axis.shown) return last;
  const auto of_row = [&](const char* name) -> const std::vector<ShownValues::Entry>& {
    return axis.shown->history(name_id(name), std::uint32_t(scene->row));
  };
  if (scene->rung == "naive")
    for (const auto& entry : of_row("l"))
      if (!std::isfinite(entry.value)) return entry.step;
  if (scene->rung == "online") {
    const auto& m = of_row("m");
    int best = m.empty() ? 0 : m.front().step;
    for (std::size_t i = 1; i < m.size(); ++i)
      if (m[i].value > m[i - 1].value && (i * 4 <= m.size() * 3 || best == m.front().step)) best = m[i].step;
    return best;
  }
  if (scene->rung == "vectorized")
    if (const int merge = find_marked(axis, name_id("merge"), 0); merge >= 0) return merge;
  return last * 5 / 10;
}

Message SoftmaxLab::step_title(const Run& run, const StepAxis& axis, int index) const {
  const auto s = softmax_scene(run, axis, index, run.request.warp);
  if (!s) return msg("no step");
  const std::string cols = columns_text(s->now);
  switch (s->part) {
    case SoftmaxPart::load:
      return msg("load the row");
    case SoftmaxPart::max:
      return s->tiled() ? msg("maximum of x[{0}]", {cols}) : msg("maximum of the row");
    case SoftmaxPart::tile:
      return msg("maximum and sum of x[{0}]", {cols});
    case SoftmaxPart::sum:
      return s->tiled()                ? msg("sum over x[{0}]", {cols})
             : s->rung == "vectorized" ? msg("maximum and sum of each warp")
                                       : msg("sum over the row");
    case SoftmaxPart::merge:
      return msg("merge the warps' sums");
    case SoftmaxPart::divide:
      return s->tiled() ? msg("divide, p[{0}]", {cols}) : msg("divide and write the row");
    case SoftmaxPart::other:
      break;
  }
  return msg("before the first step");
}

std::string told(const std::optional<double>& value) { return value ? figure_text(*value) : "?"; }

Message online_sentence(const SoftmaxScene& s, const std::string& lines) {
  const std::vector<std::string> args{lines,
                                      n(s.row),
                                      columns_text(s.now),
                                      told(s.after.m_tile),
                                      told(s.before.m),
                                      told(s.after.m),
                                      told(s.after.factor),
                                      told(s.before.l),
                                      told(s.after.l),
                                      told(s.after.l_tile)};
  if (s.after.m && *s.after.m == -INFINITY)
    return msg("Line {0}: row {1} has held nothing but −∞ so far: m stays −∞, and l stays 0.", args);
  if (!s.before.m || *s.before.m == -INFINITY)
    return msg(
        "Line {0}: x[{2}] of row {1} has the maximum {3} and, below it, the sum {9}: they are the "
        "first m and l.",
        args);
  if (s.after.m && *s.after.m > *s.before.m)
    return msg(
        "Line {0}: x[{2}] of row {1} has the maximum {3}, above m = {4}. All that was summed so far "
        "shrinks by e^(m − m') = {6}, and the tile's own sum {9} is added: l goes from {7} to {8}.",
        args);
  return msg(
      "Line {0}: x[{2}] of row {1} has the maximum {3}, not above m = {4}: nothing is rescaled, and l "
      "goes from {7} to {8}.",
      args);
}

Message sum_sentence(const SoftmaxScene& s, const std::string& lines) {
  const bool first = s.index == 0;
  const std::vector<std::string> args{
      lines, n(s.row), columns_text(s.now), first ? "0" : told(s.before.l), told(s.after.l), told(s.after.m)};
  if (s.rung == "vectorized")
    return msg(
        "Line {0}: every warp sums what it holds in its registers below its own maximum, with nothing "
        "but shuffles; row {1} has no common maximum yet.",
        args);
  if (s.rung == "fused")
    return msg(
        "Line {0}: e^(x − m) with m = {5} for row {1} from shared memory and back into it; the warps "
        "add up to l = {4}.",
        args);
  if (s.rung == "safe")
    return msg(
        "Line {0}: x[{2}] of row {1} is read again, now that m = {5} is known, and summed as "
        "e^(x − m): l goes from {3} to {4}.",
        args);
  if (s.after.l && !std::isfinite(*s.after.l))
    return msg(
        "Line {0}: among x[{2}] of row {1} there is a score above 88.7, and e^x of it is beyond the "
        "largest fp32: l goes from {3} to {4}.",
        args);
  return msg("Line {0}: e^x of x[{2}] of row {1} is added up: l goes from {3} to {4}.", args);
}

Message max_sentence(const SoftmaxScene& s, const std::string& lines) {
  const std::vector<std::string> args{lines, n(s.row), columns_text(s.now), told(s.after.m)};
  return s.tiled() ? msg("Line {0}: x[{2}] of row {1} is read for its maximum alone; m is {3} so far.", args)
                   : msg("Line {0}: each warp reduces by shuffles and leaves its maximum in shared memory; "
                         "past the barrier all warps know m = {3} of row {1}.",
                         args);
}

Message divide_sentence(const SoftmaxScene& s, const std::string& lines, const Traffic& now) {
  const std::vector<std::string> args{lines,
                                      n(s.row),
                                      columns_text(s.now),
                                      told(s.after.m),
                                      told(s.after.l),
                                      bytes_text(double(now.load.lane_bytes)),
                                      bytes_text(double(now.store.lane_bytes))};
  if (s.rung == "naive")
    return s.after.l && !(std::isfinite(*s.after.l) && *s.after.l > 0)
               ? msg("Line {0}: x[{2}] of row {1} is read again and e^x divided by l = {4}: what comes out "
                     "is no probability.",
                     args)
               : msg("Line {0}: x[{2}] of row {1} is read again, and e^x divided by l = {4}. The block "
                     "reads "
                     "{5} and writes {6}.",
                     args);
  if (s.tiled())
    return msg(
        "Line {0}: x[{2}] of row {1} is read once more: p = e^(x − m) / l with m = {3} and l = {4}. "
        "The block reads {5} and writes {6}.",
        args);
  return msg(
      "Line {0}: row {1} is still on chip: nothing is read, each value is divided by l = {4}, and "
      "{6} are written.",
      args);
}

Message SoftmaxLab::sentence(const Run& run, const StepAxis& axis, int index) const {
  const auto s = softmax_scene(run, axis, index, run.request.warp);
  if (!s) return msg("This run has no steps.");
  const std::string lines = lines_text(axis.groups[std::size_t(index)]);
  switch (s->part) {
    case SoftmaxPart::load:
      return s->rung == "fused"
                 ? msg("Line {0}: the block reads row {1} once, {2}, and keeps it in shared memory as "
                       "floats.",
                       {lines, n(s->row), bytes_text(double(traffic_of(axis, index).load.lane_bytes))})
                 : msg("Line {0}: the block reads row {1} once, {2} in accesses of 16 bytes, and keeps it "
                       "in "
                       "registers.",
                       {lines, n(s->row), bytes_text(double(traffic_of(axis, index).load.lane_bytes))});
    case SoftmaxPart::max:
      return max_sentence(*s, lines);
    case SoftmaxPart::tile:
      return online_sentence(*s, lines);
    case SoftmaxPart::sum:
      return sum_sentence(*s, lines);
    case SoftmaxPart::merge:
      return msg(
          "Line {0}: past the one barrier, each warp's sum is multiplied by e^(m_w − m) and added: the "
          "row has m = {1} and l = {2}.",
          {lines, told(s->after.m), told(s->after.l)});
    case SoftmaxPart::divide:
      return divide_sentence(*s, lines, traffic_of(axis, index));
    case SoftmaxPart::other:
      break;
  }
  return msg("Line {0}: before the kernel's first step.", {lines});
}

Color SoftmaxLab::phase_color(const Run& run, const Phase& phase) const {
  switch (softmax_part(phase.mark)) {
    case SoftmaxPart::load:
      return color::hbm;
    case SoftmaxPart::max:
      return run.request.rung == "safe" ? color::hbm : color::shared;
    case SoftmaxPart::sum:
      return run.request.rung == "fused"        ? color::shared
             : run.request.rung == "vectorized" ? color::registers
                                                : color::hbm;
    case SoftmaxPart::tile:
      return color::hbm;
    case SoftmaxPart::merge:
      return color::shared;
    default:
      return color::registers;
  }
}

Message SoftmaxLab::phase_name(const Run&, const Phase& phase) const {
  switch (softmax_part(phase.mark)) {
    case SoftmaxPart::load:
      return msg("load the row");
    case SoftmaxPart::max:
      return msg("find the maximum");
    case SoftmaxPart::sum:
      return msg("sum");
    case SoftmaxPart::tile:
      return msg("maximum and sum together");
    case SoftmaxPart::merge:
      return msg("merge the warps' sums");
    case SoftmaxPart::divide:
      return msg("divide and write");
    case SoftmaxPart::other:
      break;
  }
  return msg("before the first step");
}

// --- stage
// ------------------------------------------------------------------------------------------------------

struct StageRects {
  Rect scores, factors, weights, formula, legend;
  Rect reads, rows;
};

// The bars keep the most; what there is no room for is left out, the legend first.
StageRects stage_rects(Rect r, const Theme& theme, bool factors, std::size_t lines, float legend_h) {
  const float pad = 28, gap = 16, type = theme.type;
  const Rect area{r.x + pad, r.y + 18, r.w - 2 * pad, r.h - 30};
  StageRects at{};
  Rect main = area;
  if (area.w >= std::max(620.f, 460 * type)) {
    const float side = std::clamp(area.w * 0.27f, 196.f * std::min(type, 1.25f), 320.f * type);
    main.w -= side + 30;
    const Rect column{area.right() - side, area.y, side, area.h};
    const float reads = pass_counts_height(theme, 5);
    at.reads = {column.x, column.y, column.w, std::min(reads, column.h)};
    const float y = at.reads.bottom() + 26 * type;
    if (column.bottom() - y > 90 * type) at.rows = {column.x, y, column.w, column.bottom() - y};
  }
  const float least_bars = 84 * type;
  float left = main.h;
  const auto take = [&](float h, float keep) {
    if (left - h - gap < keep) return 0.f;
    left -= h + gap;
    return h;
  };
  const float formula_h = take((30 + 20 * float(lines)) * type + 2 * kPanelPadding - 8, least_bars * 1.6f);
  const float factors_h = factors ? take(row_shares_height(theme), least_bars * 2) : 0;
  const float legend = take(legend_h, least_bars * 2.2f);
  const bool both = left >= 2 * least_bars + gap;
  const float scores_h = both ? (left - gap) * 0.54f : left, weights_h = both ? left - gap - scores_h : 0;
  float y = main.y;
  const auto put = [&](Rect& to, float h) {
    if (h <= 0) return;
    to = {main.x, y, main.w, h};
    y += h + gap;
  };
  put(at.scores, scores_h), put(at.factors, factors_h), put(at.weights, weights_h), put(at.legend, legend);
  put(at.formula, formula_h);
  return at;
}

// Lines too long are broken before a sum's second term; where that makes too many, the formula without
// numbers goes.
constexpr std::size_t kMostLines = 4;

std::vector<FormulaLine> fitted(const Canvas& canvas, const Theme& theme, std::vector<FormulaLine> lines,
                                float width) {
  const TextStyle style{Font::mono, 12.5f * theme.type, theme.ink};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t at = lines[i].text.find(" + ", 6);
    if (canvas.measure(lines[i].text, style) <= width || at == std::string::npos) continue;
    const FormulaLine rest{"    " + lines[i].text.substr(at), lines[i].numbers};
    lines[i].text.resize(at);
    lines.insert(lines.begin() + std::ptrdiff_t(i) + 1, rest);
  }
  if (lines.size() > kMostLines) std::erase_if(lines, [](const FormulaLine& line) { return !line.numbers; });
  return lines;
}

void draw_formula(Canvas& canvas, const Theme& theme, Rect r, const SoftmaxScene& scene,
                  const std::vector<FormulaLine>& lines) {
  const float type = theme.type, pad = kPanelPadding;
  canvas.fill_rect(r, theme.panel, 6);
  canvas.stroke_rect(r, theme.line, 1, 6);
  const std::string caption = scene.part == SoftmaxPart::divide || scene.part == SoftmaxPart::load
                                  ? tr("With the numbers of row {0}", {n(scene.row)})
                                  : tr("With the numbers that the kernel showed for row {0}", {n(scene.row)});
  float y = r.y + pad + 4 * type;
  canvas.text_fit({r.x + pad, y}, caption, {Font::words, 11.5f * type, theme.dim}, r.w - 2 * pad);
  y += 24 * type;
  for (const FormulaLine& line : fitted(canvas, theme, lines, r.w - 2 * pad)) {
    canvas.text_fit({r.x + pad, y}, line.text,
                    {Font::mono, 12.5f * type, line.numbers ? theme.ink : theme.dim}, r.w - 2 * pad);
    y += 20 * type;
  }
}

void tell_score(Canvas& canvas, const SoftmaxScene& s, const RowHit& hit, bool result, const StageInput& in,
                StageEvents& events) {
  if (!hit.column || !s.scores_kept()) return;
  const std::int64_t col = *hit.column;
  const auto e = std::uint64_t(s.row * s.cols + col);
  if (result && col < s.written()) return tell(canvas, in, s.p_view, e, hit.clicked, events);
  std::string text = tr("x[{0}][{1}] = {2}", {n(s.row), n(col), figure_text(s.x[std::size_t(col)])});
  if (s.after.m && s.rung != "naive" && result)
    text +=
        "\n" + tr("e^(x − m) = {0} with m = {1}",
                  {figure_text(
                       s.x[std::size_t(col)] == -INFINITY ? 0 : std::exp(s.x[std::size_t(col)] - *s.after.m)),
                   figure_text(*s.after.m)});
  if (result && s.rung == "naive")
    text += "\n" + tr("e^x = {0}", {figure_text(double(std::exp(float(s.x[std::size_t(col)]))))});
  if (s.tiled()) text += "\n" + tr("tile {0}, lane {1}", {n(col / s.tile), n(col % s.tile % 32)});
  if (s.rung == "vectorized") text += "\n" + tr("warp {0}", {n(s.warp_of(col))});
  if (!hit.clicked) return canvas.tooltip(text);
  events.pin = {s.x_view.id, e};
}

void tell_factor(Canvas& canvas, const SoftmaxScene& s, const RowShare& share) {
  canvas.tooltip(s.rung == "online" ? tr("x[{0}]: what was summed before is multiplied by {1}",
                                         {columns_text(share.cols), figure_text(share.value)})
                                    : tr("x[{0}], warp {1}: its sum is multiplied by {2}",
                                         {columns_text(share.cols), n(s.warp_of(share.cols.first)),
                                          figure_text(share.value)}));
}

void choose_row(Canvas& canvas, const SoftmaxScene& s, const RowListPicture& p, const RowListHit& hit,
                StageEvents& events) {
  if (!hit.entry) return;
  const RowEntry& entry = p.rows[*hit.entry];
  const std::int64_t block = entry.row / s.rows_per_block, warp = entry.row % s.rows_per_block;
  std::string text = s.tiled() ? tr("row {0}: block {1}, warp {2}", {n(entry.row), n(block), n(warp)})
                               : tr("row {0}: block {1}", {n(entry.row), n(block)});
  if (!entry.trouble.empty()) text += "\n" + tr("the kernel gave {0}", {entry.trouble});
  canvas.tooltip(text + "\n" + tr("click: follow this row"));
  if (!hit.clicked) return;
  if (block != s.run.launches[0].trace.block) events.follow_block = block;
  if (s.tiled()) events.follow_warp = warp;
}

void SoftmaxLab::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const auto s = softmax_scene(in.run, in.axis, in.step, in.warp);
  if (!s) return;
  const Theme& theme = in.theme;
  const auto lines = formula_lines(*s);
  const auto legend = softmax_legend(*s, theme);
  const RowSharesPicture factors = factors_picture(*s);
  const float main_w = in.area.w * 0.66f;
  const bool long_formula = s->rung == "online" || s->rung == "vectorized";
  const StageRects at = stage_rects(in.area, theme, !factors.title.empty(), long_formula ? kMostLines : 2,
                                    legend_height(canvas, theme, main_w, legend));
  tell_score(canvas, *s, draw_row_bars(canvas, theme, at.scores, scores_picture(*s, theme)), false, in,
             events);
  if (at.factors.h > 0)
    if (const auto i = draw_row_shares(canvas, theme, at.factors, factors))
      tell_factor(canvas, *s, factors.shares[*i]);
  if (at.weights.h > 0)
    tell_score(canvas, *s, draw_row_bars(canvas, theme, at.weights, weights_picture(*s, theme)), true, in,
               events);
  if (at.legend.h > 0) draw_legend(canvas, theme, at.legend, legend);
  if (at.formula.h > 0) draw_formula(canvas, theme, at.formula, *s, lines);
  if (at.reads.h > 0) {
    draw_pass_counts(canvas, theme, at.reads, tr("Reads of x by each rung"), tr("filled: counted so far"),
                     read_counts(*s), color::hbm);
    canvas.hint(
        at.reads,
        tr("A box for each place in the rung's source that reads x. Filled: the sectors that this block "
           "asked for so far, over the sectors of its rows."));
  }
  if (at.rows.h <= 0) return;
  const RowListPicture rows = rows_picture(*s, row_list_room(theme, at.rows));
  choose_row(canvas, *s, rows, draw_row_list(canvas, theme, at.rows, rows), events);
}

// --- numbers
// ------------------------------------------------------------------------------------------------------

std::vector<NumberRow> SoftmaxLab::numbers(const Run& run) const {
  std::vector<NumberRow> rows;
  if (const auto reads = real_metric(run, "reads_per_element"))
    rows.push_back({msg("reads of x"), figure_text(*reads), "metrics.reads_per_element"});
  if (const auto bad = whole_metric(run, "rows_not_finite"))
    rows.push_back({msg("rows with NaN or inf"), grouped(*bad), "metrics.rows_not_finite"});
  if (run.counts) {
    rows.push_back(
        {msg("sectors, load"), grouped(run.counts->global_load_sectors), "counts.global_load_sectors"});
    rows.push_back(
        {msg("sectors, store"), grouped(run.counts->global_store_sectors), "counts.global_store_sectors"});
    rows.push_back(
        {msg("requests, load"), grouped(run.counts->global_load_requests), "counts.global_load_requests"});
  }
  rows.push_back({msg("largest error"), figure_text(run.check.max_error), "check"});
  if (const auto hbm = whole_metric(run, "models.hbm_load_bytes"))
    rows.push_back({msg("bytes from HBM"), bytes_text(double(*hbm)), "metrics.models.hbm_load_bytes"});
  add_time_rows(run, Work::bytes, true, rows);
  if (const auto library = real_metric(run, "libraries.pytorch_ms"); library && run.time)
    rows.push_back({msg("of {0}", {"PyTorch"}), percent_text(*library / run.time->median_ms),
                    "metrics.libraries.pytorch_ms"});
  return rows;
}

std::vector<Message> SoftmaxLab::things_to_try() const {
  return {msg("Step through online with input = rising: by how much does each tile shrink what came before?"),
          msg("Predict first: how often does safe read the row, and online? Then compare them."),
          msg("Set scale to 100 with naive: which rows are lost, and at which tile?"),
          msg("Set input to none: why does nobody but naive divide 0 by 0?"),
          msg("Give vectorized 1024 columns: which warps have to rescale?")};
}

}  // namespace

const Lab& softmax_lab() {
  static const SoftmaxLab lab;
  return lab;
}

}  // namespace lockstep
