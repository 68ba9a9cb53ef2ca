// What cudaDeviceGetAttribute tells of the first device, by CUDA's own names.
#include "kernels/cuda/device_attributes.hpp"

#include <cuda_runtime.h>

namespace lockstep::cuda {
namespace {

struct Attribute {
  const char* name;
  cudaDeviceAttr id;
};
#define ATTRIBUTE(name) \
  { #name, cudaDevAttr##name }
constexpr Attribute kAttributes[] = {
    ATTRIBUTE(MaxThreadsPerBlock),
    ATTRIBUTE(MaxBlockDimX),
    ATTRIBUTE(MaxBlockDimY),
    ATTRIBUTE(MaxBlockDimZ),
    ATTRIBUTE(MaxGridDimX),
    ATTRIBUTE(MaxGridDimY),
    ATTRIBUTE(MaxGridDimZ),
    ATTRIBUTE(MaxSharedMemoryPerBlock),
    ATTRIBUTE(TotalConstantMemory),
    ATTRIBUTE(WarpSize),
    ATTRIBUTE(MaxPitch),
    ATTRIBUTE(MaxRegistersPerBlock),
    ATTRIBUTE(ClockRate),
    ATTRIBUTE(TextureAlignment),
    ATTRIBUTE(GpuOverlap),
    ATTRIBUTE(MultiProcessorCount),
    ATTRIBUTE(KernelExecTimeout),
    ATTRIBUTE(Integrated),
    ATTRIBUTE(CanMapHostMemory),
    ATTRIBUTE(ComputeMode),
    ATTRIBUTE(MaxTexture1DWidth),
    ATTRIBUTE(MaxTexture2DWidth),
    ATTRIBUTE(MaxTexture2DHeight),
    ATTRIBUTE(MaxTexture3DWidth),
    ATTRIBUTE(MaxTexture3DHeight),
    ATTRIBUTE(MaxTexture3DDepth),
    ATTRIBUTE(MaxTexture2DLayeredWidth),
    ATTRIBUTE(MaxTexture2DLayeredHeight),
    ATTRIBUTE(MaxTexture2DLayeredLayers),
    ATTRIBUTE(SurfaceAlignment),
    ATTRIBUTE(ConcurrentKernels),
    ATTRIBUTE(EccEnabled),
    ATTRIBUTE(TccDriver),
    ATTRIBUTE(MemoryClockRate),
    ATTRIBUTE(GlobalMemoryBusWidth),
    ATTRIBUTE(L2CacheSize),
    ATTRIBUTE(MaxThreadsPerMultiProcessor),
    ATTRIBUTE(AsyncEngineCount),
    ATTRIBUTE(UnifiedAddressing),
    ATTRIBUTE(MaxTexture1DLayeredWidth),
    ATTRIBUTE(MaxTexture1DLayeredLayers),
    ATTRIBUTE(MaxTexture2DGatherWidth),
    ATTRIBUTE(MaxTexture2DGatherHeight),
    ATTRIBUTE(MaxTexture3DWidthAlt),
    ATTRIBUTE(MaxTexture3DHeightAlt),
    ATTRIBUTE(MaxTexture3DDepthAlt),
    ATTRIBUTE(TexturePitchAlignment),
    ATTRIBUTE(MaxTextureCubemapWidth),
    ATTRIBUTE(MaxTextureCubemapLayeredWidth),
    ATTRIBUTE(MaxTextureCubemapLayeredLayers),
    ATTRIBUTE(MaxSurface1DWidth),
    ATTRIBUTE(MaxSurface2DWidth),
    ATTRIBUTE(MaxSurface2DHeight),
    ATTRIBUTE(MaxSurface3DWidth),
    ATTRIBUTE(MaxSurface3DHeight),
    ATTRIBUTE(MaxSurface3DDepth),
    ATTRIBUTE(MaxSurface1DLayeredWidth),
    ATTRIBUTE(MaxSurface1DLayeredLayers),
    ATTRIBUTE(MaxSurface2DLayeredWidth),
    ATTRIBUTE(MaxSurface2DLayeredHeight),
    ATTRIBUTE(MaxSurface2DLayeredLayers),
    ATTRIBUTE(MaxSurfaceCubemapWidth),
    ATTRIBUTE(MaxSurfaceCubemapLayeredWidth),
    ATTRIBUTE(MaxSurfaceCubemapLayeredLayers),
    ATTRIBUTE(MaxTexture1DLinearWidth),
    ATTRIBUTE(MaxTexture2DLinearWidth),
    ATTRIBUTE(MaxTexture2DLinearHeight),
    ATTRIBUTE(MaxTexture2DLinearPitch),
    ATTRIBUTE(MaxTexture2DMipmappedWidth),
    ATTRIBUTE(MaxTexture2DMipmappedHeight),
    ATTRIBUTE(ComputeCapabilityMajor),
    ATTRIBUTE(ComputeCapabilityMinor),
    ATTRIBUTE(MaxTexture1DMipmappedWidth),
    ATTRIBUTE(StreamPrioritiesSupported),
    ATTRIBUTE(GlobalL1CacheSupported),
    ATTRIBUTE(LocalL1CacheSupported),
    ATTRIBUTE(MaxSharedMemoryPerMultiprocessor),
    ATTRIBUTE(MaxRegistersPerMultiprocessor),
    ATTRIBUTE(ManagedMemory),
    ATTRIBUTE(IsMultiGpuBoard),
    ATTRIBUTE(HostNativeAtomicSupported),
    ATTRIBUTE(SingleToDoublePrecisionPerfRatio),
    ATTRIBUTE(PageableMemoryAccess),
    ATTRIBUTE(ConcurrentManagedAccess),
    ATTRIBUTE(ComputePreemptionSupported),
    ATTRIBUTE(CanUseHostPointerForRegisteredMem),
    ATTRIBUTE(CooperativeLaunch),
    ATTRIBUTE(MaxSharedMemoryPerBlockOptin),
    ATTRIBUTE(CanFlushRemoteWrites),
    ATTRIBUTE(HostRegisterSupported),
    ATTRIBUTE(PageableMemoryAccessUsesHostPageTables),
    ATTRIBUTE(DirectManagedMemAccessFromHost),
    ATTRIBUTE(MaxBlocksPerMultiprocessor),
    ATTRIBUTE(MaxPersistingL2CacheSize),
    ATTRIBUTE(MaxAccessPolicyWindowSize),
    ATTRIBUTE(ReservedSharedMemoryPerBlock),
    ATTRIBUTE(SparseCudaArraySupported),
    ATTRIBUTE(HostRegisterReadOnlySupported),
    ATTRIBUTE(TimelineSemaphoreInteropSupported),
    ATTRIBUTE(MemoryPoolsSupported),
    ATTRIBUTE(GPUDirectRDMASupported),
    ATTRIBUTE(GPUDirectRDMAFlushWritesOptions),
    ATTRIBUTE(GPUDirectRDMAWritesOrdering),
    ATTRIBUTE(MemoryPoolSupportedHandleTypes),
    ATTRIBUTE(ClusterLaunch),
    ATTRIBUTE(DeferredMappingCudaArraySupported),
    ATTRIBUTE(IpcEventSupport),
    ATTRIBUTE(MemSyncDomainCount),
};
#undef ATTRIBUTE

}  // namespace

std::map<std::string, std::int64_t> device_attributes() {
  std::map<std::string, std::int64_t> all;
  for (const Attribute& attribute : kAttributes) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attribute.id, 0) == cudaSuccess)
      all[attribute.name] = value;
    else
      (void)cudaGetLastError();
  }
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) all["TotalGlobalMemory"] = std::int64_t(total);
  return all;
}

}  // namespace lockstep::cuda
