#include "lens.hpp"

#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/draw/canvas_scaled.hpp"
#include "canvas_cairo.hpp"
#include "canvas_imgui.hpp"
#include "compat.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kLensShare = 0.4f;  // of the window's sides
constexpr float kLensRadius = 10, kLensRim = 2;

void draw_lens_rim(Canvas& canvas, const App& app, Rect lens) {
  const Theme theme = app.theme();
  canvas.stroke_rect(lens.inset(-kLensRim / 2), theme.ink, kLensRim, kLensRadius);
}

}  // namespace

Rect lens_area(Rect window, Vec2 pointer) {
  const float w = std::round(window.w * kLensShare), h = std::round(window.h * kLensShare);
  const float x = std::round(pointer.x - w / 2), y = std::round(pointer.y - h / 2), air = 2 * kLensRim;
  return {std::clamp(x, window.x + air, window.right() - w - air),
          std::clamp(y, window.y + air, window.bottom() - h - air), w, h};
}

void draw_enlarged(Canvas& canvas, App& app, Rect window, Vec2 pointer, Vec2 origin) {
  const Vec2 moved{pointer.x * (1 - kLensScale) - origin.x, pointer.y * (1 - kLensScale) - origin.y};
  ScaledCanvas large(canvas, kLensScale, moved);
  draw_presentation(large, app, window);
}

void draw_lens(Canvas& canvas, App& app, Rect window, Vec2 pointer) {
  const Rect lens = lens_area(window, pointer);
  canvas.push_clip(lens);
  draw_enlarged(canvas, app, window, pointer, {});
  canvas.pop_clip();
  draw_lens_rim(canvas, app, lens);
}

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
