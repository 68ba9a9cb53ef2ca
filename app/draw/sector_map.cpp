#include "sector_map.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "flights.hpp"
#include "language.hpp"
#include "legend.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

// Where more are in sight, or there is little room, only the path of the lane that is looked at is drawn.
constexpr int kLinesWithPaths = 2;
// Heights in px: from which there is room for paths, and for a legend; between two labels.
constexpr float kPathsFrom = 260, kLegendFrom = 200, kLabelPitch = 14;
constexpr int kLanes = 32, kSectorBytes = 32, kLineBytes = 128, kSectors = kLineBytes / kSectorBytes;

bool active(const GlobalAccess& a, int lane) { return a.lanes >> lane & 1; }

Color used_color() { return color::hbm; }
Color fetched_color(const Theme& theme) { return mix(theme.panel, color::hbm, theme.dark ? 0.34f : 0.16f); }

float come(const SectorPicture& p, int lane) {
  return flight_progress(p.turn[std::size_t(lane)], p.turns, p.motion);
}

// Where things stand: a column of addresses, the lines, a column of counts.
struct Frame {
  Rect lanes, rows;  // as wide as a line
  float row_h = 0, gap = 3;
  float sector_w() const { return (rows.w - gap * (kSectors - 1)) / kSectors; }
  float x_of(float byte) const {
    const int sector = std::min(kSectors - 1, int(byte) / kSectorBytes);
    return rows.x + float(sector) * (sector_w() + gap) +
           sector_w() * (byte - float(sector * kSectorBytes)) / kSectorBytes;
  }
  // Of bytes of one sector.
  Rect bytes(int row, int first, int count) const {
    const float x = x_of(float(first)), per_byte = sector_w() / kSectorBytes;
    return {x, rows.y + float(row) * row_h, per_byte * float(count), row_h - 2};
  }
};

std::vector<LegendItem> legend_items(const Theme& theme) {
  return {{tr("bytes that a lane uses, with its number"), used_color()},
          {tr("fetched with them, not used"), fetched_color(theme)},
          {tr("not fetched"), theme.soft}};
}

TextStyle small(const Theme& theme, Align align) {
  return {Font::mono, 10.5f * theme.type, theme.dim, align};
}

bool has_legend(const Theme& theme, Rect r) { return r.h >= kLegendFrom * theme.type; }

bool has_paths(const Theme& theme, Rect r, const std::vector<TouchedLine>& lines) {
  return int(lines.size()) <= kLinesWithPaths && r.h >= kPathsFrom * theme.type;
}

Frame frame_of(const Canvas& canvas, const Theme& theme, Rect r, const std::vector<TouchedLine>& lines) {
  const float type = theme.type;
  const std::string last = lines.empty() ? "0" : grouped(lines.back().first_byte);
  const float left = std::max(canvas.measure(last, small(theme, Align::right)),
                              canvas.measure(tr("lanes"), small(theme, Align::right))) +
                     10 * type;
  const float right = canvas.measure("4/4", small(theme, Align::left)) + 12 * type;
  Frame f;
  f.lanes = {r.x + left, r.y + 38 * type, r.w - left - right, 16 * type};
  const float paths = has_paths(theme, r, lines) ? 58 * type : 0;
  const float top = f.lanes.bottom() + 22 * type + paths,
              legend = has_legend(theme, r)
                           ? legend_height(canvas, theme, f.lanes.w, legend_items(theme)) + 8 * type
                           : 0;
  f.rows = {f.lanes.x, top, f.lanes.w, std::max(0.f, r.bottom() - legend - top)};
  const bool few = paths == 0 && int(lines.size()) <= kLinesWithPaths;  // they stand for the paths as well
  f.row_h = std::min((few ? 50 : 28) * type, f.rows.h / float(std::max<std::size_t>(1, lines.size())));
  return f;
}

void draw_lanes(Canvas& canvas, const Theme& theme, const Frame& f, const SectorPicture& p) {
  const float w = f.lanes.w / kLanes;
  TextStyle number{Font::mono, 9.5f * theme.type, theme.dim, Align::center};
  const bool numbered = canvas.measure("31", number) + 5 * theme.type <= w;
  canvas.text({f.lanes.x - 10 * theme.type, f.lanes.center().y}, tr("lanes"), small(theme, Align::right));
  for (int lane = 0; lane < kLanes; ++lane) {
    const Rect cell{f.lanes.x + w * float(lane) + 0.5f, f.lanes.y, w - 1, f.lanes.h};
    const bool holds = !p.loads || come(p, lane) >= 1;  // a load's word comes to its lane
    if (active(p.access, lane))
      canvas.fill_rect(cell, holds ? color::registers : mix(theme.panel, color::registers, 0.35f), 2);
    else
      canvas.stroke_rect(cell, theme.line, 1, 2);
    number.color = active(p.access, lane) ? Color::hex(0x1E2124) : theme.dim;
    if (numbered) canvas.text(cell.center(), number_text(lane), number);
  }
}

