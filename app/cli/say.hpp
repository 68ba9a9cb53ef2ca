// The stage in words, for a screen reader: what each step of a run shows.
#pragma once
#include <iosfwd>

#include "app/model/run.hpp"

namespace lockstep {

// In the language in use. Of each step its number and title, its headline's figures with their sources, and
// its sentence, each on a line of its own; an empty line between two steps.
void say_steps(const Run& run, std::ostream& out);

}  // namespace lockstep
