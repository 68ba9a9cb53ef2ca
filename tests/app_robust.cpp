// The window when something goes wrong outside: it says so and goes on, or ends with a message.
#include <doctest/doctest.h>

#include "app/cli/window_runner.hpp"
#include "app/shell/shell.hpp"
#include "app_support.hpp"
#include "places.hpp"
#include "window_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr double kFrame = 0.02, kLong = 1;  // seconds

// The window's own runner with workers that do what the rung says (fake_worker.cpp).
std::unique_ptr<Runner> fake_runner() { return make_window_runner(kFakeWorker, {}); }

// Frames until the run that is due has ended.
void finish_run(App& app, Runner& runner) {
  app.tick(kLong);
  for (int frame = 0; frame < 10000 && runner.busy(); ++frame) {
    ::usleep(1000);
    app.tick(kFrame);
  }
  REQUIRE_FALSE(runner.busy());
}

std::string banner_of(const App& app) { return app.banner ? app.banner->text() : ""; }

}  // namespace

TEST_CASE("a GPU that gets lost is a banner, and the next run works on it again") {
  const auto runner = fake_runner();
  App app(state_of("naive"), runner.get());
  finish_run(app, *runner);
  CHECK(banner_of(app).find("the GPU reported an error") != std::string::npos);
  CHECK(app.run() == nullptr);
  app.choose_rung("copy");
  finish_run(app, *runner);
  CHECK(banner_of(app) == "");
  REQUIRE(app.run() != nullptr);
  CHECK(app.run()->engine == EngineKind::cuda);
}

TEST_CASE("a worker that crashes is a banner, and the next run works") {
  const auto runner = fake_runner();
  App app(state_of("tiled"), runner.get());
  finish_run(app, *runner);
  CHECK(banner_of(app).find("killed by signal 11") != std::string::npos);
  app.choose_rung("copy");
  finish_run(app, *runner);
  CHECK(banner_of(app) == "");
  CHECK(app.run() != nullptr);
}

TEST_CASE("with a driver that does not fit auto emulates, and cuda is a banner that says why") {
  const auto runner = fake_runner();
  App app(state_of("padded"), runner.get());
  finish_run(app, *runner);
  REQUIRE(app.run() != nullptr);
  CHECK(app.run()->engine == EngineKind::emulator);
  app.choose_engine(EngineKind::cuda);
  finish_run(app, *runner);
  CHECK(banner_of(app).find("older than CUDA 13.0") != std::string::npos);
}

TEST_CASE("of 1000 quick changes of a parameter the last one is shown, and nothing leaks" *
          doctest::test_suite("slow")) {
  fake_runner();  // what a process opens once, for good
  const Holdings before = holdings();
  {
    const auto runner = fake_runner();
    App app(state_of("copy"), runner.get());
    for (std::int64_t n = 1; n <= 1000; ++n) {
      app.set_param("n", n);
      app.tick(n % 50 == 0 ? kLong : kFrame);  // a run starts now and then, and is replaced
    }
    finish_run(app, *runner);
    REQUIRE(app.run() != nullptr);
    CHECK(std::get<std::int64_t>(app.run()->request.params.at("n")) == 1000);
    CHECK_FALSE(app.banner.has_value());
  }
  CHECK(holdings() == before);
}

TEST_CASE("a run whose tile has another form is drawn without the tile") {
  ShotOptions options;
  options.run = emulated("padded");
  options.request = options.run->request;
  options.output = "picture.svg";
  const auto sound = shot_bytes(options);
  REQUIRE(sound);
  for (ViewInfo& view : options.run->launches[0].views)
    if (view.space == Space::shared) view.shape = {view.shape[0] * view.shape[1]};
  const auto drawn = shot_bytes(options);
  REQUIRE(drawn);
  CHECK(drawn->size() < sound->size());
}

TEST_CASE("settings that find no room leave the old ones, and the status says so") {
  const TemporaryFolder folder;
  Settings settings;
  REQUIRE(save_settings(settings, folder / "settings.json"));
  const std::string old = text_of(folder / "settings.json");
  settings.dark = true;
  const Status kept = [&] {
    const FileLimit none(0);
    return save_settings(settings, folder / "settings.json");
  }();
  REQUIRE_FALSE(kept);
  CHECK(kept.error().text().find("File too large") != std::string::npos);
  CHECK(text_of(folder / "settings.json") == old);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("with a home that is read-only the window opens, and says at its end that nothing was kept") {
  if (!can_open_windows()) return;
  RealWindow window({"XDG_CONFIG_HOME=/proc", "XDG_DATA_HOME=/proc", "XDG_CACHE_HOME=/proc", "HOME=/proc"});
  REQUIRE(window.shows("· step "));
  window.focus();
  window.keys("t");
  window.keys("ctrl+q");
  CHECK(window.program().exit_code(30s) == 0);
  CHECK_MESSAGE(window.errors().find("the settings could not be kept in /proc/") != std::string::npos,
                window.errors());
}

TEST_CASE("a display that vanishes ends the window with a message and exit 3, and its workers") {
  if (!can_open_windows()) return;
  RealWindow window;
  REQUIRE(window.shows("· step "));
  window.focus();
  window.keys("t");
  const std::vector<int> workers = window.workers();
  REQUIRE(workers.size() > 0);
  window.display().vanish();
  CHECK(window.program().exit_code(30s) == 3);
  CHECK_MESSAGE(window.errors().find("the display has gone away") != std::string::npos, window.errors());
  for (int worker : workers) CHECK(gone(worker));
}
