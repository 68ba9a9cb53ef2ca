// The numbers of a run, and the table of those in which two runs differ.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "differences.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kRow = 22;

// A line of the numbers: what the run says, and whose word it is.
struct NumberLine {
  std::string label, value, provenance;
  bool trouble = false;
};

// A line without a provenance has no value: it says why.
std::vector<NumberLine> number_lines(const App& app) {
  std::vector<NumberLine> lines;
  if (!app.run()) return lines;
  const Run& run = *app.run();
  lines.push_back({tr("result"), run.check.pass ? tr("right") : tr("WRONG"),
                   std::string(provenance_of(run, "check")), !run.check.pass});
  for (NumberRow& row : app.scene()->numbers()) {
    if (!row.path.empty()) row.provenance = std::string(provenance_of(run, row.path));
    lines.push_back({tr(row.label), std::move(row.value), std::move(row.provenance), false});
  }
  if (!run.counts && run.engine == EngineKind::recording)
    lines.push_back({tr("counts"), tr("this recording holds times only"), "", false});
  return lines;
}

// As wide as the widest badge, so that the values stand in one column.
float badge_column(const Canvas& canvas, const std::vector<NumberLine>& lines, const Theme& theme) {
  float width = 0;
  for (const NumberLine& line : lines) width = std::max(width, badge_width(canvas, theme, line.provenance));
  return width + 14 * theme.type;
}

void draw_number_line(Canvas& canvas, Rect row, const NumberLine& line, float badge, const Theme& theme) {
  const bool absent = line.provenance.empty();
  const float y = row.center().y, right = row.right() - (absent ? 0 : badge);
  const TextStyle value{absent ? Font::words : Font::mono, 12.5f * theme.type,
                        line.trouble ? theme.readable(color::trouble)
                        : absent     ? theme.dim
                                     : theme.ink,
                        Align::right};
  const float value_w = canvas.measure(line.value, value);
  canvas.text_fit({row.x, y}, line.label, {Font::words, 12.5f * theme.type, theme.ink},
                  right - row.x - value_w - 10 * theme.type);
  canvas.text_fit({right, y}, line.value, value, right - row.x);
  draw_badge(canvas, theme, {row.right(), y}, line.provenance);
  const Hit hit = canvas.hit("number/" + line.label, row, true);
  if (hit.focused) draw_focus_ring(canvas, theme, {row.x - 4, row.y + 1, row.w + 8, row.h - 2}, 4);
  if (hit.hovered)
    canvas.tooltip(line.label + ": " + line.value + (absent ? "" : "\n" + provenance_text(line.provenance)));
}

TextStyle note_style(const Theme& theme) { return {Font::words_semibold, 12.5f * theme.type, theme.ink}; }
constexpr float kNoteStep = 18;

// Above the numbers, where they are not this setting's.
float note_height(const Canvas& canvas, const App& app, float width, const Theme& theme) {
  const std::string note = numbers_note(app);
  if (note.empty()) return 0;
  return (float(canvas.count_lines(note, note_style(theme), width)) * kNoteStep + 6) * theme.type;
}

// How many lines stand below each other, in one or two columns.
std::size_t lines_per_column(std::size_t lines, int columns) {
  return (lines + std::size_t(columns) - 1) / std::size_t(columns);
}

void draw_one_run(Canvas& canvas, const App& app, Rect r, const Theme& theme) {
  const int columns = card_columns(r.w, theme);
  const float w = columns == 2 ? (r.w - kColumnGap) / 2 : r.w;
  Rect row{r.x, r.y, w, kRow * theme.type};
  if (!app.run() && numbers_note(app).empty())
    canvas.text_fit({row.x, row.center().y}, tr("none before the first run"),
                    {Font::words, 12.5f * theme.type, theme.dim}, row.w);
  const auto lines = number_lines(app);
  const float badge = badge_column(canvas, lines, theme);
  const std::size_t each = lines_per_column(lines.size(), columns);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == each) row.x = r.right() - w, row.y = r.y;
    draw_number_line(canvas, row, lines[i], badge, theme);
    row.y += row.h;
  }
}

