// The open menu or field over the window.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/text_field.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kBoxPad = 6;

struct Measures {
  float title, field, wrong, row, detail, type;
};

float width_of(const App& app, Rect window, float type) {
  const float usual = std::min(400 * type, window.w - 24);
  if (app.menu.kind != MenuKind::choice) return usual;
  return std::clamp(app.menu.anchor.w, std::min(200 * type, usual), usual);
}

std::string wrong_of(const App& app) { return app.menu.wrong ? tr(*app.menu.wrong) : ""; }
float field_width(float box_width) { return box_width - 2 * kBoxPad - 12; }

Measures measures_of(const Canvas& canvas, const App& app, float width, const Theme& theme) {
  const float type = theme.type;
  const bool choice = app.menu.kind == MenuKind::choice;
  return {choice ? 4 : 26 * type,
          has_field(app.menu.kind) ? 36 * type : 0,
          field_error_height(canvas, theme, wrong_of(app), field_width(width)),
          (choice ? 26 : 28) * type,
          15 * type,
          type};
}

float row_height(const MenuRow& row, const Measures& m) {
  return m.row + (row.detail.empty() ? 0 : m.detail);
}

// Rows from `first` on that fit, the chosen one among them.
struct Window {
  int first = 0, last = -1;
  float height = 0;
};

Window rows_that_fit(const std::vector<MenuRow>& rows, int chosen, float room, const Measures& m) {
  Window w;
  for (w.first = 0; w.first < int(rows.size()); ++w.first) {
    w.last = w.first - 1, w.height = 0;
    while (w.last + 1 < int(rows.size()) && w.height + row_height(rows[std::size_t(w.last + 1)], m) <= room)
      w.height += row_height(rows[std::size_t(++w.last)], m);
    if (chosen <= w.last || w.last + 1 == int(rows.size())) break;
  }
  return w;
}

// How high a list may be: that of a setting has what lies below it, or above where that is more.
float room_of(const App& app, Rect window, float type) {
  if (app.menu.kind != MenuKind::choice) return window.h - 90 * type;
  const Rect anchor = app.menu.anchor;
  const float most = 420 * type;
  return std::min(most, std::max(window.bottom() - anchor.bottom(), anchor.y - window.y) - 16);
}

// Below its button, above it, or over the rail.
Rect place(const App& app, const Layout& l, Rect window, float width, float height, float type) {
  if (app.menu.kind == MenuKind::choice) {
    const Rect anchor = app.menu.anchor;
    const bool below = anchor.bottom() + height + 12 <= window.bottom();
    return {std::clamp(anchor.x, window.x + 12, window.right() - width - 12),
            below ? anchor.bottom() + 4 : anchor.y - height - 4, width, height};
  }
  if (app.menu.kind == MenuKind::compare || app.menu.kind == MenuKind::open_beside) {
    const Rect button = compare_button(l.top, type);
    return {std::clamp(button.right() - width, window.x + 12, window.right() - width - 12),
            l.top.bottom() + 4, width, height};
  }
  const float x = l.rail.x + 8;
  if (app.menu.kind == MenuKind::find) return {x, l.rail.y + 44 * type, width, height};
  return {x, std::max(window.y + 12, l.rail.bottom() - l.switches_height - height - 4), width, height};
}

void draw_menu_field(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  const bool words = app.menu.kind == MenuKind::find || app.menu.kind == MenuKind::choice;
  const std::string hint = app.menu.kind == MenuKind::choice ? tr("type to find one") : "";
  draw_text_field(
      canvas, theme, "menu/field", r, app.menu.edit,
      {words ? Font::words : Font::mono, 12.5f, app.caret_shown(), true, app.menu.wrong.has_value(), hint});
}

void draw_row(Canvas& canvas, App& app, const MenuRow& row, Rect r, bool chosen, const Theme& theme) {
  const float type = theme.type;
  const Hit hit = canvas.hit("menu/" + row.id, r);
  if (chosen || hit.hovered) canvas.fill_rect(r, chosen ? theme.soft : mix(theme.panel, theme.soft, 0.6f), 6);
  const TextStyle title{Font::words, 12.5f * type, theme.ink};
  const TextStyle key{Font::mono, 11.5f * type, theme.dim, Align::right};
  const float key_w = row.key.empty() ? 0 : canvas.measure(row.key, key) + 14;
  const float y = r.y + 14 * type;
  canvas.text_fit({r.x + 12, y}, row.title, title, r.w - 24 - key_w);
  if (!row.key.empty()) canvas.text({r.right() - 12, y}, row.key, key);
  if (!row.detail.empty())
    canvas.text_fit({r.x + 12, y + 16 * type}, row.detail, {Font::words, 11 * type, theme.dim}, r.w - 24);
  if (hit.clicked) choose_row(app, row);
}

}  // namespace

void draw_menu(Canvas& canvas, App& app, const Layout& layout, Rect window) {
  if (app.menu.kind == MenuKind::none) return;
  const Theme theme = app.theme();
  const float width = width_of(app, window, theme.type);
  const Measures m = measures_of(canvas, app, width, theme);
  const auto rows = menu_rows(app);
  const float above = m.title + m.field + m.wrong, room = room_of(app, window, m.type) - above - 2 * kBoxPad;
  const Window shown = rows_that_fit(rows, app.menu.row, room, m);
  const float nothing = rows.empty() ? m.row : 0;
  const Rect box = place(app, layout, window, width, above + shown.height + nothing + 2 * kBoxPad, m.type);
  constexpr float kFar = 10000;  // whatever is clicked beside it closes it
  if (canvas.hit("veil/menu", {-kFar, -kFar, 2 * kFar, 2 * kFar}).clicked) app.close_menu();
  canvas.hit("menu", box);
  canvas.fill_rect({box.x + 1, box.y + 3, box.w, box.h}, Color{0, 0, 0, 36}, 8);
  canvas.fill_rect(box, theme.panel, 8);
  canvas.stroke_rect(box, theme.line, 1, 8);
  if (app.menu.kind != MenuKind::choice)  // a list of choices stands right under its name
    canvas.text_fit({box.x + kBoxPad + 12, box.y + kBoxPad + 12 * m.type}, menu_title(app),
                    {Font::words_semibold, 10.5f * m.type, theme.dim}, box.w - 2 * kBoxPad - 24);
  if (m.field > 0) {
    const Rect field{box.x + kBoxPad + 6, box.y + kBoxPad + m.title - 2, field_width(box.w), m.field - 8};
    draw_menu_field(canvas, app, field, theme);
    draw_field_error(canvas, theme, wrong_of(app), {field.x, field.bottom() + 2, field.w, m.wrong});
  }
  float y = box.y + kBoxPad + above;
  if (rows.empty())
    canvas.text_fit({box.x + kBoxPad + 12, y + m.row / 2}, tr("nothing has this name"),
                    {Font::words, 12.5f * m.type, theme.dim}, box.w - 2 * kBoxPad - 24);
  for (int i = shown.first; i <= shown.last; ++i) {
    const float height = row_height(rows[std::size_t(i)], m);
    draw_row(canvas, app, rows[std::size_t(i)], {box.x + kBoxPad, y, box.w - 2 * kBoxPad, height},
             i == app.menu.row, theme);
    y += height;
  }
}

}  // namespace lockstep
