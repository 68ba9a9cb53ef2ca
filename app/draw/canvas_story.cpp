#include "canvas_story.hpp"

#include <algorithm>

namespace lockstep {
namespace {

Rect common(Rect a, Rect b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.f, std::min(a.right(), b.right()) - x),
          std::max(0.f, std::min(a.bottom(), b.bottom()) - y)};
}

bool lies_in(Rect inner, Rect outer) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() &&
         inner.bottom() <= outer.bottom();
}

// "costs" hides every column of costs.
bool is_named(const std::string& hidden, const std::string& landmark) {
  return landmark == hidden || landmark.starts_with(hidden + "/");
}

}  // namespace

StoryCanvas::StoryCanvas(Canvas& canvas, const StoryMask& mask, bool everywhere)
    : ForwardCanvas(canvas), mask_(mask), everywhere_(everywhere) {}

const Landmark* StoryCanvas::at(Vec2 place) const {
  for (auto one = landmarks_.rbegin(); one != landmarks_.rend(); ++one)
    if (one->area.contains(place)) return &*one;
  return nullptr;
}

bool StoryCanvas::hides(const Landmark& one) const {
  return std::any_of(mask_.hides.begin(), mask_.hides.end(),
                     [&](const std::string& hidden) { return is_named(hidden, one.name); });
}

bool StoryCanvas::veiled(Vec2 place) const {
  return std::any_of(landmarks_.begin(), landmarks_.end(),
                     [&](const Landmark& one) { return one.area.contains(place) && hides(one); });
}

std::string StoryCanvas::told(std::string_view text, MaskedNumbers which) const {
  return mask_.answer ? mask_answer(text, *mask_.answer, which) : std::string(text);
}

MaskedNumbers StoryCanvas::masked_in(const std::string& landmark, const TextStyle& style) const {
  const bool about_it = mask_.answer && names_what_is_asked(landmark, *mask_.answer);
  if (landmark.starts_with(kCosts)) {  // of a column the lines that are asked about
    const bool asked = mask_.answer && mask_.answer->of_this_step && landmark.ends_with(kNow);
    if (about_it) return asked ? MaskedNumbers::all : MaskedNumbers::bare;
  } else if (about_it && landmark.find(' ') == landmark.npos) {
    return MaskedNumbers::all;  // the wavefronts
  }
  // The headline's figures and a plot's labels are bold; what stands below and along the axes is no answer.
  const bool bold = style.font == Font::mono_semibold || style.font == Font::words_semibold;
  if (landmark == kNumbers || ((landmark == kHeadline || landmark == kCurves) && bold))
    return MaskedNumbers::bare;
  return everywhere_ ? MaskedNumbers::named : MaskedNumbers::worded;
}

void StoryCanvas::text(Vec2 at_line, std::string_view utf8, const TextStyle& style) {
  if (veiled(at_line)) return;
  const TextStyle scaled = in_scale(style);
  const Landmark* here = at(at_line);
  const std::string name = here ? here->name : "";
  const std::string shown = name == kScale ? std::string(utf8) : told(utf8, masked_in(name, style));
  canvas_.text(at_line, shown, style);
  const bool head = name.starts_with(kCosts) && style.font == Font::words;
  const bool title =
      style.font == Font::words_semibold || (style.font == Font::words && name == kSentence) || head;
  if (!title || style.align == Align::center) return;
  const float back = style.align == Align::right ? measure(shown, style) : 0;
  lines_.push_back({shown, {at_line.x - back, at_line.y}, scaled});
}

void StoryCanvas::push_clip(Rect r) {
  clips_.push_back(clips_.empty() ? r : common(clips_.back(), r));
  canvas_.push_clip(r);
}

void StoryCanvas::pop_clip() {
  clips_.pop_back();
  canvas_.pop_clip();
}

Hit StoryCanvas::hit(std::string_view id, Rect r, bool focusable) {
  return veiled(r.center()) ? Hit{} : canvas_.hit(id, r, focusable);
}

// Line by line: what stands beside a number that is kept back is mostly the same thing once more.
std::string StoryCanvas::told_lines(std::string_view text) const {
  std::string all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find('\n', begin));
    const std::string_view line = text.substr(begin, end - begin);
    std::string shown = told(line, MaskedNumbers::named);
    if (shown != line) shown = told(line, MaskedNumbers::bare);
    all += (begin > 0 ? "\n" : "") + shown;
    begin = end + 1;
  }
  return all;
}

void StoryCanvas::tooltip(std::string_view utf8) { canvas_.tooltip(told_lines(utf8)); }

void StoryCanvas::hint(Rect r, std::string_view utf8) {
  if (!veiled(r.center())) canvas_.hint(r, told_lines(utf8));
}

// Here it is drawn in its place; in a figure of it, on the figure's own canvas.
void StoryCanvas::part(std::string_view name, Rect r, const std::function<void(Canvas&, Rect)>& draw) {
  canvas_.part(name, r, [&](Canvas& on, Rect place) { draw(&on == &canvas_ ? *this : on, place); });
}

void StoryCanvas::landmark(std::string_view name, Rect r) {
  const Rect seen = clips_.empty() ? r : common(clips_.back(), r);
  if (seen.w > 0 && seen.h > 0) landmarks_.push_back({std::string(name), seen});
  canvas_.landmark(name, r);
}

void StoryCanvas::draw_veils(const Theme& theme, const std::string& words) {
  constexpr float kRoomForWords = 160;
  std::vector<Rect> veils;
  // What is hidden, and what lies in it; not what it lies in, as the stage.
  for (const Landmark& one : landmarks_)
    if (std::any_of(landmarks_.begin(), landmarks_.end(),
                    [&](const Landmark& hidden) { return hides(hidden) && lies_in(one.area, hidden.area); }))
      veils.push_back(one.area);
  for (const Rect& veil : veils) canvas_.fill_rect(veil, mix(theme.ground, theme.soft, 0.7f), 6);
  for (std::size_t i = 0; i < veils.size(); ++i) {
    const Rect& area = veils[i];
    const bool within = std::any_of(veils.begin(), veils.begin() + std::ptrdiff_t(i),
                                    [&](const Rect& veil) { return veil.contains(area.center()); });
    if (within) continue;  // the veil around it has the words
    const TextStyle style{Font::words, 12.5f * theme.type, theme.dim, Align::center};
    const float width = area.w - 24, line = 18 * theme.type;
    const float height = float(canvas_.count_lines(words, style, width)) * line;
    const Vec2 middle = area.center();
    if (area.w > kRoomForWords * theme.type && height <= area.h)
      canvas_.text_wrap({middle.x, middle.y - height / 2}, words, style, width, line);
    else
      canvas_.text(middle, "?", style);
  }
}

}  // namespace lockstep
