#include "changed_tiles.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

#include "canvas_imgui.hpp"

namespace lockstep {
namespace {

constexpr int kTilePx = 32;
constexpr std::size_t kMostBoxes = 6;
// A box of its own costs the commands that reach into it once more: about as much as so many pixels.
constexpr std::int64_t kWorthABox = 6 * kTilePx * kTilePx;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 32);
}

std::uint64_t mixed_bytes(std::uint64_t hash, std::span<const std::byte> bytes) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), sizeof hash))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
    hash = mixed(hash, word);
  }
  return hash;
}
// Of types without padding: bytes that differ are values that differ.
template <class T>
std::uint64_t mixed_value(std::uint64_t hash, const T& value) {
  return mixed_bytes(hash, std::as_bytes(std::span(&value, 1)));
}

PixelBox around(float left, float top, float right, float bottom) {
  return {int(std::floor(left)), int(std::floor(top)), int(std::ceil(right)), int(std::ceil(bottom))};
}

PixelBox frame_box(const ImDrawData& frame) {
  return {0, 0, int(frame.DisplaySize.x), int(frame.DisplaySize.y)};
}

// The pixels that a command may reach: ImGui's OpenGL backend drops fractions, a grid takes them whole.
PixelBox reach(const ImDrawCmd& command, PixelBox frame) {
  const ImVec4& clip = command.ClipRect;
  if (command.UserCallback) return common(around(clip.x, clip.y, clip.z, clip.w), frame);
  const int left = int(clip.x), bottom = frame.bottom - int(float(frame.bottom) - clip.w);
  return common({left, bottom - int(clip.w - clip.y), left + int(clip.z - clip.x), bottom}, frame);
}

struct Triangle {
  const ImDrawVert &a, &b, &c;
  PixelBox box() const {
    const auto [left, right] = std::minmax({a.pos.x, b.pos.x, c.pos.x});
    const auto [top, bottom] = std::minmax({a.pos.y, b.pos.y, c.pos.y});
    return around(left, top, right, bottom);
  }
};

Triangle triangle_of(const ImDrawList& list, const ImDrawCmd& command, unsigned first) {
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  const ImDrawIdx* at = list.IdxBuffer.Data + command.IdxOffset + first;
  return {vertices[at[0]], vertices[at[1]], vertices[at[2]]};
}

// The tiles of one frame.
class Tiles {
 public:
  Tiles(int columns, int rows, std::uint64_t frame_number)
      : columns_(columns), frame_number_(frame_number), hashes_(std::size_t(columns) * std::size_t(rows)) {}

  void draw(const ImDrawList& list, PixelBox frame) {
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const PixelBox reached = reach(command, frame);
      if (command.UserCallback == ImDrawCallback_ResetRenderState || reached.empty()) continue;
      if (command.UserCallback)
        draw_callback(command, reached);
      else
        draw_triangles(list, command, reached);
    }
  }
  std::vector<std::uint64_t> take_hashes() { return std::move(hashes_); }

 private:
  void draw_callback(const ImDrawCmd& command, PixelBox reached) {
    std::uint64_t hash = mixed_value(0, reached);
    const GridDraw* grid = grid_of(command);
    if (!grid) return mix(reached, mixed(hash, frame_number_));
    hash = mixed_value(mixed_value(hash, grid->area), grid->gap_px);
    hash = mixed_value(mixed_value(hash, grid->columns), grid->rows);
    hash = mixed_bytes(hash, std::as_bytes(std::span(grid->colors)));
    hash = mixed_bytes(hash, std::as_bytes(std::span(grid->values)));
    const Rect& area = grid->area;
    mix(common(around(area.x, area.y, area.right(), area.bottom()), reached), hash);
  }

  void draw_triangles(const ImDrawList& list, const ImDrawCmd& command, PixelBox reached) {
    std::uint64_t of_command = mixed_value(0, reached);
    if (command.TextureId != ImGui::GetIO().Fonts->TexID) of_command = mixed(of_command, frame_number_);
    for (unsigned i = 0; i < command.ElemCount; i += 3) {
      const Triangle t = triangle_of(list, command, i);
      std::uint64_t hash = of_command;
      for (const ImDrawVert* v : {&t.a, &t.b, &t.c}) hash = mixed_value(hash, *v);
      mix(common(t.box(), reached), hash);
    }
  }

  void mix(PixelBox box, std::uint64_t hash) {
    if (box.empty()) return;
    for (int row = box.top / kTilePx; row <= (box.bottom - 1) / kTilePx; ++row)
      for (int column = box.left / kTilePx; column <= (box.right - 1) / kTilePx; ++column) {
        std::uint64_t& tile = hashes_[std::size_t(row) * std::size_t(columns_) + std::size_t(column)];
        tile = mixed(tile, hash);
      }
  }

  int columns_;
  std::uint64_t frame_number_;
  std::vector<std::uint64_t> hashes_;
};

