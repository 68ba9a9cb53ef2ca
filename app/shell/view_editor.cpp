// The editor of a reader's program: text in colours, what each line cost at its right, and below a line what
// is wrong with it.
#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/text_field.hpp"
#include "code_colors.hpp"
#include "view_program.hpp"

namespace lockstep {
namespace {

constexpr float kEditorRow = 20, kEditorHeads = 17, kEditorRight = 12;

// What stands below a line: why it does not compile, or what was found there.
struct LineNote {
  int line = 0;  // from 0
  std::string text;
  bool trouble = true;
  int part = 0;  // its row of the text, which may be too long for one
};

struct EditorColumn {
  const char* head = "";
  std::int64_t LineCost::*value = nullptr;
  std::int64_t LineCost::*above = nullptr;  // nullptr: no fewer could be
  std::int64_t most = 0;                    // of any line
  float right = 0, width = 0;
};

class EditorPane {
 public:
  EditorPane(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool caret);
  void draw();

 private:
  // Rows are lines and the notes below them.
  int row_of(int line) const;
  int rows() const { return desk_.edit.lines() + int(notes_.size()); }
  struct Row {
    int line = 0, note = -1;
  };
  Row row_at(int row) const;
  float row_y(int row) const { return body_.y + (float(row) - desk_.scroll) * step_; }
  TextStyle code(Color color) const { return {Font::mono, 11.4f * type_, color}; }
  void collect_notes();
  void wrap_notes();
  float note_x(const LineNote& note) const;
  void place_columns();
  float x_of(int line, std::size_t byte) const;
  std::size_t place_at(Vec2 pointer) const;
  void answer_pointer(const Hit& hit);
  void scroll(const Hit& hit);
  void keep_in_view(int row);
  void draw_header(), draw_heads();
  void draw_line(int line, float y);
  void draw_selection(int line, float y);
  void draw_text(int line, float y, const CodeColors& colors);
  void draw_costs(int line, float y, const CodeColors& colors);
  void draw_squiggle(int line, float y);
  void draw_note(const LineNote& note, float y);
  void draw_scrollbar();
  std::string hint_of(int line) const;

