// The timing lab's stage: one launch and what each stopwatch takes of it, many runs of each, products.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/timeline.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

constexpr float kHead = 24, kHistogramName = 20, kLeastBins = 30;  // px; the first two at type size 1

// Cost is grey, the kernel has its own colour, and no reading is praised.
std::vector<TimelineKind> kinds(const Theme& theme) {
  const Color grey = Color::hex(0x8D959C);
  std::vector<TimelineKind> all(static_cast<std::size_t>(kTimedKinds));
  const auto set = [&](TimedKind kind, Color color) {
    all[std::size_t(kind)] = {part_name(kind), color, false};
  };
  set(TimedKind::call, grey), set(TimedKind::wait, mix(theme.panel, grey, 0.35f));
  set(TimedKind::kernel, color::hbm), set(TimedKind::memory, color::l2);
  return all;
}

std::vector<LegendItem> parts_legend(const Theme& theme) {
  std::vector<LegendItem> items;
  for (const TimelineKind& kind : kinds(theme)) items.push_back({kind.name, kind.color, false});
  return items;
}

// Runs with the current stopwatch, from where it starts to where it stops.
TimelinePicture picture_of(const StageInput& in, const StopwatchReadings& readings) {
  TimelinePicture picture;
  picture.id = "stage/timeline", picture.timeline = &readings.timeline, picture.label_width = 196;
  picture.kinds = kinds(in.theme);
  const auto stopwatch = Stopwatch(std::clamp(in.view.step, 0, kStopwatches - 1));
  picture.now_spans = readings.span_ids[std::size_t(stopwatch)];
  if (const auto parts = parts_of(readings, stopwatch); !parts.empty()) {
    const auto start = double(parts.front().start_ns), end = double(parts.back().end_ns);
    picture.now_ns = start + (end - start) * double(in.motion);
  }
  const Timeline& t = readings.timeline;
  picture.short_names.resize(t.names.size());
  for (std::size_t i = 0; i < t.names.size(); ++i) {
    if (t.names[i] == name_of(ApiKind::launch)) picture.short_names[i] = tr("launch");
    if (t.names[i] == name_of(ApiKind::synchronize)) picture.short_names[i] = tr("waits");
    if (t.names[i] == part_name(TimedKind::call)) picture.short_names[i] = tr("launch");
    if (t.names[i] == part_name(TimedKind::wait)) picture.short_names[i] = tr("waits");
    if (t.names[i] == part_name(TimedKind::memory)) picture.short_names[i] = "HBM";
  }
  return picture;
}

// In one line or, where that has no room, in two.
void draw_column_head(Canvas& canvas, const Theme& theme, Vec2 center, const std::string& text, float room) {
  const float type = theme.type;
  const TextStyle style{Font::words, 11.5f * type, theme.dim, Align::center};
  const std::size_t second = text.find(' ', text.find(' ') + 1);
  if (canvas.measure(text, style) <= room || second >= text.size())
    return void(canvas.text_fit(center, text, style, room));
  canvas.text_fit({center.x, center.y - 7 * type}, text.substr(0, second), style, room);
  canvas.text_fit({center.x, center.y + 7 * type}, text.substr(second + 1), style, room);
}

// What lies between start and stop of each stopwatch: a dot where it does.
void draw_included(Canvas& canvas, const StageInput& in, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("WHAT EACH STOPWATCH INCLUDES"));
  const float type = in.theme.type;
  const std::string parts[] = {tr("the launch call"), tr("the way to the GPU"), tr("the kernel"),
                               tr("the way back")};
  const bool included[kStopwatches][4] = {{true, false, false, false},
                                          {true, true, true, true},
                                          {false, false, true, false},
                                          {false, false, true, false}};
  const float label_w = std::min(150 * type, inner.w * 0.38f), w = (inner.w - label_w) / 4;
  const TextStyle note_style{Font::words, 11.5f * type, in.theme.dim};
  const std::string note =
      tr("The emulator knows no time: a GPU, or a recording of one, shows many runs of each here.");
  const float note_line = 15 * type, head = 32 * type, least = 17 * type;
  float note_h = float(canvas.count_lines(note, note_style, inner.w)) * note_line + 6 * type;
  if (inner.h - head - note_h < least * kStopwatches) note_h = 0;  // the headline says whose word this is
  const float step = std::min(62 * type, (inner.h - head - note_h) / float(kStopwatches));
  for (int part = 0; part < 4; ++part)
    draw_column_head(canvas, in.theme, {inner.x + label_w + w * (float(part) + 0.5f), inner.y + head / 2},
                     parts[part], w - 4);
  for (int s = 0; s < kStopwatches; ++s) {
    const float y = inner.y + head + step * (float(s) + 0.5f);
    const bool current = s == in.view.step;
    canvas.text_fit({inner.x, y}, label_of(Stopwatch(s)),
                    {current ? Font::words_semibold : Font::words, 12.5f * type, in.theme.ink}, label_w - 8);
    for (int part = 0; part < 4; ++part) {
      const Vec2 at{inner.x + label_w + w * (float(part) + 0.5f), y};
      if (included[s][part])
        canvas.fill_circle(at, 5 * type, part == 2 ? color::hbm : in.theme.dim);
      else
        canvas.stroke_circle(at, 5 * type, in.theme.line, 1.2f);
    }
  }
  if (note_h > 0)
    canvas.text_wrap({inner.x, inner.bottom() - note_h + 4 * type}, note, note_style, inner.w, note_line);
}

