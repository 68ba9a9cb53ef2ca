// The part of cuBLAS that single-file programs use, by its documentation: column-major, computed by the host in plain
// loops. Its accesses are not traced.
#pragma once
#include <cmath>
#include <vector>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "lockstep_device.h"
#include "lockstep_gemm.h"

typedef struct cublasContext* cublasHandle_t;
enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_PEDANTIC_MATH, CUBLAS_TF32_TENSOR_OP_MATH };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32I = 72
};

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = reinterpret_cast<cublasHandle_t>(std::malloc(16));
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  std::free(handle);
  return CUBLAS_STATUS_SUCCESS;
}
inline const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_INVALID_VALUE";
}
inline const char* cublasGetStatusName(cublasStatus_t status) { return cublasGetStatusString(status); }
inline cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  *version = CUDA_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

// Results go the way of copies, so that the memory counts as written.
template <class T>
inline void lockstep_store(T* to, const T* from, int count, int step = 1) {
  if (step == 1) {
    cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDefault);
    return;
  }
  for (int i = 0; i < count; ++i) cudaMemcpy(to + long(i) * step, from + i, sizeof(T), cudaMemcpyDefault);
}
template <class T>
inline cublasStatus_t lockstep_copy_matrix(int rows, int columns, const T* from, int lda, T* to, int ldb) {
  for (int j = 0; j < columns; ++j) lockstep_store(to + long(j) * ldb, from + long(j) * lda, rows);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void* a, int lda, void* b, int ldb) {
  cudaMemcpy2D(b, size_t(ldb) * size, a, size_t(lda) * size, size_t(rows) * size, columns, cudaMemcpyDefault);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void* a, int lda, void* b, int ldb) {
  return cublasSetMatrix(rows, columns, size, a, lda, b, ldb);
}
inline cublasStatus_t cublasSetVector(int n, int size, const void* x, int incx, void* y, int incy) {
  return cublasSetMatrix(1, n, size, x, incx, y, incy);
}
inline cublasStatus_t cublasGetVector(int n, int size, const void* x, int incx, void* y, int incy) {
  return cublasSetMatrix(1, n, size, x, incx, y, incy);
}

// C = alpha op(A) op(B) + beta C; S is what is summed in.
template <class S, class A, class B, class C>
inline cublasStatus_t lockstep_gemm(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, S alpha, const A* a,
                                    long lda, const B* b, long ldb, S beta, C* c, long ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < 1 || ldb < 1 || ldc < (m > 1 ? m : 1)) return CUBLAS_STATUS_INVALID_VALUE;
  const std::vector<S> sum = lockstep_product<S>(
      m, n, k, [&](long i, long l) { return S(ta == CUBLAS_OP_N ? a[l * lda + i] : a[i * lda + l]); },
      [&](long l, long j) { return S(tb == CUBLAS_OP_N ? b[j * ldb + l] : b[l * ldb + j]); });
  std::vector<C> column(m);
  for (long j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      const S x = sum[size_t(j) * m + i];
      column[i] = C(beta == S(0) ? alpha * x : alpha * x + beta * S(c[j * ldc + i]));
    }
    lockstep_store(c + j * ldc, column.data(), m);
  }
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
inline cublasStatus_t lockstep_gemv(cublasOperation_t t, int m, int n, T alpha, const T* a, long lda, const T* x, int incx,
                                    T beta, T* y, int incy) {
  const int rows = t == CUBLAS_OP_N ? m : n, columns = t == CUBLAS_OP_N ? n : m;
  std::vector<T> sum(rows);
  for (int i = 0; i < rows; ++i) {
    T all = 0;
    for (int j = 0; j < columns; ++j) all += (t == CUBLAS_OP_N ? a[j * lda + i] : a[i * lda + j]) * x[long(j) * incx];
    sum[i] = beta == T(0) ? alpha * all : alpha * all + beta * y[long(i) * incy];
  }
  lockstep_store(y, sum.data(), rows, incy);
  return CUBLAS_STATUS_SUCCESS;
}

