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
#include "app/labs/traffic_tower.hpp"
#include "app/model/progress.hpp"
#include "fragments.hpp"
#include "kernels/ladder.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

class GemmLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("gemm")->info; }
  StepAxis steps(const Run& run) const override {
    return group_product(build_steps(run.launches), run.launches);
  }
  int opening_step(const Run& run, const StepAxis& axis) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  Message step_title(const Run& run, const StepAxis& axis, int step) const override;
  Message sentence(const Run& run, const StepAxis& axis, int step) const override;
  Color phase_color(const Run& run, const Phase& phase) const override;
  Message phase_name(const Run& run, const Phase& phase) const override;
  std::vector<NumberRow> numbers(const Run& run) const override;
  std::vector<Message> things_to_try() const override;
};

// --- steps
// ------------------------------------------------------------------------------------------------------

const StepGroup* group_at(const StepAxis& axis, int step) {
  return step >= 0 && step < int(axis.groups.size()) ? &axis.groups[std::size_t(step)] : nullptr;
}

Span k_at(const StepAxis& axis, const StepGroup& group) {
  return group.trip >= 0 ? axis.trips[std::size_t(group.trip)].k : Span{};
}

bool loads_from_global(const StepAxis& axis, const StepGroup& group) {
  return group.trip >= 0 &&
         axis.trips[std::size_t(group.trip)].load_step == axis.trips[std::size_t(group.trip)].multiply_step;
}

// The trip that was multiplied last before a step; nullptr before the first.
const Trip* multiplied_before(const StepAxis& axis, int step) {
  for (int s = step - 1; s >= 0; --s)
    if (const StepGroup& g = axis.groups[std::size_t(s)]; g.role == Role::multiply && g.trip >= 0)
      return &axis.trips[std::size_t(g.trip)];
  return nullptr;
}

// A multiply step past the middle: data in every place.
int GemmLab::opening_step(const Run&, const StepAxis& axis) const {
  const int wanted = int(axis.steps.size()) * 4 / 10;
  for (int s = wanted; s < int(axis.groups.size()); ++s)
    if (axis.groups[std::size_t(s)].role == Role::multiply) return s;
  return std::min(wanted, std::max(0, int(axis.steps.size()) - 1));
}

Message GemmLab::step_title(const Run&, const StepAxis& axis, int index) const {
  const StepGroup* group = group_at(axis, index);
  if (!group) return msg("no step");
  const std::string k = k_text(k_at(axis, *group)), flying = k_text(k_of(axis, group->in_flight));
  switch (group->role) {
    case Role::load:
      return axis.trips[std::size_t(group->trip)].async ? msg("start to copy k = {0}", {k})
                                                        : msg("load k = {0}", {k});
    case Role::wait:
      if (group->trip >= 0) return msg("wait until k = {0} is there", {k});
      if (const Trip* used = multiplied_before(axis, index))
        return msg("wait until all have used k = {0}", {k_text(used->k)});
      return msg("all warps wait at the barrier");
    case Role::multiply:
      return group->in_flight.count ? msg("multiply k = {0}, copying k = {1}", {k, flying})
                                    : msg("multiply k = {0}", {k});
    default:
      return msg("store C");
  }
}

Message load_sentence(const StepAxis& axis, const StepGroup& group, const Traffic& now) {
  const Span k = k_at(axis, group);
  const std::vector<std::string> args{lines_text(group), k_text(k), bytes_text(double(now.load.lane_bytes)),
                                      grouped(now.load.sectors)};
  return axis.trips[std::size_t(group.trip)].async
             ? msg("Line {0}: cp.async starts to copy k = {1} of A and of B into shared memory, past the "
                   "registers: {2} in {3} sectors. Nobody waits for it yet.",
                   args)
             : msg("Line {0}: the block's threads fetch k = {1} of A and of B, {2} in {3} sectors, and put "
                   "them from their registers into shared memory.",
                   args);
}

Message wait_sentence(const StepAxis& axis, const StepGroup& group, int index) {
  const std::string line = lines_text(group), k = k_text(k_at(axis, group)),
                    flying = k_text(k_of(axis, group.in_flight));
  if (group.trip >= 0)
    return group.in_flight.count
               ? msg("Line {0}: no warp goes on before k = {1} has arrived in shared memory for all of them; "
                     "the "
                     "copy of k = {2} stays in flight.",
                     {line, k, flying})
               : msg("Line {0}: no warp goes on before k = {1} has arrived in shared memory for all of them.",
                     {line, k});
  const Trip* used = multiplied_before(axis, index);
  return used ? msg("Line {0}: no warp goes on before all have used k = {1}: only then may its place be "
                    "filled "
                    "again.",
                    {line, k_text(used->k)})
              : msg("Line {0}: no warp goes on before all warps of the block have arrived.", {line});
}

