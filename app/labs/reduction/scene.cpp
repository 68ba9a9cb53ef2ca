#include "scene.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>

#include "app/labs/access_headline.hpp"
#include "app/labs/work_lines.hpp"
#include "app/model/units.hpp"

namespace lockstep {
namespace {

struct PartName {
  const char* mark;
  ReductionPart part;
};
constexpr PartName kParts[] = {{"ask", ReductionPart::ask},     {"load", ReductionPart::load},
                               {"rest", ReductionPart::rest},   {"sums", ReductionPart::sums},
                               {"add", ReductionPart::add},     {"lanes", ReductionPart::lanes},
                               {"share", ReductionPart::share}, {"warps", ReductionPart::warps},
                               {"tree", ReductionPart::tree},   {"store", ReductionPart::store}};

MarkedAxis steps_of(const Run& run) {
  std::array<const char*, std::size(kParts)> names{};
  std::transform(std::begin(kParts), std::end(kParts), names.begin(),
                 [](const PartName& part) { return part.mark; });
  MarkedAxis axis(run.launches, names);
  take_work_lines(axis, run);
  return axis;
}

bool loads(ReductionPart part) {
  return part == ReductionPart::load || part == ReductionPart::rest || part == ReductionPart::sums;
}

// Most positions that a tree is folded for: the threads of the largest block.
constexpr std::int64_t kMostThreads = 1024;

// Calls f(lane, offset) for the lanes of an access.
template <class F>
void for_lanes(const WarpInstruction& i, F f) {
  for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    f(lane, std::int64_t(i.offset[std::size_t(lane)]));
  }
}

// Additions in shared memory: a lane that stores its sum at one place has loaded it from there and from
// another.
void add_shared(const std::span<const Step> parts, std::int64_t threads, Round& round) {
  std::map<std::int64_t, std::vector<std::int64_t>> loaded;  // by thread: positions
  for (const Step& step : parts) {
    const WarpInstruction& i = step.instruction;
    if (step.barrier || i.view < kFirstSharedView || i.width != 4) continue;
    for_lanes(i, [&](int lane, std::int64_t offset) {
      const std::int64_t thread = std::int64_t(i.warp) * kWarpSize + lane, place = offset / 4;
      if (place >= threads) return;
      if (i.kind == Kind::load) loaded[thread].push_back(place);
      if (i.kind != Kind::store) return;
      for (const std::int64_t from : loaded[thread])
        if (from != place) round.additions.push_back({std::int32_t(place), std::int32_t(from)});
    });
  }
}

// Additions by shuffles: lane l takes over what lane l + distance holds. In `warps` it is the first warp's
// lanes alone that do.
void add_lanes(std::int64_t warps, Round& round) {
  for (std::int64_t warp = 0; warp < warps; ++warp)
    for (std::int64_t lane = 0; lane + round.distance < kWarpSize; ++lane) {
      const std::int64_t to = warp * kWarpSize + lane;
      round.additions.push_back({std::int32_t(to), std::int32_t(to + round.distance)});
    }
}

// A warp's sum goes to the lane of the first warp that has its number.
void hand_over(std::int64_t warps, Round& round) {
  for (std::int64_t warp = 0; warp < warps; ++warp)
    round.additions.push_back({std::int32_t(warp), std::int32_t(warp * kWarpSize)});
}

void count_work(std::span<const Step> parts, Round& round) {
  for (const Step& step : parts) {
    if (step.barrier) continue;
    const WarpInstruction& i = step.instruction;
    round.warp_mask |= i.warp < 64 ? std::uint64_t{1} << i.warp : 0;
    if (i.view < kFirstSharedView || is_unit_access(i.kind)) continue;
    round.wavefronts += step.wavefronts;
    round.fewest_wavefronts += fewest_wavefronts(i.lanes, i.width, i.kind == Kind::store);
  }
}

// Whether threads take elements in by it: from the array, or from a chunk of it that has been brought.
bool takes_in(const Step& step, bool brought) {
  const WarpInstruction& i = step.instruction;
  if (step.barrier || !reads(i.kind) || is_unit_access(i.kind)) return false;
  return brought || i.view < kFirstSharedView;
}

// Lanes that this step gives work to: those that load, or that write what they have added.
std::int64_t lanes_at_work(std::span<const Step> parts, bool loading, bool brought) {
  std::map<std::uint32_t, std::uint32_t> lanes;
  for (const Step& step : parts) {
    const WarpInstruction& i = step.instruction;
    if (loading ? !takes_in(step, brought) : step.barrier || !writes(i.kind)) continue;
    lanes[i.warp] |= i.lanes;
  }
  std::int64_t all = 0;
  for (const auto& [warp, mask] : lanes) all += std::popcount(mask);
  return all;
}

// Positions that hold an element once the loads are done.
void mark_loaded(std::span<const Step> parts, bool brought, Round& round) {
  for (const Step& step : parts) {
    const WarpInstruction& i = step.instruction;
    if (!takes_in(step, brought)) continue;
    for_lanes(i, [&](int lane, std::int64_t) {
      const std::size_t thread = std::size_t(i.warp) * kWarpSize + std::size_t(lane);
      if (thread < round.holds.size()) round.holds[thread] = 1;
    });
  }
}

Round round_at(const MarkedAxis& axis, int s, std::int64_t threads, bool brought) {
  const MarkedStep& marked = axis.marked[std::size_t(s)];
  const auto parts = axis.parts_of(s);
  Round round;
  round.part = reduction_part(marked.mark), round.first_step = s, round.distance = marked.index;
  const std::int64_t warps = (threads + kWarpSize - 1) / kWarpSize;
  count_work(parts, round);
  round.lanes = lanes_at_work(parts, loads(round.part), brought);
  if (round.part == ReductionPart::add) add_shared(parts, threads, round);
  if (round.in_registers()) {
    const std::int64_t adding = round.part == ReductionPart::lanes ? std::min<std::int64_t>(warps, 32) : 1;
    add_lanes(adding, round);
    round.warp_mask = (std::uint64_t{1} << adding) - 1, round.lanes = adding * kWarpSize;
  }
  round.warps = std::popcount(round.warp_mask);
  return round;
}

using Flags = std::vector<std::uint8_t>;  // one for each position

// Where an element of the array stands after a round, alone or in a sum.
Flags held_after(const Round& round, const Flags& before) {
  Flags after = before;
  if (loads(round.part))
    for (std::size_t p = 0; p < after.size(); ++p) after[p] |= round.holds[p];
  const bool handed_over = round.part == ReductionPart::share && !round.additions.empty();
  if (handed_over) std::fill(after.begin(), after.end(), std::uint8_t{0});
  for (const Addition& a : round.additions) after[std::size_t(a.to)] |= before[std::size_t(a.from)];
  return after;
}

// Which additions the result at position 0 hangs on, from the last round back, and what of it stands where
// after each round.
void find_needed(std::vector<Round>& rounds, std::int64_t threads) {
  if (threads == 0) return;
  std::vector<Flags> held{Flags(std::size_t(threads), 0)};
  for (const Round& round : rounds) held.push_back(held_after(round, held.back()));
  Flags needed(std::size_t(threads), 0);
  needed[0] = 1;
  for (std::size_t r = rounds.size(); r-- > 0;) {
    Round& round = rounds[r];
    const Flags after = needed, &before = held[r];
    for (std::size_t p = 0; p < after.size(); ++p) round.holds[p] = after[p] && held[r + 1][p];
    if (round.part == ReductionPart::share && !round.additions.empty())
      std::fill(needed.begin(), needed.end(), std::uint8_t{0});
    for (Addition& a : round.additions) {
      a.needed = after[std::size_t(a.to)] && before[std::size_t(a.from)];
      round.needed += a.needed;
      if (a.needed) needed[std::size_t(a.from)] = 1;
    }
  }
}

// A step that is the whole tree, as its rounds: shuffles in each warp, a float per warp, shuffles in the
// first.
std::vector<Round> rounds_of_tree(const Round& whole, std::int64_t threads) {
  const std::int64_t warps = (threads + kWarpSize - 1) / kWarpSize;
  std::vector<Round> all;
  const auto add = [&](ReductionPart part, std::int64_t distance, std::int64_t adding) {
    Round& round = all.emplace_back();
    round.part = part, round.first_step = whole.first_step, round.distance = distance;
    round.holds.assign(std::size_t(threads), 0);
    round.warp_mask = (std::uint64_t{1} << adding) - 1, round.warps = adding;
    if (part == ReductionPart::share) {
      hand_over(warps, round);
      round.wavefronts = whole.wavefronts, round.fewest_wavefronts = whole.fewest_wavefronts;
    } else {
      add_lanes(adding, round);
      round.lanes = adding * kWarpSize;
    }
  };
  for (std::int64_t s = kWarpSize / 2; s > 0; s /= 2) add(ReductionPart::lanes, s, warps);
  add(ReductionPart::share, 0, warps);
  for (std::int64_t s = kWarpSize / 2; s > 0; s /= 2) add(ReductionPart::warps, s, 1);
  return all;
}

bool joins(const Round& last, const Round& next) {
  return loads(last.part) && (next.part == last.part || next.part == ReductionPart::rest) &&
         last.part != ReductionPart::rest;
}

// What a launch asks the copy engine for: the pieces of one copy have one visit.
std::vector<Chunk> chunks_of(const MarkedAxis& axis, int launch) {
  std::vector<Chunk> chunks;
  for (int s = 0; s < axis.count(); ++s) {
    if (axis.launch_of(s) != launch) continue;
    std::optional<std::uint32_t> copy;
    for (const Step& step : axis.parts_of(s)) {
      const WarpInstruction& i = step.instruction;
      if (step.barrier || i.kind != Kind::box_source) continue;
      const std::uint32_t visit = i.visit / kPiecesOfUnit;
      for_lanes(i, [&](int, std::int64_t offset) {
        const std::int64_t first = offset / 4;
        if (copy != visit) chunks.push_back({{first, 0}, s, s}), copy = visit;
        Span& all = chunks.back().elements;
        all.count = std::max(all.count, first + i.width / 4 - all.first);
      });
    }
  }
  for (int s = 0; s < axis.count(); ++s) {
    const MarkedStep& marked = axis.marked[std::size_t(s)];
    const bool loads_one = axis.launch_of(s) == launch && reduction_part(marked.mark) == ReductionPart::load;
    if (const auto k = std::size_t(marked.index); loads_one && k < chunks.size()) chunks[k].loaded = s;
  }
  return chunks;
}

Tree tree_of_launch(const MarkedAxis& axis, const Launch& launch, int index) {
  Tree tree;
  tree.launch = index;
  tree.chunks = chunks_of(axis, index);
  const bool brought = !tree.chunks.empty();
  tree.threads = std::min<std::int64_t>(launch.threads(), kMostThreads);
  for (int s = 0; s < axis.count(); ++s) {
    if (axis.launch_of(s) != index) continue;
    Round round = round_at(axis, s, tree.threads, brought);
    round.holds.assign(std::size_t(tree.threads), 0);
    if (loads(round.part)) mark_loaded(axis.parts_of(s), brought, round);
    // What the threads put down at once is part of the load.
    if (!tree.rounds.empty() && joins(tree.rounds.back(), round)) {
      Round& all = tree.rounds.back();
      all.steps += 1, all.wavefronts += round.wavefronts, all.fewest_wavefronts += round.fewest_wavefronts;
      all.warp_mask |= round.warp_mask, all.warps = std::popcount(all.warp_mask);
      all.lanes = std::max(all.lanes, round.lanes);
      for (std::size_t p = 0; p < all.holds.size(); ++p) all.holds[p] |= round.holds[p];
      continue;
    }
    if (round.part == ReductionPart::tree) {
      for (Round& one : rounds_of_tree(round, tree.threads)) tree.rounds.push_back(std::move(one));
      continue;
    }
    const bool lanes_before = !tree.rounds.empty() && tree.rounds.back().part == ReductionPart::lanes;
    if (round.part == ReductionPart::share && lanes_before)
      hand_over((tree.threads + kWarpSize - 1) / kWarpSize, round);
    tree.rounds.push_back(std::move(round));
  }
  find_needed(tree.rounds, tree.threads);
  return tree;
}

std::vector<Tree> trees_of(const MarkedAxis& axis, const Run& run) {
  std::vector<Tree> all;
  for (std::size_t l = 0; l < run.launches.size(); ++l)
    all.push_back(tree_of_launch(axis, run.launches[l], int(l)));
  return all;
}

}  // namespace

