// A reader's own program in the window: typed by keys, drawn from a run made by hand, without a compiler.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/draw/canvas_svg.hpp"
#include "app/platform/files.hpp"
#include "app/shell/program_desk.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "places.hpp"
#include "program_sample.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace fs = std::filesystem;

namespace {

// Answers what a test hands it; remembers what it was asked.
class FakePrograms : public ProgramRunner {
 public:
  void start(const reader::ProgramRequest& request) override { started.push_back(request), busy_ = true; }
  void cancel() override { busy_ = false; }
  bool busy() const override { return busy_; }
  Message progress_text() const override { return {"compiling", {}}; }
  std::optional<Result<reader::ProgramRun>> poll() override {
    if (!answer_) return {};
    busy_ = false;
    return std::exchange(answer_, std::nullopt);
  }
  void answer(reader::ProgramRun run) { answer_ = std::move(run); }
  bool has_nvcc() const override { return nvcc; }
  bool nvcc = false;
  std::vector<std::pair<std::string, Message>> templates() const override {
    return {{"saxpy", {"a line", {}}}};
  }
  Result<std::string> template_text(const std::string&) const override {
    return std::string("int main() {}\n");
  }
  std::vector<reader::ProgramRequest> started;

 private:
  bool busy_ = false;
  std::optional<Result<reader::ProgramRun>> answer_;
};

struct ProgramFolder {
  ProgramFolder() : path(fs::temp_directory_path() / ("lockstep-program-" + std::to_string(getpid()))) {
    fs::remove_all(path), fs::create_directories(path);
    write(histogram_text());
  }
  ~ProgramFolder() { fs::remove_all(path); }
  fs::path file() const { return path / "histogram.cu"; }
  void write(const std::string& text) const { std::ofstream(file()) << text; }
  std::string read() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path path;
};

bool can_compile() {
  const bool can = std::system("command -v clang >/dev/null") == 0;
  if (!can) MESSAGE("left out: clang is not installed");
  return can;
}

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

// A window with the histogram in it.
struct ProgramWindow {
  explicit ProgramWindow(bool shown = true) : app(state_of("tiled", 64), nullptr) {
    auto made = std::make_unique<ProgramDesk>(&programs, folder.path / "drafts");
    desk = made.get();
    REQUIRE(desk->open(folder.file()));
    app.show_desk(std::move(made));
    if (shown) desk->show(histogram_run()), desk->choose_launch(1);
    programs.started.clear();
  }
  void type(std::u32string_view text) {
    for (const char32_t c : text) app.type_character(c);
  }
  void control(char c) { app.on_key({Key::character, c, true, false}); }
  void key(Key k, bool shift = false) { app.on_key({k, 0, false, shift}); }
  std::vector<SvgCanvas::DrawnText> texts(float width = 1600, float height = 900) {
    SvgCanvas canvas(width, height, app.theme().ground);
    draw_app(canvas, app, {0, 0, width, height});
    return canvas.texts();
  }
  bool says(std::string_view part) {
    const auto all = texts();
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& t) { return t.text.find(part) != t.text.npos; });
  }
  ProgramFolder folder;
  FakePrograms programs;
  App app;
  ProgramDesk* desk = nullptr;
};

}  // namespace

TEST_CASE("a program's launches stand where a lab has rungs, with their costs and what is wrong with them") {
  ProgramWindow w;
  CHECK(w.says("fill<<<16, 256>>>"));
  CHECK(w.says("histogram<<<64, 256>>>"));
  CHECK(w.says("1 finding"));
  CHECK(w.says("your own file, unchanged: 2 launches, 1 finding"));
  CHECK(w.says("bins 256, total 16384 of 16384: ok"));
}

TEST_CASE("counts say that they are of this compiler, whatever else is on screen") {
  ProgramWindow w;
  CHECK(w.says("as compiled by clang"));
  w.desk->tab = ProgramDesk::Tab::output;
  CHECK(w.says("as compiled by clang"));
  CHECK(w.says("elapsed times are not measured here"));
  CHECK(w.says("exit code 0"));
}

