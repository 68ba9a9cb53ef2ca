#include "picture.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

}  // namespace

Color state_color(WarpState state) {
  constexpr Color kColors[kWarpStates] = {
      color::shared,    Color::hex(0x9AD3BF), color::hbm, Color::hex(0x66B99A), color::barrier,
      color::registers, Color::hex(0xBFC4C8), color::l2,  Color::hex(0x7A828A), Color::hex(0x8A8F94, 40)};
  return kColors[std::size_t(state)];
}

Message state_label(WarpState state) {
  switch (state) {
    case WarpState::selected:
      return msg("selected");
    case WarpState::not_selected:
      return msg("not selected");
    case WarpState::long_scoreboard:
      return msg("long scoreboard");
    case WarpState::short_scoreboard:
      return msg("short scoreboard");
    case WarpState::barrier:
      return msg("barrier");
    case WarpState::math_throttle:
      return msg("math throttle");
    case WarpState::wait:
      return msg("wait");
    case WarpState::lsu_throttle:
      return msg("LSU throttle");
    case WarpState::no_instruction:
      return msg("no instruction");
    case WarpState::done:
      return msg("done");
  }
  return msg("done");
}

WarpState most_common(const SmRun& sm, int first_warp, int end_warp, int first_cycle, int end_cycle) {
  std::array<int, kWarpStates> count{};
  for (int w = first_warp; w < end_warp; ++w)
    for (int c = first_cycle; c < end_cycle; ++c) ++count[std::size_t(sm.state(w, c))];
  const auto done = std::size_t(WarpState::done);
  const auto most = std::max_element(count.begin(), count.begin() + std::ptrdiff_t(done));
  return *most ? WarpState(most - count.begin()) : WarpState::done;
}

Message why_selected(const Played& p, int sub_core, int cycle) {
  const int w = p.sm.selected(sub_core, cycle);
  if (w < 0) {
    std::array<int, kWarpStates> count{};
    for (int i = sub_core; i < p.sm.warps; i += kSubCores) ++count[std::size_t(p.sm.state(i, cycle))];
    const auto most = std::size_t(std::max_element(count.begin(), count.end()) - count.begin());
    return msg("Cycle {0}: scheduler {1} issues nothing, none of its warps can go on; most of them: {2}.",
               {grouped(cycle), n(sub_core), tr(state_label(WarpState(most)))});
  }
  const SmInstruction& i = p.program.instructions[std::size_t(p.sm.at(w, cycle))];
  const std::vector<std::string> args{grouped(cycle), n(sub_core), name_of(i.op), n(w), n(i.line)};
  int others = 0;
  for (int v = sub_core; v < p.sm.warps; v += kSubCores)
    others += p.sm.state(v, cycle) == WarpState::not_selected;
  if (others == 0)
    return msg(
        "Cycle {0}: scheduler {1} issues {2} of warp {3} (line {4}), the only one of its warps that can go "
        "on.",
        args);
  if (p.policy == Policy::round_robin)
    return msg("Cycle {0}: scheduler {1} issues {2} of warp {3} (line {4}): its turn has come (round robin).",
               args);
  int last = -1;
  for (int c = cycle - 1; c >= 0 && last < 0; --c) last = p.sm.selected(sub_core, c);
  if (last == w)
    return msg(
        "Cycle {0}: scheduler {1} issues {2} of warp {3} (line {4}): it issued last and can still go on "
        "(greedy).",
        args);
  if (p.policy == Policy::greedy_oldest)
    return msg("Cycle {0}: scheduler {1} issues {2} of warp {3} (line {4}): the oldest that can go on.",
               args);
  return msg("Cycle {0}: scheduler {1} issues {2} of warp {3} (line {4}): the youngest that can go on.",
             args);
}

// --- the stage
// ------------------------------------------------------------------------------------------------------

