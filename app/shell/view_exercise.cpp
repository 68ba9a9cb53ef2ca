// An exercise's part in the card: what is asked, by whatever kind of answer, hints one after the other, and
// after an attempt the verdict, prediction, formula and measurement side by side, and the explanation.
#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "app/draw/text_field.hpp"
#include "story_tab.hpp"

namespace lockstep {
namespace {

class ExerciseTab final : public StoryTab {
 public:
  using StoryTab::StoryTab;
  float lay();

 private:
  bool open() const { return app_.story_reply().kind == StoryReply::Kind::none; }
  bool orders() const { return app_.part().kind == PartKind::order; }
  void heading();
  void input(const SceneWords& told, const Ask& ask);
  void choices(const SceneWords& told);
  float choice(const SceneWords& told, int option, const std::vector<int>& right);
  void draw_mark(Rect box, int place, bool chosen, bool wanted);
  void typed_line(App::Typing::Of of, const char* id, const std::string& hint, const std::string& kept);
  void hand_in(const std::string& label, ButtonLook look = ButtonLook::primary);
  void program();
  void hints(const SceneWords& told);
  void helps();
  bool quiet_button(const char* id, const std::string& label, float& x);
  void judged(const SceneWords& told);
  void side_by_side(const Compared& compared);
  void after(const SceneWords& told);
  bool clicked_by_key_ = false;
};

// "1 · MFU" above the part's title.
void ExerciseTab::heading() {
  const Exercise& exercise = *app_.exercise()->exercise;
  const std::string name =
      exercise.number.empty() ? exercise.title : exercise.number + " · " + exercise.title;
  if (draws_) canvas_.text_fit({r_.x, y_ + px(8)}, name, {Font::words_semibold, px(10.5f), theme_.dim}, r_.w);
  y_ += px(20);
  const TextStyle title{Font::words_semibold, px(kTitle), theme_.ink};
  const float step = px(22);
  if (draws_) canvas_.text_wrap({r_.x, y_}, app_.part().title, title, r_.w, step);
  y_ += float(canvas_.count_lines(app_.part().title, title, r_.w)) * step + px(4);
}

// A ring or a square before the words; in it a tick, or the step's place.
void ExerciseTab::draw_mark(Rect box, int place, bool chosen, bool wanted) {
  const Color ink = chosen || wanted ? theme_.ink : theme_.dim;
  canvas_.stroke_rect(box, ink, chosen || wanted ? 1.5f : 1.2f, orders() ? box.h / 2 : 3);
  const std::string text = orders() ? (place > 0 ? std::to_string(place) : "") : chosen ? "✓" : "";
  if (!text.empty())
    canvas_.text(box.center(), text, {Font::words_semibold, px(11), theme_.ink, Align::center});
}

// Returns the height. Before the attempt a click chooses; after it what was wanted stands beside.
float ExerciseTab::choice(const SceneWords& told, int option, const std::vector<int>& right) {
  const auto chosen = app_.part_choices();
  const auto place_in = [option](const std::vector<int>& all) {
    const auto at = std::find(all.begin(), all.end(), option);
    return at == all.end() ? 0 : int(at - all.begin()) + 1;
  };
  const int place = place_in(chosen), wanted = place_in(right);
  RichText text = told.options[std::size_t(option - 1)];
  const bool is_open = open();
  const bool wrong = !is_open && (orders() ? place != wanted : (place > 0) != (wanted > 0));
  if (!is_open && wanted > 0)
    text.push_back({orders() ? "  ✓ " + std::to_string(wanted) : "  ✓", Font::words_semibold});
  const float indent = px(28), width = r_.w - indent - px(8), line = px(18);
  const float height = rich_text_height(canvas_, text, px(kText), width, line) + px(10);
  if (draws_) {
    const Rect box{r_.x, y_, r_.w, height};
    const Hit hit = is_open ? canvas_.hit("story/option/" + std::to_string(option), box, true) : Hit{};
    if (hit.hovered) canvas_.fill_rect(box, theme_.soft, 4);
    if (wrong) canvas_.stroke_rect(box, color::trouble, 1.5f, 4);
    draw_mark({r_.x + px(4), y_ + px(6), px(16), px(16)}, place, place > 0, !is_open && wanted > 0);
    draw_rich_text(canvas_, {r_.x + indent, y_ + px(5)}, text, px(kText), theme_.ink, width, line);
    if (hit.focused) draw_focus_ring(canvas_, theme_, box, 4);
    if (hit.clicked) app_.choose_option(option);
  }
  float used = height + px(2);
  const RichText why = !is_open && std::size_t(option) <= told.option_why.size()
                           ? told.option_why[std::size_t(option - 1)]
                           : RichText{};
  if (!why.empty()) {
    if (draws_)
      draw_rich_text(canvas_, {r_.x + indent, y_ + height}, why, px(12.5f), theme_.dim, width, line);
    used += rich_text_height(canvas_, why, px(12.5f), width, line) + px(4);
  }
  return used;
}

void ExerciseTab::choices(const SceneWords& told) {
  std::vector<int> right;
  std::string number;
  for (const char c : told.answer + ",") {
    if (c >= '0' && c <= '9')
      number += c;
    else if (!number.empty())
      right.push_back(std::atoi(std::exchange(number, "").c_str()));
  }
  for (int i = 1; i <= int(told.options.size()); ++i) y_ += choice(told, i, right);
  y_ += px(4);
  if (!told.reason.empty()) {
    words(told.reason, theme_.ink);
    y_ += px(4);
    if (open())
      typed_line(App::Typing::Of::reason, "story/reason", tr("your reason"), app_.part_reason());
    else
      plain("“" + app_.part_reason() + "”", Font::words, theme_.dim);
    y_ += px(kGap);
  }
  if (open()) hand_in(tr("Check"));
}

// A field over the whole width; where it has not the keyboard, what stands in it.
void ExerciseTab::typed_line(App::Typing::Of of, const char* id, const std::string& hint,
                             const std::string& kept) {
  const Rect box{r_.x, y_, r_.w, px(kButton)};
  y_ += box.h;
  if (!draws_) return;
  if (app_.typing_of(of)) {
    App::Typing& typing = *app_.typing;
    const Hit hit = draw_text_field(
        canvas_, theme_, id, box, typing.edit,
        {Font::words, 12.5f, app_.caret_shown(), typing.focused, typing.wrong.has_value(), ""});
    typing.area = box;
    if (hit.pressed || hit.clicked) typing.focused = true, app_.wanted_focus = id;
    return;
  }
  const Hit hit = canvas_.hit(id, box, true);
  canvas_.fill_rect(box, hit.hovered ? theme_.soft : theme_.ground, 4);
  canvas_.stroke_rect(box, theme_.line, 1, 4);
  canvas_.text_fit({box.x + px(8), box.center().y}, kept.empty() ? hint : kept,
                   {Font::words, px(12.5f), kept.empty() ? theme_.dim : theme_.ink}, box.w - px(16));
  if (hit.focused) draw_focus_ring(canvas_, theme_, box, 4);
  if (hit.clicked) app_.begin_typing(of, "", kept), app_.wanted_focus = id;
}

void ExerciseTab::hand_in(const std::string& label, ButtonLook look) {
  const float w = button_width(label) + px(10), h = px(kButton);
  const Hit hit = draws_ ? draw_button(canvas_, theme_, "story/ok", {r_.x, y_, w, h}, label, look) : Hit{};
  y_ += h + px(kGap);
  if (hit.clicked) app_.hand_in_part(), follow_focus(hit.focused);
}

void ExerciseTab::program() {
  if (app_.judging_program()) {
    plain(tr("Your program is compiled and run…"), Font::words, theme_.dim);
    y_ += px(kGap);
    return;
  }
  if (!open()) return;
  const std::string label = tr("Open the program") + "  →";
  const float w = button_width(label), h = px(kButton);
  const Hit hit =
      draws_ ? draw_button(canvas_, theme_, "story/program", {r_.x, y_, w, h}, label, ButtonLook::filled)
             : Hit{};
  if (hit.clicked) app_.open_part_program();
  y_ += h + px(kGap);
  hand_in(tr("Check"));
}

void ExerciseTab::input(const SceneWords& told, const Ask& ask) {
  switch (app_.part().kind) {
    case PartKind::number:
    case PartKind::predict:
      if (app_.part().kind == PartKind::predict && open()) {
        plain(tr("Say it before the run: once it has started, your prediction stands."), Font::words,
              theme_.dim);
        y_ += px(4);
      }
      if (open()) number(told, ask);
      return;
    case PartKind::choice:
      return options(told);
    case PartKind::several:
    case PartKind::order:
      return choices(told);
    case PartKind::set:
      setting();
      return open() ? hand_in(tr("Check"), ButtonLook::filled) : void();
    case PartKind::program:
      return program();
    case PartKind::text:
      if (!open()) return plain("“" + app_.part_text() + "”", Font::words, theme_.ink);
      typed_line(App::Typing::Of::answer, "story/answer", tr("your answer"), app_.part_text());
      y_ += px(kGap);
      return hand_in(tr("Hand in"));
  }
}

// Those that were taken, from the first on.
void ExerciseTab::hints(const SceneWords& told) {
  const PartRecord* record = app_.part_record();
  const std::size_t taken = record ? std::size_t(std::max(0, record->hints)) : 0;
  for (std::size_t i = 0; i < std::min(taken, told.hints.size()); ++i) {
    RichText hint{{tr("Hint {0}: ", {std::to_string(i + 1)}), Font::words_semibold}};
    hint.insert(hint.end(), told.hints[i].begin(), told.hints[i].end());
    words(hint, theme_.dim);
    y_ += px(4);
  }
}

bool ExerciseTab::quiet_button(const char* id, const std::string& label, float& x) {
  const float w = canvas_.measure(label, {Font::words, px(12.5f), {}}) + px(20);
  const Rect box{x, y_, w, px(24)};
  x += w + px(8);
  const Hit hit = draws_ ? draw_button(canvas_, theme_, id, box, label, ButtonLook::plain) : Hit{};
  clicked_by_key_ = hit.focused;
  return hit.clicked;
}

void ExerciseTab::helps() {
  const ExercisePart& part = app_.part();
  const PartRecord* record = app_.part_record();
  const int taken = record ? record->hints : 0, all = int(part.hints.size());
  if (taken >= all && part.shows.empty()) return;
  float x = r_.x;
  if (taken < all &&
      quiet_button("story/hint", tr("Hint {0} of {1}", {std::to_string(taken + 1), std::to_string(all)}), x))
    app_.take_hint();
  if (!part.shows.empty() && quiet_button("story/show", tr("Show me where"), x)) app_.point_at_control();
  y_ += px(24) + px(kGap);
}

// What was given, what a formula says, what the run says.
void ExerciseTab::side_by_side(const Compared& compared) {
  struct Column {
    std::string title, value;
    Provenance whose;
  };
  std::vector<Column> columns;
  const bool predicted = app_.part().kind == PartKind::predict;
  columns.push_back({predicted ? tr("YOUR PREDICTION") : tr("YOUR ANSWER"), compared.given, ""});
  if (!compared.formula.empty()) columns.push_back({tr("FORMULA"), compared.formula, "modelled"});
  if (!compared.measured.empty()) {
    const bool recorded = app_.part().measured && app_.part().measured->asks_for("recorded");
    const bool gpu = app_.run() && app_.run()->engine == EngineKind::cuda;
    columns.push_back({recorded ? tr("RECORDED")
                       : gpu    ? tr("MEASURED")
                                : tr("THE RUN"),
                       compared.measured,
                       recorded ? "recorded"
                       : gpu    ? "measured"
                                : "emulated"});
  }
  if (columns.size() < 2) return;
  const float gap = px(16), w = (r_.w - gap * float(columns.size() - 1)) / float(columns.size());
  float height = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& one = columns[i];
    const TextStyle value{Font::words_semibold, px(15), theme_.ink};
    const float x = r_.x + float(i) * (w + gap), line = px(20);
    if (draws_) {
      float label_x = x;
      if (!one.whose.empty()) {
        const float symbol = badge_symbol_width(theme_);
        draw_badge_symbol(canvas_, theme_, {x + symbol / 2, y_ + px(8)}, one.whose);
        label_x += symbol + px(6);
      }
      canvas_.text_fit({label_x, y_ + px(8)}, one.title, {Font::words_semibold, px(10.5f), theme_.dim},
                       x + w - label_x);
      canvas_.text_wrap({x, y_ + px(18)}, one.value, value, w, line);
    }
    height = std::max(height, px(18) + float(canvas_.count_lines(one.value, value, w)) * line);
  }
  y_ += height + px(kGap);
}

void ExerciseTab::judged(const SceneWords& told) {
  const Color trouble = theme_.readable(color::trouble);
  const bool right = app_.story_reply().kind == StoryReply::Kind::right;
  const PartKind kind = app_.part().kind;
  if (kind == PartKind::text) {
    plain(tr("Kept for your teacher."), Font::words, theme_.dim);
    y_ += px(kGap);
    return;
  }
  std::vector<std::string> sentences = app_.program_sentences();
  if (sentences.empty() && told.judgement) sentences = told.judgement->sentences;
  if (sentences.empty() && kind == PartKind::program)
    sentences = {right ? tr("Your program does what was asked.") : tr("Your program does not do it yet.")};
  for (std::size_t i = 0; i < sentences.size(); ++i)
    plain(i == 0 && right ? "✓ " + sentences[i] : sentences[i], i == 0 ? Font::words_semibold : Font::words,
          right ? theme_.ink : trouble);
  if (told.judgement && !told.judgement->why.empty()) words(told.judgement->why, trouble);
  y_ += px(kGap);
  if (told.judgement) side_by_side(told.judgement->compared);
}

// The verdict, the explanation, and the ways on.
void ExerciseTab::after(const SceneWords& told) {
  judged(told);
  app_.reply_lines.second = y_ - r_.y;
  lines(told.why);
  const PartRecord* record = app_.part_record();
  const bool stands = record && record->locked;
  const float top = y_;
  float x = r_.x;
  const bool again = !stands && quiet_button("story/again", tr("Try it again"), x);
  y_ = top;
  next();
  y_ = std::max(y_, top + px(24));
  if (again) app_.try_part_again(), follow_focus(clicked_by_key_);
}

float ExerciseTab::lay() {
  const SceneWords told = app_.scene_words();  // an answer below makes them anew
  const StoryScene& scene = app_.asked_scene();
  heading();
  lines(told.text);
  off_stage();
  app_.reply_lines.first = y_ - r_.y;
  RichText asked = told.question;
  for (TextSpan& span : asked)
    if (span.font == Font::words) span.font = Font::words_semibold;
  words(asked, theme_.ink);
  y_ += px(kGap);
  const bool was_open = open();
  input(told, *scene.ask);
  if (!app_.exercise() || open() != was_open) return y_ - r_.y;  // something was clicked
  if (!was_open) return after(told), y_ - r_.y;
  if (app_.answer_fault) {
    plain(tr(*app_.answer_fault), Font::words, theme_.readable(color::trouble));
    y_ += px(4);
  }
  hints(told);
  helps();
  return y_ - r_.y;
}

}  // namespace

float exercise_height(Canvas& canvas, App& app, float width, const Theme& theme) {
  return ExerciseTab(canvas, app, {0, 0, width, 0}, theme, false).lay();
}

void draw_exercise(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  ExerciseTab(canvas, app, r, theme, true).lay();
}

}  // namespace lockstep
