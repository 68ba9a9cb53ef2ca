#include "scene.hpp"

#include <algorithm>
#include <bit>

#include "app/labs/access_headline.hpp"
#include "app/labs/story.hpp"
#include "app/labs/work_lines.hpp"
#include "app/model/portable.hpp"

namespace lockstep {
namespace {

struct PartName {
  const char* mark;
  ShufflePart part;
};
constexpr PartName kParts[] = {
    {"draw", ShufflePart::draw},    {"load", ShufflePart::load},     {"add", ShufflePart::add},
    {"left", ShufflePart::left},    {"read", ShufflePart::read},     {"down", ShufflePart::down},
    {"xor", ShufflePart::exchange}, {"up", ShufflePart::up},         {"broadcast", ShufflePart::broadcast},
    {"share", ShufflePart::share},  {"across", ShufflePart::across}, {"join", ShufflePart::join},
    {"tree", ShufflePart::tree},    {"tell", ShufflePart::tell},     {"look", ShufflePart::look},
    {"store", ShufflePart::store}};

ShufflePart part_of(std::uint16_t mark) {
  for (const PartName& part : kParts)
    if (name_id(part.mark) == mark) return part.part;
  return ShufflePart::other;
}

MarkedAxis steps_of(const Run& run) {
  std::array<const char*, std::size(kParts)> names{};
  std::transform(std::begin(kParts), std::end(kParts), names.begin(),
                 [](const PartName& part) { return part.mark; });
  MarkedAxis axis(run.launches, names);
  take_work_lines(axis, run);
  return axis;
}

constexpr std::int64_t kMostWarps = 32;  // of a block

std::optional<std::int32_t> whole(const ShownValues& shown, const char* name, std::int64_t index, int step) {
  const auto* entry = shown.entry(name_id(name), std::uint32_t(index), step);
  if (!entry || entry->step != step) return {};
  return bit_cast<std::int32_t>(entry->value);
}

// The lane of the row before whose number lane l gets; -1: nobody's (PTX ISA, shfl.sync: a lane that asks
// beyond its warp gets its own). `warp`: whose table it is.
int source_of(const LaneRow& row, int l, int warp, bool behind_sums) {
  const int s = int(row.distance);
  switch (row.part) {
    case ShufflePart::add:
      return l < s ? l + s : -1;
    case ShufflePart::down:
      return l + s < 32 ? l + s : -1;
    case ShufflePart::exchange:
      return l ^ s;
    case ShufflePart::left:
    case ShufflePart::up:
    case ShufflePart::across:
      return l >= s ? l - s : -1;
    case ShufflePart::read:
    case ShufflePart::broadcast:
      return 0;
    case ShufflePart::share:  // the others' come from other warps
      return l == warp ? 31 : -1;
    case ShufflePart::join:
      return behind_sums ? warp - 1 : -1;
    default:
      return -1;
  }
}

// Whether a lane goes on with its own number as well.
bool keeps_own(ShufflePart part) {
  return part != ShufflePart::read && part != ShufflePart::broadcast && part != ShufflePart::share;
}

std::int64_t shared_wavefronts(std::span<const Step> parts, std::int64_t warp) {
  std::int64_t all = 0;
  for (const Step& part : parts)
    if (!part.barrier && part.instruction.warp == warp && part.instruction.view >= kFirstSharedView)
      all += part.wavefronts;
  return all;
}

// What a result hangs on, from the last row back: in the last one, every lane's number.
void find_needed(std::vector<LaneRow>& rows, std::int64_t warps) {
  std::array<bool, 32> x, sums{};
  x.fill(true);
  for (std::size_t r = rows.size(); r-- > 0;) {
    LaneRow& row = rows[r];
    std::array<bool, 32>& needed = row.sums ? sums : x;
    std::array<bool, 32> before{};
    std::array<bool, 32>& came_from = r > 0 && rows[r - 1].sums == row.sums ? before : row.sums ? x : sums;
    for (std::size_t l = 0; l < 32; ++l) {
      LaneValue& lane = row.lanes[l];
      // What a warp leaves for the others they need, if it does not.
      const bool left = row.part == ShufflePart::share && l < std::size_t(warps);
      lane.needed = lane.known && (needed[l] || left);
      lane.taken = lane.needed && lane.from >= 0;
      if (lane.needed && keeps_own(row.part)) before[l] = true;
      if (lane.taken) came_from[std::size_t(lane.from)] = true;
    }
    needed = before;
  }
}

// Of lanes that load and store several numbers at once: the last that each has of them after the step.
std::optional<LaneRow> several_row(const MarkedAxis& axis, const Run& run, int s, std::int64_t warp) {
  LaneRow row;
  row.part = part_of(axis.marked[std::size_t(s)].mark), row.step = s;
  if (row.part != ShufflePart::load && row.part != ShufflePart::store) return {};
  bool wide = false;
  std::array<std::int64_t, 32> last{};
  for (const Step& part : axis.parts_of(s)) {
    const WarpInstruction& i = part.instruction;
    const ViewInfo* view =
        part.barrier || i.warp != warp ? nullptr : run.launches[std::size_t(axis.launch_of(s))].view(i.view);
    const Buffer* buffer = view && view->space == Space::global ? buffer_of(run, view->id) : nullptr;
    if (!buffer || view->name != (row.part == ShufflePart::load ? "in" : "out")) continue;
    wide |= i.width > 4;
    for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
      const auto l = std::size_t(std::countr_zero(rest));
      const std::int64_t index = (std::int64_t(i.offset[l]) + i.width) / 4 - 1;
      if (row.lanes[l].known && index < last[l]) continue;
      last[l] = index, row.lanes[l].known = true;
      row.lanes[l].value = std::int32_t(element(*view, *buffer, std::uint64_t(index)));
    }
  }
  if (!wide) return {};
  if (row.part == ShufflePart::store) row.part = ShufflePart::join;  // what is stored has it
  return row;
}

LaneTable table(const MarkedAxis& axis, const Run& run, int launch, std::int64_t warp, std::int64_t warps) {
  LaneTable all;
  for (int s = 0; s < axis.count(); ++s) {
    if (axis.launch_of(s) != launch) continue;
    const MarkedStep& marked = axis.marked[std::size_t(s)];
    LaneRow row;
    row.part = part_of(marked.mark), row.step = s, row.distance = marked.index;
    row.sums = row.part == ShufflePart::share || row.part == ShufflePart::across;
    bool any = false;
    for (int l = 0; l < 32; ++l) {
      LaneValue& lane = row.lanes[std::size_t(l)];
      const auto value = whole(axis.shown, row.sums ? "sums" : "x", warp * 32 + l, s);
      if (!value) continue;
      lane.value = *value, lane.known = any = true;
      lane.from = source_of(row, l, int(warp), !all.rows.empty() && all.rows.back().sums);
    }
    if (const auto several = any ? std::nullopt : several_row(axis, run, s, warp))
      row = *several, any = all.several = true;
    if (!any) continue;
    row.wavefronts = shared_wavefronts(axis.parts_of(s), warp);
    all.rows.push_back(row);
  }
  find_needed(all.rows, warps);
  return all;
}

std::optional<std::int64_t> first_loaded(const MarkedAxis& axis, int launch) {
  for (int s = 0; s < axis.count(); ++s) {
    if (axis.launch_of(s) != launch || part_of(axis.marked[std::size_t(s)].mark) != ShufflePart::load)
      continue;
    std::optional<std::int64_t> first;
    for (const Step& part : axis.parts_of(s)) {
      const WarpInstruction& i = part.instruction;
      if (part.barrier || i.view >= kFirstSharedView || !reads(i.kind)) continue;
      for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
        const auto at = std::int64_t(i.offset[std::size_t(std::countr_zero(rest))]);
        first = first ? std::min(*first, at) : at;
      }
    }
    if (first) return first;
  }
  return {};
}

