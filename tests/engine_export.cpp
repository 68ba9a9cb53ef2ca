// Rungs as programs of their own. That they compile, to the rungs' registers, is tests/registers.py's; that
// they run, scripts/exports.sh's.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "app/engine/export_program.hpp"
#include "app/platform/symbols.hpp"
#include "engine_support.hpp"
#include "kernels/ladder.hpp"
#include "kernels/plain/lexer.hpp"
#include "kernels/plain/plain_cuda.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

Request request_for(const std::string& lab, const std::string& rung, const Params& given = {}) {
  Request request;
  request.lab = lab, request.rung = rung;
  request.params = *complete_params(find_ladder(lab)->info, rung, given);
  return request;
}

std::string program_of(const std::string& lab, const std::string& rung, const Params& given = {}) {
  const auto program = exported_program(request_for(lab, rung, given), "test");
  REQUIRE(program.ok());
  return *program;
}

// "gemm<16><<<dim3(4, 4), dim3(16, 16)>>>(..);" and its like, in their order.
std::vector<std::string> launches_in(const std::string& program) {
  std::vector<std::string> lines;
  std::istringstream text(program.substr(program.find("const auto launch = ")));
  for (std::string line; std::getline(text, line);)
    if (line.find("<<<") != line.npos) lines.push_back(line.substr(line.find_first_not_of(' ')));
  return lines;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("every rung is a program that launches what the rung launches") {
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs) {
      CAPTURE(rung.file);
      const Request request = request_for(ladder->info.slug, rung.slug);
      const auto program = exported_program(request, "test");
      REQUIRE(program.ok());
      simt::ProblemBuffers buffers(*ladder, request.params, rung.slug);
      simt::EmulationOptions one_block;
      one_block.machine.blocks = {0}, one_block.fold = false;
      const auto run = simt::emulate(*ladder, rung.file, request.params, buffers.spans(), one_block);
      const auto lines = launches_in(*program);
      REQUIRE(lines.size() == run.launches.size());
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto& grid = run.launches[i].grid;
        const std::string first = std::to_string(grid[0]), second = std::to_string(grid[1]);
        CHECK((holds(lines[i], "<<<" + first + ",") || holds(lines[i], "<<<dim3(" + first + ", " + second)));
      }
    }
}

TEST_CASE("a program knows neither the lab nor its dialect") {
  const auto& words = dialect_words();
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs) {
      CAPTURE(rung.file);
      const std::string program = program_of(ladder->info.slug, rung.slug);
      CHECK_FALSE(holds(program, "#include \""));
      CHECK_FALSE(holds(program, "lockstep::"));
      for (const Token& token : tokens_of(program)) {
        const bool dialect =
            token.is_word() && std::find(words.begin(), words.end(), token.text) != words.end();
        CHECK_MESSAGE(!dialect, std::string(token.text), " in line ", token.line);
      }
    }
}

TEST_CASE("a program takes of the model what a check says, and nothing of the program that made it") {
  const std::set<std::string_view> internal{"Run",     "Request",    "Launch",     "Message",   "Status",
                                            "Result",  "Ladder",     "LabInfo",    "RungInfo",  "Evidence",
                                            "Metrics", "Provenance", "BufferSpec", "Catalogue", "lockstep",
                                            "lab",     "detail"};
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs) {
      CAPTURE(rung.file);
      const std::string program = program_of(ladder->info.slug, rung.slug);
      for (const Token& token : tokens_of(program))
        if (token.is_word())
          CHECK_MESSAGE(!internal.contains(token.text), std::string(token.text), " in line ", token.line);
      for (const char* header : {"<memory>", "<mutex>", "<optional>", "<cassert>"})
        CHECK_FALSE(holds(program, std::string("#include ") + header));
    }
}

TEST_CASE("settings pick the instance, the grid and the arguments") {
  CHECK(launches_in(program_of("gemm", "shared")) ==
        std::vector<std::string>{"gemm<16><<<dim3(4, 4), dim3(16, 16)>>>(d_a, d_b, d_c, 64, 64, 64);"});
  const Params large{
      {"m", std::int64_t{100}}, {"bm", std::int64_t{32}}, {"bn", std::int64_t{32}}, {"bk", std::int64_t{32}}};
  CHECK(launches_in(program_of("gemm", "shared", large)) ==
        std::vector<std::string>{"gemm<32><<<dim3(2, 4), dim3(32, 32)>>>(d_a, d_b, d_c, 100, 64, 64);"});
  CHECK(launches_in(program_of("transpose", "vectorized", {{"n", std::int64_t{30}}})) ==
        std::vector<std::string>{"transpose<false><<<1, 256>>>(d_in, d_out, 30);"});
  const std::string half = program_of("attention", "flash2", {{"dtype", std::string("half")}});
  CHECK(holds(half, "flash2<32, 32, half><<<2, 128, 13824>>>(d_q, d_k, d_v, d_o, d_l, 64, "));
  CHECK(holds(half, "auto* d_q = to_device<half>(host[0]);"));
  CHECK(holds(half, "#include <cuda_fp16.h>"));
  CHECK_FALSE(holds(program_of("transpose", "padded"), "cuda_fp16"));
}

TEST_CASE("kernels that wait for one another come in their order, with their own numbers") {
  const auto decode = launches_in(program_of("graphs", "decode"));
  REQUIRE(decode.size() == 9);
  CHECK(decode.front() == "norm<<<4, 128>>>(d_x, d_norm_weight, d_normed, d_stamps, 0);");
  CHECK(decode.back() ==
        "down<<<dim3(2, 4), 64>>>(d_gate, d_up, d_down_weight, d_middle, d_out, d_stamps, 8);");
  CHECK(launches_in(program_of("attention", "standard")).size() == 3);
  CHECK(launches_in(program_of("graphs", "chain", {{"kernels", std::int64_t{5}}})).size() == 5);
}

TEST_CASE("much shared memory is asked for") {
  const Params large{{"m", std::int64_t{128}},
                     {"bm", std::int64_t{128}},
                     {"bn", std::int64_t{128}},
                     {"bk", std::int64_t{32}}};
  CHECK(holds(program_of("gemm", "warptile", large), "cudaFuncAttributeMaxDynamicSharedMemorySize, 66560"));
  CHECK_FALSE(holds(program_of("gemm", "warptile"), "cudaFuncSetAttribute"));
}

TEST_CASE("a function that the program does not export has no name") {
  CHECK(function_name(nullptr) == "");
  CHECK(function_name(reinterpret_cast<const void*>(&program_of)) == "");
}

TEST_CASE("the verb writes a file, or all of them, and refuses in one line") {
  const TemporaryFolder folder;
  const std::string file = folder / "a.cu";
  CHECK(run_program({"export", "transpose/tiled", "--set", "n=48", "-o", file}).exit == 0);
  CHECK(holds(text_of(file), "d_in, d_out, 48);"));
  CHECK(run_program({"export", "transpose/tiled", "--set", "n=48"}).out == text_of(file));
  CHECK(holds(run_program({"export", "banks/layout", "--set", "formula=row * 33 + col"}).out,
              "formula=row * 33 + col"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"export"},
                                             {"export", "transpose"},
                                             {"export", "transpos/tiled"},
                                             {"export", "transpose/tilde"},
                                             {"export", "transpose/tiled", "--set", "n=0"},
                                             {"export", "transpose/tiled", "-o", "/tmp/a.txt"}}) {
    const ProgramResult refused = run_program(words);
    CHECK(refused.exit == 2);
    CHECK(refused.out == "");
    CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  }
}
