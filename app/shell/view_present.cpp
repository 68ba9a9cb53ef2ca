// The presentation: the stage with its headline, sentence, one line of code and the steps, legible from the
// last row of a room, and nothing else.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "app/draw/canvas_prefix.hpp"
#include "app/draw/canvas_scaled.hpp"
#include "app/draw/controls.hpp"
#include "code_colors.hpp"
#include "stage_parts.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

// Everything is laid out as at 1280 x 720; draw_presentation() makes it as large as the window.
constexpr float kLabel = 18, kText = 21, kLarge = 40;
constexpr float kMargin = 51, kTop = 72, kStepper = 40, kCode = 42, kPanelGap = 9, kTextLine = 28, kPad = 18;
constexpr float kNameLine = 30, kValueLine = 44, kNoteLine = 27;

struct Areas {
  Rect top, middle, sentence, code, stepper;
};

class Presentation {
 public:
  Presentation(Canvas& canvas, App& app, Rect window)
      : canvas_(canvas), app_(app), theme_(theme_of(app)), window_(window), mask_(app.story_mask()) {}
  void draw();

 private:
  static Theme theme_of(const App& app) {
    Theme theme = app.theme();
    theme.type /= app.presentation_scale();
    return theme;
  }
  TextStyle label() const { return {Font::words, kLabel, theme_.dim}; }
  Areas areas(std::size_t sentence_lines) const;
  void draw_top(Rect r);
  void draw_middle(Rect r);
  void draw_half(const Shown& shown, bool second, Rect r, std::span<const TimelineKey> keys);
  void draw_figure(const HeadFigure& figure, Rect r, const Provenance& said);
  float draw_headline(const Shown& shown, bool compared, Rect r);
  void draw_sentence(Rect r);
  void draw_code(Rect r);
  void draw_stepper(Rect r);
  void draw_way_out();
  bool has_code() const;
  bool asks() const;
  std::string answered() const;
  std::string verdict() const;

  struct Words {
    std::string text;
    Color color;
  };
  std::vector<Words> sentence() const;
  std::size_t lines_of(const std::vector<Words>& words) const;

  Canvas& canvas_;
  App& app_;
  const Theme theme_;
  const Rect window_;
  const StoryMask mask_;
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
  const Rect w{window_.x + kMargin, window_.y, window_.w - 2 * kMargin, window_.h};
  Areas at;
  const float code = has_code() ? kCode : 0;
  at.top = {w.x, w.y, w.w, kTop};
  at.stepper = {w.x, w.bottom() - kStepper, w.w, kStepper};
  at.code = {w.x, at.stepper.y - code, w.w, code};
  constexpr std::size_t kUsualLines = 2;
  const float sentence = float(std::max(kUsualLines, sentence_lines)) * kTextLine + kPad;
  at.sentence = {w.x, at.code.y - kPanelGap - sentence, w.w, sentence};
  at.middle = {w.x, at.top.bottom(), w.w, at.sentence.y - kPanelGap - at.top.bottom()};
  return at;
}

void Presentation::draw_top(Rect r) {
  const float y = r.y + 43, gap = 30;
  float room = r.w;
  if (const Run* run = app_.run()) {
    const Provenance provenance = provenance_of_counts(*run);
    const std::string text = source_text(*run, provenance);
    draw_badge(canvas_, theme_, {r.right(), y}, provenance, text);
    room -= badge_width(canvas_, theme_, provenance, text) + gap;
  }
  const TextStyle title{Font::words_semibold, kText, theme_.ink};
  const std::string name = tr(app_.info().title) + " · " + app_.state().rung;
  const float name_w = std::min(canvas_.measure(name, title) + 1, room);
  canvas_.text_fit({r.x, y}, name, title, name_w);
  canvas_.text_fit({r.x + name_w + gap, y}, tr(app_.info().question), label(), room - name_w - gap);
}

