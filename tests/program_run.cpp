// A reader's CUDA program, compiled, traced and told about: what is counted, found and printed.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/platform/run_program.hpp"
#include "app/program/program_run.hpp"
#include "places.hpp"
#include "program_text_run.hpp"

using namespace lockstep;
using namespace lockstep::reader;
using lockstep::test::can_run_programs;
using lockstep::test::found;
using lockstep::test::run_text;

namespace {

bool has_clang() { return can_run_programs(); }

// A program with one kernel over n floats of `out`, which is copied back.
std::string program(const std::string& kernel, const std::string& launch = "k<<<2, 64>>>(in, out, 128);") {
  return "#include <cstdio>\n" + kernel +
         "\nint main() {\n  float *in, *out, h[128] = {};\n  cudaMalloc(&in, sizeof h);\n  cudaMalloc(&out, "
         "sizeof h);\n"
         "  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);\n  cudaMemset(out, 0, sizeof h);\n  " +
         launch +
         "\n  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);\n  printf(\"%g\\n\", h[0]);\n"
         "  cudaFree(in);\n  cudaFree(out);\n}\n";
}

}  // namespace

TEST_CASE("a kernel that adds one reads and writes each sector once, and nothing is found" *
          doctest::skip(!has_clang())) {
  const ProgramRun run = run_text(program(
      "__global__ void k(float* in, float* out, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = in[i] + 1;\n}"));
  REQUIRE(run.compiled);
  CHECK(run.output == "1\n");
  CHECK(run.findings.empty());
  REQUIRE(run.launches.size() == 1);
  const ProgramLaunch& launch = run.launches[0];
  CHECK(launch.counts_complete());
  CHECK(launch.counts.global_load_sectors == 16);
  CHECK(launch.counts.global_store_sectors == 16);
  REQUIRE(launch.lines.size() == 1);
  CHECK(launch.lines[0].line == 4);
  CHECK(launch.lines[0].cost.sectors == 32);
  REQUIRE(run.arrays.size() == 2);
  CHECK(run.arrays[0].name == "in");
  CHECK(run.arrays[0].type == "float");
}

TEST_CASE("a column of a 32 x 32 tile takes 32 wavefronts, with a pitch of 33 one" *
          doctest::skip(!has_clang())) {
  for (const int pitch : {32, 33}) {
    const ProgramRun run = run_text(program(
        "__global__ void k(float* in, float* out, int n) {\n  __shared__ float tile[32][" +
            std::to_string(pitch) +
            "];\n  for (int r = 0; r < 32; ++r) tile[r][threadIdx.x] = in[threadIdx.x];\n  __syncthreads();\n"
            "  out[threadIdx.x] = tile[threadIdx.x][3];\n}",
        "k<<<1, 32>>>(in, out, 128);"));
    REQUIRE(run.launches.size() == 1);
    CHECK(run.launches[0].counts.shared_load_wavefronts == (pitch == 32 ? 32 : 1));
    CHECK(run.launches[0].counts.shared_store_wavefronts == 32);
    CHECK(run.findings.empty());
  }
}

TEST_CASE("a missing __syncthreads() is a race, at the line that reads" * doctest::skip(!has_clang())) {
  const ProgramRun run =
      run_text(program("__global__ void k(float* in, float* out, int n) {\n  __shared__ float s[64];\n  "
                       "s[threadIdx.x] = threadIdx.x;\n"
                       "  out[threadIdx.x] = s[63 - threadIdx.x];\n}",
                       "k<<<1, 64>>>(in, out, 128);"));
  const ProgramFinding* race = found(run, "race");
  REQUIRE(race);
  CHECK((race->line == 5 || race->line == 4));
  CHECK(race->view == "s");
  CHECK(exit_of(run) == Exit::check_failed);
}

TEST_CASE("a barrier between two branches of one condition stays one barrier" * doctest::skip(!has_clang())) {
  const ProgramRun run = run_text(program(
      "__global__ void k(float* in, float* out, int n) {\n  __shared__ float s[64];\n  int t = threadIdx.x, "
      "i = blockIdx.x * 64 + t;\n  bool inside = i < 100;\n  if (inside) s[t] = in[i];\n  "
      "__syncthreads();\n  if (inside) out[i] = s[t] + 1;\n}"));
  CHECK(run.output == "1\n");
  CHECK(run.findings.empty());
}

TEST_CASE("blocks that write different values to one element race" * doctest::skip(!has_clang())) {
  const ProgramRun run =
      run_text(program("__global__ void k(float* in, float* out, int n) {\n  if (threadIdx.x == 0) out[0] = "
                       "blockIdx.x + 1;\n}"));
  const ProgramFinding* race = found(run, "race");
  REQUIRE(race);
  CHECK(race->line == 3);
  CHECK(race->view == "out");
  CHECK(race->element == 0);
  CHECK(race->other_block != race->block);
}