ReductionScene::ReductionScene(std::shared_ptr<const Run> shared_run)
    : LabScene(std::move(shared_run)),
      steps(steps_of(run())),
      progress(steps),
      trees(trees_of(steps, run())) {}

ReductionPart reduction_part(std::uint16_t mark) {
  for (const PartName& part : kParts)
    if (name_id(part.mark) == mark) return part.part;
  return ReductionPart::other;
}

const Tree* tree_of(const ReductionScene& scene, int step) {
  if (step < 0 || step >= scene.steps.count()) return nullptr;
  const auto launch = std::size_t(scene.steps.launch_of(step));
  return launch < scene.trees.size() ? &scene.trees[launch] : nullptr;
}

const Round* round_of(const ReductionScene& scene, int step) {
  const Tree* tree = tree_of(scene, step);
  if (!tree) return nullptr;
  for (const Round& round : tree->rounds)
    if (step >= round.first_step && step < round.first_step + round.steps) return &round;
  return nullptr;
}

Span loaded_by(const ReductionScene& scene, int step) {
  std::int64_t first = -1, last = -1;
  if (step < 0 || step >= scene.steps.count()) return {};
  const ReductionPart is = reduction_part(scene.steps.marked[std::size_t(step)].mark);
  if (!loads(is)) return {};
  if (const auto& chunks = tree_of(scene, step)->chunks; is == ReductionPart::load && !chunks.empty()) {
    const auto one =
        std::find_if(chunks.begin(), chunks.end(), [&](const Chunk& c) { return c.loaded == step; });
    return one == chunks.end() ? Span{} : one->elements;
  }
  for (const Step& part : scene.steps.parts_of(step)) {
    const WarpInstruction& i = part.instruction;
    if (part.barrier || i.view >= kFirstSharedView || !reads(i.kind)) continue;
    for_lanes(i, [&](int, std::int64_t offset) {
      const std::int64_t from = offset / 4, to = (offset + i.width) / 4 - 1;
      first = first < 0 ? from : std::min(first, from), last = std::max(last, to);
    });
  }
  return first < 0 ? Span{} : Span{first, last - first + 1};
}

