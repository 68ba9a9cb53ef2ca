// The window with its stories: engines behind it, and a reader who has a keyboard alone.
#pragma once
#include <doctest/doctest.h>

#include <filesystem>
#include <utility>

#include "app/draw/text_metrics.hpp"
#include "app_support.hpp"
#include "stories_support.hpp"

namespace lockstep::test {

// The emulator and the recordings of the source tree, asked as the window asks its workers; each run is made
// once.
class EngineRunner : public FakeRunner {
 public:
  void start(const Request& request) override {
    FakeRunner::start(request);
    answer(run_of(request));
  }
  void start_soon(std::vector<Request> requests) override {
    for (Request& request : requests) {
      auto run = run_of(request);
      background_answers.push_back({std::move(request), std::move(run)});
    }
  }
  std::vector<Run> recorded_runs(const std::string& lab, const std::string& rung) override {
    return sources_.recorded(lab, rung);
  }

 private:
  Result<Run> run_of(const Request& request) {
    for (const auto& [asked, run] : made_)
      if (asked == request) return run;
    made_.emplace_back(request, sources_.run(request));
    return made_.back().second;
  }
  StoryEngines engines_;
  RunSources sources_ = engines_.sources();
  std::vector<std::pair<Request, Result<Run>>> made_;
};

inline std::vector<std::filesystem::path> shipped() { return {in_source("assets/stories")}; }

// The stories that ship, read once for all windows.
inline void tell_shipped(App& app) {
  static const auto bookshelf = std::make_shared<Bookshelf>();
  app.read_from(bookshelf);
  app.tell_stories(shipped());
}

inline AppState opening_of(const std::string& lab, Language language = Language::english) {
  const Request request = opening_request(*find_lab(lab));
  AppState state;
  state.lab = lab, state.rung = request.rung, state.params = request.params;
  state.block = request.block, state.warp = request.warp, state.language = language;
  return state;
}

// What runs comes, and what waits for it.
inline void settle(App& app) {
  constexpr int kFrames = 12;
  for (int i = 0; i < kFrames; ++i) {
    app.tick(0.1);
    if (app.story()) (void)app.scene_words();
  }
}

// A reader without a mouse.
struct Keyboard {
  Keyboard(App& app, float width, float height) : app(app), screen(app, width, height) {}
  void frame() {
    screen.frame();
    if (!app.wanted_focus.empty())
      screen.interaction().set_focus(std::exchange(app.wanted_focus, "")), screen.frame();
  }
  void tab_to(const std::string& id) {
    constexpr int kMostStops = 300;
    app.leave_field();
    if (kSanitized && screen.has(id)) screen.interaction().set_focus(id), frame();
    for (int i = 0; i < kMostStops && screen.interaction().focus() != id; ++i)
      screen.interaction().move_focus(1), frame();
    REQUIRE(screen.interaction().focus() == id);
  }
  void enter() {
    if (app.takes_keys())
      app.on_key({Key::enter});
    else
      screen.interaction().activate_focused();
    frame(), frame();
  }
  void press(const std::string& id) { tab_to(id), enter(); }
  void type(const std::string& text) {
    for (std::string_view rest = text; !rest.empty();) app.type_character(take_code_point(rest));
    frame();
  }
  App& app;
  Screen screen;
};

inline std::string plain(const RichText& text) {
  std::string all;
  for (const TextSpan& span : text) all += span.text;
  return all;
}

}  // namespace lockstep::test
