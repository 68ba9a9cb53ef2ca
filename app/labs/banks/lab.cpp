// Which lanes collide, and what does it cost?
// Shared memory has 32 banks of 4 bytes. Step through one access wavefront by wavefront: lanes that want
// different words of one bank take turns. Try stride 1, 2, 32 and 33; read a column at pitch 32 and 33; take
// 16 bytes per lane; then type a layout of your own. The two costs differ: a chain of dependent loads, and
// the pipe at full load.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

#include "app/draw/controls.hpp"
#include "app/draw/lane_map.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/labs/lab.hpp"
#include "app/model/layout.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

std::int64_t setting(const Run& run, const char* name, std::int64_t otherwise) {
  return run.request.params.contains(name) ? int_param(run.request.params, name) : otherwise;
}

bool shared_access(const Step& step) { return !step.barrier && step.instruction.view >= kFirstSharedView; }
bool stores(const WarpInstruction& i) { return !reads(i.kind); }

const Step* step_at(const StepAxis& axis, int step) {
  return step >= 0 && step < int(axis.steps.size()) ? &axis.steps[std::size_t(step)] : nullptr;
}

// The access that the stage explains: this step's, else the nearest one to shared memory behind the barrier.
const Step* shown_access(const StepAxis& axis, int step) {
  const Step* now = step_at(axis, step);
  if (!now || shared_access(*now)) return now;
  for (int s = step; s >= 0; --s)
    if (const Step& before = axis.steps[std::size_t(s)]; shared_access(before) && before.interval > 0)
      return &before;
  for (const Step& later : axis.steps)
    if (shared_access(later) && later.interval > 0) return &later;
  return nullptr;
}

SharedAccess access_of(const Step& step, bool played) {
  const WarpInstruction& i = step.instruction;
  SharedAccess a;
  a.id = "stage";
  a.lanes = i.lanes, a.offset = i.offset, a.width = i.width, a.store = stores(i);
  a.wavefront = wavefront_of_lanes(i.lanes, i.offset, i.width, a.store);
  a.wavefronts = step.wavefronts, a.fewest = fewest_wavefronts(i.lanes, i.width, a.store);
  a.now = played ? std::max(0, step.wavefront) : a.wavefronts;
  return a;
}

std::string lane_text(const SharedAccess& a, int lane) {
  if (!(a.lanes >> lane & 1)) return tr("lane {0} takes no part", {n(lane)});
  const std::uint32_t byte = a.offset[std::size_t(lane)];
  return tr("lane {0}: bytes {1} to {2}, bank {3}, wavefront {4}",
            {n(lane), grouped(byte), grouped(std::int64_t(byte) + a.width - 1), n(byte / 4 % 32),
             n(a.wavefront[std::size_t(lane)] + 1)});
}

// "lane i reads word 0 + i * 2", in the words of the rung.
std::string access_text(const Run& run) {
  const std::string rung = run.request.rung;
  const auto at = [&](const char* name, std::int64_t otherwise) { return n(setting(run, name, otherwise)); };
  if (rung == "strided")
    return tr("lane i goes to word {0} + i × {1}, {2} bytes",
              {at("offset", 0), at("stride", 1), at("width", 4)});
  if (rung == "broadcast")
    return tr("lane i goes to element (i / {0}) mod {1}, {2} bytes each",
              {at("divide", 1), at("modulo", 32), at("width", 4)});
  if (rung == "layout") return tr("place = {0}", {std::get<std::string>(run.request.params.at("formula"))});
  const std::string pitch = rung == "padded" ? "33" : at("pitch", 32);
  return rung == "swizzled"
             ? tr("tile of 32 rows, pitch 32: lane i goes to element (i, {0} XOR i)", {at("column", 0)})
             : tr("tile of 32 rows, pitch {0}: lane i goes to element (i, {1}), {2} bytes",
                  {pitch, at("column", 0), at("width", 4)});
}

// --- what it costs
// ---------------------------------------------------------------------------------------------

// Fitted to an H200, loads of 4 bytes at every stride from 0 to 64: a true chain of dependent loads
// within 2.0 %, the pipe at full load within 1.6 % (recordings; tests/ladder_validation.cpp holds 3 %).
double chain_model(double wavefronts) { return 29 + 2 * (wavefronts - 1); }

std::optional<double> measured(const Run& run, const char* name) {
  return real_metric(run, std::string("measured.") + name);
}

