// The real window under Xvfb, driven by keys and mouse with xdotool. The window's title tells where it
// stands.
#include <doctest/doctest.h>

#include <signal.h>

#include "app_support.hpp"
#include "window_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

// Where a control of a window of 1280 x 720 lies, from the same drawing code.
Vec2 place_of(const std::string& id, const std::string& rung) {
  FakeRunner runner;
  App app(state_of(rung, 128), &runner);
  app.show(emulated(rung, 128));
  Screen screen(app, 1280, 720);
  return screen.area(id).center();
}

}  // namespace

TEST_CASE("a real window: it runs, steps by keys and mouse without losing one, and quits") {
  if (!can_open_windows()) return;
  RealWindow window;
  REQUIRE(window.shows("· step "));  // the first run is there
  window.focus();

  SUBCASE("keys") {
    window.keys("Home");
    CHECK(window.shows("copy · step 1 of"));
    window.keys("Right Right Right Right Right");  // within one slow frame
    CHECK(window.shows("step 6 of"));
    window.keys("Left Left");
    CHECK(window.shows("step 4 of"));
    window.keys("2");
    CHECK(window.shows("naive · step 4 of"));
    window.keys("bracketright");
    CHECK(window.shows("tiled · step 4 of"));
    window.keys("ctrl+z ctrl+z");
    CHECK(window.shows("copy · step 4 of"));
    window.keys("ctrl+shift+z");
    CHECK(window.shows("naive · step 4 of"));
    window.keys("t");
    std::this_thread::sleep_for(500ms);  // until the last frame is drawn
    MESSAGE("idle: " << 100 * window.load() << " % of a core");
  }
  SUBCASE("scenes and find") {
    const TemporaryFolder folder;
    window.keys("4 Home Right Right");
    CHECK(window.shows("padded · step 3 of"));
    window.keys("ctrl+s");
    window.xdotool("type --delay 12 '" + (folder / "a.json").string() + "'");
    window.keys("Return ctrl+c");
    window.keys("slash");
    window.xdotool("type --delay 12 naive");
    window.keys("Return");
    CHECK(window.shows("naive · step 3 of"));
    window.keys("ctrl+v");
    CHECK(window.shows("padded · step 3 of"));
    CHECK(text_of(folder / "a.json").find("\"rung\": \"padded\"") != std::string::npos);
    window.keys("c Return 2 End");  // beside copy, then naive beside copy
    CHECK(window.shows("naive · step 64 of"));
    window.keys("Escape t");
  }
  SUBCASE("a worker that is killed") {
    const auto workers = window.workers();
    REQUIRE(workers.size() > 0);
    for (int pid : workers) ::kill(pid, SIGKILL);
    window.keys("3");
    CHECK(window.shows("of 129"));
    window.keys("t");
  }
  SUBCASE("mouse") {
    window.click(place_of("step/first", "copy"));
    CHECK(window.shows("step 1 of"));
    window.click(place_of("step/next", "copy"), 6);  // six fast clicks
    CHECK(window.shows("step 7 of"));
    window.click(place_of("rung/padded", "copy"));
    CHECK(window.shows("padded · step 7 of"));
    window.click(place_of("switch/theme", "padded"));
  }
  window.keys("ctrl+q");
  CHECK(window.program().exit_code(30s) == 0);
  CHECK(window.settings().find("\"dark\": true") != std::string::npos);
}

TEST_CASE("a real window is no wider than its screen, whatever was kept of a larger one") {
  if (!can_open_windows()) return;
  RealWindow window({}, R"({"schema": 1, "lab": "transpose", "rung": "copy"})", {}, 8000);
  REQUIRE(window.shows("copy"));
  const auto width_of = [&](const std::string& words) { return std::atoi(window.xdotool(words).c_str()); };
  const int screen = width_of("getdisplaygeometry");
  REQUIRE(screen >= 1024);
  CHECK(width_of("search --name Lockstep getwindowgeometry --shell | sed -n 's/WIDTH=//p'") == screen);
}
