#include "filled_sm.hpp"

#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {

int warps_of_block(const FilledSm& s) { return std::max(1, warps_of(s.needs)); }
std::int64_t registers_of_warp(const FilledSm& s) { return allocated_registers(s.gpu, s.needs.registers); }
std::int64_t shared_bytes_of_block(const FilledSm& s) {
  return allocated_shared_bytes(s.gpu, s.needs.shared_bytes);
}

ResourceUse use_of(const FilledSm& s, SmResource resource) {
  const std::int64_t held = std::int64_t{s.placed} * warps_of_block(s);
  switch (resource) {
    case SmResource::warps:
      return {held, s.gpu.max_warps_per_sm};
    case SmResource::blocks:
      return {s.placed, s.gpu.max_blocks_per_sm};
    case SmResource::registers:
      return {held * registers_of_warp(s), s.gpu.registers_per_sm};
    case SmResource::shared:
      return {s.placed * shared_bytes_of_block(s), s.gpu.shared_bytes_per_sm};
  }
  return {};
}

std::string name_of(SmResource resource) {
  switch (resource) {
    case SmResource::warps:
      return tr("warp slots");
    case SmResource::blocks:
      return tr("block slots");
    case SmResource::registers:
      return tr("registers");
    case SmResource::shared:
      return tr("shared memory");
  }
  return "";
}

Color color_of(SmResource resource) {
  if (resource == SmResource::registers) return color::registers;
  constexpr Color kSlots = Color::hex(0x7A828A);  // warp and block slots are no memory
  return resource == SmResource::shared ? color::shared : kSlots;
}

int blocks_by(const ResidentBlocks& r, SmResource resource) {
  switch (resource) {
    case SmResource::warps:
      return r.by_warps;
    case SmResource::blocks:
      return r.by_blocks;
    case SmResource::registers:
      return r.by_registers;
    case SmResource::shared:
      return r.by_shared;
  }
  return 0;
}

std::vector<SmResource> limiters_of(const ResidentBlocks& resident) {
  std::vector<SmResource> all;
  for (SmResource resource : kSmResources)
    if (blocks_by(resident, resource) == resident.blocks) all.push_back(resource);
  return all;
}

std::string limit_text(const FilledSm& s, SmResource resource) {
  const int blocks = blocks_by(s.resident, resource);
  switch (resource) {
    case SmResource::warps:
      return tr("{0} threads are {1} warps; {2} slots / {1} = {3}",
                {grouped(s.needs.threads), grouped(warps_of_block(s)), grouped(s.gpu.max_warps_per_sm),
                 grouped(blocks)});
    case SmResource::blocks:
      return tr("an SM has {0}, whatever the blocks need", {grouped(blocks)});
    case SmResource::registers: {
      if (s.needs.registers == 0) return tr("not known, no limit");
      if (blocks == 0)
        return tr("{0} × 32 threads → {1} per warp; {2} warps do not fit into {3}",
                  {grouped(s.needs.registers), grouped(registers_of_warp(s)), grouped(warps_of_block(s)),
                   grouped(s.gpu.registers_per_sm)});
      const int all = warps_by_registers(s.gpu, s.needs.registers);
      return tr(
          "{0} × 32 threads → {1} per warp; {2} warps per sub-core, {3} in all; {3} / {4} = {5}",
          {grouped(s.needs.registers), grouped(registers_of_warp(s)), grouped(all / s.gpu.warp_granularity),
           grouped(all), grouped(warps_of_block(s)), grouped(blocks)});
    }
    case SmResource::shared: {
      if (blocks == kNoLimit) return tr("none asked for, no limit");
      if (s.needs.shared_bytes > s.gpu.shared_bytes_per_block)
        return tr("{0} bytes, but a block may have {1} at most",
                  {grouped(s.needs.shared_bytes), grouped(s.gpu.shared_bytes_per_block)});
      if (s.gpu.reserved_shared_bytes == 0)
        return tr("{0} bytes → {1} per block; {2} / {1} = {3}",
                  {grouped(s.needs.shared_bytes), grouped(shared_bytes_of_block(s)),
                   grouped(s.gpu.shared_bytes_per_sm), grouped(blocks)});
      return tr("{0} + {1} reserved → {2} bytes per block; {3} / {2} = {4}",
                {grouped(s.needs.shared_bytes), grouped(s.gpu.reserved_shared_bytes),
                 grouped(shared_bytes_of_block(s)), grouped(s.gpu.shared_bytes_per_sm), grouped(blocks)});
    }
  }
  return "";
}

std::string room_text(const FilledSm& s, SmResource resource) {
  const ResourceUse use = use_of(s, resource);
  const std::string left = grouped(use.all - use.taken);
  switch (resource) {
    case SmResource::warps:
      return tr("{0} needed, {1} left", {grouped(warps_of_block(s)), left});
    case SmResource::blocks:
      return tr("1 needed, {0} left", {left});
    case SmResource::registers: {
      const int each = warps_by_registers(s.gpu, s.needs.registers);
      return tr("{0} warps needed, room for {1}",
                {grouped(warps_of_block(s)),
                 grouped(std::max<std::int64_t>(0, each - std::int64_t{s.placed} * warps_of_block(s)))});
    }
    case SmResource::shared:
      return tr("{0} bytes needed, {1} left", {grouped(shared_bytes_of_block(s)), left});
  }
  return "";
}

