#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/timeline.hpp"
#include "app/labs/recent.hpp"

namespace lockstep {
namespace {

// How long the kernel takes by what is known of an H200: a tiny kernel in a graph 0.76 us, a copy 4.27 TB/s
// (2026-11-21).
double modelled_length_us(std::int64_t elements) {
  constexpr double kTiny_us = 0.76, kBytesPerUs = 4.27e6;
  return kTiny_us + 8.0 * double(elements) / kBytesPerUs;
}

enum class SpanKind : std::uint16_t { call, wait, kernel, wrong, right };

double median_of(const TimingScene& scene, Stopwatch stopwatch) {
  const auto& runs = scene.runs[std::size_t(stopwatch)];
  return runs ? quantiles(runs->runs).median : 0;
}

// One launch and one wait. As it was read: the call as long as the clock without a wait says, the kernel as
// the events say, and put in the middle of what the clock with a wait leaves of its time.
void make_record(TimingScene& scene, std::int64_t elements) {
  LaunchCosts costs = known_launch_costs();
  double length = modelled_length_us(elements);
  if (scene.modelled) {
    scene.record = modelled_stream({{"scale", 0, {}}}, {length}, costs);
    scene.says_us = {costs.launch, scene.record.total_us(), length, length};
    return;
  }
  for (int s = 0; s < kStopwatches; ++s) scene.says_us.push_back(median_of(scene, Stopwatch(s)));
  length = median_of(scene, Stopwatch::events);
  costs.launch = median_of(scene, Stopwatch::cpu_unsynced);
  const double rest = median_of(scene, Stopwatch::cpu_synced) - costs.launch - length;
  costs.latency = costs.synchronize = std::max(0.0, rest / 2);
  scene.record = modelled_stream({{"scale", 0, {}}}, {length}, costs);
}

void make_timeline(TimingScene& scene) {
  Timeline& t = scene.timeline;
  const std::string one =
      scene.modelled ? tr("One launch, and the wait for it")
                     : tr("One launch, and the wait for it: lengths as read, the kernel put between");
  TimelineLane& cpu = t.add_lane(tr("CPU"), one);
  for (const ApiCall& call : scene.record.calls)
    t.add(cpu, name_of(call.kind), call.start_ns, call.end_ns,
          std::uint16_t(call.kind == ApiKind::synchronize ? SpanKind::wait : SpanKind::call));
  const KernelSpan kernel = scene.record.kernels.front();
  t.add(t.add_lane(tr("GPU"), one), "scale", kernel.start_ns, kernel.end_ns, std::uint16_t(SpanKind::kernel));
  const std::string group = tr("What each stopwatch takes of it");
  for (int s = 0; s < kStopwatches; ++s) {
    const auto stopwatch = Stopwatch(s);
    const bool events = stopwatch == Stopwatch::events || stopwatch == Stopwatch::events_cold;
    const auto length = std::int64_t(std::llround(scene.says_us[std::size_t(s)] * 1e3));
    const std::int64_t start = events ? kernel.start_ns : 0;
    scene.ids.push_back(t.add(
        t.add_lane(label_of(stopwatch), group), us_text(scene.says_us[std::size_t(s)]), start, start + length,
        std::uint16_t(stopwatch == Stopwatch::cpu_unsynced ? SpanKind::wrong : SpanKind::right)));
  }
  t.nest();
}

std::shared_ptr<const TimingScene> make_scene(const Run& run) {
  auto made = std::make_shared<TimingScene>();
  for (int s = 0; s < kStopwatches; ++s) made->runs.push_back(runs_of(run, Stopwatch(s)));
  made->modelled = std::any_of(made->runs.begin(), made->runs.end(), [](const auto& r) { return !r; });
  made->products = products_of(run);
  const auto elements = run.request.params.find("elements");
  const auto* count =
      elements == run.request.params.end() ? nullptr : std::get_if<std::int64_t>(&elements->second);
  make_record(*made, count ? *count : 0);
  make_timeline(*made);
  return made;
}

}  // namespace

std::shared_ptr<const TimingScene> timing_scene(const Run& run) {
  struct Key {
    Params params;
    std::map<std::string, Value> metrics;
    Language language;
    bool operator==(const Key&) const = default;
  };
  static Recent<Key, TimingScene> recent;
  return recent.get({run.request.params, run.metrics, language_in_use()}, [&] { return make_scene(run); });
}

std::string label_of(Stopwatch stopwatch) {
  switch (stopwatch) {
    case Stopwatch::cpu_unsynced:
      return tr("CPU clock, no wait");
    case Stopwatch::cpu_synced:
      return tr("CPU clock and a wait");
    case Stopwatch::events:
      return tr("CUDA events");
    case Stopwatch::events_cold:
      return tr("events, L2 overwritten");
  }
  return "";
}

std::string label_of(Regime regime) {
  switch (regime) {
    case Regime::launch:
      return tr("the launch");
    case Regime::too_small:
      return tr("fewer blocks than SMs");
    case Regime::compute:
      return tr("the arithmetic");
  }
  return "";
}

std::string stopwatch_provenance(const Run& run, const TimingScene& scene) {
  return scene.modelled ? "modelled" : std::string(provenance_of(run, "metrics.stopwatch"));
}

Plot products_plot(const Run& run, const TimingScene& scene) {
  Plot plot;
  plot.id = "panel/products";
  plot.x = {tr("n of a product of n × n"), 24, 9000, true};
  double most = 1;
  // What a product takes that has next to nothing to do.
  double least_us = 0;
  for (const ProductTime& p : scene.products)
    if (least_us <= 0 || p.us < least_us) least_us = p.us;
  // Of the GPU that was timed, which may be a recording's and not this run's device.
  const auto multiprocessors = int(whole_metric(run, "products.multiprocessors").value_or(1));
  const Color colors[] = {color::trouble, color::registers, color::tensor};
  for (const Regime regime : {Regime::launch, Regime::too_small, Regime::compute}) {
    PlotSeries series{label_of(regime), {}, colors[int(regime)], PlotMark::dots};
    for (const ProductTime& p : scene.products)
      if (regime_of(p.us, least_us, p.blocks, multiprocessors) == regime) {
        series.points.push_back({double(p.n), p.tflops(), std::to_string(p.n)});
        most = std::max(most, p.tflops());
      }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  plot.y = {tr("TFLOP/s"), 1e-3, most * 2, true};
  return plot;
}

// --- stage
// ---------------------------------------------------------------------------------------------

namespace {

TimelinePicture picture_of(const StageInput& in, const TimingScene& scene) {
  TimelinePicture picture;
  picture.id = "stage/timeline", picture.timeline = &scene.timeline, picture.label_width = 148;
  const Color grey = Color::hex(0x8D959C);
  picture.kinds = {{tr("call"), grey, false},
                   {tr("waits for the GPU"), mix(in.theme.panel, grey, 0.35f), false},
                   {tr("kernel"), color::hbm, false},
                   {tr("without the kernel"), color::trouble, false},
                   {tr("with the kernel"), color::shared, false}};
  const auto step = std::size_t(std::clamp(in.step, 0, kStopwatches - 1));
  picture.now_spans = {scene.ids[step]};
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
    const bool current = s == in.step;
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
void draw_histograms(Canvas& canvas, const StageInput& in, const TimingScene& scene, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("MANY RUNS OF EACH"));
  const float type = in.theme.type;
  double high = 0;
  for (const auto& runs : scene.runs) high = std::max(high, quantiles(runs->runs).p95 * 1.15);
  const float label_w = std::min(150 * type, inner.w * 0.3f), figures_w = 190 * type;
  const float step = inner.h / float(kStopwatches + 1), w = inner.w - label_w - figures_w;
  const TextStyle dim{Font::words, 11.5f * type, in.theme.dim};
  TextStyle head = dim;
  head.align = Align::right;
  canvas.text({inner.right(), inner.y + 8 * type}, tr("first, median, 95 %"), head);
  canvas.text({inner.x + label_w, inner.y + 8 * type}, tr("0 to {0}", {us_text(high)}), dim);
  float y = inner.y + step * 0.6f;
  for (int s = 0; s < kStopwatches; ++s, y += step) {
    const StopwatchRuns& runs = *scene.runs[std::size_t(s)];
    const Quantiles q = quantiles(runs.runs);
    const bool current = s == in.step;
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

void draw_timing(Canvas& canvas, const StageInput& in, StageEvents& events) {
  const auto scene = timing_scene(in.run);
  const float type = in.theme.type, pad = 28, gap = 20, head = 24 * type;
  const Rect area{in.area.x + pad, in.area.y + 14, in.area.w - 2 * pad, in.area.h - 28};
  const TimelinePicture picture = picture_of(in, *scene);
  const float lanes_h = timeline_height(in.theme, picture) + head + 8;
  float low_h = std::max(area.h - lanes_h - gap, area.h * 0.3f);
  if (low_h < 120 * type) low_h = 0;
  const float top_h = low_h > 0 ? area.h - low_h - gap : area.h;
  const std::string words = stopwatch_provenance(in.run, *scene);
  canvas.text_fit({area.x, area.y + head / 2 - 4}, tr("The same kernel, and what stands on the stopwatch"),
                  {Font::words_semibold, 13.5f * type, in.theme.ink},
                  area.w - badge_width(canvas, in.theme, words) - 10);
  draw_badge(canvas, in.theme, {area.right(), area.y + head / 2 - 4}, words);
  const TimelineHit hit =
      stage_timeline(canvas, in, events, {area.x, area.y + head, area.w, top_h - head}, picture);
  if (hit.chosen)
    if (const auto at = std::find(scene->ids.begin(), scene->ids.end(), *hit.chosen); at != scene->ids.end())
      events.go_to_step = int(at - scene->ids.begin());
  if (low_h <= 0) return;
  const Rect low{area.x, area.bottom() - low_h, area.w, low_h};
  const bool products = !scene->products.empty() && area.w >= 620 * type;
  const float left_w = products ? (area.w - gap) * 0.56f : area.w;
  if (scene->modelled)
    draw_included(canvas, in, {low.x, low.y, left_w, std::min(low.h, 420 * type)});
  else
    draw_histograms(canvas, in, *scene, {low.x, low.y, left_w, low.h});
  if (!products) return;
  const Rect inner = draw_panel(canvas, in.theme, {low.x + left_w + gap, low.y, low.w - left_w - gap, low.h},
                                tr("PRODUCTS, AND WHAT BOUNDS THEM"));
  Plot plot = products_plot(in.run, *scene);
  plot.id = "stage/products";
  draw_plot(canvas, in.theme, {inner.x - 6, inner.y, inner.w + 10, inner.h + 6}, plot);
}

}  // namespace lockstep
