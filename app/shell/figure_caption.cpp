#include "figure_caption.hpp"

#include <algorithm>
#include <utility>

#include "app/draw/controls.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/text_metrics.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/memory_evidence.hpp"
#include "program_desk.hpp"
#include "scene.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kSize = 10.5f, kTitleSize = 11.5f, kLine = 15, kParagraph = 3;

std::string value_words(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return grouped(*whole);
  return to_string(value);
}

// "n = 64 rows and columns, tile_q = 32": in the order of the lab's table.
std::string settings_in_words(const App& app) {
  std::string text;
  const Params& params = app.run()->request.params;
  for (const Parameter& p : app.info().parameters) {
    const auto at = params.find(p.name);
    if (at == params.end()) continue;
    text += (text.empty() ? "" : "; ") + tr(title_of(p)) + " = " +
            (p.choices.empty() ? value_words(at->second) : tr(title_of(p, to_string(at->second)))) +
            (p.unit.empty() ? "" : " " + tr(p.unit));
  }
  return text;
}

std::string place_in_words(const App& app) {
  if (!app.has_steps()) return "";
  return tr("step {0} of {1}: {2}", {grouped(app.state().step + 1), grouped(app.last_step() + 1),
                                     tr(app.scene()->step_title(app.view()))});
}

bool shows(const FigureOptions& o, std::initializer_list<const char*> panels) {
  return std::any_of(o.panels.begin(), o.panels.end(), [&](const std::string& name) {
    return std::any_of(panels.begin(), panels.end(), [&](const char* p) { return name == p; });
  });
}

// What is timed at the ladder's own sizes, whatever run is shown.
bool only_of_times(const FigureOptions& o) {
  return std::all_of(o.panels.begin(), o.panels.end(),
                     [](const std::string& name) { return name == "ladder" || name == "roofline"; });
}

// One sentence per kind of number that the panels show.
std::vector<std::string> sources_of(App& app, const FigureOptions& o) {
  const Run& run = *app.run();
  std::vector<std::string> sources;
  const auto add = [&](const std::string& text) {
    if (std::find(sources.begin(), sources.end(), text) == sources.end()) sources.push_back(text);
  };
  const auto words = [&](const char* path) { return provenance_text(provenance_of(run, path)); };
  const bool all_of_times = only_of_times(o);
  if (!all_of_times && !words("counts").empty())
    add(provenance_of(run, "counts").is(Provenance::Kind::recorded)  // which names the device
                || run.device.name.empty()
            ? tr("counts: {0}", {words("counts")})
            : tr("counts: {0} on {1}", {words("counts"), run.device.name}));
  const auto* memory = run.evidence.find<MemoryEvidence>();
  if (!all_of_times && memory && memory->hbm_load_bytes && run.counts && run.counts->global_load_sectors > 0)
    add(tr("bytes of HBM: {0}", {words("metrics.models")}));
  if (!all_of_times && run.evidence.find<MeasuredEvidence>())
    add(tr("cycles: {0}", {words("metrics.measured")}));
  if (run.time && shows(o, {"numbers", "headline", "stage"})) add(tr("times: {0}", {words("time")}));
  if (shows(o, {"ladder", "roofline", "headline"}))
    for (const Run* timed : app.ladder_times())
      if (timed) add(tr("times: {0}", {provenance_text(provenance_of(*timed, "time"))}));
  if (run.occupancy && shows(o, {"occupancy"})) add(tr("blocks per SM: {0}", {words("occupancy")}));
  for (const LabPanel& panel : app.scene()->panels({}, app.theme()))
    if (!panel.provenance.empty() && shows(o, {"curves", panel.id.c_str()}))
      add(tr("this lab's own panels: {0}", {provenance_text(panel.provenance)}));
  return sources;
}

std::vector<std::string> warnings_of(const App& app) {
  std::vector<std::string> warnings;
  const Run& run = *app.run();
  if (run.stale) warnings.push_back(tr("This recording is stale: the kernel's source has changed since."));
  if (run.findings.size() == 1) warnings.push_back(tr("The emulator found a problem in this kernel"));
  if (run.findings.size() > 1)
    warnings.push_back(tr("The emulator found {0} problems in this kernel",
                          {number_text(std::int64_t(run.findings.size()))}));
  if (!run.check.pass) warnings.push_back(tr("The result of this run is WRONG."));
  return warnings;
}

