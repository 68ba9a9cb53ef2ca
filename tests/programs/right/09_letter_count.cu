// Counts the letters of a sentence with atomics in global memory.
#include <cstdio>
#include <cstring>

__global__ void count_letters(const char *text, int length, int *counts) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < length) {
    char c = text[i];
    if (c >= 'A' && c <= 'Z') c = c - 'A' + 'a';
    if (c >= 'a' && c <= 'z') atomicAdd(counts + (c - 'a'), 1);
  }
}

int main() {
  const char text[] = "The quick brown fox jumps over the lazy dog, and the dog does not even look up";
  int length = strlen(text);
  char *d_text;
  int *d_counts;
  cudaMalloc(&d_text, length);
  cudaMalloc(&d_counts, 26 * sizeof(int));
  cudaMemcpy(d_text, text, length, cudaMemcpyHostToDevice);
  cudaMemset(d_counts, 0, 26 * sizeof(int));
  count_letters<<<3, 32>>>(d_text, length, d_counts);
  int counts[26];
  cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost);
  for (int l = 0; l < 26; l++) {
    if (counts[l] > 2) printf("%c: %d\n", 'a' + l, counts[l]);
  }
  cudaFree(d_text);
  cudaFree(d_counts);
  return counts['o' - 'a'] == 9 ? 0 : 1;
}
