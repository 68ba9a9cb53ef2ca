// What the window asks of the engines, so that the shell links none of them. The program adapts its worker
// pool to it.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/model/run.hpp"

namespace lockstep {

class ProgramRunner;

class Runner {
 public:
  struct Outcome {
    Request request;
    Result<Run> run;
  };
  struct EngineState {
    EngineKind kind = EngineKind::emulator;
    bool ok = false;
    Message what;                // which device, or why not
    std::string device;          // short name for the chooser
    int compute_capability = 0;  // 90; 0 = not a GPU
    int threads = 0;             // of the emulator
  };
  virtual ~Runner() = default;
  virtual void start(const Request& request) = 0;  // a run that is going on is dropped
  virtual void cancel() = 0;
  virtual bool busy() const = 0;
  virtual double progress() const = 0;  // 0 .. 1
  virtual Message progress_text() const = 0;
  virtual std::optional<Outcome> poll() = 0;
  // May be asked every frame; answers from what is known so far and never blocks.
  virtual std::vector<EngineState> engines() = 0;
  // A saved run. Blocks while the file is read.
  virtual Result<Run> load(const std::filesystem::path& file) = 0;
  // Settings of a rung that a recording holds, for marks on the sliders.
  virtual std::vector<Params> recorded(const std::string& lab, const std::string& rung) = 0;
  // Recorded runs of a lab that hold a time, without their columns.
  virtual const std::vector<Run>& timed(const std::string& lab) = 0;
  // Runs in the background, one after the other in this order; they stand back while a started run goes on,
  // and may be kept from an earlier session. Each outcome is told once.
  virtual void start_background(std::vector<Request>) {}
  // The same, before those that wait, and kept no longer than they are shown.
  virtual void start_soon(std::vector<Request>) {}
  virtual std::optional<Outcome> poll_background() { return {}; }
  // What runs readers' own programs; nullptr: nothing here does.
  virtual ProgramRunner* programs() { return nullptr; }
  // Recorded runs of a rung, without their columns. Blocks while the files are read, once for each lab.
  virtual std::vector<Run> recorded_runs(const std::string&, const std::string&) { return {}; }
  // The same of every device: recorded_runs() are of one.
  virtual std::vector<Run> recorded_everywhere(const std::string&, const std::string&) { return {}; }
};

}  // namespace lockstep
