// The calls that a program makes to launch kernels that wait for one another: by streams and events, and as a
// graph, captured or built by hand.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/clocks.cuh"
#include "kernels/cuda/pipeline.hpp"

namespace lockstep::cuda {

// The first error of a row of calls, with the call's name.
class Errors {
 public:
  bool operator()(cudaError_t error, const char* call) {
    if (error != cudaSuccess && text_.empty())
      text_ = std::string(call) + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error);
    return error == cudaSuccess;
  }
  void say(const std::string& text) {
    if (text_.empty()) text_ = text;
  }
  bool any() const { return !text_.empty(); }
  std::string take() { return std::exchange(text_, {}); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline dim3 dims(lab::Extents e) { return dim3(unsigned(e.x), unsigned(e.y), unsigned(e.z)); }

inline std::vector<void*> argument_pointers(const lab::KernelNode& kernel) {
  std::vector<void*> pointers;
  for (const auto& argument : kernel.arguments)
    pointers.push_back(const_cast<std::uint8_t*>(argument.data()));
  return pointers;
}

inline cudaKernelNodeParams node_parameters(const lab::KernelNode& kernel, std::vector<void*>& arguments) {
  cudaKernelNodeParams p{};
  p.func = const_cast<void*>(kernel.kernel);
  p.gridDim = dims(kernel.grid), p.blockDim = dims(kernel.block);
  p.sharedMemBytes = unsigned(kernel.dynamic_shared_bytes);
  p.kernelParams = arguments.data();
  return p;
}

struct GraphDeleter {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t exec) const { cudaGraphExecDestroy(exec); }
};
using Graph = std::unique_ptr<CUgraph_st, GraphDeleter>;
using Exec = std::unique_ptr<CUgraphExec_st, GraphDeleter>;

// Streams and events for one pipeline, and the calls that a program would make, with or without a look at the
// clock around each.
class Pipeline {
 public:
  Pipeline(const std::vector<PipelineNode>& nodes, const std::vector<lab::KernelNode>& kernels,
           Errors& errors)
      : nodes_(nodes), kernels_(kernels), errors_(errors), event_behind_(needs_event(nodes)) {
    int streams = 1;
    for (const PipelineNode& node : nodes) streams = std::max(streams, node.stream + 1);
    streams_.resize(std::size_t(streams));
    for (auto& stream : streams_)
      errors_(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    events_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (event_behind_[i])
        errors_(cudaEventCreateWithFlags(&events_[i], cudaEventDisableTiming), "cudaEventCreateWithFlags");
    for (const auto& kernel : kernels) arguments_.push_back(argument_pointers(kernel));
  }
  ~Pipeline() {
    for (auto& event : events_)
      if (event) cudaEventDestroy(event);
    for (auto& stream : streams_)
      if (stream) cudaStreamDestroy(stream);
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  cudaStream_t first() const { return streams_.front(); }
  cudaStream_t last() const { return streams_[std::size_t(nodes_.back().stream)]; }

  // `call(kind, node, f)` makes the call f and may look at the clock around it.
  template <class Call>
  void launch_all(bool each, Call&& call) {
    for (std::size_t i = 0; i < nodes_.size() && !errors_.any(); ++i) {
      const PipelineNode& node = nodes_[i];
      const cudaStream_t stream = streams_[std::size_t(node.stream)];
      for (const int before : node.after)
        if (nodes_[std::size_t(before)].stream != node.stream)
          errors_(call(ApiKind::wait_event, int(i),
                       [&] { return cudaStreamWaitEvent(stream, events_[std::size_t(before)], 0); }),
                  "cudaStreamWaitEvent");
      errors_(call(ApiKind::launch, int(i), [&] { return launch(i, stream); }), "cudaLaunchKernel");
      if (event_behind_[i])
        errors_(call(ApiKind::record_event, int(i), [&] { return cudaEventRecord(events_[i], stream); }),
                "cudaEventRecord");
      if (each)
        errors_(call(ApiKind::synchronize, int(i), [&] { return cudaStreamSynchronize(stream); }),
                "cudaStreamSynchronize");
    }
  }

  Graph capture(PipelineRecord* record, bool invalidate = false);
  Graph build(std::vector<cudaGraphNode_t>* nodes = nullptr);  // by kernel

 private:
  cudaError_t launch(std::size_t i, cudaStream_t stream) {
    const lab::KernelNode& k = kernels_[i];
    return cudaLaunchKernel(k.kernel, dims(k.grid), dims(k.block), arguments_[i].data(),
                            std::size_t(k.dynamic_shared_bytes), stream);
  }
  const std::vector<PipelineNode>& nodes_;
  const std::vector<lab::KernelNode>& kernels_;
  Errors& errors_;
  std::vector<bool> event_behind_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
  std::vector<std::vector<void*>> arguments_;
};

// Notes each call with the CPU's clock; time 0 is the first call's start.
class Noting {
 public:
  explicit Noting(PipelineRecord& record) : record_(record) {}
  template <class F>
  cudaError_t operator()(ApiKind kind, int node, F&& f) {
    const std::int64_t start = cpu_ns();
    const cudaError_t error = f();
    const std::int64_t end = cpu_ns();
    if (record_.calls.empty()) origin_ = start;
    record_.calls.push_back({kind, node, start - origin_, end - origin_});
    return error;
  }
  std::int64_t origin() const { return origin_; }

 private:
  PipelineRecord& record_;
  std::int64_t origin_ = 0;
};

inline constexpr auto kNotNoting = [](ApiKind, int, auto&& f) { return f(); };

// `invalidate`: by a wait inside.
inline Graph Pipeline::capture(PipelineRecord* record, bool invalidate) {
  PipelineRecord unused;
  Noting noting(record ? *record : unused);
  cudaGraph_t graph = nullptr;
  errors_(noting(ApiKind::begin_capture, -1,
                 [&] { return cudaStreamBeginCapture(first(), cudaStreamCaptureModeThreadLocal); }),
          "cudaStreamBeginCapture");
  launch_all(false, noting);
  if (invalidate)
    errors_(cudaStreamSynchronize(first()), "cudaStreamSynchronize while the stream is captured");
  errors_(noting(ApiKind::end_capture, -1, [&] { return cudaStreamEndCapture(first(), &graph); }),
          "cudaStreamEndCapture");
  return Graph(graph);
}

// The same graph without a capture: node by node, with what each waits for.
inline Graph Pipeline::build(std::vector<cudaGraphNode_t>* nodes) {
  cudaGraph_t graph = nullptr;
  if (!errors_(cudaGraphCreate(&graph, 0), "cudaGraphCreate")) return {};
  Graph owned(graph);
  std::vector<cudaGraphNode_t> made(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::vector<cudaGraphNode_t> after;
    for (const int before : nodes_[i].after) after.push_back(made[std::size_t(before)]);
    const auto parameters = node_parameters(kernels_[i], arguments_[i]);
    if (!errors_(cudaGraphAddKernelNode(&made[i], graph, after.data(), after.size(), &parameters),
                 "cudaGraphAddKernelNode"))
      break;
  }
  if (nodes) *nodes = made;
  return owned;
}

inline constexpr unsigned kContradiction =  // no graph can have both
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagDeviceLaunch;

inline Exec instantiate(const Graph& graph, Errors& errors, unsigned flags = 0) {
  cudaGraphExec_t exec = nullptr;
  errors(cudaGraphInstantiateWithFlags(&exec, graph.get(), flags), "cudaGraphInstantiate");
  return Exec(exec);
}

}  // namespace lockstep::cuda
