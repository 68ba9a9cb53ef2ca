// cuFFT (API reference): plans of one to three dimensions, batched, in single and double precision, computed by the
// host on the memory that they are given. Any size: factors as they come, without the reference's speed.
#pragma once
#pragma clang system_header
#ifndef LOCKSTEP_DEVICE_H
#include "lockstep_device.h"
#endif
#include <algorithm>
#include <complex>
#include <vector>
#include "cuComplex.h"

typedef enum cufftResult_t {
  CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE, CUFFT_INTERNAL_ERROR,
  CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA, CUFFT_INCOMPLETE_PARAMETER_LIST,
  CUFFT_INVALID_DEVICE, CUFFT_PARSE_ERROR, CUFFT_NO_WORKSPACE, CUFFT_NOT_IMPLEMENTED, CUFFT_LICENSE_ERROR, CUFFT_NOT_SUPPORTED
} cufftResult;
typedef enum cufftType_t {
  CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69
} cufftType;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

// Of one side of a batch: where its transforms begin, and how far its elements are apart.
struct lockstep_fft_side {
  int embed[3];
  long stride, distance;
};
struct lockstep_fft_plan {
  int rank = 0, n[3] = {1, 1, 1}, batch = 1;
  cufftType type = CUFFT_C2C;
  bool given = false;  // the sides are the program's
  lockstep_fft_side in{}, out{};
  void *load = nullptr, *load_info = nullptr, *store = nullptr, *store_info = nullptr;  // the program's own functions
};
typedef int cufftHandle;
inline std::vector<lockstep_fft_plan>& lockstep_fft_plans() {
  static auto* plans = new std::vector<lockstep_fft_plan>;
  return *plans;
}

// exp(2 pi i k / n) for a transform and all of its parts.
struct lockstep_fft_roots {
  std::vector<std::complex<double>> all;
  lockstep_fft_roots(long n, int sign) {
    for (long k = 0; k < n; ++k) all.push_back(std::polar(1.0, sign * 2 * M_PI * double(k) / double(n)));
  }
};
// In place, elements `stride` apart; the sizes' factors are split off one after another. `room` holds n numbers.
inline void lockstep_fft(std::complex<double>* x, long n, long stride, const lockstep_fft_roots& roots,
                         std::complex<double>* room) {
  if (n <= 1) return;
  long factor = 2;
  while (n % factor != 0 && factor * factor <= n) ++factor;
  if (n % factor != 0) factor = n;
  const long m = n / factor, step = long(roots.all.size()) / n;
  for (long r = 0; r < factor; ++r) lockstep_fft(x + r * stride, m, factor * stride, roots, room);
  for (long k = 0; k < n; ++k) {
    double re = 0, im = 0;
    for (long r = 0; r < factor; ++r) {
      const std::complex<double> a = x[(k % m * factor + r) * stride], w = roots.all[std::size_t(k * r % n * step)];
      re += a.real() * w.real() - a.imag() * w.imag();
      im += a.real() * w.imag() + a.imag() * w.real();
    }
    room[k] = {re, im};
  }
  for (long k = 0; k < n; ++k) x[k * stride] = room[k];
}
inline void lockstep_fft_all(std::vector<std::complex<double>>& x, const int* n, int sign) {
  const long a = n[0], b = n[1], c = n[2];
  const lockstep_fft_roots along_a(a, sign), along_b(b, sign), along_c(c, sign);
  std::vector<std::complex<double>> room(std::size_t(std::max(a, std::max(b, c))));
  for (long i = 0; i < a * b; ++i) lockstep_fft(&x[std::size_t(i * c)], c, 1, along_c, room.data());
  for (long i = 0; b > 1 && i < a * c; ++i)
    lockstep_fft(&x[std::size_t(i / c * b * c + i % c)], b, c, along_b, room.data());
  for (long i = 0; a > 1 && i < b * c; ++i) lockstep_fft(&x[std::size_t(i)], a, b * c, along_a, room.data());
}

