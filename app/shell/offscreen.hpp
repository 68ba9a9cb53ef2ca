// Pictures without a display: a GL context through EGL (Mesa's surfaceless platform, or a GPU's device
// platform).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

class GridRenderer;

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  // rows from the top
  std::string renderer;            // GL_RENDERER: "llvmpipe (...)", "NVIDIA H200/PCIe/SSE2"
};

// Renders one ImGui frame of width x height framebuffer pixels. `prepare` runs once a context is current
// (fonts), `draw` between NewFrame and Render. Exit 3 with the cause where no EGL context is to be had.
Result<Image> render_offscreen(int width, int height, const std::function<void()>& prepare,
                               const std::function<void(GridRenderer&)>& draw);

Result<std::vector<std::uint8_t>> encode_png(const Image& image);

// One line for `doctor`: the renderer, or why there is none.
Result<std::string> offscreen_renderer();

}  // namespace lockstep
