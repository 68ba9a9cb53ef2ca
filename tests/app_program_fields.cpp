// What a reader's program is given in the window, how its arrays stand, what a GPU says of it, and how it is
// presented.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "app/cli/program_window.hpp"
#include "places.hpp"
#include "program_window.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// The histogram's run, and what a GPU said of its second launch.
reader::ProgramRun measured_run() {
  reader::ProgramRun run = histogram_run();
  auto gpu = std::make_shared<reader::GpuRun>();
  gpu->device.name = "NVIDIA H200", gpu->match = reader::OutputMatch::same;
  reader::GpuKernel kernel;
  kernel.launch = 1, kernel.time_us = 18.3, kernel.registers = 24, kernel.shared_bytes = 1024;
  kernel.block = {256, 1, 1}, kernel.counters = {{"global_load_sectors", 2048}};
  gpu->kernels.push_back(kernel);
  gpu->no_counters = {};
  run.gpu = std::move(gpu);
  return run;
}

}  // namespace

TEST_CASE("what a program is given is typed in fields that Tab walks, and goes with its next run") {
  ProgramWindow w;
  w.key(Key::escape);
  w.app.on_key({Key::character, 'A', false, false});
  w.type(U"64");
  w.key(Key::tab);
  w.type(U"numbers.txt");
  w.key(Key::tab);
  w.type(U"more.cu");
  w.key(Key::tab);
  w.type(U"5, 0");
  CHECK(w.says("5, 0"));
  std::ofstream(w.folder.path / "numbers.txt") << "1 2 3";
  w.key(Key::enter);
  w.app.tick(0.01);
  REQUIRE_FALSE(w.programs.started.empty());
  const reader::ProgramRequest& asked = w.programs.started.back();
  CHECK(asked.arguments == std::vector<std::string>{"64"});
  CHECK(asked.input == "1 2 3");
  CHECK(asked.further_sources == std::vector<fs::path>{w.folder.path / "more.cu"});
  CHECK(asked.block == 5);
  CHECK_FALSE(w.desk->takes_text());
}

TEST_CASE("a file for standard input that is not there is said, and nothing runs") {
  ProgramWindow w;
  w.desk->focus_field(ProgramDesk::Field::input);
  w.type(U"none.txt");
  w.key(Key::enter);
  w.app.tick(0.01);
  CHECK(w.programs.started.empty());
  CHECK(w.says("none.txt"));
  CHECK(w.desk->field_fault);
}

TEST_CASE("fields and shapes are kept for each file") {
  ProgramWindow w;
  w.desk->text_of(ProgramDesk::Field::arguments) = TextEdit("64 fast");
  w.desk->shapes["in"] = {128, 128};
  const auto kept = w.desk->kept_fields();
  w.desk->open_text(w.folder.file(), histogram_text());
  CHECK(w.desk->kept_fields().empty());
  w.desk->restore_fields(kept);
  CHECK(w.desk->text_of(ProgramDesk::Field::arguments).text() == "64 fast");
  CHECK(w.desk->shapes.at("in") == std::vector<std::uint64_t>{128, 128});
  w.key(Key::escape), w.key(Key::down);  // any key keeps them in the settings
  CHECK(w.app.settings().program_fields.size() == 1);
}

TEST_CASE("a shape that is typed is how the array stands; one that does not fit its elements is refused") {
  CHECK(parse_shape("64 x 64", 4096) == std::vector<std::uint64_t>{64, 64});
  CHECK(parse_shape("4*32,32", 4096) == std::vector<std::uint64_t>{4, 32, 32});
  CHECK(parse_shape("100", 4096) == std::vector<std::uint64_t>{41, 100});  // rows of a hundred
  CHECK_FALSE(parse_shape("64 x 65", 4096));
  CHECK_FALSE(parse_shape("0", 4096));
  ProgramWindow w;
  const StageArray& in = w.desk->scene()->arrays()[0];
  CHECK(w.desk->shape_of(in) == std::vector<std::uint64_t>{16384});
  w.desk->open_shape(in);
  w.type(U"100 x 100");
  w.key(Key::enter);
  CHECK(w.desk->bar_missed);
  CHECK(w.says("it has another number of elements"));
  w.app.on_key({Key::character, 'A', true, false});
  w.desk->bar_edit.select_all();
  w.type(U"128 x 128");
  w.key(Key::enter);
  CHECK(w.desk->bar == ProgramDesk::Bar::none);
  CHECK(w.desk->shape_of(in) == std::vector<std::uint64_t>{128, 128});
  CHECK(w.says("128 × 128 × unsigned"));
  w.desk->open_shape(in);
  w.key(Key::down);  // the next likely one, at once
  CHECK(w.desk->shape_of(in) != std::vector<std::uint64_t>{128, 128});
  w.desk->bar_edit = TextEdit("");
  w.key(Key::enter);  // nothing: as it was guessed
  CHECK(w.desk->shape_of(in) == std::vector<std::uint64_t>{16384});
}

