// Of cuFFT's extensions the callbacks: functions of the program that load and store a transform's elements.
#pragma once
#pragma clang system_header
#include "cufft.h"

typedef enum cufftXtCallbackType_t {
  CUFFT_CB_LD_COMPLEX, CUFFT_CB_LD_COMPLEX_DOUBLE, CUFFT_CB_LD_REAL, CUFFT_CB_LD_REAL_DOUBLE, CUFFT_CB_ST_COMPLEX,
  CUFFT_CB_ST_COMPLEX_DOUBLE, CUFFT_CB_ST_REAL, CUFFT_CB_ST_REAL_DOUBLE, CUFFT_CB_UNDEFINED
} cufftXtCallbackType;
typedef cufftComplex (*cufftCallbackLoadC)(void*, size_t, void*, void*);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void*, size_t, void*, void*);
typedef cufftReal (*cufftCallbackLoadR)(void*, size_t, void*, void*);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void*, size_t, void*, void*);
typedef void (*cufftCallbackStoreC)(void*, size_t, cufftComplex, void*, void*);
typedef void (*cufftCallbackStoreZ)(void*, size_t, cufftDoubleComplex, void*, void*);
typedef void (*cufftCallbackStoreR)(void*, size_t, cufftReal, void*, void*);
typedef void (*cufftCallbackStoreD)(void*, size_t, cufftDoubleReal, void*, void*);

inline cufftResult cufftXtSetCallback(cufftHandle plan, void** functions, cufftXtCallbackType type, void** infos) {
  if (plan < 0 || std::size_t(plan) >= lockstep_fft_plans().size()) return CUFFT_INVALID_PLAN;
  lockstep_fft_plan& p = lockstep_fft_plans()[std::size_t(plan)];
  const bool load = type < CUFFT_CB_ST_COMPLEX;
  (load ? p.load : p.store) = functions[0];
  (load ? p.load_info : p.store_info) = infos ? infos[0] : nullptr;
  return CUFFT_SUCCESS;
}
inline cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType type) {
  void* none = nullptr;
  return cufftXtSetCallback(plan, &none, type, nullptr);
}
