// The code pane: the kernel's text in colours, the executing line lit, the lines marked that are new since
// the rung before, and what each line cost at its right.
#include <algorithm>
#include <filesystem>

#include "app/draw/controls.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "code_colors.hpp"
#include "views.hpp"

namespace lockstep {

std::vector<int> executing_lines(App& app, const CodeText& code) {
  if (!app.has_steps() || app.run()->request.rung != app.state().rung) return {};
  const SourceLines lit = app.scene()->axis().lines(app.state().step);
  if (lit.file != source_id(*app.run(), code.file)) return {};
  std::vector<int> lines;
  for (const int line : lit.lines) lines.push_back(app.source(code.file).plain_line(line) - 1);
  return lines;
}

namespace {

constexpr float kRowHeight = 18, kHeadsHeight = 16, kTextLeft = 32, kRight = 10;
constexpr std::size_t kColumns = 80;  // of a line that is never wrapped where that many have room

// One row on screen: a line, or a piece of one that is wrapped.
struct Row {
  int line = 0;                      // from 0
  std::size_t first = 0, count = 0;  // bytes of the line
  std::size_t indent = 0;            // blanks in front, of what continues a line
};

bool in_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

// Broken at a space before `columns`, else at `columns`; what did not fit is indented further.
void append_wrapped(std::vector<Row>& rows, int line, std::string_view text, std::size_t columns) {
  constexpr std::size_t kHang = 4;
  const std::size_t indent = std::min(text.find_first_not_of(' '), columns / 2);
  std::size_t first = 0, hang = 0;
  while (text.size() - first + hang > columns) {
    const std::size_t room = columns - hang;
    std::size_t cut = text.rfind(' ', first + room);
    // A space of the indentation is no place to break.
    if (cut == text.npos || cut <= first || (first == 0 && cut <= indent + kHang)) cut = first + room;
    while (in_character(text, cut)) --cut;
    rows.push_back({line, first, cut - first, hang});
    first = cut < text.size() && text[cut] == ' ' ? cut + 1 : cut;
    hang = indent + kHang;
  }
  rows.push_back({line, first, text.size() - first, hang});
}

// A column of numbers at the right of the lines.
struct CostColumn {
  const char* head = "";
  std::string hint;
  std::int64_t LineCost::*value = nullptr;
  int most = -1;    // the line whose number stands out
  float right = 0;  // edge
};

class CodePane {
 public:
  CodePane(Canvas& canvas, App& app, Rect r);
  void draw();
  float height_of_all() const {
    return body_.y - r_.y + float(int(rows_.size()) - row_of(first_code_line(code_.lines))) * row_height() +
           6 * type_;
  }

 private:
  int row_of(int line) const {
    return int(std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.line >= line; }) -
               rows_.begin());
  }
  TextStyle code_style(Color color) const { return {Font::mono, 11.4f * type_, color}; }
  TextStyle head_style() const { return {Font::words, 10.5f * type_, theme_.dim, Align::right}; }
  float row_height() const { return kRowHeight * type_; }
  bool wraps() const { return right_ - text_x_ < float(kColumns) * advance_; }
  bool outdated() const;
  void place_columns();
  float width_of(const CostColumn& column) const;
  float costs_left() const;
  std::size_t columns_of(int line) const;
  std::string counted_in() const, counted_sentence() const, cost_sentences(int line) const;
  void draw_header(), draw_heads();
  void draw_switch(Rect r, const std::string& label);
  void scroll(const Hit& hit);
  void draw_row(const Row& row, float y);
  void draw_text(const Row& row, float y, float right, const CodeColors& colors);
  float draw_costs(const Row& row, float y, const CodeColors& colors);
  void draw_scrollbar(int first);

  Canvas& canvas_;
  App& app_;
  const Theme theme_;
  const CodeColors colors_, lit_colors_;
  const CodeText& code_;
  const Rect r_;
  const float type_, text_x_, right_, advance_;
  const std::vector<int> lit_;       // lines
  std::vector<CostColumn> columns_;  // from left to right
  Rect body_;                        // of the rows
  std::vector<Row> rows_;
  int visible_ = 1;
};