  Canvas& canvas_;
  ProgramDesk& desk_;
  const Theme& theme_;
  const Color bar_, lit_bar_;  // of a cost, on the panel and on the lit line
  const CodeColors colors_, lit_colors_, bar_colors_, lit_bar_colors_;
  const Rect r_;
  const bool caret_, outdated_;
  const float type_, step_;
  float gutter_ = 0, text_x_ = 0, right_ = 0;
  int lit_ = 0;  // from 1
  std::vector<EditorColumn> columns_;
  std::vector<LineNote> notes_;  // by line
  Rect body_;
};

EditorPane::EditorPane(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool caret)
    : canvas_(canvas),
      desk_(desk),
      theme_(theme),
      bar_(mix(theme.panel, theme.ink, 0.14f)),
      lit_bar_(mix(theme.highlight, theme.ink, 0.2f)),
      colors_(code_colors(theme, theme.panel)),
      lit_colors_(code_colors(theme, theme.highlight)),
      bar_colors_(code_colors(theme, bar_)),
      lit_bar_colors_(code_colors(theme, lit_bar_)),
      r_(r),
      caret_(caret),
      outdated_(desk.outdated()),
      type_(theme.type),
      step_(kEditorRow * theme.type),
      right_(r.right() - kEditorRight * theme.type),
      lit_(outdated_ ? 0 : desk.step_line()) {
  const auto digits = std::max<std::size_t>(2, std::to_string(desk_.edit.lines()).size());
  gutter_ = (22 + 7 * float(digits)) * type_;
  text_x_ = r_.x + gutter_ + 6 * type_;
  const float top = panel_title_height(theme_) + kEditorHeads * type_;
  body_ = {r_.x, r_.y + top, r_.w, std::max(step_, r_.h - top - 4)};
  collect_notes();
  place_columns();
}

void EditorPane::collect_notes() {
  for (const reader::Diagnostic& d : desk_.diagnostics())
    if (desk_.is_this_file(d.file) && d.line > 0 && d.line <= desk_.edit.lines())
      notes_.push_back({d.line - 1, diagnostic_text(d), d.severity == reader::Severity::error});
  if (!outdated_)
    for (const reader::ProgramFinding& f : desk_.findings())
      if (desk_.is_this_file(f.file) && f.line > 0 && f.line <= desk_.edit.lines())
        notes_.push_back({f.line - 1, finding_kind_text(f.kind) + ": " + tr(f.message), true});
  std::stable_sort(notes_.begin(), notes_.end(),
                   [](const LineNote& a, const LineNote& b) { return a.line < b.line; });
  constexpr int kMostOfLine = 3;
  int of_line = 0, line = -1;
  std::erase_if(notes_, [&](const LineNote& note) {
    of_line = note.line == line ? of_line + 1 : 1, line = note.line;
    return of_line > kMostOfLine;
  });
  wrap_notes();
}

// What does not fit below its line goes on in further rows.
void EditorPane::wrap_notes() {
  constexpr int kMostRows = 3;
  std::vector<LineNote> rows;
  for (const LineNote& note : notes_) {
    const int count = std::min(
        kMostRows, canvas_.count_lines(note.text, {Font::words, 11 * type_, {}}, right_ - note_x(note)));
    for (int part = 0; part < count; ++part) rows.push_back(note), rows.back().part = part;
  }
  notes_ = std::move(rows);
}

// From where the line's own text begins.
float EditorPane::note_x(const LineNote& note) const {
  const std::string_view text = desk_.edit.line(note.line);
  return std::min(x_of(note.line, std::min(text.find_first_not_of(" \t"), text.size())),
                  text_x_ + 120 * type_);
}

int EditorPane::row_of(int line) const {
  const auto before = std::lower_bound(notes_.begin(), notes_.end(), line,
                                       [](const LineNote& note, int l) { return note.line < l; });
  return line + int(before - notes_.begin());
}

EditorPane::Row EditorPane::row_at(int row) const {
  int low = 0, high = desk_.edit.lines() - 1;  // the last line that begins at or before the row
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    (row_of(middle) <= row ? low : high) = row_of(middle) <= row ? middle : middle - 1;
  }
  const int below = row - row_of(low) - 1;
  if (below < 0) return {low, -1};
  const auto first = std::lower_bound(notes_.begin(), notes_.end(), low,
                                      [](const LineNote& note, int l) { return note.line < l; });
  return {low, int(first - notes_.begin()) + below};
}

void EditorPane::place_columns() {
  if (!desk_.has_costs()) return;
  columns_ = {{N_("times"), &LineCost::times, nullptr},
              {N_("sectors"), &LineCost::sectors, &LineCost::sectors_above},
              {N_("wavefronts"), &LineCost::wavefronts, &LineCost::wavefronts_above}};
  for (const reader::ProgramLine& line : desk_.scene()->launch().lines)
    if (desk_.is_this_file(line.file))
      for (EditorColumn& column : columns_) column.most = std::max(column.most, line.cost.*column.value);
  float right = right_;
  for (std::size_t i = columns_.size(); i-- > 0;) {
    EditorColumn& column = columns_[i];
    const float head = canvas_.measure(tr(column.head), {Font::words, 10.5f * type_, {}}),
                number = canvas_.measure(grouped(column.most), {Font::mono, 10.5f * type_, {}});
    column.width = std::max({head, number + 4 * type_, (column.above ? 40.f : 30.f) * type_});
    column.right = right, right -= column.width + 10 * type_;
  }
  // The text of lines that cost something comes first, then the columns from the right.
  float widest = 200 * type_;
  for (const reader::ProgramLine& line : desk_.scene()->launch().lines)
    if (desk_.is_this_file(line.file) && line.line > 0 && line.line <= desk_.edit.lines())
      widest = std::max(
          widest, x_of(line.line - 1, desk_.edit.line(line.line - 1).size()) + desk_.scroll_x - text_x_);
  constexpr float kFewestColumns = 56;  // of text that stand beside all three
  widest = std::min(widest, kFewestColumns * canvas_.measure("0", code({})));
  const auto room = [&] { return columns_.front().right - columns_.front().width - 8 * type_ - text_x_; };
  const auto right_to_left = [&] {
    float edge = right_;
    for (std::size_t i = columns_.size(); i-- > 0; edge -= columns_[i].width + 10 * type_)
      columns_[i].right = edge;
  };
  if (room() < widest)  // a column without a number is the first to go
    std::erase_if(columns_, [](const EditorColumn& column) { return column.most == 0; }), right_to_left();
  if (columns_.size() > 2 && room() < widest) columns_.erase(columns_.begin());
  while (!columns_.empty() && room() < 200 * type_) columns_.erase(columns_.begin());
}

float EditorPane::x_of(int line, std::size_t byte) const {
  const ShownLine shown = shown_line(desk_.edit.line(line));
  return text_x_ - desk_.scroll_x +
         canvas_.measure(std::string_view(shown.text).substr(0, shown.at[byte]), code({}));
}

// The gap between two characters that is nearest to the pointer.
std::size_t EditorPane::place_at(Vec2 pointer) const {
  const int row = std::clamp(int(std::floor((pointer.y - body_.y) / step_ + desk_.scroll)), 0, rows() - 1);
  const int line = row_at(row).line;
  const std::string_view text = desk_.edit.line(line);
  const ShownLine shown = shown_line(text);
  std::size_t first = 0, last = text.size();  // widths grow with the place
  const auto x = [&](std::size_t byte) {
    return text_x_ - desk_.scroll_x +
           canvas_.measure(std::string_view(shown.text).substr(0, shown.at[byte]), code({}));
  };
  const auto next = [&](std::size_t byte) {
    do ++byte;
    while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xc0) == 0x80);
    return std::min(byte, text.size());
  };
  for (std::size_t at = first; at < last; at = next(at)) {
    if ((x(at) + x(next(at))) / 2 >= pointer.x) return desk_.edit.line_begin(line) + at;
  }
  return desk_.edit.line_begin(line) + last;
}

