#include <stdio.h>
#include <stdlib.h>
#include <math.h>

/* C (M x N) = A (M x K) * B (K x N), one thread per element of C */

__global__ void MatrixMulKernel(float *A, float *B, float *C, int M, int N, int K)
{
    int Row = blockIdx.y * blockDim.y + threadIdx.y;
    int Col = blockIdx.x * blockDim.x + threadIdx.x;
    if ((Row < M) && (Col < N)) {
        float Cvalue = 0;
        for (int k = 0; k < K; ++k)
            Cvalue += A[Row * K + k] * B[k * N + Col];
        C[Row * N + Col] = Cvalue;
    }
}

int main(int argc, char *argv[])
{
    int M = 70, N = 50, K = 40;
    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = (float)(i % 7) - 3.0f;
    for (int i = 0; i < K * N; i++) B[i] = (float)(i % 5) * 0.25f;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, M * K * sizeof(float));
    cudaMalloc((void **)&dB, K * N * sizeof(float));
    cudaMalloc((void **)&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 dimBlock(16, 16, 1);
    dim3 dimGrid(ceil(N / 16.0), ceil(M / 16.0), 1);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(dA, dB, dC, M, N, K);
    cudaDeviceSynchronize();
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    float maxErr = 0;
    for (int r = 0; r < M; r++)
        for (int c = 0; c < N; c++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[r * K + k] * B[k * N + c];
            maxErr = fmaxf(maxErr, fabsf(s - C[r * N + c]));
        }
    printf("C[0][0] = %.2f  C[69][49] = %.2f  max error %.1f\n", C[0], C[M * N - 1], maxErr);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return maxErr > 0;
}
