// Kernels as plain CUDA: what is rewritten, what stays, and which line is which.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "kernels/ladder.hpp"
#include "kernels/plain/declarations.hpp"
#include "kernels/plain/lexer.hpp"
#include "kernels/plain/plain_cuda.hpp"
#include "kernels/plain/settled.hpp"

using namespace lockstep;

namespace {

std::vector<std::string> rung_files() {
  std::vector<std::string> files;
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs) files.push_back(rung.file);
  return files;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// From the first word on up to the last one, every run of blanks and line ends as one blank: golden texts do
// not ask where lines are broken.
std::string flowing(std::string_view text, std::string_view from, std::string_view to) {
  std::string all;
  for (const char c : text.substr(text.find(from), text.find(to) - text.find(from))) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!all.empty() && all.back() != ' ')) all += blank ? ' ' : c;
  }
  return all;
}

std::string plain(std::string_view text) { return plain_cuda(text).text; }

}  // namespace

TEST_CASE("tokens are the text, whatever it is") {
  std::mt19937 random(3);
  const std::string pieces = "ab1.\"'/*<>(){}[];#\\\n R\t";
  for (int i = 0; i < 3000; ++i) {
    std::string text, again;
    for (int n = int(random() % 40); n > 0; --n) text += pieces[random() % pieces.size()];
    int line = 1;
    for (const Token& token : tokens_of(text)) {
      REQUIRE(token.line == line);
      line += int(std::count(token.text.begin(), token.text.end(), '\n'));
      again += token.text;
    }
    REQUIRE(again == text);
  }
}

TEST_CASE("transpose/padded reads as a textbook prints it") {
  CHECK(flowing(plain(kernel_source("transpose/04_padded.cuh")), "__global__", "void launch") ==
        "__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) { "
        "__shared__ float tile[32][33]; "
        "int col = blockIdx.x * 32 + threadIdx.x; int row = blockIdx.y * 32 + threadIdx.y; "
        "for (int j = 0; j < 32; j += 8) if (row + j < n && col < n) "
        "tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * n + col]; "
        "__syncthreads(); "
        "col = blockIdx.y * 32 + threadIdx.x; row = blockIdx.x * 32 + threadIdx.y; "
        "for (int j = 0; j < 32; j += 8) if (row + j < n && col < n) "
        "out[(row + j) * n + col] = tile[threadIdx.x][threadIdx.y + j]; } ");
}

TEST_CASE("gemm/shared reads as a textbook prints it") {
  CHECK(
      flowing(plain(kernel_source("gemm/03_shared.cuh")), "template", "void launch") ==
      "template <int kTile> __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, "
      "float* __restrict__ c, int m, int n, int k) { "
      "__shared__ alignas(16) float a_tile[kTile][kTile]; __shared__ alignas(16) float b_tile[kTile][kTile]; "
      "const int x = threadIdx.x, y = threadIdx.y; "
      "const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x; float sum = 0; "
      "for (int k0 = 0; k0 < k; k0 += kTile) { "
      "a_tile[y][x] = load_or_zero(row < m && k0 + x < k, a[row * k + k0 + x]); "
      "b_tile[y][x] = load_or_zero(k0 + y < k && col < n, b[(k0 + y) * n + col]); "
      "__syncthreads(); for (int p = 0; p < kTile; ++p) sum += a_tile[y][p] * b_tile[p][x]; "
      "__syncthreads(); } "
      "if (row < m && col < n) c[row * n + col] = sum; } ");
}

TEST_CASE("no word of the dialect is left in any kernel") {
  const auto& words = dialect_words();
  for (const std::string& file : rung_files()) {
    const std::string text = plain(kernel_source(file));
    CAPTURE(file);
    for (const Token& token : tokens_of(text)) {
      const bool dialect =
          token.is_word() && std::find(words.begin(), words.end(), token.text) != words.end();
      CHECK_MESSAGE(!dialect, std::string(token.text), " in line ", token.line);
    }
    CHECK(text.find("__global__") != text.npos);
    // In the rung itself, or in what its ladder launches all rungs by.
    const std::string shared = file.substr(0, file.find('/')) + "/settings.cuh";
    CHECK((text.find("<<<") != text.npos || plain(kernel_source(shared)).find("<<<") != std::string::npos));
  }
}