CodePane::CodePane(Canvas& canvas, App& app, Rect r)
    : canvas_(canvas),
      app_(app),
      theme_(app.theme()),
      colors_(code_colors(theme_, theme_.panel)),
      lit_colors_(code_colors(theme_, theme_.highlight)),
      code_(app.code_text()),
      r_(r),
      type_(theme_.type),
      text_x_(r.x + kTextLeft * type_),
      right_(r.right() - kRight * type_),
      advance_(canvas.measure("0", code_style({}))),
      lit_(executing_lines(app, code_)) {
  place_columns();
  const float top = panel_title_height(theme_) + (columns_.empty() ? 2 : kHeadsHeight) * type_;
  body_ = {r.x, r.y + top, r.w, std::max(0.f, r.h - top - 6 * type_)};
  for (int line = 0; line < int(code_.lines.size()); ++line)
    append_wrapped(rows_, line, code_.lines[std::size_t(line)], columns_of(line));
  visible_ = std::max(1, int(body_.h / row_height()));
}

// The run on the stage is still that of the settings before.
bool CodePane::outdated() const {
  const Request& shown = app_.run()->request;
  return app_.state().saved.empty() &&
         (shown.params != app_.state().params || shown.block != app_.state().block);
}

// That a line may have before it is wrapped.
std::size_t CodePane::columns_of(int line) const {
  constexpr std::size_t kFewest = 16;
  const bool beside_costs = wraps() || code_.costs[std::size_t(line)].times > 0;
  const float room = (beside_costs ? costs_left() - 4 * type_ : right_) - text_x_;
  return std::max(wraps() ? kFewest : kColumns, std::size_t(std::max(0.f, room / advance_)));
}

// "block (0, 0)": whose costs stand in the columns.
std::string CodePane::counted_in() const {
  const LineCosts& costs = app_.line_costs();
  if (outdated()) return tr("settings before the change");
  if (!costs.complete) return tr("what was kept of the block");
  if (costs.launches > 1) return tr("one block of each of {0} launches", {number_text(costs.launches)});
  const Launch& launch = app_.run()->launches[std::size_t(costs.first_launch)];
  return tr("block {0}", {block_text(launch, launch.trace.block)});
}

std::string CodePane::counted_sentence() const {
  const LineCosts& costs = app_.line_costs();
  const std::string from = provenance_text(provenance_of(*app_.run(), "counts"));
  if (outdated()) return tr("Counted before the settings changed; the new run is under way.");
  if (!costs.complete)
    return tr("Counted over the events that were kept, which are not all of the block: {0}.", {from});
  if (costs.launches > 1)
    return tr("Counted over one block of each of {0} launches, whichever step is shown: {1}.",
              {number_text(costs.launches), from});
  const Launch& launch = app_.run()->launches[std::size_t(costs.first_launch)];
  return tr("Counted over all of block {0}, whichever step is shown: {1}.",
            {block_text(launch, launch.trace.block), from});
}

float CodePane::width_of(const CostColumn& column) const {
  const float head = canvas_.measure(tr(column.head), head_style());
  return std::max(head, 36 * type_);
}

float CodePane::costs_left() const {
  return columns_.empty() ? right_ : columns_.front().right - width_of(columns_.front());
}

// As many columns as stand beside 80 columns of text, two of them at least; beside half as much text where
// lines are wrapped, or none.
void CodePane::place_columns() {
  if (!code_.has_costs) return;
  columns_ = {
      {N_("times"), tr("Times: how many warp instructions of this line moved data."), &LineCost::times, -1},
      {N_("sectors"),
       tr("Sectors: pieces of global memory, 32 bytes each, that the line's reads and writes touched."),
       &LineCost::sectors, code_.most_sectors},
      {N_("wavefronts"), tr("Wavefronts: passes through the 32 banks of shared memory."),
       &LineCost::wavefronts, code_.most_wavefronts}};
  float right = right_;
  for (std::size_t i = columns_.size(); i-- > 0; right -= width_of(columns_[i]) + 8 * type_)
    columns_[i].right = right;
  const float wanted = text_x_ + float(wraps() ? kColumns / 2 : kColumns) * advance_;
  if (costs_left() < wanted) columns_.erase(columns_.begin());
  if (wraps() && costs_left() < wanted) columns_.clear();
}

