// What a launch's traced blocks come to: its record's counts, costs by line, touches and followed block.
#pragma once
#include "app/model/grid_fold.hpp"
#include "app/model/touched_sectors.hpp"
#include "kernels/simt/machine.hpp"
#include "record.hpp"

namespace lockstep::reader {

class LaunchFold {
 public:
  LaunchFold(LaunchRecord& record, std::int64_t followed, CacheModel& l2, const Gpu& gpu);
  // A block that the machine has just run; blocks come in order.
  void add(std::int64_t block, const simt::Machine& machine);
  // Fills the record in; `machine` has run one of the blocks.
  void finish(const simt::Machine& machine);

 private:
  void add_costs(std::span<const std::span<const Access>> threads);

  LaunchRecord& record_;
  GridFold grid_;
  BlockFold fold_;
  FoldedBlock folded_;
  WarpFold warps_;
  TouchedSectors sectors_;
};

}  // namespace lockstep::reader
