// Below the timelines: the reasons, where the cycles go, throughput.
#include <algorithm>
#include <vector>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

// The warps of a scheduler that are in one state and do the same, and for how many cycles they have been in
// it.
struct WarpsInState {
  std::string doing, warps;
  int least = 0, most = 0;
  std::string cycles_text() const {
    return least == most ? number_text(most) : number_text(least) + "–" + number_text(most);
  }
};
std::vector<WarpsInState> warps_in(const PlayedWarps& p, WarpState state, int sub_core, int cycle) {
  std::vector<WarpsInState> all;
  for (const int w : p.warps_of(sub_core)) {
    if (p.sm.state(w, cycle) != state) continue;
    const std::string doing = p.doing(w, cycle);
    auto at = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.doing == doing; });
    if (at == all.end()) at = all.insert(at, {doing, "", p.sm.cycles, 0});
    const int cycles = p.cycles_in_state(w, cycle);
    at->least = std::min(at->least, cycles), at->most = std::max(at->most, cycles);
    at->warps += (at->warps.empty() ? "" : " ") + number_text(w);
  }
  return all;
}

}  // namespace

namespace {

// Who issues, and who else of the scheduler's warps does what, each state in words.
std::string reasons_title(const PlayedWarps& p, int sub_core, int cycle) {
  const int selected = p.sm.selected(sub_core, cycle);
  return selected < 0 ? tr("Why no warp in this cycle?") : tr("Why warp {0}?", {number_text(selected)});
}

constexpr float kReasonLine = 20;  // px at type size 1

struct ReasonColumns {
  float words = 0, last = 0, warps = 0;  // widths
  bool room = false;                     // for how long, too
};

TextStyle warps_style(const Theme& theme) { return {Font::mono, 11.5f * theme.type, theme.ink}; }

// A state, its warps in as many lines as they need, and for how long; the height that this takes.
float draw_reason(Canvas& canvas, const Theme& theme, Rect r, WarpState state, const WarpsInState& these,
                  const ReasonColumns& columns) {
  const float type = theme.type, y = r.y + kReasonLine * type / 2, step = 16 * type;
  canvas.fill_rect({r.x, y - 5 * type, 10 * type, 10 * type},
                   state == WarpState::done ? theme.line : state_color(state), 2);
  canvas.text_fit({r.x + 16 * type, y}, these.doing, {Font::words, 12 * type, theme.ink},
                  columns.words - 20 * type);
  const float used = canvas.text_wrap({r.x + columns.words, y - step / 2}, these.warps, warps_style(theme),
                                      columns.warps, step);
  if (columns.room)
    canvas.text_fit({r.right(), y}, these.cycles_text(), {Font::mono, 11.5f * type, theme.dim, Align::right},
                    columns.last);
  return kReasonLine * type + used - step;
}

}  // namespace

void draw_reasons(Canvas& canvas, const StageInput& in, const PlayedWarps& p, Rect r) {
  const Theme& theme = in.theme;
  const float type = theme.type;
  const int sub_core = p.sub_core_of(in.view.warp), cycle = in.view.step;
  const bool names = !p.block.barriers.empty();  // of barriers, behind what is waited for
  ReasonColumns columns{std::min((names ? 212 : 166) * type, r.w * (names ? 0.74f : 0.62f)), 46 * type, 0,
                        false};
  columns.room = r.w >= columns.words + columns.last + 100 * type;  // in half a stage the warps alone
  columns.warps = r.w - columns.words - (columns.room ? columns.last + 8 : 0);
  const std::string title = reasons_title(p, sub_core, cycle);
  float y = r.y + draw_heading(canvas, theme, r, title, "");
  TextStyle head{Font::words, 11 * type, theme.dim};
  const float head_y = r.y + 9.5f * type,
              title_w = canvas.measure(title, {Font::words_semibold, 13.5f * type, theme.ink});
  if (title_w + 8 < columns.words) canvas.text({r.x + columns.words, head_y}, tr("warps"), head);
  head.align = Align::right;
  if (columns.room) canvas.text_fit({r.right(), head_y}, tr("for cycles"), head, 80 * type);
  for (int s = 0; s < kWarpStates; ++s)
    for (const WarpsInState& these : warps_in(p, WarpState(s), sub_core, cycle)) {
      const int lines = canvas.count_lines(these.warps, warps_style(theme), columns.warps);
      if (y + (kReasonLine + 16 * float(lines - 1)) * type > r.bottom() + 2) continue;
      y += draw_reason(canvas, theme, {r.x, y, r.w, 0}, WarpState(s), these, columns);
    }
}

void draw_stalls(Canvas& canvas, const Theme& theme, const PlayedWarps& p, Rect r) {
  const float top = draw_heading(canvas, theme, r, tr("What the warps spend their cycles on"), "");
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
    bars.push_back({tr(p.meaning_of(WarpState(s), false)), percent_text(part / double(all)), part / longest,
                    state_color(WarpState(s))});
  }
  draw_bars(canvas, theme, "stage/stalls", {r.x, r.y + top, r.w, r.h - top}, bars);
}

void draw_throughput(Canvas& canvas, const Theme& theme, const SchedulerScene& scene, Rect r) {
  const ThroughputCurve& curve = scene.curve;
  const float top = draw_heading(canvas, theme, r, tr("Throughput against warps"),
                                 !scene.played.own()      ? tr("not measured")
                                 : curve.recorded.empty() ? tr("not measured with these settings")
                                                          : tr("dots: an H200"));
  Plot plot;
  plot.id = "stage/throughput";
  plot.x = {tr("warps"), 0, 70, false}, plot.y = {tr("instructions per cycle"), 0, 4.2, false};
  plot.series = {{tr("Little's law"), curve.little, theme.dim, PlotMark::dashed},
                 {tr("model"), curve.model, color::registers, PlotMark::line},
                 {"", curve.recorded, color::hbm, PlotMark::dots}};
  plot.cursor = double(scene.played.sm.warps);
  draw_plot(canvas, theme, {r.x - 6, r.y + top, r.w + 6, r.h - top + 4}, plot);
}

}  // namespace lockstep
