// The ladder above the stage: every rung with its recorded time at the real size, whatever is stepped.
#include <algorithm>
#include <set>

#include "app/draw/controls.hpp"
#include "app/draw/head_figures.hpp"
#include "app/draw/ladder_strip.hpp"
#include "app/draw/number_text.hpp"
#include "kernels/ladder.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

std::string device_word(const Run& run) {
  std::string name = run.device.name;
  if (name.starts_with("NVIDIA ")) name.erase(0, 7);
  return name;
}

// "an H200": letters that are spoken as a vowel.
std::string device_phrase(const Run& run) {
  const std::string name = device_word(run);
  const bool vowel = !name.empty() && std::string_view("AEFHILMNORSX").find(name[0]) != std::string::npos;
  return vowel ? tr("an {0}", {name}) : tr("a {0}", {name});
}

std::string value_text(const Parameter& p, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return grouped(*whole);
  return tr(title_of(p, to_string(value)));
}

// "m = n = k = 4,096, dtype = bf16": the settings that all of these runs share, of those that the ladder is
// timed at.
std::string common_size(const Ladder& ladder, const std::vector<const Run*>& runs) {
  std::vector<std::pair<std::string, std::string>> parts;  // names, value
  const Params asked = ladder.bench_params(ladder.info.rungs.front().slug);
  for (const Parameter& p : ladder.info.parameters) {
    if (!asked.contains(p.name)) continue;
    std::set<std::string> values;
    for (const Run* run : runs)
      if (const auto at = run->request.params.find(p.name); at != run->request.params.end())
        values.insert(value_text(p, at->second));
    if (values.size() != 1) continue;
    const auto same = std::find_if(parts.begin(), parts.end(),
                                   [&](const auto& part) { return part.second == *values.begin(); });
    if (same == parts.end())
      parts.emplace_back(tr(title_of(p)), *values.begin());
    else
      same->first += " = " + tr(title_of(p));
  }
  const Run& first = *runs.front();  // the sizes have other names in each rung: what they have in common
  if (parts.empty())
    return tr("{0} moved", {bytes_text(ladder.bytes(first.request.params, first.request.rung))});
  std::string text;
  for (const auto& [names, value] : parts) text += (text.empty() ? "" : ", ") + names + " = " + value;
  return text;
}

// Why the chosen GPU cannot run a rung; "" where it can, or where no GPU is chosen.
std::string why_not(const App& app, const RungInfo& rung) {
  if (!app.runner() || app.state().engine != EngineKind::cuda) return "";
  const auto version = [](int cc) { return std::to_string(cc / 10) + "." + std::to_string(cc % 10); };
  for (const Runner::EngineState& engine : app.runner()->engines())
    if (engine.kind == EngineKind::cuda && engine.ok && engine.compute_capability < rung.compute_capability)
      return tr(
          "{0} needs compute capability {1}, {2} has {3}",
          {rung.slug, version(rung.compute_capability), engine.device, version(engine.compute_capability)});
  return "";
}

// One reason for every rung stands beside the title, instead of once under each name.
void say_common_reason_once(LadderStrip& strip) {
  if (strip.cells.empty()) return;
  const std::string reason = strip.cells.front().no_time;
  for (const LadderCell& cell : strip.cells)
    if (cell.no_time != reason) return;
  strip.about = reason;
  for (LadderCell& cell : strip.cells) cell.no_time.clear();
}

}  // namespace

LadderStrip ladder_strip_of(const App& app) {
  const Ladder* ladder = find_ladder(app.state().lab);
  LadderStrip strip;
  strip.title = tr("THE LADDER"), strip.current = app.rung_index();
  const auto& times = app.ladder_times();
  std::vector<const Run*> known;
  const auto& rungs = app.info().rungs;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    LadderCell cell;
    cell.id = "rung/" + rungs[i].slug, cell.name = rungs[i].slug, cell.idea = tr(rungs[i].idea);
    cell.adds = rungs[i].adds.empty() ? cell.idea : tr(rungs[i].adds);
    cell.cannot_run = why_not(app, rungs[i]);
    const Message no_bar = app.lab().why_no_bar(rungs[i].slug, app.timed());
    if (const Run* run = i < times.size() ? times[i] : nullptr)
      cell.ms = run->time->median_ms, known.push_back(run);
    else
      cell.no_time = no_bar.id.empty() ? tr("no time recorded") : tr(no_bar);
    cell.first_of_group =
        ladder && i > 0 && ladder->pipe_of(rungs[i].slug) != ladder->pipe_of(rungs[i - 1].slug);
    strip.cells.push_back(std::move(cell));
  }
  if (known.empty()) {
    for (std::size_t i = 0; i < rungs.size();
         ++i)  // nobody times it: only what the lab says of it stands there
      if (app.lab().why_no_bar(rungs[i].slug, app.timed()).id.empty()) strip.cells[i].no_time.clear();
    say_common_reason_once(strip);
    return strip;
  }
  strip.provenance = Provenance(provenance_of(*known.front(), "time"));
  std::set<std::string> dates;
  for (const Run* run : known) dates.insert(Provenance(provenance_of(*run, "time")).date);
  dates.erase("");  // measured now
  if (dates.size() > 1) strip.provenance->date = *dates.begin() + " – " + *dates.rbegin();
  const Message problem = app.lab().ladder_problem(*known.front());
  const std::string size = problem.id.empty() ? common_size(*ladder, known) : tr(problem),
                    a_device = device_phrase(*known.front());
  strip.timed_at = size.empty() ? tr("on {0}", {a_device}) : tr("{0} on {1}", {size, a_device});
  strip.about =
      size.empty() ? tr("on {0}, log scale", {a_device}) : tr("{0} on {1}, log scale", {size, a_device});
  return strip;
}

