// The transfer ladder on the emulator: right at every size, copies that really copy, and what streams may not
// do.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/engine/engine.hpp"
#include "app/model/curves_evidence.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/transfer.hpp"
#include "app/model/transfer_evidence.hpp"
#include "kernels/experiments.hpp"
#include "kernels/ladder.hpp"
#include "kernels/rung_code.hpp"
#include "kernels/simt/dialect.hpp"
#include "kernels/simt/emulate.hpp"
#include "places.hpp"
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

using namespace lockstep;

namespace {

const Ladder& transfer() { return *find_ladder("transfer"); }

struct Outcome {
  simt::Emulation emulation;
  Check check;
};

Outcome run_of(const Ladder& ladder, const std::string& rung, const Params& given) {
  const Params params = *complete_params(ladder.info, rung, carried_params(ladder.info, rung, given));
  simt::ProblemBuffers buffers(ladder, params, rung);
  const RungInfo& info = ladder.info.rungs.at(std::size_t(ladder.info.rung_index(rung)));
  Outcome o{simt::emulate(ladder, info.file, params, buffers.spans(), {}), {}};
  o.check = ladder.check(params, rung, buffers.contents());
  return o;
}

Params sized(std::int64_t n, std::int64_t mb, std::int64_t chunk, std::int64_t streams) {
  return {{"n", n}, {"mb", mb}, {"chunk", chunk}, {"streams", streams}};
}

std::vector<Operation> operations(const std::string& rung, const Params& given = {}) {
  const Params params = *complete_params(transfer().info, rung, carried_params(transfer().info, rung, given));
  const auto& plan = *plan_of<TransferPlan>(transfer());
  const RungInfo& info = transfer().info.rungs.at(std::size_t(transfer().info.rung_index(rung)));
  return simt::operations_of(transfer(), info.file, plan.timed(params, rung));
}

std::uint64_t bytes_of(const std::vector<Operation>& all, OperationKind kind) {
  std::uint64_t sum = 0;
  for (const Operation& o : all) sum += o.kind == kind ? o.bytes : 0;
  return sum;
}

// The rung `streams` with another launcher.
using Launch = std::function<void(lab::Launcher<lab::Emulated>& gpu, const lab::Binding& binding)>;
Ladder with_launcher(const Launch& launch) {
  Ladder ladder = transfer();
  auto code = std::make_shared<RungCode>();
  code->emulated = launch;
  RungInfo& info = ladder.info.rungs.at(std::size_t(ladder.info.rung_index("streams")));
  info.file = "test/own.cuh", info.code = code;
  return ladder;
}

void twice(lab::GlobalView<const float> in, lab::GlobalView<float> out, int first) {
  const int i = first + int(simt::current->index.x);
  const float x = in[i];
  out[i] = x;
}

constexpr int kHalf = 128;
constexpr std::size_t kHalfBytes = kHalf * sizeof(float);

// Two halves, each in a stream of its own; the kernel of the second one where the caller says.
Launch halves(bool copy_first, int kernel_stream) {
  return [=](lab::Launcher<lab::Emulated>& gpu, const lab::Binding& b) {
    const auto in = b.view<lab::Emulated, const float>(0);
    const auto out = b.view<lab::Emulated, float>(1), d_in = b.view<lab::Emulated, float>(2),
               d_out = b.view<lab::Emulated, float>(3);
    for (int half = 0; half < 2; ++half) {
      const int first = half * kHalf;
      const auto copy = [&] {
        gpu.cudaMemcpyAsync(d_in + first, in + first, kHalfBytes, lab::cudaMemcpyHostToDevice,
                            gpu.stream(half));
      };
      if (copy_first) copy();
      const auto stream = gpu.stream(half == 1 ? kernel_stream : 0);
      gpu.launch_on(stream, "twice", twice, {1}, {kHalf}, d_in, d_out, first);
      if (!copy_first) copy();
      gpu.cudaMemcpyAsync(out + first, d_out + first, kHalfBytes, lab::cudaMemcpyDeviceToHost, stream);
    }
  };
}

}  // namespace

TEST_CASE("transfer: every rung is right at every size, and nothing is found") {
  for (const RungInfo& rung : transfer().info.rungs)
    for (const std::int64_t n : {1, 31, 33, 1000})
      for (const std::int64_t chunk : {64, 192, 1024, 4096})
        for (const std::int64_t streams : {1, 3, 8}) {
          CAPTURE(rung.slug);
          CAPTURE(n);
          CAPTURE(chunk);
          const Outcome o = run_of(transfer(), rung.slug, sized(n, 3, chunk, streams));
          CHECK(o.check.pass);
          CHECK(o.emulation.findings.empty());
          CHECK(o.emulation.no_kernel.empty());
        }
}

