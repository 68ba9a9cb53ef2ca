// Recordings of two devices: everything is of one of them, unless the other one is asked for; and the two can
// stand beside each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/engine/run_file.hpp"
#include "app/shell/differences.hpp"
#include "engine_support.hpp"
#include "story_window.hpp"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kMadeUp = "NVIDIA A1 Made Up";

// Recordings of a ladder that take one and a half times as long, from a device that there is not.
class SecondDevice {
 public:
  explicit SecondDevice(const std::string& lab = "transpose") {
    fs::create_directories(folder_ / "a1-made-up");
    for (const auto& entry : fs::directory_iterator(in_source("assets/recordings/h200"))) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(lab + "_") || entry.path().extension() != ".npz") continue;
      auto run = load_run(entry.path());
      REQUIRE(run.ok());
      run->device.name = kMadeUp, run->date = "2026-12-24";
      if (run->time)
        for (double* ms : {&run->time->median_ms, &run->time->min_ms, &run->time->p95_ms}) *ms *= 1.5;
      REQUIRE(save_run(*run, folder_ / ("a1-made-up/" + name), Packing::deflated).ok());
    }
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

std::vector<fs::path> with_own(const fs::path& folder) { return {in_source("assets/recordings"), folder}; }

// Asks the recordings of two folders, else the emulator.
class TwoDevices final : public FakeRunner {
 public:
  explicit TwoDevices(const fs::path& second)
      : engines_{nullptr, make_emulator_engine(), make_recording_engine(with_own(second))} {}
  void start(const Request& request) override {
    FakeRunner::start(request);
    Request here = request;
    if (here.engine == EngineKind::automatic) here.engine = EngineKind::emulator;
    if (here.engine == EngineKind::emulator && !emulates) return;
    answer(run_request(engines_, here, [](const Progress&) { return true; }));
  }
  std::vector<Run> recorded_everywhere(const std::string& lab, const std::string& rung) override {
    return engines_.recording->recorded_everywhere(lab, rung);
  }
  bool emulates = true;  // false: this computer is still at it

 private:
  Engines engines_;
};

std::set<std::string> devices_of(const std::vector<Run>& runs) {
  std::set<std::string> names;
  for (const Run& run : runs) names.insert(run.device.name);
  return names;
}

void settle_runs(App& app) {
  for (int i = 0; i < 8; ++i) app.tick(0.1);
}

Request real_size(const std::string& rung) {
  Request request;
  request.lab = "transpose", request.rung = rung, request.params = {{"n", std::int64_t{16384}}};
  request.engine = EngineKind::recording;
  return request;
}

}  // namespace

TEST_CASE("no curve and no ladder mixes two devices: the first folder's is meant where none is named") {
  const SecondDevice second;
  const auto own_first = make_recording_engine(with_own(second.path()));
  const auto class_first = make_recording_engine({second.path(), in_source("assets/recordings")});
  CHECK(devices_of(own_first->recorded("transpose", "naive")) == std::set<std::string>{"NVIDIA H200"});
  CHECK(devices_of(class_first->recorded("transpose", "naive")) == std::set<std::string>{kMadeUp});
  CHECK(devices_of(class_first->recorded("banks", "column")) == std::set<std::string>{"NVIDIA H200"});
  const auto everywhere = devices_of(own_first->recorded_everywhere("transpose", "naive"));
  CHECK(everywhere.contains("NVIDIA H200"));
  CHECK(everywhere.contains(kMadeUp));
  CHECK(devices_of(timed_recordings(*class_first, "transpose")) == std::set<std::string>{kMadeUp});
  CHECK(recorded_time(*class_first, real_size("naive"))->device.name == kMadeUp);
}

TEST_CASE("in one folder the device that it names goes first, whatever its name") {
  const SecondDevice second;
  const TemporaryFolder both;
  fs::copy(in_source("assets/recordings/h200"), both / "h200", fs::copy_options::recursive);
  fs::copy(second.path() / "a1-made-up", both / "a1-made-up", fs::copy_options::recursive);
  CHECK(devices_of(make_recording_engine({both.path()})->recorded("transpose", "copy")) ==
        std::set<std::string>{kMadeUp});
  std::ofstream(both / "first_device") << "h200\n";
  CHECK(devices_of(make_recording_engine({both.path()})->recorded("transpose", "copy")) ==
        std::set<std::string>{"NVIDIA H200"});
}

