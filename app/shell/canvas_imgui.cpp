#include "canvas_imgui.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/draw/text_metrics.hpp"
#include "fonts.hpp"

namespace lockstep {
namespace {

constexpr float kTremor = 4;  // px that a click may move

ImU32 packed(Color c) { return IM_COL32(c.r, c.g, c.b, c.a); }

Rect intersection(Rect a, Rect b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.f, std::min(a.right(), b.right()) - x),
          std::max(0.f, std::min(a.bottom(), b.bottom()) - y)};
}

// What a draw-list callback needs when the list is rendered; kept until the next frame begins.
struct PendingGrid {
  GridDraw draw;
  GridRenderer* renderer;
  float screen_width, screen_height;
};
std::vector<std::unique_ptr<PendingGrid>>& pending_grids() {
  static std::vector<std::unique_ptr<PendingGrid>> all;
  return all;
}

void render_grid(const ImDrawList*, const ImDrawCmd* command) {
  const auto* p = static_cast<const PendingGrid*>(command->UserCallbackData);
  const ImVec4& clip = command->ClipRect;
  const float left = std::floor(clip.x), top = std::floor(clip.y);
  p->renderer->draw(p->draw, {left, top, std::ceil(clip.z) - left, std::ceil(clip.w) - top}, p->screen_width,
                    p->screen_height);
}

}  // namespace

const GridDraw* grid_of(const ImDrawCmd& command) {
  if (command.UserCallback != render_grid) return nullptr;
  return &static_cast<const PendingGrid*>(command.UserCallbackData)->draw;
}

// Behind a veil (an open list) nothing can be reached.
std::vector<const Interaction::Area*> Interaction::stops() const {
  std::vector<const Area*> stops;
  for (const Area& area : last_) {
    if (area.id.starts_with("veil/")) stops.clear();
    if (area.focusable) stops.push_back(&area);
  }
  return stops;
}

void Interaction::move_focus(int direction) {
  const auto stops = this->stops();
  if (stops.empty()) return;
  const auto current =
      std::find_if(stops.begin(), stops.end(), [&](const Area* a) { return a->id == focus_; });
  const int count = int(stops.size());
  const int at = current == stops.end() ? (direction > 0 ? -1 : count) : int(current - stops.begin());
  focus_ = stops[std::size_t((at + direction + count) % count)]->id;
  reveal_ = true;
}

ImGuiCanvas::ImGuiCanvas(float scale, Interaction& interaction, GridRenderer* grids)
    : scale_(scale), interaction_(interaction), grids_(grids), list_(ImGui::GetBackgroundDrawList()) {
  const ImGuiIO& io = ImGui::GetIO();
  clips_.push_back({0, 0, io.DisplaySize.x / scale, io.DisplaySize.y / scale});
  pending_grids().clear();
  Interaction& i = interaction_;
  i.now_.clear();
  i.activating_ = i.activate_, i.activate_ = false;
  i.hot_.clear();
  if (std::exchange(i.reveal_, false))
    for (const auto& area : i.last_)
      if (area.focusable && area.id == i.focus_) new_focus_ = NewFocus{area.whole, area.clip};
  const Vec2 pointer{io.MousePos.x / scale, io.MousePos.y / scale};
  for (const auto& area : i.last_)
    if (area.rect.contains(pointer)) i.hot_ = area.id;  // later areas lie above earlier ones
  i.moved_ = {pointer.x - i.pointer_.x, pointer.y - i.pointer_.y};
  i.pointer_ = pointer;
  if (ImGui::IsMouseClicked(0))
    i.active_ = i.hot_, i.pressed_at_ = pointer, i.dragged_ = false, i.focus_.clear();
  i.dragged_ |= std::hypot(pointer.x - i.pressed_at_.x, pointer.y - i.pressed_at_.y) > kTremor;
  if (ImGui::IsMouseClicked(1)) i.right_active_ = i.hot_;
}

ImGuiCanvas::~ImGuiCanvas() = default;

