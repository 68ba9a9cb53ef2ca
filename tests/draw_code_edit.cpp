// A text of many lines that is edited, by keys alone.
#include <doctest/doctest.h>

#include <random>

#include "app/draw/code_edit.hpp"

using namespace lockstep;
using Move = CodeEdit::Move;

namespace {

void type(CodeEdit& edit, std::u32string_view text) {
  for (const char32_t c : text) c == U'\n' ? edit.enter() : edit.type(c);
}

std::string kernel() {
  return "__global__ void f(int* p) {\n  int i = threadIdx.x;\n  if (i < 4) {\n    p[i] = i;\n  }\n}\n";
}

}  // namespace

TEST_CASE("a line that follows begins under the one before it, further in behind a brace") {
  CodeEdit edit;
  type(edit, U"int main() {\nint n = 3;\n}");
  CHECK(edit.text() == "int main() {\n    int n = 3;\n}");
  CodeEdit two(kernel());  // the text's own habit is two blanks
  two.go_to_line(2), two.move(Move::line_end, false);
  two.enter();
  type(two, U"x");
  CHECK(two.line(3) == "    x");
}

TEST_CASE("a tab goes to the next stop in blanks, and moves the lines of a selection") {
  CodeEdit edit(kernel());
  CHECK(edit.indent() == 2);
  edit.go_to_line(5);
  edit.move(Move::line_end, false);
  edit.tab();
  CHECK(edit.line(5) == "} ");
  edit.undo();
  edit.go_to_line(1), edit.move_lines(2, true);
  edit.tab();
  CHECK(edit.line(1) == "    int i = threadIdx.x;");
  CHECK(edit.line(2) == "    if (i < 4) {");
  edit.tab(true), edit.tab(true);
  CHECK(edit.line(1) == "int i = threadIdx.x;");
  while (edit.undo()) {
  }
  CHECK(edit.text() == kernel());
}

TEST_CASE("up and down keep the column over shorter lines and tabs") {
  CodeEdit edit("0123456789\nab\n\tlong line");
  edit.place(8, false);
  edit.move(Move::down, false);
  CHECK(edit.caret() == edit.line_begin(1) + 2);
  edit.move(Move::down, false);
  CHECK(edit.caret() == edit.line_begin(2) + 5);  // a tab is four columns
  edit.move(Move::up, false), edit.move(Move::up, false);
  CHECK(edit.caret() == 8);
}

TEST_CASE("home goes to the first word, and from there to the edge") {
  CodeEdit edit(kernel());
  edit.go_to_line(3), edit.move(Move::line_end, false);
  edit.move(Move::line_begin, false);
  CHECK(edit.caret() == edit.line_begin(3) + 4);
  edit.move(Move::line_begin, false);
  CHECK(edit.caret() == edit.line_begin(3));
}

TEST_CASE("characters of any language are one step and one erasure") {
  CodeEdit edit;
  type(edit, U"// 转置é");
  CHECK(edit.text() == "// 转置é");
  edit.erase_left(), edit.erase_left();
  CHECK(edit.text() == "// 转");
  edit.move(Move::left, false);
  edit.erase_right();
  CHECK(edit.text() == "// ");
}

TEST_CASE("what was typed in one go is taken back in one go; another place begins anew") {
  CodeEdit edit("a\nb");
  edit.place(1, false);
  type(edit, U"xyz");
  edit.move(Move::end, false);
  type(edit, U"12");
  CHECK(edit.undo());
  CHECK(edit.text() == "axyz\nb");
  CHECK(edit.undo());
  CHECK(edit.text() == "a\nb");
  CHECK_FALSE(edit.undo());
  CHECK(edit.redo());
  CHECK(edit.redo());
  CHECK(edit.text() == "axyz\nb12");
}

TEST_CASE("search goes around the end, in either case, forward and back") {
  CodeEdit edit("Tile tile\nTILE");
  CHECK(edit.count("tile") == 3);
  std::vector<std::size_t> at;
  for (int i = 0; i < 4; ++i) {
    CHECK(edit.find("tile"));
    at.push_back(edit.selection().first);
  }
  CHECK(at == std::vector<std::size_t>{0, 5, 10, 0});
  CHECK(edit.find("tile", true));
  CHECK(edit.selection().first == 10);
  CHECK_FALSE(edit.find("warp"));
}

TEST_CASE("a file keeps its line ends, and its text has one kind") {
  CodeEdit edit("a\r\nb\r\n");
  CHECK(edit.text() == "a\nb\n");
  edit.move(Move::end, false);
  type(edit, U"c");
  CHECK(edit.file_text() == "a\r\nb\r\nc");
}

TEST_CASE("text from outside is one change, and the caret stays at its words") {
  CodeEdit edit("one\ntwo\nthree");
  edit.place(5, false);  // in "two"
  edit.replace_all("zero\none\ntwo\nthree\nfour");
  CHECK(edit.text().substr(edit.caret() - 1, 3) == "two");
  edit.undo();
  CHECK(edit.text() == "one\ntwo\nthree");
}

TEST_CASE("a brace that ends a block goes back to where the block began") {
  CodeEdit edit("if (x) {\n    y;");
  edit.move(Move::end, false);
  type(edit, U"\n}");
  CHECK(edit.line(2) == "}");
}

TEST_CASE("whatever keys come, the caret is between characters and undo leads back to the beginning") {
  const std::string begin = kernel() + "// 共享内存\n\tmixed\n";
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    CodeEdit edit(begin);
    for (int i = 0; i < 300; ++i) {
      const bool select = random() % 3 == 0;
      switch (random() % 12) {
        case 0:
          edit.type(U"a转{}"[random() % 4]);
          break;
        case 1:
          edit.enter();
          break;
        case 2:
          edit.tab(select);
          break;
        case 3:
          edit.erase_left(select);
          break;
        case 4:
          edit.erase_right(select);
          break;
        case 5:
          edit.paste("x\ny");
          break;
        case 6:
          edit.cut();
          break;
        case 7:
          edit.undo();
          break;
        case 8:
          edit.redo();
          break;
        case 9:
          edit.find("i", select);
          break;
        default:
          edit.move(Move(random() % 10), select);
      }
      REQUIRE(edit.caret() <= edit.text().size());
      const bool inside = edit.caret() < edit.text().size() &&
                          (static_cast<unsigned char>(edit.text()[edit.caret()]) & 0xc0) == 0x80;
      REQUIRE_FALSE(inside);
    }
    while (edit.undo()) {
    }
    CHECK(edit.text() == begin);
  }
}
