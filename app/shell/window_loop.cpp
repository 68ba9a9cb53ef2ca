#include "window_loop.hpp"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compat.hpp"
#include "fonts.hpp"
#include "keeper.hpp"
#include "program_desk.hpp"

namespace lockstep {
namespace {

bool dragging() { return ImGui::IsMouseDown(0) || ImGui::IsMouseDown(1); }

void take_character(char32_t c, App& app) {
  if (app.takes_text()) {
    app.type_character(c);
    return;
  }
  if (c <= 32 || c >= 127) return;
  KeyPress press;
  press.character = char(c >= 'a' && c <= 'z' ? c - 32 : c);
  app.on_key(press);
}

}  // namespace

WindowLoop::WindowLoop(WindowHost& host, App& app, Keeper& keeper)
    : host_(host), app_(app), keeper_(keeper) {}

bool WindowLoop::turn(double seconds) {
  update_scale();
  bool redraw = replay();
  interaction_.shift = host_.shift_down();
  const bool moved = app_.tick(std::min(seconds, 0.1));
  const bool blinked = app_.blink(seconds), told = app_.progress_due();
  const bool waits = app_.shows_program() && app_.program()->busy();
  redraw |= moved && !waits;
  redraw |= app_.lecture_goes_on(seconds);
  if (std::exchange(changed_, false)) redraw = true, painter_.forget();
  // Hover answers one frame after the areas were drawn, so every change is followed by one more frame; but
  // for the caret, and for words about a run: compiler, program and emulator need the cores.
  if (moved || blinked || told) still_to_draw_ = std::max(still_to_draw_, 1);
  if (redraw) still_to_draw_ = 2;
  keeper_.turn(seconds, dragging());
  const bool draws = still_to_draw_-- > 0;
  if (draws) draw(float(std::max(1e-3, seconds)));
  if (still_to_draw_ < 0) still_to_draw_ = 0;
  keeper_.turn(0, dragging());  // clicks take effect while drawing
  update_title();
  return draws;
}

void WindowLoop::take_key(const KeyPress& key) {
  if (key.key == Key::tab) app_.leave_field();
  if (app_.takes_keys() || app_.blank) {
    app_.on_key(key);
    return;
  }
  if (key.key == Key::tab) {
    interaction_.move_focus(key.shift ? -1 : 1);
    return;
  }
  // Space plays in the presentation, whatever had the keyboard in the window.
  const bool has_focus = !interaction_.focus().empty() && !app_.state().projector;
  if (has_focus && (key.key == Key::enter || key.key == Key::space)) {
    interaction_.activate_focused();
    return;
  }
  if (key.key == Key::escape && has_focus) return interaction_.drop_focus();
  app_.on_key(key);
}

// What the keys and menus wish of clipboard and focus.
void WindowLoop::grant_wishes() {
  if (const auto text = std::exchange(app_.to_clipboard, std::nullopt)) host_.copy(*text);
  if (const std::string page = std::exchange(app_.wanted_page, ""); !page.empty())
    if (Status opened = host_.open_page(page); !opened) app_.banner = opened.error().message;
  if (std::exchange(app_.wants_clipboard, false))
    if (const auto text = host_.clipboard()) app_.paste(*text);
  if (const std::string id = std::exchange(app_.wanted_focus, ""); !id.empty()) interaction_.set_focus(id);
}

void WindowLoop::take_button(const MouseButton& b) {
  const Vec2 at{pointer_.x / scale_, pointer_.y / scale_};
  if (b.down) app_.pointer_pressed(at);
  if (b.button == 1) app_.pointer_right(at, b.down);
  compat::mouse_button(ImGui::GetIO(), b.button, b.down);
}

void WindowLoop::replay(const WindowEvent& event) {
  ImGuiIO& io = ImGui::GetIO();
  if (const auto* at = std::get_if<MouseAt>(&event)) {
    pointer_ = {at->x * pixels_per_point_, at->y * pixels_per_point_};
    app_.pointer_moved();
    compat::mouse_position(io, pointer_.x, pointer_.y);
  }
  if (const auto* button = std::get_if<MouseButton>(&event)) take_button(*button);
  if (const auto* wheel = std::get_if<MouseWheel>(&event)) compat::mouse_wheel(io, 0, wheel->y);
  if (const auto* key = std::get_if<KeyPress>(&event)) {
    if (key->ctrl && key->character == 'Q') host_.close();
    take_key(*key);
  }
  if (const auto* dropped = std::get_if<Dropped>(&event)) app_.open_file(dropped->file);
  if (const auto* c = std::get_if<Character>(&event)) take_character(c->c, app_);
  if (const auto* wheel = std::get_if<NotesWheel>(&event)) app_.scroll_notes(wheel->y);
  grant_wishes();
}

// Stops behind the first change of a mouse button. True: something had come.
bool WindowLoop::replay() {
  const bool any = !events_.empty();
  for (bool button_changed = false; !events_.empty() && !button_changed;) {
    const WindowEvent event = std::move(events_.front());
    events_.pop_front();
    button_changed = std::holds_alternative<MouseButton>(event);
    replay(event);
  }
  return any;
}

void WindowLoop::update_scale() {
  const WindowHost::Size size = host_.size();
  pixels_per_point_ = size.width > 0 ? float(size.pixels_wide) / float(size.width) : 1;
  // As the system wants it at the next start: what it scales to the monitor then is not kept scaled.
  if (size.width > 0 && size.height > 0)
    app_.settings().window_width = int(std::lround(float(size.pixels_wide) / size.scale)),
    app_.settings().window_height = int(std::lround(float(size.pixels_high) / size.scale));
  const float fonts = size.scale * app_.theme().type;
  const std::string names = names_on_screen();
  const std::vector<float> sizes = app_.type_scale();
  if (fonts == font_scale_ && sizes == font_sizes_ && app_.state().language == font_language_ &&
      names == font_names_)
    return;
  scale_ = app_.view_scale = size.scale, font_scale_ = fonts, font_language_ = app_.state().language;
  font_names_ = names, font_sizes_ = sizes;
  build_fonts(sizes.empty() ? fonts : size.scale, names, catalogue_text(), sizes);  // any headline may come
  if (fonts_uploaded_) ImGui_ImplOpenGL3_DestroyFontsTexture(), ImGui_ImplOpenGL3_CreateFontsTexture();
  fonts_uploaded_ = true;
  changed_ = true;
}

// Text outside the catalogue whose glyphs are needed: only what is not ASCII counts.
std::string WindowLoop::names_on_screen() const {
  std::string names;
  for (const std::string& text :
       {app_.run() ? app_.run()->device.name : "", app_.menu.text(),
        app_.typing ? app_.typing->edit.text() : "", app_.state().timeline.search, app_.state().saved,
        app_.state().compare, app_.story_glyphs(), app_.program_glyphs()})
    for (const char c : text)
      if (static_cast<unsigned char>(c) >= 0x80) names += c;
  return names;
}

// "transpose · tiled · step 78 of 129": what the task bar and a screen reader tell.
void WindowLoop::update_title() {
  const AppState& state = app_.state();
  std::string title = "Lockstep · ";
  if (state.home) {
    title += tr("home");
  } else if (app_.shows_program()) {
    title += app_.program()->title();
  } else {
    title += tr(app_.info().title) + " · " + state.rung;
    if (app_.has_steps())
      title += " · " +
               tr("step {0} of {1}", {std::to_string(state.step + 1), std::to_string(app_.last_step() + 1)});
  }
  if (title == title_) return;
  title_ = title;
  host_.set_title(title);
}

void WindowLoop::draw(float seconds) {
  const WindowHost::Size size = host_.size();
  if (size.pixels_wide < 1 || size.pixels_high < 1) return;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {float(size.pixels_wide), float(size.pixels_high)};
  io.DeltaTime = seconds;
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  {
    ImGuiCanvas canvas(scale_, interaction_, &grids_);
    const Rect area{0, 0, float(size.pixels_wide) / scale_, float(size.pixels_high) / scale_};
    draw_app(canvas, app_, area);
    const Theme theme = app_.theme();
    if (app_.lens && app_.state().projector && !app_.blank) {
      lens_.draw(canvas, app_, area, {pointer_.x / scale_, pointer_.y / scale_}, scale_);
      canvas.tooltip(""), canvas.hint(area, "");  // they would lie on what is enlarged
    }
    canvas.finish(theme.panel, theme.line, theme.ink, theme.type, area);
  }
  grant_wishes();
  ImGui::Render();
  if (painter_.paint(*ImGui::GetDrawData(), host_.keeps_pixels())) host_.show_frame();
}

}  // namespace lockstep
