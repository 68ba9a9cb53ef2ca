// Runs nobody waits for, one after the other in a worker process of their own: the home's cards, kept between
// sessions by the hash of their kernel, and those that a story's figures need.
#pragma once
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "app/engine/worker.hpp"
#include "app/shell/runner.hpp"

namespace lockstep {

class BackgroundRuns {
 public:
  // An empty folder keeps nothing.
  BackgroundRuns(WorkerOptions options, std::filesystem::path folder);
  void start(std::vector<Request> requests);
  // Before those that wait; not kept.
  void start_soon(std::vector<Request> requests);
  // While the reader's own run goes on: what was begun here is ended, and begun again later.
  void hold(bool on);
  // Never blocks; an outcome comes once, in the order of the requests.
  std::optional<Runner::Outcome> poll();

 private:
  enum class Work { none, reading, running };
  void begin();
  std::optional<Runner::Outcome> read_through();
  void run_front();
  void keep(const Run& run);

  WorkerOptions options_;
  const std::filesystem::path folder_;
  std::unique_ptr<WorkerPool> pool_;
  struct Waiting {
    Request request;
    bool kept = true;
  };
  std::deque<Waiting> waiting_;
  Work work_ = Work::none;
  bool held_ = false;
  std::future<std::optional<Run>> reading_;
  std::future<void> keeping_;
};

// "threads-flat-0123456789abcdef.npz": another kernel, or other settings, have another name.
std::string kept_run_name(const Request& request);

}  // namespace lockstep
