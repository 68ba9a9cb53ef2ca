// The host takes memory until there is none.
#include <stdlib.h>
#include <string.h>
#include <vector>

__global__ void nothing() {}

int main() {
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  std::vector<std::vector<char> > kept;
  for (;;) kept.push_back(std::vector<char>(64 << 20, 1));
}
