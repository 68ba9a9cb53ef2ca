// The story's tab: a scene's title and text, its question with what answers it, and, after the answer, the
// why. What is tried stands in the same words.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/draw/text_field.hpp"
#include "story_tab.hpp"

namespace lockstep {

void StoryTab::words(const RichText& text, Color color, float indent) {
  const float width = r_.w - indent;
  if (draws_) {
    std::vector<TermPlace> terms;
    draw_rich_text(canvas_, {r_.x + indent, y_}, text, px(kText), color, width, px(kLine), &terms);
    explain_terms(canvas_, app_, theme_, terms, "story", true);
  }
  y_ += rich_text_height(canvas_, text, px(kText), width, px(kLine));
}

void StoryTab::lines(const std::vector<SceneWords::Line>& lines) {
  for (const SceneWords::Line& line : lines) {
    if (!line.label.empty()) label(line.label);
    if (line.bullet && draws_) canvas_.fill_circle({r_.x + px(5), y_ + px(kLine) / 2}, px(2), theme_.dim);
    words(line.text, theme_.ink, line.bullet ? px(16) : 0);
    y_ += line.bullet ? px(2) : px(kGap);
  }
}

// Whose word follows: a model's, a run's; or what comes of both.
void StoryTab::label(const std::string& name) {
  struct Named {
    const char *name, *words, *provenance;
  };
  static constexpr Named kLabels[] = {{"model", N_("MODEL"), "modelled"},
                                      {"measured", N_("MEASURED"), "measured"},
                                      {"recorded", N_("RECORDED"), "recorded"},
                                      {"emulated", N_("EMULATED"), "emulated"},
                                      {"verdict", N_("VERDICT"), ""}};
  const auto at = std::find_if(std::begin(kLabels), std::end(kLabels),
                               [&](const Named& one) { return one.name == name; });
  if (at == std::end(kLabels)) return;
  y_ += px(4);
  if (draws_) {
    float x = r_.x;
    const float middle = y_ + px(kLabel) / 2;
    if (const Provenance whose(at->provenance); !whose.empty()) {
      const float w = badge_symbol_width(theme_);
      draw_badge_symbol(canvas_, theme_, {x + w / 2, middle}, whose);
      x += w + px(6);
    }
    canvas_.text({x, middle}, tr(at->words), {Font::words_semibold, px(10.5f), theme_.dim});
  }
  y_ += px(kLabel);
}

void StoryTab::plain(const std::string& text, Font font, Color color) { words({{text, font}}, color); }

// One choice: a button as high as its words; after the answer what was chosen and what is right are framed.
Rect StoryTab::option(const RichText& text, std::size_t index, Rect box, std::size_t right) {
  const StoryReply reply = app_.story_reply();
  const bool open = reply.kind == StoryReply::Kind::none;
  const bool is_right = !open && index == right;
  const bool said = !open && reply.said == std::to_string(index + 1);
  RichText shown = text;
  if (is_right) shown.push_back({" ✓", Font::words_semibold});
  const float pad = px(12), width = box.w - 2 * pad;
  box.h = rich_text_height(canvas_, shown, px(kText), width, px(18)) + px(10);
  if (!draws_) return box;
  const Hit hit = open ? canvas_.hit("story/option/" + std::to_string(index + 1), box, true) : Hit{};
  const Color edge = is_right ? theme_.ink : said ? color::trouble : theme_.line;
  canvas_.fill_rect(
      box, is_right || said ? theme_.panel : mix(theme_.soft, theme_.ink, hit.hovered ? 0.08f : 0), kCorner);
  if (is_right || said) canvas_.stroke_rect(box, edge, 1.5f, kCorner);
  const Color ink = open || is_right || said ? theme_.ink : theme_.dim;
  draw_rich_text(canvas_, {box.x + pad, box.y + px(5)}, shown, px(kText), ink, width, px(18));
  if (hit.focused) draw_focus_ring(canvas_, theme_, box);
  if (hit.clicked) app_.answer_story(std::to_string(index + 1)), follow_focus(hit.focused);
  return box;
}

// Side by side where all are short, else one below the other.
void StoryTab::options(const SceneWords& told) {
  const std::size_t right = told.answer.empty() ? 0 : std::size_t(std::atoi(told.answer.c_str())) - 1;
  const float gap = px(8), most = px(app_.tells_claim() ? 220 : 150), extra = px(24 + 20);
  float all = -gap;
  bool fit = true;
  for (const RichText& one : told.options) {
    const float w = std::max(px(70), rich_text_width(canvas_, one, px(kText)) + extra);
    fit = fit && w <= most, all += w + gap;
  }
  fit = fit && all <= r_.w;
  float x = r_.x, height = 0;
  for (std::size_t i = 0; i < told.options.size(); ++i) {
    const float w =
        fit ? std::max(px(70), rich_text_width(canvas_, told.options[i], px(kText)) + extra) : r_.w;
    const Rect box = option(told.options[i], i, {x, y_, w, 0}, right);
    if (fit)
      x += w + gap, height = std::max(height, box.h);
    else
      y_ += box.h + px(6);
  }
  y_ += fit ? height + px(kGap) : px(2);
}

void StoryTab::field(Rect box) {
  if (app_.typing_of(App::Typing::Of::answer)) {
    App::Typing& typing = *app_.typing;
    const Hit hit = draw_text_field(
        canvas_, theme_, "story/answer", box, typing.edit,
        {Font::mono, 12.5f, app_.caret_shown(), typing.focused, typing.wrong.has_value(), ""});
    typing.area = box;
    if (hit.pressed || hit.clicked) typing.focused = true, app_.wanted_focus = "story/answer";
    return;
  }
  const Hit hit = canvas_.hit("story/answer", box, true);
  canvas_.fill_rect(box, hit.hovered ? theme_.soft : theme_.ground, 4);
  canvas_.stroke_rect(box, theme_.line, 1, 4);
  const std::string kept = app_.exercise() ? app_.part_text() : "";
  canvas_.text_fit(
      {box.x + px(8), box.center().y}, kept.empty() ? tr("your answer") : kept,
      {kept.empty() ? Font::words : Font::mono, px(12.5f), kept.empty() ? theme_.dim : theme_.ink},
      box.w - px(16));
  if (hit.focused) draw_focus_ring(canvas_, theme_, box, 4);
  if (hit.clicked) app_.begin_typing(App::Typing::Of::answer, "", kept), app_.wanted_focus = "story/answer";
}

void StoryTab::number(const SceneWords& told, const Ask& ask) {
  if (told.no_answer) {
    plain(tr("not answerable here, because {0}", {tr(*told.no_answer)}), Font::words, theme_.dim);
    y_ += px(kGap);
    return;
  }
  const float h = px(kButton);
  if (draws_) {
    const Rect box{r_.x, y_, px(130), h};
    field(box);
    float x = box.right() + px(8);
    if (!ask.unit.empty()) {
      const TextStyle style{Font::words, px(12.5f), theme_.ink};
      canvas_.text({x, box.center().y}, tr(ask.unit), style);
      x += canvas_.measure(tr(ask.unit), style) + px(12);
    }
    const bool typed = app_.typing_of(App::Typing::Of::answer) ? app_.typing->edit.length() > 0
                                                               : app_.exercise() && !app_.part_text().empty();
    const bool predicts = app_.exercise() && app_.part().kind == PartKind::predict;
    if (draw_button(canvas_, theme_, "story/ok", {x, y_, px(52), h}, predicts ? tr("Run") : tr("OK"),
                    typed ? ButtonLook::primary : ButtonLook::filled, typed)
            .clicked)
      app_.give_answer();
    canvas_.text_fit({x + px(52 + 10), box.center().y}, told.allowed, {Font::words, px(11), theme_.dim},
                     r_.right() - x - px(52 + 10));
  }
  y_ += h + px(kGap);
}

void StoryTab::setting() {
  const auto reply = app_.story_reply().kind;
  const bool done = reply == StoryReply::Kind::right;
  if (!done && reply != StoryReply::Kind::none) return;  // the solution stands alone
  const auto now = done ? StoryDesk::Judged{Verdict::Kind::right, {}} : app_.story_setting();
  plain(done ? tr("✓ The lab is set that way.") : tr(now.reason), Font::words_semibold,
        done ? theme_.ink : theme_.dim);
  y_ += px(kGap);
  if (!done) settings_link();
}

// The settings stand in another tab, which leads back here.
void StoryTab::settings_link() {
  const std::string label = tr("Open the settings") + "  →";
  const float w = button_width(label), h = px(kButton);
  const Hit hit =
      draws_ ? draw_button(canvas_, theme_, "story/settings", {r_.x, y_, w, h}, label, ButtonLook::primary)
             : Hit{};
  if (hit.clicked) app_.go_to_settings();
  y_ += h + px(kGap);
}

// What helps: a hint, and the answer itself.
void StoryTab::help(const Ask& ask) {
  const float h = px(24);
  float x = r_.x;
  bool by_keyboard = false;
  const auto quiet = [&](const char* id, const std::string& label) {
    const float w = canvas_.measure(label, {Font::words, px(12.5f), {}}) + px(20);
    const Rect box{x, y_, w, h};
    x += w + px(8);
    const Hit hit = draws_ ? draw_button(canvas_, theme_, id, box, label, ButtonLook::plain) : Hit{};
    if (hit.clicked) by_keyboard = hit.focused;
    return hit.clicked;
  };
  if (!ask.hint.empty() && quiet("story/hint", tr("Hint"))) app_.story_hint = !app_.story_hint;
  if (quiet("story/show", tr("Show me"))) app_.show_story_answer(), follow_focus(by_keyboard);
  y_ += h + px(kGap);
}

void StoryTab::question(const SceneWords& told, const Ask& ask) {
  RichText asked = told.question;
  for (TextSpan& span : asked)
    if (span.font == Font::words) span.font = Font::words_semibold;
  words(asked, theme_.ink);
  y_ += px(kGap);
  const bool open = app_.story_reply().kind == StoryReply::Kind::none;
  if (ask.kind == Ask::Kind::choice) options(told);
  if (ask.kind == Ask::Kind::number && open) number(told, ask);
  if (ask.kind == Ask::Kind::set) setting();
  if (!open) return;
  if (app_.answer_fault) {
    plain(tr(*app_.answer_fault), Font::words, theme_.readable(color::trouble));
    y_ += px(4);
  }
  if (app_.story_hint) {
    words(told.hint, theme_.dim);
    y_ += px(kGap);
  }
  help(ask);
}

// What was said, and what the run says.
void StoryTab::verdict(const SceneWords& told, const Ask& ask) {
  using enum StoryReply::Kind;
  const StoryReply reply = app_.story_reply();
  const Color trouble = theme_.readable(color::trouble);
  const bool number = ask.kind == Ask::Kind::number;
  const std::string answer =
      told.of_the_run ? tr("the run says {0}", {told.answer}) : tr("it is {0}", {told.answer});
  if (number && told.no_answer)
    plain(tr("not answerable here, because {0}", {tr(*told.no_answer)}), Font::words, theme_.dim);
  else if (number && reply.kind == wrong)
    words({{tr("you said {0}", {reply.said}), Font::words_semibold}}, trouble);
  if (number && !told.no_answer)
    plain(reply.kind == right ? "✓ " + tr(told.right) : answer, Font::words_semibold, theme_.ink);
  if (reply.kind == wrong && !told.reply_why.empty()) words(told.reply_why, trouble);
  if (number || !told.reply_why.empty()) y_ += px(kGap);
}

// Who presses Enter goes on from there: from the answer to Next, from Next to the first answer.
void StoryTab::follow_focus(bool by_keyboard) {
  if (!by_keyboard) return;
  const StoryScene& scene = app_.asked_scene();
  const bool open = scene.ask && app_.story_reply().kind == StoryReply::Kind::none;
  if (!open)
    app_.wanted_focus = app_.focus_after_answer();
  else if (scene.ask->kind == Ask::Kind::set)
    app_.wanted_focus = "story/settings";
  else if (scene.ask->kind == Ask::Kind::choice)
    app_.wanted_focus = "story/option/1";
  else if (scene.ask->kind == Ask::Kind::number && !app_.scene_words().no_answer)
    app_.wanted_focus = "story/answer";
  else
    app_.wanted_focus = "story/show";
}

void StoryTab::next() {
  const std::string words = app_.words_of_next();
  if (words.empty()) return;
  const std::string label = words + "  →";
  const float w = button_width(label) + px(16), h = px(kButton);
  const Rect box{r_.right() - w, y_, w, h};
  const Hit hit =
      draws_ ? draw_button(canvas_, theme_, "story/next", box, label, ButtonLook::primary) : Hit{};
  if (hit.clicked) app_.tell_next(), app_.state().home ? void() : follow_focus(hit.focused);
  y_ += h;
}

// The reader has moved on by themselves: the way back.
void StoryTab::off_stage() {
  const StoryScene& asked = app_.asked_scene();
  const bool sets = asked.ask && asked.ask->kind == Ask::Kind::set;
  if (app_.stage_shows_scene() || (sets && app_.asked_entered())) return;
  const std::string label = tr("Set the lab for this scene");
  const float h = px(24);
  if (draws_ && draw_button(canvas_, theme_, "story/stage", {r_.x, y_, button_width(label), h}, label,
                            ButtonLook::plain)
                    .clicked)
    app_.set_stage_for_asked();
  y_ += h + px(kGap);
}

float StoryTab::lay() {
  const StoryScene& scene = app_.asked_scene();
  const TextStyle title{Font::words_semibold, px(kTitle), theme_.ink};
  const float step = px(22);
  if (draws_) canvas_.text_wrap({r_.x, y_}, scene.title, title, r_.w, step);
  y_ += float(canvas_.count_lines(scene.title, title, r_.w)) * step + px(4);
  lay_asked();
  const bool open = scene.ask && app_.story_reply().kind == StoryReply::Kind::none;
  if (!open) next();
  return y_ - r_.y;
}

float StoryTab::lay_asked() {
  const SceneWords told = app_.scene_words();  // an answer below makes them anew
  const StoryScene& scene = app_.asked_scene();
  lines(told.text);
  off_stage();
  const bool open = app_.story_reply().kind == StoryReply::Kind::none;
  app_.reply_lines.first = y_ - r_.y;
  if (scene.ask) question(told, *scene.ask);
  if (scene.ask && open) return y_ - r_.y;
  if (scene.ask) verdict(told, *scene.ask);
  app_.reply_lines.second = y_ - r_.y;
  lines(told.why);
  return y_ - r_.y;
}

float story_height(Canvas& canvas, App& app, float width, const Theme& theme) {
  return StoryTab(canvas, app, {0, 0, width, 0}, theme, false).lay();
}

void draw_story(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  StoryTab(canvas, app, r, theme, true).lay();
}

float asked_height(Canvas& canvas, App& app, float width, const Theme& theme) {
  return StoryTab(canvas, app, {0, 0, width, 0}, theme, false).lay_asked();
}

void draw_asked(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  StoryTab(canvas, app, r, theme, true).lay_asked();
}

void draw_story_arrows(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  const auto arrow = [&](const char* id, Rect box, int direction, const std::string& hint) {
    const bool possible = app.has_scene_by(direction);
    const Hit hit = possible ? canvas.hit(id, box, true) : Hit{};
    const Vec2 c = box.center();
    const float s = 5 * theme.type, d = float(direction);
    const Vec2 points[] = {
        {c.x - d * s * 0.7f, c.y - s}, {c.x + d * s * 0.8f, c.y}, {c.x - d * s * 0.7f, c.y + s}};
    if (hit.hovered) canvas.fill_rect(box, theme.soft, 4);
    canvas.fill_polygon(points, possible ? theme.ink : theme.line);
    if (hit.focused) draw_focus_ring(canvas, theme, box, 4);
    if (hit.hovered) canvas.tooltip(hint);
    if (hit.clicked) app.story_scene_by(direction);
  };
  const float w = r.w / 2;
  arrow("story/previous", {r.x, r.y, w, r.h}, -1, tr("the scene before (Page Up)"));
  arrow("story/following", {r.x + w, r.y, w, r.h}, 1, tr("the next scene (Page Down)"));
}

}  // namespace lockstep
