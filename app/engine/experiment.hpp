// What is measured or modelled for a run besides its kernel. A ladder asks for experiments by its plans
// (kernels/experiments.hpp); an engine finds each by its name and knows nothing else of it.
#pragma once
#include "engine.hpp"
#include "kernels/experiments.hpp"
#include "rung_lookup.hpp"

namespace lockstep {

// Why the program asks for a run itself, where nobody looks at its events.
enum class Purpose : std::uint8_t { record_times, bench };

class Experiment {
 public:
  virtual ~Experiment() = default;
  // What the request of such a run needs for it.
  virtual void prepare(Purpose, Request&) const {}
  // On this machine's GPU, behind the clean kernels' run; what was measured goes into the run's evidence.
  // Never called in a build without CUDA.
  virtual Status measure(const ExperimentPlan&, const RungRef&, Run&) { return Unit{}; }
  // It measures in place of the time of the kernels' launch.
  virtual bool replaces_time() const { return false; }
  // Adds what is known, modelled or recorded beside an engine's answer. `recording` may be nullptr.
  virtual void complete(const ExperimentPlan&, const Ladder&, Engine* /*recording*/, Run&) const {}
  // What the program did for a run is part of the subject: recordings keep its ranges.
  virtual bool keeps_ranges() const { return false; }
};

// Of a plan; nullptr for a name that this program does not know.
std::unique_ptr<Experiment> make_experiment(std::string_view name);

// Experiments that have something to keep from one run to the next.
class ExperimentsAtHand {
 public:
  // All that the ladder asks for, in its order.
  Status measure(const RungRef& found, Run& run);

 private:
  std::map<std::string, std::unique_ptr<Experiment>, std::less<>> made_;
};

void prepare_for(Purpose purpose, const Ladder& ladder, Request& request);
void complete_experiments(const Ladder& ladder, Engine* recording, Run& run);
bool replaces_time(const Ladder& ladder);
bool keeps_ranges(const Ladder& ladder);

}  // namespace lockstep
