#include "frame_painter.hpp"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <span>
#include <vector>

#include "gl.hpp"

namespace lockstep {
namespace {

void clear(std::span<const PixelBox> boxes, int height, ImU32 colour) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  glClearColor(c.x, c.y, c.z, c.w);
  glEnable(GL_SCISSOR_TEST);
  for (const PixelBox& box : boxes) {
    glScissor(box.left, height - box.bottom, box.right - box.left, box.bottom - box.top);
    glClear(GL_COLOR_BUFFER_BIT);
  }
}

}  // namespace

std::optional<ImU32> take_ground(const ImDrawData& data) {
  if (data.CmdListsCount == 0) return std::nullopt;
  ImDrawList& list = *data.CmdLists[0];
  if (list.CmdBuffer.Size == 0 || list.CmdBuffer[0].ElemCount < 6) return std::nullopt;
  ImDrawCmd& first = list.CmdBuffer[0];
  const ImVec2 from = data.DisplayPos, to{from.x + data.DisplaySize.x, from.y + data.DisplaySize.y};
  const ImVec4& clip = first.ClipRect;
  if (clip.x > from.x || clip.y > from.y || clip.z < to.x || clip.w < to.y) return std::nullopt;
  const ImVec2 corners[] = {from, {to.x, from.y}, to, from, to, {from.x, to.y}};
  const ImVec2 plain = ImGui::GetIO().Fonts->TexUvWhitePixel;
  const ImU32 colour = list.VtxBuffer[int(first.VtxOffset) + list.IdxBuffer[int(first.IdxOffset)]].col;
  if (colour >> IM_COL32_A_SHIFT != 255) return std::nullopt;
  for (int i = 0; i < 6; ++i) {
    const ImDrawVert& v = list.VtxBuffer[int(first.VtxOffset) + list.IdxBuffer[int(first.IdxOffset) + i]];
    if (v.pos.x != corners[i].x || v.pos.y != corners[i].y || v.col != colour || v.uv.x != plain.x ||
        v.uv.y != plain.y)
      return std::nullopt;
  }
  first.IdxOffset += 6, first.ElemCount -= 6;
  return colour;
}

// The ground is made by a clear: where software makes the pixels, it takes half of a frame's time as two
// triangles. Without one what was there before would shine through.
bool FramePainter::paint(ImDrawData& frame, bool pixels_kept) {
  std::vector<PixelBox> boxes = tiles_.update(frame);
  if (boxes.empty()) return false;
  const int width = int(frame.DisplaySize.x), height = int(frame.DisplaySize.y);
  const std::optional<ImU32> ground = take_ground(frame);
  const bool drawn_over = pixels_kept && ground;
  if (!drawn_over) boxes = {{0, 0, width, height}};
  glViewport(0, 0, width, height);
  clear(boxes, height, ground.value_or(IM_COL32_BLACK));
  if (drawn_over) keep_within(frame, boxes);
  ImGui_ImplOpenGL3_RenderDrawData(&frame);
  return true;
}

}  // namespace lockstep
