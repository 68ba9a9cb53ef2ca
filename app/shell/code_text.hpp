// A kernel's text as the code pane shows it, with what is known of each line: made once for a file, its look
// and a run, not once a frame.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/line_costs.hpp"
#include "app/model/run.hpp"
#include "kernels/plain/plain_cuda.hpp"
#include "kernels/plain/syntax.hpp"

namespace lockstep {

struct CodeText {
  std::string file, before;  // of the rung shown, and of the one before it; before: "" for none
  bool plain = true;         // as CUDA, else as compiled here
  std::weak_ptr<const Run> run;
  // By line, from 0. The lines are pieces of a PlainKernel's text that outlives this.
  std::vector<std::string_view> lines;
  std::vector<std::vector<SyntaxSpan>> syntax;
  std::vector<bool> fresh;  // does not stand in the rung before in the same order; never a blank line
  int differing = 0;        // fresh lines
  std::vector<LineCost> costs;
  bool has_costs = false;  // of any line
  // The line that has most of what need not be: the largest value above its fewest; -1 where none is above.
  int most_sectors = -1, most_wavefronts = -1;
};

// `before` is the text that new lines are told from, nullptr for none; `costs` those of the file's lines as
// compiled.
CodeText make_code_text(const PlainKernel& source, const PlainKernel* before,
                        const std::map<int, LineCost>& costs);

std::vector<std::string_view> lines_of(std::string_view text);
// The first line that is neither a comment nor a directive, from 0.
int first_code_line(const std::vector<std::string_view>& lines);
// Lines of `now` that do not stand in `before` in the same order (longest common subsequence of trimmed
// lines).
std::vector<bool> new_lines(std::string_view before, std::string_view now);

// How far the code pane is scrolled, in rows, and what was on screen then: where that changes, the executing
// line comes back into view.
struct CodeScroll {
  float top = 0;
  std::string file;
  bool plain = true;
  int step = -1, rows = 0, visible = 0, lit = -1;  // lit: the first executing line
};

}  // namespace lockstep
