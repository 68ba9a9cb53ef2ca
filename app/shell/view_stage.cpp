// The stage with its sentence: one run, or two side by side.
#include <algorithm>
#include <utility>

#include "app/draw/canvas_prefix.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/head_figures.hpp"
#include "app/draw/text_metrics.hpp"
#include "stage_parts.hpp"
#include "views.hpp"

namespace lockstep {

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

std::string nothing_yet(const App& app, const Run* run) {
  const bool busy = app.runner() && app.runner()->busy();
  const Message progress = busy ? app.runner()->progress_text() : Message{};
  if (run)
    return tr("This recording holds times only. Choose another setting or engine to step through a run.");
  if (busy || app.compare_wanted()) return progress.id.empty() ? tr("Running the kernel…") : tr(progress);
  return app.runner() ? tr("Press Run (R) to run the kernel.") : tr("There is no run to show.");
}

float draw_sentences(Canvas& canvas, const Theme& theme, Rect r, const std::vector<std::string>& sentences) {
  TextStyle style{Font::words, 12.5f * theme.type, theme.ink};
  const float step = 18 * theme.type, width = r.w - 56 - 28;
  int lines = 0;
  for (const std::string& sentence : sentences) lines += canvas.count_lines(sentence, style, width);
  const Rect box{r.x + 28, r.bottom() - float(lines) * step - 30, r.w - 56, float(lines) * step + 18};
  canvas.fill_rect(box, theme.panel, 6);
  canvas.stroke_rect(box, theme.line, 1, 6);
  canvas.landmark(kSentence, box);
  float y = box.y + 9;
  for (const std::string& sentence : sentences) {
    y += canvas.text_wrap({box.x + 14, y}, sentence, style, width, step);
    style.color = theme.dim;
  }
  return box.h + 18;
}

namespace {

void draw_nothing_yet(Canvas& canvas, const App& app, const Run* run, Rect r, const Theme& theme) {
  const TextStyle style{Font::words, 15 * theme.type, theme.dim, Align::center};
  canvas.text_fit(r.center(), nothing_yet(app, run), style, r.w - 40);
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

// Where the reader is in the run beside this one. What is pinned and followed holds for both.
LabView compared_view(const App& app) {
  LabView view = app.view();
  view.step = std::max(0, app.compared_step().step);
  return view;
}

// What this step does, and what the same step does in the run that it is compared with.
std::vector<std::string> sentences_of(const App& app) {
  std::vector<std::string> all{tr(app.scene()->sentence(app.view()))};
  const AlignedStep other = app.compared_step();
  if (other.step < 0) return all;
  const std::string sentence = tr(app.compared()->sentence(compared_view(app)));
  all.push_back(other.same
                    ? tr("with {0}: {1}", {app.compared_name(), sentence})
                    : tr("{0} has no such step and stands here: {1}", {app.compared_name(), sentence}));
  return all;
}

float draw_sentence(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  auto sentences = sentences_of(app);
  // As a whole: at the end of a line a number has lost its unit.
  if (const StoryMask mask = app.story_mask(); mask.answer)
    for (std::string& sentence : sentences)
      sentence = mask_answer(sentence, *mask.answer, MaskedNumbers::named);
  return draw_sentences(canvas, theme, r, sentences);
}

// That what stands below is not of the settings, or not yet; returns the height it takes of the stage's upper
// edge.
float draw_picture_note(Canvas& canvas, const App& app, Rect r, const Theme& theme) {
  const std::string note = picture_note(app);
  if (note.empty()) return 0;
  canvas.text_fit({r.x + 28, r.y + 14 * theme.type}, note,
                  {Font::words_semibold, 12.5f * theme.type, theme.ink}, r.w - 56);
  return 20 * theme.type;
}

// "naive", or "naive · monday.npz" for a saved run.
std::string head_of(const std::string& rung, const std::string& name) {
  return rung == name ? name : rung + " · " + name;
}

}  // namespace

Shown first_shown(const App& app) {
  return {app.scene(), app.view(), head_of(app.run()->request.rung, app.run_name())};
}

Shown second_shown(const App& app) {
  if (!app.compared()) return {nullptr, {}, app.compared_name()};
  return {app.compared(), compared_view(app),
          head_of(app.compared()->run().request.rung, app.compared_name())};
}

void keep_back(const StoryMask& mask, HeadFigure& figure) {
  if (!mask.answer) return;
  const std::string told = mask_answer(figure.value, *mask.answer, MaskedNumbers::bare);
  if (told != figure.value) figure.trouble = false;
  figure.value = told;
}

// A headline, with the figure of the real size where it has room.
std::vector<HeadFigure> with_real(std::vector<HeadFigure> figures, const std::optional<HeadFigure>& real) {
  constexpr std::size_t kMost = 3;
  if (real && !figures.empty() && figures.size() < kMost) figures.push_back(*real);
  return figures;
}

namespace {

// The lab's few large numbers, where they leave enough for the picture; returns what is left for it.
// `real`: a figure of the ladder's own size, beside those of this step.
// Numbers that are not `current`, or that an open question keeps back, are not told as trouble either.
Rect draw_headline(Canvas& canvas, const Shown& shown, const std::optional<HeadFigure>& real, bool current,
                   const StoryMask& mask, Rect r, const Theme& theme) {
  constexpr float kPad = 28, kTop = 20, kPictureFrom = 360;  // px
  auto figures = with_real(shown.scene->headline(shown.view), real);
  if (figures.empty() || r.h < kPictureFrom * theme.type) return r;
  for (HeadFigure& figure : figures) {
    figure.trouble &= current;
    keep_back(mask, figure);
  }
  const float height = head_figures_height(theme);
  canvas.landmark(kHeadline, {r.x + kPad, r.y + kTop, r.w - 2 * kPad, height});
  draw_head_figures(canvas, theme, {r.x + kPad, r.y + kTop, r.w - 2 * kPad, height}, figures);
  const float taken = height + 14 * theme.type;
  return {r.x, r.y + taken, r.w, r.h - taken};
}

}  // namespace

StageEvents draw_lab(Canvas& canvas, App& app, const Shown& shown, Rect area, const Theme& theme,
                     std::span<const TimelineKey> keys) {
  StageEvents events;
  StageInput input{shown.view, area, theme, app.motion(), keys};
  input.presentation = app.state().projector;
  input.caret_shown = app.caret_shown();
  if (app.searching() && app.typing->focused)
    input.view.timeline.search = app.typing->edit.text(), input.timeline_search = &app.typing->edit;
  shown.scene->stage(canvas, input, events);
  return events;
}

void take_events(App& app, const StageEvents& events, bool second) {
  if (events.follow_block) app.follow(*events.follow_block);
  if (events.follow_warp) app.follow_warp(*events.follow_warp);
  if (!events.settings.empty()) app.set_params(events.settings);
  if (events.pin) app.pin(events.pin);
  if (events.unpin) app.pin({});
  if (events.timeline) {
    TimelineView view = *events.timeline;
    if (app.searching()) view.search = app.state().timeline.search;  // not before it is typed
    app.has_timeline = true, app.look_at(view);
  }
  if (events.search_timeline) app.search_timeline();
  if (app.searching()) app.typing->area = events.search_area;
  if (events.go_to_step) second ? app.go_to_compared(*events.go_to_step) : app.go_to(*events.go_to_step);
}

namespace {

constexpr float kHeadHeight = 30;

// Whose half this is, and whose word its counts are.
void draw_head(Canvas& canvas, const Shown& shown, Rect r, const Theme& theme) {
  const float y = r.y + 19 * theme.type, pad = 28;
  float room = r.w - 2 * pad;
  if (shown.scene) {
    const Run& run = shown.scene->run();
    const std::string words(provenance_of(run, run.counts ? "counts" : "time"));
    draw_badge(canvas, theme, {r.right() - pad, y}, words);
    room -= badge_width(canvas, theme, words) + 14;
  }
  canvas.text_fit({r.x + pad, y}, shown.name, {Font::words_semibold, 15 * theme.type, theme.ink}, room);
}

void draw_half(Canvas& canvas, App& app, const Shown& shown, bool second, Rect r, const Theme& theme,
               std::span<const TimelineKey> keys) {
  draw_head(canvas, shown, r, theme);
  const float head = kHeadHeight * theme.type;
  const Rect area{r.x, r.y + head, r.w, r.h - head};
  canvas.push_clip(area);
  if (shown.scene && App::has_steps(*shown.scene)) {
    const bool current = !is_pale(app, second);
    const Rect picture =
        draw_headline(canvas, shown, {}, current, {}, area, current ? theme : numbers_theme(app, theme));
    if (!second) app.stage_area = picture;
    take_events(app, draw_lab(canvas, app, shown, picture, theme, keys), second);
    draw_veil(canvas, app, picture, theme, second);
  } else {
    draw_nothing_yet(canvas, app, shown.scene ? &shown.scene->run() : nullptr, area, theme);
  }
  canvas.pop_clip();
}

// Two runs at the same place of their one axis.
void draw_halves(Canvas& canvas, App& app, Rect r, const Theme& theme, std::span<const TimelineKey> keys) {
  const Shown first = first_shown(app), second = second_shown(app);
  const float half = r.w / 2;
  canvas.line({r.x + half, r.y + 14}, {r.x + half, r.bottom() - 6}, theme.line);
  PrefixedCanvas other(canvas, "second/");
  draw_half(other, app, second, true, {r.x + half, r.y, half, r.h}, theme, {});
  draw_half(canvas, app, first, false, {r.x, r.y, half, r.h}, theme, keys);
}

}  // namespace

std::vector<HeadFigure> headline_of(const App& app) {
  if (!app.has_steps() || app.comparing()) return {};
  return with_real(app.scene()->headline(app.view()), ladder_figure(app));
}

void draw_stage_picture(Canvas& canvas, App& app, Rect r) {
  if (app.comparing()) return draw_halves(canvas, app, r, app.theme(), {});
  app.stage_area = r;
  take_events(app, draw_lab(canvas, app, first_shown(app), r, app.theme(), {}), false);
}

std::vector<std::string> step_sentences(const App& app) {
  return app.has_steps() ? sentences_of(app) : std::vector<std::string>{};
}

void draw_stage(Canvas& canvas, App& app, Rect r) {
  const Theme theme = app.theme();
  const auto keys = std::exchange(app.timeline_keys, {});
  app.has_timeline = false;
  canvas.push_clip(r);
  const float banner = draw_banner(canvas, app, r, theme);
  r.y += banner, r.h -= banner;
  if (app.has_steps()) {
    // Where the stage is low, what went wrong stands in the sentence's place.
    const bool low = r.h + banner < 420 * theme.type;
    const bool wrong = banner > 0 || !app.run()->findings.empty();
    float taken = low && wrong ? 0 : draw_sentence(canvas, app, r, theme);
    taken += draw_findings(canvas, *app.run(), low ? 0 : 4, {r.x, r.y, r.w, r.h - taken}, theme);
    const float note = draw_picture_note(canvas, app, r, theme);
    const Rect area{r.x, r.y + note, r.w, r.h - taken - note};
    if (app.comparing()) {
      draw_halves(canvas, app, area, theme, keys);
    } else {
      const Shown shown = first_shown(app);
      app.stage_area = draw_headline(canvas, shown, ladder_figure(app), note == 0, app.story_mask(), area,
                                     numbers_theme(app, theme));
      take_events(app, draw_lab(canvas, app, shown, app.stage_area, theme, keys), false);
      draw_veil(canvas, app, app.stage_area, theme);
    }
  } else {
    draw_nothing_yet(canvas, app, app.run(), r, theme);
  }
  canvas.pop_clip();
}

}  // namespace lockstep