// The value large, its unit beside it, what it is of below; a badge of its own where it is not what the top
// line says.
void Presentation::draw_figure(const HeadFigure& f, Rect r, const Provenance& said) {
  const TextStyle value{Font::words_semibold, kLarge,
                        f.trouble ? theme_.readable(color::trouble) : theme_.ink};
  const TextStyle unit{Font::words_semibold, kText, theme_.ink};
  const float width = std::min(r.w, canvas_.measure(f.value, value) + 1), gap = 10;
  const float y = r.y + kValueLine / 2;
  canvas_.text_fit({r.x, y}, f.value, value, width);
  canvas_.text_fit({r.x + width + gap, y + 6}, f.unit, unit, r.w - width - gap);
  const float note_y = r.y + kValueLine + kNoteLine / 2;
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
    canvas_.text_fit({r.x, y + kNameLine / 2}, shown.name, {Font::words_semibold, kText, theme_.ink}, r.w);
    y += kNameLine;
  }
  constexpr std::size_t kMost = 3;
  if (!compared && figures.size() < kMost)
    if (const auto real = ladder_figure(app_)) figures.push_back(*real);
  if (figures.empty()) return y - r.y;
  for (HeadFigure& figure : figures)
    if (!compared) keep_back(mask_, figure);
  figures.resize(std::min(figures.size(), compared ? std::size_t(1) : kMost));
  if (!compared) canvas_.landmark(kHeadline, {r.x, y, r.w, kValueLine + kNoteLine});
  const float gap = 30, height = kValueLine + kNoteLine,
              width = (r.w - gap * float(figures.size() - 1)) / float(figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i)
    draw_figure(figures[i], {r.x + float(i) * (width + gap), y, width, height}, said);
  return y + height - r.y;
}

void Presentation::draw_half(const Shown& shown, bool second, Rect r, std::span<const TimelineKey> keys) {
  if (!shown.scene || !App::has_steps(*shown.scene)) {
    canvas_.text_wrap({r.x, r.y + kNameLine}, nothing_yet(app_, shown.scene ? &shown.scene->run() : nullptr),
                      {Font::words, kText, theme_.dim}, r.w, kTextLine);
    return;
  }
  const float used = draw_headline(shown, app_.comparing(), r) + 10;
  constexpr float kStagePadding = 28;  // that every lab keeps at both sides, at any size of type
  const Rect picture{r.x - kStagePadding, r.y + used, r.w + 2 * kStagePadding, r.h - used};
  if (!second) app_.stage_area = picture;
  canvas_.push_clip(picture);
  take_events(app_, draw_lab(canvas_, app_, shown, picture, theme_, keys), second);
  draw_veil(canvas_, app_, picture, theme_, second);
  canvas_.pop_clip();
}

void Presentation::draw_middle(Rect r) {
  const auto keys = std::exchange(app_.timeline_keys, {});
  app_.has_timeline = false;
  if (!app_.scene() || !app_.comparing()) {
    StoryCanvas told(canvas_, mask_);
    Presentation(told, app_, window_).draw_half({app_.scene(), app_.view(), ""}, false, r, keys);
    return told.draw_veils(theme_, hidden_words());
  }
  const float gap = 44, half = (r.w - gap) / 2;
  PrefixedCanvas other(canvas_, "second/");
  Presentation(other, app_, window_)
      .draw_half(second_shown(app_), true, {r.x + half + gap, r.y, half, r.h}, {});
  draw_half(first_shown(app_), false, {r.x, r.y, half, r.h}, keys);
}

std::string plain(const RichText& text) {
  std::string all;
  for (const TextSpan& span : text) all += span.text;
  return all;
}

// Does the story's scene wait for an answer?
bool Presentation::asks() const {
  return app_.story() && app_.state().story_scene >= 0 && app_.told_scene().ask &&
         app_.story_reply().kind == StoryReply::Kind::none;
}

// The answer of the scene on the stage, once it was given or shown.
std::string Presentation::answered() const {
  if (!app_.story() || asks() || !app_.told_scene().ask || !app_.stage_shows_scene()) return "";
  if (app_.exercise() && app_.part().kind != PartKind::number && app_.part().kind != PartKind::predict &&
      app_.part().kind != PartKind::choice)
    return "";
  const SceneWords& told = app_.scene_words();
  const std::size_t option = std::size_t(std::atoi(told.answer.c_str()));
  if (app_.told_scene().ask->kind == Ask::Kind::choice && option >= 1 && option <= told.options.size())
    return "✓ " + plain(told.options[option - 1]);
  return told.answer.empty() ? "" : "✓ " + told.answer;
}

// What is so, of a claim that was put to the test.
std::string Presentation::verdict() const {
  std::string text;
  bool told = false;
  for (const SceneWords::Line& line : app_.scene_words().why) {
    if (!line.label.empty()) told = line.label == "verdict";
    if (told) text += (text.empty() ? "" : " ") + plain(line.text);
  }
  return text;
}

