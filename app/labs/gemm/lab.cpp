// How is a tile reused on its way to the arithmetic?
// The loop over k is the axis: load, wait, multiply, store. Watch the strips of A and B move along, and the
// bytes per level beside them. Step from rung to rung: shared memory cuts what comes from L2, registers cut
// what comes from shared memory, cp.async fills one buffer while the other is used, tensor cores take the
// arithmetic. Try tiles of 16 and 32, a size that no tile divides, and two rungs side by side.
#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/model/units.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

bool GemmScene::multiplies_units(int step) const {
  const auto parts = steps.parts_of(step);
  return !parts.empty() && is_product(parts.front().instruction.kind);
}

std::string GemmScene::freed_text(const StepGroup& group) const {
  return group.freed >= 0 ? k_text(steps.trips[std::size_t(group.freed)].k) : "";
}

// --- steps: what the block does next in the loop over k

namespace {

Span k_at(const LoopAxis& axis, const StepGroup& group) {
  return group.trip >= 0 ? axis.trips[std::size_t(group.trip)].k : Span{};
}

bool loads_from_global(const LoopAxis& axis, const StepGroup& group) {
  return group.trip >= 0 &&
         axis.trips[std::size_t(group.trip)].load_step == axis.trips[std::size_t(group.trip)].multiply_step;
}

// The trip that was multiplied last before a step; nullptr before the first.
const Trip* multiplied_before(const LoopAxis& axis, int step) {
  for (int s = step - 1; s >= 0; --s)
    if (const StepGroup& g = axis.groups[std::size_t(s)]; g.role == Role::multiply && g.trip >= 0)
      return &axis.trips[std::size_t(g.trip)];
  return nullptr;
}

}  // namespace

// Straight from global memory: the last k of the first sectors of A, which are fetched for it once more. Else
// a multiply step past the middle: data in every place.
int GemmScene::opening_step(std::int64_t) const {
  constexpr int kFloatsOfSector = 8;
  const int wanted = straight() ? kFloatsOfSector - 1 : steps.count() * 4 / 10;
  for (int s = wanted; s < steps.count(); ++s)
    if (steps.groups[std::size_t(s)].role == Role::multiply) return s;
  return std::min(wanted, std::max(0, steps.count() - 1));
}

Color GemmScene::phase_color(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  switch (steps.groups[std::size_t(phase.first)].role) {
    case Role::load:
      return color::hbm;
    case Role::wait:
      return color::barrier;
    case Role::multiply:
      return first.instruction.view >= kFirstSharedView ? color::shared : color::hbm;
    default:
      return color::registers;
  }
}

Message GemmScene::phase_name(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  const std::string line = number_text(first.instruction.line);
  switch (steps.groups[std::size_t(phase.first)].role) {
    case Role::load:
      return msg("load a tile of A and of B, line {0}", {line});
    case Role::wait:
      return msg("barrier, line {0}", {line});
    case Role::multiply:
      return first.instruction.view >= kFirstSharedView
                 ? msg("multiply from shared memory, line {0}", {line})
                 : msg("multiply from global memory, line {0}", {line});
    default:
      return msg("store C, line {0}", {line});
  }
}

Message GemmScene::step_title(const LabView& view) const {
  const StepGroup* group = this->group(view.step);
  if (!group) return msg("no step");
  const std::string k = k_text(k_at(steps, *group));
  const Flying flying = flying_at(steps, view.step);
  switch (group->role) {
    case Role::load:
      if (boxed)
        return for_next_tile(*group, view.step) ? msg("ask for k = {0} of the next tile", {k})
                                                : msg("ask for k = {0}", {k});
      return steps.trips[std::size_t(group->trip)].async ? msg("start to copy k = {0}", {k})
                                                         : msg("load k = {0}", {k});
    case Role::wait:
      if (group->trip >= 0) return msg("wait until k = {0} is there", {k});
      if (group->freed >= 0) return msg("the buffer of k = {0} is free", {freed_text(*group)});
      if (const Trip* used = multiplied_before(steps, view.step))
        return msg("wait until all have used k = {0}", {k_text(used->k)});
      return msg("all warps wait at the barrier");
    case Role::multiply:
      if (flying.here.empty() && !flying.next.empty())
        return msg("multiply k = {0}, copying next tile's {1}", {k, flying.next});
      return !flying.here.empty() ? msg("multiply k = {0}, copying k = {1}", {k, flying.here})
                                  : msg("multiply k = {0}", {k});
    default:
      return steps.tiles_of_c() == 1
                 ? msg("store C")
                 : msg("store tile {0} of C", {number_text(std::int64_t(steps.tile_of_c(view.step)) + 1)});
  }
}

// --- sentence

