// What limits my blocks per SM?
// An SM is filled block by block, until one of four things runs out: warp slots, block slots, registers or
// shared memory. Move a slider and find the limiter; move it on until another one takes over. Then look at
// the recorded curves: a copy needs its warps, a product does not, and one that spills loses with all of
// them.
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

std::string names_of(const std::vector<SmResource>& resources) {
  std::string text;
  for (SmResource resource : resources) text += (text.empty() ? "" : ", ") + name_of(resource);
  return text;
}

}  // namespace

// --- steps: one per block that is placed, and the one that is refused (scene.cpp)

Message OccupancyScene::step_title(const LabView& view) const {
  const auto filled = sm_at(view.step);
  if (!filled) return msg("no step");
  if (filled->refused) return msg("no further block: {0}", {names_of(limiters_of(filled->resident))});
  return msg("block {0} of {1}", {grouped(filled->placed), grouped(filled->resident.blocks)});
}

Color OccupancyScene::phase_color(const Phase& phase) const {
  return sm && is_refusal(phase) ? color_of(limiters_of(sm->resident).front()) : color::l2;
}

Message OccupancyScene::phase_name(const Phase& phase) const {
  return is_refusal(phase) ? msg("no further block fits") : msg("blocks are placed");
}

Message OccupancyScene::phase_place(const Phase& phase) const {
  return msg("steps {0} to {1}: one block after the other; the order is the model's, not time",
             {grouped(phase.first + 1), grouped(phase.first + phase.count)});
}

// --- sentence

Message OccupancyScene::sentence(const LabView& view) const {
  const auto filled = sm_at(view.step);
  if (!filled) return msg("This run has no steps.");
  const FilledSm& s = *filled;
  if (!s.refused)
    return msg(
        "Block {0} moves in with {1} warps, {2} registers for each of them, and {3} bytes of shared memory. "
        "Now {4} of {5} warps are resident.",
        {grouped(s.placed), grouped(warps_of(s.needs)),
         grouped(allocated_registers(s.gpu, s.needs.registers)),
         grouped(allocated_shared_bytes(s.gpu, s.needs.shared_bytes)),
         grouped(std::int64_t{s.placed} * warps_of(s.needs)), grouped(s.gpu.max_warps_per_sm)});
  const auto limiters = limiters_of(s.resident);
  if (s.resident.blocks == 0)
    return msg("Not even one block fits, so a launch would fail ({0}: {1}).",
               {name_of(limiters.front()), limit_text(s, limiters.front())});
  if (limiters.size() > 1)
    return msg("There is no room for block {0}: {1} run out together. {2} of {3} warps are resident, {4}.",
               {grouped(s.placed + 1), names_of(limiters), grouped(s.resident.warps),
                grouped(s.gpu.max_warps_per_sm), percent_text(s.resident.fraction)});
  return msg("There is no room for block {0} ({1}: {2}). {3} of {4} warps are resident, {5}.",
             {grouped(s.placed + 1), name_of(limiters.front()), room_text(s, limiters.front()),
              grouped(s.resident.warps), grouped(s.gpu.max_warps_per_sm), percent_text(s.resident.fraction)});
}

// --- headline: resident warps, how many blocks fit and why no more, what would make room for one more

namespace {

HeadFigure figure_of(const RoomForMore& room) {
  const std::string value = grouped(room.value), warps = grouped(room.warps);
  if (room.resource == SmResource::registers)
    return {value, tr("registers"), tr("per thread: then {0} warps", {warps}), "", false};
  if (room.resource == SmResource::shared)
    return {value, tr("bytes"), tr("of shared memory: then {0} warps", {warps}), "", false};
  return {value, tr("threads"), tr("per block: then {0} warps", {warps}), "", false};
}

}  // namespace

