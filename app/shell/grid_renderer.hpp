// Grids of coloured cells as textures: one quad each, whatever their number of cells.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"

namespace lockstep {

struct GridDraw {
  std::string key;
  Rect area;  // framebuffer pixels
  int columns = 0, rows = 0;
  std::vector<std::uint8_t> values;
  std::array<Color, 256> colors{};
  float gap_px = 0;
};

// Needs a current GL 3.3 context for every call. One per context.
class GridRenderer {
 public:
  GridRenderer();
  ~GridRenderer();
  GridRenderer(const GridRenderer&) = delete;
  GridRenderer& operator=(const GridRenderer&) = delete;
  // Draws inside the scissor box `clip` (framebuffer pixels, y down).
  void draw(const GridDraw& grid, Rect clip, float screen_width, float screen_height);
  bool usable() const { return program_ != 0; }

 private:
  struct Texture {
    unsigned values = 0, table = 0;
    int columns = 0, rows = 0;
    std::vector<std::uint8_t> uploaded;
    std::array<Color, 256> colors{};
  };
  Texture& prepare(const GridDraw& grid);

  unsigned program_ = 0, vertices_ = 0;
  std::map<std::string, Texture> textures_;
};

}  // namespace lockstep
