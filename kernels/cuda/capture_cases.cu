#include "kernels/cuda/capture_cases.hpp"

#include <cuda_runtime.h>

namespace lockstep::cuda {
namespace {

// A captured kernel keeps its arguments. What changes from replay to replay stands in memory: the position,
// too.
__global__ void append(int* cache, int* position) {
  cache[*position] = 10 + *position;
  ++*position;
}
__global__ void add_one(int* x) { ++*x; }

#if CUDART_VERSION >= 12040
__global__ void decide(cudaGraphConditionalHandle handle, const int* x) {
  cudaGraphSetConditional(handle, *x > 0);
}
// One round of a loop that goes on while *left is positive.
__global__ void one_round(cudaGraphConditionalHandle handle, int* left, int* rounds) {
  ++*rounds;
  cudaGraphSetConditional(handle, --*left > 0);
}
#endif

// A stream, a few integers on the device, and graphs that end with it.
class Attempt {
 public:
  Attempt() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&ints, kInts * sizeof(int));
    cudaMemset(ints, 0, kInts * sizeof(int));
    cudaDeviceSynchronize();
  }
  ~Attempt() {
    drop();
    cudaFree(ints);
    cudaStreamDestroy(stream);
    cudaGetLastError();  // an attempt's error is its result and nobody else's
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  cudaError_t begin() { return cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal); }
  // Ends the capture; the first error of `so_far`, of the capture and of the graph's making.
  cudaError_t end(cudaError_t so_far) {
    drop();
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    if (so_far != cudaSuccess) return so_far;
    if (ended != cudaSuccess) return ended;
    return cudaGraphInstantiateWithFlags(&exec, graph, 0);
  }
  cudaError_t replay(int times) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < times && error == cudaSuccess; ++i) error = cudaGraphLaunch(exec, stream);
    return error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
  }
  int at(int i) const {
    int value = -1;
    cudaMemcpy(&value, ints + i, sizeof value, cudaMemcpyDeviceToHost);
    return value;
  }
  void put(int i, int value) const { cudaMemcpy(ints + i, &value, sizeof value, cudaMemcpyHostToDevice); }
  void drop() {
    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
    exec = nullptr, graph = nullptr;
  }

  static constexpr int kInts = 16;
  cudaStream_t stream = nullptr;
  int* ints = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
};

CaptureCase result(const char* slug, cudaError_t error, cudaError_t way_out) {
  return {slug, int(error), int(way_out), cudaGetErrorName(error), cudaGetErrorName(way_out)};
}

// cudaErrorUnknown where the calls went well and the result is wrong.
cudaError_t right(cudaError_t error, bool as_expected) {
  return error != cudaSuccess || as_expected ? error : cudaErrorUnknown;
}

CaptureCase growing_cache() {
  Attempt a;
  cudaError_t error = a.begin();
  append<<<1, 1, 0, a.stream>>>(a.ints + 1, a.ints);
  error = a.end(error);
  if (error == cudaSuccess) error = a.replay(3);
  error = right(error, a.at(0) == 3 && a.at(1) == 10 && a.at(2) == 11 && a.at(3) == 12);
  return result("growing_cache", error, error);
}

// The way out of a wait inside: behind the launch of the graph.
CaptureCase synchronize() {
  Attempt a, b;
  cudaError_t inside = a.begin();
  add_one<<<1, 1, 0, a.stream>>>(a.ints);
  if (inside == cudaSuccess) inside = cudaStreamSynchronize(a.stream);
  inside = a.end(inside);
  cudaError_t outside = b.begin();
  add_one<<<1, 1, 0, b.stream>>>(b.ints);
  outside = b.end(outside);
  if (outside == cudaSuccess) outside = b.replay(2);
  return result("synchronize", inside, right(outside, b.at(0) == 2));
}

// The way out: an allocation in the order of the stream, which becomes a node of the graph.
CaptureCase allocate() {
  Attempt a, b;
  cudaError_t plain = a.begin();
  void* memory = nullptr;
  if (plain == cudaSuccess) plain = cudaMalloc(&memory, 1 << 20);
  plain = a.end(plain);
  if (memory) cudaFree(memory);
  int* scratch = nullptr;
  cudaError_t ordered = b.begin();
  if (ordered == cudaSuccess) ordered = cudaMallocAsync(&scratch, 64, b.stream);
  if (ordered == cudaSuccess) ordered = cudaMemsetAsync(scratch, 0, 64, b.stream);
  if (ordered == cudaSuccess) add_one<<<1, 1, 0, b.stream>>>(scratch);
  if (ordered == cudaSuccess)
    ordered = cudaMemcpyAsync(b.ints, scratch, sizeof(int), cudaMemcpyDeviceToDevice, b.stream);
  if (ordered == cudaSuccess) ordered = cudaFreeAsync(scratch, b.stream);
  ordered = b.end(ordered);
  if (ordered == cudaSuccess) ordered = b.replay(2);
  return result("allocate", plain, right(ordered, b.at(0) == 1));
}

