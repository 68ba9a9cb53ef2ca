// How far away is each byte?
// A walk through memory: each place says where the next one is, so that a load waits for the one before it.
// Make the footprint larger and watch the latency climb from step to step: each step is a level that has
// become too small. Find the plateaus, name them, and predict where the next one begins. Then ask for bytes
// per second instead of cycles per load: the order of the levels stays, the distances do not.
#include <bit>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/curves_evidence.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/portable.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

// View 0 is the footprint, but where the walk is in shared memory, or is made by the kernel itself (view 1).
bool reads_footprint(const Step& step, const std::string& rung) {
  if (step.barrier || !is_load(step.instruction.kind)) return false;
  const bool tile = step.instruction.view >= kFirstSharedView;
  if (rung == "shared_chase" || rung == "shared_read") return tile;
  if (rung == "far_chase" || rung == "far_read") return step.instruction.kind == Kind::load_cluster;
  return step.instruction.view == (rung == "near_far" || rung == "half" ? 1 : 0) && rung != "registers";
}

bool is_walk(const Step& step, const std::string& rung) {
  return reads_footprint(step, rung) &&
         (rung == "near_far" || (rung.ends_with("chase") && step.interval > 0));
}

// What the walk of near_far stands on is asked for again and again.
bool stands_still(const std::string& rung) { return rung == "near_far"; }

double first_byte(const WarpInstruction& i) {
  return double(i.offset[std::size_t(std::countr_zero(i.lanes ? i.lanes : 1u))]);
}

// Of the array that the steps walk through.
double footprint_of(const Run& run, const MemoryAxis& steps) {
  for (const Step& step : steps.steps)
    if (reads_footprint(step, run.request.rung))
      if (const ViewInfo* view = run.launches.at(std::size_t(step.launch)).view(step.instruction.view))
        return double(view->elements()) * view->element_bytes;
  return 0;
}

std::vector<PlotPoint> recorded_points(const Run& run, const std::string& rung, const char* quantity,
                                       double unit) {
  std::vector<PlotPoint> points;
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  const auto* curve = recorded ? recorded->find({rung, "footprint", quantity}) : nullptr;
  if (curve)
    for (const auto& [kb, value] : *curve)
      if (kb > 0) points.push_back({1024.0 * double(kb), value * unit, ""});
  return points;
}

std::vector<RateLine> recorded_rates(const Run& run) {
  std::vector<RateLine> lines;
  for (const RungInfo& rung : find_ladder("memory")->info.rungs)
    if (auto points = recorded_points(run, rung.slug, "gb_per_s", 1e-3); points.size() > 1)
      lines.push_back({rung.slug, std::move(points)});
  return lines;
}

}  // namespace

