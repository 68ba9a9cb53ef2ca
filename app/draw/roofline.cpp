#include "roofline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/model/roofline.hpp"
#include "controls.hpp"
#include "label_placer.hpp"
#include "language.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

constexpr double kTera = 1e12;

bool drawable(const RooflinePoint& p) {
  return p.intensity > 0 && p.flops > 0 && std::isfinite(p.intensity) && std::isfinite(p.flops);
}
bool drawable(const Roofline& r) {
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  return !r.slopes.empty() && !r.ceilings.empty() &&
         std::all_of(r.slopes.begin(), r.slopes.end(),
                     [&](const RooflineSlope& s) { return positive(s.bytes_per_second); }) &&
         std::all_of(r.ceilings.begin(), r.ceilings.end(),
                     [&](const RooflineCeiling& c) { return positive(c.flops); });
}

double highest(const Roofline& r) {
  double most = 0;
  for (const RooflineCeiling& c : r.ceilings) most = std::max(most, c.flops);
  return most;
}
double steepest(const Roofline& r) {
  double most = 0;
  for (const RooflineSlope& s : r.slopes) most = std::max(most, s.bytes_per_second);
  return most;
}

struct Frame {
  Rect area;
  RooflineRange range;
  Color ground;  // behind the picture
  bool figures;  // there is room for them beside the names of slopes and ceilings
  float x(double intensity) const {
    return area.x + area.w * float(std::log(intensity / range.least_intensity) /
                                   std::log(range.most_intensity / range.least_intensity));
  }
  float y(double flops) const {
    return area.bottom() - area.h * float(std::log(flops / range.least_flops) /
                                          std::log(range.most_flops / range.least_flops));
  }
  Vec2 at(double intensity, double flops) const { return {x(intensity), y(flops)}; }
};

// "0.1", "1", "1000"
std::string decade_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}
std::string intensity_text(double intensity) {
  char text[32];
  std::snprintf(text, sizeof text,
                intensity < 9.995   ? "%.2f"
                : intensity < 99.95 ? "%.1f"
                                    : "%.0f",
                intensity);
  return text;
}

std::vector<double> decades(double least, double most, int at_most) {
  const int first = int(std::ceil(std::log10(least) - 1e-9)), last = int(std::floor(std::log10(most) + 1e-9));
  const int step = std::max(1, (last - first) / std::max(1, at_most) + 1);
  std::vector<double> all;
  for (int power = first; power <= last; power += step) all.push_back(std::pow(10, power));
  return all;
}

void draw_axes(Canvas& canvas, const Theme& theme, const Frame& f, Rect r) {
  const float type = theme.type;
  const Rect a = f.area;
  TextStyle style{Font::mono, 9.5f * type, theme.dim, Align::center};
  for (double v : decades(f.range.least_intensity, f.range.most_intensity, int(a.w / (40 * type)))) {
    canvas.line({f.x(v), a.bottom()}, {f.x(v), a.bottom() + 4}, theme.line);
    const float half = canvas.measure(decade_text(v), style) / 2;
    canvas.text({std::min(f.x(v), r.right() - half), a.bottom() + 11 * type}, decade_text(v), style);
  }
  style.align = Align::right;
  for (double v : decades(f.range.least_flops, f.range.most_flops, int(a.h / (18 * type)))) {
    canvas.line({a.x, f.y(v)}, {a.right(), f.y(v)}, theme.line.with_alpha(0.5f));
    canvas.text({a.x - 6, f.y(v)}, decade_text(v / kTera), style);
  }
  canvas.line({a.x, a.bottom()}, {a.right(), a.bottom()}, theme.line);
  canvas.text_fit({r.x, r.y + 7 * type}, tr("TFLOP/s"), {Font::words, 10.5f * type, theme.dim}, a.w);
  canvas.text_fit({a.right(), r.bottom() - 7 * type}, tr("FLOP / byte"),
                  {Font::words, 10.5f * type, theme.dim, Align::right}, a.w);
}

struct Segment2 {
  Vec2 a, b;
};

// From where the slope enters the picture to the highest ceiling.
Segment2 slope_line(const Frame& f, const RooflineSlope& slope, double top) {
  const double left = std::max(f.range.least_intensity, f.range.least_flops / slope.bytes_per_second);
  const double right = std::clamp(ridge(top, slope.bytes_per_second), left, f.range.most_intensity);
  return {f.at(left, left * slope.bytes_per_second), f.at(right, right * slope.bytes_per_second)};
}
// From the steepest slope to the right edge.
Segment2 ceiling_line(const Frame& f, const RooflineCeiling& ceiling, double steepest) {
  const double left =
      std::clamp(ridge(ceiling.flops, steepest), f.range.least_intensity, f.range.most_intensity);
  return {f.at(left, ceiling.flops), {f.area.right(), f.y(ceiling.flops)}};
}

