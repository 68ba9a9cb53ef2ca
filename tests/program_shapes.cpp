// What is said of a program's arrays: their shape, by a comment or by how they are indexed; how wide a
// struct's copy is; how much memory must move at least.
#include <doctest/doctest.h>

#include "app/program/array_shapes.hpp"
#include "app/program/source/gpu_shifts.hpp"
#include "app/program/source/struct_copies.hpp"
#include "program_text_run.hpp"

using namespace lockstep;
using namespace lockstep::reader;
using namespace lockstep::test;
using Shape = std::vector<std::uint64_t>;

namespace {

ProgramArray array(const char* name, std::uint64_t elements) {
  ProgramArray a;
  a.name = name, a.bytes = elements * 4;
  return a;
}

// One launch, k(d_in, d_out, n), of the arrays d_in and d_out, whose parameters are in, out and n.
ProgramRun run_with(const std::string& source, std::uint64_t in, std::uint64_t out, const std::string& n) {
  ProgramRun run;
  run.sources["my.cu"] = source;
  RewriteOptions options;
  options.file = "my.cu";
  run.tables = rewrite(source, options).tables;
  run.arrays = {array("d_in", in), array("d_out", out)};
  ProgramLaunch launch;
  launch.arguments = {{"d_in", "in", "", 0}, {"d_out", "out", "", 1}, {"n", "n", n, -1}};
  run.launches.push_back(launch);
  find_shapes(run);
  return run;
}

std::string warning(const ProgramRun& run) {
  return run.diagnostics.size() == 1 ? run.diagnostics[0].message.text()
                                     : std::to_string(run.diagnostics.size());
}

}  // namespace

TEST_CASE("a hint's extents are worked out of the launch's arguments and the program's constants") {
  const ProgramRun run = run_with(
      "#define TILE 4\nconst int cols = TILE * 2;\n// lockstep: in[n][cols], d_out[2][n / 2][TILE]\n", 128,
      64, "16");
  CHECK(run.diagnostics.empty());
  CHECK(run.arrays[0].shape == Shape{16, 8});
  CHECK(run.arrays[0].shape_given);
  CHECK(run.arrays[1].shape == Shape{2, 8, 4});
}

TEST_CASE("a hint that does not fit is a warning at its line and changes nothing") {
  const auto said = [](const std::string& hint) {
    const ProgramRun run =
        run_with("int m = 3; // once\nvoid f() { m = 4; }\n// lockstep: " + hint + "\n", 128, 64, "16");
    CHECK(run.arrays[0].shape == Shape{128});
    REQUIRE(run.diagnostics.size() == 1);
    CHECK(run.diagnostics[0].line == 3);
    CHECK(run.diagnostics[0].severity == Severity::warning);
    CHECK(exit_of(run) == Exit::bad_input);  // for it was never compiled: a warning is no error
    CHECK_FALSE(has_error(run.diagnostics));
    return warning(run);
  };
  CHECK(said("in[n][n]") == "in[n][n]: with n = 16 this is not the shape of d_in, which has 128 elements");
  CHECK(said("in[n][4]") == "in[n][4] is 64 elements, and d_in has 128");
  CHECK(said("in[n][rows]") ==
        "in[n][rows]: rows is no argument of the launch and no constant of the program");
  CHECK(said("in[m]") == "in[m]: m is no argument of the launch and no constant of the program");
  CHECK(said("input[n]") == "input[n]: no array and no kernel's parameter is called input");
  CHECK(said("in[n / 0][8]").starts_with("in[n / 0][8]: n / 0 is no"));
  CHECK(said("in[-n][8]").find("with -n = -16") != std::string::npos);
  CHECK(said("in[n << 61][8]").find("which has 128 elements") != std::string::npos);
  CHECK(said("in[1][1][2][n][4]").find("at most 4 extents") != std::string::npos);
}

