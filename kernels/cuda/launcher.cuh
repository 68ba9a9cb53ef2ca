// What the clean and the traced launchers share. Host code; no device code here.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/binding.hpp"
#include "kernels/extents.hpp"

namespace lockstep::cuda {
struct StampState;
}

namespace lab {

struct DeviceBuffer {
  void* data = nullptr;  // on the device
  std::uint64_t bytes = 0;
};
struct DeviceBinding : SettingsBinding {
  std::vector<DeviceBuffer> buffers;
};

struct LaunchFacts;  // kernels/cuda/launch_facts.hpp
struct HostCall;     // kernels/cuda/host_calls.hpp

// A kernel with its arguments, to be launched later: on a stream, or as a node of a graph.
struct KernelNode {
  std::string name;
  const void* kernel = nullptr;
  Extents grid, block;
  long dynamic_shared_bytes = 0;
  std::vector<std::vector<std::uint8_t>> arguments;  // the bytes of each parameter
  int stream = 0;
  std::vector<int> after;  // nodes that it waits for
};

// Keeps the facts of each launch and the first error; after an error nothing more is launched.
class LaunchLog {
 public:
  LaunchLog() = default;
  ~LaunchLog();
  LaunchLog(const LaunchLog&) = delete;
  LaunchLog& operator=(const LaunchLog&) = delete;
  bool keep_facts = true;
  bool launches = true;  // false: facts alone
  std::vector<LaunchFacts> facts;
  std::vector<KernelNode>* nodes = nullptr;  // where the kernels go instead of being launched
  const lockstep::cuda::StampState* stamps =
      nullptr;                             // to a stamped rung: where its notes go from now on; no launch
  std::vector<HostCall>* calls = nullptr;  // and where they go with all that the host does besides
  std::string error;  // CUDA's own words, or the limit exceeded, with the kernel's name; "" = none
  bool before(const char* name, const void* kernel, Extents grid, Extents block, long dynamic_shared_bytes);
  void after();
  void place(int stream, const std::vector<int>& after);
  void add(const char* name, const void* kernel, Extents grid, Extents block, long dynamic_shared_bytes,
           std::vector<std::vector<std::uint8_t>> arguments, int stream = 0);
  bool collects() const { return nodes || calls; }
  // What the host does besides; nothing of it where the kernels alone go elsewhere, or nothing is launched.
  enum class Host { copy_in, copy_out, prefetch_in, prefetch_out, read };
  void host(Host what, void* to, const void* from, std::size_t bytes, Stream stream, bool waits);
  // The cudaStream_t of the number, made when it is first asked for. What the default stream does waits for
  // it.
  void* stream(Stream which);
  bool refused = false;  // the error was seen before the launch: a limit, or what a rung has no kernel for
  void refuse(const std::string& why) {
    if (error.empty()) error = why, refused = true;
  }
  bool check(int cuda_error, const char* what);

 private:
  bool fits(const char* name, const void* kernel, Extents block, long dynamic_shared_bytes);
  int stream_ = 0;
  std::vector<int> after_;
  std::vector<void*> streams_;  // of numbers from 1 on
};

}  // namespace lab
