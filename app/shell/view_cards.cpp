// Tabs that need a GPU's word: what limits the blocks per SM, and where each rung
// stands on the roofline.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/devices/gpus.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/roofline.hpp"
#include "app/model/occupancy.hpp"
#include "kernels/experiments.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kRow = 22;

// Its title in capitals; returns the area for what it holds.
Rect draw_section(Canvas& canvas, const Theme& theme, Rect r, const std::string& title) {
  canvas.text_fit({r.x, r.y + 12 * theme.type}, title, {Font::words_semibold, 10.5f * theme.type, theme.dim},
                  r.w * 0.7f);
  const float head = panel_title_height(theme);
  return {r.x, r.y + head, r.w, r.h - head};
}

std::string n(std::int64_t x) { return std::to_string(x); }

// --- occupancy

// Of labs that run one kernel: an experiment has none whose blocks are resident, or is about nothing else.
bool has_occupancy(const App& app) {
  const Ladder* ladder = find_ladder(app.state().lab);
  return app.run() && ladder && ladder->experiments.empty();
}

// Why there is nothing to tell of a run's occupancy.
std::string no_occupancy(const App& app) {
  return app.run()->occupancy
             ? tr("This GPU's limits are not known here.")
             : tr("Registers per thread are what a GPU's compiler says: this needs a GPU, or a "
                  "recording at this setting.");
}
TextStyle reason_style(const Theme& theme) { return {Font::words, 12.5f * theme.type, theme.dim}; }

struct Limit {
  std::string name;
  int blocks;
  bool binds;
};

std::vector<Limit> limits_of(const ResidentBlocks& r) {
  return {{tr("registers"), r.by_registers, r.registers_bind()},
          {tr("shared"), r.by_shared, r.shared_binds()},
          {tr("warps"), r.by_warps, r.warps_bind()},
          {tr("blocks"), r.by_blocks, r.blocks_bind()}};
}

void draw_limit(Canvas& canvas, Rect row, const Limit& limit, int most, const Theme& theme) {
  const float label_w = 96 * theme.type, value_w = 34 * theme.type, words_w = 46 * theme.type;
  const float y = row.center().y;
  canvas.text_fit({row.x, y}, limit.name, {Font::words, 12.5f * theme.type, theme.ink}, label_w - 6);
  const Rect bar{row.x + label_w, y - 3, row.w - label_w - value_w - words_w, 6};
  canvas.fill_rect(bar, theme.soft, 3);
  const bool limited = limit.blocks != kNoLimit;
  const float share = limited ? std::min(1.f, float(limit.blocks) / float(std::max(1, most))) : 1.f;
  canvas.fill_rect({bar.x, bar.y, std::max(3.f, bar.w * share), bar.h}, limit.binds ? theme.ink : theme.dim,
                   3);
  canvas.text_fit({bar.right() + value_w, y}, limited ? n(limit.blocks) : "∞",
                  {Font::mono, 12.5f * theme.type, theme.ink, Align::right}, value_w - 4);
  if (limit.binds)
    canvas.text_fit({row.right(), y}, tr("limits"),
                    {Font::words_semibold, 10.5f * theme.type, theme.ink, Align::right}, words_w - 6);
}

// --- roofline

bool has_point(const Run& run) {
  return real_metric(run, "flops_per_second") && real_metric(run, "flop_per_byte.asked");
}

// One point per rung, all of one device and one amount of arithmetic: this GPU's run if there is one, else
// what most rungs were recorded at, of several such the largest.
std::vector<const Run*> shown_runs(const App& app) {
  const Ladder* ladder = find_ladder(app.state().lab);
  if (!ladder) return {};
  const auto flops = [&](const Run& run) { return ladder->flops(run.request.params, run.request.rung); };
  const auto points_beside = [&](const Run& base) {
    std::vector<const Run*> shown;
    for (const RungInfo& rung : app.info().rungs) {
      const Run* point = base.request.rung == rung.slug ? &base : nullptr;
      for (const Run& run : app.timed())
        if (!point && run.request.rung == rung.slug && has_point(run) &&
            run.device.name == base.device.name && flops(run) == flops(base))
          point = &run;
      if (point) shown.push_back(point);
    }
    return shown;
  };
  const Run* own = app.run();
  if (own && own->engine == EngineKind::cuda && own->time && has_point(*own)) return points_beside(*own);
  std::vector<const Run*> best;
  for (const Run& run : app.timed()) {
    if (!has_point(run)) continue;
    auto shown = points_beside(run);
    if (best.empty() || shown.size() > best.size() ||
        (shown.size() == best.size() && flops(run) > flops(*best.front())))
      best = std::move(shown);
  }
  return best;
}

