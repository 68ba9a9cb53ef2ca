// The CUDA runtime as a program's sources in C see it: they call it and launch nothing.
#ifndef LOCKSTEP_C_H
#define LOCKSTEP_C_H
#include <stddef.h>

enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorNoDevice = 100 };
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
typedef struct lockstep_stream* cudaStream_t;
typedef struct lockstep_event* cudaEvent_t;
#define LOCKSTEP_C(name, parameters) cudaError_t name parameters __asm__("lockstep_" #name)
LOCKSTEP_C(cudaFree, (void*));
LOCKSTEP_C(cudaFreeHost, (void*));
LOCKSTEP_C(cudaMemcpy, (void*, const void*, size_t, enum cudaMemcpyKind));
LOCKSTEP_C(cudaMemcpyAsync, (void*, const void*, size_t, enum cudaMemcpyKind, cudaStream_t));
LOCKSTEP_C(cudaMemset, (void*, int, size_t));
LOCKSTEP_C(cudaMemGetInfo, (size_t*, size_t*));
LOCKSTEP_C(cudaGetLastError, (void));
LOCKSTEP_C(cudaPeekAtLastError, (void));
LOCKSTEP_C(cudaDeviceSynchronize, (void));
LOCKSTEP_C(cudaThreadSynchronize, (void));
LOCKSTEP_C(cudaThreadExit, (void));
LOCKSTEP_C(cudaDeviceReset, (void));
LOCKSTEP_C(cudaSetDevice, (int));
LOCKSTEP_C(cudaGetDevice, (int*));
LOCKSTEP_C(cudaGetDeviceCount, (int*));
LOCKSTEP_C(cudaStreamCreate, (cudaStream_t*));
LOCKSTEP_C(cudaStreamDestroy, (cudaStream_t));
LOCKSTEP_C(cudaStreamSynchronize, (cudaStream_t));
LOCKSTEP_C(cudaEventCreate, (cudaEvent_t*));
LOCKSTEP_C(cudaEventDestroy, (cudaEvent_t));
LOCKSTEP_C(cudaEventRecord, (cudaEvent_t, cudaStream_t));
LOCKSTEP_C(cudaEventSynchronize, (cudaEvent_t));
LOCKSTEP_C(cudaEventElapsedTime, (float*, cudaEvent_t, cudaEvent_t));
const char* cudaGetErrorString(cudaError_t) __asm__("lockstep_cudaGetErrorString");
const char* cudaGetErrorName(cudaError_t) __asm__("lockstep_cudaGetErrorName");
cudaError_t lockstep_malloc_device(void** at, unsigned long bytes, int kind, unsigned element_bytes, const char* type);
static inline cudaError_t cudaMalloc(void** at, size_t bytes) { return lockstep_malloc_device(at, bytes, 0, 0, ""); }
static inline cudaError_t cudaMallocManaged(void** at, size_t bytes, unsigned flags) {
  return (void)flags, lockstep_malloc_device(at, bytes, 1, 0, "");
}
static inline cudaError_t cudaMallocHost(void** at, size_t bytes) { return lockstep_malloc_device(at, bytes, 2, 0, ""); }
#endif
