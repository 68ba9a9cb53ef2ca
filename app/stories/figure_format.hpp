// How a computed figure is printed in a text: what stands behind the bar of {expression | format}.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "app/model/value.hpp"

namespace lockstep {

struct FigureFormat {
  enum class Kind : std::uint8_t {
    number,   // 65,536; 0.4474; with decimals as many
    plain,    // the same without separators: sizes as they are typed
    percent,  // of a fraction: 23 %
    bytes,    // 16 KB
    time,     // of seconds: 447 µs
    rate,     // of bytes per second: 4.00 TB/s
    flops     // of FLOP per second
  };
  Kind kind = Kind::number;
  std::optional<int> decimals;
  bool operator==(const FigureFormat&) const = default;
};
constexpr int kMostDecimals = 9;
constexpr const char* kFormatWords = "decimals from 0 to 9, plain, %, bytes, s, bytes/s or FLOP/s";

// "2", "plain", "%", "1 %", "bytes", "s", "bytes/s", "FLOP/s".
std::optional<FigureFormat> parse_format(std::string_view text);
std::string format_figure(const Value& value, FigureFormat format);
// Where the bar before the format stands: the last one outside parentheses and quotes that is no "||";
// npos where there is none.
std::size_t format_bar(std::string_view text);

}  // namespace lockstep