TEST_CASE("every line has its counterpart, and the way there and back ends where it began") {
  for (const std::string& file : rung_files()) {
    const auto before = lines_of(kernel_source(file));
    const PlainKernel k = plain_cuda(kernel_source(file));
    const auto after = lines_of(k.text);
    CAPTURE(file);
    REQUIRE(k.plain_lines.size() == before.size());
    REQUIRE(k.kernel_lines.size() == after.size());
    CHECK(std::is_sorted(k.plain_lines.begin(), k.plain_lines.end()));
    CHECK(std::is_sorted(k.kernel_lines.begin(), k.kernel_lines.end()));
    for (int line = 1; line <= int(after.size()); ++line) {
      const int there = k.kernel_line(line), back = k.plain_line(there);
      REQUIRE(there >= 1);
      REQUIRE(there <= int(before.size()));
      CHECK(back <= line);  // a line that became several leads to the first of them
      CHECK(k.kernel_line(back) == there);
    }
    for (int line = 1; line <= int(before.size()); ++line)
      if (k.kernel_line(k.plain_line(line)) == line &&
          before[std::size_t(line - 1)].find("__syncthreads") != std::string::npos)
        CHECK(after[std::size_t(k.plain_line(line) - 1)] == before[std::size_t(line - 1)]);
  }
}

TEST_CASE("what is plain CUDA already stays as it is, to the blank") {
  std::string own(kernel_source("plain/device.cuh"));
  REQUIRE(own.size() > 1000);
  // But for what it takes from beside it: an exported program holds that itself.
  const std::string beside = "#include \"kernels/cuda/multiply.cuh\"\n\n";
  const auto at = own.find(beside);
  REQUIRE(at != std::string::npos);
  own.erase(at, beside.size());
  CHECK(plain(own) == own);
  for (const std::string& file : rung_files()) {
    const std::string once = plain(kernel_source(file));
    CHECK_MESSAGE(plain(once) == once, file);
  }
}

TEST_CASE("what is noted for the picture goes, and what served it alone") {
  CHECK(plain("void f() {\n  begin_step(\"a\", j);\n  g();\n}\n") == "void f() {\n  g();\n}\n");
  CHECK(plain("  show_if(a, \"m\", r, m), show_if(a, \"l\", r, l);\n  g();\n") == "  g();\n");
  CHECK(plain("  show(\"m\", r, m), top = m;\n") == "  top = m;\n");
  CHECK(plain("// For the screen.\ntemplate <int kD>\nLAB_DEVICE void show_all(int r) {\n  g(r);\n  "
              "show(\"m\", r, "
              "1);\n}\n\nvoid f() {\n  show_all<4>(1);\n  g();\n}\n") == "void f() {\n  g();\n}\n");
  CHECK(plain("  top = m, show(\"m\", r, m);\n") == "  top = m;\n");
  CHECK(
      plain("  for (int r = 0; r < 4; ++r)\n    for (int c = 0; c < 4; ++c) show(\"o\", r, c);\n  g();\n") ==
      "  g();\n");
  CHECK(plain("  if (a) {\n    show(\"o\", r, c);\n  }\n  g();\n") == "  g();\n");
  CHECK(plain("  if (a) g();\n  else show(\"o\", r, c);\n  h();\n") == "  if (a) g();\n  h();\n");
  CHECK(plain("  each(s, [&](float x) { show(\"o\", 0, x); });\n  g();\n") == "  g();\n");
  CHECK(plain("  each(s, [&](float& x) { x = 0; });\n") == "  each(s, [&](float& x) { x = 0; });\n");
}

