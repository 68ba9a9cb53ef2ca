#include "view_program.hpp"

#include <algorithm>

#include "app.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/launch_strip.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/program/on_gpu/gpu_words.hpp"
#include "stepper.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kProgramEdge = 20, kProgramGap = 14;

std::string extents_text(const std::array<std::int64_t, 3>& d) {
  std::string text = grouped(d[0]);
  if (d[1] > 1 || d[2] > 1) text += " × " + grouped(d[1]);
  return d[2] > 1 ? text + " × " + grouped(d[2]) : text;
}

// "18.3 µs" on a GPU, where one was asked.
std::string time_of(const ProgramDesk& desk, const reader::ProgramLaunch& launch) {
  const reader::GpuRun* gpu = desk.run()->gpu.get();
  const reader::GpuKernel* kernel =
      gpu ? gpu->kernel_of(int(&launch - desk.run()->launches.data())) : nullptr;
  return kernel && kernel->time_us >= 0 ? reader::gpu_time_text(kernel->time_us) : "";
}

// "2,048 sectors · 512 wavefronts", and how much of the grid that is where it is not all.
std::string costs_text(const ProgramDesk& desk, const reader::ProgramLaunch& launch) {
  if (!launch.refused.id.empty()) return tr(launch.refused);
  if (desk.stopped(int(&launch - desk.run()->launches.data()))) return tr("stopped by a finding");
  if (!launch.traced()) return tr("ran, not traced");
  const Counts& c = launch.counts;
  const std::int64_t sectors = c.global_load_sectors + c.global_store_sectors + c.global_reduction_sectors +
                               c.global_atomic_sectors,
                     wavefronts = c.shared_load_wavefronts + c.shared_store_wavefronts;
  std::string text = time_of(desk, launch);
  const auto add = [&](std::string part) { text += (text.empty() ? "" : " · ") + part; };
  if (!launch.counts_complete())
    add(tr("{0} of {1} blocks", {grouped(launch.traced_blocks), grouped(launch.blocks)}));
  add(sectors == 1 ? tr("1 sector") : tr("{0} sectors", {grouped(sectors)}));
  if (wavefronts > 0) add(wavefronts == 1 ? tr("1 wavefront") : tr("{0} wavefronts", {grouped(wavefronts)}));
  if (c.shared_atomic_instructions > 0)
    add(tr("{0} shared atomics", {grouped(c.shared_atomic_instructions)}));
  return text;
}

std::string findings_text(std::size_t count) {
  return count == 0 ? "" : count == 1 ? tr("1 finding") : tr("{0} findings", {grouped(std::int64_t(count))});
}

std::string hint_text(const ProgramDesk& desk, const reader::ProgramLaunch& launch) {
  std::string text =
      tr("line {0}: grid {1}, block {2}",
         {number_text(launch.line), extents_text(launch.launch.grid), extents_text(launch.launch.block)});
  if (launch.shared_bytes > 0)
    text += "\n" + tr("shared memory of a block: {0}", {bytes_text(double(launch.shared_bytes))});
  text += "\n" + tr("traced: {0} of {1} blocks; the others ran without being watched",
                    {grouped(launch.traced_blocks), grouped(launch.blocks)});
  for (const reader::ProgramArgument& a : launch.arguments)
    if (!a.value.empty()) text += "\n" + (a.parameter.empty() ? a.text : a.parameter) + " = " + a.value;
  return time_of(desk, launch).empty() ? text + "\n" + tr("Elapsed times are not measured here.") : text;
}

std::vector<LaunchCell> cells_of(const ProgramDesk& desk) {
  std::vector<LaunchCell> cells;
  for (int l = 0; l < int(desk.run()->launches.size()); ++l) {
    const reader::ProgramLaunch& one = desk.run()->launches[std::size_t(l)];
    const auto found = std::count_if(desk.findings().begin(), desk.findings().end(),
                                     [&](const reader::ProgramFinding& f) { return f.launch == l; });
    cells.push_back({"launch/" + std::to_string(l), launch_title(one), costs_text(desk, one),
                     findings_text(std::size_t(found)), hint_text(desk, one),
                     desk.run()->launches.size() > 3 ? number_text(l + 1) : ""});
  }
  return cells;
}

// What main() printed, its last line, and how it ended.
void draw_printed(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme) {
  const reader::ProgramRun& run = *desk.run();
  const float type = theme.type, pad = 14 * type;
  const Hit hit = canvas.hit("program/printed", r, true);
  canvas.fill_rect(r, hit.hovered ? mix(theme.panel, theme.soft, 0.6f) : theme.panel, kCorner);
  canvas.stroke_rect(r, theme.line, 1, kCorner);
  if (hit.focused) draw_focus_ring(canvas, theme, r);
  const bool ended = !run.ended.id.empty();
  const std::string head =
      ended                ? tr(run.ended)
      : run.exit_code != 0 ? tr("main() printed, and ended with exit code {0}", {number_text(run.exit_code)})
                           : tr("main() printed");
  const bool wrong = ended || run.exit_code != 0;
  canvas.text_fit({r.x + pad, r.y + 17 * type}, head,
                  {Font::words_semibold, 10.5f * type, wrong ? theme.readable(color::trouble) : theme.dim},
                  r.w - 2 * pad);
  std::string_view text = run.output;
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t begin = text.rfind('\n');
  const std::string last(begin == text.npos ? text : text.substr(begin + 1));
  canvas.text_fit(
      {r.x + pad, r.y + 37 * type}, last.empty() ? tr("nothing") : last,
      {last.empty() ? Font::words : Font::mono, 11.5f * type, last.empty() ? theme.dim : theme.ink},
      r.w - 2 * pad);
  if (hit.hovered) canvas.tooltip(tr("click: all of its output"));
  if (hit.clicked) desk.tab = ProgramDesk::Tab::output, desk.drawer_scroll = 0;
}

}  // namespace

