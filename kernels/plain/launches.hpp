// Launchers as host code: gpu.launch("f", f<P>, grid, block, ..) is f<<<grid, block>>>(..).
#pragma once
#include "edited_text.hpp"

namespace lockstep {

void write_launches(EditedText& code);

}  // namespace lockstep
