#include "river.hpp"

#include <algorithm>
#include <cmath>

#include "language.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

std::string amount(std::int64_t bytes) { return bytes ? bytes_text(double(bytes)) : std::string("0"); }

std::string amount(const RiverBand& band, std::int64_t bytes) {
  if (bytes == 0) return amount(bytes);
  const char* bound = band.figure == RiverFigure::at_least  ? "≥ "
                      : band.figure == RiverFigure::at_most ? "≤ "
                                                            : "";
  return bound + amount(bytes);
}

bool has_bounds(const River& river) {
  return std::any_of(river.bands.begin(), river.bands.end(), [](const RiverBand& b) {
    return b.figure == RiverFigure::at_least || b.figure == RiverFigure::at_most;
  });
}

struct RiverSizes {
  float box = 0, gap = 0;  // widths
};
RiverSizes sizes_of(float width, const River& river, float type) {
  const float count = float(river.places.size()), least = has_bounds(river) ? 80 : 68;  // "≥ 99.9 KB →"
  const float gap = std::clamp(width / count * 0.46f, least * type, 120 * type);
  return {(width - gap * (count - 1)) / count, gap};
}

// A lane of a band: how much went so far as a tint, this step's part dark, squares on their way.
struct Lane {
  float left, right, y;  // its middle
  std::int64_t bytes, now;
  bool to_right;
};

void draw_lane(Canvas& canvas, const Theme& theme, const Lane& lane, Color color, float type, float motion) {
  const float thick = river_thickness(lane.bytes, type);
  if (thick <= 0) {
    canvas.line({lane.left, lane.y}, {lane.right, lane.y}, theme.line, 1, 3);
    return;
  }
  const float length = lane.right - lane.left;
  canvas.fill_rect({lane.left, lane.y - thick / 2, length, thick}, mix(theme.ground, color, 0.42f), 1.5f);
  if (!lane.now) return;
  const float part = std::min(thick, river_thickness(lane.now, type));
  canvas.fill_rect({lane.left, lane.y - part / 2, length, part}, color, 1.5f);
  const float side = std::min(7 * type, thick + 2);
  constexpr int kSquares = 3;
  for (int i = 0; i < kSquares && motion < 1; ++i) {
    const float at = std::clamp(motion * 1.3f - 0.1f * float(i), 0.f, 1.f);
    const float x = lane.to_right ? lane.left + at * length : lane.right - at * length;
    canvas.fill_rect({x - side / 2, lane.y - side / 2, side, side}, color::current, 1);
  }
}

std::string band_hint(const River& river, const RiverBand& band) {
  const std::string &a = river.places[std::size_t(band.from)].name,
                    &b = river.places[std::size_t(band.to)].name;
  std::string hint =
      tr("{0} → {1}: {2}, of these {3} in this step", {a, b, amount(band.in), amount(band.in_now)}) + "\n" +
      tr("{0} → {1}: {2}, of these {3} in this step", {b, a, amount(band.out), amount(band.out_now)});
  if (band.figure == RiverFigure::modelled)
    hint += "\n" + tr("modelled: a model of the caches says which sectors had to travel");
  if (band.figure == RiverFigure::at_least)
    hint += "\n" + tr("counted: every sector that the block touches, once; no cache does with less");
  if (band.figure == RiverFigure::at_most)
    hint += "\n" + tr("counted: all that the warps ask for, as if the L1 held nothing of it");
  return band.hint.empty() ? hint : hint + "\n" + band.hint;
}

void draw_band(Canvas& canvas, const Theme& theme, Rect span, const River& river, const RiverBand& band,
               float motion, int index) {
  const float type = theme.type, mid = span.center().y, apart = 15 * type;
  const Color color = band.color;
  const TextStyle words{Font::mono_semibold, 11.5f * type, theme.ink, Align::center};
  TextStyle quiet = words;
  quiet.font = Font::mono, quiet.color = theme.dim;
  const bool back = band.out > 0;
  const float up = back ? mid - apart : mid;
  draw_lane(canvas, theme, {span.x, span.right(), up, band.in, band.in_now, true}, color, type, motion);
  const float above = up - std::max(4.f, river_thickness(band.in, type) / 2) - 9 * type;
  canvas.text_fit({span.center().x, above}, amount(band, band.in) + " →", band.in ? words : quiet, span.w);
  if (back) {
    draw_lane(canvas, theme, {span.x, span.right(), mid + apart, band.out, band.out_now, false}, color, type,
              motion);
    canvas.text_fit({span.center().x, mid + apart + river_thickness(band.out, type) / 2 + 9 * type},
                    "← " + amount(band, band.out), words, span.w);
  }
  if (band.figure == RiverFigure::modelled)
    canvas.stroke_circle({span.center().x, back ? mid : mid + 18 * type}, 3.5f * type, theme.dim, 1, 2);
  if (canvas.hit("river/" + std::to_string(index), span).hovered) canvas.tooltip(band_hint(river, band));
}