TEST_CASE("without a hint an array has the rows that its indexing shows, and is a row where it shows none" *
          doctest::skip(!can_run_programs())) {
  const ProgramRun run = run_text(R"cuda(
__global__ void line(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void rows(const float* a, float* b) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  b[x * 16 + y] = a[y * 16 + x];
}
__global__ void square(float* c, int n) { c[threadIdx.x] = n; }
int main() {
  float *a, *b, *c, h[256];
  cudaMalloc(&a, 1024), cudaMalloc(&b, 1024), cudaMalloc(&c, 1024);
  line<<<4, 64>>>(a);
  square<<<1, 256>>>(c, 16);
  cudaMemcpy(h, a, 1024, cudaMemcpyDeviceToHost), cudaMemcpy(h, c, 1024, cudaMemcpyDeviceToHost);
  cudaFree(a), cudaMalloc(&a, 1024), cudaMemset(a, 0, 1024);
  rows<<<dim3(2, 4), dim3(8, 4)>>>(a, b);
  cudaMemcpy(h, b, 1024, cudaMemcpyDeviceToHost);
  cudaFree(a), cudaFree(b), cudaFree(c);
}
)cuda");
  REQUIRE(run.arrays.size() == 4);
  CHECK(run.arrays[0].shape == Shape{256});     // a, of line
  CHECK(run.arrays[1].shape == Shape{16, 16});  // b, written by columns
  CHECK(run.arrays[2].shape == Shape{16, 16});  // c: n * n elements
  CHECK(run.arrays[3].shape == Shape{16, 16});  // a again, read by rows
  REQUIRE(run.launches.size() == 3);
  // 1,024 bytes each: once, however often a sector is written to.
  CHECK(run.launches[2].compulsory_load_sectors == 32);
  CHECK(run.launches[2].compulsory_store_sectors == 32);
  CHECK(run.launches[2].counts.global_store_sectors > 32);
}

