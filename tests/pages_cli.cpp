// The manual page and the completion of shells: as committed, and as they work.
#include <doctest/doctest.h>

#include "app/pages/completion.hpp"
#include "app/pages/completion_kinds.hpp"
#include "app/pages/manual.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

bool has_program(const char* name) {
  return std::system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0;
}

// What a shell's script prints; it runs with the program's folder on PATH.
std::string said_by(const std::string& shell, const std::string& script) {
  const TemporaryFolder folder;
  std::ofstream(folder / "script") << script;
  const std::string path = std::filesystem::path(kProgram).parent_path();
  const std::string command = "cd " + quoted(folder.path()) + " && HOME=" + quoted(folder.path()) +
                              " PATH=" + quoted(path) + ":\"$PATH\" " + shell +
                              " script >out 2>err </dev/null";
  (void)std::system(command.c_str());
  return text_of(folder / "out") + text_of(folder / "err");
}

// The candidates that bash offers at the end of a line, with spaces between them.
std::string bash_offers(const std::string& line) {
  std::string said = said_by(
      "bash", "source " + quoted(in_source("docs/completion/lockstep.bash")) + "\nCOMP_LINE=" + quoted(line) +
                  "\nCOMP_POINT=${#COMP_LINE}\n_lockstep\nprintf '%s ' \"${COMPREPLY[@]}\"\n");
  while (said.ends_with(' ')) said.pop_back();
  return said;
}

bool offers(const std::string& line, const std::string& word) {
  return (" " + bash_offers(line) + " ").find(" " + word + " ") != std::string::npos;
}

}  // namespace

TEST_CASE("docs/lockstep.1 and docs/completion are what the program writes, else: run scripts/manual.sh") {
  CHECK(run_program({"pages", "--man"}).out == text_of(in_source("docs/lockstep.1")));
  CHECK(run_program({"pages", "--completion", "bash"}).out ==
        text_of(in_source("docs/completion/lockstep.bash")));
  CHECK(run_program({"pages", "--completion", "zsh"}).out == text_of(in_source("docs/completion/_lockstep")));
  CHECK(run_program({"pages", "--completion", "fish"}).out ==
        text_of(in_source("docs/completion/lockstep.fish")));
}

TEST_CASE("the manual page names every verb and flag that the program takes") {
  const std::string page = text_of(in_source("docs/lockstep.1"));
  for (const char* word :
       {"lockstep shot", "lockstep exercise grade", "\\-\\-rung", "\\-\\-projector", "EXIT STATUS", "banks"})
    CHECK_MESSAGE(page.find(word) != page.npos, word);
  CHECK(page.find("worker") == page.npos);  // nobody types that
  for (const char c : page) REQUIRE((c & 0x80) == 0);
  if (has_program("mandoc"))
    CHECK(said_by("sh", "mandoc -Tlint -W warning " + quoted(in_source("docs/lockstep.1"))).empty());
  if (has_program("groff"))
    CHECK(said_by("sh", "groff -ww -man -Tutf8 -z " + quoted(in_source("docs/lockstep.1"))).empty());
}

TEST_CASE("what a flag takes is read from its help") {
  using Words = std::vector<std::string>;
  CHECK(words_that_help_names("auto, cuda, emulator or recording") ==
        Words{"auto", "cuda", "emulator", "recording"});
  CHECK(words_that_help_names("a4 or letter; else a4") == Words{"a4", "letter"});
  CHECK(words_that_help_names("of the figure: white, theme or dark") == Words{"white", "theme", "dark"});
  CHECK(words_that_help_names("a kernel or a file of your own").empty());
  CHECK(words_that_help_names("seconds for each run").empty());
}

TEST_CASE("bash completes verbs, flags, labs, rungs, settings and words") {
  CHECK(bash_offers("lockstep hand") == "handout");
  CHECK(bash_offers("lockstep exercise gr") == "grade");
  CHECK(bash_offers("lockstep run transp") == "transpose");
  CHECK(bash_offers("lockstep run transpose --rung pad") == "padded");
  CHECK(bash_offers("lockstep run transpose --engine em") == "emulator");
  CHECK(bash_offers("lockstep run --lang zh transpose --rung na") == "naive");
  CHECK(offers("lockstep shot banks --", "--projector"));
  CHECK(offers("lockstep shot banks --set ", "pattern="));
  CHECK(bash_offers("lockstep export gemm/ldm") == "gemm/ldmatrix");
  CHECK(bash_offers("lockstep exercise show bank_c") == "bank_conflicts");
  CHECK(bash_offers("lockstep shot claim warm") == "warm_up");
  CHECK(bash_offers("lockstep handout six") == "six_labs");
  CHECK(bash_offers("lockstep new mine --template mat") == "matrix_product");
  CHECK(bash_offers("lockstep run nowhere --rung ").empty());
}

TEST_CASE("bash completes a setting's value, and leaves what stands before it") {
  const std::string choices = bash_offers("lockstep run banks --set pattern=");
  CHECK_MESSAGE((" " + choices + " ").find(" store ") != std::string::npos, choices);
  CHECK(bash_offers("lockstep run banks --set pattern=sto") == "store");
}

TEST_CASE("zsh and fish read their scripts, and fish offers the same" *
          doctest::description("where these shells are installed")) {
  if (has_program("zsh"))
    CHECK(said_by("sh", "zsh -n " + quoted(in_source("docs/completion/_lockstep"))).empty());
  if (!has_program("fish")) return;
  const auto fish = [](const std::string& line) {
    return said_by("fish", "source " + quoted(in_source("docs/completion/lockstep.fish")) + "\ncomplete -C " +
                               quoted(line) + " | cut -f 1 | string join ' '\n");
  };
  CHECK(fish("lockstep hand") == "handout\n");
  CHECK(fish("lockstep run transp") == "transpose\n");
  CHECK(fish("lockstep run transpose --rung pad") == "padded\n");
  CHECK(fish("lockstep exercise gr") == "grade\n");
  CHECK(fish("lockstep run transpose --engine em") == "emulator\n");
}
