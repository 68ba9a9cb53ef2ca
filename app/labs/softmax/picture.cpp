#include "picture.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/model/progress.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

constexpr std::uint16_t kLoad = name_id("load"), kMax = name_id("max"), kSum = name_id("sum"),
                        kTile = name_id("tile"), kMerge = name_id("merge"), kDivide = name_id("divide");

// Cells that can be told apart below the bars.
constexpr std::int64_t kMostShares = 512;

std::vector<double> row_of(const Run& run, const ViewInfo& view, std::int64_t row) {
  const Buffer* buffer = buffer_of(run, view.id);
  if (!buffer) return {};
  const std::uint64_t cols = view.shape[1], first = std::uint64_t(row) * cols;
  std::vector<double> values(cols);
  if (view.type == "float" && (first + cols) * sizeof(float) <= buffer->bytes.size()) {
    std::vector<float> floats(cols);
    std::memcpy(floats.data(), buffer->bytes.data() + first * sizeof(float), cols * sizeof(float));
    std::copy(floats.begin(), floats.end(), values.begin());
  } else {
    for (std::uint64_t c = 0; c < cols; ++c) values[c] = element(view, *buffer, first + c);
  }
  return values;
}

// The setting, where a run has a sensible one.
std::int64_t tile_setting(const Run& run, std::int64_t otherwise) {
  const auto at = run.request.params.find("tile");
  const auto* tile = at == run.request.params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return tile && *tile > 0 ? *tile : otherwise;
}

Color tint(const Theme& theme, Color level, float strength) { return mix(theme.panel, level, strength); }

}  // namespace

double softmax_weight(double x, double m) {
  return x == -INFINITY ? 0 : double(std::exp(float(x) - float(m)));
}

SoftmaxPart softmax_part(std::uint16_t mark) {
  switch (mark) {
    case kLoad:
      return SoftmaxPart::load;
    case kMax:
      return SoftmaxPart::max;
    case kSum:
      return SoftmaxPart::sum;
    case kTile:
      return SoftmaxPart::tile;
    case kMerge:
      return SoftmaxPart::merge;
    case kDivide:
      return SoftmaxPart::divide;
  }
  return SoftmaxPart::other;
}

std::string columns_text(Span cols) {
  return cols.count == 1 ? n(cols.first) : n(cols.first) + "–" + n(cols.last());
}

std::optional<double> SoftmaxScene::shown(const char* name, std::int64_t at, int when) const {
  if (!axis.shown) return {};
  const auto value = axis.shown->at(name_id(name), std::uint32_t(at), when);
  return value ? std::optional<double>(*value) : std::nullopt;
}

std::int64_t SoftmaxScene::written() const { return part == SoftmaxPart::divide ? now.first + now.count : 0; }

std::int64_t SoftmaxScene::chunk() const { return 32 * (16 / std::max(1u, x_view.element_bytes)); }

std::int64_t SoftmaxScene::warp_of(std::int64_t col) const {
  return col / chunk() % std::max<std::int64_t>(1, run.launches[0].threads() / 32);
}

// Of tile `index`; cols where the row has fewer.
static std::int64_t first_column(const SoftmaxScene& s, std::int64_t index) {
  return index > s.cols / s.tile ? s.cols : std::min(index * s.tile, s.cols);
}

std::optional<SoftmaxScene> softmax_scene(const Run& run, const StepAxis& axis, int step, std::int64_t warp) {
  if (run.launches.empty() || step < 0 || step >= int(axis.groups.size())) return {};
  const Launch& launch = run.launches.front();
  const ViewInfo *x = launch.view(0), *p = launch.view(1);
  if (!x || !p || x->shape.size() != 2 || x->shape != p->shape || x->elements() == 0) return {};
  SoftmaxScene s{
      run, axis, step, *x, *p, run.request.rung, std::int64_t(x->shape[0]), std::int64_t(x->shape[1])};
  s.rows_per_block = s.tiled() ? std::max<std::int64_t>(1, launch.threads() / 32) : 1;
  const std::int64_t first = launch.trace.block * s.rows_per_block;
  if (first < 0 || first >= s.rows) return {};
  s.warp = s.tiled() ? std::clamp<std::int64_t>(warp, 0, std::min(s.rows_per_block, s.rows - first) - 1) : 0;
  s.row = first + s.warp;
  s.tile = s.tiled() ? std::min(tile_setting(run, s.cols), s.cols) : s.cols;
  const StepGroup& group = axis.groups[std::size_t(step)];
  s.part = softmax_part(group.mark);
  s.index = s.tiled() ? std::int64_t(group.mark_index) : 0;
  const std::int64_t from = first_column(s, s.index);
  s.now = {from, std::min(s.tile, s.cols - from)};
  s.x = row_of(run, *x, s.row), s.p = row_of(run, *p, s.row);
  for (auto [values, when] : {std::pair{&s.after, step}, {&s.before, step - 1}}) {
    values->m = s.shown("m", s.row, when), values->l = s.shown("l", s.row, when);
    values->m_tile = s.shown("m_j", s.row, when), values->l_tile = s.shown("l_j", s.row, when);
    values->factor = s.shown("factor", s.row, when);
  }
  return s;
}

