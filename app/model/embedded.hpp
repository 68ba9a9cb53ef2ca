// Files carried inside the program (kernel sources, shaders), made by cmake/embed.cmake.
#pragma once
#include <string_view>

namespace lockstep {
struct EmbeddedFile {
  std::string_view name;  // relative to the embedded folder: "transpose/02_naive.cuh"
  std::string_view text;
};
}  // namespace lockstep
