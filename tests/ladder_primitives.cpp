// The emulator against the committed record of an H200 (assets/recordings/h200/primitives.json, made by
// tests/primitives/record.cpp): every primitive, bit by bit.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "places.hpp"
#include "primitives/primitives.hpp"

namespace {

nlohmann::json record() {
  std::ifstream file(lockstep::in_source("assets/recordings/h200/primitives.json"));
  return nlohmann::json::parse(file);
}

}  // namespace

TEST_CASE("every primitive gives the H200's bits on all of its random inputs, partial masks included" *
          doctest::test_suite("slow")) {
  const auto recorded = record();
  REQUIRE(recorded.at("cases") == primitives::kCases);
  for (int i = 0; i < int(primitives::names().size()); ++i) {
    const std::string& name = primitives::names()[std::size_t(i)];
    CAPTURE(name);
    REQUIRE(recorded.at("primitives").contains(name));
    CHECK(primitives::hash_of(primitives::emulated(i, primitives::inputs(name))) ==
          recorded.at("primitives").at(name).at("hash").get<std::uint64_t>());
  }
}

TEST_CASE("a shuffle that reads a lane outside of its mask is a finding; nothing else is found" *
          doctest::test_suite("slow")) {
  for (int i = 0; i < int(primitives::names().size()); ++i) {
    const std::string& name = primitives::names()[std::size_t(i)];
    CAPTURE(name);
    primitives::emulated(i, primitives::inputs(name));
    const std::set<std::string> kinds(primitives::findings().begin(), primitives::findings().end());
    if (name.starts_with("shuffle_"))
      CHECK(kinds == std::set<std::string>{"undefined_lane"});
    else
      CHECK(kinds == std::set<std::string>{});
  }
}