// Right edges of the three figures of a stopwatch, from the right.
float figure_column(const Theme& theme, Rect r, int column) {
  return r.right() - float(2 - column) * std::min(72 * theme.type, r.w * 0.2f);
}

// How often each time was read, over 0 to `high`.
void draw_bins(Canvas& canvas, const Theme& theme, const std::string& id, Rect r,
               const std::vector<double>& runs, double high, bool current) {
  const int parts = std::max(8, int(r.w / (5 * theme.type)));
  const std::vector<int> counts = histogram(runs, 0, high, parts);
  const int most = std::max(1, *std::max_element(counts.begin(), counts.end()));
  const float w = r.w / float(parts);
  for (int i = 0; i < parts; ++i)
    if (counts[std::size_t(i)] > 0) {
      const float h = std::max(1.5f, r.h * float(counts[std::size_t(i)]) / float(most));
      canvas.fill_rect({r.x + w * float(i), r.bottom() - h, w - 1, h},
                       current ? theme.ink : mix(theme.panel, theme.dim, 0.6f));
    }
  canvas.line({r.x, r.bottom()}, {r.right(), r.bottom()}, theme.line);
  const Hit hit = canvas.hit(id, r);
  if (!hit.hovered) return;
  const int bin = std::clamp(int((hit.pointer.x - r.x) / w), 0, parts - 1);
  canvas.tooltip(tr("{0} of {1} runs: {2} to {3}",
                    {number_text(counts[std::size_t(bin)]), number_text(std::int64_t(runs.size())),
                     us_text(high * bin / parts), us_text(high * (bin + 1) / parts)}));
}

// Where a stopwatch's bins stand: below its name and figures, or between them where the rows are low.
Rect bins_of(const Theme& theme, Rect row) {
  const float type = theme.type, name_h = kHistogramName * type;
  if (row.h >= 36 * type) return {row.x, row.y + name_h, row.w, row.h - name_h - 6 * type};
  const float left = row.x + 150 * type, right = figure_column(theme, row, 0) - 70 * type;
  return {left, row.y + 3, std::max(0.f, right - left), row.h - 6};
}

void draw_histogram(Canvas& canvas, const Theme& theme, Rect r, const StopwatchReadings& readings, int s,
                    double high, bool current) {
  const float type = theme.type;
  const float y = r.y + std::min(kHistogramName * type, r.h) / 2;
  const StopwatchRuns& runs = *readings.runs[std::size_t(s)];
  const Quantiles q = quantiles(runs.runs);
  const std::string figures[] = {runs.first_us > 0 ? us_text(runs.first_us) : "–", us_text(q.median),
                                 us_text(q.p95)};
  const float column = figure_column(theme, r, 1) - figure_column(theme, r, 0);
  canvas.text_fit({r.x, y}, label_of(Stopwatch(s)),
                  {current ? Font::words_semibold : Font::words, 12.5f * type, theme.ink},
                  figure_column(theme, r, 0) - column - r.x);
  for (int i = 0; i < 3; ++i)
    canvas.text_fit({figure_column(theme, r, i), y}, figures[i],
                    {i == 1 ? Font::mono_semibold : Font::mono, 11.5f * type, i == 1 ? theme.ink : theme.dim,
                     Align::right},
                    column - 6);
  if (const Rect bins = bins_of(theme, r); bins.w > kLeastBins)
    draw_bins(canvas, theme, "stage/runs/" + number_text(s), bins, runs.runs, high, current);
}