constexpr double kL1BytesPerClock =
    128;  // per SM (CUDA C++ Best Practices Guide; H200.md: shared memory alike)

Roofline roofline_of(const App& app, const std::vector<const Run*>& runs, const Gpu& gpu) {
  Roofline roofline;
  roofline.id = "roofline", roofline.on_panel = true;
  const std::string sheet = tr("vendor's data sheet");
  char clock[16];
  std::snprintf(clock, sizeof clock, "%.2f", gpu.fp32.clock_hz / 1e9);
  roofline.slopes = {{"L1", kL1BytesPerClock * gpu.multiprocessors * gpu.fp32.clock_hz, color::l1,
                      tr("128 bytes per clock and SM at {0} GHz", {clock})}};
  roofline.ceilings = {{"FP32", gpu.fp32.flops, color::tensor, sheet}};
  const Ladder& ladder = *find_ladder(app.state().lab);
  std::vector<Ladder::Pipe> pipes{Ladder::Pipe::fp32};  // of the ceilings
  for (const Run* run : runs) {
    const Ladder::Pipe pipe = ladder.pipe_of(run->request.rung);
    const auto ceiling = std::find(pipes.begin(), pipes.end(), pipe) - pipes.begin();
    if (std::size_t(ceiling) == pipes.size()) {
      const bool fp8 = pipe == Ladder::Pipe::tensor_fp8;
      roofline.ceilings.push_back(
          {fp8 ? "FP8" : "BF16", (fp8 ? gpu.tensor_fp8 : gpu.tensor).flops, color::tensor, sheet});
      pipes.push_back(pipe);
    }
    RooflinePoint point;
    point.name = run->request.rung;
    point.intensity = *real_metric(*run, "flop_per_byte.asked");
    point.flops = *real_metric(*run, "flops_per_second");
    point.color = color::registers, point.current = run->request.rung == app.state().rung;
    point.source = provenance_text(provenance_of(*run, "time"));
    point.ceiling = int(ceiling);
    roofline.points.push_back(std::move(point));
  }
  return roofline;
}

// What the current rung reaches at these sizes: "warptile: 2.84 ms, 48.3 TFLOP/s, 94.3 % of cuBLAS".
void draw_share(Canvas& canvas, const Theme& theme, Rect r, const App& app,
                const std::vector<const Run*>& runs) {
  for (const Run* run : runs) {
    if (run->request.rung != app.state().rung) continue;
    std::string text = tr("{0}: {1}, {2}", {run->request.rung, time_text(run->time->median_ms),
                                            flops_text(*real_metric(*run, "flops_per_second"))});
    if (run->time->reference_ms > 0)
      text = tr("{0}, {1} of {2}",
                {text, percent_text(run->time->reference_ms / run->time->median_ms), run->time->reference});
    canvas.text_fit({r.x, r.y}, text, {Font::words, 11.5f * theme.type, theme.ink}, r.w);
  }
}

std::string sizes_text(const Run& run) {
  std::string text;
  for (const char* name : {"m", "n", "k"})
    if (const auto at = run.request.params.find(name); at != run.request.params.end())
      text += (text.empty() ? "" : " × ") + to_string(at->second);
  for (const char* name : {"seq", "head_dim", "heads", "causal", "elements", "rows", "cols"})
    if (const auto at = run.request.params.find(name); at != run.request.params.end())
      text += (text.empty() ? "" : ", ") + std::string(name) + " " + to_string(at->second);
  return text;
}

}  // namespace

bool knows_occupancy(const App& app) {
  return app.run()->occupancy && app.run()->occupancy->blocks_per_sm > 0 && occupancy_gpu(*app.run());
}

float occupancy_height(const Canvas& canvas, const App& app, float width, const Theme& theme) {
  if (!has_occupancy(app)) return 0;
  if (knows_occupancy(app)) return panel_title_height(theme) + 6 * kRow * theme.type + 8;
  return float(canvas.count_lines(no_occupancy(app), reason_style(theme), width)) * 18 * theme.type + 8;
}

