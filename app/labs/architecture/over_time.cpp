// The launch over time: SMs against time, in the colours of their blocks' waves.
#include <algorithm>
#include <array>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

constexpr float kHead = 24, kAxis = 20, kLabels = 46;

struct TimeFrame {
  Rect plot;
  std::int64_t span_ns = 1;
  float x_of(double ns) const { return plot.x + plot.w * float(ns / double(span_ns)); }
};

// Two strengths of each wave's colour: one place taken, all of them.
constexpr int kFills = 4;

std::array<Color, 256> colors_of(const Theme& theme) {
  std::array<Color, 256> colors{};
  colors.fill(theme.soft);
  for (int wave = 0; wave < 4; ++wave)
    for (int fill = 1; fill <= kFills; ++fill)
      colors[std::size_t(1 + wave * kFills + fill - 1)] =
          mix(theme.soft, wave_color(theme, wave), 0.25f + 0.75f * float(fill) / kFills);
  return colors;
}

// [SM][slice] the wave of the last block to come there, and how many of the SM's places are taken.
std::vector<std::uint8_t> cells_of(const ShownPlacement& shown, int sms, int columns) {
  std::vector<std::uint8_t> taken(std::size_t(sms * columns)), wave(taken.size()), cells(taken.size());
  const double slice = double(std::max<std::int64_t>(1, shown.figures.span_ns)) / columns;
  for (std::size_t b = 0; b < shown.placement.blocks.size(); ++b) {
    const PlacedBlock& block = shown.placement.blocks[b];
    for (int c = std::max(0, int(double(block.begin) / slice)); c < columns && c * slice < double(block.end);
         ++c) {
      const double middle = (c + 0.5) * slice;
      if (middle < double(block.begin) || middle >= double(block.end)) continue;
      const auto cell = std::size_t(block.sm * columns + c);
      ++taken[cell], wave[cell] = std::max(wave[cell], std::uint8_t(std::min(200, shown.seats[b].wave)));
    }
  }
  const int most = std::max(1, int(shown.figures.most_on_one_sm));
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (taken[i])
      cells[i] = std::uint8_t(1 + wave[i] % 4 * kFills + std::clamp(taken[i] * kFills / most, 1, kFills) - 1);
  return cells;
}

std::string id_of(const ShownPlacement& shown) {
  return std::string("stage/over_time/") + (shown.modelled ? "model" : "seen");
}

void draw_axis(Canvas& canvas, const Theme& theme, const TimeFrame& frame) {
  const float type = theme.type, y = frame.plot.bottom();
  for (const TimeTick& tick :
       time_ticks({0, double(frame.span_ns)}, std::max(2, int(frame.plot.w / (90 * type))))) {
    const float x = frame.x_of(tick.ns);
    canvas.line({x, y}, {x, y + 4}, theme.line, 1);
    const Align align = x > frame.plot.right() - 30 * type ? Align::right
                        : x < frame.plot.x + 20            ? Align::left
                                                           : Align::center;
    canvas.text({x, y + 12 * type}, tick.text, {Font::mono, 10.5f * type, theme.dim, align});
  }
}

void draw_now(Canvas& canvas, const Theme& theme, const TimeFrame& frame, double ns) {
  const float x = frame.x_of(ns);
  canvas.line({x, frame.plot.y - 3}, {x, frame.plot.bottom() + 3}, theme.ink, 1.5f);
}

void draw_sms(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene,
              const ShownPlacement& shown, const TimeFrame& frame, StageEvents& events) {
  const Theme& theme = in.theme;
  const int sms = scene.at.gpu.multiprocessors, columns = 240;
  const auto cells = cells_of(shown, sms, columns);
  const auto colors = colors_of(theme);
  canvas.grid(id_of(shown), frame.plot, columns, sms, cells, colors, 0);
  const TextStyle style{Font::mono, 10.5f * theme.type, theme.dim, Align::right};
  canvas.text({frame.plot.x - 6, frame.plot.y + 6 * theme.type}, "SM 0", style);
  canvas.text({frame.plot.x - 6, frame.plot.bottom() - 6 * theme.type}, number_text(sms - 1), style);
  const Hit hit = canvas.hit(id_of(shown), frame.plot);
  if (!hit.hovered) return;
  const int sm = std::clamp(int((hit.pointer.y - frame.plot.y) / frame.plot.h * float(sms)), 0, sms - 1);
  const double ns = double(hit.pointer.x - frame.plot.x) / double(frame.plot.w) * double(frame.span_ns);
  canvas.tooltip("SM " + number_text(sm) + "\n" + us_text(ns / 1e3));
  if (hit.clicked) events.go_to_step = scene.step_at(ns);
}