TEST_CASE("one element past the end is out of bounds, with array and element" * doctest::skip(!has_clang())) {
  const ProgramRun run = run_text(program(
      "__global__ void k(float* in, float* out, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i <= n) out[i] = in[i];\n}",
      "k<<<3, 64>>>(in, out, 128);"));
  const ProgramFinding* outside = found(run, "out_of_bounds");
  REQUIRE(outside);
  CHECK(outside->line == 4);
  CHECK(outside->element == 128);
  CHECK(outside->block == 2);
  CHECK(outside->thread == 0);
}

TEST_CASE("an atomic whose result is used is counted apart from one whose result is not" *
          doctest::skip(!has_clang())) {
  const ProgramRun run = run_text(
      program("__global__ void k(float* in, float* out, int n) {\n  float old = atomicAdd(&out[0], 1.0f);\n"
              "  atomicAdd(&out[1], old);\n}"));
  REQUIRE(run.launches.size() == 1);
  CHECK(run.launches[0].counts.global_atomic_sectors == 4);
  CHECK(run.launches[0].counts.global_reduction_sectors == 4 * 32);  // a warp's lanes take turns
  CHECK(run.output == "128\n");
}

// Not under AddressSanitizer, whose own allocator cannot give a confined worker's stacks back.
TEST_CASE("blocks beyond the first 64 run untraced, and the result is whole" * doctest::skip(!has_clang()) *
          doctest::test_suite("slow")) {
  const ProgramRun run =
      run_text(program("__global__ void k(float* in, float* out, int n) { atomicAdd(out, 1.0f); }",
                       "k<<<1000, 64>>>(in, out, 128);"),
               false);
  REQUIRE(run.launches.size() == 1);
  CHECK(run.launches[0].traced_blocks <= 64);
  CHECK(run.launches[0].blocks == 1000);
  CHECK(run.output == "64000\n");
}

// 100 words, 32 lanes: four lanes come round four times, the others three. What is left over of four runs
// first, so the four never meet the others: 4 times one sector and 3 times four.
TEST_CASE("lanes that come round a loop more often than others meet where nvcc unrolls it by four" *
          doctest::skip(!has_clang())) {
  const ProgramRun run = run_text(
      program("__global__ void k(float* in, float* out, int n) {\n  float sum = 0;\n"
              "  for (int i = threadIdx.x; i < n; i += 32) sum += in[i];\n  out[threadIdx.x] = sum;\n}",
              "k<<<1, 32>>>(in, out, 100);"));
  REQUIRE(run.launches.size() == 1);
  CHECK(run.launches[0].counts.global_load_sectors == 16);
}

TEST_CASE("an int that overflows wraps around, on the host and in a kernel, traced or not" *
          doctest::skip(!has_clang())) {
  const std::string text = R"(#include <cstdio>
__global__ void step(const int* by, int* seed, long m) {
  int next = by[0] * seed[0] + by[1];
  seed[0] = next % m;
}
int by[2] = {1103515245, 12345}, seed = 1795595230;
long m = 2147483647;
void step_here(int* s) {
  int next = by[0] * s[0] + by[1];
  s[0] = next % m;
}
int main() {
  int *d_by, *d_seed, there;
  cudaMalloc(&d_by, sizeof by);
  cudaMalloc(&d_seed, sizeof seed);
  cudaMemcpy(d_by, by, sizeof by, cudaMemcpyHostToDevice);
  cudaMemcpy(d_seed, &seed, sizeof seed, cudaMemcpyHostToDevice);
  for (int i = 0; i < 5; ++i) step<<<1, 1>>>(d_by, d_seed, m), step_here(&seed);
  cudaMemcpy(&there, d_seed, sizeof there, cudaMemcpyDeviceToHost);
  printf("%d %d\n", seed, there);
  cudaFree(d_by), cudaFree(d_seed);
})";
  for (const bool all : {true, false}) CHECK(run_text(text, all).output == "984754907 984754907\n");
}

TEST_CASE("a float4 is one access of 16 bytes" * doctest::skip(!has_clang())) {
  const ProgramRun run =
      run_text(program("__global__ void k(float* in, float* out, int n) {\n  int i = threadIdx.x;\n"
                       "  float4 v = ((float4*)in)[i];\n  v.x += 1;\n  ((float4*)out)[i] = v;\n}",
                       "k<<<1, 32>>>(in, out, 128);"));
  REQUIRE(run.launches.size() == 1);
  CHECK(run.launches[0].counts.global_load_requests == 1);
  CHECK(run.launches[0].counts.global_load_sectors == 16);
  CHECK(run.launches[0].counts.global_store_requests == 1);
}

