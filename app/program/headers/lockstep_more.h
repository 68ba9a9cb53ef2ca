// What programs name beside the runtime's functions: older names, attributes of devices that nobody computes with.
#pragma once
#pragma clang system_header

#ifndef CUDART_CB
#define CUDART_CB
#endif
#ifndef CUDARTAPI
#define CUDARTAPI
#endif

// Of the driver's interface the words for success and failure, and what needs no context.
enum cudaError_enum {
  CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_INVALID_DEVICE = 101, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_UNKNOWN = 999
};
typedef cudaError_enum CUresult;
inline CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
inline CUresult cuMemGetInfo(unsigned long* free_bytes, unsigned long* all) { return CUresult(cudaMemGetInfo(free_bytes, all)); }
inline CUresult cuDeviceGetCount(int* count) { return CUresult(cudaGetDeviceCount(count)); }

#define LOCKSTEP_ATTRIBUTE(name, number) static constexpr cudaDeviceAttr cudaDevAttr##name = cudaDeviceAttr(number);
LOCKSTEP_ATTRIBUTE(TextureAlignment, 14)
LOCKSTEP_ATTRIBUTE(GpuOverlap, 15)
LOCKSTEP_ATTRIBUTE(KernelExecTimeout, 17)
LOCKSTEP_ATTRIBUTE(ComputeMode, 20)
LOCKSTEP_ATTRIBUTE(EccEnabled, 32)
LOCKSTEP_ATTRIBUTE(PciBusId, 33)
LOCKSTEP_ATTRIBUTE(PciDeviceId, 34)
LOCKSTEP_ATTRIBUTE(TccDriver, 35)
LOCKSTEP_ATTRIBUTE(StreamPrioritiesSupported, 78)
LOCKSTEP_ATTRIBUTE(GlobalL1CacheSupported, 79)
LOCKSTEP_ATTRIBUTE(LocalL1CacheSupported, 80)
LOCKSTEP_ATTRIBUTE(IsMultiGpuBoard, 84)
LOCKSTEP_ATTRIBUTE(MultiGpuBoardGroupID, 85)
LOCKSTEP_ATTRIBUTE(HostNativeAtomicSupported, 86)
LOCKSTEP_ATTRIBUTE(SingleToDoublePrecisionPerfRatio, 87)
LOCKSTEP_ATTRIBUTE(PageableMemoryAccess, 88)
LOCKSTEP_ATTRIBUTE(ComputePreemptionSupported, 90)
LOCKSTEP_ATTRIBUTE(CanUseHostPointerForRegisteredMem, 91)
LOCKSTEP_ATTRIBUTE(CooperativeMultiDeviceLaunch, 96)
LOCKSTEP_ATTRIBUTE(CanFlushRemoteWrites, 98)
LOCKSTEP_ATTRIBUTE(HostRegisterSupported, 99)
LOCKSTEP_ATTRIBUTE(PageableMemoryAccessUsesHostPageTables, 100)
LOCKSTEP_ATTRIBUTE(DirectManagedMemAccessFromHost, 101)
#undef LOCKSTEP_ATTRIBUTE

enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported = 2,
  cudaDevP2PAttrNativeAtomicSupported = 3,
  cudaDevP2PAttrCudaArrayAccessSupported = 4
};
inline cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  *value = 0;
  return cudaSuccess;
}
static constexpr unsigned cudaDeviceBlockingSync = 4;

// Which part of L2 a stream would like to keep: taken, and without effect.
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
  void* base_ptr;
  unsigned long num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1, cudaStreamAttributeSynchronizationPolicy = 3 };
union cudaStreamAttrValue {
  cudaAccessPolicyWindow accessPolicyWindow;
  int syncPolicy;
};
static constexpr cudaLimit cudaLimitMaxL2FetchGranularity = cudaLimit(5), cudaLimitPersistingL2CacheSize = cudaLimit(6);
inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) { return cudaSuccess; }
inline cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

LOCKSTEP_INLINE int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
LOCKSTEP_INLINE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