// Where element (i, j, k) of a side lies, in its own elements.
inline long lockstep_fft_place(const lockstep_fft_side& side, long batch, long i, long j, long k) {
  return batch * side.distance + ((i * side.embed[1] + j) * side.embed[2] + k) * side.stride;
}
// Dimensions stand at the end: {1, 1, n}. A real transform keeps half of the last one.
inline lockstep_fft_side lockstep_fft_packed(const lockstep_fft_plan& p, bool half, bool padded) {
  lockstep_fft_side side{{p.n[0], p.n[1], p.n[2]}, 1, 0};
  if (half) side.embed[2] = p.n[2] / 2 + 1;
  if (padded) side.embed[2] = 2 * (p.n[2] / 2 + 1);
  side.distance = long(side.embed[0]) * side.embed[1] * side.embed[2];
  return side;
}
// The functions that cufftXtSetCallback was given (cuFFT API reference, "Callback Routines"), called by the host.
template <class Real>
struct lockstep_fft_pair {
  typedef typename std::conditional<sizeof(Real) == 4, cufftComplex, cufftDoubleComplex>::type type;
};
template <class Real>
inline std::complex<double> lockstep_fft_loaded(const lockstep_fft_plan& p, void* in, long place, bool real) {
  using Pair = typename lockstep_fft_pair<Real>::type;
  if (real) return double(reinterpret_cast<Real (*)(void*, size_t, void*, void*)>(p.load)(in, size_t(place), p.load_info, nullptr));
  const Pair value = reinterpret_cast<Pair (*)(void*, size_t, void*, void*)>(p.load)(in, size_t(place), p.load_info, nullptr);
  return {double(value.x), double(value.y)};
}
template <class Real>
inline void lockstep_fft_store(const lockstep_fft_plan& p, void* out, long place, std::complex<double> x, bool real) {
  using Pair = typename lockstep_fft_pair<Real>::type;
  if (real)
    reinterpret_cast<void (*)(void*, size_t, Real, void*, void*)>(p.store)(out, size_t(place), Real(x.real()), p.store_info, nullptr);
  else
    reinterpret_cast<void (*)(void*, size_t, Pair, void*, void*)>(p.store)(out, size_t(place), Pair{Real(x.real()), Real(x.imag())},
                                                                           p.store_info, nullptr);
}
template <class Real>
inline cufftResult lockstep_fft_run(cufftHandle handle, void* in, void* out, int sign, bool real_in, bool real_out) {
  auto& plans = lockstep_fft_plans();
  if (handle < 0 || std::size_t(handle) >= plans.size() || plans[std::size_t(handle)].rank == 0) return CUFFT_INVALID_PLAN;
  const lockstep_fft_plan& p = plans[std::size_t(handle)];
  const bool same = in == out;
  const lockstep_fft_side from = p.given ? p.in : lockstep_fft_packed(p, real_out, real_in && same);
  const lockstep_fft_side to = p.given ? p.out : lockstep_fft_packed(p, real_in, real_out && same);
  const long half = p.n[2] / 2 + 1;
  std::vector<std::complex<double>> x(std::size_t(p.n[0]) * std::size_t(p.n[1]) * std::size_t(p.n[2]));
  const auto* read = static_cast<const Real*>(in);
  auto* written = static_cast<Real*>(out);
  const auto each = [&](auto&& body) {
    std::size_t at = 0;
    for (long i = 0; i < p.n[0]; ++i)
      for (long j = 0; j < p.n[1]; ++j)
        for (long k = 0; k < p.n[2]; ++k) body(at++, i, j, k);
  };
  for (long b = 0; b < p.batch; ++b) {
    each([&](std::size_t at, long i, long j, long k) {
      const bool mirrored = real_out && k >= half;
      const long ii = mirrored ? (p.n[0] - i) % p.n[0] : i, jj = mirrored ? (p.n[1] - j) % p.n[1] : j;
      const long place = lockstep_fft_place(from, b, ii, jj, mirrored ? p.n[2] - k : k);
      if (p.load)
        x[at] = lockstep_fft_loaded<Real>(p, in, place, real_in);
      else if (real_in)
        x[at] = double(read[place]);
      else
        x[at] = {double(read[2 * place]), mirrored ? -double(read[2 * place + 1]) : double(read[2 * place + 1])};
    });
    lockstep_fft_all(x, p.n, sign);
    each([&](std::size_t at, long i, long j, long k) {
      if (real_in && k >= half) return;
      const long place = lockstep_fft_place(to, b, i, j, k);
      if (p.store)
        lockstep_fft_store<Real>(p, out, place, x[at], real_out);
      else if (real_out)
        written[place] = Real(x[at].real());
      else
        written[2 * place] = Real(x[at].real()), written[2 * place + 1] = Real(x[at].imag());
    });
  }
  // A copy onto itself: only what a copy leaves counts as written.
  const long elements = 1 + lockstep_fft_place(to, p.batch - 1, p.n[0] - 1, p.n[1] - 1, (real_in ? half : p.n[2]) - 1);
  cudaMemcpy(out, out, std::size_t(elements) * sizeof(Real) * (real_out ? 1 : 2), cudaMemcpyDefault);
  return CUFFT_SUCCESS;
}