void draw_lines(Canvas& canvas, const Theme& theme, const Frame& f, const Roofline& r, LabelPlacer& labels) {
  const float width = 1.8f * std::min(theme.type, 1.3f);
  for (const RooflineCeiling& c : r.ceilings) {
    const Segment2 s = ceiling_line(f, c, steepest(r));
    canvas.line(s.a, s.b, c.color, width);
    labels.avoid(s.a, s.b);
  }
  for (const RooflineSlope& slope : r.slopes) {
    const Segment2 s = slope_line(f, slope, highest(r));
    canvas.line(s.a, s.b, slope.color, width);
    labels.avoid(s.a, s.b);
  }
}

// Where the first slope meets a ceiling: a ring, and a dashed line down to the axis.
void draw_ridges(Canvas& canvas, const Theme& theme, const Frame& f, const Roofline& r, LabelPlacer& labels) {
  for (const RooflineCeiling& c : r.ceilings) {
    const double at = ridge(c.flops, r.slopes[0].bytes_per_second);
    if (at <= f.range.least_intensity || at >= f.range.most_intensity) continue;
    const Vec2 p = f.at(at, c.flops);
    canvas.line(p, {p.x, f.area.bottom()}, theme.dim.with_alpha(0.7f), 1, 3);
    labels.avoid(p, {p.x, f.area.bottom()});
    canvas.fill_circle(p, 3.5f * theme.type, f.ground);
    canvas.stroke_circle(p, 3.5f * theme.type, theme.dim, 1.3f);
  }
}

float radius_of(const Theme& theme, const RooflinePoint& p) { return (p.current ? 6.f : 4.f) * theme.type; }

Rect around(Vec2 at, float radius) { return {at.x - radius, at.y - radius, 2 * radius, 2 * radius}; }

void draw_points(Canvas& canvas, const Theme& theme, const Frame& f, const Roofline& r, LabelPlacer& labels) {
  for (const bool current : {false, true})  // the current one above the others
    for (const RooflinePoint& p : r.points) {
      if (!drawable(p) || p.current != current) continue;
      const Vec2 at = f.at(p.intensity, p.flops);
      canvas.fill_circle(at, radius_of(theme, p) + 1.2f, f.ground);
      canvas.fill_circle(at, radius_of(theme, p), p.color);
      labels.keep_clear(around(at, radius_of(theme, p) + 1));
    }
}

// Around a point, from near to far.
std::vector<LabelSpot> far_spots(Vec2 at, float type) {
  std::vector<LabelSpot> spots;
  for (const float distance : {26.f, 40.f, 56.f, 76.f, 100.f, 130.f, 160.f})
    for (const int degrees : {-90, -60, -120, 60, 120, 90, -30, -150, 30, 150, 0, 180}) {
      const float angle = float(degrees) * 3.14159265f / 180;
      const Vec2 to{at.x + distance * type * std::cos(angle), at.y + distance * type * std::sin(angle)};
      spots.push_back({to, std::abs(degrees) == 90  ? Align::center
                           : std::abs(degrees) < 90 ? Align::left
                                                    : Align::right});
    }
  return spots;
}

void label_points(const Theme& theme, const Frame& f, const Roofline& r, LabelPlacer& labels) {
  const float down = 11 * theme.type;
  for (const bool current : {true, false})
    for (const RooflinePoint& p : r.points) {
      if (!drawable(p) || p.current != current || p.name.empty()) continue;
      const Vec2 at = f.at(p.intensity, p.flops);
      const float side = radius_of(theme, p) + 5;
      const LabelSpot spots[] = {{{at.x + side, at.y}, Align::left},
                                 {{at.x + side, at.y + down}, Align::left},
                                 {{at.x - side, at.y}, Align::right},
                                 {{at.x - side, at.y - down}, Align::right},
                                 {{at.x, at.y + down + side - 4}, Align::center},
                                 {{at.x, at.y - down - side + 4}, Align::center},
                                 {{at.x + side, at.y - down}, Align::left},
                                 {{at.x - side, at.y + down}, Align::right}};
      const TextStyle style{current ? Font::words_semibold : Font::words, 10.5f * theme.type,
                            current ? theme.ink : theme.dim};
      labels.place(p.name, style, spots, f.ground, around(at, side), far_spots(at, theme.type));
    }
}

