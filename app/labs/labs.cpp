// The one ordered table of labs.
#include "app/draw/language.hpp"
#include "lab.hpp"

namespace lockstep {

// In the order of the menus: LAB(x) is app/labs/x/.
#define LOCKSTEP_LABS(LAB) \
  LAB(banks)               \
  LAB(transpose)           \
  LAB(scheduler)           \
  LAB(occupancy)           \
  LAB(gemm)                \
  LAB(softmax)             \
  LAB(attention)           \
  LAB(graphs)              \
  LAB(timing)

#define LAB(name) const Lab& name##_lab();
LOCKSTEP_LABS(LAB)
#undef LAB

const std::vector<const Lab*>& labs() {
#define LAB(name) &name##_lab(),
  static const std::vector<const Lab*> all{LOCKSTEP_LABS(LAB)};
#undef LAB
  return all;
}

const Lab* find_lab(std::string_view slug) {
  for (const Lab* lab : labs())
    if (lab->info().slug == slug) return lab;
  return nullptr;
}

Message Lab::phase_place(const StepAxis& axis, const Phase& phase) const {
  if (axis.grouped())
    return msg("step {0}; the order of accesses within a step is not time",
               {std::to_string(phase.first + 1)});
  return msg("steps {0} to {1}; within a phase the order is by visit and warp, it is not time",
             {std::to_string(phase.first + 1), std::to_string(phase.first + phase.count)});
}

}  // namespace lockstep
