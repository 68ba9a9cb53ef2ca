// The stage of launched kernels: the timeline of both ways, the graph, and what the models say of it.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/dag.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/draw/timeline.hpp"
#include "app/labs/timeline_words.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

std::vector<TimelineKind> kinds(const Theme& theme) {
  std::vector<TimelineKind> all(static_cast<std::size_t>(SpanKind::kernel));
  const auto at = [&](SpanKind kind) -> TimelineKind& { return all[std::size_t(kind)]; };
  at(SpanKind::call) = {tr("call of the CPU"), Color::hex(0x8D959C), false};
  at(SpanKind::wait) = {tr("waits for the GPU"), mix(theme.panel, Color::hex(0x8D959C), 0.35f), false};
  at(SpanKind::waits_for_cpu) = {tr("waits for the CPU"), mix(theme.panel, color::trouble, 0.75f), true};
  at(SpanKind::starts) = {tr("launched, not yet started"), mix(theme.panel, color::trouble, 0.35f), true};
  at(SpanKind::waits_for_other) = {tr("waits for another lane"),
                                   mix(theme.panel, Color::hex(0x8D959C), 0.18f), true};
  for (int i = 0; i < kKernelColors; ++i) all.push_back({tr("kernel"), kernel_color(i), false});
  return all;
}

int node_of_span(const LaunchedKernels& launched, std::uint32_t id) {
  for (const auto* ids : {&launched.stream_ids, &launched.graph_ids})
    if (const auto at = std::find(ids->begin(), ids->end(), id); id && at != ids->end())
      return int(at - ids->begin());
  return -1;
}

constexpr float kTimesHead = 24, kLabelWidth = 84;

std::vector<LegendItem> gap_legend(const Theme& theme) {
  std::vector<LegendItem> items;
  const auto all = kinds(theme);
  for (std::size_t kind = 0; kind < std::size_t(SpanKind::kernel); ++kind)
    items.push_back({all[kind].name, all[kind].color, false});
  return items;
}

constexpr std::string_view kProduct = " product";

// What stands where there is no room for a kernel's name: its number, or what it makes; else "".
std::string short_name(const std::string& name) {
  if (name.ends_with(kProduct)) return name.substr(0, name.size() - kProduct.size());
  const std::size_t space = name.rfind(' ');
  const bool numbered = space != name.npos && space + 1 < name.size() &&
                        name.find_first_not_of("0123456789", space + 1) == name.npos;
  return numbered ? name.substr(space + 1) : "";
}

// What stands in a bar that is too short for its name: of a kernel as above, a verb for a call.
std::vector<std::string> short_names(const Timeline& timeline) {
  std::vector<std::string> shorter;
  for (const std::string& name : timeline.names) {
    const std::string verb = short_call(name);
    shorter.push_back(verb.empty() ? short_name(name) : verb);
  }
  return shorter;
}

// The cursor goes from the kernel of the step before to this one's, in the time that the step takes.
TimelinePicture times_picture(const StageInput& in, const LaunchedKernels& launched) {
  TimelinePicture picture;
  picture.id = "stage/timeline", picture.timeline = &launched.timeline, picture.kinds = kinds(in.theme);
  const auto start_of = [&](int step) {
    return double(launched.first().kernels[std::size_t(launched.node_at(step))].start_ns);
  };
  const int node = launched.node_at(in.view.step);
  const double before = in.view.step > 0 ? start_of(in.view.step - 1) : 0;
  picture.now_ns = before + (start_of(in.view.step) - before) * double(in.motion);
  for (const auto* ids : {&launched.stream_ids, &launched.graph_ids})
    if (const std::uint32_t id = (*ids)[std::size_t(node)]) picture.now_spans.push_back(id);
  picture.label_width = kLabelWidth, picture.short_names = short_names(launched.timeline);
  picture.tell = [&](const TimelineSpan& span) { return span_hint(launched.timeline, span); };
  return picture;
}

void draw_times(Canvas& canvas, const StageInput& in, const GraphsScene& scene, Rect r, StageEvents& events) {
  const LaunchedKernels& launched = scene.launched;
  // Presented, the headline says whose word the times are, and the lanes have the room.
  const float type = in.theme.type, head = in.presentation ? 0 : kTimesHead * type;
  if (!in.presentation) {
    const std::string words = scene.times_provenance();
    canvas.text_fit({r.x, r.y + head / 2 - 4}, tr("What the CPU calls and what the GPU runs"),
                    {Font::words_semibold, 13.5f * type, in.theme.ink},
                    r.w - badge_width(canvas, in.theme, words) - 10);
    draw_badge(canvas, in.theme, {r.right(), r.y + head / 2 - 4}, words);
  }
  const auto legend = gap_legend(in.theme);
  const float legend_h = legend_height(canvas, in.theme, r.w, legend);
  draw_legend(canvas, in.theme, {r.x, r.y + head, r.w, legend_h}, legend);
  const float taken = head + legend_h + 6 * type;
  const TimelineHit hit =
      stage_timeline(canvas, in, events, {r.x, r.y + taken, r.w, r.h - taken}, times_picture(in, launched));
  if (hit.chosen)
    if (const int chosen = node_of_span(launched, *hit.chosen); chosen >= 0)
      events.go_to_step = launched.step_of_node(chosen);
}