// The products of one step: of every sum of the block as many as there are k.
double flop_of(const StepAxis& axis, const StepGroup& group, const ViewInfo& c) {
  const Region block = region_touched(axis, 0, c);
  return 2.0 * double(block.rows) * double(block.cols) * double(k_at(axis, group).count);
}

Message multiply_sentence(const StepAxis& axis, const StepGroup& group, const Traffic& now, double flop) {
  const bool global = loads_from_global(axis, group);
  const std::int64_t bytes = global ? now.load.lane_bytes : now.shared_load.lane_bytes;
  const std::int64_t moved = global ? now.load.sector_bytes() : bytes;
  const std::vector<std::string> args{
      lines_text(group),
      k_text(k_at(axis, group)),
      bytes_text(double(bytes)),
      flop_text(flop),
      intensity_text(moved ? flop / double(moved) : 0) + " FLOP/B",
      global ? grouped(now.load.sectors) : k_text(k_of(axis, group.in_flight)),
      bytes_text(double(moved))};
  if (global)
    return msg(
        "Line {0}: every thread reads its elements of A and B at k = {1} from global memory: {2} of use in "
        "{5} sectors = {6}, for {3}: {4}.",
        args);
  return group.in_flight.count
             ? msg("Line {0}: the threads take k = {1} from shared memory, {2} for {3}: {4}. Meanwhile the "
                   "copy "
                   "of k = {5} is in flight.",
                   args)
             : msg("Line {0}: the threads take k = {1} from shared memory, {2} for {3}: {4}.", args);
}

Message store_sentence(const StepGroup& group, const Traffic& now) {
  const std::vector<std::string> args{lines_text(group), bytes_text(double(now.store.lane_bytes)),
                                      grouped(now.store.sectors)};
  return now.shared_store.lane_bytes
             ? msg("Line {0}: every warp turns its sums round in shared memory and writes them to C in whole "
                   "rows, {1} in {2} sectors.",
                   args)
             : msg("Line {0}: every thread writes its sums from its registers to C, {1} in {2} sectors.",
                   args);
}

Message GemmLab::sentence(const Run& run, const StepAxis& axis, int index) const {
  const StepGroup* group = group_at(axis, index);
  const ViewInfo* c = run.launches.empty() ? nullptr : run.launches.front().view(2);
  if (!group || !c) return msg("This run has no steps.");
  const Traffic now = traffic_of(axis, index);
  switch (group->role) {
    case Role::load:
      return load_sentence(axis, *group, now);
    case Role::wait:
      return wait_sentence(axis, *group, index);
    case Role::multiply:
      return multiply_sentence(axis, *group, now, flop_of(axis, *group, *c));
    default:
      return store_sentence(*group, now);
  }
}

Color GemmLab::phase_color(const Run&, const Phase& phase) const {
  switch (phase.role) {
    case Role::load:
      return color::hbm;
    case Role::wait:
      return color::barrier;
    case Role::multiply:
      return phase.view >= kFirstSharedView ? color::shared : color::hbm;
    default:
      return color::registers;
  }
}

Message GemmLab::phase_name(const Run&, const Phase& phase) const {
  switch (phase.role) {
    case Role::load:
      return msg("load a tile of A and of B, line {0}", {n(phase.line)});
    case Role::wait:
      return msg("barrier, line {0}", {n(phase.line)});
    case Role::multiply:
      return phase.view >= kFirstSharedView ? msg("multiply from shared memory, line {0}", {n(phase.line)})
                                            : msg("multiply from global memory, line {0}", {n(phase.line)});
    default:
      return msg("store C, line {0}", {n(phase.line)});
  }
}

// --- stage
// ------------------------------------------------------------------------------------------------------

struct StageRects {
  Rect product, fragments, tower, table;
};

StageRects stage_rects(Rect r, const Theme& theme, bool fragments) {
  const float type = theme.type;
  const TowerRoom room = tower_room(r, theme);
  StageRects at{room.rest, {}, room.tower, room.table};
  if (fragments && at.product.h > 420 * type) {
    const float h = at.product.h * 0.38f;
    at.fragments = {at.product.x, at.product.bottom() - h, at.product.w, h};
    at.product.h -= h + 14;
  }
  return at;
}

