// What a pointer chase says of the levels of a memory: plateaus of its latency over the footprint, and, where
// lines of one level are at two distances, which two.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace lockstep {

// A stretch of footprints over which the latency hardly changes.
struct Plateau {
  std::int64_t first = 0, last = 0;  // the footprints at its ends, in the curve's own unit
  double latency = 0;                // the median of its points
  int points = 0;
};

// The plateaus of a latency over footprints, ascending. A plateau has at least three points, spans at least
// twice its first footprint, its points lie within `tolerance` of their median, and the straight line through
// them rises by no more than that. Its latency is at least `step` times that of the plateau before: nearer
// ones are one. A flat curve has one plateau, a ramp none.
std::vector<Plateau> plateaus_of(const std::map<std::int64_t, double>& latency, double tolerance = 0.08,
                                 double step = 1.2);

// The plateau that a footprint lies on; nullptr between two and outside.
const Plateau* plateau_at(std::span<const Plateau> plateaus, std::int64_t footprint);

// What a cache's far half takes, by a walk's mean beyond the footprint that its near half holds: there `half`
// of every footprint is near, and the rest far. Of the footprints from 1.2 times `half` to twice as much as
// it; nothing where these are fewer than three, do not agree within 5 %, or say that far is not 1.2 times as
// far.
std::optional<double> far_latency(const std::map<std::int64_t, double>& latency, double near,
                                  std::int64_t half);

// Two groups of values, split where the groups' spread is least (Otsu 1979).
struct TwoLevels {
  double low = 0, high = 0;  // the medians
  double low_share = 0;      // of the values
};
// Nothing where the values are fewer than eight, or are not in two groups: the split must take away 85 %
// of the variance (of evenly spread values it takes 75 %) and each group have a twentieth of the values.
std::optional<TwoLevels> two_levels(std::span<const double> values);

}  // namespace lockstep
