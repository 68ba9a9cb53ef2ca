// The lecture on two real windows under Xvfb: keys in either of them lead both.
#include <doctest/doctest.h>

#include "app_support.hpp"
#include "window_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

TEST_CASE("two real windows: a clicker leads the presentation and its notes, wherever the focus is") {
  if (!can_open_windows()) return;
  RealWindow window({}, "", {"tour", "six_labs", "--scene", "8"});
  REQUIRE(window.shows("transpose · naive · step "));
  REQUIRE(window.shows_notes("Notes · 8 of 16 · Rows in, columns out"));
  window.focus();
  const std::string scene = window.title();

  SUBCASE("scenes") {
    window.keys("Next");  // the answer
    window.keys("Next");
    CHECK(window.shows("transpose · tiled"));
    CHECK(window.shows_notes("Notes · 9 of 16"));
    window.keys("Prior");
    CHECK(window.shows("transpose · naive"));
    CHECK(window.shows_notes("Notes · 8 of 16"));
    window.xdotool("search --name '^Notes' windowfocus --sync");
    window.keys("Prior");
    CHECK(window.shows_notes("Notes · 7 of 16"));
    CHECK(window.shows("transpose · copy"));
  }
  SUBCASE("a student's click") {
    window.keys("bracketright Left");
    CHECK(window.shows("transpose · tiled"));
    window.keys("BackSpace");
    CHECK(window.shows(scene));
    window.keys("BackSpace");
    CHECK(window.shows("transpose · tiled"));
  }
  SUBCASE("the notes go and come, the lens and the black screen end nothing") {
    window.keys("n");
    CHECK(window.shows_notes(""));
    window.keys("n");
    CHECK(window.shows_notes("Notes · 8 of 16"));
    window.keys("z");
    window.xdotool("mousemove 400 300");
    window.xdotool("mousemove 700 350");
    window.keys("b");
    window.keys("b");
    window.keys("z Right");
    CHECK(window.program().exit_code(300ms) == -1);
  }
  window.keys("ctrl+q");
  CHECK(window.program().exit_code(30s) == 0);
}

TEST_CASE("where no second window can be opened the lecture goes on and says so") {
  if (!can_open_windows()) return;
  RealWindow window({"LOCKSTEP_ONE_WINDOW=1"}, "", {"tour", "six_labs"});
  REQUIRE(window.shows("threads · one_d"));
  CHECK(window.notes_title().empty());
  CHECK(window.errors().find("no second window can be opened for the notes") != std::string::npos);
  window.focus();
  window.keys("Next");
  window.keys("Next");
  CHECK(window.shows("threads · one_d · step"));
  window.keys("ctrl+q");
  CHECK(window.program().exit_code(30s) == 0);
}
