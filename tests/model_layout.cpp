#include <doctest/doctest.h>

#include "app/model/layout.hpp"
#include "app/model/run.hpp"

using namespace lockstep;

namespace {

constexpr std::string_view kNames[] = {"row", "col"};

std::int64_t value(const char* text, std::int64_t row = 0, std::int64_t col = 0) {
  const auto formula = Formula::parse(text, kNames);
  REQUIRE(formula.ok());
  const auto result = formula->evaluate(std::array{row, col});
  REQUIRE(result.ok());
  return *result;
}
std::string refusal(const char* text) {
  const auto formula = Formula::parse(text, kNames);
  if (!formula) return formula.error().text();
  const auto result = formula->evaluate(std::array<std::int64_t, 2>{});
  return result ? "" : result.error().text();
}
Layout layout(const char* formula) { return *evaluate_layout(formula, 32, 31, 0, 8192); }
int worst_column(const Layout& l, int width = 4) {
  int worst = 0;
  for (int c = 0; c < 32; ++c)
    worst = std::max(worst, shared_wavefronts(~0u, column_offsets(l, c, width), width, false));
  return worst;
}

}  // namespace

TEST_CASE("a formula has C's operators with C's precedence") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("7 & 3 ^ 1 | 8") == (((7 & 3) ^ 1) | 8));
  CHECK(value("1 << 2 + 3") == 32);
  CHECK(value("10 - 3 - 2") == 5);
  CHECK(value("-3 + ~0") == -4);
  CHECK(value("17 % 5 / 2") == 1);
  CHECK(value("(row ^ col) & 31", 35, 6) == ((35 ^ 6) & 31));
  CHECK(value("row*33+col", 2, 1) == 67);
}

TEST_CASE("a formula that cannot be read or evaluated says where and why, and never overflows the stack") {
  CHECK(refusal("row + ").find("character 7") != std::string::npos);
  CHECK(refusal("2 * bank").find("row, col") != std::string::npos);
  CHECK(refusal("").find("character 1") != std::string::npos);
  CHECK(refusal("(row").find("character 5") != std::string::npos);
  CHECK(refusal("1 / (row - col)").find("zero") != std::string::npos);
  CHECK(refusal("1 << 64").find("64") != std::string::npos);
  CHECK(refusal("99999999999999999999") != "");
  CHECK(refusal((std::string(10000, '(') + "1").c_str()) != "");
  CHECK(value("9223372036854775807 + 1") == INT64_MIN);
  CHECK(value("(-9223372036854775807 - 1) / -1") == INT64_MIN);
}

TEST_CASE(
    "the layouts of the ladder, typed by hand: 32 wavefronts down a column, then 1 by padding or by XOR") {
  CHECK(worst_column(layout("row * pitch + col")) == 32);
  CHECK(worst_column(layout("row * 33 + col")) == 1);
  CHECK(worst_column(layout("row * pitch + (col ^ (row & mask))")) == 1);
  CHECK(worst_column(layout("row * pitch + (col ^ (row & 1))")) == 16);
  CHECK(worst_column(layout("row * pitch + col"), 16) == 32);
  CHECK(layout("row * 33 + col").places == 31 * 33 + 32);
}

TEST_CASE("two elements at one place are named; a place outside of the array is refused with the element") {
  const Layout lost = layout("row * 31 + col");
  CHECK(lost.first_twin == 31);
  CHECK(lost.second_twin == 32);
  CHECK(layout("row * 32 + col").first_twin == -1);
  const auto outside = evaluate_layout("row * 1000 + col", 32, 31, 0, 8192);
  REQUIRE(!outside.ok());
  CHECK(outside.error().text().find("(9, 0) at 9000") != std::string::npos);
  CHECK(!evaluate_layout("col - row", 32, 31, 0, 8192).ok());
}

TEST_CASE("the map of a column read at pitch 32: one bank, every lane in a wavefront of its own") {
  std::array<std::uint32_t, kWarpSize> offset;
  for (std::uint32_t lane = 0; lane < 32; ++lane) offset[lane] = 4 * (lane * 32 + 5);
  const std::string map = bank_map_text(~0u, offset, 4, false);
  CHECK(map.substr(0, 3 * 33) ==
        ".....0..........................\n"
        ".....1..........................\n"
        ".....2..........................\n");
  CHECK(map.substr(31 * 33) == ".....v..........................\n");
}

TEST_CASE(
    "every lane is served in one of the instruction's wavefronts, and no wavefront gives two words of a "
    "bank") {
  for (int width : {4, 8, 16})
    for (std::uint32_t stride = std::uint32_t(width) / 4; stride <= 64; stride += std::uint32_t(width) / 4) {
      std::array<std::uint32_t, kWarpSize> offset;
      for (std::uint32_t lane = 0; lane < 32; ++lane) offset[lane] = 4 * lane * stride;
      const auto served = wavefront_of_lanes(~0u, offset, width, false);
      const int wavefronts = shared_wavefronts(~0u, offset, width, false);
      CHECK(*std::max_element(served.begin(), served.end()) == wavefronts - 1);
      for (int w = 0; w < wavefronts; ++w) {
        std::array<std::int64_t, 32> word_of_bank;
        word_of_bank.fill(-1);
        for (std::size_t lane = 0; lane < 32; ++lane)
          for (std::uint32_t k = 0; served[lane] == w && k < std::uint32_t(width) / 4; ++k) {
            const std::int64_t word = offset[lane] / 4 + k;
            auto& seen = word_of_bank[std::size_t(word % 32)];
            CHECK((seen == -1 || seen == word));
            seen = word;
          }
      }
    }
}

TEST_CASE("a parameter whose multiple hangs on another one is refused beside it, and moves up with it") {
  LabInfo lab;
  lab.slug = "lab";
  Parameter width, stride;
  width.name = "width", width.min = 4, width.max = 16, width.choices = {"4", "8", "16"};
  width.default_value = std::int64_t{4};
  stride.name = "stride", stride.min = 0, stride.max = 64, stride.default_value = std::int64_t{1};
  stride.multiple_of = "width";
  lab.parameters = {stride, width};
  const auto with = [&](std::int64_t s, std::int64_t w) { return Params{{"stride", s}, {"width", w}}; };
  CHECK(complete_params(lab, "", with(3, 4)).ok());
  const auto refused = complete_params(lab, "", with(3, 16));
  REQUIRE(!refused.ok());
  CHECK(refused.error().text() ==
        "stride = 3 is not possible with width = 16: stride takes 0 to 64, multiples of 4");
  CHECK(!complete_params(lab, "", with(0, 12)).ok());
  CHECK(std::get<std::int64_t>(complete_params(lab, "", {{"width", std::int64_t{16}}})->at("stride")) == 4);
  CHECK(std::get<std::int64_t>(snapped(lab, "x", with(63, 16)).at("stride")) == 64);
  CHECK(std::get<std::int64_t>(snapped(lab, "x", with(64, 8)).at("stride")) == 64);
  CHECK(carried_params(lab, "", with(3, 16)) == with(4, 16));
  CHECK(carried_params(lab, "", {{"stride", std::int64_t{99}}, {"other", std::int64_t{1}}}) == with(1, 4));
}
