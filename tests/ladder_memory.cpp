// The model of the L1 against an H200's counters (assets/recordings/h200/l1.json, made by tests/memory).
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/model/grid_fold.hpp"
#include "places.hpp"

using namespace lockstep;
using Json = nlohmann::json;

namespace {

Json rows() {
  std::ifstream file(in_source("assets/recordings/h200/l1.json"));
  return Json::parse(file).at("rows");
}

using Streams = std::vector<std::vector<Access>>;
Access access(int line, std::uint64_t element, std::uint16_t view, Kind kind = Kind::load) {
  return {std::uint32_t(element * 4), 0, 0, 9, std::uint16_t(line), view, 4, kind};
}

// The thread (x, y) of a kernel of tests/memory/probe.cu.
std::vector<Access> product_thread(std::uint64_t row, std::uint64_t col, std::uint64_t n) {
  std::vector<Access> stream;
  for (std::uint64_t k = 0; k < n; ++k)
    stream.push_back(access(1, row * n + k, 0)), stream.push_back(access(1, k * n + col, 1));
  stream.push_back(access(2, row * n + col, 2, Kind::store));
  return stream;
}
std::vector<Access> stencil_thread(std::uint64_t x, std::uint64_t y, std::uint64_t n) {
  const std::uint64_t at = y * n + x;
  return {access(1, at, 0),     access(2, at - 1, 0), access(3, at + 1, 0),
          access(4, at - n, 0), access(5, at + n, 0), access(6, at, 2, Kind::store)};
}

// Sectors of all blocks, each taken to move what one inner block of the grid moves.
double modelled_loads(const Json& row) {
  const auto n = row.at("n").get<std::uint64_t>();
  const auto bx = row.at("block_x").get<std::uint64_t>(), by = row.at("block_y").get<std::uint64_t>();
  const std::string kernel = row.at("kernel");
  Streams threads;
  for (std::uint64_t y = 2 * by; y < 3 * by; ++y)
    for (std::uint64_t x = 2 * bx; x < 3 * bx; ++x)
      threads.push_back(kernel == "stencil"   ? stencil_thread(x, y, n)
                        : kernel == "product" ? product_thread(y, x, n)
                                              : product_thread(x, y, n));
  Launch launch;
  launch.block = {std::int64_t(bx), std::int64_t(by), 1};
  launch.grid = {std::int64_t(n / bx), std::int64_t(n / by), 1};
  CacheModel l2;
  GridFold fold(launch, -1, l2);
  const std::vector<std::span<const Access>> streams(threads.begin(), threads.end());
  fold.add_block(0, streams);
  return double(fold.l2_load_sectors()) * double(launch.blocks());
}

}  // namespace

TEST_CASE("sectors from L2 into the SMs are within the stated error of an H200's counter") {
  int compared = 0;
  for (const Json& row : rows()) {
    if (row.at("n") == 0) continue;
    CAPTURE(row.dump());
    const double counted = row.at("l1_read_sectors").get<double>(), modelled = modelled_loads(row);
    CHECK(std::abs(modelled - counted) <= kL1ModelError * counted);
    CHECK(modelled < 0.5 * row.at("load_sectors").get<double>());  // the L1 is what makes the difference
    ++compared;
  }
  CHECK(compared == 10);
}

TEST_CASE("a naive 1024^3 product asks for 4.3 GB and moves 537 MB from L2, where an H200 moved 525 MB") {
  for (const Json& row : rows()) {
    if (row.at("kernel") != "product" || row.at("n") != 1024 || row.at("block_y") != 16) continue;
    CHECK(row.at("load_sectors").get<double>() * 32 == doctest::Approx(4.3e9).epsilon(0.01));
    CHECK(row.at("l1_read_sectors").get<double>() * 32 == doctest::Approx(525e6).epsilon(0.001));
    CHECK(modelled_loads(row) * 32 == doctest::Approx(537e6).epsilon(0.001));
  }
}
