// A matrix product's bytes on their way: memory, L2, shared memory, registers, tensor cores.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/devices/gpus.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "picture.hpp"

namespace lockstep {

const char* name_of(Station station) {
  constexpr const char* kNames[] = {"memory", "l2", "array", "registers", "units"};
  return kNames[std::size_t(station)];
}

std::optional<Station> station_named(std::string_view name) {
  for (const Station station : kStations)
    if (name == name_of(station)) return station;
  return {};
}

std::string title_of(Station station) {
  switch (station) {
    case Station::memory:
      return tr("GPU memory");
    case Station::l2:
      return "L2";
    case Station::array:
      return tr("shared memory");
    case Station::registers:
      return tr("registers");
    case Station::units:
      return tr("tensor cores");
  }
  return "";
}

Part part_with(Station station) {
  return station <= Station::l2 ? Part::chip : station == Station::array ? Part::sm : Part::sub_core;
}

namespace {

// Of one SM's share, at the clock of the tensor cores' peak.
double memory_bytes_per_clock(const Gpu& g) {
  return g.memory_bandwidth / g.tensor.clock_hz / g.multiprocessors;
}

std::string tenths(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

constexpr double kBytesOfOperands = 2 * 2;  // of one multiply-add: two 16-bit inputs

}  // namespace

Message what_it_gives(Station station, const Gpu& g) {
  const double from_memory = memory_bytes_per_clock(g), from_shared = 4.0 * g.shared_banks;
  switch (station) {
    case Station::memory:
      return msg("A product's bytes begin in memory. It gives {0}: {1} B per clock for each of {2} SMs.",
                 {rate_text(g.memory_bandwidth), tenths(from_memory), grouped(g.multiprocessors)});
    case Station::l2:
      return msg("What one SM has read, the L2 gives to the others that need it, too. It holds {0}.",
                 {bytes_text(double(g.l2_bytes))});
    case Station::array:
      return msg("An SM keeps a tile in shared memory: {0} B per clock, {1} times its share of memory.",
                 {figure_text(from_shared), tenths(from_shared / from_memory)});
    case Station::registers:
      return msg("From there each warp takes its fragments into registers: {0} in an SM.",
                 {bytes_text(4.0 * g.registers_per_sm)});
    case Station::units: {
      const double wanted = kBytesOfOperands * g.tensor_fmas_per_sm;
      return msg(
          "An SM's tensor cores make {0} multiply-adds per clock. With new operands for each they would "
          "want {1} B of 16-bit inputs per clock: every byte from memory must be used {2} times.",
          {grouped(g.tensor_fmas_per_sm), grouped(std::int64_t(wanted)),
           grouped(std::int64_t(std::round(wanted / from_memory)))});
    }
  }
  return {};
}

namespace {

// Of assets/gpus.json: what the sentence about a station follows from.
const char* figure_of(Station station) {
  constexpr const char* kFigures[] = {"memory_bandwidth", "l2_bytes", "shared_banks", "registers_per_sm",
                                      "tensor_fmas_per_sm"};
  return kFigures[std::size_t(station)];
}

constexpr float kButtons = 26, kLine = 17, kGap = 6;

TextStyle words_style(const Theme& theme) { return {Font::words, 12.5f * theme.type, theme.ink}; }

Params going_on(const ArchitectureScene& scene, std::optional<Station> station) {
  if (!station) return {{"way", std::string("none")}};
  const Part part = part_with(*station);
  Params to = going_to(part, part == Part::chip ? -1 : std::max(0, scene.at.sm));
  to["way"] = std::string(name_of(*station));
  return to;
}

}  // namespace

void draw_lit(Canvas& canvas, const ArchitectureScene& scene, Station station, Rect r) {
  if (!scene.at.lit(station)) return;
  const float w = station == *scene.at.station ? 3.f : 1.5f;
  canvas.stroke_rect(r.inset(-w / 2), color::current, w, 4);
}

std::optional<std::size_t> draw_chain(Canvas& canvas, const Theme& theme, Rect r,
                                      const std::vector<Link>& links, float* end) {
  const float type = theme.type, step = 14 * type;
  const TextStyle style{Font::words_semibold, 12.5f * type, theme.ink, Align::center};
  std::optional<std::size_t> clicked;
  float x = r.x;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const float w = canvas.measure(links[i].title, style) + 22 * type, at = x + (i ? step : 0);
    if (at + w > r.right()) break;
    if (i) {
      const float cx = x + step / 2, cy = r.center().y, d = 3 * type;
      canvas.line({cx - d / 2, cy - d}, {cx + d / 2, cy}, theme.dim, 1.2f);
      canvas.line({cx - d / 2, cy + d}, {cx + d / 2, cy}, theme.dim, 1.2f);
    }
    if (draw_button(canvas, theme, links[i].id, {at, r.y, w, r.h}, links[i].title,
                    links[i].current ? ButtonLook::filled : ButtonLook::plain)
            .clicked)
      clicked = i;
    x = at + w;
  }
  if (end) *end = x;
  return clicked;
}

float way_height(const Canvas& canvas, const Theme& theme, const ArchitectureScene& scene, float width) {
  const Message words = what_it_gives(*scene.at.station, scene.at.gpu);
  return (kButtons + kGap + 2 * kGap) * theme.type +
         kLine * theme.type * float(canvas.count_lines(tr(words), words_style(theme), width));
}

void draw_way(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
              StageEvents& events) {
  const float type = in.theme.type;
  std::vector<Link> links;
  for (const Station station : kStations)
    links.push_back(
        {std::string("stage/way/") + name_of(station), title_of(station), station == *scene.at.station});
  if (const auto clicked = draw_chain(canvas, in.theme, {r.x, r.y, r.w, kButtons * type}, links))
    events.settings = going_on(scene, kStations[*clicked]);
  canvas.hint({r.x, r.y + (kButtons + kGap) * type, r.w, r.h - (kButtons + kGap) * type},
              tr("follows from: {0}", {source_of(scene.at.gpu, figure_of(*scene.at.station))}));
  canvas.text_wrap({r.x, r.y + (kButtons + kGap) * type}, tr(what_it_gives(*scene.at.station, scene.at.gpu)),
                   words_style(in.theme), r.w, kLine * type);
}

void draw_way_button(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
                     StageEvents& events) {
  const std::string title = tr("a product's bytes");
  const TextStyle style{Font::words_semibold, 12.5f * in.theme.type, in.theme.ink, Align::center};
  const float w = canvas.measure(title, style) + 22 * in.theme.type;
  if (w > r.w) return;
  const bool shown = scene.at.station.has_value();
  if (draw_button(canvas, in.theme, "stage/way", {r.right() - w, r.y, w, r.h}, title,
                  shown ? ButtonLook::filled : ButtonLook::plain)
          .clicked)
    events.settings = going_on(scene, shown ? std::nullopt : std::optional(Station::memory));
}

}  // namespace lockstep
