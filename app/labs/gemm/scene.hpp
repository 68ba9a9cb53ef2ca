// What is folded of a product's run: the loop over k as coarse steps, and who owns the block's part of C.
#pragma once
#include "app/labs/lab.hpp"
#include "app/model/groups.hpp"
#include "sums.hpp"

namespace lockstep {

// One tile of C that the followed block makes.
struct BlockTile {
  Owners owners;
  Span rows, cols;
  PartialSums sums;
};

struct GemmScene final : LabScene {
  explicit GemmScene(std::shared_ptr<const Run> run);

  const LoopAxis steps;
  const BlockProgress progress;
  // Of a run that is a product of three matrices, else nullptr: then there is no picture.
  const Launch* launch = nullptr;
  const ViewInfo *a = nullptr, *b = nullptr, *c = nullptr;
  std::vector<BlockTile> tiles;  // in the order in which the block makes them
  bool tensor_cores = false;
  bool columns_of_b = false;    // B stands column by column
  bool boxed = false;           // the copy engine brings the tiles
  bool multicast = false;       // and halves of those of B to both blocks of a cluster
  bool sends = false;           // and takes C away
  bool units = false;           // and the tensor cores read them in shared memory
  bool loads_matrices = false;  // by ldmatrix: whole warps read 16 bytes per lane on the way to the product

  // The element of B in row p (0 .. k) and column n.
  std::uint64_t element_of_b(std::int64_t p, std::int64_t n) const;
  const BlockTile& tile(int step) const;                             // whose sums are made or stored then
  const BlockTile& tile_of(const StepGroup& group, int step) const;  // that what it moves is for
  bool for_next_tile(const StepGroup& group, int step) const;
  double flop_until(int step) const;  // of the block's sums, the step's included
  // "0..63", with the tile where it is another one than that of the step.
  std::string trip_text(const Trip& trip, int step) const;
  bool straight() const;                  // operands come from global memory every time
  bool multiplies_units(int step) const;  // the tensor cores read shared memory by themselves there
  std::string freed_text(const StepGroup& group) const;  // the k whose buffer it waits for
  const StepGroup* group(int step) const {
    return step >= 0 && step < int(steps.groups.size()) ? &steps.groups[std::size_t(step)] : nullptr;
  }
  const Trip* trip(int index) const {
    return index >= 0 && index < int(steps.trips.size()) ? &steps.trips[std::size_t(index)] : nullptr;
  }

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
  Message step_title(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
};

std::string k_text(Span k);  // "8..15", "5"
// The k whose copies are on their way behind a step: of the tile of C at hand, and of the next one. "": none.
struct Flying {
  std::string here, next;
};
Flying flying_at(const LoopAxis& axis, int step);
// A warp's ldmatrix: whole, 16 bytes of shared memory per lane.
bool is_ldmatrix(const Step& part);

}  // namespace lockstep
