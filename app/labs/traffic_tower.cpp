#include "traffic_tower.hpp"

#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {

TowerRoom tower_room(Rect r, const Theme& theme) {
  const float pad = 28, gap = 30, type = theme.type;
  const Rect area{r.x + pad, r.y + 16, r.w - 2 * pad, r.h - 28};
  TowerRoom at{area, {}, {}};
  if (area.w >= std::max(620.f, 460 * type)) {
    const float tower_w = std::clamp(area.w * 0.29f, 210.f * std::min(type, 1.25f), 320.f * type);
    constexpr float kHighest = 820;  // px at type size 1: higher boxes would be empty ones
    at.tower = {area.right() - tower_w, area.y, tower_w, std::min(area.h, kHighest * type)};
    at.rest.w = area.w - tower_w - gap;
  } else if (const float table = tower_table_height(theme, 6); area.h > table + 300 * type) {
    at.table = {area.x, area.bottom() - table, area.w, table};
    at.rest.h -= table + 14;
  }
  return at;
}

std::string tower_bytes(std::int64_t count) { return count ? bytes_text(double(count)) : std::string("0"); }

void set_reuse(TowerLevel& level, double flop, std::int64_t bytes) {
  level.figure = "–";
  if (flop > 0 && bytes > 0) level.figure = intensity_text(flop / double(bytes)), level.unit = " FLOP/B";
}

std::vector<LevelBar> traffic_bars(const Traffic& t, bool shared) {
  std::vector<LevelBar> bars{{"HBM", color::hbm, t.load.hbm_bytes() + t.store.hbm_bytes(), true},
                             {"L2", color::l2, t.load.l2_bytes() + t.store.l2_bytes(), true}};
  const std::int64_t of_shared = t.shared_load.lane_bytes + t.shared_store.lane_bytes;
  if (shared) bars.push_back({tr("shared"), color::shared, of_shared + t.copied_bytes + t.sent_bytes, false});
  bars.push_back(
      {tr("registers"), color::registers,
       t.load.lane_bytes - t.copied_bytes + t.store.lane_bytes - t.sent_bytes + of_shared - t.product_bytes,
       false});
  return bars;
}

std::vector<TowerLevel> global_levels(const Traffic& t, double flop, bool boxes) {
  TowerLevel l1{
      "L1", color::l1, {tr("sectors: {0} in, {1} out", {grouped(t.load.sectors), grouped(t.store.sectors)})}};
  if (boxes)
    l1.lines = {tr("TMA passes it by; sectors out: {0}", {grouped(t.sent_bytes ? 0 : t.store.sectors)})};
  set_reuse(l1, boxes ? 0 : flop, t.load.sector_bytes());
  TowerLevel l2{"L2", color::l2, {tr("a model of the L1 says so")}};
  set_reuse(l2, flop, t.load.l2_bytes());
  TowerLevel hbm{"HBM", color::hbm, {tr("a model of the L2 says so")}};
  set_reuse(hbm, flop, t.load.hbm_bytes());
  return {l1, l2, hbm};
}

void add_reuse_hints(std::vector<TowerLevel>& levels, std::size_t first) {
  for (std::size_t i = first; i < levels.size(); ++i)
    levels[i].hint = tr("FLOP so far per byte that {0} has given to the levels above it", {levels[i].name});
}

std::vector<TowerLink> traffic_links(const Traffic& t, const Traffic& now, TowerUse use) {
  constexpr int kMath = 0, kRegisters = 1, kShared = 2, kL1 = 3, kL2 = 4, kHbm = 5;
  const auto squares = [](std::int64_t bytes) { return bytes == 0 ? 0 : bytes < 1024 ? 2 : 4; };
  const std::int64_t direct = t.load.lane_bytes - t.copied_bytes,
                     direct_now = now.load.lane_bytes - now.copied_bytes;
  const bool copies = use.shared && use.copies;
  std::vector<TowerLink> links{{kMath, kRegisters, "", "", false, 0, use.computes ? 4 : 0}};
  if (use.shared)
    links.push_back({kRegisters, kShared,
                     copies && !t.shared_store.lane_bytes ? "" : tower_bytes(t.shared_store.lane_bytes),
                     tower_bytes(t.shared_load.lane_bytes), false, squares(now.shared_store.lane_bytes),
                     squares(now.shared_load.lane_bytes)});
  if (use.units)
    links = {{kMath, kShared, "", tower_bytes(t.shared_load.lane_bytes), false, 0, use.computes ? 4 : 0}};
  if (use.sends)
    links.push_back({kRegisters, kShared, tower_bytes(t.shared_store.lane_bytes), "", false,
                     squares(now.shared_store.lane_bytes), 0});
  if (use.boxes)
    links.push_back({kShared, kL2, use.sends ? tower_bytes(t.sent_bytes) : "", tower_bytes(t.copied_bytes),
                     false, squares(now.sent_bytes), squares(now.copied_bytes)});
  if (use.boxes && !use.sends) {
    links.push_back(
        {kRegisters, kL1, tower_bytes(t.store.lane_bytes), "", false, squares(now.store.lane_bytes), 0});
    links.push_back({kL1, kL2, tower_bytes(t.store.l2_bytes()), "", true, squares(now.store.l2_bytes()), 0});
  } else if (copies && !use.boxes)
    links.push_back({kShared, kL1, "", tower_bytes(t.copied_bytes), false, 0, squares(now.copied_bytes)});
  if (!use.boxes) {
    links.push_back({kRegisters, kL1, tower_bytes(t.store.lane_bytes),
                     copies && !direct ? "" : tower_bytes(direct), false, squares(now.store.lane_bytes),
                     squares(direct_now)});
    links.push_back({kL1, kL2, tower_bytes(t.store.l2_bytes()), tower_bytes(t.load.l2_bytes()), true,
                     squares(now.store.l2_bytes()), squares(now.load.l2_bytes())});
  }
  links.push_back({kL2, kHbm, tower_bytes(t.store.hbm_bytes()), tower_bytes(t.load.hbm_bytes()), true,
                   squares(now.store.hbm_bytes()), squares(now.load.hbm_bytes())});
  return links;
}

}  // namespace lockstep