TEST_CASE("a line of the program leads to its first step, and the stage shows its lanes") {
  ProgramWindow w;
  CHECK(w.desk->go_to_line(19));
  CHECK(w.desk->step_line() == 19);
  CHECK(w.says("Line 19, warp 0: 32 lanes update mine by atomics"));
  CHECK(w.desk->go_to_line(16));
  CHECK(w.says("Line 16, warp 0: 32 lanes write mine"));
  CHECK_FALSE(w.desk->go_to_line(26));
  CHECK(w.desk->step_line() == 16);
}

TEST_CASE("the caret in a line with costs leads the stage there") {
  ProgramWindow w;
  w.desk->go_to_line(16);
  w.desk->edit.go_to_line(20);
  w.key(Key::down);  // to line 22
  CHECK(w.desk->step_line() == 22);
}

TEST_CASE("a finding stands below its line in one sentence") {
  ProgramWindow w;
  CHECK(w.says("race: mine[5]: set to 0 by thread 5"));
  CHECK(w.says("line 19 against line 16"));
}

TEST_CASE("every array has its name, its shape and what an element holds and who wrote it") {
  ProgramWindow w;
  CHECK(w.says("16,384 × unsigned"));
  CHECK(w.says("256 × unsigned"));
  const auto& arrays = w.desk->scene()->arrays();
  REQUIRE(arrays.size() == 3);
  const std::string text = w.desk->scene()->element_text(arrays[0], arrays[0].view->shape, 5);
  CHECK(text.find("in[5] = " + std::to_string(sample_value(5))) == 0);
  CHECK(text.find("written by fill, block (0, 0)") != text.npos);  // by the launch before
  CHECK(text.find("read by block (0, 0)") != text.npos);
  const std::string shared = w.desk->scene()->element_text(arrays[2], arrays[2].view->shape, 3);
  CHECK(shared.find("mine[3]") == 0);
  CHECK(shared.find("line 16") != shared.npos);
}

TEST_CASE("it runs again once nothing was typed for a while, with the text as it stands") {
  ProgramWindow w;
  w.app.tick(1);
  w.programs.started.clear();
  w.type(U"// x");
  w.app.tick(0.2);
  w.type(U"y");
  w.app.tick(0.3);
  CHECK(w.programs.started.empty());
  w.app.tick(0.1);
  REQUIRE(w.programs.started.size() == 1);
  CHECK(w.programs.started[0].text == "// xy" + histogram_text());
  CHECK(w.programs.started[0].file == w.folder.file());
  w.app.tick(5);
  CHECK(w.programs.started.size() == 1);
}

TEST_CASE("the caret alone runs nothing") {
  ProgramWindow w;
  w.app.tick(1);
  w.programs.started.clear();
  for (int i = 0; i < 5; ++i) w.key(Key::down);
  w.app.tick(1);
  CHECK(w.programs.started.empty());
}

TEST_CASE("what does not compile keeps the picture, dimmed, and says why at its line") {
  ProgramWindow w;
  w.desk->go_to_line(19);
  w.app.tick(1);
  w.type(U"x");
  w.app.tick(1);
  w.programs.answer(broken_run());
  w.app.tick(0.01);
  CHECK(w.desk->outdated());
  REQUIRE(w.desk->run() != nullptr);
  CHECK(w.says("histogram<<<64, 256>>>"));
  CHECK(w.says("'mein' is not declared; did you mean 'mine'?"));
  CHECK(w.says("does not compile"));
  w.programs.answer(histogram_run());
  w.desk->run_now(), w.app.tick(1), w.app.tick(0.01);
  CHECK_FALSE(w.desk->outdated());
  CHECK(w.desk->step_line() == 19);  // where the reader was
}

