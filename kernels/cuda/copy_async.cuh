// cp.async (PTX ISA, "Data Movement and Conversion Instructions: cp.async") for the clean and the traced
// dialect.
#pragma once
#include <cuda_runtime.h>

namespace lab {

// Copies `bytes_read` (0 or kBytes) from global memory and fills the rest of kBytes with zeros. `source` is
// not read where bytes_read is 0. Copies of 16 bytes are cached in L2 alone.
template <int kBytes>
__device__ __forceinline__ void issue_copy_async(unsigned target, const void* source, int bytes_read) {
#if __CUDA_ARCH__ >= 800
  if constexpr (kBytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes_read)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(source), "n"(kBytes),
                 "r"(bytes_read)
                 : "memory");
#endif
}
__device__ __forceinline__ void commit_copy_async() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int kPending>
__device__ __forceinline__ void wait_copy_async() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

}  // namespace lab