namespace {

CycleWindow window_of(const Played& p, int step) {
  const int count = std::clamp(p.shown_cycles, 1, p.sm.cycles);
  const int first = std::clamp(step - count / 2, 0, p.sm.cycles - count);
  return {first, first + count};
}

std::array<Color, 256> colormap(const Theme& theme) {
  std::array<Color, 256> colors;
  colors.fill(theme.soft);
  for (int s = 0; s < kWarpStates; ++s) colors[std::size_t(s)] = state_color(WarpState(s));
  colors[std::size_t(WarpState::done)] = theme.soft;
  return colors;
}

// Rows of warps over a stretch of cycles as one grid; cycles that would be below 3 px are taken together.
void draw_states(Canvas& canvas, const Theme& theme, const std::string& key, Rect r, const Played& p,
                 const std::vector<int>& warps, CycleWindow window) {
  const int columns = window.columns(r.w);
  const auto& values = p.merged(key, warps, window, columns);
  const auto colors = colormap(theme);
  canvas.grid(key, r, columns, int(warps.size()), values, colors);
}

std::vector<int> warps_of(const SmRun& sm, int sub_core) {
  std::vector<int> warps;
  for (int w = sub_core; w < sm.warps; w += kSubCores) warps.push_back(w);
  return warps;
}

float heading(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
              const std::string& behind) {
  const TextStyle style{Font::words_semibold, 13.5f * theme.type, theme.ink};
  canvas.text_fit({r.x, r.y + 9 * theme.type}, title, style, r.w);
  const float used = canvas.measure(title, style) + 12 * theme.type;
  if (!behind.empty() && r.w - used > 60)
    canvas.text_fit({r.x + used, r.y + 9.5f * theme.type}, behind, {Font::words, 11 * theme.type, theme.dim},
                    r.w - used);
  return 22 * theme.type;
}

std::vector<LegendItem> legend_of(const Played& p, const Theme& theme) {
  std::vector<LegendItem> items;
  for (int s = 0; s < kWarpStates; ++s)
    if (p.sm.total[std::size_t(s)] > 0)
      items.push_back({tr(state_label(WarpState(s))),
                       WarpState(s) == WarpState::done ? theme.line : state_color(WarpState(s))});
  return items;
}

// Round cycles below a timeline.
void draw_cycles_axis(Canvas& canvas, const Theme& theme, Rect r, CycleWindow window) {
  const PlotAxis axis{"", double(window.first), double(window.end), false};
  const int most = std::max(2, int(r.w / (90 * theme.type)));
  float right = r.x - 100;
  for (const double tick : ticks_of(axis, most)) {
    const float x = r.x + r.w * float((tick - window.first) / window.count());
    const std::string text = grouped(std::int64_t(tick));
    const TextStyle style{Font::mono, 10.5f * theme.type, theme.dim, Align::center};
    const float half = canvas.measure(text, style) / 2;
    if (x - half < right + 6 || tick != std::floor(tick)) continue;
    canvas.text({std::clamp(x, r.x + half, r.right() - half), r.y + 8 * theme.type}, text, style);
    right = x + half;
  }
}

void tell_state(Canvas& canvas, const Played& p, int w, int cycle) {
  const int at = p.sm.at(w, cycle);
  std::string text =
      tr("warp {0}, cycle {1}: {2}", {n(w), grouped(cycle), tr(state_label(p.sm.state(w, cycle)))});
  if (at < p.sm.program_size) {
    const SmInstruction& i = p.program.instructions[std::size_t(at)];
    text += "\n" + tr("next: {0}, line {1}", {name_of(i.op), n(i.line)});
  }
  canvas.tooltip(text);
}

// How many warps of the SM could issue, as bars.
void draw_eligible(Canvas& canvas, const Theme& theme, Rect r, const Played& p, CycleWindow window) {
  const int columns = window.columns(r.w);
  const float w = r.w / float(columns);
  int most = kSubCores;  // in a cycle of this stretch
  for (int c = window.first; c < window.end; ++c) most = std::max(most, int(p.eligible[std::size_t(c)]));
  canvas.line({r.x, r.bottom()}, {r.right(), r.bottom()}, theme.line);
  for (int x = 0; x < columns; ++x) {
    const CycleWindow part = window.part(x, columns);
    int sum = 0;
    for (int c = part.first; c < part.end; ++c) sum += p.eligible[std::size_t(c)];
    const float h = r.h * float(sum) / float(part.count()) / float(most);
    if (h > 0)
      canvas.fill_rect(
          {r.x + float(x) * w, r.bottom() - std::max(h, 1.f), std::max(1.f, w - 1), std::max(h, 1.f)},
          Color::hex(0x66B99A));
  }
}

// The issue slots of all four schedulers: how many of the cycles of a column they use.
void draw_slots(Canvas& canvas, const Theme& theme, Rect r, const Played& p, CycleWindow window) {
  std::vector<std::uint8_t> values;
  const int columns = window.columns(r.w);
  for (const auto& used : p.used)
    for (int x = 0; x < columns; ++x) {
      const CycleWindow part = window.part(x, columns);
      int sum = 0;
      for (int c = part.first; c < part.end; ++c) sum += used[std::size_t(c)];
      values.push_back(std::uint8_t(255 * sum / part.count()));
    }
  std::array<Color, 256> shades;
  for (int v = 0; v < 256; ++v) shades[std::size_t(v)] = mix(theme.soft, color::shared, float(v) / 255);
  canvas.grid("stage/slots", r, columns, kSubCores, values, shades);
}

// The followed scheduler's warps around the current cycle, and the issue slots of all four.
void draw_zoom(Canvas& canvas, const StageInput& in, const Played& p, Rect r, int sub_core,
               StageEvents& events) {
  const Theme& theme = in.theme;
  const float type = theme.type, label = 66 * type, slot = std::min(11 * type, r.h * 0.033f),
              axis_h = 16 * type;
  const float eligible_h = std::max(1.8f * slot, 14 * type);
  const CycleWindow window = window_of(p, in.step);
  const std::vector<int> warps = warps_of(p.sm, sub_core);
  const float room = r.h - kSubCores * slot - eligible_h - axis_h - 12 * type;
  const float row = std::min(44 * type, room / float(std::max<std::size_t>(warps.size(), 1)));
  const Rect cells{r.x + label, r.y, r.w - label, row * float(warps.size())};
  draw_states(canvas, theme, "stage/zoom", cells, p, warps, window);
  const int every = std::max(1, int(std::ceil(13 * type / row)));
  for (std::size_t i = 0; i < warps.size(); i += std::size_t(every))
    canvas.text({cells.x - 8 * type, cells.y + row * (float(i) + 0.5f)}, tr("warp {0}", {n(warps[i])}),
                {Font::words, 11 * type, warps[i] == in.warp ? theme.ink : theme.dim, Align::right});
  draw_cycles_axis(canvas, theme, {cells.x, cells.bottom(), cells.w, axis_h}, window);
  const float slot_y = cells.bottom() + axis_h + 4 * type;
  canvas.text_fit({r.x, slot_y + slot * 2}, tr("issue slots"), {Font::words, 11.5f * type, theme.ink},
                  label - 6);
  const Rect slot_cells{cells.x, slot_y, cells.w, kSubCores * slot};
  draw_slots(canvas, theme, slot_cells, p, window);
  const Rect eligible{cells.x, slot_cells.bottom() + 4 * type, cells.w, eligible_h};
  draw_eligible(canvas, theme, eligible, p, window);
  canvas.text_fit({r.x, eligible.center().y}, tr("eligible"), {Font::words, 11.5f * type, theme.ink},
                  label - 6);
  const float unit = cells.w / float(window.count());
  for (const Rect& part : {cells, Rect{cells.x, slot_cells.y, cells.w, eligible.bottom() - slot_cells.y}})
    canvas.stroke_rect(
        {part.x + unit * float(in.step - window.first), part.y - 2, std::max(unit, 2.f), part.h + 4},
        theme.ink, 1.5f, 2);
  const Hit hit = canvas.hit("stage/zoom", {cells.x, cells.y, cells.w, eligible.bottom() - cells.y});
  if (!hit.hovered) return;
  const int cycle =
      std::clamp(window.first + int((hit.pointer.x - cells.x) / unit), window.first, window.end - 1);
  if (cells.contains(hit.pointer)) {
    const int w =
        warps[std::size_t(std::clamp(int((hit.pointer.y - cells.y) / row), 0, int(warps.size()) - 1))];
    tell_state(canvas, p, w, cycle);
    // The run's own block may have fewer.
    const int launched = sm_setting(p.setting, p.policy).warps_per_block;
    if (hit.clicked && std::min(w, sub_core) < launched) events.follow_warp = w < launched ? w : sub_core;
  } else if (slot_cells.contains(hit.pointer)) {
    const int s = std::clamp(int((hit.pointer.y - slot_cells.y) / slot), 0, kSubCores - 1);
    canvas.tooltip(tr(why_selected(p, s, cycle)));
    if (hit.clicked && s < p.sm.warps) events.follow_warp = s;
  }
  if (eligible.contains(hit.pointer))
    canvas.tooltip(tr("cycle {0}: {1} of {2} warps could issue",
                      {grouped(cycle), n(p.eligible[std::size_t(cycle)]), n(p.sm.warps)}));
  if (hit.clicked) events.go_to_step = cycle;
}

// Iterations of every warp as a GPU stamped them: stretches of alternating shade.
void draw_iterations(Canvas& canvas, const Theme& theme, const char* key, Rect r,
                     const std::vector<std::vector<int>>& starts, int cycles) {
  const int columns = std::max(1, int(r.w / 2));
  std::vector<std::uint8_t> values;
  for (int s = 0; s < kSubCores; ++s)
    for (std::size_t w = std::size_t(s); w < starts.size(); w += kSubCores)
      for (int x = 0; x < columns; ++x) {
        const int cycle = int(std::int64_t(cycles) * x / columns);
        const auto at = std::upper_bound(starts[w].begin(), starts[w].end(), cycle) - starts[w].begin();
        const bool on = at > 0 && at < std::ptrdiff_t(starts[w].size());
        values.push_back(on ? std::uint8_t(1 + at % 2) : 0);
      }
  std::array<Color, 256> colors;
  colors.fill(theme.soft);
  colors[1] = mix(theme.soft, theme.ink, 0.55f), colors[2] = mix(theme.soft, theme.ink, 0.25f);
  canvas.grid(key, r, columns, int(starts.size()), values, colors, 0);
}

std::vector<std::vector<int>> model_starts(const Played& p) {
  std::vector<std::vector<int>> starts;
  const std::size_t marks = p.program.marks.size();
  for (std::size_t i = 0; i < p.sm.marks.size(); i += marks)
    starts.emplace_back(p.sm.marks.begin() + std::ptrdiff_t(i),
                        p.sm.marks.begin() + std::ptrdiff_t(i + marks));
  return starts;
}

struct Measured {
  std::vector<std::vector<int>> starts;
  std::string provenance;
};
Measured measured_of(const Run& run, const Played& p) {
  if (!p.own()) return {};
  if (const auto at = run.metrics.find("measured.cycles_text"); at != run.metrics.end())
    if (const auto* text = std::get_if<std::string>(&at->second))
      return {read_starts(*text), std::string(provenance_of(run, "metrics.measured.cycles_text"))};
  if (const RecordedChain* r = recorded_chain(p.setting)) return {read_starts(r->starts), kRecordedChains};
  return {};
}

// The whole run, all four schedulers: the model's states, its iterations, and the iterations that a GPU
// stamped, over the same cycles.
void draw_whole(Canvas& canvas, const StageInput& in, const Played& p, Rect r, StageEvents& events) {
  const Theme& theme = in.theme;
  const float type = theme.type, label = 66 * type, axis_h = 16 * type;
  const Measured measured = measured_of(in.run, p);
  int cycles = p.sm.cycles;
  for (const auto& warp : measured.starts)
    if (!warp.empty()) cycles = std::max(cycles, warp.back());
  const int bands = measured.starts.empty() ? 1 : 3;
  const float gap = 6 * type, h = (r.h - axis_h - gap * float(bands - 1)) / float(bands);
  const auto band = [&](int i) { return Rect{r.x + label, r.y + float(i) * (h + gap), r.w - label, h}; };
  const auto name = [&](int i, const std::string& text) {
    canvas.text_fit({r.x, band(i).center().y}, text, {Font::words, 11 * type, theme.dim}, label - 6);
  };
  std::vector<int> warps;
  for (int s = 0; s < kSubCores; ++s)
    for (const int w : warps_of(p.sm, s)) warps.push_back(w);
  Rect states = band(0);
  states.w *= float(p.sm.cycles) / float(cycles);
  draw_states(canvas, theme, "stage/whole", states, p, warps, {0, p.sm.cycles});
  name(0, tr("states"));
  if (bands == 3) {
    draw_iterations(canvas, theme, "stage/model-iterations", band(1), model_starts(p), cycles);
    draw_iterations(canvas, theme, "stage/iterations", band(2), measured.starts, cycles);
    name(1, tr("model"));
    name(2, badge_word(measured.provenance));
  }
  const Rect all{r.x + label, r.y, r.w - label, band(bands - 1).bottom() - r.y};
  draw_cycles_axis(canvas, theme, {all.x, all.bottom(), all.w, axis_h}, {0, cycles});
  const CycleWindow window = window_of(p, in.step);
  const float unit = all.w / float(cycles);
  canvas.stroke_rect(
      {all.x + unit * float(window.first), all.y - 2, std::max(3.f, unit * float(window.count())), all.h + 4},
      theme.ink, 1.5f, 2);
  const Hit hit = canvas.hit("stage/whole", all);
  if (!hit.hovered) return;
  const int cycle = std::min(int((hit.pointer.x - all.x) / unit), p.sm.cycles - 1);
  if (hit.clicked || hit.held) events.go_to_step = cycle;
  canvas.tooltip(tr("cycle {0}: click to go there", {grouped(cycle)}));
}

// Why this warp and not that one, scheduler's warp by warp's state.
void draw_reasons(Canvas& canvas, const StageInput& in, const Played& p, Rect r, int sub_core) {
  const Theme& theme = in.theme;
  const float type = theme.type, line = 20 * type;
  float y = r.y + heading(canvas, theme, r, tr("Why this warp?"), tr("state, warps, for how many cycles"));
  for (int s = 0; s < kWarpStates; ++s) {
    std::string who;
    int least = p.sm.cycles, most = 0;
    for (const int w : warps_of(p.sm, sub_core)) {
      if (int(p.sm.state(w, in.step)) != s) continue;
      int since = in.step;
      while (since > 0 && int(p.sm.state(w, since - 1)) == s) --since;
      least = std::min(least, in.step - since + 1), most = std::max(most, in.step - since + 1);
      who += (who.empty() ? "" : ", ") + n(w);
    }
    if (who.empty() || y + line > r.bottom()) continue;
    const std::string how_long = least == most ? n(most) : n(least) + "–" + n(most);
    canvas.fill_rect({r.x, y + line / 2 - 5 * type, 10 * type, 10 * type},
                     WarpState(s) == WarpState::done ? theme.line : state_color(WarpState(s)), 2);
    const float label = 118 * type, last = 78 * type;
    canvas.text_fit({r.x + 16 * type, y + line / 2}, tr(state_label(WarpState(s))),
                    {Font::words, 12 * type, theme.ink}, label - 20 * type);
    if (r.w < label + last + 30 * type) {  // half a stage: the warps alone
      canvas.text_fit({r.x + label, y + line / 2}, who, {Font::mono, 11.5f * type, theme.ink}, r.w - label);
      y += line;
      continue;
    }
    canvas.text_fit({r.x + label, y + line / 2}, who, {Font::mono, 11.5f * type, theme.ink},
                    r.w - label - last - 8);
    canvas.text_fit({r.right(), y + line / 2}, how_long, {Font::mono, 11.5f * type, theme.dim, Align::right},
                    last);
    y += line;
  }
}

void draw_stalls(Canvas& canvas, const Theme& theme, const Played& p, Rect r) {
  const float top = heading(canvas, theme, r, tr("Where the warps' cycles go"), "");
  std::vector<int> order;
  std::int64_t all = 0;
  for (int s = 0; s < kWarpStates; ++s)
    if (WarpState(s) != WarpState::done && p.sm.total[std::size_t(s)] > 0)
      order.push_back(s), all += p.sm.total[std::size_t(s)];
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return p.sm.total[std::size_t(a)] > p.sm.total[std::size_t(b)]; });
  const auto room = std::size_t(std::max(0.f, (r.h - top) / (24 * theme.type)));
  if (order.size() > room) order.resize(room);
  std::vector<Bar> bars;
  const double longest = order.empty() ? 1 : double(p.sm.total[std::size_t(order.front())]);
  for (const int s : order) {
    const double part = double(p.sm.total[std::size_t(s)]);
    bars.push_back({tr(state_label(WarpState(s))), percent_text(part / double(all)), part / longest,
                    state_color(WarpState(s))});
  }
  draw_bars(canvas, theme, "stage/stalls", {r.x, r.y + top, r.w, r.h - top}, bars);
}

