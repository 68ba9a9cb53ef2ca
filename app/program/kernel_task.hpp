// "Write this kernel": a whole CUDA program of which the student writes one part. In front of it stand, as
// comments, the arguments that it is run with and what it may cost: expressions over an exercise's values,
// never the figures of a solution. docs/exercises.md says how such a file is written.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "app/model/value.hpp"

namespace lockstep::reader {

constexpr std::string_view kPartBegins = "// === your part begins", kPartEnds = "// === your part ends";

struct KernelTask {
  std::string text;                    // the program that the student starts from
  std::vector<std::string> arguments;  // of its main()
  // Of all launches, and so much more as `slack` allows; none: not limited.
  std::optional<std::int64_t> most_sectors, most_wavefronts;
  double slack = 0;  // 0.1 is ten per cent
};

// `// arguments: n, data`, `// most sectors: 2 * ceil(n / 8)`, `// most wavefronts: ...` and `// slack: 5 %`
// of the program's first comment, worked out for these values. The error is the author's and names the line.
Result<KernelTask> read_kernel_task(const std::string& text, const std::string& name, const Params& values);

// The line, from 1, of `mark` in `text`; 0: there is none, or more than one.
int line_of_mark(std::string_view text, std::string_view mark);
// `part` in the place of what stands between the two marks of `start`.
std::string with_part(const std::string& start, std::string_view part);

// What a student's file has changed outside of the part. Spaces at the ends of lines do not count.
struct OutsideChange {
  int line = 0;     // of the student's file; 0: the marks are not there
  std::string was;  // the line as it should stand there; "" for none
};
std::optional<OutsideChange> change_outside(const std::string& start, const std::string& text);

}  // namespace lockstep::reader
