// The engine that runs on this machine's GPU: clean kernels for results and time, traced kernels for events
// and counts.
#include "cuda_engine.hpp"

#include "app/devices/gpus.hpp"
#include "app/platform/ranges.hpp"
#include "experiment.hpp"

#ifdef LOCKSTEP_HAS_CUDA
#include <algorithm>
#include <random>
#include <set>

#include "app/model/memory_evidence.hpp"
#include "app/model/occupancy.hpp"
#include "cuda_measurements.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/trace_session.hpp"
#include "kernels/simt/emulate.hpp"

namespace lockstep {
namespace {

constexpr double kMaxTracedAccesses = 1e8;  // above it only the followed block is traced, and counts are null
constexpr std::uint32_t kSlotMargin =
    2;  // over the emulator's count, in case a block emits more than the samples

std::string n(std::int64_t x) { return std::to_string(x); }

class CudaEngine final : public Engine {
 public:
  EngineKind kind() const override { return EngineKind::cuda; }
  Status can_run(const Request& request) override;
  Result<Run> run(const Request& request, const Report& report) override;
  Health health() override;

 private:
  ExperimentsAtHand experiments_;
};

Engine::Health CudaEngine::health() {
  const auto device = cuda::find_device();
  if (!device) return {false, device.error().message, {}};
  return {true, {"{0}, driver {1}, CUDA {2}", {device->name, device->driver, device->runtime}}, *device};
}

Status CudaEngine::can_run(const Request& request) {
  const auto device = cuda::find_device();
  if (!device) return device.error();
  const RungRef found = find_rung(request);
  if (!found || !cuda::has_rung(*found.rung))
    return unavailable("{0}/{1} has no kernel for the GPU: choose another engine",
                       {request.lab, request.rung});
  if (found.rung->compute_capability > device->compute_capability)
    return unavailable(
        "{0}/{1} needs compute capability {2}, {3} has {4}: choose another rung or engine",
        {request.lab, request.rung,
         n(found.rung->compute_capability / 10) + "." + n(found.rung->compute_capability % 10), device->name,
         n(device->compute_capability / 10) + "." + n(device->compute_capability % 10)});
  double bytes = 0;
  for (const BufferSpec& spec : found.ladder->buffers(request.params, request.rung))
    bytes += double(spec.bytes());
  if (bytes > 0.8 * double(cuda::free_bytes()))
    return bad_input("the buffers take {0} MB, the GPU has {1} MB free: choose a smaller size",
                     {n(std::int64_t(bytes / 1e6)), n(std::int64_t(double(cuda::free_bytes()) / 1e6))});
  return Unit{};
}

// What the emulator says of the launches: shapes, shared arrays, events per thread. Blocks 0, followed and
// last.
simt::Emulation sample(const Request& request, const RungRef& found, simt::ProblemBuffers& buffers) {
  simt::EmulationOptions options;
  options.fold = false;
  options.machine.blocks = {0, request.block};
  const auto first = simt::emulate(*found.ladder, found.rung->file, request.params, buffers.spans(), options);
  std::set<std::int64_t> blocks(options.machine.blocks.begin(), options.machine.blocks.end());
  for (const Launch& launch : first.launches) blocks.insert(launch.blocks() - 1);
  options.machine.blocks.assign(blocks.begin(), blocks.end());
  auto all = simt::emulate(*found.ladder, found.rung->file, request.params, buffers.spans(), options);
  buffers.reset();
  return all;
}

double grid_accesses(const simt::Emulation& sample) {
  double total = 0;
  for (const Launch& l : sample.launches)
    total += double(sample.most_events) * double(l.threads()) * double(l.blocks());
  return total;
}

struct Trace {
  std::vector<Launch> launches;
  std::vector<Touch> touches;
  Counts counts;
  std::uint64_t accesses = 0, dropped = 0, mask_differences = 0;
  std::uint64_t l2_load_bytes = 0, l2_store_bytes = 0, hbm_load_bytes = 0, hbm_store_bytes = 0;
  double ms = 0;
  std::string error;
  bool stopped = false;
};

// Whose caches are modelled: this device where it is known, else an H200.
Gpu this_gpu() {
  const auto device = cuda::find_device();
  const Gpu* known = device ? find_gpu(device->name) : nullptr;
  return known ? *known : Gpu{};
}

// One traced pass over the grid (or the followed block alone), folded as the windows arrive.
class TracedPass {
 public:
  TracedPass(const Request& request, const RungRef& found, const simt::Emulation& sample, bool whole,
             const Report& report)
      : request_(request), found_(found), sample_(sample), whole_(whole), report_(report) {
    trace_.launches.reserve(sample.launches.size());
  }
  Trace run(const lab::DeviceBinding& binding, std::uint32_t capacity) {
    cuda::TracePlan plan;
    plan.capacity = capacity;
    const auto specs = found_.ladder->buffers(request_.params, request_.rung);
    for (std::size_t i = 0; i < specs.size(); ++i)
      if (specs[i].in_host()) l2_.set_in_host(std::uint32_t(i));
    if (sample_.most_copies > 0)
      plan.copy_capacity = std::uint32_t(capacity * sample_.most_copies / sample_.most_events) + kSlotMargin;
    if (!whole_) plan.only_block = request_.block;
    for (const auto& place : sample_.renamed_views)
      plan.renamed.push_back({place.file, std::uint16_t(place.line), place.id});
    cuda::TraceSession session(
        plan, [&](const lab::LaunchFacts& facts) { begin_launch(facts); },
        [&](std::int64_t block, auto threads, auto copies) { return add(block, threads, copies); });
    cuda::run_traced(*found_.rung, binding, session);
    end_launch();
    trace_.error = session.error(), trace_.dropped = session.dropped(), trace_.ms = session.traced_ms();
    trace_.stopped = session.stopped();
    trace_.hbm_load_bytes = l2_.fetched_bytes(), trace_.hbm_store_bytes = l2_.written_bytes();
    return std::move(trace_);
  }

