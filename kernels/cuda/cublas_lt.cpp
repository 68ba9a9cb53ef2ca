#include "kernels/cuda/cublas_lt.hpp"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "app/platform/libraries.hpp"

namespace lockstep::cuda {
namespace {

constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr int kMostAlgorithms = 4, kTrials = 5;

struct CublasLt {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  cublasLtHandle_t handle = nullptr;
  std::string missing;  // "" = everything is there

  CublasLt() {
    const std::string name = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
    Library library = Library::open(name);
    if (!library) library = Library::open("libcublasLt.so");
    if (library) {
      library.find("cublasLtCreate", create), library.find("cublasLtMatmul", matmul);
      library.find("cublasLtMatmulDescCreate", desc_create);
      library.find("cublasLtMatmulDescSetAttribute", desc_set);
      library.find("cublasLtMatrixLayoutCreate", layout_create);
      library.find("cublasLtMatmulPreferenceCreate", preference_create);
      library.find("cublasLtMatmulPreferenceSetAttribute", preference_set);
      library.find("cublasLtMatmulAlgoGetHeuristic", heuristic);
    }
    if (!create || !matmul || !desc_create || !desc_set || !layout_create || !preference_create ||
        !preference_set || !heuristic)
      missing = name;
    else if (create(&handle) != CUBLAS_STATUS_SUCCESS)
      handle = nullptr;
  }
};

// One product on its buffers, and the algorithm that it is made by. What it is described by is a few hundred
// bytes, and stays until the program ends.
class Product {
 public:
  Product(const CublasLt& library, const lab::DeviceBinding& binding) : lt_(library) {
    const auto m = std::uint64_t(binding.param("m")), n = std::uint64_t(binding.param("n")),
               k = std::uint64_t(binding.param("k"));
    a_ = binding.buffers.at(0).data, b_ = binding.buffers.at(1).data, c_ = binding.buffers.at(2).data;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const std::int8_t fast = 1;
    // The library counts down columns: it is asked for C^T = B^T A^T, which lies in memory as C does row by
    // row.
    ok_ = done(lt_.desc_create(&desc_, CUBLAS_COMPUTE_32F, CUDA_R_32F)) &&
          done(lt_.desc_set(desc_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed)) &&
          done(lt_.desc_set(desc_, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast)) &&
          done(lt_.layout_create(&of_a_, CUDA_R_8F_E4M3, k, m, std::int64_t(k))) &&
          done(lt_.layout_create(&of_b_, CUDA_R_8F_E4M3, k, n, std::int64_t(k))) &&
          done(lt_.layout_create(&of_c_, CUDA_R_32F, n, m, std::int64_t(n))) &&
          cudaMalloc(&workspace_, kWorkspace) == cudaSuccess && choose();
  }
  ~Product() { cudaFree(workspace_); }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  bool ok() const { return ok_; }
  bool launch() const { return launch(algorithm_); }

 private:
  static bool done(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS; }
  bool launch(const cublasLtMatmulAlgo_t& algorithm) const {
    const float one = 1, zero = 0;
    return done(lt_.matmul(lt_.handle, desc_, &one, b_, of_b_, a_, of_a_, &zero, c_, of_c_, c_, of_c_,
                           &algorithm, workspace_, kWorkspace, nullptr));
  }
  bool choose() {
    cublasLtMatmulPreference_t preference = nullptr;
    std::vector<cublasLtMatmulHeuristicResult_t> named(kMostAlgorithms);
    int count = 0;
    if (!done(lt_.preference_create(&preference)) ||
        !done(lt_.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
                                 sizeof kWorkspace)) ||
        !done(lt_.heuristic(lt_.handle, desc_, of_b_, of_a_, of_c_, of_c_, preference, kMostAlgorithms,
                            named.data(), &count)))
      return false;
    float fastest = 0;
    bool any = false;
    for (int i = 0; i < count; ++i) {
      const float ms = time(named[std::size_t(i)].algo);
      if (ms <= 0 || (any && ms >= fastest)) continue;
      any = true, fastest = ms, algorithm_ = named[std::size_t(i)].algo;
    }
    return any;
  }
  // Median of a few launches in ms; 0 where it cannot be launched.
  float time(const cublasLtMatmulAlgo_t& algorithm) const {
    cudaEvent_t start, stop;
    cudaEventCreate(&start), cudaEventCreate(&stop);
    std::vector<float> times;
    for (int trial = 0; trial <= kTrials; ++trial) {
      cudaEventRecord(start);
      if (!launch(algorithm)) break;
      cudaEventRecord(stop);
      float ms = 0;
      if (cudaEventSynchronize(stop) != cudaSuccess || cudaEventElapsedTime(&ms, start, stop) != cudaSuccess)
        break;
      if (trial > 0) times.push_back(ms);
    }
    cudaEventDestroy(start), cudaEventDestroy(stop);
    if (times.size() < kTrials) return 0;
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  const CublasLt& lt_;
  const void *a_ = nullptr, *b_ = nullptr;
  void *c_ = nullptr, *workspace_ = nullptr;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t of_a_ = nullptr, of_b_ = nullptr, of_c_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  bool ok_ = false;
};

}  // namespace

Result<std::function<bool()>> cublas_lt_product(const lab::DeviceBinding& binding) {
  static const CublasLt library;
  if (!library.missing.empty())
    return unavailable("{0} was not found: install cuBLAS to compare with it", {library.missing});
  if (!library.handle)
    return unavailable(
        "cuBLAS does not start on this GPU, perhaps for lack of memory: there is no comparison", {});
  const auto product = std::make_shared<Product>(library, binding);
  if (!product->ok())
    return unavailable("cuBLASLt knows no algorithm for this product: there is no comparison", {});
  return std::function<bool()>([product] { return product->launch(); });
}

}  // namespace lockstep::cuda

#else  // a toolkit without cuBLAS

namespace lockstep::cuda {

Result<std::function<bool()>> cublas_lt_product(const lab::DeviceBinding&) {
  return unavailable("{0} was not found: install cuBLAS to compare with it", {"cublasLt.h"});
}

}  // namespace lockstep::cuda

#endif