std::string launch_title(const reader::ProgramLaunch& launch) {
  return launch.kernel + "<<<" + extents_text(launch.launch.grid) + ", " + extents_text(launch.launch.block) +
         ">>>";
}

ProgramLayout lay_out_program(const ProgramDesk& desk, Rect area, const Theme& theme) {
  const float type = theme.type, grow = 1 + (type - 1) * 0.6f;
  ProgramLayout l;
  const float bottom = 74 * grow;
  l.bottom = {area.x, area.bottom() - bottom, area.w, bottom};
  l.strip = {area.x + kProgramEdge, area.y + 8, area.w - 2 * kProgramEdge,
             20 * type + launch_strip_height(theme)};
  const float top = l.strip.bottom() + kProgramGap, height = l.bottom.y - top - 12;
  const float width =
      std::clamp((area.w - 2 * kProgramEdge) * 0.475f, std::min(560 * type, area.w * 0.55f), 760 * type);
  l.card = {area.x + kProgramEdge, top, width, height};
  const bool told = !desk.findings().empty() || reader::has_error(desk.diagnostics());
  const float drawer = std::clamp(height * (told ? 0.19f : 0.16f), (told ? 136 : 100) * type, 190 * type);
  l.editor = {l.card.x, l.card.y, l.card.w, l.card.h - drawer};
  l.drawer = {l.card.x, l.editor.bottom(), l.card.w, drawer};
  l.stage = {l.card.right(), top - 12, area.right() - l.card.right(), l.bottom.y - top + 12};
  return l;
}

void draw_launches(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme) {
  const float type = theme.type, head = 20 * type;
  std::string title = tr("LAUNCHES");
  canvas.text({r.x + 4, r.y + 8 * type}, title, {Font::words_semibold, 10.5f * type, theme.dim});
  const Rect row{r.x, r.y + head, r.w, r.h - head};
  if (!desk.run()) {
    canvas.stroke_rect(row, theme.line, 1, kCorner);
    canvas.text_fit({row.x + 14, row.center().y},
                    tr("What the program launches stands here once it has run."),
                    {Font::words, 11.5f * type, theme.dim}, row.w - 28);
    return;
  }
  if (desk.run()->launches_dropped > 0)
    canvas.text_fit(
        {r.x + 12 + canvas.measure(title, {Font::words_semibold, 10.5f * type, {}}), r.y + 8 * type},
        tr("the first {0} of {1}",
           {grouped(std::int64_t(desk.run()->launches.size())),
            grouped(std::int64_t(desk.run()->launches.size()) + desk.run()->launches_dropped)}),
        {Font::words, 10.5f * type, theme.dim}, r.w / 2);
  const float printed = std::clamp(row.w * 0.33f, 230 * type, 470 * type);
  const auto cells = cells_of(desk);
  if (const auto chosen =
          draw_launch_strip(canvas, theme, {row.x, row.y, row.w - printed - 24, row.h}, cells, desk.launch()))
    desk.choose_launch(*chosen);
  draw_printed(canvas, desk, {row.right() - printed, row.y, printed, row.h}, theme);
}

namespace {

void draw_stepper_of(Canvas& canvas, const App& app, ProgramDesk& desk, Rect r, const Theme& theme) {
  StepperPicture p;
  if (desk.has_steps()) p.scene = desk.scene();
  p.view = desk.view(), p.segments = desk.segments(), p.playing = desk.playing();
  p.steps_per_second = desk.steps_per_second;
  if (app.notice) p.notice = tr(*app.notice);
  const StepperEvents events = draw_steps(canvas, theme, r, p);
  if (events.stop) desk.play(false);
  if (events.go_to) desk.go_to(*events.go_to);
  if (events.by) desk.step_by(events.by);
  if (events.play) desk.play(!desk.playing());
  if (events.steps_per_second) desk.steps_per_second = *events.steps_per_second;
}

}  // namespace

void draw_program(Canvas& canvas, App& app, Rect area) {
  ProgramDesk& desk = *app.program();
  const Theme theme = app.theme();
  const ProgramLayout l = lay_out_program(desk, area, theme);
  draw_program_stage(canvas, desk, l.stage, theme);
  draw_launches(canvas, desk, l.strip, theme);
  draw_editor(canvas, desk, l.editor, theme, app.caret_shown());
  draw_drawer(canvas, desk, l.drawer, theme, app.caret_shown());
  canvas.stroke_rect(l.card, theme.line, 1, kCorner);
  draw_stepper_of(canvas, app, desk, l.bottom, theme);
}

}  // namespace lockstep
