// The clean build with notes of time: lane 0 of each warp of one block writes down when a step of the kernel
// begins and how long it waits. Included by clean.cuh alone, where LAB_STAMPED is defined.
#pragma once
#include "kernels/cuda/name.cuh"
#include "kernels/cuda/stamp_state.hpp"

namespace lab {

using lockstep::kLeastWait;
using lockstep::NoteOf;

// Of its own, or the linker would take these kernels for the clean ones.
struct Stamped : Clean {};
using BuildProbe = Stamped;

static __constant__ lockstep::cuda::StampState stamp_state;

// Where the next note of each warp goes; nullptr: nowhere. Set by publish_barriers(), which every kernel with
// boxes calls before its first __syncthreads().
LAB_DEVICE lockstep::StepNote** next_notes() {
  __shared__ lockstep::StepNote* next[32];
  return next;
}
LAB_DEVICE unsigned cycles() {
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

// A kernel without boxes that is launched beside one with them takes no notes: boxes stand in dynamic shared
// memory.
LAB_DEVICE bool has_boxes() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes > 0;
}

LAB_DEVICE void note(NoteOf of, unsigned begin, unsigned end, std::uint16_t name, unsigned index) {
  if (threadIdx.x % 32 || !has_boxes()) return;
  lockstep::StepNote*& next = next_notes()[threadIdx.x / 32];
  if (!next || (stamp_state.only && name && name != stamp_state.only)) return;
  *next++ = {begin, end, index, name, of, 0};
  if (reinterpret_cast<std::uintptr_t>(next) % lockstep::cuda::kNoteBytes == 0) next = nullptr;
}
// The launch itself is the first note of warp 0.
LAB_DEVICE void begin_notes() {
  const bool notes = blockIdx.x == stamp_state.block_x && blockIdx.y == stamp_state.block_y;
  for (unsigned warp = 0; warp < 32; ++warp)
    next_notes()[warp] = notes ? stamp_state.notes + warp * lockstep::cuda::kNotesOfWarp : nullptr;
  const unsigned now = cycles();
  note(NoteOf::step, now, now, 0, 0);
}
LAB_DEVICE void begin_step(Name name, int index) {
  const unsigned now = cycles();
  note(NoteOf::step, now, now, name.id, unsigned(index));
}

// Stands around a wait.
class Waiting {
 public:
  LAB_DEVICE explicit Waiting(NoteOf of, unsigned pending = 0)
      : of_(of), pending_(pending), begin_(cycles()) {}
  LAB_DEVICE ~Waiting() {
    const unsigned end = cycles();
    if (stamp_state.only || (of_ == NoteOf::phase && end - begin_ < kLeastWait)) return;
    note(of_, begin_, end, 0, pending_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  NoteOf of_;
  unsigned pending_, begin_;
};

}  // namespace lab