// Of what the model says: no GPU has another latency or policy, and no kernel of another lab was timed warp
// by warp, so no error is known there.
const char* model_words(const Played& p) {
  return p.own() && p.latency == mean_latency(h200_table()) && p.policy == Policy::greedy_youngest
             ? kModelError
             : "modelled";
}

void draw_throughput(Canvas& canvas, const Theme& theme, const Played& p, Rect r) {
  const ThroughputCurve& curve = p.curve();
  const float top = heading(canvas, theme, r, tr("Throughput against warps"),
                            !p.own()                 ? tr("not measured")
                            : curve.recorded.empty() ? tr("not measured with these settings")
                                                     : tr("dots: H200, recorded"));
  Plot plot;
  plot.id = "stage/throughput";
  plot.x = {tr("warps"), 0, 70, false}, plot.y = {tr("instructions per cycle"), 0, 4.2, false};
  plot.series = {{tr("Little's law"), curve.little, theme.dim, PlotMark::dashed},
                 {tr("model"), curve.model, color::registers, PlotMark::line},
                 {"", curve.recorded, color::hbm, PlotMark::dots}};
  plot.cursor = double(p.sm.warps);
  draw_plot(canvas, theme, {r.x - 6, r.y + top, r.w + 6, r.h - top + 4}, plot);
}

}  // namespace

