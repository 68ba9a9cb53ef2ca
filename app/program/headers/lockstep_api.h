// The part of the CUDA runtime API that single-file programs use. What is not here is not supported, and the compiler
// says so by its name.
#pragma once
#pragma clang system_header
#include "lockstep_records.h"

// The guards of CUDA's own headers, which programs ask for.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorCudartUnloading = 4,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPitchValue = 12,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidHostPointer = 16,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInvalidTexture = 18,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInsufficientDriver = 35,
  cudaErrorMissingConfiguration = 52,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidKernelImage = 200,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorIllegalState = 401,
  cudaErrorSymbolNotFound = 500,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorPeerAccessAlreadyEnabled = 704,
  cudaErrorPeerAccessNotEnabled = 705,
  cudaErrorAssert = 710,
  cudaErrorHostMemoryAlreadyRegistered = 712,
  cudaErrorHostMemoryNotRegistered = 713,
  cudaErrorHardwareStackError = 714,
  cudaErrorIllegalInstruction = 715,
  cudaErrorMisalignedAddress = 716,
  cudaErrorInvalidAddressSpace = 717,
  cudaErrorInvalidPc = 718,
  cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorNotPermitted = 800,
  cudaErrorNotSupported = 801,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureMerge = 902,
  cudaErrorStreamCaptureUnmatched = 903,
  cudaErrorStreamCaptureUnjoined = 904,
  cudaErrorStreamCaptureIsolation = 905,
  cudaErrorStreamCaptureImplicit = 906,
  cudaErrorCapturedEvent = 907,
  cudaErrorStreamCaptureWrongThread = 908,
  cudaErrorGraphExecUpdateFailure = 910,
  cudaErrorUnknown = 999,
  // Old ones, and those that nothing here returns.
  cudaErrorProfilerDisabled = 5,
  cudaErrorProfilerNotInitialized = 6,
  cudaErrorProfilerAlreadyStarted = 7,
  cudaErrorProfilerAlreadyStopped = 8,
  cudaErrorInvalidTextureBinding = 19,
  cudaErrorInvalidChannelDescriptor = 20,
  cudaErrorAddressOfConstant = 22,
  cudaErrorTextureFetchFailed = 23,
  cudaErrorTextureNotBound = 24,
  cudaErrorSynchronizationError = 25,
  cudaErrorInvalidFilterSetting = 26,
  cudaErrorInvalidNormSetting = 27,
  cudaErrorMixedDeviceExecution = 28,
  cudaErrorNotYetImplemented = 31,
  cudaErrorMemoryValueTooLarge = 32,
  cudaErrorInvalidSurface = 37,
  cudaErrorDuplicateVariableName = 43,
  cudaErrorDuplicateTextureName = 44,
  cudaErrorDuplicateSurfaceName = 45,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorIncompatibleDriverContext = 49,
  cudaErrorPriorLaunchFailure = 53,
  cudaErrorLaunchMaxDepthExceeded = 65,
  cudaErrorLaunchFileScopedTex = 66,
  cudaErrorLaunchFileScopedSurf = 67,
  cudaErrorSyncDepthExceeded = 68,
  cudaErrorLaunchPendingCountExceeded = 69,
  cudaErrorStartupFailure = 127,
  cudaErrorDeviceUninitialized = 201,
  cudaErrorMapBufferObjectFailed = 205,
  cudaErrorUnmapBufferObjectFailed = 206,
  cudaErrorArrayIsMapped = 207,
  cudaErrorAlreadyMapped = 208,
  cudaErrorAlreadyAcquired = 210,
  cudaErrorNotMapped = 211,
  cudaErrorECCUncorrectable = 214,
  cudaErrorUnsupportedLimit = 215,
  cudaErrorDeviceAlreadyInUse = 216,
  cudaErrorPeerAccessUnsupported = 217,
  cudaErrorInvalidPtx = 218,
  cudaErrorInvalidGraphicsContext = 219,
  cudaErrorInvalidSource = 300,
  cudaErrorFileNotFound = 301,
  cudaErrorSharedObjectSymbolNotFound = 302,
  cudaErrorSharedObjectInitFailed = 303,
  cudaErrorOperatingSystem = 304,
  cudaErrorLaunchIncompatibleTexturing = 703,
  cudaErrorSetOnActiveProcess = 708,
  cudaErrorContextIsDestroyed = 709,
  cudaErrorTooManyPeers = 711,
  cudaErrorApiFailureBase = 10000
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0, cudaSharedmemCarveoutMaxShared = 100 };
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrTotalConstantMemory = 9,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxPitch = 11,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrAsyncEngineCount = 40,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrConcurrentManagedAccess = 89,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrMemoryPoolsSupported = 115
};
enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
constexpr int cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2;
constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2;
constexpr unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4;
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4;
constexpr unsigned cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
                   cudaDeviceScheduleBlockingSync = 4, cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16;