void draw_histograms(Canvas& canvas, const StageInput& in, const StopwatchReadings& readings, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("MANY RUNS OF EACH STOPWATCH"));
  const float type = in.theme.type, head = 18 * type, axis = 16 * type;
  double high = 0;
  for (const auto& runs : readings.runs) high = std::max(high, quantiles(runs->runs).p95 * 1.15);
  TextStyle dim{Font::words, 11 * type, in.theme.dim};
  const float column = figure_column(in.theme, inner, 1) - figure_column(in.theme, inner, 0);
  canvas.text_fit({inner.x, inner.y + head / 2 - 2}, tr("number of runs"), dim,
                  figure_column(in.theme, inner, 0) - column - inner.x);
  dim.align = Align::right;
  const std::string heads[] = {tr("first run"), tr("median"), tr("95 % below")};
  for (int i = 0; i < 3; ++i)
    canvas.text_fit({figure_column(in.theme, inner, i), inner.y + head / 2 - 2}, heads[i], dim, column - 6);
  const float step = (inner.h - head - axis) / float(kStopwatches);
  for (int s = 0; s < kStopwatches; ++s)
    draw_histogram(canvas, in.theme, {inner.x, inner.y + head + float(s) * step, inner.w, step}, readings, s,
                   high, s == in.view.step);
  const TextStyle mono{Font::mono, 10.5f * type, in.theme.dim};
  const float y = inner.bottom() - axis / 2 + 2;
  const Rect bins = bins_of(in.theme, {inner.x, inner.y, inner.w, step});
  if (bins.w <= kLeastBins) return;
  canvas.text({bins.x, y}, "0", mono);
  canvas.text({bins.right(), y}, us_text(high), {Font::mono, 10.5f * type, in.theme.dim, Align::right});
}

}  // namespace

void TimingScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const float type = in.theme.type, pad = 28, gap = 16, head = kHead * type;
  const Rect area{in.area.x + pad, in.area.y + 14, in.area.w - 2 * pad, in.area.h - 28};
  const TimelinePicture picture = picture_of(in, readings);
  const auto legend = parts_legend(in.theme);
  const float legend_h = legend_height(canvas, in.theme, area.w, legend), top = head + legend_h + 4 * type;
  // Lanes that lie closer are readable still: what is below is the other half of the lesson.
  constexpr float kCloser = 0.55f, kLeastLow = 136;
  const float lanes_h = timeline_height(in.theme, picture) + top + 8,
              least_h = timeline_height(in.theme, picture) * kCloser + top + 8;
  float low_h = std::max({area.h - lanes_h - gap, area.h * 0.36f, kLeastLow * type});
  if (area.h - low_h - gap < least_h) low_h = 0;
  const float top_h = low_h > 0 ? area.h - low_h - gap : area.h;
  const std::string words = stopwatch_provenance();
  canvas.text_fit({area.x, area.y + head / 2 - 4}, tr("One kernel, four stopwatches"),
                  {Font::words_semibold, 13.5f * type, in.theme.ink},
                  area.w - badge_width(canvas, in.theme, words) - 10);
  draw_badge(canvas, in.theme, {area.right(), area.y + head / 2 - 4}, words);
  draw_legend(canvas, in.theme, {area.x, area.y + head, area.w, legend_h}, legend);
  const TimelineHit hit =
      stage_timeline(canvas, in, events, {area.x, area.y + top, area.w, top_h - top}, picture);
  if (hit.chosen)
    for (int stopwatch = 0; stopwatch < kStopwatches; ++stopwatch)
      if (const auto& ids = readings.span_ids[std::size_t(stopwatch)];
          std::find(ids.begin(), ids.end(), *hit.chosen) != ids.end())
        events.go_to_step = stopwatch;
  if (low_h <= 0) return;
  const Rect low{area.x, area.bottom() - low_h, area.w, low_h};
  const bool products = !readings.products.empty() && area.w >= 620 * type;
  const float left_w = products ? (area.w - gap) * 0.6f : area.w;
  if (readings.modelled)
    draw_included(canvas, in, {low.x, low.y, left_w, std::min(low.h, 420 * type)});
  else
    draw_histograms(canvas, in, readings, {low.x, low.y, left_w, low.h});
  if (!products) return;
  const Rect inner = draw_panel(canvas, in.theme, {low.x + left_w + gap, low.y, low.w - left_w - gap, low.h},
                                tr("WHAT LIMITS MATRIX PRODUCTS"));
  Plot plot = products_plot(readings);
  plot.id = "stage/products";
  draw_plot(canvas, in.theme, {inner.x - 6, inner.y, inner.w + 10, inner.h + 6}, plot);
}

}  // namespace lockstep
