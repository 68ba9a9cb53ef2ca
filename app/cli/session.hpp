// Runs for the verbs of the command line: in a worker process, with progress on a terminal and Ctrl+C.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "app/cli/arguments.hpp"
#include "app/engine/engine.hpp"
#include "app/engine/worker.hpp"

namespace lockstep {

// The three engines in this process.
Engines make_engines(const std::vector<std::filesystem::path>& recordings);

class Session {
 public:
  explicit Session(std::vector<std::filesystem::path> recordings);
  // Blocks until the answer is there. Ctrl+C ends the worker: exit 4.
  Result<Run> run(const Request& request);
  // The run that the arguments ask for: a saved one (--run) or a fresh one, with its block placed.
  Result<Run> obtain(const RunArguments& arguments);

  // A saved run to stand beside another one of this lab.
  Result<Run> load_beside(const std::string& lab, const std::string& file);
  // Of which devices there are recordings of this rung.
  std::vector<std::string> devices(const std::string& lab, const std::string& rung) const;
  // Recorded runs of a lab that hold a time.
  std::vector<Run> timed(const std::string& lab) const;

 private:
  Result<Run> load(const RunArguments& arguments);
  WorkerPool& pool();

  std::vector<std::filesystem::path> recordings_;
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace lockstep