TEST_CASE("variables that only notes used go, and counters; others stay") {
  CHECK(plain("{\n  const int told = a && b;\n  show_if(told, \"m\", r, m);\n  g();\n}\n") ==
        "{\n  g();\n}\n");
  CHECK(plain("{\n  int step = first;\n  for (int i = 0; i < n; ++i, ++step) {\n    begin_step(\"a\", "
              "step);\n    g(i);\n  }\n}\n") == "{\n  for (int i = 0; i < n; ++i) {\n    g(i);\n  }\n}\n");
  CHECK(plain("{\n  const int a = 1, row = 2, b = 3;\n  show(\"m\", row, x);\n  g(a, b);\n}\n") ==
        "{\n  const int a = 1, b = 3;\n  g(a, b);\n}\n");
  CHECK(plain("{\n  int step = 0;\n  begin_step(\"a\", step);\n  g(step);\n}\n") ==
        "{\n  int step = 0;\n  g(step);\n}\n");
  CHECK(plain("{\n  const int old = atomicAdd(&n, 1);\n  show(\"n\", 0, old);\n}\n") ==
        "{\n  atomicAdd(&n, 1);\n}\n");  // what it does to memory stays
  CHECK(plain("{\n  for (int r = 0; r < 4; ++r) {\n    const float factor = weigh<4>(s, m[r]);\n"
              "    show(\"factor\", r, factor);\n  }\n}\n") ==
        "{\n  for (int r = 0; r < 4; ++r) {\n    weigh<4>(s, m[r]);\n  }\n}\n");
}

TEST_CASE("declarations have the names that a program looks for") {
  const auto names_in = [](std::string_view text) {
    std::string all;
    for (const Declaration& d : declarations_of(text).declarations)
      for (const std::string& name : d.names) all += name + (d.function ? "() " : " ");
    return all;
  };
  CHECK(names_in("int a = f(1), b;\nvoid g(int x) { h(x); }\nstruct S { int add(int); };\n") == "a b g() S ");
  CHECK(names_in("int S::add(int x) { return x; }\nS::S() {}\n") == "S S ");  // no add() of its own
  CHECK(names_in("std::string word(int x);\nstd::vector<int> all(Params::const_iterator);\n") ==
        "word() all() ");
  CHECK(without_qualifier("lab::f(lab::kA, std::lab)", "lab") == "f(kA, std::lab)");
}

TEST_CASE("conditions on a known word are settled, and only those") {
  const auto of_b = [](const std::string& text) { return settled(text, "rung", "b"); };
  CHECK(of_b("if (rung == \"a\") f();\ng();\n") == "g();\n");
  CHECK(of_b("if (rung == \"b\") f();\n") == "f();\n");
  CHECK(of_b("if (rung != \"a\")\n  f();\nelse\n  g();\n") == "f();\n");
  CHECK(of_b("if (rung == \"a\") f(); else g();\n") == "g();\n");
  CHECK(of_b("if (x) f();\nelse if (rung == \"a\") g();\nh();\n") == "if (x) f();\nh();\n");
  CHECK(of_b("if (rung == \"a\" || rung == \"b\") f();\n") == "f();\n");
  CHECK(of_b("if (x && rung == \"a\") f();\ng();\n") == "g();\n");
  CHECK(of_b("if (rung == \"a\")\n  for (;;)\n    if (x) f();\n    else { g(); }\nh();\n") == "h();\n");
  CHECK(of_b("return rung == \"a\" ? f(x ? 1 : 2) : g();\n") == "return g();\n");
  CHECK(of_b("int n = rung == \"b\" ? f(1) : x ? 2 : 3, m;\n") == "int n = f(1), m;\n");
  for (const char* kept : {"if (x && rung == \"a\" || y) f();\n", "if (rung == other) f();\n",
                           "if (rung == \"b\") {\n  f();\n}\n", "x = y + rung == \"a\" ? 1 : 2;\n",
                           "if (run.rung == \"a\") f();\n", "if (x || rung == \"a\") f();\n"})
    CHECK(of_b(kept) == kept);
}

