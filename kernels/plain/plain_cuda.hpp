// A kernel file as ordinary CUDA: __global__, const float*, __shared__, <<<>>>, without the probe and without
// what is only noted down for the picture. Made from the text alone, token by token: what is no word of the
// dialect stays as it is, to the blank. What the dialect's functions become (cp_async_if, ldmatrix_x4, ...)
// is defined in device.cuh.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct PlainKernel {
  std::string text;
  std::vector<int> kernel_lines;  // of each plain line: the line of the kernel file that it was made of
  std::vector<int>
      plain_lines;  // of each line of the kernel file: the plain line; of a line that is left out, the next
  // Lines count from 1; a line that does not exist gives the nearest one that does.
  int kernel_line(int plain) const;
  int plain_line(int kernel) const;
};

// Any text: what is not understood is left as it is.
PlainKernel plain_cuda(std::string_view text);

// Words that stand in a kernel file and in no plain text.
const std::vector<std::string_view>& dialect_words();

}  // namespace lockstep