TEST_CASE("transfer: a million and 17 elements too" * doctest::test_suite("slow")) {
  for (const RungInfo& rung : transfer().info.rungs) {
    CAPTURE(rung.slug);
    const Outcome o = run_of(transfer(), rung.slug, sized((1 << 20) + 17, 64, 16384, 3));
    CHECK(o.check.pass);
    CHECK(o.emulation.findings.empty());
  }
}

TEST_CASE("transfer: a wrong number anywhere fails the check") {
  const Params params = *complete_params(transfer().info, "pinned", {{"n", std::int64_t{100}}});
  simt::ProblemBuffers buffers(transfer(), params, "pinned");
  simt::emulate(transfer(), "transfer/02_pinned.cuh", params, buffers.spans(), {});
  auto* out = reinterpret_cast<float*>(buffers.spans()[1].data());
  for (std::size_t i = 0; i < 100; ++i) {
    const float right = std::exchange(out[i], out[(i + 1) % 100]);
    CHECK_FALSE(transfer().check(params, "pinned", buffers.contents()).pass);
    out[i] = right;
  }
  CHECK(transfer().check(params, "pinned", buffers.contents()).pass);
}

TEST_CASE("transfer: a kernel before its copy computes what was never brought") {
  const Params params = sized(2 * kHalf, 64, 4096, 2);
  const auto with_zero_rounds = [&](const Ladder& ladder) {
    Params complete =
        *complete_params(ladder.info, "streams", carried_params(ladder.info, "streams", params));
    complete["rounds"] = std::int64_t{0};
    simt::ProblemBuffers buffers(ladder, complete, "streams");
    const auto emulation = simt::emulate(ladder, "test/own.cuh", complete, buffers.spans(), {});
    return std::pair(ladder.check(complete, "streams", buffers.contents()).pass, emulation.findings);
  };
  const auto [in_order, none] = with_zero_rounds(with_launcher(halves(true, 1)));
  CHECK(in_order);
  CHECK(none.empty());
  const auto [late, nothing] = with_zero_rounds(with_launcher(halves(false, 1)));
  CHECK_FALSE(late);
  // The numbers are right by luck: on a GPU stream 2 need not wait for stream 1.
  const auto [lucky, found] = with_zero_rounds(with_launcher(halves(true, 4)));
  CHECK(lucky);
  REQUIRE(found.size() == 1);
  CHECK(found.front().kind == "race");
  CHECK(found.front().what.text().find("stream 5") != std::string::npos);
}

TEST_CASE("transfer: a copy that leaves its array is refused") {
  const auto ladder = with_launcher([](lab::Launcher<lab::Emulated>& gpu, const lab::Binding& b) {
    const auto in = b.view<lab::Emulated, const float>(0);
    gpu.cudaMemcpy(b.view<lab::Emulated, float>(2) + 1, in, 10 * sizeof(float), lab::cudaMemcpyHostToDevice);
  });
  CHECK_FALSE(run_of(ladder, "streams", sized(10, 64, 4096, 1)).emulation.no_kernel.empty());
  CHECK(run_of(ladder, "streams", sized(11, 64, 4096, 1)).emulation.no_kernel.empty());
}

TEST_CASE("transfer: each road moves the array in and out once") {
  constexpr std::uint64_t kArray = 64 << 20;
  for (const char* rung : {"pageable", "pinned", "chunks", "streams"}) {
    CAPTURE(rung);
    const auto all = operations(rung);
    CHECK(bytes_of(all, OperationKind::copy_in) == kArray);
    CHECK(bytes_of(all, OperationKind::copy_out) == kArray);
    for (const Operation& o : all) CHECK(o.link_in + o.link_out == 0);
  }
  const auto mapped = operations("mapped");
  REQUIRE(mapped.size() == 1);
  CHECK(mapped[0].link_in == kArray);
  CHECK(mapped[0].link_out == kArray);
  const auto managed = operations("managed");
  REQUIRE(managed.size() == 2);
  CHECK(managed[0].link_in == kArray);  // the results' pages are the GPU's already
  CHECK(managed[0].link_out == 0);
  CHECK(managed[1].link_out == kArray);
  const auto prefetch = operations("prefetch");
  CHECK(bytes_of(prefetch, OperationKind::prefetch_in) == kArray);
  CHECK(bytes_of(prefetch, OperationKind::prefetch_out) == kArray);
  for (const Operation& o : prefetch) CHECK(o.link_in + o.link_out == 0);  // nobody finds a page missing
}

