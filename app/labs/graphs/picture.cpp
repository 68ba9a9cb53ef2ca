#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/dag.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/draw/timeline.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

std::vector<TimelineKind> kinds(const Theme& theme) {
  std::vector<TimelineKind> all(static_cast<std::size_t>(SpanKind::kernel));
  const auto at = [&](SpanKind kind) -> TimelineKind& { return all[std::size_t(kind)]; };
  at(SpanKind::call) = {tr("call"), Color::hex(0x8D959C), false};
  at(SpanKind::wait) = {tr("waits for the GPU"), mix(theme.panel, Color::hex(0x8D959C), 0.35f), false};
  at(SpanKind::waits_for_cpu) = {tr("waits for the CPU"), mix(theme.panel, color::trouble, 0.75f), true};
  at(SpanKind::starts) = {tr("launched, not yet started"), mix(theme.panel, color::trouble, 0.35f), true};
  at(SpanKind::waits_for_other) = {tr("waits for another lane"),
                                   mix(theme.panel, Color::hex(0x8D959C), 0.18f), true};
  for (int i = 0; i < kKernelColors; ++i) all.push_back({tr("kernel"), kernel_color(i), false});
  return all;
}

std::string told(const GraphsScene& scene, const TimelineSpan& span) {
  const std::string& name = scene.timeline.names[span.name];
  return name + "\n" +
         tr("from {0} to {1}: {2}", {us_text(double(span.start_ns) / 1e3), us_text(double(span.end_ns) / 1e3),
                                     us_text(double(span.length_ns()) / 1e3)});
}

int step_of_node(const GraphsScene& scene, int node) {
  const auto at = std::find(scene.order.begin(), scene.order.end(), node);
  return int(at - scene.order.begin());
}

int node_of_span(const GraphsScene& scene, std::uint32_t id) {
  for (const auto* ids : {&scene.stream_ids, &scene.graph_ids})
    if (const auto at = std::find(ids->begin(), ids->end(), id); id && at != ids->end())
      return int(at - ids->begin());
  return -1;
}

constexpr float kTimesHead = 24;

std::vector<LegendItem> gap_legend(const Theme& theme) {
  std::vector<LegendItem> items;
  const auto all = kinds(theme);
  for (std::size_t kind = 0; kind < std::size_t(SpanKind::kernel); ++kind)
    items.push_back({all[kind].name, all[kind].color, false});
  return items;
}

TimelinePicture times_picture(const StageInput& in, const GraphsScene& scene) {
  TimelinePicture picture;
  picture.id = "stage/timeline", picture.timeline = &scene.timeline, picture.kinds = kinds(in.theme);
  const int node = scene.node_at(in.step);
  picture.now_ns = double(scene.first().kernels[std::size_t(node)].start_ns);
  for (const auto* ids : {&scene.stream_ids, &scene.graph_ids})
    if (const std::uint32_t id = (*ids)[std::size_t(node)]) picture.now_spans.push_back(id);
  picture.label_width = 84;
  picture.tell = [&](const TimelineSpan& span) { return told(scene, span); };
  return picture;
}

void draw_times(Canvas& canvas, const StageInput& in, const GraphsScene& scene, Rect r, StageEvents& events) {
  const float type = in.theme.type, head = kTimesHead * type;
  const std::string words = times_provenance(in.run, scene);
  canvas.text_fit({r.x, r.y + head / 2 - 4}, tr("What the CPU calls and what the GPU runs"),
                  {Font::words_semibold, 13.5f * type, in.theme.ink},
                  r.w - badge_width(canvas, in.theme, words) - 10);
  draw_badge(canvas, in.theme, {r.right(), r.y + head / 2 - 4}, words);
  const auto legend = gap_legend(in.theme);
  const float legend_h = legend_height(canvas, in.theme, r.w, legend);
  draw_legend(canvas, in.theme, {r.x, r.y + head, r.w, legend_h}, legend);
  const float taken = head + legend_h + 6 * type;
  const TimelineHit hit =
      stage_timeline(canvas, in, events, {r.x, r.y + taken, r.w, r.h - taken}, times_picture(in, scene));
  if (hit.chosen)
    if (const int chosen = node_of_span(scene, *hit.chosen); chosen >= 0)
      events.go_to_step = step_of_node(scene, chosen);
}

// --- the graph
// -----------------------------------------------------------------------------------------------