namespace {
std::string played_text(const Played& p) {
  return tr("{0}, {1} blocks of {2} warps",
            {p.rung, n(p.sm.warps / p.warps_per_block), n(p.warps_per_block)});
}
}  // namespace

Timeline scheduler_timeline(const Run& run) {
  const auto played = played_of(run);
  const SmRun& sm = played->sm;
  Timeline t;
  for (int s = 0; s < kWarpStates; ++s) t.kinds.push_back(state_label(WarpState(s)).id);
  t.kinds.push_back("iteration");
  const std::string scale = ", 1 ns stands for 1 cycle)";
  for (int w = 0; w < sm.warps; ++w) {
    TimelineLane& lane = t.add_lane("warp " + n(w), "states (modelled" + scale);
    for (int from = 0, to = 0; from < sm.cycles; from = to) {
      const WarpState state = sm.state(w, from);
      while (to < sm.cycles && sm.state(w, to) == state) ++to;
      if (state != WarpState::done) t.add(lane, t.kinds[std::size_t(state)], from, to, std::uint16_t(state));
    }
  }
  const Measured measured = measured_of(run, *played);
  for (std::size_t w = 0; w < measured.starts.size(); ++w) {
    TimelineLane& lane =
        t.add_lane("warp " + n(std::int64_t(w)), "iterations (" + measured.provenance + scale);
    for (std::size_t i = 0; i + 1 < measured.starts[w].size(); ++i)
      t.add(lane, "iteration " + n(std::int64_t(i)), measured.starts[w][i], measured.starts[w][i + 1],
            std::uint16_t(kWarpStates));
  }
  t.nest();
  return t;
}