TEST_CASE("a device that is asked for answers, and its badge names it") {
  const SecondDevice second;
  const auto engine = make_recording_engine(with_own(second.path()));
  Request request = real_size("padded");
  const auto h200 = engine->run(request, [](const Progress&) { return true; });
  request.device = kMadeUp;
  const auto made_up = engine->run(request, [](const Progress&) { return true; });
  REQUIRE(h200.ok());
  REQUIRE(made_up.ok());
  CHECK(made_up->time->median_ms == doctest::Approx(1.5 * h200->time->median_ms));
  CHECK(provenance_of(*made_up, "time.median_ms") == "recorded: NVIDIA A1 Made Up, 2026-12-24");
  request.device = "NVIDIA Nobody";
  CHECK(engine->run(request, [](const Progress&) { return true; }).error().text().find("on NVIDIA Nobody") !=
        std::string::npos);
}

TEST_CASE("device against device: each under its name, the times beside each other, the counts equal") {
  const SecondDevice second;
  TwoDevices runner(second.path());
  AppState state = opening_of("transpose");
  state.rung = "padded", state.params = {{"n", std::int64_t{16384}}}, state.engine = EngineKind::recording;
  App app(state, &runner);
  settle_runs(app);
  const auto devices = app.recorded_devices();
  REQUIRE(devices.size() >= 2);
  CHECK(devices.front() == "NVIDIA H200");
  CHECK(devices.back() == kMadeUp);
  app.open_menu(MenuKind::compare);
  int offered = 0;
  for (const MenuRow& row : menu_rows(app)) offered += row.id.starts_with("device/");
  CHECK(offered == int(devices.size()));
  app.close_menu();
  runner.emulates = false;                   // 16384 rows
  app.choose_engine(EngineKind::automatic);  // a device is compared with a device, not with this computer
  app.set_compare(std::string("@") + kMadeUp);
  settle_runs(app);
  REQUIRE(app.compared());
  CHECK(app.run()->device.name == "NVIDIA H200");
  CHECK(app.compared()->run().device.name == kMadeUp);
  CHECK(app.run_name() == "H200");
  CHECK(app.compared_name() == "A1 Made Up");
  const Differences all = differences_of(*app.scene(), *app.compared());
  const auto median = std::find_if(all.rows.begin(), all.rows.end(), [](const Difference& row) {
    return row.right_words.find("A1 Made Up") != std::string::npos;
  });
  REQUIRE(median != all.rows.end());
  CHECK(median->left_words.find("H200") != std::string::npos);
  CHECK(all.equal > 0);
  app.set_compare("");
  settle_runs(app);
  CHECK(!app.compared());
}

TEST_CASE("a device without recordings of this rung cannot be chosen") {
  const SecondDevice second;
  TwoDevices runner(second.path());
  AppState state = opening_of("banks");
  App app(state, &runner);
  settle_runs(app);
  app.set_compare(std::string("@") + kMadeUp);
  CHECK(app.state().compare.empty());
  for (const MenuRow& row : (app.open_menu(MenuKind::compare), menu_rows(app)))
    CHECK(row.id != std::string("device/@") + kMadeUp);
}

TEST_CASE("from the command line a class's folder is enough: shot --compare @DEVICE") {
  const SecondDevice second;
  const TemporaryFolder folder;
  const std::string picture = folder / "two.svg";
  const auto drawn = run_program({"shot", "transpose", "--rung", "padded", "--set", "n=16384", "--recordings",
                                  second.path(), "--compare", "@h200", "-o", picture});
  CHECK_MESSAGE(drawn.exit == 0, drawn.err);
  const std::string svg = text_of(picture);
  CHECK(svg.find("A1 Made Up") != std::string::npos);
  CHECK(svg.find("H200") != std::string::npos);
  const auto unknown =
      run_program({"shot", "transpose", "--recordings", second.path(), "--compare", "@b200", "-o", picture});
  CHECK(unknown.exit == 2);
  CHECK(unknown.err.find("there are recordings of") != std::string::npos);
}

TEST_CASE("what was recorded at a rung's own settings has steps, whether or not a launch was traced") {
  const auto engine = make_recording_engine({in_source("assets/recordings")});
  int opened = 0;
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs) {
      Request request;
      request.lab = lab->info().slug, request.rung = rung.slug, request.engine = EngineKind::recording;
      request.params = *complete_params(lab->info(), rung.slug, {});
      const auto run = engine->run(request, [](const Progress&) { return true; });
      if (!run) continue;
      CAPTURE(request.lab);
      CAPTURE(request.rung);
      CHECK(App::has_steps(*lab->open(std::make_shared<const Run>(*run))));
      ++opened;
    }
  CHECK(opened > 80);
}