// Words of a command, with their quotes.
std::vector<std::string> shell_words(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : command) {
    if (c == '\'') quoted = !quoted;
    if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

// The command in lines that a shell takes as they stand: each but the last ends in a backslash. A word that
// is longer than a line is continued on the next; inside quotes these are closed and opened again.
std::vector<std::string> command_lines(const Canvas& canvas, const std::string& command,
                                       const TextStyle& style, float width) {
  const float room = width - canvas.measure("' \\", style);
  std::vector<std::string> lines;
  std::string line;
  const auto fits = [&](const std::string& text) { return canvas.measure(text, style) <= room; };
  for (std::string word : shell_words(command)) {
    if (!line.empty() && !fits(line + " " + word)) lines.push_back(std::exchange(line, "") + " \\");
    line += (line.empty() ? "" : " ") + word;
    while (!fits(line)) {
      std::string begin;
      bool quoted = false;
      for (std::string_view rest = line; !rest.empty();) {
        const std::string_view before = rest;
        take_code_point(rest);
        const std::string_view character = before.substr(0, before.size() - rest.size());
        if (!begin.empty() && !fits(begin + std::string(character))) break;
        begin += character;
        if (character == "'") quoted = !quoted;
      }
      lines.push_back(begin + (quoted ? "'\\" : "\\"));
      line = (quoted ? "'" : "") + line.substr(begin.size());
    }
  }
  lines.push_back(line);
  return lines;
}

struct Line {
  std::string text;
  TextStyle style;
  bool ends = true;
};

// Its paragraphs in order; the command in its lines.
std::vector<Line> lines_of(const Canvas& canvas, const FigureCaption& c, float width, const Theme& theme) {
  if (c.title.empty()) return {};
  const TextStyle words{Font::words, kSize * theme.type, theme.dim};
  std::vector<Line> lines{{c.title, {Font::words_semibold, kTitleSize * theme.type, theme.ink}}};
  const auto add = [&](const std::string& text, const TextStyle& style) {
    if (!text.empty()) lines.push_back({text, style});
  };
  add(c.settings, words);
  add(c.step, words);
  for (const std::string& warning : c.warnings)
    add(warning, {Font::words_semibold, kSize * theme.type, theme.readable(color::trouble)});
  std::string sources;
  for (const std::string& source : c.sources) sources += (sources.empty() ? "" : "; ") + source;
  add(sources, words);
  if (c.command.empty()) return lines;
  const TextStyle mono{Font::mono, kSize * theme.type, theme.dim};
  for (const std::string& line : command_lines(canvas, c.command, mono, width))
    lines.push_back({line, mono, false});
  return lines;
}

}  // namespace

namespace {

// A reader's program: its launch, where it stands, and the command that needs its file beside it.
FigureCaption caption_of_program(const ProgramDesk& desk, const FigureOptions& o, const AppState& state,
                                 const std::string& file) {
  FigureCaption c;
  c.title = "Lockstep · " + desk.name();
  c.sources = {tr("counts as compiled by clang, emulated on this CPU; elapsed times are not measured")};
  c.command = "lockstep shot " + desk.name();
  if (desk.scene()) {
    const reader::ProgramLaunch& launch = desk.scene()->launch();
    c.settings = tr("launch {0}: {1}, traced blocks: {2} of {3}",
                    {number_text(desk.launch() + 1), launch.kernel, grouped(launch.traced_blocks),
                     grouped(launch.blocks)});
    c.command += " --launch " + std::to_string(desk.launch() + 1);
    if (desk.has_steps())
      c.step = tr("step {0} of {1}: {2}", {grouped(desk.step() + 1), grouped(desk.last_step() + 1),
                                           tr(desk.scene()->step_title(desk.view()))}),
      c.command += " --step " + std::to_string(desk.step());
  }
  if (const auto found = desk.findings().size(); found > 0)
    c.warnings = {found == 1 ? tr("1 finding") : tr("{0} findings", {grouped(std::int64_t(found))})};
  for (const std::string& flag : figure_flags(o, state)) c.command += " " + flag;
  c.command += " -o " + file;
  return c;
}

}  // namespace

FigureCaption caption_of(App& app, const FigureOptions& o, const std::string& file) {
  if (app.shows_program()) return caption_of_program(*app.program(), o, app.state(), file);
  FigureCaption c;
  if (!app.run()) return c;
  const std::string rungs = app.run_name() + (app.comparing() ? " | " + app.compared_name() : "");
  c.title = "Lockstep · " + app.run()->request.lab + "/" + rungs;
  if (!only_of_times(o)) c.settings = settings_in_words(app);
  if (shows(o, {"stage", "headline", "sentence", "river", "tower", "code"})) c.step = place_in_words(app);
  c.sources = sources_of(app, o);
  c.warnings = warnings_of(app);
  c.command = figure_command(app.state(), figure_flags(o, app.state()), file);
  return c;
}

float caption_height(const Canvas& canvas, const FigureCaption& caption, float width, const Theme& theme) {
  float height = 0;
  for (const Line& line : lines_of(canvas, caption, width, theme))
    height +=
        (float(canvas.count_lines(line.text, line.style, width)) * kLine + (line.ends ? kParagraph : 0)) *
        theme.type;
  return height;
}

void draw_caption(Canvas& canvas, const FigureCaption& caption, Rect r, const Theme& theme) {
  for (const Line& line : lines_of(canvas, caption, r.w, theme))
    r.y += canvas.text_wrap({r.x, r.y}, line.text, line.style, r.w, kLine * theme.type) +
           (line.ends ? kParagraph * theme.type : 0);
}

}  // namespace lockstep
