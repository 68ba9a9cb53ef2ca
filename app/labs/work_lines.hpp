// Which source lines a named step is: those that do its work.
#pragma once
#include "app/model/marks.hpp"
#include "app/model/run.hpp"

namespace lockstep {

// From the step's begin_step() to the next one or the end of its block, without what plain CUDA leaves out,
// such as show(): so a sentence names the lines that are lit. Helpers are their calls. A step whose source is
// not this program's keeps the lines of its accesses.
void take_work_lines(MarkedAxis& axis, const Run& run);

}  // namespace lockstep
