// Compiled by nvcc beside a reader's program and loaded into it by the CUDA driver, which
// CUDA_INJECTION64_PATH tells to: CUPTI's record of every kernel becomes a line of the file that
// LOCKSTEP_KERNEL_TIMES names. The program itself stays as it is.
//   start_ns end_ns  grid x y z  block x y z  registers  shared bytes  name
#include <cupti.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
#else
using KernelRecord = CUpti_ActivityKernel9;
#endif

constexpr std::size_t kBufferBytes = std::size_t(1) << 20, kBufferAlignment = 64;
std::mutex mutex;
std::FILE* file = nullptr;

void CUPTIAPI buffer_wanted(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *most_records = 0;
}

void write(const KernelRecord& k) {
  std::fprintf(file, "%llu %llu %d %d %d %d %d %d %d %lld %s\n", (unsigned long long)k.start,
               (unsigned long long)k.end, k.gridX, k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ,
               int(k.registersPerThread), (long long)k.staticSharedMemory + k.dynamicSharedMemory,
               k.name ? k.name : "?");
}

void CUPTIAPI buffer_done(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  const std::lock_guard<std::mutex> lock(mutex);
  CUpti_Activity* record = nullptr;
  while (valid && file && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL)
      write(*reinterpret_cast<KernelRecord*>(record));
  if (file) std::fflush(file);
  std::free(buffer);
}

void flush() { cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); }

// Records go with their context: they are taken before a program resets its device.
void CUPTIAPI before_reset(void*, CUpti_CallbackDomain, CUpti_CallbackId, const CUpti_CallbackData* call) {
  if (call->callbackSite == CUPTI_API_ENTER) flush();
}

}  // namespace

// The driver calls this; not 1 means that it could not be loaded.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* path = std::getenv("LOCKSTEP_KERNEL_TIMES");
  if (!path || file || !(file = std::fopen(path, "w"))) return 1;
  cuptiActivityRegisterCallbacks(buffer_wanted, buffer_done);
  const CUptiResult enabled = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (enabled != CUPTI_SUCCESS) {
    const char* name = "CUPTI refused";
    cuptiGetResultString(enabled, &name);
    std::fprintf(file, "! %s\n", name), std::fflush(file);
    return 1;
  }
  CUpti_SubscriberHandle subscriber;
  if (cuptiSubscribe(&subscriber, CUpti_CallbackFunc(before_reset), nullptr) == CUPTI_SUCCESS)
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                        CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020);
  std::atexit(flush);
  return 1;
}
