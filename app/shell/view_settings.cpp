// The tab of the settings: parameters, the followed block and warp.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "app/draw/controls.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/text_field.hpp"
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
float unit_width(const Canvas& canvas, const std::string& unit, const Theme& theme) {
  return unit.empty() ? 0 : canvas.measure(tr(unit), unit_style(theme)) + 5 * theme.type;
}

// What a parameter is, and how the command line calls it.
std::string hint_of(const Parameter& p, const Value& value) {
  return tr(p.help) + "\n" + tr("on the command line: {0}", {"--set " + p.name + "=" + to_string(value)});
}

// A value that a click or Enter opens as a field.
struct ValueBox {
  App::Typing::Of of = App::Typing::Of::parameter;
  std::string id, name;      // "value/n", "n"
  std::string shown, typed;  // as it stands there, and in the field
  std::string unit, hint;
  bool words = false;  // a formula: from the left, smaller
};

void draw_open_field(Canvas& canvas, App& app, Rect r, const ValueBox& box, const Theme& theme) {
  App::Typing& typing = *app.typing;
  const Hit hit = draw_text_field(
      canvas, theme, box.id, r, typing.edit,
      {Font::mono, box.words ? 11.5f : 12.5f, app.caret_shown(), typing.focused, typing.wrong.has_value()});
  typing.area = r;
  if (hit.pressed || hit.clicked) typing.focused = true, app.wanted_focus = box.id;
}

void draw_value(Canvas& canvas, App& app, Rect r, const ValueBox& box, const Theme& theme) {
  if (app.typing_of(box.of, box.name)) return draw_open_field(canvas, app, r, box, theme);
  const Hit hit = canvas.hit(box.id, r, true);
  if (hit.hovered || hit.focused) canvas.fill_rect(r, theme.soft, 4);
  canvas.stroke_rect(r, theme.line, 1, 4);
  if (hit.focused) draw_focus_ring(canvas, theme, r, 4);
  const TextStyle style{Font::mono, (box.words ? 11.5f : 12.5f) * theme.type, theme.ink,
                        box.words ? Align::left : Align::right};
  const float unit_w = unit_width(canvas, box.unit, theme);
  if (unit_w > 0) canvas.text({r.right() - 6, r.center().y}, tr(box.unit), unit_style(theme));
  canvas.text_fit({box.words ? r.x + 6 : r.right() - 6 - unit_w, r.center().y}, box.shown, style,
                  r.w - 8 - unit_w);
  if (hit.hovered) canvas.tooltip((box.hint.empty() ? "" : box.hint + "\n") + tr("click to type a value"));
  if (hit.clicked) app.begin_typing(box.of, box.name, box.typed), app.wanted_focus = box.id;
}

ValueBox value_box(const Parameter& p, const Value& value) {
  const std::string text = to_string(value);
  return {App::Typing::Of::parameter,
          "value/" + p.name,
          p.name,
          p.type == "text" ? text : tr(title_of(p, text)),
          text,
          p.unit,
          hint_of(p, value),
          p.type == "text"};
}

// --- choices: words side by side, or a list where they are many or long

void draw_choice(Canvas& canvas, App& app, Rect r, const Parameter& p, const Value& value,
                 const Theme& theme) {
  std::vector<Pill> pills;
  int current = 0;
  const auto choices = choices_in(app.info(), app.state().rung, p);
  for (const auto& choice : choices) {
    if (to_string(value) == choice) current = int(pills.size());
    pills.push_back({tr(title_of(p, choice)), "", ""});
  }
  const std::string id = "choice/" + p.name;
  if (pills.size() <= kMostPills && pills_fit(canvas, theme, pills, r.w)) {
    if (const auto chosen = draw_pills(canvas, theme, id, r, pills, current))
      if (const auto setting = parse_setting(app.info(), p.name + "=" + choices[std::size_t(*chosen)]))
        app.set_param(p.name, setting->second);
    return;
  }
  const Hit hit = draw_dropdown(canvas, theme, id, r, tr(title_of(p, to_string(value))));
  if (hit.focused) app.focused_parameter = p.name;
  if (hit.clicked) app.open_choices(p.name), app.wanted_focus = id;
  if (app.menu.kind == MenuKind::choice && app.menu.parameter == p.name) app.menu.anchor = r;
}

