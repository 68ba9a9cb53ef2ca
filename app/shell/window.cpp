// The real window: GLFW, OpenGL, and an input queue of our own.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
#include <imgui.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <variant>

#include "app/platform/display.hpp"
#include "app/platform/paths.hpp"
#include "canvas_imgui.hpp"
#include "compat.hpp"
#include "fonts.hpp"
#include "keeper.hpp"
#include "lens.hpp"
#include "notes_window.hpp"
#include "program_desk.hpp"
#include "shell.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point program_start = Clock::now();

// --- input: every event is queued as it comes and replayed, at most one change of a mouse button per frame,
// so that a click that begins and ends within one slow frame is not lost.
struct MouseAt {
  float x, y;
};
struct MouseButton {
  int button;
  bool down;
};
struct MouseWheel {
  float y;
};
struct Character {
  char32_t c;
};
struct Dropped {
  std::string file;
};
struct NotesWheel {
  float y;
};
using Event = std::variant<MouseAt, MouseButton, MouseWheel, KeyPress, Character, Dropped, NotesWheel>;

struct Window {
  GLFWwindow* handle = nullptr;
  std::deque<Event> events;
  MouseAt pointer{0, 0};  // behind the events that were replayed
  bool changed = true;
};

Window& of(GLFWwindow* handle) { return *static_cast<Window*>(glfwGetWindowUserPointer(handle)); }

// Without Num Lock the keypad moves as the arrows do.
int without_keypad(int key, int mods) {
  if (mods & GLFW_MOD_NUM_LOCK) return key;
  switch (key) {
    case GLFW_KEY_KP_4:
      return GLFW_KEY_LEFT;
    case GLFW_KEY_KP_6:
      return GLFW_KEY_RIGHT;
    case GLFW_KEY_KP_8:
      return GLFW_KEY_UP;
    case GLFW_KEY_KP_2:
      return GLFW_KEY_DOWN;
    case GLFW_KEY_KP_7:
      return GLFW_KEY_HOME;
    case GLFW_KEY_KP_1:
      return GLFW_KEY_END;
    case GLFW_KEY_KP_DECIMAL:
      return GLFW_KEY_DELETE;
    default:
      return key;
  }
}

// The keys that have no character.
constexpr std::pair<int, Key> kNamedKeys[] = {
    {GLFW_KEY_LEFT, Key::left},       {GLFW_KEY_RIGHT, Key::right},
    {GLFW_KEY_UP, Key::up},           {GLFW_KEY_DOWN, Key::down},
    {GLFW_KEY_HOME, Key::home},       {GLFW_KEY_END, Key::end},
    {GLFW_KEY_PAGE_UP, Key::page_up}, {GLFW_KEY_PAGE_DOWN, Key::page_down},
    {GLFW_KEY_SPACE, Key::space},     {GLFW_KEY_ENTER, Key::enter},
    {GLFW_KEY_KP_ENTER, Key::enter},  {GLFW_KEY_ESCAPE, Key::escape},
    {GLFW_KEY_TAB, Key::tab},         {GLFW_KEY_BACKSPACE, Key::backspace},
    {GLFW_KEY_DELETE, Key::del},      {GLFW_KEY_F6, Key::f6},
    {GLFW_KEY_F11, Key::f11}};

std::optional<KeyPress> key_press(int key, int mods) {
  key = without_keypad(key, mods);
  KeyPress press;
  press.ctrl = mods & GLFW_MOD_CONTROL, press.shift = mods & GLFW_MOD_SHIFT;
  for (const auto& [code, named] : kNamedKeys)
    if (code == key) return press.key = named, press;
  // With Ctrl no character event follows; all other characters come as text, in the reader's keyboard layout.
  if (!press.ctrl || key < GLFW_KEY_A || key > GLFW_KEY_Z) return {};
  press.character = char('A' + (key - GLFW_KEY_A));
  return press;
}

// Of every window of the program: a clicker's keys arrive wherever the focus is.
void listen_to_keys(GLFWwindow* handle) {
  glfwSetInputMode(handle, GLFW_LOCK_KEY_MODS, GLFW_TRUE);  // so that Num Lock is told
  glfwSetKeyCallback(handle, [](GLFWwindow* w, int key, int, int action, int mods) {
    if (action == GLFW_RELEASE) return;
    if (const auto press = key_press(key, mods)) of(w).events.push_back(*press);
  });
  glfwSetCharCallback(handle, [](GLFWwindow* w, unsigned c) { of(w).events.push_back(Character{c}); });
  glfwSetWindowRefreshCallback(handle, [](GLFWwindow* w) { of(w).changed = true; });
  glfwSetFramebufferSizeCallback(handle, [](GLFWwindow* w, int, int) { of(w).changed = true; });
}

