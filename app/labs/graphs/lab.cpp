// Where does the time between kernels go?
// The same kernels launched one by one and as one graph, on one axis of time: what the CPU calls, when each
// kernel runs, and why a lane stands still before it. Shorten the kernels until the graph wins; wait after
// each of them; then predict the break-even length and look where it is.
#include <algorithm>
#include <cstdio>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/ranges_picture.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

class GraphsLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("graphs")->info; }
  StepAxis steps(const Run& run) const override;
  int opening_step(const Run& run, const StepAxis& axis) const override {
    return shows_ranges(run) ? ranges_opening_step(run) : Lab::opening_step(run, axis);
  }
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override {
    shows_ranges(in.run) ? draw_ranges(canvas, in, events) : draw_graphs(canvas, in, events);
  }
  Message step_title(const Run& run, const StepAxis& axis, int step) const override;
  Message sentence(const Run& run, const StepAxis& axis, int step) const override;
  Color phase_color(const Run&, const Phase& phase) const override {
    return of_ranges(phase) ? ranges_phase_color(phase) : kernel_color(phase.mark);
  }
  Message phase_name(const Run& run, const Phase& phase) const override;
  Message phase_place(const StepAxis&, const Phase& phase) const override {
    if (of_ranges(phase)) return ranges_phase_place(phase);
    return msg("steps {0} to {1}: kernels in the order of their starts",
               {std::to_string(phase.first + 1), std::to_string(phase.first + phase.count)});
  }
  std::vector<NumberRow> numbers(const Run& run) const override;
  std::vector<LabPanel> panels(const Run& run, Rect stage, const Theme& theme) const override;
  std::vector<Message> things_to_try() const override;
  std::optional<Timeline> timeline(const Run& run) const override {
    const auto scene = graphs_scene(run);
    return scene ? std::optional(scene->timeline) : std::nullopt;
  }
};

// --- steps
// ---------------------------------------------------------------------------------------------

