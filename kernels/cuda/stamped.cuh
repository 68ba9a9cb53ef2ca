// The clean build with notes of time: one lane of each warp of one block writes down when a step of the kernel begins and
// how long it waits. Included by clean.cuh alone, where LAB_STAMPED is defined.
#pragma once
#include "kernels/cuda/name.cuh"
#include "kernels/cuda/stamp_state.hpp"

namespace lab {

using lockstep::NoteOf;

// Of its own, or the linker would take these kernels for the clean ones.
struct Stamped : Clean {};
using BuildProbe = Stamped;

static __constant__ lockstep::cuda::StampState stamp_state;

// How many notes each warp has made. publish_barriers(), which every such kernel calls before its first __syncthreads(),
// sets them to 0.
LAB_DEVICE unsigned* note_counts() {
  __shared__ unsigned counts[32];
  return counts;
}
LAB_DEVICE void begin_notes() {
  for (int warp = 0; warp < 32; ++warp) note_counts()[warp] = 0;
}
LAB_DEVICE unsigned cycles() {
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

LAB_DEVICE void note(NoteOf of, unsigned begin, unsigned end, std::uint16_t name, unsigned index) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned long long block = blockIdx.x + static_cast<unsigned long long>(blockIdx.y) * gridDim.x;
  if (block != stamp_state.block || lane != __ffs(__activemask()) - 1) return;
  const unsigned k = note_counts()[warp]++;
  if (k < stamp_state.capacity)
    stamp_state.notes[warp * stamp_state.capacity + k] = {begin, end, index, name, of, 0};
}
LAB_DEVICE void begin_step(Name name, int index) {
  const unsigned now = cycles();
  note(NoteOf::step, now, now, name.id, unsigned(index));
}

// Stands around a wait.
class Waiting {
 public:
  LAB_DEVICE explicit Waiting(NoteOf of, unsigned pending = 0) : of_(of), pending_(pending), begin_(cycles()) {}
  LAB_DEVICE ~Waiting() { note(of_, begin_, cycles(), 0, pending_); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  NoteOf of_;
  unsigned pending_, begin_;
};

}  // namespace lab
