// Is an answer right? What was typed is compared with what the question's expression gives now.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "story.hpp"

namespace lockstep {

struct Verdict {
  enum class Kind : std::uint8_t {
    right,
    wrong,
    not_understood,  // no number, another unit, no such option: the reader may try again
    unanswerable     // the figure is not to be had here
  };
  Kind kind = Kind::wrong;
  Message reason;                   // one sentence; of a right answer what was computed
  const InlineText* why = nullptr;  // of a tempting answer, in the question
  std::vector<Message> more{};      // further sentences: of a program its second and third wrong element
};

// `says_direction`: the hint was taken, so the reason says too high or too low. An error is the author's.
Result<Verdict> check_answer(const Ask& ask, std::string_view typed, FigureSource& figures,
                             bool says_direction = false);
// "set the lab so that ...": over the reader's own run.
Result<Verdict> check_setting(const Ask& ask, FigureSource& figures);

// "± 10 %": how far off an answer may be; "" where it must be exact.
std::string allowed_text(const Ask& ask, const Value& answer);
// "Right: 0.44 ms; exactly 0.4474 ms.": of what was typed and is near enough to `answer`.
Message right_reason(const Ask& ask, std::string_view typed, const std::string& answer);

// The right answer as text with its unit: "0.4474 ms"; of a choice the option's number.
Result<std::string> right_answer(const Ask& ask, FigureSource& figures);

// "4 KB" in the question's unit; the Message says what is wrong with it.
struct TypedNumber {
  std::optional<double> value;
  Message fault;
};
TypedNumber number_typed(std::string_view typed, const std::string& unit);
// Within the question's tolerance of `right`, a number.
bool near_enough(const Ask& ask, double given, const Value& right);

}  // namespace lockstep
