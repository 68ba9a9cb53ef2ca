// What the rungs of this ladder are launched with.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/timing/sizes.hpp"

struct Settings {
  int elements, copy;
};

// Calls f with the number of the copy as a constant.
template <class F>
void for_copy(const Settings& s, F f) {
  const auto with = [&]<int... kCopy>(std::integer_sequence<int, kCopy...>) {
    ((s.copy == kCopy ? f(std::integral_constant<int, kCopy>{}) : void()), ...);
  };
  with(std::make_integer_sequence<int, kCopies>{});
}
