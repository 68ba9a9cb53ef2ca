#include "picture.hpp"

#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"

namespace lockstep {
namespace {

constexpr float kLanes = 32;
constexpr float kNow = 0.54f;  // of a place's colour, in the current row

Color place_color(ShufflePart part) {
  switch (part) {
    case ShufflePart::load:
      return color::hbm;
    case ShufflePart::add:
    case ShufflePart::left:
    case ShufflePart::read:
    case ShufflePart::share:
      return color::shared;
    default:
      return color::registers;
  }
}

// Where the rows lie. Where all are too low for numbers, the current one and the one before it take the room
// that they need, and the others do with less.
class LaneGeometry {
 public:
  LaneGeometry(Rect r, const LaneTable& table, int step, float type) : r_(r) {
    const std::size_t rows = table.rows.size();
    std::size_t now = rows;
    for (std::size_t i = 0; i < rows; ++i)
      if (table.rows[i].step <= step) now = i;
    const float each = r.h / float(std::max<std::size_t>(1, rows)), wanted = kNumbers * type / kBarShare;
    const std::size_t high = now == rows ? 0 : now == 0 ? 1 : 2;
    const float rest = rows > high ? (r.h - wanted * float(high)) / float(rows - high) : each;
    const bool grow = each < wanted && high > 0 && rest > 9 * type;
    float y = r.y;
    for (std::size_t i = 0; i < rows; ++i) {
      const bool tall = high > 0 && i <= now && i + high > now;
      const float h = !grow ? each : tall ? wanted : rest;
      rows_.push_back({y, h});
      y += h;
    }
  }
  float cell() const { return r_.w / kLanes; }
  float x(int lane) const { return r_.x + (float(lane) + 0.5f) * cell(); }
  Rect row(std::size_t i) const { return {r_.x, rows_[i].y, r_.w, rows_[i].h}; }
  // The cells lie at the lower end of their row: the lines that lead to them are above.
  float bar_h(std::size_t i) const { return std::clamp(rows_[i].h * kBarShare, 4.f, 38.f); }
  float bar_y(std::size_t i) const { return rows_[i].y + rows_[i].h - bar_h(i) - 2; }
  Rect cell_of(std::size_t i, int lane) const {
    return {r_.x + float(lane) * cell() + 0.75f, bar_y(i), std::max(1.f, cell() - 1.5f), bar_h(i)};
  }
  // Twice as wide and half as high: the even lane of a pair above the odd one.
  Rect half_of(std::size_t i, int lane) const {
    const float half = bar_h(i) / 2;
    return {r_.x + float(lane - lane % 2) * cell() + 0.75f, bar_y(i) + float(lane % 2) * half,
            std::max(1.f, 2 * cell() - 1.5f), half - 0.75f};
  }

