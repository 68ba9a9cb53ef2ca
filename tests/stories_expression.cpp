// What an expression says, and where it says that it cannot.
#include <doctest/doctest.h>

#include "app/stories/figure_format.hpp"
#include "stories_support.hpp"

using namespace lockstep;

namespace {

Value value(const std::string& text) {
  MadeFigures figures;
  const auto read = Expression::parse(text, model_functions());
  INFO(text);
  if (!read) FAIL(read.error().text());
  const auto result = read->evaluate(figures);
  if (!result) FAIL(result.error().text());
  return *result;
}
std::int64_t whole(const std::string& text) { return std::get<std::int64_t>(value(text)); }
double real(const std::string& text) { return std::get<double>(value(text)); }

std::string refusal(const std::string& text, TextPlace at = {}) {
  MadeFigures figures;
  const auto read = Expression::parse(text, model_functions(), at);
  if (!read) return read.error().text();
  const auto result = read->evaluate(figures);
  return result ? "" : result.error().text();
}

std::string printed(const std::string& expression, const std::string& format) {
  const auto parsed = parse_format(format);
  REQUIRE(parsed);
  return format_figure(value(expression), *parsed);
}

}  // namespace

TEST_CASE("an expression has C's operators with C's precedence; whole numbers stay exact") {
  CHECK(whole("1 + 2 * 3") == 7);
  CHECK(whole("7 & 3 ^ 1 | 8") == (((7 & 3) ^ 1) | 8));
  CHECK(whole("1 << 2 + 3") == 32);
  CHECK(whole("5 ^ 3") == 6);
  CHECK(whole("6 / 2") == 3);
  CHECK(real("7 / 2") == 3.5);
  CHECK(real("7 / 2.0") == 3.5);
  CHECK(whole("1 < 2 == 1") == 1);
  CHECK(whole("1 + 1 == 2 && 3 > 2 || 0") == 1);
  CHECK(whole("!x || x >= 5 && half != 1") == 1);
  CHECK(whole("x > 4 ? 10 : x > 3 ? 20 : 30") == 10);
  CHECK(whole("9007199254740993 + 0") == 9007199254740993);
  CHECK(real("9223372036854775807 + 1") == 0x1p63);
  CHECK(real("2 * 16384 * 16384 * 4 / 4.8e12 * 1e3") == doctest::Approx(0.4474).epsilon(1e-3));
}

TEST_CASE("a number may carry a unit: KB of 1024 bytes, times in seconds, rates decimal") {
  CHECK(whole("16 KB") == 16384);
  CHECK(whole("16KB") == 16384);
  CHECK(real("2 us") == doctest::Approx(2e-6));
  CHECK(real("2 µs") == doctest::Approx(2e-6));
  CHECK(real("4.8 TB/s") == 4.8e12);
  CHECK(whole("4 KB == 4096 bytes") == 1);
  CHECK(whole("10 % 4") == 2);
  CHECK(refusal("4 KBs") == "1:3: expected an operator or the end, found 'KBs'");
  CHECK(refusal("4KBs") == "1:2: expected an operator, a unit or the end, found 'KBs'");
}

TEST_CASE("functions: the built-in ones, and the models by name") {
  CHECK(whole("min(3, 2, 7) + max(1, 5)") == 7);
  CHECK(whole("ceil(100 / 32.0)") == 4);
  CHECK(whole("floor(half) + round(half) + abs(-3)") == 4);
  CHECK(whole("log2(1024)") == 10);
  CHECK(whole("wavefronts(32, 4)") == 32);
  CHECK(whole("wavefronts(33, 4)") == 1);
  CHECK(whole("wavefronts(34, 4)") == 2);
  CHECK(whole("wavefronts(4, 16)") == 4);
  CHECK(real("occupancy(256, 32, 0, \"H200\")") == 1);
  CHECK(whole("resident_blocks(1024, 64, 0, \"H200\")") == 1);
  CHECK(whole("resident_warps(256, 128, 0, \"NVIDIA H200\")") == 16);
  CHECK(real("roofline(1, 1, \"H200\")") == 4.8e12);
  CHECK(refusal("occupancy(256, 32, 0, \"H900\")").find("1:1: expected a device in quotes, one of ") == 0);
  CHECK(refusal("wavefronts(32)") == "1:1: expected wavefronts(stride, width), found 'wavefronts'");
  CHECK(refusal("2 + sin(1)").find("1:5: expected one of the functions min, max") == 0);
  CHECK(refusal("log2(0)") == "1:1: log2 takes a number above 0");
}

