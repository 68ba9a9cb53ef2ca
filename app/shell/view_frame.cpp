// The frame around the stage: layout, stage with its sentence, figure, help.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "views.hpp"

namespace lockstep {

Layout lay_out(const App& app, Rect w) {
  const float type = app.theme().type, grow = 1 + (type - 1) * 0.6f;
  constexpr float kLeastStage = 560, kFoldedRail = 64;
  const Settings& kept = app.settings();
  float right = std::min(kept.right_width * grow, w.w * 0.34f);
  float rail = std::min(kept.rail_width * grow, w.w * 0.2f);
  Layout l;
  l.folded = w.w - rail - right < kLeastStage * type;  // the stage comes first
  if (l.folded) rail = kFoldedRail * grow, right = std::min(right, w.w * 0.30f);
  const float top = 48 * grow, bottom = 82 * grow;
  l.rail = {w.x, w.y, rail, w.h};
  l.top = {w.x + rail, w.y, w.w - rail, top};
  l.bottom = {w.x + rail, w.bottom() - bottom, w.w - rail, bottom};
  l.right = {w.right() - right, w.y + top, right, w.h - top - bottom};
  l.stage = {w.x + rail, w.y + top, w.w - rail - right, w.h - top - bottom};
  return l;
}

namespace {

// What went wrong and what to do, until it is closed; returns the height it takes of the stage's upper edge.
float draw_banner(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  if (!app.banner) return 0;
  const float step = 18 * theme.type, width = std::min(r.w - 56, 760 * theme.type);
  const TextStyle style{Font::words, 12.5f * theme.type, theme.ink};
  const std::string text = tr(*app.banner);
  const float text_w = width - 36 - 62 * theme.type;
  const int lines = canvas.count_lines(text, style, text_w);
  const Rect box{r.x + 28, r.y + 14, width, std::max(float(lines) * step + 20, 24 * theme.type + 16)};
  canvas.fill_rect(box, theme.panel, 6);
  canvas.stroke_rect(box, color::trouble, 1.5f, 6);
  canvas.fill_rect({box.x, box.y + 4, 4, box.h - 8}, color::trouble, 2);
  canvas.text_wrap({box.x + 18, box.center().y - float(lines) * step / 2}, text, style, text_w, step);
  if (draw_button(canvas, theme, "banner/close",
                  {box.right() - 8 - 54 * theme.type, box.y + 8, 54 * theme.type, 24 * theme.type},
                  tr("close"), ButtonLook::plain)
          .clicked)
    app.banner.reset();
  return box.h + 14;
}

// What the stage cannot show yet, said in its middle.
void draw_nothing_yet(Canvas& canvas, const App& app, Rect r, const Theme& theme) {
  const bool busy = app.runner() && app.runner()->busy();
  const Message progress = busy ? app.runner()->progress_text() : Message{};
  const std::string text =
      app.run()
          ? tr("This recording holds times only. Choose another setting or engine to step through a run.")
      : busy                    ? (progress.id.empty() ? tr("Running the kernel…") : tr(progress))
      : app.runner() != nullptr ? tr("Press Run (R) to run the kernel.")
                                : tr("There is no run to show.");
  canvas.text_fit(r.center(), text, {Font::words, 15 * theme.type, theme.dim, Align::center}, r.w - 40);
}

std::string first_findings(const Run& run) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(run.findings.size(), kMost); ++i)
    text += (i ? "\n" : "") + tr(run.findings[i].what);
  return text;
}

// What the emulator found, `most` of it in full; returns the height it takes of the stage's lower edge.
float draw_findings(Canvas& canvas, const Run& run, std::size_t most, Rect r, const Theme& theme) {
  if (run.findings.empty()) return 0;
  const std::size_t shown = std::min(run.findings.size(), most);
  const float step = 18 * theme.type, height = float(shown) * step + (shown ? 36 : 32) * theme.type;
  const Rect box{r.x + 28, r.bottom() - height - 12, r.w - 56, height};
  canvas.fill_rect(box, theme.panel, 6);
  canvas.stroke_rect(box, color::trouble, 1.5f, 6);
  const std::string title = run.findings.size() == 1 ? tr("The emulator found a problem in this kernel")
                                                     : tr("The emulator found {0} problems in this kernel",
                                                          {std::to_string(run.findings.size())});
  canvas.text_fit({box.x + 14, box.y + 16 * theme.type}, title,
                  {Font::words_semibold, 12.5f * theme.type, theme.readable(color::trouble)}, box.w - 28);
  float y = box.y + 36 * theme.type;
  for (std::size_t i = 0; i < shown; ++i, y += step)
    canvas.text_fit({box.x + 14, y}, tr(run.findings[i].what), {Font::words, 11.5f * theme.type, theme.ink},
                    box.w - 28);
  if (canvas.hit("findings", box).hovered) canvas.tooltip(first_findings(run));
  return height + 12;
}

// What this step does, and what the same step does on the rung that it is compared with.
std::vector<std::string> sentences_of(const App& app) {
  std::vector<std::string> all{tr(app.lab().sentence(*app.run(), app.axis(), app.state().step))};
  if (const int step = app.compared_step(); step >= 0)
    all.push_back(tr("{0} in its place: {1}",
                     {app.compared()->run.request.rung,
                      tr(app.lab().sentence(app.compared()->run, app.compared()->axis, step))}));
  return all;
}

