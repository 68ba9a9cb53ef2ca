#include "timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "controls.hpp"
#include "language.hpp"
#include "number_text.hpp"
#include "text_field.hpp"

namespace lockstep {
namespace {

constexpr float kLeastBar = 3;           // px: what is shorter is merged
constexpr std::size_t kMostEdges = 160;  // above it only those of what is picked out are drawn
constexpr float kAxis = 20, kGroup = 22;
constexpr float kPlate = 22;  // px at type size 1
constexpr float kInset = 4;   // between a lane's edge and its first moment

struct LaneSize {
  float row, gap, pad;
};
// From generous to dense; the second last is taken where no size fits all lanes.
constexpr std::array<LaneSize, 7> kSizes{
    {{48, 16, 6}, {32, 10, 4}, {24, 8, 3}, {20, 7, 3}, {16, 5, 2}, {12, 3, 1}, {7, 1, 0}}};
constexpr std::size_t kFullSize = 2;  // what timeline_height() asks for

std::size_t rows_of(const TimelineLane& lane) { return std::max<std::size_t>(1, lane.rows.size()); }

bool begins_group(const Timeline& t, std::size_t lane, std::size_t first_shown) {
  const std::string& group = t.lanes[lane].group;
  return !group.empty() && (lane == first_shown || t.lanes[lane - 1].group != group);
}

float lane_height(const Timeline& t, std::size_t lane, std::size_t first_shown, const LaneSize& size) {
  return float(rows_of(t.lanes[lane])) * size.row + 2 * size.pad + size.gap +
         (begins_group(t, lane, first_shown) ? kGroup : 0);
}

float height_of(const Timeline& t, const LaneSize& size) {
  float h = 0;
  for (std::size_t l = 0; l < t.lanes.size(); ++l) h += lane_height(t, l, 0, size);
  return h;
}

// A lane on screen.
struct LaneBox {
  std::uint32_t lane = 0;
  Rect box;
  float row = 0, pad = 0;  // height of a row, distance to the box
  bool group = false;      // its group's name stands above it
};

// A bar on screen.
struct DrawnBar {
  Rect r;
  std::uint32_t lane = 0, row = 0;
  TimelineBar bar;
};

const TimelineKind& kind_of(const TimelinePicture& picture, std::uint16_t kind) {
  static const TimelineKind plain{"", Color::hex(0x8D959C), false};
  return picture.kinds.empty() ? plain : picture.kinds[std::min<std::size_t>(kind, picture.kinds.size() - 1)];
}

class Drawing {
 public:
  Drawing(Canvas& canvas, const Theme& theme, Rect r, const TimelinePicture& picture,
          const TimelineView& view)
      : canvas_(canvas), theme_(theme), picture_(picture), t_(*picture.timeline), type_(theme.type) {
    hit_.view = view;
    const float label = picture.label_width * type_;
    lanes_ = {r.x + label, r.y, r.w - label, r.h - kAxis * type_};
    labels_ = {r.x, r.y, label, r.h};
    time_ = {lanes_.x + kInset, lanes_.y, lanes_.w - 2 * kInset, lanes_.h};
  }

  TimelineHit draw(std::span<const TimelineKey> keys) {
    if (time_.w < 40 || time_.h < 12 * type_) return hit_;
    for (const TimelineKey key : keys) hit_.view = with_key(picture_, hit_.view, key, &hit_.chosen);
    const Hit pointer = canvas_.hit(picture_.id, lanes_);
    move_view(pointer);
    shown_ = shown_range(picture_, hit_.view);
    matches_ = matching_names(t_, view().search);
    lay_out();
    reveal_chosen();
    find_bars();
    ask_pointer(pointer);
    paint();
    return hit_;
  }

 private:
  const TimelineView& view() const { return hit_.view; }
  double time_at(float x) const {
    return shown_.start_ns + double(x - time_.x) / double(time_.w) * (shown_.end_ns - shown_.start_ns);
  }
  float x_of(double ns) const {
    return time_.x + float((ns - shown_.start_ns) / (shown_.end_ns - shown_.start_ns) * double(time_.w));
  }
  double ns_per_px() const { return (shown_.end_ns - shown_.start_ns) / double(time_.w); }

