/* The same particles as an array of structures and as a structure of arrays. */
#include <cstdio>
#include <cstdlib>

typedef struct {
    float x, y, z;
    float mass;
    int alive;
} Particle;

struct Particles {
    float *x, *y, *z, *mass;
    int *alive;
};

__global__ void moveAoS(Particle *p, int n, float dx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && p[i].alive) p[i].x += dx * p[i].mass;
}

__global__ void moveSoA(Particles p, int n, float dx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && p.alive[i]) p.x[i] += dx * p.mass[i];
}

#define N 512

int main(void)
{
    Particle aos[N];
    float x[N], mass[N];
    int alive[N];
    for (int i = 0; i < N; i++) {
        aos[i].x = x[i] = i;
        aos[i].y = aos[i].z = 0;
        aos[i].mass = mass[i] = 1 + i % 4;
        aos[i].alive = alive[i] = i % 3 != 0;
    }
    Particle *d_aos;
    cudaMalloc(&d_aos, sizeof(aos));
    cudaMemcpy(d_aos, aos, sizeof(aos), cudaMemcpyHostToDevice);

    Particles soa;
    cudaMalloc(&soa.x, sizeof(x));
    cudaMalloc(&soa.mass, sizeof(mass));
    cudaMalloc(&soa.alive, sizeof(alive));
    soa.y = soa.z = NULL;
    cudaMemcpy(soa.x, x, sizeof(x), cudaMemcpyHostToDevice);
    cudaMemcpy(soa.mass, mass, sizeof(mass), cudaMemcpyHostToDevice);
    cudaMemcpy(soa.alive, alive, sizeof(alive), cudaMemcpyHostToDevice);

    moveAoS<<<N / 128, 128>>>(d_aos, N, 0.5f);
    moveSoA<<<N / 128, 128>>>(soa, N, 0.5f);
    cudaMemcpy(aos, d_aos, sizeof(aos), cudaMemcpyDeviceToHost);
    cudaMemcpy(x, soa.x, sizeof(x), cudaMemcpyDeviceToHost);

    int different = 0;
    for (int i = 0; i < N; i++) {
        float want = i + (i % 3 ? 0.5f * (1 + i % 4) : 0.0f);
        if (aos[i].x != want || x[i] != want) different++;
    }
    printf("particle 7 is at %.2f, %d differ\n", aos[7].x, different);
    cudaFree(d_aos);
    cudaFree(soa.x); cudaFree(soa.mass); cudaFree(soa.alive);
    return different ? EXIT_FAILURE : EXIT_SUCCESS;
}
