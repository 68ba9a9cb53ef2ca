// The lists that stand in the home's place: the exercises, the claims put to the test. A card for each.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/text_field.hpp"
#include "view_lists.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kLeastCard = 340, kLeastShort = 300, kCardHeight = 92, kShortHeight = 70, kCardGap = 12,
                kSectionLine = 34, kIntroLine = 20;
constexpr int kMostColumns = 3;

// In logical pixels of the page, which scrolls as one.
class ListView {
 public:
  ListView(Canvas& canvas, App& app, Rect page, const Theme& theme, bool short_titles)
      : canvas_(canvas), app_(app), theme_(theme), type_(theme.type), page_(page) {
    const float least = px(short_titles ? kLeastShort : kLeastCard);
    const float edge = page.w < 1100 ? 32 : 48;
    x_ = page.x + edge, w_ = page.w - 2 * edge;
    columns_ = std::clamp(int((w_ + kCardGap) / (least + kCardGap)), 1, kMostColumns);
    card_w_ = (w_ - float(columns_ - 1) * kCardGap) / float(columns_);
  }
  // From this height on; the height used. Only measured unless it draws.
  float lay(const ListContents& list, float top, bool draws);
  const ListCard* clicked() const { return clicked_; }

 private:
  float px(float size) const { return size * type_; }
  void card(const ListCard& card, Rect r);
  void code(Rect r);
  float card_height(const ListContents& list) const;
  void place(const ListCard& card, Rect r, float& x);

  Canvas& canvas_;
  App& app_;
  const Theme& theme_;
  const float type_;
  const Rect page_;
  float x_ = 0, w_ = 0, card_w_ = 0, card_h_ = 0;
  int columns_ = 1;
  const ListCard* clicked_ = nullptr;
};

// Its number in a ring before the title.
void ListView::place(const ListCard& card, Rect r, float& x) {
  if (card.number.empty()) return;
  const TextStyle style{Font::words, px(11), theme_.dim, Align::center};
  const float radius = std::max(px(9), canvas_.measure(card.number, style) / 2 + px(4));
  const Vec2 center{x + radius, r.y + px(24)};
  canvas_.stroke_circle(center, radius, theme_.line, 1.2f);
  canvas_.text(center, card.number, style);
  x += 2 * radius + px(10);
}

void ListView::card(const ListCard& card, Rect r) {
  const Hit hit = canvas_.hit(card.id, r, true);
  canvas_.fill_rect(r, theme_.panel, kCorner);
  canvas_.stroke_rect(r, hit.hovered ? theme_.dim : theme_.line, 1, kCorner);
  const float pad = px(16);
  float x = r.x + pad;
  place(card, r, x);
  const float width = r.right() - pad - x, line = px(20);
  const TextStyle title{Font::words_semibold, px(13.5f), theme_.ink};
  constexpr int kMostLines = 2;
  if (canvas_.count_lines(card.title, title, width) <= kMostLines)
    canvas_.text_wrap({x, r.y + px(14)}, card.title, title, width, line);
  else
    canvas_.text_fit({x, r.y + px(24)}, card.title, title, width);
  const float y = r.bottom() - px(18);
  const TextStyle note{card.done ? Font::words_semibold : Font::words, px(12),
                       card.done ? theme_.ink : theme_.dim, Align::right};
  const float note_w = std::min(canvas_.measure(card.note, note) + 1, width * 0.7f);
  if (!card.note.empty())
    canvas_.text_fit({r.right() - pad - note_w, y}, card.note, {note.font, note.size, note.color}, note_w);
  canvas_.text_fit({x, y}, card.detail, {Font::words, px(12), theme_.dim}, width - note_w - px(12));
  if (hit.focused) draw_focus_ring(canvas_, theme_, r), app_.home_focus = card.id;
  app_.home_stops.push_back({card.id, r});
  if (hit.clicked) clicked_ = &card;
}

