// The presentation: the stage with its headline, sentence, one line of code and the steps, legible from the last
// row of a room, and nothing else.
#include <algorithm>
#include <utility>

#include "app/draw/canvas_prefix.hpp"
#include "app/draw/controls.hpp"
#include "code_colors.hpp"
#include "stage_parts.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

// Sizes at 1280 x 720, times `unit`.
constexpr float kLabel = 18, kText = 21, kLarge = 40;
constexpr float kMargin = 51, kTop = 72, kStepper = 40, kCode = 42, kPanelGap = 9, kTextLine = 28, kPad = 18;
constexpr float kNameLine = 30, kValueLine = 44, kNoteLine = 27;

struct Areas {
  Rect top, middle, sentence, code, stepper;
};

class Presentation {
 public:
  Presentation(Canvas& canvas, App& app, Rect window)
      : canvas_(canvas), app_(app), theme_(app.theme()), unit_(app.presentation_scale()), window_(window) {}
  void draw();

 private:
  float px(float at_1280) const { return at_1280 * unit_; }
  TextStyle label() const { return {Font::words, px(kLabel), theme_.dim}; }
  Areas areas(std::size_t sentence_lines) const;
  void draw_top(Rect r);
  float badge_room(const LabScene* scene) const;
  void draw_middle(Rect r);
  void draw_half(const Shown& shown, bool second, Rect r, std::span<const TimelineKey> keys);
  void draw_figure(const HeadFigure& figure, Rect r, const Provenance& said);
  float draw_headline(const Shown& shown, bool compared, Rect r);
  void draw_sentence(Rect r);
  void draw_code(Rect r);
  void draw_line(const CodeText& code, int line, Rect r);

  struct Words {
    std::string text;
    Color color;
  };
  std::vector<Words> sentence() const;
  std::size_t lines_of(const std::vector<Words>& words) const;

  Canvas& canvas_;
  App& app_;
  const Theme theme_;
  const float unit_;
  const Rect window_;
};

// Whose word a run's counts are, with device and date where they are known.
std::string source_text(const Run& run, const Provenance& provenance) {
  std::string text = provenance_text(provenance);
  if (provenance.is(Provenance::Kind::measured)) text = tr("measured: {0}", {run.device.name});
  if (provenance.is(Provenance::Kind::emulated)) text = tr("emulated: {0}", {tr("this CPU")});
  const std::string maker = "NVIDIA ";
  if (const std::size_t at = text.find(maker); at != text.npos) text.erase(at, maker.size());
  return text;
}

Provenance provenance_of_counts(const Run& run) { return provenance_of(run, run.counts ? "counts" : "time"); }

// Room for two lines of the sentence is kept, so that the picture stands still from step to step.
Areas Presentation::areas(std::size_t sentence_lines) const {
  const Rect w{window_.x + px(kMargin), window_.y, window_.w - 2 * px(kMargin), window_.h};
  Areas at;
  at.top = {w.x, w.y, w.w, px(kTop)};
  at.stepper = {w.x, w.bottom() - px(kStepper), w.w, px(kStepper)};
  at.code = {w.x, at.stepper.y - px(kCode), w.w, px(kCode)};
  constexpr std::size_t kUsualLines = 2;
  const float sentence = px(float(std::max(kUsualLines, sentence_lines)) * kTextLine + kPad);
  at.sentence = {w.x, at.code.y - px(kPanelGap) - sentence, w.w, sentence};
  at.middle = {w.x, at.top.bottom(), w.w, at.sentence.y - px(kPanelGap) - at.top.bottom()};
  return at;
}

void Presentation::draw_top(Rect r) {
  const float y = r.y + px(43), gap = px(30);
  float room = r.w;
  if (const Run* run = app_.run()) {
    const Provenance provenance = provenance_of_counts(*run);
    const std::string text = source_text(*run, provenance);
    draw_badge(canvas_, theme_, {r.right(), y}, provenance, text);
    room -= badge_width(canvas_, theme_, provenance, text) + gap;
  }
  const TextStyle title{Font::words_semibold, px(kText), theme_.ink};
  const std::string name = tr(app_.info().title) + " · " + app_.state().rung;
  const float name_w = std::min(canvas_.measure(name, title) + 1, room);
  canvas_.text_fit({r.x, y}, name, title, name_w);
  canvas_.text_fit({r.x + name_w + gap, y}, tr(app_.info().question), label(), room - name_w - gap);
}

