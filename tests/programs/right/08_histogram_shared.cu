/**
 * Histogram of bytes with 64 bins: every block counts in shared memory first
 * and adds its counts to the result at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 64

__global__ void histogram(const unsigned char *data, int n, unsigned int *bins)
{
    __shared__ unsigned int local[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();

    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&local[data[i] / 4], 1u);
    __syncthreads();

    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}

int main(void)
{
    const int n = 10000;
    unsigned char *data = (unsigned char *)malloc(n);
    unsigned int state = 12345;
    for (int i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        data[i] = (unsigned char)(state >> 24);
    }

    unsigned char *d_data;
    unsigned int *d_bins, bins[BINS], want[BINS];
    cudaMalloc((void **)&d_data, n);
    cudaMalloc((void **)&d_bins, sizeof(bins));
    cudaMemcpy(d_data, data, n, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, sizeof(bins));
    histogram<<<8, 128>>>(d_data, n, d_bins);
    cudaMemcpy(bins, d_bins, sizeof(bins), cudaMemcpyDeviceToHost);

    memset(want, 0, sizeof(want));
    for (int i = 0; i < n; ++i) want[data[i] / 4]++;
    unsigned int total = 0;
    int wrong = 0;
    for (int b = 0; b < BINS; ++b) {
        total += bins[b];
        wrong += bins[b] != want[b];
    }
    printf("counted %u values, %d bins wrong\n", total, wrong);
    cudaFree(d_data);
    cudaFree(d_bins);
    free(data);
    return wrong ? 1 : 0;
}
