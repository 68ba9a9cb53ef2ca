// Pictures of the window, and of a figure, without a display; and what a frame costs.
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>

#include "app/draw/canvas_svg.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "canvas_imgui.hpp"
#include "fonts.hpp"
#include "lens.hpp"
#include "offscreen.hpp"
#include "program_desk.hpp"
#include "shell.hpp"
#include "shot_app.hpp"
#include "view_notes.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

// Text that comes from the run and not from the catalogue.
std::string names_in(const App& app) {
  std::string names = app.run() ? app.run()->device.name : std::string();
  for (const auto& engine : app.engines_without_runner) names += engine.device;
  return names + app.story_glyphs() + app.program_glyphs();
}

// What stands large.
std::string headline_text(const App& app) {
  std::string text = app.state().home ? home_title() + tr("Exercises") + tr("Claims put to the test") : "";
  const auto add = [&](const LabScene& scene, const LabView& view) {
    for (const HeadFigure& figure : scene.headline(view)) text += figure.value;
  };
  if (app.has_steps()) add(*app.scene(), app.view());
  if (const int step = app.compared_step().step; app.compared() && step >= 0)
    add(*app.compared(), {step, app.view().warp, app.view().pinned});
  return text;
}

void build_fonts_for(const App& app, float scale, const std::vector<float>& sizes) {
  build_fonts(sizes.empty() ? scale * app.theme().type : scale, names_in(app), headline_text(app), sizes);
}

Result<std::vector<std::uint8_t>> png_of(App& app, const ShotOptions& o) {
  const int width = int(float(o.width) * o.scale + 0.5f), height = int(float(o.height) * o.scale + 0.5f);
  const std::vector<float> sizes =
      o.notes ? notes_type_scale(float(o.width), float(o.height)) : app.type_scale();
  Lens lens;
  auto image = render_offscreen(
      width, height, [&] { build_fonts_for(app, o.scale, sizes); },
      [&](GridRenderer& grids) {
        Interaction interaction;
        ImGuiCanvas canvas(o.scale, interaction, &grids);
        draw_shot(canvas, app, o);
        if (o.lens) lens.draw(canvas, app, {0, 0, float(o.width), float(o.height)}, *o.lens, o.scale);
      });
  if (!image) return image.error();
  return encode_png(*image);
}

Result<std::vector<std::uint8_t>> picture_of(App& app, const ShotOptions& o) {
  if (o.output.extension() != ".svg") return png_of(app, o);
  const std::string text = svg_of_window(app, o);
  return std::vector<std::uint8_t>(text.begin(), text.end());
}

}  // namespace

Result<std::vector<std::uint8_t>> shot_bytes(const ShotOptions& o, double* smallest_pt) {
  App app = app_for(o);
  if (o.program && !o.panels) return picture_of(app, o);
  if (!o.program)
    if (Status there = go_there(app, o); !there) return there.error();
  app.set_motion(o.motion);
  if (o.figure || o.panels) {
    auto figure = draw_figure(app, o.panels ? *o.panels : usual_figure(app, o), o.output);
    if (!figure) return figure.error();
    if (smallest_pt) *smallest_pt = figure->smallest_pt;
    return std::move(figure->bytes);
  }
  return picture_of(app, o);
}

Status render_shot(const ShotOptions& o, double* smallest_pt) {
  const auto bytes = shot_bytes(o, smallest_pt);
  if (!bytes) return bytes.error();
  return write_file_atomically(o.output, *bytes);
}

namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// CPU time of frames, each at another step: `stride` steps on.
std::vector<double> frame_times(App& app, const ShotOptions& options, int frames, int stride) {
  Interaction interaction;
  std::vector<double> ms;
  for (int frame = 0; frame < frames; ++frame) {
    const auto begin = Clock::now();
    ImGui::NewFrame();
    ImGuiCanvas canvas(1, interaction, nullptr);
    app.go_to(int(std::int64_t(frame) * stride % (app.last_step() + 1)));
    draw_shot(canvas, app, options);
    canvas.finish({}, {}, {}, 1, {0, 0, 1920, 1080});
    ImGui::Render();
    ms.push_back(ms_since(begin));
  }
  std::sort(ms.begin(), ms.end());
  return ms;
}

ShotOptions full_hd(const Run& run) {
  ShotOptions options;
  options.run = run, options.width = 1920, options.height = 1080;
  return options;
}

