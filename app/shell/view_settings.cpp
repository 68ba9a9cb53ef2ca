// The tab of the settings: parameters, the followed block and warp.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/number_text.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kSettingRow = 28;

double number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

TextStyle unit_style(const Theme& theme) {
  return {Font::words, 10.5f * theme.type, theme.dim, Align::right};
}

// Of a value's unit with the gap before it; 0 for none.
float unit_width(const Canvas& canvas, const Parameter& p, const Theme& theme) {
  return p.unit.empty() ? 0 : canvas.measure(tr(p.unit), unit_style(theme)) + 5 * theme.type;
}

// What a parameter is, and how the command line calls it.
std::string hint_of(const Parameter& p, const Value& value) {
  return tr(p.help) + "\n" + tr("on the command line: {0}", {"--set " + p.name + "=" + to_string(value)});
}

// The value at the right end of its row: click it and type.
void draw_value(Canvas& canvas, App& app, Rect r, const Parameter& p, const Value& value,
                const Theme& theme) {
  const bool typing = app.typing && app.typing->parameter == p.name;
  const Hit hit = canvas.hit("value/" + p.name, r, true);
  if (typing || hit.hovered || hit.focused) canvas.fill_rect(r, theme.soft, 4);
  if (typing || hit.focused) canvas.stroke_rect(r, color::l2, 1.5f, 4);
  const bool words = p.type == "text";
  std::string text = typing ? app.typing->text + "|" : tr(title_of(p, to_string(value)));
  const TextStyle style{Font::mono, (words ? 11.5f : 12.5f) * theme.type, theme.ink,
                        words ? Align::left : Align::right};
  while (typing && text.size() > 1 && canvas.measure(text, style) > r.w - 12)
    text.erase(0, 1);  // its end stays in view
  const float unit_w = typing ? 0 : unit_width(canvas, p, theme);
  if (unit_w > 0) canvas.text({r.right() - 6, r.center().y}, tr(p.unit), unit_style(theme));
  canvas.text_fit({words ? r.x + 6 : r.right() - 6 - unit_w, r.center().y}, text, style, r.w - 8 - unit_w);
  if (hit.hovered && !typing) canvas.tooltip(hint_of(p, value) + "\n" + tr("click to type a value"));
  if (hit.clicked) app.typing = App::Typing{p.name, words ? to_string(value) : ""};
}

constexpr std::size_t kMostPills = 6;

// One of many words: the current one, which can be typed over, and buttons to its neighbours.
void draw_long_choice(Canvas& canvas, App& app, Rect r, const Parameter& p, const Value& value,
                      const std::vector<std::string>& choices, const Theme& theme) {
  const float w = 26 * theme.type;
  const Rect less{r.right() - 2 * w - 6, r.y, w, r.h}, more{r.right() - w, r.y, w, r.h};
  const auto at = std::find(choices.begin(), choices.end(), to_string(value));
  const auto button = [&](const char* name, Rect box, const char* sign, std::ptrdiff_t by) {
    const std::ptrdiff_t to = at - choices.begin() + by;
    const bool able = at != choices.end() && to >= 0 && to < std::ptrdiff_t(choices.size());
    if (draw_button(canvas, theme, "choice/" + p.name + name, box, sign, ButtonLook::plain, able).clicked)
      app.set_param(p.name, Value{choices[std::size_t(to)]});
  };
  draw_value(canvas, app, {r.x, r.y, less.x - r.x - 6, r.h}, p, value, theme);
  button("/less", less, "−", -1), button("/more", more, "+", 1);
}

void draw_choice(Canvas& canvas, App& app, Rect r, const Parameter& p, const Value& value,
                 const Theme& theme) {
  std::vector<Pill> pills;
  int current = 0;
  const auto choices = choices_in(app.info(), app.state().rung, p);
  if (p.type == "choice" && choices.size() > kMostPills)
    return draw_long_choice(canvas, app, r, p, value, choices, theme);
  for (const auto& choice : choices) {
    if (to_string(value) == choice) current = int(pills.size());
    pills.push_back({tr(title_of(p, choice)), "", ""});
  }
  if (const auto chosen = draw_pills(canvas, theme, "choice/" + p.name, r, pills, current))
    if (const auto setting = parse_setting(app.info(), p.name + "=" + choices[std::size_t(*chosen)]))
      app.set_param(p.name, setting->second);
}