TEST_CASE("no shortcut of the window fires while one types") {
  ProgramWindow w;
  const bool dark = w.app.state().dark;
  w.type(U"tThHrR1[/?");
  for (const char c : {'T', 'H', 'R', '1', '/'}) w.app.on_key({Key::character, c, false, false});
  CHECK(w.app.state().dark == dark);
  CHECK_FALSE(w.app.state().home);
  CHECK(w.desk->edit.line(0).starts_with("tThHrR1[/?"));
  w.key(Key::escape);
  w.app.on_key({Key::character, 'T', false, false});
  CHECK(w.app.state().dark != dark);
}

TEST_CASE("copy, cut, paste and undo are the text's, not the scene's") {
  ProgramWindow w;
  w.desk->edit.go_to_line(15);
  w.app.on_key({Key::end, 0, false, true});
  w.control('C');
  CHECK(w.app.to_clipboard == "  mine[threadIdx.x] = 0;");
  w.control('X');
  CHECK(w.desk->edit.line(15).empty());
  w.control('Z');
  CHECK(w.desk->edit.text() == histogram_text());
  w.control('V');
  CHECK(w.app.wants_clipboard);
  w.app.paste("a\nb");
  CHECK(w.desk->edit.line(16) == "b");
}

TEST_CASE("Ctrl+F finds as one types, Ctrl+G goes to a line, Escape gives the keyboard back") {
  ProgramWindow w;
  w.control('F');
  w.type(U"atomicadd");
  CHECK(w.desk->edit.selected() == "atomicAdd");
  CHECK(w.desk->edit.caret_line() == 18);
  w.key(Key::enter);
  CHECK(w.desk->edit.caret_line() == 21);
  w.key(Key::enter, true);
  CHECK(w.desk->edit.caret_line() == 18);
  w.key(Key::escape);
  w.control('G');
  w.type(U"99999");
  w.key(Key::enter);
  CHECK(w.desk->bar_missed);
  w.control('G');
  w.type(U"25");
  w.key(Key::enter);
  CHECK(w.desk->edit.caret_line() == 24);
  w.type(U"//");
  CHECK(w.desk->edit.line(24).starts_with("//int main"));
}

TEST_CASE("committed text of an input method arrives as it is") {
  ProgramWindow w;
  w.type(U"// 直方图");
  CHECK(w.desk->edit.line(0).starts_with("// 直方图"));
  CHECK(w.app.program_glyphs().find("直方图") != std::string::npos);
}

TEST_CASE("Ctrl+S writes the file, and only then is it as on disk") {
  ProgramWindow w;
  w.type(U"// mine\n");
  CHECK(w.desk->unsaved());
  CHECK(w.says("not saved yet"));
  w.control('S');
  CHECK_FALSE(w.desk->unsaved());
  CHECK(w.folder.read() == w.desk->edit.text());
}

TEST_CASE("what was not saved is there again after a kill, and the file is as it was") {
  ProgramWindow w;
  w.type(U"// unsaved ");
  w.app.tick(0.1), w.app.tick(1.1);
  CHECK(w.folder.read() == histogram_text());
  ProgramDesk again(nullptr, w.folder.path / "drafts");
  REQUIRE(again.open(w.folder.file()));
  CHECK(again.edit.text() == "// unsaved " + histogram_text());
  CHECK(again.unsaved());
  CHECK(again.note);
  again.edit.undo();
  CHECK(again.edit.text() == histogram_text());
  REQUIRE(again.keep_draft());
  ProgramDesk third(nullptr, w.folder.path / "drafts");
  REQUIRE(third.open(w.folder.file()));
  CHECK_FALSE(third.note);
}

