#include "lane_map.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "flights.hpp"
#include "language.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

constexpr int kLanes = 32, kBanks = 32;
enum Cell : std::uint8_t { untouched, waiting, served, waiting_trouble, served_trouble };

bool active(const SharedAccess& a, int lane) { return a.lanes >> lane & 1; }
int words_of(const SharedAccess& a) { return std::max(1, a.width / 4); }
std::uint32_t word_of(const SharedAccess& a, int lane) { return a.offset[std::size_t(lane)] / 4; }
bool is_now(const SharedAccess& a, int lane) {
  return active(a, lane) && a.wavefront[std::size_t(lane)] == a.now;
}

std::array<Color, 256> palette(const Theme& theme) {
  std::array<Color, 256> colors{};
  colors[untouched] = theme.soft;
  colors[waiting] = color::shared;
  colors[served] = mix(theme.panel, color::shared, 0.45f);
  colors[waiting_trouble] = color::trouble;
  colors[served_trouble] = mix(theme.panel, color::trouble, 0.45f);
  return colors;
}

// Banks from which more words are wanted than the fewest wavefronts could give.
std::array<bool, kBanks> crowded_banks(const SharedAccess& a) {
  std::array<bool, kBanks> crowded{};
  if (a.wavefronts <= a.fewest) return crowded;
  std::array<std::vector<std::uint32_t>, kBanks> words;
  for (int lane = 0; lane < kLanes; ++lane)
    for (int w = 0; active(a, lane) && w < words_of(a); ++w) {
      auto& bank = words[(word_of(a, lane) + std::uint32_t(w)) % kBanks];
      if (std::find(bank.begin(), bank.end(), word_of(a, lane) + std::uint32_t(w)) == bank.end())
        bank.push_back(word_of(a, lane) + std::uint32_t(w));
    }
  for (std::size_t b = 0; b < kBanks; ++b) crowded[b] = int(words[b].size()) > a.fewest;
  return crowded;
}

Cell cell_of(const SharedAccess& a, int lane, bool crowded) {
  const bool done = a.wavefront[std::size_t(lane)] <= a.now;
  if (crowded) return done ? served_trouble : waiting_trouble;
  return done ? served : waiting;
}

void draw_titles(Canvas& canvas, const Theme& theme, Rect r, std::string_view title,
                 std::string_view subtitle) {
  canvas.text_fit({r.x, r.y + 10 * theme.type}, title, {Font::words_semibold, 13.5f * theme.type, theme.ink},
                  r.w);
  canvas.text_fit({r.x, r.y + 28 * theme.type}, subtitle, {Font::words, 11.5f * theme.type, theme.dim}, r.w);
}

void draw_bank_numbers(Canvas& canvas, const Theme& theme, Rect cells,
                       const std::array<bool, kBanks>& crowded, float y) {
  const float w = cells.w / kBanks, size = 9.5f * theme.type;
  const bool narrow = w < canvas.measure("31", {Font::mono, size, theme.dim}) + 3;
  for (int bank = 0; bank < kBanks; ++bank) {
    const bool bad = crowded[std::size_t(bank)];
    if (narrow && bank % 4 != 0 && !bad) continue;
    if (narrow && bad && bank % 4 != 0 && std::count(crowded.begin(), crowded.end(), true) > 1) continue;
    canvas.text({cells.x + (float(bank) + 0.5f) * w, y}, std::to_string(bank),
                {bad ? Font::mono_semibold : Font::mono, size,
                 bad ? theme.readable(color::trouble) : theme.dim, Align::center});
  }
}

// "wavefront 12: lane 11, byte 1428"
std::string now_text(const SharedAccess& a) {
  std::vector<int> lanes;
  for (int lane = 0; lane < kLanes; ++lane)
    if (is_now(a, lane)) lanes.push_back(lane);
  if (lanes.size() == 1)
    return tr("wavefront {0}: lane {1}, byte {2}", {std::to_string(a.now + 1), std::to_string(lanes[0]),
                                                    std::to_string(a.offset[std::size_t(lanes[0])])});
  return tr("wavefront {0}: {1} lanes", {std::to_string(a.now + 1), std::to_string(lanes.size())});
}