TEST_CASE("F11 shows a program to a room: no editor, the step's sentence and line, all of it large enough") {
  ProgramWindow w;
  w.key(Key::f11);  // from the editor: its keys are the steps' now
  CHECK(w.app.state().projector);
  CHECK_FALSE(w.desk->takes_text());
  w.key(Key::enter);
  w.app.on_key({Key::character, 'A', false, false});
  CHECK_FALSE(w.desk->takes_text());
  CHECK(w.desk->go_to_line(22));
  for (const auto& [width, height] : {std::pair{1280.f, 720.f}, {1600.f, 900.f}, {1920.f, 1080.f}}) {
    const auto all = w.texts(width, height);
    const float scale = w.app.presentation_scale();
    bool line = false;
    for (const auto& t : all) {
      CAPTURE(t.text);
      CHECK(t.rect.h >= 18 * scale - 0.01f);
      CHECK(t.rect.x >= 0);
      CHECK(t.rect.right() <= width + 1);
      CHECK(t.rect.bottom() <= height + 1);
      line |= t.text.find("atomicAdd") != t.text.npos;
      CHECK(t.text.find("Ctrl+S") == t.text.npos);
    }
    CHECK(line);
  }
  w.key(Key::right);
  w.app.on_key({Key::character, 'B', false, false});
  CHECK(w.app.blank);
  w.key(Key::left);  // any key brings it back
  w.key(Key::escape);
  CHECK_FALSE(w.app.state().projector);
}

TEST_CASE(
    "a GPU is asked where nvcc is: its times and counters stand beside the emulator's, with their badges") {
  ProgramWindow w;
  CHECK(w.says("Times and occupancy come from nvcc and a GPU: --engine cuda"));
  CHECK_FALSE(w.desk->can_ask_gpu());
  w.programs.nvcc = true;
  CHECK(w.says("nvcc is installed"));
  Screen screen(w.app, 1600, 900);
  screen.frame();
  screen.click("program/engine");
  screen.frame();
  screen.click("program/engine/cuda");
  CHECK(w.desk->on_gpu());
  w.app.tick(1);
  REQUIRE_FALSE(w.programs.started.empty());
  CHECK(w.programs.started.back().on_gpu);
  w.desk->show(measured_run());
  w.desk->choose_launch(1);
  CHECK(w.says("This launch took 18.3 µs"));
  CHECK(w.says("registers per thread: 24"));
  CHECK(w.says("2,048"));
  CHECK(w.says("measured"));
  CHECK(w.says("It prints the same on the GPU."));
  CHECK(w.says("The same file on this GPU: H200"));
  w.desk->choose_launch(0);
  CHECK(w.says("No kernel on the GPU matches this launch."));
}

