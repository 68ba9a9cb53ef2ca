#include <cstdio>
#include <cstdlib>

static void HandleError(cudaError_t err, const char *file, int line) {
  if (err != cudaSuccess) {
    printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
    exit(EXIT_FAILURE);
  }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))

__global__ void triple(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 3;
}

// Measures with events (the time itself is not printed: it is never the same), and provokes two errors.
int main() {
  int count = 0;
  HANDLE_ERROR(cudaGetDeviceCount(&count));
  cudaDeviceProp prop;
  HANDLE_ERROR(cudaGetDeviceProperties(&prop, 0));
  printf("a device: %s, warp size %d\n", count > 0 ? "yes" : "no", prop.warpSize);

  const int n = 600;
  int host[n], *device;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaEvent_t start, stop;
  HANDLE_ERROR(cudaEventCreate(&start));
  HANDLE_ERROR(cudaEventCreate(&stop));
  HANDLE_ERROR(cudaMalloc((void **)&device, sizeof(host)));
  HANDLE_ERROR(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaEventRecord(start, 0));
  triple<<<5, 128>>>(device, n);
  HANDLE_ERROR(cudaEventRecord(stop, 0));
  HANDLE_ERROR(cudaEventSynchronize(stop));
  float elapsed = -1;
  HANDLE_ERROR(cudaEventElapsedTime(&elapsed, start, stop));
  printf("time is %s\n", elapsed < 0 ? "negative" : "fine");

  triple<<<1, 2048>>>(device, n);
  cudaError_t too_many = cudaGetLastError();
  printf("2048 threads: %s\n", cudaGetErrorName(too_many));
  printf("asked again: %s\n", cudaGetErrorString(cudaGetLastError()));
  triple<<<0, 128>>>(device, n);
  printf("no blocks: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
  cudaGetLastError();

  HANDLE_ERROR(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
  HANDLE_ERROR(cudaEventDestroy(start));
  HANDLE_ERROR(cudaEventDestroy(stop));
  HANDLE_ERROR(cudaFree(device));
  printf("host[599] = %d\n", host[599]);
  return host[599] == 1797 && too_many == cudaErrorInvalidValue ? 0 : 1;
}