 private:
  static constexpr float kBarShare = 0.54f, kNumbers = 23;  // high enough for two lines of numbers
  struct Row {
    float y, h;
  };
  Rect r_;
  std::vector<Row> rows_;
};

// How a row's numbers are written so that each stays in its cell. Size 0: there is no room for them.
struct RowType {
  float size = 0;
  bool halves = false;  // in half_of()
  bool in_thousands = false;
};

std::string value_text(std::int32_t value, bool in_thousands) {
  if (!in_thousands || std::abs(std::int64_t(value)) < 10000) return number_text(std::int64_t(value));
  return number_text(std::int64_t(value) / 1000) + "k";
}

RowType row_type(const Canvas& canvas, const Theme& theme, const LaneGeometry& g, std::size_t r,
                 const LaneRow& row) {
  for (const bool in_thousands : {false, true}) {
    const auto widest = [&](float size) {
      float most = 0;
      for (const LaneValue& lane : row.lanes)
        if (lane.known)
          most = std::max(most, canvas.measure(value_text(lane.value, in_thousands),
                                               {Font::mono_semibold, size * theme.type}));
      return most;
    };
    for (const float size : {11.5f, 10.5f, 9.5f})
      if (g.bar_h(r) >= (size + 2) * theme.type && widest(size) <= g.cell() - 2.5f)
        return {size, false, in_thousands};
    for (const float size : {10.5f, 9.5f})
      if (g.bar_h(r) >= 2 * (size + 1) * theme.type && widest(size) <= 2 * g.cell() - 4)
        return {size, true, in_thousands};
  }
  return {};
}

void draw_cells(Canvas& canvas, const Theme& theme, const LaneGeometry& g, std::size_t r, const LaneRow& row,
                int step) {
  const bool now = row.step == step, to_come = row.step > step;
  const bool halves = row_type(canvas, theme, g, r, row).halves;
  const Color base = place_color(row.part);
  for (int l = 0; l < 32; ++l) {
    const LaneValue& lane = row.lanes[std::size_t(l)];
    const float strength = to_come ? 0.06f : !lane.needed ? 0.05f : now ? kNow : 0.34f;
    canvas.fill_rect(halves ? g.half_of(r, l) : g.cell_of(r, l),
                     mix(theme.soft, base, lane.known ? strength : 0), 2);
  }
}

void draw_moves(Canvas& canvas, const Theme& theme, const LaneGeometry& g, std::size_t r, const LaneRow& row,
                int step, float motion) {
  if (r == 0 || row.step > step) return;
  const bool now = row.step == step;
  const float top = g.bar_y(r - 1) + g.bar_h(r - 1) + 1, bottom = g.bar_y(r) - 1, t = now ? motion : 1;
  const auto draw = [&](int l, const LaneValue& lane) {
    const Vec2 from{g.x(lane.from), top}, to{g.x(l), bottom};
    const Color line = lane.taken ? place_color(row.part).with_alpha(now ? 0.95f : 0.45f)
                                  : theme.dim.with_alpha(now ? 0.3f : 0.15f);
    canvas.line(from, {from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t}, line,
                lane.taken && now ? 1.5f : 1);
  };
  for (const bool taken : {false, true})
    for (int l = 0; l < 32; ++l)
      if (const LaneValue& lane = row.lanes[std::size_t(l)]; lane.from >= 0 && lane.taken == taken)
        draw(l, lane);
}

void draw_values(Canvas& canvas, const Theme& theme, const LaneGeometry& g, std::size_t r, const LaneRow& row,
                 int step) {
  const RowType type = row_type(canvas, theme, g, r, row);
  if (row.step > step || type.size == 0) return;
  const bool now = row.step == step;
  for (int l = 0; l < 32; ++l) {
    const LaneValue& lane = row.lanes[std::size_t(l)];
    if (!lane.known) continue;
    const Color ink = !lane.needed ? theme.dim
                      : now        ? Theme::on(mix(theme.soft, place_color(row.part), kNow))
                                   : theme.ink;
    canvas.text((type.halves ? g.half_of(r, l) : g.cell_of(r, l)).center(),
                value_text(lane.value, type.in_thousands),
                {now ? Font::mono_semibold : Font::mono, type.size * theme.type, ink, Align::center});
  }
}

}  // namespace

void draw_lanes(Canvas& canvas, const Theme& theme, Rect r, const LaneTable& table, int step, float motion) {
  const LaneGeometry g(r, table, step, theme.type);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    draw_moves(canvas, theme, g, i, table.rows[i], step, motion);
    draw_cells(canvas, theme, g, i, table.rows[i], step);
  }
}

