#include "notes_window.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app.hpp"
#include "canvas_imgui.hpp"
#include "fonts.hpp"
#include "view_notes.hpp"

namespace lockstep {
namespace {

constexpr int kNotesWidth = 1000, kNotesHeight = 640;

// The first screen that does not show the middle of `window`; nullptr: there is none.
GLFWmonitor* other_screen(GLFWwindow* window) {
  int x = 0, y = 0, w = 0, h = 0, count = 0;
  glfwGetWindowPos(window, &x, &y);
  glfwGetWindowSize(window, &w, &h);
  GLFWmonitor** screens = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int sx = 0, sy = 0, sw = 0, sh = 0;
    glfwGetMonitorWorkarea(screens[i], &sx, &sy, &sw, &sh);
    const int cx = x + w / 2, cy = y + h / 2;
    if (cx < sx || cx >= sx + sw || cy < sy || cy >= sy + sh) return screens[i];
  }
  return nullptr;
}

// Draws and handles in another context; the window's own is current again behind it.
class Elsewhere {
 public:
  Elsewhere(GLFWwindow* handle, ImGuiContext* context)
      : handle_(glfwGetCurrentContext()), context_(ImGui::GetCurrentContext()) {
    glfwMakeContextCurrent(handle);
    ImGui::SetCurrentContext(context);
  }
  ~Elsewhere() {
    glfwMakeContextCurrent(handle_);
    ImGui::SetCurrentContext(context_);
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  GLFWwindow* handle_;
  ImGuiContext* context_;
};

}  // namespace

bool NotesWindow::open(std::string& cause) {
  if (std::getenv("LOCKSTEP_ONE_WINDOW")) return cause = "LOCKSTEP_ONE_WINDOW is set", false;  // for tests
  glfwWindowHint(GLFW_FOCUS_ON_SHOW, GLFW_FALSE);
  handle_ = glfwCreateWindow(kNotesWidth, kNotesHeight, "Notes", nullptr, nullptr);
  if (!handle_) {
    const char* text = nullptr;
    glfwGetError(&text);
    return cause = text ? text : "unknown", false;
  }
  if (GLFWmonitor* screen = other_screen(beside_)) {
    int x = 0, y = 0, w = 0, h = 0;
    glfwGetMonitorWorkarea(screen, &x, &y, &w, &h);
    glfwSetWindowPos(handle_, x + std::max(0, (w - kNotesWidth) / 2),
                     y + std::max(0, (h - kNotesHeight) / 2));
  }
  listen_(handle_);
  context_ = ImGui::CreateContext();
  const Elsewhere here(handle_, context_);
  glfwSwapInterval(0);  // the other window waits for the screen
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplOpenGL3_Init("#version 330 core");
  fonts_for_ = 0;
  return true;
}

void NotesWindow::close() {
  if (!handle_) return;
  {
    const Elsewhere here(handle_, context_);
    ImGui_ImplOpenGL3_Shutdown();
  }
  ImGui::DestroyContext(context_);
  glfwDestroyWindow(handle_);
  handle_ = nullptr, context_ = nullptr, title_.clear();
}

void NotesWindow::follow(App& app) {
  if (handle_ && glfwWindowShouldClose(handle_)) app.notes_wanted = false;
  const bool wanted = app.notes_wanted && app.tour();
  if (!wanted) return close();
  if (handle_) return;
  std::string cause;
  if (open(cause)) return;
  app.notes_wanted = false;
  const Message said{"no second window can be opened for the notes: {0}", {cause}};
  app.banner = said;
  std::fprintf(stderr, "lockstep: %s\n", tr(said).c_str());
}

void NotesWindow::prepare_fonts(App& app, int width, int height) {
  float x = 1, y = 1;
  glfwGetWindowContentScale(handle_, &x, &y);
  scale_ = x;
  const std::vector<float> sizes = notes_type_scale(float(width) / scale_, float(height) / scale_);
  std::string characters = app.tour_glyphs();
  const float wanted = sizes.front() * scale_;
  if (wanted == fonts_for_ && characters == characters_ && app.state().language == language_) return;
  const bool again = fonts_for_ > 0;
  fonts_for_ = wanted, characters_ = std::move(characters), language_ = app.state().language;
  build_fonts(scale_, characters_, "", sizes);
  if (again) ImGui_ImplOpenGL3_DestroyFontsTexture(), ImGui_ImplOpenGL3_CreateFontsTexture();
}

void NotesWindow::draw(App& app) {
  if (!handle_ || !app.tour()) return;
  int width = 0, height = 0;
  glfwGetFramebufferSize(handle_, &width, &height);
  if (width < 1 || height < 1) return;
  if (const std::string title = notes_title(app); title != title_)
    glfwSetWindowTitle(handle_, (title_ = title).c_str());
  const Elsewhere here(handle_, context_);
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {float(width), float(height)};
  io.DeltaTime = 1.f / 60;
  prepare_fonts(app, width, height);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  {
    Interaction nothing;
    ImGuiCanvas canvas(scale_, nothing, nullptr);
    const Rect area{0, 0, float(width) / scale_, float(height) / scale_};
    draw_notes(canvas, app, area);
    canvas.finish({}, {}, {}, 1, area);
  }
  ImGui::Render();
  glViewport(0, 0, width, height);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(handle_);
}

}  // namespace lockstep