TEST_CASE("a file that another editor writes is read again and run; unsaved text is not thrown away") {
  ProgramWindow w;
  w.app.tick(1);
  w.programs.started.clear();
  w.folder.write("// theirs\n" + histogram_text());
  fs::last_write_time(w.folder.file(), fs::file_time_type::clock::now() + std::chrono::seconds(2));
  w.app.tick(ProgramDesk::kWatchSeconds), w.app.tick(0.1);
  CHECK(w.desk->edit.line(0) == "// theirs");
  REQUIRE(w.programs.started.size() == 1);
  w.type(U"// ours ");
  w.folder.write("// theirs again\n");
  fs::last_write_time(w.folder.file(), fs::file_time_type::clock::now() + std::chrono::seconds(4));
  w.app.tick(ProgramDesk::kWatchSeconds);
  CHECK(w.desk->edit.text().find("// ours ") != std::string::npos);
  CHECK(w.desk->note);
}

TEST_CASE("arguments go to main() as a shell would part them") {
  CHECK(words_of("a \"b c\"  'd\\e' f\\ g") == std::vector<std::string>{"a", "b c", "d\\e", "f g"});
  CHECK(words_of("").empty());
  CHECK(words_of("\"\"") == std::vector<std::string>{""});
  ProgramWindow w;
  w.desk->tab = ProgramDesk::Tab::arguments;
  w.desk->focus_field(ProgramDesk::Field::arguments);
  w.type(U"64 fast");
  w.key(Key::enter);
  w.app.tick(0.01);
  REQUIRE_FALSE(w.programs.started.empty());
  CHECK(w.programs.started.back().arguments == std::vector<std::string>{"64", "fast"});
}

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
  w.key(Key::escape);
  w.key(Key::f11);
  CHECK(w.app.state().projector);
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

TEST_CASE("a GPU is asked where nvcc is: its times and counters stand beside the emulator's, with their badges") {
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

TEST_CASE("while it runs again the picture of the run before is pale, and the GPU's work leaves it as it is") {
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

TEST_CASE("outside the editor the keys are those of a lab, with launches for rungs") {
  ProgramWindow w;
  w.key(Key::escape);
  CHECK_FALSE(w.desk->focused);
  w.app.on_key({Key::character, '1', false, false});
  CHECK(w.desk->launch() == 0);
  w.app.on_key({Key::character, ']', false, false});
  CHECK(w.desk->launch() == 1);
  w.key(Key::home);
  CHECK(w.desk->step() == 0);
  w.key(Key::right);
  CHECK(w.desk->step() == 1);
  w.key(Key::end);
  CHECK(w.desk->step() == w.desk->last_step());
  w.app.on_key({Key::character, 'H', false, false});
  CHECK(w.app.state().home);
}

TEST_CASE("a click on a launch, a line or a tab does what it says") {
  ProgramWindow w;
  Screen screen(w.app, 1600, 900);
  screen.frame();
  screen.click("launch/0");
  CHECK(w.desk->launch() == 0);
  screen.click("launch/1");
  screen.click("drawer/output");
  CHECK(w.desk->tab == ProgramDesk::Tab::output);
  screen.click("drawer/findings");
  screen.frame();
  screen.click("finding/0");
  CHECK(w.desk->step_line() == 19);
  CHECK_FALSE(w.desk->focused);
  screen.click("program/editor", 0.2f);
  CHECK(w.desk->focused);
}

TEST_CASE("text in the editor is where the pointer is") {
  ProgramWindow w;
  Screen screen(w.app, 1600, 900);
  screen.frame();
  const Rect body = screen.area("program/editor");
  screen.move({body.x + 60, body.y + 30}), screen.frame();
  screen.press(true), screen.frame(), screen.press(false), screen.frame();
  CHECK(w.desk->edit.caret_line() == 1);
  screen.wheel({body.x + 60, body.y + 30}, -2);
  screen.frame();
  CHECK(w.desk->scroll > 0);
}

TEST_CASE("nothing of the program's window is cut or overlaps at any size, in both themes") {
  ProgramWindow w;
  for (const bool dark : {false, true})
    for (const auto& [width, height] :
         {std::pair{1280.f, 720.f}, {1600.f, 900.f}, {1920.f, 1080.f}, {3840.f, 2160.f}}) {
      w.app.set_dark(dark);
      for (const auto& t : w.texts(width, height)) {
        CAPTURE(t.text);
        CHECK(t.rect.x >= 0);
        CHECK(t.rect.y >= 0);
        CHECK(t.rect.y <= height);
      }
    }
}

TEST_CASE("a program that launched nothing, or was not traced, says so in place of a picture") {
  ProgramWindow w(false);
  CHECK(w.says("Press Run (R)"));
  reader::ProgramRun empty = histogram_run();
  empty.launches.clear(), empty.findings.clear();
  w.desk->show(empty);
  CHECK(w.says("This program launched no kernel."));
  reader::ProgramRun untraced = histogram_run();
  untraced.findings.clear();
  for (auto& launch : untraced.launches)
    launch.traced_blocks = 0, launch.launch.trace = {}, launch.lines.clear();
  w.desk->show(untraced);
  CHECK(w.says("not traced"));
  CHECK(w.says("Nothing was found"));
}

TEST_CASE("part of a grid is named with its counts") {
  ProgramWindow w;
  reader::ProgramRun run = histogram_run();
  run.launches[1].traced_blocks = 4;
  w.desk->show(run);
  CHECK(w.says("4 of 64 blocks"));
  CHECK(w.says("4 of 64 blocks, as compiled by clang"));
}

TEST_CASE("a home leads to programs, opened before or begun from a template") {
  struct WithPrograms : FakeRunner {
    ProgramRunner* programs() override { return &fake; }
    FakePrograms fake;
  } runner;
  ProgramFolder folder;
  Settings settings;
  settings.programs = {folder.file().string()};
  App app(state_of("tiled", 64), &runner, settings);
  app.go_home();
  app.open_menu(MenuKind::program);
  const auto rows = menu_rows(app);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].title == "histogram.cu");
  CHECK(rows[1].title == "New: saxpy");
  choose_row(app, rows[0]);
  CHECK(app.shows_program());
  CHECK(app.program()->edit.text() == histogram_text());
  app.choose_lab("transpose");
  CHECK_FALSE(app.shows_program());
  app.go_to_program();
  CHECK(app.shows_program());
  CHECK(app.open_file((folder.path / "none.cu").string()) == false);
  CHECK(app.banner);
}

