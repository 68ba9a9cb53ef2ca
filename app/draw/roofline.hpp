// The roofline as a picture: throughput over arithmetic intensity, both logarithmic; memories as slopes,
// arithmetic as ceilings, kernels as points.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct RooflineSlope {
  std::string name;             // "HBM"
  double bytes_per_second = 0;  // > 0
  Color color;
  std::string source;  // provenance words: "measured", or where the figure is printed
};
struct RooflineCeiling {
  std::string name;  // "FP32"
  double flops = 0;  // per second, > 0
  Color color;
  std::string source;
};
struct RooflinePoint {
  std::string name;
  double intensity = 0, flops = 0;  // FLOP per byte, FLOP per second; not drawn where either is not > 0
  Color color;
  bool current = false;  // drawn larger, its name in ink
  std::string source;
  int slope = 0, ceiling = 0;  // the roof that it is held against
};

struct Roofline {
  std::string id;
  std::vector<RooflineSlope> slopes;  // the ridges of the first one are marked
  std::vector<RooflineCeiling> ceilings;
  std::vector<RooflinePoint> points;
  bool on_panel = false;  // stands on a panel, not on the ground of the stage
};

// The point under the pointer.
struct RooflineHit {
  std::optional<int> point;
  bool clicked = false;
};
RooflineHit draw_roofline(Canvas& canvas, const Theme& theme, Rect r, const Roofline& roofline);

// The axes: decades that hold every point, every ridge and some of each slope and ceiling.
struct RooflineRange {
  double least_intensity = 0, most_intensity = 0, least_flops = 0, most_flops = 0;
};
RooflineRange range_of(const Roofline& roofline);

// "67.0 TFLOP/s", "850 GFLOP/s"
std::string flops_text(double flops_per_second);

}  // namespace lockstep
