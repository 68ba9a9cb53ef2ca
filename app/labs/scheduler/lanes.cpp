// The timelines of the scheduler's stage: enlarged around the current cycle, and the whole run.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

void show_state_hint(Canvas& canvas, const PlayedWarps& p, int w, int cycle) {
  std::string text = tr("warp {0}, cycle {1}: {2}",
                        {number_text(w), grouped(cycle), tr(p.meaning_of(p.sm.state(w, cycle), true))});
  if (const std::string barrier = p.barrier_of(w, cycle); !barrier.empty()) text += " (" + barrier + ")";
  if (const SmInstruction* next = p.next_of(w, cycle))
    text += "\n" + tr("next: {0}, line {1}", {name_of(next->op), number_text(next->line)});
  canvas.tooltip(text);
}

// Where the rows of the enlarged timeline stand, from top to bottom.
struct EnlargedRows {
  CycleWindow window;
  std::vector<int> warps;
  Rect cells, slots, eligible, tensor, boxes;  // the last two are empty without units
  float label = 0, row = 0, slot = 0, axis_h = 0;
  float unit() const { return cells.w / float(window.count()); }
};
EnlargedRows enlarged_rows(const PlayedWarps& p, const StageInput& in, Rect r) {
  const float type = in.theme.type;
  EnlargedRows rows;
  rows.window = enlarged_window(p, in.view.step), rows.warps = p.warps_of(p.sub_core_of(in.view.warp));
  rows.label = 66 * type, rows.slot = std::min(11 * type, r.h * 0.033f), rows.axis_h = 16 * type;
  const float eligible_h = std::max(1.8f * rows.slot, 14 * type);
  const float units_h = p.has_units() ? kSubCores * rows.slot + eligible_h + 8 * type : 0;
  const float room = r.h - kSubCores * rows.slot - eligible_h - units_h - rows.axis_h - 12 * type;
  rows.row = std::min(120 * type, room / float(std::max<std::size_t>(rows.warps.size(), 1)));
  rows.cells = {r.x + rows.label, r.y, r.w - rows.label, rows.row * float(rows.warps.size())};
  const float slot_y = rows.cells.bottom() + rows.axis_h + 4 * type;
  rows.slots = {rows.cells.x, slot_y, rows.cells.w, kSubCores * rows.slot};
  rows.eligible = {rows.cells.x, rows.slots.bottom() + 4 * type, rows.cells.w, eligible_h};
  if (!p.has_units()) return rows;
  rows.tensor = {rows.cells.x, rows.eligible.bottom() + 4 * type, rows.cells.w, kSubCores * rows.slot};
  rows.boxes = {rows.cells.x, rows.tensor.bottom() + 4 * type, rows.cells.w, eligible_h};
  return rows;
}

std::string part_text(PlayedWarps::Part part) {
  switch (part) {
    case PlayedWarps::Part::fetches:
      return tr("fetches");
    case PlayedWarps::Part::multiplies:
      return tr("multiplies");
    case PlayedWarps::Part::none:
      break;
  }
  return "";
}

// The warps' names in front of their rows, and what each is there for where they do different things.
void draw_names(Canvas& canvas, const StageInput& in, const PlayedWarps& p, const EnlargedRows& rows) {
  const Theme& theme = in.theme;
  const float type = theme.type;
  const int every = std::max(1, int(std::ceil(13 * type / rows.row)));
  for (std::size_t i = 0; i < rows.warps.size(); i += std::size_t(every)) {
    const int warp = rows.warps[i];
    const std::string part = rows.row >= 24 * type ? part_text(p.part_of(warp)) : "";
    const Vec2 at{rows.cells.x - 8 * type, rows.cells.y + rows.row * (float(i) + 0.5f)};
    canvas.text({at.x, at.y - (part.empty() ? 0 : 7 * type)}, tr("warp {0}", {number_text(warp)}),
                {Font::words, 11 * type, warp == in.view.warp ? theme.ink : theme.dim, Align::right});
    if (!part.empty())
      canvas.text({at.x, at.y + 7 * type}, part, {Font::words, 10 * type, theme.dim, Align::right});
  }
}