// --- occupancy against one need

namespace {

struct Range {
  std::int64_t first, last, now;
};
Range range_of(const FilledSm& s, BlockNeed need) {
  if (need == BlockNeed::threads) return {1, s.gpu.max_threads_per_block, s.needs.threads};
  if (need == BlockNeed::registers) return {1, s.gpu.max_registers_per_thread, s.needs.registers};
  return {0, s.gpu.shared_bytes_per_block, s.needs.shared_bytes};
}

double percent_at(const FilledSm& s, BlockNeed need, std::int64_t value) {
  BlockNeeds needs = s.needs;
  if (need == BlockNeed::threads) needs.threads = int(value);
  if (need == BlockNeed::registers) needs.registers = int(value);
  if (need == BlockNeed::shared) needs.shared_bytes = value;
  return 100 * resident_blocks(s.gpu, needs).fraction;
}

}  // namespace

Plot occupancy_plot(const FilledSm& s, BlockNeed need) {
  const Range range = range_of(s, need);
  const bool bytes = need == BlockNeed::shared;
  const double unit = bytes ? 1024 : 1;
  const std::int64_t stride = bytes ? s.gpu.shared_unit : 1;
  const char* ids[] = {"stage/threads", "stage/registers-chart", "stage/shared-chart"};
  const std::string labels[] = {tr("threads per block"), tr("registers per thread"),
                                tr("KB shared per block")};
  Plot plot;
  plot.id = ids[int(need)];
  plot.x = {labels[int(need)], 0, double(range.last) / unit, false};
  plot.y = {tr("occupancy, %"), 0, 100, false};
  PlotSeries line{"",
                  {},
                  bytes                          ? color::shared
                  : need == BlockNeed::registers ? color::registers
                                                 : color_of(SmResource::warps),
                  PlotMark::line};
  double before = -1;
  for (std::int64_t value = range.first; value <= range.last; value += stride) {
    const double percent = percent_at(s, need, value);
    if (percent == before) continue;
    if (before >= 0) line.points.push_back({double(value) / unit, before, ""});
    line.points.push_back({double(value) / unit, percent, ""});
    before = percent;
  }
  line.points.push_back({double(range.last) / unit, before, ""});
  plot.series = {
      line,
      {"", {{double(range.now) / unit, percent_at(s, need, range.now), ""}}, line.color, PlotMark::dots}};
  plot.cursor = double(range.now) / unit;
  return plot;
}

std::optional<RoomForMore> room_for_more(const FilledSm& s) {
  const auto limiters = limiters_of(s.resident);
  if (limiters.size() != 1 || s.resident.warps >= s.gpu.max_warps_per_sm) return {};
  const SmResource resource = limiters.front();
  BlockNeeds needs = s.needs;
  std::optional<NextStep::Place> place;
  if (resource == SmResource::registers) place = next_by_registers(s.gpu, needs).fewer;
  if (resource == SmResource::shared) place = next_by_shared(s.gpu, needs).fewer;
  if (resource == SmResource::warps) place = next_by_threads(s.gpu, needs).fewer;
  if (resource == SmResource::blocks)  // as many blocks, of more warps each
    place = {32 * s.gpu.max_warps_per_sm / s.gpu.max_blocks_per_sm, s.resident.blocks};
  if (!place) return {};
  if (resource == SmResource::registers) needs.registers = int(place->value);
  if (resource == SmResource::shared) needs.shared_bytes = place->value;
  if (resource == SmResource::warps || resource == SmResource::blocks) needs.threads = int(place->value);
  const ResidentBlocks then = resident_blocks(s.gpu, needs);
  if (then.warps <= s.resident.warps) return {};
  return RoomForMore{resource, place->value, then.warps};
}

std::string next_text(const FilledSm& s, BlockNeed need) {
  const NextStep next = need == BlockNeed::threads     ? next_by_threads(s.gpu, s.needs)
                        : need == BlockNeed::registers ? next_by_registers(s.gpu, s.needs)
                                                       : next_by_shared(s.gpu, s.needs);
  const std::string now = grouped(s.resident.blocks);
  if (next.fewer && next.more)
    return tr("{0} blocks fit; {2} up to {1}, {4} from {3}",
              {now, grouped(next.fewer->value), grouped(next.fewer->blocks), grouped(next.more->value),
               grouped(next.more->blocks)});
  if (next.fewer)
    return tr("{0} blocks fit; {2} up to {1}",
              {now, grouped(next.fewer->value), grouped(next.fewer->blocks)});
  if (next.more)
    return tr("{0} blocks fit; {2} from {1}", {now, grouped(next.more->value), grouped(next.more->blocks)});
  return tr("{0} blocks fit, whatever the value", {now});
}

}  // namespace lockstep
