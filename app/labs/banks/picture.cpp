// The banks' stage: one access lane by lane and wavefront by wavefront, and what it costs.
#include <algorithm>
#include <array>
#include <bit>

#include "app/draw/controls.hpp"
#include "app/draw/lane_map.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/model/layout.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

std::int64_t setting(const Run& run, const char* name, std::int64_t otherwise) {
  return run.request.params.contains(name) ? int_param(run.request.params, name) : otherwise;
}

// The access that the stage explains: this step's, else the nearest one to shared memory behind the barrier.
const Step* shown_access(const MemoryAxis& axis, int step) {
  const Step* now = axis.at(step);
  if (!now || is_shared_access(*now)) return now;
  for (int s = step; s >= 0; --s)
    if (const Step& before = axis.steps[std::size_t(s)]; is_shared_access(before) && before.interval > 0)
      return &before;
  for (const Step& later : axis.steps)
    if (is_shared_access(later) && later.interval > 0) return &later;
  return nullptr;
}

std::string lane_text(const SharedAccess& a, int lane) {
  if (!(a.lanes >> lane & 1)) return tr("lane {0} takes no part", {number_text(lane)});
  const std::uint32_t byte = a.offset[std::size_t(lane)];
  return tr("lane {0}: bytes {1} to {2}, bank {3}, wavefront {4}",
            {number_text(lane), grouped(byte), grouped(std::int64_t(byte) + a.width - 1),
             number_text(byte / 4 % 32), number_text(a.wavefront[std::size_t(lane)] + 1)});
}

// Words from each lane to the next in the repeated access, where that is the same for all.
std::optional<std::int64_t> lane_stride(const MemoryAxis& steps) {
  for (const Step& step : steps.steps) {
    if (!is_shared_access(step) || step.interval == 0) continue;
    const auto& offset = step.instruction.offset;
    const std::int64_t stride = std::int64_t(offset[1]) - offset[0];
    for (std::size_t lane = 1; lane < offset.size(); ++lane)
      if (std::int64_t(offset[lane]) - offset[lane - 1] != stride) return {};
    return stride / 4;
  }
  return {};
}

// "lane i goes to word 0 + i × 2", by what the rung can be set to, and where it goes.
std::string access_text(const BanksScene& scene) {
  const Run& run = scene.run();
  const Params& params = run.request.params;
  const auto at = [&](const char* name, std::int64_t otherwise) {
    return number_text(setting(run, name, otherwise));
  };
  if (params.contains("stride"))
    return tr("lane i goes to word {0} + i × {1}, {2} bytes",
              {at("offset", 0), at("stride", 1), at("width", 4)});
  if (params.contains("divide"))
    return tr("lane i goes to element (i / {0}) mod {1}, {2} bytes each",
              {at("divide", 1), at("modulo", 32), at("width", 4)});
  if (params.contains("formula")) return tr("place = {0}", {to_string(params.at("formula"))});
  const auto pitch = params.contains("pitch") ? setting(run, "pitch", 32) : lane_stride(scene.steps);
  return pitch ? tr("tile of 32 rows, pitch {0}: lane i goes to element (i, {1}), {2} bytes",
                    {number_text(*pitch), at("column", 0), at("width", 4)})
               : tr("tile of 32 rows, pitch 32: lane i goes to element (i, {0} XOR i)", {at("column", 0)});
}

// --- what it costs
// ---------------------------------------------------------------------------------------------

// Fitted to an H200, loads of 4 bytes at every stride from 0 to 64: a true chain of dependent loads
// within 2.0 %, the pipe at full load within 1.6 % (recordings; tests/ladder_validation.cpp holds 3 %).
double chain_model(double wavefronts) { return 29 + 2 * (wavefronts - 1); }

PlotSeries model_line(const std::string& name, double (*f)(double), Color color) {
  PlotSeries line{name, {}, color, PlotMark::dashed};
  for (int w = 1; w <= 32; ++w) line.points.push_back({double(w), f(w), ""});
  return line;
}

// The two costs in the colours of their lines.
void draw_cost_names(Canvas& canvas, const Theme& theme, Rect r) {
  TextStyle style{Font::words_semibold, 12.5f * theme.type, theme.readable(color::registers)};
  const std::string chain = tr("dependent chain: 29 + 2 (w − 1)"), full = tr("full load: w");
  const float gap = 14 * theme.type, full_w = canvas.measure(full, style);
  const float chain_w = std::min(canvas.measure(chain, style) + 1, r.w - full_w - gap);
  canvas.text_fit({r.x, r.y}, chain, style, chain_w);
  style.color = theme.readable(color::shared);
  canvas.text_fit({r.x + chain_w + gap, r.y}, full, style, full_w + 1);
}