int times_moved(const SoftmaxScene& s) {
  if (!s.axis.shown) return 0;
  int moved = 0;
  double before = -INFINITY;
  for (const auto& entry : s.axis.shown->history(name_id("m"), std::uint32_t(s.row))) {
    if (entry.step > s.step) break;
    if (entry.value > before) moved += before > -INFINITY, before = entry.value;
  }
  return moved;
}

// --- scores
// ----------------------------------------------------------------------------------------------------

namespace {

// Where the scores of a column are when the step is done.
Color place_of(const SoftmaxScene& s, const Theme& theme, std::int64_t col) {
  if (s.rung == "fused") return color::shared;
  if (s.rung == "vectorized") return color::registers;
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
std::vector<RowLevel> running_maximum(const SoftmaxScene& s) {
  std::vector<RowLevel> line;
  if (s.rung == "vectorized" && s.part == SoftmaxPart::sum) {  // each warp's own
    for (std::int64_t c = 0; c < std::min(s.cols, kMostShares * s.chunk()); c += s.chunk())
      if (const auto m = s.shown("m_w", s.warp_of(c), s.step))
        line.push_back({{c, std::min(s.chunk(), s.cols - c)}, *m});
    return line;
  }
  const SoftmaxPart open = s.rung == "online" ? SoftmaxPart::tile : SoftmaxPart::max;
  if (!s.tiled() || s.part != open) {
    if (s.after.m) line.push_back({{0, s.cols}, *s.after.m});
    return line;
  }
  const auto& all = s.axis.shown->history(name_id("m"), std::uint32_t(s.row));
  for (const auto& entry : all) {
    if (entry.step > s.step || entry.step >= int(s.axis.groups.size())) break;
    const std::int64_t first = first_column(s, s.axis.groups[std::size_t(entry.step)].mark_index);
    if (first >= s.cols) break;
    line.push_back({{first, std::min(s.tile, s.cols - first)}, entry.value});
  }
  return line;
}

std::int64_t lines_every(const SoftmaxScene& s) {
  if (s.tiled()) return s.tile;
  return s.rung == "vectorized" ? s.chunk() : 0;
}

}  // namespace

RowBarsPicture scores_picture(const SoftmaxScene& s, const Theme& theme) {
  RowBarsPicture p;
  p.id = "stage/scores";
  p.title = tr("Row {0}: {1} scores", {n(s.row), n(s.cols)});
  p.subtitle = s.tiled() ? tr("warp {0} takes them in tiles of {1}", {n(s.warp), n(s.tile)})
                         : tr("a block takes them at once, {0} threads", {n(s.run.launches[0].threads())});
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
    if (none) p.subtitle = tr("{0} of them are −∞", {n(none)});
  } else {
    p.subtitle = tr("m alone: scores are kept up to {0} in all", {grouped(std::int64_t(kMaxKeptElements))});
    p.columns = s.cols;
    for (const RowLevel& level : p.line) range.add(level.value);
    if (range.empty()) p.empty = p.subtitle;
  }
  if (!p.empty.empty()) return p;
  const double spread = range.most - range.least, width = spread > 1e-6 * std::abs(range.most) ? spread : 1;
  p.bottom = range.least - 0.06 * width, p.top = range.most + 0.1 * width;
  if (s.after.m && !(s.rung == "vectorized" && s.part == SoftmaxPart::sum))
    p.labels.push_back({"m " + figure_text(*s.after.m), *s.after.m, color::registers});
  else if (s.rung == "naive")
    p.labels.push_back({tr("no m"), p.top, theme.dim});
  return p;
}

// --- weights
// ---------------------------------------------------------------------------------------------------

