// What is folded of sums and scans that lanes hand to each other: round by round what each lane holds and
// whom it has it from; and what a block saw of the tiles before its own.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/marks.hpp"

namespace lockstep {

// What a step does, by the kernel's own words.
enum class ShufflePart : std::uint8_t {
  other,
  draw,
  load,
  add,        // in shared memory: from the lane s further on
  left,       // in shared memory: from the lane s further back
  read,       // from shared memory: what the first lane has
  down,       // shuffles
  exchange,   // xor
  up,         //
  broadcast,  //
  share,      // a warp's sum, into shared memory
  across,     // up, of the warps' sums
  join,       // what stands before is added
  tree,       // a scan of the whole block in one step
  tell,
  look,
  store
};

struct LaneValue {
  std::int32_t value = 0;
  bool known = false;
  int from = -1;        // the lane whose number came, of the row before; -1: none did
  bool needed = false;  // a result hangs on what it holds
  bool taken = false;   // what came is needed
};

// A row: what the lanes of one warp hold after a step.
struct LaneRow {
  ShufflePart part = ShufflePart::other;
  int step = 0;
  std::int64_t distance = 0;
  bool sums = false;  // the warps' sums, one per lane
  std::array<LaneValue, 32> lanes;
  std::int64_t wavefronts = 0;  // of this warp, in shared memory
};

struct LaneTable {
  std::vector<LaneRow> rows;
  bool several = false;  // each lane holds several numbers: the rows have its last
};

// A tile that the block looked at, nearest first.
struct SeenTile {
  std::int64_t tile = 0;
  bool up_to = false;     // it knew the sum of all tiles up to itself; else its own alone
  bool left_out = false;  // nearer ones reach back to the start already
  std::int32_t sum = 0;
};

// What one launch does with one block.
struct BlockScan {
  int launch = 0;
  std::vector<LaneTable> warps;
  std::optional<std::int64_t> tile, tiles;  // where blocks draw one
  int look_step = -1;
  std::vector<SeenTile> seen;
  std::int64_t own = 0, before = 0;  // sums
};

struct ShuffleScene final : LabScene {
  explicit ShuffleScene(std::shared_ptr<const Run> run);

  const MarkedAxis steps;
  const std::vector<BlockScan> blocks;  // by launch

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
  Message step_title(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  std::optional<double> step_figure(std::string_view name, const LabView& view) const override;
  std::string step_figure_names() const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
  std::vector<LabPanel> panels(Rect stage, const Theme& theme) const override;
};

ShufflePart shuffle_part(const ShuffleScene& scene, int step);
bool by_shuffle(ShufflePart part);
// The launch's block; the table of its followed warp; the row of this step. nullptr where there is none.
const BlockScan* block_of(const ShuffleScene& scene, int step);
const LaneTable* table_of(const ShuffleScene& scene, const LabView& view);
const LaneRow* row_of(const ShuffleScene& scene, const LabView& view);
// Lanes to which something came that is needed.
std::int64_t receivers(const LaneRow& row);

}  // namespace lockstep