// What one access of this run costs: the cursor stands at the wavefronts of the access that was measured.
void draw_cost(Canvas& canvas, const Theme& theme, Rect r, const Run& run) {
  canvas.text_fit({r.x, r.y + 10 * theme.type}, tr("Cycles per access"),
                  {Font::words_semibold, 13.5f * theme.type, theme.ink}, r.w);
  canvas.text_fit({r.x, r.y + 28 * theme.type},
                  tr("dashed: model for 4 bytes, error 3 %; dots: {0}",
                     {measured_cycles(run, "throughput_cycles")
                          ? badge_word(provenance_of(run, "metrics.measured.throughput_cycles"))
                          : tr("not measured at this setting")}),
                  {Font::words, 11.5f * theme.type, theme.dim}, r.w);
  Plot plot;
  plot.id = "stage/cost";
  plot.x = {tr("wavefronts"), 0, 33, false}, plot.y = {tr("cycles"), 0, 100, false};
  plot.series = {model_line("", chain_model, color::registers),
                 model_line(
                     "", [](double w) { return w; }, color::shared)};
  const auto wavefronts = whole_metric(run, "wavefronts_per_instruction");
  const auto dot = [&](const char* metric, Color color) {
    const auto cycles = measured_cycles(run, metric);
    if (!cycles || !wavefronts) return;
    plot.series.push_back(
        {"", {{double(*wavefronts), *cycles, cycles_text(*cycles)}}, color, PlotMark::dots});
  };
  dot("chain_cycles", color::registers);
  dot("throughput_cycles", color::shared);
  if (wavefronts) plot.cursor = double(*wavefronts);
  draw_cost_names(canvas, theme, {r.x, r.y + 47 * theme.type, r.w, 0});
  draw_plot(canvas, theme, {r.x, r.y + 54 * theme.type, r.w, r.h - 54 * theme.type}, plot);
}

// --- a layout of one's own
// -------------------------------------------------------------------------------------

// 32 bars, as high as the wavefronts of each column or row; a line at the fewest possible.
void draw_wavefront_bars(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                         const std::array<int, 32>& wavefronts, int fewest, const char* id) {
  const float type = theme.type, w = r.w / 32, base = r.bottom() - 14 * type, top = r.y + 24 * type;
  const int worst = *std::max_element(wavefronts.begin(), wavefronts.end());
  canvas.text_fit({r.x, r.y + 8 * type}, title + "  " + tr("worst: {0}", {number_text(worst)}),
                  {Font::words, 11.5f * type, worst > fewest ? theme.readable(color::trouble) : theme.ink},
                  r.w);
  for (int i = 0; i < 32; ++i) {
    const float h = (base - top) * float(wavefronts[std::size_t(i)]) / 32;
    const float kept = (base - top) * float(std::min(fewest, wavefronts[std::size_t(i)])) / 32;
    const float x = r.x + float(i) * w + 1;
    canvas.fill_rect({x, base - h, w - 2, h}, color::trouble, 1);
    canvas.fill_rect({x, base - kept, w - 2, kept}, color::shared, 1);
    if (i % 4 == 0)
      canvas.text({x + w / 2, r.bottom() - 5 * type}, number_text(i),
                  {Font::mono, 9.5f * type, theme.dim, Align::center});
  }
  canvas.line({r.x, base}, {r.right(), base}, theme.line);
  if (const Hit hit = canvas.hit(id, r); hit.hovered) {
    const int i = std::clamp(int((hit.pointer.x - r.x) / w), 0, 31);
    canvas.tooltip(tr("{0}: {1} wavefronts, {2} at least",
                      {number_text(i), number_text(wavefronts[std::size_t(i)]), number_text(fewest)}));
  }
}

