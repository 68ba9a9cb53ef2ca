// Runs happen in a worker process; one that crashes, hangs or runs out of memory ends alone.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <variant>

#include "engine.hpp"

namespace lockstep {

// The outcome of a run that was cancelled has this message.
inline constexpr const char* kCancelled = "the run was cancelled";

// Three quarters of this machine's memory, or of the container's where that is less.
std::uint64_t default_memory_limit();

struct WorkerOptions {
  std::filesystem::path program;                              // the lockstep executable
  std::vector<std::filesystem::path> recordings;              // passed on as --recordings
  std::uint64_t memory_limit_bytes = default_memory_limit();  // 0 = none
  bool spare = true;                                          // keep a second worker warm
};

// The client's side: one worker at work, one warm spare standing by. Never blocks, except in wait(). Stays on
// one thread, which must outlive it (a worker dies with the thread that started it).
class WorkerPool {
 public:
  explicit WorkerPool(WorkerOptions options);
  ~WorkerPool();  // ends the workers, frees their shared memory
  // Starts a run. A run that is going on is cancelled by ending its worker; its outcome never arrives.
  void start(const Request& request);
  void cancel();  // the outcome is an error of exit 4, kCancelled
  bool busy() const;
  Progress progress() const;
  struct Outcome {
    Request request;
    Result<Run> run;
  };
  // The outcome of the last started run, once.
  std::optional<Outcome> poll();
  // Blocks until the outcome is there or timeout_s of the request have passed.
  Outcome wait();
  // Blocks for at most `limit`.
  std::optional<Outcome> wait_for(std::chrono::milliseconds limit);
  int worker_pid() const;  // 0 if none is at work (tests kill it)

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The worker's side: reads requests as JSON lines from stdin, answers on stdout (worker_protocol.hpp). What
// else is printed to stdout goes to stderr. Ends when stdin closes. Returns the exit code.
int worker_main(const Engines& engines);

}  // namespace lockstep
