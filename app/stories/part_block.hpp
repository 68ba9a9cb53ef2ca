// The `ask` block of an exercise's part.
#pragma once
#include "exercise.hpp"
#include "fields.hpp"

namespace lockstep {

// Fills id, kind, question and all that belongs to them.
Status read_part_block(const SourceText& source, const MarkdownBlock& block, ExercisePart& part);

}  // namespace lockstep
