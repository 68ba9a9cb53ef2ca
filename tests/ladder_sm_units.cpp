// Kernels whose work units do, played by the SM model from their traces: against an H200, trip by trip.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

#include "app/model/traced_program.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

using namespace lockstep;

namespace {

struct Loop {
  std::string lab, rung;
  std::map<std::string, int> settings;
  std::string along;  // the parameter that the loop goes along, by `step` a trip
  int step, length[2], cycles[2];
};
const std::vector<Loop> kLoops{
#include "assets/recordings/h200/scheduler_loops.inl"
};

TracedProgram program_of(const Loop& loop, int length) {
  const Ladder& ladder = *find_ladder(loop.lab);
  Params given{{loop.along, std::int64_t{length}}};
  for (const auto& [name, value] : loop.settings) given[name] = std::int64_t{value};
  if (loop.lab == "attention") given["dtype"] = std::string("bf16"), given["causal"] = std::string("no");
  const Params params = *complete_params(ladder.info, loop.rung, given);
  simt::ProblemBuffers buffers(ladder, params, loop.rung);
  simt::EmulationOptions options;
  options.machine.blocks = {0};
  const auto emulation =
      simt::emulate(ladder, ladder.info.rungs[std::size_t(ladder.info.rung_index(loop.rung))].file, params,
                    buffers.spans(), options);
  TraceAssumptions assumptions;
  if (ladder.step_arithmetic) assumptions.steps = ladder.step_arithmetic(params, loop.rung);
  return traced_program(emulation.launches.at(0), 0, assumptions);
}

// To the first store behind the products, of the last warp.
int cycles_of(const TracedProgram& t) {
  const SmRun run =
      run_sm(h200_table(), t.block, {t.warps_per_block, t.warps_per_block, Policy::greedy_youngest});
  int last = 0;
  for (int w = 0; w < t.warps_per_block; ++w) {
    const auto& all = t.block.of(w).instructions;
    bool multiplied = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      multiplied = multiplied || all[i].op == Op::product;
      if (!multiplied || (all[i].op != Op::store && all[i].op != Op::shared_store)) continue;
      last = std::max(last, int(run.issued[std::size_t(w) * std::size_t(run.program_size) + i]));
      break;
    }
  }
  return last;
}

// Cycles of a trip, and how far the model's are from them.
struct Trip {
  double measured = 0, modelled = 0;
  double error() const { return std::abs(modelled - measured) / measured; }
};
Trip trip_of(const Loop& loop) {
  const double trips = double(loop.length[1] - loop.length[0]) / loop.step;
  const TracedProgram shorter = program_of(loop, loop.length[0]), longer = program_of(loop, loop.length[1]);
  CHECK(longer.taken == longer.instructions);  // nothing is cut off
  return {(loop.cycles[1] - loop.cycles[0]) / trips, (cycles_of(longer) - cycles_of(shorter)) / trips};
}

}  // namespace

TEST_CASE(
    "a trip around the loop of a kernel with units: the error that the ladder states is the measured one") {
  std::map<std::string, std::vector<double>> errors;  // by lab/rung
  for (const Loop& loop : kLoops) {
    const Trip trip = trip_of(loop);
    errors[loop.lab + "/" + loop.rung].push_back(trip.error());
    MESSAGE(loop.lab, "/", loop.rung, " ", loop.step, ": ", trip.measured, " cycles a trip, modelled ",
            trip.modelled, " (", 100 * (trip.modelled - trip.measured) / trip.measured, " %)");
  }
  double sum = 0, worst = 0;
  for (const auto& of_rung : errors) {
    const std::string& name = of_rung.first;
    const std::vector<double>& all = of_rung.second;
    double mean = 0, most = 0;
    for (const double error : all)
      mean += error / double(all.size()), most = std::max(most, error), sum += error;
    worst = std::max(worst, most);
    const RungName rung = *rung_named(name);
    const auto& stated = find_ladder(rung.lab)->sm_errors;
    CAPTURE(name);
    REQUIRE(stated.contains(rung.rung));
    CHECK(stated.at(rung.rung).mean == std::lround(100 * mean));
    CHECK(stated.at(rung.rung).worst == std::lround(100 * most));
  }
  MESSAGE("all: mean ", 100 * sum / double(kLoops.size()), " %, worst ", 100 * worst, " %");
  CHECK(sum / double(kLoops.size()) <= 0.10);
  CHECK(worst <= 0.25);
}

TEST_CASE("the roles of a block: one producer, two warpgroups alike, and warps that end at once") {
  const Loop specialized{"gemm",
                         "specialized",
                         {{"bm", 128}, {"bn", 256}, {"bk", 64}, {"m", 128}, {"n", 256}},
                         "k",
                         64,
                         {256, 512},
                         {}};
  const TracedProgram t = program_of(specialized, 256);
  REQUIRE(t.warps_per_block == 12);
  CHECK(t.most_warps == 12);  // of its shared memory one block fits
  const auto count = [&](int warp, Op op) {
    const auto& all = t.block.of(warp).instructions;
    return std::count_if(all.begin(), all.end(), [&](const SmInstruction& i) { return i.op == op; });
  };
  for (int w = 0; w < 12; ++w) {
    CHECK(count(w, Op::box) == (w == 0 ? 4 * 5 : 0));  // A, and B in four boxes
    CHECK(count(w, Op::product) == (w < 4 ? 0 : 4 * 4));
    CHECK(count(w, Op::arrive) == (w == 0             ? 4
                                   : w == 4 || w == 8 ? 3
                                                      : 0));  // the last tile is not given back
  }
  for (int w = 5; w < 8; ++w) CHECK(t.block.role[std::size_t(w)] == t.block.role[std::size_t(w + 4)]);
  for (const SmInstruction& i : t.block.of(0).instructions)
    if (i.op == Op::arrive) CHECK(i.bytes == (128 + 256) * 128);
}

TEST_CASE("two groups arrive at an empty barrier, all threads of one at the other's turn") {
  const Loop pingpong{
      "attention", "pingpong", {{"head_dim", 64}, {"tile_q", 128}, {"tile_k", 64}, {"heads", 1}}, "seq", 64,
      {256, 512},  {}};
  const TracedProgram t = program_of(pingpong, 256);
  std::map<int, int> barriers;  // by arrivals that end a phase
  for (const int arrivals : t.block.arrivals) ++barriers[arrivals];
  CHECK(barriers == std::map<int, int>{{1, 5}, {2, 4}, {128, 2}});  // full_q and full; empty; turn
}
