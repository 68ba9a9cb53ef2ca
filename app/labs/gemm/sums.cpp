#include "sums.hpp"

#include <algorithm>
#include <cmath>

#include "app/labs/story.hpp"

namespace lockstep {
namespace {

// `rows` x `cols` of a matrix as numbers; it stands row by row, or column by column.
std::vector<double> numbers_of(const ViewInfo& view, const Buffer& buffer, Span rows, Span cols,
                               bool by_columns = false) {
  std::vector<double> numbers;
  const auto pitch = std::int64_t(view.shape[1]);
  for (std::int64_t r = rows.first; r <= rows.last(); ++r)
    for (std::int64_t c = cols.first; c <= cols.last(); ++c)
      numbers.push_back(element(view, buffer, std::uint64_t(by_columns ? c * pitch + r : r * pitch + c)));
  return numbers;
}

}  // namespace

PartialSums::PartialSums(const Run& run, const LoopAxis& axis, const ViewInfo& a, const ViewInfo& b,
                         Span rows, Span cols, int tile_of_c)
    : rows_(rows), cols_(cols) {
  constexpr std::int64_t kMostProducts = 16'000'000, kMostNumbers = 4'000'000;
  const Buffer *in_a = buffer_of(run, a.id), *in_b = buffer_of(run, b.id);
  const std::int64_t k = std::int64_t(a.shape[1]), sums = rows.count * cols.count;
  if (!in_a || !in_b || sums <= 0 || sums * k * axis.tiles_of_c() > kMostProducts ||
      sums * std::int64_t(axis.trips.size()) > kMostNumbers)
    return;
  const auto of_a = numbers_of(a, *in_a, rows, {0, k}),
             of_b = numbers_of(b, *in_b, {0, k}, cols, stands_by_columns(b));
  std::vector<double> so_far(std::size_t(sums), 0);
  for (const Trip& trip : axis.trips) {
    if (trip.multiply_step < 0 || trip.tile_of_c != tile_of_c) continue;
    for (std::int64_t r = 0; r < rows.count; ++r)
      for (std::int64_t p = trip.k.first; p <= std::min(trip.k.last(), k - 1); ++p)
        for (std::int64_t c = 0; c < cols.count; ++c)
          so_far[std::size_t(r * cols.count + c)] +=
              of_a[std::size_t(r * k + p)] * of_b[std::size_t(p * cols.count + c)];
    multiply_steps_.push_back(trip.multiply_step);
    after_trip_.emplace_back(so_far.begin(), so_far.end());
    for (const double x : so_far)
      if (std::isfinite(x)) largest_ = std::max(largest_, std::abs(x));
  }
}

double PartialSums::at(int step, std::int64_t row, std::int64_t col) const {
  if (!known() || !rows_.holds(row) || !cols_.holds(col)) return NAN;
  const auto done = std::upper_bound(multiply_steps_.begin(), multiply_steps_.end(), step);
  if (done == multiply_steps_.begin()) return 0;
  const auto& sums = after_trip_[std::size_t(done - multiply_steps_.begin()) - 1];
  return sums[std::size_t((row - rows_.first) * cols_.count + col - cols_.first)];
}

}  // namespace lockstep
