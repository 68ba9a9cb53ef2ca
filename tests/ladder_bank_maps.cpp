// The rule of the banks (app/model/banks.cpp) against an H200: every map of tests/banks/maps.hpp, taken by
// tests/banks/record.cu from the profiler's wavefront counters.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/model/fold.hpp"
#include "banks/maps.hpp"

using namespace lockstep;

namespace {

nlohmann::json record() {
  std::ifstream file(std::string(LOCKSTEP_SOURCE_DIR) + "/assets/recordings/h200/bank_maps.json");
  return nlohmann::json::parse(file);
}

int wavefronts(const bank_maps::Map& map, int width, bool store) {
  return shared_wavefronts(map.lanes, map.offset, width, store);
}

std::string name_of(const char* family, int width, bool store) {
  return std::string(family) + (store ? "_store_" : "_load_") + std::to_string(width);
}

void compare(const nlohmann::json& recorded, const std::string& name, const std::vector<bank_maps::Map>& maps, int width,
             bool store) {
  CAPTURE(name);
  const auto digits = recorded.at(name).get<std::string>();
  REQUIRE(digits.size() == maps.size());
  int different = 0;
  for (std::size_t k = 0; k < maps.size(); ++k)
    different += wavefronts(maps[k], width, store) != bank_maps::wavefronts_of(digits[k]);
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("the wavefronts of 10,000 random maps per width, loads and stores, are the H200's") {
  const auto recorded = record();
  for (int width : bank_maps::kWidths)
    for (bool store : {false, true})
      compare(recorded, name_of("random", width, store), bank_maps::random_maps(width), width, store);
}

TEST_CASE("the wavefronts of every legal stride and offset, loads and stores, are the H200's") {
  const auto recorded = record();
  for (int width : bank_maps::kWidths)
    for (bool store : {false, true})
      compare(recorded, name_of("strided", width, store), bank_maps::strided_maps(width), width, store);
}

TEST_CASE("at full load an access of 4 bytes takes as many cycles as it has wavefronts (H200)") {
  const auto recorded = record();
  for (bool store : {false, true}) {
    compare(recorded, "cycles_" + name_of("random", 4, store), bank_maps::random_maps(4), 4, store);
    compare(recorded, "cycles_" + name_of("strided", 4, store), bank_maps::strided_maps(4), 4, store);
  }
}
