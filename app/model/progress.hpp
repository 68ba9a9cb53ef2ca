// What has happened up to a step: the bytes that crossed between the levels of the tower, and which elements
// of each view were touched. A pure function of (axis, step).
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "memory_axis.hpp"

namespace lockstep {

// One direction between registers and global memory, followed block only.
struct GlobalTraffic {
  std::int64_t instructions = 0;
  std::int64_t sectors = 0;      // 32 bytes each, that warps ask of their L1 (counted)
  std::int64_t lane_bytes = 0;   // that the lanes asked for
  std::int64_t l2_sectors = 0;   // L1 <-> L2 (the L1 model's)
  std::int64_t hbm_sectors = 0;  // L2 <-> HBM (the L2 model's)
  std::int64_t sector_bytes() const { return sectors * 32; }
  std::int64_t l2_bytes() const { return l2_sectors * 32; }
  std::int64_t hbm_bytes() const { return hbm_sectors * 32; }
};
struct SharedTraffic {
  std::int64_t instructions = 0;
  std::int64_t wavefronts = 0;
  std::int64_t wanted = 0;  // the fewest that width and lanes allow
  std::int64_t lane_bytes = 0;
};
struct Traffic {
  GlobalTraffic load, store;
  SharedTraffic shared_load, shared_store;
  SharedTraffic shared_copy;       // what asynchronous copies write
  std::int64_t copied_bytes = 0;   // of load.lane_bytes: what they read, past the registers
  std::int64_t sent_bytes = 0;     // of store.lane_bytes: what the copy engine writes, past the registers
  std::int64_t product_bytes = 0;  // of shared_load.lane_bytes: what tensor cores read by themselves
};

// The share of one step alone.
void add_to(Traffic& traffic, const Step& step);
Traffic traffic_of(const Step& step);
Traffic traffic_of(const AccessAxis& axis, int step);

// The bounding box of what the followed block touches in a view of rows x cols elements; empty if it touches
// nothing. Its first rows and columns where there are more than can be told apart in a picture.
constexpr std::int64_t kMostShown = 1024;
struct Region {
  std::int64_t row = 0, col = 0, rows = 0, cols = 0;
  bool empty() const { return rows == 0 || cols == 0; }
};

// How often each element of a region was read and written until a step, and by the step itself.
struct ElementState {
  enum class Now : std::uint8_t { no, reads, writes };
  std::uint16_t reads = 0, writes = 0;
  Now now = Now::no;
};

// The indices over one axis that make any step a short walk. The traffic's is made at once, those of a view
// when it is first asked for; the axis must outlive it.
class BlockProgress {
 public:
  explicit BlockProgress(const AccessAxis& axis);
  ~BlockProgress();
  BlockProgress(const BlockProgress&) = delete;
  BlockProgress& operator=(const BlockProgress&) = delete;

  // Steps 0 .. step, `step` included; step = -1 gives nothing.
  Traffic traffic_until(int step) const;
  Region region_touched(int launch, const ViewInfo& view) const;
  std::vector<ElementState> elements_until(int step, const ViewInfo& view, const Region& region) const;

 private:
  struct Indices;
  const AccessAxis& axis_;
  std::vector<Traffic> traffic_;  // before every kStride-th part
  std::unique_ptr<Indices> indices_;
};

// The step of the followed block at which `element` of a view was last written (or first read), -1 if never;
// the lane as thread number within the block.
struct Toucher {
  int step = -1;
  int thread = -1;
};
Toucher writer_of(const AccessAxis& axis, std::uint16_t view, std::uint32_t element_bytes,
                  std::uint64_t element);
Toucher reader_of(const AccessAxis& axis, std::uint16_t view, std::uint32_t element_bytes,
                  std::uint64_t element);

}  // namespace lockstep
