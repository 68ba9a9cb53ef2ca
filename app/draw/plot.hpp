// Lines and points over labelled axes, linear or logarithmic: throughput against resident warps, a roofline.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct PlotAxis {
  std::string label;        // with its unit: "FLOP / byte"
  double min = 0, max = 1;  // max > min; > 0 where logarithmic
  bool logarithmic = false;
};

struct PlotPoint {
  double x = 0, y = 0;
  std::string name;  // written beside it; "" for none
};

enum class PlotMark { line, dashed, dots };

struct PlotSeries {
  std::string name;  // written at its last point inside the axes
  std::vector<PlotPoint> points;
  Color color;
  PlotMark mark = PlotMark::line;
};

struct Plot {
  std::string id;
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  std::optional<double> cursor;  // a vertical line at this x
};

// The point under the pointer.
struct PlotHit {
  std::optional<std::pair<int, int>> hovered;  // series, point
  bool clicked = false;
};

PlotHit draw_plot(Canvas& canvas, const Theme& theme, Rect r, const Plot& plot);

// Round values inside [min, max]: 1, 2 or 5 times a power of ten, at most `most` of them; powers of ten (of
// two, where the range has fewer than two decades) on a logarithmic axis.
std::vector<double> ticks_of(const PlotAxis& axis, int most);
// 1500 -> "1.5 k", 0.25 -> "0.25".
std::string tick_text(double value);

// Bars with a label before and a figure behind each.
struct Bar {
  std::string label, figure;  // "long scoreboard", "62 %"
  double share = 0;           // of the longest bar possible, 0 .. 1
  Color color;
};
// Rows of 24 px from the top of r; returns the index of the row under the pointer.
std::optional<int> draw_bars(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                             const std::vector<Bar>& bars);

}  // namespace lockstep