// What went wrong goes before what the step does; what the emulator found is said with it.
std::vector<Presentation::Words> Presentation::sentence() const {
  std::vector<Words> all;
  const Color trouble = theme_.readable(color::trouble);
  if (app_.banner) all.push_back({tr(*app_.banner), trouble});
  if (!app_.banner && app_.tells_claim()) {
    all.push_back({app_.told_scene().title, theme_.ink});
    const std::string answer = answered();
    if (!asks()) return all.push_back({answer + (answer.empty() ? "" : "  ") + verdict(), theme_.ink}), all;
  }
  if (!app_.banner && asks()) {
    all.push_back({plain(app_.scene_words().question), theme_.ink});
    if (!app_.exercise()) all.push_back({tr("Enter shows the answer."), theme_.dim});
    return all;
  }
  if (const std::string answer = answered(); !app_.banner && !answer.empty())
    all.push_back({answer, theme_.ink});
  if (!app_.has_steps()) return all;
  if (const std::string note = picture_note(app_); !note.empty()) all.push_back({note, theme_.dim});
  if (!app_.banner) all.push_back({tr(app_.scene()->sentence(app_.view())), theme_.ink});
  if (const std::size_t found = app_.run()->findings.size(); found > 0)
    all.push_back({found == 1 ? tr("The emulator found a problem in this kernel")
                              : tr("The emulator found {0} problems in this kernel", {std::to_string(found)}),
                   trouble});
  return all;
}

std::size_t Presentation::lines_of(const std::vector<Words>& words) const {
  const float width = window_.w - 2 * (kMargin + kPad);
  int lines = 0;
  for (const Words& w : words) lines += canvas_.count_lines(w.text, {Font::words, kText, theme_.ink}, width);
  return std::size_t(lines);
}

void Presentation::draw_sentence(Rect r) {
  const auto words = sentence();
  canvas_.fill_rect(r, theme_.panel, kCorner);
  if (app_.banner) canvas_.stroke_rect(r, color::trouble, 2, kCorner);
  float y = r.center().y - float(lines_of(words)) * kTextLine / 2;
  for (const Words& w : words)
    y += canvas_.text_wrap({r.x + kPad, y}, w.text, {Font::words, kText, w.color}, r.w - 2 * kPad, kTextLine);
}

// The last character of a line's code; 0 where it has none.
char last_character(std::string_view line) {
  const std::size_t last = line.find_last_not_of(' ', line.find("//") - 1);
  return last == line.npos ? '\0' : line[last];
}

// A statement of several lines is written as one: its lines from `line` on until its parentheses close and
// what is assigned is there.
int lines_of_statement(const CodeText& code, int line) {
  int open = 0, count = 0;
  constexpr int kMost = 4;
  for (int i = line; i < int(code.lines.size()) && count < kMost; ++i) {
    const std::string_view text = code.lines[std::size_t(i)];
    for (const char c : text) open += c == '(' ? 1 : c == ')' ? -1 : 0;
    ++count;
    if (open <= 0 && last_character(text) != '=') return count;
  }
  return 1;
}

// Does a statement no more than order others: wait for them, or say that they may come?
bool only_orders(std::string_view statement) {
  for (const char* call :
       {"__sync", "products_", "wait_phase", "copy_async_wait", "copy_async_commit", "sums_fence"})
    if (statement.starts_with(call)) return true;
  return statement.find("arrive(") != statement.npos;
}

// Of the lines that a step runs the last one that does something and is a whole statement, or begins one of
// several lines: loads stand before the arithmetic that they are for.
int telling_line(const CodeText& code, const std::vector<int>& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string_view text = code.lines[std::size_t(*line)];
    const std::size_t first = text.find_first_not_of(" {}");
    const char last = last_character(text);
    if (first == text.npos || last == '\0' || only_orders(text.substr(first))) continue;
    const auto opened = std::count(text.begin(), text.end(), '('),
               closed = std::count(text.begin(), text.end(), ')');
    const bool whole = opened == closed && last == ';';
    const bool begins = (opened > closed || last == '=') && text.substr(first).find("for (") != 0 &&
                        lines_of_statement(code, *line) > 1;
    if (whole || begins) return *line;
  }
  const auto length = [&](int line) {
    const std::string_view text = code.lines[std::size_t(line)];
    return text.size() - std::min(text.find_first_not_of(" {}"), text.size());
  };
  return *std::max_element(lines.begin(), lines.end(), [&](int a, int b) { return length(a) < length(b); });
}

// A piece of code in one colour.
struct CodePiece {
  std::string text;
  Color color;
};

// A line without what indents it.
void append_pieces(std::vector<CodePiece>& pieces, const CodeText& code, int line, const CodeColors& colors) {
  const std::string_view all = code.lines[std::size_t(line)];
  std::size_t at = std::min(all.find_first_not_of(' '), all.size());
  const auto piece = [&](std::size_t to, Color color) {
    if (to > at) pieces.push_back({std::string(all.substr(at, to - at)), color}), at = to;
  };
  for (const SyntaxSpan& span : code.syntax[std::size_t(line)]) {
    if (span.first < at) continue;
    piece(span.first, colors.ink);
    piece(span.first + span.count, colors.of(span.syntax));
  }
  piece(all.size(), colors.ink);
}

