// The gemm lab's picture of a loop whose tiles the copy engine brings.
#pragma once
#include "picture.hpp"

namespace lockstep {

// Copy engine and warpgroups as lanes over the tiles, and below them the buffers with their barriers.
float pipeline_height(const GemmPicture& shown, const Theme& theme);
void draw_pipeline(Canvas& canvas, const GemmPicture& shown, Rect r);
// How a box's rows stand in shared memory (128-byte swizzle).
void draw_swizzle(Canvas& canvas, const GemmPicture& shown, Rect r);

}  // namespace lockstep