 private:
  void begin_launch(const lab::LaunchFacts& facts) {
    end_launch();
    Launch launch;
    launch.kernel = facts.name;
    launch.grid = {facts.grid.x, facts.grid.y, facts.grid.z};
    launch.block = {facts.block.x, facts.block.y, facts.block.z};
    launch.dynamic_shared_bytes = facts.dynamic_shared_bytes;
    if (trace_.launches.size() < sample_.launches.size())
      launch.views = sample_.launches[trace_.launches.size()].views;
    trace_.launches.push_back(std::move(launch));
    Launch& kept = trace_.launches.back();
    fold_ = std::make_unique<GridFold>(kept, std::min(request_.block, kept.blocks() - 1), l2_, request_.warp,
                                       kMaxFollowedEvents, gpu_);
    fold_->set_shared_bytes(facts.occupancy.shared_bytes);
    blocks_done_ = 0;
  }
  bool add(std::int64_t block, std::span<const std::span<const Access>> threads,
           std::span<const std::span<const Copy>> copies) {
    fold_->add_block(block, threads, copies);
    const std::int64_t blocks = trace_.launches.back().blocks();
    if (++blocks_done_ % 256 != 0) return true;
    return report_(
        {double(blocks_done_) / double(blocks), {"folding block {0} of {1}", {n(blocks_done_), n(blocks)}}});
  }
  void end_launch() {
    if (!fold_) return;
    for (const CountField& field : kCountFields) trace_.counts.*field.member += fold_->counts().*field.member;
    trace_.l2_load_bytes += fold_->l2_load_sectors() * 32;
    trace_.l2_store_bytes += fold_->l2_store_sectors() * 32;
    trace_.accesses += fold_->accesses(), trace_.mask_differences += fold_->mask_differences();
    merge_touches(trace_.touches, fold_->take_touches(), trace_.launches.size() - 1);
    fold_.reset();
  }

