// Random numbers for cuRAND's functions: a counter that is mixed. Other numbers than cuRAND's from the same seed, of
// the same distributions.
#pragma once
#include <cmath>

#include "lockstep_device.h"

struct lockstep_random {
  unsigned long long key, counter;
  float kept;
  int has_kept;
};
typedef lockstep_random curandState, curandState_t, curandStateXORWOW_t, curandStateMRG32k3a_t, curandStateMRG32k3a,
    curandStatePhilox4_32_10_t, curandStateXORWOW;

LOCKSTEP_INLINE unsigned long long lockstep_mixed(unsigned long long x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                        lockstep_random* state) {
  *state = lockstep_random{lockstep_mixed(seed ^ lockstep_mixed(sequence)), offset, 0.0f, 0};
}
inline unsigned curand(lockstep_random* state) {
  return unsigned(lockstep_mixed(state->key + 0x632BE59BD9B4E019ull * ++state->counter) >> 32);
}
// 0 excluded, 1 included.
inline float curand_uniform(lockstep_random* state) { return (float(curand(state) >> 8) + 1) * 0x1p-24f; }
inline double curand_uniform_double(lockstep_random* state) {
  return (double(curand(state)) * 0x1p-32 + (double(curand(state)) + 1) * 0x1p-64);
}
inline double lockstep_normal(lockstep_random* state) {
  const double u = curand_uniform_double(state), v = curand_uniform_double(state);
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
}
inline float curand_normal(lockstep_random* state) { return float(lockstep_normal(state)); }
inline double curand_normal_double(lockstep_random* state) { return lockstep_normal(state); }
inline float curand_log_normal(lockstep_random* state, float mean, float deviation) {
  return std::exp(mean + deviation * float(lockstep_normal(state)));
}
inline float2 curand_normal2(lockstep_random* state) { return make_float2(curand_normal(state), curand_normal(state)); }
inline float4 curand_uniform4(lockstep_random* state) {
  return make_float4(curand_uniform(state), curand_uniform(state), curand_uniform(state), curand_uniform(state));
}
inline float4 curand_normal4(lockstep_random* state) {
  return make_float4(curand_normal(state), curand_normal(state), curand_normal(state), curand_normal(state));
}
inline uint4 curand4(lockstep_random* state) {
  return make_uint4(curand(state), curand(state), curand(state), curand(state));
}
inline unsigned curand_poisson(lockstep_random* state, double mean) {
  unsigned n = 0;
  for (double p = curand_uniform_double(state), limit = std::exp(-mean); p > limit; p *= curand_uniform_double(state)) ++n;
  return n;
}
inline void skipahead(unsigned long long n, lockstep_random* state) { state->counter += n; }
