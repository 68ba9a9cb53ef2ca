// CUDA text as C++: what is replaced, what stays, and where a column stood.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "app/program/source/code.hpp"
#include "app/program/source/rewrite.hpp"
#include "program_samples.hpp"

using namespace lockstep;
using namespace lockstep::reader;

namespace {

Rewritten rewritten(std::string_view text, const SourceTables* known = nullptr) {
  RewriteOptions options;
  options.file = "my.cu", options.known = known;
  return rewrite(text, options);
}

// Blanks of any number as one, so that a claim need not know how many an edit leaves.
std::string plain(std::string_view text) {
  std::string all;
  for (const char c : text)
    if (c != ' ' || (!all.empty() && all.back() != ' ' && all.back() != '\n')) all += c;
  while (all.ends_with(' ')) all.pop_back();
  return all;
}
std::string plain_rewritten(std::string_view text) { return plain(rewritten(text).text); }

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// "12:5 message"
std::vector<std::string> refusals(std::string_view text) {
  std::vector<std::string> all;
  for (const Diagnostic& one : rewritten(text).refused)
    all.push_back(std::to_string(one.line) + ":" + std::to_string(one.column) + " " + one.message.text());
  return all;
}

const std::string kKernel = "__global__ void k(float* d, int n) {}\n";
std::string in_main(const std::string& statement) { return kKernel + "int f() {\n  " + statement + "\n}\n"; }
std::string statement_of(const std::string& statement) {
  const std::string all = rewritten(in_main(statement)).text;
  const std::size_t begin = all.find('\n', all.find("int f()")) + 3;
  return plain(all.substr(begin, all.rfind("\n}") - begin));
}

}  // namespace

TEST_CASE("plain C++ comes out as it went in, to the byte") {
  const std::string text =
      "#include <vector>\n// k<<<1, 2>>>(x) and __shared__ in a comment\n/* __global__\n */ int a = 1'000 << "
      "3 >> 2;\n"
      "const char* s = \"k<<<1, 2>>>(__shared__)\";\nauto r = R\"x(__device__ <<<\n)\" >>>)x\";\n"
      "char c = '\"';\n#if 0\nit's not code: __global__ void\n#endif\n"
      "template <class T, class U = std::vector<std::vector<T>>> struct A { bool operator<(const A&) const; "
      "};\n";
  CHECK(rewritten(text.substr(0, text.find("#if 0"))).text == text.substr(0, text.find("#if 0")));
  CHECK(holds(rewritten(text).text, "std::vector<std::vector<T>>>"));
}

TEST_CASE("a launch names its line, its kernel and its arguments") {
  CHECK(statement_of("k<<<grid, 256>>>(d, n + 1);") ==
        "LOCKSTEP_LAUNCH(3, \"k\", \"d, n + 1\", (k), (grid, 256))(d, n + 1);");
  CHECK(statement_of("k <<< grid, 256, 4 * n, stream >>> (d, n);") ==
        "LOCKSTEP_LAUNCH(3, \"k\", \"d, n\", (k ), ( grid, 256, 4 * n, stream )) (d, n);");
}

TEST_CASE("blanks may stand between the angles of a launch") {
  CHECK(statement_of("k<< <grid, 256>> >(d, n);") ==
        "LOCKSTEP_LAUNCH(3, \"k\", \"d, n\", (k), ( grid, 256)) (d, n);");
}

