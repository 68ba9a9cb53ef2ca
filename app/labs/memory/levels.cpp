#include "levels.hpp"

#include <algorithm>

#include "app/devices/gpus.hpp"
#include "app/draw/language.hpp"
#include "app/model/curves_evidence.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

constexpr double kKb = 1024;

using Curve = std::map<std::int64_t, double>;

const Curve* curve_of(const Run& run, const char* rung, const char* setting, const char* quantity) {
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  return recorded ? recorded->find({rung, setting, quantity}) : nullptr;
}

// The figure at the largest footprint up to `kb`.
std::optional<double> at_most(const Curve* curve, double kb) {
  if (!curve) return {};
  std::optional<double> figure;
  for (const auto& [footprint, value] : *curve)
    if (double(footprint) <= kb) figure = value;
  return figure;
}

// The middle one of the figures between two footprints.
std::optional<double> middle_of(const Curve* curve, double from_kb, double to_kb) {
  std::vector<double> figures;
  if (curve)
    for (const auto& [footprint, figure] : *curve)
      if (double(footprint) >= from_kb && double(footprint) <= to_kb) figures.push_back(figure);
  if (figures.empty()) return {};
  const auto middle = figures.begin() + std::ptrdiff_t(figures.size() / 2);
  std::nth_element(figures.begin(), middle, figures.end());
  return *middle;
}

// The same of a rate in GB/s, in bytes per second.
std::optional<double> middle_rate(const Curve* curve, double from_kb, double to_kb) {
  const auto rate = middle_of(curve, from_kb, to_kb);
  return rate ? std::optional(*rate * 1e9) : std::nullopt;
}

constexpr double kEndless = 1e15;  // KB

const Plateau* plateau_of(const std::vector<Plateau>& plateaus, MemoryLevel level, const Gpu& gpu) {
  const Plateau* found = nullptr;  // the outermost of that level
  for (const Plateau& p : plateaus)
    if (level_of(p, gpu) == level) found = &p;
  return found;
}

// Other people's: cycles per dependent load, bytes per second of the whole GPU. The L2's are its near and far
// half's; shared memory's is with and without the arithmetic of the address.
void add_published(LevelFigures& f, const Gpu& gpu) {
  if (gpu.compute_capability != 90) return;
  switch (f.level) {
    case MemoryLevel::shared:
      f.published_cycles = {29, 33};
      break;
    case MemoryLevel::l1:
      f.published_cycles = {32, 41};
      break;
    case MemoryLevel::far_shared:
      f.published_cycles = {180, 180};
      break;
    case MemoryLevel::l2:
      f.published_cycles = {258, 414};
      if (gpu.word == "H200") f.published_bytes_per_s = {9.7e12, 10.2e12};
      break;
    case MemoryLevel::hbm:
      f.published_cycles = {480, 690};
      break;
    case MemoryLevel::registers:
    case MemoryLevel::host:
      break;
  }
}

// An SM's 32 banks give 4 bytes each per cycle; an FMA lane takes three operands of 4 bytes.
void add_specified(LevelFigures& f, const Gpu& gpu) {
  constexpr double kBankBytes = 32 * 4, kOperandBytes = 3 * 4, kFlopPerFma = 2;
  switch (f.level) {
    case MemoryLevel::registers:
      f.capacity_bytes = 4.0 * gpu.registers_per_sm;
      f.specified_bytes_per_s = gpu.fp32.flops / kFlopPerFma * kOperandBytes;
      break;
    case MemoryLevel::shared:
      f.capacity_bytes = double(gpu.shared_bytes_per_sm);
      f.specified_bytes_per_s = kBankBytes * gpu.multiprocessors * gpu.fp32.clock_hz;
      break;
    case MemoryLevel::far_shared:
      if (gpu.compute_capability >= 90) f.capacity_bytes = double(gpu.shared_bytes_per_sm);
      break;
    case MemoryLevel::l1:
      f.capacity_bytes = double(gpu.l1_shared_bytes);
      break;
    case MemoryLevel::l2:
      f.capacity_bytes = double(gpu.l2_bytes);
      break;
    case MemoryLevel::hbm:
      f.capacity_bytes = double(gpu.memory_bytes);
      f.specified_bytes_per_s = gpu.memory_bandwidth;
      break;
    case MemoryLevel::host:
      break;
  }
}

