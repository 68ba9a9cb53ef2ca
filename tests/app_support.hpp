// A runner that answers when it is told to, real runs of the emulator, and a screen without GL.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/shell/app.hpp"
#include "app/shell/canvas_imgui.hpp"

namespace lockstep::test {

// The emulator's run; made once.
const Run& emulated_run(const std::string& lab, const std::string& rung, const Params& params);
// Of transpose/rung with n rows and columns.
const Run& emulated(const std::string& rung, std::int64_t n = 64);

// Sanitizers are ten times as slow, and see the same code in every language, look and way to a button.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// What takes minutes to walk is walked in each of these; under sanitizers in one.
inline std::vector<Language> walked_languages() {
  if (kSanitized) return {Language::chinese};
  return {Language::english, Language::chinese};
}

// Whether the one at this place of many alike is walked: under sanitizers it is every third of them.
inline bool walked(std::size_t place) { return !kSanitized || place % 3 == 1; }

// Remembers what was asked of it; answers nothing by itself.
class FakeRunner : public Runner {
 public:
  void start(const Request& request) override { started.push_back(request), busy_ = true; }
  void cancel() override { ++cancelled, busy_ = false; }
  bool busy() const override { return busy_; }
  double progress() const override { return 0.4; }
  Message progress_text() const override { return {"emulating block {0} of {1}", {"4", "10"}}; }
  std::optional<Outcome> poll() override {
    if (!answer_) return {};
    busy_ = false;
    return std::exchange(answer_, std::nullopt);
  }
  std::vector<EngineState> engines() override;
  Result<Run> load(const std::filesystem::path& file) override {
    const auto found = files.find(file.string());
    if (found == files.end()) return bad_input("there is no file {0}", {file.string()});
    return found->second;
  }
  std::map<std::string, Run> files;  // saved runs that can be opened
  std::vector<Params> recorded(const std::string&, const std::string&) override {
    return {{{"n", std::int64_t{128}}}};
  }
  const std::vector<Run>& timed(const std::string&) override { return timed_runs; }
  std::vector<Run> timed_runs;
  void start_background(std::vector<Request> requests) override { background = std::move(requests); }
  std::optional<Outcome> poll_background() override {
    if (background_answers.empty()) return {};
    Outcome outcome = std::move(background_answers.front());
    background_answers.pop_front();
    return outcome;
  }
  std::vector<Request> background;  // what was asked for
  std::deque<Outcome> background_answers;
  // The last started run ends like this.
  void answer(Result<Run> run) { answer_ = Outcome{started.back(), std::move(run)}; }

  std::vector<Request> started;
  int cancelled = 0;

 private:
  bool busy_ = false;
  std::optional<Outcome> answer_;
};

AppState state_of(const std::string& rung, std::int64_t n = 64);

// ImGui with a null backend (PLATFORM, 7): frames without a window and without GL.
class Screen {
 public:
  Screen(App& app, float width, float height);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void frame();
  void move(Vec2 to);
  void press(bool down);
  void wheel(Vec2 at, float notches);
  // Moves to the middle of the area, or to a part of its width, presses and releases there.
  void click(const std::string& id, float part = 0.5f);
  bool has(const std::string& id) const;
  Rect area(const std::string& id) const;
  Interaction& interaction() { return interaction_; }
  int vertices() const { return vertices_; }
  const std::string& tooltip() const { return tooltip_; }

 private:
  App& app_;
  float width_, height_;
  Vec2 pointer_;
  Interaction interaction_;
  int vertices_ = 0;
  std::string tooltip_;
  void* context_ = nullptr;
};

// A window with a tiled transpose on its stage, and what answers when it asks for another run.
struct TiledWindow {
  explicit TiledWindow(float width = 1600, float height = 900)
      : app(state_of("tiled", 128), &runner),
        screen((app.show(emulated("tiled", 128)), app), width, height) {}
  void settle() {
    app.tick(1);
    runner.answer(emulated("tiled", 128));
    app.tick(1);
  }
  FakeRunner runner;
  App app;
  Screen screen;
};

}  // namespace lockstep::test