#define LOCKSTEP_BLAS(L, T)                                                                                              \
  inline cublasStatus_t cublas##L##gemm(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
                                        const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c,   \
                                        int ldc) {                                                                       \
    return lockstep_gemm<T>(ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);                                     \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##gemmStridedBatched(                                                                   \
      cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T* alpha, const T* a,       \
      int lda, long long sa, const T* b, int ldb, long long sb, const T* beta, T* c, int ldc, long long sc, int count) { \
    for (int i = 0; i < count; ++i)                                                                                      \
      lockstep_gemm<T>(ta, tb, m, n, k, *alpha, a + i * sa, lda, b + i * sb, ldb, *beta, c + i * sc, ldc);               \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##gemmBatched(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, \
                                               int k, const T* alpha, const T* const a[], int lda, const T* const b[],   \
                                               int ldb, const T* beta, T* const c[], int ldc, int count) {               \
    for (int i = 0; i < count; ++i)                                                                                      \
      lockstep_gemm<T>(ta, tb, m, n, k, *alpha, a[i], lda, b[i], ldb, *beta, c[i], ldc);                                 \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##gemv(cublasHandle_t, cublasOperation_t t, int m, int n, const T* alpha, const T* a,   \
                                        int lda, const T* x, int incx, const T* beta, T* y, int incy) {                  \
    return lockstep_gemv<T>(t, m, n, *alpha, a, lda, x, incx, *beta, y, incy);                                           \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##axpy(cublasHandle_t, int n, const T* alpha, const T* x, int incx, T* y, int incy) {   \
    std::vector<T> sum(n);                                                                                               \
    for (int i = 0; i < n; ++i) sum[i] = *alpha * x[long(i) * incx] + y[long(i) * incy];                                 \
    lockstep_store(y, sum.data(), n, incy);                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##scal(cublasHandle_t, int n, const T* alpha, T* x, int incx) {                         \
    std::vector<T> all(n);                                                                                               \
    for (int i = 0; i < n; ++i) all[i] = *alpha * x[long(i) * incx];                                                     \
    lockstep_store(x, all.data(), n, incx);                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##copy(cublasHandle_t, int n, const T* x, int incx, T* y, int incy) {                   \
    std::vector<T> all(n);                                                                                               \
    for (int i = 0; i < n; ++i) all[i] = x[long(i) * incx];                                                              \
    lockstep_store(y, all.data(), n, incy);                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##dot(cublasHandle_t, int n, const T* x, int incx, const T* y, int incy, T* result) {   \
    double sum = 0;                                                                                                      \
    for (int i = 0; i < n; ++i) sum += double(x[long(i) * incx]) * y[long(i) * incy];                                    \
    const T value = T(sum);                                                                                              \
    lockstep_store(result, &value, 1);                                                                                   \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##nrm2(cublasHandle_t, int n, const T* x, int incx, T* result) {                        \
    double sum = 0;                                                                                                      \
    for (int i = 0; i < n; ++i) sum += double(x[long(i) * incx]) * x[long(i) * incx];                                    \
    const T value = T(std::sqrt(sum));                                                                                   \
    lockstep_store(result, &value, 1);                                                                                   \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##asum(cublasHandle_t, int n, const T* x, int incx, T* result) {                        \
    double sum = 0;                                                                                                      \
    for (int i = 0; i < n; ++i) sum += std::fabs(double(x[long(i) * incx]));                                             \
    const T value = T(sum);                                                                                              \
    lockstep_store(result, &value, 1);                                                                                   \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }
LOCKSTEP_BLAS(S, float)
LOCKSTEP_BLAS(D, double)
// The first of the largest, or smallest, by amount; counted from 1.
template <class T>
inline cublasStatus_t lockstep_extreme(int n, const T* x, int incx, int* result, bool largest) {
  int best = 0;
  for (int i = 1; i < n; ++i) {
    const double value = std::fabs(double(x[long(i) * incx])), held = std::fabs(double(x[long(best) * incx]));
    if (largest ? value > held : value < held) best = i;
  }
  const int place = n > 0 ? best + 1 : 0;
  lockstep_store(result, &place, 1);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasIsamax(cublasHandle_t, int n, const float* x, int incx, int* result) {
  return lockstep_extreme(n, x, incx, result, true);
}
inline cublasStatus_t cublasIsamin(cublasHandle_t, int n, const float* x, int incx, int* result) {
  return lockstep_extreme(n, x, incx, result, false);
}
inline cublasStatus_t cublasIdamax(cublasHandle_t, int n, const double* x, int incx, int* result) {
  return lockstep_extreme(n, x, incx, result, true);
}
inline cublasStatus_t cublasHgemm(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                  const __half* alpha, const __half* a, int lda, const __half* b, int ldb,
                                  const __half* beta, __half* c, int ldc) {
  return lockstep_gemm<float>(ta, tb, m, n, k, float(*alpha), a, lda, b, ldb, float(*beta), c, ldc);
}

template <class T>
inline cublasStatus_t lockstep_geam(cublasOperation_t ta, cublasOperation_t tb, int m, int n, T alpha, const T* a, long lda, T beta,
                                    const T* b, long ldb, T* c, long ldc) {
  std::vector<T> all(size_t(m) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      T sum = 0;
      if (alpha != T(0)) sum += alpha * (ta == CUBLAS_OP_N ? a[j * lda + i] : a[i * lda + j]);
      if (beta != T(0)) sum += beta * (tb == CUBLAS_OP_N ? b[j * ldb + i] : b[i * ldb + j]);
      all[size_t(j) * m + i] = sum;
    }
  for (int j = 0; j < n; ++j) lockstep_store(c + j * ldc, all.data() + size_t(j) * m, m);
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
inline cublasStatus_t lockstep_ger(int m, int n, T alpha, const T* x, int incx, const T* y, int incy, T* a, long lda) {
  std::vector<T> column(m);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) column[i] = a[j * lda + i] + alpha * x[long(i) * incx] * y[long(j) * incy];
    lockstep_store(a + j * lda, column.data(), m);
  }
  return CUBLAS_STATUS_SUCCESS;
}
#define LOCKSTEP_BLAS_MORE(L, T)                                                                                         \
  inline cublasStatus_t cublas##L##geam(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n,        \
                                        const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,   \
                                        int ldc) {                                                                       \
    return lockstep_geam<T>(ta, tb, m, n, *alpha, a, lda, *beta, b, ldb, c, ldc);                                        \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##ger(cublasHandle_t, int m, int n, const T* alpha, const T* x, int incx, const T* y,   \
                                       int incy, T* a, int lda) {                                                        \
    return lockstep_ger<T>(m, n, *alpha, x, incx, y, incy, a, lda);                                                      \
  }                                                                                                                      \
  inline cublasStatus_t cublas##L##swap(cublasHandle_t, int n, T* x, int incx, T* y, int incy) {                         \
    std::vector<T> one(n), other(n);                                                                                     \
    for (int i = 0; i < n; ++i) one[i] = x[long(i) * incx], other[i] = y[long(i) * incy];                                \
    lockstep_store(x, other.data(), n, incx), lockstep_store(y, one.data(), n, incy);                                    \
    return CUBLAS_STATUS_SUCCESS;                                                                                        \
  }