#define CUDART_VERSION 12040
#define CUDA_VERSION 12040
#define CUDART_PI_F 3.141592654f
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_INF __builtin_inf()

struct cudaDeviceProp : LockstepDeviceProperties {};
struct cudaFuncAttributes : LockstepFunctionAttributes {};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
struct cudaPitchedPtr {
  void* ptr;
  unsigned long pitch, xsize, ysize;
};
struct cudaExtent {
  unsigned long width, height, depth;
};
struct cudaPos {
  unsigned long x, y, z;
};
struct lockstep_event;
typedef lockstep_event* cudaEvent_t;
struct lockstep_memory_pool;
typedef lockstep_memory_pool* cudaMemPool_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
typedef void (*cudaHostFn_t)(void*);
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

// In the program that loads readers' objects the names may belong to NVIDIA's own library.
#define LOCKSTEP_AS(name) __asm__("lockstep_" #name)

extern "C" {
cudaError_t lockstep_malloc_device(void** at, unsigned long bytes, int kind, unsigned element_bytes, const char* type);
cudaError_t lockstep_symbol_copy(void* symbol, void* other, unsigned long bytes, unsigned long offset, int to_symbol);
cudaError_t lockstep_occupancy(int* blocks, const void* function, int threads, unsigned long shared);
cudaError_t lockstep_function_attributes(cudaFuncAttributes*, const void* function);
cudaError_t lockstep_set_attribute(const void* function, int attribute, int value);
const char* lockstep_kernel_name(const void* function);
cudaError_t lockstep_launch_known(const void* function, const LockstepPointerLaunch*, cudaStream_t, int cooperative);

cudaError_t cudaFree(void*) LOCKSTEP_AS(cudaFree);
cudaError_t cudaFreeHost(void*) LOCKSTEP_AS(cudaFreeHost);
cudaError_t cudaFreeAsync(void*, cudaStream_t) LOCKSTEP_AS(cudaFreeAsync);
cudaError_t cudaMallocPitch(void**, unsigned long* pitch, unsigned long width, unsigned long height) LOCKSTEP_AS(cudaMallocPitch);
cudaError_t cudaMalloc3D(cudaPitchedPtr*, cudaExtent) LOCKSTEP_AS(cudaMalloc3D);
cudaError_t cudaHostRegister(void*, unsigned long, unsigned) LOCKSTEP_AS(cudaHostRegister);
cudaError_t cudaHostUnregister(void*) LOCKSTEP_AS(cudaHostUnregister);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) LOCKSTEP_AS(cudaHostGetDevicePointer);
cudaError_t cudaMemcpy(void* to, const void* from, unsigned long bytes, cudaMemcpyKind) LOCKSTEP_AS(cudaMemcpy);
cudaError_t cudaMemcpyAsync(void* to, const void* from, unsigned long bytes, cudaMemcpyKind, cudaStream_t = nullptr) LOCKSTEP_AS(cudaMemcpyAsync);
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, unsigned long bytes) LOCKSTEP_AS(cudaMemcpyPeer);
cudaError_t cudaMemcpy2D(void* to, unsigned long to_pitch, const void* from, unsigned long from_pitch, unsigned long width,
                         unsigned long height, cudaMemcpyKind) LOCKSTEP_AS(cudaMemcpy2D);
cudaError_t cudaMemcpy2DAsync(void* to, unsigned long to_pitch, const void* from, unsigned long from_pitch,
                              unsigned long width, unsigned long height, cudaMemcpyKind, cudaStream_t = nullptr) LOCKSTEP_AS(cudaMemcpy2DAsync);