std::vector<std::uint16_t> lines_of(const Launch& launch, std::uint16_t file) {
  std::vector<std::uint16_t> lines;
  for (const Access& access : launch.trace.events)
    if (access.file == file) lines.push_back(access.line);
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

// One step per kernel, in the order in which they start; kernels of one name are one phase. Or one per range.
StepAxis GraphsLab::steps(const Run& run) const {
  StepAxis axis;
  const auto scene = graphs_scene(run);
  if (!scene) return axis;
  const int rung = std::max(0, info().rung_index(run.request.rung));
  Step kernel;
  kernel.instruction.file = file_id(info().rungs[std::size_t(rung)].file.c_str());
  if (shows_ranges(run)) return ranges_steps(run, kernel.instruction.file);
  axis.steps.assign(scene->order.size(), kernel);
  axis.groups.resize(scene->order.size());
  for (int step = 0; step < int(scene->order.size()); ++step) {
    const auto node = std::size_t(scene->node_at(step));
    if (run.launches.size() == scene->nodes.size())
      axis.groups[std::size_t(step)].lines = lines_of(run.launches[node], kernel.instruction.file);
    const auto mark = std::uint16_t(scene->color_of(int(node)));
    if (!axis.phases.empty() && axis.phases.back().mark == mark) {
      ++axis.phases.back().count;
      continue;
    }
    Phase phase;
    phase.first = step, phase.count = 1, phase.mark = mark, phase.role = Role::marked;
    axis.phases.push_back(phase);
  }
  return axis;
}

Message GraphsLab::step_title(const Run& run, const StepAxis&, int step) const {
  if (shows_ranges(run)) return ranges_step_title(run, step);
  const auto scene = graphs_scene(run);
  if (!scene || scene->nodes.empty()) return msg("no step");
  const int node = scene->node_at(step);
  return msg("{0} starts, {1}", {scene->nodes[std::size_t(node)].name,
                                 us_text(double(scene->first().kernels[std::size_t(node)].start_ns) / 1e3)});
}

// Why the kernel starts when it does: the pieces of the pause before it, in its lane.
Message GraphsLab::sentence(const Run& run, const StepAxis&, int step) const {
  if (shows_ranges(run)) return ranges_sentence(run, step);
  const auto scene = graphs_scene(run);
  if (!scene || scene->nodes.empty()) return msg("This run has no steps.");
  const int node = scene->node_at(step);
  double by_cause[kGapCauses] = {}, all = 0;
  for (const Gap& gap : gaps_of(scene->nodes, scene->first(), scene->first_starts()))
    if (gap.node == node) {
      const double us = double(gap.end_ns - gap.start_ns) / 1e3;
      by_cause[std::size_t(gap.cause)] += us, all += us;
    }
  const std::string& name = scene->nodes[std::size_t(node)].name;
  const std::string start = us_text(double(scene->first().kernels[std::size_t(node)].start_ns) / 1e3);
  const double cpu = by_cause[std::size_t(GapCause::cpu)],
               other = by_cause[std::size_t(GapCause::dependency)];
  if (all <= 0) return msg("{0} starts at {1}, the first one of its lane.", {name, start});
  if (cpu > 0)
    return msg("{0} starts at {1}: its lane stood still for {2}, for {3} of it since the CPU was late.",
               {name, start, us_text(all), us_text(cpu)});
  if (other > 0)
    return msg(
        "{0} starts at {1}: its lane stood still for {2}, for {3} of it behind a kernel of another lane.",
        {name, start, us_text(all), us_text(other)});
  return msg("{0} starts at {1}, {2} after the kernel before it: so long the GPU takes from one to the next.",
             {name, start, us_text(all)});
}

Message GraphsLab::phase_name(const Run& run, const Phase& phase) const {
  if (of_ranges(phase)) return ranges_phase_name(phase);
  const auto scene = graphs_scene(run);
  if (!scene || scene->nodes.empty()) return msg("no step");
  return msg("kernels: {0}", {scene->nodes[std::size_t(scene->node_at(phase.first))].name});
}

// --- numbers
// ---------------------------------------------------------------------------------------------

std::vector<NumberRow> GraphsLab::numbers(const Run& run) const {
  std::vector<NumberRow> rows;
  const auto time = [&](Message label, const std::string& name) {
    if (const auto value = real_metric(run, name))
      rows.push_back({std::move(label), us_text(*value), "metrics." + name});
  };
  const auto share = [&](Message label, const std::string& name) {
    if (const auto value = real_metric(run, name))
      rows.push_back({std::move(label), (*value > 0 ? "+" : "") + percent_text(*value), "metrics." + name});
  };
  time(msg("one by one"), "stream.total_us");
  time(msg("the GPU idle"), "stream.gaps_us");
  time(msg("as one graph"), "graph.total_us");
  time(msg("idle in the graph"), "graph.gaps_us");
  time(msg("serial model"), "models.serial_us");
  time(msg("asynchronous model"), "models.asynchronous_us");
  share(msg("serial, off by"), "models.serial_error");
  share(msg("asynchronous, off by"), "models.asynchronous_error");
  time(msg("graph model"), "models.graph_us");
  time(msg("launch hidden from"), "models.break_even_us");
  time(msg("a launch"), "costs.launch_us");
  time(msg("from node to node"), "costs.node_gap_us");
  if (const auto error = real_metric(run, "clock.error_us"))
    rows.push_back({msg("clock alignment"), "± " + us_text(*error), "metrics.clock.error_us"});
  return rows;
}

// --- panels
// ---------------------------------------------------------------------------------------------

void draw_table(Canvas& canvas, const Theme& theme, Rect r, const std::vector<TableRow>& rows) {
  const float type = theme.type, step = 21 * type, value_w = 92 * type;
  float y = r.y + 8 * type;
  for (const TableRow& row : rows) {
    const TextStyle label = row.dim ? TextStyle{Font::words, 11.5f * type, theme.dim}
                                    : TextStyle{Font::words, 12.5f * type, theme.ink};
    canvas.text_fit({r.x, y}, row.label, label, row.value.empty() ? r.w : r.w - value_w - 6);
    canvas.text_fit({r.right(), y}, row.value, {Font::mono, 11.5f * type, theme.ink, Align::right}, value_w);
    y += step;
  }
}

std::vector<TableRow> graph_table(const Run& run) {
  std::vector<TableRow> rows;
  const auto time = [&](std::string label, const char* name) {
    if (const auto value = real_metric(run, name)) rows.push_back({std::move(label), us_text(*value)});
  };
  time(tr("capture"), "capture.total_us");
  time(tr("build without a capture"), "graph.build_us");
  time(tr("instantiate"), "graph.instantiate_us");
  time(tr("upload"), "graph.upload_us");
  time(tr("launch call"), "graph.launch_us");
  time(tr("update the whole graph"), "graph.update_us");
  time(tr("set one node's parameters"), "graph.set_parameters_us");
  if (const auto bytes = real_metric(run, "graph.memory_bytes"); bytes && *bytes > 0)
    rows.push_back({tr("memory of the graph"), bytes_text(*bytes)});
  return rows;
}

constexpr float kSourceLine = 15;

// Lines of a text in the narrowest card, for the card's height: a letter of English takes at most 7 px, one
// of Chinese, of three bytes, 12.
float lines_of(const std::string& text) { return text.empty() ? 0 : float(text.size() / 40 + 1); }

void draw_sources(Canvas& canvas, const Theme& theme, Rect r, const SourcesCard& card) {
  const float type = theme.type, line = kSourceLine * type;
  float y = r.y;
  const auto say = [&](const std::string& text, Color color) {
    if (text.empty()) return;
    y += canvas.text_wrap({r.x, y}, text, {Font::words, 11.5f * type, color}, r.w, line) + 6 * type;
  };
  say(card.text, theme.dim);
  say(card.problem, theme.ink);
  draw_table(canvas, theme, {r.x, y, r.w, r.bottom() - y}, card.rows);
}

float case_height(const CaptureRow& row) { return row.error.empty() ? 40 : 55; }

void draw_cases(Canvas& canvas, const Theme& theme, Rect r, const std::vector<CaptureRow>& rows) {
  const float type = theme.type, answer_w = 78 * type;
  float y = r.y + 8 * type;
  for (const CaptureRow& row : rows) {
    canvas.text_fit({r.x, y}, row.what, {Font::words, 12.5f * type, theme.ink}, r.w - answer_w - 6);
    const Color color = theme.readable(row.refused ? color::trouble : color::shared);
    canvas.text_fit({r.right(), y}, row.answer, {Font::words_semibold, 12.5f * type, color, Align::right},
                    answer_w);
    float line = y;
    if (!row.error.empty())
      canvas.text_fit({r.x, line += 16 * type}, row.error, {Font::mono, 10.5f * type, theme.dim}, r.w);
    canvas.text_fit({r.x, line += 16 * type}, row.detail, {Font::words, 11.5f * type, theme.dim}, r.w);
    y += case_height(row) * type;
  }
}

std::vector<LabPanel> GraphsLab::panels(const Run& run, Rect, const Theme&) const {
  std::vector<LabPanel> all;
  if (const auto table = graph_table(run); !table.empty())
    all.push_back({msg("MAKING AND CHANGING THE GRAPH"), std::string(provenance_of(run, "metrics.graph")),
                   float(table.size()) * 21 + 6, [table](Canvas& canvas, const Theme& theme, Rect r) {
                     draw_table(canvas, theme, r, table);
                   }});
  if (const auto card = sources_card(run))
    all.push_back(
        {msg("TWO SOURCES"), std::string(provenance_of(run, "metrics.cupti")),
         (lines_of(card->text) + lines_of(card->problem)) * kSourceLine + float(card->rows.size()) * 21 + 14,
         [card = *card](Canvas& canvas, const Theme& theme, Rect r) {
           draw_sources(canvas, theme, r, card);
         }});
  const auto rows = capture_rows(run);
  float height = 0;
  for (const CaptureRow& row : rows) height += case_height(row);
  if (std::any_of(rows.begin(), rows.end(), [](const CaptureRow& row) { return row.known; }))
    all.push_back({msg("WHAT CAN BE CAPTURED"), std::string(provenance_of(run, "metrics.cases")), height,
                   [run](Canvas& canvas, const Theme& theme, Rect r) {
                     draw_cases(canvas, theme, r, capture_rows(run));
                   }});
  return all;
}

std::vector<Message> GraphsLab::things_to_try() const {
  return {msg("Shorten the kernels. From which length on does the GPU wait for the CPU?"),
          msg("Wait after each kernel: which model is right now?"),
          msg("Which call launched the yellow kernel?"),
          msg("Predict first: 200 kernels of 15 µs. How much does a graph save?"),
          msg("Four branches: does the GPU run them at once, and who waits for whom?"),
          msg("A batch of 3 runs in the bucket of 4: what does the padding cost?")};
}

}  // namespace

const Lab& graphs_lab() {
  static const GraphsLab lab;
  return lab;
}

}  // namespace lockstep