std::int64_t Tree::on_their_way(int step) const {
  return std::count_if(chunks.begin(), chunks.end(), [&](const Chunk& c) { return c.on_its_way(step); });
}

// Where the copy engine brings chunks, the second of them is added. Else the second round of additions: the
// first whose warps or banks tell the rungs apart.
int ReductionScene::opening_step(std::int64_t) const {
  for (const Tree& tree : trees) {
    if (tree.chunks.size() > 1) return tree.chunks[1].loaded;
    std::vector<const Round*> adding;
    for (const Round& round : tree.rounds)
      if (!round.additions.empty()) adding.push_back(&round);
    if (!adding.empty()) return adding[std::min<std::size_t>(2, adding.size() - 1)]->first_step;
  }
  return 0;
}

std::string ReductionScene::step_figure_names() const {
  return "warps, lanes, needed, distance, wavefronts, fewest_wavefronts";
}

std::optional<double> ReductionScene::step_figure(std::string_view name, const LabView& view) const {
  const Round* round = round_of(*this, view.step);
  if (!round) return {};
  if (name == "warps") return double(round->warps);
  if (name == "lanes") return double(round->lanes);
  if (name == "needed") return double(round->needed);
  if (name == "distance") return double(round->distance);
  if (name == "wavefronts") return double(round->wavefronts);
  if (name == "fewest_wavefronts") return double(round->fewest_wavefronts);
  return access_figure(steps, view.step, view.warp, name);
}

}  // namespace lockstep
