#include "scene.hpp"

#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/model/boxed_loop.hpp"
#include "app/model/units.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

bool is_matrix(const ViewInfo* view) {
  return view && view->shape.size() == 2 && view->shape[0] > 0 && view->shape[1] > 0;
}

}  // namespace

std::string k_text(Span k) {
  return k.count == 1 ? number_text(k.first) : number_text(k.first) + ".." + number_text(k.last());
}

Flying flying_at(const LoopAxis& axis, int step) {
  const Span trips = axis.groups[std::size_t(step)].in_flight;
  const int tile = axis.tile_of_c(step);
  Span here, next;  // of k
  for (std::int64_t t = trips.first; t <= trips.last() && t < std::int64_t(axis.trips.size()); ++t) {
    const Trip& trip = axis.trips[std::size_t(t)];
    Span& all = trip.tile_of_c == tile ? here : next;
    if (all.count == 0) all.first = trip.k.first;
    all.count = trip.k.last() - all.first + 1;
  }
  return {here.count ? k_text(here) : "", next.count ? k_text(next) : ""};
}

bool is_ldmatrix(const Step& part) {
  const WarpInstruction& i = part.instruction;
  return !part.barrier && i.kind == Kind::load && i.view >= kFirstSharedView && i.width == 16 &&
         i.lanes == ~0u;
}

GemmScene::GemmScene(std::shared_ptr<const Run> shared_run)
    : LabScene(std::move(shared_run)), steps(run().launches), progress(steps) {
  if (run().launches.empty()) return;
  launch = &run().launches.front();
  const ViewInfo *in_a = launch->view(0), *in_b = launch->view(1), *out = launch->view(2);
  if (!is_matrix(in_a) || !is_matrix(in_b) || !is_matrix(out)) return;
  const bool by_columns = stands_by_columns(*in_b);
  const std::uint64_t rows_of_b = in_b->shape[by_columns ? 1 : 0],
                      cols_of_b = in_b->shape[by_columns ? 0 : 1];
  if (in_a->shape[0] != out->shape[0] || in_a->shape[1] != rows_of_b || cols_of_b != out->shape[1]) return;
  columns_of_b = by_columns;
  a = in_a, b = in_b, c = out;
  for (int t = 0; t < steps.tiles_of_c(); ++t) {
    BlockTile& tile = tiles.emplace_back();
    tile.owners = owners_of(steps, progress, *c, t);
    const Region& region = tile.owners.region;
    tile.rows = {region.row, region.rows}, tile.cols = {region.col, region.cols};
    tile.sums = PartialSums(run(), steps, *a, *b, tile.rows, tile.cols, t);
  }
  tensor_cores = a->element_bytes < sizeof(float);
  boxed = has_boxes(*launch);
  const auto& events = launch->trace.events;
  multicast = std::any_of(events.begin(), events.end(), [](const Access& e) {
    return e.kind == Kind::box_target && receivers(e.mask) > 1;
  });
  sends = std::any_of(events.begin(), events.end(), [](const Access& e) { return is_box_store(e.kind); });
  for (const Step& part : steps.parts) units |= is_product(part.instruction.kind);
  for (int s = 0; tensor_cores && s < steps.count(); ++s)
    if (const auto parts = steps.parts_of(s); steps.groups[std::size_t(s)].role == Role::multiply)
      loads_matrices |= std::any_of(parts.begin(), parts.end(), is_ldmatrix);
}

const BlockTile& GemmScene::tile(int step) const { return tiles[std::size_t(steps.tile_of_c(step))]; }

const BlockTile& GemmScene::tile_of(const StepGroup& group, int step) const {
  const Trip* of = trip(group.trip);
  return of ? tiles[std::size_t(of->tile_of_c)] : tile(step);
}

bool GemmScene::for_next_tile(const StepGroup& group, int step) const {
  const Trip* of = trip(group.trip);
  return of && of->tile_of_c != steps.tile_of_c(step);
}

double GemmScene::flop_until(int step) const {
  double flop = 0;
  for (int t = 0; t <= steps.tile_of_c(step); ++t) {
    const BlockTile& tile = tiles[std::size_t(t)];
    const std::int64_t k = t < steps.tile_of_c(step) ? std::int64_t(a->shape[1]) : k_done(steps, step);
    flop += 2.0 * double(tile.rows.count) * double(tile.cols.count) * double(k);
  }
  return flop;
}

std::string GemmScene::trip_text(const Trip& trip, int step) const {
  const std::string k = k_text(trip.k);
  const int tile = steps.tile_of_c(step);
  if (trip.tile_of_c == tile) return k;
  return trip.tile_of_c > tile ? tr("next: {0}", {k}) : tr("before: {0}", {k});
}

std::uint64_t GemmScene::element_of_b(std::int64_t p, std::int64_t n) const {
  const auto cols = std::int64_t(b->shape[1]);
  return std::uint64_t(columns_of_b ? n * cols + p : p * cols + n);
}

bool GemmScene::straight() const {
  return steps.trips.empty() || steps.trips.front().load_step == steps.trips.front().multiply_step;
}

namespace {

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

}  // namespace

std::vector<NumberRow> GemmScene::numbers() const {
  const Run& run = this->run();
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

}  // namespace lockstep