TEST_CASE("an int4 whose members are all added up is one access of 16 bytes" * doctest::skip(!has_clang())) {
  const ProgramRun run = run_text(program(
      "__global__ void k(float* in, float* out, int n) {\n  const int4 v = ((int4*)in)[threadIdx.x];\n"
      "  out[threadIdx.x] = v.x + v.y + v.z + v.w;\n}",
      "k<<<1, 32>>>(in, out, 128);"));
  REQUIRE(run.launches.size() == 1);
  CHECK(run.launches[0].counts.global_load_requests == 1);
  CHECK(run.launches[0].counts.global_load_sectors == 16);
}

TEST_CASE("what is computed of memory that nobody has written has been written" *
          doctest::skip(!has_clang())) {
  const ProgramRun run = run_text(
      "#include <utility>\n__global__ void step(const float* in, float* out) {\n  int i = threadIdx.x;\n"
      "  if (i > 0 && i < 63) out[i] = 0.5f * (in[i - 1] + in[i + 1]);\n}\n"
      "int main() {\n  float h[64] = {}, *a, *b;\n  cudaMalloc(&a, sizeof h);\n  cudaMalloc(&b, sizeof h);\n"
      "  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);\n"
      "  for (int t = 0; t < 8; t++) { step<<<1, 64>>>(a, b); std::swap(a, b); }\n"
      "  step<<<dim3(1, 2), 64>>>(a, b);\n"  // traced: another grid
      "  cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);\n  cudaFree(a);\n  cudaFree(b);\n}\n",
      false);
  REQUIRE(run.launches.size() == 9);
  CHECK_FALSE(run.launches[6].traced());
  int of_border = 0;
  for (const ProgramFinding& f : run.findings)
    if (f.kind == "uninitialised") {
      ++of_border;
      CHECK(f.view == "b");
      CHECK((f.element == 0 || f.element == 63));
    }
  CHECK(of_border > 0);
}

TEST_CASE("a block of 2048 threads is refused, and a program that never asks is told" *
          doctest::skip(!has_clang())) {
  const ProgramRun run = run_text(program("__global__ void k(float* in, float* out, int n) { out[0] = 1; }",
                                          "k<<<1, 2048>>>(in, out, 128);"));
  REQUIRE(run.launches.size() == 1);
  CHECK(run.launches[0].refused.text().find("2048") != std::string::npos);
  REQUIRE(found(run, "launch"));
  CHECK(run.output == "0\n");
}

TEST_CASE(
    "threads of the host launch side by side, each in its own stream, and none gets into another's way") {
  if (!can_run_programs()) return;
  const std::string text = R"(#include <cstdio>
#include <thread>
#include <vector>
__global__ void add(int* v, int n) {
  __shared__ int s[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? v[i] : 0;
  __syncthreads();
  if (i < n) v[i] = s[threadIdx.x] + 1;
}
void CUDART_CB later(void* done) {
  // What a callback waits for may need the runtime itself.
  std::thread([&] { cudaGetLastError(), *static_cast<int*>(done) = 1; }).join();
}
int main() {
  const int n = 4096, streams = 8;
  std::vector<std::thread> threads;
  int wrong[streams] = {}, called[streams] = {};
  for (int t = 0; t < streams; ++t)
    threads.emplace_back([&, t] {
      std::vector<int> h(n, t);
      int* d;
      cudaMalloc(&d, n * sizeof(int));
      cudaStream_t s;
      cudaStreamCreate(&s);
      cudaMemcpyAsync(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice, s);
      for (int k = 0; k < 5; ++k) add<<<n / 64, 64, 0, s>>>(d, n);
      cudaLaunchHostFunc(s, later, &called[t]);
      cudaMemcpyAsync(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost, s);
      cudaStreamSynchronize(s);
      for (int x : h) wrong[t] += x != t + 5;
      cudaStreamDestroy(s), cudaFree(d);
    });
  for (auto& t : threads) t.join();
  int sum = 0;
  for (int t = 0; t < streams; ++t) sum += wrong[t] + !called[t];
  std::printf("%d wrong\n", sum);
}
)";
  for (const bool all : {true, false}) {
    const ProgramRun run = run_text(text, all);
    CHECK(run.output == "0 wrong\n");
    CHECK(run.launches.size() == 40);
    CHECK(run.findings.empty());
  }
}

TEST_CASE("a program's time is that on the wall, however many cores work for it" *
          doctest::skip(!has_clang())) {
  const ProgramRun run = run_text(R"(#include <atomic>
#include <thread>
#include <vector>
std::atomic<long> turns{0};
int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([] { while (turns >= 0) ++turns; });
  for (auto& t : threads) t.join();
}
)",
                                  true, 5);
  CHECK(run.run_seconds >= 4.9);
  CHECK(run.ended.text().find("ended after 5 s") != std::string::npos);
}