void draw_nodes(Canvas& canvas, const StageInput& in, const GraphsScene& scene, Rect r, StageEvents& events) {
  const Rect inner = draw_panel(canvas, in.theme, r, tr("THE GRAPH"));
  const int current = scene.node_at(in.step);
  const std::int64_t now = scene.first().kernels[std::size_t(current)].start_ns;
  std::vector<DagBox> boxes;
  for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
    DagBox box{
        scene.nodes[i].name, kernel_color(scene.color_of(int(i))), false, false, scene.nodes[i].after, ""};
    box.done = scene.first().kernels[i].start_ns <= now, box.current = int(i) == current;
    std::string waits;
    for (const int before : box.after)
      waits += (waits.empty() ? "" : ", ") + scene.nodes[std::size_t(before)].name;
    box.hint = waits.empty() ? tr("{0}: waits for nothing", {box.label})
                             : tr("{0}: waits for {1}", {box.label, waits});
    boxes.push_back(std::move(box));
  }
  if (const auto clicked = draw_dag(canvas, in.theme, "stage/graph", inner, boxes))
    events.go_to_step = step_of_node(scene, *clicked);
}

// --- two models, one measurement
// -----------------------------------------------------------------------------

void draw_models(Canvas& canvas, const StageInput& in, const GraphsScene& scene, Rect r) {
  const Rect inner =
      draw_panel(canvas, in.theme, r, scene.modelled ? tr("WHAT THE MODELS SAY") : tr("MODELLED AND TIMED"));
  const Color said = Color::hex(0x8D959C);  // by a model; what was timed is green
  std::vector<std::pair<double, Bar>> rows;
  const auto add = [&](std::string label, double value, Color color) {
    rows.push_back({value, {std::move(label), us_text(value), 0, color}});
  };
  add(tr("serial"), scene.models.serial_us, said);
  add(tr("asynchronous"), scene.models.asynchronous_us, said);
  if (!scene.modelled) add(tr("one by one, as timed"), scene.stream.total_us(), color::shared);
  const bool graph = scene.problem.empty();
  if (graph) add(tr("as a graph"), scene.models.graph_us, said);
  if (graph && !scene.modelled) add(tr("one graph, as timed"), scene.graph.total_us(), color::shared);
  double most = 1e-9;
  for (const auto& [value, bar] : rows) most = std::max(most, value);
  std::vector<Bar> bars;
  for (auto& [value, bar] : rows) bar.share = value / most, bars.push_back(std::move(bar));
  const float type = in.theme.type, line = 15 * type;
  float y = inner.y;
  draw_bars(canvas, in.theme, "stage/models", {inner.x, y, inner.w, 24 * type * float(bars.size())}, bars);
  y += 24 * type * float(bars.size()) + 8 * type;
  const TextStyle style{Font::words, 11.5f * type, in.theme.dim};
  const auto say = [&](const std::string& text) {
    if (y + float(canvas.count_lines(text, style, inner.w)) * line <= inner.bottom() + 2)
      y += canvas.text_wrap({inner.x, y}, text, style, inner.w, line) + 4 * type;
  };
  if (!graph) say(tr("There is no graph: {0}", {scene.problem}));
  if (!scene.each)
    say(tr("A launch costs {0}: with kernels shorter than {1} the CPU does not keep up.",
           {us_text(scene.costs.launch), us_text(scene.models.break_even_us)}));
  say(tr("Serial: each kernel is launched and waited for. Asynchronous: launches run ahead of the kernels."));
}

}  // namespace

void draw_graphs(Canvas& canvas, const StageInput& in, StageEvents& events) {
  const auto scene = graphs_scene(in.run);
  if (!scene || scene->nodes.empty()) return;
  const float type = in.theme.type, pad = 28, gap = 20;
  const Rect area{in.area.x + pad, in.area.y + 14, in.area.w - 2 * pad, in.area.h - 28};
  const float least = 150 * type, wanted = 230 * type;
  const bool wide = area.w >= 620 * type;
  // The timeline has the room that its lanes need, as far as something is left below it.
  const float lanes_h = timeline_height(in.theme, times_picture(in, *scene)) +
                        legend_height(canvas, in.theme, area.w, gap_legend(in.theme)) +
                        (kTimesHead + 14) * type;
  float low_h = std::clamp(area.h - lanes_h - gap, std::min(wanted, area.h * 0.36f), area.h * 0.5f);
  if (low_h < least || area.h - low_h < 190 * type) low_h = 0;  // the timeline alone
  const float top_h = low_h > 0 ? area.h - low_h - gap : area.h;
  draw_times(canvas, in, *scene, {area.x, area.y, area.w, top_h}, events);
  if (low_h <= 0) return;
  const float y = area.bottom() - low_h, left_w = wide ? (area.w - gap) * 0.56f : area.w;
  draw_nodes(canvas, in, *scene, {area.x, y, left_w, low_h}, events);
  if (wide) draw_models(canvas, in, *scene, {area.x + left_w + gap, y, area.w - left_w - gap, low_h});
}

}  // namespace lockstep
