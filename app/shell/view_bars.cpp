// Top bar and stepper.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/number_text.hpp"
#include "program_desk.hpp"
#include "stepper.hpp"
#include "view_program.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

std::string engine_word(EngineKind kind) {
  switch (kind) {
    case EngineKind::automatic:
      return tr("Automatic");
    case EngineKind::cuda:
      return tr("This GPU");
    case EngineKind::emulator:
      return tr("Emulator");
    case EngineKind::recording:
      return tr("Recording");
  }
  return "";
}

// "Emulator · this CPU", "Recording · H200": the engine that answered, where it ran.
std::string engine_label(const App& app) {
  const EngineKind chosen = app.state().engine;
  if (!app.run()) return engine_word(chosen);
  const Run& run = *app.run();
  std::string device = run.engine == EngineKind::emulator ? tr("this CPU") : run.device.name;
  if (device.starts_with("NVIDIA ")) device.erase(0, 7);
  return engine_word(run.engine) + " · " + device;
}

struct BarParts {
  Rect title, compare, chooser, badge, run;
};
BarParts bar_parts(Rect r, float type) {
  const float h = 26 * type, y = r.center().y - h / 2, pad = 16;
  BarParts p;
  const float run_w = 66 * type, badge_w = 92 * type,
              chooser_w = std::clamp(r.w * 0.15f, 130 * type, 200 * type);
  p.run = {r.right() - pad - run_w, y, run_w, h};
  p.badge = {p.run.x - 6 - badge_w, y, badge_w, h};
  p.chooser = {p.badge.x - 6 - chooser_w, y, chooser_w, h};
  p.compare = {p.chooser.x - 6 - 34 * type, y, 34 * type, h};
  p.title = {r.x + 21, r.y, p.compare.x - r.x - 21 - 16, r.h};
  return p;
}

void draw_run_button(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  if (!app.tells_progress()) {
    if (draw_button(canvas, theme, "run", r, tr("Run") + "  R", ButtonLook::primary,
                    app.runner() != nullptr || app.run())
            .clicked)
      app.request_run();
    return;
  }
  const Hit hit = draw_button(canvas, theme, "cancel", r, tr("Cancel"), ButtonLook::filled);
  if (hit.hovered) canvas.tooltip(tr(app.runner()->progress_text()));
  if (hit.clicked) app.cancel();
  canvas.fill_rect({r.x, r.bottom() - 3, r.w * float(std::clamp(app.runner()->progress(), 0.0, 1.0)), 3},
                   theme.accent, 1);
}

void draw_chooser(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  const Hit hit = canvas.hit("engine", r, true);
  canvas.fill_rect(r, hit.hovered ? mix(theme.soft, theme.ink, 0.08f) : theme.soft, 6);
  canvas.text_fit({r.x + 12, r.center().y}, engine_label(app), {Font::words, 12.5f * theme.type, theme.ink},
                  r.w - 36);
  const Vec2 c{r.right() - 14, r.center().y};
  const Vec2 down[] = {{c.x - 4, c.y - 2}, {c.x + 4, c.y - 2}, {c.x, c.y + 3}};
  canvas.fill_polygon(down, theme.dim);
  if (hit.focused) canvas.stroke_rect({r.x - 2, r.y - 2, r.w + 4, r.h + 4}, color::l2, 2, 8);
  if (hit.clicked) app.chooser_open = !app.chooser_open;
}

// Two panes side by side; lit while two runs are.
void draw_compare_button(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  const Hit hit = canvas.hit("compare", r, true);
  const bool on = app.comparing();
  const Color fill = on ? theme.ink : theme.soft, ink = on ? theme.panel : theme.ink;
  canvas.fill_rect(r, hit.hovered && !on ? mix(fill, theme.ink, 0.08f) : fill, 6);
  const Vec2 c = r.center();
  const float w = 6 * theme.type, h = 11 * theme.type;
  canvas.stroke_rect({c.x - w - 1.5f, c.y - h / 2, w, h}, ink, 1.5f, 1.5f);
  canvas.stroke_rect({c.x + 1.5f, c.y - h / 2, w, h}, ink, 1.5f, 1.5f);
  if (hit.focused) draw_focus_ring(canvas, theme, r);
  if (hit.hovered) canvas.tooltip(tr("compare with another rung or run; again: one run alone") + " (C)");
  if (hit.clicked) app.on_key({Key::character, 'C', false, false});
}

}  // namespace

Rect compare_button(Rect top_bar, float type) { return bar_parts(top_bar, type).compare; }

