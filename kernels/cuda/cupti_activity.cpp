#include "kernels/cuda/cupti_activity.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <utility>

#include "app/platform/libraries.hpp"
#include "kernels/cuda/clocks.cuh"

#if __has_include(<cupti.h>)
#include <cupti.h>
#define LOCKSTEP_HAS_CUPTI
#endif

namespace lockstep::cuda {

std::vector<std::string> cupti_files() {
  if (const char* named = std::getenv("LOCKSTEP_CUPTI"); named && *named) return {named};
  const std::string versioned = std::string("libcupti.so.") + std::to_string(CUDART_VERSION / 1000);
  std::vector<std::string> files;
  for (const char* folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/"})
    for (const std::string& name : {versioned, std::string("libcupti.so")}) files.push_back(folder + name);
  return files;
}

#ifndef LOCKSTEP_HAS_CUPTI

struct CuptiTrace::Session {};
CuptiTrace::CuptiTrace() = default;
CuptiTrace::~CuptiTrace() = default;
ActivityProblem CuptiTrace::start(const std::vector<std::string>&) { return {"no_headers", "", ""}; }
void CuptiTrace::name_node(const void*, int) {}
ActivityProblem CuptiTrace::take(ActivityPass&, std::int64_t) { return {"no_headers", "", ""}; }
double CuptiTrace::clock_error_us() const { return std::numeric_limits<double>::infinity(); }

#else

namespace {

// A kernel's record in the form that CUPTI writes since this version. Later ones have grown at the end: what
// is read here has kept its place.
#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
static_assert(offsetof(CUpti_ActivityKernel9, graphNodeId) == offsetof(KernelRecord, graphNodeId));
static_assert(offsetof(CUpti_ActivityKernel9, correlationId) == offsetof(KernelRecord, correlationId));
static_assert(offsetof(CUpti_ActivityKernel9, start) == offsetof(KernelRecord, start));
#else
using KernelRecord = CUpti_ActivityKernel9;
#endif

struct Functions {
  decltype(&cuptiGetVersion) version = nullptr;
  decltype(&cuptiGetResultString) result_string = nullptr;
  decltype(&cuptiGetTimestamp) timestamp = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiFinalize) finalize = nullptr;
  decltype(&cuptiEnableCallback) enable_callback = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
  decltype(&cuptiGetGraphNodeId) graph_node_id = nullptr;
};

// Before CUDA 13 the version is a small number that grows, from then on 10000 times CUDA's and more.
constexpr std::uint32_t major_of(std::uint32_t version) { return version >= 100000 ? version / 10000 : 0; }

ActivityProblem load(const std::vector<std::string>& files, Functions& f) {
  Library library;
  std::string file;
  for (std::size_t i = 0; i < files.size() && !library; ++i) file = files[i], library = Library::open(file);
  if (!library) {
    const bool named = files.size() == 1;
    return {named ? "named_library" : "no_library", files.empty() ? "libcupti.so" : files.front(), ""};
  }
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    library.find(name, function);
    if (!function && missing.empty()) missing = name;
  };
  find(f.version, "cuptiGetVersion"), find(f.result_string, "cuptiGetResultString");
  find(f.timestamp, "cuptiGetTimestamp");
  find(f.subscribe, "cuptiSubscribe"), find(f.unsubscribe, "cuptiUnsubscribe");
  find(f.finalize, "cuptiFinalize");
  find(f.enable_callback, "cuptiEnableCallback");
  find(f.register_callbacks, "cuptiActivityRegisterCallbacks");
  find(f.enable, "cuptiActivityEnable"), find(f.disable, "cuptiActivityDisable");
  find(f.flush_all, "cuptiActivityFlushAll"), find(f.next_record, "cuptiActivityGetNextRecord");
  find(f.dropped, "cuptiActivityGetNumDroppedRecords"), find(f.graph_node_id, "cuptiGetGraphNodeId");
  if (!missing.empty()) return {"no_symbol", missing, file};
  std::uint32_t version = 0;
  if (f.version(&version) != CUPTI_SUCCESS || major_of(version) != major_of(CUPTI_API_VERSION))
    return {"other_version", file, ""};
  return {};
}

// The two kinds that are recorded. Records of whole graphs (GRAPH_TRACE) are left off: with them CUPTI writes
// none of the kernels inside.
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME};

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = 64;  // CUPTI asks for 8

