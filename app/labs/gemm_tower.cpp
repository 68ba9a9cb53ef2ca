// The gemm lab's tower: bytes between the levels so far, FLOP per byte at each, the buffers in shared memory.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/progress.hpp"
#include "gemm_picture.hpp"

namespace lockstep {
namespace {

std::string bytes(std::int64_t count) { return count ? bytes_text(double(count)) : std::string("0"); }

// 2 FLOP per product: of the block's sums, what the trips multiplied so far give each.
double flop_until(const GemmScene& scene) {
  return 2.0 * double(scene.rows.count) * double(scene.cols.count) *
         double(k_done(scene.in.axis, scene.in.step));
}

// FLOP per byte that a level has given upwards.
void set_reuse(TowerLevel& level, double flop, std::int64_t bytes) {
  level.figure = "–";
  if (flop > 0 && bytes > 0) level.figure = intensity_text(flop / double(bytes)), level.unit = " FLOP/B";
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

std::string sectors_text(const GlobalTraffic& load, const GlobalTraffic& store) {
  return tr("sectors: {0} in, {1} out", {grouped(load.sectors), grouped(store.sectors)});
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
  TowerLevel l1{"L1", color::l1, {sectors_text(t.load, t.store)}};
  set_reuse(l1, flop, t.load.sector_bytes());
  TowerLevel l2{"L2", color::l2, {tr("a model of the L1 says so")}};
  set_reuse(l2, flop, t.load.l2_bytes());
  TowerLevel hbm{"HBM", color::hbm, {tr("a model of the L2 says so")}};
  set_reuse(hbm, flop, t.load.hbm_bytes());
  std::vector<TowerLevel> levels{math, registers, shared_level(scene, flop, t), l1, l2, hbm};
  levels.front().hint = tr("2 FLOP per product, as the algorithm counts them; at the edge only what C holds");
  for (std::size_t i = 2; i < levels.size(); ++i)
    levels[i].hint = tr("FLOP so far per byte that {0} has given to the levels above it", {levels[i].name});
  return levels;
}

std::vector<TowerLink> gemm_links(const GemmScene& scene) {
  constexpr int kMath = 0, kRegisters = 1, kShared = 2, kL1 = 3, kL2 = 4, kHbm = 5;
  const Traffic t = traffic_until(scene.in.axis, scene.in.step),
                now = traffic_of(scene.in.axis, scene.in.step);
  const auto squares = [](std::int64_t bytes) { return bytes == 0 ? 0 : bytes < 1024 ? 2 : 4; };
  const std::int64_t direct = t.load.lane_bytes - t.copied_bytes,
                     direct_now = now.load.lane_bytes - now.copied_bytes;
  const bool multiplies = scene.group().role == Role::multiply;
  std::vector<TowerLink> links{{kMath, kRegisters, "", "", false, 0, multiplies ? 4 : 0}};
  const bool shared = !scene.straight(), copies = shared && scene.in.axis.trips.front().async;
  if (shared)
    links.push_back({kRegisters, kShared, copies ? "" : bytes(t.shared_store.lane_bytes),
                     bytes(t.shared_load.lane_bytes), false, squares(now.shared_store.lane_bytes),
                     squares(now.shared_load.lane_bytes)});
  if (copies) links.push_back({kShared, kL1, "", bytes(t.copied_bytes), false, 0, squares(now.copied_bytes)});
  links.push_back({kRegisters, kL1, bytes(t.store.lane_bytes), copies ? "" : bytes(direct), false,
                   squares(now.store.lane_bytes), squares(direct_now)});
  links.push_back({kL1, kL2, bytes(t.store.l2_bytes()), bytes(t.load.l2_bytes()), true,
                   squares(now.store.l2_bytes()), squares(now.load.l2_bytes())});
  links.push_back({kL2, kHbm, bytes(t.store.hbm_bytes()), bytes(t.load.hbm_bytes()), true,
                   squares(now.store.hbm_bytes()), squares(now.load.hbm_bytes())});
  return links;
}

}  // namespace lockstep
