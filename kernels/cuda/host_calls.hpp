// What a launcher has the host do besides launching kernels: copies, prefetches, a look at an array. Plain
// C++ types; CUDA's errors as its numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "app/model/transfer.hpp"
#include "kernels/cuda/launcher.cuh"

namespace lab {

// One of them, or a kernel, to be made later.
struct HostCall {
  lockstep::OperationKind kind = lockstep::OperationKind::copy_in;
  int stream = 0;      // 0: the default one
  bool waits = false;  // the call returns once it is done
  void* to = nullptr;
  const void* from = nullptr;  // of a prefetch and a look: the array
  std::size_t bytes = 0;
  KernelNode kernel;
};
// `stream`: a cudaStream_t. A look waits for the GPU first.
int make_host_call(const HostCall& call, void* stream);
// The CUDA call's name.
const char* name_of(const HostCall& call);
// A number of every page; what comes of it is of no use to anybody.
unsigned read_pages(const void* data, std::size_t bytes);

}  // namespace lab