LOCKSTEP_BLAS_MORE(S, float)
LOCKSTEP_BLAS_MORE(D, double)

// Types by their numbers (library_types.h).
enum cudaDataType {
  CUDA_R_16F = 2, CUDA_R_16BF = 14, CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_8I = 3, CUDA_R_8U = 8, CUDA_R_32I = 10
};
typedef cudaDataType cudaDataType_t;
template <class S, class A, class C>
inline cublasStatus_t lockstep_gemm_of(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void* alpha,
                                       const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  return lockstep_gemm<S>(ta, tb, m, n, k, *static_cast<const S*>(alpha), static_cast<const A*>(a), lda,
                          static_cast<const A*>(b), ldb, *static_cast<const S*>(beta), static_cast<C*>(c), ldc);
}
template <class Compute>
inline cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                   const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                                   cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                                   Compute, cublasGemmAlgo_t) {
  const auto is = [&](cudaDataType in, cudaDataType out) { return type_a == in && type_b == in && type_c == out; };
  if (is(CUDA_R_32F, CUDA_R_32F)) return lockstep_gemm_of<float, float, float>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (is(CUDA_R_64F, CUDA_R_64F)) return lockstep_gemm_of<double, double, double>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (is(CUDA_R_16F, CUDA_R_32F)) return lockstep_gemm_of<float, __half, float>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (is(CUDA_R_16F, CUDA_R_16F)) return lockstep_gemm_of<float, __half, __half>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (is(CUDA_R_16BF, CUDA_R_16BF)) return lockstep_gemm_of<float, __nv_bfloat16, __nv_bfloat16>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (is(CUDA_R_16BF, CUDA_R_32F)) return lockstep_gemm_of<float, __nv_bfloat16, float>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (is(CUDA_R_8I, CUDA_R_32I)) return lockstep_gemm_of<int, signed char, int>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
template <class Compute>
inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                                 int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                                                 long long sa, const void* b, cudaDataType type_b, int ldb, long long sb,
                                                 const void* beta, void* c, cudaDataType type_c, int ldc, long long sc,
                                                 int count, Compute compute, cublasGemmAlgo_t how) {
  const auto bytes = [](cudaDataType t) {
    return t == CUDA_R_64F ? 8 : t == CUDA_R_32F || t == CUDA_R_32I ? 4 : t == CUDA_R_16F || t == CUDA_R_16BF ? 2 : 1;
  };
  for (long long i = 0; i < count; ++i) {
    const cublasStatus_t done =
        cublasGemmEx(handle, ta, tb, m, n, k, alpha, static_cast<const char*>(a) + i * sa * bytes(type_a), type_a, lda,
                     static_cast<const char*>(b) + i * sb * bytes(type_b), type_b, ldb, beta,
                     static_cast<char*>(c) + i * sc * bytes(type_c), type_c, ldc, compute, how);
    if (done != CUBLAS_STATUS_SUCCESS) return done;
  }
  return CUBLAS_STATUS_SUCCESS;
}
