// What the window asks of whatever compiles and runs a reader's own program, so that the shell links neither
// compiler nor emulator. Everything but the clock goes on in processes of its own.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/program/program_run.hpp"

namespace lockstep {

class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;
  virtual void start(const reader::ProgramRequest& request) = 0;  // a run that is going on is dropped
  virtual void cancel() = 0;
  virtual bool busy() const = 0;
  virtual Message progress_text() const = 0;
  virtual std::optional<Result<reader::ProgramRun>> poll() = 0;
  // What `lockstep new` offers: names with a line each, and their text.
  virtual std::vector<std::pair<std::string, Message>> templates() const { return {}; }
  virtual Result<std::string> template_text(const std::string& name) const {
    return bad_input("there is no template {0}", {name});
  }
  // Where nvcc is, a GPU can be asked too (if there is one). A run with on_gpu answers twice: with what the
  // emulator says, still busy, and then with both.
  virtual bool has_nvcc() const { return false; }
};

}  // namespace lockstep