// The sentences over the stepper; returns the height they take of the stage's lower edge.
float draw_sentence(Canvas& canvas, const App& app, Rect r, const Theme& theme) {
  TextStyle style{Font::words, 12.5f * theme.type, theme.ink};
  const auto sentences = sentences_of(app);
  const float step = 18 * theme.type, width = r.w - 56 - 28;
  int lines = 0;
  for (const std::string& sentence : sentences) lines += canvas.count_lines(sentence, style, width);
  const Rect box{r.x + 28, r.bottom() - float(lines) * step - 30, r.w - 56, float(lines) * step + 18};
  canvas.fill_rect(box, theme.panel, 6);
  canvas.stroke_rect(box, theme.line, 1, 6);
  float y = box.y + 9;
  for (const std::string& sentence : sentences) {
    y += canvas.text_wrap({box.x + 14, y}, sentence, style, width, step);
    style.color = theme.dim;
  }
  return box.h + 18;
}

void take_events(App& app, const StageEvents& events) {
  if (events.follow_block) app.follow(*events.follow_block);
  if (events.follow_warp) app.follow_warp(*events.follow_warp);
  if (events.pin) app.pin(events.pin);
  if (events.unpin) app.pin({});
  if (events.go_to_step) app.go_to(*events.go_to_step);
}

}  // namespace

void draw_stage(Canvas& canvas, App& app, Rect r) {
  const Theme theme = app.theme();
  canvas.push_clip(r);
  const float banner = draw_banner(canvas, app, r, theme);
  r.y += banner, r.h -= banner;
  if (app.run() && !app.axis().steps.empty()) {
    // Where the stage is low, what went wrong stands in the sentence's place.
    const bool low = r.h + banner < 420 * theme.type;
    const bool wrong = banner > 0 || !app.run()->findings.empty();
    float taken = low && wrong ? 0 : draw_sentence(canvas, app, r, theme);
    taken += draw_findings(canvas, *app.run(), low ? 0 : 4, {r.x, r.y, r.w, r.h - taken}, theme);
    StageEvents events;
    const StageInput input{*app.run(), app.axis(),   app.state().step,  {r.x, r.y, r.w, r.h - taken},
                           theme,      app.motion(), app.state().pinned};
    app.lab().stage(canvas, input, events);
    take_events(app, events);
  } else {
    draw_nothing_yet(canvas, app, r, theme);
  }
  canvas.pop_clip();
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
  const TextStyle style{Font::words, 11.5f * theme.type, theme.dim};
  const std::string title = tr("Lockstep · {0}/{1} · {2} · step {3} of {4}",
                               {run.request.lab, run.request.rung, settings,
                                std::to_string(app.state().step + 1), std::to_string(app.last_step() + 1)});
  canvas.text_fit({w.x + 28, w.bottom() - caption + 10}, title, style, w.w - 56);
  const std::string sources = tr("counts: {0} on {1}; bytes of HBM: modelled",
                                 {std::string(provenance_of(run, "counts")), run.device.name});
  canvas.text_fit({w.x + 28, w.bottom() - caption + 28}, sources, style, w.w - 56);
}

void draw_help(Canvas& canvas, App& app, Rect w) {
  if (!app.help) return;
  const Theme theme = app.theme();
  const std::pair<const char*, std::string> rows[] = {
      {"← →", tr("one step back or on")},
      {"Shift ← →", tr("one phase back or on")},
      {"↑ ↓", tr("the same access of another warp")},
      {"Home End", tr("first or last step")},
      {"Space", tr("play or pause")},
      {"[ ]  1 … 9", tr("another rung")},
      {"R", tr("run now")},
      {"Ctrl+Z", tr("back to the state before; with Shift: forward again")},
      {"Tab", tr("to the next control; arrows move a slider, Enter presses")},
      {"T", tr("light or dark")},
      {"L", tr("English or 中文")},
      {"F11", tr("projector mode: larger type, higher contrast")},
      {"Esc", tr("close, cancel, unpin")},
      {"Ctrl+Q", tr("quit")},
      {"?", tr("this page")}};
  const float edge = 62 * theme.type + 16, width = std::min(w.w - 80, 560 * theme.type),
              step = std::min(26 * theme.type, (w.h - 40 - edge) / float(std::size(rows))),
              height = step * float(std::size(rows)) + edge;
  canvas.fill_rect(w, Color{0, 0, 0, 110});
  const Rect box{w.center().x - width / 2, std::max(20.f, w.center().y - height / 2), width, height};
  canvas.fill_rect(box, theme.panel, 8);
  canvas.stroke_rect(box, theme.line, 1, 8);
  canvas.text({box.x + 28, box.y + 34 * theme.type}, tr("Keys"),
              {Font::words_semibold, 15 * theme.type, theme.ink});
  float y = box.y + 62 * theme.type + step / 2;
  for (const auto& [keys, meaning] : rows) {
    canvas.text_fit({box.x + 28, y}, keys, {Font::mono, 11.5f * theme.type, theme.ink}, width * 0.26f);
    canvas.text_fit({box.x + 28 + width * 0.28f, y}, meaning, {Font::words, 12.5f * theme.type, theme.dim},
                    width * 0.66f);
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
  canvas.fill_rect(window, theme.ground);
  draw_stage(canvas, app, l.stage);
  draw_right_column(canvas, app, l.right);
  draw_rail(canvas, app, l.rail, l.folded);
  draw_top_bar(canvas, app, l.top);
  draw_stepper(canvas, app, l.bottom);
  const float grow = 1 + (theme.type - 1) * 0.6f;
  if (!l.folded)
    splitter(canvas, "splitter/rail", l.rail.right(), l.rail, app.settings().rail_width, 1, 150, 320, grow);
  splitter(canvas, "splitter/right", l.right.x, l.right, app.settings().right_width, -1, 280, 640, grow);
  draw_engine_list(canvas, app, l.top);
  draw_help(canvas, app, window);
}

}  // namespace lockstep
