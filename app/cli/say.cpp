#include "app/cli/say.hpp"

#include <ostream>

#include "app/cli/print.hpp"
#include "app/draw/language.hpp"
#include "app/labs/step_words.hpp"

namespace lockstep {

void say_steps(const Run& run, std::ostream& out) {
  const auto scene = open_run(run);
  const int count = scene && !run.launches.empty() ? scene->axis().count() : 0;
  if (count == 0) {
    out << tr("This run has no steps.") << "\n";
    return;
  }
  for (int step = 0; step < count; ++step) {
    if (step > 0) out << "\n";
    for (const std::string& line : step_in_words(*scene, {step, run.request.warp, {}, {}}))
      out << one_line(line) << "\n";
  }
}

}  // namespace lockstep
