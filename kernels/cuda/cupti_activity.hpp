// CUPTI's activity records of single kernels, also of those inside a graph: a second source beside the
// kernels' own stamps. The library is loaded at run time and never required. Plain C++ types.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/model/activity.hpp"

namespace lockstep::cuda {

// Where the library is looked for, first to last: the file that LOCKSTEP_CUPTI names and no other, or by its
// name where the loader looks and where CUDA's installer puts it.
std::vector<std::string> cupti_files();

// Kernels of this process are recorded from start() to the end of the object, one object at a time. Tracing
// changes what things take: nothing is timed meanwhile. The end takes CUPTI's hooks away again but leaves the
// library in the process: cuptiFinalize has crashed programs with graphs before CUDA 12.6.
class CuptiTrace {
 public:
  CuptiTrace();
  ~CuptiTrace();
  CuptiTrace(const CuptiTrace&) = delete;
  CuptiTrace& operator=(const CuptiTrace&) = delete;

  // The problem names the file or the call, and what it answered; the object is of no use then. One file
  // alone is one that the user named.
  ActivityProblem start(const std::vector<std::string>& files = cupti_files());
  // `node` (a cudaGraphNode_t) is of this kernel. Copies of it that an instantiation makes later are as well:
  // the records tell of the copies.
  void name_node(const void* node, int kernel);
  // What was recorded since the last call, times counted from `origin_ns` of cpu_ns(). The GPU has come to
  // rest before.
  ActivityProblem take(ActivityPass& pass, std::int64_t origin_ns);
  // Of CUPTI's clock against cpu_ns(), +-, with the drift between start and the last take.
  double clock_error_us() const;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace lockstep::cuda
