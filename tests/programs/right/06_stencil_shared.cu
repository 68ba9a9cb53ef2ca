// 1-D stencil of radius 3: the block loads its part and a halo into shared memory.
#include <stdio.h>
#include <stdlib.h>

#define RADIUS 3
#define BLOCK_SIZE 128
#define N (BLOCK_SIZE * 8)

__global__ void stencil_1d(int *in, int *out) {
    __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x;   // without the halo
    int lindex = threadIdx.x + RADIUS;

    temp[lindex] = in[gindex + RADIUS];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[gindex];
        temp[lindex + BLOCK_SIZE] = in[gindex + RADIUS + BLOCK_SIZE];
    }
    __syncthreads();

    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[lindex + offset];
    out[gindex] = result;
}

int main(void) {
    int size_in = (N + 2 * RADIUS) * sizeof(int);
    int size_out = N * sizeof(int);
    int *in = (int *)malloc(size_in), *out = (int *)malloc(size_out);
    for (int i = 0; i < N + 2 * RADIUS; i++) in[i] = i % 10;

    int *d_in, *d_out;
    cudaMalloc((void **)&d_in, size_in);
    cudaMalloc((void **)&d_out, size_out);
    cudaMemcpy(d_in, in, size_in, cudaMemcpyHostToDevice);
    stencil_1d<<<N / BLOCK_SIZE, BLOCK_SIZE>>>(d_in, d_out);
    cudaMemcpy(out, d_out, size_out, cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < N; i++) {
        int want = 0;
        for (int k = 0; k <= 2 * RADIUS; k++) want += in[i + k];
        if (out[i] != want) bad++;
    }
    printf("out: %d %d %d ... %d\n", out[0], out[1], out[2], out[N - 1]);
    printf(bad ? "FAILED\n" : "PASSED\n");
    cudaFree(d_in); cudaFree(d_out);
    free(in); free(out);
    return bad != 0;
}
