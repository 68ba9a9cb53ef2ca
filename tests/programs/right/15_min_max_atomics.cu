// Smallest, largest and number of values above a threshold, all by atomics.
#include <climits>
#include <cstdio>

struct Summary {
  int smallest, largest;
  unsigned int above;
  unsigned int flags;
};

__global__ void summarize(const int* values, int n, int threshold, Summary* summary) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = values[i];
  atomicMin(&summary->smallest, v);
  atomicMax(&summary->largest, v);
  if (v > threshold) atomicInc(&summary->above, UINT_MAX);
  atomicOr(&summary->flags, 1u << (v & 31));
}

int main() {
  const int n = 700;
  int values[n];
  unsigned int x = 99;
  for (int& v : values) {
    x = x * 1103515245u + 12345u;
    v = int(x >> 16) % 2000 - 1000;
  }
  Summary want = {INT_MAX, INT_MIN, 0, 0}, got = want;
  for (int v : values) {
    if (v < want.smallest) want.smallest = v;
    if (v > want.largest) want.largest = v;
    if (v > 500) ++want.above;
    want.flags |= 1u << (v & 31);
  }

  int* d_values;
  Summary* d_summary;
  cudaMalloc(&d_values, sizeof values);
  cudaMalloc(&d_summary, sizeof(Summary));
  cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice);
  cudaMemcpy(d_summary, &got, sizeof got, cudaMemcpyHostToDevice);
  summarize<<<(n + 63) / 64, 64>>>(d_values, n, 500, d_summary);
  cudaMemcpy(&got, d_summary, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree(d_values);
  cudaFree(d_summary);

  bool same = got.smallest == want.smallest && got.largest == want.largest && got.above == want.above &&
              got.flags == want.flags;
  printf("from %d to %d, %u above 500, flags %08x\n", got.smallest, got.largest, got.above, got.flags);
  puts(same ? "as on the CPU" : "NOT as on the CPU");
  return same ? 0 : 1;
}
