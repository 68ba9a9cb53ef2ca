// Programs to start from: `lockstep new` writes them, and never over what is there.
#include <doctest/doctest.h>

#include "app/program/templates.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

TEST_CASE("new writes the template that was asked for, with .cu behind the name") {
  const TemporaryFolder folder;
  for (const auto& each : reader::program_templates()) {
    const std::string name = folder / ("my_" + each.name);
    const ProgramResult made = run_program({"new", name, "--template", each.name});
    CHECK(made.exit == 0);
    CHECK(made.out == name + ".cu\n");
    CHECK(text_of(name + ".cu") == each.text);
    CHECK(each.text.find("int main()") != std::string_view::npos);
  }
  CHECK(run_program({"new", folder / "plain.cu"}).exit == 0);
  CHECK(text_of(folder / "plain.cu") == reader::program_templates().front().text);
}

TEST_CASE("new leaves alone what exists, and says what it was given") {
  const TemporaryFolder folder;
  std::ofstream(folder / "mine.cu") << "my work";
  const ProgramResult refused = run_program({"new", folder / "mine"});
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("mine.cu exists") != std::string::npos);
  CHECK(text_of(folder / "mine.cu") == "my work");

  CHECK(run_program({"new"}).exit == 2);
  CHECK(run_program({"new", folder / "notes.txt"}).err.find("notes.txt") != std::string::npos);
  CHECK(run_program({"new", folder / "nowhere/x"}).err.find("there is no folder") != std::string::npos);
  const ProgramResult unknown = run_program({"new", folder / "x", "--template", "transpos"});
  CHECK(unknown.exit == 2);
  CHECK(unknown.err.find("did you mean 'transpose'?") != std::string::npos);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("the help of new names every template") {
  const std::string help = run_program({"new", "--help"}).out;
  for (const auto& each : reader::program_templates()) CHECK(help.find(each.name) != std::string::npos);
}
