// What the rungs of this ladder are launched with, and the clocks they read.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/memory/sizes.hpp"

struct Settings {
  int words;   // of 4 bytes: the footprint
  int stride;  // words from one place of a chase to the next
  int warm;    // places that are read before a chase
  int loads;   // of a chase
  int blocks, rounds;
  int chains;  // of FMAs per thread: 1 or 8
  int each;    // units of 16 bytes that a thread copies: 1, 4 or 8
};

LAB_DEVICE int sum_of(int4 v) { return v.x + v.y + v.z + v.w; }

// Nanoseconds, the lower 32 bits. Only where time is taken.
LAB_DEVICE int nanoseconds() {
#if defined(__CUDA_ARCH__) && !defined(LAB_TRACED)
  int now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
  return now;
#else
  return 0;
#endif
}

struct Times {
  unsigned cycle, ns;  // they wrap: only differences are looked at
};
// The cycle is read next to the chase: reading the nanoseconds takes a while.
LAB_DEVICE Times times_at_begin() {
  const int ns = nanoseconds();
  return {unsigned(clock()), unsigned(ns)};
}
LAB_DEVICE Times times_at_end() {
  const unsigned cycle = unsigned(clock());
  return {cycle, unsigned(nanoseconds())};
}