// A conditional node behind a kernel that decides: its body may run, or run again and again. ints[0] is what
// is decided on, ints[1] counts the body's runs.
cudaError_t make_conditional(Attempt& a, bool loop, int driver_version) {
#if CUDART_VERSION >= 12040
  if (driver_version < 12040) return cudaErrorNotSupported;
  cudaGraphConditionalHandle handle;
  if (const auto e = cudaGraphCreate(&a.graph, 0)) return e;
  if (const auto e = cudaGraphConditionalHandleCreate(&handle, a.graph, 0, cudaGraphCondAssignDefault))
    return e;
  int *value = a.ints, *counted = a.ints + 1;
  void* arguments[] = {&handle, &value};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(decide);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphNode_t deciding, conditional, body;
  if (const auto e = cudaGraphAddKernelNode(&deciding, a.graph, nullptr, 0, &kernel)) return e;
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = loop ? cudaGraphCondTypeWhile : cudaGraphCondTypeIf;
  parameters.conditional.size = 1;
#if CUDART_VERSION >= 13000
  if (const auto e = cudaGraphAddNode(&conditional, a.graph, &deciding, nullptr, 1, &parameters)) return e;
#else
  if (const auto e = cudaGraphAddNode(&conditional, a.graph, &deciding, 1, &parameters)) return e;
#endif
  void* of_round[] = {&handle, &value, &counted};
  void* of_add[] = {&counted};
  kernel.func = loop ? reinterpret_cast<void*>(one_round) : reinterpret_cast<void*>(add_one);
  kernel.kernelParams = loop ? of_round : of_add;
  if (const auto e =
          cudaGraphAddKernelNode(&body, parameters.conditional.phGraph_out[0], nullptr, 0, &kernel))
    return e;
  return cudaGraphInstantiateWithFlags(&a.exec, a.graph, 0);
#else
  (void)a, (void)loop, (void)driver_version;
  return cudaErrorNotSupported;
#endif
}

cudaError_t with_if_node(int driver_version) {
  Attempt a;
  if (const auto e = make_conditional(a, false, driver_version)) return e;
  if (const auto e = a.replay(2)) return e;
  const bool left_out = a.at(1) == 0;
  a.put(0, 1);
  if (const auto e = a.replay(3)) return e;
  return right(cudaSuccess, left_out && a.at(1) == 3);
}

cudaError_t with_while_node(int driver_version) {
  Attempt a;
  if (const auto e = make_conditional(a, true, driver_version)) return e;
  if (const auto e = a.replay(1)) return e;
  const bool left_out = a.at(1) == 0;
  a.put(0, 5);
  if (const auto e = a.replay(2)) return e;  // the second one finds nothing left to do
  return right(cudaSuccess, left_out && a.at(0) == 0 && a.at(1) == 5);
}

// By plain capture the CPU must see a value to decide on it, so it must wait.
cudaError_t decided_by_the_cpu() {
  Attempt a;
  int seen = 0;
  cudaError_t error = a.begin();
  add_one<<<1, 1, 0, a.stream>>>(a.ints);
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(&seen, a.ints, sizeof seen, cudaMemcpyDeviceToHost, a.stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(a.stream);
  return a.end(error);
}

CaptureCase branch(int driver_version) {
  return result("branch", decided_by_the_cpu(), with_if_node(driver_version));
}
// Rounds until the data say that it is enough.
CaptureCase loop(int driver_version) {
  return result("loop", decided_by_the_cpu(), with_while_node(driver_version));
}

// A graph with one kernel more cannot be put in the place of the old one. The way out: one graph per bucket,
// lengths between are padded.
CaptureCase lengths() {
  Attempt a, b;
  const auto with = [](Attempt& attempt, int kernels) {
    cudaError_t error = attempt.begin();
    for (int i = 0; i < kernels; ++i) add_one<<<1, 1, 0, attempt.stream>>>(attempt.ints);
    return attempt.end(error);
  };
  cudaError_t error = with(a, 2), way_out = with(b, 4);
  if (error == cudaSuccess && way_out == cudaSuccess) {
    way_out = a.replay(1);
    if (way_out == cudaSuccess) way_out = b.replay(1);
    way_out = right(way_out, a.at(0) == 2 && b.at(0) == 4);
    // Last: a refused update may leave a graph half new.
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info{};
    error = cudaGraphExecUpdate(a.exec, b.graph, &info);
#else
    cudaGraphNode_t node;
    cudaGraphExecUpdateResult info;
    error = cudaGraphExecUpdate(a.exec, b.graph, &node, &info);
#endif
    cudaGetLastError();
  }
  return result("lengths", error, way_out);
}

}  // namespace

std::vector<CaptureCase> try_capture_cases(int driver_version) {
  return {growing_cache(),        synchronize(),        allocate(),
          branch(driver_version), loop(driver_version), lengths()};
}

}  // namespace lockstep::cuda
