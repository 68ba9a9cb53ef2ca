#include "parts.hpp"

#include <algorithm>
#include <cstdio>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {

const char* name_of(Part part) {
  constexpr const char* kNames[] = {"chip", "gpc", "tpc", "sm", "sub_core"};
  return kNames[std::size_t(part)];
}

Part part_named(std::string_view name) {
  for (const Part part : kParts)
    if (name == name_of(part)) return part;
  return Part::chip;
}

std::string title_of(Part part, const Gpu& gpu, int sm) {
  switch (part) {
    case Part::chip:
      return gpu.name;
    case Part::gpc:
      return "GPC";
    case Part::tpc:
      return "TPC";
    case Part::sm:
      return sm >= 0 ? "SM " + number_text(sm) : "SM";
    case Part::sub_core:
      return tr("sub-core");
  }
  return "";
}

Message what_it_is(Part part) {
  switch (part) {
    case Part::chip:
      return msg("SMs that compute, an L2 that all of them share, and memory beside the chip.");
    case Part::gpc:
      return msg(
          "A graphics processing cluster: SMs that are built next to each other. The blocks of a "
          "thread-block "
          "cluster run in one.");
    case Part::tpc:
      return msg("A texture processing cluster: SMs that share their way out to the rest of the GPC.");
    case Part::sm:
      return msg(
          "A streaming multiprocessor: it holds whole blocks, with their registers and their shared memory, "
          "until they are done.");
    case Part::sub_core:
      return msg(
          "A quarter of an SM: one scheduler with its warps, their registers, and the units that execute one "
          "instruction of a warp per clock.");
  }
  return {};
}

namespace {

constexpr double kGhz = 1e9;

std::string count(int value) { return value > 0 ? grouped(value) : tr("not published"); }

std::string at_clock(const Peak& peak) {
  char ghz[32];
  std::snprintf(ghz, sizeof ghz, "%.2f", peak.clock_hz / kGhz);
  return tr("{0} at {1} GHz", {flop_rate_text(peak.flops), ghz});
}

// "8 or 9": as many of the smaller parts as one of the larger has, where they are not the same in all.
std::string share(int all, int of) {
  if (all < 1 || of < 1) return tr("not published");
  if (all % of == 0) return grouped(all / of);
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", double(all) / of);
  return tr("{0} on average", {text});
}

std::vector<PartFact> of_chip(const Gpu& g) {
  const std::int64_t threads = std::int64_t{g.multiprocessors} * g.max_threads_per_sm;
  return {{msg("SMs"), grouped(g.multiprocessors), "multiprocessors"},
          {msg("GPCs"), count(g.gpcs), "gpcs"},
          {msg("TPCs"), count(g.tpcs), "tpcs"},
          {msg("resident threads"), grouped(threads), "max_threads_per_sm", true},
          {msg("FP32"), at_clock(g.fp32), "fp32_flops"},
          {msg("tensor cores, {0}", {g.tensor_types}), at_clock(g.tensor), "tensor_flops"},
          {msg("L2"), bytes_text(double(g.l2_bytes)), "l2_bytes"},
          {msg("memory, {0}", {g.memory_kind}), bytes_text(double(g.memory_bytes)), "memory_bytes"},
          {msg("memory bandwidth"), rate_text(g.memory_bandwidth), "memory_bandwidth"},
          {msg("NVLink, both ways"), g.nvlink_bandwidth > 0 ? rate_text(g.nvlink_bandwidth) : tr("none"),
           "nvlink_bandwidth"}};
}

std::vector<PartFact> of_gpc(const Gpu& g) {
  return {{msg("GPCs on the chip"), count(g.gpcs), "gpcs"},
          {msg("TPCs in one"), share(g.tpcs, g.gpcs), "tpcs", true},
          {msg("SMs in one"), share(g.gpcs > 0 ? g.multiprocessors : 0, g.gpcs), "multiprocessors", true}};
}

std::vector<PartFact> of_tpc(const Gpu& g) {
  return {{msg("TPCs on the chip"), count(g.tpcs), "tpcs"},
          {msg("SMs in one"), share(g.tpcs > 0 ? g.multiprocessors : 0, g.tpcs), "multiprocessors", true}};
}

// What one SM's units do at the clock of the peak beside it.
double flops_of_sm(const Peak& peak, int units) { return 2.0 * units * peak.clock_hz; }

std::vector<PartFact> of_sm(const Gpu& g) {
  const double shared_rate = 4.0 * g.shared_banks * g.fp32.clock_hz;
  return {
      {msg("sub-cores"), grouped(g.sub_cores), "sub_cores"},
      {msg("resident warps, threads"),
       tr("{0}, {1}", {grouped(g.max_warps_per_sm), grouped(g.max_threads_per_sm)}), "max_warps_per_sm"},
      {msg("resident blocks"), grouped(g.max_blocks_per_sm), "max_blocks_per_sm"},
      {msg("registers"), tr("{0}: {1}", {grouped(g.registers_per_sm), bytes_text(4.0 * g.registers_per_sm)}),
       "registers_per_sm"},
      {msg("L1 and shared memory"), bytes_text(double(g.l1_shared_bytes)), "l1_shared_bytes"},
      {msg("of it shared, at most"), bytes_text(double(g.shared_bytes_per_sm)), "shared_bytes_per_sm"},
      {msg("shared memory gives"),
       tr("{0} B/clock, {1}", {grouped(4 * g.shared_banks), rate_text(shared_rate)}), "shared_banks", true},
      {msg("FP32 lanes"),
       tr("{0}: {1}",
          {grouped(g.fp32_lanes_per_sm), flop_rate_text(flops_of_sm(g.fp32, g.fp32_lanes_per_sm))}),
       "fp32_lanes_per_sm"},
      {msg("FP64 lanes"), grouped(g.fp64_lanes_per_sm), "fp64_lanes_per_sm"},
      {msg("tensor cores"),
       tr("{0}: {1}",
          {grouped(g.tensor_cores_per_sm), flop_rate_text(flops_of_sm(g.tensor, g.tensor_fmas_per_sm))}),
       "tensor_cores_per_sm"}};
}

std::vector<PartFact> of_sub_core(const Gpu& g) {
  const int n = std::max(1, g.sub_cores);
  return {
      {msg("warp schedulers"), grouped(1), "sub_cores"},
      {msg("warp slots"), grouped(g.max_warps_per_sm / n), "max_warps_per_sm", true},
      {msg("registers"),
       tr("{0}: {1}", {grouped(g.registers_per_sm / n), bytes_text(4.0 * g.registers_per_sm / n)}),
       "registers_per_sm", true},
      {msg("FP32 lanes"), grouped(g.fp32_lanes_per_sm / n), "fp32_lanes_per_sm", true},
      {msg("tensor cores"), grouped(g.tensor_cores_per_sm / n), "tensor_cores_per_sm", true},
      {msg("their multiply-adds per clock"), grouped(g.tensor_fmas_per_sm / n), "tensor_fmas_per_sm", true},
      {msg("lanes for sin, exp, 1/x"), grouped(g.special_units_per_sm / n), "special_units_per_sm", true}};
}

}  // namespace

std::vector<PartFact> facts_of(Part part, const Gpu& gpu) {
  switch (part) {
    case Part::chip:
      return of_chip(gpu);
    case Part::gpc:
      return of_gpc(gpu);
    case Part::tpc:
      return of_tpc(gpu);
    case Part::sm:
      return of_sm(gpu);
    case Part::sub_core:
      return of_sub_core(gpu);
  }
  return {};
}

}  // namespace lockstep
