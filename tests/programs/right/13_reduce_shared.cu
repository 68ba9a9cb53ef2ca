#include <stdio.h>
#include <stdlib.h>

// Sum of an array: every block reduces its part in dynamic shared memory, the host adds the rest.

__global__ void reduceSum(const int *g_in, int *g_out, unsigned int n)
{
    extern __shared__ int sdata[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;

    int mySum = (i < n) ? g_in[i] : 0;
    if (i + blockDim.x < n)
        mySum += g_in[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        g_out[blockIdx.x] = sdata[0];
}

int main(int argc, char **argv)
{
    unsigned int n = 1 << 14;
    if (argc > 1) n = atoi(argv[1]);
    const int threads = 256;
    const int blocks = (n + threads * 2 - 1) / (threads * 2);

    int *h_in = (int *)malloc(n * sizeof(int));
    int *h_out = (int *)malloc(blocks * sizeof(int));
    long long want = 0;
    for (unsigned int i = 0; i < n; ++i) {
        h_in[i] = (int)(i % 17) - 8;
        want += h_in[i];
    }

    int *d_in = NULL, *d_out = NULL;
    cudaMalloc((void **)&d_in, n * sizeof(int));
    cudaMalloc((void **)&d_out, blocks * sizeof(int));
    cudaMemcpy(d_in, h_in, n * sizeof(int), cudaMemcpyHostToDevice);
    reduceSum<<<blocks, threads, threads * sizeof(int)>>>(d_in, d_out, n);
    cudaMemcpy(h_out, d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost);

    long long sum = 0;
    for (int b = 0; b < blocks; ++b) sum += h_out[b];
    printf("n = %u, %d blocks\n", n, blocks);
    printf("GPU sum %lld, CPU sum %lld: %s\n", sum, want, sum == want ? "PASS" : "FAIL");

    cudaFree(d_in);
    cudaFree(d_out);
    free(h_in);
    free(h_out);
    return sum == want ? EXIT_SUCCESS : EXIT_FAILURE;
}
