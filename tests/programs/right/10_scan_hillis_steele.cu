// Inclusive prefix sum of one block, after Hillis and Steele: log2(n) rounds with two buffers.
#include <stdio.h>

#define N 256

__global__ void scan(const int *in, int *out)
{
    __shared__ int buffer[2][N];
    int tid = threadIdx.x;
    int from = 0, to = 1;
    buffer[from][tid] = in[tid];
    __syncthreads();
    for (int offset = 1; offset < N; offset *= 2) {
        if (tid >= offset)
            buffer[to][tid] = buffer[from][tid] + buffer[from][tid - offset];
        else
            buffer[to][tid] = buffer[from][tid];
        __syncthreads();
        from = 1 - from;
        to = 1 - to;
    }
    out[tid] = buffer[from][tid];
}

int main()
{
    int in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = (i * 7) % 13;
    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    scan<<<1, N>>>(d_in, d_out);
    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < N; i++) {
        sum += in[i];
        if (out[i] != sum) {
            printf("out[%d] = %d, expected %d\n", i, out[i], sum);
            return 1;
        }
    }
    printf("last prefix sum: %d\n", out[N - 1]);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