void draw_top_bar(Canvas& canvas, App& app, Rect r) {
  const Theme theme = app.theme();
  canvas.fill_rect(r, theme.panel);
  canvas.line({r.x, r.bottom() - 0.5f}, {r.right(), r.bottom() - 0.5f}, theme.line);
  const BarParts p = bar_parts(r, theme.type);
  // The rung stands in the ladder, but for a lab of one.
  const auto& rungs = app.info().rungs;
  const std::string title = tr(app.info().title) + (rungs.size() > 1 ? "" : " · " + app.state().rung);
  const TextStyle name{Font::words_semibold, 15 * theme.type, theme.ink},
      question{Font::words, 12.5f * theme.type, theme.dim};
  const float name_w = std::min(p.title.w * 0.5f, canvas.measure(title, name));
  canvas.text_fit({p.title.x, r.center().y}, title, name, name_w + 1);
  canvas.text_fit({p.title.x + name_w + 18 * theme.type, r.center().y}, tr(app.info().question), question,
                  p.title.w - name_w - 18 * theme.type);
  if (const Hit hit = canvas.hit("title", p.title); hit.hovered)
    canvas.tooltip(tr(app.info().question) + "\n" + tr(rungs[std::size_t(app.rung_index())].idea));
  draw_compare_button(canvas, app, p.compare, theme);
  draw_chooser(canvas, app, p.chooser, theme);
  if (app.run()) {
    canvas.stroke_rect(p.badge, theme.line, 1, 6);
    const std::string words(provenance_of(*app.run(), app.run()->counts ? "counts" : "time"));
    const float badge = badge_width(canvas, theme, words);
    draw_badge(canvas, theme, {p.badge.center().x + badge / 2, p.badge.center().y}, words);
    if (canvas.hit("provenance", p.badge).hovered)
      canvas.tooltip(tr("counts: {0}", {provenance_text(words)}) +
                     (app.run()->stale ? "\n" + tr("stale: the kernel's source has changed since") : ""));
  }
  draw_run_button(canvas, app, p.run, theme);
}

namespace {

// "your own file, unchanged: 3 launches, 1 finding"
std::string program_question(const ProgramDesk& desk) {
  const reader::ProgramRun* run = desk.run();
  if (!run) return tr("your own file, run on this CPU without a GPU");
  const std::size_t launches = run->launches.size() + std::size_t(run->launches_dropped),
                    findings = run->findings.size();
  const std::string launched = launches == 1 ? tr("1 launch")
                                             : tr("{0} launches", {grouped(std::int64_t(launches))}),
                    found = findings == 0   ? tr("no finding")
                            : findings == 1 ? tr("1 finding")
                                            : tr("{0} findings", {grouped(std::int64_t(findings))});
  return tr("your own file, unchanged: {0}, {1}", {launched, found});
}

void draw_program_run_button(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme) {
  if (desk.busy()) {
    const Hit hit = draw_button(canvas, theme, "program/cancel", r, tr("Cancel"), ButtonLook::filled);
    if (hit.hovered) canvas.tooltip(tr(desk.progress_text()));
    if (hit.clicked) desk.cancel();
    return;
  }
  if (draw_button(canvas, theme, "program/run", r, tr("Run") + "  R", ButtonLook::primary).clicked)
    desk.run_now();
}

}  // namespace

void draw_program_bar(Canvas& canvas, App& app, Rect r) {
  const Theme theme = app.theme();
  ProgramDesk& desk = *app.program();
  canvas.fill_rect(r, theme.panel);
  canvas.line({r.x, r.bottom() - 0.5f}, {r.right(), r.bottom() - 0.5f}, theme.line);
  const BarParts p = bar_parts(r, theme.type);
  const TextStyle name{Font::words_semibold, 15 * theme.type, theme.ink},
      question{Font::words, 12.5f * theme.type, theme.dim};
  const float name_w = std::min(p.title.w * 0.5f, canvas.measure(desk.name(), name));
  canvas.text_fit({p.title.x, r.center().y}, desk.name(), name, name_w + 1);
  const float x = p.title.x + name_w + 18 * theme.type;
  if (app.exercise() && app.part().kind == PartKind::program) {
    const std::string label = "←  " + tr("Back to the exercise");
    const float w = canvas.measure(label, {Font::words, 12.5f * theme.type, theme.ink}) + 28 * theme.type;
    if (draw_button(canvas, theme, "program/exercise", {x, p.run.y, w, p.run.h}, label, ButtonLook::filled)
            .clicked)
      app.open_book(app.state().book, app.story_scene());
  } else {
    canvas.text_fit({x, r.center().y}, program_question(desk), question, p.chooser.x - 16 - x);
  }
  if (const Hit hit = canvas.hit("title", {p.title.x, r.y, name_w, r.h}); hit.hovered)
    canvas.tooltip(desk.file().string());
  const std::string engine = desk.on_gpu() || (desk.run() && desk.run()->gpu)
                                 ? tr("Emulator and GPU")
                                 : engine_word(EngineKind::emulator) + " · " + tr("this CPU");
  if (draw_dropdown(canvas, theme, "program/engine", p.chooser, engine).clicked)
    app.chooser_open = !app.chooser_open;
  canvas.stroke_rect(p.badge, theme.line, 1, 6);
  const Provenance words = Provenance::emulated();
  const float badge = badge_width(canvas, theme, words);
  draw_badge(canvas, theme, {p.badge.center().x + badge / 2, p.badge.center().y}, words);
  if (canvas.hit("provenance", p.badge).hovered)
    canvas.tooltip(
        tr("Counts are those of the program as clang compiles it for this CPU's emulator. Elapsed times are "
           "not measured."));
  draw_program_run_button(canvas, desk, p.run, theme);
  draw_program_engines(canvas, app, p.chooser, theme);
}