// Many legal numbers, not evenly spaced: a slider whose places are the choices.
void draw_choice_slider(Canvas& canvas, App& app, Rect r, const Parameter& p, const Value& value,
                        const Theme& theme) {
  const auto choices = choices_in(app.info(), app.state().rung, p);
  const auto at = std::find(choices.begin(), choices.end(), to_string(value)) - choices.begin();
  const float last = float(choices.size() - 1);
  bool focused = false;
  const auto moved = draw_slider(canvas, theme, "slider/" + p.name, r, float(at) / last, {}, &focused);
  if (focused) app.focused_parameter = p.name;
  if (!moved) return;
  const auto& chosen = choices[std::size_t(std::clamp(std::lround(*moved * last), 0L, long(last)))];
  if (const auto setting = parse_setting(app.info(), p.name + "=" + chosen);
      setting && chosen != to_string(value))
    app.set_param(p.name, setting->second);
}

// The columns of a row: its name, its control, its value.
struct RowWidths {
  float label = 0, value = 0;
};

void draw_parameter(Canvas& canvas, App& app, Rect row, RowWidths widths, const Parameter& p,
                    const Theme& theme) {
  const auto at = app.state().params.find(p.name);
  if (at == app.state().params.end()) return;
  const auto [label_w, value_w] = widths;
  canvas.text_fit({row.x, row.center().y}, tr(title_of(p)),
                  {Font::words, 12.5f * theme.type, theme.ink}, label_w - 6);
  if (canvas.hit("label/" + p.name, {row.x, row.y, label_w, row.h}).hovered)
    canvas.tooltip(hint_of(p, at->second));
  const Rect control{row.x + label_w, row.y, row.w - label_w - value_w - 8, row.h};
  if (p.type == "text") {
    draw_value(canvas, app, {row.x, row.y + row.h - 2, row.w, row.h - 4}, p, at->second,
               theme);  // a row of its own
    return;
  }
  if (p.type == "int" && p.choices.size() > kMostPills) {
    draw_choice_slider(canvas, app, control, p, at->second, theme);
    draw_value(canvas, app, {row.right() - value_w, row.y + 3, value_w, row.h - 6}, p, at->second, theme);
    return;
  }
  if (!p.choices.empty()) {
    const float unit_w = p.type == "choice" ? 0 : unit_width(canvas, p, theme);
    if (unit_w > 0) canvas.text({row.right() - 6, row.center().y}, tr(p.unit), unit_style(theme));
    draw_choice(canvas, app, {control.x, row.y + 3, row.right() - control.x - unit_w, row.h - 6}, p,
                at->second, theme);
    return;
  }
  std::vector<float> marks;
  if (app.runner())
    for (const Params& recorded : app.runner()->recorded(app.state().lab, app.state().rung))
      if (const auto mark = recorded.find(p.name); mark != recorded.end())
        marks.push_back(slider_position(number_of(mark->second), p.min, p.max));
  bool focused = false;
  const float position = slider_position(number_of(at->second), p.min, p.max);
  const auto moved = draw_slider(canvas, theme, "slider/" + p.name, control, position, marks, &focused);
  if (focused) app.focused_parameter = p.name;
  if (moved) {
    const double value =
        p.type == "int"
            ? slider_value(*moved, p.min, p.max, multiple_beside(p, app.state().rung, app.state().params))
            : p.min + (p.max - p.min) * double(*moved);
    app.set_param(p.name, p.type == "int" ? Value{std::int64_t(value)} : Value{value});
  }
  draw_value(canvas, app, {row.right() - value_w, row.y + 3, value_w, row.h - 6}, p, at->second, theme);
}

std::vector<const Parameter*> parameters_of(const App& app) {
  std::vector<const Parameter*> shown;
  for (const Parameter& p : app.info().parameters)
    if (app.state().params.contains(p.name)) shown.push_back(&p);
  return shown;
}

// Which of how many is followed, with buttons to its neighbours; returns the one that was asked for.
std::optional<std::int64_t> draw_followed(Canvas& canvas, const std::string& id, const std::string& label,
                                          Rect row, std::int64_t now, std::int64_t count,
                                          const Theme& theme) {
  canvas.text_fit({row.x, row.center().y}, label, {Font::words, 12.5f * theme.type, theme.ink},
                  80 * theme.type);
  const float w = 26 * theme.type;
  const Rect less{row.right() - 2 * w - 6, row.y + 3, w, row.h - 6},
      more{row.right() - w, row.y + 3, w, row.h - 6};
  const std::string text =
      now < 0 ? tr("all {0}", {grouped(count)}) : tr("{0} of {1}", {grouped(now), grouped(count)});
  canvas.text_fit({less.x - 10, row.center().y}, text,
                  {Font::mono, 12.5f * theme.type, theme.ink, Align::right}, row.w * 0.5f);
  std::optional<std::int64_t> wanted;
  if (draw_button(canvas, theme, id + "/less", less, "−", ButtonLook::plain, now > 0).clicked)
    wanted = now - 1;
  if (draw_button(canvas, theme, id + "/more", more, "+", ButtonLook::plain, now >= 0 && now + 1 < count)
          .clicked)
    wanted = now + 1;
  return wanted;
}

