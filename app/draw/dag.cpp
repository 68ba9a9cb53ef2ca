#include "dag.hpp"

#include <algorithm>

#include "language.hpp"
#include "number_text.hpp"

namespace lockstep {

std::vector<int> dag_columns(std::span<const DagBox> boxes) {
  std::vector<int> columns(boxes.size(), 0);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (const int before : boxes[i].after)
      columns[i] = std::max(columns[i], columns[std::size_t(before)] + 1);
  return columns;
}

namespace {

// Of what stands at an end of a graph that is wider than its place: "3 before".
constexpr float kSide = 62;

constexpr float kBoxHeight = 30, kLeastColumn = 58, kMostColumn = 112, kLeastRow = 22, kMostRow = 64;
constexpr float kGapShare = 0.3f;  // of a column, between two boxes

TextStyle label_style(const Theme& theme, Color ink) {
  return {Font::words_semibold, 10.5f * theme.type, ink, Align::center};
}

// Wide enough for any label.
float least_column(const Canvas& canvas, const Theme& theme, std::span<const DagBox> boxes) {
  float widest = 0;
  for (const DagBox& box : boxes)
    widest = std::max(widest, canvas.measure(box.label, label_style(theme, {})));
  return std::max(kLeastColumn * theme.type, (widest + 8) / (1 - kGapShare));
}

// The columns that are drawn, and where the boxes stand.
class Layout {
 public:
  Layout(const Canvas& canvas, const Theme& theme, Rect r, std::span<const DagBox> boxes)
      : area_(r), columns_(dag_columns(boxes)), rows_(boxes.size(), 0) {
    for (const int column : columns_) count_ = std::max(count_, column + 1);
    std::vector<int> in_column(std::size_t(count_), 0);
    for (std::size_t i = 0; i < boxes.size(); ++i) rows_[i] = in_column[std::size_t(columns_[i])]++;
    in_column_ = std::move(in_column);
    const float type = theme.type;
    const float least = least_column(canvas, theme, boxes);
    int fit = std::max(1, int(r.w / least));
    if (count_ > fit) fit = std::max(1, int((r.w - 2 * kSide * type) / least));
    shown_ = std::min(count_, fit);
    int middle = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (boxes[i].current) middle = columns_[i];
    first_ = std::clamp(middle - shown_ / 2, 0, count_ - shown_);
    const float side = count_ > shown_ ? kSide * type : 0;
    inner_ = {r.x + side, r.y, r.w - 2 * side, r.h};
    width_ = std::min(std::max(kMostColumn * type, least), inner_.w / float(shown_));
    int most = 1;
    for (int column = first_; column < first_ + shown_; ++column)
      most = std::max(most, in_column_[std::size_t(column)]);
    height_ = std::clamp(r.h / float(most), kLeastRow * type, kMostRow * type);
    rows_fit_ = std::max(1, int(r.h / height_));
  }
  bool shown(std::size_t box) const {
    return columns_[box] >= first_ && columns_[box] < first_ + shown_ && rows_[box] < rows_fit_;
  }
  Rect box(std::size_t i, const Theme& theme) const {
    const int in_column = std::min(rows_fit_, in_column_[std::size_t(columns_[i])]);
    const float left = inner_.x + (inner_.w - width_ * float(shown_)) / 2;
    const float h = std::min(kBoxHeight * theme.type, height_ - 6);
    const float y = inner_.center().y + (float(rows_[i]) - float(in_column - 1) / 2) * height_;
    const float gap = std::min(26 * theme.type, width_ * kGapShare);
    return {left + float(columns_[i] - first_) * width_ + gap / 2, y - h / 2, width_ - gap, h};
  }
  int left_out_before() const { return first_; }
  int left_out_behind() const { return count_ - first_ - shown_; }
  // Boxes of the shown columns that have no room.
  int left_out_below() const {
    int all = 0;
    for (int column = first_; column < first_ + shown_; ++column)
      all += std::max(0, in_column_[std::size_t(column)] - rows_fit_);
    return all;
  }
  Rect area() const { return area_; }

 private:
  Rect area_, inner_;
  std::vector<int> columns_, rows_, in_column_;
  int count_ = 1, first_ = 0, shown_ = 1, rows_fit_ = 1;
  float width_ = 0, height_ = 0;
};

void draw_edge(Canvas& canvas, const Theme& theme, Rect from, Rect to) {
  const Vec2 a{from.right(), from.center().y}, b{to.x, to.center().y};
  const float reach = std::max(6.f, (b.x - a.x) / 2);
  canvas.curve(a, {a.x + reach, a.y}, {b.x - reach, b.y}, b, theme.dim.with_alpha(0.8f), 1.2f);
}

void draw_box(Canvas& canvas, const Theme& theme, Rect r, const DagBox& box) {
  constexpr float kRadius = 5;
  if (box.done)
    canvas.fill_rect(r, box.color, kRadius);
  else
    canvas.fill_rect(r, theme.panel, kRadius), canvas.stroke_rect(r, box.color, 1.5f, kRadius);
  if (box.current) canvas.stroke_rect(r.inset(-2), color::current, 2.5f, kRadius + 2);
  const Color ink = box.done ? Theme::on(box.color) : theme.ink;
  canvas.text_fit(r.center(), box.label, label_style(theme, ink), r.w - 6);
}

}  // namespace

float dag_height(const Theme& theme, std::span<const DagBox> boxes) {
  std::vector<int> in_column(boxes.size() + 1, 0);
  int most = 1;
  for (const int column : dag_columns(boxes)) most = std::max(most, ++in_column[std::size_t(column)]);
  return float(most) * (kBoxHeight + 10) * theme.type;
}

std::optional<int> draw_dag(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                            std::span<const DagBox> boxes) {
  canvas.landmark("order", r);
  std::optional<int> clicked;
  if (boxes.empty()) return clicked;
  const Layout layout(canvas, theme, r, boxes);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (const int before : boxes[i].after)
      if (layout.shown(i) && layout.shown(std::size_t(before)))
        draw_edge(canvas, theme, layout.box(std::size_t(before), theme), layout.box(i, theme));
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!layout.shown(i)) continue;
    const Rect at = layout.box(i, theme);
    draw_box(canvas, theme, at, boxes[i]);
    const Hit hit = canvas.hit(std::string(id) + "/" + std::to_string(i), at);
    if (hit.hovered && !boxes[i].hint.empty()) canvas.tooltip(boxes[i].hint);
    if (hit.clicked) clicked = int(i);
  }
  const TextStyle dim{Font::words, 11.5f * theme.type, theme.dim, Align::left};
  const auto more = [&](const std::string& text, float x, Align align) {
    TextStyle style = dim;
    style.align = align;
    canvas.text_fit({x, r.center().y}, text, style, kSide * theme.type - 4);
  };
  if (const int count = layout.left_out_before()) more(tr("{0} before", {grouped(count)}), r.x, Align::left);
  if (const int count = layout.left_out_behind())
    more(tr("{0} after", {grouped(count)}), r.right(), Align::right);
  if (const int below = layout.left_out_below())
    canvas.text({r.x, r.bottom() - 8}, tr("and {0} more in these columns", {grouped(below)}), dim);
  return clicked;
}

}  // namespace lockstep
