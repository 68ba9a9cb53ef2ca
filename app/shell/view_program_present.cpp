// A reader's program for a room of people: the launch, this step's lanes and arrays, its sentence, its line
// of code and the steps, legible from the last row, and nothing else. The picture is the window's own, in
// larger type.
#include <algorithm>
#include <string>
#include <vector>

#include "app.hpp"
#include "app/draw/canvas_scaled.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "code_colors.hpp"
#include "code_text.hpp"
#include "view_program.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

// As large as the presentation of a lab; laid out at 1280 x 720.
constexpr float kShowLabel = 18, kShowText = 21, kShowLarge = 40, kShowMargin = 51, kShowTop = 72,
                kShowSteps = 40, kShowCode = 42, kShowLine = 28, kShowPad = 18, kShowFigure = 75;

class ProgramPresentation {
 public:
  ProgramPresentation(Canvas& canvas, App& app, Rect window)
      : canvas_(canvas), app_(app), desk_(*app.program()), theme_(theme_of(app)), window_(window) {}
  void draw();

 private:
  static Theme theme_of(const App& app) {
    Theme theme = app.theme();
    theme.type /= app.presentation_scale();
    return theme;
  }
  struct Words {
    std::string text;
    Color color;
  };
  std::vector<Words> sentence() const;
  void draw_top(Rect r);
  void draw_figures(Rect r);
  void draw_picture(Rect r);
  void draw_sentence(Rect r, const std::vector<Words>& words);
  void draw_code(Rect r);
  void draw_steps(Rect r);
  void draw_way_out();

  Canvas& canvas_;
  App& app_;
  ProgramDesk& desk_;
  const Theme theme_;
  const Rect window_;
};

void ProgramPresentation::draw_top(Rect r) {
  const float y = r.y + 43, gap = 30;
  const Provenance emulated = Provenance::emulated();
  const std::string said = tr("emulated: {0}", {tr("this CPU")});
  draw_badge(canvas_, theme_, {r.right(), y}, emulated, said);
  const float room = r.w - badge_width(canvas_, theme_, emulated, said) - gap;
  const TextStyle title{Font::words_semibold, kShowText, theme_.ink},
      label{Font::words, kShowLabel, theme_.dim};
  const float name_w = std::min(canvas_.measure(desk_.name(), title) + 1, room);
  canvas_.text_fit({r.x, y}, desk_.name(), title, name_w);
  if (!desk_.scene()) return;
  const auto& launches = desk_.run()->launches;
  std::string launch = launch_title(desk_.scene()->launch());
  if (launches.size() > 1)
    launch += " · " + tr("launch {0} of {1}",
                         {number_text(desk_.launch() + 1), grouped(std::int64_t(launches.size()))});
  if (!desk_.scene()->launch().counts_complete())
    launch += " · " + tr("{0} of {1} blocks", {grouped(desk_.scene()->launch().traced_blocks),
                                               grouped(desk_.scene()->launch().blocks)});
  canvas_.text_fit({r.x + name_w + gap, y}, launch, label, room - name_w - gap);
}

void ProgramPresentation::draw_figures(Rect r) {
  auto figures = desk_.scene()->headline(desk_.view());
  constexpr std::size_t kMost = 3;
  figures.resize(std::min(figures.size(), kMost));
  if (figures.empty()) return;
  const float gap = 30, width = (r.w - gap * float(kMost - 1)) / float(kMost);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const HeadFigure& f = figures[i];
    const float x = r.x + float(i) * (width + gap);
    const TextStyle value{Font::words_semibold, kShowLarge,
                          f.trouble ? theme_.readable(color::trouble) : theme_.ink};
    const float value_w = std::min(width, canvas_.measure(f.value, value) + 1);
    canvas_.text_fit({x, r.y + 22}, f.value, value, value_w);
    canvas_.text_fit({x + value_w + 10, r.y + 28}, f.unit, {Font::words_semibold, kShowText, theme_.ink},
                     width - value_w - 10);
    canvas_.text_fit({x, r.y + 58}, f.note, {Font::words, kShowLabel, theme_.dim}, width);
  }
}

