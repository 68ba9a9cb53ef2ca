#include "picture.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/travel.hpp"
#include "app/labs/story.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

// Cells that can be told apart below the bars.
constexpr std::int64_t kMostShares = 512;

Color tint(const Theme& theme, Color level, float strength) { return mix(theme.panel, level, strength); }

}  // namespace

double softmax_weight(double x, double m) {
  return x == -INFINITY ? 0 : double(std::exp(float(x) - float(m)));
}

int times_moved(const SoftmaxStep& s) {
  int moved = 0;
  double before = -INFINITY;
  for (const auto& entry : s.scene.steps.shown.history(name_id("m"), std::uint32_t(s.row))) {
    if (entry.step > s.step) break;
    if (entry.value > before) moved += before > -INFINITY, before = entry.value;
  }
  return moved;
}

// --- scores
// ----------------------------------------------------------------------------------------------------

namespace {

// Where the scores of a column are when the step is done.
Color place_of(const SoftmaxStep& s, const Theme& theme, std::int64_t col) {
  if (s.way.row_in_shared) return color::shared;
  if (s.way.merges_warps) return color::registers;
  if (s.now.holds(col)) return color::registers;
  const bool read = col < s.now.first;
  return tint(theme, color::hbm, read ? 0.6f : 0.22f);
}

struct Range {
  double least = INFINITY, most = -INFINITY;
  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value), most = std::max(most, value);
  }
  bool empty() const { return least > most; }
};

// The running maximum tile by tile, as the kernel showed it.
std::vector<RowLevel> running_maximum(const SoftmaxStep& s) {
  std::vector<RowLevel> line;
  if (s.way.merges_warps && s.part == SoftmaxPart::sum) {  // each warp's own
    for (std::int64_t c = 0; c < std::min(s.cols, kMostShares * s.chunk()); c += s.chunk())
      if (const auto m = s.shown("m_w", s.warp_of(c), s.step))
        line.push_back({{c, std::min(s.chunk(), s.cols - c)}, *m});
    return line;
  }
  const SoftmaxPart open = s.way.one_pass ? SoftmaxPart::tile : SoftmaxPart::max;
  if (!s.tiled() || s.part != open) {
    if (s.after.m) line.push_back({{0, s.cols}, *s.after.m});
    return line;
  }
  const auto all = s.scene.steps.shown.history(name_id("m"), std::uint32_t(s.row));
  for (const auto& entry : all) {
    if (entry.step > s.step || entry.step >= int(s.scene.steps.marked.size())) break;
    const std::int64_t first = first_column(s, s.scene.steps.marked[std::size_t(entry.step)].index);
    if (first >= s.cols) break;
    line.push_back({{first, std::min(s.tile, s.cols - first)}, entry.value});
  }
  return line;
}

std::int64_t lines_every(const SoftmaxStep& s) {
  if (s.tiled()) return s.tile;
  return s.way.merges_warps ? s.chunk() : 0;
}

}  // namespace

RowBarsPicture scores_picture(const SoftmaxStep& s, const Theme& theme) {
  RowBarsPicture p;
  p.id = "stage/scores";
  p.title = tr("Row {0}: {1} scores", {number_text(s.row), number_text(s.cols)});
  p.subtitle =
      !s.way.maximum ? tr("in tiles of {0}; this rung subtracts no maximum", {number_text(s.tile)})
      : s.tiled()
          ? tr("warp {0} takes them in tiles of {1}", {number_text(s.warp), number_text(s.tile)})
          : tr("a block takes them at once, {0} threads", {number_text(s.run().launches[0].threads())});
  p.tile = lines_every(s), p.now = s.now, p.line_color = color::registers;
  p.line = running_maximum(s);
  Range range;
  if (s.scores_kept()) {
    for (std::int64_t c = 0; c < s.cols; ++c) {
      p.bars.push_back({s.x[std::size_t(c)], place_of(s, theme, c)});
      range.add(s.x[std::size_t(c)]);
    }
    if (range.empty()) p.empty = tr("every score is −∞");
    const auto none = std::count(s.x.begin(), s.x.end(), -INFINITY);
    if (none) p.subtitle = tr("{0} of them are −∞", {number_text(none)});
  } else {
    p.subtitle = tr("m alone: scores are kept up to {0} in all", {grouped(std::int64_t(kMaxKeptElements))});
    p.columns = s.cols;
    for (const RowLevel& level : p.line) range.add(level.value);
    if (range.empty()) p.empty = p.subtitle;
  }
  if (!p.empty.empty()) return p;
  // Zero is on the axis: a bar's length is its score.
  const double least = std::min(0.0, range.least), most = std::max(0.0, range.most),
               width = most > least ? most - least : 1;
  p.bottom = least < 0 ? least - 0.06 * width : 0, p.top = most + 0.1 * width;
  if (s.after.m && !(s.way.merges_warps && s.part == SoftmaxPart::sum))
    p.labels.push_back({"m " + figure_text(*s.after.m), *s.after.m, color::registers});
  return p;
}

