// What tells a scene in the card: its words and fields one below the other.
#pragma once
#include "app/draw/controls.hpp"
#include "views.hpp"

namespace lockstep {

// Lays a scene out from the top; draws it unless it is only measured.
class StoryTab {
 public:
  StoryTab(Canvas& canvas, App& app, Rect r, const Theme& theme, bool draws)
      : canvas_(canvas), app_(app), theme_(theme), type_(theme.type), r_(r), y_(r.y), draws_(draws) {}
  float lay();        // the height used
  float lay_asked();  // without title, and without what follows the answer

 protected:
  static constexpr float kTitle = 15, kText = 13.5f, kLine = 20, kGap = 8, kButton = 28, kLabel = 18;
  float px(float size) const { return size * type_; }
  void words(const RichText& text, Color color, float indent = 0);
  void lines(const std::vector<SceneWords::Line>& lines);
  void label(const std::string& name);
  void plain(const std::string& text, Font font, Color color);
  void question(const SceneWords& told, const Ask& ask);
  void options(const SceneWords& told);
  Rect option(const RichText& text, std::size_t index, Rect box, std::size_t right);
  void number(const SceneWords& told, const Ask& ask);
  void field(Rect box);
  void setting();
  void help(const Ask& ask);
  void verdict(const SceneWords& told, const Ask& ask);
  void next();
  void settings_link();
  void follow_focus(bool by_keyboard);
  void off_stage();
  float button_width(const std::string& label) const {
    return canvas_.measure(label, {Font::words_semibold, px(12.5f), {}}) + px(28);
  }

  Canvas& canvas_;
  App& app_;
  const Theme& theme_;
  const float type_;
  const Rect r_;
  float y_;
  const bool draws_;
};

}  // namespace lockstep
