// The one place that knows which Dear ImGui this is: Debian 12 has 1.86, and >= 1.90 compiles too.
#pragma once
#include <imgui.h>

namespace lockstep::compat {

inline ImTextureID texture_id(unsigned gl_texture) { return (ImTextureID)(intptr_t)gl_texture; }

// A pointer event, before NewFrame.
inline void mouse_position(ImGuiIO& io, float x, float y) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(x, y);
#else
  io.MousePos = ImVec2(x, y);
#endif
}
inline void mouse_button(ImGuiIO& io, int button, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseButtonEvent(button, down);
#else
  io.MouseDown[button] = down;
#endif
}
inline void mouse_wheel(ImGuiIO& io, float x, float y) {
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseWheelEvent(x, y);
#else
  io.MouseWheelH += x, io.MouseWheel += y;
#endif
}

}  // namespace lockstep::compat