  void move_view(const Hit& pointer);
  void lay_out();
  void reveal_chosen();
  void find_bars();
  void ask_pointer(const Hit& pointer);
  void tell(const DrawnBar& bar);
  const LaneBox* box_of(std::uint32_t lane) const;
  std::optional<Rect> rect_of(std::uint32_t id) const;
  bool matched(const DrawnBar& bar) const;

  void paint();
  void paint_lanes();
  void paint_bar(const DrawnBar& bar);
  void name_bar(const DrawnBar& bar, const TimelineKind& kind, bool dimmed, float until);
  void paint_edges();
  void paint_edge(const TimelineEdge& edge, bool strong);
  void paint_now(float x, float top, float bottom);
  void paint_picked();
  std::vector<Rect> now_frames() const;
  void paint_brush();
  void paint_axis();
  void paint_search();
  void paint_more();

  Canvas& canvas_;
  const Theme& theme_;
  const TimelinePicture& picture_;
  const Timeline& t_;
  const float type_;
  Rect lanes_, labels_, time_;
  TimeRange shown_;
  std::vector<bool> matches_;  // [name]; empty: no search
  std::vector<LaneBox> boxes_;
  int hidden_lanes_ = 0;  // below
  float axis_y_ = 0;      // below the last lane
  std::vector<DrawnBar> bars_;
  const DrawnBar* hovered_ = nullptr;
  Rect measured_{};  // what the brush says, at the axis
  TimelineHit hit_;
};

// --- what the reader does

void Drawing::move_view(const Hit& pointer) {
  shown_ = shown_range(picture_, view());
  const double at = time_at(pointer.pointer.x);
  if (pointer.wheel != 0)
    hit_.view = pointer.shift ? panned(picture_, view(), -double(pointer.wheel) * 60 * ns_per_px())
                              : zoomed(picture_, view(), at, std::pow(0.8, double(pointer.wheel)));
  if (pointer.right_pressed || (pointer.pressed && pointer.shift)) hit_.view.brush = {at, at};
  const bool brushing = pointer.right_held || (pointer.held && pointer.shift);
  if (brushing && view().brush) hit_.view.brush->end_ns = at;
  if (!brushing && pointer.held && pointer.dragged && pointer.moved.x != 0)
    hit_.view = panned(picture_, view(), -double(pointer.moved.x) * ns_per_px());
}

void Drawing::lay_out() {
  LaneSize size = kSizes[kSizes.size() - 2];
  // As much of the next larger size as fills the height.
  const auto between = [&](const LaneSize& fitting, const LaneSize& larger) {
    const float h = height_of(t_, fitting), more = height_of(t_, larger) - h;
    const float part = more > 0 ? std::clamp((lanes_.h / type_ - h) / more, 0.f, 1.f) : 0;
    return LaneSize{fitting.row + part * (larger.row - fitting.row),
                    fitting.gap + part * (larger.gap - fitting.gap),
                    fitting.pad + part * (larger.pad - fitting.pad)};
  };
  std::size_t first = 0;
  const auto scaled = [&](float px) { return px * type_; };
  const auto fits = std::find_if(kSizes.begin(), kSizes.end(),
                                 [&](const LaneSize& s) { return scaled(height_of(t_, s)) <= lanes_.h; });
  if (fits != kSizes.end())
    size = fits == kSizes.begin() ? *fits : between(*fits, *(fits - 1));
  else
    first = std::size_t(std::clamp<std::int64_t>(view().first_lane, 0, std::ssize(t_.lanes) - 1));
  // Where not all of them fit, a plate below the axis says so, if a lane or two are left above it.
  const bool plate = fits == kSizes.end() && lanes_.h > scaled(3 * kPlate);
  const float lowest = lanes_.bottom() - (plate ? scaled(kPlate) : 0);
  float y = lanes_.y;
  boxes_.clear();
  for (std::size_t l = first; l < t_.lanes.size(); ++l) {
    bool group = begins_group(t_, l, first);
    float h = scaled(lane_height(t_, l, first, size));
    if (boxes_.empty() && group && y + h > lowest + 1) group = false, h -= scaled(kGroup);
    if (y + h > lowest + 1 && !boxes_.empty()) break;
    const float top = y + (group ? scaled(kGroup) : 0), bottom = y + h - scaled(size.gap);
    boxes_.push_back({std::uint32_t(l),
                      {lanes_.x, top, lanes_.w, std::min(bottom, lowest) - top},
                      scaled(size.row),
                      scaled(size.pad),
                      group});
    y += h;
  }
  hidden_lanes_ = int(t_.lanes.size() - first - boxes_.size());
  axis_y_ = boxes_.empty() ? lowest : std::min(lowest, boxes_.back().box.bottom() + 3 * type_);
}

// A span that a key has selected comes into view.
void Drawing::reveal_chosen() {
  const auto place = hit_.chosen ? t_.find(*hit_.chosen) : std::nullopt;
  if (!place || box_of(place->lane)) return;
  hit_.view.first_lane = int(place->lane);
  lay_out();
}

const LaneBox* Drawing::box_of(std::uint32_t lane) const {
  const auto at =
      std::find_if(boxes_.begin(), boxes_.end(), [&](const LaneBox& b) { return b.lane == lane; });
  return at == boxes_.end() ? nullptr : &*at;
}

void Drawing::find_bars() {
  const auto t0 = std::int64_t(std::floor(shown_.start_ns)), t1 = std::int64_t(std::ceil(shown_.end_ns));
  for (const LaneBox& box : boxes_) {
    const TimelineLane& lane = t_.lanes[box.lane];
    for (std::uint32_t row = 0; row < lane.rows.size(); ++row) {
      const float y = box.box.y + box.pad + float(row) * box.row;
      if (row > 0 && y + box.row > box.box.bottom() + 1) break;
      for (const TimelineBar& bar : fold(lane, row, t0, t1, kLeastBar * ns_per_px())) {
        const float left = std::max(x_of(double(bar.start_ns)), time_.x - kInset),
                    right = std::min(x_of(double(bar.end_ns)), time_.right() + kInset);
        bars_.push_back({{left, y, std::max(right - left, 1.5f), box.row - (box.row > 8 ? 1.f : 0.f)},
                         box.lane,
                         row,
                         bar});
      }
    }
  }
}

void Drawing::ask_pointer(const Hit& pointer) {
  if (!pointer.hovered) return;
  const Vec2 p = pointer.pointer;
  for (const DrawnBar& bar : bars_) {
    const float slack = bar.r.w < 6 ? 2.f : 0.f;
    if (p.y >= bar.r.y && p.y < bar.r.bottom() && p.x >= bar.r.x - slack && p.x < bar.r.right() + slack)
      hovered_ = &bar;
  }
  const bool clicked = pointer.clicked && !pointer.dragged && !pointer.shift;
  if (!hovered_) {
    if (clicked) hit_.clicked_ns = time_at(p.x);
    if (clicked) hit_.view.selected = 0;
    return;
  }
  const TimelineLane& lane = t_.lanes[hovered_->lane];
  const RowRange spans = hovered_->bar.spans;
  const TimelineSpan& span = lane.spans[lane.rows[hovered_->row].spans[spans.first]];
  const double length = double(hovered_->bar.end_ns - hovered_->bar.start_ns);
  if (spans.count() == 1) hit_.hovered = span.id;
  if (clicked && spans.count() == 1) hit_.chosen = hit_.view.selected = span.id;
  const bool closer = spans.count() == 1 ? pointer.double_clicked : clicked;
  if (closer)
    hit_.view = showing(picture_, view(),
                        {double(hovered_->bar.start_ns) - length, double(hovered_->bar.end_ns) + length});
  tell(*hovered_);
}

void Drawing::tell(const DrawnBar& bar) {
  const TimelineLane& lane = t_.lanes[bar.lane];
  const TimelineSpan& span = lane.spans[lane.rows[bar.row].spans[bar.bar.spans.first]];
  const std::string length = span_text(double(bar.bar.end_ns - bar.bar.start_ns)),
                    start = span_text(double(bar.bar.start_ns));
  if (bar.bar.spans.count() > 1) {
    const std::string most = kind_of(picture_, bar.bar.kind).name;
    canvas_.tooltip(
        tr("{0} spans in {1}, from {2} on", {grouped(std::int64_t(bar.bar.spans.count())), length, start}) +
        (most.empty() ? "" : "\n" + tr("most of it: {0}", {most})) + "\n" + tr("click: look closer"));
    return;
  }
  canvas_.tooltip(picture_.tell ? picture_.tell(span)
                                : t_.names[span.name] + "\n" + tr("{0}, from {1} on", {length, start}));
}

// --- what is seen

void Drawing::paint() {
  paint_lanes();
  canvas_.push_clip(lanes_);
  for (std::size_t i = 0; i < bars_.size(); ++i) {
    const DrawnBar& bar = bars_[i];
    paint_bar(bar);
    const bool last = i + 1 == bars_.size() || bars_[i + 1].lane != bar.lane || bars_[i + 1].row != bar.row;
    const TimelineKind& kind = kind_of(picture_, bar.bar.kind);
    if (bar.bar.spans.count() == 1 && !kind.gap && bar.r.h >= 11 * type_)
      name_bar(bar, kind, !matched(bar), last ? lanes_.right() : bars_[i + 1].r.x);
  }
  paint_edges();
  paint_picked();
  paint_brush();
  canvas_.pop_clip();
  paint_axis();
  paint_search();
}

void Drawing::paint_lanes() {
  const TextStyle name{Font::words, 12 * type_, theme_.dim, Align::right},
      group{Font::words_semibold, 12.5f * type_, theme_.ink};
  const int most = std::max(3, int(time_.w / (110 * type_)));
  const auto ticks = time_ticks(shown_, most);
  float named = lanes_.y - 20 * type_;
  for (const LaneBox& box : boxes_) {
    const TimelineLane& lane = t_.lanes[box.lane];
    if (box.group)
      canvas_.text_fit({labels_.x, box.box.y - 10 * type_}, lane.group, group, labels_.w + lanes_.w);
    canvas_.fill_rect(box.box, theme_.soft, std::min(6.f, box.box.h / 3));
    for (const TimeTick& tick : ticks)
      canvas_.line({x_of(tick.ns), box.box.y}, {x_of(tick.ns), box.box.bottom()}, theme_.line);
    const float y = box.box.y + box.pad + box.row / 2;
    const std::string& text = lane.name < t_.names.size() ? t_.names[lane.name] : lane.group;
    if (y - named >= 13 * type_) {
      canvas_.text_fit({lanes_.x - 10 * type_, y}, text, name, labels_.w - 12 * type_);
      named = y;
    } else {
      canvas_.hint({labels_.x, box.box.y, labels_.w, box.box.h}, text);
    }
  }
}

bool Drawing::matched(const DrawnBar& bar) const {
  if (matches_.empty()) return true;
  const TimelineLane& lane = t_.lanes[bar.lane];
  const auto& spans = lane.rows[bar.row].spans;
  for (std::size_t i = bar.bar.spans.first; i < bar.bar.spans.end; ++i)
    if (matches_[lane.spans[spans[i]].name]) return true;
  return false;
}

void Drawing::paint_bar(const DrawnBar& bar) {
  const TimelineKind& kind = kind_of(picture_, bar.bar.kind);
  Color color = kind.gap ? mix(theme_.soft, kind.color, 0.55f) : kind.color;
  if (!matched(bar)) color = mix(color, theme_.soft, 0.78f);
  const bool single = bar.bar.spans.count() == 1;
  Rect r = bar.r;
  if (single && !kind.gap && r.w > 5) r.w -= 1;  // neighbours stay apart
  canvas_.fill_rect(r, color, single && !kind.gap && r.w >= 8 ? std::min(4.f, r.h / 4) : 0);
  if (&bar == hovered_) canvas_.stroke_rect(r, theme_.ink, 1, 4);
}

// In the bar where it fits, else behind it where there is room until the next one.
void Drawing::name_bar(const DrawnBar& bar, const TimelineKind& kind, bool dimmed, float until) {
  if (until - bar.r.x < 14 * type_) return;
  const TimelineLane& lane = t_.lanes[bar.lane];
  const TimelineSpan& span = lane.spans[lane.rows[bar.row].spans[bar.bar.spans.first]];
  const std::string& name = t_.names[span.name];
  if (name.empty()) return;
  const float size = (bar.r.h >= 17 * type_ ? 12.5f : 10.5f) * type_;
  TextStyle style{Font::words_semibold, size, Theme::on(kind.color), Align::center};
  if (dimmed) style.color = theme_.dim;
  const std::string shorter = span.name < picture_.short_names.size() ? picture_.short_names[span.name] : "";
  const auto fits = [&](const std::string& text) {
    return !text.empty() && canvas_.measure(text, style) + 6 * type_ <= bar.r.w;
  };
  if (fits(name)) return canvas_.text(bar.r.center(), name, style);
  if (!fits(shorter)) style.size = 10.5f * type_;
  if (fits(shorter)) return canvas_.text(bar.r.center(), shorter, style);
  if (shorter.empty() && bar.r.w >= 44 * type_) {
    canvas_.text_fit(bar.r.center(), name, style, bar.r.w - 8 * type_);
  } else if (bar.r.right() + canvas_.measure(name, style) + 12 * type_ <= until && !dimmed) {
    style.font = Font::words, style.color = theme_.dim, style.align = Align::left;
    canvas_.text({bar.r.right() + 5 * type_, bar.r.center().y}, name, style);
  }
}

// Where a span is, whether it is drawn alone or not; nothing where it is not in view.
std::optional<Rect> Drawing::rect_of(std::uint32_t id) const {
  const auto place = t_.find(id);
  const LaneBox* box = place ? box_of(place->lane) : nullptr;
  if (!box) return {};
  const TimelineSpan& span = t_.at(*place);
  if (double(span.end_ns) < shown_.start_ns || double(span.start_ns) > shown_.end_ns) return {};
  const float left = std::max(x_of(double(span.start_ns)), time_.x - kInset),
              right = std::min(x_of(double(span.end_ns)), time_.right() + kInset);
  return Rect{left, box->box.y + box->pad + float(span.depth) * box->row, std::max(right - left, 1.5f),
              box->row - (box->row > 8 ? 1.f : 0.f)};
}

void Drawing::paint_edges() {
  std::vector<std::uint32_t> picked = picture_.now_spans;
  if (view().selected) picked.push_back(view().selected);
  if (hit_.hovered) picked.push_back(*hit_.hovered);
  std::vector<std::uint32_t> strong, weak;
  for (const std::uint32_t id : picked)
    for (const std::uint32_t e : t_.edges_of(id)) strong.push_back(e);
  for (const DrawnBar& bar : bars_) {
    if (bar.bar.spans.count() > 1) continue;
    const TimelineLane& lane = t_.lanes[bar.lane];
    for (const std::uint32_t e : t_.edges_of(lane.spans[lane.rows[bar.row].spans[bar.bar.spans.first]].id))
      weak.push_back(e);
  }
  for (auto* edges : {&strong, &weak}) {
    std::sort(edges->begin(), edges->end());
    edges->erase(std::unique(edges->begin(), edges->end()), edges->end());
  }
  if (weak.size() <= kMostEdges)
    for (const std::uint32_t e : weak)
      if (!std::binary_search(strong.begin(), strong.end(), e)) paint_edge(t_.edges[e], false);
  if (strong.size() > kMostEdges) strong.resize(kMostEdges);
  for (const std::uint32_t e : strong) paint_edge(t_.edges[e], true);
}

// From the moment in the one span that is nearest to the other's beginning.
void Drawing::paint_edge(const TimelineEdge& edge, bool strong) {
  const auto from = rect_of(edge.from), to = rect_of(edge.to);
  if (!from || !to) return;
  const bool same_row = std::abs(from->y - to->y) < 1;
  if (same_row && (!strong || to->x - from->right() < 6)) return;
  const float x0 = std::clamp(to->x, from->x, from->right());
  const bool down = to->y > from->y;
  const Vec2 a{x0, same_row ? from->center().y
                   : down   ? from->bottom()
                            : from->y},
      b{to->x + std::min(2.f, to->w / 2), same_row ? to->center().y
                                          : down   ? to->y
                                                   : to->bottom()};
  const Color color = strong ? theme_.ink : theme_.dim.with_alpha(0.75f);
  const float bend = (b.y - a.y) * 0.5f;
  if (std::abs(b.x - a.x) > 60 * type_ && !same_row)
    canvas_.curve(a, {a.x, a.y + bend}, {b.x, b.y - bend}, b, color, strong ? 1.6f : 1.f);
  else
    canvas_.line(a, b, color, strong ? 1.6f : 1.f);
}

void Drawing::paint_now(float x, float top, float bottom) {
  if (!theme_.dark) canvas_.line({x, top}, {x, bottom}, theme_.ink.with_alpha(0.55f), 4);
  canvas_.line({x, top}, {x, bottom}, color::current, 2);
}

// The current step in yellow, the selected span in ink, the current time as a line that leaves titles alone.
void Drawing::paint_picked() {
  if (picture_.now_ns && *picture_.now_ns >= shown_.start_ns && *picture_.now_ns <= shown_.end_ns &&
      !boxes_.empty()) {
    for (std::size_t first = 0, last = 0; first < boxes_.size(); first = ++last) {
      while (last + 1 < boxes_.size() && !boxes_[last + 1].group) ++last;
      paint_now(x_of(*picture_.now_ns), boxes_[first].box.y, boxes_[last].box.bottom());
    }
  }
  if (const auto r = view().selected ? rect_of(view().selected) : std::nullopt)
    canvas_.stroke_rect(r->inset(-1.5f), theme_.ink, 2, 5);
  for (const Rect& r : now_frames()) {
    if (!theme_.dark) canvas_.stroke_rect(r.inset(-1), theme_.ink.with_alpha(0.55f), 4, 5);
    canvas_.stroke_rect(r.inset(-1), color::current, 2, 5);
  }
}

// Around each of the current step's spans, or around several that follow one another in a row.
std::vector<Rect> Drawing::now_frames() const {
  std::vector<Rect> frames;
  for (const std::uint32_t id : picture_.now_spans) {
    const auto r = rect_of(id);
    if (!r) continue;
    const bool goes_on =
        !frames.empty() && std::abs(frames.back().y - r->y) < 1 && std::abs(frames.back().right() - r->x) < 2;
    if (goes_on)
      frames.back().w = r->right() - frames.back().x;
    else
      frames.push_back(*r);
  }
  return frames;
}

void Drawing::paint_brush() {
  if (!view().brush || boxes_.empty()) return;
  const float a = x_of(std::min(view().brush->start_ns, view().brush->end_ns)),
              b = x_of(std::max(view().brush->start_ns, view().brush->end_ns));
  const float left = std::clamp(a, lanes_.x, lanes_.right()), right = std::clamp(b, lanes_.x, lanes_.right());
  const float top = boxes_.front().box.y, bottom = boxes_.back().box.bottom();
  if (right > left) canvas_.fill_rect({left, top, right - left, bottom - top}, color::l2.with_alpha(0.18f));
  for (const float x : {a, b})
    if (x >= lanes_.x && x <= lanes_.right()) canvas_.line({x, top}, {x, bottom}, color::l2, 1.5f);
}

// What the brush measured, else round times.
void Drawing::paint_axis() {
  const float y = axis_y_ + kAxis * type_ / 2 + 1;
  if (view().brush && view().brush->start_ns != view().brush->end_ns) {
    const Measure m = measure_of(t_, *view().brush, picture_.kinds);
    std::string text = tr("Δt {0} · spans: {1}", {span_text(m.length_ns), grouped(std::int64_t(m.spans))});
    for (std::size_t k = 0; k < m.ns_by_kind.size(); ++k)
      if (m.ns_by_kind[k] > 0 && !picture_.kinds[k].name.empty())
        text += " · " + picture_.kinds[k].name + " " + span_text(m.ns_by_kind[k]);
    const TextStyle style{Font::words, 11.5f * type_, theme_.ink, Align::center};
    const float width = std::min(canvas_.measure(text, style) + 1, lanes_.w - 16);
    const float middle = (x_of(view().brush->start_ns) + x_of(view().brush->end_ns)) / 2;
    const float x = std::clamp(middle, lanes_.x + width / 2 + 8, lanes_.right() - width / 2 - 8);
    measured_ = {x - width / 2 - 8, y - 9 * type_, width + 16, 18 * type_};
    canvas_.fill_rect(measured_, theme_.panel, 5);
    canvas_.stroke_rect(measured_, color::l2, 1, 5);
    canvas_.text_fit({x, y}, text, style, width);
  }
  const TextStyle style{Font::mono, 10.5f * type_, theme_.dim, Align::center};
  float used = lanes_.x - 8;
  for (const TimeTick& tick : time_ticks(shown_, std::max(3, int(time_.w / (110 * type_))))) {
    const float half = canvas_.measure(tick.text, style) / 2;
    const float x = std::clamp(x_of(tick.ns), lanes_.x + half, lanes_.right() - half);
    const bool covered = measured_.w > 0 && x + half > measured_.x - 6 && x - half < measured_.right() + 6;
    if (x - half < used + 8 || covered) continue;
    canvas_.text({x, y}, tick.text, style);
    used = x + half;
  }
}

// Below the lanes' names: what is searched for, and how many lanes did not fit.
void Drawing::paint_search() {
  if (!picture_.searchable && !picture_.search && view().search.empty()) return paint_more();
  const Rect r{labels_.x, axis_y_, labels_.w - 10 * type_, kAxis * type_};
  hit_.search_area = r;
  if (picture_.search) {
    draw_text_field(canvas_, theme_, picture_.id + "/search", r, *picture_.search,
                    {Font::words, 11, picture_.caret_shown});
    return paint_more();
  }
  const Hit hit = canvas_.hit(picture_.id + "/search", r, true);
  if (hit.clicked) hit_.wants_search = true;
  if (hit.focused) draw_focus_ring(canvas_, theme_, r, 4);
  std::string text = canvas_.interactive() ? tr("search (F)") : "";
  TextStyle style{Font::words, 11 * type_, hit.hovered ? theme_.ink : theme_.dim, Align::right};
  if (!view().search.empty()) {
    std::size_t count = 0;
    for (const TimelineLane& lane : t_.lanes)
      for (const TimelineSpan& span : lane.spans) count += !matches_.empty() && matches_[span.name];
    text = view().search;
    if (!matches_.empty()) text += " · " + grouped(std::int64_t(count));
    style.color = theme_.ink;
    canvas_.fill_rect({r.x, r.y + 2, r.w + 6 * type_, r.h - 3}, theme_.soft, 4);
  }
  canvas_.text_fit({r.right(), r.center().y + 1}, text, style, r.w - 4 * type_);
  paint_more();
}

// That there are lanes outside the picture: a click goes to them, from the last ones back to the first.
void Drawing::paint_more() {
  if (hidden_lanes_ == 0 && (boxes_.empty() || boxes_.front().lane == 0)) return;
  const std::string more =
      hidden_lanes_ > 0 ? tr("{0} more lanes ↓", {grouped(hidden_lanes_)}) : tr("to the first lane ↑");
  const TextStyle plate{Font::words, 11 * type_, theme_.ink, Align::center};
  const float width = canvas_.measure(more, plate) + 16 * type_;
  const bool below = lanes_.h > 3 * kPlate * type_;
  const Rect at{lanes_.right() - width - 8,
                below ? axis_y_ + (kAxis + 2) * type_ : lanes_.bottom() - kPlate * type_, width, 18 * type_};
  canvas_.fill_rect(at, theme_.panel, 5);
  canvas_.stroke_rect(at, theme_.line, 1, 5);
  canvas_.text(at.center(), more, plate);
  const Hit hit = canvas_.hit(picture_.id + "/more", at, true);
  if (hit.focused) draw_focus_ring(canvas_, theme_, at, 4);
  if (!hit.clicked) return;
  hit_.view.first_lane = hidden_lanes_ > 0 ? int(boxes_.front().lane) + int(boxes_.size()) : 0;
}

}  // namespace

float timeline_height(const Theme& theme, const TimelinePicture& picture) {
  return (height_of(*picture.timeline, kSizes[kFullSize]) + kAxis) * theme.type;
}

float tallest_timeline(const Theme& theme, const TimelinePicture& picture) {
  return (height_of(*picture.timeline, kSizes.front()) + kAxis) * theme.type;
}

TimelineHit draw_timeline(Canvas& canvas, const Theme& theme, Rect r, const TimelinePicture& picture,
                          const TimelineView& view, std::span<const TimelineKey> keys) {
  canvas.landmark("timeline", r);
  return Drawing(canvas, theme, r, picture, view).draw(keys);
}

}  // namespace lockstep