void CodePane::draw_switch(Rect r, const std::string& label) {
  const Hit hit = canvas_.hit("code/as", r, true);
  if (hit.hovered) canvas_.fill_rect(r, theme_.soft, kCorner);
  canvas_.text({r.center().x, r.center().y}, label,
               {Font::words, 11 * type_, hit.hovered ? theme_.ink : theme_.dim, Align::center});
  if (hit.focused) draw_focus_ring(canvas_, theme_, r);
  if (hit.hovered)
    canvas_.tooltip(
        app_.plain_source
            ? tr("The kernel as plain CUDA, line by line. P or a click shows exactly what is compiled.")
            : tr("This is exactly what is compiled. P or a click shows it as plain CUDA."));
  if (hit.clicked) app_.plain_source = !app_.plain_source;
}

void CodePane::draw_header() {
  const float y = r_.y + 16 * type_, left = r_.x + 12 * type_, gap = 14 * type_;
  const std::string as = app_.plain_source ? tr("as CUDA (P)") : tr("as compiled here (P)");
  const bool switchable = canvas_.interactive();
  const TextStyle words{Font::words, 11 * type_, theme_.dim},
      name{Font::mono_semibold, 11.5f * type_, theme_.ink};
  const float as_w = switchable ? canvas_.measure(as, words) + 12 * type_ : 0;
  const Rect button{r_.right() - as_w - 6 * type_, y - 10 * type_, as_w, 20 * type_};
  std::string differing;
  if (!code_.before.empty()) {
    const std::string before = std::filesystem::path(code_.before).stem().string();
    differing = code_.differing == 1
                    ? tr("1 line differs from {0}", {before})
                    : tr("{0} lines differ from {1}", {number_text(code_.differing), before});
  }
  const float name_w = canvas_.measure(code_.file, name), room = button.x - gap - left;
  canvas_.text_fit({left, y}, code_.file, name, room);
  if (!differing.empty() && name_w + gap + canvas_.measure(differing, words) <= room)
    canvas_.text({left + name_w + gap, y}, differing, words);
  if (canvas_.hit("kernel", {r_.x, r_.y, button.x - r_.x, panel_title_height(theme_)}).hovered &&
      !differing.empty())
    canvas_.tooltip(differing + "\n" + tr("A bar at the left marks each of these lines."));
  if (switchable) draw_switch(button, as);
}

// Above the columns, and whose costs they are.
void CodePane::draw_heads() {
  if (columns_.empty()) return;
  const float y = body_.y - 8 * type_, height = kHeadsHeight * type_;
  const Provenance& provenance = provenance_of(*app_.run(), "counts");
  const std::string counted = counted_in(), orange = tr("Orange: the largest number that could be smaller.");
  for (const CostColumn& column : columns_) {
    const float width = width_of(column);
    canvas_.landmark(std::string(kCosts) + column.head,
                     {column.right - width, y - height / 2, width + 1, r_.bottom() - y + height / 2});
    canvas_.text({column.right, y}, tr(column.head), head_style());
    canvas_.hint({column.right - width, y - height / 2, width, height},
                 column.hint + "\n" + counted_sentence() + (column.most < 0 ? "" : "\n" + orange));
  }
  const float right = costs_left() - 14 * type_,
              badge = badge_width(canvas_, theme_, provenance) + 10 * type_;
  TextStyle style = head_style();
  if (right - badge - canvas_.measure(counted, style) < text_x_) return;
  draw_badge(canvas_, theme_, {right, y}, provenance);
  canvas_.text({right - badge, y}, counted, style);
  const float counted_w = canvas_.measure(counted, style);
  canvas_.hint({right - badge - counted_w, y - height / 2, counted_w, height},
               counted_sentence() + "\n" + orange);
}