std::string cycles_text(double cycles) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", cycles);
  return text;
}

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
                  tr("dashed: modelled for 4 bytes, error 3 %; dots: {0}",
                     {measured(run, "throughput_cycles")
                          ? provenance_text(provenance_of(run, "metrics.measured.throughput_cycles"))
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
    const auto cycles = measured(run, metric);
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
  canvas.text_fit({r.x, r.y + 8 * type}, title + "  " + tr("worst: {0}", {n(worst)}),
                  {Font::words, 11.5f * type, worst > fewest ? theme.readable(color::trouble) : theme.ink},
                  r.w);
  for (int i = 0; i < 32; ++i) {
    const float h = (base - top) * float(wavefronts[std::size_t(i)]) / 32;
    const float kept = (base - top) * float(std::min(fewest, wavefronts[std::size_t(i)])) / 32;
    const float x = r.x + float(i) * w + 1;
    canvas.fill_rect({x, base - h, w - 2, h}, color::trouble, 1);
    canvas.fill_rect({x, base - kept, w - 2, kept}, color::shared, 1);
    if (i % 4 == 0)
      canvas.text({x + w / 2, r.bottom() - 5 * type}, n(i),
                  {Font::mono, 9.5f * type, theme.dim, Align::center});
  }
  canvas.line({r.x, base}, {r.right(), base}, theme.line);
  if (const Hit hit = canvas.hit(id, r); hit.hovered) {
    const int i = std::clamp(int((hit.pointer.x - r.x) / w), 0, 31);
    canvas.tooltip(
        tr("{0}: {1} wavefronts, {2} at the fewest", {n(i), n(wavefronts[std::size_t(i)]), n(fewest)}));
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
  canvas.text_fit({r.x, r.y + 10 * theme.type}, tr("Your layout: every column, every row"),
                  {Font::words_semibold, 13.5f * theme.type, theme.ink}, r.w);
  const int e = layout->first_twin, f = layout->second_twin;
  const std::string use =
      e >= 0 ? tr("elements ({0}, {1}) and ({2}, {3}) stand at the same place: the tile loses data",
                  {n(e / 32), n(e % 32), n(f / 32), n(f % 32)})
             : tr("{0} bytes for {1} bytes of elements; counted by the rule of the banks",
                  {grouped(std::int64_t(layout->places) * width), grouped(std::int64_t{1024} * width)});
  canvas.text_fit({r.x, r.y + 28 * theme.type}, use,
                  {Font::words, 11.5f * theme.type, e >= 0 ? theme.readable(color::trouble) : theme.dim},
                  r.w);
  const float h = (r.h - 46 * theme.type) / 2;
  draw_wavefront_bars(canvas, theme, {r.x, r.y + 44 * theme.type, r.w, h - 6},
                      tr("wavefronts down each column"), report.column, report.fewest, "stage/columns");
  draw_wavefront_bars(canvas, theme, {r.x, r.y + 44 * theme.type + h, r.w, h - 6},
                      tr("wavefronts along each row"), report.row, report.fewest, "stage/layout-rows");
}

// --- the lab
// ---------------------------------------------------------------------------------------------------

class BanksLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("banks")->info; }
  StepAxis steps(const Run& run) const override { return wavefront_steps(build_steps(run.launches)); }
  int opening_step(const Run& run, const StepAxis& axis) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  Message step_title(const Run& run, const StepAxis& axis, int step) const override;
  Message sentence(const Run& run, const StepAxis& axis, int step) const override;
  Color phase_color(const Run& run, const Phase& phase) const override;
  Message phase_name(const Run& run, const Phase& phase) const override;
  std::vector<NumberRow> numbers(const Run& run) const override;
  std::vector<Message> things_to_try() const override;
};

// A third into the repeated access: some wavefronts are played, some wait.
int BanksLab::opening_step(const Run&, const StepAxis& axis) const {
  for (int s = 0; s < int(axis.steps.size()); ++s)
    if (const Step& step = axis.steps[std::size_t(s)]; shared_access(step) && step.interval > 0)
      return s + (step.wavefronts - 1) * 3 / 8;
  return 0;
}

void BanksLab::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const Step* step = shown_access(in.axis, in.step);
  if (!step) return;
  const bool played = step == step_at(in.axis, in.step);
  const SharedAccess access = access_of(*step, played);
  const float type = in.theme.type, pad = 28, gap = 36, strip_h = 62 * type;
  const Rect area{in.area.x + pad, in.area.y + 18, in.area.w - 2 * pad, in.area.h - 30};
  // Half a stage: one column, without the rows of memory; where it is low as well, without the costs.
  const bool narrow = area.w < 640 * (1 + (type - 1) * 0.4f), costs = !narrow || area.h > 520 * type;
  const float left_w = narrow ? area.w : (area.w - gap) * 0.54f;
  Rect left{area.x, area.y, left_w, (narrow && costs ? area.h * 0.6f : area.h) - strip_h - 14};
  left.h = lane_map_height(in.theme, left);
  auto lane = draw_lane_map(canvas, in.theme, left, access, tr("Lane × bank"), access_text(in.run));
  const Rect strip{left.x + 52 * type, left.bottom() + 14, left.w - 52 * type, strip_h};
  if (const auto wavefront = draw_wavefronts(canvas, in.theme, strip, access); wavefront && played)
    events.go_to_step = in.step + *wavefront - access.now;
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
  if (in.run.request.rung == "layout")
    draw_layout_report(canvas, in.theme, low, in.run);
  else
    draw_cost(canvas, in.theme, low, in.run);
}

