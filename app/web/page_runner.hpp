// The engines as the page's window sees them: workers of the page, asked by text, that answer with the bytes
// of run files.
#pragma once
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <span>

#include "app/engine/engine.hpp"
#include "app/shell/runner.hpp"

namespace lockstep {

class PageRunner final : public Runner {
 public:
  // `recordings` holds run files; of most of them the manifest alone, the rest is fetched by the worker that
  // wants it.
  explicit PageRunner(std::filesystem::path recordings);

  void start(const Request& request) override;
  void cancel() override;
  bool busy() const override { return own_.id != 0; }
  bool has_outcome() const { return own_.outcome.has_value(); }  // that poll() will give
  double progress() const override { return progress_.fraction; }
  Message progress_text() const override { return progress_.what; }
  std::optional<Outcome> poll() override;
  std::vector<EngineState> engines() override;
  Result<Run> load(const std::filesystem::path& file) override { return load_recording(file); }
  std::vector<Params> recorded(const std::string& lab, const std::string& rung) override;
  const std::vector<Run>& timed(const std::string& lab) override;
  void start_background(std::vector<Request> requests) override;
  void start_soon(std::vector<Request> requests) override;
  std::optional<Outcome> poll_background() override;
  std::vector<Run> recorded_runs(const std::string& lab, const std::string& rung) override;
  std::vector<Run> recorded_everywhere(const std::string& lab, const std::string& rung) override;

  // What the page hands in: a line of a worker, the run that comes with its last one, and its death.
  void take_line(const std::string& line, std::span<const std::uint8_t> run);
  void worker_ended(int lane, const std::string& why);

 private:
  // A worker of the page: 0 runs what the reader asks for, 1 what nobody waits for.
  struct Lane {
    std::int64_t id = 0;  // of the order that it works on; 0: none
    Request request;
    std::optional<Outcome> outcome;
  };
  void order(int lane, const Request& request);
  Lane* lane_of(std::int64_t id);
  void finish(Lane& lane, Result<Run> run);
  void next_in_background();

  std::int64_t last_id_ = 0;
  Lane own_, background_;
  Progress progress_;
  std::deque<Request> waiting_;
  std::unique_ptr<Engine> recordings_;
  std::map<std::string, std::vector<Params>> recorded_;
  std::map<std::string, std::vector<Run>> timed_;
};

}  // namespace lockstep
