// The ImGui maker: draws on the background draw list, resolves hit areas against the pointer, keeps the
// keyboard focus. No ImGui window, no ImGui widget: what is on screen is what the Canvas was told.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"
#include "grid_renderer.hpp"

struct ImDrawCmd;
struct ImDrawList;

namespace lockstep {

// What outlives a frame: areas of the last frame, who holds the pointer, who has the focus.
class Interaction {
 public:
  void move_focus(int direction);  // Tab: +1, Shift+Tab: -1
  void activate_focused() { activate_ = true; }
  void drop_focus() { focus_.clear(); }
  void set_focus(std::string id) { focus_ = std::move(id), reveal_ = true; }
  const std::string& focus() const { return focus_; }
  // True while a hit area holds the pointer or an area under it reacts.
  bool pointer_busy() const { return !active_.empty(); }
  bool shift = false;  // held; set before a frame
  // Areas of the last frame, for tests.
  struct Area {
    std::string id;
    Rect rect;  // logical pixels, already clipped
    bool focusable = false;
    Rect whole, clip;  // as drawn, and the clip in force
  };
  const std::vector<Area>& areas() const { return last_; }
  std::vector<const Area*> stops() const;  // those that Tab reaches, in its order

 private:
  friend class ImGuiCanvas;
  std::vector<Area> last_, now_;
  std::string hot_, active_, right_active_, focus_;
  Vec2 pressed_at_, pointer_, moved_;  // of the pointer; moved: since the last frame
  bool dragged_ = false;
  bool activate_ = false;
  bool activating_ = false;
  bool reveal_ = false;  // the focus has just moved
};

class ImGuiCanvas final : public Canvas {
 public:
  // One per frame, between ImGui's NewFrame and Render. `grids` may be null (no GL): grids are left out then.
  ImGuiCanvas(float scale, Interaction& interaction, GridRenderer* grids);
  ~ImGuiCanvas() override;
  // Draws the tooltip and closes the frame's areas. Call once, last.
  void finish(Color panel, Color line, Color ink, float type, Rect window);

  void fill_rect(Rect r, Color color, float radius) override;
  void stroke_rect(Rect r, Color color, float width, float radius) override;
  void line(Vec2 a, Vec2 b, Color color, float width, float dash) override;
  void polyline(std::span<const Vec2> points, Color color, float width) override;
  void fill_polygon(std::span<const Vec2> points, Color color) override;
  void curve(Vec2 a, Vec2 control_a, Vec2 control_b, Vec2 b, Color color, float width) override;
  void fill_circle(Vec2 center, float radius, Color color) override;
  void stroke_circle(Vec2 center, float radius, Color color, float width, float dash) override;
  void text(Vec2 at, std::string_view utf8, const TextStyle& style) override;
  void grid(std::string_view key, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
            Colormap colors, float gap) override;
  void push_clip(Rect r) override;
  void pop_clip() override;
  Hit hit(std::string_view id, Rect r, bool focusable) override;
  void tooltip(std::string_view utf8) override { tooltip_ = utf8; }
  void hint(Rect r, std::string_view utf8) override;
  std::optional<NewFocus> new_focus() const override { return new_focus_; }
  // What is shown beside the pointer, for tests; known after finish.
  const std::string& tooltip_shown() const { return tooltip_; }

 private:
  void show_hint();
  void draw_tooltip(Color panel, Color line, Color ink, float type, Rect window);
  float scale_;
  Interaction& interaction_;
  GridRenderer* grids_;
  ImDrawList* list_;
  std::vector<Rect> clips_;
  std::string tooltip_;
  std::string hint_;             // of the text under the pointer
  std::size_t areas_below_ = 0;  // the hint: areas drawn before it
  std::optional<NewFocus> new_focus_;
};

// The grid that a command draws; null: it draws none.
const GridDraw* grid_of(const ImDrawCmd& command);

}  // namespace lockstep