Message BanksLab::step_title(const Run&, const StepAxis& axis, int index) const {
  const Step* step = step_at(axis, index);
  if (!step) return msg("no step");
  if (step->barrier) return msg("all warps wait at the barrier");
  if (shared_access(*step)) return msg("wavefront {0} of {1}", {n(step->wavefront + 1), n(step->wavefronts)});
  return msg("the result goes to global memory");
}

Message BanksLab::sentence(const Run&, const StepAxis& axis, int index) const {
  const Step* step = step_at(axis, index);
  if (!step) return msg("This run has no steps.");
  const WarpInstruction& i = step->instruction;
  if (step->barrier)
    return msg("Line {0}: no warp goes on before every element holds its own index.", {n(i.line)});
  if (!shared_access(*step))
    return msg("Line {0}: the lanes of warp {1} write what the check looks at.", {n(i.line), n(i.warp)});
  if (step->interval == 0)
    return msg("Line {0}: warp {1} fills the tile: every element gets its own index, without a conflict.",
               {n(i.line), n(i.warp)});
  const SharedAccess a = access_of(*step, true);
  const std::vector<std::string> args{
      n(i.line), n(std::popcount(i.lanes)), n(i.width), n(a.wavefronts), n(a.fewest), n(a.now + 1)};
  if (a.wavefronts <= a.fewest)
    return a.store ? msg("Line {0}: {1} lanes write {2} bytes each; wavefronts: {3}, the fewest possible; "
                         "this is number "
                         "{5}.",
                         args)
                   : msg("Line {0}: {1} lanes read {2} bytes each; wavefronts: {3}, the fewest possible; "
                         "this is number "
                         "{5}.",
                         args);
  return a.store ? msg("Line {0}: {1} lanes write {2} bytes each; lanes that want different words of one "
                       "bank take "
                       "turns, so it takes {3} wavefronts instead of {4}. This is number {5}.",
                       args)
                 : msg("Line {0}: {1} lanes read {2} bytes each; lanes that want different words of one bank "
                       "take "
                       "turns, so it takes {3} wavefronts instead of {4}. This is number {5}.",
                       args);
}

Color BanksLab::phase_color(const Run&, const Phase& phase) const {
  if (phase.barrier) return color::barrier;
  return phase.view >= kFirstSharedView ? color::shared : color::hbm;
}

Message BanksLab::phase_name(const Run&, const Phase& phase) const {
  if (phase.barrier) return msg("barrier, line {0}", {n(phase.line)});
  if (phase.view < kFirstSharedView) return msg("write the result, line {0}", {n(phase.line)});
  if (phase.interval == 0) return msg("fill the tile, line {0}", {n(phase.line)});
  return reads(phase.kind) ? msg("the lanes read, line {0}", {n(phase.line)})
                           : msg("the lanes write, line {0}", {n(phase.line)});
}

std::vector<NumberRow> BanksLab::numbers(const Run& run) const {
  std::vector<NumberRow> rows;
  if (const auto w = whole_metric(run, "wavefronts_per_instruction"))
    rows.push_back({msg("wavefronts"), n(*w), "metrics.wavefronts_per_instruction"});
  if (const auto w = whole_metric(run, "fewest_wavefronts"))
    rows.push_back({msg("if contiguous"), n(*w), "metrics.fewest_wavefronts"});
  const auto cycles = [&](Message label, const char* name) {
    if (const auto value = measured(run, name))
      rows.push_back({std::move(label), cycles_text(*value), std::string("metrics.measured.") + name});
  };
  cycles(msg("cycles, dependent chain"), "chain_cycles");
  cycles(msg("cycles, full load"), "throughput_cycles");
  const auto ratio = [&](Message label, const char* a, const char* b) {
    if (const auto x = measured(run, a), y = measured(run, b); x && y && *y > 0)
      rows.push_back({std::move(label), cycles_text(*x / *y) + "×", std::string("metrics.measured.") + a});
  };
  ratio(msg("chain, slower by"), "chain_cycles", "conflict_free_chain_cycles");
  ratio(msg("full load, slower by"), "throughput_cycles", "conflict_free_throughput_cycles");
  return rows;
}

std::vector<Message> BanksLab::things_to_try() const {
  return {msg("Set stride to 32, then to 33. How many wavefronts are left?"),
          msg("Predict first: which pitches are free of conflicts?"),
          msg("Take 16 bytes per lane: why four wavefronts and not one?"),
          msg("“32-way means 32 times slower”: of which of the two costs is it true?"),
          msg("Type a layout without a conflict in any column or row.")};
}

}  // namespace

const Lab& banks_lab() {
  static const BanksLab lab;
  return lab;
}

}  // namespace lockstep
