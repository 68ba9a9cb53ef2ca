// fp16 and bf16 for kernels: CUDA's headers on the GPU, the emulator's types on the CPU. A rung that needs them names
// this file; the generated wrapper includes it before the rung's namespace opens.
#pragma once
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
#include "kernels/host_half.hpp"
#endif
