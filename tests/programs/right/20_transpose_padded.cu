/* Matrix transpose through a padded tile, rectangular */
#include <stdio.h>
#include <assert.h>

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

__global__ void transposeNoBankConflicts(float *odata, const float *idata, int width, int height)
{
  __shared__ float tile[TILE_DIM][TILE_DIM+1];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;

  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
     tile[threadIdx.y+j][threadIdx.x] = idata[(y+j)*width + x];

  __syncthreads();

  x = blockIdx.y * TILE_DIM + threadIdx.x;  // transpose block offset
  y = blockIdx.x * TILE_DIM + threadIdx.y;

  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
     odata[(y+j)*height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main()
{
  const int nx = 128, ny = 96;
  const int mem_size = nx*ny*sizeof(float);
  static float h_idata[nx*ny], h_tdata[nx*ny];
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++)
      h_idata[j*nx + i] = j*nx + i;

  float *d_idata, *d_tdata;
  cudaMalloc(&d_idata, mem_size);
  cudaMalloc(&d_tdata, mem_size);
  cudaMemcpy(d_idata, h_idata, mem_size, cudaMemcpyHostToDevice);

  dim3 dimGrid(nx/TILE_DIM, ny/TILE_DIM, 1);
  dim3 dimBlock(TILE_DIM, BLOCK_ROWS, 1);
  transposeNoBankConflicts<<<dimGrid, dimBlock>>>(d_tdata, d_idata, nx, ny);
  cudaMemcpy(h_tdata, d_tdata, mem_size, cudaMemcpyDeviceToHost);

  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++)
      assert(h_tdata[i*ny + j] == h_idata[j*nx + i]);
  printf("t[1][0] = %.0f, t[0][1] = %.0f, t[127][95] = %.0f\n", h_tdata[ny], h_tdata[1], h_tdata[nx*ny-1]);
  cudaFree(d_idata);
  cudaFree(d_tdata);
  return 0;
}
