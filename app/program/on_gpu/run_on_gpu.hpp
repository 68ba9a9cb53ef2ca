// A reader's program on this machine's GPU: built by nvcc, run once for its output and its kernels' times,
// and once more under the profiler. It runs as the user's own program does: outside the sandbox, which has no
// GPU.
#pragma once
#include "../program_run.hpp"
#include "gpu_tools.hpp"

namespace lockstep::reader {

// What went wrong stands in it. An error: the run was cancelled.
Result<GpuRun> run_on_gpu(const ProgramRequest& request, const GpuTools& tools, const ProgramReport& report);

// Finds the launch of each kernel, by name in the order of launching, and compares what was printed.
void compare_with_emulator(GpuRun& gpu, const ProgramRun& run);

// How two outputs compare: numbers that differ in their last digits are the rounding of other instructions;
// what is "nan" here (elapsed times are not measured) may be any number there.
struct OutputDifference {
  OutputMatch match = OutputMatch::same;
  int line = 0;  // from 1
  std::string here, there;
};
OutputDifference compare_outputs(std::string_view here, std::string_view there);

// What nvcc's assembler says of each kernel (-Xptxas -v): its name and what it needs.
std::vector<GpuKernel> read_registers(std::string_view said);
// Where there is nvcc and no GPU: registers and shared memory for an H200, of every launch whose kernel was
// found.
Result<GpuRun> compile_for_registers(const ProgramRequest& request, const ProgramRun& emulated,
                                     const ProgramReport& report);

// The lines that the loaded recorder writes. `refused`: what CUPTI said instead.
std::vector<GpuKernel> read_kernel_times(std::string_view text, std::string* refused);

}  // namespace lockstep::reader
