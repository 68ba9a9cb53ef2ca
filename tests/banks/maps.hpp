// Lane -> address maps whose wavefronts are taken on a GPU (record.cu) and replayed against the model.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bank_maps {

constexpr int kMaps = 10000;  // random ones per width
// Maps per profiled launch. Map j of a launch is repeated kBase^j times, so that one sum of wavefronts (at
// most 32 each) tells them apart. Under load the counter is up to kNoise too large; every map therefore
// stands once among the first and once among the last of its launch, where kNoise does not reach.
constexpr int kGroup = 5, kBase = 33, kNoise = 500;
constexpr int kWidths[] = {4, 8, 16};

struct Map {
  std::uint32_t lanes = ~0u;               // active
  std::array<std::uint32_t, 32> offset{};  // bytes, multiples of the width, below 32 KB
};

// kMaps maps: scattered, crowded into few words, strided, shared by neighbours; full and partial masks.
std::vector<Map> random_maps(int width);
// Every stride and offset from 0 to 64 words that the width allows, offset after offset.
std::vector<Map> strided_maps(int width);

// One character per map: 0 to 9, a to z.
char digit_of(int wavefronts);
int wavefronts_of(char digit);

}  // namespace bank_maps
