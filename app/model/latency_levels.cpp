#include "latency_levels.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

struct Point {
  std::int64_t footprint;
  double latency;
};

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_of(std::span<const Point> points) {
  std::vector<double> values;
  for (const Point& p : points) values.push_back(p.latency);
  return median_of(std::move(values));
}

// From the first point to the last one, by the straight line through all of them over the octaves.
double rise_of(std::span<const Point> points) {
  double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
  for (const Point& p : points) {
    const double x = std::log2(double(p.footprint));
    n += 1, x_sum += x, y_sum += p.latency, xx += x * x, xy += x * p.latency;
  }
  const double spread = n * xx - x_sum * x_sum;
  const double octaves = std::log2(double(points.back().footprint) / double(points.front().footprint));
  return spread > 0 ? (n * xy - x_sum * y_sum) / spread * octaves : 0;
}

// Whether all points lie near their median, and no slope goes through them.
bool is_flat(std::span<const Point> points, double tolerance) {
  const double middle = median_of(points);
  for (const Point& p : points)
    if (std::abs(p.latency - middle) > tolerance * middle) return false;
  return std::abs(rise_of(points)) <= tolerance * middle;
}

// The longest flat stretch that begins at the first point; 0 where none is long enough.
std::size_t flat_from_first(std::span<const Point> points, double tolerance) {
  constexpr std::size_t kLeastPoints = 3;
  std::size_t longest = 0;
  for (std::size_t n = kLeastPoints; n <= points.size(); ++n)
    if (points[n - 1].footprint >= 2 * points[0].footprint && is_flat(points.first(n), tolerance))
      longest = n;
  return longest;
}

Plateau plateau_of(std::span<const Point> points) {
  return {points.front().footprint, points.back().footprint, median_of(points), int(points.size())};
}

struct Flat {
  std::size_t begin, count;
};

// Stretches that do not overlap, the longest first.
std::vector<Flat> flats_in(std::span<const Point> points, double tolerance) {
  std::vector<Flat> all;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (const std::size_t n = flat_from_first(points.subspan(i), tolerance)) all.push_back({i, n});
  std::stable_sort(all.begin(), all.end(), [](const Flat& a, const Flat& b) { return a.count > b.count; });
  std::vector<Flat> kept;
  for (const Flat& flat : all)
    if (std::none_of(kept.begin(), kept.end(), [&](const Flat& k) {
          return flat.begin < k.begin + k.count && k.begin < flat.begin + flat.count;
        }))
      kept.push_back(flat);
  std::sort(kept.begin(), kept.end(), [](const Flat& a, const Flat& b) { return a.begin < b.begin; });
  return kept;
}

}  // namespace

std::vector<Plateau> plateaus_of(const std::map<std::int64_t, double>& latency, double tolerance,
                                 double step) {
  std::vector<Point> points;
  for (const auto& [footprint, value] : latency)
    if (std::isfinite(value) && value > 0) points.push_back({footprint, value});
  std::vector<Plateau> plateaus;
  const std::span<const Point> all(points);
  std::size_t begin = 0;  // of the plateau that is last so far
  for (const Flat& flat : flats_in(all, tolerance)) {
    const Plateau found = plateau_of(all.subspan(flat.begin, flat.count));
    if (!plateaus.empty() && found.latency < step * plateaus.back().latency) {
      plateaus.back() = plateau_of(all.subspan(begin, flat.begin + flat.count - begin));
      continue;
    }
    plateaus.push_back(found), begin = flat.begin;
  }
  return plateaus;
}

const Plateau* plateau_at(std::span<const Plateau> plateaus, std::int64_t footprint) {
  for (const Plateau& p : plateaus)
    if (p.first <= footprint && footprint <= p.last) return &p;
  return nullptr;
}

std::optional<double> far_latency(const std::map<std::int64_t, double>& latency, double near,
                                  std::int64_t half) {
  std::vector<double> far;
  for (const auto& [footprint, mean] : latency) {
    const double share = double(half) / double(footprint);  // that is near
    if (footprint * 5 < half * 6 || footprint > 2 * half) continue;
    far.push_back((mean - share * near) / (1 - share));
  }
  if (far.size() < 3) return {};
  const double middle = median_of(far);
  for (const double one : far)
    if (!(std::abs(one - middle) <= 0.05 * middle)) return {};
  return middle >= 1.2 * near ? std::optional(middle) : std::nullopt;
}

std::optional<TwoLevels> two_levels(std::span<const double> values) {
  constexpr std::size_t kLeastValues = 8;
  if (values.size() < kLeastValues) return {};
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = double(sorted.size());
  double sum = 0, squares = 0;
  for (const double v : sorted) sum += v, squares += v * v;
  const double variance = squares / n - sum / n * (sum / n);
  double below = 0, best = 0;
  std::size_t split = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    below += sorted[i - 1];
    const double share = double(i) / n, low = below / double(i), high = (sum - below) / (n - double(i));
    const double between = share * (1 - share) * (high - low) * (high - low);
    if (sorted[i] > sorted[i - 1] && between > best) best = between, split = i;
  }
  const double share = double(split) / n;
  if (!split || best < 0.85 * variance || std::min(share, 1 - share) < 0.05) return {};
  const auto at = sorted.begin() + std::ptrdiff_t(split);
  return TwoLevels{median_of(std::vector(sorted.begin(), at)), median_of(std::vector(at, sorted.end())),
                   share};
}

}  // namespace lockstep