// Lanes by the bytes that they want: several may want the same ones.
using Wanted = std::map<std::uint32_t, std::vector<int>>;
Wanted wanted_by(const GlobalAccess& a) {
  Wanted wanted;
  for (int lane = 0; lane < kLanes; ++lane)
    if (active(a, lane)) wanted[a.offset[std::size_t(lane)]].push_back(lane);
  return wanted;
}

std::string lane_label(const std::vector<int>& lanes) {
  return lanes.size() == 1 ? number_text(lanes[0]) : "×" + number_text(std::int64_t(lanes.size()));
}

void draw_line(Canvas& canvas, const Theme& theme, const Frame& f, int row, const TouchedLine& line) {
  const float y = f.rows.y + (float(row) + 0.5f) * f.row_h - 1;
  const int every = std::max(1, int(std::ceil(kLabelPitch * theme.type / std::max(1.f, f.row_h))));
  if (row % every == 0) {
    canvas.text({f.rows.x - 10 * theme.type, y}, grouped(line.first_byte), small(theme, Align::right));
    canvas.text({f.rows.right() + 10 * theme.type, y}, number_text(line.sectors()) + "/4",
                small(theme, Align::left));
  }
  for (int s = 0; s < kSectors; ++s) {
    const Rect box = f.bytes(row, s * kSectorBytes, kSectorBytes);
    const bool fetched = line.used[std::size_t(s)] != 0;
    canvas.fill_rect(box, fetched ? fetched_color(theme) : theme.soft, 2);
    if (fetched) canvas.stroke_rect(box, used_color(), 1, 2);
  }
}

// A cell per group of lanes; returns the one under the pointer.
std::optional<int> draw_used(Canvas& canvas, const Theme& theme, const Frame& f, const SectorPicture& p,
                             const std::vector<TouchedLine>& lines, std::optional<Vec2> pointer) {
  std::optional<int> hovered;
  const TextStyle number{Font::mono, std::min(9.5f * theme.type, f.row_h - 3), Color::hex(0xFFFFFF),
                         Align::center};
  for (const auto& [first, lanes] : wanted_by(p.access)) {
    const auto line = std::find_if(lines.begin(), lines.end(), [&, at = first](const TouchedLine& l) {
      return l.first_byte == at / kLineBytes * kLineBytes;
    });
    if (line == lines.end()) continue;
    const Rect cell = f.bytes(int(line - lines.begin()), int(first % kLineBytes), p.access.width);
    canvas.fill_rect({cell.x + 0.5f, cell.y + 1, cell.w - 1, cell.h - 2}, used_color(), 1.5f);
    if (p.picked && std::find(lanes.begin(), lanes.end(), *p.picked) != lanes.end())
      canvas.stroke_rect(cell, color::current, 2, 2);
    const std::string label = lane_label(lanes);
    const float label_w = canvas.measure(label, number);
    // Where digits of neighbours would run together every fourth lane has its own.
    const bool apart = label_w + 4 * theme.type <= cell.w || (lanes[0] % 4 == 0 && label_w <= cell.w + 1);
    if (f.row_h >= 9.5f * theme.type && apart) canvas.text({cell.center().x, cell.center().y}, label, number);
    if (pointer && cell.contains(*pointer)) hovered = lanes[0];
  }
  return hovered;
}

// The words under way, between a lane and its bytes.
void draw_travelling(Canvas& canvas, const Theme& theme, const Frame& f, const SectorPicture& p,
                     const std::vector<TouchedLine>& lines) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const float at = come(p, lane);
    if (!active(p.access, lane) || at <= 0 || at >= 1) continue;
    const std::uint32_t first = p.access.offset[std::size_t(lane)];
    for (std::size_t row = 0; row < lines.size(); ++row) {
      if (lines[row].first_byte != first / kLineBytes * kLineBytes) continue;
      const Rect cell = f.bytes(int(row), int(first % kLineBytes), p.access.width);
      const Vec2 from{f.lanes.x + f.lanes.w * (float(lane) + 0.5f) / kLanes, f.lanes.bottom()};
      draw_falling_word(canvas, from, {cell.center().x, cell.y}, 0.4f, p.loads ? 1 - at : at, 7 * theme.type);
    }
  }
}