namespace {

// One engine of the list: its name, and which device it has or why it is not here. Returns the height used.
float engine_row(Canvas& canvas, App& app, Rect row, const Runner::EngineState& engine, const Theme& theme) {
  const TextStyle words{Font::words, 11 * theme.type, theme.dim};
  const std::string what = tr(engine.what);
  const float step = 15 * theme.type;
  row.h = 32 * theme.type + float(canvas.count_lines(what, words, row.w - 24)) * step;
  const Hit hit = canvas.hit("engine/" + std::string(name_of(engine.kind)), row, engine.ok);
  if (engine.kind == app.state().engine || (hit.hovered && engine.ok)) canvas.fill_rect(row, theme.soft, 6);
  if (hit.focused) draw_focus_ring(canvas, theme, row);
  canvas.text_fit({row.x + 12, row.y + 14 * theme.type}, engine_word(engine.kind),
                  {Font::words_semibold, 12.5f * theme.type, engine.ok ? theme.ink : theme.dim}, row.w - 24);
  canvas.text_wrap({row.x + 12, row.y + 24 * theme.type}, what, words, row.w - 24, step);
  if (hit.clicked && engine.ok) app.choose_engine(engine.kind);
  return row.h;
}

}  // namespace

void draw_engine_list(Canvas& canvas, App& app, Rect top) {
  if (!app.chooser_open) return;
  const Theme theme = app.theme();
  const BarParts p = bar_parts(top, theme.type);
  std::vector<Runner::EngineState> rows{
      {EngineKind::automatic,
       true,
       {"the GPU where there is one, else the emulator, else a recording", {}},
       ""}};
  if (app.runner())
    for (const auto& engine : app.runner()->engines()) rows.push_back(engine);
  const float width = 360 * theme.type;
  Rect box{p.badge.right() - width, top.bottom() + 4, width, 12};
  for (const auto& row : rows)
    box.h += 32 * theme.type + 15 * theme.type *
                                   float(canvas.count_lines(
                                       tr(row.what), {Font::words, 11 * theme.type, theme.dim}, width - 36));
  constexpr float kFar = 10000;  // whatever is clicked beside the list closes it
  if (canvas.hit("veil/engines", {-kFar, -kFar, 2 * kFar, 2 * kFar}).clicked) app.chooser_open = false;
  canvas.fill_rect({box.x + 1, box.y + 3, box.w, box.h}, Color{0, 0, 0, 36}, 8);
  canvas.fill_rect(box, theme.panel, 8);
  canvas.stroke_rect(box, theme.line, 1, 8);
  float y = box.y + 6;
  for (const auto& row : rows) y += engine_row(canvas, app, {box.x + 6, y, box.w - 12, 0}, row, theme);
}

void draw_stepper(Canvas& canvas, App& app, Rect r) {
  StepperPicture p;
  if (app.has_steps()) p.scene = app.scene();
  p.view = app.view(), p.segments = app.segments(), p.playing = app.playing();
  p.steps_per_second = app.state().steps_per_second;
  if (app.notice) p.notice = tr(*app.notice);
  const StepperEvents events = draw_steps(canvas, app.theme(), r, p);
  if (events.stop) app.play(false);
  if (events.go_to) app.go_to(*events.go_to);
  if (events.by) app.step_by(events.by);
  if (events.play) app.play(!app.playing());
  if (events.steps_per_second) app.set_speed(*events.steps_per_second);
}

}  // namespace lockstep