void draw_layout_report(Canvas& canvas, const Theme& theme, Rect r, const Run& run) {
  const Params& p = run.request.params;
  const auto width = int(setting(run, "width", 4));
  const auto layout = evaluate_layout(std::get<std::string>(p.at("formula")), int_param(p, "pitch"),
                                      int_param(p, "mask"), int_param(p, "shift"), kLayoutBytes / width);
  if (!layout) return;
  const bool store = to_string(p.at("pattern")) == "store";
  const LayoutReport report = report_of(*layout, width, store);
  const Provenance counted = Provenance::modelled();  // by the rule of the banks
  canvas.text_fit({r.x, r.y + 10 * theme.type}, tr("Every column, every row"),
                  {Font::words_semibold, 13.5f * theme.type, theme.ink},
                  r.w - badge_width(canvas, theme, counted) - 10);
  draw_badge(canvas, theme, {r.right(), r.y + 10 * theme.type}, counted);
  const int e = layout->first_twin, f = layout->second_twin;
  const std::string use =
      e >= 0 ? tr("elements ({0}, {1}) and ({2}, {3}) stand at the same place: the tile loses data",
                  {number_text(e / 32), number_text(e % 32), number_text(f / 32), number_text(f % 32)})
             : tr("{0} bytes for {1} bytes of elements",
                  {grouped(std::int64_t(layout->places) * width), grouped(std::int64_t{1024} * width)});
  canvas.text_fit({r.x, r.y + 28 * theme.type}, use,
                  {Font::words, 11.5f * theme.type, e >= 0 ? theme.readable(color::trouble) : theme.dim},
                  r.w);
  constexpr float kHighest = 150;  // a single wavefront of thirty-two would stand far below its words
  const float h = std::min((r.h - 46 * theme.type) / 2, kHighest * theme.type);
  draw_wavefront_bars(canvas, theme, {r.x, r.y + 44 * theme.type, r.w, h - 6},
                      tr("wavefronts down each column"), report.column, report.fewest, "stage/columns");
  draw_wavefront_bars(canvas, theme, {r.x, r.y + 44 * theme.type + h, r.w, h - 6},
                      tr("wavefronts along each row"), report.row, report.fewest, "stage/layout-rows");
}

// For a room of people: lanes and banks as large as they go, the wavefronts beside them or below.
std::optional<int> draw_presentation(Canvas& canvas, const StageInput& in, Rect area,
                                     const SharedAccess& access, const std::string& about) {
  const float type = in.theme.type, gap = 30 * type, strip_h = 62 * type;
  const bool beside = area.w > 560 * type;
  Rect map{area.x, area.y, beside ? area.w * 0.66f : area.w, area.h - (beside ? 0 : strip_h + 8)};
  map.h = lane_map_height(in.theme, map);
  draw_lane_map(canvas, in.theme, map, access, tr("Lane × bank"), about);
  const Rect strip =
      beside ? Rect{map.right() + gap, area.y + 60 * type, area.right() - map.right() - gap, strip_h}
             : Rect{area.x + 52 * type, map.bottom() + 8, area.w - 52 * type, strip_h};
  return draw_wavefronts(canvas, in.theme, strip, access);
}

}  // namespace

void BanksScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const Step* step = shown_access(steps, in.view.step);
  if (!step) return;
  const bool played = step == steps.at(in.view.step);
  SharedAccess access = shared_access_of(*step, played);
  if (played) access.motion = in.motion;
  const float type = in.theme.type, pad = 28, gap = 36, strip_h = 62 * type;
  const Rect area{in.area.x + pad, in.area.y + 18, in.area.w - 2 * pad, in.area.h - 30};
  if (in.presentation) {
    const auto wavefront = draw_presentation(canvas, in, area, access, access_text(*this));
    if (wavefront && played) events.go_to_step = in.view.step + *wavefront - access.now;
    return;
  }
  // Half a stage: one column, without the rows of memory; where it is low as well, without the costs.
  const bool narrow = area.w < 640 * (1 + (type - 1) * 0.4f), costs = !narrow || area.h > 520 * type;
  const float left_w = narrow ? area.w : (area.w - gap) * 0.54f;
  Rect left{area.x, area.y, left_w, (narrow && costs ? area.h * 0.6f : area.h) - strip_h - 14};
  left.h = lane_map_height(in.theme, left);
  auto lane = draw_lane_map(canvas, in.theme, left, access, tr("Lane × bank"), access_text(*this));
  const Rect strip{left.x + 52 * type, left.bottom() + 14, left.w - 52 * type, strip_h};
  if (const auto wavefront = draw_wavefronts(canvas, in.theme, strip, access); wavefront && played)
    events.go_to_step = in.view.step + *wavefront - access.now;
  Rect low{area.x, strip.bottom() + 12, area.w, area.bottom() - strip.bottom() - 12};
  if (!narrow) {
    const Rect right{area.x + left_w + gap, area.y, area.w - left_w - gap, area.h};
    const Rect rows{right.x, right.y, right.w, right.h * 0.54f};
    if (const auto other =
            draw_bank_rows(canvas, in.theme, rows, access, tr("Shared memory: rows of 32 banks"),
                           tr("an arrow from every lane; a cell is a word of 4 bytes")))
      lane = other;
    low = {right.x, rows.bottom() + 22, right.w, right.bottom() - rows.bottom() - 22};
  }
  if (lane) canvas.tooltip(lane_text(access, *lane));
  if (!costs || low.h < 110 * type) return;
  if (run().request.params.contains("formula"))
    draw_layout_report(canvas, in.theme, low, run());
  else
    draw_cost(canvas, in.theme, low, run());
}

}  // namespace lockstep