TEST_CASE("the keyboard reaches all that a click does") {
  ProgramWindow w;
  w.programs.nvcc = true;
  w.key(Key::escape);
  w.app.on_key({Key::character, 'E', false, false});
  CHECK(w.app.chooser_open);
  CHECK(w.app.wanted_focus == "program/engine/emulator");
  const auto reachable = [&] {
    SvgCanvas drawn(1600, 900, w.app.theme().ground);
    draw_app(drawn, w.app, {0, 0, 1600, 900});
    // Tab walks to what is focusable; these have keys: Enter (editor), arrows (steps, lists), S (shapes),
    // F11.
    const std::vector<std::string> by_key{
        "program/editor", "program/array/", "program/arrays", "program/lanes", "drawer",
        "step/slider",    "phases",         "veil/",          "splitter/",     "title",
        "provenance",     "present/leave",  "program/bar",    "river/",        "rail"};
    for (const SvgCanvas::DrawnHit& hit : drawn.hits()) {
      const bool known = std::any_of(by_key.begin(), by_key.end(),
                                     [&](const std::string& id) { return hit.id.starts_with(id); });
      const bool reached = hit.focusable || known;
      CAPTURE(hit.id);
      CHECK(reached);
    }
  };
  reachable();
  w.app.on_key({Key::character, 'E', false, false});
  for (int tab = 0; tab < 3; ++tab) w.key(Key::f6), reachable();
  w.app.on_key({Key::character, 'S', false, false});
  CHECK(w.desk->bar == ProgramDesk::Bar::shape);
  w.key(Key::escape);
  w.app.on_key({Key::character, 'B', false, false});
  CHECK(w.desk->typed_field == ProgramDesk::Field::block);
  w.key(Key::tab);
  CHECK_FALSE(w.desk->takes_text());
}

TEST_CASE(
    "while it runs again the picture of the run before is pale, and the GPU's work leaves it as it is") {
  ProgramWindow w;
  w.app.tick(1);
  CHECK_FALSE(w.desk->outdated());
  w.desk->run_now(), w.app.tick(0.01);
  CHECK(w.desk->pale());
  w.programs.nvcc = true, w.desk->set_on_gpu(true);
  w.app.tick(1);
  w.desk->show(histogram_run());  // the emulator's answer; the GPU is still at work
  CHECK(w.desk->measuring());
  CHECK_FALSE(w.desk->pale());
  CHECK(w.says("compiling"));
}

TEST_CASE("the rows of a matrix are guessed from how a two-dimensional block walks them") {
  if (!can_compile()) return;
  const ProgramFolder folder;
  folder.write(R"(#include <cstdio>
__global__ void turn(const float* in, float* out, int rows, int cols) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}
int main() {
  const int rows = 48, cols = 80;
  float *in, *out;
  cudaMalloc(&in, rows * cols * sizeof(float));
  cudaMalloc(&out, rows * cols * sizeof(float));
  cudaMemset(in, 0, rows * cols * sizeof(float));
  turn<<<dim3(cols / 16, rows / 16), dim3(16, 16)>>>(in, out, rows, cols);
  cudaDeviceSynchronize();
  cudaFree(in), cudaFree(out);
}
)");
  reader::ProgramRequest request;
  request.file = folder.file(), request.worker = kProgram;
  auto run = reader::run_program_file(request, {});
  REQUIRE(run.ok());
  REQUIRE(run->compiled);
  ProgramWindow w(false);
  w.desk->show(std::move(*run));
  REQUIRE(w.desk->scene());
  const auto& arrays = w.desk->scene()->arrays();
  REQUIRE(arrays.size() == 2);
  CHECK(w.desk->shape_of(arrays[0]) == std::vector<std::uint64_t>{48, 80});
  CHECK(w.desk->shape_of(arrays[1]) == std::vector<std::uint64_t>{80, 48});
}

TEST_CASE("a window that asks a GPU has the emulator's picture first, and then what the GPU said") {
  if (!can_compile()) return;
  const ProgramFolder folder;
  const fs::path nvcc = folder.path / "nvcc";
  std::ofstream(nvcc) << "#!/bin/sh\nsleep 0.5\nexit 1\n";
  fs::permissions(nvcc, fs::perms::owner_all);
  setenv("LOCKSTEP_NVCC", nvcc.c_str(), 1);
  const auto runner = make_program_runner();
  CHECK(runner->has_nvcc());
  reader::ProgramRequest request;
  request.file = folder.file(), request.worker = kProgram, request.on_gpu = true;
  runner->start(request);
  std::vector<std::pair<bool, bool>> answers;  // busy behind it; with a GPU's
  for (int i = 0; i < 3000 && runner->busy(); ++i, usleep(10000))
    if (const auto run = runner->poll()) {
      REQUIRE(run->ok());
      answers.emplace_back(runner->busy(), (**run).gpu != nullptr);
    }
  unsetenv("LOCKSTEP_NVCC");
  CHECK(answers == std::vector<std::pair<bool, bool>>{{true, false}, {false, true}});
}