namespace {

std::vector<double> line_cycles_of(const Run& run) {
  std::vector<double> all;
  const auto* measured = run.evidence.find<MeasuredEvidence>();
  if (run.request.rung != "near_far" || !measured) return all;
  const auto cycles = measured->figures.find("cycles");
  std::string_view rest =
      cycles == measured->figures.end() || !cycles->second.text ? std::string_view() : *cycles->second.text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto number = number_in(rest.substr(0, comma));
    if (!number) break;
    all.push_back(*number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return all;
}

std::vector<std::optional<PlaceRead>> places_of(const MemoryAxis& steps, const std::string& rung) {
  std::vector<std::optional<PlaceRead>> places;
  for (const Step& step : steps.steps) {
    const bool walk = is_walk(step, rung);
    if (walk && !places.empty() && places.back() && places.back()->walk)
      places.back()->next_byte = first_byte(step.instruction);
    places.emplace_back();
    if (reads_footprint(step, rung)) places.back() = PlaceRead{first_byte(step.instruction), walk, {}};
  }
  return places;
}

}  // namespace

MemoryScene::MemoryScene(std::shared_ptr<const Run> given)
    : LabScene(std::move(given)),
      steps(run().launches),
      gpu(memory_gpu(run())),
      levels(level_figures(run(), gpu)),
      staircase(recorded_points(run(), "chase", "cycles", 1)),
      plateaus(recorded_plateaus(run())),
      rates(recorded_rates(run())),
      line_cycles(line_cycles_of(run())),
      answering(answering_level(run(), gpu, plateaus)),
      footprint_bytes(footprint_of(run(), steps)),
      places(places_of(steps, run().request.rung)) {}

// --- steps: one warp's access each

std::optional<PlaceRead> MemoryScene::place_at(int step) const {
  return step >= 0 && step < int(places.size()) ? places[std::size_t(step)] : std::nullopt;
}

// A third into the walk, else the first read of the footprint.
int MemoryScene::opening_step(std::int64_t) const {
  const std::string& rung = run().request.rung;
  int first = -1, walk = -1, walked = 0;
  for (int s = 0; s < steps.count(); ++s) {
    const Step& step = steps.steps[std::size_t(s)];
    if (first < 0 && reads_footprint(step, rung)) first = s;
    if (is_walk(step, rung)) walk = walk < 0 ? s : walk, ++walked;
  }
  return walk >= 0 ? walk + walked / 3 : std::max(0, first);
}

Color MemoryScene::phase_color(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  if (first.barrier) return color::barrier;
  if (is_walk(first, run().request.rung) || first.instruction.kind == Kind::load_cluster)
    return color_of(answering.level);
  return reads(first.instruction.kind) ? color::hbm : color::l2;
}

Message MemoryScene::phase_name(const Phase& phase) const {
  const Step& first = steps.steps[std::size_t(phase.first)];
  const std::string line = number_text(first.instruction.line);
  if (first.barrier) return msg("barrier, line {0}", {line});
  if (is_walk(first, run().request.rung)) return msg("the walk, line {0}", {line});
  if (reads_footprint(first, run().request.rung)) return msg("read the footprint, line {0}", {line});
  return reads(first.instruction.kind) ? msg("read, line {0}", {line}) : msg("write, line {0}", {line});
}

Message MemoryScene::step_title(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("no step");
  if (step->barrier) return msg("all warps wait at the barrier");
  const std::string warp = number_text(step->instruction.warp);
  if (is_walk(*step, run().request.rung)) return msg("one load of the walk");
  return reads(step->instruction.kind) ? msg("warp {0} reads", {warp}) : msg("warp {0} writes", {warp});
}

// --- sentence

namespace {

Message of_walk(const std::string& rung, const std::string& line, const PlaceRead& place) {
  const std::string at = grouped(std::int64_t(place.byte));
  if (stands_still(rung))
    return msg("Line {0}: the walk stands still on byte {1} and asks the L2 for its line.", {line, at});
  if (!place.next_byte) return msg("Line {0}: the last load of this walk, at byte {1}.", {line, at});
  return msg(
      "Line {0}: the place at byte {1} says that the next one is at byte {2}, {3} away. Until it has come, "
      "the "
      "next load cannot start.",
      {line, at, grouped(std::int64_t(*place.next_byte)),
       bytes_text(std::abs(*place.next_byte - place.byte))});
}

}  // namespace

Message MemoryScene::sentence(const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step) return msg("This run has no steps.");
  const std::string& rung = run().request.rung;
  const WarpInstruction& i = step->instruction;
  const std::string line = number_text(i.line), warp = number_text(i.warp);
  const std::string bytes = number_text(std::popcount(i.lanes) * i.width);
  if (step->barrier) return msg("Line {0}: all warps wait here until the last one has come.", {line});
  if (const auto place = place_at(view.step); place && place->walk) return of_walk(rung, line, *place);
  if (reads_footprint(*step, rung) && rung.ends_with("chase"))
    return msg(
        "Line {0}: warp {1} reads {2} places, so that each level holds what it can when the walk begins.",
        {line, warp, number_text(std::popcount(i.lanes))});
  if (reads_footprint(*step, rung) && rung != "copy")
    return msg("Line {0}: warp {1} reads {2} bytes, from byte {3} on. Nothing waits for them but the sum.",
               {line, warp, bytes, grouped(std::int64_t(first_byte(i)))});
  if (reads(i.kind)) return msg("Line {0}: warp {1} reads {2} bytes.", {line, warp, bytes});
  return msg("Line {0}: warp {1} writes {2} bytes of what the check looks at.", {line, warp, bytes});
}

