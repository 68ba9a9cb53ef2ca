// What timelines of calls and of what a GPU does say in every lab.
#pragma once
#include <string>

#include "app/model/timeline.hpp"

namespace lockstep {

// Beside the pointer: the span's name, from when to when, how long.
std::string span_hint(const Timeline& timeline, const TimelineSpan& span);
// A verb for a call of the CPU ("launch"), where there is no room for its name; "" for anything else.
std::string short_call(const std::string& call);

}  // namespace lockstep
