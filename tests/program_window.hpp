// A reader's program in the window, for tests: a runner that answers when it is told to, a folder with a
// program in it, and the window that shows it.
#pragma once
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/program_desk.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "program_sample.hpp"

namespace lockstep::test {

namespace fs = std::filesystem;

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

inline bool can_compile() {
  const bool can = std::system("command -v clang >/dev/null") == 0;
  if (!can) MESSAGE("left out: clang is not installed");
  return can;
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

}  // namespace lockstep::test