// --- headline: what was measured here, who answers, what others have measured

std::optional<double> MemoryScene::measured_cycles() const { return real_metric(run(), "measured.cycles"); }

std::string cycles_per_load_text(double cycles) {
  if (cycles >= 100) return grouped(std::llround(cycles));
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", cycles);
  return text;
}

bool MemoryScene::shows_rates() const {
  const std::string& rung = run().request.rung;
  return rung == "l1_read" || rung == "read" || rung == "copy" || rung == "half";
}

std::optional<double> MemoryScene::setting_bytes() const {
  const Params& p = run().request.params;
  if (!p.contains("footprint")) return {};
  return 1024.0 * double(int_param(p, "footprint"));
}

std::vector<HeadFigure> MemoryScene::headline(const LabView&) const {
  std::vector<HeadFigure> figures;
  const auto rate = real_metric(run(), "measured.gb_per_s");
  const bool fmas = run().request.rung == "registers";
  if (const auto cycles = measured_cycles())
    figures.push_back({cycles_per_load_text(*cycles), tr("cycles"),
                       fmas ? tr("per dependent FMA") : tr("per dependent load"),
                       std::string(provenance_of(run(), "metrics.measured.cycles")), false});
  if (rate)
    figures.push_back({rate_text(*rate * 1e9), "", fmas ? tr("operands of all SMs") : tr("all SMs together"),
                       std::string(provenance_of(run(), "metrics.measured.gb_per_s")), false});
  if (figures.empty())
    figures.push_back({"—", shows_rates() ? tr("TB/s") : tr("cycles"),
                       tr("not recorded at this setting; the emulator has no times"), "", false});
  figures.push_back(
      {name_of(answering.level), answering.next ? tr("and {0}", {name_of(*answering.next)}) : "",
       answering.by_plateau ? tr("answers, by the plateaus") : tr("answers, by its size"), "", false});
  const LevelFigures& answers = figures_of(answering.level);
  if (answers.published_cycles && measured_cycles())
    figures.push_back(
        {published_text(*answers.published_cycles, false), "",
         answers.level == MemoryLevel::l2 ? tr("published, near to far") : tr("published for this level"), "",
         false});
  return figures;
}

// --- numbers

namespace {

std::string rate_range(const Between& b) { return rate_text(b.low) + "–" + rate_text(b.high); }

}  // namespace

std::string published_text(const Between& b, bool rate) {
  if (rate) return rate_range(b);
  if (b.low == b.high) return tr("{0} cycles", {grouped(std::llround(b.low))});
  return tr("{0}–{1} cycles", {grouped(std::llround(b.low)), grouped(std::llround(b.high))});
}

std::string published_cycles_text(const LevelFigures& f) {
  const Between& b = *f.published_cycles;
  if (f.level != MemoryLevel::l2) return published_text(b, false);
  return tr("{0}, far {1} cycles", {grouped(std::llround(b.low)), grouped(std::llround(b.high))});
}

std::string latency_text(const LevelFigures& f) {
  if (!f.cycles) return "";
  const std::string cycles = cycles_per_load_text(*f.cycles);
  if (f.far_cycles) return tr("{0} near, ≈ {1} far", {cycles, cycles_per_load_text(*f.far_cycles)});
  return f.ns ? tr("{0} cycles, {1} ns", {cycles, cycles_per_load_text(*f.ns)}) : tr("{0} cycles", {cycles});
}