  const Request& request_;
  RungRef found_;
  const simt::Emulation& sample_;
  bool whole_;
  const Report& report_;
  Trace trace_;
  Gpu gpu_ = this_gpu();
  CacheModel l2_{l2_shape(gpu_)};
  std::unique_ptr<GridFold> fold_;
  std::int64_t blocks_done_ = 0;
};

// Traces until no event is without a slot.
Trace trace_grid(const Request& request, const RungRef& found, const simt::Emulation& sample,
                 simt::ProblemBuffers& buffers, cuda::DeviceBuffers& device, bool whole,
                 const Report& report) {
  auto capacity = std::uint32_t(sample.most_events) + kSlotMargin;
  for (int attempt = 0;; ++attempt, capacity *= 2) {
    buffers.reset();
    device.upload(buffers.spans());
    const Range range("trace and fold");
    TracedPass pass(request, found, sample, whole, report);
    Trace trace = pass.run(device.binding(request.params), capacity);
    if (!trace.dropped || attempt == 3 || trace.stopped || !trace.error.empty()) return trace;
  }
}

Status check_followed_block(const simt::Emulation& sample, const Request& request) {
  if (sample.launches.empty()) return Unit{};
  std::int64_t blocks = 0;
  for (const Launch& launch : sample.launches) blocks = std::max(blocks, launch.blocks());
  if (request.block < 0 || request.block >= blocks)
    return bad_input("block {0} cannot be followed: the grid has blocks 0 to {1}",
                     {n(request.block), n(blocks - 1)});
  return Unit{};
}

void keep_buffers(Run& run, const simt::ProblemBuffers& buffers) {
  for (std::size_t i = 0; i < buffers.specs().size(); ++i)
    if (buffers.specs()[i].elements() <= kMaxKeptElements) {
      const auto bytes = buffers.spans()[i];
      run.buffers.push_back({std::uint16_t(i), {bytes.begin(), bytes.end()}});
    }
}

void add_time(Run& run, const RungRef& found, const lab::DeviceBinding& binding) {
  const cuda::TimingPlan plan;
  auto time = cuda::time_clean(*found.rung, binding, plan);
  if (!time) {
    run.warnings.push_back(time.error().message);
    return;
  }
  run.time = *time;
  run.evidence.set("bytes_per_second",
                   found.ladder->bytes(run.request.params, run.request.rung) / (time->median_ms * 1e-3));
  if (const double flops = found.ladder->flops(run.request.params, run.request.rung); flops > 0)
    run.evidence.set("flops_per_second", flops / (time->median_ms * 1e-3));
  if (found.ladder->asked_bytes)
    if (const double asked = found.ladder->asked_bytes(run.request.params, run.request.rung); asked > 0) {
      run.evidence.set("flop_per_byte.asked",
                       found.ladder->flops(run.request.params, run.request.rung) / asked);
      run.provenance["metrics.flop_per_byte"] =
          Provenance::modelled_within(0);  // tests hold it to the counts
    }
  const std::string& name = found.ladder->reference_of(run.request.rung);
  if (name.empty()) return;
  const Range range("time " + name);
  const auto reference = cuda::time_reference(name, binding, plan);
  if (!reference) {
    run.warnings.push_back(reference.error().message);
    return;
  }
  run.time->reference = name, run.time->reference_ms = *reference;
  run.evidence.set("fraction_of_reference", *reference / time->median_ms);
}

void add_trace(Run& run, Trace trace, bool whole) {
  run.launches = std::move(trace.launches);
  if (run.time) run.time->traced_ms = whole ? trace.ms : 0;
  if (trace.dropped)
    run.warnings.push_back(
        {"{0} events found no slot and are missing from the counts", {n(std::int64_t(trace.dropped))}});
  if (trace.mask_differences)
    run.warnings.push_back({"{0} warp instructions were active with other lanes than the fold took together",
                            {n(std::int64_t(trace.mask_differences))}});
  if (!whole) {
    run.warnings.push_back(
        {"the grid makes more than {0} million accesses: the followed block alone was traced",
         {n(std::int64_t(kMaxTracedAccesses / 1e6))}});
    return;
  }
  run.counts = trace.counts;
  run.touches = std::move(trace.touches);
  const auto whole_number = [](std::uint64_t x) { return std::int64_t(x); };
  run.evidence.put(MemoryEvidence{whole_number(trace.accesses), whole_number(trace.l2_load_bytes),
                                  whole_number(trace.l2_store_bytes), whole_number(trace.hbm_load_bytes),
                                  whole_number(trace.hbm_store_bytes)});
}

// Clean run and check, without trace and time.
Result<Run> clean_run(const Request& request, const RungRef& found, simt::ProblemBuffers& buffers,
                      cuda::DeviceBuffers& device) {
  lab::LaunchLog log;
  std::optional<Range> part(std::in_place, "launch and wait");
  cuda::run_clean(*found.rung, device.binding(request.params), log);
  if (log.refused) return bad_input("this launch is not possible: {0}", {log.error});
  if (!log.error.empty()) return gpu_error(log.error);
  part.emplace("copy to the CPU");
  if (!device.download(buffers.spans())) return gpu_error(device.error());
  part.emplace("check");
  Run run;
  run.request = request;
  run.engine = EngineKind::cuda;
  run.device = *cuda::find_device();
  run.check = found.ladder->check(request.params, request.rung, buffers.contents());
  if (found.ladder->warnings)
    run.warnings = found.ladder->warnings(request.params, request.rung, buffers.contents());
  if (!log.facts.empty()) run.occupancy = log.facts.front().occupancy;
  run.source_hash = source_hash(*found.rung);
  for (const char* path : {"check", "time", "counts", "metrics", "occupancy"})
    run.provenance[path] = Provenance::measured();
  put_memory_provenance(run, *found.ladder, buffers.input_bytes());
  return run;
}

Result<Run> CudaEngine::run(const Request& request, const Report& report) {
  if (Status able = can_run(request); !able) return able.error();
  const RungRef found = find_rung(request);
  report({0, {"preparing data", {}}});
  std::optional<Range> part(std::in_place, "prepare data");
  simt::ProblemBuffers buffers(*found.ladder, request.params, request.rung);
  simt::Emulation sampled;
  if (request.trace) {
    part.emplace("sample a block");
    sampled = sample(request, found, buffers);
    if (Status followed = check_followed_block(sampled, request); !followed) return followed.error();
  }
  part.emplace("copy to the GPU");
  cuda::DeviceBuffers device(buffers.spans(), buffers.specs());
  if (!device.error().empty()) return gpu_error(device.error());
  part.emplace("clean kernels");
  auto run = clean_run(request, found, buffers, device);
  if (!run) return run;
  if (request.trace) keep_buffers(*run, buffers);  // the launches say what they are
  if (request.time) {
    report({0.1, {"timing the kernels", {}}});
    part.emplace("time the clean kernels");
    if (Status measured = experiments_.measure(found, *run); !measured) return measured.error();
    if (!replaces_time(*found.ladder)) add_time(*run, found, device.binding(request.params));
  }
  if (!request.trace) return run;
  part.emplace("traced kernels");
  const bool whole = grid_accesses(sampled) <= kMaxTracedAccesses;
  Trace trace = trace_grid(request, found, sampled, buffers, device, whole, report);
  if (!trace.error.empty()) return gpu_error(trace.error);
  if (trace.stopped) return Error{Exit::worker_died, {"the run was cancelled", {}}};
  add_trace(*run, std::move(trace), whole);
  return run;
}

}  // namespace

std::unique_ptr<Engine> make_cuda_engine() { return std::make_unique<CudaEngine>(); }

Result<Run> launch_clean(const Request& request) {
  CudaEngine engine;
  if (Status able = engine.can_run(request); !able) return able.error();
  const RungRef found = find_rung(request);
  simt::ProblemBuffers buffers(*found.ladder, request.params, request.rung);
  cuda::DeviceBuffers device(buffers.spans(), buffers.specs());
  if (!device.error().empty()) return gpu_error(device.error());
  return clean_run(request, found, buffers, device);
}

Status launch_unchecked(const Request& request) {
  CudaEngine engine;
  if (Status able = engine.can_run(request); !able) return able;
  const RungRef found = find_rung(request);
  simt::ProblemBuffers buffers(*found.ladder, request.params, request.rung);
  cuda::DeviceBuffers device(buffers.spans(), buffers.specs());
  if (!device.error().empty()) return gpu_error(device.error());
  lab::LaunchLog log;
  cuda::run_clean(*found.rung, device.binding(request.params), log);
  if (!log.error.empty()) return gpu_error(log.error);
  return Unit{};
}

Result<OccupancySweep> sweep_occupancy(int per_kernel) {
  const auto device = cuda::find_device();
  if (!device) return device.error();
  const Gpu* gpu = find_gpu(device->name);
  if (!gpu) return unavailable("{0} is not in assets/gpus.json: add it first", {device->name});
  OccupancySweep sweep{*device, 0, {}, {}};
  std::mt19937 random(20261122);
  const auto below = [&](std::int64_t end) {
    return std::int64_t(random() % std::uint64_t(std::max<std::int64_t>(1, end)));
  };
  std::set<const void*> seen;
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs)
      for (const Params& given : ladder->validated_at(rung.slug)) {
        const Params params = carried_params(ladder->info, rung.slug, given);
        for (const cuda::Kernel& kernel : cuda::kernels_of(rung, params)) {
          if (!seen.insert(kernel.function).second) continue;
          sweep.kernels.push_back(
              {rung.file, kernel.registers, kernel.static_shared_bytes, kernel.max_threads, ""});
          for (int i = 0; i < per_kernel; ++i) {
            const int threads = 1 + int(below(kernel.max_threads));
            const std::int64_t most = gpu->shared_bytes_per_block - kernel.static_shared_bytes;
            // Half of them small: there the other limits bind.
            const std::int64_t dynamic = i % 2 ? below(most + 1) : below(most / 16);
            const auto blocks = cuda::driver_blocks(kernel, threads, dynamic);
            if (!blocks) return blocks.error();
            const std::int64_t shared = kernel.static_shared_bytes + dynamic;
            const int modelled = resident_blocks(*gpu, {threads, kernel.registers, shared}).blocks;
            sweep.kernels.back().answers += n(threads) + " " + n(dynamic) + " " + n(*blocks) + ",";
            ++sweep.compared;
            if (*blocks != modelled)
              sweep.differences.push_back({rung.file, kernel.registers, threads, shared, *blocks, modelled});
          }
        }
      }
  return sweep;
}

