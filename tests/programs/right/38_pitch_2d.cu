#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

/* Rows with a pitch: cudaMallocPitch, cudaMemcpy2D, and a byte pointer in the kernel. */

__global__ void brighten(unsigned char *image, size_t pitch, int width, int height, int by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned char *row = image + y * pitch;
    int value = row[x] + by;
    row[x] = value > 255 ? 255 : value;
}

__global__ void rowSums(const float *matrix, size_t pitch, int width, int height, float *sums)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < height) {
        const float *row = (const float *)((const char *)matrix + r * pitch);
        float sum = 0.0f;
        for (int c = 0; c < width; c++) sum += row[c];
        sums[r] = sum;
    }
}

int main()
{
    const int width = 50, height = 20;
    unsigned char image[height][width];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) image[y][x] = (unsigned char)(x * 4 + y);

    unsigned char *d_image;
    size_t pitch;
    cudaMallocPitch((void **)&d_image, &pitch, width, height);
    if (pitch < (size_t)width) return 1;
    cudaMemcpy2D(d_image, pitch, image, width, width, height, cudaMemcpyHostToDevice);
    brighten<<<dim3(2, 3), dim3(32, 8)>>>(d_image, pitch, width, height, 60);
    cudaMemcpy2D(image, width, d_image, pitch, width, height, cudaMemcpyDeviceToHost);
    cudaFree(d_image);

    float matrix[height * width], *d_matrix, *d_sums, sums[height];
    for (int i = 0; i < height * width; i++) matrix[i] = (float)(i % width);
    size_t fpitch;
    cudaMallocPitch((void **)&d_matrix, &fpitch, width * sizeof(float), height);
    cudaMalloc((void **)&d_sums, sizeof(sums));
    cudaMemcpy2D(d_matrix, fpitch, matrix, width * sizeof(float), width * sizeof(float), height,
                 cudaMemcpyHostToDevice);
    rowSums<<<1, 32>>>(d_matrix, fpitch, width, height, d_sums);
    cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost);
    cudaFree(d_matrix);
    cudaFree(d_sums);

    int wrong = 0;
    for (int y = 0; y < height; y++) {
        wrong += sums[y] != width * (width - 1) / 2;
        for (int x = 0; x < width; x++) {
            int want = x * 4 + y + 60;
            wrong += image[y][x] != (want > 255 ? 255 : want);
        }
    }
    printf("image[3][7] = %d, sums[19] = %.0f, %d wrong\n", image[3][7], sums[19], wrong);
    return wrong;
}
