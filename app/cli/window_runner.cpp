#include "window_runner.hpp"

#include <future>

#include "app/engine/run_file.hpp"
#include "app/engine/worker.hpp"
#include "app/platform/paths.hpp"
#include "background_runs.hpp"
#include "kernels/simt/workers.hpp"
#include "program_window.hpp"
#include "session.hpp"

namespace lockstep {
namespace {

std::filesystem::path kept_runs_folder() {
  const std::filesystem::path cache = user_cache_folder();
  return cache.empty() ? cache : cache / "cards";
}

class WindowRunner final : public Runner {
 public:
  WindowRunner(std::filesystem::path program, std::vector<std::filesystem::path> recordings)
      : pool_({program, recordings}),
        background_({std::move(program), recordings}, kept_runs_folder()),
        recordings_(make_recording_engine(recordings)),
        health_(std::async(std::launch::async, engine_states, recordings)) {}  // it loads the driver

  void start(const Request& request) override {
    background_.hold(true);
    pool_.start(request);
  }
  void cancel() override { pool_.cancel(); }
  bool busy() const override { return pool_.busy(); }
  double progress() const override { return pool_.progress().fraction; }
  Message progress_text() const override { return pool_.progress().what; }
  std::optional<Outcome> poll() override {
    auto outcome = pool_.poll();
    if (!outcome) return {};
    return Outcome{std::move(outcome->request), std::move(outcome->run)};
  }
  void start_background(std::vector<Request> requests) override { background_.start(std::move(requests)); }
  void start_soon(std::vector<Request> requests) override { background_.start_soon(std::move(requests)); }
  std::vector<Run> recorded_runs(const std::string& lab, const std::string& rung) override {
    return recordings_->recorded(lab, rung);
  }
  std::vector<Run> recorded_everywhere(const std::string& lab, const std::string& rung) override {
    return recordings_->recorded_everywhere(lab, rung);
  }
  std::optional<Outcome> poll_background() override {
    background_.hold(pool_.busy());
    return background_.poll();
  }
  std::vector<EngineState> engines() override {
    using namespace std::chrono_literals;
    if (health_.valid() && health_.wait_for(0s) == std::future_status::ready) known_ = health_.get();
    return known_;
  }
  Result<Run> load(const std::filesystem::path& file) override { return load_recording(file); }
  std::vector<Params> recorded(const std::string& lab, const std::string& rung) override {
    const auto [known, fresh] = recorded_.try_emplace(lab + "/" + rung);
    if (fresh) known->second = recorded_positions(*recordings_, lab, rung);
    return known->second;
  }
  const std::vector<Run>& timed(const std::string& lab) override {
    const auto [known, fresh] = timed_.try_emplace(lab);
    if (fresh) known->second = timed_recordings(*recordings_, lab);
    return known->second;
  }

  ProgramRunner* programs() override { return programs_.get(); }

 private:
  std::unique_ptr<ProgramRunner> programs_ = make_program_runner();
  WorkerPool pool_;
  BackgroundRuns background_;
  std::unique_ptr<Engine> recordings_;
  std::map<std::string, std::vector<Params>> recorded_;
  std::map<std::string, std::vector<Run>> timed_;
  std::future<std::vector<EngineState>> health_;
  std::vector<EngineState> known_;
};

}  // namespace

std::vector<Runner::EngineState> engine_states(const std::vector<std::filesystem::path>& recordings) {
  const Engines engines = make_engines(recordings);
  std::vector<Runner::EngineState> states;
  for (EngineKind kind : {EngineKind::cuda, EngineKind::emulator, EngineKind::recording}) {
    const auto health = engines.get(kind)->health();
    states.push_back({kind, health.ok, health.what, health.device.name, health.device.compute_capability,
                      kind == EngineKind::emulator ? simt::threads_to_use() : 0});
  }
  return states;
}

std::unique_ptr<Runner> make_window_runner(std::filesystem::path program,
                                           std::vector<std::filesystem::path> recordings) {
  return std::make_unique<WindowRunner>(std::move(program), std::move(recordings));
}

}  // namespace lockstep
