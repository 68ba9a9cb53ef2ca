// The one ordered table of labs.
#include <algorithm>

#include "app/draw/language.hpp"
#include "lab.hpp"

namespace lockstep {

// In the order of the menus: LAB(x) is app/labs/x/.
#define LOCKSTEP_LABS(LAB) \
  LAB(threads)             \
  LAB(architecture)        \
  LAB(memory)              \
  LAB(coalescing)          \
  LAB(banks)               \
  LAB(transpose)           \
  LAB(reduction)           \
  LAB(shuffle)             \
  LAB(scatter)             \
  LAB(transfer)            \
  LAB(divergence)          \
  LAB(scheduler)           \
  LAB(occupancy)           \
  LAB(gemm)                \
  LAB(softmax)             \
  LAB(attention)           \
  LAB(graphs)              \
  LAB(timing)

// The way from the beginning: about an hour.
#define LOCKSTEP_PATH(LAB) \
  LAB(threads)             \
  LAB(coalescing)          \
  LAB(banks)               \
  LAB(transpose)           \
  LAB(gemm)                \
  LAB(attention)

#define LAB(name) const Lab& name##_lab();
LOCKSTEP_LABS(LAB)
#undef LAB

const std::vector<const Lab*>& labs() {
#define LAB(name) &name##_lab(),
  static const std::vector<const Lab*> all{LOCKSTEP_LABS(LAB)};
#undef LAB
  return all;
}

const std::vector<const Lab*>& path_labs() {
#define LAB(name) &name##_lab(),
  static const std::vector<const Lab*> path{LOCKSTEP_PATH(LAB)};
#undef LAB
  return path;
}

namespace {

bool on_path(const Lab* lab) {
  return std::find(path_labs().begin(), path_labs().end(), lab) != path_labs().end();
}

}  // namespace

const Lab* lab_after(const Lab& lab) {
  const auto& path = path_labs();
  const auto here = std::find(path.begin(), path.end(), &lab);
  if (here != path.end() && here + 1 != path.end()) return *(here + 1);
  auto next = labs().begin();  // behind the path's end: the first one beside it
  if (here == path.end()) next = std::find(labs().begin(), labs().end(), &lab) + 1;
  next = std::find_if_not(next, labs().end(), on_path);
  return next == labs().end() ? nullptr : *next;
}

const Lab* find_lab(std::string_view slug) {
  for (const Lab* lab : labs())
    if (lab->info().slug == slug) return lab;
  return nullptr;
}

std::unique_ptr<LabScene> open_run(Run run) {
  const Lab* lab = find_lab(run.request.lab);
  return lab ? lab->open(std::make_shared<const Run>(std::move(run))) : nullptr;
}

Message LabScene::phase_place(const Phase& phase) const {
  if (!axis().steps_are_warps())
    return msg("step {0}; the order of accesses within a step is not time",
               {std::to_string(phase.first + 1)});
  return msg("steps {0} to {1}; within a phase the order is by visit and warp, it is not time",
             {std::to_string(phase.first + 1), std::to_string(phase.first + phase.count)});
}

}  // namespace lockstep
