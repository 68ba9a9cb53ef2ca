/* Matrix addition with a two-dimensional grid.
   Rows are counted by y, columns by x. */
#include <stdio.h>
#include <cuda_runtime.h>

#define ROWS 60
#define COLS 100

__global__ void add(const int *A, const int *B, int *C)
{
    int col = threadIdx.x + blockIdx.x * blockDim.x;
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    if (row < ROWS && col < COLS) {
        int idx = row * COLS + col;
        C[idx] = A[idx] + B[idx];
    }
}

int A[ROWS][COLS], B[ROWS][COLS], C[ROWS][COLS];

int main(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) {
            A[r][c] = r * 1000;
            B[r][c] = c;
        }

    int *dA, *dB, *dC;
    cudaMalloc((void **)&dA, sizeof(A));
    cudaMalloc((void **)&dB, sizeof(B));
    cudaMalloc((void **)&dC, sizeof(C));
    cudaMemcpy(dA, A, sizeof(A), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(B), cudaMemcpyHostToDevice);

    dim3 blockDim(16, 16);
    dim3 gridDim((COLS + blockDim.x - 1) / blockDim.x, (ROWS + blockDim.y - 1) / blockDim.y);
    printf("grid %u x %u\n", gridDim.x, gridDim.y);
    add<<<gridDim, blockDim>>>(dA, dB, dC);
    cudaMemcpy(C, dC, sizeof(C), cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            if (C[r][c] != r * 1000 + c) errors++;
    printf("C[59][99] = %d\n", C[59][99]);
    printf("%d errors\n", errors);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return errors != 0;
}
