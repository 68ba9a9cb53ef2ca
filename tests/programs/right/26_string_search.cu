// Finds all places of a pattern in a text; the places come back in any order.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

__constant__ char c_pattern[16];

__global__ void find(const char* text, int length, int pattern_length, int* places, int* count, int room) {
  int start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start + pattern_length > length) return;
  for (int i = 0; i < pattern_length; i++)
    if (text[start + i] != c_pattern[i]) return;
  int slot = atomicAdd(count, 1);
  if (slot < room) places[slot] = start;
}

int main() {
  std::string text;
  for (int i = 0; i < 40; i++) text += i % 7 == 3 ? "abracadabra " : "cadabra abra ";
  const std::string pattern = "abra c";
  const int room = 100;

  char* d_text;
  int *d_places, *d_count, count = 0;
  cudaMalloc(&d_text, text.size());
  cudaMalloc(&d_places, room * sizeof(int));
  cudaMalloc(&d_count, sizeof(int));
  cudaMemcpy(d_text, text.c_str(), text.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(d_count, &count, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(c_pattern, pattern.c_str(), pattern.size());
  find<<<(text.size() + 63) / 64, 64>>>(d_text, text.size(), pattern.size(), d_places, d_count, room);
  cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
  std::vector<int> places(count);
  cudaMemcpy(places.data(), d_places, count * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_text);
  cudaFree(d_places);
  cudaFree(d_count);

  std::sort(places.begin(), places.end());
  std::vector<int> want;
  for (size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1))
    want.push_back(int(at));
  printf("%d places, first %d, last %d\n", count, places.front(), places.back());
  printf("%s\n", places == want ? "the same as std::string finds" : "NOT what std::string finds");
  return places == want ? 0 : 1;
}
