// What is asked of a GPU and of the emulator alike: boxes of a matrix, as they land in shared memory.
#pragma once
#include <cstdint>
#include <vector>

namespace bulk_test {

struct Landing {
  int rows, cols;  // of the matrix, whose elements are numbered
  int box_rows;    // of the box, 64 columns wide
  int row, col;    // of its first element; may lie outside
};

inline std::vector<Landing> landings() {
  return {{64, 64, 64, 0, 0},    {128, 128, 128, 0, 64},  {100, 72, 64, 50, 8},  {100, 72, 64, 64, 64},
          {33, 200, 32, 1, 136}, {8, 8, 16, 0, 0},        {64, 64, 64, -3, -8},  {64, 64, 64, 70, 0},
          {40, 96, 8, 39, 88},   {128, 64, 128, -127, 0}, {77, 88, 64, 20, -64}, {256, 320, 128, 130, 256}};
}

inline std::vector<std::uint16_t> numbered(const Landing& l) {
  std::vector<std::uint16_t> all(std::size_t(l.rows) * std::size_t(l.cols));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::uint16_t(i * 40503u + 17);
  return all;
}

// What tests/gpu/bulk.cu printed on an H200, driver 580.159.04, CUDA 13.0.
inline std::vector<std::uint64_t> hashes_on_h200() {
  return {0x64d852cca7734cc5, 0xf88c087cd9fd1165, 0x45b9802aaa4702c6, 0x71aa6ce6de0822b6,
          0x8bf094f872725025, 0x00ed13c8bfa4089a, 0x919b776b1bdb784e, 0xb9d103fd6854a325,
          0xe42a4df4c60f1ef1, 0x84e01cc7b19b6d22, 0xb9d103fd6854a325, 0x188a3dcf14c2d1fd};
}

// FNV-1a of the words.
inline std::uint64_t hash_of(const std::vector<std::uint32_t>& words) {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::uint32_t word : words)
    for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (word >> (8 * byte) & 0xff)) * 1099511628211u;
  return hash;
}

}  // namespace bulk_test