// --- sliders, with a tick at every recorded setting

std::vector<Params> recorded_settings(const App& app) {
  if (app.runner()) return app.runner()->recorded(app.state().lab, app.state().rung);
  std::vector<Params> all;  // a picture is handed the timed ones
  for (const Run& run : app.timed())
    if (run.request.rung == app.state().rung) all.push_back(run.request.params);
  return all;
}

std::string setting_text(const Params& params) {
  std::string text;
  for (const auto& [name, value] : params)
    text += (text.empty() ? "" : ", ") + name + " = " + to_string(value);
  return text;
}

// One tick for all recordings at one place, which names the first few of them.
std::vector<SliderMark> marks_of(const App& app, const Parameter& p,
                                 const std::function<float(const Value&)>& position) {
  constexpr int kMostNamed = 3;
  std::map<std::string, std::pair<SliderMark, int>> marks;
  for (const Params& recorded : recorded_settings(app)) {
    const auto value = recorded.find(p.name);
    if (value == recorded.end()) continue;
    auto& [mark, count] = marks[to_string(value->second)];
    mark.position = position(value->second);
    const std::string line = tr("recorded: {0}", {setting_text(recorded)});
    if (mark.hint.find(line) != mark.hint.npos || ++count > kMostNamed) continue;
    mark.hint += (mark.hint.empty() ? "" : "\n") + line;
  }
  std::vector<SliderMark> all;
  for (auto& [value, mark] : marks) all.push_back(std::move(mark.first));
  return all;
}

// Many legal numbers, not evenly spaced: a slider whose places are the choices.
void draw_choice_slider(Canvas& canvas, App& app, Rect r, const Parameter& p, const Value& value,
                        const Theme& theme) {
  const auto choices = choices_in(app.info(), app.state().rung, p);
  const float last = float(std::max<std::size_t>(2, choices.size()) - 1);
  const auto position = [&](const Value& v) {
    return float(std::find(choices.begin(), choices.end(), to_string(v)) - choices.begin()) / last;
  };
  bool focused = false;
  const auto marks = marks_of(app, p, position);
  const auto moved = draw_slider(canvas, theme, "slider/" + p.name, r, position(value), marks, &focused);
  if (focused) app.focused_parameter = p.name;
  if (!moved) return;
  const auto& chosen = choices[std::size_t(std::clamp(std::lround(*moved * last), 0L, long(last)))];
  if (const auto setting = parse_setting(app.info(), p.name + "=" + chosen);
      setting && chosen != to_string(value))
    app.set_param(p.name, setting->second);
}

void draw_number_slider(Canvas& canvas, App& app, Rect r, const Parameter& p, const Value& value,
                        const Theme& theme) {
  const auto position = [&](const Value& v) { return slider_position(number_of(v), p.min, p.max); };
  bool focused = false;
  const auto marks = marks_of(app, p, position);
  const auto moved = draw_slider(canvas, theme, "slider/" + p.name, r, position(value), marks, &focused);
  if (focused) app.focused_parameter = p.name;
  if (!moved) return;
  if (p.type != "int") return app.set_param(p.name, p.min + (p.max - p.min) * double(*moved));
  const auto multiple = multiple_beside(p, app.state().rung, app.state().params);
  app.set_param(p.name, std::int64_t(slider_value(*moved, p.min, p.max, multiple)));
}

// The columns of a row: its name, its control, its value.
struct RowWidths {
  float label = 0, value = 0;
};

