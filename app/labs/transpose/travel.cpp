#include "travel.hpp"

#include <algorithm>

namespace lockstep {
namespace {

bool is_shared(const WarpInstruction& i) { return i.view >= kFirstSharedView; }

// A word out of the tile goes where the warp writes it next; one out of global memory is followed on one line
// only, as what is assembled in registers has no single source.
bool puts_down(const WarpInstruction& store, const WarpInstruction& load) {
  return store.warp == load.warp && store.kind == Kind::store && store.visit == load.visit &&
         store.width == load.width && store.lanes == load.lanes &&
         (is_shared(load) ? !is_shared(store) : store.file == load.file && store.line == load.line);
}

}  // namespace

const Step* store_of(const MemoryAxis& steps, int load) {
  const Step* from = steps.at(load);
  if (!from || from->barrier || !is_load(from->instruction.kind)) return nullptr;
  for (int s = load + 1; s < steps.count(); ++s) {
    const Step& step = steps.steps[std::size_t(s)];
    if (step.interval != from->interval || step.launch != from->launch) return nullptr;
    if (!step.barrier && puts_down(step.instruction, from->instruction)) return &step;
  }
  return nullptr;
}

LaneWords words_of_lane(const WarpInstruction& i, int lane) {
  return {i.offset[std::size_t(lane)] / 4, std::max(1, i.width / 4)};
}

}  // namespace lockstep
