// The timing lab's stage: one launch and what each stopwatch takes of it, many runs of each, products.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/timeline.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

TimelinePicture picture_of(const StageInput& in, const StopwatchReadings& readings) {
  TimelinePicture picture;
  picture.id = "stage/timeline", picture.timeline = &readings.timeline, picture.label_width = 148;
  const Color grey = Color::hex(0x8D959C);
  picture.kinds = {{tr("call"), grey, false},
                   {tr("waits for the GPU"), mix(in.theme.panel, grey, 0.35f), false},
                   {tr("kernel"), color::hbm, false},
                   {tr("without the kernel"), color::trouble, false},
                   {tr("with the kernel"), color::shared, false}};
  const auto step = std::size_t(std::clamp(in.view.step, 0, kStopwatches - 1));
  picture.now_spans = {readings.span_ids[step]};
  return picture;
}

// What lies between start and stop of each stopwatch: a dot where it does.
void draw_included(Canvas& canvas, const StageInput& in, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("WHAT EACH OF THEM INCLUDES"));
  const float type = in.theme.type;
  const std::string parts[] = {tr("the launch call"), tr("the way to the GPU"), tr("the kernel"),
                               tr("the way back")};
  const bool included[kStopwatches][4] = {{true, false, false, false},
                                          {true, true, true, true},
                                          {false, false, true, false},
                                          {false, false, true, false}};
  const float label_w = std::min(170 * type, inner.w * 0.34f), w = (inner.w - label_w) / 4;
  const float note_h = 24 * type, step = std::min(62 * type, (inner.h - note_h) / float(kStopwatches + 1));
  for (int part = 0; part < 4; ++part)
    canvas.text_fit({inner.x + label_w + w * (float(part) + 0.5f), inner.y + step / 2}, parts[part],
                    {Font::words, 11.5f * type, in.theme.dim, Align::center}, w - 6);
  for (int s = 0; s < kStopwatches; ++s) {
    const float y = inner.y + step * (float(s) + 1.5f);
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
  canvas.text_fit(
      {inner.x, inner.bottom() - note_h / 2},
      tr("The emulator knows no time: a GPU, or a recording of one, shows many runs of each here."),
      {Font::words, 11.5f * type, in.theme.dim}, inner.w);
}

// One row per stopwatch: how its runs are spread, the current one in full colour.
void draw_histograms(Canvas& canvas, const StageInput& in, const StopwatchReadings& readings, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("MANY RUNS OF EACH"));
  const float type = in.theme.type;
  double high = 0;
  for (const auto& runs : readings.runs) high = std::max(high, quantiles(runs->runs).p95 * 1.15);
  const float label_w = std::min(150 * type, inner.w * 0.3f), figures_w = 190 * type;
  const float step = inner.h / float(kStopwatches + 1), w = inner.w - label_w - figures_w;
  const TextStyle dim{Font::words, 11.5f * type, in.theme.dim};
  TextStyle head = dim;
  head.align = Align::right;
  canvas.text({inner.right(), inner.y + 8 * type}, tr("first, median, 95 %"), head);
  canvas.text({inner.x + label_w, inner.y + 8 * type}, tr("0 to {0}", {us_text(high)}), dim);
  float y = inner.y + step * 0.6f;
  for (int s = 0; s < kStopwatches; ++s, y += step) {
    const StopwatchRuns& runs = *readings.runs[std::size_t(s)];
    const Quantiles q = quantiles(runs.runs);
    const bool current = s == in.view.step;
    canvas.text_fit({inner.x, y + step / 2}, label_of(Stopwatch(s)),
                    {current ? Font::words_semibold : Font::words, 12.5f * type, in.theme.ink}, label_w - 8);
    const int parts = std::max(8, int(w / (5 * type)));
    const std::vector<int> counts = histogram(runs.runs, 0, high, parts);
    const int most = std::max(1, *std::max_element(counts.begin(), counts.end()));
    const Color base = Stopwatch(s) == Stopwatch::cpu_unsynced ? color::trouble : color::shared;
    for (int i = 0; i < parts; ++i) {
      const float h = (step - 8) * float(counts[std::size_t(i)]) / float(most);
      if (counts[std::size_t(i)] > 0)
        canvas.fill_rect({inner.x + label_w + w * float(i) / float(parts), y + step - 4 - std::max(1.f, h),
                          w / float(parts) - 1, std::max(1.f, h)},
                         current ? base : mix(in.theme.panel, base, 0.5f));
    }
    canvas.line({inner.x + label_w, y + step - 4}, {inner.x + label_w + w, y + step - 4}, in.theme.line);
    const std::string first = runs.first_us > 0 ? us_text(runs.first_us) : "–";
    canvas.text_fit({inner.right(), y + step / 2}, first + "  " + us_text(q.median) + "  " + us_text(q.p95),
                    {Font::mono, 11.5f * type, in.theme.ink, Align::right}, figures_w - 10);
  }
}

}  // namespace

void TimingScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const float type = in.theme.type, pad = 28, gap = 20, head = 24 * type;
  const Rect area{in.area.x + pad, in.area.y + 14, in.area.w - 2 * pad, in.area.h - 28};
  const TimelinePicture picture = picture_of(in, readings);
  const float lanes_h = timeline_height(in.theme, picture) + head + 8;
  float low_h = std::max(area.h - lanes_h - gap, area.h * 0.3f);
  if (low_h < 120 * type) low_h = 0;
  const float top_h = low_h > 0 ? area.h - low_h - gap : area.h;
  const std::string words = stopwatch_provenance();
  canvas.text_fit({area.x, area.y + head / 2 - 4}, tr("The same kernel, and what stands on the stopwatch"),
                  {Font::words_semibold, 13.5f * type, in.theme.ink},
                  area.w - badge_width(canvas, in.theme, words) - 10);
  draw_badge(canvas, in.theme, {area.right(), area.y + head / 2 - 4}, words);
  const TimelineHit hit =
      stage_timeline(canvas, in, events, {area.x, area.y + head, area.w, top_h - head}, picture);
  if (hit.chosen)
    if (const auto at = std::find(readings.span_ids.begin(), readings.span_ids.end(), *hit.chosen);
        at != readings.span_ids.end())
      events.go_to_step = int(at - readings.span_ids.begin());
  if (low_h <= 0) return;
  const Rect low{area.x, area.bottom() - low_h, area.w, low_h};
  const bool products = !readings.products.empty() && area.w >= 620 * type;
  const float left_w = products ? (area.w - gap) * 0.56f : area.w;
  if (readings.modelled)
    draw_included(canvas, in, {low.x, low.y, left_w, std::min(low.h, 420 * type)});
  else
    draw_histograms(canvas, in, readings, {low.x, low.y, left_w, low.h});
  if (!products) return;
  const Rect inner = draw_panel(canvas, in.theme, {low.x + left_w + gap, low.y, low.w - left_w - gap, low.h},
                                tr("PRODUCTS, AND WHAT BOUNDS THEM"));
  Plot plot = products_plot(readings);
  plot.id = "stage/products";
  draw_plot(canvas, in.theme, {inner.x - 6, inner.y, inner.w + 10, inner.h + 6}, plot);
}

}  // namespace lockstep
