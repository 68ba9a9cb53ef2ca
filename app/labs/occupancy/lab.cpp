// What limits my blocks per SM?
// An SM is filled block by block, until one of four things runs out: warp slots, block slots, registers or
// shared memory. Move a slider and find the limiter; move it on until another one takes over. Then look at
// the recorded curves: a copy needs its warps, a product does not, and one that spills loses with all of
// them.
#include <algorithm>
#include <cstdio>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "kernels/ladder.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return grouped(x); }

class OccupancyLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("occupancy")->info; }
  StepAxis steps(const Run& run) const override;
  int opening_step(const Run&, const StepAxis& axis) const override { return int(axis.steps.size()) - 1; }
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  Message step_title(const Run& run, const StepAxis& axis, int step) const override;
  Message sentence(const Run& run, const StepAxis& axis, int step) const override;
  Color phase_color(const Run& run, const Phase& phase) const override;
  Message phase_name(const Run& run, const Phase& phase) const override;
  Message phase_place(const StepAxis&, const Phase& phase) const override {
    return msg("steps {0} to {1}: block after block, in the order of a model, not in time",
               {n(phase.first + 1), n(phase.first + phase.count)});
  }
  std::vector<NumberRow> numbers(const Run& run) const override;
  std::vector<LabPanel> panels(const Run& run, Rect stage, const Theme& theme) const override;
  std::vector<Message> things_to_try() const override;
};

// --- steps
// ---------------------------------------------------------------------------------------------

// Marks of the steps: a block that is placed, and the one that is refused.
const std::uint16_t kPlaced = name_id("placed"), kRefused = name_id("refused");

StepAxis OccupancyLab::steps(const Run& run) const {
  StepAxis axis;
  const int count = occupancy_steps(run);
  for (int s = 0; s < count; ++s) {
    StepGroup group;
    group.role = Role::marked;
    group.mark = s + 1 < count ? kPlaced : kRefused;
    group.mark_index = std::uint32_t(s);
    axis.steps.emplace_back();
    axis.groups.push_back(std::move(group));
  }
  const auto phase = [&](int first, int steps, std::uint16_t mark) {
    Phase p;
    p.first = first, p.count = steps, p.role = Role::marked, p.mark = mark;
    if (steps > 0) axis.phases.push_back(p);
  };
  phase(0, count - 1, kPlaced), phase(count - 1, 1, kRefused);
  return axis;
}

std::string names_of(const std::vector<SmResource>& resources) {
  std::string text;
  for (SmResource resource : resources) text += (text.empty() ? "" : ", ") + name_of(resource);
  return text;
}

Message OccupancyLab::step_title(const Run& run, const StepAxis&, int step) const {
  const auto scene = occupancy_scene(run, step);
  if (!scene) return msg("no step");
  if (scene->refused) return msg("no further block: {0}", {names_of(limiters_of(scene->resident))});
  return msg("block {0} of {1}", {n(scene->placed), n(scene->resident.blocks)});
}

Message OccupancyLab::sentence(const Run& run, const StepAxis&, int step) const {
  const auto scene = occupancy_scene(run, step);
  if (!scene) return msg("This run has no steps.");
  const OccupancyScene& s = *scene;
  if (!s.refused)
    return msg(
        "Block {0} comes to the SM: {1} warps, {2} registers each, and {3} bytes of shared memory. {4} of "
        "{5} "
        "warps are resident now.",
        {n(s.placed), n(warps_of(s.needs)), n(allocated_registers(s.gpu, s.needs.registers)),
         n(allocated_shared_bytes(s.gpu, s.needs.shared_bytes)),
         n(std::int64_t{s.placed} * warps_of(s.needs)), n(s.gpu.max_warps_per_sm)});
  const auto limiters = limiters_of(s.resident);
  if (s.resident.blocks == 0)
    return msg("Not even one block fits, and a launch would fail ({0}: {1}).",
               {name_of(limiters.front()), limit_text(s, limiters.front())});
  if (limiters.size() > 1)
    return msg("Block {0} finds no room ({1} run out together). {2} of {3} warps are resident: {4}.",
               {n(s.placed + 1), names_of(limiters), n(s.resident.warps), n(s.gpu.max_warps_per_sm),
                percent_text(s.resident.fraction)});
  return msg("Block {0} finds no room ({1}: {2}). {3} of {4} warps are resident: {5}.",
             {n(s.placed + 1), name_of(limiters.front()), room_text(s, limiters.front()), n(s.resident.warps),
              n(s.gpu.max_warps_per_sm), percent_text(s.resident.fraction)});
}

Color OccupancyLab::phase_color(const Run& run, const Phase& phase) const {
  if (phase.mark == kPlaced) return color::l2;
  const auto scene = occupancy_scene(run, phase.first);
  return scene ? color_of(limiters_of(scene->resident).front()) : color::l2;
}

Message OccupancyLab::phase_name(const Run&, const Phase& phase) const {
  return phase.mark == kPlaced ? msg("blocks are placed") : msg("no further block fits");
}

// --- curves
// ---------------------------------------------------------------------------------------------

