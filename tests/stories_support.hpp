// Engines in this process, and figures that a test makes up.
#pragma once
#include <map>
#include <string>

#include "app/cli/session.hpp"
#include "app/cli/story_verbs.hpp"
#include "app/model/expression.hpp"
#include "app/platform/paths.hpp"
#include "app/stories/model_functions.hpp"
#include "places.hpp"

namespace lockstep {

// The emulator and the recordings of the source tree; no GPU, whatever machine this is. Made once: thousands
// of recordings are looked through.
inline const Engines& source_engines() {
  static const Engines engines{nullptr, make_emulator_engine(),
                               make_recording_engine({in_source("assets/recordings")})};
  return engines;
}

struct StoryEngines {
  const Engines& engines = source_engines();
  int runs = 0;
  RunSources sources() {
    RunSources all = sources_of(engines);
    return {[this, run = all.run](const Request& asked) {
              ++runs;
              Request here = asked;
              if (here.engine == EngineKind::automatic || here.engine == EngineKind::cuda)
                here.engine = EngineKind::emulator;
              auto made = run(here);
              if (made || made.error().exit != Exit::unavailable) return made;
              here.engine = EngineKind::recording;  // a lab without kernels for the emulator
              return run(here);
            },
            all.recorded};
  }
};

// "x" is 5, "half" 0.5, "word" a text, "time" not to be had; every other name is wrong.
class MadeFigures final : public FigureSource {
 public:
  Result<Value> figure(const FigurePath& asked) override {
    last = to_text(asked);
    ++calls;
    if (last == "x") return Value{std::int64_t{5}};
    if (last == "half") return Value{0.5};
    if (last == "word") return Value{std::string("padded")};
    if (last == "time") return unavailable("nobody looked at the clock");
    if (asked.called) return Value{std::int64_t{7}};
    return bad_input("there is no '{0}'", {last});
  }
  std::string last;
  int calls = 0;
};

}  // namespace lockstep