TEST_CASE("what is launched may be any expression") {
  CHECK(holds(statement_of("table[i + 1]<<<1, 2>>>(d, n);"),
              "LOCKSTEP_LAUNCH(3, \"table[i + 1]\", \"d, n\", (table[i + 1]), (1, 2))"));
  CHECK(holds(statement_of("(*pointer)<<<1, 2>>>(d, n);"), "\"(*pointer)\""));
  CHECK(holds(statement_of("if (x) k<<<1, 2>>>(d, n);"), "if (x) LOCKSTEP_LAUNCH("));
  CHECK(holds(statement_of("return (k)<<<1, 2>>>(d, n);"), "return LOCKSTEP_LAUNCH(3, \"(k)\""));
  CHECK(holds(statement_of("object.kernel<<<1, 2>>>(d);"), "\"object.kernel\""));
  CHECK(holds(statement_of("::one::two::k<<<1, 2>>>(d, n);"), "LOCKSTEP_LAUNCH(3, \"::one::two::k\""));
  CHECK(holds(statement_of("for (;;) one::t<A<B<int>>, 3><<<f<1>(n), dim3(8, 8)>>>(d);"),
              "for (;;) LOCKSTEP_LAUNCH_DEDUCED(3, \"one::t<A<B<int>>, 3>\", \"d\", (one::t<A<B<int>>, 3>), "
              "(f<1>(n), dim3(8, 8)))(d);"));
}

TEST_CASE("a shift is no launch") {
  for (const char* text : {"a << b >> c;", "std::cout << k << (d);", "x = y >> (z);", "operator<< <int>(a);"})
    CHECK(statement_of(text) == text);
}

TEST_CASE("clang deduces the instance where the launch does not name it in full") {
  const std::string kernels =
      "template <int B, class T> __global__ void t(T* d) {}\n__global__ void o(int) {}\n__global__ void "
      "o(float) {}\n"
      "int f() {\n";
  const auto launch = [&](const std::string& one) { return rewritten(kernels + one + "\n}").text; };
  CHECK(holds(launch("t<4, float><<<1, 2>>>(d);"), "LOCKSTEP_LAUNCH(5"));
  CHECK(holds(launch("t<4><<<1, 2>>>(d);"), "LOCKSTEP_LAUNCH_DEDUCED(5"));
  CHECK(holds(launch("o<<<1, 2>>>(3);"), "LOCKSTEP_LAUNCH_DEDUCED(5"));
}

TEST_CASE("a launch inside a macro takes its line from where the macro stands") {
  const std::string text =
      plain_rewritten("#define LAUNCH(kernel, n, ...) \\\n  kernel<<<(n + 255) / 256, 256>>>(__VA_ARGS__)\n");
  CHECK(holds(text,
              "LOCKSTEP_LAUNCH_DEDUCED(__LINE__, #kernel, #__VA_ARGS__, (kernel), ((n + 255) / 256, "
              "256))(__VA_ARGS__)"));
}

TEST_CASE("a launch over several lines stays on them") {
  const Rewritten out = rewritten(in_main("k<<<grid,\n      block>>>(d,\n      n);"));
  CHECK(std::count(out.text.begin(), out.text.end(), '\n') == 6);
  REQUIRE(out.tables.launches.size() == 1);
  CHECK(out.tables.launches[0].line == 3);
  CHECK(out.tables.launches[0].grid == "grid");
  CHECK(out.tables.launches[0].block == "block");
  CHECK(out.tables.launches[0].arguments == std::vector<std::string>{"d", "n"});
}

TEST_CASE("NULL as an argument is a null pointer whatever the kernel takes") {
  CHECK(holds(statement_of("k<<<1, 2>>>(NULL, n);"), "(1, 2))(nullptr, n)"));
}

