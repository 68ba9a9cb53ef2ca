// While a question is open, its answer is not to be read off beside it: a number in a text that would be
// taken as the answer is drawn as "?".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct HiddenAnswer {
  double value = 0;
  double allowed = 0;              // as far off as an answer may be
  bool distinctive = false;        // seen anywhere, it is the answer: 197, 4.33, and no 1 or 32
  std::string unit;                // "ms", of those that convert; "" where it counts things
  bool of_this_step = false;       // a figure of the step on the stage
  std::vector<std::string> words;  // what it counts, in every language on screen: "sector", "扇区"
  std::vector<HiddenAnswer> also;  // from which it follows: the bytes of the sectors
};

enum class MaskedNumbers {
  worded,  // those with the answer's word right behind them: in a kernel's comments
  named,   // and those with its unit, and such as can be nothing else
  bare,    // also where nothing says what they count: a large figure, a list of the run's numbers
  all      // every number: a column of what is asked for
};
// The text with each number that gives the answer away replaced by "?"; of a sum, all of its numbers.
std::string mask_answer(std::string_view text, const HiddenAnswer& answer, MaskedNumbers which);
// Does the text name what the answer counts?
bool names_what_is_asked(std::string_view text, const HiddenAnswer& answer);

}  // namespace lockstep
