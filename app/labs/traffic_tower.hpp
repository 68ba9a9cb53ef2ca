// The links of a tower with the bytes that the followed block has moved between the levels so far: the same
// in every lab that has one. Levels, top first: arithmetic, registers, shared, L1, L2, HBM.
#pragma once
#include <string>
#include <vector>

#include "app/draw/level_bars.hpp"
#include "app/draw/tower.hpp"
#include "app/model/progress.hpp"

namespace lockstep {

// A stage with the tower to the right of its picture. In half a stage a table stands for it, below the
// picture; where the stage is low as well, there is neither.
struct TowerRoom {
  Rect rest, tower, table;  // width 0: not there
};
TowerRoom tower_room(Rect stage, const Theme& theme);

struct TowerUse {
  bool shared = false;    // the rung keeps something in shared memory
  bool copies = false;    // by asynchronous copies, past the registers
  bool boxes = false;     // these go past the L1
  bool units = false;     // products read shared memory by themselves
  bool sends = false;     // the copy engine stores, past the L1 as well
  bool computes = false;  // this step: data go from the registers to the arithmetic
};
std::vector<TowerLink> traffic_links(const Traffic& until, const Traffic& now, TowerUse use);

// "12.0 KB"; "0" for nothing.
std::string tower_bytes(std::int64_t count);
// Bytes that went through each level, in either direction.
std::vector<LevelBar> traffic_bars(const Traffic& until, bool shared);
// FLOP per byte that a level has given upwards, as its figure.
void set_reuse(TowerLevel& level, double flop, std::int64_t bytes);
// L1, L2 and HBM with their figures; what a hint says of each.
std::vector<TowerLevel> global_levels(const Traffic& until, double flop, bool boxes);
void add_reuse_hints(std::vector<TowerLevel>& levels, std::size_t first);

}  // namespace lockstep
