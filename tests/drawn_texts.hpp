// What is wrong with the texts of a drawing: sentences for a test to show.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "app/draw/canvas_svg.hpp"

namespace lockstep::test {

inline Rect visible(const SvgCanvas::DrawnText& t) {
  const float x = std::max(t.rect.x, t.clip.x), y = std::max(t.rect.y, t.clip.y);
  return {x, y, std::min(t.rect.right(), t.clip.right()) - x, std::min(t.rect.bottom(), t.clip.bottom()) - y};
}

inline bool overlap(Rect a, Rect b) {
  constexpr float kTouch = 1.5f, kAir = 0.1f;  // boxes are as high as the em, letters are not
  return std::min(a.right(), b.right()) - std::max(a.x, b.x) > kTouch &&
         std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y) > std::max(kTouch, kAir * std::min(a.h, b.h));
}

// Texts that lie on one another or run out of their area sideways. What a scrolled panel hides is fine.
inline std::vector<std::string> faults_of(const std::vector<SvgCanvas::DrawnText>& texts) {
  std::vector<std::string> faults;
  struct Seen {
    Rect rect;
    const SvgCanvas::DrawnText* text;
  };
  std::vector<Seen> seen;
  for (const auto& t : texts) {
    const Rect r = visible(t);
    if (r.h <= 0 || r.w <= 0) continue;
    if (t.rect.x < t.clip.x - 0.6f || t.rect.right() > t.clip.right() + 0.6f)
      faults.push_back("cut off: " + t.text);
    seen.push_back({r, &t});
  }
  // From the top down: one that begins below another's end lies on neither it nor what is above it.
  std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.rect.y < b.rect.y; });
  for (std::size_t i = 0; i < seen.size(); ++i)
    for (std::size_t j = i + 1; j < seen.size() && seen[j].rect.y < seen[i].rect.bottom(); ++j)
      if (overlap(seen[i].rect, seen[j].rect))
        faults.push_back("'" + seen[j].text->text + "' lies on '" + seen[i].text->text + "'");
  return faults;
}

}  // namespace lockstep::test