void add_walk(LevelFigures& f, const Run& run, const Gpu& gpu, const std::vector<Plateau>& plateaus) {
  const Plateau* p = plateau_of(plateaus, f.level, gpu);
  if (!p) return;
  f.cycles = p->latency;
  f.ns = middle_of(curve_of(run, "chase", "footprint", "ns"), double(p->first), double(p->last));
}

void add_measured(LevelFigures& f, const Run& run, const Gpu& gpu, const std::vector<Plateau>& plateaus) {
  const double l1_kb = double(gpu.l1_shared_bytes) / kKb, l2_kb = double(gpu.l2_bytes) / kKb;
  const Curve* reads = curve_of(run, "read", "footprint", "gb_per_s");
  switch (f.level) {
    case MemoryLevel::registers:
      f.cycles = at_most(curve_of(run, "registers", "footprint", "cycles"), kEndless);
      f.bytes_per_s = middle_rate(curve_of(run, "registers", "footprint", "gb_per_s"), 0, kEndless);
      break;
    case MemoryLevel::shared:
      f.cycles = at_most(curve_of(run, "shared_chase", "footprint", "cycles"), kEndless);
      f.ns = at_most(curve_of(run, "shared_chase", "footprint", "ns"), kEndless);
      f.bytes_per_s = middle_rate(curve_of(run, "shared_read", "footprint", "gb_per_s"), 0, kEndless);
      break;
    case MemoryLevel::far_shared:
      f.cycles = at_most(curve_of(run, "far_chase", "footprint", "cycles"), kEndless);
      f.ns = at_most(curve_of(run, "far_chase", "footprint", "ns"), kEndless);
      f.bytes_per_s = middle_rate(curve_of(run, "far_read", "footprint", "gb_per_s"), 0, kEndless);
      break;
    case MemoryLevel::l1:
      add_walk(f, run, gpu, plateaus);
      f.bytes_per_s = middle_rate(curve_of(run, "l1_read", "footprint", "gb_per_s"), 0, l1_kb / 2);
      break;
    case MemoryLevel::l2: {
      const Plateau* p = plateau_of(plateaus, f.level, gpu);
      add_walk(f, run, gpu, plateaus);
      const Curve* walk = curve_of(run, "chase", "footprint", "cycles");
      if (p && walk) f.far_cycles = far_latency(*walk, p->latency, gpu.l2_bytes / 2 / std::int64_t(kKb));
      f.bytes_per_s = middle_rate(reads, p ? double(p->first) : l1_kb, p ? double(p->last) : l2_kb / 2);
      f.near_bytes_per_s = middle_rate(curve_of(run, "half", "near", "gb_per_s"), 0, kEndless);
      f.far_bytes_per_s = middle_rate(curve_of(run, "half", "far", "gb_per_s"), 0, kEndless);
      break;
    }
    case MemoryLevel::hbm:
      add_walk(f, run, gpu, plateaus);
      f.bytes_per_s = middle_rate(reads, 8 * l2_kb, kEndless);
      f.copied_bytes_per_s = middle_rate(curve_of(run, "copy", "footprint", "gb_per_s"), 8 * l2_kb, kEndless);
      break;
    case MemoryLevel::host:
      f.cycles = at_most(curve_of(run, "chase", "host", "cycles"), kEndless);
      f.ns = at_most(curve_of(run, "chase", "host", "ns"), kEndless);
      f.bytes_per_s = middle_rate(curve_of(run, "read", "host", "gb_per_s"), 0, kEndless);
      f.pinned_in = middle_rate(curve_of(run, "copy", "host", "pinned_in_gb_per_s"), 0, kEndless);
      f.pinned_out = middle_rate(curve_of(run, "copy", "host", "pinned_out_gb_per_s"), 0, kEndless);
      f.pageable_in = middle_rate(curve_of(run, "copy", "host", "pageable_in_gb_per_s"), 0, kEndless);
      f.pageable_out = middle_rate(curve_of(run, "copy", "host", "pageable_out_gb_per_s"), 0, kEndless);
      break;
  }
}

