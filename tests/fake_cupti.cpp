// Stands in for libcupti in the loader's tests; built three times. FAKE_CUPTI_ANSWER: what cuptiSubscribe
// answers. FAKE_CUPTI_LACKS: one of its functions is not there.
#include <cupti.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

struct State {
  CUpti_CallbackFunc told = nullptr;
  bool clones = false;
  CUpti_BuffersCallbackRequestFunc wanted = nullptr;
  CUpti_BuffersCallbackCompleteFunc done = nullptr;
  std::vector<std::uint8_t> records;  // what the next flush hands over
  std::size_t dropped = 0;
  std::uint32_t enabled = 0;  // a bit per kind
  int finalized = 0;
};
State state;

std::size_t size_of(const CUpti_Activity* record) {
  return record->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? sizeof(CUpti_ActivityAPI)
                                                     : sizeof(CUpti_ActivityKernel10);
}
template <class Record>
void add(const Record& record) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
  state.records.insert(state.records.end(), bytes, bytes + sizeof record);
}

}  // namespace

extern "C" {

// --- what the tests say happened
void fake_kernel(std::uint64_t start, std::uint64_t end, std::uint32_t correlation, std::uint64_t node) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = start, kernel.end = end, kernel.correlationId = correlation, kernel.graphNodeId = node;
  kernel.streamId = 7, kernel.name = "a_kernel";
  add(kernel);
}
void fake_call(std::uint32_t correlation) {
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME, call.correlationId = correlation;
  add(call);
}
void fake_loss(std::size_t count) { state.dropped = count; }
void fake_clone(CUgraphNode from, CUgraphNode to) {
  CUpti_GraphData graph{};
  graph.originalNode = from, graph.node = to;
  CUpti_ResourceData resource{};
  resource.resourceDescriptor = &graph;
  if (state.told && state.clones)
    state.told(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &resource);
}
std::uint32_t fake_enabled() { return state.enabled; }
bool fake_subscribed() { return state.told != nullptr; }
int fake_finalized() { return state.finalized; }

// --- CUPTI
CUptiResult cuptiGetVersion(std::uint32_t* version) { return *version = CUPTI_API_VERSION, CUPTI_SUCCESS; }
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text =
      result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_FAKE";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(std::uint64_t* now) {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  *now = std::uint64_t(time.tv_sec) * 1'000'000'000 + std::uint64_t(time.tv_nsec);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc told, void*) {
  if (FAKE_CUPTI_ANSWER == 0) *handle = reinterpret_cast<CUpti_SubscriberHandle>(&state), state.told = told;
  return CUptiResult(FAKE_CUPTI_ANSWER);
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) { return state.told = nullptr, CUPTI_SUCCESS; }
CUptiResult cuptiFinalize() { return ++state.finalized, CUPTI_SUCCESS; }
CUptiResult cuptiEnableCallback(std::uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) state.clones = on;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc wanted,
                                           CUpti_BuffersCallbackCompleteFunc done) {
  return state.wanted = wanted, state.done = done, CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  return state.enabled |= 1u << kind, CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return state.enabled &= ~(1u << kind), CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  if (state.records.empty()) return CUPTI_SUCCESS;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0, most = 0;
  state.wanted(&buffer, &size, &most);
  if (size < state.records.size()) return CUPTI_ERROR_OUT_OF_MEMORY;
  std::memcpy(buffer, state.records.data(), state.records.size());
  const std::size_t valid = state.records.size();
  state.records.clear();
  state.done(nullptr, 0, buffer, size, valid);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  std::uint8_t* next = *record ? reinterpret_cast<std::uint8_t*>(*record) + size_of(*record) : buffer;
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  return *record = reinterpret_cast<CUpti_Activity*>(next), CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = state.dropped, state.dropped = 0;
  return CUPTI_SUCCESS;
}
#ifndef FAKE_CUPTI_LACKS
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* id) {
  return *id = reinterpret_cast<std::uintptr_t>(node), CUPTI_SUCCESS;
}
#endif

}  // extern "C"