void outline_now(Canvas& canvas, Rect cell) { canvas.stroke_rect(cell, color::current, 2, 2); }

// Beside the cells of this wavefront, on the side where there is room.
void draw_now_text(Canvas& canvas, const Theme& theme, Rect cells, const SharedAccess& a) {
  if (a.now >= a.wavefronts) return;  // all are past
  float left = cells.right(), right = cells.x, y = 0;
  for (int lane = kLanes - 1; lane >= 0; --lane) {
    if (!is_now(a, lane)) continue;
    const float w = cells.w / kBanks, x = cells.x + float(word_of(a, lane) % kBanks) * w;
    left = std::min(left, x), right = std::max(right, x + w * float(words_of(a)));
    y = cells.y + (float(lane) + 0.5f) * cells.h / kLanes;
  }
  const std::string text = now_text(a);
  const Color ink = theme.dark ? color::current : theme.ink;
  const TextStyle style{Font::words_semibold, 12.5f * theme.type, ink};
  const float width = canvas.measure(text, style), size = 18 * theme.type;
  y = std::clamp(y, cells.y + size / 2, cells.bottom() - size / 2);
  float x = right + 8;
  if (x + width > cells.right()) x = left - 8 - width;
  if (x < cells.x) return;  // the whole row is taken; the strip below says it
  canvas.fill_rect({x - 4, y - size / 2, width + 8, size}, theme.ground.with_alpha(0.85f), 3);
  canvas.text({x, y}, text, style);
}

}  // namespace

float lane_map_height(const Theme& theme, Rect r) {
  return std::min(r.h,
                  r.w + 10 * theme.type);  // titles and labels take about as much: cells are square at most
}

std::optional<int> draw_lane_map(Canvas& canvas, const Theme& theme, Rect r, const SharedAccess& a,
                                 std::string_view title, std::string_view subtitle) {
  canvas.landmark("lanes to banks", r);
  const float type = theme.type, label_w = 52 * type, top = 62 * type;
  draw_titles(canvas, theme, r, title, subtitle);
  const Rect cells{r.x + label_w, r.y + top, r.w - label_w, lane_map_height(theme, r) - top};
  if (cells.h < 64) return {};
  const auto crowded = crowded_banks(a);
  draw_bank_numbers(canvas, theme, cells, crowded, cells.y - 9 * type);
  std::vector<std::uint8_t> values(kLanes * kBanks, untouched);
  for (int lane = 0; lane < kLanes; ++lane)
    for (int w = 0; active(a, lane) && w < words_of(a); ++w) {
      const std::size_t bank = (word_of(a, lane) + std::uint32_t(w)) % kBanks;
      values[std::size_t(lane) * kBanks + bank] = cell_of(a, lane, crowded[bank]);
    }
  const auto colors = palette(theme);
  canvas.grid(a.id + "/lane-map", cells, kBanks, kLanes, values, colors, 1);
  const float w = cells.w / kBanks, h = cells.h / kLanes;
  const int label_every = 4 * int(std::ceil(13 * type / (4 * h)));
  for (int lane = 0; lane < kLanes; ++lane) {
    if (lane % label_every == 0)
      canvas.text({cells.x - 8, cells.y + (float(lane) + 0.5f) * h}, tr("lane {0}", {std::to_string(lane)}),
                  {Font::words, 10.5f * type, theme.dim, Align::right});
    if (is_now(a, lane))
      outline_now(canvas, {cells.x + float(word_of(a, lane) % kBanks) * w, cells.y + float(lane) * h,
                           std::min(w * float(words_of(a)),
                                    cells.right() - cells.x - float(word_of(a, lane) % kBanks) * w),
                           h});
  }
  draw_now_text(canvas, theme, cells, a);
  if (const Hit hit = canvas.hit(a.id + "/lane-map", {r.x, cells.y, r.w, cells.h}); hit.hovered)
    return std::clamp(int((hit.pointer.y - cells.y) / h), 0, kLanes - 1);
  return {};
}

