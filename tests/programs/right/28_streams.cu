#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(call)                                                             \
  do {                                                                          \
    cudaError_t err = (call);                                                   \
    if (err != cudaSuccess) {                                                   \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
      return 1;                                                                 \
    }                                                                           \
  } while (0)

// Copies and kernels of four chunks, each in a stream of its own, from pinned memory.
__global__ void square_plus_one(int *data, int offset) {
  int i = offset + blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * data[i] + 1;
}

int main() {
  const int nStreams = 4, blockSize = 128, n = 4 * 512;
  const int streamSize = n / nStreams;
  const int streamBytes = streamSize * sizeof(int);

  int *a, *d_a;
  CHECK(cudaMallocHost((void **)&a, n * sizeof(int)));
  CHECK(cudaMalloc((void **)&d_a, n * sizeof(int)));
  for (int i = 0; i < n; ++i) a[i] = i % 100;

  cudaStream_t stream[nStreams];
  for (int i = 0; i < nStreams; ++i) CHECK(cudaStreamCreate(&stream[i]));
  for (int i = 0; i < nStreams; ++i) {
    int offset = i * streamSize;
    CHECK(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice, stream[i]));
    square_plus_one<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost, stream[i]));
  }
  for (int i = 0; i < nStreams; ++i) CHECK(cudaStreamSynchronize(stream[i]));

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += a[i] != (i % 100) * (i % 100) + 1;
  printf("%d streams, a[%d] = %d, %d wrong\n", nStreams, n - 1, a[n - 1], wrong);
  for (int i = 0; i < nStreams; ++i) CHECK(cudaStreamDestroy(stream[i]));
  CHECK(cudaFree(d_a));
  CHECK(cudaFreeHost(a));
  return wrong;
}
