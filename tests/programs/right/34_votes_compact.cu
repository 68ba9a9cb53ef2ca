// Stream compaction: every warp moves the values that it keeps to the front of its 32 places, by ballot and popc.
#include <cstdio>
#include <vector>

__global__ void keep_multiples_of_3(const int* in, int* out, int* kept, int n, int* all_even, int* any_large) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  int value = i < n ? in[i] : 1;
  bool keep = i < n && value % 3 == 0;

  unsigned mask = __ballot_sync(0xffffffffu, keep);
  int before = __popc(mask & ((1u << lane) - 1));
  if (keep) out[i - lane + before] = value;
  if (lane == 0) kept[i / 32] = __popc(mask);

  if (__all_sync(0xffffffffu, value % 2 == 0) && lane == 0) atomicAdd(all_even, 1);
  if (__any_sync(0xffffffffu, value > 990) && lane == 0) atomicAdd(any_large, 1);
}

int main() {
  const int n = 1000, threads = 128, blocks = (n + threads - 1) / threads, warps = blocks * threads / 32;
  std::vector<int> in(n), want;
  for (int i = 0; i < n; ++i) {
    in[i] = i / 64 % 4 == 1 ? i * 2 % 500 : i;
    if (in[i] % 3 == 0) want.push_back(in[i]);
  }
  int *d_in, *d_out, *d_kept, *d_count;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, warps * 32 * sizeof(int));
  cudaMalloc(&d_kept, warps * sizeof(int));
  cudaMalloc(&d_count, 2 * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, warps * 32 * sizeof(int));
  cudaMemset(d_count, 0, 2 * sizeof(int));
  keep_multiples_of_3<<<blocks, threads>>>(d_in, d_out, d_kept, n, d_count, d_count + 1);
  int count[2];
  std::vector<int> places(warps * 32), kept(warps), out;
  cudaMemcpy(count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
  cudaMemcpy(places.data(), d_out, warps * 32 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(kept.data(), d_kept, warps * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_kept);
  cudaFree(d_count);

  for (int w = 0; w < warps; ++w)
    for (int k = 0; k < kept[w]; ++k) out.push_back(places[w * 32 + k]);
  printf("kept %d of %d, %d warps all even, %d with a large value\n", (int)out.size(), n, count[0], count[1]);
  printf("%s\n", out == want ? "PASSED" : "FAILED");
  return out == want ? 0 : 1;
}
