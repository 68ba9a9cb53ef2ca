// The loop of a product whose tiles the copy engine brings (groups.hpp has the axis that it becomes). Warps
// do not go through it together here: one asks for tiles, others multiply them, and barriers in shared memory
// stand between them. A barrier that is arrived at before boxes are asked for is a full barrier: its phases
// count the bytes of a tile. Any other one is an empty barrier: its phases count who has given a buffer back.
#pragma once
#include "groups.hpp"

namespace lockstep {

bool has_boxes(const Launch& launch);

// Steps, groups and trips of these launches, `fine` being their memory_steps(). Tile t is asked for ("load"),
// waited for ("wait"), multiplied, and before its buffer is filled again there is a wait for its return.
// Steps stand in an order that the barriers allow: a tile is asked for as soon as its buffer is free.
void group_boxed(const std::vector<Step>& fine, const std::vector<Launch>& launches, LoopAxis& axis);

}  // namespace lockstep