// The places of one SM, a row each, with the blocks' numbers.
void draw_places(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene,
                 const ShownPlacement& shown, const TimeFrame& frame, StageEvents& events) {
  const Theme& theme = in.theme;
  const int places = std::max(1, int(shown.figures.most_on_one_sm));
  const float h = frame.plot.h / float(places);
  canvas.fill_rect(frame.plot, theme.soft, 2);
  for (std::size_t b = 0; b < shown.placement.blocks.size(); ++b) {
    const PlacedBlock& block = shown.placement.blocks[b];
    if (block.sm != scene.at.sm) continue;
    const float x = frame.x_of(double(block.begin)), end = frame.x_of(double(block.end));
    const Rect bar{x, frame.plot.y + h * float(shown.seats[b].place), std::max(1.f, end - x - 1),
                   std::max(1.f, h - 2)};
    const Color fill = wave_color(theme, shown.seats[b].wave);
    canvas.fill_rect(bar, fill, 2);
    const TextStyle style{Font::mono, 10.5f * theme.type, Theme::on(fill), Align::center};
    const std::string text = number_text(std::int64_t(b));
    if (h >= 14 * theme.type && canvas.measure(text, style) < bar.w - 4)
      canvas.text(bar.center(), text, style);
  }
  const Hit hit = canvas.hit(id_of(shown), frame.plot);
  if (hit.clicked)
    events.go_to_step =
        scene.step_at(double(hit.pointer.x - frame.plot.x) / double(frame.plot.w) * double(frame.span_ns));
}

void draw_one(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene,
              const ShownPlacement& shown, std::int64_t span_ns, Rect r, StageEvents& events) {
  const Theme& theme = in.theme;
  const float type = theme.type, badge = badge_width(canvas, theme, shown.provenance) + 10;
  const bool one = scene.at.part != Part::chip && scene.at.sm >= 0;
  std::string title = one ? tr("SM {0} over time, block by block", {number_text(scene.at.sm)})
                          : tr("The SMs over time, wave by wave");
  if (!scene.seen) title = tr("{0} (not recorded)", {title});
  canvas.text_fit({r.x, r.y + 9 * type}, title, {Font::words_semibold, 13.5f * type, theme.ink}, r.w - badge);
  draw_badge(canvas, theme, {r.right(), r.y + 9 * type}, shown.provenance);
  const float labels = one ? 0 : kLabels * type;
  const TimeFrame frame{{r.x + labels, r.y + kHead * type, r.w - labels, r.h - (kHead + kAxis) * type},
                        std::max<std::int64_t>(1, span_ns)};
  if (one)
    draw_places(canvas, in, scene, shown, frame, events);
  else
    draw_sms(canvas, in, scene, shown, frame, events);
  draw_axis(canvas, theme, frame);
  draw_now(canvas, theme, frame, double(scene.ns_at(in.view.step)));
}

}  // namespace

void draw_over_time(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
                    StageEvents& events) {
  if (!scene.shown()) return;
  const float gap = 26 * in.theme.type;
  const bool both = scene.seen && scene.model && r.w >= 640 * in.theme.type;
  const std::int64_t span =
      std::max(scene.seen ? scene.seen->figures.span_ns : 0,
               both && scene.model ? scene.model->figures.span_ns : scene.shown()->figures.span_ns);
  if (!both) return draw_one(canvas, in, scene, *scene.shown(), scene.shown()->figures.span_ns, r, events);
  const float w = (r.w - gap) / 2;
  draw_one(canvas, in, scene, *scene.seen, span, {r.x, r.y, w, r.h}, events);
  StageEvents aside;  // steps are moments of what was seen
  draw_one(canvas, in, scene, *scene.model, span, {r.x + w + gap, r.y, w, r.h}, aside);
}

}  // namespace lockstep
