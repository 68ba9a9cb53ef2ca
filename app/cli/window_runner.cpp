#include "window_runner.hpp"

#include <future>

#include "app/engine/run_file.hpp"
#include "app/engine/worker.hpp"
#include "session.hpp"

namespace lockstep {
namespace {

class WindowRunner final : public Runner {
 public:
  WindowRunner(std::filesystem::path program, std::vector<std::filesystem::path> recordings)
      : pool_({std::move(program), recordings}),
        recordings_(make_recording_engine(recordings)),
        health_(std::async(std::launch::async, look_at_engines, recordings)) {}

  void start(const Request& request) override { pool_.start(request); }
  void cancel() override { pool_.cancel(); }
  bool busy() const override { return pool_.busy(); }
  double progress() const override { return pool_.progress().fraction; }
  Message progress_text() const override { return pool_.progress().what; }
  std::optional<Outcome> poll() override {
    auto outcome = pool_.poll();
    if (!outcome) return {};
    return Outcome{std::move(outcome->request), std::move(outcome->run)};
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

 private:
  // In a thread: asking for a GPU loads the driver, and the window does not wait for that.
  static std::vector<EngineState> look_at_engines(std::vector<std::filesystem::path> recordings) {
    const Engines engines = make_engines(recordings);
    std::vector<EngineState> states;
    for (EngineKind kind : {EngineKind::cuda, EngineKind::emulator, EngineKind::recording}) {
      const auto health = engines.get(kind)->health();
      states.push_back({kind, health.ok, health.what, health.device.name, health.device.compute_capability});
    }
    return states;
  }

  WorkerPool pool_;
  std::unique_ptr<Engine> recordings_;
  std::map<std::string, std::vector<Params>> recorded_;
  std::map<std::string, std::vector<Run>> timed_;
  std::future<std::vector<EngineState>> health_;
  std::vector<EngineState> known_;
};

}  // namespace

std::unique_ptr<Runner> make_window_runner(std::filesystem::path program,
                                           std::vector<std::filesystem::path> recordings) {
  return std::make_unique<WindowRunner>(std::move(program), std::move(recordings));
}

}  // namespace lockstep