TEST_CASE("kernels become functions that stay whole, and the table knows their parameters") {
  const Rewritten out = rewritten(
      "extern \"C\" __global__ void __launch_bounds__(256, 2) one(const float* __restrict__ in, float "
      "(*out)[32], int n = 3);\n"
      "template <class T, int N, typename... R>\nstatic __global__ void two(T, unsigned int, R... rest) "
      "{}\n");
  CHECK(holds(plain(out.text),
              "extern \"C\" __attribute__((noinline, used)) void one(const float* __restrict__ in"));
  CHECK(holds(plain(out.text), "inline __attribute__((noinline, used)) void two(T, unsigned int"));
  REQUIRE(out.tables.kernels.size() == 2);
  const Kernel &one = out.tables.kernels[0], &two = out.tables.kernels[1];
  CHECK(one.name == "one");
  REQUIRE(one.parameters.size() == 3);
  CHECK(one.parameters[0].name == "in");
  CHECK(one.parameters[0].type == "const float* __restrict__");
  CHECK(one.parameters[1].name == "out");
  CHECK(one.required == 2);
  CHECK(two.line == 3);
  CHECK(two.template_parameters == 3);
  CHECK(two.template_pack);
  CHECK(two.variadic);
  CHECK(two.parameters[0].name == "");
  CHECK(two.parameters[1].type == "unsigned int");
  CHECK(two.parameters[2].name == "rest");
}

TEST_CASE("qualifiers go, in macros too; attributes that spell alike stay") {
  CHECK(plain_rewritten("__host__ __device__ __forceinline__ int f(int x);") ==
        "inline __attribute__((always_inline)) int f(int x);");
  CHECK(plain_rewritten("#define HD __host__ __device__ inline\n") == "#define HD inline\n");
  CHECK(plain_rewritten("__noinline__ int f(); __attribute__((__noinline__)) int g();") ==
        "__attribute__((noinline)) int f(); __attribute__((__noinline__)) int g();");
  CHECK(plain_rewritten("struct __align__(16) A {};") == "struct __attribute__((aligned(16))) A {};");
  CHECK(plain_rewritten("auto f = [=] __device__ (int i) { return i; };") ==
        "auto f = [=] (int i) { return i; };");
}

TEST_CASE("shared variables of any type and shape are declared and announced on their line") {
  const std::string two = plain_rewritten("__global__ void k() {\n  __shared__ float a[3][4], b;\n}\n");
  CHECK(holds(
      two,
      "static thread_local struct __attribute__((aligned(16))) { float a[3][4], b; char lockstep_pad[64]; } "
      "lockstep_held_a; auto& a = lockstep_held_a.a; LOCKSTEP_SHARED(2, a, \"a\", \"float\"); "
      "auto& b = lockstep_held_a.b; LOCKSTEP_SHARED(2, b, \"b\", \"float\");"));
  CHECK(holds(plain_rewritten("__device__ void f() { volatile __shared__ std::pair<int, float> s[N + 1]; }"),
              "LOCKSTEP_SHARED(1, s, \"s\", \"volatile std :: pair < int , float >\");"));
  CHECK(holds(plain_rewritten("__device__ void f() { static __shared__ struct { int x; } s; }"),
              "lockstep_held_s.s"));
}

TEST_CASE("dynamic shared memory is asked for under its name and type") {
  CHECK(holds(plain_rewritten("__global__ void k() { extern __shared__ float s[]; }"),
              "{ LOCKSTEP_DYNAMIC_SHARED(1, s, float ); }"));
  CHECK(holds(
      plain_rewritten("__global__ void k() { extern volatile __shared__ __align__(16) unsigned char s[]; }"),
      "LOCKSTEP_DYNAMIC_SHARED(1, s, volatile unsigned char"));
  CHECK(
      holds(plain_rewritten("extern __shared__ int s[];\n"), "LOCKSTEP_DYNAMIC_SHARED_GLOBAL(1, s, int );"));
}

TEST_CASE("device variables are ordinary ones that the runtime hears of") {
  CHECK(plain_rewritten("__constant__ float c[256];") ==
        "float c[256]; LOCKSTEP_VARIABLE(1, c, \"c\", constant)");
  CHECK(plain_rewritten("static __device__ int a = 1, b[2];") ==
        "int a = 1, b[2]; LOCKSTEP_VARIABLE(1, a, \"a\", device) LOCKSTEP_VARIABLE(1, b, \"b\", device)");
  CHECK(holds(plain_rewritten("__device__ __managed__ int m;"), "LOCKSTEP_VARIABLE(1, m, \"m\", managed)"));
  CHECK(
      holds(plain_rewritten("__constant__ const float w[2] = {1, 2};"), "extern const float w[2] = {1, 2};"));
  CHECK(plain_rewritten("extern __constant__ float c[];") == "extern float c[];");
  CHECK(plain_rewritten("__device__ float f(float x) { return x; }") == "float f(float x) { return x; }");
}