namespace {

int boxes_of(const LoopAxis& axis, int step) {
  const auto parts = axis.parts_of(step);
  return int(std::count_if(parts.begin(), parts.end(), [](const Step& part) {
    return part.instruction.kind == Kind::box_target && part.instruction.visit % kPiecesOfUnit == 0;
  }));
}

Message boxes_sentence(const GemmScene& scene, const StepGroup& group, const Traffic& now, int step) {
  const LoopAxis& axis = scene.steps;
  const std::vector<std::string> args{lines_words(group.lines), k_text(k_at(axis, group)),
                                      bytes_text(double(now.shared_copy.lane_bytes)),
                                      number_text(boxes_of(axis, step))};
  if (scene.for_next_tile(group, step))
    return msg(
        "{0}: one thread asks for k = {1} for the block's next tile of C, {2} in {3} boxes. A buffer is "
        "free, and nothing else is waited for: this tile is not stored yet.",
        args);
  if (scene.multicast)
    return msg(
        "{0}: one thread asks for k = {1} of A and for its half of B, {2} in {3} boxes. The TMA unit puts "
        "this half into the shared memory of both blocks of the cluster; the other block asks for the other "
        "half.",
        args);
  return msg(
      "{0}: one thread asks for k = {1} of A and of B, {2} in {3} boxes. The TMA unit brings them past the "
      "registers, and counts their bytes off at a barrier in shared memory.",
      args);
}

Message load_sentence(const LoopAxis& axis, const StepGroup& group, const Traffic& now) {
  const Span k = k_at(axis, group);
  const std::vector<std::string> args{lines_words(group.lines), k_text(k),
                                      bytes_text(double(now.load.lane_bytes)), grouped(now.load.sectors)};
  return axis.trips[std::size_t(group.trip)].async
             ? msg("{0}: cp.async starts to copy k = {1} of A and of B into shared memory, past the "
                   "registers: {2} in {3} sectors. Nobody waits for it yet.",
                   args)
             : msg("{0}: the block's threads fetch k = {1} of A and of B, {2} in {3} sectors, and put "
                   "them from their registers into shared memory.",
                   args);
}

// At barriers in shared memory each warp goes on by itself.
Message boxed_wait_sentence(const GemmScene& scene, const StepGroup& group, int step) {
  const std::string line = lines_words(group.lines), k = k_text(k_at(scene.steps, group));
  if (group.freed >= 0)
    return msg(
        "{0}: all who multiply have given the buffer of k = {1} back. Until now the producer has waited for "
        "that; now it may fill it again.",
        {line, scene.freed_text(group)});
  const Flying flying = flying_at(scene.steps, step);
  const std::vector<std::string> args{line, k, flying.here, flying.next};
  if (!flying.here.empty())
    return flying.next.empty() ? msg("{0}: a warp goes on as soon as every byte of k = {1} has come; it does "
                                     "not wait for other warps. "
                                     "k = {2} is still on its way.",
                                     args)
                               : msg("{0}: a warp goes on as soon as every byte of k = {1} has come; it does "
                                     "not wait for other warps. k = {2} is still on its way, and k = {3} of "
                                     "the next tile of C.",
                                     args);
  return flying.next.empty() ? msg("{0}: a warp goes on as soon as every byte of k = {1} has come; it does "
                                   "not wait for other warps.",
                                   args)
                             : msg("{0}: a warp goes on as soon as every byte of k = {1} has come; it does "
                                   "not wait for other warps. k = {3} of the next tile of C is on its way.",
                                   args);
}

Message wait_sentence(const LoopAxis& axis, const StepGroup& group, int index) {
  const std::string line = lines_words(group.lines), k = k_text(k_at(axis, group)),
                    flying = flying_at(axis, index).here;
  if (group.trip >= 0)
    return !flying.empty()
               ? msg("{0}: no warp goes on before k = {1} has arrived in shared memory for all of them; "
                     "the copy of k = {2} stays in flight.",
                     {line, k, flying})
               : msg("{0}: no warp goes on before k = {1} has arrived in shared memory for all of them.",
                     {line, k});
  const Trip* used = multiplied_before(axis, index);
  return used ? msg("{0}: no warp goes on before all have used k = {1}: only then may its place be "
                    "filled again.",
                    {line, k_text(used->k)})
              : msg("{0}: no warp goes on before all warps of the block have arrived.", {line});
}

// The products of one step: of every sum of the block as many as there are k.
double flop_of(const GemmScene& scene, const StepGroup& group, int step) {
  const BlockTile& tile = scene.tile(step);
  return 2.0 * double(tile.rows.count) * double(tile.cols.count) * double(k_at(scene.steps, group).count);
}

Message multiply_sentence(const LoopAxis& axis, int step, const Traffic& now, double flop) {
  const StepGroup& group = axis.groups[std::size_t(step)];
  const bool global = loads_from_global(axis, group);
  const std::int64_t bytes = global ? now.load.lane_bytes : now.shared_load.lane_bytes;
  const std::int64_t moved = global ? now.load.sector_bytes() : bytes;
  const std::vector<std::string> args{lines_words(group.lines),
                                      k_text(k_at(axis, group)),
                                      bytes_text(double(bytes)),
                                      flop_text(flop),
                                      intensity_text(moved ? flop / double(moved) : 0) + " FLOP/B",
                                      global ? grouped(now.load.sectors) : flying_at(axis, step).here,
                                      bytes_text(double(moved))};
  if (global)
    return msg(
        "{0}: every thread reads its elements of A and B at k = {1} from global memory: {2} that it "
        "needs, in {5} sectors = {6}, for {3}: {4}.",
        args);
  return group.in_flight.count
             ? msg("{0}: the threads take k = {1} from shared memory, {2} for {3}: {4}. Meanwhile the "
                   "copy of k = {5} is in flight.",
                   args)
             : msg("{0}: the threads take k = {1} from shared memory, {2} for {3}: {4}.", args);
}

// By the tensor cores alone.
Message product_sentence(const LoopAxis& axis, int step, const Traffic& now, double flop) {
  const StepGroup& group = axis.groups[std::size_t(step)];
  const auto bytes = double(now.shared_load.lane_bytes);
  const Flying flying = flying_at(axis, step);
  const std::vector<std::string> args{lines_words(group.lines),
                                      k_text(k_at(axis, group)),
                                      bytes_text(bytes),
                                      flop_text(flop),
                                      intensity_text(bytes > 0 ? flop / bytes : 0) + " FLOP/B",
                                      flying.here,
                                      flying.next};
  if (!flying.next.empty())
    return flying.here.empty()
               ? msg("{0}: the tensor cores read k = {1} from shared memory by themselves, {2} for {3}: {4}. "
                     "No thread loads anything. Meanwhile k = {6} of the next tile of C is on its way.",
                     args)
               : msg("{0}: the tensor cores read k = {1} from shared memory by themselves, {2} for {3}: {4}. "
                     "No thread loads anything. Meanwhile k = {5} is on its way, and k = {6} of the next "
                     "tile of C.",
                     args);
  return !flying.here.empty() ? msg("{0}: the tensor cores read k = {1} from shared memory by themselves, "
                                    "{2} for {3}: {4}. No thread "
                                    "loads anything. Meanwhile k = {5} is on its way.",
                                    args)
                              : msg("{0}: the tensor cores read k = {1} from shared memory by themselves, "
                                    "{2} for {3}: {4}. No thread "
                                    "loads anything.",
                                    args);
}

Message store_sentence(const LoopAxis& axis, int step, const std::string& lines, const Traffic& now) {
  const Flying coming = flying_at(axis, step);
  const std::vector<std::string> args{lines, bytes_text(double(now.store.lane_bytes)),
                                      grouped(now.store.sectors), coming.next};
  const auto parts = axis.parts_of(step);
  const bool boxes = std::any_of(parts.begin(), parts.end(), [](const Step& part) {
    return part.instruction.kind == Kind::store_target;
  });
  if (!coming.next.empty())
    return boxes
               ? msg("{0}: every warp puts its sums into boxes in shared memory, and the TMA unit takes them "
                     "to C, {1} in {2} sectors. Meanwhile it brings k = {3} of the next tile.",
                     args)
               : msg("{0}: the groups' threads write their sums from their registers to C, {1} in {2} "
                     "sectors. Meanwhile the TMA unit brings k = {3} of the next tile.",
                     args);
  if (boxes)
    return msg(
        "{0}: every warp puts its sums into boxes in shared memory, and the TMA unit takes them to C, {1} in "
        "{2} sectors. Two boxes take turns: one leaves while the next is filled.",
        args);
  return now.shared_store.lane_bytes
             ? msg("{0}: every warp rearranges its sums in shared memory and writes them to C in whole "
                   "rows, {1} in {2} sectors.",
                   args)
             : msg("{0}: every thread writes its sums from its registers to C, {1} in {2} sectors.", args);
}

}  // namespace

Message GemmScene::sentence(const LabView& view) const {
  const StepGroup* group = this->group(view.step);
  if (!group || !c) return msg("This run has no steps.");
  const Traffic now = traffic_of(steps, view.step);
  switch (group->role) {
    case Role::load:
      return boxed ? boxes_sentence(*this, *group, now, view.step) : load_sentence(steps, *group, now);
    case Role::wait:
      return boxed && (group->trip >= 0 || group->freed >= 0) ? boxed_wait_sentence(*this, *group, view.step)
                                                              : wait_sentence(steps, *group, view.step);
    case Role::multiply:
      if (multiplies_units(view.step))
        return product_sentence(steps, view.step, now, flop_of(*this, *group, view.step));
      return multiply_sentence(steps, view.step, now, flop_of(*this, *group, view.step));
    default:
      return store_sentence(steps, view.step, lines_words(steps.lines(view.step), run().request), now);
  }
}

// --- entry

namespace {

class GemmLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("gemm")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<GemmScene>(std::move(run));
  }
};

}  // namespace

const Lab& gemm_lab() {
  static const GemmLab lab;
  return lab;
}

}  // namespace lockstep