// Another text opens at its first line of code; another step, text or size brings the lit lines into view.
void CodePane::scroll(const Hit& hit) {
  CodeScroll& s = app_.code_scroll;
  const CodeScroll now{s.top,
                       code_.file,
                       code_.plain,
                       app_.state().step,
                       int(rows_.size()),
                       visible_,
                       lit_.empty() ? -1 : lit_.front()};
  const bool other_text = s.file != now.file || s.plain != now.plain;
  const bool changed =
      other_text || s.step != now.step || s.rows != now.rows || s.visible != now.visible || s.lit != now.lit;
  s = now;
  if (other_text) s.top = float(row_of(first_code_line(code_.lines)));
  if (changed && !lit_.empty()) {
    const int first = row_of(lit_.front()), last = row_of(lit_.back() + 1) - 1;
    const bool fits = last - first < visible_;
    const bool in_view = float(first) >= s.top && float(fits ? last : first) < s.top + float(visible_);
    int top = fits ? (first + last - visible_ + 1) / 2 : first - 1;
    while (top > 0 && rows_[std::size_t(top)].first > 0) --top;  // not in the middle of a line
    if (!in_view) s.top = float(top);
  }
  constexpr float kRowsPerNotch = 3;
  s.top -= hit.wheel * kRowsPerNotch;
  s.top = std::clamp(s.top, 0.f, float(std::max(0, int(rows_.size()) - visible_)));
}

// The numbers of a line, from the right; returns where they begin.
float CodePane::draw_costs(const Row& row, float y, const CodeColors& colors) {
  const LineCost& cost = code_.costs[std::size_t(row.line)];
  float left = right_;
  if (row.first > 0) return left;
  for (const CostColumn& column : columns_) {
    const std::int64_t value = cost.*column.value;
    if (value == 0) continue;
    const bool most = column.most == row.line && !outdated();
    const TextStyle style{most ? Font::mono_semibold : Font::mono, 10.5f * type_,
                          most ? colors.trouble : colors.dim, Align::right};
    const std::string text = grouped(value);
    left = std::min(left, column.right - canvas_.measure(text, style) - 4 * type_);
    canvas_.text({column.right, y}, text, style);
  }
  return left;
}

// Piece by piece, each in its colour; what does not fit before `right` ends in an ellipsis.
void CodePane::draw_text(const Row& row, float y, float right, const CodeColors& colors) {
  const std::string_view line = code_.lines[std::size_t(row.line)];
  const std::size_t end = row.first + row.count;
  float x = text_x_ + float(row.indent) * advance_;
  const float whole = canvas_.measure(line.substr(row.first, row.count), code_style(colors.ink));
  const bool fits = x + whole <= right;
  bool cut = false;
  const auto piece = [&](std::size_t from, std::size_t to, Color color) {
    if (cut) return;
    const std::string_view text = line.substr(from, to - from);
    const TextStyle style = code_style(color);
    const float width = canvas_.measure(text, style);
    // The last piece before the edge makes room for the ellipsis.
    const bool last = !fits && x + width + 2 * advance_ > right;
    if (last)
      cut = true,
      canvas_.text_fit({x, y}, std::string(text) + std::string(line.substr(to, end - to)), style, right - x);
    else if (text.find_first_not_of(' ') != text.npos)
      canvas_.text({x, y}, text, style);
    x += width;
  };
  code_pieces(code_.syntax[std::size_t(row.line)], row.first, end, colors, piece);
  if (cut) canvas_.hint({text_x_, y - row_height() / 2, right - text_x_, row_height()}, line);
}