// From a lane down to its bytes.
void draw_path(Canvas& canvas, const Theme& theme, const Frame& f, const GlobalAccess& a, int lane,
               const std::vector<TouchedLine>& lines, bool strong) {
  if (!active(a, lane)) return;
  const std::uint32_t first = a.offset[std::size_t(lane)];
  for (std::size_t row = 0; row < lines.size(); ++row) {
    if (lines[row].first_byte != first / kLineBytes * kLineBytes) continue;
    const Rect cell = f.bytes(int(row), int(first % kLineBytes), a.width);
    const Vec2 from{f.lanes.x + f.lanes.w * (float(lane) + 0.5f) / kLanes, f.lanes.bottom()};
    const Vec2 to{cell.center().x, cell.y};
    const float bend = (to.y - from.y) * 0.4f;
    canvas.curve(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to,
                 strong ? theme.ink : theme.dim.with_alpha(0.55f), strong ? 1.5f : 1.f);
    if (strong) canvas.stroke_rect(cell, theme.ink, 1.5f, 2);
  }
}

}  // namespace

int TouchedLine::sectors() const {
  return int(std::count_if(used.begin(), used.end(), [](std::uint32_t bytes) { return bytes != 0; }));
}

std::vector<TouchedLine> touched_lines(const GlobalAccess& access) {
  std::map<std::uint32_t, TouchedLine> lines;
  for (int lane = 0; lane < kLanes; ++lane)
    for (int b = 0; active(access, lane) && b < access.width; ++b) {
      const std::uint32_t byte = access.offset[std::size_t(lane)] + std::uint32_t(b);
      TouchedLine& line = lines[byte / kLineBytes];
      line.first_byte = byte / kLineBytes * kLineBytes;
      line.used[byte % kLineBytes / kSectorBytes] |= 1u << byte % kSectorBytes;
    }
  std::vector<TouchedLine> all;
  for (const auto& [number, line] : lines) all.push_back(line);
  return all;
}

SectorUse sector_use(const GlobalAccess& access) {
  SectorUse use;
  for (const TouchedLine& line : touched_lines(access)) {
    ++use.lines, use.sectors += line.sectors();
    for (const std::uint32_t bytes : line.used) use.used_bytes += std::popcount(bytes);
  }
  use.fewest = (use.used_bytes + kSectorBytes - 1) / kSectorBytes;
  return use;
}

SectorHit draw_sector_map(Canvas& canvas, const Theme& theme, Rect r, const SectorPicture& picture) {
  canvas.landmark("lanes to sectors", r);
  const float type = theme.type;
  canvas.text_fit({r.x, r.y + 8 * type}, picture.title, {Font::words_semibold, 13.5f * type, theme.ink}, r.w);
  canvas.text_fit({r.x, r.y + 25 * type}, picture.subtitle, {Font::words, 11.5f * type, theme.dim}, r.w);
  const auto lines = touched_lines(picture.access);
  const Frame f = frame_of(canvas, theme, r, lines);
  draw_lanes(canvas, theme, f, picture);
  if (f.row_h >= 12 * type)  // else the first line's address stands there
    canvas.text({f.rows.x - 10 * type, f.rows.y - 9 * type}, tr("byte"), small(theme, Align::right));
  for (std::size_t row = 0; row < lines.size(); ++row) draw_line(canvas, theme, f, int(row), lines[row]);
  for (int lane = 0; has_paths(theme, r, lines) && lane < kLanes; ++lane)
    draw_path(canvas, theme, f, picture.access, lane, lines, false);

  for (int s = 0; s < kSectors && !lines.empty(); ++s) {
    const TextStyle style{Font::words, 10.5f * type, theme.dim, Align::center};
    const std::string name = tr("sector {0}", {number_text(s)});
    const Vec2 at{f.x_of(float(s) * kSectorBytes) + f.sector_w() / 2, f.rows.y - 9 * type};
    const float w = canvas.measure(name, style) + 8 * type;
    canvas.fill_rect({at.x - w / 2, at.y - 7 * type, w, 14 * type}, theme.ground);  // paths run behind it
    canvas.text(at, name, style);
  }

  SectorHit result;
  const Rect all{f.lanes.x, f.lanes.y, f.lanes.w, f.rows.bottom() - f.lanes.y};
  const Hit hit = canvas.hit(picture.id, all);
  result.clicked = hit.clicked;
  result.lane =
      draw_used(canvas, theme, f, picture, lines, hit.hovered ? std::optional(hit.pointer) : std::nullopt);
  if (hit.hovered && f.lanes.contains(hit.pointer))
    result.lane = std::clamp(int((hit.pointer.x - f.lanes.x) / (f.lanes.w / kLanes)), 0, kLanes - 1);
  if (const auto lane = result.lane ? result.lane : picture.picked)
    draw_path(canvas, theme, f, picture.access, *lane, lines, true);
  if (picture.motion < 1) draw_travelling(canvas, theme, f, picture, lines);
  if (!has_legend(theme, r)) return result;
  const float used_h = std::min(f.rows.h, f.row_h * float(lines.size()));
  const float legend = legend_height(canvas, theme, f.rows.w, legend_items(theme));
  draw_legend(canvas, theme, {f.rows.x, f.rows.y + used_h + 6 * type, f.rows.w, legend}, legend_items(theme));
  return result;
}

}  // namespace lockstep
