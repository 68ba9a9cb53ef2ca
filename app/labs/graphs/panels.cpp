// The cards beside the graphs' stage.
#include <algorithm>

#include "app/draw/language.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

void draw_table(Canvas& canvas, const Theme& theme, Rect r, const std::vector<TableRow>& rows) {
  const float type = theme.type, step = 21 * type, value_w = 92 * type;
  float y = r.y + 8 * type;
  for (const TableRow& row : rows) {
    const TextStyle label = row.dim ? TextStyle{Font::words, 11.5f * type, theme.dim}
                                    : TextStyle{Font::words, 12.5f * type, theme.ink};
    canvas.text_fit({r.x, y}, row.label, label, row.value.empty() ? r.w : r.w - value_w - 6);
    canvas.text_fit({r.right(), y}, row.value, {Font::mono, 11.5f * type, theme.ink, Align::right}, value_w);
    y += step;
  }
}

constexpr float kSourceLine = 15;

// Lines of a text in the narrowest card, for the card's height: a letter of English takes at most 7 px, one
// of Chinese, of three bytes, 12.
float lines_in_card(const std::string& text) { return text.empty() ? 0 : float(text.size() / 40 + 1); }

void draw_sources(Canvas& canvas, const Theme& theme, Rect r, const SourcesCard& card) {
  const float type = theme.type, line = kSourceLine * type;
  float y = r.y;
  const auto say = [&](const std::string& text, Color color) {
    if (text.empty()) return;
    y += canvas.text_wrap({r.x, y}, text, {Font::words, 11.5f * type, color}, r.w, line) + 6 * type;
  };
  say(card.text, theme.dim);
  say(card.problem, theme.ink);
  draw_table(canvas, theme, {r.x, y, r.w, r.bottom() - y}, card.rows);
}

float case_height(const CaptureRow& row) { return row.error.empty() ? 40 : 55; }

void draw_cases(Canvas& canvas, const Theme& theme, Rect r, const std::vector<CaptureRow>& rows) {
  const float type = theme.type, verdict_w = 78 * type;
  float y = r.y + 8 * type;
  for (const CaptureRow& row : rows) {
    canvas.text_fit({r.x, y}, row.what, {Font::words, 12.5f * type, theme.ink}, r.w - verdict_w - 6);
    const Color color = row.refused ? theme.readable(color::trouble) : theme.ink;
    canvas.text_fit({r.right(), y}, row.verdict, {Font::words_semibold, 12.5f * type, color, Align::right},
                    verdict_w);
    float line = y;
    if (!row.error.empty())
      canvas.text_fit({r.x, line += 16 * type}, row.error, {Font::mono, 10.5f * type, theme.dim}, r.w);
    canvas.text_fit({r.x, line += 16 * type}, row.detail, {Font::words, 11.5f * type, theme.dim}, r.w);
    y += case_height(row) * type;
  }
}

}  // namespace

std::vector<LabPanel> GraphsScene::panels(Rect, const Theme&) const {
  std::vector<LabPanel> all;
  const auto add = [&](Message title, const char* path, float height, auto draw) {
    all.push_back({std::move(title), std::string(provenance_of(run(), path)), height, std::move(draw)});
  };
  if (const auto& rows = cards.making; !rows.empty())
    add(msg("MAKING AND CHANGING THE GRAPH"), "metrics.graph", float(rows.size()) * 21 + 6,
        [rows](Canvas& canvas, const Theme& theme, Rect r) { draw_table(canvas, theme, r, rows); });
  if (const auto& card = cards.sources)
    add(msg("TWO SOURCES"), "metrics.cupti",
        (lines_in_card(card->text) + lines_in_card(card->problem)) * kSourceLine +
            float(card->rows.size()) * 21 + 14,
        [card = *card](Canvas& canvas, const Theme& theme, Rect r) { draw_sources(canvas, theme, r, card); });
  const auto& rows = cards.captures;
  float height = 0;
  for (const CaptureRow& row : rows) height += case_height(row);
  if (std::any_of(rows.begin(), rows.end(), [](const CaptureRow& row) { return row.known; }))
    add(msg("WHAT CAN BE CAPTURED"), "metrics.cases", height,
        [rows](Canvas& canvas, const Theme& theme, Rect r) { draw_cases(canvas, theme, r, rows); });
  return all;
}

}  // namespace lockstep
