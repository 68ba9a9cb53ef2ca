#include "traffic_river.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {
namespace {

// "hit 75 %": of the sectors that were asked of this level those that it had. HBM gives two sectors at once:
// more may come than were asked for.
std::string hits(std::int64_t asked, std::int64_t passed_on) {
  if (asked <= 0) return "";
  return tr("hit {0} %",
            {number_text(std::max(0L, std::lround(100 * (1 - double(passed_on) / double(asked)))))});
}

// Whether HBM gives more than the lanes ask for.
std::string reads_note(const Traffic& t) {
  const double per_byte = double(t.load.hbm_bytes()) / double(std::max<std::int64_t>(1, t.load.lane_bytes));
  if (per_byte <= 0) return "";
  if (per_byte <= 1) return tr("each byte read once");
  char figure[32];
  std::snprintf(figure, sizeof figure, "%.3g", per_byte);
  return tr("{0} B read per byte used", {figure});
}

}  // namespace

River traffic_river(const Traffic& t, const Traffic& now, const RiverUse& use, const std::string& block) {
  River river;
  river.title = tr("Where the bytes went");
  river.about = tr("block {0} so far; a band's thickness is the logarithm of its bytes", {block});
  const bool l1_hits = t.load.l2_sectors < t.load.sectors;
  river.places = {{"HBM", color::hbm, reads_note(t)},
                  {"L2", color::l2, hits(t.load.l2_sectors, t.load.hbm_sectors)},
                  {"L1", color::l1,
                   use.boxes ? tr("TMA passes it by")
                   : l1_hits ? hits(t.load.sectors, t.load.l2_sectors)
                             : tr("lines of 128 B")}};
  if (use.shared) river.places.push_back({tr("shared"), color::shared, use.shared_note});
  river.places.push_back({tr("registers"), color::registers, use.registers_note});
  const int registers = int(river.places.size()) - 1, l1 = 2, shared = 3;
  river.bands = {{0, 1, t.load.hbm_bytes(), t.store.hbm_bytes(), now.load.hbm_bytes(), now.store.hbm_bytes(),
                  RiverFigure::modelled, color::hbm, ""},
                 {1, 2, t.load.l2_bytes(), t.store.l2_bytes(), now.load.l2_bytes(), now.store.l2_bytes(),
                  RiverFigure::modelled, color::l2, ""}};
  const std::int64_t direct = t.load.lane_bytes - t.copied_bytes,
                     direct_now = now.load.lane_bytes - now.copied_bytes;
  if (use.shared) {
    if (t.copied_bytes || now.copied_bytes)
      river.bands.push_back(
          {l1, shared, t.copied_bytes, 0, now.copied_bytes, 0, RiverFigure::counted, color::l1, ""});
    river.bands.push_back({shared, registers, t.shared_load.lane_bytes, t.shared_store.lane_bytes,
                           now.shared_load.lane_bytes, now.shared_store.lane_bytes, RiverFigure::counted,
                           color::shared, ""});
  }
  river.bands.push_back({l1, registers, direct, t.store.lane_bytes, direct_now, now.store.lane_bytes,
                         RiverFigure::counted, color::l1, ""});
  return river;
}

}  // namespace lockstep