// CUPTI fills buffers from threads of its own and calls back without a word of whose they are.
struct Collected {
  std::mutex mutex;
  Functions f;
  bool names = false;  // the library is the one whose headers are known: its pointers can be followed
  std::vector<ActivityKernel> kernels;  // CUPTI's times
  std::vector<std::uint32_t> calls;
  std::int64_t lost = 0;
  std::map<std::uint64_t, int> node_of;
};
Collected& collected() {
  static Collected all;
  return all;
}

void CUPTIAPI buffer_wanted(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *most_records = 0;  // as many as there is room for
}

void note(Collected& all, const CUpti_Activity& record) {
  if (record.kind == CUPTI_ACTIVITY_KIND_RUNTIME)
    return all.calls.push_back(reinterpret_cast<const CUpti_ActivityAPI&>(record).correlationId);
  if (record.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && record.kind != CUPTI_ACTIVITY_KIND_KERNEL)
    return;
  const auto& kernel = reinterpret_cast<const KernelRecord&>(record);
  if (!kernel.start || kernel.end < kernel.start) {
    ++all.lost;
    return;
  }
  all.kernels.push_back({all.names && kernel.name ? kernel.name : "", std::int64_t(kernel.start),
                         std::int64_t(kernel.end), kernel.correlationId, kernel.graphNodeId,
                         kernel.streamId});
}

void CUPTIAPI buffer_done(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  CUpti_Activity* record = nullptr;
  while (valid && all.f.next_record(buffer, valid, &record) == CUPTI_SUCCESS) note(all, *record);
  std::size_t dropped = 0;
  if (all.f.dropped(context, stream, &dropped) == CUPTI_SUCCESS) all.lost += std::int64_t(dropped);
  std::free(buffer);
}

// A graph is instantiated: its nodes are copied.
void CUPTIAPI node_copied(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED || !data) return;
  const auto* graph =
      static_cast<const CUpti_GraphData*>(static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
  Collected& all = collected();
  std::uint64_t original = 0, copy = 0;
  if (!graph || all.f.graph_node_id(graph->originalNode, &original) != CUPTI_SUCCESS ||
      all.f.graph_node_id(graph->node, &copy) != CUPTI_SUCCESS)
    return;
  const std::lock_guard lock(all.mutex);
  if (const auto known = all.node_of.find(original); known != all.node_of.end())
    all.node_of[copy] = known->second;
}

struct Offset {
  std::int64_t ns = 0;  // cpu_ns() minus CUPTI's time
  std::int64_t error_ns = 0;
};
constexpr std::int64_t kNoOffset_ns = 1'000'000'000;
Offset offset_now(const Functions& f) {
  constexpr int kTimes = 100;
  Offset best{0, kNoOffset_ns};
  for (int i = 0; i < kTimes; ++i) {
    std::uint64_t there = 0;
    const std::int64_t before = cpu_ns();
    if (f.timestamp(&there) != CUPTI_SUCCESS) continue;
    const std::int64_t after = cpu_ns(), error = (after - before + 1) / 2;
    if (error < best.error_ns) best = {before + error - std::int64_t(there), error};
  }
  return best;
}

}  // namespace

struct CuptiTrace::Session {
  Functions f;
  CUpti_SubscriberHandle subscriber = nullptr;
  std::vector<CUpti_ActivityKind> enabled;
  Offset first, last;