Result<StreamComparison> compare_streams(const Request& request) {
  CudaEngine engine;
  if (Status able = engine.can_run(request); !able) return able.error();
  const RungRef found = find_rung(request);
  simt::ProblemBuffers buffers(*found.ladder, request.params, request.rung);
  const auto sampled = sample(request, found, buffers);
  if (Status followed = check_followed_block(sampled, request); !followed) return followed.error();
  cuda::DeviceBuffers device(buffers.spans(), buffers.specs());
  Trace traced =
      trace_grid(request, found, sampled, buffers, device, true, [](const Progress&) { return true; });
  if (!traced.error.empty()) return gpu_error(traced.error);
  simt::EmulationOptions options;
  options.followed_block = request.block;
  buffers.reset();
  const auto emulated =
      simt::emulate(*found.ladder, found.rung->file, request.params, buffers.spans(), options);
  StreamComparison result;
  result.mask_differences = traced.mask_differences;
  result.launches = emulated.launches.size();
  result.emulated = emulated.counts, result.traced = traced.counts;
  result.emulated_pass = found.ladder->check(request.params, request.rung, buffers.contents()).pass;
  result.l2_load_bytes = emulated.l2_load_bytes, result.l2_store_bytes = emulated.l2_store_bytes;
  result.hbm_load_bytes = emulated.hbm_load_bytes, result.hbm_store_bytes = emulated.hbm_store_bytes;
  if (traced.dropped) result.difference = n(std::int64_t(traced.dropped)) + " events were dropped";
  if (emulated.launches.size() != traced.launches.size()) result.difference = "different numbers of launches";
  if (found.ladder->waits(request.rung)) return result;  // the tiles that its blocks draw differ, too
  for (std::size_t l = 0; l < emulated.launches.size() && result.difference.empty(); ++l) {
    result.events += emulated.launches[l].trace.events.size();
    result.difference = stream_difference(emulated.launches[l].trace, traced.launches[l].trace,
                                          found.ladder->decided_by_order(request.rung));
  }
  return result;
}

}  // namespace lockstep

#else

namespace lockstep {
namespace {

Error no_cuda() {
  return unavailable("this lockstep was built without CUDA: the emulator and the recordings work", {});
}

class CudaEngine final : public Engine {
 public:
  EngineKind kind() const override { return EngineKind::cuda; }
  Status can_run(const Request&) override { return no_cuda(); }
  Result<Run> run(const Request&, const Report&) override { return no_cuda(); }
  Health health() override { return {false, no_cuda().message, {}}; }
};

}  // namespace

std::unique_ptr<Engine> make_cuda_engine() { return std::make_unique<CudaEngine>(); }
Result<Run> launch_clean(const Request&) { return no_cuda(); }
Status launch_unchecked(const Request&) { return no_cuda(); }
Result<StreamComparison> compare_streams(const Request&) { return no_cuda(); }
Result<OccupancySweep> sweep_occupancy(int) { return no_cuda(); }

}  // namespace lockstep

#endif
