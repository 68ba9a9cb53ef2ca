// The scheduler's ladder on the emulator, and what is known of its settings without a run.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/model/scheduler.hpp"
#include "kernels/experiments.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

const Ladder& scheduler() { return *find_ladder("scheduler"); }

Params params_of(const Params& given) { return *complete_params(scheduler().info, "chain", given); }

Value i(std::int64_t x) { return x; }

std::string line_of(std::string_view text, int line) {
  for (int k = 1; k < line; ++k) text.remove_prefix(text.find('\n') + 1);
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

TEST_CASE("chains end where they must, on one block and on two, and the emulator finds nothing") {
  for (const Params& given : scheduler().validation_params) {
    const Params params = params_of(given);
    simt::ProblemBuffers buffers(scheduler(), params, "chain");
    const auto emulation = simt::emulate(scheduler(), "scheduler/01_chain.cuh", params, buffers.spans(), {});
    CHECK(scheduler().check(params, "chain", buffers.contents()).pass);
    CHECK(emulation.findings.empty());
    const std::int64_t loads = int_param(params, "warps") * int_param(params, "ilp") * 2 * kChainIterations;
    CHECK(emulation.counts.global_load_requests == loads);
    buffers.spans()[0][5] ^= 0x40;
    CHECK(!scheduler().check(params, "chain", buffers.contents()).pass);
    buffers.reset();
    CHECK(!scheduler().check(params, "chain", buffers.contents()).pass);
  }
}

TEST_CASE("the microbenchmarks end where they must") {
  const Ladder& micro = *find_ladder("micro");
  for (const RungInfo& rung : micro.info.rungs)
    for (const std::int64_t chains : {1, 4})
      for (const std::int64_t size : {64, 128, 256}) {
        if (size > 64 && !micro.by_units(rung.slug)) continue;  // it is theirs alone
        const Params params = *complete_params(micro.info, rung.slug,
                                               {{"warps", i(3)}, {"chains", i(chains)}, {"size", i(size)}});
        simt::ProblemBuffers buffers(micro, params, rung.slug);
        const auto emulation = simt::emulate(micro, rung.file, params, buffers.spans(), {});
        CAPTURE(rung.slug);
        CAPTURE(size);
        CHECK(emulation.findings.empty());
        const bool made = emulation.no_kernel.empty();
        CHECK(made == !((rung.slug == "register_product" && size == 256) ||
                        (rung.slug == "fp8_product" && size == 128)));
        CHECK(micro.check(params, rung.slug, buffers.contents()).pass == made);
      }
}

TEST_CASE("the order of the ends tells a scheduler that stays with a warp from one that takes turns") {
  const Ladder& micro = *find_ladder("micro");
  const auto all = plan_of<MeasurementPlan>(micro)->measurements("policy", {});
  const auto of_8 = std::find_if(all.begin(), all.end(),
                                 [](const Measurement& m) { return m.name == "spread_of_8_warps"; });
  REQUIRE(of_8 != all.end());
  std::vector<std::uint32_t> clocks(16);
  const std::vector<ConstBytes> buffers{
      {}, {reinterpret_cast<const std::uint8_t*>(clocks.data()), clocks.size() * sizeof clocks[0]}};
  const auto ends = [&](std::uint32_t of_0, std::uint32_t of_4) {
    clocks.assign(16, 0xffffff00u);  // begins just before the clock wraps
    clocks[1] += of_0, clocks[9] += of_4;
  };
  ends(2000, 1000);
  CHECK(of_8->value(of_8->params, buffers) == 0.5);
  CHECK(of_8->text(of_8->params, buffers) == "4,0");
  ends(2000, 2000);
  CHECK(of_8->value(of_8->params, buffers) == 0);
  ends(500, 1000);
  CHECK(of_8->text(of_8->params, buffers) == "0,4");
}

TEST_CASE("the model's program points at the lines of the kernel's source") {
  const auto source = kernel_source("scheduler/01_chain.cuh");
  REQUIRE(!source.empty());
  for (const SmInstruction& instruction : chain_program({1, 2, 2, 1}, 2).instructions) {
    const std::string line = line_of(source, instruction.line);
    CAPTURE(line);
    if (instruction.op == Op::load) CHECK(line.find("__ldcg") != line.npos);
    if (instruction.op == Op::fma) CHECK(line.find("* 0.5f") != line.npos);
    if (instruction.op == Op::clock) CHECK(line.find("clock()") != line.npos);
    if (instruction.op == Op::shared_store) CHECK(line.find("starts[row") != line.npos);
    if (instruction.op == Op::branch) CHECK(line.find("for (int k") != line.npos);
    if (instruction.op == Op::barrier) CHECK(line.find("__syncthreads") != line.npos);
  }
}

TEST_CASE("the model's shares add up, and its error stands only where a GPU could have run") {
  const auto known = plan_of<SmPlan>(scheduler())->known(params_of({}));
  double sum = 0;
  for (const auto& [name, metric] : known)
    if (name.starts_with("model.stalls.")) sum += std::get<double>(metric.value);
  CHECK(sum == doctest::Approx(1));
  CHECK(known.at("model.cycles").provenance == kModelError);
  CHECK(known.at("recorded.cycles").provenance == kRecordedChains);
  const auto other = plan_of<SmPlan>(scheduler())->known(params_of({{"latency", i(30)}}));
  CHECK(other.at("model.cycles").provenance == "modelled");
  CHECK(!other.contains("model.error"));
  CHECK(std::get<std::int64_t>(other.at("model.cycles").value) <
        std::get<std::int64_t>(known.at("model.cycles").value));
}

TEST_CASE("the grid of the fit is measured, and settings beside it for validation alone") {
  int grid = 0, others = 0;
  for (const RecordedSetting& setting : scheduler().recorded_params) {
    CHECK(complete_params(scheduler().info, setting.rung, setting.params).ok());
    ++(int_param(setting.params, "barrier_every") == 0 && grid < 210 ? grid : others);
  }
  CHECK(grid == 210);
  CHECK(others >= 50);
}