// From one matrix to another through a tile in shared memory, access by access.
bool moves_matrices(const Run& run) {
  if (run.launches.size() != 1) return false;
  int global = 0, shared = 0;
  for (const ViewInfo& view : run.launches.front().views)
    if (view.shape.size() == 2) ++(view.space == Space::global ? global : shared);
  return global == 2 && shared == 1 && open_run(run)->axis().steps_are_warps();
}

// A run like `run`, whose followed block has 1024 threads that make about `events` accesses: each warp walks
// down the matrix, reads a row, writes and reads the tile, writes a row.
Run with_long_trace(Run run, std::int64_t events) {
  constexpr int kThreads = 1024, kCols = 1024;
  Launch& launch = run.launches.at(0);
  std::vector<Access> sites;
  for (const Access& a : launch.trace.events)
    if (moves_data(a.kind) &&
        std::none_of(sites.begin(), sites.end(), [&](const Access& s) { return s.site() == a.site(); }))
      sites.push_back(a);
  launch.block = {kThreads, 1, 1};
  for (ViewInfo& view : launch.views)
    if (view.space == Space::global) view.shape = {kCols, kCols};
  BlockTrace trace;
  trace.begin.assign(1, 0);
  const auto rounds = std::uint32_t(events / kThreads / std::int64_t(sites.size()));
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    for (std::uint32_t k = 0; k < rounds; ++k)
      for (Access a : sites) {
        a.mask = 0, a.clock = 0;
        a.offset = a.view < kFirstSharedView ? (k % kCols * kCols + t) * 4 : (t % 32 * 33 + k % 32) * 4;
        trace.events.push_back(a);
      }
    trace.begin.push_back(trace.events.size());
  }
  launch.trace = std::move(trace);
  run.touches.clear(), run.buffers.clear();
  return run;
}

void bench_long_trace(const Run& run, std::vector<BenchLine>& lines) {
  constexpr std::int64_t kEvents = 10'000'000;
  const ShotOptions options = full_hd(with_long_trace(run, kEvents));
  const auto begin = Clock::now();
  App app = app_for(options);
  const double built = ms_since(begin);
  const auto first = frame_times(app, options, 1, 1);
  const auto ms = frame_times(app, options, 300, 7919);  // jumps across the whole axis
  const std::string note = "synthetic, " + std::to_string(app.run()->launches[0].trace.events.size()) +
                           " events in " + std::to_string(app.last_step() + 1) + " steps";
  lines.push_back({"10 M events: steps built", "ms", built, note + ", once per run"});
  lines.push_back({"10 M events: first frame", "ms", first.front(), note + ", with its indices"});
  lines.push_back(
      {"10 M events: frame while scrubbing", "ms", ms[ms.size() / 2], note + ", median of 300 jumps"});
  lines.push_back({"10 M events: slowest frame", "ms", ms.back(), note + ", of 300 jumps"});
}

// A launch call, a kernel and a gap, over and over: `spans` of them in five lanes, with their edges.
Timeline long_timeline(int spans) {
  Timeline t;
  t.kinds = {"call", "kernel", "gap"};
  t.add_lane("CPU");
  for (const char* stream : {"stream A", "stream B", "stream C", "stream D"}) t.add_lane(stream, "GPU");
  const char* const names[] = {"norm", "qkv", "scores", "proj", "mlp"};
  std::uint32_t before = 0;
  for (int i = 0; i < spans / 3; ++i) {
    const std::int64_t at = i * std::int64_t{4000};
    TimelineLane& stream = t.lanes[std::size_t(1 + i % 4)];
    const auto call = t.add(t.lanes[0], "cudaLaunchKernel", at, at + 3200, 0);
    const auto kernel = t.add(stream, names[i % 5], at + 3500, at + 3500 + 1000 * (1 + i * 7 % 12), 1);
    t.add(stream, "gap", at + 3500 + 1000 * (1 + i * 7 % 12), at + 19500, 2);
    t.edges.push_back({call, kernel, 0});
    if (before) t.edges.push_back({before, kernel, 1});
    before = kernel;
  }
  t.nest();
  return t;
}