// --- two runs

// Rows of the table; a row of badges stands wherever the words of one of the columns change.
struct TableRow {
  enum class Kind { names, badges, number, equal } kind = Kind::number;
  Difference cells;
};

std::string equal_words(const Differences& d) {
  if (d.rows.empty() && d.noise == 0) return tr("All {0} numbers are equal.", {std::to_string(d.equal)});
  if (d.equal == 1) return tr("The other number is equal.");
  return tr("The other {0} numbers are equal.", {std::to_string(d.equal)});
}

std::string noise_words(const Differences& d) {
  if (d.noise == 1) return tr("One number differs by no more than chance and is left out.");
  return tr("{0} numbers differ by no more than chance and are left out.", {std::to_string(d.noise)});
}

// Of two devices the times come first; what was counted on one of them alone says nothing about the other.
Differences between_devices(Differences d) {
  std::erase_if(d.rows, [](const Difference& row) { return row.ratio.empty() && row.path != "check"; });
  std::stable_partition(d.rows.begin(), d.rows.end(),
                        [](const Difference& row) { return row.path.starts_with("time."); });
  return d;
}

std::vector<TableRow> table_of(const App& app) {
  Differences d = differences_of(*app.scene(), *app.compared());
  if (names_device(app.state().compare)) d = between_devices(std::move(d));
  std::vector<TableRow> rows;
  std::string left, right;
  if (!d.rows.empty())
    rows.push_back({TableRow::Kind::names, {"", app.run_name(), app.compared_name(), "", "", "", ""}});
  for (const Difference& number : d.rows) {
    const bool other = (!number.left_words.empty() && number.left_words != left) ||
                       (!number.right_words.empty() && number.right_words != right);
    if (other) rows.push_back({TableRow::Kind::badges, number});
    if (other) left = number.left_words, right = number.right_words;
    rows.push_back({TableRow::Kind::number, number});
  }
  if (d.equal > 0) rows.push_back({TableRow::Kind::equal, {equal_words(d), "", "", "", "", "", ""}});
  if (d.noise > 0) rows.push_back({TableRow::Kind::equal, {noise_words(d), "", "", "", "", "", ""}});
  return rows;
}

// Both columns wear the same badge: it stands once, in the labels' column.
bool one_badge(const Difference& d) {
  return d.left_words.empty() || d.right_words.empty() ||
         badge_word(d.left_words) == badge_word(d.right_words);
}

struct Columns {
  float left = 0, right = 0, ratio = 0, gap = 0;
  bool stacked = false;      // too narrow for the labels: they stand above their values
  bool names_below = false;  // too narrow for the names of the runs beside each other
  float number_height = 0, names_height = 0;
  float left_end(Rect row) const { return row.right() - ratio - right - 2 * gap; }
};

TextStyle run_name_style(const Theme& theme) {
  return {Font::words_semibold, 10.5f * theme.type, theme.ink, Align::right};
}

Columns columns_of(const Canvas& canvas, const std::vector<TableRow>& rows, float width, const Theme& theme) {
  const TextStyle mono{Font::mono, 12.5f * theme.type, theme.ink};
  Columns c{0, 0, 0, 10 * theme.type};
  float label = 0;
  for (const auto& [kind, cells] : rows) {
    if (kind == TableRow::Kind::names) continue;
    c.left = std::max(c.left, canvas.measure(cells.left, mono));
    c.right = std::max(c.right, canvas.measure(cells.right, mono));
    if (kind == TableRow::Kind::badges && !one_badge(cells)) {
      c.left = std::max(c.left, badge_width(canvas, theme, cells.left_words));
      c.right = std::max(c.right, badge_width(canvas, theme, cells.right_words));
    }
    c.ratio = std::max(c.ratio, canvas.measure(cells.ratio, mono));
    if (kind == TableRow::Kind::number)
      label = std::max(label, canvas.measure(cells.label, {Font::words, 12.5f * theme.type, theme.ink}));
  }
  c.stacked = width - c.left - c.right - c.ratio - 3 * c.gap < label;
  c.number_height = (c.stacked ? 38 : kRow) * theme.type;
  const Rect row{0, 0, width, 0};
  for (const auto& [kind, cells] : rows)
    c.names_below |= kind == TableRow::Kind::names &&
                     (canvas.measure(cells.left, run_name_style(theme)) > c.left_end(row) ||
                      canvas.measure(cells.right, run_name_style(theme)) > width - c.left_end(row) - c.gap);
  c.names_height = (c.names_below ? 2 : 1) * kRow * theme.type;
  return c;
}

