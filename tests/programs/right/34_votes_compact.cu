// Stream compaction: lanes that keep a value find their place by ballot and popc; order is kept in the warp.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void keep_multiples_of_3(const int* in, int* out, int* kept, int n, int* all_even, int* any_large) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  int value = i < n ? in[i] : 1;
  bool keep = i < n && value % 3 == 0;

  unsigned mask = __ballot_sync(0xffffffffu, keep);
  int before = __popc(mask & ((1u << lane) - 1));
  int base = 0;
  if (lane == 0 && mask != 0) base = atomicAdd(kept, __popc(mask));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + before] = value;

  if (__all_sync(0xffffffffu, value % 2 == 0) && lane == 0) atomicAdd(all_even, 1);
  if (__any_sync(0xffffffffu, value > 990) && lane == 0) atomicAdd(any_large, 1);
}

int main() {
  const int n = 1000;
  std::vector<int> in(n), want;
  for (int i = 0; i < n; ++i) {
    in[i] = i / 64 % 4 == 1 ? i * 2 % 500 : i;
    if (in[i] % 3 == 0) want.push_back(in[i]);
  }
  int *d_in, *d_out, *d_count;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMalloc(&d_count, 3 * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_count, 0, 3 * sizeof(int));
  keep_multiples_of_3<<<(n + 127) / 128, 128>>>(d_in, d_out, d_count, n, d_count + 1, d_count + 2);
  int count[3];
  cudaMemcpy(count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
  std::vector<int> out(count[0]);
  cudaMemcpy(out.data(), d_out, count[0] * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_count);

  std::sort(out.begin(), out.end());
  std::sort(want.begin(), want.end());
  printf("kept %d of %d, %d warps all even, %d with a large value\n", count[0], n, count[1], count[2]);
  printf("%s\n", out == want ? "PASSED" : "FAILED");
  return out == want ? 0 : 1;
}
