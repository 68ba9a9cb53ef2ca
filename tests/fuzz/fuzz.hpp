// What the fuzz targets share. libFuzzer calls LLVMFuzzerInitialize once and LLVMFuzzerTestOneInput for each
// input.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::fuzz {

// Inputs to begin with are made here and not kept in the repository: $LOCKSTEP_SEEDS names the folder for
// them.
inline void write_seeds(const std::vector<std::string>& seeds) {
  const char* folder = std::getenv("LOCKSTEP_SEEDS");
  if (!folder) return;
  for (std::size_t i = 0; i < seeds.size(); ++i)
    std::ofstream(std::filesystem::path(folder) / ("seed" + std::to_string(i)), std::ios::binary) << seeds[i];
}

// A broken promise of the program, which libFuzzer takes for a crash.
inline void promise(bool kept, const char* what) {
  if (kept) return;
  std::cerr << "broken promise: " << what << std::endl;
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace lockstep::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
