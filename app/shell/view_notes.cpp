#include "view_notes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/draw/rich_text.hpp"
#include "app/draw/theme.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

// At 1000 x 640; the first three are sizes of running text, the largest that fits is taken.
constexpr float kNotesSmall = 13, kNotesMiddle = 15, kNotesText = 17, kNotesTitle = 24, kNotesClock = 34;
constexpr float kNotesMargin = 28, kNotesTop = 96, kNotesFoot = 66, kNotesGap = 36, kNotesAir = 10;
constexpr float kNotesLeftShare = 0.54f;

float notes_factor(float width, float height) {
  const float fits = std::min(width / 1000, height / 640);
  return std::clamp(std::floor(fits * 8) / 8, 0.5f, 4.f);
}

std::string unmarked(const RichText& text) {
  std::string all;
  for (const TextSpan& span : text) all += span.text;
  return all;
}

// A column of paragraphs below each other; drawn, or only measured.
class NotesColumn {
 public:
  NotesColumn(Canvas& canvas, const Theme& theme, Rect r, float size, bool draws)
      : canvas_(canvas), theme_(theme), r_(r), size_(size), y_(r.y), draws_(draws) {}

  void label(const std::string& text) {
    if (y_ > r_.y) y_ += size_ * 0.7f;
    const float size = size_ * 0.78f;
    if (draws_) canvas_.text({r_.x, y_ + size_ * 0.6f}, text, {Font::words_semibold, size, theme_.dim});
    y_ += size_ * 1.5f;
  }
  void words(const RichText& text, Color color, float indent = 0) {
    const float line = size_ * 1.42f, width = r_.w - indent;
    if (draws_) draw_rich_text(canvas_, {r_.x + indent, y_}, text, size_, color, width, line);
    y_ += rich_text_height(canvas_, text, size_, width, line) + size_ * 0.35f;
  }
  void lines(const std::vector<SceneWords::Line>& lines, Color color) {
    for (const SceneWords::Line& line : lines) {
      if (line.bullet && draws_)
        canvas_.fill_circle({r_.x + size_ * 0.4f, y_ + size_ * 0.71f}, size_ * 0.16f, theme_.dim);
      words(line.text, color, line.bullet ? size_ * 1.2f : 0);
    }
  }
  float height() const { return y_ - r_.y; }

 private:
  Canvas& canvas_;
  const Theme& theme_;
  const Rect r_;
  const float size_;
  float y_;
  const bool draws_;
};

class NotesView {
 public:
  NotesView(Canvas& canvas, App& app, Rect window)
      : canvas_(canvas),
        app_(app),
        theme_(app.state().dark ? dark_theme() : light_theme()),
        window_(window),
        factor_(notes_factor(window.w, window.h)),
        told_(app.tour_words()) {}

  void draw() {
    canvas_.fill_rect(window_, theme_.ground);
    const float margin = px(kNotesMargin), wide = window_.w - 2 * margin;
    draw_top({window_.x + margin, window_.y, wide, px(kNotesTop)});
    draw_foot({window_.x + margin, window_.bottom() - px(kNotesFoot), wide, px(kNotesFoot)});
    const Rect middle{window_.x + margin, window_.y + px(kNotesTop), wide,
                      window_.h - px(kNotesTop) - px(kNotesFoot)};
    const float left = (middle.w - px(kNotesGap)) * kNotesLeftShare;
    draw_column({middle.x, middle.y, left, middle.h}, &NotesView::left);
    draw_column({middle.x + left + px(kNotesGap), middle.y, middle.w - left - px(kNotesGap), middle.h},
                &NotesView::right);
  }

 private:
  float px(float size) const { return size * factor_; }
  const StoryScene& scene() const { return app_.tour()->scenes[std::size_t(app_.tour_scene())]; }
  TextStyle dim() const { return {Font::words, px(kNotesMiddle), theme_.dim}; }

  void draw_top(Rect r) {
    const std::string clock = clock_text(app_.lecture_seconds);
    const TextStyle large{Font::mono_semibold, px(kNotesClock), theme_.ink, Align::right};
    const float clock_w = canvas_.measure(clock, large) + px(20);
    canvas_.text({r.right(), r.y + px(36)}, clock, large);
    if (app_.tour()->minutes > 0)
      canvas_.text({r.right(), r.y + px(66)}, tr("of {0} min", {std::to_string(app_.tour()->minutes)}),
                   {Font::words, px(kNotesMiddle), theme_.dim, Align::right});
    const std::string number = tr("scene {0} of {1}", {std::to_string(app_.tour_scene() + 1),
                                                       std::to_string(app_.tour()->scenes.size())});
    canvas_.text_fit({r.x, r.y + px(30)}, number + " · " + app_.tour()->title, dim(), r.w - clock_w);
    canvas_.text_fit({r.x, r.y + px(62)}, scene().title, {Font::words_semibold, px(kNotesTitle), theme_.ink},
                     r.w - clock_w);
    canvas_.line({r.x, r.bottom() - px(kNotesAir)}, {r.right(), r.bottom() - px(kNotesAir)}, theme_.line);
  }

  // In the largest type in which all of it has room; what has none even so is reached by the wheel.
  void draw_column(Rect r, void (NotesView::*fill)(NotesColumn&)) {
    float size = kNotesSmall, height = 0;
    for (const float wanted : {kNotesText, kNotesMiddle, kNotesSmall}) {
      NotesColumn measured(canvas_, theme_, r, px(size = wanted), false);
      (this->*fill)(measured);
      height = measured.height();
      if (height <= r.h) break;
    }
    const float hidden = std::max(0.f, height - r.h);
    app_.notes_hidden = std::max(app_.notes_hidden, hidden);
    canvas_.push_clip(r);
    NotesColumn column(canvas_, theme_, {r.x, r.y - std::min(hidden, app_.notes_scroll), r.w, r.h}, px(size),
                       true);
    (this->*fill)(column);
    canvas_.pop_clip();
  }

