// The lens of the presentation in a browser: the canvas itself draws it, with letters of the sizes that it
// has.
#include "app/shell/lens.hpp"

#include "app/shell/canvas_imgui.hpp"

namespace lockstep {

void Lens::draw(ImGuiCanvas& canvas, App& app, Rect window, Vec2 pointer, float) {
  draw_lens(canvas, app, window, pointer);
}

}  // namespace lockstep
