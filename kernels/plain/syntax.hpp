// What the words of CUDA C++ text are, line by line: for whoever shows it in colours.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep {

enum class Syntax : std::uint8_t {
  keyword,  // of C++ and CUDA, types and qualifiers, directives, the dialect's words for them
  builtin,  // threadIdx and its like, __syncthreads() and its like
  literal,  // numbers, characters, strings
  comment
};

// A stretch of one line that is something; what stands between two of them is nothing in particular.
struct SyntaxSpan {
  std::size_t first = 0, count = 0;  // bytes of the line
  Syntax syntax = Syntax::keyword;
  bool operator==(const SyntaxSpan&) const = default;
};

// Of every line of any text (newlines end lines), from left to right. Comments and strings that go over
// several lines are so in each of them.
std::vector<std::vector<SyntaxSpan>> syntax_of_lines(std::string_view text);

}  // namespace lockstep
