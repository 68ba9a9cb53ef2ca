// The SM model: its bookkeeping over random programs, its policies, and its cycles against those of an H200.
#include "app/model/scheduler.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

using namespace lockstep;

namespace {

WarpProgram random_program(std::mt19937& random) {
  WarpProgram program;
  const int size = 1 + int(random() % 60);
  for (int i = 0; i < size; ++i) {
    SmInstruction instruction;
    instruction.op = Op(random() % int(Op::products_fence));
    for (auto& distance : instruction.needs)
      if (i > 0 && random() % 3 == 0) distance = std::uint16_t(1 + random() % std::uint32_t(i));
    program.instructions.push_back(instruction);
  }
  program.marks = {0, size - 1};
  return program;
}

SmSetting random_setting(std::mt19937& random) {
  const int warps = 1 + int(random() % 64);
  return {warps, 1 + int(random() % std::uint32_t(warps)), Policy(random() % kPolicies)};
}

int issue_of(const SmRun& run, int warp, int instruction) {
  return run.issued[std::size_t(warp) * std::size_t(run.program_size) + std::size_t(instruction)];
}

double error_of(const RecordedChain& r) {
  const ChainSetting setting{r.warps, r.ilp, r.fma_per_load, r.barrier_every};
  const WarpProgram program = chain_program(setting, kChainIterations);
  const SmRun run = run_sm(h200_table(), program, sm_setting(setting, Policy::greedy_youngest));
  return (double(chain_cycles(program, run)) - r.cycles) / r.cycles;
}

int cycles_of(const ChainSetting& setting, Policy policy = Policy::greedy_youngest) {
  const WarpProgram program = chain_program(setting, kChainIterations);
  return chain_cycles(program, run_sm(h200_table(), program, sm_setting(setting, policy)));
}

}  // namespace

TEST_CASE("every warp is in one state in every cycle; issue slots used and idle are four per cycle") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const WarpProgram program = random_program(random);
    const SmSetting setting = random_setting(random);
    const SmRun run = run_sm(h200_table(), program, setting);
    std::int64_t all = 0, used = 0, idle = 0;
    for (const std::int64_t total : run.total) all += total;
    CHECK(all == std::int64_t(run.cycles) * setting.warps);
    for (int c = 0; c < run.cycles; ++c)
      for (int s = 0; s < kSubCores; ++s) {
        int selected = 0, eligible = 0;
        for (int w = s; w < run.warps; w += kSubCores) {
          selected += run.state(w, c) == WarpState::selected;
          eligible += run.state(w, c) == WarpState::selected || run.state(w, c) == WarpState::not_selected;
        }
        REQUIRE(selected == (eligible > 0));  // a slot stays empty only where nobody can go on
        ++(selected ? used : idle);
      }
    CHECK(used == run.instructions());
    CHECK(used == std::int64_t(program.instructions.size()) * setting.warps);
    CHECK(used + idle == std::int64_t(run.cycles) * kSubCores);
  }
}

TEST_CASE(
    "instructions issue in order, never before what they need, and never more than one per warp and cycle") {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const WarpProgram program = random_program(random);
    const SmRun run = run_sm(h200_table(), program, random_setting(random));
    for (int w = 0; w < run.warps; ++w)
      for (int i = 0; i < run.program_size; ++i) {
        const int at = issue_of(run, w, i);
        REQUIRE(run.state(w, at) == WarpState::selected);
        REQUIRE(run.at(w, at) == i);
        if (i > 0) REQUIRE(at > issue_of(run, w, i - 1));
        for (const int distance : program.instructions[std::size_t(i)].needs) {
          if (distance == 0) continue;
          const Op source = program.instructions[std::size_t(i - distance)].op;
          REQUIRE(at >= issue_of(run, w, i - distance) + h200_table().cost[std::size_t(source)].latency);
        }
      }
  }
}

