// The window in a page: what window.cpp is on a desktop. The page calls the functions at the end; it draws
// nothing itself.
#include <backends/imgui_impl_opengl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>
#include <imgui.h>

#include <cctype>
#include <memory>

#include "app/platform/paths.hpp"
#include "app/shell/keeper.hpp"
#include "app/shell/scene_link.hpp"
#include "app/shell/window_loop.hpp"
#include "kernels/ladder.hpp"
#include "page_runner.hpp"

namespace lockstep {
namespace {

EM_JS(void, page_title, (const char* title), { Module['setTitle'](UTF8ToString(title)); });
EM_JS(void, page_copy, (const char* text), { Module['copy'](UTF8ToString(text)); });
EM_JS(void, page_ask_clipboard, (), { Module['askClipboard'](); });
EM_JS(void, page_moved, (const char* link), { Module['moved'](UTF8ToString(link)); });

// ImGui asks for the state that it will put back, several times per frame. A browser answers some of it only
// when all that was drawn before is done.
EM_JS(void, page_remember_state, (), { Module['rememberState'](GLctx); });
EM_JS(void, page_show, (const char* page), { Module['show'](UTF8ToString(page)); });

class PageHost final : public WindowHost {
 public:
  Size now;
  bool shift = false;
  Size size() override { return now; }
  bool shift_down() override { return shift; }
  void set_title(const std::string& title) override { page_title(title.c_str()); }
  void copy(const std::string& text) override { page_copy(text.c_str()); }
  std::optional<std::string> clipboard() override {
    return page_ask_clipboard(), std::nullopt;
  }  // it comes by lockstep_paste()
  Status open_page(const std::string& file) override { return page_show(file.c_str()), Unit{}; }
  bool keeps_pixels() override { return true; }  // preserveDrawingBuffer, below
  void show_frame() override {}
  void close() override {}
};

constexpr const char* kRecordings = "/recordings";

AppState first_state(const Settings& settings) {
  AppState state;
  state.home = true;
  const RungName first = yardstick();  // it shows every level of the machine
  state.lab = first.lab, state.rung = first.rung;
  if (const auto params = complete_params(find_lab(first.lab)->info(), first.rung, {}))
    state.params = *params;
  state.dark = settings.dark, state.motion = settings.motion;
  state.language = settings.language == "zh" ? Language::chinese : Language::english;
  return state;
}

struct Page {
  PageHost host;
  Settings settings;
  PageRunner runner{kRecordings};
  std::unique_ptr<App> app;
  std::unique_ptr<Keeper> keeper;
  std::unique_ptr<WindowLoop> loop;
  std::string link;
};
std::unique_ptr<Page> page;

bool make_context() {
  EmscriptenWebGLContextAttributes wanted;
  emscripten_webgl_init_context_attributes(&wanted);
  wanted.majorVersion = 2, wanted.alpha = false, wanted.antialias = false, wanted.depth = false;
  wanted.preserveDrawingBuffer = true;       // only what has changed is drawn
  wanted.enableExtensionsByDefault = false;  // none is used
  const auto context = emscripten_webgl_create_context("#lockstep", &wanted);
  if (context <= 0 || emscripten_webgl_make_context_current(context) != EMSCRIPTEN_RESULT_SUCCESS)
    return false;
  return page_remember_state(), true;
}

// The address says what is on screen, so that it can be sent.
void tell_link() {
  if (page->app->playing()) return;
  std::string link = scene_link(page->app->state(), page->app->moment());
  if (link == page->link) return;
  page->link = std::move(link);
  page_moved(page->link.c_str());
}

std::optional<Key> key_named(std::string_view name) {
  constexpr std::pair<std::string_view, Key> keys[] = {{"ArrowLeft", Key::left},
                                                       {"ArrowRight", Key::right},
                                                       {"ArrowUp", Key::up},
                                                       {"ArrowDown", Key::down},
                                                       {"Home", Key::home},
                                                       {"End", Key::end},
                                                       {"PageUp", Key::page_up},
                                                       {"PageDown", Key::page_down},
                                                       {" ", Key::space},
                                                       {"Enter", Key::enter},
                                                       {"Escape", Key::escape},
                                                       {"Tab", Key::tab},
                                                       {"Backspace", Key::backspace},
                                                       {"Delete", Key::del},
                                                       {"F6", Key::f6},
                                                       {"F11", Key::f11}};
  for (const auto& [known, key] : keys)
    if (known == name) return key;
  return {};
}

}  // namespace
}  // namespace lockstep

using namespace lockstep;

