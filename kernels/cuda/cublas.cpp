#include "kernels/cuda/cublas.hpp"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>

#include "app/platform/libraries.hpp"

namespace lockstep::cuda {
namespace {

struct Cublas {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasSgemm_v2) sgemm = nullptr;
  using GemmEx = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                const void*, const void*, cudaDataType, int, const void*, cudaDataType, int,
                                const void*, void*, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
  GemmEx* gemm_ex = nullptr;
  cublasHandle_t handle = nullptr;
  std::string missing;  // "" = everything is there

  Cublas() {
    const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
    Library library = Library::open(name);
    if (!library) library = Library::open("libcublas.so");
    if (!library) {
      missing = name;
      return;
    }
    library.find("cublasCreate_v2", create), library.find("cublasSgemm_v2", sgemm);
    library.find("cublasGemmEx", gemm_ex);
    if (!create || !sgemm || !gemm_ex)
      missing = name;
    else if (create(&handle) != CUBLAS_STATUS_SUCCESS)
      handle = nullptr;
  }
};

}  // namespace

Result<std::function<bool()>> cublas_product(const lab::DeviceBinding& binding) {
  static const Cublas library;
  if (!library.missing.empty())
    return unavailable("{0} was not found: install cuBLAS to compare with it", {library.missing});
  if (!library.handle)
    return unavailable(
        "cuBLAS does not start on this GPU, perhaps for lack of memory: there is no comparison", {});
  const auto m = int(binding.param("m")), n = int(binding.param("n")), k = int(binding.param("k"));
  const void* const a = binding.buffers.at(0).data;
  const void* const b = binding.buffers.at(1).data;
  void* c = binding.buffers.at(2).data;
  const bool narrow = binding.buffers[0].bytes == std::uint64_t(m) * std::uint64_t(k) * 2;
  // cuBLAS counts down columns: it is asked for C^T = B^T A^T, which lies in memory as C does row by row.
  return std::function<bool()>([=] {
    const float one = 1, zero = 0;
    const auto status = narrow ? library.gemm_ex(library.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b,
                                                 CUDA_R_16BF, n, a, CUDA_R_16BF, k, &zero, c, CUDA_R_32F, n,
                                                 CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)
                               : library.sgemm(library.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                                               static_cast<const float*>(b), n, static_cast<const float*>(a),
                                               k, &zero, static_cast<float*>(c), n);
    return status == CUBLAS_STATUS_SUCCESS;
  });
}

}  // namespace lockstep::cuda

#else  // a toolkit without cuBLAS

namespace lockstep::cuda {

Result<std::function<bool()>> cublas_product(const lab::DeviceBinding&) {
  return unavailable("{0} was not found: install cuBLAS to compare with it", {"cublas_v2.h"});
}

}  // namespace lockstep::cuda

#endif
