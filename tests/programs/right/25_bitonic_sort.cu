#include <stdio.h>
#include <stdlib.h>

/* Bitonic sort in global memory, one launch per step. */

#define NUM_VALS 256
#define THREADS 64

__global__ void bitonic_sort_step(int *dev_values, int j, int k)
{
  unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
  unsigned int ixj = i ^ j;   /* the partner */
  if (ixj > i) {
    if ((i & k) == 0) {       /* ascending */
      if (dev_values[i] > dev_values[ixj]) {
        int temp = dev_values[i];
        dev_values[i] = dev_values[ixj];
        dev_values[ixj] = temp;
      }
    }
    if ((i & k) != 0) {       /* descending */
      if (dev_values[i] < dev_values[ixj]) {
        int temp = dev_values[i];
        dev_values[i] = dev_values[ixj];
        dev_values[ixj] = temp;
      }
    }
  }
}

int main(void)
{
  int values[NUM_VALS];
  long sum = 0;
  for (int i = 0; i < NUM_VALS; i++) {
    values[i] = (i * 7919) % 1009;
    sum += values[i];
  }
  int *dev_values;
  cudaMalloc((void**) &dev_values, sizeof(values));
  cudaMemcpy(dev_values, values, sizeof(values), cudaMemcpyHostToDevice);
  int launches = 0;
  for (int k = 2; k <= NUM_VALS; k <<= 1) {
    for (int j = k >> 1; j > 0; j = j >> 1) {
      bitonic_sort_step<<<NUM_VALS / THREADS, THREADS>>>(dev_values, j, k);
      launches++;
    }
  }
  cudaMemcpy(values, dev_values, sizeof(values), cudaMemcpyDeviceToHost);
  cudaFree(dev_values);
  for (int i = 0; i < NUM_VALS; i++) {
    sum -= values[i];
    if (i > 0 && values[i - 1] > values[i]) {
      printf("not sorted at %d\n", i);
      return EXIT_FAILURE;
    }
  }
  printf("%d launches, smallest %d, largest %d\n", launches, values[0], values[NUM_VALS - 1]);
  printf("%s\n", sum == 0 ? "sorted" : "values were lost");
  return sum == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