std::vector<NumberRow> MemoryScene::numbers() const {
  std::vector<NumberRow> rows;
  const auto add = [&](Message label, const char* name, auto text) {
    if (const auto value = real_metric(run(), std::string("measured.") + name))
      rows.push_back({std::move(label), text(*value), std::string("metrics.measured.") + name});
  };
  const auto rate = [](double gb) { return rate_text(gb * 1e9); };
  const auto ns = [](double x) { return cycles_per_load_text(x) + " ns"; };
  add(run().request.rung == "registers" ? msg("cycles per FMA") : msg("cycles per load"), "cycles",
      cycles_per_load_text);
  add(msg("time per load"), "ns", ns);
  add(msg("cycles, near half"), "near_cycles", cycles_per_load_text);
  add(msg("cycles, far half"), "far_cycles", cycles_per_load_text);
  add(msg("lines in the near half"), "near_share", percent_text);
  add(msg("throughput"), "gb_per_s", rate);
  add(msg("copy to the GPU, pinned"), "pinned_in_gb_per_s", rate);
  add(msg("copy from the GPU, pinned"), "pinned_out_gb_per_s", rate);
  add(msg("copy to the GPU, pageable"), "pageable_in_gb_per_s", rate);
  add(msg("copy from the GPU, pageable"), "pageable_out_gb_per_s", rate);
  for (const LevelFigures& f : levels) {
    if (!f.cycles && !f.bytes_per_s) continue;
    if (f.cycles) rows.push_back({msg("{0}: latency", {name_of(f.level)}), latency_text(f), "metrics.curve"});
    if (f.bytes_per_s)
      rows.push_back(
          {msg("{0}: throughput", {name_of(f.level)}), rate_text(*f.bytes_per_s), "metrics.curve"});
    const auto of_part = [&](Message label, const std::optional<double>& bytes_per_s) {
      if (bytes_per_s) rows.push_back({std::move(label), rate_text(*bytes_per_s), "metrics.curve"});
    };
    of_part(msg("{0}: near half", {name_of(f.level)}), f.near_bytes_per_s);
    of_part(msg("{0}: far half", {name_of(f.level)}), f.far_bytes_per_s);
    of_part(msg("{0}: copy to the GPU, pinned", {name_of(f.level)}), f.pinned_in);
    of_part(msg("{0}: copy from the GPU, pinned", {name_of(f.level)}), f.pinned_out);
    of_part(msg("{0}: copy to the GPU, pageable", {name_of(f.level)}), f.pageable_in);
    of_part(msg("{0}: copy from the GPU, pageable", {name_of(f.level)}), f.pageable_out);
  }
  return rows;
}

// --- figures of a step, for expressions

std::string MemoryScene::step_figure_names() const { return "byte, next_byte, jump_bytes, lanes, warp"; }

std::optional<double> MemoryScene::step_figure(std::string_view name, const LabView& view) const {
  const Step* step = steps.at(view.step);
  if (!step || step->barrier) return {};
  if (name == "lanes") return std::popcount(step->instruction.lanes);
  if (name == "warp") return step->instruction.warp;
  const auto place = place_at(view.step);
  if (!place) return {};
  if (name == "byte") return place->byte;
  if (name == "next_byte") return place->next_byte;
  if (name == "jump_bytes" && place->next_byte) return std::abs(*place->next_byte - place->byte);
  return {};
}

// --- entry

namespace {

class MemoryLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("memory")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<MemoryScene>(std::move(run));
  }
  // Walks and readings of different levels: one bar for all would compare nothing.
  Message why_no_bar(std::string_view rung, std::span<const Run> timed) const override {
    const auto own = complete_params(info(), rung, find_ladder("memory")->bench_params(rung));
    for (const Run& run : timed) {
      if (run.request.rung != rung || !own || run.request.params != *own) continue;
      if (const auto rate = real_metric(run, "measured.gb_per_s"))
        return msg("{0}", {rate_text(*rate * 1e9)});
      if (const auto cycles = real_metric(run, "measured.cycles"))
        return msg("{0} cycles per load", {cycles_per_load_text(*cycles)});
    }
    return msg("figures: see the pyramid");
  }
};

}  // namespace

const Lab& memory_lab() {
  static const MemoryLab lab;
  return lab;
}

}  // namespace lockstep
