#include <cstdio>
#include <vector>

// Each thread computes four neighbouring columns of C; B and C are read and written as float4.

constexpr int n = 64;

__global__ void gemm4(const float *A, const float4 *B, float4 *C) {
    int col4 = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int k = 0; k < n; k++) {
        float a = A[row * n + k];
        float4 b = B[k * (n / 4) + col4];
        acc.x += a * b.x;
        acc.y += a * b.y;
        acc.z += a * b.z;
        acc.w += a * b.w;
    }
    C[row * (n / 4) + col4] = acc;
}

int main() {
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) { a[i] = (i % 9) - 4; b[i] = (i % 6) - 2; }
    float *dA, *dB, *dC;
    cudaMalloc(&dA, n * n * 4);
    cudaMalloc(&dB, n * n * 4);
    cudaMalloc(&dC, n * n * 4);
    cudaMemcpy(dA, &a[0], n * n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, &b[0], n * n * 4, cudaMemcpyHostToDevice);
    gemm4<<<dim3(1, n / 8), dim3(n / 4, 8)>>>(dA, reinterpret_cast<const float4 *>(dB),
                                              reinterpret_cast<float4 *>(dC));
    cudaMemcpy(&c[0], dC, n * n * 4, cudaMemcpyDeviceToHost);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    double trace = 0, want = 0;
    bool ok = true;
    for (int r = 0; r < n; r++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++) s += a[r * n + k] * b[k * n + j];
            ok = ok && s == c[r * n + j];
            if (r == j) { trace += c[r * n + j]; want += s; }
        }
    printf("trace %.0f, expected %.0f\n", trace, want);
    return !ok;
}