TEST_CASE("a run that is cancelled ends its program, however long that would go on") {
  if (!can_compile()) return;
  const ProgramFolder folder;
  folder.write("int main() { for (volatile int i = 0;; i = i + 1) {} }\n");
  reader::ProgramRequest request;
  request.file = folder.file(), request.worker = kProgram, request.timeout_s = 60;
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> running;
  const auto run = reader::run_program_file(request, [&](const Message& what) {
    if (what.id == "running" && !running) running = Clock::now();
    return !running || Clock::now() - *running < std::chrono::milliseconds(300);
  });
  CHECK_FALSE(run.ok());
  REQUIRE(running);
  CHECK(Clock::now() - *running < std::chrono::seconds(5));
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

TEST_CASE("a picture of a program needs no display: the file is compiled, run and drawn") {
  if (!can_compile()) return;
  const ProgramFolder folder;
  reader::ProgramRequest request;
  request.file = folder.file(), request.worker = kProgram;
  auto run = reader::run_program_file(request, {});
  REQUIRE(run.ok());
  REQUIRE(run->compiled);
  ProgramWindow w(false);
  w.desk->show(std::move(*run));
  REQUIRE(w.desk->run()->launches.size() == 2);
  w.desk->choose_launch(1);
  CHECK(w.desk->go_to_line(19));
  CHECK(w.desk->step_line() == 19);
  CHECK(w.desk->cost_of(19).sectors == 2048);
  CHECK(std::any_of(w.desk->findings().begin(), w.desk->findings().end(),
                    [](const auto& f) { return f.kind == "race" && f.line == 19 && f.other_line == 16; }));
  CHECK(w.says("race: "));
}
