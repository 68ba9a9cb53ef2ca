#include <stdio.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int reduce_sum(cg::thread_group g, int *temp, int val)
{
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = val;
        g.sync();                       // wait for all threads to store
        if (lane < i) val += temp[lane + i];
        g.sync();                       // wait for all threads to load
    }
    return val;
}

__global__ void sum_block(int *sum, const int *input, int n)
{
    __shared__ int temp[128];
    cg::thread_block block = cg::this_thread_block();
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        mine += input[i];
    int total = reduce_sum(block, temp, mine);
    if (block.thread_rank() == 0) atomicAdd(sum, total);
}

__global__ void sum_tiles(int *sum, const int *input, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? input[i] : 0;
    for (int d = tile.size() / 2; d > 0; d /= 2)
        value += tile.shfl_down(value, d);
    if (tile.thread_rank() == 0) atomicAdd(sum, value);
}

int main()
{
    const int n = 2000;
    int input[n], want = 0;
    for (int i = 0; i < n; i++) {
        input[i] = i % 9;
        want += input[i];
    }
    int *d_input, *d_sum, sums[2];
    cudaMalloc(&d_input, sizeof(input));
    cudaMalloc(&d_sum, 2 * sizeof(int));
    cudaMemcpy(d_input, input, sizeof(input), cudaMemcpyHostToDevice);
    cudaMemset(d_sum, 0, 2 * sizeof(int));
    sum_block<<<4, 128>>>(d_sum, d_input, n);
    sum_tiles<<<(n + 127) / 128, 128>>>(d_sum + 1, d_input, n);
    cudaMemcpy(sums, d_sum, sizeof(sums), cudaMemcpyDeviceToHost);
    cudaFree(d_input);
    cudaFree(d_sum);
    printf("by blocks %d, by tiles of 16 %d, expected %d\n", sums[0], sums[1], want);
    return sums[0] == want && sums[1] == want ? 0 : 1;
}
