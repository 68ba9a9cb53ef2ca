// What the kernels of this ladder, its table and the placement model agree on.
#pragma once

namespace lab {

constexpr int kFmas = 16;      // dependent ones, in one turn of the loop
constexpr int kRepeat = 64;    // turns per unit where time is taken; else one
constexpr int kInputs = 2048;  // a, b, then what the threads start from
constexpr int kFirst = 2;      // of those

// How the work is spread over the blocks. `rising` and `falling` add up to what
// `even` does.
enum Skew { kEven, kRising, kFalling, kLastLong };
constexpr int kLongTimes = 8;  // the last block's work, against the others'

// Turns of the loop of this block.
constexpr int turns_of(int skew, int turns, int block, int blocks) {
  if (skew == kRising) return 2 * turns * (block + 1) / (blocks + 1);
  if (skew == kFalling) return 2 * turns * (blocks - block) / (blocks + 1);
  return skew == kLastLong && block + 1 == blocks ? kLongTimes * turns : turns;
}

}  // namespace lab