void answer(Canvas& canvas, const GemmScene& scene, const ProductHit& hit, StageEvents& events) {
  const ViewInfo* const views[] = {&scene.a, &scene.b, &scene.c};
  const std::int64_t cols = std::int64_t(scene.c.shape[1]);
  if (hit.matrix == 0 || hit.matrix == 1)
    tell(canvas, scene.in, *views[hit.matrix], hit.element, hit.clicked, events);
  auto shown = scene.element;
  if (hit.matrix == 2) shown = {std::int64_t(hit.element) / cols, std::int64_t(hit.element) % cols};
  if (!shown) return;
  const Card card = element_card(scene, shown->first, shown->second);
  const bool drawn = draw_card(canvas, scene.in.theme, hit.corner, card) ||
                     draw_card(canvas, scene.in.theme, hit.below, card);
  if (hit.matrix != 2) return;
  if (!drawn) canvas.tooltip(story_of(scene.in, scene.c, hit.element).text);
  if (!hit.clicked) return;
  events.pin = {scene.c.id, hit.element};
  const Story story = story_of(scene.in, scene.c, hit.element);
  if (story.block && *story.block != scene.launch.trace.block) events.follow_block = story.block;
}

void GemmLab::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const auto scene = gemm_scene(in);
  if (!scene) return;
  const StageRects at = stage_rects(in.area, in.theme, scene->tensor_cores);
  const auto legend = product_legend(*scene);
  Rect product = at.product;
  const float legend_h = legend_height(canvas, in.theme, product.w, legend);
  product.h -= legend_h + 8;
  const ProductPicture picture = product_picture(*scene, product_room(in.theme, product));
  answer(canvas, *scene, draw_product(canvas, in.theme, product, picture), events);
  draw_legend(canvas, in.theme, {product.x, product.bottom() + 8, product.w, legend_h}, legend);
  if (at.fragments.w > 0) draw_fragments(canvas, in, at.fragments, events);
  const std::string title =
      tr("Bytes so far, block {0}", {block_text(scene->launch, scene->launch.trace.block)});
  if (at.tower.w > 0)
    draw_tower(canvas, in.theme, at.tower, title, gemm_levels(*scene), gemm_links(*scene), in.motion);
  if (at.table.w > 0)
    draw_tower_table(canvas, in.theme, at.table, title, gemm_levels(*scene), gemm_links(*scene));
}

// --- numbers
// ------------------------------------------------------------------------------------------------------

void add_counts(const Run& run, std::vector<NumberRow>& rows) {
  if (!run.counts) return;
  const auto count = [&](Message label, std::int64_t value, const char* path) {
    rows.push_back({std::move(label), grouped(value), path});
  };
  const Counts& c = *run.counts;
  count(msg("sectors, load"), c.global_load_sectors, "counts.global_load_sectors");
  if (c.shared_load_wavefronts == 0 && c.shared_async_wavefronts == 0) return;
  count(msg("wavefronts, load"), c.shared_load_wavefronts, "counts.shared_load_wavefronts");
  if (const auto merged = whole_metric(run, "compiled.shared_load_wavefronts"))
    count(msg("the same, as compiled"), *merged, "metrics.compiled.shared_load_wavefronts");
  count(msg("wavefronts, async"), c.shared_async_wavefronts, "counts.shared_async_wavefronts");
  if (const auto profiled = whole_metric(run, "compiled.shared_async_wavefronts"))
    count(msg("the same, by the profiler"), *profiled, "metrics.compiled.shared_async_wavefronts");
  count(msg("conflicts"), c.shared_load_conflicts + c.shared_store_conflicts, "counts.shared_load_conflicts");
}

std::vector<NumberRow> GemmLab::numbers(const Run& run) const {
  std::vector<NumberRow> rows;
  add_counts(run, rows);
  if (const auto l2 = whole_metric(run, "models.l2_load_bytes"))
    rows.push_back({msg("bytes from L2"), bytes_text(double(*l2)), "metrics.models.l2_load_bytes"});
  if (const auto hbm = whole_metric(run, "models.hbm_load_bytes"))
    rows.push_back({msg("bytes from HBM"), bytes_text(double(*hbm)), "metrics.models.hbm_load_bytes"});
  constexpr double kLeastFlops = 1e9;  // below it the launch is most of the time
  const bool share = find_ladder("gemm")->flops(run.request.params, run.request.rung) >= kLeastFlops;
  add_time_rows(run, Work::flop, share, rows);
  return rows;
}

std::vector<Message> GemmLab::things_to_try() const {
  return {msg("Go from naive to coalesced: at which level do the FLOP per byte change, and where not?"),
          msg("Predict first: tiles of 32 instead of 16. How many bytes does the block fetch then?"),
          msg("Find the step of async in which one buffer is filled while the other is used."),
          msg("Compare reg1d with reg2d: what does a square per thread save, and at which level?"),
          msg("Set m to 33: which sums does the last block still make?")};
}

}  // namespace

const Lab& gemm_lab() {
  static const GemmLab lab;
  return lab;
}

}  // namespace lockstep
