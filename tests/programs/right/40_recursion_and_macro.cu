// A recursive device function, launched through a macro; two dynamic arrays in one shared block.
#include <cstdio>
#include <vector>

#define LAUNCH(kernel, blocks, threads, bytes, ...) \
  do {                                              \
    kernel<<<blocks, threads, bytes>>>(__VA_ARGS__); \
    if (cudaGetLastError() != cudaSuccess) {        \
      printf("launch of " #kernel " failed\n");     \
      return 1;                                     \
    }                                               \
  } while (0)

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ unsigned gcd(unsigned a, unsigned b) { return b == 0 ? a : gcd(b, a % b); }

__global__ void fibonaccis(int* out) {
  int f = fibonacci(threadIdx.x);
  __syncwarp();  // the lanes come back at different times
  out[threadIdx.x] = f;
}

__global__ void gcds_of_neighbours(const unsigned* in, unsigned* out, int n) {
  extern __shared__ unsigned char bytes[];
  unsigned* values = (unsigned*)bytes;
  unsigned short* places = (unsigned short*)(values + blockDim.x);
  const int t = threadIdx.x;
  values[t] = in[t];
  places[t] = (unsigned short)((t + 1) % n);
  __syncthreads();
  out[t] = gcd(values[t], values[places[t]]);
}

int main() {
  int *d_fib, fib[16];
  cudaMalloc(&d_fib, sizeof fib);
  LAUNCH(fibonaccis, 1, 16, 0, d_fib);
  cudaMemcpy(fib, d_fib, sizeof fib, cudaMemcpyDeviceToHost);
  cudaFree(d_fib);
  for (int i = 0; i < 16; ++i) printf("%d%c", fib[i], i == 15 ? '\n' : ' ');

  const int n = 64;
  std::vector<unsigned> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = (i + 1) * 12;
  unsigned *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(unsigned));
  cudaMalloc(&d_out, n * sizeof(unsigned));
  cudaMemcpy(d_in, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  LAUNCH(gcds_of_neighbours, 1, n, n * (sizeof(unsigned) + sizeof(unsigned short)), d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);

  bool right = fib[15] == 610;
  for (int i = 0; i < n - 1; ++i) right = right && out[i] == 12;
  right = right && out[n - 1] == 12;
  printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