TEST_CASE("namespaces without a name get one, so that their kernels can be found") {
  CHECK(plain_rewritten("namespace {\nint x;\n}") == "inline namespace lockstep_unnamed {\nint x;\n}");
}

TEST_CASE("main is called by the runtime") {
  CHECK(plain_rewritten("int main() { f(); }") ==
        "extern \"C\" int lockstep_reader_main(int, char**) { f(); return 0; }");
  CHECK(holds(plain_rewritten("int main(void) {}"), "lockstep_reader_main(int, char**)"));
  CHECK(holds(plain_rewritten("int main(int argc, char** argv) {}"),
              "lockstep_reader_main(int argc, char** argv)"));
  CHECK_FALSE(holds(plain_rewritten("int main(int, char**);"), "main"));
  CHECK(holds(plain_rewritten("struct A { int main(); };"), "int main();"));
}

TEST_CASE("allocations carry the name of their variable, but not into text that a macro prints") {
  CHECK(statement_of("cudaMalloc(&d_in, n);") == "(lockstep_named(\"d_in\"), cudaMalloc(&d_in, n));");
  CHECK(holds(statement_of("cudaMalloc((void**)&a.b, n);"), "lockstep_named(\"a.b\")"));
  CHECK(statement_of("checkCudaErrors(cudaMalloc(&d, n));") ==
        "lockstep_named(\"d\"); checkCudaErrors(cudaMalloc(&d, n));");
  CHECK(statement_of("if (x) checkCudaErrors(cudaMalloc(&d, n));") ==
        "if (x) checkCudaErrors(cudaMalloc(&d, n));");
  CHECK(statement_of("cudaMalloc(pointer, n);") == "cudaMalloc(pointer, n);");
}

TEST_CASE("a comment gives an array its shape") {
  const auto hints =
      rewritten("// lockstep: in[n][2 * m], out[64]\n/* lockstep: c[3] */\n// about lockstep: no[1]\n")
          .tables.hints;
  REQUIRE(hints.size() == 3);
  CHECK(hints[0].name == "in");
  CHECK(hints[0].extents == std::vector<std::string>{"n", "2 * m"});
  CHECK(hints[2].line == 2);
}

TEST_CASE("PTX in an asm statement becomes calls, with its operands in their places") {
  CHECK(statement_of("asm volatile(\"add.u32 %0, %1, 3;\" : \"=r\"(sum) : \"r\"(a[i]) : \"memory\");") ==
        "do { lockstep_asm_add_u32((sum), (a[i]), 3); } while (0) ;");
  CHECK(statement_of("asm(\"{ .reg .pred p;\\n\" \"setp.lt.s32 p, %1, %2; @!p mov.u32 %0, %%laneid; }\" : "
                     "\"=r\"(x) : \"r\"(y), \"r\"(z));") ==
        "do { bool lockstep_register_p{}; lockstep_asm_setp_lt_s32(lockstep_register_p, (y), (z)); "
        "if (!lockstep_register_p) lockstep_asm_mov_u32((x), lockstep_asm_special_laneid()); } while (0) ;");
  CHECK(statement_of("asm(\"cp.async.ca.shared.global [%0], [%1 + 16], 4;\" ::\"r\"(to), \"l\"(from));") ==
        "do { lockstep_asm_cp_async_ca_shared_global((to), (from) + 16, 4); } while (0) ;");
  CHECK(statement_of("asm(\"mma.x {%0, %1}, {%2};\" : \"=r\"(a), \"=r\"(b) : \"r\"(c));") ==
        "do { lockstep_asm_mma_x((a), (b), (c)); } while (0) ;");
  CHECK(statement_of("asm volatile(\"rdtsc\" : \"=a\"(low));") == "asm volatile(\"rdtsc\" : \"=a\"(low));");
  CHECK(refusals(in_main("asm(\"bra.uni somewhere;\");")) ==
        std::vector<std::string>{"3:3 not supported here: the asm statement bra.uni somewhere;"});
}

