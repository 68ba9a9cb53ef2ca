// What stands in front of a program to be completed, and what a student may change of it.
#include <doctest/doctest.h>

#include "app/program/kernel_task.hpp"

using namespace lockstep;
using namespace lockstep::reader;

namespace {

const std::string kStart =
    "// Doubles.\n// arguments: n, 2 * n\n// most sectors: 2 * ceil(n / 8)\n// slack: 10 %\n#include "
    "<cstdio>\n"
    "// === your part begins\nint x;\n// === your part ends\nint main() {\n}\n";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

}  // namespace

TEST_CASE("limits and arguments of a task are worked out from the exercise's values") {
  const auto task = read_kernel_task(kStart, "double.cu", {{"n", std::int64_t{100}}});
  REQUIRE(task.ok());
  CHECK(task->arguments == std::vector<std::string>{"100", "200"});
  CHECK(task->most_sectors == 26);
  CHECK(!task->most_wavefronts);
  CHECK(task->slack == doctest::Approx(0.1));
}

TEST_CASE("a task that cannot be read says in which line") {
  const auto unknown = read_kernel_task(kStart, "double.cu", {{"m", std::int64_t{1}}});
  REQUIRE(!unknown.ok());
  CHECK(unknown.error().text().starts_with("double.cu:2:"));
  const auto fraction =
      read_kernel_task(replaced(kStart, "2 * ceil(n / 8)", "n / 8"), "double.cu", {{"n", std::int64_t{100}}});
  REQUIRE(!fraction.ok());
  CHECK(fraction.error().text() == "double.cu:3: 'n / 8' is 12.5, and a whole number from 0 on is wanted");
  CHECK(!read_kernel_task(replaced(kStart, "// === your part ends\n", ""), "double.cu",
                          {{"n", std::int64_t{1}}})
             .ok());
}

TEST_CASE("only what stands between the marks may change") {
  CHECK(!change_outside(kStart, kStart));
  CHECK(!change_outside(kStart, with_part(kStart, "int y;\nint z;\n")));
  CHECK(!change_outside(kStart, replaced(kStart, "int main() {\n", "int main() {  \r\n")));
  const auto in_front = change_outside(kStart, replaced(kStart, "<cstdio>", "<cmath>"));
  REQUIRE(in_front);
  CHECK(in_front->line == 5);
  CHECK(in_front->was == "#include <cstdio>");
  const auto behind = change_outside(kStart, with_part(replaced(kStart, "}\n", "  return 0;\n}\n"), "\n\n"));
  REQUIRE(behind);
  CHECK(behind->line == 11);
  CHECK(behind->was == "}");
  const auto lost = change_outside(kStart, replaced(kStart, "// === your part begins\n", ""));
  REQUIRE(lost);
  CHECK(lost->line == 0);
  const auto twice = change_outside(kStart, with_part(kStart, "// === your part ends\n"));
  REQUIRE(twice);
  CHECK(twice->line == 0);
}
