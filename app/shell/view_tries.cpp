// The tab of what there is to try: a line each, with a tick once it is done; the open one asks.
#include "app/draw/controls.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kTryIndent = 24, kTryLine = 19, kTryGap = 8, kTryButton = 24;

class TriesTab {
 public:
  TriesTab(Canvas& canvas, App& app, Rect r, const Theme& theme, bool draws)
      : canvas_(canvas), app_(app), theme_(theme), type_(theme.type), r_(r), y_(r.y), draws_(draws) {}
  float lay() {
    const int count = int(app_.tries()->scenes.size());
    y_ += px(3);  // of the first line's box, which stands out of its words
    for (int i = 0; i < count; ++i) line(i);
    return y_ - r_.y;
  }

 private:
  float px(float size) const { return size * type_; }
  void line(int index);
  void mark(int index, float y);
  void again(int index);

  Canvas& canvas_;
  App& app_;
  const Theme& theme_;
  const float type_;
  const Rect r_;
  float y_;
  const bool draws_;
};

// ✓ done, ○ still to do; a ring also says where an answer was shown.
void TriesTab::mark(int index, float y) {
  const auto reply = app_.try_reply(index).kind;
  const Vec2 center{r_.x + px(8), y};
  if (reply == StoryReply::Kind::none)
    canvas_.stroke_circle(center, px(4.5f), theme_.dim, 1.2f);
  else
    canvas_.text(center, "✓", {Font::words_semibold, px(12.5f), theme_.ink, Align::center});
}

void TriesTab::again(int index) {
  const std::string label = tr("Try it again");
  const float w = canvas_.measure(label, {Font::words, px(12.5f), {}}) + px(20), h = px(kTryButton);
  const bool clicked = draws_ && draw_button(canvas_, theme_, "try/again", {r_.x + px(kTryIndent), y_, w, h},
                                             label, ButtonLook::plain)
                                     .clicked;
  if (clicked) app_.try_again(index);
  y_ += h + px(kTryGap);
}

void TriesTab::line(int index) {
  const bool open = app_.asks_try() && app_.open_try == index;
  const std::string& title = app_.tries()->scenes[std::size_t(index)].title;
  const TextStyle style{open ? Font::words_semibold : Font::words, px(13), theme_.ink};
  const float width = r_.w - px(kTryIndent),
              height = float(canvas_.count_lines(title, style, width)) * px(kTryLine);
  if (draws_) {
    const Rect box{r_.x - px(2), y_ - px(3), r_.w + px(4), height + px(6)};
    const Hit hit = canvas_.hit("try/" + std::to_string(index + 1), box, true);
    if (hit.hovered) canvas_.fill_rect(box, theme_.soft, 4);
    mark(index, y_ + px(kTryLine) / 2);
    canvas_.text_wrap({r_.x + px(kTryIndent), y_}, title, style, width, px(kTryLine));
    if (hit.focused) draw_focus_ring(canvas_, theme_, box, 4);
    if (hit.hovered) canvas_.tooltip(open ? tr("closes it") : tr("sets the lab for it, and asks"));
    if (hit.clicked) app_.enter_try(index);
  }
  y_ += height + px(kTryGap);
  if (!open || !app_.asks_try() || app_.open_try != index) return;
  const Rect rest{r_.x + px(kTryIndent), y_, width, 0};
  y_ += asked_height(canvas_, app_, width, theme_);
  if (draws_) draw_asked(canvas_, app_, rest, theme_);
  const bool done = app_.asks_try() && app_.try_reply(index).kind != StoryReply::Kind::none;
  if (done) again(index);
  y_ += px(kTryGap);
}

}  // namespace

float tries_height(Canvas& canvas, App& app, float width, const Theme& theme) {
  return TriesTab(canvas, app, {0, 0, width, 0}, theme, false).lay();
}

void draw_tries(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  TriesTab(canvas, app, r, theme, true).lay();
}

float back_link_height(const App& app, const Theme& theme) {
  return app.settings_are_for.empty() ? 0 : (kTryButton + 12) * theme.type;
}

void draw_back_link(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  const bool asks = app.asked_story() && app.asked_entered();
  const bool done = asks && app.story_reply().kind == StoryReply::Kind::right;
  const bool sets = asks && app.asked_scene().ask && app.asked_scene().ask->kind == Ask::Kind::set;
  const std::string label = "←  " + (app.settings_are_for == "try" ? tr("Back to what you try")
                                     : app.exercise()              ? tr("Back to the exercise")
                                                                   : tr("Back to the story"));
  const TextStyle words{Font::words_semibold, 12.5f * theme.type, theme.ink};
  const float w = canvas.measure(label, words) + 28 * theme.type, h = kTryButton * theme.type;
  if (draw_button(canvas, theme, "settings/back", {r.x, r.y, w, h}, label,
                  done ? ButtonLook::primary : ButtonLook::filled)
          .clicked)
    return app.back_from_settings();
  if (!sets) return;
  const std::string now = done ? tr("✓ The lab is set that way.") : tr(app.story_setting().reason);
  canvas.text_fit(
      {r.x + w + 14 * theme.type, r.y + h / 2}, now,
      {done ? Font::words_semibold : Font::words, 12.5f * theme.type, done ? theme.ink : theme.dim},
      r.w - w - 14 * theme.type);
}

}  // namespace lockstep