namespace {

// --- the stage

constexpr float kTilesWords = 114;  // above and below the tiles

struct StageRects {
  Rect tiles, title, lanes;
  float label = 0, wavefronts = 0;
};

// The tiles take what the lanes leave; lanes that would be too low to be told apart are left out, and so are
// those of a presented one.
StageRects stage_rects(Rect stage, const Theme& theme, bool tiles, std::size_t rows, bool presentation) {
  const float type = theme.type, pad = 26, head = 42 * type;
  const Rect area{stage.x + pad, stage.y + 12, stage.w - 2 * pad, stage.h - 24};
  const float highest = 104 * type * float(rows), lowest = 21 * type * float(rows);
  StageRects at;
  float top = area.y, room = area.h - head;
  if (tiles) {
    const float least = kTilesWords * type + 24 * type, gap = 12 * type;
    const bool lanes = !presentation && rows > 0 && room - least - gap >= lowest;
    const float spare = lanes ? room - least - gap - highest : area.h - least;
    at.tiles = {area.x, top, area.w, least + std::clamp(spare, 0.f, (lanes ? 30 : 86) * type)};
    if (!lanes) return at;
    top = at.tiles.bottom() + gap, room = area.bottom() - top - head;
  }
  at.label = area.w >= 340 * type ? 74 * type : 0;
  at.wavefronts = area.w >= 520 * type ? 84 * type : 0;
  at.title = {area.x, top, area.w, 20 * type};
  at.lanes = {area.x + at.label, top + head, area.w - at.label - at.wavefronts,
              std::max(10.f, std::min(room, highest))};
  return at;
}

std::string row_label(const LaneRow& row) {
  const std::string s = number_text(row.distance);
  switch (row.part) {
    case ShufflePart::load:
      return tr("load");
    case ShufflePart::add:
    case ShufflePart::left:
      return tr("shared, {0}", {s});
    case ShufflePart::read:
      return tr("read");
    case ShufflePart::down:
      return tr("down {0}", {s});
    case ShufflePart::exchange:
      return tr("xor {0}", {s});
    case ShufflePart::up:
      return tr("up {0}", {s});
    case ShufflePart::broadcast:
      return tr("to all");
    case ShufflePart::share:
      return tr("sums");
    case ShufflePart::across:
      return tr("up {0}", {s});
    case ShufflePart::join:
      return tr("+ before");
    case ShufflePart::tree:
      return tr("scan");
    default:
      return "";
  }
}

void draw_head(Canvas& canvas, const Theme& theme, const StageRects& at, const ShuffleScene& scene,
               const BlockScan& block, const LabView& view) {
  const float type = theme.type;
  const Launch& launch = scene.run().launches.at(std::size_t(block.launch));
  const auto last = std::int64_t(block.warps.size()) - 1;
  const auto warp = std::clamp<std::int64_t>(view.warp, 0, last);
  const std::vector<std::string> args{number_text(warp), number_text(launch.trace.block)};
  const bool to_come = block.launch != scene.steps.launch_of(view.step);
  const std::string words =
      to_come ? tr("Still to come, in the next launch: warp {0} of block {1}", args)
      : block.warps[std::size_t(warp)].several
          ? tr("What the 32 lanes of warp {0} in block {1} hold: the last of each one's numbers", args)
          : tr("What the 32 lanes of warp {0} in block {1} hold, round by round", args);
  canvas.text_fit({at.title.x, at.title.center().y}, words, {Font::words, 12 * type, theme.ink}, at.title.w);
  const float y = at.lanes.y - 9 * type, each = at.lanes.w / kLanes;
  const TextStyle numbers{Font::mono, 10.5f * type, theme.dim, Align::center};
  for (const int lane : {0, 4, 8, 12, 16, 20, 24, 28, 31})
    canvas.text({at.lanes.x + (float(lane) + 0.5f) * each, y}, number_text(lane), numbers);
  if (at.label > 0)
    canvas.text_fit({at.lanes.x - at.label, y}, tr("lane"), {Font::words, 11.5f * type, theme.dim},
                    at.label - 8);
  if (at.wavefronts <= 0) return;
  canvas.text_fit({at.lanes.right() + at.wavefronts, y}, tr("wavefronts"),
                  {Font::words, 11.5f * type, theme.dim, Align::right}, at.wavefronts - 6);
  const Rect head{at.lanes.right() + 6, y - 9 * type, at.wavefronts - 6, 18 * type};
  if (canvas.hit("stage/wavefronts", head).hovered)
    canvas.tooltip(
        tr("A wavefront is one pass through the banks of shared memory; what goes from register to "
           "register takes none."));
}

void draw_row_words(Canvas& canvas, const Theme& theme, const StageRects& at, const LaneGeometry& g,
                    std::size_t i, const LaneRow& row, int step) {
  const float type = theme.type, y = g.bar_y(i) + g.bar_h(i) / 2;
  const bool now = row.step == step;
  const Color ink = now ? theme.ink : theme.dim;
  if (at.label > 0)
    canvas.text_fit({at.lanes.x - at.label, y}, row_label(row),
                    {now ? Font::words_semibold : Font::words, 12.5f * type, ink}, at.label - 8);
  if (at.wavefronts > 0 && row.step <= step)
    canvas.text({at.lanes.right() + at.wavefronts, y}, number_text(row.wavefronts),
                {now ? Font::mono_semibold : Font::mono, 11.5f * type, ink, Align::right});
}

// "lane 5: 23 = 11 + 12, which lane 4 held"
std::string lane_story(const LaneTable& table, std::size_t r, int lane) {
  const LaneRow& row = table.rows[r];
  const LaneValue& mine = row.lanes[std::size_t(lane)];
  const std::string at = number_text(lane), value = number_text(std::int64_t(mine.value));
  if (!mine.known) return tr("lane {0}: nothing", {at});
  if (mine.from < 0 || r == 0 || table.rows[r - 1].sums != row.sums)
    return mine.needed ? tr("lane {0} holds {1}", {at, value})
                       : tr("lane {0} holds {1}: nobody needs it", {at, value});
  const LaneRow& before = table.rows[r - 1];
  const std::string came = number_text(std::int64_t(before.lanes[std::size_t(mine.from)].value)),
                    own = number_text(std::int64_t(before.lanes[std::size_t(lane)].value)),
                    from = number_text(mine.from);
  if (row.part == ShufflePart::broadcast || row.part == ShufflePart::read)
    return tr("lane {0} holds {1}: what lane {2} held", {at, value, from});
  return mine.needed ? tr("lane {0} holds {1} = {2} + {3}, which lane {4} held", {at, value, own, came, from})
                     : tr("lane {0} holds {1} = {2} + {3}, which lane {4} held: nobody needs it",
                          {at, value, own, came, from});
}

// --- tiles

constexpr std::size_t kMostTiles = 32;  // before the block's own

struct TileBox {
  std::int64_t tile = 0;
  const SeenTile* seen = nullptr;
  Rect r;
};

std::vector<TileBox> tile_boxes(const BlockScan& block, Rect r) {
  const std::int64_t own = *block.tile;
  const auto shown = std::min<std::int64_t>(std::int64_t(kMostTiles), own) + 1;
  const float each = std::min(r.h * 3, r.w / float(shown));
  std::vector<TileBox> all;
  for (std::int64_t t = own - shown + 1; t <= own; ++t) {
    TileBox box{t, nullptr, {r.x + each * float(t - (own - shown + 1)), r.y, each - 3, r.h}};
    for (const SeenTile& seen : block.seen)
      if (seen.tile == t) box.seen = &seen;
    all.push_back(box);
  }
  return all;
}

Color tile_color(const Theme& theme, const SeenTile* seen) {
  if (!seen) return theme.soft;
  if (seen->left_out) return mix(theme.soft, theme.dim, 0.28f);
  return mix(theme.panel, seen->up_to ? color::shared : color::registers, 0.6f);
}

std::string tile_story(const TileBox& box, std::int64_t own) {
  const std::string tile = number_text(box.tile);
  if (box.tile == own) return tr("tile {0}: this block's own", {tile});
  if (!box.seen) return tr("tile {0}: nobody looked at it", {tile});
  const std::string sum = grouped(std::int64_t(box.seen->sum));
  if (box.seen->left_out) return tr("tile {0}: left out, a nearer one knows the sum up to itself", {tile});
  return box.seen->up_to ? tr("tile {0} has told {1}, the sum of all tiles up to itself", {tile, sum})
                         : tr("tile {0} has told {1}, the sum of its own elements", {tile, sum});
}

// "7 + 12 + 301"
std::string terms(const BlockScan& block) {
  constexpr std::size_t kMostTerms = 6;
  std::string text;
  std::size_t count = 0, used = 0;
  for (const SeenTile& seen : block.seen) used += !seen.left_out;
  for (const SeenTile& seen : block.seen) {
    if (seen.left_out) continue;
    ++count;
    if (used > kMostTerms && count == kMostTerms) text += " + …";
    if (used > kMostTerms && count >= kMostTerms && count < used) continue;
    text += (text.empty() ? "" : " + ") + grouped(std::int64_t(seen.sum));
  }
  return text;
}

void draw_tiles(Canvas& canvas, const Theme& theme, Rect r, const BlockScan& block, int step, float motion) {
  const float type = theme.type;
  const bool looked = block.look_step >= 0 && step >= block.look_step;
  const std::string own = number_text(*block.tile);
  canvas.text_fit({r.x, r.y + 8 * type},
                  tr("Tile {0} of {1}: what it sees of the tiles before it", {own, grouped(*block.tiles)}),
                  {Font::words, 12 * type, theme.ink}, r.w);
  const Rect strip{r.x, r.y + 52 * type, r.w, r.h - kTilesWords * type};
  const std::vector<TileBox> boxes = tile_boxes(block, strip);
  const TileBox& mine = boxes.back();
  for (const TileBox& box : boxes) {
    const SeenTile* seen = looked ? box.seen : nullptr;
    canvas.fill_rect(box.r, tile_color(theme, seen), 3);
    if (box.tile == *block.tile) canvas.stroke_rect(box.r, theme.ink, 1.5f, 3);
    const std::string number = number_text(box.tile);
    const TextStyle small{Font::mono, 10.5f * type, theme.dim, Align::center};
    if (canvas.measure(number, small) + 6 <= box.r.w || box.tile % 4 == 0 || box.tile == *block.tile)
      canvas.text({box.r.center().x, box.r.bottom() + 9 * type}, number, small);
    if (!seen || seen->left_out) continue;
    const std::string sum = number_text(std::int64_t(seen->sum));
    const TextStyle style{Font::mono, 10.5f * type, Theme::on(tile_color(theme, seen)), Align::center};
    if (canvas.measure(sum, style) <= box.r.w - 2) canvas.text(box.r.center(), sum, style);
  }
  if (looked)
    for (const TileBox& box : boxes) {
      if (!box.seen || box.seen->left_out) continue;
      const Vec2 from{mine.r.center().x, mine.r.y - 1}, to{box.r.center().x, box.r.y - 1};
      const float t = step == block.look_step ? motion : 1;
      const Vec2 end{from.x + (to.x - from.x) * t, to.y};
      const float lift = std::min(22 * type, 6 * type + (from.x - end.x) * 0.12f);
      canvas.curve(from, {from.x, from.y - lift}, {end.x, end.y - lift}, end,
                   (box.seen->up_to ? color::shared : color::registers).with_alpha(0.9f), 1.4f);
    }
  std::string words;
  if (*block.tile == 0)
    words = tr("before tile 0 there is nothing");
  else if (!looked)
    words = tr("not looked yet");
  else if (std::count_if(block.seen.begin(), block.seen.end(),
                         [](const SeenTile& t) { return !t.left_out; }) == 1)
    words = tr("before tile {0}: {1}", {own, grouped(block.before)});
  else
    words = tr("before tile {0}: {1} = {2}", {own, terms(block), grouped(block.before)});
  canvas.text_fit({r.x, strip.bottom() + 28 * type}, words, {Font::words, 12.5f * type, theme.ink}, r.w);
  const std::vector<LegendItem> legend{{tr("its own sum"), mix(theme.panel, color::registers, 0.6f)},
                                       {tr("the sum of all up to it"), mix(theme.panel, color::shared, 0.6f)},
                                       {tr("looked at, not needed"), mix(theme.soft, theme.dim, 0.28f)}};
  draw_legend(canvas, theme, {r.x, strip.bottom() + 42 * type, r.w, 18 * type}, legend);
  for (const TileBox& box : boxes) {
    const Hit hit = canvas.hit("stage/tile/" + number_text(box.tile), box.r);
    if (hit.hovered) canvas.tooltip(tile_story({box.tile, looked ? box.seen : nullptr, box.r}, *block.tile));
  }
}

}  // namespace

void ShuffleScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const BlockScan* block = block_of(*this, in.view.step);
  if (!block) return;
  // A launch that only clears gets the next one ready: that one's picture is still to come.
  const bool clears = block->warps.empty() || block->warps.front().rows.empty();
  if (clears && std::size_t(block->launch) + 1 < blocks.size()) ++block;
  const auto last = std::int64_t(block->warps.size()) - 1;
  if (last < 0) return;
  const LaneTable& table = block->warps[std::size_t(std::clamp<std::int64_t>(in.view.warp, 0, last))];
  const Theme& theme = in.theme;
  const StageRects at =
      stage_rects(in.area, theme, block->tile.has_value(), table.rows.size(), in.presentation);
  if (block->tile) {
    canvas.landmark("tiles", at.tiles);
    draw_tiles(canvas, theme, at.tiles, *block, in.view.step, in.motion);
  }
  if (table.rows.empty() || at.lanes.h <= 0) return;
  canvas.landmark("lanes", {at.lanes.x - at.label - 6, at.lanes.y - 18 * theme.type,
                            at.lanes.w + at.label + at.wavefronts + 12, at.lanes.h + 18 * theme.type + 4});
  if (at.wavefronts > 0)
    canvas.landmark("wavefronts", {at.lanes.right() + 8, at.lanes.y, at.wavefronts - 4, at.lanes.h + 2});
  draw_head(canvas, theme, at, *this, *block, in.view);
  const LaneGeometry g(at.lanes, table, in.view.step, theme.type);
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (table.rows[i].step == in.view.step)
      canvas.fill_rect(
          {at.lanes.x - at.label - 6, g.row(i).y + 1, at.lanes.w + at.label + at.wavefronts + 12, g.row(i).h},
          mix(theme.ground, theme.highlight, theme.dark ? 0.3f : 0.55f), 4);
  draw_lanes(canvas, theme, at.lanes, table, in.view.step, in.motion);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const LaneRow& row = table.rows[i];
    draw_values(canvas, theme, g, i, row, in.view.step);
    draw_row_words(canvas, theme, at, g, i, row, in.view.step);
    const Hit hit = canvas.hit("stage/round/" + number_text(std::int64_t(i)),
                               {at.lanes.x - at.label, g.row(i).y, at.lanes.w + at.label, g.row(i).h});
    if (hit.clicked) events.go_to_step = row.step;
    if (!hit.hovered || hit.pointer.x < at.lanes.x || row.step > in.view.step) continue;
    int lane = std::clamp(int((hit.pointer.x - at.lanes.x) / g.cell()), 0, 31);
    if (row_type(canvas, theme, g, i, row).halves)
      lane = lane - lane % 2 + (hit.pointer.y > g.bar_y(i) + g.bar_h(i) / 2);
    canvas.tooltip(lane_story(table, i, lane));
  }
}

void ShuffleScene::card(Canvas& canvas, const StageInput& in) const {
  if (const LaneTable* table = table_of(*this, in.view))
    draw_lanes(canvas, in.theme, in.area, *table, steps.count(), 1);
}

}  // namespace lockstep
