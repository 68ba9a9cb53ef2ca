// The glossary where its words stand: a dotted underline, and on hover or focus the word's card with one
// sentence and, where it has one, its picture.
#include <algorithm>

#include "app/draw/word_pictures.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kWordPad = 14, kWordWidth = 320, kWordTerm = 24, kWordLine = 18, kWordPicture = 96,
                kWordGap = 8;

TextStyle sentence_style(const Theme& theme) { return {Font::words, 12.5f * theme.type, theme.ink}; }

bool in_view(const App& app, const std::string& term) {
  const auto& known = app.words_in_view;
  return std::find(known.begin(), known.end(), term) != known.end();
}

// Of a line the part before a byte.
float width_before(const Canvas& canvas, const StoryCanvas::Line& line, std::size_t byte) {
  return canvas.measure(std::string_view(line.text).substr(0, byte), line.style);
}

}  // namespace

void explain_terms(Canvas& canvas, App& app, const Theme& theme, const std::vector<TermPlace>& terms,
                   std::string_view view, bool focusable) {
  if (!canvas.interactive()) return;
  const std::string* before = nullptr;  // a term that is wrapped has a place on each line, but is one stop
  for (const TermPlace& term : terms) {
    if (!in_view(app, term.term)) app.words_in_view.push_back(term.term);
    const bool is_stop = focusable && !(before && *before == term.term);
    before = &term.term;
    const Hit hit = canvas.hit("word/" + std::string(view) + "/" + term.term, term.area, is_stop);
    if (hit.focused) canvas.stroke_rect(term.area.inset(-1), theme.readable(Color::hex(0x56B4E9)), 1.5f, 3);
    if (hit.hovered || (hit.focused && !app.shown_word))
      app.shown_word = App::ShownWord{term.term, term.area};
    if (hit.clicked) app.open_word(term.term);
  }
}

void explain_lines(Canvas& canvas, App& app, const Theme& theme, const std::vector<StoryCanvas::Line>& lines,
                   std::string_view view, Rect within) {
  const Glossary* glossary = app.glossary();
  if (!glossary || !canvas.interactive()) return;
  std::vector<StoryCanvas::Line> in_order = lines;
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto& a, const auto& b) { return a.left.y < b.left.y; });
  std::vector<TermPlace> places;
  for (const StoryCanvas::Line& line : in_order) {
    if (!within.contains(line.left)) continue;
    for (const TermSpan& span : glossary->find(line.text)) {
      const std::string& name = glossary->words()[span.word].name;
      const auto same = [&](const TermPlace& known) { return known.term == name; };
      if (std::any_of(places.begin(), places.end(), same)) continue;
      const float x = line.left.x + width_before(canvas, line, span.begin),
                  end = line.left.x + width_before(canvas, line, span.end), h = line.style.size * 1.4f;
      if (end > within.right()) continue;
      places.push_back({name, {x, line.left.y - h / 2, end - x, h}});
      draw_term_line(canvas, places.back().area, theme.dim);
    }
  }
  explain_terms(canvas, app, theme, places, view, false);
}

float word_card_height(const Canvas& canvas, const Word& word, float width, const Theme& theme) {
  const float inner = width - 2 * kWordPad * theme.type;
  const float picture = has_word_picture(word.picture) ? (kWordPicture + kWordGap) * theme.type : 0;
  return 2 * kWordPad * theme.type + kWordTerm * theme.type + picture +
         float(canvas.count_lines(Glossary::sentence(word), sentence_style(theme), inner)) * kWordLine *
             theme.type;
}

void draw_word_card(Canvas& canvas, const Word& word, Rect r, const Theme& theme) {
  const float type = theme.type, pad = kWordPad * type, inner = r.w - 2 * pad;
  canvas.fill_rect({r.x + 1, r.y + 3, r.w, r.h}, Color{0, 0, 0, 36}, 8);
  canvas.fill_rect(r, theme.panel, 8);
  canvas.stroke_rect(r, theme.line, 1, 8);
  float y = r.y + pad;
  const TextStyle term{Font::words_semibold, 13.5f * type, theme.ink};
  const float term_w = canvas.measure(word.term, term);
  canvas.text_fit({r.x + pad, y + 8 * type}, word.term, term, inner);
  if (word.term.find(word.name) == std::string::npos)  // the English name beside the reader's own word
    canvas.text_fit({r.x + pad + term_w + 10 * type, y + 8 * type}, word.name,
                    {Font::words, 11.5f * type, theme.dim}, inner - term_w - 10 * type);
  y += kWordTerm * type;
  if (has_word_picture(word.picture)) {
    draw_word_picture(canvas, theme, word.picture, word.name, {r.x + pad, y, inner, kWordPicture * type});
    y += (kWordPicture + kWordGap) * type;
  }
  canvas.text_wrap({r.x + pad, y}, Glossary::sentence(word), sentence_style(theme), inner, kWordLine * type);
}

// Below the word, above it where there is no room.
void draw_shown_word(Canvas& canvas, App& app, Rect window) {
  const Glossary* glossary = app.glossary();
  const Word* word = glossary && app.shown_word ? glossary->named(app.shown_word->name) : nullptr;
  if (!word) return;
  const Theme theme = app.theme();
  const float width = std::min(kWordWidth * theme.type, window.w - 24);
  const Rect at = app.shown_word->area;
  const float height = word_card_height(canvas, *word, width, theme);
  const bool below = at.bottom() + height + 12 < window.bottom();
  draw_word_card(canvas, *word,
                 {std::clamp(at.x - 6, window.x + 12, std::max(window.x + 12, window.right() - width - 12)),
                  below ? at.bottom() + 6 : std::max(window.y + 8, at.y - height - 6), width, height},
                 theme);
}

}  // namespace lockstep
