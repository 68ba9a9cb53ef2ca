// Triton's programs beside kernels of ours: their text (assets/triton/*.py), and what Triton's compiler made
// of them for a device, which stands in assets/triton/<device>.json with their times
// (scripts/triton_beside.py writes it).
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// How a block's elements lie in the threads' registers: the compiler's #ttg.blocked, a number for each
// dimension, the last one along a row. `order` names the dimensions, the one that runs fastest first.
struct TritonLayout {
  std::vector<int> per_thread, threads, warps, order;
  bool sound() const;  // of as many dimensions each, nothing below one, the order a permutation
};

struct TritonSeat {
  int warp = 0, lane = 0, reg = 0;  // reg: which of the elements that the thread holds
  bool operator==(const TritonSeat&) const = default;
};
// Where the element `at` of a block lies. What the threads do not cover at once lies in further registers; of
// a block smaller than that several threads hold a copy, and this is the first of them.
TritonSeat seat_of(const TritonLayout& layout, std::span<const int> block, std::span<const int> at);

// A program as it was compiled for one shape of its block.
struct TritonBuild {
  std::vector<int> block;                       // elements: 1024, or 16, 16
  int warps = 0;                                // of one program
  TritonLayout layout;                          // of what it stores
  std::string layout_text;                      // as the compiler writes it
  std::map<int, std::vector<std::string>> ptx;  // by the program's line, from 1
};

// Median and where the middle 60 % of the runs lie.
struct TimedUs {
  double median = 0, low = 0, high = 0;
};
// The same sum by Triton's program, our kernel and PyTorch, in turns in one process.
struct TritonTimes {
  std::int64_t elements = 0;
  int block = 0, threads = 0;  // Triton's BLOCK_SIZE, and our threads per block
  TimedUs triton, ours, torch;
};

// Of one device.
struct TritonRecord {
  std::string device, date, versions;
  std::vector<TritonBuild> builds;
  std::vector<TritonTimes> times;
  // nullptr: not compiled for that shape.
  const TritonBuild* build_of(std::span<const int> block) const;
};

// Lines of the program that stands beside this rung; none where there is none.
const std::vector<std::string>& triton_lines(std::string_view rung);
// What was recorded of it, an H200 before others; none where no device has compiled it.
const std::vector<TritonRecord>& triton_records(std::string_view rung);

}  // namespace lockstep