  // "" or the call's problem.
  ActivityProblem check(CUptiResult result, const char* call) const {
    if (result == CUPTI_SUCCESS) return {};
    const char* name = nullptr;
    if (f.result_string(result, &name) != CUPTI_SUCCESS || !name) name = "CUPTI_ERROR_UNKNOWN";
    // Those that have advice of their own are known by number, whatever the library calls them.
    const char* reason = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                         : result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                             ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                             : name;
    return {reason, name, call};
  }
  ActivityProblem start() {
    if (auto p = check(f.subscribe(&subscriber, node_copied, nullptr), "cuptiSubscribe"); p.any()) {
      subscriber = nullptr;
      return p;
    }
    if (auto p = check(
            f.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED),
            "cuptiEnableCallback");
        p.any())
      return p;
    if (auto p = check(f.register_callbacks(buffer_wanted, buffer_done), "cuptiActivityRegisterCallbacks");
        p.any())
      return p;
    for (const CUpti_ActivityKind kind : kKinds) {
      if (auto p = check(f.enable(kind), "cuptiActivityEnable"); p.any()) return p;
      enabled.push_back(kind);
    }
    first = last = offset_now(f);
    return {};
  }
  ~Session() {
    for (const CUpti_ActivityKind kind : enabled) f.disable(kind);
    if (!enabled.empty()) f.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    if (!subscriber) return;
    f.unsubscribe(subscriber);
    f.finalize();  // or calls stay slower for the rest of the process: 48 % seen for a decode step on an H200
  }
};

CuptiTrace::CuptiTrace() = default;
CuptiTrace::~CuptiTrace() = default;

ActivityProblem CuptiTrace::start(const std::vector<std::string>& files) {
  auto session = std::make_unique<Session>();
  if (auto problem = load(files, session->f); problem.any()) return problem;
  {
    Collected& all = collected();
    const std::lock_guard lock(all.mutex);
    std::uint32_t version = 0;
    session->f.version(&version);
    all.f = session->f, all.names = version / 100 == CUPTI_API_VERSION / 100;
    all.kernels.clear(), all.calls.clear(), all.node_of.clear(), all.lost = 0;
  }
  if (auto problem = session->start(); problem.any()) return problem;
  session_ = std::move(session);
  return {};
}

void CuptiTrace::name_node(const void* node, int kernel) {
  std::uint64_t id = 0;
  if (!session_ ||
      session_->f.graph_node_id(static_cast<CUgraphNode>(const_cast<void*>(node)), &id) != CUPTI_SUCCESS)
    return;
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  all.node_of[id] = kernel;
}

ActivityProblem CuptiTrace::take(ActivityPass& pass, std::int64_t origin_ns) {
  if (!session_) return {"run", "there is no trace", ""};
  // What is complete, and then what CUPTI still holds back.
  for (const std::uint32_t how : {0u, std::uint32_t(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)})
    if (auto p = session_->check(session_->f.flush_all(how), "cuptiActivityFlushAll"); p.any()) return p;
  session_->last = offset_now(session_->f);
  const std::int64_t offset = (session_->first.ns + session_->last.ns) / 2 - origin_ns;
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  pass.records = std::exchange(all.kernels, {}), pass.calls = std::exchange(all.calls, {});
  pass.lost = std::exchange(all.lost, 0), pass.node_of = all.node_of;
  for (ActivityKernel& kernel : pass.records) kernel.start_ns += offset, kernel.end_ns += offset;
  return {};
}

double CuptiTrace::clock_error_us() const {
  if (!session_) return std::numeric_limits<double>::infinity();
  const Offset &a = session_->first, &b = session_->last;
  if (std::max(a.error_ns, b.error_ns) >= kNoOffset_ns) return std::numeric_limits<double>::infinity();
  return double(std::max(a.error_ns, b.error_ns) + std::abs(b.ns - a.ns) / 2 + 1) / 1e3;
}

#endif

}  // namespace lockstep::cuda