// Above the boxes that it skips: up, across and down.
void draw_detour(Canvas& canvas, const Theme& theme, float x0, float x1, float top, float y,
                 const River& river, const RiverBand& band, int index) {
  const float type = theme.type;
  const std::int64_t all = band.in + band.out, now = band.in_now + band.out_now;
  const float thick = std::max(1.5f, std::min(river_thickness(all, type), 8 * type));
  const Color color = now ? band.color : mix(theme.ground, band.color, 0.42f);
  const Vec2 path[] = {{x0, top}, {x0, y}, {x1, y}, {x1, top}};
  canvas.polyline(path, all ? color : theme.line, all ? thick : 1);
  const TextStyle words{Font::mono_semibold, 11.5f * type, all ? theme.ink : theme.dim, Align::center};
  std::string text = amount(band, band.in) + " →";
  if (band.out) text += "   ← " + amount(band, band.out);
  canvas.text_fit({(x0 + x1) / 2, y - thick / 2 - 8 * type}, text, words, (x1 - x0) + 60);
  if (canvas.hit("river/" + std::to_string(index), {x0, y - 16 * type, x1 - x0, 20 * type}).hovered)
    canvas.tooltip(band_hint(river, band));
}

// Of what is not broken: between its spaces, and between characters of three bytes.
float longest_word(const Canvas& canvas, const std::string& text, const TextStyle& style) {
  const auto breaks = [&](std::size_t i) {
    return text[i] == ' ' || static_cast<unsigned char>(text[i]) > 0x7f;
  };
  float longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && !breaks(end)) ++end;
    longest = std::max(longest, canvas.measure(text.substr(at, end - at), style));
    at = end + 1;
  }
  return longest;
}

void draw_place(Canvas& canvas, const Theme& theme, Rect box, const RiverPlace& place) {
  const float type = theme.type;
  canvas.fill_rect(box, theme.panel, 5);
  canvas.stroke_rect(box, place.color, 1.5f, 5);
  canvas.text_fit({box.x + 8, box.y + 15 * type}, place.name,
                  {Font::words_semibold, 12.5f * type, theme.readable(place.color)}, box.w - 12);
  const TextStyle note{Font::words, 10.5f * type, theme.dim};
  if (box.h > 50 * type && !place.note.empty() && longest_word(canvas, place.note, note) <= box.w - 14 &&
      canvas.count_lines(place.note, note, box.w - 14) * 14 * type < box.h - 26 * type)
    canvas.text_wrap({box.x + 8, box.y + 25 * type}, place.note, note, box.w - 14, 14 * type);
}

}  // namespace

float river_thickness(std::int64_t bytes, float type) {
  if (bytes <= 0) return 0;
  return std::clamp(2 + 1.5f * float(std::log2(double(bytes) / 32)), 2.f, 26.f) * std::min(type, 1.4f);
}

bool river_fits(const Canvas& canvas, const Theme& theme, float width, const River& river) {
  if (river.places.size() < 2) return false;
  const RiverSizes sizes = sizes_of(width, river, theme.type);
  for (const RiverPlace& place : river.places)
    if (canvas.measure(place.name, {Font::words_semibold, 12.5f * theme.type, {}}) > sizes.box - 12)
      return false;
  // Not this step's amounts: the picture is not to change while one steps through it.
  return canvas.measure(has_bounds(river) ? "≥ 99.9 KB →" : "99.9 KB →",
                        {Font::mono_semibold, 11.5f * theme.type, {}}) <= sizes.gap;
}

static void draw_river_at(Canvas& canvas, const Theme& theme, Rect r, const River& river, float motion) {
  canvas.landmark("river", r);
  const float type = theme.type;
  const TextStyle title{Font::words_semibold, 13.5f * type, theme.ink};
  canvas.text_fit({r.x, r.y + 9 * type}, river.title, title, r.w);
  const float title_w = canvas.measure(river.title, title) + 16;
  if (title_w < r.w - 60)
    canvas.text_fit({r.x + title_w, r.y + 9 * type}, river.about, {Font::words, 11.5f * type, theme.dim},
                    r.w - title_w);
  const bool detour = std::any_of(river.bands.begin(), river.bands.end(),
                                  [](const RiverBand& b) { return b.to - b.from > 1; });
  const float top = r.y + (detour ? 48 : 24) * type;
  const auto [box_w, gap] = sizes_of(r.w, river, type);
  const float box_h = std::min(r.bottom() - top, 84 * type);
  const auto box = [&, w = box_w, space = gap](int i) {
    return Rect{r.x + float(i) * (w + space), top, w, box_h};
  };
  for (int i = 0; i < int(river.bands.size()); ++i) {
    const RiverBand& band = river.bands[std::size_t(i)];
    const Rect from = box(band.from), to = box(band.to);
    if (band.to - band.from > 1)
      draw_detour(canvas, theme, from.right() - 14, to.x + 14, top, top - 10 * type, river, band, i);
    else
      draw_band(canvas, theme, {from.right(), top, to.x - from.right(), box_h}, river, band, motion, i);
  }
  for (int i = 0; i < int(river.places.size()); ++i)
    draw_place(canvas, theme, box(i), river.places[std::size_t(i)]);
}

void draw_river(Canvas& canvas, const Theme& theme, Rect r, const River& river, float motion) {
  canvas.part("river", r, [&](Canvas& on, Rect at) { draw_river_at(on, theme, at, river, motion); });
}

}  // namespace lockstep