// --- the graph

std::vector<DagBox> graph_boxes(const StageInput& in, const LaunchedKernels& launched) {
  const int current = launched.node_at(in.view.step);
  const std::int64_t now = launched.first().kernels[std::size_t(current)].start_ns;
  std::vector<DagBox> boxes;
  for (std::size_t i = 0; i < launched.nodes.size(); ++i) {
    DagBox box{
        launched.names[i], kernel_color(launched.colors[i]), false, false, launched.nodes[i].after, ""};
    box.done = launched.first().kernels[i].start_ns <= now, box.current = int(i) == current;
    std::string waits;
    for (const int before : box.after)
      waits += (waits.empty() ? "" : ", ") + launched.names[std::size_t(before)];
    box.hint = waits.empty() ? tr("{0}: waits for nothing", {box.label})
                             : tr("{0}: waits for {1}", {box.label, waits});
    boxes.push_back(std::move(box));
  }
  return boxes;
}

void draw_nodes(Canvas& canvas, const StageInput& in, const LaunchedKernels& launched, Rect r,
                const std::vector<DagBox>& boxes, StageEvents& events) {
  if (const auto clicked = draw_dag(canvas, in.theme, "stage/graph", r, boxes))
    events.go_to_step = launched.step_of_node(*clicked);
}

// A graph of a row or two stands under the lanes, as one more of them.
void draw_graph_lane(Canvas& canvas, const StageInput& in, const LaunchedKernels& launched, Rect r,
                     const std::vector<DagBox>& boxes, StageEvents& events) {
  const float label = kLabelWidth * in.theme.type;
  canvas.text_fit({r.x + label - 10 * in.theme.type, r.center().y}, tr("the graph"),
                  {Font::words, 12 * in.theme.type, in.theme.dim, Align::right}, label - 12 * in.theme.type);
  draw_nodes(canvas, in, launched, {r.x + label, r.y, r.w - label, r.h}, boxes, events);
}

// --- models and times

// What was timed is ink, what a model says is grey.
std::vector<Bar> model_bars(const Theme& theme, const LaunchedKernels& launched) {
  const Color modelled = Color::hex(0x8D959C);
  std::vector<std::pair<double, Bar>> rows;
  const auto add = [&](std::string label, double value, bool timed) {
    const std::string figure =
        timed ? tr("{0}, timed", {us_text(value)}) : tr("{0}, model", {us_text(value)});
    rows.push_back({value, {std::move(label), figure, 0, timed ? theme.ink : modelled}});
  };
  add(tr("wait after each"), launched.models.serial_us, false);
  add(tr("launch ahead"), launched.models.asynchronous_us, false);
  if (!launched.modelled) add(tr("one by one"), launched.stream.total_us(), true);
  const bool graph = launched.problem.empty();
  if (graph) add(tr("as one graph"), launched.models.graph_us, false);
  if (graph && !launched.modelled) add(tr("as one graph"), launched.graph.total_us(), true);
  double most = 1e-9;
  for (const auto& [value, bar] : rows) most = std::max(most, value);
  std::vector<Bar> bars;
  for (auto& [value, bar] : rows) bar.share = value / most, bars.push_back(std::move(bar));
  return bars;
}

std::vector<std::string> model_notes(const LaunchedKernels& launched) {
  std::vector<std::string> notes;
  if (!launched.problem.empty()) notes.push_back(tr("There is no graph: {0}", {launched.problem}));
  if (!launched.each)
    notes.push_back(tr("A launch costs the CPU {0}: it cannot keep up with kernels shorter than {1}.",
                       {us_text(launched.costs.launch), us_text(launched.models.break_even_us)}));
  return notes;
}

constexpr float kBarRow = 24, kNoteLine = 15, kPanelEdge = 11;

TextStyle note_style(const Theme& theme) { return {Font::words, 11.5f * theme.type, theme.dim}; }

// Of the card, in so much width.
float models_height(const Canvas& canvas, const Theme& theme, float width, const LaunchedKernels& launched) {
  float lines = 0;
  const auto notes = model_notes(launched);
  for (const std::string& note : notes)
    lines += float(canvas.count_lines(note, note_style(theme), width - 2 * kPanelEdge - 6));
  return panel_title_height(theme) + kPanelEdge +
         (kBarRow * float(model_bars(theme, launched).size()) + lines * kNoteLine + 4 * float(notes.size()) +
          6) *
             theme.type;
}

