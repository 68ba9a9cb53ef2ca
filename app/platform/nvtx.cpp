#include "nvtx.hpp"

#ifdef LOCKSTEP_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep {
namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t ours = nvtxDomainCreateA("lockstep");
  return ours;
}

nvtxEventAttributes_t named(const char* name) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  return event;
}

}  // namespace

void nvtx_push(const char* name) {
  const auto event = named(name);
  nvtxDomainRangePushEx(domain(), &event);
}
void nvtx_pop() { nvtxDomainRangePop(domain()); }
std::uint64_t nvtx_start(const char* name) {
  const auto event = named(name);
  return nvtxDomainRangeStartEx(domain(), &event);
}
void nvtx_end(std::uint64_t range) { nvtxDomainRangeEnd(domain(), range); }
void nvtx_mark(const char* name) {
  const auto event = named(name);
  nvtxDomainMarkEx(domain(), &event);
}
void nvtx_name_thread(const char* name) { nvtxNameOsThreadA(std::uint32_t(syscall(SYS_gettid)), name); }

}  // namespace lockstep

#else

namespace lockstep {

void nvtx_push(const char*) {}
void nvtx_pop() {}
std::uint64_t nvtx_start(const char*) { return 0; }
void nvtx_end(std::uint64_t) {}
void nvtx_mark(const char*) {}
void nvtx_name_thread(const char*) {}

}  // namespace lockstep

#endif
