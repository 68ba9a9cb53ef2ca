// Pictures of the window, and of a figure, without a display; and what a frame costs.
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/draw/canvas_svg.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "canvas_imgui.hpp"
#include "fonts.hpp"
#include "offscreen.hpp"
#include "shell.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

App app_for(const ShotOptions& o) {
  AppState state;
  const Request& request = o.run ? o.run->request : o.request;
  state.lab = request.lab, state.rung = request.rung, state.params = request.params;
  state.block = request.block, state.warp = request.warp;
  state.dark = o.dark, state.language = o.language, state.projector = o.projector;
  state.pinned = o.pinned;
  state.saved = o.run_name, state.compare = o.compare_name;
  App app(state, nullptr);
  if (o.run) app.show(*o.run);
  if (o.compare) app.compare(*o.compare);
  if (o.step >= 0) app.go_to(o.step);
  return app;
}

void draw(Canvas& canvas, App& app, const ShotOptions& o) {
  const Rect window{0, 0, float(o.width), float(o.height)};
  o.figure ? draw_figure(canvas, app, window) : draw_app(canvas, app, window);
}

// Text that comes from the run and not from the catalogue.
std::string names_in(const App& app) { return app.run() ? app.run()->device.name : std::string(); }

Result<std::vector<std::uint8_t>> png_of(App& app, const ShotOptions& o) {
  const int width = int(float(o.width) * o.scale + 0.5f), height = int(float(o.height) * o.scale + 0.5f);
  auto image = render_offscreen(
      width, height, [&] { build_fonts(o.scale * app.theme().type, names_in(app)); },
      [&](GridRenderer& grids) {
        Interaction interaction;
        ImGuiCanvas canvas(o.scale, interaction, &grids);
        draw(canvas, app, o);
      });
  if (!image) return image.error();
  return encode_png(*image);
}

}  // namespace

Result<std::vector<std::uint8_t>> shot_bytes(const ShotOptions& o) {
  App app = app_for(o);
  if (o.output.extension() != ".svg") return png_of(app, o);
  SvgCanvas canvas(float(o.width), float(o.height), app.theme().ground);
  draw(canvas, app, o);
  const std::string text = canvas.finish();
  return std::vector<std::uint8_t>(text.begin(), text.end());
}

Status render_shot(const ShotOptions& o) {
  const auto bytes = shot_bytes(o);
  if (!bytes) return bytes.error();
  return write_file_atomically(o.output, *bytes);
}

std::vector<BenchLine> bench_ui(const std::vector<Run>& runs) {
  constexpr int kFrames = 200;
  std::vector<BenchLine> lines;
  ImGuiContext* context = ImGui::CreateContext();
  ImGui::SetCurrentContext(context);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr, io.DisplaySize = {1920, 1080}, io.DeltaTime = 1.f / 60;
  build_fonts(1, "");
  for (const Run& run : runs) {
    ShotOptions options;
    options.run = run, options.width = 1920, options.height = 1080;
    App app = app_for(options);
    Interaction interaction;
    std::vector<double> ms;
    for (int frame = 0; frame < kFrames; ++frame) {
      const auto begin = std::chrono::steady_clock::now();
      ImGui::NewFrame();
      ImGuiCanvas canvas(1, interaction, nullptr);
      app.go_to(frame % (app.last_step() + 1));
      draw(canvas, app, options);
      canvas.finish({}, {}, {}, 1, {0, 0, 1920, 1080});
      ImGui::Render();
      ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(ms.begin(), ms.end());
    lines.push_back({"frame of " + run.request.lab + "/" + run.request.rung, "ms", ms[ms.size() / 2],
                     "CPU time at 1920 x 1080 while stepping, without a rasteriser, median of 200"});
  }
  ImGui::DestroyContext(context);
  return lines;
}

}  // namespace lockstep