TEST_CASE("a struct is copied in words as wide as its alignment allows, as nvcc does" *
          doctest::skip(!can_run_programs())) {
  const ProgramRun run = run_text(R"cuda(
struct __align__(16) Wide { float x, y, z, w; };
struct Narrow { float x, y, z, w; };
struct Real { double re, im; };
template <class T> __global__ void whole(const T* in, T* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void members(const Wide* in, Wide* out) {
  Wide w = in[threadIdx.x];
  w.x += w.y * w.z, w.w = 1;
  out[threadIdx.x] = w;
}
int main() {
  char *in, *out;
  cudaMalloc(&in, 512), cudaMalloc(&out, 512), cudaMemset(in, 0, 512);
  whole<<<1, 32>>>((Wide*)in, (Wide*)out);
  members<<<1, 32>>>((Wide*)in, (Wide*)out);
  whole<<<1, 32>>>((Real*)in, (Real*)out);
  whole<<<1, 32>>>((Narrow*)in, (Narrow*)out);
  char h[512];
  cudaMemcpy(h, out, 512, cudaMemcpyDeviceToHost);
  cudaFree(in), cudaFree(out);
}
)cuda");
  REQUIRE(run.launches.size() == 4);
  const std::int64_t requests[] = {1, 1, 2, 4};
  for (int i = 0; i < 4; ++i) {
    CAPTURE(run.launches[std::size_t(i)].kernel);
    CHECK(run.launches[std::size_t(i)].counts.global_load_requests == requests[i]);
    CHECK(run.launches[std::size_t(i)].counts.global_store_requests == requests[i]);
  }
}

TEST_CASE("copies in LLVM's text, with typed pointers and without, become loads before stores") {
  const std::string untyped =
      "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr nonnull align 16 %b, i64 32, i1 false), !dbg "
      "!7\n";
  CHECK(with_wide_struct_copies("define void @f() {\n" + untyped + "}\n") ==
        "define void @f() {\n"
        "  %lockstep.copy0.v0 = load <4 x i32>, ptr %b, align 16, !dbg !7\n"
        "  %lockstep.copy0.bf16 = getelementptr inbounds i8, ptr %b, i64 16, !dbg !7\n"
        "  %lockstep.copy0.v16 = load <4 x i32>, ptr %lockstep.copy0.bf16, align 16, !dbg !7\n"
        "  store <4 x i32> %lockstep.copy0.v0, ptr %a, align 16, !dbg !7\n"
        "  %lockstep.copy0.bt16 = getelementptr inbounds i8, ptr %a, i64 16, !dbg !7\n"
        "  store <4 x i32> %lockstep.copy0.v16, ptr %lockstep.copy0.bt16, align 16, !dbg !7\n"
        "}\n");
  const std::string typed = with_wide_struct_copies(
      "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 %1, i8* align 16 bitcast ({ i32, i32 }* @g to "
      "i8*), i64 8, i1 "
      "false)\n");
  CHECK(typed ==
        "  %lockstep.copy0.pf0 = bitcast i8* bitcast ({ i32, i32 }* @g to i8*) to i64*\n"
        "  %lockstep.copy0.v0 = load i64, i64* %lockstep.copy0.pf0, align 8\n"
        "  %lockstep.copy0.pt0 = bitcast i8* %1 to i64*\n"
        "  store i64 %lockstep.copy0.v0, i64* %lockstep.copy0.pt0, align 8\n");
  for (const char* left :
       {"  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %a, ptr align 16 %b, i64 16, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 %n, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 16, i1 true)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 4096, i1 false)\n",
        "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a", "call void @llvm.memcpy."})
    CHECK(with_wide_struct_copies(left) == left);
}

TEST_CASE("a shift beyond the width shifts everything out, as on a GPU: in LLVM's text") {
  CHECK(with_gpu_shifts("  %7 = shl nuw i32 %5, %6, !dbg !12\n") ==
        "  %lockstep.shift0.inside = icmp ult i32 %6, 32, !dbg !12\n"
        "  %lockstep.shift0.shifted = shl nuw i32 %5, %6, !dbg !12\n"
        "  %7 = select i1 %lockstep.shift0.inside, i32 %lockstep.shift0.shifted, i32 0, !dbg !12\n");
  CHECK(with_gpu_shifts("  %sh = ashr i64 %a, %b\n") ==
        "  %lockstep.shift0.inside = icmp ult i64 %b, 64\n"
        "  %lockstep.shift0.amount = select i1 %lockstep.shift0.inside, i64 %b, i64 63\n"
        "  %sh = ashr i64 %a, %lockstep.shift0.amount\n");
  for (const char* left :
       {"  %7 = shl i32 %5, 3\n", "  %7 = shl <4 x i32> %5, %6\n", "  %7 = add i32 %5, %6\n",
        "  store i32 %5, ptr %6\n", "  %7 = shl i32 %5", "  %", "\n", "  %7 = shl\n", "x = shl i32 %1, %2\n"})
    CHECK(with_gpu_shifts(left) == left);
}

TEST_CASE("a shift beyond the width shifts everything out, as on a GPU: in traced blocks and in the others") {
  if (!can_run_programs()) return;
  const std::string text = R"(#include <cstdio>
__device__ unsigned left(unsigned value, int by) { return value << by; }
__global__ void shift(const int* by, int* out) {
  const int i = blockIdx.x, amount = by[i];
  out[4 * i] = left(1, amount);
  out[4 * i + 1] = 0x80000000u >> amount;
  out[4 * i + 2] = -5 >> amount;
  out[4 * i + 3] = int((0x100000000ull << amount) >> 32);
}
int main() {
  const int n = 80;
  int by[n], out[4 * n], *b, *o, wrong = 0;
  for (int i = 0; i < n; ++i) by[i] = i;
  cudaMalloc(&b, sizeof by), cudaMalloc(&o, sizeof out);
  cudaMemcpy(b, by, sizeof by, cudaMemcpyHostToDevice);
  shift<<<n, 1>>>(b, o);
  cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    wrong += out[4 * i] != (i < 32 ? int(1u << (i % 32)) : 0);
    wrong += out[4 * i + 1] != (i < 32 ? int(0x80000000u >> (i % 32)) : 0);
    wrong += out[4 * i + 2] != (i < 3 ? -5 >> (i % 32) : -1);
    wrong += out[4 * i + 3] != (i < 32 ? int(1u << (i % 32)) : 0);
  }
  std::printf("%d wrong\n", wrong);
  cudaFree(b), cudaFree(o);
}
)";
  for (const bool all : {true, false}) {
    CAPTURE(all);
    CHECK(run_text(text, all).output == "0 wrong\n");
  }
}
