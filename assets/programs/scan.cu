// Prefix sums of one block: in every round each thread adds what stands `distance` to its left.
#include <cstdio>

const int kThreads = 256;

__global__ void scan(const int* in, int* out) {
  __shared__ int s[kThreads];
  int tid = threadIdx.x;
  s[tid] = in[tid];
  __syncthreads();

  for (int distance = 1; distance < kThreads; distance *= 2) {
    int left = tid >= distance ? s[tid - distance] : 0;
    __syncthreads();  // all have read before anybody writes
    s[tid] += left;
    __syncthreads();
  }
  out[tid] = s[tid];
}

int main() {
  int in[kThreads], out[kThreads];
  for (int i = 0; i < kThreads; i++) in[i] = i % 7;

  int *d_in, *d_out;
  cudaMalloc(&d_in, sizeof(in));
  cudaMalloc(&d_out, sizeof(out));
  cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
  scan<<<1, kThreads>>>(d_in, d_out);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);

  int sum = 0, wrong = 0;
  for (int i = 0; i < kThreads; i++) {
    sum += in[i];
    if (out[i] != sum) wrong++;
  }
  printf("last sum %d, %d of %d are wrong\n", out[kThreads - 1], wrong, kThreads);
  return wrong != 0;
}
