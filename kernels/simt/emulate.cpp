#include "emulate.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "dialect.hpp"
#include "grid.hpp"
#include "kernels/rung_code.hpp"
#include "rung_code.hpp"
#include "stream_order.hpp"
#include "workers.hpp"
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

namespace lockstep::simt {
namespace {

const RungCode* find_rung(std::string_view file) {
  for (const RungCode* const* code = emulated_rungs; *code; ++code)
    if (file == (*code)->file) return *code;
  return nullptr;
}

const RungInfo* rung_of(const Ladder& ladder, std::string_view file) {
  for (const RungInfo& rung : ladder.info.rungs)
    if (rung.file == file) return &rung;
  return nullptr;
}

// The code that the rung brings with it, else the build's.
void start(const RungInfo* rung, std::string_view file, lab::Launcher<lab::Emulated>& launcher,
           const lab::Binding& binding) {
  if (rung && rung->code && rung->code->emulated)
    rung->code->emulated(launcher, binding);
  else
    find_rung(file)->run(launcher, binding);
}

lab::Binding bind(const std::vector<BufferSpec>& specs, const Params& params,
                  std::span<const std::span<std::uint8_t>> buffers) {
  lab::Binding binding;
  binding.params = &params;
  for (std::size_t i = 0; i < specs.size(); ++i)
    binding.buffers.push_back(
        {buffers[i].data(), specs[i].bytes(), specs[i].shape.empty() ? 0 : specs[i].shape.back()});
  return binding;
}

void add(Counts& sum, const Counts& more) {
  for (const CountField& field : kCountFields) sum.*field.member += more.*field.member;
}

Launch describe(const Config& c, const std::vector<ViewInfo>& views) {
  Launch launch;
  launch.kernel = c.name;
  launch.grid = {c.grid.x, c.grid.y, c.grid.z};
  launch.block = {c.block.x, c.block.y, c.block.z};
  launch.dynamic_shared_bytes = c.dynamic_shared_bytes;
  launch.views = views;
  return launch;
}

}  // namespace

bool has_rung(const RungInfo& rung) {
  return (rung.code && rung.code->emulated) || find_rung(rung.file) != nullptr;
}

std::vector<ViewInfo> global_views(const std::vector<BufferSpec>& specs) {
  std::vector<ViewInfo> views;
  for (const BufferSpec& spec : specs)
    views.push_back({std::uint16_t(views.size()), spec.name, Space::global, spec.type, spec.element_bytes,
                     spec.shape, 0});
  return views;
}

Emulation emulate(const Ladder& ladder, std::string_view file, const Params& params,
                  std::span<const std::span<std::uint8_t>> buffers, const EmulationOptions& options) {
  Emulation result;
  const RungInfo* rung = rung_of(ladder, file);
  const auto specs = ladder.buffers(params, rung ? rung->slug : std::string_view());
  const auto views = global_views(specs);
  CacheModel l2(l2_shape(options.gpu));
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i].in_host()) l2.set_in_host(std::uint32_t(i));
  Grid grid(options.machine, options.threads ? options.threads : threads_to_use());
  StreamOrder order(views);
  const auto run_launch = [&](Config config, const std::function<void()>& kernel) {
    config.waits = rung && ladder.waits(rung->slug);
    Launch launch = describe(config, views);
    const std::int64_t blocks = launch.blocks();
    GridFold fold(launch,
                  std::clamp<std::int64_t>(options.followed_block, 0, std::max<std::int64_t>(0, blocks - 1)),
                  l2, options.followed_warp, kMaxFollowedEvents, options.gpu);
    std::int64_t done = 0;
    const bool finished = grid.launch(config, kernel, options.fold ? &fold : nullptr,
                                      [&] { return !options.progress || options.progress(++done, blocks); });
    add(result.counts, fold.counts());
    result.l2_load_bytes += fold.l2_load_sectors() * 32,
        result.l2_store_bytes += fold.l2_store_sectors() * 32;
    if (!result.seen_write) result.seen_write = fold.seen_write();
    std::vector<Touch> touches = fold.take_touches();
    order.launch(config, touches);
    merge_touches(result.touches, std::move(touches), result.launches.size());
    for (const ViewInfo& view : grid.shared_views().described()) launch.views.push_back(view);
    result.launches.push_back(std::move(launch));
    return finished;
  };
  lab::Launcher<lab::Emulated> launcher(run_launch,
                                        [&](const HostOperation& operation) { order.operation(operation); });
  start(rung, file, launcher, bind(specs, params, buffers));
  result.no_kernel = launcher.refusal();
  result.accesses = grid.accesses();
  result.renamed_views = grid.shared_views().renamed(), result.files = grid.source_files().all();
  result.most_events = grid.most_events(), result.most_copies = grid.most_copies();
  result.findings = grid.told().findings();
  result.findings.insert(result.findings.end(), order.findings().begin(), order.findings().end());
  result.findings_dropped = grid.told().findings_dropped();
  result.printed = grid.told().printed(), result.overflowed = grid.told().overflowed();
  result.refused = grid.refused(), result.ran_in_order = grid.ran_in_order();
  result.hbm_load_bytes = l2.fetched_bytes(), result.hbm_store_bytes = l2.written_bytes();
  return result;
}

