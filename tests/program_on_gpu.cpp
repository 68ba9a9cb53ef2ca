// A reader's program on a GPU, with scripts in the place of nvcc, nvidia-smi and ncu: what is told when all
// goes well, and when something is not here, refuses or fails.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/platform/run_program.hpp"
#include "app/program/on_gpu/gpu_words.hpp"
#include "app/program/on_gpu/profiler_table.hpp"
#include "app/program/on_gpu/run_on_gpu.hpp"
#include "places.hpp"

using namespace lockstep;
using namespace lockstep::reader;

namespace {

namespace fs = std::filesystem;

const char* const kOnePlus = R"(#include <cstdio>
__global__ void plus_one(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
}
int main() {
  float *in, *out, h[128] = {};
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  plus_one<<<2, 64>>>(in, out, 128);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("first %g\n", h[0]);
  cudaFree(in);
  cudaFree(out);
}
)";

const char* const kNvcc = R"(#!/bin/sh
case "$*" in *--version*) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0;; esac
out=; before=
for word in "$@"; do [ "$before" = -o ] && out=$word; before=$word; done
case "$*" in
  *-shared*) if [ "$FAKE" = no_cupti ]; then echo "fatal error: cupti.h: No such file or directory"; exit 1; fi
             echo library > "$out";;
  *) echo "$*" > "$FAKE_FOLDER/words"
     if [ "$FAKE" = refuses ]; then echo 'one.cu(3): error: identifier "x" is undefined'; exit 2; fi
     cp "$FAKE_FOLDER/program" "$out"; chmod +x "$out";;
esac
)";

const char* const kBuilt = R"(#!/bin/sh
case "$FAKE" in
  fails) echo "first"; exit 3;;
  crashes) kill -SEGV $$;;
  hangs) exec sleep 60;;
  other) echo "first 2";;
  *) echo "first 1";;
esac
[ -n "$LOCKSTEP_KERNEL_TIMES" ] || exit 0
if [ "$FAKE" = cupti_refuses ]; then echo "! CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" > "$LOCKSTEP_KERNEL_TIMES"; exit 0; fi
echo "2000 4500 2 1 1 64 1 1 16 0 _Z8plus_onePKfPfi" > "$LOCKSTEP_KERNEL_TIMES"
)";

const char* const kNcu = R"sh(#!/bin/sh
if [ "$FAKE" = no_counters ]; then
  echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters"
  exit 1
fi
log=; before=
for word in "$@"; do [ "$before" = --log-file ] && log=$word; before=$word; done
cat > "$log" <<'TABLE'
==PROF== Connected to process 12
"ID","Kernel Name","Block Size","Grid Size","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum","gpu__time_duration.sum","launch__registers_per_thread"
"","","","","sector","Ksector","ns","register/thread"
"0","plus_one(const float *, float *, int)","(64, 1, 1)","(2, 1, 1)","16","0.016","1,800","16"
TABLE
)sh";

