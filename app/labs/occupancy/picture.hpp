// An SM that is filled block by block, what each of its resources would allow, and how that changes with a
// block's needs. Plain data in; everything is the occupancy model's.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/draw/plot.hpp"
#include "app/labs/lab.hpp"
#include "app/model/occupancy.hpp"

namespace lockstep {

struct OccupancyScene {
  Gpu gpu;
  BlockNeeds needs;
  ResidentBlocks resident;
  int placed = 0;        // blocks on the SM at this step
  std::string loaded;    // the kernel whose needs these are; "" = the sliders'
  bool refused = false;  // the step at which no further block fits
};
// Nothing where the run has no occupancy or names a device that is not known. Steps: one per block, then the
// refusal.
std::optional<OccupancyScene> occupancy_scene(const Run& run, int step);
int occupancy_steps(const Run& run);  // at least 1

enum class SmResource : std::uint8_t { warps, blocks, registers, shared };
constexpr SmResource kSmResources[] = {SmResource::warps, SmResource::blocks, SmResource::registers,
                                       SmResource::shared};
std::string name_of(SmResource resource);
Color color_of(SmResource resource);
int blocks_by(const ResidentBlocks& resident, SmResource resource);
// Those that allow no further block, in the order of kSmResources.
std::vector<SmResource> limiters_of(const ResidentBlocks& resident);
// "64 warps / 8 per block = 8": how many blocks this resource allows, and why.
std::string limit_text(const OccupancyScene& scene, SmResource resource);
// "8 needed, 0 left"
std::string room_text(const OccupancyScene& scene, SmResource resource);

void draw_sm(Canvas& canvas, const Theme& theme, Rect r, const OccupancyScene& scene);
float sm_height(const Theme& theme);  // that it needs at least
void draw_limits(Canvas& canvas, const Theme& theme, Rect r, const OccupancyScene& scene);
float limits_height(const Theme& theme);  // that it needs at least

// Occupancy in percent against one need of a block, the others unchanged, with where it is now.
enum class BlockNeed : std::uint8_t { threads, registers, shared };
Plot occupancy_plot(const OccupancyScene& scene, BlockNeed need);
// "blocks: 2; up to 80: 3; from 129: 1"
std::string next_text(const OccupancyScene& scene, BlockNeed need);

}  // namespace lockstep
