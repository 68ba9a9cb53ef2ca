// What a reader's program and the runtime hand to each other: the same text on both sides.
#pragma once

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
struct LockstepArgument {
  const void* at;
  unsigned bytes, element_bytes;
  char kind;
  const char* type;
};
struct LockstepLaunchInfo {
  int line;
  const char *file, *name, *texts;
  unsigned grid[3], block[3];
  unsigned long shared;
  void* stream;
  const void* function;
  void (*invoke)(const void* function, void* state);
  void* state;
  unsigned long state_bytes;
  const LockstepArgument* arguments;
  int argument_count, cooperative;
  // A copy of the state on the heap, nullptr of none; gives an old one back.
  void* (*keep)(const void* state, void* old);
};
// Of a kernel that is known by its address alone: calls the launch of its own types.
typedef void (*LockstepLaunchFromPointers)(const LockstepLaunchInfo* info, const void* function, void** arguments);
struct LockstepPointerLaunch {
  const void* function;
  int line;
  const char* file;
  unsigned grid[3], block[3];
  unsigned long shared;
  void **arguments, **extra;
};
// What a node of a graph does that is no kernel; the parameters are copied.
struct LockstepGraphWork {
  int kind;
  int (*run)(void* parameters);
  const void* parameters;
  unsigned long bytes;
};