void listen_to_notes(Window& window, GLFWwindow* notes) {
  glfwSetWindowUserPointer(notes, &window);
  listen_to_keys(notes);
  glfwSetScrollCallback(
      notes, [](GLFWwindow* w, double, double y) { of(w).events.push_back(NotesWheel{float(y)}); });
}

void install_callbacks(GLFWwindow* handle) {
  listen_to_keys(handle);
  glfwSetCursorPosCallback(handle, [](GLFWwindow* w, double x, double y) {
    of(w).events.push_back(MouseAt{float(x), float(y)});
  });
  glfwSetMouseButtonCallback(handle, [](GLFWwindow* w, int button, int action, int) {
    if (button < 3) of(w).events.push_back(MouseButton{button, action == GLFW_PRESS});
  });
  glfwSetScrollCallback(
      handle, [](GLFWwindow* w, double, double y) { of(w).events.push_back(MouseWheel{float(y)}); });
  glfwSetDropCallback(handle, [](GLFWwindow* w, int count, const char** files) {
    if (count > 0) of(w).events.push_back(Dropped{files[0]});
  });
}

void take_key(const KeyPress& key, App& app, Interaction& interaction) {
  if (key.key == Key::tab) app.leave_field();
  if (app.takes_keys() || app.blank) {
    app.on_key(key);
    return;
  }
  if (key.key == Key::tab) {
    interaction.move_focus(key.shift ? -1 : 1);
    return;
  }
  // Space plays in the presentation, whatever had the keyboard in the window.
  const bool has_focus = !interaction.focus().empty() && !app.state().projector;
  if (has_focus && (key.key == Key::enter || key.key == Key::space)) {
    interaction.activate_focused();
    return;
  }
  if (key.key == Key::escape && has_focus) return interaction.drop_focus();
  app.on_key(key);
}

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

// What the keys and menus wish of clipboard and focus.
void grant_wishes(App& app, Interaction& interaction, GLFWwindow* handle) {
  if (const auto text = std::exchange(app.to_clipboard, std::nullopt))
    glfwSetClipboardString(handle, text->c_str());
  if (std::exchange(app.wants_clipboard, false))
    if (const char* text = glfwGetClipboardString(handle)) app.paste(text);
  if (const std::string id = std::exchange(app.wanted_focus, ""); !id.empty()) interaction.set_focus(id);
}

void take_button(const MouseButton& b, App& app, Vec2 at) {
  if (b.down) app.pointer_pressed(at);
  if (b.button == 1) app.pointer_right(at, b.down);
  compat::mouse_button(ImGui::GetIO(), b.button, b.down);
}

// Replays what has come; stops behind the first change of a mouse button.
bool replay(Window& window, App& app, Interaction& interaction, float pixels_per_point, float scale) {
  ImGuiIO& io = ImGui::GetIO();
  const bool any = !window.events.empty();
  bool button_changed = false;
  while (!window.events.empty() && !button_changed) {
    const Event event = window.events.front();
    window.events.pop_front();
    if (const auto* at = std::get_if<MouseAt>(&event)) {
      window.pointer = {at->x * pixels_per_point, at->y * pixels_per_point};
      app.pointer_moved();
      compat::mouse_position(io, window.pointer.x, window.pointer.y);
    }
    if (const auto* b = std::get_if<MouseButton>(&event)) {
      take_button(*b, app, {window.pointer.x / scale, window.pointer.y / scale});
      button_changed = true;
    }
    if (const auto* wheel = std::get_if<MouseWheel>(&event)) compat::mouse_wheel(io, 0, wheel->y);
    if (const auto* key = std::get_if<KeyPress>(&event)) {
      if (key->ctrl && key->character == 'Q') glfwSetWindowShouldClose(window.handle, GLFW_TRUE);
      take_key(*key, app, interaction);
    }
    if (const auto* dropped = std::get_if<Dropped>(&event)) app.open_file(dropped->file);
    if (const auto* c = std::get_if<Character>(&event)) take_character(c->c, app);
    if (const auto* wheel = std::get_if<NotesWheel>(&event)) app.scroll_notes(wheel->y);
    grant_wishes(app, interaction, window.handle);
  }
  return any;
}

// --- the window
// -----------------------------------------------------------------------------------------------------

std::string glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "unknown";
}

// By this a desktop finds the entry with the icon (packaging/lockstep.desktop).
void name_for_desktops() {
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "lockstep");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "lockstep");
#ifdef GLFW_WAYLAND_APP_ID  // from GLFW 3.4 on
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "lockstep");
#endif
}

GLFWwindow* make_window(int width, int height) {
  name_for_desktops();
  for (const auto& [major, minor] : {std::pair{4, 3}, std::pair{3, 3}}) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, major);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, minor);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    if (GLFWwindow* window = glfwCreateWindow(width, height, "Lockstep", nullptr, nullptr)) return window;
  }
  return nullptr;
}

