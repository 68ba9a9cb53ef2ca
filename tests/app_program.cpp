// A reader's own program in the window: typed by keys, drawn from a run made by hand, without a compiler.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "app/platform/files.hpp"
#include "places.hpp"
#include "program_window.hpp"

using namespace lockstep;
using namespace lockstep::test;

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

TEST_CASE("a program's river says what HBM must give at the least, and what the L1 is asked for at most") {
  ProgramWindow w;
  w.desk->go_to(w.desk->scene()->axis().count() - 1);
  // 256 words of in and 256 of bins, each sector once; what is added to goes back.
  CHECK(w.says("≥ 2.0 KB →"));
  CHECK(w.says("← ≥ 1.0 KB"));
  CHECK(w.says("≤ 2.0 KB →"));
  CHECK_FALSE(w.says("not modelled here"));
  w.desk->go_to(0);  // a write to shared memory
  CHECK_FALSE(w.says("≥ "));
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

TEST_CASE("a picture of a program needs no display: the file is compiled, run and drawn") {
  if (!can_compile()) return;
  const ProgramFolder folder;
  reader::ProgramRequest request;
  request.file = folder.file(), request.worker = kProgram,
  request.all = true;  // however slow this machine is
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