void label_ceilings(const Theme& theme, const Frame& f, const Roofline& r, LabelPlacer& labels) {
  const float off = 9 * theme.type;
  for (const RooflineCeiling& c : r.ceilings) {
    const Segment2 s = ceiling_line(f, c, steepest(r));
    const std::string text = f.figures ? c.name + " " + flops_text(c.flops) : c.name;
    const LabelSpot spots[] = {{{s.b.x, s.b.y - off}, Align::right},
                               {{s.b.x, s.b.y + off}, Align::right},
                               {{(s.a.x + s.b.x) / 2, s.a.y - off}, Align::center},
                               {{s.a.x + 6, s.a.y - off}, Align::left}};
    labels.place(text, {Font::words, 10.5f * theme.type, theme.readable(c.color)}, spots, f.ground,
                 {s.a.x, s.a.y - 3, s.b.x - s.a.x, 6});
  }
}

// Beside the slope: left of it where no steeper one is, right of it where no flatter one is.
void label_slopes(const Theme& theme, const Frame& f, const Roofline& r, LabelPlacer& labels) {
  double flattest = steepest(r);
  for (const RooflineSlope& slope : r.slopes) flattest = std::min(flattest, slope.bytes_per_second);
  for (const RooflineSlope& slope : r.slopes) {
    const Segment2 s = slope_line(f, slope, highest(r));
    std::vector<LabelSpot> spots;
    for (const float t : {0.5f, 0.35f, 0.65f, 0.2f, 0.8f, 0.08f, 0.92f}) {
      const Vec2 at{s.a.x + (s.b.x - s.a.x) * t, s.a.y + (s.b.y - s.a.y) * t};
      if (slope.bytes_per_second < steepest(r) || r.slopes.size() == 1)
        spots.push_back({{at.x + 9, at.y + 5 * theme.type}, Align::left});
      if (slope.bytes_per_second > flattest || r.slopes.size() == 1)
        spots.push_back({{at.x - 9, at.y - 5 * theme.type}, Align::right});
    }
    labels.place(f.figures ? slope.name + " " + rate_text(slope.bytes_per_second) : slope.name,
                 {Font::words, 10.5f * theme.type, theme.readable(slope.color)}, spots, f.ground,
                 around({(s.a.x + s.b.x) / 2, (s.a.y + s.b.y) / 2}, 8));
  }
}

void label_ridges(const Theme& theme, const Frame& f, const Roofline& r, LabelPlacer& labels) {
  for (const RooflineCeiling& c : r.ceilings) {
    const double at = ridge(c.flops, r.slopes[0].bytes_per_second);
    if (at <= f.range.least_intensity || at >= f.range.most_intensity) continue;
    const float x = f.x(at), y = f.area.bottom() - 9 * theme.type;
    const LabelSpot spots[] = {{{x + 4, y}, Align::left},
                               {{x - 4, y}, Align::right},
                               {{x + 4, y - 14 * theme.type}, Align::left},
                               {{x - 4, y - 14 * theme.type}, Align::right}};
    labels.place(f.figures ? tr("ridge {0}", {intensity_text(at)}) : intensity_text(at),
                 {Font::words, 10.5f * theme.type, theme.dim}, spots, f.ground, around(f.at(at, c.flops), 5));
  }
}

std::string with_source(std::string text, const std::string& source) {
  return source.empty() ? text : text + "\n" + provenance_text(source);
}

// The nearest point within reach of the pointer.
std::optional<int> point_near(const Theme& theme, const Frame& f, const Roofline& r, Vec2 pointer) {
  std::optional<int> best;
  float nearest = 10 * theme.type;
  for (int i = 0; i < int(r.points.size()); ++i) {
    const RooflinePoint& p = r.points[std::size_t(i)];
    if (!drawable(p)) continue;
    const Vec2 at = f.at(p.intensity, p.flops);
    const float distance = std::hypot(at.x - pointer.x, at.y - pointer.y);
    if (distance < nearest) nearest = distance, best = i;
  }
  return best;
}

std::string story_of(const Roofline& r, const RooflinePoint& p) {
  const RooflineSlope& slope = r.slopes[std::size_t(std::clamp(p.slope, 0, int(r.slopes.size()) - 1))];
  const RooflineCeiling& ceiling =
      r.ceilings[std::size_t(std::clamp(p.ceiling, 0, int(r.ceilings.size()) - 1))];
  const double roof = attainable(ceiling.flops, slope.bytes_per_second, p.intensity);
  const bool by_memory = p.intensity < ridge(ceiling.flops, slope.bytes_per_second);
  return p.name + "\n" + tr("{0} at {1} FLOP / byte", {flops_text(p.flops), intensity_text(p.intensity)}) +
         "\n" +
         tr("{0} of what {1} allows here: {2}",
            {percent_text(p.flops / roof), by_memory ? slope.name : ceiling.name, flops_text(roof)});
}

