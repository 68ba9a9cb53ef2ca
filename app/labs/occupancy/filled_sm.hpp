// An SM that is filled block by block: what each of its resources would allow, and how that changes with a
// block's needs. Plain data in; everything is the occupancy model's.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/draw/plot.hpp"
#include "app/draw/theme.hpp"
#include "app/model/occupancy.hpp"

namespace lockstep {

// An SM with some of the blocks that it can hold.
struct FilledSm {
  Gpu gpu;
  BlockNeeds needs;
  ResidentBlocks resident;
  std::string loaded;    // the kernel whose needs these are; "" = the sliders'
  int placed = 0;        // blocks on the SM
  bool refused = false;  // no further block fits, and one has been tried
};

enum class SmResource : std::uint8_t { warps, blocks, registers, shared };
constexpr SmResource kSmResources[] = {SmResource::warps, SmResource::blocks, SmResource::registers,
                                       SmResource::shared};
std::string name_of(SmResource resource);
Color color_of(SmResource resource);
int blocks_by(const ResidentBlocks& resident, SmResource resource);
// Those that allow no further block, in the order of kSmResources.
std::vector<SmResource> limiters_of(const ResidentBlocks& resident);

// What the blocks on the SM hold of a resource, and what there is.
struct ResourceUse {
  std::int64_t taken = 0, all = 0;
};
ResourceUse use_of(const FilledSm& sm, SmResource resource);
int warps_of_block(const FilledSm& sm);  // at least 1
std::int64_t registers_of_warp(const FilledSm& sm);
std::int64_t shared_bytes_of_block(const FilledSm& sm);

// "64 warps / 8 per block = 8": how many blocks this resource allows, and why.
std::string limit_text(const FilledSm& sm, SmResource resource);
// "8 needed, 0 left"
std::string room_text(const FilledSm& sm, SmResource resource);

// Occupancy in percent against one need of a block, the others unchanged, with where it is now.
enum class BlockNeed : std::uint8_t { threads, registers, shared };
Plot occupancy_plot(const FilledSm& sm, BlockNeed need);
// The nearest value of the one thing that limits at which more warps are resident; nothing where that alone
// does not help.
struct RoomForMore {
  SmResource resource = SmResource::warps;
  std::int64_t value = 0;  // registers of a thread, shared bytes or threads of a block
  int warps = 0;           // resident there
};
std::optional<RoomForMore> room_for_more(const FilledSm& sm);
// "2 blocks fit; 3 up to 80, 1 from 129"
std::string next_text(const FilledSm& sm, BlockNeed need);

void draw_sm(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& sm, int columns = 1);
float sm_height(const Theme& theme);  // that it needs at least
void draw_limits(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& sm);
float limits_height(const Theme& theme);  // that it needs at least

}  // namespace lockstep