// What the teacher gave each student: it decides on the numbers of the exercises.
void ListView::code(Rect r) {
  const std::string label = tr("code from your teacher"), kept = app_.settings().student_code;
  const TextStyle words{Font::words, px(12.5f), theme_.dim};
  const float field_w = px(130);
  const Rect box{r.right() - field_w, r.center().y - px(14), field_w, px(28)};
  const float room = r.w - field_w - px(12), w = std::min(room, canvas_.measure(label, words) + 1);
  canvas_.text_fit({box.x - px(12) - w, r.center().y}, label, words, w);
  app_.home_stops.push_back({"list/code", box});
  if (app_.typing_of(App::Typing::Of::code)) {
    App::Typing& typing = *app_.typing;
    const Hit hit = draw_text_field(
        canvas_, theme_, "list/code", box, typing.edit,
        {Font::mono, 12.5f, app_.caret_shown(), typing.focused, typing.wrong.has_value(), ""});
    typing.area = box;
    if (hit.pressed || hit.clicked) typing.focused = true, app_.wanted_focus = "list/code";
    if (typing.wrong)
      draw_field_error(canvas_, theme_, tr(*typing.wrong), {r.x, box.bottom() + px(2), r.w, px(40)});
    return;
  }
  const Hit hit = canvas_.hit("list/code", box, true);
  canvas_.fill_rect(box, hit.hovered ? theme_.soft : theme_.panel, 4);
  canvas_.stroke_rect(box, theme_.line, 1, 4);
  canvas_.text_fit(
      {box.x + px(8), box.center().y}, kept.empty() ? tr("none") : kept,
      {kept.empty() ? Font::words : Font::mono, px(12.5f), kept.empty() ? theme_.dim : theme_.ink},
      box.w - px(16));
  if (hit.focused) draw_focus_ring(canvas_, theme_, box, 4), app_.home_focus = "list/code";
  if (hit.clicked) app_.begin_typing(App::Typing::Of::code, "", kept), app_.wanted_focus = "list/code";
}

// A title that takes two lines makes all cards as high.
float ListView::card_height(const ListContents& list) const {
  const TextStyle title{Font::words_semibold, px(13.5f), theme_.ink};
  const float room = card_w_ - px(32) - px(28);  // beside a number
  for (const ListSection& section : list.sections)
    for (const ListCard& card : section.cards)
      if (!list.short_titles || canvas_.count_lines(card.title, title, room) > 1) return px(kCardHeight);
  return px(kShortHeight);
}

float ListView::lay(const ListContents& list, float top, bool draws) {
  card_h_ = card_height(list);
  float y = top + (page_.h < 800 ? 44 : 73) * std::min(type_, 1.2f);
  if (draws)
    canvas_.text_fit({x_, y}, list.title, {Font::words_semibold, px(26), theme_.ink},
                     list.asks_code ? w_ * 0.5f : w_);
  if (draws && list.asks_code) {
    const float wide = std::min(w_ * 0.48f, px(300));
    code({x_ + w_ - wide, y - px(16), wide, px(32)});
  }
  y += px(28);
  const TextStyle intro{Font::words, px(13.5f), theme_.dim};
  if (draws) canvas_.text_wrap({x_, y}, list.intro, intro, w_, px(kIntroLine));
  y += float(canvas_.count_lines(list.intro, intro, w_)) * px(kIntroLine) + px(14);
  for (const ListSection& section : list.sections) {
    if (!section.title.empty()) {
      if (draws)
        canvas_.text_fit({x_, y + px(14)}, section.title, {Font::words_semibold, px(15), theme_.ink}, w_);
      y += px(kSectionLine);
    }
    const int count = int(section.cards.size());
    for (int i = 0; draws && i < count; ++i)
      card(section.cards[std::size_t(i)], {x_ + float(i % columns_) * (card_w_ + kCardGap),
                                           y + float(i / columns_) * (card_h_ + kCardGap), card_w_, card_h_});
    y += float((count + columns_ - 1) / columns_) * (card_h_ + kCardGap) + px(10);
  }
  return y + px(10) - top;
}

}  // namespace

