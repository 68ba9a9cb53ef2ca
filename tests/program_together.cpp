// Readers' programs whose work hangs together: graphs that are recorded and run again, grids whose blocks
// wait for one another, and what is not there for them.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/platform/run_program.hpp"
#include "program_text_run.hpp"

using namespace lockstep;
using namespace lockstep::reader;
using namespace lockstep::test;

namespace {

const char* const kKernels = R"cuda(#include <cstdio>
__global__ void init(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void scale(float* x, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= f; }
template <class T> __global__ void add(T* x, T y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += y; }
)cuda";

}  // namespace

TEST_CASE("what two streams record runs again in its order, and its launches say which one they belong to" *
          doctest::skip(!can_run_programs())) {
  const ProgramRun run = run_text(std::string(kKernels) + R"cuda(int main() {
  float *x, h[64];
  cudaMalloc(&x, sizeof h);
  cudaStream_t s, t;
  cudaStreamCreate(&s), cudaStreamCreate(&t);
  cudaEvent_t forked, joined;
  cudaEventCreate(&forked), cudaEventCreate(&joined);
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  init<<<1, 64, 0, s>>>(x, 64);
  cudaEventRecord(forked, s), cudaStreamWaitEvent(t, forked, 0);
  for (int i = 1; i < 3; i++) scale<<<1, 64, 0, t>>>(x, i * 2.0f, 64);
  add<<<1, 64, 0, t>>>(x, 1.0f, 64);
  cudaEventRecord(joined, t), cudaStreamWaitEvent(s, joined, 0);
  cudaMemcpyAsync(h, x, sizeof h, cudaMemcpyDeviceToHost, s);
  printf("%d ", cudaStreamEndCapture(s, &graph));
  h[5] = 0;
  cudaGraphInstantiate(&runnable, graph, NULL, NULL, 0);
  for (int i = 0; i < 2; i++) cudaGraphLaunch(runnable, s);
  cudaStreamSynchronize(s);
  printf("%g\n", h[5]);
  cudaGraphNode_t nodes[8];
  size_t count = 8;
  cudaGraphGetNodes(graph, nodes, &count);
  cudaKernelNodeParams p;
  cudaGraphKernelNodeGetParams(nodes[1], &p);  // the first scale
  float by = 10;
  void* other[] = {p.kernelParams[0], &by, p.kernelParams[2]};
  p.kernelParams = other;
  cudaGraphExecKernelNodeSetParams(runnable, nodes[1], &p);
  cudaGraphLaunch(runnable, s);
  printf("%g\n", h[5]);
  cudaGraphDestroy(graph), cudaGraphExecDestroy(runnable), cudaFree(x);
}
)cuda");
  CHECK(run.output == "0 41\n201\n");
  CHECK(run.findings.empty());
  REQUIRE(run.launches.size() == 12);
  CHECK(run.launches[9].arguments[1].value == "10");
  CHECK(run.launches[0].kernel == "init");
  CHECK(run.launches[0].graph == 1);
  CHECK(run.launches[7].kernel == "add");
  CHECK(run.launches[7].graph == 2);
  CHECK(run.launches[2].line == 17);
  CHECK(run.launches[2].counts.global_load_sectors == 8);
  REQUIRE(run.launches[2].arguments.size() == 3);
  CHECK(run.launches[2].arguments[1].value == "4");  // as it was when it was recorded
}

