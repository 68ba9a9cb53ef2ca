// What the runtime API answers about the device: structures laid out as readers see them in
// app/program/headers/lockstep_api.h.
#pragma once

extern "C" {
struct LockstepDeviceProperties {
  char name[256];
  unsigned long totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  unsigned long memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  unsigned long totalConstMem;
  int major, minor;
  unsigned long textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture2D[2], maxTexture3D[3], maxTexture1DLinear, maxTexture1DLayered[2],
      maxTexture2DLayered[3];
  unsigned long surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
      unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
      maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  unsigned long sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
      singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
      computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch,
      cooperativeMultiDeviceLaunch;
  unsigned long sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  unsigned long reservedSharedMemPerBlock;
  int memoryPoolsSupported;
  unsigned char uuid[16];
};
struct LockstepFunctionAttributes {
  unsigned long sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
      preferredShmemCarveout;
};
int lockstep_cudaGetDeviceProperties(LockstepDeviceProperties* to, int device);
}
