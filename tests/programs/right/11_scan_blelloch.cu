// Work-efficient exclusive scan (Blelloch): up-sweep, clear the last element, down-sweep.
#include <iostream>
#include <cuda_runtime.h>

extern __shared__ int temp[];

__global__ void exclusive_scan(int* output, const int* input, int n)
{
    int thid = threadIdx.x;
    int offset = 1;
    temp[2 * thid] = input[2 * thid];
    temp[2 * thid + 1] = input[2 * thid + 1];

    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            int t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    output[2 * thid] = temp[2 * thid];
    output[2 * thid + 1] = temp[2 * thid + 1];
}

int main()
{
    const int n = 512;
    int host[n], result[n];
    for (int i = 0; i < n; ++i) host[i] = i & 15;

    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, host, n * sizeof(int), cudaMemcpyHostToDevice);
    exclusive_scan<<<1, n / 2, n * sizeof(int)>>>(out, in, n);
    cudaMemcpy(result, out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);

    for (int i = 0, sum = 0; i < n; sum += host[i], ++i)
        if (result[i] != sum) {
            std::cerr << "element " << i << " is wrong" << std::endl;
            return EXIT_FAILURE;
        }
    std::cout << "result[511] = " << result[511] << '\n' << "scan correct\n";
    return EXIT_SUCCESS;
}