// What the step of looking showed: a word of each tile that was looked at.
void look(const MarkedAxis& axis, int step, BlockScan& block) {
  block.look_step = step;
  bool reached = false;
  for (std::int64_t t = *block.tile - 1; t >= 0; --t) {
    const auto what = whole(axis.shown, "what", t, step), sum = whole(axis.shown, "sum", t, step);
    if (!what || !sum) break;
    block.seen.push_back({t, *what == 2, reached, *sum});
    if (!reached) block.before += *sum;
    reached |= *what == 2;
  }
}

BlockScan scan_of(const MarkedAxis& axis, const Run& run, int index) {
  const Launch& launch = run.launches[std::size_t(index)];
  BlockScan block;
  block.launch = index;
  const std::int64_t warps = std::min(kMostWarps, (launch.threads() + 31) / 32);
  for (std::int64_t warp = 0; warp < warps; ++warp)
    block.warps.push_back(table(axis, run, index, warp, warps));
  const auto draws = [&](const MarkedStep& m) { return part_of(m.mark) == ShufflePart::draw; };
  for (int s = 0; s < axis.count(); ++s) {
    if (axis.launch_of(s) != index || !draws(axis.marked[std::size_t(s)])) continue;
    const ViewInfo* in = launch.view(0);
    const auto first = first_loaded(axis, index);
    if (!in || !first || launch.blocks() < 1) break;
    const std::int64_t blocks = launch.blocks(), elements = std::int64_t(in->elements());
    // Of as many elements each as a thread has times threads: a multiple of the block.
    std::int64_t each = launch.threads();
    while (each * blocks < elements) each *= 2;
    block.tile = *first / 4 / each, block.tiles = blocks;
  }
  if (!block.tile) return block;
  for (int s = 0; s < axis.count(); ++s)
    if (axis.launch_of(s) == index && part_of(axis.marked[std::size_t(s)].mark) == ShufflePart::look)
      look(axis, s, block);
  return block;
}

