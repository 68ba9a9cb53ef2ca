// cp.async, ldmatrix and mma.sync for readers' kernels, by the emulator's own of the labs' kernels.
#include "matrix_functions.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/matrix.cuh"
#include "runtime.hpp"

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

namespace simt = lockstep::simt;
using lockstep::reader::site_here;
using lockstep::reader::tracer;

namespace {

thread_local std::uintptr_t upper_half = 0;  // of the addresses of this thread's shared memory

void* whole(unsigned long address) {
  return reinterpret_cast<void*>(address >> 32 ? address : upper_half | address);
}

void meet_for(const char* name, void* data, void (*combine)(void* const lanes[32]), void* here) {
  simt::Collective c;
  c.op = simt::Collective::Op::matrix, c.name = name, c.data = data, c.combine = combine;
  c.line = int(site_here(here));
  if (tracer().machine) tracer().settle();
  simt::machine->collective(c);
}

}  // namespace

extern "C" {
// 32 bits are enough to name it.
unsigned long lockstep_shared_address(const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  upper_half = address >> 32 << 32;
  return address & 0xffffffffu;
}

void lockstep_copy_async(unsigned long to, const void* from, int bytes, int source_bytes) {
  void* target = whole(to);
  if (tracer().machine &&
      tracer().copy_async(target, source_bytes > 0 ? from : nullptr, bytes, __builtin_return_address(0)))
    return;
  std::memset(target, 0, std::size_t(bytes));
  std::memcpy(target, from, std::size_t(std::min(bytes, source_bytes)));
}
void lockstep_copy_commit() {
  if (tracer().machine) tracer().machine->copy_commit();
}
void lockstep_copy_wait(int pending) {
  if (tracer().machine) tracer().machine->copy_wait(std::uint32_t(pending));
}

void lockstep_ldmatrix_x4(unsigned* r, unsigned long row, int transposed) {
  void* here = __builtin_return_address(0);
  void* at = whole(row);
  tracer().access(at, 16, false, false, here);
  lab::detail::LdmatrixLane mine{r, {}};
  std::memcpy(mine.row, at, sizeof mine.row);
  meet_for("ldmatrix", &mine, transposed ? lab::detail::ldmatrix_x4<true> : lab::detail::ldmatrix_x4<false>,
           here);
}

unsigned lockstep_packed(float low, float high, int is_bfloat) {
  return is_bfloat ? lab::pack<lab::bf16>(low, high) : lab::pack<lab::half>(low, high);
}

void lockstep_mma_m16n8k16(float* c, const unsigned* a, const unsigned* b, int is_bfloat) {
  lab::detail::MmaLane mine{c, a, b};
  meet_for("mma.sync", &mine,
           is_bfloat ? lab::detail::mma_m16n8k16<lab::bf16> : lab::detail::mma_m16n8k16<lab::half>,
           __builtin_return_address(0));
}
}