std::vector<HostStep> host_steps_of(const Ladder& ladder, std::string_view file, const Params& params) {
  const RungInfo* rung = rung_of(ladder, file);
  const auto specs = ladder.buffers(params, rung ? rung->slug : std::string_view());
  std::vector<HostStep> all;
  lab::Launcher<lab::Emulated> launcher(
      [&](const Config& config, const std::function<void()>&) {
        all.push_back({config, {}});
        return true;
      },
      [&](const HostOperation& operation) {
        all.push_back({{}, operation});
      });
  const std::vector<std::span<std::uint8_t>> nothing(specs.size());
  const std::span<const std::span<std::uint8_t>> buffers(nothing);
  start(rung, file, launcher, bind(specs, params, buffers));
  return all;
}

std::vector<Config> launches_of(const Ladder& ladder, std::string_view file, const Params& params) {
  std::vector<Config> launches;
  for (HostStep& step : host_steps_of(ladder, file, params))
    if (step.launch) launches.push_back(std::move(*step.launch));
  return launches;
}

namespace {

// Follows where the pages of managed arrays are.
class Describing {
 public:
  explicit Describing(const std::vector<BufferSpec>& specs) : specs_(specs) {
    for (const BufferSpec& spec : specs) with_host_.push_back(spec.input);
  }
  Operation of(const HostOperation& o) {
    const int at = o.kind == OperationKind::copy_in || o.to < 0 ? o.from : o.to;  // on the host's side
    Operation all{o.kind, "", o.stream, o.waits, o.line};
    all.memory = at < 0 ? MemoryKind::pageable : specs_[std::size_t(at)].memory;
    all.first_byte = std::uint64_t(at == o.from ? o.from_byte : o.to_byte);
    all.bytes = std::uint64_t(o.bytes);
    if (all.memory != MemoryKind::managed) return all;
    const bool with_host = with_host_[std::size_t(at)];
    if (o.kind == OperationKind::host_read && !with_host) all.link_out = all.bytes;
    with_host_[std::size_t(at)] = o.kind != OperationKind::prefetch_in;
    return all;
  }
  Operation of(const Config& c) {
    Operation all{OperationKind::kernel, c.name, c.stream, false, c.line};
    all.memory = MemoryKind::device;
    const auto product = [](const Extents& e) {
      return std::uint64_t(e.x) * std::uint64_t(e.y) * std::uint64_t(e.z);
    };
    all.threads = product(c.grid) * product(c.block);
    for (const LaunchArgument& argument : c.arguments) {
      if (argument.buffer < 0) continue;
      const auto b = std::size_t(argument.buffer);
      const BufferSpec& spec = specs_[b];
      if (spec.memory == MemoryKind::mapped)
        (spec.input ? all.link_in : all.link_out) += spec.bytes();
      else if (spec.memory != MemoryKind::managed)
        continue;
      all.memory = spec.memory;
      if (spec.memory == MemoryKind::managed && with_host_[b])
        all.link_in += spec.bytes(), with_host_[b] = false;
    }
    return all;
  }

 private:
  const std::vector<BufferSpec>& specs_;
  std::vector<bool> with_host_;
};

}  // namespace

std::vector<Operation> operations_of(const Ladder& ladder, std::string_view file, const Params& params) {
  const RungInfo* rung = rung_of(ladder, file);
  const auto specs = ladder.buffers(params, rung ? rung->slug : std::string_view());
  Describing describing(specs);
  std::vector<Operation> operations;
  for (const HostStep& step : host_steps_of(ladder, file, params))
    operations.push_back(step.launch ? describing.of(*step.launch) : describing.of(step.operation));
  return operations;
}

std::string number_text(bool x) { return x ? "true" : "false"; }
std::string number_text(std::int64_t x) { return std::to_string(x); }
std::string number_text(std::uint64_t x) { return std::to_string(x) + "u"; }
// As many digits as a float has to give the same float again.
std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", x);
  const bool whole = std::string_view(text).find_first_not_of("-0123456789") == std::string_view::npos;
  return std::string(text) + (whole ? ".0f" : "f");
}

ProblemBuffers::ProblemBuffers(const Ladder& ladder, const Params& params, std::string_view rung)
    : specs_(ladder.buffers(params, rung)) {
  constexpr std::size_t kAlign = 256;
  for (const BufferSpec& spec : specs_) {
    storage_.push_back(std::make_unique<std::uint8_t[]>(spec.bytes() + kAlign));
    void* start = storage_.back().get();
    std::size_t room = spec.bytes() + kAlign;
    std::align(kAlign, spec.bytes(), start, room);
    spans_.emplace_back(static_cast<std::uint8_t*>(start), spec.bytes());
  }
  ladder.fill(params, rung, spans_);
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].input && specs_[i].changed) filled_[i].assign(spans_[i].begin(), spans_[i].end());
  reset();
}

std::uint64_t ProblemBuffers::input_bytes() const {
  std::uint64_t bytes = 0;
  for (const BufferSpec& spec : specs_) bytes += spec.input ? spec.bytes() : 0;
  return bytes;
}

void ProblemBuffers::reset() {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (!specs_[i].input) std::memset(spans_[i].data(), 0xff, spans_[i].size());
  for (const auto& [i, bytes] : filled_) std::copy(bytes.begin(), bytes.end(), spans_[i].begin());
}

}  // namespace lockstep::simt