// What a line or a ridge under the pointer says; "" for none.
std::string line_story(const Frame& f, const Roofline& r, Vec2 pointer) {
  constexpr float kReach = 5;
  const Rect reach = around(pointer, kReach);
  for (const RooflineCeiling& c : r.ceilings) {
    const double at = ridge(c.flops, r.slopes[0].bytes_per_second);
    const Vec2 p = f.at(at, c.flops);
    if (std::hypot(p.x - pointer.x, p.y - pointer.y) < 2 * kReach)
      return tr("ridge of {0} and {1}: {2} FLOP / byte", {r.slopes[0].name, c.name, intensity_text(at)});
  }
  for (const RooflineSlope& slope : r.slopes)
    if (const Segment2 s = slope_line(f, slope, highest(r)); passes_through(s.a, s.b, reach))
      return with_source(slope.name + ": " + rate_text(slope.bytes_per_second), slope.source);
  for (const RooflineCeiling& c : r.ceilings)
    if (const Segment2 s = ceiling_line(f, c, steepest(r)); passes_through(s.a, s.b, reach))
      return with_source(c.name + ": " + flops_text(c.flops), c.source);
  return "";
}

}  // namespace

RooflineRange range_of(const Roofline& r) {
  const double top = highest(r), first = r.slopes[0].bytes_per_second;
  double left = ridge(top, steepest(r)) / 10, right = 0, low = top;
  for (const RooflineCeiling& c : r.ceilings) {
    left = std::min(left, ridge(c.flops, first) / 20), right = std::max(right, ridge(c.flops, first) * 5);
    low = std::min(low, c.flops / 20);
  }
  for (const RooflinePoint& p : r.points) {
    if (!drawable(p)) continue;
    left = std::min(left, p.intensity / 2), right = std::max(right, p.intensity * 2.5);
    low = std::min(low, p.flops / 2.5);
  }
  const auto decade = [](double x) { return std::pow(10, std::floor(std::log10(x))); };
  return {decade(left), right, std::min(low, decade(left) * first * 2), top * 4};
}

std::string flops_text(double flops) {
  const bool tera = flops >= 0.9995 * kTera, giga = flops >= 0.9995e9;
  const double value = flops / (tera ? kTera : giga ? 1e9 : 1e6);
  char text[40];
  std::snprintf(text, sizeof text, "%.*f %s",
                value < 9.995   ? 2
                : value < 99.95 ? 1
                                : 0,
                value,
                tera   ? "TFLOP/s"
                : giga ? "GFLOP/s"
                       : "MFLOP/s");
  return text;
}

RooflineHit draw_roofline(Canvas& canvas, const Theme& theme, Rect r, const Roofline& roofline) {
  canvas.landmark("roofline", r);
  const float type = theme.type;
  const Rect area{r.x + 36 * type, r.y + 18 * type, r.w - 42 * type, r.h - 50 * type};
  if (!drawable(roofline) || area.w < 60 || area.h < 40) return {};
  const bool roomy = area.w >= 320 * type || roofline.slopes.size() + roofline.ceilings.size() <= 2;
  const Frame f{area, range_of(roofline), roofline.on_panel ? theme.panel : theme.ground, roomy};
  const Hit hit = canvas.hit(roofline.id, area);  // before the labels: their hints lie above it
  LabelPlacer labels(canvas, area);
  draw_axes(canvas, theme, f, r);
  draw_lines(canvas, theme, f, roofline, labels);
  draw_ridges(canvas, theme, f, roofline, labels);
  draw_points(canvas, theme, f, roofline, labels);
  // Those of lines have few places; a point's may go far.
  label_ceilings(theme, f, roofline, labels);
  label_slopes(theme, f, roofline, labels);
  label_ridges(theme, f, roofline, labels);
  label_points(theme, f, roofline, labels);
  if (!hit.hovered) return {};
  const auto point = point_near(theme, f, roofline, hit.pointer);
  const std::string story = point ? with_source(story_of(roofline, roofline.points[std::size_t(*point)]),
                                                roofline.points[std::size_t(*point)].source)
                                  : line_story(f, roofline, hit.pointer);
  if (!story.empty()) canvas.tooltip(story);
  return {point, hit.clicked && point};
}

}  // namespace lockstep
