// What a reader's program did on a real GPU, built by nvcc as it stands: what it printed, how long its
// kernels took, and what the profiler counted. Stands beside what the emulator says, never in its place.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/model/provenance.hpp"
#include "app/model/run.hpp"

namespace lockstep::reader {

struct GpuKernel {
  std::string name;  // as the profiler writes it: "void tile<32>(const float *, int)"
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  int launch = -1;                // into ProgramRun::launches; -1: no launch of the emulator's is this one
  double time_us = -1;            // below 0: not known
  int registers = 0;              // of a thread; 0: not known
  std::int64_t shared_bytes = 0;  // of a block, static and dynamic
  std::map<std::string, std::int64_t> counters;  // by the names of Counts' fields; empty: not counted
};

// What it printed there against what it printed on the emulator.
enum class OutputMatch : std::uint8_t { same, rounding, different, unknown };

struct GpuRun {
  Device device;
  std::string compiler;  // "nvcc 13.0"
  std::string command;   // that built it
  double compile_seconds = 0;
  // Why there is nothing, or not all: no nvcc, no GPU, it does not compile, it failed. Empty where it went
  // well.
  Message problem;
  Exit exit = Exit::done;
  std::string diagnostics;  // nvcc's own words
  std::string output;
  int exit_code = 0;
  OutputMatch match = OutputMatch::unknown;
  int different_line = 0;  // from 1: the first that differs
  std::string line_here, line_there;
  std::vector<GpuKernel> kernels;                // in the order in which they were launched
  Message no_times, no_counters;                 // why there are none
  std::map<std::string, Provenance> provenance;  // time, counters

  // Of this launch of the emulator's; nullptr: none.
  const GpuKernel* kernel_of(int launch) const {
    for (const GpuKernel& kernel : kernels)
      if (kernel.launch == launch) return &kernel;
    return nullptr;
  }
};

}  // namespace lockstep::reader