// --- weights
// ---------------------------------------------------------------------------------------------------

namespace {

// The maximum below which a column's weight stands after this step; nothing where it has none yet.
std::optional<double> base_of(const SoftmaxStep& s, std::int64_t col, int step, SoftmaxPart part) {
  const std::int64_t end = s.now.first + s.now.count;
  if (!s.way.maximum) return part == SoftmaxPart::divide || col < end ? std::optional(0.0) : std::nullopt;
  if (s.way.merges_warps && part == SoftmaxPart::sum) return s.shown("m_w", s.warp_of(col), step);
  if (part == SoftmaxPart::load || part == SoftmaxPart::max || part == SoftmaxPart::other) return {};
  if (part != SoftmaxPart::divide && s.tiled() && col >= end) return {};
  return s.shown("m", s.row, step);
}

// Earlier in the same loop the columns in front of this tile stood below another maximum.
std::vector<double> weights_before(const SoftmaxStep& s) {
  std::vector<double> all;
  const bool online = s.way.one_pass && s.part == SoftmaxPart::tile && s.before.m;
  const bool merge = s.way.merges_warps && s.part == SoftmaxPart::merge;
  if (!online && !merge) return all;
  for (std::int64_t c = 0; c < s.cols; ++c) {
    const auto m = merge ? s.shown("m_w", s.warp_of(c), s.step) : s.before.m;
    all.push_back(m && (merge || c < s.now.first) ? softmax_weight(s.x[std::size_t(c)], *m) : 0);
  }
  return all;
}

// The values of the weights are held in registers, in shared memory, or not at all: then their sum is.
Color weight_color(const SoftmaxStep& s, const Theme& theme, std::int64_t col) {
  if (s.part == SoftmaxPart::divide && col < s.written())
    return s.now.holds(col) ? color::hbm : tint(theme, color::hbm, 0.6f);
  if (s.way.row_in_shared) return color::shared;
  if (s.way.merges_warps || (s.now.holds(col) && s.part != SoftmaxPart::divide)) return color::registers;
  return tint(theme, color::registers, 0.38f);
}

std::string weights_title(const SoftmaxStep& s) {
  if (s.part == SoftmaxPart::divide) return !s.way.maximum ? "p = e^x / l" : "p = e^(x − m) / l";
  return !s.way.maximum ? "e^x" : "e^(x − m)";
}

std::string weights_subtitle(const SoftmaxStep& s) {
  if (s.part == SoftmaxPart::divide)
    return tr("written so far: {0} of {1}", {number_text(s.written()), number_text(s.cols)});
  if (!s.way.maximum) return tr("so far, from the scores; their sum is l");
  if (s.way.merges_warps && s.part == SoftmaxPart::sum)
    return tr("each warp's scores below the maximum of that warp");
  return tr("so far, from the scores and the kernel's m; their sum is l");
}

bool any_trouble(const std::vector<double>& values, std::int64_t count) {
  return std::any_of(values.begin(), values.begin() + count, [](double v) { return !std::isfinite(v); });
}

}  // namespace

RowBarsPicture weights_picture(const SoftmaxStep& s, const Theme& theme, float motion) {
  RowBarsPicture p;
  p.id = "stage/weights";
  p.title = weights_title(s), p.subtitle = weights_subtitle(s);
  p.tile = lines_every(s), p.now = s.now;
  const double inverse = s.part == SoftmaxPart::divide && s.after.l && *s.after.l > 0 ? 1 / *s.after.l : 1;
  Range range;
  bool any = false;
  const bool grows = s.part == SoftmaxPart::sum || s.part == SoftmaxPart::tile;
  for (std::int64_t c = 0; c < s.cols && s.scores_kept(); ++c) {
    double value = -INFINITY;
    if (const auto m = base_of(s, c, s.step, s.part))
      value = softmax_weight(s.x[std::size_t(c)], *m) * inverse, any = true;
    if (c < s.written() && std::size_t(c) < s.p.size()) value = s.p[std::size_t(c)];
    range.add(value);
    if (grows && s.now.holds(c) && std::isfinite(value)) value = value_between(0, value, motion);
    p.bars.push_back({value, weight_color(s, theme, c)});
  }
  if (!any) {
    p.subtitle.clear();
    p.empty =
        s.scores_kept() ? tr("nothing is summed before the maximum is known") : tr("the scores are not kept");
    return p;
  }
  p.before = weights_before(s);
  p.top = !s.way.maximum || s.part == SoftmaxPart::divide
              ? (range.empty() || range.most <= 0 ? 1 : range.most) * 1.08
              : 1.08;
  if (s.after.l)
    p.labels.push_back({"l " + figure_text(value_between(value_or(s.before.l, 0), *s.after.l, motion)),
                        p.top * 0.6, std::isfinite(*s.after.l) ? color::registers : color::trouble});
  if (!s.way.maximum && s.part == SoftmaxPart::sum &&
      std::any_of(p.bars.begin(), p.bars.end(), [](const RowBar& b) { return b.value == INFINITY; }))
    p.labels.push_back({"e^x ∞", p.top, color::trouble});
  if (s.written() > 0 && any_trouble(s.p, std::min<std::int64_t>(s.written(), std::int64_t(s.p.size()))))
    p.labels.push_back({"p NaN", p.top, color::trouble});
  return p;
}

