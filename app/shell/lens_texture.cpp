// The lens on the screen: a texture that cairo draws.
#include <imgui.h>

#include "canvas_cairo.hpp"
#include "canvas_imgui.hpp"
#include "compat.hpp"
#include "gl.hpp"
#include "lens.hpp"
#include "views.hpp"

namespace lockstep {

void Lens::draw(ImGuiCanvas& canvas, App& app, Rect window, Vec2 pointer, float pixels) {
  const Rect lens = lens_area(window, pointer);
  CairoCanvas paper = CairoCanvas::png(lens.w, lens.h, pixels, app.theme().ground);
  draw_enlarged(paper, app, window, pointer, {lens.x, lens.y});
  const auto image = paper.finish_image();
  if (!image) return;
  if (!texture_) glGenTextures(1, &texture_);
  glBindTexture(GL_TEXTURE_2D, texture_);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
    glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);  // pixel on pixel
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image->width, image->height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               image->rgba.data());
  const ImVec2 from{lens.x * pixels, lens.y * pixels},
      to{from.x + float(image->width), from.y + float(image->height)};
  ImGui::GetBackgroundDrawList()->AddImageRounded(compat::texture_id(texture_), from, to, {0, 0}, {1, 1},
                                                  IM_COL32_WHITE, kLensRadius * pixels);
  draw_lens_rim(canvas, app, lens);
}

}  // namespace lockstep