// Is there a step of this run of which a line of code is known?
bool Presentation::has_code() const {
  if (!app_.has_steps()) return false;
  const Axis& axis = app_.scene()->axis();
  return std::any_of(axis.phases().begin(), axis.phases().end(),
                     [&](const Phase& phase) { return !axis.lines(phase.first).lines.empty(); });
}

// The executing line.
void Presentation::draw_code(Rect r) {
  if (r.h <= 0) return;
  canvas_.fill_rect(r, theme_.panel, kCorner);
  const CodeText& code = app_.code_text();
  const auto lit = executing_lines(app_, code);
  if (lit.empty()) return;
  const CodeColors colors = code_colors(theme_, theme_.panel);
  const auto style = [&](Color color) { return TextStyle{Font::mono, kText, color}; };
  const float room = r.w - 2 * kPad;
  const int line = telling_line(code, lit);
  std::vector<CodePiece> pieces;
  for (int i = 0; i < lines_of_statement(code, line); ++i) {
    if (i > 0 && !pieces.back().text.ends_with('(')) pieces.push_back({" ", colors.ink});
    append_pieces(pieces, code, line + i, colors);
  }
  float width = 0, x = r.x + kPad;
  for (const CodePiece& piece : pieces) width += canvas_.measure(piece.text, style(colors.ink));
  for (const CodePiece& piece : pieces) {
    if (width > room) {  // the last one that has room ends in an ellipsis
      const float left = r.x + kPad + room - x;
      if (canvas_.text_fit({x, r.center().y}, piece.text, style(piece.color), left)) break;
    } else if (piece.text.find_first_not_of(' ') != piece.text.npos) {
      canvas_.text({x, r.center().y}, piece.text, style(piece.color));
    }
    x += canvas_.measure(piece.text, style(piece.color));
  }
}

void Presentation::draw() {
  canvas_.fill_rect(window_, theme_.ground);
  const Areas at = areas(lines_of(sentence()));
  draw_top(at.top);
  draw_middle(at.middle);
  draw_sentence(at.sentence);
  draw_code(at.code);
  if (app_.has_steps()) draw_stepper(at.stepper);
  draw_way_out();
}

// For who has only the mouse: a cross in the margin, there while the pointer moves.
void Presentation::draw_way_out() {
  const Rect box{window_.right() - 45, window_.y + 25, 36, 36};
  const Hit hit = canvas_.hit("present/leave", box);
  if (!app_.pointer_awake() && !hit.hovered) return;
  if (hit.hovered) canvas_.fill_rect(box, theme_.soft, kCorner);
  if (hit.hovered) canvas_.tooltip(tr("leave the presentation (Esc)"));
  const Color color = hit.hovered ? theme_.ink : theme_.dim;
  const Vec2 c = box.center();
  const float arm = 8;
  canvas_.line({c.x - arm, c.y - arm}, {c.x + arm, c.y + arm}, color, 2);
  canvas_.line({c.x - arm, c.y + arm}, {c.x + arm, c.y - arm}, color, 2);
  if (hit.clicked) app_.set_projector(false);
}

// One thin line in the phases' colours.
void Presentation::draw_stepper(Rect r) {
  const int steps = app_.last_step() + 1;
  const float y = r.center().y, line = 5, step = r.w / float(steps);
  draw_phase_strip(canvas_, theme_, "phases", {r.x, y - line / 2, r.w, line}, app_.segments(), steps,
                   app_.state().step);
  canvas_.fill_circle({r.x + (float(app_.state().step) + 0.5f) * step, y}, 8, theme_.ink);
  const Hit hit = canvas_.hit("step/slider", {r.x - 8, r.y, r.w + 16, r.h});
  if (!hit.held && !hit.pressed) return;
  app_.play(false);
  app_.go_to(std::clamp(int((hit.pointer.x - r.x) / step), 0, steps - 1));
}

}  // namespace

void draw_presentation(Canvas& canvas, App& app, Rect window) {
  if (app.blank) return canvas.fill_rect(window, Color::hex(0x000000));
  canvas.use_type_scale(app.type_scale());
  const float scale = app.presentation_scale();
  app.stage_area = {};
  if (app.searching()) app.typing->area = {};
  ScaledCanvas large(canvas, scale);
  Presentation(large, app, scaled(window, 1 / scale)).draw();
  app.stage_area = scaled(app.stage_area, scale);
  if (app.searching()) app.typing->area = scaled(app.typing->area, scale);
  Layout layout;  // what menus stand beside
  layout.rail = {window.x, window.y, 0, window.h};
  layout.top = {window.x, window.y, window.w, kTop * app.presentation_scale()};
  draw_menu(canvas, app, layout, window);
  draw_help(canvas, app, window);
  canvas.use_type_scale({});
}

}  // namespace lockstep