void draw_list_page(Canvas& canvas, App& app, Rect page, const ListContents& list) {
  const Theme theme = app.theme();
  const float edge = page.w < 1100 ? 32.f : 48.f;
  const float banner = draw_banner(canvas, app, {page.x + edge - 28, page.y, page.w - edge, page.h}, theme);
  page.y += banner, page.h -= banner;
  ListView view(canvas, app, page, theme, list.short_titles);
  canvas.push_clip(page);
  const float height = view.lay(list, 0, false), most = std::max(0.f, height - page.h);
  if (const Hit wheel = canvas.hit("list", page); wheel.wheel != 0) app.home_scroll -= wheel.wheel * 60;
  app.home_scroll = std::clamp(scrolled_to_focus(canvas, page, app.home_scroll), 0.f, most);
  app.home_stops.clear(), app.home_focus.clear();
  view.lay(list, page.y - app.home_scroll, true);
  if (most > 0) {
    const float bar = page.h * page.h / height;
    canvas.fill_rect({page.right() - 8, page.y + (page.h - bar) * app.home_scroll / most, 4, bar},
                     mix(theme.line, theme.dim, 0.5f), 2);
  }
  canvas.pop_clip();
  if (view.clicked()) view.clicked()->choose();
}

namespace {

// What the reader found: the option that is right.
std::string verdict_words(const Story& claim) {
  for (const Option& option : claim.scenes.front().ask->options)
    if (option.right)
      for (const Inline& piece : option.text) return piece.text;
  return "";
}

}  // namespace

ListContents claims_list(App& app) {
  ListContents list;
  list.title = tr("Claims put to the test");
  list.intro =
      tr("Sentences that many repeat. Say first what you think of one; then a model and a run answer.");
  list.sections.push_back({});
  for (const Story& claim : app.claims()) {
    ListCard card;
    card.id = "list/claim/" + claim.slug;
    card.title = claim.title, card.detail = tr(find_lab(claim.lab)->info().title);
    const StoryReply reply = app.claim_reply(claim);
    card.done = reply.kind != StoryReply::Kind::none;
    if (card.done) card.note = tr("Does it hold?") + " " + verdict_words(claim) + " ✓";
    card.choose = [&app, slug = claim.slug] { app.open_book("claims/" + slug); };
    list.sections.back().cards.push_back(std::move(card));
  }
  return list;
}

namespace {

ListCard exercise_card(App& app, const Exercise& exercise) {
  const ExerciseDesk::Progress progress = app.exercises()->progress(exercise);
  ListCard card;
  card.id = "list/exercise/" + exercise.slug, card.number = exercise.number, card.title = exercise.title;
  card.detail = tr(find_lab(exercise.lab)->info().title);
  if (exercise.minutes > 0) card.detail += " · " + tr("{0} min", {std::to_string(exercise.minutes)});
  card.done = progress.finished();
  if (progress.done > 0 || card.done)
    card.note =
        card.done ? "✓" : tr("{0} of {1}", {std::to_string(progress.done), std::to_string(progress.parts)});
  card.choose = [&app, slug = exercise.slug] { app.open_exercise(slug); };
  return card;
}

}  // namespace

ListContents exercises_list(App& app) {
  ListContents list;
  list.title = tr("Exercises"), list.asks_code = list.short_titles = true;
  list.intro =
      tr("Predict, run, find out. Each answer is worked out when you give it; the explanation comes "
         "after your attempt.");
  for (const Exercise& exercise : app.exercises()->all()) {
    const std::string title = exercise.track.empty()        ? tr("Guided exercises")
                              : exercise.track == "kernels" ? tr("Write these kernels")
                                                            : exercise.track;
    if (list.sections.empty() || list.sections.back().title != title) list.sections.push_back({title, {}});
    list.sections.back().cards.push_back(exercise_card(app, exercise));
  }
  return list;
}

}  // namespace lockstep
