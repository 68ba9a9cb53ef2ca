// The FLOP and bytes of textbook operations, counted by running them on numbers that count.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/simt/counted.hpp"

namespace lockstep {

// "vector_add" and "relu" of n elements, "softmax" and "layernorm" of a row of n, "gemm" of two n x n
// matrices. Elements of `element_bytes`; what is read stays on chip, so that every input is read once and
// every output written once. Nothing for another name.
std::optional<lab::CountedWork> counted_operation(std::string_view name, std::int64_t n,
                                                  int element_bytes = 2);
constexpr const char* kCountedOperations = "vector_add, relu, softmax, layernorm, gemm";
constexpr std::int64_t kMostCountedElements = std::int64_t{1} << 40, kMostCountedRow = 1 << 16;

}  // namespace lockstep
