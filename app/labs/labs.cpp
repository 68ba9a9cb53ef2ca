// The one ordered table of labs.
#include "app/draw/language.hpp"
#include "lab.hpp"

namespace lockstep {

const Lab& attention_lab();
const Lab& banks_lab();
const Lab& gemm_lab();
const Lab& graphs_lab();
const Lab& occupancy_lab();
const Lab& scheduler_lab();
const Lab& softmax_lab();
const Lab& timing_lab();
const Lab& transpose_lab();

const std::vector<const Lab*>& labs() {
  static const std::vector<const Lab*> all{&banks_lab(),     &transpose_lab(), &scheduler_lab(),
                                           &occupancy_lab(), &gemm_lab(),      &softmax_lab(),
                                           &attention_lab(), &graphs_lab(),    &timing_lab()};
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