TEST_CASE("a graph of nodes runs each after those that it waits for, with parameters that may change" *
          doctest::skip(!can_run_programs())) {
  const ProgramRun run =
      run_text(std::string(kKernels) + R"cuda(void say(void* p) { printf("host %d\n", *(int*)p); }
int main() {
  int n = 64, seven = 7;
  float *x, h[64], f = 3;
  cudaMalloc(&x, sizeof h);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t host, copy, added, made, set;
  void *of_init[] = {&x, &n}, *of_add[] = {&x, &f, &n};
  cudaHostNodeParams host_node = {say, &seven};
  cudaGraphAddHostNode(&host, graph, NULL, 0, &host_node);
  cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, h, x, sizeof h, cudaMemcpyDeviceToHost);
  cudaKernelNodeParams kernel = {0};
  kernel.func = (void*)add<float>, kernel.gridDim = dim3(1), kernel.blockDim = dim3(n), kernel.kernelParams = of_add;
  cudaGraphAddKernelNode(&added, graph, NULL, 0, &kernel);
  cudaKernelNodeParams first = kernel;
  first.func = (void*)init, first.kernelParams = of_init;
  cudaGraphAddKernelNode(&made, graph, NULL, 0, &first);
  cudaMemsetParams zero = {};
  zero.dst = x, zero.elementSize = 4, zero.width = n, zero.height = 1;
  cudaGraphAddMemsetNode(&set, graph, &host, 1, &zero);
  cudaGraphAddDependencies(graph, &made, &added, 1);
  cudaGraphAddDependencies(graph, &added, &copy, 1);
  cudaGraphAddDependencies(graph, &copy, &host, 1);
  f = 100;  // the node has taken a copy
  cudaGraphExec_t runnable;
  cudaGraphInstantiate(&runnable, graph, 0);
  cudaGraphLaunch(runnable, 0);
  printf("%g\n", h[5]);
  cudaGraphExecKernelNodeSetParams(runnable, added, &kernel);
  cudaGraphLaunch(runnable, 0);
  printf("%g\n", h[5]);
  size_t nodes = 0, edges = 0;
  cudaGraphGetNodes(graph, NULL, &nodes), cudaGraphGetEdges(graph, NULL, NULL, &edges);
  printf("%zu nodes, %zu edges\n", nodes, edges);
  cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\n", h[5]);
  cudaGraphAddDependencies(graph, &host, &made, 1);  // a ring
  printf("%s\n", cudaGetErrorName(cudaGraphInstantiate(&runnable, graph, 0)));
  cudaFree(x);
}
)cuda");
  CHECK(run.output == "host 7\n8\nhost 7\n105\n5 nodes, 4 edges\n0\ncudaErrorInvalidValue\n");
  CHECK(run.findings.empty());
  REQUIRE(run.launches.size() == 4);
  CHECK(run.launches[1].kernel == "add<float>");
}

TEST_CASE("who waits for a stream that records ends the recording, as the runtime does" *
          doctest::skip(!can_run_programs())) {
  const ProgramRun run = run_text(std::string(kKernels) + R"cuda(int main() {
  float* x;
  cudaMalloc(&x, 256);
  cudaStream_t s, t;
  cudaStreamCreate(&s), cudaStreamCreate(&t);
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  init<<<1, 64, 0, s>>>(x, 64);
  printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(s)));
  printf("%s\n", cudaGetErrorName(cudaStreamEndCapture(s, &graph)));
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  init<<<1, 64, 0, s>>>(x, 64);
  cudaEventRecord(e, s), cudaStreamWaitEvent(t, e, 0);
  init<<<1, 64, 0, t>>>(x, 64);
  printf("%s\n", cudaGetErrorName(cudaStreamEndCapture(s, &graph)));
  cudaGetLastError();
  cudaFree(x);
}
)cuda");
  CHECK(run.output ==
        "cudaErrorStreamCaptureUnsupported\ncudaErrorStreamCaptureInvalidated\n"
        "cudaErrorStreamCaptureUnjoined\n");
  CHECK(run.launches.empty());
}