void EditorPane::answer_pointer(const Hit& hit) {
  if (hit.pressed && hit.pointer.x < text_x_ - 4 * type_) {  // a line's number chooses it for the stage
    const int row = std::clamp(int((hit.pointer.y - body_.y) / step_ + desk_.scroll), 0, rows() - 1);
    desk_.edit.go_to_line(row_at(row).line);
    desk_.caret_moved();
    return;
  }
  if (hit.clicked) desk_.focused = true, desk_.bar = ProgramDesk::Bar::none, desk_.typed_field.reset();
  if (!hit.pressed && !hit.held && !hit.double_clicked) return;
  if (hit.double_clicked)
    desk_.edit.select_word(place_at(hit.pointer));
  else if (hit.pressed)
    desk_.edit.place(place_at(hit.pointer), hit.shift), desk_.focused = true, desk_.caret_moved();
  else if (hit.dragged)
    desk_.edit.place(place_at(hit.pointer), true);
}

void EditorPane::keep_in_view(int row) {
  const int shown = std::max(1, int(body_.h / step_));
  if (float(row) < desk_.scroll) desk_.scroll = float(row);
  if (float(row) > desk_.scroll + float(shown - 1)) desk_.scroll = float(row - shown + 1);
}

// The caret comes into view when it has moved, the step's line when that has.
void EditorPane::scroll(const Hit& hit) {
  const int shown = std::max(1, int(body_.h / step_));
  desk_.rows_shown = std::max(1, shown - 2);
  constexpr float kRowsPerNotch = 3;
  desk_.scroll -= hit.wheel * kRowsPerNotch;
  if (lit_ > 0 && desk_.lit_line != lit_) {
    const int row = row_of(lit_ - 1);
    if (float(row) < desk_.scroll + 1 || float(row) > desk_.scroll + float(shown - 3))
      desk_.scroll = float(row - shown / 2);
    desk_.lit_line = lit_;
  }
  const std::size_t caret = desk_.edit.caret();
  if (desk_.scrolled_to_caret != caret) {
    const bool first = !desk_.scrolled_to_caret && caret == 0;
    desk_.scrolled_to_caret = caret;
    if (!first) {
      const int line = desk_.edit.caret_line();
      keep_in_view(row_of(line));
      const float edge = columns_.empty() ? right_ : columns_.front().right - columns_.front().width;
      const float x = x_of(line, caret - desk_.edit.line_begin(line)), margin = 24 * type_;
      if (x > edge - margin) desk_.scroll_x += x - edge + margin;
      if (x < text_x_) desk_.scroll_x = std::max(0.f, desk_.scroll_x - (text_x_ - x) - margin);
    }
  }
  desk_.scroll = std::clamp(std::round(desk_.scroll), 0.f, float(std::max(0, rows() - shown)));
}

