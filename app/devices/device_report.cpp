#include "device_report.hpp"

#include <cmath>
#include <cstdio>
#include <set>

#include "app/model/result.hpp"

namespace lockstep {
namespace {

enum class Unit { count, bytes, khz, bits, yes };

struct Attribute {
  const char* name;
  const char* meaning;
  Unit unit;
  double (*of_file)(const Gpu&);  // nullptr: the file has no figure for it
};
struct Group {
  const char* title;
  std::vector<Attribute> attributes;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all{
      {N_("computing"),
       {
           {"ComputeCapabilityMajor", N_("the generation of its instructions"), Unit::count,
            [](const Gpu& g) -> double { return g.compute_capability / 10; }},
           {"ComputeCapabilityMinor", N_("the step within that generation"), Unit::count,
            [](const Gpu& g) -> double { return g.compute_capability % 10; }},
           {"MultiProcessorCount", N_("SMs that can run blocks"), Unit::count,
            [](const Gpu& g) -> double { return g.multiprocessors; }},
           {"WarpSize", N_("threads that execute one instruction together"), Unit::count,
            [](const Gpu&) -> double { return 32; }},
           {"ClockRate", N_("highest clock of the SMs"), Unit::khz,
            [](const Gpu& g) -> double { return g.fp32.clock_hz / 1e3; }},
           {"MaxThreadsPerMultiProcessor", N_("threads that an SM holds at once"), Unit::count,
            [](const Gpu& g) -> double { return g.max_threads_per_sm; }},
           {"MaxBlocksPerMultiprocessor", N_("blocks that an SM holds at once"), Unit::count,
            [](const Gpu& g) -> double { return g.max_blocks_per_sm; }},
           {"SingleToDoublePrecisionPerfRatio", N_("FP32 peak over FP64 peak"), Unit::count,
            [](const Gpu& g) -> double { return g.fp32_lanes_per_sm / g.fp64_lanes_per_sm; }},
           {"ConcurrentKernels", N_("kernels of several streams run side by side"), Unit::yes, nullptr},
           {"ComputePreemptionSupported", N_("a kernel can be interrupted and go on later"), Unit::yes,
            nullptr},
           {"KernelExecTimeout", N_("kernels that run for long are ended, as on a GPU with a display"),
            Unit::yes, nullptr},
           {"ComputeMode", N_("0: any number of processes may use it"), Unit::count, nullptr},
           {"StreamPrioritiesSupported", N_("streams can have priorities"), Unit::yes, nullptr},
       }},
      {N_("registers and shared memory"),
       {
           {"MaxRegistersPerMultiprocessor", N_("registers of an SM"), Unit::count,
            [](const Gpu& g) -> double { return g.registers_per_sm; }},
           {"MaxRegistersPerBlock", N_("registers that a block can have"), Unit::count,
            [](const Gpu& g) -> double { return g.registers_per_sm; }},
           {"MaxSharedMemoryPerMultiprocessor", N_("shared memory of an SM"), Unit::bytes,
            [](const Gpu& g) -> double { return double(g.shared_bytes_per_sm); }},
           {"MaxSharedMemoryPerBlock", N_("shared memory of a block that does not ask for more"), Unit::bytes,
            nullptr},
           {"MaxSharedMemoryPerBlockOptin", N_("shared memory of a block that asks for it"), Unit::bytes,
            [](const Gpu& g) -> double { return double(g.shared_bytes_per_block); }},
           {"ReservedSharedMemoryPerBlock", N_("shared memory that the system takes in each block"),
            Unit::bytes, [](const Gpu& g) -> double { return g.reserved_shared_bytes; }},
           {"GlobalL1CacheSupported", N_("L1 holds global memory"), Unit::yes, nullptr},
           {"LocalL1CacheSupported", N_("L1 holds spilled registers"), Unit::yes, nullptr},
       }},
      {N_("memory"),
       {
           {"TotalGlobalMemory", N_("memory that programs see; the driver keeps some"), Unit::bytes,
            [](const Gpu& g) -> double { return double(g.memory_bytes); }},
           {"L2CacheSize", N_("the cache that all SMs share"), Unit::bytes,
            [](const Gpu& g) -> double { return double(g.l2_bytes); }},
           {"MaxPersistingL2CacheSize", N_("L2 that can be set aside for data that is to stay"), Unit::bytes,
            nullptr},
           {"MaxAccessPolicyWindowSize", N_("longest stretch of memory with an access policy"), Unit::bytes,
            nullptr},
           {"MemoryClockRate", N_("clock of the memory"), Unit::khz, nullptr},
           {"GlobalMemoryBusWidth", N_("wires to the memory"), Unit::bits, nullptr},
           {"EccEnabled", N_("memory errors are found and mended"), Unit::yes, nullptr},
           {"TotalConstantMemory", N_("memory for constants"), Unit::bytes, nullptr},
           {"MaxPitch", N_("longest row of a pitched copy"), Unit::bytes, nullptr},
           {"MemoryPoolsSupported", N_("cudaMallocAsync works"), Unit::yes, nullptr},
           {"MemoryPoolSupportedHandleTypes", N_("how pools can be shared between processes, as bits"),
            Unit::count, nullptr},
           {"SparseCudaArraySupported", N_("arrays with pages that are not there"), Unit::yes, nullptr},
           {"DeferredMappingCudaArraySupported", N_("arrays whose memory comes later"), Unit::yes, nullptr},
       }},
      {N_("launches"),
       {
           {"MaxThreadsPerBlock", N_("threads of a block"), Unit::count,
            [](const Gpu& g) -> double { return g.max_threads_per_block; }},
           {"MaxBlockDimX", N_("of them along x"), Unit::count, nullptr},
           {"MaxBlockDimY", N_("of them along y"), Unit::count, nullptr},
           {"MaxBlockDimZ", N_("of them along z"), Unit::count, nullptr},
           {"MaxGridDimX", N_("blocks of a grid along x"), Unit::count, nullptr},
           {"MaxGridDimY", N_("blocks of a grid along y"), Unit::count, nullptr},
           {"MaxGridDimZ", N_("blocks of a grid along z"), Unit::count, nullptr},
           {"CooperativeLaunch", N_("all blocks of a grid can meet at a barrier"), Unit::yes, nullptr},
           {"ClusterLaunch", N_("blocks can be launched as clusters"), Unit::yes, nullptr},
           {"MemSyncDomainCount", N_("domains in which fences do not wait for one another"), Unit::count,
            nullptr},
       }},
      {N_("the host and other devices"),
       {
           {"AsyncEngineCount", N_("copies that run beside kernels"), Unit::count, nullptr},
           {"GpuOverlap", N_("a copy can run beside a kernel"), Unit::yes, nullptr},
           {"Integrated", N_("it shares the host's memory chips"), Unit::yes, nullptr},
           {"CanMapHostMemory", N_("kernels can read the host's pinned memory"), Unit::yes, nullptr},
           {"UnifiedAddressing", N_("one address space with the host"), Unit::yes, nullptr},
           {"ManagedMemory", N_("memory that moves between host and device by itself"), Unit::yes, nullptr},
           {"ConcurrentManagedAccess", N_("host and device can use managed memory at the same time"),
            Unit::yes, nullptr},
           {"PageableMemoryAccess", N_("kernels can read any memory of the host"), Unit::yes, nullptr},
           {"PageableMemoryAccessUsesHostPageTables", N_("and do it by the host's page tables"), Unit::yes,
            nullptr},
           {"DirectManagedMemAccessFromHost", N_("the host reads managed memory where it lies"), Unit::yes,
            nullptr},
           {"HostNativeAtomicSupported", N_("atomics reach the host's memory"), Unit::yes, nullptr},
           {"CanUseHostPointerForRegisteredMem", N_("pinned memory has one address for both"), Unit::yes,
            nullptr},
           {"HostRegisterSupported", N_("the host's memory can be pinned later"), Unit::yes, nullptr},
           {"HostRegisterReadOnlySupported", N_("also for reading alone"), Unit::yes, nullptr},
           {"CanFlushRemoteWrites", N_("writes from other devices can be awaited"), Unit::yes, nullptr},
           {"GPUDirectRDMASupported", N_("network cards reach its memory"), Unit::yes, nullptr},
           {"GPUDirectRDMAFlushWritesOptions", N_("how their writes are awaited, as bits"), Unit::count,
            nullptr},
           {"GPUDirectRDMAWritesOrdering", N_("in what order their writes are seen"), Unit::count, nullptr},
           {"TimelineSemaphoreInteropSupported", N_("graphics programs can wait for it"), Unit::yes, nullptr},
           {"IpcEventSupport", N_("events can be shared between processes"), Unit::yes, nullptr},
           {"IsMultiGpuBoard", N_("one of several GPUs of a board"), Unit::yes, nullptr},
           {"TccDriver", N_("a driver without graphics (Windows)"), Unit::yes, nullptr},
       }},
  };
  return all;
}

constexpr const char* kTextures = N_("textures and surfaces: the largest sizes, and alignments");
constexpr const char* kOthers = N_("others");

bool is_of_textures(const std::string& name) {
  return name.find("Texture") != name.npos || name.find("Surface") != name.npos;
}

std::string text_of(double value, Unit unit) {
  char text[64];
  if (unit == Unit::yes) return value != 0 ? N_("yes") : N_("no");
  if (unit == Unit::khz) return std::snprintf(text, sizeof text, "%.3f GHz", value / 1e6), text;
  if (unit == Unit::bits) return std::snprintf(text, sizeof text, "%.0f bits", value), text;
  if (unit == Unit::count || value < 1024) return std::snprintf(text, sizeof text, "%.0f", value), text;
  const char* const units[] = {"KB", "MB", "GB", "TB"};
  int at = 0;
  for (value /= 1024; value >= 1024 && at < 3; ++at) value /= 1024;
  return std::snprintf(text, sizeof text, value == std::floor(value) ? "%.0f %s" : "%.1f %s", value,
                       units[at]),
         text;
}

// A driver keeps a little of the memory for itself, and clocks are printed rounded.
bool differs(const Attribute& attribute, double value, double file) {
  const bool rough = std::string(attribute.name) == "TotalGlobalMemory" || attribute.unit == Unit::khz;
  return rough ? std::abs(value - file) > 0.02 * file : value != file;
}

DeviceRow row_of(const Attribute& attribute, double value, const Gpu* gpu) {
  DeviceRow row{attribute.name, attribute.meaning, text_of(value, attribute.unit), {}, false};
  if (!gpu || !attribute.of_file) return row;
  const double file = attribute.of_file(*gpu);
  row.file = text_of(file, attribute.unit), row.differs = differs(attribute, value, file);
  return row;
}

}  // namespace

std::vector<DeviceGroup> device_report(const std::map<std::string, std::int64_t>& attributes,
                                       const Gpu* gpu) {
  std::vector<DeviceGroup> report;
  std::set<std::string> told;
  for (const Group& group : groups()) {
    DeviceGroup shown{group.title, {}};
    for (const Attribute& attribute : group.attributes) {
      const auto at = attributes.find(attribute.name);
      if (at == attributes.end()) continue;
      told.insert(attribute.name);
      shown.rows.push_back(row_of(attribute, double(at->second), gpu));
    }
    if (!shown.rows.empty()) report.push_back(std::move(shown));
  }
  DeviceGroup textures{kTextures, {}}, others{kOthers, {}};
  for (const auto& [name, value] : attributes)
    if (!told.contains(name))
      (is_of_textures(name) ? textures : others).rows.push_back({name, "", std::to_string(value), {}, false});
  for (DeviceGroup* group : {&textures, &others})
    if (!group->rows.empty()) report.push_back(std::move(*group));
  return report;
}

std::vector<DeviceGroup> device_report(const Gpu& gpu) {
  std::vector<DeviceGroup> report;
  for (const Group& group : groups()) {
    DeviceGroup shown{group.title, {}};
    for (const Attribute& attribute : group.attributes)
      if (attribute.of_file) {
        const std::string text = text_of(attribute.of_file(gpu), attribute.unit);
        shown.rows.push_back({attribute.name, attribute.meaning, text, text, false});
      }
    if (!shown.rows.empty()) report.push_back(std::move(shown));
  }
  return report;
}

}  // namespace lockstep
