// A canvas whose hit areas and grids have names of their own: the same picture can be drawn twice.
#pragma once
#include "canvas_forward.hpp"

namespace lockstep {

class PrefixedCanvas : public ForwardCanvas {
 public:
  PrefixedCanvas(Canvas& canvas, std::string prefix) : ForwardCanvas(canvas), prefix_(std::move(prefix)) {}

  void grid(std::string_view key, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
            Colormap colors, float gap) override {
    canvas_.grid(named(key), r, columns, rows, values, colors, gap);
  }
  Hit hit(std::string_view id, Rect r, bool focusable) override {
    return canvas_.hit(named(id), r, focusable);
  }

 private:
  std::string named(std::string_view id) const { return prefix_ + std::string(id); }

  std::string prefix_;
};

// The same where nothing of the picture reacts: what lies under it is clicked and has the tooltip.
class StillCanvas final : public PrefixedCanvas {
 public:
  using PrefixedCanvas::PrefixedCanvas;
  Hit hit(std::string_view, Rect, bool) override { return {}; }
  void tooltip(std::string_view) override {}
  void hint(Rect, std::string_view) override {}
  void landmark(std::string_view, Rect) override {}
};

}  // namespace lockstep