// Lanes beside arrays: both are seen from the last row, where one below the other has no room.
void ProgramPresentation::draw_picture(Rect r) {
  const Step& step = desk_.scene()->steps.steps[std::size_t(desk_.step())];
  const float gap = 40, left = step.barrier ? 0 : r.w * 0.56f;
  const Rect lanes{r.x, r.y, left,
                   std::min(r.h + kLaneWords * theme_.type, step_lanes_height(desk_, theme_, false))};
  if (!step.barrier) draw_step_lanes(canvas_, desk_, lanes, theme_, false);
  const Rect arrays = step.barrier ? r : Rect{lanes.right() + gap, r.y, r.w - left - gap, r.h};
  draw_program_arrays(canvas_, desk_, arrays, theme_);
  if (desk_.pale()) canvas_.fill_rect(r, theme_.ground.with_alpha(0.55f));
}

// What was found at this line goes before what the step does.
std::vector<ProgramPresentation::Words> ProgramPresentation::sentence() const {
  const Color trouble = theme_.readable(color::trouble);
  std::vector<Words> all;
  if (reader::has_error(desk_.diagnostics()))
    for (const reader::Diagnostic& d : desk_.diagnostics())
      if (all.empty() && d.severity == reader::Severity::error)
        all.push_back(
            {tr("{0}, line {1}", {d.file, number_text(d.line)}) + ": " + diagnostic_text(d), trouble});
  if (desk_.busy()) all.push_back({tr(desk_.progress_text()), theme_.dim});
  if (!desk_.has_steps()) return all;
  const auto found = desk_.findings_at(desk_.step_line());
  if (!found.empty()) {
    const reader::ProgramFinding& f = desk_.findings()[std::size_t(found.front())];
    all.push_back({finding_kind_text(f.kind) + ": " + tr(f.message), trouble});
  } else {
    const Step& step = desk_.scene()->steps.steps[std::size_t(desk_.step())];
    all.push_back({tr(desk_.scene()->access_title(step)), theme_.ink});
    all.push_back({tr(desk_.scene()->access_remark(step)), theme_.dim});
  }
  return all;
}

void ProgramPresentation::draw_sentence(Rect r, const std::vector<Words>& words) {
  canvas_.fill_rect(r, theme_.panel, kCorner);
  float lines = 0;
  for (const Words& w : words)
    lines += float(canvas_.count_lines(w.text, {Font::words, kShowText, w.color}, r.w - 2 * kShowPad));
  float y = r.center().y - lines * kShowLine / 2;
  for (const Words& w : words)
    y += canvas_.text_wrap({r.x + kShowPad, y}, w.text, {Font::words, kShowText, w.color}, r.w - 2 * kShowPad,
                           kShowLine);
}

// The line of this step, without what indents it.
void ProgramPresentation::draw_code(Rect r) {
  canvas_.fill_rect(r, theme_.panel, kCorner);
  const int line = desk_.step_line();
  if (line < 1 || line > desk_.edit.lines()) return;
  const std::string_view text = desk_.edit.line(line - 1);
  const CodeColors colors = code_colors(theme_, theme_.panel);
  const float right = r.right() - kShowPad;
  const std::string number = number_text(line);
  canvas_.text({r.x + kShowPad, r.center().y}, number, {Font::mono, kShowLabel, theme_.dim});
  float x = r.x + kShowPad + canvas_.measure(number, {Font::mono, kShowLabel, {}}) + 20;
  std::size_t at = std::min(text.find_first_not_of(" \t"), text.size());
  const auto piece = [&](std::size_t to, Color ink) {
    if (to <= at || x >= right) return;
    const TextStyle style{Font::mono, kShowText, ink};
    const std::string part(text.substr(at, to - at));
    canvas_.text_fit({x, r.center().y}, part, style, right - x);
    x += canvas_.measure(part, style), at = to;
  };
  for (const SyntaxSpan& span : desk_.syntax()[std::size_t(line - 1)]) {
    if (span.first < at) continue;
    piece(span.first, colors.ink);
    piece(span.first + span.count, colors.of(span.syntax));
  }
  piece(text.size(), colors.ink);
}