// --- drawing

// "saved · compiled in 0.7 s · runs again when you stop typing"
void EditorPane::draw_header() {
  const float y = r_.y + 17 * type_, left = r_.x + 14 * type_;
  const TextStyle name{Font::mono_semibold, 11.5f * type_, theme_.ink},
      words{Font::words, 11 * type_, theme_.dim};
  const float name_w = std::min(r_.w * 0.4f, canvas_.measure(desk_.name(), name));
  canvas_.text_fit({left, y}, desk_.name(), name, name_w + 1);
  std::string text = desk_.unsaved() ? tr("not saved yet (Ctrl+S)") : tr("saved");
  if (desk_.busy())
    text += " · " + tr(desk_.progress_text());
  else if (desk_.failure())
    text += " · " + tr(*desk_.failure());
  else if (reader::has_error(desk_.diagnostics()))
    text += " · " + (desk_.run() ? tr("does not compile: the picture is that of the text before")
                                 : tr("does not compile"));
  else if (desk_.run()) {
    char seconds[16];
    std::snprintf(seconds, sizeof seconds, "%.1f", desk_.run()->compile_seconds);
    text += " · " + (desk_.run()->compile_seconds < 0.05 ? tr("compiled by clang")
                                                         : tr("compiled by clang in {0} s", {seconds}));
    if (desk_.runner()) text += " · " + tr("runs again when you stop typing");
  }
  if (desk_.note) text = tr(*desk_.note);
  const float x = left + name_w + 14 * type_;
  canvas_.text_fit({x, y}, text, words, r_.right() - kEditorRight * type_ - x);
}

// Above the columns; and that these counts are this compiler's, whatever else is on screen.
void EditorPane::draw_heads() {
  if (columns_.empty()) return;
  const float y = body_.y - 9 * type_;
  const TextStyle head{Font::words, 10.5f * type_, theme_.dim, Align::right};
  for (const EditorColumn& column : columns_) canvas_.text({column.right, y}, tr(column.head), head);
  const reader::ProgramLaunch& launch = desk_.scene()->launch();
  std::string text = tr("counts as compiled by clang");
  if (!launch.counts_complete())
    text = tr("{0} of {1} blocks, as compiled by clang",
              {grouped(launch.traced_blocks), grouped(launch.blocks)});
  const float x = r_.x + 14 * type_ + badge_symbol_width(theme_);
  const float room = columns_.front().right - columns_.front().width - x - 20 * type_;
  draw_badge_symbol(canvas_, theme_, {x - badge_symbol_width(theme_) / 2, y}, Provenance::emulated());
  TextStyle words{Font::words, 10.5f * type_, theme_.dim};
  if (!launch.counts_complete() && desk_.runner()) {
    const Hit hit =
        canvas_.hit("program/trace-all", {x, y - 8 * type_, std::min(room, 260 * type_), 16 * type_}, true);
    if (hit.hovered)
      words.color = theme_.ink, canvas_.tooltip(tr("click: run again and watch all blocks of this launch"));
    if (hit.clicked) desk_.trace_launch();
  }
  canvas_.text_fit({x + 6 * type_, y}, text, words, room);
  const float left = columns_.front().right - columns_.front().width;
  canvas_.hint(
      {left, y - 8 * type_, right_ - left, 16 * type_},
      tr("Times: how many warp instructions of this line moved data.") + "\n" +
          tr("Sectors: pieces of global memory, 32 bytes each, that the warps asked for.") + "\n" +
          tr("Wavefronts: passes through the 32 banks of shared memory.") + "\n" +
          tr("Counted over the traced blocks of this launch, as clang compiled them: another compiler may "
             "load wider, or keep a value in a register."));
}