// The block whose events are shown, and the warp of this step: another one goes to the same access of that
// warp.
void draw_block_and_warp(Canvas& canvas, App& app, Rect row, const Theme& theme) {
  const Launch* launch = app.run() && !app.run()->launches.empty() ? &app.run()->launches[0] : nullptr;
  const std::int64_t blocks = launch ? launch->blocks() : 1,
                     warps = launch ? (launch->threads() + kWarpSize - 1) / kWarpSize : 1;
  if (const auto block = draw_followed(canvas, "block", tr("block"), row, app.state().block, blocks, theme))
    app.follow(*block);
  row.y += row.h;
  if (const auto other = draw_followed(canvas, "warp", tr("warp"), row, app.shown_warp(), warps, theme))
    app.follow_warp(*other);
}

// A text stands below its name.
float rows_of(const Parameter& p) { return p.type == "text" ? 2 : 1; }

// A quarter of the row, more where a name needs it.
float label_width(const Canvas& canvas, const App& app, float row_w, const Theme& theme) {
  float widest = 0;
  for (const Parameter* p : parameters_of(app))
    widest = std::max(widest, canvas.measure(tr(title_of(*p)), {Font::words, 12.5f * theme.type, theme.ink}) + 8);
  const float quarter = std::min(row_w * 0.26f, 90 * theme.type);
  return std::clamp(widest, quarter, std::max(quarter, row_w * 0.4f));
}

// As wide as the widest value that can stand there, with its unit; within limits, since the slider needs
// room.
float value_width(const Canvas& canvas, const App& app, const Theme& theme) {
  float widest = 0;
  for (const Parameter* p : parameters_of(app))
    if (p->type == "int" && !p->unit.empty())
      widest = std::max(widest, canvas.measure(std::to_string(std::int64_t(p->max)),
                                               {Font::mono, 12.5f * theme.type, theme.ink}) +
                                    unit_width(canvas, *p, theme) + 14);
  return std::clamp(widest, 74 * theme.type, 150 * theme.type);
}

// Two columns where there is room: rows of the first and second one.
struct SettingRow {
  const Parameter* parameter = nullptr;  // or the followed block, or the warp
  bool block = false;
  float rows = 1;
};

std::vector<SettingRow> setting_rows(const App& app) {
  std::vector<SettingRow> rows;
  for (const Parameter* p : parameters_of(app)) rows.push_back({p, false, rows_of(*p)});
  if (app.has_steps()) rows.push_back({nullptr, true, 2});
  return rows;
}

// How many of the rows stand in the first column.
std::size_t first_column(const std::vector<SettingRow>& rows, int columns) {
  if (columns < 2) return rows.size();
  float all = 0, so_far = 0;
  for (const SettingRow& row : rows) all += row.rows;
  std::size_t count = 0;
  while (count < rows.size() && so_far + rows[count].rows / 2 <= all / 2) so_far += rows[count++].rows;
  return count;
}

float column_rows(const std::vector<SettingRow>& rows, int columns) {
  const std::size_t split = first_column(rows, columns);
  float first = 0, second = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) (i < split ? first : second) += rows[i].rows;
  return std::max(first, second);
}

void draw_setting_column(Canvas& canvas, App& app, Rect r, std::span<const SettingRow> rows,
                         const Theme& theme) {
  const float step = kSettingRow * theme.type;
  const RowWidths widths{label_width(canvas, app, r.w, theme), value_width(canvas, app, theme)};
  float y = r.y;
  for (const SettingRow& row : rows) {
    if (row.parameter)
      draw_parameter(canvas, app, {r.x, y, r.w, step}, widths, *row.parameter, theme);
    else
      draw_block_and_warp(canvas, app, {r.x, y, r.w, step}, theme);
    y += row.rows * step;
  }
}

}  // namespace

float settings_height(const App& app, float width, const Theme& theme) {
  return column_rows(setting_rows(app), card_columns(width, theme)) * kSettingRow * theme.type;
}

void draw_settings(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  const auto rows = setting_rows(app);
  const int columns = card_columns(r.w, theme);
  const std::size_t split = first_column(rows, columns);
  const std::span all(rows);
  const float w = columns == 2 ? (r.w - kColumnGap) / 2 : r.w;
  draw_setting_column(canvas, app, {r.x, r.y, w, r.h}, all.first(split), theme);
  if (split < rows.size())
    draw_setting_column(canvas, app, {r.right() - w, r.y, w, r.h}, all.subspan(split), theme);
}

}  // namespace lockstep