PixelBox both(PixelBox a, PixelBox b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

// The pixels that are drawn in vain where two boxes are made one. Those that overlap have to be.
std::int64_t waste(PixelBox a, PixelBox b) {
  return common(a, b).empty() ? both(a, b).area() - a.area() - b.area() : 0;
}

// Joins the two boxes that waste least, where that is worth it.
bool join_two(std::vector<PixelBox>& boxes) {
  std::int64_t least = boxes.size() > kMostBoxes ? INT64_MAX : kWorthABox;
  std::pair<std::size_t, std::size_t> chosen{};
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (const std::int64_t w = waste(boxes[i], boxes[k]); w < least) least = w, chosen = {i, k};
  const auto [later, earlier] = chosen;
  if (later == earlier) return false;
  boxes[earlier] = both(boxes[earlier], boxes[later]);
  boxes.erase(boxes.begin() + std::ptrdiff_t(later));
  return true;
}

void add(std::vector<PixelBox>& boxes, PixelBox box) {
  boxes.push_back(box);
  while (join_two(boxes)) {
  }
}

}  // namespace

PixelBox common(PixelBox a, PixelBox b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

std::vector<PixelBox> ChangedTiles::update(const ImDrawData& frame) {
  const PixelBox whole = frame_box(frame);
  const int columns = (whole.right + kTilePx - 1) / kTilePx, rows = (whole.bottom + kTilePx - 1) / kTilePx;
  Tiles tiles(columns, rows, ++frames_);
  for (int i = 0; i < frame.CmdListsCount; ++i) tiles.draw(*frame.CmdLists[i], whole);
  const std::vector<std::uint64_t> before = std::exchange(hashes_, tiles.take_hashes());
  const bool comparable = size_ == whole && before.size() == hashes_.size();
  size_ = whole;
  if (!comparable) return {whole};
  std::vector<PixelBox> boxes;
  for (std::size_t i = 0; i < hashes_.size(); ++i)
    if (hashes_[i] != before[i]) {
      const int left = int(i) % columns * kTilePx, top = int(i) / columns * kTilePx;
      add(boxes, common({left, top, left + kTilePx, top + kTilePx}, whole));
    }
  return boxes;
}

namespace {

// A list of what reaches into boxes, as it grows.
class ListWithin {
 public:
  ListWithin(ImDrawList& list, PixelBox frame) : list_(list), frame_(frame) {}

  void add(const ImDrawCmd& command, std::span<const PixelBox> boxes) {
    if (command.UserCallback == ImDrawCallback_ResetRenderState) return add_reset(command);
    const PixelBox reached = reach(command, frame_);
    for (const PixelBox& box : boxes) {
      const PixelBox left = common(reached, box);
      if (!left.empty()) add_cut(command, left);
    }
  }
  void finish() { list_.CmdBuffer.swap(commands_), list_.IdxBuffer.swap(indices_); }

 private:
  // Needed behind a callback that is still there.
  void add_reset(const ImDrawCmd& command) {
    if (!commands_.empty() && commands_.back().UserCallback) commands_.push_back(command);
  }

  void add_cut(ImDrawCmd command, PixelBox box) {
    const int first = indices_.Size;
    for (unsigned i = 0; i < command.ElemCount; i += 3)
      if (!common(triangle_of(list_, command, i).box(), box).empty())
        for (unsigned corner = 0; corner < 3; ++corner)
          indices_.push_back(list_.IdxBuffer[int(command.IdxOffset + i + corner)]);
    if (!command.UserCallback && indices_.Size == first) return;
    command.ClipRect = {float(box.left), float(box.top), float(box.right), float(box.bottom)};
    command.IdxOffset = unsigned(first), command.ElemCount = unsigned(indices_.Size - first);
    commands_.push_back(command);
  }

  ImDrawList& list_;
  PixelBox frame_;
  ImVector<ImDrawCmd> commands_;
  ImVector<ImDrawIdx> indices_;
};

}  // namespace

void keep_within(ImDrawData& frame, std::span<const PixelBox> boxes) {
  const PixelBox whole = frame_box(frame);
  for (int i = 0; i < frame.CmdListsCount; ++i) {
    ListWithin kept(*frame.CmdLists[i], whole);
    for (const ImDrawCmd& command : frame.CmdLists[i]->CmdBuffer) kept.add(command, boxes);
    kept.finish();
  }
}

}  // namespace lockstep