void draw_parameter(Canvas& canvas, App& app, Rect row, RowWidths widths, const Parameter& p,
                    const Theme& theme) {
  const auto at = app.state().params.find(p.name);
  if (at == app.state().params.end()) return;
  const Value value = at->second;  // a copy: what is drawn below may change it
  const auto [label_w, value_w] = widths;
  const auto* other = without_effect(p, app.state().params);
  canvas.text_fit({row.x, row.center().y}, tr(title_of(p)),
                  {Font::words, 12.5f * theme.type, other ? theme.dim : theme.ink}, label_w - 6);
  if (canvas.hit("label/" + p.name, {row.x, row.y, label_w, row.h}).hovered)
    canvas.tooltip(
        (other ? tr("without effect: {0} is {1}", {other->first, to_string(other->second)}) + "\n" : "") +
        hint_of(p, value));
  if (p.type == "text")  // a row of its own
    return draw_value(canvas, app, {row.x, row.y + row.h - 2, row.w, row.h - 4}, value_box(p, value), theme);
  if (!has_slider(p)) {
    const float x = row.x + label_w, unit_w = p.type == "choice" ? 0 : unit_width(canvas, p.unit, theme);
    if (unit_w > 0) canvas.text({row.right() - 6, row.center().y}, tr(p.unit), unit_style(theme));
    return draw_choice(canvas, app, {x, row.y + 3, row.right() - x - unit_w, row.h - 6}, p, value, theme);
  }
  const Rect control{row.x + label_w, row.y, row.w - label_w - value_w - 8, row.h};
  p.choices.empty() ? draw_number_slider(canvas, app, control, p, value, theme)
                    : draw_choice_slider(canvas, app, control, p, value, theme);
  draw_value(canvas, app, {row.right() - value_w, row.y + 3, value_w, row.h - 6}, value_box(p, value), theme);
}

std::vector<const Parameter*> parameters_of(const App& app) {
  std::vector<const Parameter*> shown;
  for (const Parameter& p : app.info().parameters)
    if (app.state().params.contains(p.name)) shown.push_back(&p);
  return shown;
}

// Which of how many is followed: typed, or its neighbours by buttons; returns the one that was asked for.
std::optional<std::int64_t> draw_followed(Canvas& canvas, App& app, Rect row, App::Typing::Of of,
                                          std::int64_t now, std::int64_t count, const Theme& theme) {
  const bool block = of == App::Typing::Of::block;
  const std::string id = block ? "block" : "warp";
  canvas.text_fit({row.x, row.center().y}, block ? tr("block") : tr("warp"),
                  {Font::words, 12.5f * theme.type, theme.ink}, 80 * theme.type);
  const float w = 26 * theme.type;
  const Rect less{row.right() - 2 * w - 6, row.y + 3, w, row.h - 6},
      more{row.right() - w, row.y + 3, w, row.h - 6};
  const std::string text =
      now < 0 ? tr("all {0}", {grouped(count)}) : tr("{0} of {1}", {grouped(now), grouped(count)});
  const float value_w = std::min(row.w * 0.5f, 130 * theme.type);
  draw_value(canvas, app, {less.x - 6 - value_w, row.y + 3, value_w, row.h - 6},
             {of, "value/" + id, "", text, std::to_string(std::max<std::int64_t>(0, now)), "", "", false},
             theme);
  std::optional<std::int64_t> wanted;
  if (draw_button(canvas, theme, id + "/less", less, "−", ButtonLook::plain, now > 0).clicked)
    wanted = now - 1;
  if (draw_button(canvas, theme, id + "/more", more, "+", ButtonLook::plain, now >= 0 && now + 1 < count)
          .clicked)
    wanted = now + 1;
  return wanted;
}

// The block whose events are shown, or the warp of this step: another one goes to the same access of that
// warp.
void draw_followed_row(Canvas& canvas, App& app, Rect row, App::Typing::Of of, const Theme& theme) {
  const bool block = of == App::Typing::Of::block;
  const App::Grid grid = app.grid();
  const auto other = draw_followed(canvas, app, row, of, block ? grid.block : grid.warp,
                                   std::max<std::int64_t>(1, block ? grid.blocks : grid.warps), theme);
  if (other) block ? app.follow(*other) : app.follow_warp(*other);
}