// The current cycle, in the one colour that says so.
void draw_now(Canvas& canvas, const Theme& theme, Rect r) {
  canvas.stroke_rect(r, theme.dark ? theme.ground : theme.ink, 3.5f, 2);
  canvas.stroke_rect(r, color::current, 1.5f, 2);
}

std::string unit_hint(const PlayedWarps& p, int cycle) {
  int cores = 0;
  for (const auto& core : p.tensor) cores += core[std::size_t(cycle)];
  return tr(
      "cycle {0}: {1} of {2} tensor cores work; {3} boxes are under way",
      {grouped(cycle), number_text(cores), number_text(kSubCores), number_text(p.boxes[std::size_t(cycle)])});
}

// What stands under the pointer, and where a click leads.
void handle_pointer(Canvas& canvas, const PlayedWarps& p, const EnlargedRows& rows, int sub_core,
                    StageEvents& events) {
  const Rect &cells = rows.cells, &slots = rows.slots;
  const CycleWindow window = rows.window;
  const float bottom = p.has_units() ? rows.boxes.bottom() : rows.eligible.bottom();
  const Hit hit = canvas.hit("stage/zoom", {cells.x, cells.y, cells.w, bottom - cells.y});
  if (!hit.hovered) return;
  const int cycle =
      std::clamp(window.first + int((hit.pointer.x - cells.x) / rows.unit()), window.first, window.end - 1);
  if (cells.contains(hit.pointer)) {
    const int row = std::clamp(int((hit.pointer.y - cells.y) / rows.row), 0, int(rows.warps.size()) - 1);
    const int w = rows.warps[std::size_t(row)];
    show_state_hint(canvas, p, w, cycle);
    // The run's own block may have fewer.
    const int launched = sm_setting(p.setting, p.policy).warps_per_block;
    if (hit.clicked && std::min(w, sub_core) < launched) events.follow_warp = w < launched ? w : sub_core;
  } else if (slots.contains(hit.pointer)) {
    const int s = std::clamp(int((hit.pointer.y - slots.y) / rows.slot), 0, kSubCores - 1);
    canvas.tooltip(tr(why_selected(p, s, cycle)));
    if (hit.clicked && s < p.sm.warps) events.follow_warp = s;
  }
  if (rows.eligible.contains(hit.pointer))
    canvas.tooltip(
        tr("cycle {0}: {1} of {2} warps could issue",
           {grouped(cycle), number_text(p.eligible[std::size_t(cycle)]), number_text(p.sm.warps)}));
  if (p.has_units() && (rows.tensor.contains(hit.pointer) || rows.boxes.contains(hit.pointer)))
    canvas.tooltip(unit_hint(p, cycle));
  if (hit.clicked) events.go_to_step = cycle;
}

}  // namespace

CycleWindow enlarged_window(const PlayedWarps& p, int step) {
  const int count = std::clamp(p.shown_cycles, 1, p.sm.cycles);
  const int first = std::clamp(step - count / 2, 0, p.sm.cycles - count);
  return {first, first + count};
}

void draw_enlarged(Canvas& canvas, const StageInput& in, const SchedulerScene& scene, Rect r,
                   StageEvents& events) {
  canvas.landmark("warps", r);
  const PlayedWarps& p = scene.played;
  const Theme& theme = in.theme;
  const float type = theme.type;
  const EnlargedRows rows = enlarged_rows(p, in, r);
  const Rect& cells = rows.cells;
  const int columns = rows.window.columns(cells.w);
  draw_state_cells(canvas, theme, "stage/zoom", cells, columns,
                   scene.enlarged_cells.of(rows.warps, rows.window, columns));
  draw_names(canvas, in, p, rows);
  draw_cycles_axis(canvas, theme, {cells.x, cells.bottom(), cells.w, rows.axis_h}, rows.window);
  const TextStyle name{Font::words, 11.5f * type, theme.ink};
  canvas.text_fit({r.x, rows.slots.y + rows.slot * 2}, tr("issue slots"), name, rows.label - 6);
  draw_slots(canvas, theme, "stage/slots", rows.slots, p.used, rows.window, color::shared);
  draw_counts(canvas, theme, rows.eligible, p.eligible, rows.window, kSubCores, Color::hex(0x66B99A));
  canvas.text_fit({r.x, rows.eligible.center().y}, tr("eligible"), name, rows.label - 6);
  if (p.has_units()) {
    draw_slots(canvas, theme, "stage/tensor", rows.tensor, p.tensor, rows.window, color::tensor);
    canvas.text_fit({r.x, rows.tensor.center().y}, tr("tensor"), name, rows.label - 6);
    draw_counts(canvas, theme, rows.boxes, p.boxes, rows.window, 1, color::hbm);
    canvas.text_fit({r.x, rows.boxes.center().y}, tr("boxes"), name, rows.label - 6);
  }
  const float bottom = p.has_units() ? rows.boxes.bottom() : rows.eligible.bottom();
  const float x = cells.x + rows.unit() * float(in.view.step - rows.window.first);
  for (const Rect& part : {cells, Rect{cells.x, rows.slots.y, cells.w, bottom - rows.slots.y}})
    draw_now(canvas, theme, {x, part.y - 2, std::max(rows.unit(), 2.f), part.h + 4});
  handle_pointer(canvas, p, rows, p.sub_core_of(in.view.warp), events);
}