void CodePane::draw_row(const Row& row, float y) {
  const bool lit = std::find(lit_.begin(), lit_.end(), row.line) != lit_.end();
  const CodeColors& colors = lit ? lit_colors_ : colors_;
  if (lit) canvas_.fill_rect({r_.x + 1, y - row_height() / 2, r_.w - 2, row_height()}, theme_.highlight);
  if (code_.fresh[std::size_t(row.line)])
    canvas_.fill_rect({r_.x + 2, y - row_height() / 2, 3, row_height()}, color::shared);
  // The kernel file's numbers in either text: sentences name those.
  const PlainKernel& source = app_.source(code_.file);
  if (const int number = row.first ? 0 : source.kernel_line(row.line + 1); number > 0)
    canvas_.text({text_x_ - 7 * type_, y}, number_text(number),
                 {Font::mono, 9.5f * type_, colors.dim, Align::right});
  if (lit)
    for (const CostColumn& column : columns_)
      canvas_.landmark(
          std::string(kCosts) + column.head + std::string(kNow),
          {column.right - width_of(column), y - row_height() / 2, width_of(column) + 1, row_height()});
  draw_text(row, y, draw_costs(row, y, colors), colors);
}

// What a line cost, in sentences, and what it could have done with; "" for one that moves nothing.
std::string CodePane::cost_sentences(int line) const {
  const LineCost& cost = code_.costs[std::size_t(line)];
  if (cost.times == 0) return "";
  const auto n = [](std::int64_t value) { return grouped(value); };
  std::string text = tr("line {0}, warp instructions: {1}",
                        {number_text(app_.source(code_.file).kernel_line(line + 1)), n(cost.times)});
  if (cost.sectors > 0)
    text += "\n" + tr("sectors: {0}; the fewest for these lanes: {1}",
                      {n(cost.sectors), n(cost.sectors - cost.sectors_above)});
  if (cost.wavefronts > 0)
    text += "\n" + tr("wavefronts in shared memory: {0}; the fewest for these lanes: {1}",
                      {n(cost.wavefronts), n(cost.wavefronts - cost.wavefronts_above)});
  return text + "\n" + counted_sentence();
}

void CodePane::draw_scrollbar(int first) {
  if (int(rows_.size()) <= visible_ || !canvas_.interactive()) return;
  const float bar = body_.h * float(visible_) / float(rows_.size());
  const float down = float(first) / float(int(rows_.size()) - visible_);
  canvas_.fill_rect({r_.right() - 5, body_.y + (body_.h - bar) * down, 3, bar}, theme_.line, 1.5f);
}

void CodePane::draw() {
  draw_panel(canvas_, theme_, r_, "");
  const Hit hit = canvas_.hit("code", body_, true);
  app_.code_focused = hit.focused;
  if (hit.focused) draw_focus_ring(canvas_, theme_, r_.inset(2), 4);
  draw_heads();
  scroll(hit);
  const int first = int(app_.code_scroll.top + 0.5f), last = std::min(first + visible_, int(rows_.size()));
  canvas_.push_clip({r_.x + 1, body_.y, r_.w - 2, body_.h + 2});
  for (int i = first; i < last; ++i)
    draw_row(rows_[std::size_t(i)], body_.y + (float(i - first) + 0.5f) * row_height());
  canvas_.pop_clip();
  draw_scrollbar(first);
  draw_header();             // last: its switch changes which text the window shows
  if (!hit.hovered) return;  // else the pointer is nowhere
  const int under = first + int((hit.pointer.y - body_.y) / row_height());
  if (under < first || under >= last) return;
  if (const std::string text = cost_sentences(rows_[std::size_t(under)].line); !text.empty())
    canvas_.tooltip(text);
}

}  // namespace

float source_panel_height(Canvas& canvas, App& app, float width) {
  return CodePane(canvas, app, {0, 0, width, 10000}).height_of_all();
}

void draw_source_panel(Canvas& canvas, App& app, Rect r) { CodePane(canvas, app, r).draw(); }

}  // namespace lockstep
