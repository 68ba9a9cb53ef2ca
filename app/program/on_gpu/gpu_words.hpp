// Words of a GPU's run that the window and the command line share.
#pragma once
#include <cstdio>
#include <string>

#include "gpu_run.hpp"

namespace lockstep::reader {

// "12.3 µs", "4.56 ms"
inline std::string gpu_time_text(double time_us) {
  char text[32];
  if (time_us < 1000)
    std::snprintf(text, sizeof text, "%.*f µs", time_us < 100 ? 1 : 0, time_us);
  else
    std::snprintf(text, sizeof text, "%.2f ms", time_us / 1000);
  return text;
}

// Of the comparison with the emulator's output.
inline Message output_sentence(const GpuRun& gpu) {
  switch (gpu.match) {
    case OutputMatch::same:
      return {N_("It prints the same on the GPU."), {}};
    case OutputMatch::rounding:
      return {N_("It prints the same on the GPU, but for the last digits of numbers."), {}};
    case OutputMatch::different:
      return {N_("Line {0} of its output differs: '{1}' on the GPU, '{2}' on the emulator."),
              {std::to_string(gpu.different_line), gpu.line_there, gpu.line_here}};
    case OutputMatch::unknown:
      break;
  }
  return {N_("What it prints on the GPU was not compared."), {}};
}

}  // namespace lockstep::reader