  void left(NotesColumn& column) {
    column.label(tr("NOTES"));
    if (told_.notes.empty())
      column.words({{tr("There are no notes for this scene."), Font::words}}, theme_.dim);
    column.lines(told_.notes, theme_.ink);
    if (told_.text.empty()) return;
    column.label(tr("TEXT OF THE SCENE"));
    column.lines(told_.text, theme_.dim);
  }

  void right(NotesColumn& column) {
    if (!scene().ask) {
      column.label(tr("THIS SCENE ASKS NOTHING"));
      column.lines(told_.why, theme_.ink);
      return;
    }
    column.label(tr("QUESTION"));
    column.words(told_.question, theme_.ink);
    column.label(tr("ANSWER"));
    answer(column);
    column.lines(told_.why, theme_.ink);
    if (told_.tempting.empty()) return;
    column.label(tr("TEMPTING, AND WHY"));
    for (const SceneWords::Tempted& one : told_.tempting) {
      RichText text{{option_or(one.answer) + " ", Font::words_semibold}};
      text.insert(text.end(), one.why.begin(), one.why.end());
      column.words(text, theme_.dim);
    }
  }

  // Of a choice its words.
  std::string option_or(const std::string& answer) const {
    const std::size_t option = std::size_t(std::max(0, std::atoi(answer.c_str())));
    const bool choice = scene().ask && scene().ask->kind == Ask::Kind::choice;
    return choice && option >= 1 && option <= told_.options.size() ? unmarked(told_.options[option - 1])
                                                                   : answer;
  }

  void answer(NotesColumn& column) {
    if (told_.no_answer)
      return column.words({{tr("not answerable here, because {0}", {tr(*told_.no_answer)}), Font::words}},
                          theme_.dim);
    if (scene().ask->kind == Ask::Kind::set)
      return column.words({{tr("Any setting that does it: the lab checks."), Font::words_semibold}},
                          theme_.ink);
    RichText text{{option_or(told_.answer), Font::words_semibold}};
    if (!told_.allowed.empty()) text.push_back({"  " + told_.allowed, Font::words});
    column.words(text, theme_.ink);
  }

  // What the next press does, and where the stage is.
  std::string next_text() const {
    if (app_.tour_answer_comes()) return tr("Next: the answer");
    const std::size_t next = std::size_t(app_.tour_scene()) + 1;
    if (next >= app_.tour()->scenes.size()) return tr("This is the last scene.");
    const StoryScene& coming = app_.tour()->scenes[next];
    std::string place = coming.setup.lab;
    if (!coming.setup.rung.empty()) place += " · " + coming.setup.rung;
    return tr("Next: {0} ({1})", {coming.title, place});
  }
  void draw_foot(Rect r) {
    canvas_.line({r.x, r.y + px(2)}, {r.right(), r.y + px(2)}, theme_.line);
    std::string state;
    if (app_.blank) state = tr("the room sees a black screen");
    if (!app_.blank && app_.off_tour_scene()) state = tr("the stage is not as the scene set it: Backspace");
    const TextStyle side{Font::words_semibold, px(kNotesMiddle), theme_.readable(color::trouble),
                         Align::right};
    const float side_w = state.empty() ? 0 : canvas_.measure(state, side) + px(20);
    canvas_.text({r.right(), r.y + px(22)}, state, side);
    canvas_.text_fit({r.x, r.y + px(22)}, next_text(), {Font::words_semibold, px(kNotesMiddle), theme_.ink},
                     r.w - side_w);
    canvas_.text_fit(
        {r.x, r.y + px(46)},
        tr("Page Down: on · Page Up: back · Enter: answer · B: black · Z: magnifier · Backspace: "
           "scene as it was · N: no notes"),
        {Font::words, px(kNotesSmall), theme_.dim}, r.w);
  }

  Canvas& canvas_;
  App& app_;
  const Theme theme_;
  const Rect window_;
  const float factor_;
  const SceneWords told_;
};

}  // namespace

std::vector<float> notes_type_scale(float width, float height) {
  std::vector<float> sizes;
  for (const float size : {kNotesSmall, kNotesMiddle, kNotesText, kNotesTitle, kNotesClock})
    sizes.push_back(size * notes_factor(width, height));
  return sizes;
}

std::string clock_text(double seconds) {
  const int whole = int(seconds), minutes = whole / 60;
  char text[32];
  std::snprintf(text, sizeof text, "%d:%02d", minutes, whole % 60);
  return text;
}

std::string notes_title(const App& app) {
  if (!app.tour()) return tr("Notes");
  const auto& scenes = app.tour()->scenes;
  return tr("Notes · {0} of {1} · {2}", {std::to_string(app.tour_scene() + 1), std::to_string(scenes.size()),
                                         scenes[std::size_t(app.tour_scene())].title});
}

void draw_notes(Canvas& canvas, App& app, Rect window) {
  if (!app.tour()) return;
  canvas.use_type_scale(notes_type_scale(window.w, window.h));
  app.notes_hidden = 0;
  NotesView(canvas, app, window).draw();
  canvas.use_type_scale({});
}

}  // namespace lockstep
