#include <stdio.h>

// Where does the sum go wrong? Let one thread say what it sees.
__device__ int debug_thread = 5;

__global__ void running_sum(int *data, int n)
{
    int tid = threadIdx.x;
    for (int step = 1; step < n; step *= 2) {
        int mine = data[tid];
        int left = tid >= step ? data[tid - step] : 0;
        __syncthreads();
        data[tid] = mine + left;
        if (tid == debug_thread)
            printf("step %d: thread %d adds %d to %d\n", step, tid, left, mine);
        __syncthreads();
    }
}

__global__ void hello()
{
    if (threadIdx.x == 0)
        printf("hello from block (%d, %d) of %d x %d\n", blockIdx.x, blockIdx.y, gridDim.x, gridDim.y);
}

int main()
{
    int h[16], *d;
    for (int i = 0; i < 16; i++) h[i] = i;
    cudaMalloc((void **)&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    running_sum<<<1, 16>>>(d, 16);
    cudaDeviceSynchronize();
    hello<<<dim3(1, 1), 32>>>();
    cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("data[5] = %d, data[15] = %d\n", h[5], h[15]);
    cudaFree(d);
    return h[15] == 120 ? 0 : 1;
}