// The value large, its unit beside it, what it is of below; a badge of its own where it is not what the top
// line says.
void Presentation::draw_figure(const HeadFigure& f, Rect r, const Provenance& said) {
  const TextStyle value{Font::words_semibold, px(kLarge),
                        f.trouble ? theme_.readable(color::trouble) : theme_.ink};
  const TextStyle unit{Font::words_semibold, px(kText), theme_.ink};
  const float width = std::min(r.w, canvas_.measure(f.value, value) + 1), gap = px(10);
  const float y = r.y + px(kValueLine) / 2;
  canvas_.text_fit({r.x, y}, f.value, value, width);
  canvas_.text_fit({r.x + width + gap, y + px(6)}, f.unit, unit, r.w - width - gap);
  const float note_y = r.y + px(kValueLine) + px(kNoteLine) / 2;
  const Provenance own(f.provenance);
  const bool badge = !own.empty() && badge_word(own) != badge_word(said);
  const float badge_w = badge ? badge_width(canvas_, theme_, own) + gap : 0;
  const float note = std::min(canvas_.measure(f.note, label()) + 1, r.w - badge_w);
  canvas_.text_fit({r.x, note_y}, f.note, label(), note);
  if (badge) draw_badge(canvas_, theme_, {r.x + note + badge_w, note_y}, own);
}

// Returns the height used. Beside another run one figure stands under the rung's name, else three stand side
// by side.
float Presentation::draw_headline(const Shown& shown, bool compared, Rect r) {
  auto figures = shown.scene->headline(shown.view);
  const Provenance said = provenance_of_counts(app_.run() ? *app_.run() : shown.scene->run());
  float y = r.y;
  if (compared) {
    canvas_.text_fit({r.x, y + px(kNameLine) / 2}, shown.name,
                     {Font::words_semibold, px(kText), theme_.ink}, r.w);
    y += px(kNameLine);
  }
  if (figures.empty()) return y - r.y;
  constexpr std::size_t kMost = 3;
  if (!compared && figures.size() < kMost)
    if (const auto real = ladder_figure(app_)) figures.push_back(*real);
  figures.resize(std::min(figures.size(), compared ? std::size_t(1) : kMost));
  const float gap = px(30), height = px(kValueLine + kNoteLine),
              width = (r.w - gap * float(figures.size() - 1)) / float(figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i)
    draw_figure(figures[i], {r.x + float(i) * (width + gap), y, width, height}, said);
  return y + height - r.y;
}

void Presentation::draw_half(const Shown& shown, bool second, Rect r, std::span<const TimelineKey> keys) {
  if (!shown.scene || !App::has_steps(*shown.scene)) {
    canvas_.text_wrap({r.x, r.y + px(kNameLine)},
                      nothing_yet(app_, shown.scene ? &shown.scene->run() : nullptr),
                      {Font::words, px(kText), theme_.dim}, r.w, px(kTextLine));
    return;
  }
  const float used = draw_headline(shown, app_.comparing(), r) + px(10);
  const Rect picture{r.x, r.y + used, r.w, r.h - used};
  if (!second) app_.stage_area = picture;
  canvas_.push_clip({picture.x - px(kPad), picture.y, picture.w + 2 * px(kPad), picture.h});
  take_events(app_, draw_lab(canvas_, app_, shown, picture, theme_, keys), second);
  canvas_.pop_clip();
}

void Presentation::draw_middle(Rect r) {
  const auto keys = std::exchange(app_.timeline_keys, {});
  app_.has_timeline = false;
  if (!app_.scene() || !app_.comparing()) return draw_half({app_.scene(), app_.view(), ""}, false, r, keys);
  const float gap = px(44), half = (r.w - gap) / 2;
  PrefixedCanvas other(canvas_, "second/");
  Presentation(other, app_, window_)
      .draw_half(second_shown(app_), true, {r.x + half + gap, r.y, half, r.h}, {});
  draw_half(first_shown(app_), false, {r.x, r.y, half, r.h}, keys);
}

