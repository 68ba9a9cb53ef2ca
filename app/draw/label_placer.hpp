// Labels in a box that never lie over each other: each takes the first of its spots that is free, is
// shortened to an ellipsis where none is, and is left out where not even that fits.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "canvas.hpp"

namespace lockstep {

// Where a label may stand: the left, middle or right end of its line's vertical middle.
struct LabelSpot {
  Vec2 at;
  Align align = Align::left;
};

class LabelPlacer {
 public:
  LabelPlacer(Canvas& canvas, Rect box) : canvas_(canvas), box_(box) {}
  void keep_clear(Rect area) { taken_.push_back(area); }    // no label lies over it
  void avoid(Vec2 a, Vec2 b) { lines_.push_back({a, b}); }  // labels lie over it only in need
  // Draws the text, on a plate of `ground` where a line runs behind it. False where there is no room; then a
  // hint at `home` says it.
  // Before it is shortened it goes to one of the spots `far` away, with a thin line from `home` to it.
  bool place(std::string_view text, TextStyle style, std::span<const LabelSpot> spots, Color ground,
             Rect home, std::span<const LabelSpot> far = {});

 private:
  struct Line {
    Vec2 a, b;
  };
  Rect rect_at(const LabelSpot& spot, float width, float size) const;
  bool is_free(Rect r) const;
  int crossings(Rect r) const;
  bool place_far(std::string_view text, TextStyle style, std::span<const LabelSpot> far, Color ground,
                 Rect home);
  const LabelSpot* best_spot(std::span<const LabelSpot> spots, float width, float size) const;

  Canvas& canvas_;
  Rect box_;
  std::vector<Rect> taken_;
  std::vector<Line> lines_;
};

// Whether the segment from a to b passes through r.
bool passes_through(Vec2 a, Vec2 b, Rect r);

}  // namespace lockstep