TEST_CASE("what CUDA does not allow is named with its line") {
  CHECK(refusals("__global__ int k(int* p) { return 1; }") ==
        std::vector<std::string>{
            "1:16 the kernel k returns a value: a kernel is void and writes its results to memory"});
  CHECK(refusals(in_main("k<<<1, 2>>>(d);")) ==
        std::vector<std::string>{"3:3 the kernel k takes 2 arguments, and this launch gives it 1"});
  CHECK(refusals(in_main("k<<<1>>>(d, n);")).size() == 1);
  CHECK(refusals(in_main("k(d, n);")) ==
        std::vector<std::string>{
            "3:3 the kernel k is called like a function: a kernel is launched, k<<<grid, block>>>(...)"});
  CHECK(refusals("float k(int);\n" + in_main("k(3);")).empty());  // the host has one of this name
  CHECK(refusals("struct A { __global__ void k() {} };").size() == 1);
  CHECK(refusals("__global__ void k() { __shared__ int x = 1; }").size() == 1);
  CHECK(refusals(in_main("asm(\".inc\" \"bin \\\"/etc/passwd\\\"\");")).size() == 1);
  CHECK(refusals(test::kManyConstructs).empty());
}

TEST_CASE("parameters between #if and #endif are not counted against a launch") {
  const Rewritten out = rewrite(
      "__global__ void k(int a,\n#ifdef MORE\n  int b,\n#endif\n  int c) {}\nint main() { k<<<1, 1>>>(1, 2); "
      "}\n",
      {});
  CHECK(out.refused.empty());
}

TEST_CASE("a column of the rewritten text leads back to the original") {
  const std::string text = in_main("int x = 1; k<<<grid, block>>>(d, n); y = z;");
  const Rewritten out = rewritten(text);
  const auto line = [](const std::string& all, int wanted) {
    std::size_t at = 0;
    for (int i = 1; i < wanted; ++i) at = all.find('\n', at) + 1;
    return all.substr(at, all.find('\n', at) - at);
  };
  const std::string before = line(text, 3), after = line(out.text, 3);
  for (const char* word : {"int x", "grid", "block", "n); y", "y = z"})
    CHECK(out.columns.original(3, int(after.find(word)) + 1) == int(before.find(word)) + 1);
  CHECK(out.columns.original(3, int(after.find("LOCKSTEP")) + 5) == int(before.find("k<<<")) + 1);
  CHECK(out.columns.original(2, 7) == 7);
}

TEST_CASE("every text keeps its lines") {
  std::mt19937 random(17);
  const std::string all(test::kManyConstructs);
#ifdef __SANITIZE_ADDRESS__  // ten times as slow, and a fuzz target goes on
  constexpr int kRounds = 3000;
#else
  constexpr int kRounds = 20000;
#endif
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = test::mutated(all, random);
    const Rewritten out = rewritten(text);
    REQUIRE(std::count(out.text.begin(), out.text.end(), '\n') == std::count(text.begin(), text.end(), '\n'));
  }
}

TEST_CASE("a text of brackets that never close takes no longer than others") {
  for (const char* piece :
       {"a<", "(", "{", "k<<<", "[", "__shared__ ", "#if\n{", "template<", "a::", "__global__ void k("}) {
    std::string text;
    while (text.size() < 60000) text += piece;
    CHECK(!rewritten(text).text.empty());
  }
}
