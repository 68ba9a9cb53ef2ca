// cublasLt (cuBLAS documentation): matrix products of one type with a bias and an activation behind them.
#pragma once
#pragma clang system_header
#include "cublas_v2.h"

typedef struct cublasLtContext* cublasLtHandle_t;
enum cublasLtMatmulDescAttributes_t {
  CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, CUBLASLT_MATMUL_DESC_SCALE_TYPE, CUBLASLT_MATMUL_DESC_POINTER_MODE,
  CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB, CUBLASLT_MATMUL_DESC_TRANSC, CUBLASLT_MATMUL_DESC_FILL_MODE,
  CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_MATMUL_DESC_BIAS_POINTER
};
enum cublasLtEpilogue_t {
  CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_BIAS = 4, CUBLASLT_EPILOGUE_RELU_BIAS = 6,
  CUBLASLT_EPILOGUE_GELU = 32, CUBLASLT_EPILOGUE_GELU_BIAS = 36
};
enum cublasLtMatmulPreferenceAttributes_t { CUBLASLT_MATMUL_PREF_SEARCH_MODE, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES };
struct lockstep_matmul {
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
  cudaDataType scale = CUDA_R_32F;  // of alpha and beta
};
struct lockstep_layout {
  cudaDataType type;
  unsigned long rows, columns;
  long step;
};
typedef lockstep_matmul* cublasLtMatmulDesc_t;
typedef lockstep_layout* cublasLtMatrixLayout_t;
typedef struct cublasLtPreferenceOpaque* cublasLtMatmulPreference_t;
struct cublasLtMatmulAlgo_t {
  unsigned long data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  unsigned long workspaceSize;
  cublasStatus_t state;
  float wavesCount;
};

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(std::malloc(16));
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return std::free(handle), CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* d, cublasComputeType_t, cudaDataType scale) {
  *d = new lockstep_matmul;
  return (*d)->scale = scale, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d) { return delete d, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t what,
                                                     const void* value, unsigned long) {
  if (what == CUBLASLT_MATMUL_DESC_TRANSA) d->a = *static_cast<const cublasOperation_t*>(value);
  if (what == CUBLASLT_MATMUL_DESC_TRANSB) d->b = *static_cast<const cublasOperation_t*>(value);
  if (what == CUBLASLT_MATMUL_DESC_SCALE_TYPE) d->scale = *static_cast<const cudaDataType*>(value);
  if (what == CUBLASLT_MATMUL_DESC_EPILOGUE) d->epilogue = *static_cast<const cublasLtEpilogue_t*>(value);
  if (what == CUBLASLT_MATMUL_DESC_BIAS_POINTER) d->bias = *static_cast<const void* const*>(value);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* l, cudaDataType type, unsigned long rows,
                                                 unsigned long columns, long step) {
  return *l = new lockstep_layout{type, rows, columns, step}, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l) { return delete l, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* p) {
  return *p = nullptr, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                                                           const void*, unsigned long) {
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                     cublasLtMatmulPreference_t, int asked,
                                                     cublasLtMatmulHeuristicResult_t* results, int* found) {
  *found = asked > 0;
  if (asked > 0) results[0] = cublasLtMatmulHeuristicResult_t{};
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
inline cublasStatus_t lockstep_matmul_run(const lockstep_matmul& d, float alpha, const void* a, const lockstep_layout& la,
                                          const void* b, const lockstep_layout& lb, float beta, const void* c, void* to,
                                          const lockstep_layout& lt) {
  const int m = int(lt.rows), n = int(lt.columns), k = int(d.a == CUBLAS_OP_N ? la.columns : la.rows);
  if (beta != 0 && c != to) lockstep_copy_matrix(m, n, static_cast<const T*>(c), int(lt.step), static_cast<T*>(to), int(lt.step));
  const cublasStatus_t done = lockstep_gemm<float>(d.a, d.b, m, n, k, alpha, static_cast<const T*>(a), la.step,
                                                   static_cast<const T*>(b), lb.step, beta, static_cast<T*>(to), lt.step);
  std::vector<T> column(static_cast<size_t>(m));
  for (int j = 0; d.epilogue != CUBLASLT_EPILOGUE_DEFAULT && j < n; ++j) {
    T* at = static_cast<T*>(to) + j * lt.step;
    for (int i = 0; i < m; ++i) {
      float x = float(at[i]);
      if (d.epilogue & 4) x += float(static_cast<const T*>(d.bias)[i]);
      if (d.epilogue & 2) x = x > 0 ? x : 0;
      if (d.epilogue & 32) x = 0.5f * x * (1 + std::tanh(0.797884560802865f * (x + 0.044715f * x * x * x)));
      column[size_t(i)] = T(x);
    }
    lockstep_store(at, column.data(), m);
  }
  return done;
}
inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t d, const void* alpha, const void* a,
                                     cublasLtMatrixLayout_t la, const void* b, cublasLtMatrixLayout_t lb, const void* beta,
                                     const void* c, cublasLtMatrixLayout_t, void* to, cublasLtMatrixLayout_t lt,
                                     const cublasLtMatmulAlgo_t*, void*, unsigned long, cudaStream_t) {
  if (d->scale != CUDA_R_32F && d->scale != CUDA_R_16F) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto factor = [&](const void* at) {
    return d->scale == CUDA_R_16F ? float(*static_cast<const __half*>(at)) : *static_cast<const float*>(at);
  };
  const float scale = factor(alpha), keep = factor(beta);
  if (la->type != lt->type || lb->type != lt->type) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (lt->type == CUDA_R_32F) return lockstep_matmul_run<float>(*d, scale, a, *la, b, *lb, keep, c, to, *lt);
  if (lt->type == CUDA_R_16F) return lockstep_matmul_run<__half>(*d, scale, a, *la, b, *lb, keep, c, to, *lt);
  if (lt->type == CUDA_R_16BF) return lockstep_matmul_run<__nv_bfloat16>(*d, scale, a, *la, b, *lb, keep, c, to, *lt);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
