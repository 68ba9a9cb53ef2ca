// The table that ncu writes (--csv --page raw) as kernels with counters.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "gpu_run.hpp"

namespace lockstep::reader {

// What is asked for: the profiler's name, and that of Counts' field.
struct ProfilerCounter {
  const char* theirs;
  const char* ours;
};
const std::vector<ProfilerCounter>& profiler_counters();
// All of them and the kernel's time, as ncu's --metrics takes them.
std::string profiler_metrics();

// A row per launch in the order of launching; none where the text holds no table. Units with K, M or G are
// taken for what they are. A time is in time_us.
std::vector<GpuKernel> read_profiler_table(std::string_view text);

// "void tile<32>(const float *, int)" and "tile<32>" are both "tile".
std::string kernel_word(std::string_view name);

}  // namespace lockstep::reader