// A text stands below its name.
float rows_of(const Parameter& p) { return p.type == "text" ? 2 : 1; }

// A quarter of the row, more where a name needs it.
float label_width(const Canvas& canvas, const App& app, float row_w, const Theme& theme) {
  float widest = 0;
  for (const Parameter* p : parameters_of(app))
    widest =
        std::max(widest, canvas.measure(tr(title_of(*p)), {Font::words, 12.5f * theme.type, theme.ink}) + 8);
  const float quarter = std::min(row_w * 0.26f, 90 * theme.type);
  return std::clamp(widest, quarter, std::max(quarter, row_w * 0.46f));
}

// As wide as the widest value that can stand there, with its unit; within limits, since the slider needs
// room.
float value_width(const Canvas& canvas, const App& app, const Theme& theme) {
  float widest = 0;
  for (const Parameter* p : parameters_of(app))
    if (p->type == "int" && !p->unit.empty())
      widest = std::max(widest, canvas.measure(std::to_string(std::int64_t(p->max)),
                                               {Font::mono, 12.5f * theme.type, theme.ink}) +
                                    unit_width(canvas, p->unit, theme) + 14);
  return std::clamp(widest, 74 * theme.type, 150 * theme.type);
}

// A row of the tab, with what is wrong with the value that is typed there.
struct SettingRow {
  App::Typing::Of of = App::Typing::Of::parameter;  // or the followed block, or the warp
  const Parameter* parameter = nullptr;
  std::string wrong;
  float rows = 1;  // of kSettingRow
};

std::vector<SettingRow> setting_rows(const Canvas& canvas, const App& app, float width, const Theme& theme) {
  using Of = App::Typing::Of;
  std::vector<SettingRow> rows;
  for (const Parameter* p : parameters_of(app)) rows.push_back({Of::parameter, p, "", rows_of(*p)});
  if (app.has_steps())
    for (const Of of : {Of::block, Of::warp}) rows.push_back({of, nullptr, "", 1});
  for (SettingRow& row : rows) {
    if (!app.typing_of(row.of, row.parameter ? row.parameter->name : "") || !app.typing->wrong) continue;
    row.wrong = tr(*app.typing->wrong);
    row.rows += field_error_height(canvas, theme, row.wrong, width) / (kSettingRow * theme.type);
  }
  return rows;
}

// In one column, or in two where there is room.
float column_width(float width, const Theme& theme) {
  return card_columns(width, theme) == 2 ? (width - kColumnGap) / 2 : width;
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
    const Rect place{r.x, y, r.w, step};
    y += row.rows * step;
    row.parameter ? draw_parameter(canvas, app, place, widths, *row.parameter, theme)
                  : draw_followed_row(canvas, app, place, row.of, theme);
    const float error = field_error_height(canvas, theme, row.wrong, r.w);
    draw_field_error(canvas, theme, row.wrong, {r.x, y - error, r.w, error});
  }
}

}  // namespace

float settings_height(const Canvas& canvas, const App& app, float width, const Theme& theme) {
  const auto rows = setting_rows(canvas, app, column_width(width, theme), theme);
  return column_rows(rows, card_columns(width, theme)) * kSettingRow * theme.type;
}

void draw_settings(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  const float w = column_width(r.w, theme);
  const auto rows = setting_rows(canvas, app, w, theme);
  const std::size_t split = first_column(rows, card_columns(r.w, theme));
  const std::span all(rows);
  draw_setting_column(canvas, app, {r.x, r.y, w, r.h}, all.first(split), theme);
  if (split < rows.size())
    draw_setting_column(canvas, app, {r.right() - w, r.y, w, r.h}, all.subspan(split), theme);
}

}  // namespace lockstep