void draw_occupancy(Canvas& canvas, const App& app, Rect r, const Theme& usual) {
  const Theme theme = numbers_theme(app, usual);
  if (!knows_occupancy(app)) {
    canvas.text_wrap({r.x, r.y + 4}, no_occupancy(app), reason_style(theme), r.w, 18 * theme.type);
    return;
  }
  const Gpu& gpu = *occupancy_gpu(*app.run());
  const Occupancy& o = *app.run()->occupancy;
  const Rect inside = draw_section(canvas, theme, r, tr("BLOCKS PER SM  {0}", {gpu.name}));
  const std::string said(provenance_of(*app.run(), "occupancy"));
  draw_badge(canvas, theme, {inside.right(), r.y + 15 * theme.type}, said);
  const TextStyle words{Font::words, 11.5f * theme.type, theme.dim};
  Rect row{inside.x, inside.y - 4, inside.w, kRow * theme.type};
  canvas.text_fit({row.x, row.center().y},
                  tr("{0} threads, {1} registers each, {2} bytes shared",
                     {n(o.threads_per_block), n(o.registers), grouped(o.shared_bytes)}),
                  words, row.w);
  const ResidentBlocks resident = resident_blocks(gpu, {o.threads_per_block, o.registers, o.shared_bytes});
  for (const Limit& limit : limits_of(resident)) {
    row.y += row.h;
    draw_limit(canvas, row, limit, gpu.max_blocks_per_sm, theme);
  }
  row.y += row.h;
  canvas.text_fit(
      {row.x, row.center().y},
      tr("{0} blocks, {1} of {2} warps: {3} %",
         {n(o.blocks_per_sm), n(o.warps_per_sm), n(gpu.max_warps_per_sm), n(std::lround(o.fraction * 100))}),
      {Font::words_semibold, 12.5f * theme.type, theme.ink}, row.w);
}

float lab_panel_height(const LabPanel& panel, const Theme& theme) {
  return panel_title_height(theme) + panel.height * theme.type + 8;
}

void draw_lab_panel(Canvas& canvas, const LabPanel& panel, Rect r, const Theme& theme) {
  const Rect inside = draw_section(canvas, theme, r, tr(panel.title));
  if (!panel.provenance.empty())
    draw_badge(canvas, theme, {inside.right(), r.y + 15 * theme.type}, panel.provenance);
  panel.draw(canvas, theme, {inside.x, inside.y, inside.w, r.bottom() - inside.y - 8});
}

float roofline_height(const App& app, const Theme& theme) {
  return shown_runs(app).empty() ? 0 : panel_title_height(theme) + 350 * theme.type;
}

void draw_roofline_panel(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  const auto runs = shown_runs(app);
  const Gpu* gpu = find_gpu(runs.front()->device.name);
  const Rect inside = draw_section(canvas, theme, r, tr("ROOFLINE  {0}", {runs.front()->device.name}));
  const std::string said(provenance_of(*runs.front(), "time"));
  draw_badge(canvas, theme, {inside.right(), r.y + 15 * theme.type}, said);
  canvas.text_fit({inside.x, inside.y + 4 * theme.type},
                  tr("{0}; bytes are those asked of L1", {sizes_text(*runs.front())}),
                  {Font::words, 11 * theme.type, theme.dim}, inside.w);
  draw_share(canvas, theme, {inside.x, inside.y + 20 * theme.type, inside.w, 0}, app, runs);
  if (!gpu) {
    canvas.text_wrap({inside.x, inside.y + 44 * theme.type},
                     tr("The peaks of this device are not known here."),
                     {Font::words, 12 * theme.type, theme.ink}, inside.w, 17 * theme.type);
    return;
  }
  const Rect plot{inside.x - 6, inside.y + 30 * theme.type, inside.w + 10,
                  r.bottom() - inside.y - 38 * theme.type};
  const RooflineHit hit = draw_roofline(canvas, theme, plot, roofline_of(app, runs, *gpu));
  if (hit.clicked && hit.point) app.choose_rung(runs[std::size_t(*hit.point)]->request.rung);
}

}  // namespace lockstep
