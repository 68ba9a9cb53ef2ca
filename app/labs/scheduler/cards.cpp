// Below the timelines: the reasons, where the cycles go, throughput.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

// The warps of a scheduler that are in one state, and for how many cycles they have been.
struct WarpsInState {
  std::string warps;
  int least = 0, most = 0;
  std::string cycles_text() const {
    return least == most ? number_text(most) : number_text(least) + "–" + number_text(most);
  }
};
WarpsInState warps_in(const PlayedWarps& p, WarpState state, int sub_core, int cycle) {
  WarpsInState all{"", p.sm.cycles, 0};
  for (const int w : p.warps_of(sub_core)) {
    if (p.sm.state(w, cycle) != state) continue;
    int since = cycle;
    while (since > 0 && p.sm.state(w, since - 1) == state) --since;
    all.least = std::min(all.least, cycle - since + 1), all.most = std::max(all.most, cycle - since + 1);
    all.warps += (all.warps.empty() ? "" : ", ") + number_text(w);
  }
  return all;
}

}  // namespace

void draw_reasons(Canvas& canvas, const StageInput& in, const PlayedWarps& p, Rect r) {
  const Theme& theme = in.theme;
  const float type = theme.type, line = 20 * type, label = 118 * type, last = 78 * type;
  const TextStyle mono{Font::mono, 11.5f * type, theme.ink};
  float y =
      r.y + draw_heading(canvas, theme, r, tr("Why this warp?"), tr("state, warps, for how many cycles"));
  for (int s = 0; s < kWarpStates; ++s) {
    const auto state = WarpState(s);
    const WarpsInState these = warps_in(p, state, p.sub_core_of(in.view.warp), in.view.step);
    if (these.warps.empty() || y + line > r.bottom()) continue;
    canvas.fill_rect({r.x, y + line / 2 - 5 * type, 10 * type, 10 * type},
                     state == WarpState::done ? theme.line : state_color(state), 2);
    canvas.text_fit({r.x + 16 * type, y + line / 2}, tr(state_label(state)),
                    {Font::words, 12 * type, theme.ink}, label - 20 * type);
    const bool room = r.w >= label + last + 30 * type;  // in half a stage the warps alone
    canvas.text_fit({r.x + label, y + line / 2}, these.warps, mono, r.w - label - (room ? last + 8 : 0));
    if (room)
      canvas.text_fit({r.right(), y + line / 2}, these.cycles_text(),
                      {Font::mono, 11.5f * type, theme.dim, Align::right}, last);
    y += line;
  }
}

void draw_stalls(Canvas& canvas, const Theme& theme, const PlayedWarps& p, Rect r) {
  const float top = draw_heading(canvas, theme, r, tr("Where the warps' cycles go"), "");
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

void draw_throughput(Canvas& canvas, const Theme& theme, const SchedulerScene& scene, Rect r) {
  const ThroughputCurve& curve = scene.curve;
  const float top = draw_heading(canvas, theme, r, tr("Throughput against warps"),
                                 !scene.played.own()      ? tr("not measured")
                                 : curve.recorded.empty() ? tr("not measured with these settings")
                                                          : tr("dots: H200, recorded"));
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