void ImGuiCanvas::finish(Color panel, Color line, Color ink, float type, Rect window) {
  if (tooltip_.empty() && !hint_.empty() && interaction_.active_.empty()) show_hint();
  if (!tooltip_.empty()) draw_tooltip(panel, line, ink, type, window);
  Interaction& i = interaction_;
  if (ImGui::IsMouseReleased(0) || !ImGui::IsMouseDown(0)) i.active_.clear();
  if (!ImGui::IsMouseDown(1)) i.right_active_.clear();
  const auto has_focus = [&](const Interaction::Area& area) { return area.focusable && area.id == i.focus_; };
  if (std::none_of(i.now_.begin(), i.now_.end(), has_focus)) {  // its area is gone
    i.focus_.resize(std::min(i.focus_.rfind('/'), i.focus_.size()));
    i.reveal_ = std::any_of(i.now_.begin(), i.now_.end(), has_focus);  // a list stands for its choices
    if (!i.reveal_) i.focus_.clear();
  }
  i.last_ = std::move(i.now_);
}

void ImGuiCanvas::fill_rect(Rect r, Color c, float radius) {
  if (c.a)
    list_->AddRectFilled({r.x * scale_, r.y * scale_}, {r.right() * scale_, r.bottom() * scale_}, packed(c),
                         radius * scale_);
}

void ImGuiCanvas::stroke_rect(Rect r, Color c, float width, float radius) {
  list_->AddRect({r.x * scale_, r.y * scale_}, {r.right() * scale_, r.bottom() * scale_}, packed(c),
                 radius * scale_, 0, width * scale_);
}

void ImGuiCanvas::line(Vec2 a, Vec2 b, Color c, float width, float dash) {
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  if (dash <= 0 || length <= 0) {
    list_->AddLine({a.x * scale_, a.y * scale_}, {b.x * scale_, b.y * scale_}, packed(c), width * scale_);
    return;
  }
  const auto point = [&](float d) {
    return ImVec2((a.x + (b.x - a.x) * d / length) * scale_, (a.y + (b.y - a.y) * d / length) * scale_);
  };
  for (float d = 0; d < length; d += 2 * dash)
    list_->AddLine(point(d), point(std::min(length, d + dash)), packed(c), width * scale_);
}

void ImGuiCanvas::polyline(std::span<const Vec2> points, Color c, float width) {
  std::vector<ImVec2> scaled;
  for (Vec2 p : points) scaled.emplace_back(p.x * scale_, p.y * scale_);
  list_->AddPolyline(scaled.data(), int(scaled.size()), packed(c), 0, width * scale_);
}

void ImGuiCanvas::fill_polygon(std::span<const Vec2> points, Color c) {
  std::vector<ImVec2> scaled;
  for (Vec2 p : points) scaled.emplace_back(p.x * scale_, p.y * scale_);
  // ImGui smooths the edges of clockwise polygons alone.
  float area = 0;
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    const ImVec2 a = scaled[i], b = scaled[(i + 1) % scaled.size()];
    area += a.x * b.y - b.x * a.y;
  }
  if (area < 0) std::reverse(scaled.begin(), scaled.end());
  list_->AddConvexPolyFilled(scaled.data(), int(scaled.size()), packed(c));
}

void ImGuiCanvas::curve(Vec2 a, Vec2 b, Vec2 c, Vec2 d, Color color, float width) {
  const auto s = [&](Vec2 p) { return ImVec2(p.x * scale_, p.y * scale_); };
  list_->AddBezierCubic(s(a), s(b), s(c), s(d), packed(color), width * scale_, 20);
}

void ImGuiCanvas::fill_circle(Vec2 c, float radius, Color color) {
  list_->AddCircleFilled({c.x * scale_, c.y * scale_}, radius * scale_, packed(color), 24);
}

void ImGuiCanvas::stroke_circle(Vec2 c, float radius, Color color, float width, float dash) {
  if (dash <= 0) {
    list_->AddCircle({c.x * scale_, c.y * scale_}, radius * scale_, packed(color), 24, width * scale_);
    return;
  }
  const float around = 2 * 3.14159265f * radius;
  const int pieces = std::max(3, int(around / (2 * dash) + 0.5f));
  for (int i = 0; i < pieces; ++i) {
    const float from = float(i) / float(pieces) * 6.2831853f,
                to = (float(i) + 0.5f) / float(pieces) * 6.2831853f;
    list_->PathArcTo({c.x * scale_, c.y * scale_}, radius * scale_, from, to, 4);
    list_->PathStroke(packed(color), 0, width * scale_);
  }
}

