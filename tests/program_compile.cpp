// Readers' programs through clang: what compiles, what is said of what does not, and what is kept.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/platform/run_program.hpp"
#include "app/program/source/compile.hpp"
#include "app/program/source/compiler.hpp"
#include "app/program/source/missing_definition.hpp"
#include "program_samples.hpp"

using namespace lockstep;
using namespace lockstep::reader;
namespace fs = std::filesystem;

namespace {

// A folder for programs and a cache beside it, gone when the tests are.
struct Places {
  Places() : folder(fs::temp_directory_path() / ("lockstep-test-" + std::to_string(::getpid()))) {
    fs::create_directories(folder / "mine" / "own");
  }
  ~Places() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  fs::path folder;
};
const fs::path& folder() {
  static const Places places;
  return places.folder;
}

fs::path written(const std::string& name, std::string_view text) {
  const fs::path file = folder() / "mine" / "own" / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

CompileRequest request_for(const fs::path& file) {
  CompileRequest request;
  request.file = file, request.cache = folder() / "cache";
  return request;
}
Compiled compiled(const std::string& name, std::string_view text) {
  auto result = compile(request_for(written(name, text)));
  if (!result) FAIL(result.error().text());
  return std::move(*result);
}

// "3:5 sentence" of its first error; "" where it compiles.
std::string first_error(std::string_view text) {
  const Compiled out = compiled("wrong.cu", text);
  if (out.diagnostics.empty()) return out.ok() ? "" : "no reason";
  const Diagnostic& one = out.diagnostics[0];
  CHECK(!out.ok());
  CHECK(fs::path(one.file).filename() == "wrong.cu");
  return std::to_string(one.line) + ":" + std::to_string(one.column) + " " + one.message.text();
}

bool without_clang() {
  static const bool without = !program_on_path("clang++");
  if (without) MESSAGE("clang++ is not installed: nothing is compiled");
  return without;
}

}  // namespace

TEST_CASE("every construct that the rewriting knows compiles, traced and untraced") {
  if (without_clang()) return;
  const Compiled out = compiled("many.cu", test::kManyConstructs);
  for (const Diagnostic& one : out.diagnostics) MESSAGE(one.line, ": ", one.compiler);
  REQUIRE(out.ok());
  CHECK(fs::file_size(out.traced) > 1000);
  CHECK(fs::file_size(out.program) > 1000);
  CHECK(out.tables.kernels.size() == 4);
  CHECK(out.tables.hints.size() == 1);
}

TEST_CASE("what was compiled is kept until the text changes") {
  if (without_clang()) return;
  const std::string text = "#include <cstdio>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n";
  const Compiled first = compiled("kept.cu", text), second = compiled("kept.cu", text);
  REQUIRE(first.ok());
  CHECK(!first.from_cache);
  CHECK(second.from_cache);
  CHECK(second.program == first.program);
  CHECK(second.tables.launches.size() == 1);
  CHECK(!compiled("kept.cu", text + "// changed\n").from_cache);
}

TEST_CASE(
    "a program's own headers are found beside it and below the folder above, and their kernels are kernels") {
  if (without_clang()) return;
  written("beside.cuh",
          "#pragma once\ntemplate <class T> __global__ void fill(T* d, T x) { d[threadIdx.x] = x; }\n");
  written("../common/inc/tools.h", "#include \"deeper.h\"\n");
  written("../common/inc/deeper.h", "inline int tool() { return 3; }\n");
  const Compiled out = compiled("includes.cu",
                                "#include \"beside.cuh\"\n#include <tools.h>\nint main() { fill<<<1, "
                                "tool()>>>((float*)nullptr, 2.0f); }\n");
  for (const Diagnostic& one : out.diagnostics) MESSAGE(one.file, ":", one.line, ": ", one.compiler);
  CHECK(out.ok());
  CHECK(out.sources.size() == 4);
  REQUIRE(out.tables.kernels.size() == 1);
  CHECK(fs::path(out.tables.kernels[0].file).filename() == "beside.cuh");
}

TEST_CASE("an error in a header stands in the header") {
  if (without_clang()) return;
  written("broken.cuh", "__global__ void k(int* d) {\n  d[0] = missing;\n}\n");
  const Compiled out = compiled("includes_broken.cu", "#include \"broken.cuh\"\nint main() {}\n");
  REQUIRE(out.diagnostics.size() == 1);
  CHECK(fs::path(out.diagnostics[0].file).filename() == "broken.cuh");
  CHECK(out.diagnostics[0].line == 2);
  CHECK(out.diagnostics[0].column == 10);
  CHECK(out.diagnostics[0].message.text() == "missing is not declared");
}

TEST_CASE("several sources are one program") {
  if (without_clang()) return;
  CompileRequest request =
      request_for(written("first.cu", "int second(int);\nint main() { return second(3); }\n"));
  request.further_sources = {
      written("second.cpp", "extern \"C\" int third(int);\nint second(int x) { return third(x); }\n"),
      written("third.c", "int third(int new) { return new; }\n")};
  const auto out = compile(request);
  REQUIRE(out.ok());
  CHECK(out->ok());
}

TEST_CASE("a source in C includes the headers beside it, and macros and folders are given from outside") {
  if (without_clang()) return;
  written("../../elsewhere/size.h", "#define SIZE (ROWS * 2)\n");
  written("part.h", "int size_of(void);\n");
  CompileRequest request = request_for(written("outer.cu",
                                               "extern \"C\" {\n#include \"part.h\"\n}\n#include <size.h>\n"
                                               "int main() { return size_of() - SIZE; }\n"));
  request.further_sources = {written("part.c", "#include \"part.h\"\nint size_of(void) { return ROWS; }\n")};
  request.defines = {"ROWS=3"};
  request.include_folders = {folder() / "elsewhere"};
  const auto out = compile(request);
  REQUIRE(out.ok());
  for (const Diagnostic& one : out->diagnostics) MESSAGE(one.file, ":", one.line, ": ", one.compiler);
  CHECK(out->ok());
}

TEST_CASE("a dependent name that nvcc takes as it is compiles without its template keyword") {
  if (without_clang()) return;
  const Compiled out =
      compiled("dependent.cu",
               "template <class T> struct Inner { template <int N> T twice(T x) { return x * N; } };\n"
               "template <class T> struct Outer { Inner<T> in;\n"
               "  T f(T x) { return in.twice<2>(x); } };\n"
               "int main() { return Outer<int>().f(0); }\n");
  for (const Diagnostic& one : out.diagnostics) MESSAGE(one.line, ": ", one.compiler);
  CHECK(out.ok());
}

TEST_CASE("a function without a definition is named where it is used, with the file that defines it") {
  const std::map<std::string, std::string> sources{
      {"calls.cu", "int helper(float);\n\nint main() {\n  return helper(1);\n}\n"}};
  const fs::path program = written("calls.cu", sources.at("calls.cu"));
  const Diagnostic alone = missing_definition("_Z6helperf", sources, program);
  CHECK(alone.line == 4);
  CHECK(alone.column == 10);
  CHECK(alone.message.text().starts_with("helper(float) is used and defined nowhere"));
  written("calls_more/helper.cpp", "int helper(float x) { return int(x); }\n");
  const Diagnostic found = missing_definition("_Z6helperf", sources, program);
  CHECK(found.message.text().find("helper.cpp defines it: --with ") != std::string::npos);
  fs::remove_all(folder() / "mine" / "own" / "calls_more");
}

TEST_CASE("files outside of the program's own folders are not included, however they are named") {
  written("../../outside.h", "int outside;\n");
  fs::create_directories(folder() / "mine" / "own");
  std::error_code ignored;
  fs::create_symlink("/etc/passwd", folder() / "mine" / "own" / "link.h", ignored);
  for (const char* name :
       {"\"/etc/passwd\"", "</etc/passwd>", "\"../../../../../../../etc/passwd\"", "\"link.h\""}) {
    const auto out = compile(
        request_for(written("reads.cu", "int x;\n  #include " + std::string(name) + "\nint main() {}\n")));
    if (!out) {
      CHECK(out.error().exit == Exit::unavailable);  // without clang
      continue;
    }
    CHECK(!out->ok());
    REQUIRE(out->diagnostics.size() == 1);
    CHECK(out->diagnostics[0].line == 2);
    CHECK(out->diagnostics[0].column == 12);
    CHECK(out->diagnostics[0].message.text().find("may not be included") != std::string::npos);
  }
}

TEST_CASE("a file that a macro names is not read either") {
  if (without_clang()) return;
  const Compiled out =
      compiled("macro_include.cu", "#define FILE_NAME \"/etc/passwd\"\n#include FILE_NAME\nint main() {}\n");
  CHECK(!out.ok());
  for (const Diagnostic& one : out.diagnostics) CHECK(one.compiler.find("root:") == std::string::npos);
}

TEST_CASE("the usual mistakes are said in plain words at the reader's own line and column") {
  if (without_clang()) return;
  const std::string k = "__global__ void k(float* d, int n) {\n";
  CHECK(first_error(k + "  d[n] = 1\n}\nint main() {}\n") == "2:11 a ; is missing");
  CHECK(first_error(k + "  d[m] = 1;\n}\nint main() {}\n") == "2:5 m is not declared");
  CHECK(first_error(k + "  d[blockIdx.q] = 1;\n}\nint main() {}\n").starts_with("2:14 "));
  CHECK(first_error(k + "  if (n) { d[n] = 1;\n}\nint main() {}\n").starts_with("4:"));
  CHECK(first_error(k + "  d[n] = 1;\n}\n}\nint main() {}\n") == "4:1 there is one } too many");
  CHECK(first_error(k + "}\nint main() { float* d; int n; k<<<1, 2>>>(d, n); k<<<1, 2>>>(n, n); }\n") ==
        "3:50 argument 1 of this launch is int, and the kernel k takes float * there");
  CHECK(first_error(k + "}\nint main() { cudaMalloc(nullptr, 4); k<<<1, 2>>>(0, x); }\n") ==
        "3:53 x is not declared");
  CHECK(first_error("int main() { cudaMakeCoffee(3); }\n") == "1:14 not supported here: cudaMakeCoffee");
  CHECK(first_error("#include <cudnn.h>\nint main() {}\n").starts_with("1:10 cudnn.h was not found"));
  CHECK(first_error(k + "  __shared__ float s[n];\n}\nint main() {}\n").find("constant") !=
        std::string::npos);
  CHECK(first_error(k + "  asm(\"frob.u32 %0, 1;\" : \"=r\"(n));\n}\nint main() {}\n") ==
        "2:3 not supported here: the PTX instruction frob.u32");
}

TEST_CASE("a program that compiles for ever is ended") {
  if (without_clang()) return;
  std::string text = "#define A0 1+1+1+1+1+1+1+1+1+1\n";
  for (int i = 1; i < 12; ++i) {
    text += "#define A" + std::to_string(i);
    for (int n = 0; n < 10; ++n) text += (n ? " + A" : " A") + std::to_string(i - 1);
    text += "\n";
  }
  CompileRequest request = request_for(written("endless.cu", text + "int main() { return A11; }\n"));
  int asked = 0;
  request.goes_on = [&] { return ++asked < 5; };
  const auto cancelled = compile(request);
  REQUIRE(!cancelled);
  CHECK(cancelled.error().text() == "the run was cancelled");
  request.goes_on = nullptr;
  (void)compile(
      request_for(written("quick.cu", "int main() {}\n")));  // the headers' time is not the program's
  request.time_limit_s = 2;
  const auto out = compile(request);
  if (out)
    CHECK(!out->ok());  // out of memory first
  else
    CHECK(out.error().exit == Exit::worker_died);
}

TEST_CASE("without clang the error says what to install") {
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  ::setenv("PATH", "/nonexistent", 1);
  const auto out = compile(request_for(written("none.cu", "int main() {}\n")));
  const auto version = compiler_version();
  ::setenv("PATH", path.c_str(), 1);
  REQUIRE(!out);
  CHECK(out.error().exit == Exit::unavailable);
  CHECK(out.error().text().find("install clang") != std::string::npos);
  CHECK(!version);
}

TEST_CASE("a file that is not there is named") {
  const auto out = compile(request_for(folder() / "absent.cu"));
  REQUIRE(!out);
  CHECK(out.error().exit == Exit::bad_input);
  CHECK(out.error().text().find("absent.cu") != std::string::npos);
}