TEST_CASE("transfer: chunks are as large as they are to be, and dealt to the streams in turn") {
  const auto all = operations("streams", sized(4096, 10, 4096, 3));
  REQUIRE(all.size() == 9);
  const std::uint64_t sizes[] = {4 << 20, 4 << 20, 2 << 20};
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].stream == int(1 + i / 3 % 3));
    CHECK_FALSE(all[i].waits);
    if (all[i].kind != OperationKind::kernel) CHECK(all[i].bytes == sizes[i / 3]);
    if (all[i].kind != OperationKind::kernel) CHECK(all[i].line > 0);
  }
  for (const Operation& o : operations("chunks")) CHECK(o.stream == 1);
  CHECK_FALSE(complete_params(transfer().info, "chunks", {{"chunk", std::int64_t{64}}}).ok());
}

TEST_CASE("transfer: arrays lie where the rung says, and only a mapped one is read where the host has it") {
  for (const RungInfo& rung : transfer().info.rungs) {
    const Params params = *complete_params(transfer().info, rung.slug, {});
    const auto specs = transfer().buffers(params, rung.slug);
    CAPTURE(rung.slug);
    CHECK(specs[0].memory != MemoryKind::device);
    CHECK(specs[0].memory == specs[1].memory);
    CHECK(specs[0].in_host() == (rung.slug == "mapped"));
    for (std::size_t i = 2; i < specs.size(); ++i) CHECK(specs[i].memory == MemoryKind::device);
    CHECK((run_of(transfer(), rung.slug, {}).emulation.hbm_load_bytes == 0) == (rung.slug == "mapped"));
  }
}

// --- what GPUs were seen to do; nothing to hold where nobody has recorded any

namespace {

std::vector<Run> recorded(const char* rung) {
  return make_recording_engine({in_source("assets/recordings")})->recorded("transfer", rung);
}

}  // namespace

TEST_CASE(
    "transfer: recorded copies from page-locked memory reach 50 GB/s, and alpha + n / beta is within 11 % on "
    "average") {
  constexpr double kMeanError = 0.11;
  int compared = 0;
  for (const Run& run : recorded("pinned")) {
    const auto* measured = run.evidence.find<MeasuredEvidence>();
    if (!measured || to_string(run.request.params.at("copies")) != "all") continue;
    const auto curves = plan_of<CurvesPlan>(transfer())->curves(std::span(&run, 1));
    for (const char* way : {"in", "out"}) {
      const auto* points = curves.find({"pinned", way, "ms"});
      REQUIRE(points != nullptr);
      std::vector<CopyTime> copies;
      for (const auto& [bytes, ms] : *points) copies.push_back({double(bytes), ms * 1e3});
      CHECK(copies.size() == 15);
      const auto fit = fit_copies(copies);
      REQUIRE(fit.has_value());
      CAPTURE(way);
      CAPTURE(fit->cost.alpha_us);
      CAPTURE(fit->worst_bytes);
      CHECK(fit->mean_error <= kMeanError);  // small ones go another way: the smallest err most
      CHECK(fit->worst_error <= 0.2);
      double best = 0;  // the largest one may fall behind
      for (const CopyTime& c : copies) best = std::max(best, c.bytes / c.us / 1e3);
      CHECK(best >= 50);
      ++compared;
    }
  }
  MESSAGE(compared, " curves were recorded");
}

TEST_CASE("transfer: recorded chunks overlap in several streams and in one they do not") {
  int compared = 0;
  for (const char* rung : {"chunks", "streams"})
    for (const Run& run : recorded(rung)) {
      const auto* transfer = run.evidence.find<TransferEvidence>();
      const Params& p = run.request.params;
      if (!transfer || int_param(p, "chunk") != 4096 || int_param(p, "compute") != 20) continue;
      if (p.contains("streams") && int_param(p, "streams") < 3) continue;
      const auto saved = real_metric(run, "operations.saved");
      REQUIRE(saved.has_value());
      CAPTURE(rung);
      CHECK((*saved > 0.3) == (rung == std::string("streams")));
      ++compared;
    }
  MESSAGE(compared, " rows of chunks were recorded");
}