namespace {

// Whether a run is of the problem at which the ladder's first rung is timed: as many bytes and operations, by
// the sizes that the two rungs share, or by its own (a matrix of as many elements as the vector).
bool same_problem(const Ladder& ladder, const Run& run) {
  const std::string& first = ladder.info.rungs.front().slug;
  const auto real = complete_params(ladder.info, first, ladder.bench_params(first));
  if (!real) return false;
  Params as_first = *real;  // what the first rung does not have is no part of the problem
  for (auto& [name, value] : as_first)
    if (const auto at = run.request.params.find(name); at != run.request.params.end()) value = at->second;
  const auto same = [&](const Params& with, const std::string& as) {
    return ladder.bytes(with, as) == ladder.bytes(*real, first) &&
           ladder.flops(with, as) == ladder.flops(*real, first);
  };
  return same(as_first, first) || same(run.request.params, run.request.rung);
}

// The run of a rung at the ladder's common size: that of its own timing where it is of this size.
const Run* timed_at_real_size(const Ladder& ladder, const std::string& rung, const std::vector<Run>& all) {
  const auto own = complete_params(ladder.info, rung, ladder.bench_params(rung));
  const Run* other = nullptr;
  for (const Run& run : all) {
    if (run.request.rung != rung || !run.time || !same_problem(ladder, run)) continue;
    if (own && run.request.params == *own) return &run;
    if (!other) other = &run;
  }
  return other;
}

}  // namespace

const std::vector<const Run*>& App::ladder_times() const {
  const auto& all = timed();
  if (ladder_times_.lab == state_.lab && ladder_times_.runs == all.data() &&
      ladder_times_.count == all.size())
    return ladder_times_.times;
  ladder_times_ = {state_.lab, all.data(), all.size(), {}};
  const Ladder* ladder = find_ladder(state_.lab);
  if (!ladder) return ladder_times_.times;
  for (const RungInfo& rung : info().rungs)
    ladder_times_.times.push_back(
        lab().why_no_bar(rung.slug, all).id.empty() ? timed_at_real_size(*ladder, rung.slug, all) : nullptr);
  return ladder_times_.times;
}

std::optional<HeadFigure> ladder_figure(const App& app) {
  const Ladder* ladder = find_ladder(app.state().lab);
  const auto& times = app.ladder_times();
  const auto at = std::size_t(app.rung_index());
  if (!ladder || at >= times.size()) return {};
  if (!times[at]) {
    if (std::none_of(times.begin(), times.end(), [](const Run* run) { return run; })) return {};
    // One that is not compared may have been timed all the same; the ladder says why it has no bar.
    if (!app.lab().why_no_bar(app.info().rungs[at].slug, app.timed()).id.empty()) return {};
    return HeadFigure{"–", "", tr("no time recorded at the ladder's size"), "", false};
  }
  const Run& run = *times[at];
  const Message problem = app.lab().ladder_problem(run);
  const std::string size = common_size(*ladder, {&run}), words(provenance_of(run, "time"));
  constexpr std::size_t kShort = 24, kSentence = 64;  // longer ones stand above the ladder alone
  const std::string said = problem.id.empty() ? "" : tr(problem);
  const std::string note = said.size() > kSentence || (said.empty() && size.size() > kShort)
                               ? tr("at the ladder's size")
                           : !said.empty() ? said
                           : size.empty()  ? ""
                                           : tr("at {0}", {size});
  if (run.time->reference_ms > 0)
    return HeadFigure{percent_text(run.time->reference_ms / run.time->median_ms),
                      tr("of {0}", {run.time->reference}), note, words, false};
  const std::string time = time_text(run.time->median_ms);
  const std::size_t space = time.find(' ');
  return HeadFigure{time.substr(0, space), space == time.npos ? "" : time.substr(space + 1), note, words,
                    false};
}

float ladder_height(const App& app, const Theme& theme, bool low) {
  return app.info().rungs.size() < 2 ? 0 : ladder_strip_height(theme, low);
}

void draw_ladder(Canvas& canvas, App& app, Rect r, bool low) {
  if (const auto chosen = draw_ladder_strip(canvas, app.theme(), r, ladder_strip_of(app), low))
    app.choose_rung(app.info().rungs[std::size_t(*chosen)].slug);
}

}  // namespace lockstep