std::vector<HeadFigure> OccupancyScene::headline(const LabView& view) const {
  const auto filled = sm_at(view.step);
  if (!filled) return {};
  const FilledSm& s = *filled;
  const int each = warps_of_block(s), warps = s.placed * each;
  const auto limiters = limiters_of(s.resident);
  std::vector<HeadFigure> figures;
  figures.push_back({tr("{0} of {1}", {grouped(warps), grouped(s.gpu.max_warps_per_sm)}), tr("warps"),
                     tr("{0} × {1} warps: {2}", {grouped(s.placed), grouped(each),
                                                 percent_text(double(warps) / s.gpu.max_warps_per_sm)}),
                     std::string(provenance_of(run(), "occupancy.fraction")), s.resident.blocks == 0});
  figures.push_back({grouped(s.resident.blocks), s.resident.blocks == 1 ? tr("block fits") : tr("blocks fit"),
                     limiters.size() == 1 ? tr("limit: {0}", {names_of(limiters)})
                                          : tr("limits: {0}", {names_of(limiters)}),
                     "", s.resident.blocks == 0});
  if (const auto room = room_for_more(s)) figures.push_back(figure_of(*room));
  return figures;
}

// --- numbers

namespace {

std::string rate_of(double value, bool flops) {
  return flops ? flop_rate_text(value * 1e12) : rate_text(value * 1e9);
}

}  // namespace

std::vector<NumberRow> OccupancyScene::numbers() const {
  std::vector<NumberRow> rows;
  if (!sm) return rows;
  const ResidentBlocks& r = sm->resident;
  rows.push_back({msg("occupancy"), percent_text(r.fraction), "occupancy.fraction"});
  rows.push_back({msg("blocks per SM"), grouped(r.blocks), "occupancy.blocks_per_sm"});
  rows.push_back({msg("warps per SM"), grouped(r.warps), "occupancy.warps_per_sm"});
  rows.push_back({msg("limiter"), names_of(limiters_of(r)), "occupancy.limiter"});
  if (whole_metric(run(), "loaded.threads"))
    rows.push_back({msg("loaded: threads, registers, bytes"),
                    grouped(sm->needs.threads) + ", " + grouped(sm->needs.registers) + ", " +
                        grouped(sm->needs.shared_bytes),
                    "metrics.loaded"});
  if (const auto blocks = whole_metric(run(), "driver.blocks_per_sm"))
    rows.push_back({msg("blocks, by the driver"), grouped(*blocks), "metrics.driver.blocks_per_sm"});
  if (const auto registers = whole_metric(run(), "driver.registers"))
    rows.push_back({msg("the kernel's registers"), grouped(*registers), "metrics.driver.registers"});
  if (const auto ms = real_metric(run(), "measured.ms"))
    rows.push_back({msg("time"), time_text(*ms), "metrics.measured.ms"});
  if (const auto rate = real_metric(run(), "measured.gigabytes_per_s"))
    rows.push_back({msg("throughput"), rate_of(*rate, false), "metrics.measured.gigabytes_per_s"});
  if (const auto rate = real_metric(run(), "measured.teraflops"))
    rows.push_back({msg("throughput"), rate_of(*rate, true), "metrics.measured.teraflops"});
  return rows;
}

// --- entry

namespace {

class OccupancyLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("occupancy")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<OccupancyScene>(std::move(run));
  }
  // Products and copies are two problems: one bar for both would compare nothing.
  Message why_no_bar(std::string_view rung, std::span<const Run> timed) const override {
    const Ladder& ladder = *find_ladder("occupancy");
    if (ladder.flops({}, rung) <= 0) return {};
    const auto own = complete_params(info(), rung, ladder.bench_params(rung));
    for (const Run& run : timed)
      if (const auto rate = real_metric(run, "measured.teraflops");
          rate && own && run.request.rung == rung && run.request.params == *own)
        return msg("a product: {0}, {1}", {time_text(run.time->median_ms), rate_of(*rate, true)});
    return msg("a product, no copy");
  }
  Message ladder_problem(const Run& timed) const override {
    const auto elements = whole_metric(timed, "measured.elements");
    const auto shared = timed.request.params.find("shared_bytes");
    if (!elements || shared == timed.request.params.end()) return {};
    return msg(
        "a copy of {0}, with {1} of shared memory per block",
        {bytes_text(4.0 * double(*elements)), bytes_text(double(std::get<std::int64_t>(shared->second)))});
  }
};

}  // namespace

const Lab& occupancy_lab() {
  static const OccupancyLab lab;
  return lab;
}

}  // namespace lockstep