AppState first_state(const WindowOptions& options, const Settings& settings) {
  AppState state;
  state.home = options.home;
  state.lab = options.start.lab, state.rung = options.start.rung, state.params = options.start.params;
  state.engine = options.start.engine, state.block = options.start.block, state.warp = options.start.warp;
  state.dark = settings.dark, state.motion = settings.motion;
  state.language = settings.language == "zh" ? Language::chinese : Language::english;
  state.saved = options.run_name;
  return state;
}

class WindowLoop {
 public:
  WindowLoop(GLFWwindow* handle, App& app, Keeper& keeper)
      : window_{handle, {}, {0, 0}, true}, app_(app), keeper_(keeper) {
    glfwSetWindowUserPointer(handle, &window_);
    install_callbacks(handle);
    if (const char* frames = std::getenv("LOCKSTEP_FRAMES"))
      frames_left_ = std::atoi(frames);  // for measurements
  }

  void run() {
    auto before = Clock::now();
    while (!glfwWindowShouldClose(window_.handle) && frames_left_ != 0) {
      wait();
      const auto now = Clock::now();
      const double seconds = std::chrono::duration<double>(now - before).count();
      before = now;
      update_scale();
      bool redraw = replay(window_, app_, interaction_, pixels_per_point_, scale_);
      interaction_.shift = glfwGetKey(window_.handle, GLFW_KEY_LEFT_SHIFT) == GLFW_PRESS ||
                           glfwGetKey(window_.handle, GLFW_KEY_RIGHT_SHIFT) == GLFW_PRESS;
      const bool moved = app_.tick(std::min(seconds, 0.1)), blinked = app_.blink(seconds);
      const bool waits = app_.shows_program() && app_.program()->busy();
      redraw |= moved && !waits;
      redraw |= app_.lecture_goes_on(seconds);
      redraw |= std::exchange(window_.changed, false);
      // Hover answers one frame after the areas were drawn, so every change is followed by one more frame;
      // but for the caret, and for words about a program's run: compiler and program need the cores.
      if (moved || blinked) still_to_draw_ = std::max(still_to_draw_, 1);
      if (redraw) still_to_draw_ = 2;
      keeper_.turn(seconds, dragging());
      if (still_to_draw_-- > 0) draw(float(std::max(1e-3, seconds)));
      if (still_to_draw_ < 0) still_to_draw_ = 0;
      keeper_.turn(0, dragging());  // clicks take effect while drawing
      notes_.follow(app_);
      update_title();
    }
  }

 private:
  static bool dragging() { return ImGui::IsMouseDown(0) || ImGui::IsMouseDown(1); }
  void wait() {
    if (!window_.events.empty() || still_to_draw_ > 0) return glfwPollEvents();
    glfwWaitEventsTimeout(app_.wants_frames() ? 1.0 / 60 : 0.5);
  }
  void update_scale() {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_.handle, &x, &y);
    int width = 0, height = 0, fb_width = 0, fb_height = 0;
    glfwGetWindowSize(window_.handle, &width, &height);
    glfwGetFramebufferSize(window_.handle, &fb_width, &fb_height);
    pixels_per_point_ = width > 0 ? float(fb_width) / float(width) : 1;
    // As GLFW wants it at the next start: what it scales to the monitor then is not kept scaled.
    if (width > 0 && height > 0)
      app_.settings().window_width = int(std::lround(float(fb_width) / x)),
      app_.settings().window_height = int(std::lround(float(fb_height) / y));
    const float fonts = x * app_.theme().type;
    const std::string names = names_on_screen();
    const std::vector<float> sizes = app_.type_scale();
    if (fonts == font_scale_ && sizes == font_sizes_ && app_.state().language == font_language_ &&
        names == font_names_)
      return;
    scale_ = app_.view_scale = x, font_scale_ = fonts, font_language_ = app_.state().language;
    font_names_ = names, font_sizes_ = sizes;
    build_fonts(sizes.empty() ? fonts : x, names, catalogue_text(), sizes);  // any headline may come
    if (fonts_uploaded_) ImGui_ImplOpenGL3_DestroyFontsTexture(), ImGui_ImplOpenGL3_CreateFontsTexture();
    fonts_uploaded_ = true;
    window_.changed = true;
  }
  // Text outside the catalogue whose glyphs are needed: only what is not ASCII counts.
  std::string names_on_screen() const {
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
  void update_title() {
    const AppState& state = app_.state();
    if (state.home) return set_title("Lockstep · " + tr("home"));
    if (app_.shows_program()) return set_title("Lockstep · " + app_.program()->title());
    std::string title = "Lockstep · " + tr(app_.info().title) + " · " + state.rung;
    if (app_.has_steps())
      title += " · " +
               tr("step {0} of {1}", {std::to_string(state.step + 1), std::to_string(app_.last_step() + 1)});
    set_title(title);
  }
  void set_title(const std::string& title) {
    if (title == title_) return;
    title_ = title;
    glfwSetWindowTitle(window_.handle, title.c_str());
  }
  void draw(float seconds) {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_.handle, &width, &height);
    if (width < 1 || height < 1) return;
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {float(width), float(height)};
    io.DeltaTime = seconds;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    {
      ImGuiCanvas canvas(scale_, interaction_, &grids_);
      const Rect area{0, 0, float(width) / scale_, float(height) / scale_};
      draw_app(canvas, app_, area);
      const Theme theme = app_.theme();
      if (app_.lens && app_.state().projector && !app_.blank) {
        lens_.draw(canvas, app_, area, {window_.pointer.x / scale_, window_.pointer.y / scale_}, scale_);
        canvas.tooltip(""), canvas.hint(area, "");  // they would lie on what is enlarged
      }
      canvas.finish(theme.panel, theme.line, theme.ink, theme.type, area);
    }
    grant_wishes(app_, interaction_, window_.handle);
    ImGui::Render();
    glViewport(0, 0, width, height);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glfwSwapBuffers(window_.handle);
    notes_.draw(app_);
    if (frames_left_ > 0) {
      --frames_left_;
      std::fprintf(stderr, "frame %.0f ms after start\n",
                   std::chrono::duration<double, std::milli>(Clock::now() - program_start).count());
    }
  }

  Window window_;
  App& app_;
  Keeper& keeper_;
  Interaction interaction_;
  GridRenderer grids_;
  Lens lens_;
  NotesWindow notes_{window_.handle, [this](GLFWwindow* notes) { listen_to_notes(window_, notes); }};
  float scale_ = 1, pixels_per_point_ = 1, font_scale_ = 0;
  Language font_language_ = Language::english;
  std::string font_names_;
  std::vector<float> font_sizes_;
  bool fonts_uploaded_ = false;
  std::string title_;
  int still_to_draw_ = 2;
  int frames_left_ = -1;
};

