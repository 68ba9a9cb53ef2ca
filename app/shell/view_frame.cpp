// The frame around the stage: layout, figure, help.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/memory_evidence.hpp"
#include "views.hpp"

namespace lockstep {

Layout lay_out(const App& app, Rect w) {
  const Theme theme = app.theme();
  const float type = theme.type, grow = 1 + (type - 1) * 0.6f;
  constexpr float kLeastStage = 540, kLeastRight = 300, kFoldedRail = 64, kLow = 800;
  const Settings& kept = app.settings();
  Layout l;
  float rail = std::min(kept.rail_width * grow, w.w * 0.2f);
  const float least = (app.comparing() ? 2 : 1) * kLeastStage * type;
  const float wanted = kept.lesson_width * grow;
  l.folded = w.w - rail - wanted < least;  // the stage and the kernel come first
  if (l.folded) rail = kFoldedRail * grow;
  const float right =
      std::max(std::min(wanted, w.w - rail - least), std::min(kLeastRight * grow, w.w * 0.3f));
  const float top = 48 * grow, bottom = 74 * grow;
  l.low = w.h < kLow * grow;
  l.rail = {w.x, w.y, rail, w.h};
  l.switches_height = rail_switches_height(l.folded, type);
  l.top = {w.x + rail, w.y, w.w - rail, top};
  const float ladder = ladder_height(app, theme, l.low);
  l.ladder = {w.x + rail + 14, w.y + top + (ladder > 0 ? 6 : 0), w.w - rail - 28, ladder};
  const float under = top + (ladder > 0 ? ladder + 8 : 0);
  l.bottom = {w.x + rail, w.bottom() - bottom, w.w - rail, bottom};
  l.right = {w.right() - right, w.y + under, right, w.h - under - bottom};
  l.stage = {w.x + rail, w.y + under, w.w - rail - right, w.h - under - bottom};
  return l;
}

// Where the numbers of a run come from, one sentence per source.
static std::string sources_of(const Run& run) {
  const auto words = [&](const char* path) { return provenance_text(provenance_of(run, path)); };
  std::string text = tr("counts: {0} on {1}", {words("counts"), run.device.name});
  const auto* memory = run.evidence.find<MemoryEvidence>();
  if (memory && memory->hbm_load_bytes && run.counts && run.counts->global_load_sectors > 0)
    text += "; " + tr("bytes of HBM: {0}", {words("metrics.models")});
  if (run.evidence.find<MeasuredEvidence>()) text += "; " + tr("cycles: {0}", {words("metrics.measured")});
  return text;
}

void draw_figure(Canvas& canvas, App& app, Rect w) {
  const Theme theme = app.theme();
  canvas.fill_rect(w, theme.ground);
  const float caption = 44 * theme.type;
  draw_stage(canvas, app, {w.x, w.y, w.w, w.h - caption});
  if (!app.run()) return;
  const Run& run = *app.run();
  std::string settings;
  for (const auto& [name, value] : run.request.params)
    settings += (settings.empty() ? "" : ", ") + name + " = " + to_string(value);
  const std::string rungs = run.request.rung + (app.comparing() ? " | " + app.compared_name() : "");
  const TextStyle style{Font::words, 11.5f * theme.type, theme.dim};
  const std::string title = tr("Lockstep · {0}/{1} · {2} · step {3} of {4}",
                               {run.request.lab, rungs, settings, std::to_string(app.state().step + 1),
                                std::to_string(app.last_step() + 1)});
  canvas.text_fit({w.x + 28, w.bottom() - caption + 10}, title, style, w.w - 56);
  canvas.text_fit({w.x + 28, w.bottom() - caption + 28}, sources_of(run), style, w.w - 56);
}

std::vector<KeyHelp> key_help(const App& app) {
  std::vector<KeyHelp> rows = {
      {"← →", tr("one step back or on")},
      {"Shift ← →", tr("one phase back or on")},
      {"↑ ↓", tr("the same access of another warp")},
      {"Home End", tr("first or last step")},
      {"Space", tr("play or pause")},
      {"[ ]  1 … 9", tr("another rung")},
      {"C", tr("compare with another rung or run; again: one run alone")},
      {"/", tr("find a lab, rung or parameter")},
      {"R", tr("run now")},
      {"Ctrl+Z  Ctrl+Y", tr("back to the state before; forward again")},
      {"Ctrl+C  Ctrl+V", tr("copy the scene as text, open a copied one")},
      {"Ctrl+Shift+C", tr("copy the command that draws this picture")},
      {"Ctrl+S  Ctrl+O", tr("save the scene, open a scene or a saved run")},
      {"Tab  Shift+Tab", tr("to the next control, or the one before; arrows move a slider, Enter presses")},
      {"Ctrl+A  Ctrl+X  Delete", tr("in a field: select all, cut, erase")},
      {"F6", tr("the card's next tab")},
      {"P", tr("the kernel as plain CUDA, or as compiled")},
      {"T", tr("light or dark")},
      {"L", tr("English or 中文")},
      {"F11", tr("projector mode: larger type, higher contrast")},
      {"Esc", tr("close, cancel, unpin, leave the comparison")},
      {"Ctrl+Q", tr("quit")},
      {"?", tr("this page")}};
  if (app.has_timeline)
    rows.insert(rows.begin(), {{"+ −  0", tr("timeline: closer, further away, all of it")},
                               {"Ctrl+arrows", tr("timeline: earlier, later, other lanes")},
                               {", .", tr("timeline: the span, or match, before or after")},
                               {"F  M", tr("timeline: search; measure from here, to here")}});
  return rows;
}

void draw_help(Canvas& canvas, App& app, Rect w) {
  if (!app.help) return;
  const Theme theme = app.theme();
  const auto rows = key_help(app);
  const float edge = 62 * theme.type + 16, width = std::min(w.w - 80, 600 * theme.type),
              step = std::min(26 * theme.type, (w.h - 40 - edge) / float(rows.size())),
              height = step * float(rows.size()) + edge;
  canvas.fill_rect(w, Color{0, 0, 0, 110});
  const Rect box{w.center().x - width / 2, std::max(20.f, w.center().y - height / 2), width, height};
  canvas.fill_rect(box, theme.panel, 8);
  canvas.stroke_rect(box, theme.line, 1, 8);
  canvas.text({box.x + 28, box.y + 34 * theme.type}, tr("Keys"),
              {Font::words_semibold, 15 * theme.type, theme.ink});
  float y = box.y + 62 * theme.type + step / 2;
  for (const auto& [keys, meaning] : rows) {
    canvas.text_fit({box.x + 28, y}, keys, {Font::mono, 11.5f * theme.type, theme.ink}, width * 0.27f);
    canvas.text_fit({box.x + 28 + width * 0.29f, y}, meaning, {Font::words, 12.5f * theme.type, theme.dim},
                    width * 0.71f - 56);
    y += step;
  }
  if (canvas.hit("help", w).clicked) app.help = false;
}

namespace {

// A line that can be dragged: 6 px wide to the pointer.
void splitter(Canvas& canvas, const char* id, float x, Rect span, float& width, float sign, float least,
              float most, float grow) {
  const Hit hit = canvas.hit(id, {x - 3, span.y, 6, span.h});
  if (hit.hovered || hit.held) canvas.line({x, span.y}, {x, span.bottom()}, color::l2, 2);
  if (hit.held && !hit.pressed) width = std::clamp(width + sign * (hit.pointer.x - x) / grow, least, most);
}

}  // namespace

void draw_app(Canvas& canvas, App& app, Rect window) {
  const Theme theme = app.theme();
  const Layout l = lay_out(app, window);
  app.focused_parameter.clear();
  app.view_width = int(window.w), app.view_height = int(window.h);
  canvas.fill_rect(window, theme.ground);
  draw_stage(canvas, app, l.stage);
  draw_right_column(canvas, app, l.right);
  draw_rail(canvas, app, l.rail, l.folded);
  draw_top_bar(canvas, app, l.top);
  if (l.ladder.h > 0) draw_ladder(canvas, app, l.ladder, l.low);
  draw_stepper(canvas, app, l.bottom);
  const float grow = 1 + (theme.type - 1) * 0.6f;
  if (!l.folded)
    splitter(canvas, "splitter/rail", l.rail.right(), l.rail, app.settings().rail_width, 1, 150, 320, grow);
  splitter(canvas, "splitter/right", l.right.x, l.right, app.settings().lesson_width, -1, 300, 1200, grow);
  draw_engine_list(canvas, app, l.top);
  draw_menu(canvas, app, l, window);
  draw_help(canvas, app, window);
}

}  // namespace lockstep
