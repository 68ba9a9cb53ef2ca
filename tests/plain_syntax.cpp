// CUDA C++ in colours: what each word of a line is.
#include <doctest/doctest.h>

#include <string>

#include "kernels/ladder.hpp"
#include "kernels/plain/plain_cuda.hpp"
#include "kernels/plain/syntax.hpp"

using namespace lockstep;

namespace {

// The text with a letter under each of its bytes: k(eyword) b(uiltin) l(iteral) c(omment), '.' for none.
std::string marked(std::string_view text) {
  std::string marks;
  const auto lines = syntax_of_lines(text);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::string row(std::min(text.find('\n'), text.size()), '.');
    for (const SyntaxSpan& span : lines[line]) {
      REQUIRE(span.first + span.count <= row.size());
      row.replace(span.first, span.count, span.count, "kblc"[int(span.syntax)]);
    }
    marks += row + "\n";
    text.remove_prefix(std::min(row.size() + 1, text.size()));
  }
  CHECK(text.empty());
  return marks;
}

}  // namespace

TEST_CASE("keywords, qualifiers, built-in variables, numbers and comments of a kernel are told apart") {
  CHECK(marked("__global__ void f(const float* in) {  // by rows\n"
               "  __shared__ float tile[32];\n"
               "  int i = blockIdx.x * 0x20u + threadIdx.x;\n"
               "  tile[i] = 1e-5f; __syncthreads();\n"
               "}\n") ==
        "kkkkkkkkkk.kkkk...kkkkk.kkkkk.........cccccccccc\n"
        "..kkkkkkkkkk.kkkkk......ll..\n"
        "..kkk.....bbbbbbbb.....lllll...bbbbbbbbb...\n"
        "............lllll..bbbbbbbbbbbbb...\n"
        ".\n");
}

TEST_CASE("a comment and a raw string stay what they are on every line that they go over") {
  CHECK(marked("a /* for\n int\n*/ int b;\nauto s = R\"(if\n// else)\"; return;") ==
        "..cccccc\n"
        "cccc\n"
        "cc.kkk...\n"
        "kkkk.....lllll\n"
        "lllllllll..kkkkkk.\n");
}

TEST_CASE("a name that begins with a keyword, and a keyword in a string, are none") {
  CHECK(marked("int formed = \"for int\"[interval]; char c = '\\'';") ==
        "kkk..........lllllllll............kkkk.....llll.\n");
}

TEST_CASE("a directive is a keyword, and what follows it is text like any other") {
  CHECK(marked("#pragma unroll 4  // all\n#include \"kernels/lab.cuh\"\n#define N 8 \\\n  + 1\n") ==
        "kkkkkkk........l..cccccc\n"
        "kkkkkkkk.lllllllllllllllll\n"
        "kkkkkkk...l..\n"
        "....l\n");
}

TEST_CASE("the lines of any text are counted as its newlines end them") {
  CHECK(syntax_of_lines("").empty());
  CHECK(syntax_of_lines("a").size() == 1);
  CHECK(syntax_of_lines("a\n").size() == 1);
  CHECK(syntax_of_lines("\n\n").size() == 2);
  CHECK(syntax_of_lines("#").size() == 1);
  CHECK(syntax_of_lines("/* never closed\n").size() == 1);
}

TEST_CASE("every kernel's spans stand in order inside their lines, as compiled and as plain CUDA") {
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs)
      for (const std::string& text :
           {std::string(kernel_source(rung)), plain_cuda(kernel_source(rung)).text}) {
        CAPTURE(rung.file);
        const std::string marks = marked(text);
        CHECK(marks.size() == text.size());
        for (const auto& line : syntax_of_lines(text))
          for (std::size_t i = 1; i < line.size(); ++i)
            CHECK(line[i].first >= line[i - 1].first + line[i - 1].count);
      }
}
