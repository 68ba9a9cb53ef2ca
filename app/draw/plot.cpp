#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "canvas_story.hpp"
#include "label_placer.hpp"

namespace lockstep {
namespace {

double place(const PlotAxis& axis, double value) {  // 0 .. 1 between min and max
  if (!axis.logarithmic) return (value - axis.min) / (axis.max - axis.min);
  return std::log(std::max(value, 1e-300) / axis.min) / std::log(axis.max / axis.min);
}

std::vector<double> powers(const PlotAxis& axis, double base) {
  std::vector<double> all;
  for (double v = std::pow(base, std::ceil(std::log(axis.min) / std::log(base) - 1e-9));
       v <= axis.max * (1 + 1e-9); v *= base)
    all.push_back(v);
  return all;
}

// Every k-th, so that at most `most` remain.
std::vector<double> thinned(const std::vector<double>& all, int most) {
  const std::size_t step = (all.size() + std::size_t(most) - 1) / std::size_t(most);
  std::vector<double> kept;
  for (std::size_t i = 0; i < all.size(); i += step) kept.push_back(all[i]);
  return kept;
}

struct Frame {
  Rect area;  // between the axes
  const Plot& plot;
  Vec2 at(const PlotPoint& p) const {
    return {area.x + area.w * float(place(plot.x, p.x)), area.bottom() - area.h * float(place(plot.y, p.y))};
  }
};

TextStyle axis_style(const Theme& theme) { return {Font::words, 11 * theme.type, theme.dim, Align::right}; }

// A low plot has the name of its horizontal axis beside the axis' numbers, where it leaves room for those.
bool is_low(const Canvas& canvas, const Theme& theme, Rect r, const Plot& plot) {
  constexpr float kLowPlot = 150, kMostName = 0.3f;  // px at type size 1; of the width
  return r.h < kLowPlot * theme.type &&
         canvas.measure(plot.x.label, axis_style(theme)) <= kMostName * (r.w - 58 * theme.type);
}

Rect axes_area(Rect r, float type, bool low) {
  const float below = low ? 22 : 38;
  return {r.x + 46 * type, r.y + 24 * type, r.w - 58 * type, r.h - (24 + below) * type};
}

void draw_axes(Canvas& canvas, const Theme& theme, const Frame& f, Rect r) {
  const float type = theme.type;
  const Rect a = f.area;
  TextStyle style{Font::mono, 9.5f * type, theme.dim, Align::center};
  const TextStyle label = axis_style(theme);
  const bool low = is_low(canvas, theme, r, f.plot);
  const float label_y = low ? a.bottom() + 12 * type : r.bottom() - 8 * type,
              label_x = a.right() - canvas.measure(f.plot.x.label, label) - 6 * type;
  for (double v : ticks_of(f.plot.x, std::max(2, int(a.w / (64 * type))))) {
    const float x = a.x + a.w * float(place(f.plot.x, v));
    canvas.line({x, a.bottom()}, {x, a.bottom() + 4}, theme.line);
    if (low && x + canvas.measure(tick_text(v), style) / 2 > label_x) continue;
    canvas.text({x, a.bottom() + 12 * type}, tick_text(v), style);
  }
  style.align = Align::right;
  for (double v : ticks_of(f.plot.y, std::max(3, int(a.h / (34 * type))))) {
    const float y = a.bottom() - a.h * float(place(f.plot.y, v));
    canvas.line({a.x, y}, {a.right(), y}, theme.line.with_alpha(0.6f));
    canvas.text({a.x - 6, y}, tick_text(v), style);
  }
  canvas.line({a.x, a.y}, {a.x, a.bottom()}, theme.line);
  canvas.line({a.x, a.bottom()}, {a.right(), a.bottom()}, theme.line);
  canvas.text_fit({a.right(), label_y}, f.plot.x.label, label, a.w);
  canvas.text_fit({r.x, r.y + 8 * type}, f.plot.y.label, {Font::words, 11 * type, theme.dim}, r.w);
}

void draw_series(Canvas& canvas, const Theme& theme, const Frame& f, const PlotSeries& series) {
  std::vector<Vec2> line;
  for (const PlotPoint& p : series.points) line.push_back(f.at(p));
  if (series.mark == PlotMark::line && line.size() > 1)
    canvas.polyline(line, series.color, 2 * std::min(theme.type, 1.3f));
  if (series.mark == PlotMark::dashed)
    for (std::size_t i = 1; i < line.size(); ++i) canvas.line(line[i - 1], line[i], series.color, 1.2f, 4);
  if (series.mark == PlotMark::dots)
    for (Vec2 at : line) canvas.fill_circle(at, 4 * theme.type, series.color);
}

// The nearest dot within 10 px.
std::optional<std::pair<int, int>> point_near(const Frame& f, Vec2 pointer) {
  std::optional<std::pair<int, int>> best;
  float nearest = 10;
  for (int s = 0; s < int(f.plot.series.size()); ++s)
    for (int i = 0; i < int(f.plot.series[std::size_t(s)].points.size()); ++i) {
      const Vec2 at = f.at(f.plot.series[std::size_t(s)].points[std::size_t(i)]);
      const float distance = std::hypot(at.x - pointer.x, at.y - pointer.y);
      if (distance < nearest) nearest = distance, best = {s, i};
    }
  return best;
}

// The name of each series beside it: at its end, or further back where another name stands there.
void name_series(LabelPlacer& placer, const Theme& theme, const Frame& f) {
  const float up = 12 * theme.type;
  for (const PlotSeries& series : f.plot.series) {
    if (series.name.empty() || series.points.empty()) continue;
    std::vector<LabelSpot> spots;
    for (std::size_t back = 0; back < series.points.size(); ++back) {
      const Vec2 at = f.at(series.points[series.points.size() - 1 - back]);
      for (const float y : {at.y - up, at.y + up})
        for (const Align align : {Align::right, Align::left}) spots.push_back({{at.x, y}, align});
    }
    placer.place(series.name, {Font::words_semibold, 10.5f * theme.type, theme.readable(series.color)}, spots,
                 theme.panel, f.area);
  }
}

// Is there another named point right below this one?
bool named_below(const Frame& f, Vec2 at, float near) {
  for (const PlotSeries& series : f.plot.series)
    for (const PlotPoint& point : series.points) {
      const Vec2 other = f.at(point);
      if (!point.name.empty() && std::abs(other.x - at.x) < near && other.y > at.y && other.y < at.y + near)
        return true;
    }
  return false;
}

// The name of each point that has one: beside it, where no other name stands.
void name_points(LabelPlacer& placer, const Theme& theme, const Frame& f) {
  const float aside = 9;
  for (const PlotSeries& series : f.plot.series)
    for (const PlotPoint& point : series.points) {
      if (point.name.empty()) continue;
      const Vec2 at = f.at(point);
      const float r = 4 * theme.type, down = (named_below(f, at, 40 * theme.type) ? -12 : 12) * theme.type;
      const std::vector<LabelSpot> spots{
          {{at.x + aside, at.y + down}, Align::left}, {{at.x - aside, at.y + down}, Align::right},
          {{at.x + aside, at.y - down}, Align::left}, {{at.x - aside, at.y - down}, Align::right},
          {{at.x, at.y + down}, Align::center},       {{at.x, at.y - down}, Align::center}};
      placer.place(point.name, {Font::words_semibold, 10.5f * theme.type, theme.readable(series.color)},
                   spots, theme.panel, {at.x - r, at.y - r, 2 * r, 2 * r});
    }
}

void draw_names(Canvas& canvas, const Theme& theme, const Frame& f) {
  LabelPlacer placer(canvas, {f.area.x, f.area.y - 8, f.area.w + 10, f.area.h + 8});
  for (const PlotSeries& series : f.plot.series)
    for (std::size_t i = 0; i + 1 < series.points.size(); ++i)
      if (series.mark != PlotMark::dots) placer.avoid(f.at(series.points[i]), f.at(series.points[i + 1]));
  if (f.plot.cursor)
    placer.avoid(f.at({*f.plot.cursor, f.plot.y.min, ""}), f.at({*f.plot.cursor, f.plot.y.max, ""}));
  const float r = 4 * theme.type;
  for (const PlotSeries& series : f.plot.series)
    if (series.mark == PlotMark::dots)
      for (const PlotPoint& point : series.points) {
        const Vec2 at = f.at(point);
        placer.keep_clear({at.x - r, at.y - r, 2 * r, 2 * r});
      }
  name_series(placer, theme, f);
  name_points(placer, theme, f);
}

}  // namespace

std::vector<double> ticks_of(const PlotAxis& axis, int most) {
  if (!(axis.max > axis.min) || most < 1 || (axis.logarithmic && axis.min <= 0)) return {};
  if (axis.logarithmic) {
    const bool decades = axis.max / axis.min >= 100;
    return thinned(powers(axis, decades ? 10 : 2), most);
  }
  const double rough = (axis.max - axis.min) / most, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  std::vector<double> all;
  for (double k = std::ceil(axis.min / step - 1e-9); k * step <= axis.max + step * 1e-9; ++k)
    all.push_back(k * step);
  return thinned(all, most);
}

std::string tick_text(double value) {
  const std::pair<double, const char*> units[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  const char* unit = "";
  for (const auto& [size, letter] : units)
    if (std::abs(value) >= size) {
      value /= size, unit = letter;
      break;
    }
  char text[32];
  std::snprintf(text, sizeof text, "%.3g%s", value == 0 ? 0.0 : value, unit);
  return text;
}

PlotHit draw_plot(Canvas& canvas, const Theme& theme, Rect r, const Plot& plot) {
  canvas.landmark("curves", r);
  const Frame f{axes_area(r, theme.type, is_low(canvas, theme, r, plot)), plot};
  if (f.area.w < 40 || f.area.h < 40 || !(plot.x.max > plot.x.min) || !(plot.y.max > plot.y.min)) return {};
  draw_axes(canvas, theme, f, r);
  canvas.push_clip({f.area.x - 6, f.area.y - 6, f.area.w + 12, f.area.h + 12});
  if (plot.cursor) {
    const float x = f.at({*plot.cursor, plot.y.min, ""}).x;
    canvas.line({x, f.area.y}, {x, f.area.bottom()}, theme.ink, 1.5f);
  }
  for (const PlotSeries& series : plot.series) draw_series(canvas, theme, f, series);
  canvas.pop_clip();
  draw_names(canvas, theme, f);
  const Hit hit = canvas.hit(plot.id, f.area);
  if (!hit.hovered) return {};
  return {point_near(f, hit.pointer), hit.clicked};
}

std::optional<int> draw_bars(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                             const std::vector<Bar>& bars) {
  const float type = theme.type, step = 24 * type, gap = 8;
  const TextStyle label{Font::words, 12.5f * type, theme.ink, Align::right},
      figure{Font::mono, 11.5f * type, theme.dim};
  float label_w = 0, figure_w = 0;
  for (const Bar& bar : bars) {
    label_w = std::max(label_w, canvas.measure(bar.label, label));
    figure_w = std::max(figure_w, canvas.measure(bar.figure, figure));
  }
  label_w = std::min(label_w + 1, r.w * 0.5f);
  const float room = std::max(0.f, r.w - label_w - figure_w - 2 * gap);
  std::optional<int> hovered;
  canvas.landmark(kScale, {r.x, r.y, label_w + gap / 2, r.h});
  for (int i = 0; i < int(bars.size()); ++i) {
    const Bar& bar = bars[std::size_t(i)];
    const float y = r.y + (float(i) + 0.5f) * step,
                width = std::max(1.f, room * float(std::clamp(bar.share, 0.0, 1.0)));
    canvas.text_fit({r.x + label_w, y}, bar.label, label, label_w);
    canvas.fill_rect({r.x + label_w + gap, y - 7 * type, width, 14 * type}, bar.color,
                     std::min(3.f, width / 2));
    canvas.text({r.x + label_w + gap + width + gap, y}, bar.figure, figure);
    if (canvas.hit(std::string(id) + "/" + bar.label, {r.x, y - step / 2, r.w, step}).hovered) hovered = i;
  }
  return hovered;
}

}  // namespace lockstep