namespace {

// The bytes at the front of `utf8` that all have (or all lack) a glyph in `face`; the others come from `cjk`.
std::size_t run_length(std::string_view utf8, const ImFont* face, const ImFont* cjk, bool* in_cjk) {
  const auto lacks = [&](char32_t c) {
    return c > 0x7f && cjk && !face->FindGlyphNoFallback(ImWchar(c)) && cjk->FindGlyphNoFallback(ImWchar(c));
  };
  std::string_view rest = utf8;
  *in_cjk = lacks(take_code_point(rest));
  std::size_t length = utf8.size() - rest.size();
  while (!rest.empty() && lacks(take_code_point(rest)) == *in_cjk) length = utf8.size() - rest.size();
  return length;
}

// The text again beside itself. ImGui draws at whole pixels: what is less than one is said by the colour's
// weight.
void thicken(ImDrawList* list, ImFont* font, float font_px, ImVec2 top_left, float size_px, Color color,
             std::string_view run) {
  const float wanted = size_px * kCjkSemiboldStroke, by = std::max(1.f, std::round(wanted));
  color.a = std::uint8_t(float(color.a) * std::min(1.f, wanted / by));
  list->AddText(font, font_px, {top_left.x + by, top_left.y}, packed(color), run.data(),
                run.data() + run.size());
}

}  // namespace

void ImGuiCanvas::text(Vec2 at, std::string_view utf8, const TextStyle& asked) {
  const TextStyle style = in_scale(asked);
  const float size_px = style.size * scale_;
  float em_px = 0, cjk_em_px = 0;
  ImFont *face = font_for(style.font, size_px, &em_px), *cjk = cjk_font_for(size_px, utf8, &cjk_em_px);
  const float width = style.align == Align::left ? 0 : measure(utf8, style) * scale_;
  float x = at.x * scale_ - (style.align == Align::center  ? width / 2
                             : style.align == Align::right ? width
                                                           : 0);
  const float baseline = std::round(at.y * scale_ + size_px * kHalfCapital);
  while (!utf8.empty()) {
    bool in_cjk = false;
    const std::string_view run = utf8.substr(0, run_length(utf8, face, cjk, &in_cjk));
    ImFont* font = in_cjk ? cjk : face;
    const float stretch = size_px / (in_cjk ? cjk_em_px : em_px);
    const ImVec2 top_left{std::round(x), baseline - std::round(font->Ascent * stretch)};
    list_->AddText(font, font->FontSize * stretch, top_left, packed(style.color), run.data(),
                   run.data() + run.size());
    if (in_cjk && is_semibold(style.font))
      thicken(list_, font, font->FontSize * stretch, top_left, size_px, style.color, run);
    x += measure(run, style) * scale_;
    utf8.remove_prefix(run.size());
  }
}

void ImGuiCanvas::grid(std::string_view key, Rect r, int columns, int rows,
                       std::span<const std::uint8_t> values, Colormap colors, float gap) {
  if (!grids_ || columns <= 0 || rows <= 0) return;
  const float cell = std::min(r.w / float(columns), r.h / float(rows));
  const ImGuiIO& io = ImGui::GetIO();
  auto pending = std::make_unique<PendingGrid>();
  pending->draw = {std::string(key),
                   {r.x * scale_, r.y * scale_, r.w * scale_, r.h * scale_},
                   columns,
                   rows,
                   {values.begin(), values.end()},
                   {},
                   cell >= 4 ? gap * scale_ : 0};
  std::copy(colors.begin(), colors.end(), pending->draw.colors.begin());
  pending->renderer = grids_;
  pending->screen_width = io.DisplaySize.x, pending->screen_height = io.DisplaySize.y;
  list_->AddCallback(render_grid, pending.get());
  list_->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
  pending_grids().push_back(std::move(pending));
}

