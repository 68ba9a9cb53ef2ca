// The engine that needs no GPU: every rung on the CPU emulator, with checks. It counts; it never states a
// time.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "app/model/memory_evidence.hpp"
#include "app/platform/process.hpp"
#include "app/platform/ranges.hpp"
#include "engine.hpp"
#include "kernels/simt/emulate.hpp"
#include "rung_lookup.hpp"

namespace lockstep {
namespace {

constexpr double kMaxAccesses = 2e9;         // past this a run wants --long
constexpr double kAccessesPerSecond = 20e6;  // with checks and fold, one core (bench emulator)

class EmulatorEngine final : public Engine {
 public:
  EngineKind kind() const override { return EngineKind::emulator; }
  Status can_run(const Request& request) override;
  Result<Run> run(const Request& request, const Report& report) override;
  Health health() override {
    return {true, {"the CPU emulator works everywhere: {0}", {cpu_name()}}, device()};
  }

 private:
  Device device() const {
    Device d;
    d.name = cpu_name();
    return d;
  }
};

Status EmulatorEngine::can_run(const Request& request) {
  const RungRef found = find_rung(request);
  if (!found || !simt::has_rung(*found.rung))
    return unavailable("the emulator has no kernel for {0}/{1}: choose another engine",
                       {request.lab, request.rung});
  return Unit{};
}

std::string duration_text(double seconds) {
  if (seconds < 120) return std::to_string(int(std::ceil(seconds))) + " s";
  if (seconds < 7200) return std::to_string(int(std::ceil(seconds / 60))) + " min";
  return std::to_string(int(std::ceil(seconds / 3600))) + " h";
}

// Block 0 of every launch: the shape of the grid, and how many events a block emits. With checks, of which
// nothing is told: other blocks have not written what this one may take an index from.
simt::Emulation sample_block(const Ladder& ladder, const RungInfo& rung, const Request& request,
                             simt::ProblemBuffers& buffers) {
  simt::EmulationOptions options;
  options.machine.blocks = {0};
  options.fold = false;
  auto sample = simt::emulate(ladder, rung.file, request.params, buffers.spans(), options);
  buffers.reset();
  return sample;
}

double estimate_accesses(const simt::Emulation& sample) {
  double total = 0;
  for (const Launch& launch : sample.launches)
    total += double(sample.accesses) / double(sample.launches.size()) * double(launch.blocks());
  return total;
}

// Of several launches the largest one decides: in smaller ones the last block is followed.
Status check_followed(const simt::Emulation& sample, const Request& request) {
  if (sample.launches.empty()) return Unit{};
  std::int64_t blocks = 0, warps = 0;
  for (const Launch& launch : sample.launches)
    blocks = std::max(blocks, launch.blocks()), warps = std::max(warps, (launch.threads() + 31) / 32);
  if (request.block < 0 || request.block >= blocks)
    return bad_input("block {0} cannot be followed: the grid has blocks 0 to {1}",
                     {std::to_string(request.block), std::to_string(blocks - 1)});
  if (request.warp < 0 || request.warp >= warps)
    return bad_input("warp {0} cannot be followed: the block has warps 0 to {1}",
                     {std::to_string(request.warp), std::to_string(warps - 1)});
  return Unit{};
}

constexpr double kMaxBufferBytes = 8e9;  // of the emulator's memory, all buffers together

Result<Run> too_much(double accesses) {
  return bad_input(
      "{0} accesses would take about {1} to emulate: add --long to go on, or choose a smaller size",
      {std::to_string(std::int64_t(accesses)), duration_text(accesses / kAccessesPerSecond)});
}

Error waits_for_blocks(const Request& request, const std::string& what) {
  return unavailable(
      "{0}/{1} waits for blocks that do not get to run here ({2}): choose the GPU or a recording",
      {request.lab, request.rung, what});
}

constexpr std::size_t kMaxPrinted = 2000;  // bytes of it in a run's warnings

void fill_run(Run& run, simt::Emulation& emulation, const simt::ProblemBuffers& buffers) {
  if (!emulation.overflowed)
    run.counts = emulation.counts;
  else
    run.warnings.push_back(
        {"a block makes more than {0} million accesses, more than can be kept: the counts are left out",
         {std::to_string(simt::kMaxBlockEvents / 1'000'000)}});
  run.touches = std::move(emulation.touches);
  run.findings = std::move(emulation.findings);
  run.launches = std::move(emulation.launches);
  run.files = std::move(emulation.files);
  const auto whole = [](std::uint64_t x) { return std::int64_t(x); };
  run.evidence.put(MemoryEvidence{whole(emulation.accesses), whole(emulation.l2_load_bytes),
                                  whole(emulation.l2_store_bytes), whole(emulation.hbm_load_bytes),
                                  whole(emulation.hbm_store_bytes)});
  if (const auto& seen = emulation.seen_write)
    run.warnings.push_back(
        {"block {0} reads in line {1} what block {2} wrote in line {3}: a GPU runs blocks in no particular "
         "order; here they ran one after the other",
         {std::to_string(seen->reader_block), std::to_string(seen->reader_line),
          std::to_string(seen->writer_block), std::to_string(seen->writer_line)}});
  if (emulation.findings_dropped)
    run.warnings.push_back(
        {"{0} further findings are not listed", {std::to_string(emulation.findings_dropped)}});
  if (!emulation.printed.empty())
    run.warnings.push_back({"the kernel printed: {0}", {emulation.printed.substr(0, kMaxPrinted)}});
  for (std::size_t i = 0; i < buffers.specs().size(); ++i)
    if (buffers.specs()[i].elements() <= kMaxKeptElements) {
      const auto bytes = buffers.spans()[i];
      run.buffers.push_back({std::uint16_t(i), {bytes.begin(), bytes.end()}});
    }
}

// Whether all blocks take equally long is seen from the distances between these.
void mark_quarters(std::int64_t done, std::int64_t blocks) {
  for (const int quarter : {1, 2, 3})
    if (blocks >= 4 && done == blocks * quarter / 4) mark(std::to_string(25 * quarter) + " % of the blocks");
}

Result<Run> EmulatorEngine::run(const Request& request, const Report& report) {
  if (Status able = can_run(request); !able) return able.error();
  const Ladder& ladder = *find_rung(request).ladder;
  const RungInfo& rung = *find_rung(request).rung;
  double bytes = 0;
  for (const BufferSpec& spec : ladder.buffers(request.params, request.rung)) bytes += double(spec.bytes());
  if (bytes > kMaxBufferBytes)
    return bad_input("the buffers would take {0} GB, the emulator holds {1} GB: choose a smaller size",
                     {std::to_string(int(bytes / 1e9)), std::to_string(int(kMaxBufferBytes / 1e9))});
  std::optional<Range> part(std::in_place, "prepare data");
  simt::ProblemBuffers buffers(ladder, request.params, request.rung);
  part.emplace("sample a block");
  const auto sample = sample_block(ladder, rung, request, buffers);
  if (!sample.no_kernel.empty()) return bad_input("this launch is not possible: {0}", {sample.no_kernel});
  if (!sample.refused.empty()) return waits_for_blocks(request, sample.refused);
  if (Status followed = check_followed(sample, request); !followed) return followed.error();
  const double accesses = estimate_accesses(sample);
  if (accesses > kMaxAccesses && !request.long_run) return too_much(accesses);

  simt::EmulationOptions options;
  options.followed_block = request.block, options.followed_warp = request.warp;
  bool stopped = false;
  std::int64_t done_of_all = 0, blocks_of_all = 0;
  for (const Launch& launch : sample.launches) blocks_of_all += launch.blocks();
  options.progress = [&](std::int64_t done, std::int64_t blocks) {
    mark_quarters(++done_of_all, blocks_of_all);
    if (done % 64 != 0 && done != blocks) return true;
    stopped = !report({double(done) / double(blocks),
                       {"emulating block {0} of {1}", {std::to_string(done), std::to_string(blocks)}}});
    return !stopped;
  };
  part.emplace("emulate");
  auto emulation = simt::emulate(ladder, rung.file, request.params, buffers.spans(), options);
  part.emplace("check");
  if (!emulation.refused.empty()) return waits_for_blocks(request, emulation.refused);
  if (stopped) return Error{Exit::worker_died, {"the run was cancelled", {}}};

  Run run;
  run.request = request;
  run.engine = EngineKind::emulator;
  run.device = device();
  run.check = ladder.check(request.params, request.rung, buffers.contents());
  if (ladder.warnings) run.warnings = ladder.warnings(request.params, request.rung, buffers.contents());
  part.emplace("keep what was seen");
  fill_run(run, emulation, buffers);
  run.source_hash = source_hash(rung);
  for (const char* path : {"counts", "check", "metrics"}) run.provenance[path] = Provenance::emulated();
  put_memory_provenance(run, ladder, buffers.input_bytes());
  return run;
}

}  // namespace

std::unique_ptr<Engine> make_emulator_engine() { return std::make_unique<EmulatorEngine>(); }

}  // namespace lockstep
