#include "gemm_fragments.hpp"

namespace lockstep {

void draw_fragments(Canvas&, const StageInput&, Rect, StageEvents&) {}

}  // namespace lockstep
