#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Conway's Game of Life on a torus. A glider flies.

#define W 32
#define H 16
#define IDX(x, y) ((((y) + H) % H) * W + (((x) + W) % W))

__global__ void life(const char* cells, char* next)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int alive = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			if (dx != 0 || dy != 0)
				alive += cells[IDX(x + dx, y + dy)];
	char me = cells[IDX(x, y)];
	next[IDX(x, y)] = (alive == 3) || (me && alive == 2);
}

void show(const char* cells)
{
	for (int y = 0; y < 8; y++) {
		for (int x = 0; x < 12; x++)
			putchar(cells[y * W + x] ? '#' : '.');
		putchar('\n');
	}
}

int main()
{
	char world[W * H];
	memset(world, 0, sizeof(world));
	const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
	for (int i = 0; i < 5; i++)
		world[IDX(glider[i][0], glider[i][1])] = 1;

	char* d[2];
	cudaMalloc(&d[0], W * H);
	cudaMalloc(&d[1], W * H);
	cudaMemcpy(d[0], world, W * H, cudaMemcpyHostToDevice);
	dim3 threads(16, 8);
	dim3 blocks(W / 16, H / 8);
	for (int generation = 0; generation < 12; generation++)
		life<<<blocks, threads>>>(d[generation % 2], d[(generation + 1) % 2]);
	cudaMemcpy(world, d[0], W * H, cudaMemcpyDeviceToHost);
	show(world);
	int population = 0;
	for (int i = 0; i < W * H; i++)
		population += world[i];
	printf("population %d\n", population);
	cudaFree(d[0]);
	cudaFree(d[1]);
	return population == 5 ? 0 : 1;
}
