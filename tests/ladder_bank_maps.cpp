// The rule of the banks (app/model/banks.cpp) against an H200: every map of tests/banks/maps.hpp, taken by
// tests/banks/record.cu from the profiler's wavefront counters.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/model/fold.hpp"
#include "banks/maps.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

nlohmann::json record() {
  std::ifstream file(in_source("assets/recordings/h200/bank_maps.json"));
  return nlohmann::json::parse(file);
}

std::string kind_of(int width, bool store) { return (store ? "store_" : "load_") + std::to_string(width); }

// The model's wavefronts of one launch of record.cu.
std::int64_t predicted(const std::vector<bank_maps::Map>& maps, std::size_t first, bool reversed, int width,
                       bool store) {
  const std::size_t end = std::min(maps.size(), first + bank_maps::kGroup);
  std::int64_t sum = 0, times = 1;
  for (std::size_t k = 0; k < end - first; ++k, times *= bank_maps::kBase) {
    const auto& map = maps[reversed ? end - 1 - k : first + k];
    sum += times * shared_wavefronts(map.lanes, map.offset, width, store);
  }
  return sum;
}

// No launch's counter contradicts the model. One wavefront more or less of a map that is repeated kBase^2
// times or more is beyond the counter's noise; in one of the two orders every map is.
void check_launches(const nlohmann::json& recorded, const char* family,
                    const std::vector<bank_maps::Map>& maps, std::size_t& launch, bool reversed, int width,
                    bool store) {
  const auto& sums = recorded.at(reversed ? "sums_reversed" : "sums").at(kind_of(width, store));
  int wrong = 0;
  for (std::size_t first = 0; first < maps.size(); first += bank_maps::kGroup, ++launch) {
    const std::int64_t more =
        sums.at(launch).get<std::int64_t>() - predicted(maps, first, reversed, width, store);
    wrong += more < 0 || more > bank_maps::kNoise;
  }
  CAPTURE(family);
  CHECK(wrong == 0);
}

void compare(const nlohmann::json& recorded, bool reversed) {
  static_assert(bank_maps::kNoise < bank_maps::kBase * bank_maps::kBase);
  for (int width : bank_maps::kWidths)
    for (bool store : {false, true}) {
      CAPTURE(kind_of(width, store));
      std::size_t launch = 0;
      check_launches(recorded, "random", bank_maps::random_maps(width), launch, reversed, width, store);
      check_launches(recorded, "strided", bank_maps::strided_maps(width), launch, reversed, width, store);
      CHECK(launch == recorded.at(reversed ? "sums_reversed" : "sums").at(kind_of(width, store)).size());
    }
}

void compare_cycles(const nlohmann::json& recorded, const char* family,
                    const std::vector<bank_maps::Map>& maps, bool store) {
  const auto digits =
      recorded.at(std::string("cycles_") + family + "_" + kind_of(4, store)).get<std::string>();
  REQUIRE(digits.size() == maps.size());
  int different = 0;
  for (std::size_t k = 0; k < maps.size(); ++k)
    different +=
        shared_wavefronts(maps[k].lanes, maps[k].offset, 4, store) != bank_maps::wavefronts_of(digits[k]);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("10,000 random maps per width, and every legal stride and offset, take the H200's wavefronts") {
  compare(record(), false);
  compare(record(), true);
}

TEST_CASE("at full load an access of 4 bytes takes as many cycles as it has wavefronts (H200)") {
  const auto recorded = record();
  for (bool store : {false, true}) {
    compare_cycles(recorded, "random", bank_maps::random_maps(4), store);
    compare_cycles(recorded, "strided", bank_maps::strided_maps(4), store);
  }
}
