#include "gpus.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/model/embedded.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_devices[];

namespace {

using Json = nlohmann::json;

// A figure of a device: [value, source], the source one of the file's list. The file is the program's own:
// what does not fit throws, and a test reads it.
template <class T>
void read(const Json& file, const Json& gpu, const char* name, T& value) {
  const Json& figure = gpu.at("figures").at(name);
  file.at("sources").at(figure.at(1).get<std::string>());
  figure.at(0).get_to(value);
}

Gpu read_gpu(const Json& file, const Json& entry) {
  Gpu g;
  entry.at("name").get_to(g.name), entry.at("word").get_to(g.word),
      entry.at("device_names").get_to(g.device_names);
  const auto take = [&](const char* name, auto& value) { read(file, entry, name, value); };
  take("compute_capability", g.compute_capability), take("multiprocessors", g.multiprocessors);
  take("gpcs", g.gpcs), take("tpcs", g.tpcs), take("sub_cores", g.sub_cores);
  take("fp32_lanes_per_sm", g.fp32_lanes_per_sm), take("fp64_lanes_per_sm", g.fp64_lanes_per_sm);
  take("special_units_per_sm", g.special_units_per_sm);
  take("tensor_cores_per_sm", g.tensor_cores_per_sm), take("tensor_fmas_per_sm", g.tensor_fmas_per_sm);
  take("shared_banks", g.shared_banks);
  take("memory_bytes", g.memory_bytes), take("memory_kind", g.memory_kind);
  take("memory_bandwidth", g.memory_bandwidth);
  take("l2_bytes", g.l2_bytes), take("l2_ways", g.l2_ways);
  take("l1_shared_bytes", g.l1_shared_bytes), take("l1_ways", g.l1_ways);
  take("shared_bytes_per_sm", g.shared_bytes_per_sm),
      take("shared_bytes_per_block", g.shared_bytes_per_block);
  take("shared_capacities", g.shared_capacities);
  take("shared_unit", g.shared_unit), take("reserved_shared_bytes", g.reserved_shared_bytes);
  take("max_warps_per_sm", g.max_warps_per_sm), take("max_threads_per_sm", g.max_threads_per_sm);
  take("max_blocks_per_sm", g.max_blocks_per_sm), take("max_threads_per_block", g.max_threads_per_block);
  take("registers_per_sm", g.registers_per_sm);
  take("max_registers_per_thread", g.max_registers_per_thread);
  take("register_unit", g.register_unit), take("warp_granularity", g.warp_granularity);
  take("fp32_flops", g.fp32.flops), take("fp32_clock_hz", g.fp32.clock_hz);
  take("tensor_flops", g.tensor.flops), take("tensor_clock_hz", g.tensor.clock_hz);
  take("tensor_fp8_flops", g.tensor_fp8.flops), g.tensor_fp8.clock_hz = g.tensor.clock_hz;
  take("tensor_types", g.tensor_types), take("nvlink_bandwidth", g.nvlink_bandwidth);
  return g;
}

const Json& device_file() {
  static const Json file = Json::parse(embedded_devices[0].text);
  return file;
}

std::vector<Gpu> read_gpus() {
  std::vector<Gpu> all;
  for (const Json& entry : device_file().at("gpus")) all.push_back(read_gpu(device_file(), entry));
  return all;
}

}  // namespace

const std::vector<Gpu>& known_gpus() {
  static const std::vector<Gpu> all = read_gpus();
  return all;
}

const Gpu* find_gpu(std::string_view device_name) {
  for (const Gpu& gpu : known_gpus())
    if (std::find(gpu.device_names.begin(), gpu.device_names.end(), device_name) != gpu.device_names.end())
      return &gpu;
  return nullptr;
}

const Gpu* gpu_by_word(std::string_view word) {
  for (const Gpu& gpu : known_gpus())
    if (gpu.word == word) return &gpu;
  return nullptr;
}

std::string source_of(const Gpu& gpu, std::string_view figure) {
  for (const Json& entry : device_file().at("gpus")) {
    if (entry.at("word") != gpu.word) continue;
    const auto found = entry.at("figures").find(figure);
    if (found == entry.at("figures").end()) return "";
    return device_file().at("sources").at(found->at(1).get<std::string>()).get<std::string>();
  }
  return "";
}

const Gpu* occupancy_gpu(const Run& run) {
  if (const auto device = run.request.params.find("device"); device != run.request.params.end())
    return gpu_by_word(to_string(device->second));
  const Provenance& said = provenance_of(run, "occupancy.registers");
  return find_gpu(said.is(Provenance::Kind::recorded) ? said.device : run.device.name);
}

}  // namespace lockstep