void EditorPane::draw_selection(int line, float y) {
  const auto selection = desk_.edit.selection();
  const std::size_t begin = desk_.edit.line_begin(line), end = begin + desk_.edit.line(line).size();
  if (selection.empty() || selection.last < begin || selection.first > end) return;
  const std::size_t from = std::max(selection.first, begin), to = std::min(selection.last, end);
  const float x = x_of(line, from - begin);
  float width = x_of(line, to - begin) - x;
  if (selection.last > end) width += 6 * type_;  // its line end too
  canvas_.fill_rect(
      {x, y - step_ / 2 + 1, width, step_ - 2},
      desk_.takes_text() ? mix(theme_.panel, theme_.accent, theme_.dark ? 0.55f : 0.28f) : theme_.soft);
}

void EditorPane::draw_text(int line, float y, const CodeColors& colors) {
  const std::string_view text = desk_.edit.line(line);
  const ShownLine shown = shown_line(text);
  const auto& syntax = desk_.syntax()[std::size_t(line)];
  const float left = text_x_ - desk_.scroll_x;
  code_pieces(syntax, 0, text.size(), colors, [&](std::size_t from, std::size_t to, Color ink) {
    const std::string_view piece =
        std::string_view(shown.text).substr(shown.at[from], shown.at[to] - shown.at[from]);
    if (piece.find_first_not_of(' ') == piece.npos) return;
    const float x = left + canvas_.measure(std::string_view(shown.text).substr(0, shown.at[from]), code({}));
    if (x < right_) canvas_.text({x, y}, piece, code(ink));
  });
}

// A grey bar as long as the cost, the number on it; orange where fewer would have done and most of it is
// here.
void EditorPane::draw_costs(int line, float y, const CodeColors& colors) {
  const LineCost cost = desk_.cost_of(line + 1);
  for (const EditorColumn& column : columns_) {
    const std::int64_t value = cost.*column.value;
    if (value == 0) continue;
    const bool lit = line + 1 == lit_;
    const CodeColors& inks = !column.above ? colors : lit ? lit_bar_colors_ : bar_colors_;
    if (column.above && column.most > 0) {
      const float bar = std::max(3.f, column.width * float(double(value) / double(column.most)));
      canvas_.fill_rect({column.right - bar + 2 * type_, y - 7.5f * type_, bar + 2 * type_, 15 * type_},
                        lit ? lit_bar_ : bar_, 3);
    }
    const bool trouble = column.above && cost.*column.above > 0 && value == column.most;
    canvas_.text({column.right, y}, grouped(value),
                 {trouble ? Font::mono_semibold : Font::mono, 10.5f * type_,
                  trouble && !outdated_ ? inks.trouble
                  : outdated_           ? inks.dim
                                        : inks.ink,
                  Align::right});
  }
}

// Under the words of a line that something is wrong with.
void EditorPane::draw_squiggle(int line, float y) {
  const std::string_view text = desk_.edit.line(line);
  std::size_t from = std::min(text.find_first_not_of(" \t"), text.size()),
              to = text.find_last_not_of(" \t\r;{") + 1;
  for (const int d : desk_.diagnostics_at(line + 1)) {
    const int column = desk_.diagnostics()[std::size_t(d)].column;
    if (column < 1 || std::size_t(column) > text.size()) continue;
    from = std::size_t(column - 1), to = from + 1;
    while (to < text.size() && (std::isalnum(static_cast<unsigned char>(text[to])) || text[to] == '_')) ++to;
  }
  if (to <= from || to > text.size()) return;
  const float begin = x_of(line, from), end = std::min(x_of(line, to), right_), low = y + step_ * 0.36f;
  std::vector<Vec2> wave;
  for (float x = begin; x < end; x += 3 * type_)
    wave.push_back({x, low + (wave.size() % 2 ? 1.2f : -1.2f) * type_});
  if (wave.size() > 1) canvas_.polyline(wave, color::trouble, 1.2f);
}