std::vector<BlockScan> blocks_of(const MarkedAxis& axis, const Run& run) {
  std::vector<BlockScan> all;
  for (std::size_t l = 0; l < run.launches.size(); ++l) all.push_back(scan_of(axis, run, int(l)));
  return all;
}

}  // namespace

ShuffleScene::ShuffleScene(std::shared_ptr<const Run> shared_run)
    : LabScene(std::move(shared_run)), steps(steps_of(run())), blocks(blocks_of(steps, run())) {}

bool by_shuffle(ShufflePart part) {
  return part == ShufflePart::down || part == ShufflePart::exchange || part == ShufflePart::up ||
         part == ShufflePart::broadcast || part == ShufflePart::across;
}

ShufflePart shuffle_part(const ShuffleScene& scene, int step) {
  return step >= 0 && step < scene.steps.count() ? part_of(scene.steps.marked[std::size_t(step)].mark)
                                                 : ShufflePart::other;
}

const BlockScan* block_of(const ShuffleScene& scene, int step) {
  if (step < 0 || step >= scene.steps.count()) return nullptr;
  const auto launch = std::size_t(scene.steps.launch_of(step));
  return launch < scene.blocks.size() ? &scene.blocks[launch] : nullptr;
}

const LaneTable* table_of(const ShuffleScene& scene, const LabView& view) {
  const BlockScan* block = block_of(scene, view.step);
  if (!block || block->warps.empty()) return nullptr;
  const auto last = std::int64_t(block->warps.size()) - 1;
  return &block->warps[std::size_t(std::clamp<std::int64_t>(view.warp, 0, last))];
}

const LaneRow* row_of(const ShuffleScene& scene, const LabView& view) {
  if (const LaneTable* all = table_of(scene, view))
    for (const LaneRow& row : all->rows)
      if (row.step == view.step) return &row;
  return nullptr;
}

std::int64_t receivers(const LaneRow& row) {
  return std::count_if(row.lanes.begin(), row.lanes.end(), [](const LaneValue& lane) { return lane.taken; });
}

// The look back, else the third round in which lanes hand something on.
int ShuffleScene::opening_step(std::int64_t warp) const {
  for (const BlockScan& block : blocks)
    if (block.look_step >= 0) return block.look_step;
  for (const BlockScan& block : blocks) {
    int rounds = 0;
    const auto at = std::size_t(std::clamp<std::int64_t>(warp, 0, std::int64_t(block.warps.size()) - 1));
    if (block.warps.empty()) continue;
    for (const LaneRow& row : block.warps[at].rows)
      if (std::any_of(row.lanes.begin(), row.lanes.end(), [](const LaneValue& l) { return l.from >= 0; }) &&
          ++rounds == 3)
        return row.step;
  }
  return std::max(0, steps.count() - 2);
}

std::string ShuffleScene::step_figure_names() const {
  return "distance, receivers, wavefronts, lane0 to lane31, block, tile, looked_at, own_sums, before";
}

std::optional<double> ShuffleScene::step_figure(std::string_view name, const LabView& view) const {
  const BlockScan* block = block_of(*this, view.step);
  if (!block) return {};
  const LaneRow* row = row_of(*this, view);
  if (name == "distance" && row) return double(row->distance);
  if (name == "receivers" && row) return double(receivers(*row));
  if (name == "wavefronts" && row) return double(row->wavefronts);
  if (name.starts_with("lane") && row) {
    const std::string number(name.substr(4));
    for (std::size_t l = 0; l < 32; ++l)
      if (number == std::to_string(l) && row->lanes[l].known) return double(row->lanes[l].value);
  }
  if (name == "block") return double(run().launches[std::size_t(block->launch)].trace.block);
  if (name == "tile" && block->tile) return double(*block->tile);
  if (name == "looked_at") return double(block->seen.size());
  if (name == "own_sums")
    return double(std::count_if(block->seen.begin(), block->seen.end(),
                                [](const SeenTile& t) { return !t.up_to && !t.left_out; }));
  if (name == "before") return double(block->before);
  return access_figure(steps, view.step, view.warp, name);
}

}  // namespace lockstep
