#include <cstdio>
#include <cuda_runtime.h>

// Where is the largest value? Pairs of (value, index) are reduced in shared memory.

struct Best { float value; int index; };

__device__ Best better(const Best &a, const Best &b)
{
    if (a.value != b.value) return a.value > b.value ? a : b;
    return a.index < b.index ? a : b;
}

template <int THREADS>
__global__ void argmax(const float *x, int n, Best *out)
{
    __shared__ Best s[THREADS];
    Best mine = {-1e30f, n};
    for (int i = threadIdx.x; i < n; i += THREADS) {
        Best other = {x[i], i};
        mine = better(mine, other);
    }
    s[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half >= 1; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] = better(s[threadIdx.x], s[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = s[0];
}

int main()
{
    const int n = 999;
    float x[n];
    for (int i = 0; i < n; i++) x[i] = (float)((i * 37) % 501);
    float *dx; Best *dout, best;
    cudaMalloc(&dx, sizeof(x));
    cudaMalloc(&dout, sizeof(Best));
    cudaMemcpy(dx, x, sizeof(x), cudaMemcpyHostToDevice);
    argmax<128><<<1, 128>>>(dx, n, dout);
    cudaMemcpy(&best, dout, sizeof(Best), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dout);

    int at = 0;
    for (int i = 1; i < n; i++) if (x[i] > x[at]) at = i;
    printf("largest value %g at index %d\n", best.value, best.index);
    return (best.index == at && best.value == x[at]) ? 0 : 1;
}
