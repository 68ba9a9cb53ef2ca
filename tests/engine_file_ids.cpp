// Files of kernels that come at run time: their ids are interned per run, so that two whose 16-bit hashes
// collide stay two.
#include <doctest/doctest.h>

#include <set>

#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "app/model/memory_axis.hpp"
#include "engine_support.hpp"
#include "kernels/lab.cuh"
#include "kernels/rung_code.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr const char *kOne = "mine/scale_half.cuh", *kOther = "mine/scan_copy.cuh";
static_assert(file_id(kOne) == file_id(kOther));

constexpr int kBlocks = 63, kThreads = 32, kLine = 100;

// As if they stood in two files, on lines of the same number.
// clang-format off
#line 100 "mine/scale_half.cuh"
template <class P> float half_of(lab::View<const float, P> in, int i) { return in[i] / 2; }
#line 100 "mine/scan_copy.cuh"
template <class P> float copy_of(lab::View<const float, P> in, int i) { return in[i]; }
#line 32 "engine_file_ids.cpp"
// clang-format on

// Every other block comes to the two files the other way round; the last one reads beyond `in` in one of
// them.
template <class P>
void halves_and_copies(lab::View<const float, P> in, lab::View<float, P> out, bool beyond) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  const bool last = beyond && blockIdx.x == gridDim.x - 1;
  float first, second;
  if (blockIdx.x % 2)
    first = copy_of<P>(in, i), second = half_of<P>(in, i);
  else
    first = half_of<P>(in, i), second = copy_of<P>(in, last ? i + 1 : i);
  out[i] = first + second;
}

Ladder two_files(bool beyond) {
  auto code = std::make_shared<RungCode>();
  code->source = "out[i] = half_of(in, i) + copy_of(in, i);";
  code->emulated = [beyond](lab::Launcher<lab::Emulated>& gpu, const lab::Binding& binding) {
    gpu.launch("halves_and_copies", halves_and_copies<lab::Emulated>, {kBlocks}, {kThreads},
               binding.view<lab::Emulated, const float>(0), binding.view<lab::Emulated, float>(1), beyond);
  };
  Ladder ladder;
  ladder.info.slug = "two_files";
  ladder.info.rungs = {{"both", "out of two files", "mine/both.cu"}};
  ladder.info.rungs[0].code = code;
  ladder.buffers = [](const Params&, std::string_view) {
    return std::vector<BufferSpec>{{"in", {kBlocks * kThreads}, true}, {"out", {kBlocks * kThreads}}};
  };
  ladder.fill = [](const Params&, std::string_view, std::span<const Bytes> buffers) {
    for (int i = 0; i < kBlocks * kThreads; ++i) reinterpret_cast<float*>(buffers[0].data())[i] = float(i);
  };
  ladder.check = [](const Params&, std::string_view, std::span<const ConstBytes>) {
    return Check{true, 0, 0};
  };
  ladder.bytes = ladder.flops = [](const Params&, std::string_view) { return 1.0; };
  return ladder;
}

Run run_of(const Ladder& given) {
  REQUIRE(catalogue().add(std::make_shared<const Ladder>(given)));
  Request request;
  request.lab = given.info.slug, request.rung = "both", request.engine = EngineKind::emulator;
  auto run =
      run_request({nullptr, make_emulator_engine(), nullptr}, request, [](const Progress&) { return true; });
  catalogue().remove(given.info.slug);
  REQUIRE_MESSAGE(run, run.error().text());
  return std::move(*run);
}

// The files that the loads of the followed block name.
std::set<std::uint16_t> files_of_loads(const Run& run) {
  std::set<std::uint16_t> files;
  for (const Step& step : MemoryAxis(run.launches).steps)
    if (!step.barrier && step.instruction.kind == Kind::load) files.insert(step.instruction.file);
  return files;
}

}  // namespace

TEST_CASE("loads on the same line of two files whose hashes collide are two steps, also from a saved run") {
  const Run run = run_of(two_files(false));
  const std::set both{source_id(run, kOne), source_id(run, kOther)};
  CHECK(both.size() == 2);
  CHECK(both.contains(file_id(kOne)));  // the first one goes by its hash, as in recordings
  CHECK(files_of_loads(run) == both);
  const TemporaryFolder folder;
  REQUIRE(save_run(run, folder / "run.npz"));
  const auto back = load_run(folder / "run.npz");
  REQUIRE_MESSAGE(back, back.error().text());
  CHECK(files_of_loads(*back) == both);
  for (const char* name : {kOne, kOther}) CHECK(source_id(*back, name) == source_id(run, name));
}

TEST_CASE("a finding names the file that it is in, not the one whose hash it shares") {
  const Run run = run_of(two_files(true));
  REQUIRE(run.findings.size() == 1);
  CHECK(run.findings[0].file == kOther);
  CHECK(run.findings[0].line == kLine);
}

TEST_CASE("which id a file gets does not depend on the number of threads that emulate") {
  const Ladder ladder = two_files(false);
  std::vector<SourceFile> files;
  for (const int threads : {1, 2, 3, 8}) {
    CAPTURE(threads);
    simt::ProblemBuffers buffers(ladder, {}, "both");
    simt::EmulationOptions options;
    options.threads = threads, options.followed_block = 1;
    const auto emulation = simt::emulate(ladder, "mine/both.cu", {}, buffers.spans(), options);
    if (threads == 1) files = emulation.files;
    REQUIRE(emulation.files.size() == 3);
    CHECK(emulation.files == files);
    // Block 1 comes to the other file first.
    const auto& events = emulation.launches[0].trace.events;
    REQUIRE(events.size() > 2);
    CHECK(events[0].file == files[1].id);
    CHECK(events[1].file == files[0].id);
  }
}
