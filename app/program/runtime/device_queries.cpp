// Questions that a reader's host code asks of the device: the one that assets/gpus.json describes, an H200.
#include <cstdio>
#include <cstring>

#include "app/model/occupancy.hpp"
#include "device_queries.hpp"
#include "host_turn.hpp"
#include "runtime.hpp"

using lockstep::Gpu;
using lockstep::reader::runtime;
using lockstep::reader::tracer;

namespace {

enum : int { kSuccess = 0, kInvalidValue = 1, kInvalidDevice = 101 };
constexpr int kClockKHz = 1980000, kMemoryClockKHz = 3201000, kBusBits = 6144;

struct ErrorText {
  int code;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {710, "cudaErrorAssert", "device-side assert triggered"},
    {713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    {715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {716, "cudaErrorMisalignedAddress", "misaligned address"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
    {903, "cudaErrorStreamCaptureUnmatched", "capture was not initiated in this stream"},
    {904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {906, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {910, "cudaErrorGraphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated constraints specific to "
     "instantiated graph update"},
    {999, "cudaErrorUnknown", "unknown error"},
};

const ErrorText& error_of(int code) {
  for (const ErrorText& e : kErrors)
    if (e.code == code) return e;
  return kErrors[std::size(kErrors) - 1];
}

int done() { return runtime().sticky ? runtime().error : kSuccess; }

struct Attribute {
  int id;
  long long value;
};

long long attribute_of(int id) {
  const Gpu& g = runtime().gpu;
  const Attribute all[] = {{1, g.max_threads_per_block},
                           {2, 1024},
                           {3, 1024},
                           {4, 64},
                           {5, 2147483647},
                           {6, 65535},
                           {7, 65535},
                           {8, 49152},
                           {9, 65536},
                           {10, 32},
                           {11, 2147483647},
                           {12, g.registers_per_sm},
                           {13, kClockKHz},
                           {16, g.multiprocessors},
                           {18, 0},
                           {19, 1},
                           {31, 1},
                           {36, kMemoryClockKHz},
                           {37, kBusBits},
                           {38, g.l2_bytes},
                           {39, g.max_threads_per_sm},
                           {40, 3},
                           {41, 1},
                           {75, g.compute_capability / 10},
                           {76, g.compute_capability % 10},
                           {81, g.shared_bytes_per_sm},
                           {82, g.registers_per_sm},
                           {83, 1},
                           {89, 1},
                           {95, 1},
                           {97, g.shared_bytes_per_block},
                           {106, g.max_blocks_per_sm},
                           {115, 1}};
  for (const Attribute& a : all)
    if (a.id == id) return a.value;
  return 0;
}

}  // namespace

using lockstep::reader::HostTurn;

extern "C" {
const char* lockstep_cudaGetErrorString(int code) { return error_of(code).text; }
const char* lockstep_cudaGetErrorName(int code) { return error_of(code).name; }

int lockstep_cudaSetDevice(int device) {
  const HostTurn turn;
  return device == 0 ? done() : runtime().fail(kInvalidDevice);
}
int lockstep_cudaGetDevice(int* device) { return *device = 0, done(); }
int lockstep_cudaGetDeviceCount(int* count) { return *count = 1, done(); }
int lockstep_cudaChooseDevice(int* device, const void*) { return *device = 0, done(); }
int lockstep_cudaDeviceGetAttribute(int* value, int attribute, int device) {
  const HostTurn turn;
  if (device != 0) return runtime().fail(kInvalidDevice);
  return *value = int(attribute_of(attribute)), done();
}

int lockstep_cudaGetDeviceProperties(LockstepDeviceProperties* to, int device) {
  const HostTurn turn;
  if (device != 0) return runtime().fail(kInvalidDevice);
  const Gpu& g = runtime().gpu;
  std::memset(static_cast<void*>(to), 0, sizeof *to);
  std::snprintf(to->name, sizeof to->name, "%s",
                g.device_names.empty() ? g.name.c_str() : g.device_names[0].c_str());
  to->totalGlobalMem = std::size_t(g.memory_bytes), to->sharedMemPerBlock = 49152;
  to->regsPerBlock = g.registers_per_sm, to->warpSize = 32, to->memPitch = 2147483647;
  to->maxThreadsPerBlock = g.max_threads_per_block;
  to->maxThreadsDim[0] = to->maxThreadsDim[1] = 1024, to->maxThreadsDim[2] = 64;
  to->maxGridSize[0] = 2147483647, to->maxGridSize[1] = to->maxGridSize[2] = 65535;
  to->clockRate = kClockKHz, to->totalConstMem = 65536;
  to->major = g.compute_capability / 10, to->minor = g.compute_capability % 10;
  to->textureAlignment = 512, to->texturePitchAlignment = 32, to->deviceOverlap = 1;
  to->multiProcessorCount = g.multiprocessors, to->canMapHostMemory = 1;
  to->maxTexture1D = 131072, to->maxTexture2D[0] = 131072, to->maxTexture2D[1] = 65536;
  to->concurrentKernels = 1, to->ECCEnabled = 1, to->asyncEngineCount = 3, to->unifiedAddressing = 1;
  to->memoryClockRate = kMemoryClockKHz, to->memoryBusWidth = kBusBits, to->l2CacheSize = int(g.l2_bytes);
  to->maxThreadsPerMultiProcessor = g.max_threads_per_sm;
  to->streamPrioritiesSupported = to->globalL1CacheSupported = to->localL1CacheSupported = 1;
  to->sharedMemPerMultiprocessor = std::size_t(g.shared_bytes_per_sm);
  to->regsPerMultiprocessor = g.registers_per_sm, to->managedMemory = 1, to->concurrentManagedAccess = 1;
  to->computePreemptionSupported = 1, to->cooperativeLaunch = 1, to->singleToDoublePrecisionPerfRatio = 2;
  to->sharedMemPerBlockOptin = std::size_t(g.shared_bytes_per_block);
  to->maxBlocksPerMultiProcessor = g.max_blocks_per_sm;
  to->reservedSharedMemPerBlock = std::size_t(g.reserved_shared_bytes), to->memoryPoolsSupported = 1;
  return done();
}

int lockstep_cudaSetDeviceFlags(unsigned) { return done(); }
int lockstep_cudaGetDeviceFlags(unsigned* flags) { return *flags = 0, done(); }
int lockstep_cudaDeviceSetLimit(int, unsigned long) { return done(); }
int lockstep_cudaDeviceGetLimit(unsigned long* value, int limit) {
  const HostTurn turn;
  return *value = limit == 0 ? 1024 : limit == 1 ? 1 << 20 : 8 << 20, done();
}
int lockstep_cudaDeviceSetCacheConfig(int) { return done(); }
int lockstep_cudaDeviceSetSharedMemConfig(int) { return done(); }
int lockstep_cudaDeviceGetSharedMemConfig(int* config) { return *config = 1, done(); }
int lockstep_cudaDeviceCanAccessPeer(int* can, int, int) { return *can = 0, done(); }
int lockstep_cudaDeviceEnablePeerAccess(int, unsigned) {
  const HostTurn turn;
  return runtime().fail(kInvalidDevice);
}
int lockstep_cudaDeviceDisablePeerAccess(int) {
  const HostTurn turn;
  return runtime().fail(705);
}
int lockstep_cudaDeviceGetPCIBusId(char* text, int size, int) {
  const HostTurn turn;
  return std::snprintf(text, std::size_t(size), "0000:00:00.0"), done();
}
int lockstep_cudaDriverGetVersion(int* version) { return *version = 12040, done(); }
int lockstep_cudaRuntimeGetVersion(int* version) { return *version = 12040, done(); }
int lockstep_cudaProfilerStart() { return done(); }
int lockstep_cudaProfilerStop() { return done(); }

int lockstep_set_attribute(const void* function, int attribute, int value) {
  const HostTurn turn;
  if (attribute == 8) {
    if (value > runtime().gpu.shared_bytes_per_block || value < 0) return runtime().fail(kInvalidValue);
    runtime().dynamic_limits[function] = value;
  }
  return done();
}
int lockstep_function_attributes(LockstepFunctionAttributes* to, const void*) {
  const HostTurn turn;
  std::memset(to, 0, sizeof *to);
  to->maxThreadsPerBlock = 1024, to->numRegs = 32, to->ptxVersion = to->binaryVersion = 90;
  to->maxDynamicSharedSizeBytes = 49152;
  return done();
}
// Registers are not known: as if a thread took 32.
int lockstep_occupancy(int* blocks, const void*, int threads, unsigned long shared) {
  const HostTurn turn;
  if (threads < 1 || threads > 1024) return runtime().fail(kInvalidValue);
  *blocks = lockstep::resident_blocks(runtime().gpu, {threads, 32, std::int64_t(shared)}).blocks;
  return done();
}
}