cudaError_t cudaMemset(void*, int, unsigned long) LOCKSTEP_AS(cudaMemset);
cudaError_t cudaMemsetAsync(void*, int, unsigned long, cudaStream_t = nullptr) LOCKSTEP_AS(cudaMemsetAsync);
cudaError_t cudaMemset2D(void*, unsigned long pitch, int value, unsigned long width, unsigned long height) LOCKSTEP_AS(cudaMemset2D);
cudaError_t cudaMemGetInfo(unsigned long* free, unsigned long* total) LOCKSTEP_AS(cudaMemGetInfo);
cudaError_t cudaMemPrefetchAsync(const void*, unsigned long, int, cudaStream_t = nullptr) LOCKSTEP_AS(cudaMemPrefetchAsync);
cudaError_t cudaMemAdvise(const void*, unsigned long, cudaMemoryAdvise, int) LOCKSTEP_AS(cudaMemAdvise);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, unsigned long = 0, unsigned = 4) LOCKSTEP_AS(cudaStreamAttachMemAsync);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*) LOCKSTEP_AS(cudaPointerGetAttributes);

cudaError_t cudaGetLastError() LOCKSTEP_AS(cudaGetLastError);
cudaError_t cudaPeekAtLastError() LOCKSTEP_AS(cudaPeekAtLastError);
const char* cudaGetErrorString(cudaError_t) LOCKSTEP_AS(cudaGetErrorString);
const char* cudaGetErrorName(cudaError_t) LOCKSTEP_AS(cudaGetErrorName);

cudaError_t cudaDeviceSynchronize() LOCKSTEP_AS(cudaDeviceSynchronize);
cudaError_t cudaThreadSynchronize() LOCKSTEP_AS(cudaThreadSynchronize);
cudaError_t cudaThreadExit() LOCKSTEP_AS(cudaThreadExit);
cudaError_t cudaDeviceReset() LOCKSTEP_AS(cudaDeviceReset);
cudaError_t cudaSetDevice(int) LOCKSTEP_AS(cudaSetDevice);
cudaError_t cudaGetDevice(int*) LOCKSTEP_AS(cudaGetDevice);
cudaError_t cudaGetDeviceCount(int*) LOCKSTEP_AS(cudaGetDeviceCount);
cudaError_t cudaChooseDevice(int*, const cudaDeviceProp*) LOCKSTEP_AS(cudaChooseDevice);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int) LOCKSTEP_AS(cudaGetDeviceProperties);
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int) LOCKSTEP_AS(cudaDeviceGetAttribute);
cudaError_t cudaSetDeviceFlags(unsigned) LOCKSTEP_AS(cudaSetDeviceFlags);
cudaError_t cudaGetDeviceFlags(unsigned*) LOCKSTEP_AS(cudaGetDeviceFlags);
cudaError_t cudaDeviceSetLimit(cudaLimit, unsigned long) LOCKSTEP_AS(cudaDeviceSetLimit);
cudaError_t cudaDeviceGetLimit(unsigned long*, cudaLimit) LOCKSTEP_AS(cudaDeviceGetLimit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) LOCKSTEP_AS(cudaDeviceSetCacheConfig);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) LOCKSTEP_AS(cudaDeviceSetSharedMemConfig);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig*) LOCKSTEP_AS(cudaDeviceGetSharedMemConfig);
cudaError_t cudaDeviceCanAccessPeer(int*, int, int) LOCKSTEP_AS(cudaDeviceCanAccessPeer);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) LOCKSTEP_AS(cudaDeviceEnablePeerAccess);
cudaError_t cudaDeviceDisablePeerAccess(int) LOCKSTEP_AS(cudaDeviceDisablePeerAccess);
cudaError_t cudaDeviceGetPCIBusId(char*, int, int) LOCKSTEP_AS(cudaDeviceGetPCIBusId);
cudaError_t cudaDriverGetVersion(int*) LOCKSTEP_AS(cudaDriverGetVersion);
cudaError_t cudaRuntimeGetVersion(int*) LOCKSTEP_AS(cudaRuntimeGetVersion);
cudaError_t cudaProfilerStart() LOCKSTEP_AS(cudaProfilerStart);
cudaError_t cudaProfilerStop() LOCKSTEP_AS(cudaProfilerStop);

