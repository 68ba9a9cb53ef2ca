#include <iostream>
#include <string>

__global__ void mandelbrot(int* image, int width, int height, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;

    // multiples of 1/16: exact for the first rounds
    double cr = -2.0 + px * 0.0625;
    double ci = -1.0 + py * 0.125;
    double zr = 0.0, zi = 0.0;
    int count = 0;
    while (count < limit && zr * zr + zi * zi <= 4.0) {
        double t = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = t;
        count++;
    }
    image[py * width + px] = count;
}

int main()
{
    const int width = 48, height = 17, limit = 30;
    int image[width * height];
    int* d_image;
    cudaMalloc(&d_image, sizeof(image));
    mandelbrot<<<dim3(6, 5), dim3(8, 4)>>>(d_image, width, height, limit);
    cudaMemcpy(image, d_image, sizeof(image), cudaMemcpyDeviceToHost);
    cudaFree(d_image);

    int inside = 0;
    for (int y = 0; y < height; ++y) {
        std::string line;
        for (int x = 0; x < width; ++x) {
            int count = image[y * width + x];
            line += count == limit ? '#' : count > 6 ? '+' : count > 3 ? '.' : ' ';
            inside += count == limit;
        }
        std::cout << '|' << line << "|\n";
    }
    for (int y = 0; y < height / 2; ++y)
        for (int x = 0; x < width; ++x)
            if (image[y * width + x] != image[(height - 1 - y) * width + x]) {
                std::cout << "not symmetric\n";
                return 1;
            }
    std::cout << "symmetric" << std::endl;
    return inside > 0 ? 0 : 1;
}
