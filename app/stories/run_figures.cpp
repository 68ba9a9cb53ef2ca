#include "run_figures.hpp"

#include <algorithm>

#include "app/devices/gpus.hpp"
#include "app/labs/lab.hpp"
#include "app/model/occupancy.hpp"

namespace lockstep {
namespace {

// "time.median_ms" into "time" and "median_ms".
std::pair<std::string_view, std::string_view> split(std::string_view path) {
  const std::size_t point = path.find('.');
  return {path.substr(0, point), point == std::string_view::npos ? "" : path.substr(point + 1)};
}

// A figure by name, or the names that there are.
struct Named {
  std::string_view name;
  Value value;
};
Result<Value> one_of(std::string_view group, std::string_view name, std::initializer_list<Named> figures) {
  std::string all;
  for (const Named& figure : figures) {
    if (figure.name == name) return figure.value;
    all += (all.empty() ? "" : ", ") + std::string(figure.name);
  }
  return bad_input("there is no figure '{0}' of {1}: there are {2}",
                   {std::string(name), std::string(group), all});
}

Result<Value> count_of(const Run& run, std::string_view name) {
  std::string all;
  for (const CountField& field : kCountFields) {
    if (field.name == name && !run.counts) return unavailable("this run has no counts");
    if (field.name == name) return Value{*run.counts.*field.member};
    all += (all.empty() ? "" : ", ") + std::string(field.name);
  }
  return bad_input("there is no count '{0}': there are {1}", {std::string(name), all});
}

Result<Value> time_of(const Run& run, std::string_view name) {
  const Timing t = run.time.value_or(Timing{});
  auto found = one_of("time", name,
                      {{"median_ms", t.median_ms},
                       {"min_ms", t.min_ms},
                       {"p95_ms", t.p95_ms},
                       {"runs", std::int64_t(t.runs)},
                       {"traced_ms", t.traced_ms},
                       {"reference", t.reference},
                       {"reference_ms", t.reference_ms}});
  if (!found) return found;
  const bool missing = !run.time || (name == "traced_ms" && t.traced_ms <= 0) ||
                       (name.starts_with("reference") && t.reference.empty());
  if (missing)
    return unavailable("this run was not timed: that needs a GPU, or a recording of these settings");
  return found;
}

// What each resource allows on the device that the occupancy speaks of, and the first that allows least.
Result<Value> limit_of(const Run& run, std::string_view name) {
  const Gpu* gpu = run.occupancy ? occupancy_gpu(run) : nullptr;
  const Occupancy o = run.occupancy.value_or(Occupancy{1, 0, 0, 0, 0, 0});
  const ResidentBlocks r =
      resident_blocks(gpu ? *gpu : Gpu{}, {o.threads_per_block, o.registers, o.shared_bytes});
  const std::pair<std::string_view, int> limits[] = {{"registers", r.by_registers},
                                                     {"shared_bytes", r.by_shared},
                                                     {"warps", r.by_warps},
                                                     {"blocks", r.by_blocks}};
  if (name == "device" && gpu) return Value{gpu->word};
  for (const auto& [resource, blocks] : limits) {
    if (name == "limiter" && blocks == r.blocks && gpu) return Value{std::string(resource)};
    if (name != "limits." + std::string(resource)) continue;
    if (!gpu || blocks == kNoLimit)
      return unavailable("nothing limits the blocks by {0}", {std::string(resource)});
    return Value{std::int64_t(blocks)};
  }
  if (name == "device" || name == "limiter") return unavailable("the device of this run is not known");
  return bad_input(
      "there is no figure '{0}' of occupancy.limits: there are registers, shared_bytes, warps, blocks",
      {std::string(name)});
}

Result<Value> occupancy_of(const Run& run, std::string_view name) {
  if (name == "limiter" || name == "device" || name.starts_with("limits.")) return limit_of(run, name);
  const Occupancy o = run.occupancy.value_or(Occupancy{});
  auto found = one_of("occupancy", name,
                      {{"threads_per_block", std::int64_t(o.threads_per_block)},
                       {"registers", std::int64_t(o.registers)},
                       {"shared_bytes", o.shared_bytes},
                       {"blocks_per_sm", std::int64_t(o.blocks_per_sm)},
                       {"warps_per_sm", std::int64_t(o.warps_per_sm)},
                       {"fraction", o.fraction},
                       {"occupancy", o.fraction}});
  if (found && !run.occupancy)
    return unavailable(
        "this run has no occupancy: the registers are known only where the kernel was compiled for a GPU");
  return found;
}

Result<Value> member_of(std::string_view group, const std::map<std::string, Value>& values,
                        std::string_view name, bool may_lack) {
  const auto at = values.find(std::string(name));
  if (at != values.end()) return at->second;
  if (may_lack) return unavailable("this run has no figure {0}.{1}", {std::string(group), std::string(name)});
  std::string all;
  for (const auto& [known, value] : values) all += (all.empty() ? "" : ", ") + known;
  return bad_input("there is no figure '{0}' of {1}: there are {2}",
                   {std::string(name), std::string(group), all});
}

}  // namespace

Result<Value> run_figure(const Run& run, std::string_view path) {
  const auto [group, name] = split(path);
  if (group == "counts") return count_of(run, name);
  if (group == "time") return time_of(run, name);
  if (group == "occupancy") return occupancy_of(run, name);
  if (group == "params") return member_of(group, run.request.params, name, false);
  if (group == "metrics") return member_of(group, run.metrics(), name, true);
  if (group == "check")
    return one_of(group, name,
                  {{"pass", std::int64_t(run.check.pass)},
                   {"max_error", run.check.max_error},
                   {"tolerance", run.check.tolerance}});
  if (group == "device")
    return one_of(group, name,
                  {{"name", run.device.name},
                   {"compute_capability", std::int64_t(run.device.compute_capability)},
                   {"multiprocessors", std::int64_t(run.device.multiprocessors)},
                   {"clock_mhz", std::int64_t(run.device.clock_mhz)},
                   {"driver", run.device.driver},
                   {"runtime", run.device.runtime}});
  return one_of("a run", path,
                {{"lab", run.request.lab},
                 {"rung", run.request.rung},
                 {"engine", std::string(name_of(run.engine))},
                 {"findings", std::int64_t(run.findings.size())},
                 {"counts", Value{}},
                 {"time", Value{}},
                 {"occupancy", Value{}},
                 {"params", Value{}},
                 {"metrics", Value{}},
                 {"check", Value{}},
                 {"device", Value{}}});
}

Result<Value> device_figure(const Gpu& gpu, std::string_view name) {
  return one_of("the device", name,
                {{"name", gpu.name},
                 {"sm_count", std::int64_t(gpu.multiprocessors)},
                 {"memory_bytes", gpu.memory_bytes},
                 {"memory_kind", gpu.memory_kind},
                 {"memory_bandwidth", gpu.memory_bandwidth},
                 {"l2_bytes", gpu.l2_bytes},
                 {"l1_shared_bytes", gpu.l1_shared_bytes},
                 {"shared_bytes_per_sm", gpu.shared_bytes_per_sm},
                 {"shared_bytes_per_block", gpu.shared_bytes_per_block},
                 {"max_warps_per_sm", std::int64_t(gpu.max_warps_per_sm)},
                 {"max_threads_per_sm", std::int64_t(gpu.max_threads_per_sm)},
                 {"max_blocks_per_sm", std::int64_t(gpu.max_blocks_per_sm)},
                 {"max_threads_per_block", std::int64_t(gpu.max_threads_per_block)},
                 {"registers_per_sm", std::int64_t(gpu.registers_per_sm)},
                 {"max_registers_per_thread", std::int64_t(gpu.max_registers_per_thread)},
                 {"sub_cores", std::int64_t(gpu.warp_granularity)},
                 {"fp32_flops", gpu.fp32.flops},
                 {"tensor_flops", gpu.tensor.flops},
                 {"tensor_fp8_flops", gpu.tensor_fp8.flops},
                 {"clock_hz", gpu.fp32.clock_hz},
                 {"nvlink_bandwidth", gpu.nvlink_bandwidth}});
}

Result<Request> scene_request(const std::string& slug, const SceneSetup& setup) {
  const std::string& named = setup.lab.empty() ? slug : setup.lab;
  const Lab* lab = find_lab(named);
  if (!lab) return bad_input("there is no lab '{0}'", {named});
  Request request;
  request.lab = named, request.rung = setup.rung;
  Params given;
  for (const std::string& setting : setup.settings) {
    auto value = parse_setting(lab->info(), setting);
    if (!value) return value.error();
    given.insert(std::move(*value));
  }
  auto params = complete_params(lab->info(), setup.rung, given);
  if (!params) return params.error();
  request.params = std::move(*params);
  const Followed followed = lab->opens_at(request.rung, request.params);
  request.block = setup.block.value_or(followed.block);
  request.warp = setup.warp.value_or(setup.at && setup.at->warp >= 0 ? setup.at->warp : followed.warp);
  if (const auto engine = engine_named(setup.engine)) request.engine = *engine;
  return request;
}

Result<Request> request_beside(const Request& scene, const std::string& rung, const Params& settings) {
  Request request = scene;
  const std::size_t slash = rung.find('/');
  if (slash != std::string::npos) request.lab = rung.substr(0, slash);
  if (!rung.empty()) request.rung = slash == std::string::npos ? rung : rung.substr(slash + 1);
  const Lab* lab = find_lab(request.lab);
  if (!lab) return bad_input("there is no lab '{0}'", {request.lab});
  const auto& rungs = lab->info().rungs;
  if (!rungs.empty() && lab->info().rung_index(request.rung) < 0) {
    std::string all;
    for (const RungInfo& one : rungs) all += (all.empty() ? "" : ", ") + one.slug;
    return bad_input("there is no rung '{0}'; the rungs are {1}", {request.rung, all});
  }
  Params given;
  if (request.lab == scene.lab) given = carried_params(lab->info(), request.rung, scene.params);
  for (const auto& [name, value] : settings) {
    // A whole number where the parameter takes any: 1 is 1.0.
    const auto& known = lab->info().parameters;
    const auto parameter =
        std::find_if(known.begin(), known.end(),
                     [&, wanted = std::string_view(name)](const auto& p) { return p.name == wanted; });
    const bool real = parameter != known.end() && parameter->type == "float";
    given[name] = real && is_number(value) ? Value{number_of(value)} : value;
  }
  auto params = complete_params(lab->info(), request.rung, given);
  if (!params) return params.error();
  request.params = std::move(*params);
  if (request.lab != scene.lab || !rung.empty() || !settings.empty()) request.block = request.warp = 0;
  return request;
}

}  // namespace lockstep