namespace {

// As many rows as the largest shared memory of an SM has; what a lane asks for beyond them is not drawn.
constexpr std::uint32_t kMostRows = 2048;

struct RowsShown {
  std::uint32_t first = 0;
  int count = 1;
  bool contains(std::uint32_t word) const { return word / kBanks - first < std::uint32_t(count); }
};

RowsShown rows_of(const SharedAccess& a) {
  std::uint32_t least = ~0u, most = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!active(a, lane)) continue;
    least = std::min(least, word_of(a, lane) / kBanks);
    most = std::max(most, (word_of(a, lane) + std::uint32_t(words_of(a)) - 1) / kBanks);
  }
  if (least > most) return {};
  return {least, int(std::min(most - least + 1, kMostRows))};
}

void draw_arrow(Canvas& canvas, Vec2 from, Vec2 to, Color color, float width) {
  const float bend = (to.y - from.y) * 0.5f;
  canvas.curve(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to, color, width);
  const float s = 2 + width;
  const Vec2 tip[] = {{to.x, to.y}, {to.x - s, to.y - 1.6f * s}, {to.x + s, to.y - 1.6f * s}};
  canvas.fill_polygon(tip, color);
}

}  // namespace

std::optional<int> draw_bank_rows(Canvas& canvas, const Theme& theme, Rect r, const SharedAccess& a,
                                  std::string_view title, std::string_view subtitle) {
  canvas.landmark("words", r);
  const float type = theme.type, label_w = 52 * type, top = 62 * type, fan = std::min(r.h * 0.24f, 96 * type);
  draw_titles(canvas, theme, r, title, subtitle);
  const RowsShown rows = rows_of(a);
  const Rect lanes{r.x + label_w, r.y + top, r.w - label_w, 10 * type};
  const float room = r.bottom() - lanes.bottom() - fan - 18 * type;
  if (room < 20) return {};
  const float w = lanes.w / kBanks, h = std::min(room / float(rows.count), w);
  const Rect cells{lanes.x, lanes.bottom() + fan, lanes.w, h * float(rows.count)};
  const auto crowded = crowded_banks(a);
  std::vector<std::uint8_t> values(std::size_t(rows.count) * kBanks, untouched);
  const auto center = [&](std::uint32_t word) {
    return Vec2{cells.x + (float(word % kBanks) + 0.5f) * w, cells.y + float(word / kBanks - rows.first) * h};
  };
  for (int lane = 0; lane < kLanes; ++lane)
    for (int k = 0; active(a, lane) && k < words_of(a); ++k) {
      const std::uint32_t word = word_of(a, lane) + std::uint32_t(k);
      if (!rows.contains(word)) continue;
      values[std::size_t(word / kBanks - rows.first) * kBanks + word % kBanks] =
          cell_of(a, lane, crowded[word % kBanks]);
    }
  const auto colors = palette(theme);
  canvas.grid(a.id + "/rows", cells, kBanks, rows.count, values, colors, h >= 4 ? 1.f : 0.f);
  draw_bank_numbers(canvas, theme, cells, crowded,
                    cells.bottom() + 9 * type);  // below: the arrows come from above
  const int label_every = std::max(1, int(14 * type / h) + 1);
  for (int row = 0; row < rows.count; row += label_every)
    canvas.text({cells.x - 8, cells.y + (float(row) + 0.5f) * h},
                tr("row {0}", {std::to_string(int(rows.first) + row)}),
                {Font::words, 10.5f * type, theme.dim, Align::right});
  std::optional<int> hovered;
  if (const Hit hit = canvas.hit(a.id + "/lanes", {lanes.x, lanes.y - 4, lanes.w, lanes.h + 8}); hit.hovered)
    hovered = std::clamp(int((hit.pointer.x - lanes.x) / w), 0, kLanes - 1);
  for (int pass = 0; pass < 2; ++pass)  // this wavefront's arrows above the others
    for (int lane = 0; lane < kLanes; ++lane) {
      const float x = lanes.x + (float(lane) + 0.5f) * w;
      if (pass == 0) {
        canvas.fill_rect({x - w / 2 + 1, lanes.y, w - 2, lanes.h},
                         active(a, lane) ? color::registers : theme.soft, 2);
        if (lane % 4 == 0)
          canvas.text({x, lanes.y - 8 * type}, std::to_string(lane),
                      {Font::mono, 9.5f * type, theme.dim, Align::center});
      }
      if (!active(a, lane) || (is_now(a, lane) || lane == hovered) != (pass == 1)) continue;
      if (!rows.contains(word_of(a, lane))) continue;
      const Color level = crowded[word_of(a, lane) % kBanks] ? color::trouble : color::shared;
      draw_arrow(canvas, {x, lanes.bottom() + 2}, center(word_of(a, lane)),
                 pass ? level : level.with_alpha(0.35f), pass ? 2.f : 1.f);
      if (is_now(a, lane) && a.motion < 1)
        draw_falling_word(canvas, {x, lanes.bottom() + 2}, center(word_of(a, lane)), 0.5f,
                          a.store ? a.motion : 1 - a.motion, 7 * type);
      if (is_now(a, lane))
        outline_now(canvas, {center(word_of(a, lane)).x - w / 2, center(word_of(a, lane)).y,
                             w * float(words_of(a)), h});
    }
  return hovered;
}

