#include "flights.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr float kLift = 34;       // px: how far a curve rises above its ends
constexpr std::size_t kKept = 4;  // paths that stay

struct Path {
  Vec2 from, control_from, control_to, to;
};

Path path_of(const Flight& f, float top) {
  const float reach = (f.to.x - f.from.x) * 0.36f;
  const float lift = std::min(kLift, std::abs(f.to.x - f.from.x) * 0.25f);
  return {f.from,
          {f.from.x + reach, std::max(std::min(top, f.from.y), f.from.y - lift)},
          {f.to.x - reach, std::max(std::min(top, f.to.y), f.to.y - lift)},
          f.to};
}

Vec2 point_at(const Path& p, float t) {
  const float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p.from.x + b * p.control_from.x + c * p.control_to.x + d * p.to.x,
          a * p.from.y + b * p.control_from.y + c * p.control_to.y + d * p.to.y};
}

void draw_curve(Canvas& canvas, const Path& p, Color color, float width) {
  canvas.curve(p.from, p.control_from, p.control_to, p.to, color, width);
}

}  // namespace

float flight_progress(int turn, int turns, float motion) {
  if (motion >= 1) return 1;
  if (turns <= 1) return std::max(motion, 0.f);
  constexpr float kUnderWay = 0.3f;  // of the step's time
  const float start = (1 - kUnderWay) * float(turn) / float(turns - 1);
  return std::clamp((motion - start) / kUnderWay, 0.f, 1.f);
}

int turns_arrived(int turns, float motion) {
  int arrived = 0;
  while (arrived < turns && flight_progress(arrived, turns, motion) >= 1) ++arrived;
  return arrived;
}

void draw_falling_word(Canvas& canvas, Vec2 from, Vec2 to, float bend, float at, float side) {
  const float reach = (to.y - from.y) * bend;
  const Vec2 p = point_at({from, {from.x, from.y + reach}, {to.x, to.y - reach}, to}, at);
  canvas.fill_rect({p.x - side / 2, p.y - side / 2, side, side}, color::registers, 1.5f);
}

void draw_flights(Canvas& canvas, const Flights& flights, float motion) {
  const std::size_t count = flights.all.size();
  if (motion >= 1) {
    if (!flights.paths_stay) return;
    const std::size_t every = std::max<std::size_t>(1, (count + kKept - 2) / (kKept - 1));
    for (std::size_t i = 0; i < count; ++i)
      if (i % every == 0 || i + 1 == count)
        draw_curve(canvas, path_of(flights.all[i], flights.top), flights.color.with_alpha(0.75f), 1.2f);
    return;
  }
  for (const Flight& f : flights.all) {
    const float at = flight_progress(f.turn, flights.turns, motion);
    if (at <= 0 || at >= 1) continue;
    const Path path = path_of(f, flights.top);
    constexpr float kSide = 7;
    const Vec2 square = point_at(path, at);
    draw_curve(canvas, path, flights.color.with_alpha(0.6f), 1.2f);
    canvas.fill_rect({square.x - kSide / 2, square.y - kSide / 2, kSide, kSide}, flights.color, 1.5f);
  }
}

}  // namespace lockstep