extern "C" {

// 0: it is open. 1: this browser has no WebGL 2.
EMSCRIPTEN_KEEPALIVE int lockstep_open(const char* address, const char* link, const char* language,
                                       int dark) {
  if (!make_context()) return 1;
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplOpenGL3_Init("#version 300 es");
  page = std::make_unique<Page>();
  std::optional<Message> notice;
  const bool known = std::filesystem::exists(settings_path());
  page->settings = load_settings(settings_path(), &notice);
  if (!known)
    page->settings.language = language, page->settings.dark = dark != 0;  // as the reader's system has it
  page->app = std::make_unique<App>(first_state(page->settings), &page->runner, page->settings);
  App& app = *page->app;
  app.page_address = address;
  app.has_pages = true;
  app.tell_stories(story_folders({}));
  app.give_exercises(user_answers_folder());
  app.return_to_place();
  if (notice) app.banner = notice;
  if (*link) app.open_link(link);
  page->keeper = std::make_unique<Keeper>(app, settings_path(), page->settings);
  page->loop = std::make_unique<WindowLoop>(page->host, app, *page->keeper);
  return 0;
}

EMSCRIPTEN_KEEPALIVE void lockstep_resize(int width, int height, int pixels_wide, int pixels_high,
                                          float scale) {
  page->host.now = {width, height, pixels_wide, pixels_high, scale};
  page->loop->redraw();
}

// How many milliseconds the page may rest before it calls again, unless an event comes; 0: with the next
// frame. A worker wants the cores for itself, and tells when it is done.
EMSCRIPTEN_KEEPALIVE int lockstep_turn(double seconds) {
  page->loop->turn(seconds);
  tell_link();
  if (!page->loop->idle() || page->app->moves()) return 0;
  return page->app->wants_frames() ? 100 : 500;
}

EMSCRIPTEN_KEEPALIVE void lockstep_pointer(float x, float y) { page->loop->add(MouseAt{x, y}); }
EMSCRIPTEN_KEEPALIVE void lockstep_button(int button, int down) {
  page->loop->add(MouseButton{button, down != 0});
}
EMSCRIPTEN_KEEPALIVE void lockstep_wheel(float y) { page->loop->add(MouseWheel{y}); }
EMSCRIPTEN_KEEPALIVE void lockstep_shift(int down) { page->host.shift = down != 0; }
// A key by its name in KeyboardEvent.key. With Ctrl letters are keys, else they come as text. True: it is
// ours.
EMSCRIPTEN_KEEPALIVE int lockstep_key(const char* name, int ctrl, int shift) {
  KeyPress press;
  press.ctrl = ctrl != 0, press.shift = shift != 0;
  const std::string_view key = name;
  if (const auto named = key_named(key))
    press.key = *named;
  else if (ctrl && key.size() == 1 && std::isalpha(static_cast<unsigned char>(key[0])))
    press.character = char(std::toupper(static_cast<unsigned char>(key[0])));
  else
    return 0;
  page->loop->add(press);
  return 1;
}
EMSCRIPTEN_KEEPALIVE void lockstep_text(unsigned character) {
  page->loop->add(Character{char32_t(character)});
}
EMSCRIPTEN_KEEPALIVE int lockstep_takes_text() { return page->app->takes_text(); }
EMSCRIPTEN_KEEPALIVE void lockstep_drop(const char* file) { page->loop->add(Dropped{file}); }
EMSCRIPTEN_KEEPALIVE void lockstep_paste(const char* text) { page->app->paste(text), page->loop->redraw(); }
EMSCRIPTEN_KEEPALIVE void lockstep_go_to(const char* link) {
  if (page->link != link) page->app->open_link(link), page->loop->redraw();
}
EMSCRIPTEN_KEEPALIVE void lockstep_answer(const char* line, const std::uint8_t* run, std::size_t bytes) {
  page->runner.take_line(line, {run, bytes});
}
EMSCRIPTEN_KEEPALIVE void lockstep_worker_ended(int lane, const char* why) {
  page->runner.worker_ended(lane, why);
}
EMSCRIPTEN_KEEPALIVE void lockstep_keep() { page->keeper->keep(); }
// A run is under way, or has come and is not drawn yet.
EMSCRIPTEN_KEEPALIVE int lockstep_busy() {
  const App& app = *page->app;
  return page->runner.busy() || page->runner.has_outcome() || !page->loop->idle() ||
         (!app.state().home && app.numbers_are() != App::Numbers::current);
}
// The control that has the keyboard.
EMSCRIPTEN_KEEPALIVE const char* lockstep_focus() { return page->loop->focus().c_str(); }
// What went wrong, as the banner says it; "" for nothing.
EMSCRIPTEN_KEEPALIVE const char* lockstep_fault() {
  static std::string text;
  text = page->app->banner ? page->app->banner->text() : "";
  return text.c_str();
}
// What is on the stage, for a screen reader.
EMSCRIPTEN_KEEPALIVE const char* lockstep_sentence() {
  static std::string text;
  const App& app = *page->app;
  text = app.state().home || !app.scene() ? "" : app.scene()->sentence(app.view()).text();
  return text.c_str();
}

}  // extern "C"

int main() {}