void ImGuiCanvas::push_clip(Rect r) {
  clips_.push_back(intersection(r, clips_.back()));
  const Rect c = clips_.back();
  list_->PushClipRect({c.x * scale_, c.y * scale_}, {c.right() * scale_, c.bottom() * scale_}, false);
}

void ImGuiCanvas::pop_clip() {
  clips_.pop_back();
  list_->PopClipRect();
}

Hit ImGuiCanvas::hit(std::string_view id, Rect r, bool focusable) {
  const ImGuiIO& io = ImGui::GetIO();
  Interaction& i = interaction_;
  i.now_.push_back({std::string(id), intersection(r, clips_.back()), focusable, r, clips_.back()});
  Hit hit;
  hit.pointer = {io.MousePos.x / scale_, io.MousePos.y / scale_};
  hit.hovered = i.hot_ == id && (i.active_.empty() || i.active_ == id);
  hit.held = i.active_ == id && ImGui::IsMouseDown(0);
  hit.pressed = hit.held && ImGui::IsMouseClicked(0);
  hit.clicked = i.active_ == id && i.hot_ == id && ImGui::IsMouseReleased(0);
  hit.double_clicked = hit.hovered && ImGui::IsMouseDoubleClicked(0);
  hit.wheel = i.active_.empty() && i.now_.back().rect.contains(hit.pointer) ? io.MouseWheel : 0;
  hit.focused = focusable && i.focus_ == id;
  hit.shift = i.shift;
  hit.dragged = i.active_ == id && i.dragged_;
  if (hit.held) hit.moved = i.moved_;
  hit.right_held = i.right_active_ == id && ImGui::IsMouseDown(1);
  hit.right_pressed = hit.right_held && ImGui::IsMouseClicked(1);
  if (hit.focused && i.activating_) hit.clicked = true;
  return hit;
}

void ImGuiCanvas::hint(Rect r, std::string_view utf8) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!intersection(r, clips_.back()).contains({io.MousePos.x / scale_, io.MousePos.y / scale_})) return;
  hint_ = utf8;
  areas_below_ = interaction_.now_.size();
}

// Unless an area that was drawn later lies above it.
void ImGuiCanvas::show_hint() {
  const ImGuiIO& io = ImGui::GetIO();
  const Vec2 pointer{io.MousePos.x / scale_, io.MousePos.y / scale_};
  for (std::size_t i = areas_below_; i < interaction_.now_.size(); ++i)
    if (interaction_.now_[i].rect.contains(pointer)) return;
  tooltip_ = hint_;
}

void ImGuiCanvas::draw_tooltip(Color panel, Color line, Color ink, float type, Rect window) {
  const ImGuiIO& io = ImGui::GetIO();
  std::vector<std::string_view> lines;
  std::string_view rest = tooltip_;
  for (std::size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1))
    lines.push_back(rest.substr(0, end));
  lines.push_back(rest);
  const TextStyle style{Font::words, 11.5f * type, ink};
  const float widest = std::min(420 * type, window.w - 28), step = 18 * type;
  float width = 0;
  int rows = 0;
  for (auto text : lines) {
    width = std::max(width, std::min(widest, measure(text, style) + 1));
    rows += std::max(1, count_lines(text, style, widest));
  }
  Rect box{io.MousePos.x / scale_ + 14, io.MousePos.y / scale_ + 16, width + 20, float(rows) * step + 12};
  box.x = std::max(4.f, std::min(box.x, window.right() - box.w - 4));
  if (box.bottom() > window.bottom() - 4) box.y = std::max(4.f, io.MousePos.y / scale_ - box.h - 8);
  fill_rect({box.x + 1, box.y + 2, box.w, box.h}, Color{0, 0, 0, 40}, 6);
  fill_rect(box, panel, 6);
  stroke_rect(box, line, 1, 6);
  float y = box.y + 6;
  for (auto text : lines) y += std::max(step, text_wrap({box.x + 10, y}, text, style, widest, step));
}

}  // namespace lockstep
