// The gemm lab's tower: bytes between the levels so far, FLOP per byte at each, the buffers in shared memory.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/traffic_tower.hpp"
#include "app/model/progress.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

// A buffer of `whole` columns of k, drawn as `cells` cells.
TowerPart tower_part(const GemmPicture& shown, const TileBuffer& buffer, std::int64_t whole, int cells) {
  const Trip* trip = shown.scene.trip(buffer.trip);
  if (!trip) return {cells, 0, color::shared, tr("empty"), false, tr("empty")};
  const int filled = int(std::min<std::int64_t>(cells, (trip->k.count * cells + whole - 1) / whole));
  const std::string k = shown.scene.trip_text(*trip, shown.step());
  switch (state_of(shown.scene.steps, *trip, shown.step())) {
    case TripState::loading:
      return {cells, filled, color::hbm, tr("k = {0} filling", {k}), true, tr("filling")};
    case TripState::in_use:
      return {cells, filled, color::shared, tr("k = {0} in use", {k}), true, tr("in use")};
    case TripState::resident:
      return {cells, filled, color::shared, tr("k = {0} ready", {k}), false, tr("ready")};
    default:
      return {cells, filled,    color::hbm, tr("k = {0} used", {k}),
              false, tr("used")};  // as in the strips of A and B
  }
}

TowerLevel shared_level(const GemmPicture& shown, double flop, const Traffic& t) {
  TowerLevel level{tr("shared"), color::shared, {}};
  const auto buffers = buffers_at(shown.scene.steps, shown.step());
  if (buffers.empty()) {
    level.lines = {tr("not used by this rung")};
    return level;
  }
  set_reuse(level, flop, t.shared_load.lane_bytes);
  // A row for each buffer, also where the tower is low.
  const bool low = shown.in.area.h < 440 * shown.in.theme.type;
  level.weight = (low ? 2.2f : 1.3f) + (low ? 0.45f : 0.3f) * float(std::min<std::size_t>(buffers.size(), 4));
  std::int64_t whole = 1;
  for (const Trip& trip : shown.scene.steps.trips) whole = std::max(whole, trip.k.count);
  const auto& params = shown.scene.run().request.params;
  if (const auto bk = params.find("bk"); bk != params.end())
    if (const auto* columns = std::get_if<std::int64_t>(&bk->second)) whole = std::max(whole, *columns);
  for (const TileBuffer& buffer : buffers)
    level.parts.push_back(tower_part(shown, buffer, whole, int(std::min<std::int64_t>(whole, 16))));
  return level;
}

}  // namespace

std::vector<TowerLevel> gemm_levels(const GemmPicture& shown) {
  const Traffic t = shown.scene.progress.traffic_until(shown.step());
  const double flop = shown.scene.flop_until(shown.step());
  TowerLevel math{
      shown.scene.tensor_cores ? tr("tensor") : tr("FMA"), color::tensor, {tr("by the algorithm: 2 m n k")}};
  const std::string counted = flop_text(flop);  // "65.5 kFLOP"
  math.figure = counted;
  TowerLevel registers{
      tr("registers"),
      color::registers,
      {tr("sums stored by a thread: {0}", {grouped(shown.tile().owners.elements_of_thread(shown.thread))})}};
  std::vector<TowerLevel> levels{math, registers, shared_level(shown, flop, t)};
  for (TowerLevel& level : global_levels(t, flop, shown.scene.boxed)) levels.push_back(std::move(level));
  levels.front().hint = tr("2 FLOP per product, as the algorithm counts them; at the edge only what C holds");
  add_reuse_hints(levels, 2);
  return levels;
}

std::vector<TowerLink> gemm_links(const GemmPicture& shown) {
  const bool shared = !shown.scene.straight(), copies = shared && shown.scene.steps.trips.front().async;
  return traffic_links(shown.scene.progress.traffic_until(shown.step()),
                       traffic_of(shown.scene.steps, shown.step()),
                       {shared, copies, shown.scene.boxed, shown.scene.units, shown.scene.sends,
                        shown.group().role == Role::multiply});
}

}  // namespace lockstep