MemoryLevel level_holding(double kb, const Gpu& gpu) {
  if (kb * kKb <= double(gpu.l1_shared_bytes)) return MemoryLevel::l1;
  return kb * kKb <= double(gpu.l2_bytes) ? MemoryLevel::l2 : MemoryLevel::hbm;
}

Answering by_plateaus(std::int64_t kb, const Gpu& gpu, const std::vector<Plateau>& plateaus) {
  if (const Plateau* p = plateau_at(plateaus, kb)) return {level_of(*p, gpu), {}, true};
  for (std::size_t i = 1; i < plateaus.size(); ++i)
    if (plateaus[i - 1].last < kb && kb < plateaus[i].first) {
      // The L2's plateau ends where its near half does: up to all of it, the far one answers.
      if (level_of(plateaus[i - 1], gpu) == MemoryLevel::l2 &&
          level_holding(double(kb), gpu) == MemoryLevel::l2)
        return {MemoryLevel::l2, {}, true};
      return {level_of(plateaus[i - 1], gpu), level_of(plateaus[i], gpu), true};
    }
  return {level_holding(double(kb), gpu), {}, false};
}

}  // namespace

std::string name_of(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::registers:
      return tr("registers");
    case MemoryLevel::shared:
      return tr("shared");
    case MemoryLevel::l1:
      return "L1";
    case MemoryLevel::far_shared:
      return tr("another SM's");
    case MemoryLevel::l2:
      return "L2";
    case MemoryLevel::hbm:
      return "HBM";
    case MemoryLevel::host:
      break;
  }
  return tr("host");
}

Color color_of(MemoryLevel level) {
  constexpr Color kColors[kMemoryLevels]{color::registers,     color::shared, color::l1,
                                         Color::hex(0x45AFAE), color::l2,     color::hbm,
                                         Color::hex(0x8D959C)};
  return kColors[std::size_t(level)];
}

const Gpu& memory_gpu(const Run& run) {
  const Gpu* gpu = find_gpu(provenance_of(run, "metrics.curve").device);
  if (!gpu) gpu = find_gpu(run.device.name);
  return gpu ? *gpu : *gpu_by_word("H200");
}

std::vector<Plateau> recorded_plateaus(const Run& run) {
  const Curve* curve = curve_of(run, "chase", "footprint", "cycles");
  return curve ? plateaus_of(*curve) : std::vector<Plateau>();
}

MemoryLevel level_of(const Plateau& plateau, const Gpu& gpu) {
  return level_holding(double(plateau.first), gpu);
}

std::vector<LevelFigures> level_figures(const Run& run, const Gpu& gpu) {
  const auto plateaus = recorded_plateaus(run);
  std::vector<LevelFigures> all(kMemoryLevels);
  for (int i = 0; i < kMemoryLevels; ++i) {
    LevelFigures& f = all[std::size_t(i)];
    f.level = MemoryLevel(i);
    add_specified(f, gpu), add_published(f, gpu), add_measured(f, run, gpu, plateaus);
  }
  return all;
}

Answering answering_level(const Run& run, const Gpu& gpu, const std::vector<Plateau>& plateaus) {
  const std::string& rung = run.request.rung;
  const Params& p = run.request.params;
  const auto memory = p.find("memory");
  if (memory != p.end() && to_string(memory->second) == "host") return {MemoryLevel::host, {}, false};
  if (rung == "registers") return {MemoryLevel::registers, {}, false};
  if (rung == "shared_chase" || rung == "shared_read") return {MemoryLevel::shared, {}, false};
  if (rung == "far_chase" || rung == "far_read") return {MemoryLevel::far_shared, {}, false};
  if (rung == "near_far" || rung == "half") return {MemoryLevel::l2, {}, false};
  const std::int64_t kb = p.contains("footprint") ? int_param(p, "footprint") : 0;
  if (rung == "chase") return by_plateaus(kb, gpu, plateaus);
  const MemoryLevel holding = level_holding(double(kb), gpu);
  return {rung == "l1_read" ? holding : std::max(MemoryLevel::l2, holding), {}, false};
}

}  // namespace lockstep