cudaError_t cudaStreamCreate(cudaStream_t*) LOCKSTEP_AS(cudaStreamCreate);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned) LOCKSTEP_AS(cudaStreamCreateWithFlags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t*, unsigned, int) LOCKSTEP_AS(cudaStreamCreateWithPriority);
cudaError_t cudaDeviceGetStreamPriorityRange(int*, int*) LOCKSTEP_AS(cudaDeviceGetStreamPriorityRange);
cudaError_t cudaStreamDestroy(cudaStream_t) LOCKSTEP_AS(cudaStreamDestroy);
cudaError_t cudaStreamSynchronize(cudaStream_t) LOCKSTEP_AS(cudaStreamSynchronize);
cudaError_t cudaStreamQuery(cudaStream_t) LOCKSTEP_AS(cudaStreamQuery);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) LOCKSTEP_AS(cudaStreamWaitEvent);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void*, unsigned) LOCKSTEP_AS(cudaStreamAddCallback);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*) LOCKSTEP_AS(cudaLaunchHostFunc);
cudaError_t cudaEventCreate(cudaEvent_t*) LOCKSTEP_AS(cudaEventCreate);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned) LOCKSTEP_AS(cudaEventCreateWithFlags);
cudaError_t cudaEventDestroy(cudaEvent_t) LOCKSTEP_AS(cudaEventDestroy);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) LOCKSTEP_AS(cudaEventRecord);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t = nullptr, unsigned = 0) LOCKSTEP_AS(cudaEventRecordWithFlags);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned*) LOCKSTEP_AS(cudaStreamGetFlags);
cudaError_t cudaStreamGetPriority(cudaStream_t, int*) LOCKSTEP_AS(cudaStreamGetPriority);
cudaError_t cudaEventSynchronize(cudaEvent_t) LOCKSTEP_AS(cudaEventSynchronize);
cudaError_t cudaEventQuery(cudaEvent_t) LOCKSTEP_AS(cudaEventQuery);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) LOCKSTEP_AS(cudaEventElapsedTime);
}

