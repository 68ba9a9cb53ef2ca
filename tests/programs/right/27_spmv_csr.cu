// Sparse matrix times vector, CSR: one thread per row, then one warp per row.
#include <stdio.h>
#include <stdlib.h>
#include <vector>

__global__ void spmv_scalar(int rows, const int *ptr, const int *col, const double *val, const double *x, double *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double dot = 0;
        for (int j = ptr[row]; j < ptr[row + 1]; j++)
            dot += val[j] * x[col[j]];
        y[row] = dot;
    }
}

__global__ void spmv_vector(int rows, const int *ptr, const int *col, const double *val, const double *x, double *y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (row < rows) {
        double dot = 0;
        for (int j = ptr[row] + lane; j < ptr[row + 1]; j += 32)
            dot += val[j] * x[col[j]];
        for (int d = 16; d > 0; d >>= 1)
            dot += __shfl_xor_sync(0xffffffff, dot, d);
        if (lane == 0) y[row] = dot;
    }
}

template <class T> T *to_device(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main()
{
    const int rows = 200;
    std::vector<int> ptr(1, 0), col;
    std::vector<double> val, x(rows), want(rows), y(rows);
    for (int r = 0; r < rows; r++) {
        x[r] = r % 8;
        for (int c = r % 5; c < rows; c += 3 + r % 17) {
            col.push_back(c);
            val.push_back(1 + (r + c) % 3);
        }
        ptr.push_back((int)col.size());
    }
    for (int r = 0; r < rows; r++)
        for (int j = ptr[r]; j < ptr[r + 1]; j++) want[r] += val[j] * x[col[j]];

    int *d_ptr = to_device(ptr), *d_col = to_device(col);
    double *d_val = to_device(val), *d_x = to_device(x), *d_y = to_device(y);
    int failed = 0;
    for (int variant = 0; variant < 2; variant++) {
        cudaMemset(d_y, 0, rows * sizeof(double));
        if (variant == 0)
            spmv_scalar<<<(rows + 127) / 128, 128>>>(rows, d_ptr, d_col, d_val, d_x, d_y);
        else
            spmv_vector<<<(rows * 32 + 127) / 128, 128>>>(rows, d_ptr, d_col, d_val, d_x, d_y);
        cudaMemcpy(y.data(), d_y, rows * sizeof(double), cudaMemcpyDeviceToHost);
        printf("%s: y[0] = %.0f, %s\n", variant ? "vector" : "scalar", y[0], y == want ? "right" : "wrong");
        failed += y != want;
    }
    printf("%d non-zeros\n", ptr[rows]);
    cudaFree(d_ptr); cudaFree(d_col); cudaFree(d_val); cudaFree(d_x); cudaFree(d_y);
    return failed;
}