// --- factors
// ---------------------------------------------------------------------------------------------------

namespace {

std::string share_text(double factor) {
  if (factor == 0 || factor == 1) return figure_text(factor);
  char text[16];
  std::snprintf(text, sizeof text, factor < 0.001 ? "%.0e" : "%.3f", factor);
  return text;
}

void add_share(RowSharesPicture& p, Span cols, double factor, bool now) {
  p.shares.push_back({cols, factor, share_text(factor), factor < 1, now});
}

// Of each tile of online's first pass; where there are too many to draw, the smallest of several.
void add_tile_factors(const SoftmaxStep& s, RowSharesPicture& p) {
  const auto all = s.scene.steps.shown.history(name_id("factor"), std::uint32_t(s.row));
  const std::int64_t together = std::max<std::int64_t>(1, std::int64_t(all.size()) / kMostShares);
  for (std::size_t i = 0; i < all.size() && all[i].step <= s.step; ++i) {
    const std::int64_t first = first_column(s, s.scene.steps.marked[std::size_t(all[i].step)].index);
    if (first >= s.cols) break;
    const Span cols{first, std::min(s.tile, s.cols - first)};
    const bool now = all[i].step == s.step;
    if (std::int64_t(i) % together != 0) {
      RowShare& held = p.shares.back();
      held.cols.count += cols.count, held.now |= now;
      if (all[i].value < held.value)
        held.value = all[i].value, held.text = share_text(all[i].value), held.strong = true;
      continue;
    }
    add_share(p, cols, all[i].value, now);
    if (i == 0) p.shares.back().text = "–", p.shares.back().strong = false;  // there is no sum before it
  }
}

void add_warp_factors(const SoftmaxStep& s, RowSharesPicture& p) {
  if (!s.after.m) return;
  const std::int64_t chunk = s.chunk() * std::max<std::int64_t>(1, s.cols / s.chunk() / kMostShares);
  for (std::int64_t c = 0; c < s.cols; c += chunk)
    if (const auto m = s.shown("m_w", s.warp_of(c), s.step))
      add_share(p, {c, std::min(chunk, s.cols - c)}, softmax_weight(*m, *s.after.m), false);
}

}  // namespace

RowSharesPicture factors_picture(const SoftmaxStep& s) {
  RowSharesPicture p;
  p.id = "stage/factors", p.columns = s.cols, p.color = color::registers;
  if (s.way.one_pass) {
    const int moved = times_moved(s);
    p.title = moved == 0   ? tr("e^(m − m') at each tile: the maximum has not moved")
              : moved == 1 ? tr("e^(m − m') at each tile: the maximum moved once")
                           : tr("e^(m − m') at each tile: the maximum moved {0} times", {number_text(moved)});
    add_tile_factors(s, p);
  } else if (s.way.merges_warps) {
    p.title = tr("e^(m_w − m): what each warp's sum is multiplied by");
    add_warp_factors(s, p);
  }
  return p;
}

// --- legend, rows, reads
// ---------------------------------------------------------------------------------------

std::vector<LegendItem> softmax_legend(const SoftmaxStep& s, const Theme& theme) {
  std::vector<LegendItem> items{{tr("this step"), color::current}};
  if (s.way.row_in_shared) {
    items.push_back({tr("in shared memory"), color::shared});
  } else {
    items.push_back({tr("in registers"), color::registers});
    if (s.tiled()) items.push_back({tr("only their sum is kept"), tint(theme, color::registers, 0.38f)});
  }
  if ((s.part == SoftmaxPart::tile && times_moved(s) > 0) || s.part == SoftmaxPart::merge)
    items.push_back({tr("before this step"), row_before_color(theme)});
  if (s.tiled()) {
    items.push_back({tr("in HBM, read in this pass"), tint(theme, color::hbm, 0.6f)});
    items.push_back({tr("in HBM, ahead"), tint(theme, color::hbm, 0.22f)});
  } else if (s.part == SoftmaxPart::divide) {
    items.push_back({tr("written to HBM"), color::hbm});
  }
  return items;
}

