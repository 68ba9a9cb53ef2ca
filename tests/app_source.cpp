// The code pane: kernels as plain CUDA or as compiled, the same line lit in both.
#include <doctest/doctest.h>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::string drawn(App& app) {
  SvgCanvas canvas(1600, 900, app.theme().ground);
  draw_app(canvas, app, {0, 0, 1600, 900});
  std::string all;
  for (const auto& text : canvas.texts()) all += text.text + "\n";
  return all;
}

std::string line_of(std::string_view text, int line) {
  for (; line > 1; --line) text.remove_prefix(text.find('\n') + 1);
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

TEST_CASE("the code pane shows plain CUDA, and with P the very text that is compiled") {
  App app(state_of("padded"), nullptr);
  app.show(emulated("padded"));
  const std::string file = app.info().rungs[std::size_t(app.rung_index())].file;
  const auto shows = [&](const char* text) { return app.source(file).text.find(text) != std::string::npos; };
  CHECK(shows("__shared__ float tile[32][33];"));
  CHECK_FALSE(shows("SHARED(float"));
  app.on_key({Key::character, 'P'});
  CHECK(shows("SHARED(float, tile, 32, 33);"));
  app.on_key({Key::character, 'P'});
  CHECK_FALSE(shows("SHARED(float"));
  CHECK(drawn(app).find("SHARED(float") == std::string::npos);
}

TEST_CASE("a step's line is the same statement in both texts") {
  App app(state_of("padded"), nullptr);
  app.show(emulated("padded"));
  const std::string file = app.info().rungs[std::size_t(app.rung_index())].file;
  for (int step = 0; step <= app.last_step(); ++step) {
    app.go_to(step);
    const SourceLines lines = app.scene()->axis().lines(step);
    if (lines.lines.empty()) continue;
    const int line = lines.lines.front();
    app.plain_source = false;
    const std::string compiled = line_of(app.source(file).text, app.source(file).plain_line(line));
    CHECK(compiled == line_of(kernel_source(file), line));
    app.plain_source = true;
    CHECK(line_of(app.source(file).text, app.source(file).plain_line(line)) == compiled);
  }
}