void draw_number_row(Canvas& canvas, const Difference& d, Rect row, const Columns& c, const Theme& theme) {
  const float right = row.right() - c.ratio - c.gap, left = right - c.right - c.gap;
  const float y = c.stacked ? row.bottom() - 10 * theme.type : row.center().y;
  const TextStyle mono{Font::mono, 12.5f * theme.type, theme.ink, Align::right};
  TextStyle dim = mono;
  dim.color = theme.dim;
  canvas.text_fit({row.x, c.stacked ? row.y + 11 * theme.type : y}, d.label,
                  {Font::words, 12.5f * theme.type, theme.ink},
                  c.stacked ? row.w : left - c.left - c.gap - row.x);
  canvas.text_fit({left, y}, d.left, mono, c.left);
  canvas.text_fit({right, y}, d.right, mono, c.right);
  canvas.text_fit({row.right(), y}, d.ratio, dim, c.ratio);
  const Hit hit = canvas.hit("number/" + d.label, row, true);
  if (hit.focused) draw_focus_ring(canvas, theme, {row.x - 4, row.y + 1, row.w + 8, row.h - 2}, 4);
  if (hit.hovered)
    canvas.tooltip(d.label + ": " + d.left + " | " + d.right + (d.ratio.empty() ? "" : " | " + d.ratio) +
                   "\n" + d.left_words + (d.left_words == d.right_words ? "" : " | " + d.right_words));
}

// Above their columns; a long one takes the labels' room, or the ratio's, or each a line of its own.
void draw_run_names(Canvas& canvas, const Difference& names, Rect row, const Columns& c, const Theme& theme) {
  TextStyle style = run_name_style(theme);
  const float left = c.left_end(row), right = row.right() - c.ratio - c.gap;
  if (c.names_below) {
    style.align = Align::left;
    canvas.text_fit({row.x, row.y + row.h / 4}, tr("left: {0}", {names.left}), style, row.w);
    canvas.text_fit({row.x, row.y + row.h * 3 / 4}, tr("right: {0}", {names.right}), style, row.w);
    return;
  }
  const bool fits = canvas.measure(names.right, style) <= c.right;
  canvas.text_fit({left, row.center().y}, names.left, style, left - row.x);
  canvas.text_fit({fits ? right : row.right(), row.center().y}, names.right, style,
                  row.right() - left - c.gap);
}

void draw_table_row(Canvas& canvas, const TableRow& table, Rect row, const Columns& c, const Theme& theme) {
  const float y = row.center().y, right = row.right() - c.ratio - c.gap, left = right - c.right - c.gap;
  switch (table.kind) {
    case TableRow::Kind::names:
      draw_run_names(canvas, table.cells, row, c, theme);
      break;
    case TableRow::Kind::badges: {
      const std::string& words =
          table.cells.left_words.empty() ? table.cells.right_words : table.cells.left_words;
      if (one_badge(table.cells)) {
        draw_badge(canvas, theme, {row.x + badge_width(canvas, theme, words), y}, words);
      } else {
        draw_badge(canvas, theme, {left, y}, table.cells.left_words);
        draw_badge(canvas, theme, {right, y}, table.cells.right_words);
      }
      break;
    }
    case TableRow::Kind::number:
      draw_number_row(canvas, table.cells, row, c, theme);
      break;
    case TableRow::Kind::equal:
      canvas.text_fit({row.x, y}, table.cells.label, {Font::words, 12 * theme.type, theme.dim}, row.w);
      break;
  }
}

float row_height(const TableRow& row, const Columns& c, const Theme& theme) {
  if (row.kind == TableRow::Kind::number) return c.number_height;
  return row.kind == TableRow::Kind::names ? c.names_height : kRow * theme.type;
}