void EditorPane::draw_note(const LineNote& note, float y) {
  const float x = note_x(note), top = y - step_ / 2;
  const Color ink = note.trouble ? theme_.readable(color::trouble) : theme_.dim;
  canvas_.push_clip({r_.x, top, r_.w, step_});
  canvas_.text_wrap({x, top - float(note.part) * step_}, note.text, {Font::words, 11 * type_, ink},
                    right_ - x, step_);
  canvas_.pop_clip();
}

void EditorPane::draw_line(int line, float y) {
  const bool lit = line + 1 == lit_;
  const CodeColors& colors = lit ? lit_colors_ : colors_;
  const Rect band{r_.x + 1, y - step_ / 2, r_.w - 2, step_};
  const bool at_caret = line == desk_.edit.caret_line() && desk_.takes_text() && canvas_.interactive();
  if (lit)
    canvas_.fill_rect(band, theme_.highlight);
  else if (at_caret)
    canvas_.fill_rect(band, mix(theme_.panel, theme_.soft, 0.6f));
  canvas_.text({r_.x + gutter_ - 4 * type_, y}, number_text(line + 1),
               {Font::mono, 9.5f * type_, at_caret || lit ? colors.ink : colors.dim, Align::right});
  const float costs = columns_.empty() ? right_ : columns_.front().right - columns_.front().width - 6 * type_;
  const bool has_costs = desk_.cost_of(line + 1).times > 0;
  canvas_.push_clip({text_x_ - 2, band.y, (has_costs ? costs : right_ + 4) - text_x_ + 2, band.h});
  draw_selection(line, y);
  draw_text(line, y, colors);
  const auto note = std::lower_bound(notes_.begin(), notes_.end(), line,
                                     [](const LineNote& n, int l) { return n.line < l; });
  if (note != notes_.end() && note->line == line && note->trouble) draw_squiggle(line, y);
  if (at_caret && caret_ && desk_.focused && desk_.bar == ProgramDesk::Bar::none)
    canvas_.fill_rect({std::round(x_of(line, desk_.edit.caret() - desk_.edit.line_begin(line))),
                       y - step_ * 0.42f, 1.5f, step_ * 0.84f},
                      theme_.ink);
  canvas_.pop_clip();
  const float edge = has_costs ? costs : right_ + 4;
  if (x_of(line, desk_.edit.line(line).size()) > edge) {  // it goes on below its costs, or out of sight
    const float width = canvas_.measure("…", code({}));
    canvas_.fill_rect({edge - width - 2, band.y, width + 4, band.h}, lit ? theme_.highlight : theme_.panel);
    canvas_.text({edge - width, y}, "…", code(colors.dim));
  }
  if (has_costs) draw_costs(line, y, colors);
}

void EditorPane::draw_scrollbar() {
  const int shown = std::max(1, int(body_.h / step_));
  if (rows() <= shown || !canvas_.interactive()) return;
  const float bar = std::max(16.f, body_.h * float(shown) / float(rows()));
  const float down = desk_.scroll / float(rows() - shown);
  canvas_.fill_rect({r_.right() - 5, body_.y + (body_.h - bar) * down, 3, bar}, theme_.line, 1.5f);
}