float iterations_from(const Theme& theme) { return 64 * theme.type; }

void draw_whole_run(Canvas& canvas, const StageInput& in, const SchedulerScene& scene, Rect r,
                    StageEvents& events) {
  canvas.landmark("whole run", r);
  const Theme& theme = in.theme;
  const float type = theme.type, label = 66 * type, axis_h = 16 * type;
  const PlayedWarps& p = scene.played;
  const MeasuredIterations& measured = scene.measured;
  int cycles = p.sm.cycles;
  for (const auto& warp : measured.starts)
    if (!warp.empty()) cycles = std::max(cycles, warp.back());
  const bool high = r.h >= iterations_from(theme), measures = high && !measured.starts.empty();
  const int bands = measures ? 3 : high && p.has_units() ? 2 : 1;
  const float gap = 6 * type, h = (r.h - axis_h - gap * float(bands - 1)) / float(bands);
  const auto band = [&](int i) { return Rect{r.x + label, r.y + float(i) * (h + gap), r.w - label, h}; };
  const auto name = [&](int i, const std::string& text) {
    canvas.text_fit({r.x, band(i).center().y}, text, {Font::words, 11 * type, theme.dim}, label - 6);
  };
  std::vector<int> warps;
  for (int s = 0; s < kSubCores; ++s)
    for (const int w : p.warps_of(s)) warps.push_back(w);
  Rect states = band(0);
  states.w *= float(p.sm.cycles) / float(cycles);
  const int columns = CycleWindow{0, p.sm.cycles}.columns(states.w);
  draw_state_cells(canvas, theme, "stage/whole", states, columns,
                   scene.whole_cells.of(warps, {0, p.sm.cycles}, columns));
  name(0, tr("states"));
  if (bands == 2) {
    Rect works = band(1);
    works.w = states.w;
    draw_slots(canvas, theme, "stage/whole-tensor", works, p.tensor, {0, p.sm.cycles}, color::tensor);
    name(1, tr("tensor"));
  }
  if (bands == 3) {
    draw_iterations(canvas, theme, "stage/model-iterations", band(1), scene.modelled, cycles);
    draw_iterations(canvas, theme, "stage/iterations", band(2), measured.starts, cycles);
    name(1, tr("model"));
    name(2, tr("GPU"));
  }
  const Rect all{r.x + label, r.y, r.w - label, band(bands - 1).bottom() - r.y};
  draw_cycles_axis(canvas, theme, {all.x, all.bottom(), all.w, axis_h}, {0, cycles});
  const CycleWindow window = enlarged_window(p, in.view.step);
  const float unit = all.w / float(cycles);
  canvas.stroke_rect(
      {all.x + unit * float(window.first), all.y - 2, std::max(3.f, unit * float(window.count())), all.h + 4},
      theme.dim, 1, 2);
  draw_now(canvas, theme, {all.x + unit * float(in.view.step) - 1, all.y, 2, all.h});
  const Hit hit = canvas.hit("stage/whole", all);
  if (!hit.hovered) return;
  const int cycle = std::min(int((hit.pointer.x - all.x) / unit), p.sm.cycles - 1);
  if (hit.clicked || hit.held) events.go_to_step = cycle;
  canvas.tooltip(tr("cycle {0}: click to go there", {grouped(cycle)}));
}

}  // namespace lockstep
