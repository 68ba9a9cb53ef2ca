// The gemm lab's tower: bytes between the levels so far, FLOP per byte at each, the buffers in shared memory.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/traffic_tower.hpp"
#include "app/model/progress.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

// 2 FLOP per product: of the block's sums, what the trips multiplied so far give each.
double flop_until(const GemmScene& scene) {
  return 2.0 * double(scene.rows.count) * double(scene.cols.count) *
         double(k_done(scene.in.axis, scene.in.step));
}

// A buffer of `whole` columns of k, drawn as `cells` cells.
TowerPart part_of(const GemmScene& scene, const TileBuffer& buffer, std::int64_t whole, int cells) {
  const Trip* trip = scene.trip(buffer.trip);
  if (!trip) return {cells, 0, color::shared, tr("empty"), false};
  const int filled = int(std::min<std::int64_t>(cells, (trip->k.count * cells + whole - 1) / whole));
  const std::string k = k_text(trip->k);
  switch (state_of(scene.in.axis, *trip, scene.in.step)) {
    case TripState::loading:
      return {cells, filled, color::hbm, tr("k = {0} filling", {k}), true};
    case TripState::in_use:
      return {cells, filled, color::shared, tr("k = {0} in use", {k}), true};
    case TripState::resident:
      return {cells, filled, color::shared, tr("k = {0} ready", {k}), false};
    default:
      return {cells, filled, color::hbm, tr("k = {0} used", {k}), false};  // as in the strips of A and B
  }
}

TowerLevel shared_level(const GemmScene& scene, double flop, const Traffic& t) {
  TowerLevel level{tr("shared"), color::shared, {}};
  const auto buffers = buffers_at(scene.in.axis, scene.in.step);
  if (buffers.empty()) {
    level.lines = {tr("not used by this rung")};
    return level;
  }
  set_reuse(level, flop, t.shared_load.lane_bytes);
  // A row for each buffer, also where the tower is low.
  const bool low = scene.in.area.h < 440 * scene.in.theme.type;
  level.weight = (low ? 2.2f : 1.3f) + (low ? 0.45f : 0.3f) * float(std::min<std::size_t>(buffers.size(), 4));
  std::int64_t whole = 1;
  for (const Trip& trip : scene.in.axis.trips) whole = std::max(whole, trip.k.count);
  const auto& params = scene.in.run.request.params;
  if (const auto bk = params.find("bk"); bk != params.end())
    if (const auto* columns = std::get_if<std::int64_t>(&bk->second)) whole = std::max(whole, *columns);
  for (const TileBuffer& buffer : buffers)
    level.parts.push_back(part_of(scene, buffer, whole, int(std::min<std::int64_t>(whole, 16))));
  return level;
}

}  // namespace

std::vector<TowerLevel> gemm_levels(const GemmScene& scene) {
  const Traffic t = traffic_until(scene.in.axis, scene.in.step);
  const double flop = flop_until(scene);
  TowerLevel math{
      scene.tensor_cores ? tr("tensor") : tr("FMA"), color::tensor, {tr("by the algorithm: 2 m n k")}};
  const std::string counted = flop_text(flop);  // "65.5 kFLOP"
  math.figure = counted;
  TowerLevel registers{
      tr("registers"),
      color::registers,
      {tr("sums stored by a thread: {0}", {grouped(scene.owners.elements_of_thread(scene.thread))})}};
  std::vector<TowerLevel> levels{math, registers, shared_level(scene, flop, t)};
  for (TowerLevel& level : global_levels(t, flop)) levels.push_back(std::move(level));
  levels.front().hint = tr("2 FLOP per product, as the algorithm counts them; at the edge only what C holds");
  add_reuse_hints(levels, 2);
  return levels;
}

std::vector<TowerLink> gemm_links(const GemmScene& scene) {
  const bool shared = !scene.straight(), copies = shared && scene.in.axis.trips.front().async;
  return traffic_links(traffic_until(scene.in.axis, scene.in.step), traffic_of(scene.in.axis, scene.in.step),
                       {shared, copies, scene.group().role == Role::multiply});
}

}  // namespace lockstep
