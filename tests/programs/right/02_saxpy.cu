#include <iostream>
#include <vector>

using namespace std;

__global__
void saxpy(int n, float a, const float* x, float* y)
{
  const int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = a*x[i] + y[i];
}

int main(void)
{
  const int N = 1 << 12;
  vector<float> x(N, 1.0f), y(N, 2.0f);

  float *d_x, *d_y;
  cudaMalloc((void**)&d_x, N*sizeof(float));
  cudaMalloc((void**)&d_y, N*sizeof(float));
  cudaMemcpy(d_x, x.data(), N*sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y.data(), N*sizeof(float), cudaMemcpyHostToDevice);

  // y = 2x + y, three times
  for (int round = 0; round < 3; ++round)
    saxpy<<<(N+127)/128, 128>>>(N, 2.0f, d_x, d_y);

  cudaMemcpy(y.data(), d_y, N*sizeof(float), cudaMemcpyDeviceToHost);
  float worst = 0.0f;
  for (float v : y) worst = max(worst, abs(v - 8.0f));
  cout << "y[0] = " << y[0] << ", largest error " << worst << endl;

  cudaFree(d_x);
  cudaFree(d_y);
  return worst == 0.0f ? 0 : 1;
}