void ProgramPresentation::draw_steps(Rect r) {
  const int steps = desk_.last_step() + 1;
  const float y = r.center().y, line = 5, step = r.w / float(steps);
  draw_phase_strip(canvas_, theme_, "phases", {r.x, y - line / 2, r.w, line}, desk_.segments(), steps,
                   desk_.step());
  canvas_.fill_circle({r.x + (float(desk_.step()) + 0.5f) * step, y}, 8, theme_.ink);
  const Hit hit = canvas_.hit("step/slider", {r.x - 8, r.y, r.w + 16, r.h});
  if (!hit.held && !hit.pressed) return;
  desk_.play(false);
  desk_.go_to(std::clamp(int((hit.pointer.x - r.x) / step), 0, steps - 1));
}

void ProgramPresentation::draw_way_out() {
  const Rect box{window_.right() - 45, window_.y + 25, 36, 36};
  const Hit hit = canvas_.hit("present/leave", box);
  if (!app_.pointer_awake() && !hit.hovered) return;
  if (hit.hovered)
    canvas_.fill_rect(box, theme_.soft, kCorner), canvas_.tooltip(tr("leave the presentation (Esc)"));
  const Color ink = hit.hovered ? theme_.ink : theme_.dim;
  const Vec2 c = box.center();
  canvas_.line({c.x - 8, c.y - 8}, {c.x + 8, c.y + 8}, ink, 2);
  canvas_.line({c.x - 8, c.y + 8}, {c.x + 8, c.y - 8}, ink, 2);
  if (hit.clicked) app_.set_projector(false);
}

void ProgramPresentation::draw() {
  canvas_.fill_rect(window_, theme_.ground);
  const Rect w{window_.x + kShowMargin, window_.y, window_.w - 2 * kShowMargin, window_.h};
  const Rect steps{w.x, w.bottom() - kShowSteps, w.w, kShowSteps};
  const Rect code{w.x, steps.y - kShowCode, w.w, kShowCode};
  const auto words = sentence();
  float lines = 0;
  for (const Words& one : words)
    lines += float(canvas_.count_lines(one.text, {Font::words, kShowText, one.color}, w.w - 2 * kShowPad));
  const float said = std::max(2.f, lines) * kShowLine + kShowPad;
  const Rect sentence_area{w.x, code.y - 9 - said, w.w, said};
  draw_top({w.x, w.y, w.w, kShowTop});
  const float top = w.y + kShowTop;
  if (const std::string nothing = nothing_to_show(desk_); !nothing.empty()) {
    canvas_.text_wrap({w.x, top + 20}, nothing, {Font::words, kShowText, theme_.dim}, w.w, kShowLine);
  } else {
    draw_figures({w.x, top, w.w, kShowFigure});
    draw_picture({w.x, top + kShowFigure + 12, w.w, sentence_area.y - 12 - top - kShowFigure - 12});
    draw_code(code);
    draw_steps(steps);
  }
  draw_sentence(sentence_area, words);
  draw_way_out();
}

}  // namespace

void draw_program_presentation(Canvas& canvas, App& app, Rect window) {
  if (app.blank) return canvas.fill_rect(window, Color::hex(0x000000));
  canvas.use_type_scale(app.type_scale());
  const float scale = app.presentation_scale();
  ScaledCanvas large(canvas, scale);
  ProgramPresentation(large, app, {window.x / scale, window.y / scale, window.w / scale, window.h / scale})
      .draw();
  Layout layout;  // what menus stand beside
  layout.rail = {window.x, window.y, 0, window.h};
  layout.top = {window.x, window.y, window.w, kShowTop * scale};
  draw_menu(canvas, app, layout, window);
  draw_help(canvas, app, window);
  canvas.use_type_scale({});
}

}  // namespace lockstep