std::optional<int> draw_wavefronts(Canvas& canvas, const Theme& theme, Rect r, const SharedAccess& a) {
  canvas.landmark("wavefronts", r);
  const float type = theme.type;
  const int done = std::min(a.now + 1, a.wavefronts);
  canvas.text_fit(
      {r.x, r.y + 8 * type},
      tr("Wavefronts of this access: {0} of {1} done", {std::to_string(done), std::to_string(a.wavefronts)}),
      {Font::words_semibold, 12.5f * type, theme.ink}, r.w);
  const Rect row{r.x, r.y + 24 * type, r.w, 20 * type};
  const float w = std::min(row.w / float(std::max(1, a.wavefronts)), row.w / 32 * 1.0f);
  for (int i = 0; i < a.wavefronts; ++i) {
    const Rect box{row.x + float(i) * w + 1, row.y, w - 2, row.h};
    const Color level = i < a.fewest ? color::shared : color::trouble;
    canvas.fill_rect(box, i <= a.now ? level : mix(theme.soft, level, 0.25f), 3);
    if (i == a.now) outline_now(canvas, box);
  }
  const float y = row.bottom() + 14 * type;
  const std::string wanted = tr("wanted: {0}", {std::to_string(std::min(a.fewest, a.wavefronts))});
  canvas.text_fit({row.x, y}, wanted, {Font::words_semibold, 12.5f * type, theme.ink}, r.w / 2);
  const int extra = std::max(0, a.wavefronts - a.fewest);
  canvas.text_fit(
      {row.x + canvas.measure(wanted, {Font::words_semibold, 12.5f * type, theme.ink}) + 20 * type, y},
      tr("by conflicts: {0}", {std::to_string(extra)}),
      {Font::words_semibold, 12.5f * type, extra ? theme.readable(color::trouble) : theme.dim}, r.w / 2);
  const Hit hit = canvas.hit(a.id + "/wavefronts", {row.x, row.y - 4, w * float(a.wavefronts), row.h + 8});
  if (!hit.clicked && !hit.held) return {};
  return std::clamp(int((hit.pointer.x - row.x) / w), 0, a.wavefronts - 1);
}

}  // namespace lockstep
