// What the shuffle ladder and its rungs agree on.
#pragma once

constexpr int kManyThreads = 256;  // of a block of the rung `many`
constexpr int kFours = 8;          // loads of 16 bytes of each of them
constexpr int kManyTile = kManyThreads * kFours * 4;