void draw_models(Canvas& canvas, const StageInput& in, const LaunchedKernels& launched, Rect r) {
  const Rect inner = draw_panel(canvas, in.theme, r,
                                launched.modelled ? tr("WHAT THE MODELS SAY") : tr("MODELLED AND TIMED"));
  const auto bars = model_bars(in.theme, launched);
  const float type = in.theme.type, bars_h = kBarRow * type * float(bars.size());
  draw_bars(canvas, in.theme, "stage/models", {inner.x, inner.y, inner.w, bars_h}, bars);
  float y = inner.y + bars_h + 6 * type;
  for (const std::string& note : model_notes(launched))
    y += canvas.text_wrap({inner.x, y}, note, note_style(in.theme), inner.w, kNoteLine * type) + 4 * type;
}

// --- what the stage has room for

struct StagePlan {
  Rect times, graph, models;  // of no height: not there
  bool lane = false;          // the graph as one more lane
  // On a very high stage what stands below the lanes follows them; on one that is a little too high it stays
  // at the edge.
  void close_up(float most_times_h) {
    const float spare = std::max(0.f, times.h - most_times_h);
    times.h -= spare, graph.y -= spare, models.y -= spare;
  }
};

StagePlan plan_of(const Canvas& canvas, const StageInput& in, const LaunchedKernels& launched, Rect area,
                  float lanes_h, const std::vector<DagBox>& boxes) {
  const float type = in.theme.type, gap = 16, least = 190 * type;
  const float dag_h = dag_height(in.theme, boxes);
  StagePlan plan{area, {area.x, area.bottom(), area.w, 0}, {area.x, area.bottom(), area.w, 0}, false};
  const auto take = [&](Rect& part, float height) {
    part = {area.x, plan.times.bottom() - height, area.w, height};
    plan.times.h -= height + gap;
  };
  plan.lane = dag_h <= 84 * type;  // one row of kernels, or two
  const bool wide = area.w >= 560 * type;
  const float models_w = wide && !plan.lane ? (area.w - gap) * 0.48f : area.w;
  const float models_h = models_height(canvas, in.theme, models_w, launched);
  if (plan.lane) {
    // Lanes that lie closer are readable still; without the card they stand wider.
    if (area.h - dag_h - models_h - 2 * gap >= std::min(lanes_h, 196 * type)) take(plan.models, models_h);
    if (area.h - dag_h - gap >= lanes_h * 0.7f) take(plan.graph, dag_h);
    return plan;
  }
  const float low_h = std::max(dag_h + panel_title_height(in.theme) + kPanelEdge, wide ? models_h : 0.f);
  if (area.h - low_h - gap < std::max(least, lanes_h * 0.8f)) return plan;
  take(plan.graph, low_h);
  if (!wide) return plan;
  plan.models = {area.right() - models_w, plan.graph.y, models_w, low_h};
  plan.graph.w -= models_w + gap;
  return plan;
}

}  // namespace

std::string GraphsScene::times_provenance() const {
  if (!launched.modelled) return std::string(provenance_of(run(), "metrics.stream"));
  // Where the settings do not say how long the kernels run, their lengths are assumed.
  return run().request.params.contains("kernel_us") ? kLaunchModelError : "modelled";
}

void GraphsScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  if (launched.nodes.empty()) return;
  const float type = in.theme.type, pad = 28;
  const Rect area{in.area.x + pad, in.area.y + 14, in.area.w - 2 * pad, in.area.h - 28};
  const TimelinePicture times = times_picture(in, launched);
  const float above_lanes =
      legend_height(canvas, in.theme, area.w, gap_legend(in.theme)) + (kTimesHead + 14) * type;
  const auto boxes = graph_boxes(in, launched);
  StagePlan plan = plan_of(canvas, in, launched, area, timeline_height(in.theme, times) + above_lanes, boxes);
  constexpr float kAir = 180;
  if (!in.presentation) plan.close_up(tallest_timeline(in.theme, times) + above_lanes + kAir * type);
  draw_times(canvas, in, *this, plan.times, events);
  if (plan.graph.h > 0 && plan.lane) draw_graph_lane(canvas, in, launched, plan.graph, boxes, events);
  if (plan.graph.h > 0 && !plan.lane)
    draw_nodes(canvas, in, launched, draw_panel(canvas, in.theme, plan.graph, tr("THE GRAPH")), boxes,
               events);
  if (plan.models.h > 0) draw_models(canvas, in, launched, plan.models);
}

}  // namespace lockstep
