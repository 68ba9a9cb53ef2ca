// The sizes of this ladder's problems, for kernels and host alike.
#pragma once

constexpr int kBlocks = 4, kThreads = 128,
              kWidth = kBlocks * kThreads;  // numbers of a branch: one per thread
constexpr int kRounds = 16;                 // where no length is asked for: the emulator, the traced kernels

// The layer of decode: fp32.
constexpr int kHidden = 128, kHeads = 4, kHeadDim = kHidden / kHeads, kInner = 256;
constexpr int kCached = 64;    // positions that the cache holds
constexpr int kPosition = 40;  // of the token: it attends to itself and those before

// A graph has its shapes for good: batches are padded to the next of 1, 2, 4, 8.
constexpr int bucket_of(int batch) {
  int bucket = 1;
  while (bucket < batch) bucket *= 2;
  return bucket;
}