int fail(Error* error, std::string id, std::vector<std::string> args) {
  *error = unavailable(std::move(id), std::move(args));
  return int(Exit::unavailable);
}

void keep_all(App& app, Keeper& keeper) {
  keeper.keep();
  if (app.program()) (void)app.program()->keep_draft().ok();
}

void end_without_display(App& app, Keeper& keeper) {
  keep_all(app, keeper);
  const Error gone = unavailable("the display has gone away, and the window with it: open Lockstep again");
  std::fprintf(stderr, "lockstep: %s\n", gone.text().c_str());
}

}  // namespace

namespace {

// What the command line named: saved runs, a scene, a comparison.
void open_first(App& app, const WindowOptions& options) {
  if (options.run) app.keep_saved(options.run_name, *options.run), app.show(*options.run);
  if (!options.reader_program.empty()) app.open_program(options.reader_program);
  if (options.scene) app.open_scene(*options.scene);
  if (options.tour && app.open_tour(*options.tour, options.tour_scene))
    app.arrows_walk_tour = options.arrows_walk, app.notes_wanted = true, app.set_projector(true);
  if (options.compare) app.keep_saved(options.compare_name, *options.compare);
  if (!options.compare_name.empty()) app.set_compare(options.compare_name);
}

}  // namespace

int open_window(WindowOptions options, Error* error) {
  if (Status loaded = load_window_library(); !loaded) return *error = loaded.error(), int(error->exit);
  if (!glfwInit())
    return fail(error, "no window can be opened: {0}. `lockstep tour` writes pictures instead",
                {glfw_error()});
  std::optional<Message> notice;
  const Settings settings = load_settings(settings_path(), &notice);
  GLFWwindow* handle = make_window(settings.window_width, settings.window_height);
  if (!handle) {
    const std::string cause = glfw_error();
    glfwTerminate();
    return fail(error, "no OpenGL 3.3 window can be opened: {0}. `lockstep tour` writes pictures instead",
                {cause});
  }
  glfwMakeContextCurrent(handle);
  glfwSwapInterval(1);
  gladLoadGL(glfwGetProcAddress);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplOpenGL3_Init("#version 330 core");
  {
    App app(first_state(options, settings), options.runner.get(), settings);
    app.tell_stories(options.stories);
    app.give_exercises(user_answers_folder(), options.judge.get());
    if (options.home) app.return_to_place();
    if (notice) app.banner = notice;
    open_first(app, options);
    Keeper keeper(app, settings_path(), settings);
    when_display_vanishes([&] { end_without_display(app, keeper); }, int(Exit::unavailable));
    WindowLoop(handle, app, keeper).run();
    keep_all(app, keeper);
  }
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(handle);
  glfwTerminate();
  return 0;
}

}  // namespace lockstep
