// For kernels and host alike.
#pragma once

constexpr int kThreads = 256;      // per block of the rungs that read and copy
constexpr int kChunkUnits = 1024;  // of 16 bytes: what a block reads at once
constexpr int kTileWords = 4096;   // of a block's shared memory: 16 KB
constexpr int kChaseWords = 8192;  // of the chase in shared memory: 32 KB
constexpr int kHops = 16;          // loads per line
constexpr int kLines = 512;        // of the L2 that a block looks at, at most
constexpr int kCurveStride = 128;  // bytes: that of the staircase, a line of the caches
constexpr int kClockWords = 4;     // what a walk notes: cycles, ns, where it began and ended

// Of a run that is looked at step by step; what is measured does more.
constexpr int kPlainWarm = 256, kPlainLoads = 256, kPlainBlocks = 4, kPlainRounds = 4;
constexpr int kPlainLines = 64;