namespace {

// Each block leaves its sum; behind the barrier all add them up, and each block uses its shared memory again.
std::string cooperative(const std::string& barrier, const std::string& launch) {
  return R"cuda(#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void total(const int* in, int* partial) {
  __shared__ int sum[64];
  sum[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sum[threadIdx.x] += sum[threadIdx.x + half];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sum[0];
  )cuda" +
         barrier + R"cuda(
  if (threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; b++) all += partial[b];
    partial[gridDim.x + blockIdx.x] = all * 10000 + sum[0];
  }
}
int main() {
  int h[320], out[10], *in, *partial;
  for (int i = 0; i < 320; i++) h[i] = i / 64 + 1;
  cudaMalloc(&in, sizeof h), cudaMalloc(&partial, sizeof out);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  void* arguments[] = {&in, &partial};
  )cuda" +
         launch + R"cuda(
  cudaMemcpy(out, partial, sizeof out, cudaMemcpyDeviceToHost);
  for (int b = 5; b < 10; b++) printf("%d ", out[b]);
  cudaFree(in), cudaFree(partial);
}
)cuda";
}

const char* const kTogether =
    "cudaLaunchCooperativeKernel((void*)total, dim3(5), dim3(64), arguments, 0, 0);";

}  // namespace

// Not under AddressSanitizer, which knows one stack of fibers and not two.
TEST_CASE("behind a barrier of the whole grid every block sees what all have written, traced or not" *
          doctest::skip(!can_run_programs()) * doctest::test_suite("slow")) {
  std::string four_times;
  for (int i = 0; i < 4; ++i) four_times += kTogether;
  for (const std::string& launch : {std::string(kTogether), four_times}) {
    const ProgramRun run = run_text(cooperative("cg::this_grid().sync();", launch), false);
    CHECK(run.output == "9600064 9600128 9600192 9600256 9600320 ");
    CHECK(run.findings.empty());
    REQUIRE(!run.launches.empty());
    CHECK(run.launches[0].kernel == "total");
    CHECK(run.launches[0].traced_blocks == 5);
    CHECK(run.launches[0].counts.global_load_sectors == 5 * 8 + 5 * 5);
    CHECK(run.launches[0].line == 25);
    CHECK(run.launches.back().traced() == (launch == kTogether));
  }
}

TEST_CASE("without the barrier blocks race, and a block that ends without coming to it is named" *
          doctest::skip(!can_run_programs()) * doctest::test_suite("slow")) {
  CHECK(found(run_text(cooperative("", kTogether)), "race"));
  const ProgramRun run = run_text(cooperative("if (blockIdx.x < 4) cg::this_grid().sync();", kTogether));
  const ProgramFinding* missing = found(run, "divergent_barrier");
  REQUIRE(missing);
  CHECK(missing->line == 12);
  CHECK(missing->block == 0);
  CHECK(missing->other_block == 4);
}

TEST_CASE("what needs other ways of launching is refused by name and line" *
          doctest::skip(!can_run_programs())) {
  const ProgramRun alone = run_text(cooperative("cg::this_grid().sync();", "total<<<5, 64>>>(in, partial);"));
  const ProgramFinding* barrier = found(alone, "unsupported");
  REQUIRE(barrier);
  CHECK(barrier->line == 12);
  CHECK(barrier->message.text().find("cudaLaunchCooperativeKernel") != std::string::npos);
}

#ifndef __SANITIZE_ADDRESS__  // which has words of its own for a stack that runs out
TEST_CASE("local arrays of 80 KB are there; those of 400 KB are a stack that has run out" *
          doctest::skip(!can_run_programs())) {
  const ProgramRun run = run_text(R"cuda(#include <cstdio>
template <int N> __global__ void fill(int* out) {
  volatile int a[N];
  for (int i = 0; i < N; i++) a[i] = i;
  __syncthreads();
  out[threadIdx.x] = a[N - 1];
}
int main() {
  int *out, h[32];
  cudaMalloc(&out, sizeof h);
  fill<20000><<<1, 32>>>(out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h[31]);
  fill<100000><<<1, 32>>>(out);
  printf("%d\n", cudaDeviceSynchronize());
}
)cuda");
  CHECK(run.output == "19999\n719\n");
  const ProgramFinding* overflow = found(run, "stack_overflow");
  REQUIRE(overflow);
  CHECK(overflow->launch == 1);
}
#endif
