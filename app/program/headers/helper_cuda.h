// What NVIDIA's samples share: errors that end the program, and the choice of a device.
#pragma once
#include <cstdio>
#include <cstdlib>

#include "helper_string.h"
#include "lockstep_device.h"

#ifndef DEVICE_RESET
#define DEVICE_RESET cudaDeviceReset();
#endif

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

template <class T>
inline void check(T result, const char* call, const char* file, int line) {
  if (!result) return;
  std::fprintf(stderr, "CUDA error at %s:%d code=%d \"%s\"\n", file, line, int(result), call);
  std::exit(EXIT_FAILURE);
}
#define checkCudaErrors(value_) check((value_), #value_, __FILE__, __LINE__)

inline void __getLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, int(error),
               cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}
#define getLastCudaError(message_) __getLastCudaError(message_, __FILE__, __LINE__)
inline void __printLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    std::fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, int(error),
                 cudaGetErrorString(error));
}
#define printLastCudaError(message_) __printLastCudaError(message_, __FILE__, __LINE__)

#ifndef MAX
#define MAX(a, b) (a > b ? a : b)
#endif
inline int ftoi(float value) { return value >= 0 ? int(value + 0.5f) : int(value - 0.5f); }
// FP32 units of an SM, by compute capability (CUDA C++ Programming Guide, table of arithmetic throughput).
inline int _ConvertSMVer2Cores(int major, int minor) {
  if (major >= 9) return 128;
  if (major == 8) return minor == 0 ? 64 : 128;
  if (major == 7) return 64;
  if (major == 6) return minor == 0 ? 64 : 128;
  return major == 5 ? 128 : 192;
}
inline const char* _ConvertSMVer2ArchName(int major, int minor) {
  if (major == 9) return "Hopper";
  if (major == 8) return minor == 9 ? "Ada" : "Ampere";
  if (major == 7) return minor == 5 ? "Turing" : "Volta";
  return major == 6 ? "Pascal" : "Maxwell";
}
inline int gpuDeviceInit(int device) {
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int argc, const char** argv) {
  const int device = checkCmdLineFlag(argc, argv, "device") ? getCmdLineArgumentInt(argc, argv, "device") : 0;
  gpuDeviceInit(device);
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  std::printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device,
              _ConvertSMVer2ArchName(properties.major, properties.minor), properties.major, properties.minor);
  return device;
}
inline int findIntegratedGPU() { return -1; }
inline bool checkCudaCapabilities(int major, int minor) {
  cudaDeviceProp properties;
  int device = 0;
  checkCudaErrors(cudaGetDevice(&device));
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  if (properties.major > major || (properties.major == major && properties.minor >= minor)) return true;
  std::printf("  No GPU device was found that can support CUDA compute capability %d.%d.\n", major, minor);
  return false;
}