TEST_CASE("no warp of a block passes a barrier before the last one has come") {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    const WarpProgram program = random_program(random);
    const SmSetting setting = random_setting(random);
    const SmRun run = run_sm(h200_table(), program, setting);
    for (int i = 0; i + 1 < run.program_size; ++i) {
      if (program.instructions[std::size_t(i)].op != Op::barrier) continue;
      for (int w = 0; w < run.warps; ++w)
        for (int v = w / setting.warps_per_block * setting.warps_per_block;
             v < std::min(run.warps, (w / setting.warps_per_block + 1) * setting.warps_per_block); ++v)
          REQUIRE(issue_of(run, w, i + 1) > issue_of(run, v, i));
    }
  }
}

TEST_CASE("the same input gives the same cycles") {
  std::mt19937 random(4);
  const WarpProgram program = random_program(random);
  const SmSetting setting{24, 24, Policy::round_robin};
  CHECK(run_sm(h200_table(), program, setting).states == run_sm(h200_table(), program, setting).states);
}

TEST_CASE("greedy stays with a warp as long as it can go on; round robin goes on to the next one") {
  WarpProgram program;
  program.instructions.assign(8, SmInstruction{Op::integer, {0, 0}, 0});
  const auto order = [&](Policy policy) {
    const SmRun run = run_sm(h200_table(), program, {8, 8, policy});  // two warps on each scheduler: 0 and 4
    std::string text;
    for (int c = 0; c < run.cycles; ++c)
      if (const int w = run.selected(0, c); w >= 0) text += std::to_string(w);
    return text;
  };
  CHECK(order(Policy::greedy_youngest) == "4444444400000000");
  CHECK(order(Policy::greedy_oldest) == "0000000044444444");
  CHECK(order(Policy::round_robin) == "0404040404040404");
}

TEST_CASE("more warps and more chains hide latency: four chains of one warp take hardly longer than one") {
  CHECK(cycles_of({1, 4, 0, 0}) < cycles_of({1, 1, 0, 0}) * 115 / 100);
  CHECK(cycles_of({8, 1, 0, 0}) < cycles_of({1, 1, 0, 0}) * 11 / 10);
  CHECK(cycles_of({64, 4, 32, 0}) > cycles_of({16, 4, 32, 0}) * 3);  // issue slots are full
}

TEST_CASE("the model's cycles against an H200: mean error at most 10 %, worst at most 30 %, fitted or not") {
  for (const bool fitted : {true, false}) {
    double sum = 0, worst = 0;
    int count = 0;
    const RecordedChain* at = nullptr;
    for (const RecordedChain& r : recorded_chains()) {
      if (r.fitted != fitted) continue;
      const double error = std::abs(error_of(r));
      sum += error, ++count;
      if (error > worst) worst = error, at = &r;
    }
    REQUIRE(at);
    MESSAGE(std::string(fitted ? "fitted: " : "never fitted: "), count, " settings, mean ", 100 * sum / count,
            " %, worst ", 100 * worst, " % at warps=", at->warps, " ilp=", at->ilp,
            " fma_per_load=", at->fma_per_load, " barrier_every=", at->barrier_every);
    CHECK(sum / count <= 0.10);
    CHECK(worst <= 0.30);
    CHECK(count >= (fitted ? 150 : 50));
  }
  CHECK(recorded_chains().size() >= 200);
}

TEST_CASE("the error that the screen states is the mean over every recorded setting") {
  double sum = 0;
  for (const RecordedChain& r : recorded_chains()) sum += std::abs(error_of(r));
  const long percent = std::lround(100 * sum / double(recorded_chains().size()));
  CHECK(std::string(kModelError) == "modelled, error " + std::to_string(percent) + " %");
}

TEST_CASE("every recorded setting has the starts of all its warps; damaged text is refused") {
  for (const RecordedChain& r : recorded_chains()) {
    const auto starts = read_starts(r.starts);
    REQUIRE(int(starts.size()) == r.warps);
    int last = 0;
    for (const auto& warp : starts) {
      REQUIRE(int(warp.size()) == kChainIterations + 1);
      REQUIRE(std::is_sorted(warp.begin(), warp.end()));
      last = std::max(last, warp.back());
    }
    CHECK(last <= r.cycles + 1);
  }
  for (const char* damaged : {"1,2,x;", "1,,2;", "-5;", "99999999999;", ";"})
    CHECK(read_starts(damaged).empty());
  CHECK(read_starts("").empty());
}