inline cufftResult cufftCreate(cufftHandle* plan) {
  lockstep_fft_plans().emplace_back();
  *plan = int(lockstep_fft_plans().size()) - 1;
  return CUFFT_SUCCESS;
}
inline cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                                     int ostride, int odist, cufftType type, int batch, unsigned long* work) {
  if (plan < 0 || std::size_t(plan) >= lockstep_fft_plans().size()) return CUFFT_INVALID_PLAN;
  if (rank < 1 || rank > 3 || batch < 1) return CUFFT_INVALID_VALUE;
  lockstep_fft_plan& p = lockstep_fft_plans()[std::size_t(plan)];
  p.rank = rank, p.batch = batch, p.type = type, p.given = inembed && onembed;
  p.in = {{1, 1, 1}, istride, idist}, p.out = {{1, 1, 1}, ostride, odist};
  for (int d = 0; d < rank; ++d) {
    if (n[d] < 1) return CUFFT_INVALID_SIZE;
    p.n[3 - rank + d] = n[d];
    if (p.given) p.in.embed[3 - rank + d] = inembed[d], p.out.embed[3 - rank + d] = onembed[d];
  }
  if (work) *work = 0;
  return CUFFT_SUCCESS;
}
inline cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                                 int ostride, int odist, cufftType type, int batch) {
  cufftCreate(plan);
  return cufftMakePlanMany(*plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr);
}
inline cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, unsigned long* work) {
  return cufftMakePlanMany(plan, 1, &nx, nullptr, 1, 0, nullptr, 1, 0, type, batch, work);
}
inline cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, unsigned long* work) {
  int n[] = {nx, ny};
  return cufftMakePlanMany(plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work);
}
inline cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, unsigned long* work) {
  int n[] = {nx, ny, nz};
  return cufftMakePlanMany(plan, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work);
}
inline cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
  cufftCreate(plan);
  return cufftMakePlan1d(*plan, nx, type, batch, nullptr);
}
inline cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
  cufftCreate(plan);
  return cufftMakePlan2d(*plan, nx, ny, type, nullptr);
}
inline cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
  cufftCreate(plan);
  return cufftMakePlan3d(*plan, nx, ny, nz, type, nullptr);
}
inline cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
  return lockstep_fft_run<float>(plan, in, out, direction, false, false);
}
inline cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
  return lockstep_fft_run<double>(plan, in, out, direction, false, false);
}
inline cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
  return lockstep_fft_run<float>(plan, in, out, CUFFT_FORWARD, true, false);
}
inline cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return lockstep_fft_run<double>(plan, in, out, CUFFT_FORWARD, true, false);
}
inline cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
  return lockstep_fft_run<float>(plan, in, out, CUFFT_INVERSE, false, true);
}
inline cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return lockstep_fft_run<double>(plan, in, out, CUFFT_INVERSE, false, true);
}
inline cufftResult cufftDestroy(cufftHandle plan) {
  if (plan < 0 || std::size_t(plan) >= lockstep_fft_plans().size()) return CUFFT_INVALID_PLAN;
  lockstep_fft_plans()[std::size_t(plan)] = {};
  return CUFFT_SUCCESS;
}
inline cufftResult cufftSetStream(cufftHandle, cudaStream_t) { return CUFFT_SUCCESS; }
inline cufftResult cufftSetAutoAllocation(cufftHandle, int) { return CUFFT_SUCCESS; }
inline cufftResult cufftGetSize(cufftHandle, unsigned long* work) { return *work = 0, CUFFT_SUCCESS; }
inline cufftResult cufftGetVersion(int* version) { return *version = 11200, CUFFT_SUCCESS; }
