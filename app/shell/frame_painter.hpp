// Makes the pixels of a frame, where they are not already there from the frame before: where software makes
// them, that costs more than all else.
#pragma once
#include <cstdint>
#include <optional>

#include "changed_tiles.hpp"

struct ImDrawData;

namespace lockstep {

// Takes the first rectangle out of what is drawn, where it covers everything in one opaque colour: that
// colour.
std::optional<std::uint32_t> take_ground(const ImDrawData& data);

// Needs a current GL context and ImGui with its OpenGL backend.
class FramePainter {
 public:
  // `pixels_kept`: those of the frame before are still there, and only what has changed is drawn. False:
  // nothing has, and nothing was drawn.
  bool paint(ImDrawData& frame, bool pixels_kept);
  void forget() { tiles_.forget(); }  // all has changed

 private:
  ChangedTiles tiles_;
};

}  // namespace lockstep
