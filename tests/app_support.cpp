#include "app_support.hpp"

#include <doctest/doctest.h>
#include <imgui.h>

#include <filesystem>

#include "app/engine/engine.hpp"
#include "app/platform/paths.hpp"
#include "app/shell/compat.hpp"
#include "app/shell/fonts.hpp"
#include "app/shell/views.hpp"
#include "places.hpp"

namespace lockstep::test {
namespace {

// The catalogue lies beside the program; this test looks for it beside itself.
[[maybe_unused]] const bool assets_linked = [] {
  namespace fs = std::filesystem;
  std::error_code exists_already;
  fs::create_directory_symlink(fs::path(kProgram).parent_path() / "assets", assets_folder(), exists_already);
  return true;
}();

}  // namespace

const Run& emulated_run(const std::string& lab, const std::string& rung, const Params& params) {
  static std::map<std::tuple<std::string, std::string, Params>, Run> made;
  const std::tuple key{lab, rung, params};
  if (const auto found = made.find(key); found != made.end()) return found->second;
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = lab, request.rung = rung, request.params = params, request.engine = EngineKind::emulator;
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return made.emplace(key, std::move(*run)).first->second;
}

const Run& emulated(const std::string& rung, std::int64_t n) {
  return emulated_run("transpose", rung, {{"n", n}});
}

std::vector<Runner::EngineState> FakeRunner::engines() {
  return {{EngineKind::cuda,
           false,
           {"this lockstep was built without CUDA: the emulator and the recordings work", {}},
           ""},
          {EngineKind::emulator, true, {"the CPU emulator works everywhere: {0}", {"a CPU"}}, "this CPU"},
          {EngineKind::recording, true, {"{0} recordings from {1}", {"6", "NVIDIA H200"}}, "H200"}};
}

AppState state_of(const std::string& rung, std::int64_t n) {
  AppState state;
  state.lab = "transpose", state.rung = rung, state.params = {{"n", n}};
  return state;
}

Screen::Screen(App& app, float width, float height) : app_(app), width_(width), height_(height) {
  context_ = ImGui::CreateContext();
  ImGui::SetCurrentContext(static_cast<ImGuiContext*>(context_));
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {width, height};
  io.DeltaTime = 1.f / 60;
  build_fonts(app.theme().type, "");
  frame();
}

Screen::~Screen() { ImGui::DestroyContext(static_cast<ImGuiContext*>(context_)); }

void Screen::frame() {
  ImGui::NewFrame();
  ImGuiCanvas canvas(1, interaction_, nullptr);
  const Rect window{0, 0, width_, height_};
  draw_app(canvas, app_, window);
  const Theme theme = app_.theme();
  canvas.finish(theme.panel, theme.line, theme.ink, theme.type, window);
  tooltip_ = canvas.tooltip_shown();
  ImGui::Render();
  vertices_ = ImGui::GetDrawData()->TotalVtxCount;
}

void Screen::move(Vec2 to) {
  compat::mouse_position(ImGui::GetIO(), to.x, to.y);
  pointer_ = to, app_.pointer_moved();
  frame();
}

void Screen::press(bool down) {
  if (down) app_.pointer_pressed(pointer_);
  compat::mouse_button(ImGui::GetIO(), 0, down);
  frame();
}

void Screen::wheel(Vec2 at, float notches) {
  move(at);
  compat::mouse_wheel(ImGui::GetIO(), 0, notches);
  frame();
}

void Screen::click(const std::string& id, float part) {
  const Rect r = area(id);
  move({r.x + r.w * part, r.center().y});
  press(true);
  press(false);
  frame();
}

bool Screen::has(const std::string& id) const {
  for (const auto& a : interaction_.areas())
    if (a.id == id) return true;
  return false;
}

Rect Screen::area(const std::string& id) const {
  for (const auto& a : interaction_.areas())
    if (a.id == id) return a.rect;
  FAIL("there is no area " << id);
  return {};
}

}  // namespace lockstep::test