namespace {

// The maximum below which a column's weight stands after this step; nothing where it has none yet.
std::optional<double> base_of(const SoftmaxScene& s, std::int64_t col, int step, SoftmaxPart part) {
  const std::int64_t end = s.now.first + s.now.count;
  if (s.rung == "naive") return part == SoftmaxPart::divide || col < end ? std::optional(0.0) : std::nullopt;
  if (s.rung == "vectorized" && part == SoftmaxPart::sum) return s.shown("m_w", s.warp_of(col), step);
  if (part == SoftmaxPart::load || part == SoftmaxPart::max || part == SoftmaxPart::other) return {};
  if (part != SoftmaxPart::divide && s.tiled() && col >= end) return {};
  return s.shown("m", s.row, step);
}

// Earlier in the same loop the columns in front of this tile stood below another maximum.
std::vector<double> weights_before(const SoftmaxScene& s) {
  std::vector<double> all;
  const bool online = s.rung == "online" && s.part == SoftmaxPart::tile && s.before.m;
  const bool merge = s.rung == "vectorized" && s.part == SoftmaxPart::merge;
  if (!online && !merge) return all;
  for (std::int64_t c = 0; c < s.cols; ++c) {
    const auto m = merge ? s.shown("m_w", s.warp_of(c), s.step) : s.before.m;
    all.push_back(m && (merge || c < s.now.first) ? softmax_weight(s.x[std::size_t(c)], *m) : 0);
  }
  return all;
}

// The values of the weights are held in registers, in shared memory, or not at all: then their sum is.
Color weight_color(const SoftmaxScene& s, const Theme& theme, std::int64_t col) {
  if (s.part == SoftmaxPart::divide && col < s.written())
    return s.now.holds(col) ? color::hbm : tint(theme, color::hbm, 0.6f);
  if (s.rung == "fused") return color::shared;
  if (s.rung == "vectorized" || (s.now.holds(col) && s.part != SoftmaxPart::divide)) return color::registers;
  return tint(theme, color::registers, 0.38f);
}

std::string weights_title(const SoftmaxScene& s) {
  if (s.part == SoftmaxPart::divide) return s.rung == "naive" ? "p = e^x / l" : "p = e^(x − m) / l";
  return s.rung == "naive" ? "e^x" : "e^(x − m)";
}

std::string weights_subtitle(const SoftmaxScene& s) {
  if (s.part == SoftmaxPart::divide) return tr("written so far: {0} of {1}", {n(s.written()), n(s.cols)});
  if (s.rung == "naive") return tr("so far, from the scores; their sum is l");
  if (s.rung == "vectorized" && s.part == SoftmaxPart::sum)
    return tr("each warp's scores below the maximum of that warp");
  return tr("so far, from the scores and the kernel's m; their sum is l");
}

bool any_trouble(const std::vector<double>& values, std::int64_t count) {
  return std::any_of(values.begin(), values.begin() + count, [](double v) { return !std::isfinite(v); });
}

}  // namespace