// Frames of a window that holds nothing but a timeline, moved by a little from one to the next.
double timeline_frame(const TimelinePicture& picture, TimelineView view) {
  constexpr int kFrames = 200;
  const Theme& theme = light_theme();
  Interaction interaction;
  std::vector<double> ms;
  for (int frame = 0; frame < kFrames; ++frame) {
    const auto begin = Clock::now();
    ImGui::NewFrame();
    ImGuiCanvas canvas(1, interaction, nullptr);
    if (view.shown) view = panned(picture, view, (view.shown->end_ns - view.shown->start_ns) / 50);
    draw_timeline(canvas, theme, {196, 60, 1384, 900}, picture, view);
    canvas.finish({}, {}, {}, 1, {0, 0, 1920, 1080});
    ImGui::Render();
    ms.push_back(ms_since(begin));
  }
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

// ImGui without a window, at 1920 x 1080.
struct BenchScreen {
  BenchScreen() : context(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr, io.DisplaySize = {1920, 1080}, io.DeltaTime = 1.f / 60;
    build_fonts(1, "");
  }
  ~BenchScreen() { ImGui::DestroyContext(context); }
  BenchScreen(const BenchScreen&) = delete;
  BenchScreen& operator=(const BenchScreen&) = delete;
  ImGuiContext* context;
};

void time_timeline(std::vector<BenchLine>& lines) {
  constexpr int kSpans = 100'000;
  const auto begin = Clock::now();
  const Timeline timeline = long_timeline(kSpans);
  const double built = ms_since(begin);
  TimelinePicture picture;
  picture.id = "timeline", picture.timeline = &timeline;
  picture.kinds = {
      {"call", Color::hex(0x8D959C), false}, {"kernel", color::hbm, false}, {"gap", color::trouble, true}};
  const std::string note = "synthetic, " + std::to_string(timeline.span_count()) + " spans and " +
                           std::to_string(timeline.edges.size()) + " edges, median of 200 frames";
  lines.push_back({"timeline of 100,000 spans: built", "ms", built, note});
  const double end = double(timeline.last_ns());
  const auto add = [&](const std::string& name, const TimelineView& view) {
    lines.push_back({"timeline of 100,000 spans: " + name, "ms", timeline_frame(picture, view), note});
  };
  TimelineView view;
  add("frame with all in view", view);
  view.search = "mlp", view.brush = {{end * 0.2, end * 0.8}};
  add("frame with all in view, searched and measured", view);
  view = {}, view.shown = {{end / 4, end / 2}};
  add("frame with a quarter in view", view);
  view.shown = {{end / 2, end / 2 + 4e6}};
  add("frame with 3,000 in view", view);
  view.shown = {{end / 2, end / 2 + 3e5}};
  add("frame with 225 in view", view);
}

}  // namespace

std::vector<BenchLine> bench_timeline() {
  const BenchScreen screen;
  std::vector<BenchLine> lines;
  time_timeline(lines);
  return lines;
}

namespace {

// With the first run of each lab as its card.
BenchLine bench_home(const std::vector<Run>& runs, int frames) {
  ShotOptions options;
  options.home = true, options.width = 1920, options.height = 1080;
  std::set<std::string> labs;
  for (const Run& run : runs)
    if (labs.insert(run.request.lab).second) options.cards.push_back(run);
  App app = app_for(options);
  const auto ms = frame_times(app, options, frames, 0);
  return {"frame of the home", "ms", ms[ms.size() / 2],
          "CPU time at 1920 x 1080 with " + std::to_string(labs.size()) +
              " cards, without a rasteriser, median of 200"};
}

}  // namespace

std::vector<BenchLine> bench_ui(const std::vector<Run>& runs) {
  constexpr int kFrames = 200;
  std::vector<BenchLine> lines;
  const BenchScreen screen;
  lines.push_back(bench_home(runs, kFrames));
  for (const Run& run : runs) {
    const ShotOptions options = full_hd(run);
    App app = app_for(options);
    const auto ms = frame_times(app, options, kFrames, 1);
    std::string name = "frame of " + run.request.lab + "/" + run.request.rung;
    if (const auto usual = complete_params(app.info(), run.request.rung, {}); usual)
      for (const auto& [setting, value] : run.request.params)
        if (const auto at = usual->find(setting); at == usual->end() || at->second != value)
          name += " " + setting + "=" + to_string(value);
    lines.push_back({name, "ms", ms[ms.size() / 2],
                     "CPU time at 1920 x 1080 while stepping, without a rasteriser, median of 200"});
  }
  for (const Run& run : runs)
    if (moves_matrices(run)) {
      bench_long_trace(run, lines);
      break;
    }
  return lines;
}

}  // namespace lockstep
