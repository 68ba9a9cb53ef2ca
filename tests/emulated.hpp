// What tests of the emulator need to run a kernel: views of vectors, and the kinds of what was found.
#pragma once
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/simt/grid.hpp"

namespace emulated {

template <class T, class U>
lab::GlobalView<T> view_of(std::vector<U>& data, std::uint16_t id) {
  return {reinterpret_cast<T*>(data.data()), std::int64_t(data.size() * sizeof(U) / sizeof(T)), id};
}

using Kinds = std::set<std::string>;

template <class F>
Kinds kinds_of(const lockstep::simt::Config& config, F kernel) {
  lockstep::simt::Grid grid({}, 1);
  grid.launch(config, kernel, nullptr, [] { return true; });
  Kinds kinds;
  for (const auto& finding : grid.told().findings()) {
    MESSAGE(finding.kind << ": " << finding.what.text());
    CHECK(finding.line > 0);
    kinds.insert(finding.kind);
  }
  return kinds;
}

}  // namespace emulated
