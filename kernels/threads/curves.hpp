// The names of the recorded curves: times over a block's width, one curve for each height of a block.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

namespace lockstep {

inline std::string width_curve(std::int64_t height) {
  return "block_y_" + std::to_string(height) + "_block_x";
}
// The height of such a curve's blocks; 0 for the name of another curve.
inline std::int64_t height_of(const std::string& curve) {
  long height = 0;
  return std::sscanf(curve.c_str(), "block_y_%ld_", &height) == 1 && curve == width_curve(height) ? height
                                                                                                  : 0;
}

}  // namespace lockstep
