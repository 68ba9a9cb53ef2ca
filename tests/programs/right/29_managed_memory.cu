#include <iostream>
#include <math.h>

// Unified memory: the same pointer on the host and on the device.
__global__
void add(int n, float *x, float *y)
{
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (int i = index; i < n; i += stride)
    y[i] = x[i] + y[i];
}

struct Counter { int calls; float last; };

__global__ void note(Counter *counter, const float *y, int n)
{
  counter->calls += 1;
  counter->last = y[n - 1];
}

int main(void)
{
  int N = 1<<13;
  float *x, *y;
  Counter *counter;
  cudaMallocManaged(&x, N*sizeof(float));
  cudaMallocManaged(&y, N*sizeof(float));
  cudaMallocManaged(&counter, sizeof(Counter));
  counter->calls = 0;

  for (int i = 0; i < N; i++) {
    x[i] = 1.0f;
    y[i] = 2.0f;
  }
  for (int round = 0; round < 2; round++) {
    add<<<8, 256>>>(N, x, y);
    note<<<1, 1>>>(counter, y, N);
    cudaDeviceSynchronize();
    y[0] += 10.0f;   // the host may, while no kernel runs
  }

  float maxError = 0.0f;
  for (int i = 1; i < N; i++)
    maxError = fmax(maxError, fabs(y[i]-4.0f));
  std::cout << "Max error: " << maxError << std::endl;
  std::cout << "y[0] = " << y[0] << ", " << counter->calls << " calls, last " << counter->last << std::endl;
  bool ok = maxError == 0 && y[0] == 24 && counter->calls == 2 && counter->last == 4;
  cudaFree(x);
  cudaFree(y);
  cudaFree(counter);
  return ok ? 0 : 1;
}
