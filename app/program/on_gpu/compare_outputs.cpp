#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "profiler_table.hpp"
#include "run_on_gpu.hpp"

namespace lockstep::reader {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool part_of_number(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-' || c == 'e'; }

// Words, numbers and single signs.
std::vector<std::string_view> pieces_of(std::string_view line) {
  std::vector<std::string_view> pieces;
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i + 1;
    const bool sign = (line[i] == '-' || line[i] == '+') && i + 1 < line.size();
    const char first = sign ? line[i + 1] : line[i];
    if (first >= '0' && first <= '9')
      while (end < line.size() && part_of_number(line[end]) &&
             (line[end] != '-' && line[end] != '+' ? true : line[end - 1] == 'e'))
        ++end;
    else if (letter(first))
      while (end < line.size() && letter(line[end])) ++end;
    if (line[i] != ' ' && line[i] != '\t') pieces.push_back(line.substr(i, end - i));
    i = end;
  }
  return pieces;
}

std::optional<double> value_of(std::string_view piece) {
  if (piece.starts_with('+')) piece.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
  if (error != std::errc{} || stop != piece.data() + piece.size()) return {};
  return value;
}

bool is_nan(std::string_view piece) { return piece == "nan" || piece == "-nan"; }

// Floats have 7 digits, and a sum of many fewer.
constexpr double kRounding = 1e-4;

OutputMatch match_lines(std::string_view here, std::string_view there) {
  if (here == there) return OutputMatch::same;
  const auto ours = pieces_of(here), theirs = pieces_of(there);
  if (ours.size() != theirs.size()) return OutputMatch::different;
  OutputMatch match = OutputMatch::same;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] == theirs[i]) continue;
    const auto a = value_of(ours[i]), b = value_of(theirs[i]);
    if (is_nan(ours[i]) && b) continue;
    const bool whole =
        ours[i].find_first_of(".e") == ours[i].npos && theirs[i].find_first_of(".e") == theirs[i].npos;
    if (!a || !b || whole || std::abs(*a - *b) > kRounding * std::max({std::abs(*a), std::abs(*b), 1e-3}))
      return OutputMatch::different;
    match = OutputMatch::rounding;
  }
  return match;
}

}  // namespace

OutputDifference compare_outputs(std::string_view here, std::string_view there) {
  OutputDifference difference;
  const auto ours = lines_of(here), theirs = lines_of(there);
  for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    const std::string a = i < ours.size() ? ours[i] : "", b = i < theirs.size() ? theirs[i] : "";
    const OutputMatch match =
        i < ours.size() && i < theirs.size() ? match_lines(a, b) : OutputMatch::different;
    if (match == OutputMatch::rounding) difference.match = OutputMatch::rounding;
    if (match == OutputMatch::different) return {match, int(i) + 1, a, b};
  }
  return difference;
}

namespace {

// Libraries launch kernels of their own there, and launches that were not kept here are missing: what does
// not fit is passed over, on the side where the other one comes again.
int next_launch(const ProgramRun& run, const GpuKernel& kernel, int from) {
  const std::string word = kernel_word(kernel.name);
  for (int l = from; l < int(run.launches.size()); ++l) {
    const ProgramLaunch& launch = run.launches[std::size_t(l)];
    if (!launch.refused.id.empty() || kernel_word(launch.kernel) != word) continue;
    if (launch.launch.grid == kernel.grid && launch.launch.block == kernel.block) return l;
  }
  return -1;
}

}  // namespace

void compare_with_emulator(GpuRun& gpu, const ProgramRun& run) {
  int from = 0;
  for (GpuKernel& kernel : gpu.kernels)
    if ((kernel.launch = next_launch(run, kernel, from)) >= 0) from = kernel.launch + 1;
  if (!run.compiled || (!gpu.problem.id.empty() && gpu.output.empty())) return;
  const OutputDifference d = compare_outputs(run.output, gpu.output);
  gpu.match = run.output_cut ? OutputMatch::unknown : d.match;
  gpu.different_line = d.line, gpu.line_here = d.here, gpu.line_there = d.there;
}

}  // namespace lockstep::reader