// What went wrong goes before what the step does; what the emulator found is said with it.
std::vector<Presentation::Words> Presentation::sentence() const {
  std::vector<Words> all;
  const Color trouble = theme_.readable(color::trouble);
  if (app_.banner) all.push_back({tr(*app_.banner), trouble});
  if (!app_.has_steps()) return all;
  if (!app_.banner) all.push_back({tr(app_.scene()->sentence(app_.view())), theme_.ink});
  if (const std::size_t found = app_.run()->findings.size(); found > 0)
    all.push_back({found == 1 ? tr("The emulator found a problem in this kernel")
                              : tr("The emulator found {0} problems in this kernel", {std::to_string(found)}),
                   trouble});
  return all;
}

std::size_t Presentation::lines_of(const std::vector<Words>& words) const {
  const float width = window_.w - 2 * px(kMargin + kPad);
  int lines = 0;
  for (const Words& w : words)
    lines += canvas_.count_lines(w.text, {Font::words, px(kText), theme_.ink}, width);
  return std::size_t(lines);
}

void Presentation::draw_sentence(Rect r) {
  const auto words = sentence();
  canvas_.fill_rect(r, theme_.panel, kCorner);
  if (app_.banner) canvas_.stroke_rect(r, color::trouble, 2, kCorner);
  float y = r.center().y - float(lines_of(words)) * px(kTextLine) / 2;
  for (const Words& w : words)
    y += canvas_.text_wrap({r.x + px(kPad), y}, w.text, {Font::words, px(kText), w.color},
                           r.w - 2 * px(kPad), px(kTextLine));
}

void Presentation::draw_line(const CodeText& code, int line, Rect r) {
  const std::string_view all = code.lines[std::size_t(line)];
  const CodeColors colors = code_colors(theme_, theme_.panel);
  const auto style = [&](Color color) { return TextStyle{Font::mono, px(kText), color}; };
  const std::size_t first = std::min(all.find_first_not_of(' '), all.size());
  const float y = r.center().y;
  const std::string_view text = all.substr(first);
  if (canvas_.measure(text, style(colors.ink)) > r.w) {  // in one colour, shortened
    canvas_.text_fit({r.x, y}, text, style(colors.ink), r.w);
    return;
  }
  float x = r.x;
  const auto piece = [&](std::size_t from, std::size_t to, Color color) {
    if (from >= to) return;
    const std::string_view part = all.substr(from, to - from);
    if (part.find_first_not_of(' ') != part.npos) canvas_.text({x, y}, part, style(color));
    x += canvas_.measure(part, style(color));
  };
  std::size_t at = first;
  for (const SyntaxSpan& span : code.syntax[std::size_t(line)]) {
    if (span.first < at) continue;
    piece(at, span.first, colors.ink);
    piece(span.first, span.first + span.count, colors.of(span.syntax));
    at = span.first + span.count;
  }
  piece(at, all.size(), colors.ink);
}

// The executing line; of a step without one the kernel's first.
void Presentation::draw_code(Rect r) {
  const CodeText& code = app_.code_text();
  if (code.lines.empty()) return;
  const auto lit = executing_lines(app_, code);
  const int line = lit.empty() ? first_code_line(code.lines) : lit.front();
  if (line < 0 || line >= int(code.lines.size())) return;
  canvas_.fill_rect(r, theme_.panel, kCorner);
  draw_line(code, line, {r.x + px(kPad), r.y, r.w - 2 * px(kPad), r.h});
}

void Presentation::draw() {
  canvas_.fill_rect(window_, theme_.ground);
  const Areas at = areas(lines_of(sentence()));
  draw_top(at.top);
  draw_middle(at.middle);
  draw_sentence(at.sentence);
  draw_code(at.code);
  if (!app_.has_steps()) return;
  if (const auto step = draw_thin_stepper(canvas_, theme_, "step/slider", at.stepper, app_.segments(),
                                          app_.last_step() + 1, app_.state().step)) {
    app_.play(false);
    app_.go_to(*step);
  }
}

}  // namespace

void draw_presentation(Canvas& canvas, App& app, Rect window) {
  if (app.blank) return canvas.fill_rect(window, Color::hex(0x000000));
  canvas.use_type_scale(app.type_scale());
  Presentation(canvas, app, window).draw();
  Layout layout;  // what menus stand beside
  layout.rail = {window.x, window.y, 0, window.h};
  layout.top = {window.x, window.y, window.w, kTop * app.presentation_scale()};
  draw_menu(canvas, app, layout, window);
  draw_help(canvas, app, window);
  canvas.use_type_scale({});
}

}  // namespace lockstep
