// Random numbers into arrays, made by the host.
#pragma once
#include <vector>

#include "lockstep_random.h"

typedef lockstep_random* curandGenerator_t;
enum curandStatus_t {
  CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102, CURAND_STATUS_TYPE_ERROR = 103, CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203, CURAND_STATUS_ARCH_MISMATCH = 204, CURAND_STATUS_INTERNAL_ERROR = 999
};
enum curandRngType_t {
  CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW = 101, CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937 = 142, CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200, CURAND_RNG_QUASI_SOBOL32 = 201
};
enum curandOrdering_t { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT = 101 };
inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t) {
  *generator = new lockstep_random;
  curand_init(0, 0, 0, *generator);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return curandCreateGenerator(generator, type);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  curand_init(seed, 0, 0, generator);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  generator->counter = offset;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t) { return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) { return CURAND_STATUS_SUCCESS; }
template <class T, class F>
inline curandStatus_t lockstep_fill(T* to, unsigned long n, F next) {
  std::vector<T> all(n);
  for (T& one : all) one = T(next());
  cudaMemcpy(to, all.data(), n * sizeof(T), cudaMemcpyDefault);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned* to, unsigned long n) {
  return lockstep_fill(to, n, [&] { return curand(g); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t g, float* to, unsigned long n) {
  return lockstep_fill(to, n, [&] { return curand_uniform(g); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* to, unsigned long n) {
  return lockstep_fill(to, n, [&] { return curand_uniform_double(g); });
}
inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float* to, unsigned long n, float mean, float deviation) {
  return lockstep_fill(to, n, [&] { return mean + deviation * lockstep_normal(g); });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* to, unsigned long n, double mean,
                                                 double deviation) {
  return lockstep_fill(to, n, [&] { return mean + deviation * lockstep_normal(g); });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* to, unsigned long n, float mean, float deviation) {
  return lockstep_fill(to, n, [&] { return std::exp(mean + deviation * lockstep_normal(g)); });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned* to, unsigned long n, double mean) {
  return lockstep_fill(to, n, [&] { return curand_poisson(g, mean); });
}