std::string EditorPane::hint_of(int line) const {
  const reader::ProgramLine* one = desk_.line_of_launch(line + 1);
  if (!one || one->cost.times == 0) return "";
  std::string text =
      tr("line {0}, warp instructions: {1}", {number_text(line + 1), grouped(one->cost.times)});
  if (one->cost.sectors > 0)
    text += "\n" + tr("sectors: {0}; the fewest for these lanes: {1}",
                      {grouped(one->cost.sectors), grouped(one->cost.sectors - one->cost.sectors_above)});
  if (one->cost.wavefronts > 0)
    text += "\n" +
            tr("wavefronts in shared memory: {0}; the fewest for these lanes: {1}",
               {grouped(one->cost.wavefronts), grouped(one->cost.wavefronts - one->cost.wavefronts_above)});
  if (const int width = std::max(one->global_width, one->shared_width); width > 0)
    text += "\n" + tr("bytes a lane, as compiled by clang: {0}", {number_text(width)});
  return text;
}

void EditorPane::draw() {
  canvas_.fill_rect(r_, theme_.panel, kCorner);
  const Hit hit = canvas_.hit("program/editor", body_, true);
  desk_.editor_area = body_;
  answer_pointer(hit);
  scroll(hit);
  draw_heads();
  const int first = int(desk_.scroll), last = std::min(rows(), first + std::max(1, int(body_.h / step_)));
  canvas_.push_clip({body_.x, body_.y, body_.w, body_.h});
  for (int row = first; row < last; ++row) {
    const Row at = row_at(row);
    const float y = row_y(row) + step_ / 2;
    if (at.note < 0)
      draw_line(at.line, y);
    else
      draw_note(notes_[std::size_t(at.note)], y);
  }
  canvas_.pop_clip();
  draw_scrollbar();
  draw_header();
  if (hit.focused && !desk_.takes_text()) draw_focus_ring(canvas_, theme_, r_.inset(2), 4);
  if (!hit.hovered || hit.held || columns_.empty()) return;
  const Row under = row_at(std::clamp(int((hit.pointer.y - body_.y) / step_ + desk_.scroll), 0, rows() - 1));
  if (hit.pointer.x < columns_.front().right - columns_.front().width) return;
  if (const std::string text = hint_of(under.line); !text.empty()) canvas_.tooltip(text);
}

// Over the upper right corner of the editor.
void draw_bar(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool caret) {
  if (desk.bar == ProgramDesk::Bar::none || desk.bar == ProgramDesk::Bar::shape) return;
  const float type = theme.type, width = std::min(r.w - 40, 360 * type), height = 38 * type;
  const Rect box{r.right() - width - 14, r.y + 6, width, height};
  desk.bar_area = box;
  canvas.hit("program/bar", box);
  canvas.fill_rect({box.x + 1, box.y + 2, box.w, box.h}, Color{0, 0, 0, 40}, kCorner);
  canvas.fill_rect(box, theme.panel, kCorner);
  canvas.stroke_rect(box, theme.line, 1, kCorner);
  const bool find = desk.bar == ProgramDesk::Bar::find;
  const std::string label = find ? tr("find") : tr("go to line");
  const TextStyle words{Font::words, 11.5f * type, theme.dim};
  canvas.text({box.x + 12, box.center().y}, label, words);
  std::string found;
  if (find && desk.bar_edit.length() > 0) {
    const int count = desk.edit.count(desk.bar_edit.text());
    found = count == 0 ? tr("none") : grouped(count);
  } else if (!find) {
    found = tr("1 to {0}", {number_text(desk.edit.lines())});
  }
  const float label_w = canvas.measure(label, words) + 24, found_w = canvas.measure(found, words) + 16;
  FieldLook look;
  look.caret = caret, look.wrong = desk.bar_missed, look.font = Font::mono, look.size = 11.4f;
  draw_text_field(canvas, theme, "program/bar/field",
                  {box.x + label_w, box.y + 6, box.w - label_w - found_w - 8, box.h - 12}, desk.bar_edit,
                  look);
  canvas.text({box.right() - 12, box.center().y}, found,
              {Font::words, 11.5f * type, theme.dim, Align::right});
}

}  // namespace

void draw_editor(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool caret) {
  EditorPane(canvas, desk, r, theme, caret).draw();
  draw_bar(canvas, desk, r, theme, caret);
}

}  // namespace lockstep
