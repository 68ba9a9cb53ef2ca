// One kernel for several types and operations.
#include <cstdio>
#include <vector>

template <typename T>
struct Plus {
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
  static const char* name() { return "plus"; }
};

template <typename T>
struct Larger {
  __host__ __device__ T operator()(T a, T b) const { return a > b ? a : b; }
  static const char* name() { return "larger"; }
};

template <typename T, int kRepeat, typename Op>
__global__ void combine(const T* a, const T* b, T* c, int n, Op op) {
  const int base = (blockIdx.x * blockDim.x + threadIdx.x) * kRepeat;
#pragma unroll
  for (int r = 0; r < kRepeat; ++r)
    if (base + r < n) c[base + r] = op(a[base + r], b[base + r]);
}

template <typename T, template <typename> class Op>
bool test(const char* type) {
  const int n = 500;
  std::vector<T> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) {
    a[i] = T(i % 50);
    b[i] = T(30);
  }
  T *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, n * sizeof(T));
  cudaMalloc(&d_b, n * sizeof(T));
  cudaMalloc(&d_c, n * sizeof(T));
  cudaMemcpy(d_a, a.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  combine<T, 2, Op<T>><<<(n / 2 + 63) / 64, 64>>>(d_a, d_b, d_c, n, Op<T>{});
  cudaMemcpy(c.data(), d_c, n * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  bool right = true;
  for (int i = 0; i < n; ++i) right = right && c[i] == Op<T>()(a[i], b[i]);
  printf("%s of %s: %s\n", Op<T>::name(), type, right ? "right" : "wrong");
  return right;
}

int main() {
  bool right = test<int, Plus>("int");
  right &= test<float, Plus>("float");
  right &= test<double, Larger>("double");
  right &= test<short, Larger>("short");
  return right ? 0 : 1;
}