// Scripts first on PATH, a program beside them; all as it was at the end.
class FakeToolkit {
 public:
  FakeToolkit() : folder(fs::temp_directory_path() / ("lockstep-gpu-test-" + std::to_string(getpid()))) {
    fs::create_directories(folder);
    script("nvcc", kNvcc), script("ncu", kNcu), script("program", kBuilt);
    script("nvidia-smi", "#!/bin/sh\necho 'NVIDIA H200, 580.159.04, 9.0'\n");
    std::ofstream(folder / "one.cu") << kOnePlus;
    setenv("PATH", (folder.string() + ":" + path_).c_str(), 1);
    setenv("LOCKSTEP_NVCC", (folder / "nvcc").c_str(), 1), setenv("FAKE_FOLDER", folder.c_str(), 1);
    behave("well");
  }
  ~FakeToolkit() {
    setenv("PATH", path_.c_str(), 1), unsetenv("LOCKSTEP_NVCC"), unsetenv("FAKE"), unsetenv("FAKE_FOLDER");
    fs::remove_all(folder);
  }
  void script(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    fs::permissions(folder / name, fs::perms::owner_all);
  }
  void behave(const char* how) const { setenv("FAKE", how, 1); }
  std::string words() const {
    std::ifstream in(folder / "words");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const fs::path folder;

 private:
  const std::string path_ = std::getenv("PATH");
};

// What the emulator leaves of kOnePlus.
ProgramRun emulated_run() {
  ProgramRun run;
  run.compiled = true, run.output = "first 1\n";
  ProgramLaunch launch;
  launch.kernel = "plus_one", launch.launch.grid = {2, 1, 1}, launch.launch.block = {64, 1, 1};
  launch.blocks = launch.traced_blocks = 2;
  launch.counts.global_load_sectors = launch.counts.global_store_sectors = 16;
  run.launches.push_back(launch);
  return run;
}

GpuRun measure(const FakeToolkit& fake, const char* how, double timeout_s = 20) {
  fake.behave(how);
  ProgramRequest request;
  request.file = fake.folder / "one.cu", request.on_gpu = true, request.timeout_s = timeout_s;
  const auto gpu = measure_program(request, emulated_run(), {});
  REQUIRE(gpu.ok());
  return *gpu;
}

struct Told {
  std::string text;
  int exit = -1;
};
Told command(const std::string& words) {
  Told told;
  FILE* pipe = ::popen((std::string(kProgram) + " " + words + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  for (int c; (c = std::fgetc(pipe)) != EOF;) told.text += char(c);
  told.exit = WEXITSTATUS(::pclose(pipe));
  return told;
}

}  // namespace

TEST_CASE("on a GPU a kernel has its time, its registers and the profiler's counters beside the emulator's") {
  const FakeToolkit fake;
  const GpuRun gpu = measure(fake, "well");
  CHECK(gpu.problem.text() == "");
  CHECK(gpu.device.name == "NVIDIA H200");
  CHECK(gpu.compiler == "nvcc 13.0");
  REQUIRE(gpu.kernels.size() == 1);
  const GpuKernel& kernel = gpu.kernels[0];
  CHECK(kernel.name == "plus_one(float const*, float*, int)");
  CHECK(kernel.launch == 0);
  CHECK(kernel.time_us == doctest::Approx(2.5));
  CHECK(kernel.registers == 16);
  CHECK(kernel.counters.at("global_load_sectors") == 16);
  CHECK(kernel.counters.at("global_store_sectors") == 16);  // 0.016 Ksector
  CHECK(gpu.match == OutputMatch::same);
  CHECK(gpu.provenance.at("time").is(Provenance::Kind::measured));
  CHECK(gpu.provenance.at("counters").is(Provenance::Kind::measured));
  // The untouched file, for this device.
  CHECK(fake.words().find("-O3 -lineinfo -arch=sm_90 -o ") == 0);
  CHECK(fake.words().find(" " + (fake.folder / "one.cu").string() + " ") != std::string::npos);
}

TEST_CASE("text that an editor holds is compiled in the place of the file's") {
  const FakeToolkit fake;
  ProgramRequest request;
  request.file = fake.folder / "one.cu", request.text = std::string(kOnePlus) + "// more\n";
  REQUIRE(measure_program(request, emulated_run(), {}).ok());
  CHECK(fake.words().find(" " + (fake.folder / "one.cu").string() + " ") == std::string::npos);
  CHECK(fake.words().find("/one.cu -I" + fake.folder.string()) != std::string::npos);
}

TEST_CASE("what a GPU needs and is not here is said by name") {
  const FakeToolkit fake;
  fake.script("nvidia-smi", "#!/bin/sh\necho 'No devices were found'\nexit 6\n");
  CHECK(find_gpu_tools().error().exit == Exit::unavailable);
  CHECK(measure(fake, "well").problem.text().find("No devices were found") != std::string::npos);
  setenv("LOCKSTEP_NVCC", "/nowhere/nvcc", 1);
  CHECK(find_nvcc().empty());
  CHECK(measure(fake, "well").problem.text().find("nvcc was not found here") != std::string::npos);
}

TEST_CASE("what nvcc refuses, and how a program fails there, is told with its exit code") {
  const FakeToolkit fake;
  const GpuRun refused = measure(fake, "refuses");
  CHECK(refused.exit == Exit::bad_input);
  CHECK(refused.problem.text().find("identifier \"x\" is undefined") != std::string::npos);
  CHECK(refused.match == OutputMatch::unknown);
  const GpuRun failed = measure(fake, "fails");
  CHECK(failed.exit == Exit::check_failed);
  CHECK(failed.problem.text() == "on the GPU it ended with exit code 3");
  CHECK(measure(fake, "crashes").problem.text() == "on the GPU it was ended by signal 11");
  const GpuRun late = measure(fake, "hangs", 0.3);
  CHECK(late.exit == Exit::worker_died);
  CHECK(late.problem.text().find("did not end within") != std::string::npos);
}

TEST_CASE("without CUPTI the profiler's times do; without counters there are times and a reason") {
  const FakeToolkit fake;
  for (const char* how : {"no_cupti", "cupti_refuses"}) {
    CAPTURE(how);
    const GpuRun gpu = measure(fake, how);
    REQUIRE(gpu.kernels.size() == 1);
    CHECK(gpu.kernels[0].time_us == doctest::Approx(1.8));
    CHECK(gpu.no_times.id.empty());
    CHECK(gpu.provenance.at("time").words().find("ncu") != std::string::npos);
  }
  const GpuRun uncounted = measure(fake, "no_counters");
  CHECK(uncounted.kernels.at(0).time_us == doctest::Approx(2.5));
  CHECK(uncounted.kernels[0].counters.empty());
  CHECK(uncounted.no_counters.text().find("only administrators") != std::string::npos);
  CHECK(uncounted.exit == Exit::done);
}

TEST_CASE("outputs are the same up to rounding and up to times that the emulator does not measure") {
  const auto match = [](const char* here, const char* there) { return compare_outputs(here, there).match; };
  CHECK(match("sum 10\nok\n", "sum 10\nok\n") == OutputMatch::same);
  CHECK(match("took nan ms\n", "took 0.132 ms\n") == OutputMatch::same);
  CHECK(match("sum 1.000001e+03\n", "sum 1.000002e+03\n") == OutputMatch::rounding);
  CHECK(match("sum -0.50001,3\n", "sum -0.50002,3\n") == OutputMatch::rounding);
  CHECK(match("sum 1000\n", "sum 1001\n") == OutputMatch::different);  // whole numbers have no rounding
  CHECK(match("ok\n", "wrong\n") == OutputMatch::different);
  const OutputDifference d = compare_outputs("a\nb 2\n", "a\nb 3\nc\n");
  CHECK(d.line == 2);
  CHECK(d.here == "b 2");
  CHECK(d.there == "b 3");
  CHECK(compare_outputs("a\n", "a\nb\n").line == 2);
}

TEST_CASE(
    "kernels find their launches by name and shape, past those of libraries and those that were not kept") {
  ProgramRun run = emulated_run();
  run.launches.push_back(run.launches[0]);
  run.launches[1].kernel = "tile<32>", run.launches[1].launch.grid = {4, 4, 1};
  run.launches.push_back(run.launches[0]);
  GpuRun gpu;
  const auto add = [&](const char* name, std::array<std::int64_t, 3> grid) {
    gpu.kernels.push_back({});
    gpu.kernels.back().name = name, gpu.kernels.back().grid = grid, gpu.kernels.back().block = {64, 1, 1};
  };
  add("plus_one(float const*, float*, int)", {2, 1, 1});
  add("void cub::DeviceReduce<int>(int*)", {1, 1, 1});
  add("void (anonymous namespace)::tile<32>(float const*)", {4, 4, 1});
  add("plus_one(float const*, float*, int)", {2, 1, 1});
  add("plus_one(float const*, float*, int)", {2, 1, 1});
  compare_with_emulator(gpu, run);
  CHECK(gpu.kernels[0].launch == 0);
  CHECK(gpu.kernels[1].launch == -1);
  CHECK(gpu.kernels[2].launch == 1);
  CHECK(gpu.kernels[3].launch == 2);
  CHECK(gpu.kernels[4].launch == -1);
  CHECK(gpu.kernel_of(1) == &gpu.kernels[2]);
}

TEST_CASE("nvcc tells each kernel's registers where there is no GPU, and what does not compile has none") {
  const auto kernels = read_registers(
      "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function '_Z4tileILi32EEvPKf' for "
      "'sm_90'\n"
      "ptxas info    : Function properties for _Z4tileILi32EEvPKf\n    0 bytes stack frame, 0 bytes spill "
      "stores\n"
      "ptxas info    : Used 28 registers, used 1 barriers, 4096 bytes smem\n"
      "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name == "void tile<32>(float const*)");
  CHECK(kernels[0].registers == 28);
  CHECK(kernels[0].shared_bytes == 4096);
  CHECK(kernels[1].registers == 8);
  CHECK(kernels[1].shared_bytes == 0);
  CHECK(read_registers("one.cu(3): error: expected a ;").empty());
}

TEST_CASE("a table of the profiler is read whatever its units and however its kernels are called") {
  const auto rows = read_profiler_table(
      "==PROF== x\n\"ID\",\"Kernel Name\",\"Grid Size\",\"Block "
      "Size\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\"\n"
      "\"\",\"\",\"\",\"\",\"Msector\"\n\"0\",\"void k<\"\"a\"\", 2>(int)\",\"(16, 2, 1)\",\"(32, 1, "
      "1)\",\"1,024.5\"\n"
      "\"1\",\"k2\",\"(1, 1, 1)\",\"(32, 1, 1)\",\"n/a\"\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "void k<\"a\", 2>(int)");
  CHECK(rows[0].grid == std::array<std::int64_t, 3>{16, 2, 1});
  CHECK(rows[0].counters.at("global_load_sectors") == 1024500000);
  CHECK(rows[1].counters.empty());
  CHECK(read_profiler_table("==ERROR== no kernels were profiled").empty());
}

TEST_CASE("the command line says exit 3 where there is no GPU, and JSON holds what one measured" *
          doctest::skip(!program_on_path("clang++"))) {
  const FakeToolkit fake;
  const std::string run = "run " + (fake.folder / "one.cu").string() + " --engine cuda";
  const Told good = command(run + " --json");
  CHECK(good.exit == 0);
  const auto json = nlohmann::json::parse(good.text, nullptr, false);
  REQUIRE(json.is_object());
  CHECK(json["gpu"]["device"] == "NVIDIA H200");
  CHECK(json["gpu"]["output_match"] == "same");
  CHECK(json["gpu"]["kernels"][0]["launch"] == 0);
  CHECK(json["gpu"]["kernels"][0]["time_us"] == 2.5);
  CHECK(json["gpu"]["kernels"][0]["counters"]["global_load_sectors"] ==
        json["launches"][0]["counts"]["global_load_sectors"]);
  CHECK(json["gpu"]["provenance"]["time"] == "measured");
  CHECK(json["provenance"].dump().find("emulated") != std::string::npos);
  const Told print = command(run);
  CHECK(print.text.find("global_load_sectors: measured 16, emulated 16") != std::string::npos);
  CHECK(print.text.find("2.5 µs (measured)") != std::string::npos);
  const std::string path = std::getenv("PATH");  // without clang the GPU answers alone
  setenv("PATH", fake.folder.c_str(), 1);
  fake.script("cp", "#!/bin/sh\nexec /bin/cp \"$@\"\n"),
      fake.script("chmod", "#!/bin/sh\nexec /bin/chmod \"$@\"\n");
  fake.script("cat", "#!/bin/sh\nexec /bin/cat\n");
  const Told alone = command(run + " --json");
  setenv("PATH", path.c_str(), 1);
  CHECK(alone.exit == 0);
  CHECK(alone.text.find("need clang") != std::string::npos);
  CHECK(alone.text.find("\"output_match\": \"not compared\"") != std::string::npos);
  CHECK(alone.text.find("\"time_us\": 2.5") != std::string::npos);
  fake.behave("other");
  const Told other = command(run);
  CHECK(other.exit == 1);
  CHECK(other.text.find("Line 1 of its output differs: 'first 2' on the GPU, 'first 1' on the emulator.") !=
        std::string::npos);
  fake.behave("refuses");
  CHECK(command(run).exit == 2);
  CHECK(command("doctor").text.find("NVIDIA H200, compiled by nvcc 13.0, counted by ncu") !=
        std::string::npos);
  fake.script("nvidia-smi", "#!/bin/sh\nexit 9\n");
  CHECK(command(run).exit == 3);
  CHECK(command("doctor").text.find("no GPU can be used here") != std::string::npos);
  CHECK(command("run " + (fake.folder / "one.cu").string() + " --engine recording").exit == 2);
}