void draw_scheduler(Canvas& canvas, const StageInput& in, StageEvents& events) {
  const auto played = played_of(in.run);
  const Played& p = *played;
  if (p.sm.cycles == 0) return;
  StageInput at = in;
  at.step = std::clamp(in.step, 0, p.sm.cycles - 1);
  const Theme& theme = in.theme;
  const float type = theme.type, pad = 28, gap = 14 * type;
  const int sub_core = int(std::clamp<std::int64_t>(in.warp, 0, p.sm.warps - 1)) % kSubCores;
  Rect r{in.area.x + pad, in.area.y + 16, in.area.w - 2 * pad, in.area.h - 28};
  const CycleWindow window = window_of(p, at.step);
  r.y += heading(
      canvas, theme, r,
      tr("Scheduler {0} and its {1} warps", {n(sub_core), n(std::int64_t(warps_of(p.sm, sub_core).size()))}),
      tr("cycles {0} to {1} of {2}; {3}", {grouped(window.first), grouped(window.end - 1),
                                           grouped(p.sm.cycles), provenance_text(model_words(p))}) +
          (p.own() ? "" : "; " + played_text(p)));
  const auto legend = legend_of(p, theme);
  const float legend_h = legend_height(canvas, theme, r.w, legend);
  draw_legend(canvas, theme, {r.x, r.y, r.w, legend_h}, legend);
  r.y += legend_h + 6 * type;
  const float bottom = in.area.bottom() - 12, left = bottom - r.y;
  const float title_h = 22 * type, least = 150 * type;  // of the enlarged timeline
  float low_h = std::clamp(left * 0.27f, 100 * type, 190 * type),
        whole_h = std::clamp(left * 0.25f, 80 * type, 190 * type);
  const auto rest = [&] {
    return left - (low_h ? low_h + gap : 0) - (whole_h ? whole_h + title_h + gap : 0);
  };
  if (rest() < least) low_h = 0;  // half a stage
  if (rest() < least) whole_h = 0;
  draw_zoom(canvas, at, p, {r.x, r.y, r.w, rest()}, sub_core, events);
  if (!whole_h) return;
  float y = r.y + rest() + gap;
  y += heading(canvas, theme, {r.x, y, r.w, 0}, tr("The whole run, all four schedulers"),
               measured_of(in.run, p).starts.empty()
                   ? p.own() ? tr("the iterations of these settings were not measured")
                             : tr("of this program nothing was measured warp by warp")
                   : tr("dark and light: the iterations of each warp, as modelled and as stamped by a GPU"));
  draw_whole(canvas, at, p, {r.x, y, r.w, whole_h}, events);
  if (!low_h) return;
  y = bottom - low_h;
  const bool wide = r.w > 700 * type;
  const float third = (r.w - (wide ? 4 : 2) * gap) / (wide ? 3 : 2);
  draw_reasons(canvas, at, p, {r.x, y, third, low_h}, sub_core);
  draw_stalls(canvas, theme, p, {r.x + third + 2 * gap, y, third, low_h});
  if (wide) draw_throughput(canvas, theme, p, {r.x + 2 * third + 4 * gap, y, third, low_h});
}

}  // namespace lockstep