TEST_CASE("memory by its CUDA names") {
  const std::string head =
      "template <class P>\nLAB_KERNEL void f(View<const float, P> in, View<T, P> out) {\n";
  const std::string plain_head = "__global__ void f(const float* __restrict__ in, T* __restrict__ out) {\n";
  const auto body = [&](const std::string& text) { return plain(head + text + "}\n"); };
  CHECK(body("  out[0] = in[0];\n") == plain_head + "  out[0] = in[0];\n}\n");
  CHECK(body("  x = as<const float4>(in)[i];\n") ==
        plain_head + "  x = reinterpret_cast<const float4*>(in)[i];\n}\n");
  CHECK(body("  SHARED(float, sum, 32);\n") == plain_head + "  __shared__ float sum[32];\n}\n");
  CHECK(body("  SHARED(float, t, 8, 32 + 4);\n  x = as<float4>(t)[r][c];\n") ==
        plain_head +
            "  __shared__ alignas(16) float t[8][32 + 4];\n  x = reinterpret_cast<float4 (*)[(32 + 4) / "
            "4]>(t)[r][c];\n}\n");
  CHECK(
      body(
          "  DYNAMIC_SHARED(float, q, kRows, kD, 0);\n  DYNAMIC_SHARED(uint4, k, 8, 4, 4 * kRows * kD);\n") ==
      plain_head +
          "  extern __shared__ __align__(16) unsigned char dynamic_shared[];\n"
          "  const auto q = reinterpret_cast<float (*)[kD]>(dynamic_shared);\n"
          "  const auto k = reinterpret_cast<uint4 (*)[4]>(dynamic_shared + 4 * kRows * kD);\n}\n");
  CHECK(body("  x = 2 * load_if(i < n, in[i]);\n") ==
        plain_head + "  x = 2 * load_or_zero(i < n, in[i]);\n}\n");
  CHECK(body("  copy_async_if(i < n, t[r][c], as<const float4>(in)[i]);\n") ==
        plain_head + "  cp_async_if(i < n, &t[r][c], &reinterpret_cast<const float4*>(in)[i]);\n}\n");
}

TEST_CASE("the clean build's branch of a conditional is the plain text") {
  CHECK(plain("#if defined(__CUDA_ARCH__) && !defined(LAB_TRACED)\na();\n#else\nb();\n#endif\nc();\n") ==
        "a();\nc();\n");
  CHECK(plain("#ifdef LAB_TRACED\na();\n#endif\nc();\n") == "c();\n");
  const std::string kept = "#if __CUDA_ARCH__ >= 800\na();\n#else\nb();\n#endif\n";
  CHECK(plain(kept) == kept);
}

TEST_CASE("launches are launches") {
  CHECK(plain("template <class P>\nvoid launch(Launcher<P>& gpu, View<float, P> o, int n) {\n"
              "  gpu.launch(\"f\", f<16, P>, {n, 2}, {256}, o, n);\n}\n") ==
        "void launch(float* __restrict__ o, int n) {\n  f<16><<<dim3(n, 2), 256>>>(o, n);\n}\n");
  CHECK(plain("template <class P>\nvoid launch(Launcher<P>& gpu) {\n"
              "  gpu.launch_shared(\"f\", n ? f<1, P> : f<2, P>, {n}, {8}, 4 * n, o);\n}\n") ==
        "void launch() {\n  (n ? f<1> : f<2>)<<<n, 8, 4 * n>>>(o);\n}\n");
}

TEST_CASE("any text is survived") {
  std::mt19937 random(7);
  const auto files = rung_files();
  for (int i = 0; i < 400; ++i) {
    const std::string_view source = kernel_source(files[random() % files.size()]);
    std::string text;
    for (const Token& token : tokens_of(source)) {
      const unsigned what = random() % 40;
      if (what == 0) continue;
      text += token.text;
      if (what == 1) text += token.text;
      if (what == 2) text += "(){}[]<>;,"[random() % 10];
    }
    const PlainKernel k = plain_cuda(text);
    const auto lines = int(lines_of(text).size()), plain_lines = int(lines_of(k.text).size());
    REQUIRE(int(k.plain_lines.size()) == lines);
    REQUIRE(int(k.kernel_lines.size()) == plain_lines);
    for (const int line : k.kernel_lines) REQUIRE((line >= 1 && line <= lines));
    for (const int line : k.plain_lines) REQUIRE((line >= 1 && line <= std::max(1, plain_lines)));
  }
  for (const char* text :
       {"", "\n", "\"", "/*", "SHARED(", "as<", "load_if(,)", "template <class P>", "gpu.launch(", "R\"("})
    CHECK_NOTHROW(plain_cuda(text));
}