inline cudaError_t cudaMalloc(void** at, unsigned long bytes) __attribute__((always_inline, nodebug));
inline cudaError_t cudaMalloc(void** at, unsigned long bytes) { return lockstep_malloc_device(at, bytes, 0, 0, ""); }
#define LOCKSTEP_TYPED(T) unsigned(lockstep_size_of<T>::value), lockstep_type_name<T>()
template <class T>
LOCKSTEP_INLINE cudaError_t cudaMalloc(T** at, unsigned long bytes) {
  return lockstep_malloc_device((void**)at, bytes, 0, LOCKSTEP_TYPED(T));
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaMallocManaged(T** at, unsigned long bytes, unsigned = cudaMemAttachGlobal) {
  return lockstep_malloc_device((void**)at, bytes, 1, LOCKSTEP_TYPED(T));
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaMallocHost(T** at, unsigned long bytes, unsigned = 0) {
  return lockstep_malloc_device((void**)at, bytes, 2, LOCKSTEP_TYPED(T));
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaHostAlloc(T** at, unsigned long bytes, unsigned) {
  return lockstep_malloc_device((void**)at, bytes, 2, LOCKSTEP_TYPED(T));
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaMallocAsync(T** at, unsigned long bytes, cudaStream_t) {
  return lockstep_malloc_device((void**)at, bytes, 0, LOCKSTEP_TYPED(T));
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaMallocPitch(T** at, unsigned long* pitch, unsigned long width, unsigned long height) {
  return cudaMallocPitch((void**)at, pitch, width, height);
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer((void**)device, host, flags);
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, unsigned long bytes,
                                               unsigned long offset = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return lockstep_symbol_copy((void*)&symbol, (void*)from, bytes, offset, 1);
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, unsigned long bytes,
                                                 unsigned long offset = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return lockstep_symbol_copy((void*)&symbol, to, bytes, offset, 0);
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, unsigned long bytes,
                                                    unsigned long offset, cudaMemcpyKind, cudaStream_t = nullptr) {
  return lockstep_symbol_copy((void*)&symbol, (void*)from, bytes, offset, 1);
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaGetSymbolAddress(void** at, const T& symbol) {
  *at = (void*)&symbol;
  return cudaSuccess;
}
template <class T>
LOCKSTEP_INLINE cudaError_t cudaGetSymbolSize(unsigned long* bytes, const T& symbol) {
  *bytes = sizeof symbol;
  return cudaSuccess;
}
LOCKSTEP_INLINE cudaExtent make_cudaExtent(unsigned long w, unsigned long h, unsigned long d) { return {w, h, d}; }
LOCKSTEP_INLINE cudaPos make_cudaPos(unsigned long x, unsigned long y, unsigned long z) { return {x, y, z}; }
LOCKSTEP_INLINE cudaPitchedPtr make_cudaPitchedPtr(void* at, unsigned long pitch, unsigned long x, unsigned long y) {
  return {at, pitch, x, y};
}
LOCKSTEP_INLINE cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
template <class F>
LOCKSTEP_INLINE cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) {
  return cudaSuccess;
}
template <class F>
LOCKSTEP_INLINE cudaError_t cudaFuncSetSharedMemConfig(F*, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class F>
LOCKSTEP_INLINE cudaError_t cudaFuncSetAttribute(F* function, cudaFuncAttribute attribute, int value) {
  return lockstep_set_attribute((const void*)function, attribute, value);
}
template <class F>
LOCKSTEP_INLINE cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* to, F* function) {
  return lockstep_function_attributes(to, (const void*)function);
}
template <class F>
LOCKSTEP_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F* function, int threads,
                                                                          unsigned long shared) {
  return lockstep_occupancy(blocks, (const void*)function, threads, shared);
}
template <class F>
LOCKSTEP_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F* function, int threads,
                                                                                   unsigned long shared, unsigned) {
  return lockstep_occupancy(blocks, (const void*)function, threads, shared);
}
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F* function, unsigned long shared = 0,
                                                      int limit = 0) {
  *block = limit > 0 && limit < 1024 ? limit : 1024;
  int blocks = 0, devices = 0;
  cudaError_t error = lockstep_occupancy(&blocks, (const void*)function, *block, shared);
  cudaDeviceGetAttribute(&devices, cudaDevAttrMultiProcessorCount, 0);
  *grid = blocks * devices;
  return error;
}
#define LOCKSTEP_WHERE int line = __builtin_LINE(), const char* file = __builtin_FILE()
template <class... P>
inline cudaError_t lockstep_launch_typed(void (*function)(P...), dim3 grid, dim3 block, void** arguments, unsigned long shared,
                                         cudaStream_t stream, int cooperative, int line, const char* file) {
  LockstepLaunchInfo how{};
  how.line = line, how.file = file, how.name = lockstep_kernel_name((const void*)function), how.texts = "";
  how.grid[0] = grid.x, how.grid[1] = grid.y, how.grid[2] = grid.z;
  how.block[0] = block.x, how.block[1] = block.y, how.block[2] = block.z;
  how.shared = shared, how.stream = stream, how.cooperative = cooperative;
  lockstep_from_pointers(&how, function, arguments, std::index_sequence_for<P...>());
  return cudaPeekAtLastError();
}
template <class... P>
inline cudaError_t cudaLaunchKernel(void (*function)(P...), dim3 grid, dim3 block, void** arguments, unsigned long shared = 0,
                                    cudaStream_t stream = nullptr, LOCKSTEP_WHERE) {
  return lockstep_launch_typed(function, grid, block, arguments, shared, stream, 0, line, file);
}
template <class... P>
inline cudaError_t cudaLaunchCooperativeKernel(void (*function)(P...), dim3 grid, dim3 block, void** arguments,
                                               unsigned long shared = 0, cudaStream_t stream = nullptr, LOCKSTEP_WHERE) {
  return lockstep_launch_typed(function, grid, block, arguments, shared, stream, 1, line, file);
}
LOCKSTEP_INLINE LockstepPointerLaunch lockstep_pointer_launch(const void* function, dim3 grid, dim3 block, void** arguments,
                                                              unsigned long shared, int line, const char* file) {
  return {function, line, file, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, arguments, nullptr};
}
inline cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, unsigned long shared = 0,
                                    cudaStream_t stream = nullptr, LOCKSTEP_WHERE) {
  const LockstepPointerLaunch how = lockstep_pointer_launch(function, grid, block, arguments, shared, line, file);
  return lockstep_launch_known(function, &how, stream, 0);
}
inline cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                               unsigned long shared = 0, cudaStream_t stream = nullptr, LOCKSTEP_WHERE) {
  const LockstepPointerLaunch how = lockstep_pointer_launch(function, grid, block, arguments, shared, line, file);
  return lockstep_launch_known(function, &how, stream, 1);
}
