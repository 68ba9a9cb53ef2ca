// Numbers as people read them. 1 KB is 1024 bytes; rates are decimal (1 TB/s = 10^12 bytes per second), as
// vendors and the profiler print them.
#pragma once
#include <cstdint>
#include <string>

namespace lockstep {

std::string number_text(std::int64_t value);         // 65536: lines, warps, indices
std::string grouped(std::int64_t value);             // 65,536: counts
std::string bytes_text(double bytes);                // 512 B, 4.0 KB, 1.5 MB
std::string time_text(double ms);                    // 3.06 ms, 12.4 µs, 1.20 s
std::string us_text(double us);                      // the same of microseconds
std::string rate_text(double bytes_per_second);      // 4.02 TB/s
std::string flop_text(double flop);                  // 524 kFLOP
std::string flop_rate_text(double flop_per_second);  // 43.1 TFLOP/s
std::string intensity_text(double flop_per_byte);    // 3.88, of FLOP/B
std::string percent_text(double fraction);           // 94.1 %
std::string figure_text(double value);               // 7, 3.162, −∞, NaN: a number of a kernel, 4 digits

}  // namespace lockstep