TEST_CASE("figures are asked for by path, with rung and settings as they stand") {
  MadeFigures figures;
  const auto asked = [&](const std::string& text) {
    const auto read = Expression::parse(text);
    REQUIRE(read.ok());
    CHECK(read->evaluate(figures).ok());
    return figures.last;
  };
  CHECK(asked("run(\"padded\", n=64).counts.shared_load_wavefronts") ==
        "run(\"padded\", n=64).counts.shared_load_wavefronts");
  CHECK(asked("run(n = x * 2).counts.barriers") == "run(n=10).counts.barriers");
  CHECK(asked("recorded(\"gemm/shared\", m=4096, tile=\"a\").time.median_ms") ==
        "recorded(\"gemm/shared\", m=4096, tile=a).time.median_ms");
  CHECK(whole("word == \"padded\" && word != \"naive\"") == 1);
  CHECK(refusal("run(\"padded\", 64).x") == "1:15: expected a setting, as in n=64, found '64'");
  CHECK(refusal("run(\"padded\")") == "1:14: expected '.' and the name of a figure, found the end");
}

TEST_CASE("the side that is not needed is not asked for") {
  CHECK(whole("x == 5 || time > 1") == 1);
  CHECK(whole("x == 4 && time > 1") == 0);
  CHECK(whole("x == 5 ? 1 : time") == 1);
}

TEST_CASE("an error names line and column and what was expected") {
  CHECK(refusal("1 +") == "1:4: expected a number, a name, a text in quotes or '(', found the end");
  CHECK(refusal("(1 + 2", {12, 8}) == "12:14: expected ')', found the end");
  CHECK(refusal("1 2") == "1:3: expected an operator or the end, found '2'");
  CHECK(refusal("\"扇区\" == 扇区").find("1:9: expected a number") == 0);
  CHECK(refusal("\"abc") == "1:5: expected '\"' at the end of the text, found the end");
  CHECK(refusal("x ? 1") == "1:6: expected ':', found the end");
  CHECK(refusal("y + 1", {3, 5}) == "3:5: there is no 'y'");
  CHECK(refusal("1 + x / 0") == "1:7: this divides by zero or shifts by 0 bits");
  CHECK(refusal("1 / 0.0") == "1:3: this divides by zero");
  CHECK(refusal("1.5 % 2") == "1:5: % << >> & | ^ take whole numbers");
  CHECK(refusal("word + 1") == "1:6: a text and a number do not go together");
  CHECK(refusal("word < \"z\"") == "1:6: texts can only be compared with == and !=");
  CHECK(refusal("99999999999999999999") == "1:1: expected a number below 2^63, found '99999999999999999999'");
  CHECK(refusal("x = 3") == "1:3: expected an operator or the end, found '='");
}

TEST_CASE("what is not to be had here is said as it is, without a column: nobody's mistake") {
  MadeFigures figures;
  const auto read = Expression::parse("1 + time * 2");
  const auto result = read->evaluate(figures);
  REQUIRE(!result.ok());
  CHECK(result.error().exit == Exit::unavailable);
  CHECK(result.error().text() == "nobody looked at the clock");
}

TEST_CASE("no text makes an expression work for long or deep") {
  CHECK(refusal(std::string(1500, '(') + "1").find("expected fewer parentheses") != std::string::npos);
  CHECK(refusal(std::string(1500, '-') + "1").find("expected fewer parentheses") != std::string::npos);
  CHECK(refusal("1" + std::string(3000, ' ')).find("expected at most 2000 characters") != std::string::npos);
  std::string chain = "1", branches;
  for (int i = 0; i < 900; ++i) chain += "+1";
  CHECK(whole(chain) == 901);
  for (int i = 0; i < 300; ++i) branches += "0?1:";
  CHECK(refusal(branches + "2").find("expected fewer") != std::string::npos);
}

TEST_CASE("a figure is printed with separators, as many decimals as asked for, or in a unit") {
  CHECK(printed("65536", "plain") == "65536");
  CHECK(format_figure(value("65536"), {}) == "65,536");
  CHECK(format_figure(value("0.44739"), {}) == "0.4474");
  CHECK(format_figure(value("2.50"), {}) == "2.5");
  CHECK(printed("268435456.0", "1") == "268,435,456.0");
  CHECK(printed("0 - 0.004", "2") == "0.00");
  CHECK(printed("0 - 1234.5", "1") == "−1,234.5");
  CHECK(printed("2 / 3.0", "2") == "0.67");
  CHECK(printed("2 / 3.0", "%") == "67 %");
  CHECK(printed("2 / 3.0", "1 %") == "66.7 %");
  CHECK(printed("16 KB", "bytes") == "16.0 KB");
  CHECK(printed("447 us", "s") == "447 µs");
  CHECK(printed("4.8 TB/s", "bytes/s") == "4.80 TB/s");
  CHECK(!parse_format("two"));
  CHECK(!parse_format("12"));
  CHECK(!parse_format("2 bytes"));
  CHECK(format_bar("(a | b) || \"|\" ") == std::string_view::npos);
  CHECK(format_bar("(a | b) | 2") == 8);
}
