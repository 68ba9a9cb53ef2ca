// The real window: GLFW, OpenGL, and an input queue of our own.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "app/platform/display.hpp"
#include "app/platform/paths.hpp"
#include "app/platform/run_program.hpp"
#include "keeper.hpp"
#include "notes_window.hpp"
#include "program_desk.hpp"
#include "shell.hpp"
#include "window_loop.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point program_start = Clock::now();

WindowLoop& loop_of(GLFWwindow* handle) {
  return *static_cast<WindowLoop*>(glfwGetWindowUserPointer(handle));
}

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
    if (const auto press = key_press(key, mods)) loop_of(w).add(*press);
  });
  glfwSetCharCallback(handle, [](GLFWwindow* w, unsigned c) { loop_of(w).add(Character{c}); });
  glfwSetWindowRefreshCallback(handle, [](GLFWwindow* w) { loop_of(w).redraw(); });
  glfwSetFramebufferSizeCallback(handle, [](GLFWwindow* w, int, int) { loop_of(w).redraw(); });
}

void listen_to_notes(WindowLoop& loop, GLFWwindow* notes) {
  glfwSetWindowUserPointer(notes, &loop);
  listen_to_keys(notes);
  glfwSetScrollCallback(notes, [](GLFWwindow* w, double, double y) { loop_of(w).add(NotesWheel{float(y)}); });
}

void install_callbacks(GLFWwindow* handle) {
  listen_to_keys(handle);
  glfwSetCursorPosCallback(handle, [](GLFWwindow* w, double x, double y) {
    loop_of(w).add(MouseAt{float(x), float(y)});
  });
  glfwSetMouseButtonCallback(handle, [](GLFWwindow* w, int button, int action, int) {
    if (button < 3) loop_of(w).add(MouseButton{button, action == GLFW_PRESS});
  });
  glfwSetScrollCallback(handle,
                        [](GLFWwindow* w, double, double y) { loop_of(w).add(MouseWheel{float(y)}); });
  glfwSetDropCallback(handle, [](GLFWwindow* w, int count, const char** files) {
    if (count > 0) loop_of(w).add(Dropped{files[0]});
  });
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

// As large as the first screen leaves room for: a projector may have 1280 x 720, and nobody to make a window
// smaller.
void fit_screen(int& width, int& height) {
  GLFWmonitor* const screen = glfwGetPrimaryMonitor();
  if (!screen) return;
  int x = 0, y = 0, w = 0, h = 0;
  float across = 1, down = 1;  // GLFW makes the window so many times larger
  glfwGetMonitorWorkarea(screen, &x, &y, &w, &h);
  glfwGetMonitorContentScale(screen, &across, &down);
  if (w > 0 && across > 0) width = std::min(width, int(float(w) / across));
  if (h > 0 && down > 0) height = std::min(height, int(float(h) / down));
}

GLFWwindow* make_window(int width, int height) {
  name_for_desktops();
  fit_screen(width, height);
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

class GlfwHost final : public WindowHost {
 public:
  explicit GlfwHost(GLFWwindow* handle) : handle_(handle) {}
  Size size() override {
    Size s;
    float y = 1;
    glfwGetWindowContentScale(handle_, &s.scale, &y);
    glfwGetWindowSize(handle_, &s.width, &s.height);
    glfwGetFramebufferSize(handle_, &s.pixels_wide, &s.pixels_high);
    return s;
  }
  bool shift_down() override {
    return glfwGetKey(handle_, GLFW_KEY_LEFT_SHIFT) == GLFW_PRESS ||
           glfwGetKey(handle_, GLFW_KEY_RIGHT_SHIFT) == GLFW_PRESS;
  }
  void set_title(const std::string& title) override { glfwSetWindowTitle(handle_, title.c_str()); }
  void copy(const std::string& text) override { glfwSetClipboardString(handle_, text.c_str()); }
  std::optional<std::string> clipboard() override {
    const char* text = glfwGetClipboardString(handle_);
    return text ? std::optional<std::string>(text) : std::nullopt;
  }
  Status open_page(const std::string& page) override {
    const std::filesystem::path site = pages_folder(), file = site / page;
    std::error_code ignored;  // a teacher's own story has no page there
    return show_document(std::filesystem::exists(file, ignored) ? file : site / "index.html");
  }
  bool keeps_pixels() override { return false; }  // a swap leaves behind whatever it likes
  void show_frame() override { glfwSwapBuffers(handle_); }
  void close() override { glfwSetWindowShouldClose(handle_, GLFW_TRUE); }

 private:
  GLFWwindow* handle_;
};

// Until the window is closed, or has drawn as many frames as LOCKSTEP_FRAMES says (for measurements).
void run_window(GLFWwindow* handle, App& app, Keeper& keeper) {
  GlfwHost host(handle);
  WindowLoop loop(host, app, keeper);
  glfwSetWindowUserPointer(handle, &loop);
  install_callbacks(handle);
  NotesWindow notes{handle, [&loop](GLFWwindow* other) { listen_to_notes(loop, other); }};
  const char* frames = std::getenv("LOCKSTEP_FRAMES");
  int frames_left = frames ? std::atoi(frames) : -1;
  for (auto before = Clock::now(); !glfwWindowShouldClose(handle) && frames_left != 0;) {
    if (!loop.idle())
      glfwPollEvents();
    else
      glfwWaitEventsTimeout(app.wants_frames() ? 1.0 / 60 : 0.5);
    const auto now = Clock::now();
    const bool drawn = loop.turn(std::chrono::duration<double>(now - before).count());
    before = now;
    if (drawn) notes.draw(app);
    if (drawn && frames_left > 0) {
      --frames_left;
      std::fprintf(stderr, "frame %.0f ms after start\n",
                   std::chrono::duration<double, std::milli>(Clock::now() - program_start).count());
    }
    notes.follow(app);
  }
}

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
    app.has_pages = !pages_folder().empty();
    app.tell_stories(options.stories);
    app.give_exercises(user_answers_folder(), options.judge.get());
    if (options.home) app.return_to_place();
    if (notice) app.banner = notice;
    open_first(app, options);
    Keeper keeper(app, settings_path(), settings);
    when_display_vanishes([&] { end_without_display(app, keeper); }, int(Exit::unavailable));
    run_window(handle, app, keeper);
    keep_all(app, keeper);
  }
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(handle);
  glfwTerminate();
  return 0;
}

}  // namespace lockstep
