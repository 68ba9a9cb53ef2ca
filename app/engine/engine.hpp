// Where a run happens: one interface for cuda, emulator and recording.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/run.hpp"

namespace lockstep {

struct Progress {
  double fraction = 0;  // 0 to 1
  Message what;         // "emulating block {0} of {1}"
};
// Called now and then by a running engine; returning false asks it to stop.
using Report = std::function<bool(const Progress&)>;

class Engine {
 public:
  virtual ~Engine() = default;
  virtual EngineKind kind() const = 0;
  // Can it run this request? The error says why not and carries the exit code (3: not here, 2: not recorded).
  virtual Status can_run(const Request& request) = 0;
  // Blocks. The request's params are complete and legal for the rung.
  virtual Result<Run> run(const Request& request, const Report& report) = 0;
  // What `doctor` prints: ok = works here. Lines say which device, or why not.
  struct Health {
    bool ok = false;
    Message what;
    Device device;
  };
  virtual Health health() = 0;
  // What is held ready for a rung: runs without columns. Empty for engines that run.
  virtual std::vector<Run> recorded(std::string_view /*lab*/, std::string_view /*rung*/) { return {}; }
  // The same of every device: recorded() is of one, so that no curve or ladder mixes two.
  virtual std::vector<Run> recorded_everywhere(std::string_view /*lab*/, std::string_view /*rung*/) {
    return {};
  }
};

std::unique_ptr<Engine> make_emulator_engine();
std::unique_ptr<Engine> make_cuda_engine();  // its health says why where the build or the machine has no CUDA
// Looks for DIR/<device>/*.npz in each folder, first folder first; in each of them the device that the file
// DIR/first_device names, then the others by name.
std::unique_ptr<Engine> make_recording_engine(std::vector<std::filesystem::path> folders);

// A saved run as it reads later: what was measured then is a recording now, and stale where the source has
// changed.
Result<Run> load_recording(const std::filesystem::path& path);
// The same from a run that was read already; `name` stands in the error. Refused where the lab could not show
// it.
Result<Run> as_recording(Run run, const std::string& name);
// The settings of a rung that the recording engine can answer, without model_only parameters: slider marks.
// Recordings without events (times only) are not among them.
std::vector<Params> recorded_positions(Engine& recording, std::string_view lab, std::string_view rung);
// All recordings (without columns) of a lab that hold a time, of the kernel or, where an experiment times the
// run as a whole, of that; in the order of its rungs.
std::vector<Run> timed_recordings(Engine& recording, const std::string& lab);
// A recording (without columns) that holds a time for these settings, whatever its block.
std::optional<Run> recorded_time(Engine& recording, const Request& request);

struct Engines {
  std::unique_ptr<Engine> cuda, emulator, recording;
  Engine* get(EngineKind kind) const;
};

// `auto`: cuda where it works, else the emulator where the lab has kernels for it, else a recording, else
// exit 3.
Result<EngineKind> resolve_engine(const Engines& engines, const Request& request);

// Runs a request on the engine it names: resolves `auto`, completes warnings and provenance, and, for the
// emulator, adds the time of a matching recording.
Result<Run> run_request(const Engines& engines, const Request& request, const Report& report);

}  // namespace lockstep