namespace {

// Shades of a row's result against its largest, the largest of several columns in each cell.
RowEntry entry_of(const SoftmaxStep& s, std::int64_t row) {
  RowEntry entry;
  entry.row = row;
  entry.followed = row == s.row;
  entry.beside = row / s.rows_per_block == s.row / s.rows_per_block;
  std::vector<double> cells(kRowShades, 0);
  double largest = 0;
  const auto values = row_of(s.run(), s.p_view, row);
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (!std::isfinite(values[c])) entry.trouble = std::isnan(values[c]) ? "NaN" : "inf";
    double& cell = cells[c * kRowShades / values.size()];
    cell = std::max(cell, values[c]), largest = std::max(largest, values[c]);
  }
  for (double cell : cells) {
    const double share = largest > 0 ? std::clamp(cell / largest, 0.0, 1.0) : 0;
    entry.shades.push_back(std::uint8_t(std::lround(254 * (std::isnan(share) ? 1 : share))));
  }
  return entry;
}

std::string source_after_comments(std::string_view text) {
  std::string code = " ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//")
      while (i < text.size() && text[i] != '\n') ++i;
    if (i < text.size()) code += text[i];
  }
  return code;
}

// Places in a kernel's text that read the view `in`: each goes over the row once.
int stated_reads(std::string_view file) {
  const std::string code = source_after_comments(kernel_source(file));
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  int reads = 0;
  for (std::size_t at = code.find("in"); at != code.npos; at = code.find("in", at + 2)) {
    const std::string_view behind = std::string_view(code).substr(at + 2, 2);
    reads += !in_name(code[at - 1]) && (behind.starts_with("[") || behind == ")[");
  }
  return reads;
}

}  // namespace

RowListPicture rows_picture(const SoftmaxStep& s, int most) {
  RowListPicture list;
  list.id = "stage/rows", list.color = color::hbm;
  list.title = tr("p of every row, at the end");
  if (!buffer_of(s.run(), s.p_view.id)) {
    list.subtitle = list.subtitle_on_paper = tr("not kept: too many elements");
    return list;
  }
  const std::int64_t count = std::min<std::int64_t>(s.rows, std::max(1, most));
  const std::int64_t first = std::clamp<std::int64_t>(s.row - count / 2, 0, s.rows - count);
  for (std::int64_t row = first; row < first + count; ++row) list.rows.push_back(entry_of(s, row));
  const auto bad = std::int64_t(std::count_if(list.rows.begin(), list.rows.end(),
                                              [](const RowEntry& e) { return !e.trouble.empty(); }));
  const auto metric = whole_metric(s.run(), "rows_not_finite");
  const std::int64_t all = metric ? *metric : bad;
  list.subtitle_is_trouble = all > 0;
  if (all > 0)
    list.subtitle = list.subtitle_on_paper =
        tr("{0} of {1} rows are not finite", {number_text(all), number_text(s.rows)});
  else if (count < s.rows)
    list.subtitle = tr("rows {0} to {1} of {2}; click to follow",
                       {number_text(first), number_text(first + count - 1), number_text(s.rows)});
  else
    list.subtitle = tr("click a row to follow it");
  if (all == 0 && count < s.rows)
    list.subtitle_on_paper = tr("rows {0} to {1} of {2}",
                                {number_text(first), number_text(first + count - 1), number_text(s.rows)});
  return list;
}

double passes_over_x(const SoftmaxStep& s) {
  const std::int64_t first = s.row / s.rows_per_block * s.rows_per_block,
                     rows = std::min(s.rows_per_block, s.rows - first);
  const double once = double(rows) * double(s.cols) * s.x_view.element_bytes;
  return double(s.scene.progress.traffic_until(s.step).load.sector_bytes()) / once;
}

std::vector<PassCount> read_counts(const SoftmaxStep& s) {
  std::vector<PassCount> all;
  for (const RungInfo& rung : find_ladder("softmax")->info.rungs) {
    PassCount row{rung.slug, stated_reads(rung.file), {}, ""};
    if (rung.slug == s.run().request.rung) {
      row.counted = passes_over_x(s);
      char figure[16];
      std::snprintf(figure, sizeof figure, "%.2f", *row.counted);
      row.figure = figure;
    } else {
      row.figure = number_text(row.stated);
    }
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace lockstep