bool is_product(const std::string& rung) { return rung == "fma" || rung == "spilled"; }

struct Curve {
  std::string rung;
  std::vector<PlotPoint> points;  // resident warps, rate
};

// metrics "curve.<rung>.warps_<n>", in the order of the rungs.
std::vector<Curve> curves_of(const Run& run, bool flops) {
  std::vector<Curve> all;
  for (const RungInfo& rung : find_ladder("occupancy")->info.rungs) {
    if (is_product(rung.slug) != flops) continue;
    Curve curve{rung.slug, {}};
    for (int warps = 1; warps <= 64; ++warps)
      if (const auto rate = real_metric(run, "curve." + rung.slug + ".warps_" + std::to_string(warps)))
        curve.points.push_back({double(warps), *rate, ""});
    if (!curve.points.empty()) all.push_back(std::move(curve));
  }
  return all;
}

// Where this run stands: the warps that were resident, else those that the model gives.
void add_here(Plot& plot, const Run& run, bool flops) {
  const auto scene = occupancy_scene(run, 0);
  const auto warps = whole_metric(run, "driver.warps_per_sm");
  if (warps)
    plot.cursor = double(*warps);
  else if (scene)
    plot.cursor = scene->resident.warps;
  const auto rate = real_metric(run, flops ? "measured.teraflops" : "measured.gigabytes_per_s");
  const bool own = is_product(run.request.rung) == flops;
  if (own && rate && warps)
    plot.series.push_back(
        {"", {{double(*warps), *rate, ""}}, flops ? color::tensor : color::hbm, PlotMark::dots});
}

Plot throughput_plot(const Theme& theme, const Run& run, bool flops) {
  Plot plot;
  plot.id = flops ? "panel/flops" : "panel/bytes";
  plot.x = {tr("resident warps per SM"), 0, 64, false};
  double most = 0;
  for (const Curve& curve : curves_of(run, flops)) {
    const bool here = curve.rung == run.request.rung;
    const Color base = flops ? color::tensor : color::hbm;
    plot.series.push_back(
        {curve.rung, curve.points, here ? base : mix(theme.panel, base, 0.55f), PlotMark::line});
    for (const PlotPoint& p : curve.points) most = std::max(most, p.y);
  }
  plot.y = {flops ? tr("TFLOP/s") : tr("GB/s"), 0, most * 1.12, false};
  add_here(plot, run, flops);
  return plot;
}

// --- stage
// ---------------------------------------------------------------------------------------------

// What this rung and the one beside it reached, and whose word that is.
void draw_throughput(Canvas& canvas, const Theme& theme, Rect r, const Run& run) {
  const float type = theme.type;
  const std::string words(provenance_of(run, "metrics.curve"));
  const float badge = badge_width(canvas, theme, words);
  canvas.text_fit({r.x, r.y + 10 * type}, tr("Throughput against resident warps"),
                  {Font::words_semibold, 13.5f * type, theme.ink}, r.w - badge - 10);
  draw_badge(canvas, theme, {r.right(), r.y + 10 * type}, words);
  Plot plot = throughput_plot(theme, run, is_product(run.request.rung));
  plot.id = "stage/throughput";
  draw_plot(canvas, theme, {r.x - 6, r.y + 22 * type, r.w + 12, r.h - 22 * type}, plot);
}

void draw_step_chart(Canvas& canvas, const Theme& theme, Rect r, const OccupancyScene& scene,
                     BlockNeed need) {
  const float type = theme.type;
  canvas.text_fit({r.x, r.y + 8 * type}, next_text(scene, need), {Font::words, 11.5f * type, theme.dim},
                  r.w - 8);
  draw_plot(canvas, theme, {r.x, r.y + 20 * type, r.w, r.h - 20 * type}, occupancy_plot(scene, need));
}

// What the stage has room for.
struct StagePlan {
  Rect area;
  bool wide = false, charts = false, curves = false;
  float charts_h = 0, top_h = 0, limits_h = 0;
};
StagePlan plan_of(const Theme& theme, Rect stage, const Run& run) {
  const float type = theme.type, pad = 28;
  StagePlan p;
  p.area = {stage.x + pad, stage.y + 16, stage.w - 2 * pad, stage.h - 26};
  p.wide = p.area.w >= 560 * type;
  const float least = std::max(sm_height(theme), limits_height(theme));
  p.charts_h = std::min({620 * type, p.area.h * 0.34f, p.area.h - least - 20 * type});
  p.charts = p.wide && p.charts_h >= 120 * type;
  p.top_h = p.charts ? p.area.h - p.charts_h - 20 * type : p.area.h;
  p.limits_h = std::min(p.top_h, limits_height(theme) + 10 * type);
  p.curves =
      p.wide && p.top_h - p.limits_h >= 140 * type && !curves_of(run, is_product(run.request.rung)).empty();
  return p;
}