RowBarsPicture weights_picture(const SoftmaxScene& s, const Theme& theme) {
  RowBarsPicture p;
  p.id = "stage/weights";
  p.title = weights_title(s), p.subtitle = weights_subtitle(s);
  p.tile = lines_every(s), p.now = s.now;
  const double inverse = s.part == SoftmaxPart::divide && s.after.l && *s.after.l > 0 ? 1 / *s.after.l : 1;
  Range range;
  bool any = false;
  for (std::int64_t c = 0; c < s.cols && s.scores_kept(); ++c) {
    double value = -INFINITY;
    if (const auto m = base_of(s, c, s.step, s.part))
      value = softmax_weight(s.x[std::size_t(c)], *m) * inverse, any = true;
    if (c < s.written() && std::size_t(c) < s.p.size()) value = s.p[std::size_t(c)];
    p.bars.push_back({value, weight_color(s, theme, c)});
    range.add(value);
  }
  if (!any) {
    p.subtitle.clear();
    p.empty =
        s.scores_kept() ? tr("nothing is summed before the maximum is known") : tr("the scores are not kept");
    return p;
  }
  p.before = weights_before(s);
  p.top = s.rung == "naive" || s.part == SoftmaxPart::divide
              ? (range.empty() || range.most <= 0 ? 1 : range.most) * 1.08
              : 1.08;
  if (s.after.l)
    p.labels.push_back({"l " + figure_text(*s.after.l), p.top * 0.6,
                        std::isfinite(*s.after.l) ? color::registers : color::trouble});
  if (s.rung == "naive" && s.part == SoftmaxPart::sum &&
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
void add_tile_factors(const SoftmaxScene& s, RowSharesPicture& p) {
  const auto& all = s.axis.shown->history(name_id("factor"), std::uint32_t(s.row));
  const std::int64_t together = std::max<std::int64_t>(1, std::int64_t(all.size()) / kMostShares);
  for (std::size_t i = 0; i < all.size() && all[i].step <= s.step; ++i) {
    const std::int64_t first = std::int64_t(i) * s.tile;
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

void add_warp_factors(const SoftmaxScene& s, RowSharesPicture& p) {
  if (!s.after.m) return;
  const std::int64_t chunk = s.chunk() * std::max<std::int64_t>(1, s.cols / s.chunk() / kMostShares);
  for (std::int64_t c = 0; c < s.cols; c += chunk)
    if (const auto m = s.shown("m_w", s.warp_of(c), s.step))
      add_share(p, {c, std::min(chunk, s.cols - c)}, softmax_weight(*m, *s.after.m), false);
}

}  // namespace

RowSharesPicture factors_picture(const SoftmaxScene& s) {
  RowSharesPicture p;
  p.id = "stage/factors", p.columns = s.cols, p.color = color::registers;
  if (!s.axis.shown) return p;
  if (s.rung == "online") {
    const int moved = times_moved(s);
    p.title = moved == 0   ? tr("e^(m − m') at each tile: the maximum has not moved")
              : moved == 1 ? tr("e^(m − m') at each tile: the maximum moved once")
                           : tr("e^(m − m') at each tile: the maximum moved {0} times", {n(moved)});
    add_tile_factors(s, p);
  } else if (s.rung == "vectorized") {
    p.title = tr("e^(m_w − m): what each warp's sum is multiplied by");
    add_warp_factors(s, p);
  }
  return p;
}

// --- legend, rows, reads
// ---------------------------------------------------------------------------------------

std::vector<LegendItem> softmax_legend(const SoftmaxScene& s, const Theme& theme) {
  std::vector<LegendItem> items{{tr("this step"), color::current}};
  if (s.rung == "fused") {
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
RowEntry entry_of(const SoftmaxScene& s, std::int64_t row) {
  RowEntry entry;
  entry.row = row;
  entry.followed = row == s.row;
  entry.beside = row / s.rows_per_block == s.row / s.rows_per_block;
  std::vector<double> cells(kRowShades, 0);
  double largest = 0;
  const auto values = row_of(s.run, s.p_view, row);
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

RowListPicture rows_picture(const SoftmaxScene& s, int most) {
  RowListPicture list;
  list.id = "stage/rows", list.color = color::hbm;
  list.title = tr("p of every row, at the end");
  if (!buffer_of(s.run, s.p_view.id)) {
    list.subtitle = tr("not kept: too many elements");
    return list;
  }
  const std::int64_t count = std::min<std::int64_t>(s.rows, std::max(1, most));
  const std::int64_t first = std::clamp<std::int64_t>(s.row - count / 2, 0, s.rows - count);
  for (std::int64_t row = first; row < first + count; ++row) list.rows.push_back(entry_of(s, row));
  const auto bad = std::int64_t(std::count_if(list.rows.begin(), list.rows.end(),
                                              [](const RowEntry& e) { return !e.trouble.empty(); }));
  const auto metric = whole_metric(s.run, "rows_not_finite");
  const std::int64_t all = metric ? *metric : bad;
  list.subtitle_is_trouble = all > 0;
  if (all > 0)
    list.subtitle = tr("{0} of {1} rows are not finite", {n(all), n(s.rows)});
  else if (count < s.rows)
    list.subtitle =
        tr("rows {0} to {1} of {2}; click to follow", {n(first), n(first + count - 1), n(s.rows)});
  else
    list.subtitle = tr("click a row to follow it");
  return list;
}

std::vector<PassCount> read_counts(const SoftmaxScene& s) {
  std::vector<PassCount> all;
  const Traffic t = traffic_until(s.axis, s.step);
  const std::int64_t first = s.row / s.rows_per_block * s.rows_per_block,
                     rows = std::min(s.rows_per_block, s.rows - first);
  const double once = double(rows) * double(s.cols) * s.x_view.element_bytes;
  for (const RungInfo& rung : find_ladder("softmax")->info.rungs) {
    PassCount row{rung.slug, stated_reads(rung.file), {}, ""};
    if (rung.slug == s.rung) {
      row.counted = double(t.load.sector_bytes()) / once;
      char figure[16];
      std::snprintf(figure, sizeof figure, "%.2f", *row.counted);
      row.figure = figure;
    } else {
      row.figure = n(row.stated);
    }
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace lockstep
