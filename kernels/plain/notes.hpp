// Leaves out what kernels note down for the picture alone (begin_step, show, ...), and what only served it.
#pragma once
#include "edited_text.hpp"

namespace lockstep {

void drop_notes(EditedText& code);

}  // namespace lockstep
