// The levels of a GPU's memory with what is known of each: its size, and how far and how wide it is, as the
// vendor states it, as others have measured it, and as this program has.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/draw/theme.hpp"
#include "app/model/gpu.hpp"
#include "app/model/latency_levels.hpp"
#include "app/model/run.hpp"

namespace lockstep {

// far_shared: the shared memory of another SM of the cluster.
enum class MemoryLevel : std::uint8_t { registers, shared, l1, far_shared, l2, hbm, host };
constexpr int kMemoryLevels = 7;
std::string name_of(MemoryLevel level);
Color color_of(MemoryLevel level);

struct Between {
  double low = 0, high = 0;
};

struct LevelFigures {
  MemoryLevel level = MemoryLevel::registers;
  std::optional<double> capacity_bytes;          // by the vendor
  std::optional<double> specified_bytes_per_s;   // of the whole GPU, by the vendor
  std::optional<Between> published_cycles;       // per load, by others
  std::optional<Between> published_bytes_per_s;  // of the whole GPU
  std::optional<double> cycles, ns;              // per load
  std::optional<double> far_cycles;              // of the L2's other half, by far_latency()
  std::optional<double> bytes_per_s, copied_bytes_per_s;
  std::optional<double> near_bytes_per_s, far_bytes_per_s;  // of the L2's halves
  // Of the host's memory, by the copy engines: to the GPU and back.
  std::optional<double> pinned_in, pinned_out, pageable_in, pageable_out;
};

// What others measured on Hopper, where the figures are not the vendor's.
const char* published_source();

// A figure beside what others published of the same, and why it differs where it does by more than a fifth.
struct Comparison {
  std::string name, measured, published;
  double ratio = 1;  // to the nearest published one; 1 within their range
  std::string reason;
  bool differs() const { return ratio > 1.2 || ratio < 0.8; }
};
std::vector<Comparison> beside_published(const Run& run, const std::vector<LevelFigures>& levels);
std::string cycles_per_load_text(double cycles);                // 29.0, 631
std::string latency_text(const LevelFigures& figures);          // "33.0 cycles, 16.7 ns"; "" for none
std::string published_text(const Between& between, bool rate);  // "480–690 cycles"
// The cycles of a level, which are there: of the L2 its two halves', of others a range.
std::string published_cycles_text(const LevelFigures& f);

// Whose levels: the device that the recordings are of, else the one that the run was on, else an H200's.
const Gpu& memory_gpu(const Run& run);

// By the recordings of the lab that the run came with.
std::vector<LevelFigures> level_figures(const Run& run, const Gpu& gpu);

// The plateaus of the recorded walk, and to which level each belongs.
std::vector<Plateau> recorded_plateaus(const Run& run);
MemoryLevel level_of(const Plateau& plateau, const Gpu& gpu);

// Which level answers at the run's settings; `next`: the one that answers some of the loads as well, where a
// footprint lies between two plateaus.
struct Answering {
  MemoryLevel level = MemoryLevel::registers;
  std::optional<MemoryLevel> next;
  bool by_plateau = false;  // else by the capacities
};
Answering answering_level(const Run& run, const Gpu& gpu, const std::vector<Plateau>& plateaus);

}  // namespace lockstep
