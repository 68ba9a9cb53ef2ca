// Takes the wavefronts of every map of maps.hpp on this machine's GPU. usage:
//   record_bank_maps clocks OUT.json   from throughput: w wavefronts take w cycles of the shared-memory pipe
//   record_bank_maps groups [reversed] one launch of `group_access` per kGroup maps, for the profiler's wavefront counters,
//                                      the maps of each launch in their order or reversed
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "maps.hpp"

namespace {

using bank_maps::Map;

template <int kWidth, bool kStore>
__device__ __forceinline__ void access(unsigned address) {
  unsigned x = address, y, z, w;
  if constexpr (kStore && kWidth == 4) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(x) : "memory");
  if constexpr (kStore && kWidth == 8) asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(address), "r"(x) : "memory");
  if constexpr (kStore && kWidth == 16)
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(x) : "memory");
  if constexpr (!kStore && kWidth == 4) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
  if constexpr (!kStore && kWidth == 8)
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(address) : "memory");
  if constexpr (!kStore && kWidth == 16)
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(address) : "memory");
}

__device__ unsigned base_of(const void* shared) { return unsigned(__cvta_generic_to_shared(shared)); }

// One block per map, alone on its SM: 32 warps keep the pipe full.
constexpr int kRounds = 64, kWarps = 32;
template <int kWidth, bool kStore>
__global__ void __launch_bounds__(32 * kWarps) clock_access(const Map* maps, unsigned* cycles) {
  extern __shared__ __align__(128) unsigned char tile[];
  __shared__ unsigned first, last;
  const Map& map = maps[blockIdx.x];
  const unsigned lane = threadIdx.x % 32, address = base_of(tile) + map.offset[lane];
  const bool active = map.lanes >> lane & 1;
  if (threadIdx.x == 0) first = ~0u, last = 0;
  __syncthreads();
  const unsigned begin = clock();
  if (active)
    for (int k = 0; k < kRounds; ++k) {
      access<kWidth, kStore>(address);
      access<kWidth, kStore>(address);
      access<kWidth, kStore>(address);
      access<kWidth, kStore>(address);
    }
  __syncwarp();
  const unsigned end = clock();
  __syncthreads();
  // Relative to warp 0's begin, so that the counter may wrap.
  __shared__ unsigned zero;
  if (threadIdx.x == 0) zero = begin - 100000u;
  __syncthreads();
  atomicMin(&first, begin - zero);
  atomicMax(&last, end - zero);
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = last - first;
}

// Map blockIdx.y, kBase^blockIdx.y times in all blocks together, and nothing else in shared memory.
constexpr int kSharers = 264;
template <int kWidth, bool kStore>
__global__ void group_access(const Map* maps) {
  extern __shared__ __align__(128) unsigned char tile[];
  const Map& map = maps[blockIdx.y];
  unsigned times = 1;
  for (unsigned j = 0; j < blockIdx.y; ++j) times *= bank_maps::kBase;
  times = times / kSharers + (blockIdx.x < times % kSharers);
  if (map.lanes >> threadIdx.x & 1)
    for (unsigned k = 0; k < times; ++k) access<kWidth, kStore>(base_of(tile) + map.offset[threadIdx.x]);
}

constexpr int kTileBytes = 33 * 1024, kWholeSm = 120 * 1024;

Map* on_device(const std::vector<Map>& maps) {
  Map* device = nullptr;
  cudaMalloc(&device, maps.size() * sizeof(Map));
  cudaMemcpy(device, maps.data(), maps.size() * sizeof(Map), cudaMemcpyHostToDevice);
  return device;
}

template <int kWidth, bool kStore>
std::string clocked(const std::vector<Map>& maps, double& worst) {
  Map* device = on_device(maps);
  unsigned* cycles = nullptr;
  cudaMalloc(&cycles, maps.size() * sizeof(unsigned));
  cudaFuncSetAttribute(clock_access<kWidth, kStore>, cudaFuncAttributeMaxDynamicSharedMemorySize, kWholeSm);
  clock_access<kWidth, kStore><<<unsigned(maps.size()), 32 * kWarps, kWholeSm>>>(device, cycles);
  std::vector<unsigned> host(maps.size());
  if (cudaError_t e = cudaGetLastError()) std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
  if (cudaError_t e = cudaMemcpy(host.data(), cycles, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost))
    std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
  cudaFree(device), cudaFree(cycles);
  std::string digits;
  for (unsigned c : host) {
    const double w = double(c) / (4.0 * kRounds * kWarps);
    worst = std::max(worst, std::abs(w - std::round(w)) / std::round(w));
    digits += bank_maps::digit_of(int(std::lround(w)));
  }
  return digits;
}

bool reversed = false;
template <int kWidth, bool kStore>
void grouped(std::vector<Map> maps) {
  if (reversed)
    for (std::size_t first = 0; first < maps.size(); first += bank_maps::kGroup)
      std::reverse(maps.begin() + long(first), maps.begin() + long(std::min(maps.size(), first + bank_maps::kGroup)));
  Map* device = on_device(maps);
  for (std::size_t first = 0; first < maps.size(); first += bank_maps::kGroup) {
    const auto count = unsigned(std::min<std::size_t>(bank_maps::kGroup, maps.size() - first));
    group_access<kWidth, kStore><<<dim3(kSharers, count), 32, kTileBytes>>>(device + first);
  }
  if (cudaError_t e = cudaDeviceSynchronize()) std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
  cudaFree(device);
}

template <int kWidth, bool kStore>
void both(std::ofstream* out, const char* comma) {
  if (!out)
    return grouped<kWidth, kStore>(bank_maps::random_maps(kWidth)), grouped<kWidth, kStore>(bank_maps::strided_maps(kWidth));
  double worst = 0;
  const std::string name = (kStore ? "store_" : "load_") + std::to_string(kWidth);
  *out << "  \"cycles_random_" << name << "\": \"" << clocked<kWidth, kStore>(bank_maps::random_maps(kWidth), worst) << "\",\n";
  *out << "  \"cycles_strided_" << name << "\": \"" << clocked<kWidth, kStore>(bank_maps::strided_maps(kWidth), worst) << "\",\n";
  *out << "  \"furthest_from_whole_" << name << "\": " << worst << comma << "\n";
}

void all(std::ofstream* out) {
  both<4, false>(out, ",");
  both<4, true>(out, ",");
  both<8, false>(out, ",");
  both<8, true>(out, ",");
  both<16, false>(out, ",");
  both<16, true>(out, "");
}

}  // namespace

int main(int argc, char** argv) {
  reversed = argc == 3 && !std::strcmp(argv[2], "reversed");
  if (argc > 1 && !std::strcmp(argv[1], "groups")) return all(nullptr), 0;
  if (argc != 3 || std::strcmp(argv[1], "clocks")) return std::fprintf(stderr, "usage: record_bank_maps clocks OUT.json | groups [reversed]\n"), 2;
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0)) return std::fprintf(stderr, "no GPU\n"), 3;
  std::ofstream out(argv[2]);
  out << "{\n  \"schema\": 1,\n  \"device\": \"" << device.name << "\",\n";
  all(&out);
  out << "}\n";
  return 0;
}