void draw_two_runs(Canvas& canvas, const App& app, Rect r, const Theme& theme) {
  const auto rows = table_of(app);
  const Columns columns = columns_of(canvas, rows, r.w, theme);
  Rect row{r.x, r.y, r.w, 0};
  for (const TableRow& each : rows) {
    row.h = row_height(each, columns, theme);
    draw_table_row(canvas, each, row, columns, theme);
    row.y += row.h;
  }
}

bool two_runs(const App& app) { return app.run() && app.compared(); }

}  // namespace

namespace {

// What the run on the stage has of its own beside the settings: "tiled, n = 128".
std::string setting_of_run(const App& app) {
  const Request& of = app.run()->request;
  std::string setting = of.rung;
  for (const auto& [name, value] : of.params) {
    const auto now = app.state().params.find(name);
    if (now == app.state().params.end() || now->second != value)
      setting += ", " + name + " = " + to_string(value);
  }
  if (of.block != app.state().block) setting += ", " + tr("block {0}", {std::to_string(of.block)});
  return setting;
}

}  // namespace

std::string picture_note(const App& app) {
  const App::Numbers are = app.numbers_are();
  if (are == App::Numbers::none || are == App::Numbers::current) return "";
  const std::string setting = setting_of_run(app);
  if (are == App::Numbers::of_another)
    return tr("This picture and its numbers are of {0}. Run (R) gives those of the settings.", {setting});
  return setting == app.state().rung
             ? tr("A run is under way. This picture and its numbers are of the run before.")
             : tr("A run is under way. This picture and its numbers are of {0}.", {setting});
}

std::string numbers_note(const App& app) {
  const bool busy = app.runner() && app.runner()->busy();
  switch (app.numbers_are()) {
    case App::Numbers::none:
      return busy ? tr("The run is under way.") : "";
    case App::Numbers::current:
      return "";
    default:
      break;
  }
  const bool under_way = app.numbers_are() == App::Numbers::under_way;
  const std::string setting = setting_of_run(app);
  if (under_way && setting == app.state().rung)
    return tr("A run is under way. These numbers are of the run before.");
  return under_way ? tr("A run is under way. These numbers are of {0}.", {setting})
                   : tr("These numbers are of {0}. Run (R) gives those of the settings.", {setting});
}

Theme numbers_theme(const App& app, const Theme& theme) {
  Theme quiet = theme;
  if (app.numbers_are() != App::Numbers::current) quiet.ink = theme.dim;
  return quiet;
}

bool is_pale(const App& app, bool compared) {
  return !picture_note(app).empty() && !(compared && names_saved_run(app.state().compare));
}

void draw_veil(Canvas& canvas, const App& app, Rect r, const Theme& theme, bool compared) {
  constexpr float kVeil = 0.55f;
  if (is_pale(app, compared)) canvas.fill_rect(r, theme.ground.with_alpha(kVeil));
}

void draw_numbers(Canvas& canvas, App& app, Rect r, const Theme& theme) {
  if (const float note = note_height(canvas, app, r.w, theme); note > 0) {
    canvas.text_wrap({r.x, r.y}, numbers_note(app), note_style(theme), r.w, kNoteStep * theme.type);
    r.y += note, r.h -= note;
  }
  const Theme quiet = numbers_theme(app, theme);
  two_runs(app) ? draw_two_runs(canvas, app, r, quiet) : draw_one_run(canvas, app, r, quiet);
}

float numbers_height(const Canvas& canvas, const App& app, float width, const Theme& theme) {
  const float row = kRow * theme.type, note = note_height(canvas, app, width, theme);
  if (!two_runs(app))
    return note + float(lines_per_column(std::max<std::size_t>(1, number_lines(app).size()),
                                         card_columns(width, theme))) *
                      row;
  const auto rows = table_of(app);
  const Columns columns = columns_of(canvas, rows, width, theme);
  float height = note;
  for (const TableRow& each : rows) height += row_height(each, columns, theme);
  return height;
}

}  // namespace lockstep