void OccupancyLab::stage(Canvas& canvas, const StageInput& in, StageEvents&) const {
  const auto scene = occupancy_scene(in.run, in.step);
  if (!scene) return;
  constexpr float kGap = 36;
  const auto [area, wide, charts, curves, charts_h, top_h, limits_h] = plan_of(in.theme, in.area, in.run);
  if (!wide) {  // half a stage: one above the other, as far as they fit
    const bool both = area.h >= sm_height(in.theme) + limits_height(in.theme) + 16;
    const float h = both ? area.h - limits_height(in.theme) - 16 : area.h;
    draw_sm(canvas, in.theme, {area.x, area.y, area.w, h}, *scene);
    if (both)
      draw_limits(canvas, in.theme, {area.x, area.y + h + 16, area.w, limits_height(in.theme)}, *scene);
    return;
  }
  const float left_w = (area.w - kGap) * 0.54f;
  draw_sm(canvas, in.theme, {area.x, area.y, left_w, top_h}, *scene);
  const Rect right{area.x + left_w + kGap, area.y, area.w - left_w - kGap, top_h};
  const float rest = top_h - limits_h;
  draw_limits(canvas, in.theme, {right.x, right.y, right.w, curves ? limits_h : top_h}, *scene);
  if (curves) draw_throughput(canvas, in.theme, {right.x, right.y + limits_h + 6, right.w, rest - 6}, in.run);
  if (!charts) return;
  const float w = (area.w - 2 * 20) / 3, y = area.bottom() - charts_h;
  int column = 0;
  for (BlockNeed need : {BlockNeed::threads, BlockNeed::registers, BlockNeed::shared})
    draw_step_chart(canvas, in.theme, {area.x + float(column++) * (w + 20), y, w, charts_h}, *scene, need);
}

// --- numbers
// ---------------------------------------------------------------------------------------------

std::string rate_of(double value, bool flops) {
  return flops ? flop_rate_text(value * 1e12) : rate_text(value * 1e9);
}

std::vector<NumberRow> OccupancyLab::numbers(const Run& run) const {
  std::vector<NumberRow> rows;
  const auto scene = occupancy_scene(run, 0);
  if (!scene) return rows;
  const ResidentBlocks& r = scene->resident;
  rows.push_back({msg("occupancy"), percent_text(r.fraction), "occupancy.fraction"});
  rows.push_back({msg("blocks per SM"), n(r.blocks), "occupancy.blocks_per_sm"});
  rows.push_back({msg("warps per SM"), n(r.warps), "occupancy.warps_per_sm"});
  rows.push_back({msg("limiter"), names_of(limiters_of(r)), "occupancy.limiter"});
  if (whole_metric(run, "loaded.threads"))
    rows.push_back(
        {msg("loaded: threads, registers, bytes"),
         n(scene->needs.threads) + ", " + n(scene->needs.registers) + ", " + n(scene->needs.shared_bytes),
         "metrics.loaded"});
  if (const auto blocks = whole_metric(run, "driver.blocks_per_sm"))
    rows.push_back({msg("blocks, by the driver"), n(*blocks), "metrics.driver.blocks_per_sm"});
  if (const auto registers = whole_metric(run, "driver.registers"))
    rows.push_back({msg("the kernel's registers"), n(*registers), "metrics.driver.registers"});
  if (const auto ms = real_metric(run, "measured.ms"))
    rows.push_back({msg("time"), time_text(*ms), "metrics.measured.ms"});
  if (const auto rate = real_metric(run, "measured.gigabytes_per_s"))
    rows.push_back({msg("throughput"), rate_of(*rate, false), "metrics.measured.gigabytes_per_s"});
  if (const auto rate = real_metric(run, "measured.teraflops"))
    rows.push_back({msg("throughput"), rate_of(*rate, true), "metrics.measured.teraflops"});
  return rows;
}

std::vector<LabPanel> OccupancyLab::panels(const Run& run, Rect stage, const Theme& theme) const {
  std::vector<LabPanel> all;
  const bool on_stage = plan_of(theme, stage, run).curves;
  const std::string words(provenance_of(run, "metrics.curve"));
  const auto add = [&](Message title, bool flops) {
    if (curves_of(run, flops).empty() || (on_stage && flops == is_product(run.request.rung))) return;
    all.push_back(
        {std::move(title), words, 190, [run, flops](Canvas& canvas, const Theme& theme, Rect r) {
           draw_plot(canvas, theme, {r.x - 6, r.y, r.w + 10, r.h}, throughput_plot(theme, run, flops));
         }});
  };
  add(msg("COPIES AGAINST RESIDENT WARPS"), false);
  add(msg("PRODUCTS AGAINST RESIDENT WARPS"), true);
  return all;
}

std::vector<Message> OccupancyLab::things_to_try() const {
  return {msg("32 KB per block: why 6 blocks, when 228 / 32 = 7?"),
          msg("Predict first: 64 registers, 48 KB, 256 threads. Which resource runs out?"),
          msg("Go from 32 to 33 registers: how many blocks does one register cost?"),
          msg("Does more occupancy help? Put stream beside unrolled, and fma beside spilled."),
          msg("spilled is slower with 64 warps than with 16: where do its sums live?"),
          msg("Load gemm/ldmatrix: what would you have to save for one more block?")};
}

}  // namespace

const Lab& occupancy_lab() {
  static const OccupancyLab lab;
  return lab;
}

}  // namespace lockstep
