// Every primitive of the dialect on random inputs: the same kernels on the emulator and on a GPU, their
// outputs compared bit by bit. The table is primitives.cuh's; this header is plain C++.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace primitives {

constexpr int kCases = 4096;    // one block of one warp each
constexpr int kWordsIn = 132;   // four words per lane, the mask, and three uniform words
constexpr int kWordsOut = 128;  // two words per lane, and room for atomics
constexpr int kMaskWord = 128, kUniformWord = 129, kCellWord = 64;

using Words = std::vector<std::uint32_t>;

const std::vector<std::string>& names();
// Reproducible inputs of one primitive: masks full, random and of the lowest lanes, a third each.
Words inputs(const std::string& name);
// kCases x kWordsOut words.
Words emulated(int primitive, const Words& in);
// What the emulator found in the last call of emulated(), by kind.
const std::vector<std::string>& findings();
// The same on the GPU; empty where it fails, with the reason in `error`.
Words on_gpu(int primitive, const Words& in, std::string& error);
// FNV-1a of all words.
std::uint64_t hash_of(const Words& words);

}  // namespace primitives
