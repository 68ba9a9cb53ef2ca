// Which of two lines of the L2 is nearer.
#pragma once
#include "kernels/lab.cuh"

// Whether line i, whose loads took so many cycles, is nearer than line j. Only
// where time is taken; elsewhere the line with the smaller number is.
LAB_DEVICE int is_nearer(int took_i, int i, int took_j, int j) {
#if defined(__CUDA_ARCH__) && !defined(LAB_TRACED)
  if (took_i != took_j) return took_i < took_j;
#else
  (void)took_i, (void)took_j;
#endif
  return i < j;
}
