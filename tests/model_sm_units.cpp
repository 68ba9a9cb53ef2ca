// The SM model's units that work by themselves: tensor cores, the copy engine, barriers in shared memory.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

#include "app/model/scheduler.hpp"

using namespace lockstep;

namespace {

struct Recorded {
  std::string rung;
  int warps, chains, size;
  double cycles;  // per operation
  bool fitted;
};
const Recorded kRecorded[] = {
#include "assets/recordings/h200/scheduler_units.inl"
};

SmInstruction one(Op op, int count = 0, int barrier = 0, int bytes = 0) {
  SmInstruction i;
  i.op = op, i.count = std::uint16_t(count), i.barrier = std::uint16_t(barrier),
  i.bytes = std::uint32_t(bytes);
  return i;
}
WarpProgram ended(std::vector<SmInstruction> instructions) {
  instructions.push_back(one(Op::integer));  // what stands behind the last wait
  WarpProgram program{std::move(instructions), {}};
  program.marks = {0, int(program.instructions.size()) - 1};
  return program;
}
BlockProgram block_of(std::vector<WarpProgram> programs, int barriers, int arrivals = 1) {
  BlockProgram block;
  block.programs = std::move(programs);
  for (std::size_t w = 0; w < block.programs.size(); ++w) block.role.push_back(std::uint8_t(w));
  block.arrivals.assign(std::size_t(barriers), std::uint16_t(arrivals));
  return block;
}
SmRun play(const BlockProgram& block, int warps) {
  return run_sm(h200_table(), block, {warps, warps, Policy::greedy_youngest});
}
int issue_of(const SmRun& run, int warp, int instruction) {
  return run.issued[std::size_t(warp) * std::size_t(run.program_size) + std::size_t(instruction)];
}
int last_mark(const SmRun& run) {
  int last = 0;
  for (std::size_t i = 1; i < run.marks.size(); i += 2) last = std::max(last, run.marks[i]);
  return last;
}

void add_group(std::vector<SmInstruction>& to, int products, int columns, int pending,
               bool from_registers = false) {
  to.push_back(one(Op::products_fence));
  for (int c = 0; c < products; ++c) {
    to.push_back(one(Op::product, columns));
    to.back().from_registers = from_registers, to.back().ends_group = c + 1 == products;
  }
  to.push_back(one(Op::products_wait, pending));
}

// --- kernels/micro as programs

constexpr int kRounds = 32;

WarpProgram products_program(const Recorded& r) {
  std::vector<SmInstruction> all;
  for (int k = 0; k < kRounds; ++k)
    add_group(all, r.chains, r.size, r.rung == "products", r.rung == "register_product");
  all.push_back(one(Op::products_wait));
  return ended(std::move(all));
}
WarpProgram box_program(const Recorded& r) {
  std::vector<SmInstruction> all;
  const auto ask = [&](int c) {
    all.push_back(one(Op::arrive, 1, c, r.size * 128));
    all.push_back(one(Op::box, 0, c, r.size * 128));
  };
  for (int c = 0; c < r.chains; ++c) ask(c);
  for (int k = 0; k < kRounds; ++k)
    for (int c = 0; c < r.chains; ++c) {
      all.push_back(one(Op::wait_phase, k + 1, c));
      if (k + 1 < kRounds) ask(c);
    }
  return ended(std::move(all));
}
BlockProgram handoff_program(int warps) {
  std::vector<WarpProgram> programs;
  for (int w = 0; w < warps; ++w) {
    std::vector<SmInstruction> all;
    for (int k = 0; k < kRounds; ++k) {
      if (w == 0) all.push_back(one(Op::arrive, 1, (w + 1) % warps));
      all.push_back(one(Op::wait_phase, k + 1, w));
      if (w > 0) all.push_back(one(Op::arrive, 1, (w + 1) % warps));
    }
    programs.push_back(ended(std::move(all)));
  }
  return block_of(std::move(programs), warps);
}
double modelled(const Recorded& r) {
  const double operations = double(kRounds) * r.chains;
  if (r.rung == "handoff") return last_mark(play(handoff_program(r.warps), r.warps)) / double(kRounds);
  BlockProgram block;
  block.arrivals.assign(4, 1);
  if (r.rung == "box")
    block.programs = {box_program(r)};
  else if (r.rung == "ask") {
    std::vector<SmInstruction> all;
    for (int c = 0; c < r.chains; ++c) {
      all.push_back(one(Op::arrive, 1, c, r.size * 128));
      all.push_back(one(Op::box, c == 0 ? 31 : 0, c, r.size * 128));
    }
    block.programs = {ended(std::move(all))};
    return last_mark(play(block, 1)) / double(r.chains);
  } else if (r.rung == "past_phase" || r.rung == "arrive") {
    block.arrivals = {60000};
    block.programs = {ended(std::vector<SmInstruction>(
        std::size_t(operations), r.rung == "arrive" ? one(Op::arrive, 1) : one(Op::wait_phase)))};
  } else {
    block.programs = {products_program(r)};
  }
  return last_mark(play(block, r.warps)) / operations;
}

}  // namespace

TEST_CASE("the units' costs against kernels/micro on an H200: fitted or not, mean error at most 5 %") {
  for (const bool fitted : {true, false}) {
    double sum = 0, worst = 0;
    int count = 0;
    const Recorded* at = nullptr;
    for (const Recorded& r : kRecorded) {
      if (r.fitted != fitted) continue;
      const double error = std::abs(modelled(r) - r.cycles) / r.cycles;
      sum += error, ++count;
      if (error > worst) worst = error, at = &r;
    }
    REQUIRE(at);
    MESSAGE(std::string(fitted ? "fitted: " : "never fitted: "), count, " settings, mean ", 100 * sum / count,
            " %, worst ", 100 * worst, " % at ", at->rung, " warps=", at->warps, " chains=", at->chains,
            " size=", at->size);
    CHECK(sum / count <= 0.05);
    CHECK(worst <= 0.25);
    CHECK(count >= (fitted ? 15 : 50));
  }
}

TEST_CASE("a tensor core works on one product after another; two warpgroups take turns, and halve its time") {
  std::vector<SmInstruction> all;
  add_group(all, 4, 128, 0);
  BlockProgram block;
  block.programs = {ended(all)};
  const SmRun alone = play(block, 4), both = play(block, 8);
  for (const SmRun* run : {&alone, &both})
    for (const UnitSpan& a : run->products)
      for (const UnitSpan& b : run->products)
        if (&a != &b && a.warp % kSubCores == b.warp % kSubCores)
          CHECK((a.end <= b.begin || b.end <= a.begin));
  CHECK(last_mark(both) - last_mark(alone) == doctest::Approx(4 * 64).epsilon(0.15));
  int changes = 0, last = -1;
  std::vector<UnitSpan> of_core;
  for (const UnitSpan& p : both.products)
    if (p.warp % kSubCores == 0) of_core.push_back(p);
  std::sort(of_core.begin(), of_core.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  for (const UnitSpan& p : of_core) changes += p.warp != last, last = p.warp;
  CHECK(changes >= 6);  // of eight
}

TEST_CASE("a wait for products lets so many groups be under way as it says") {
  const auto waited = [](int pending) {
    std::vector<SmInstruction> all;
    add_group(all, 1, 256, 1), add_group(all, 1, 256, pending);
    BlockProgram block;
    block.programs = {ended(all)};
    return play(block, 4);
  };
  const SmRun none = waited(0), one_group = waited(1);
  CHECK(last_mark(none) >= none.products[4].end);  // of warp 0, its second group
  CHECK(last_mark(one_group) < one_group.products[4].end);
  CHECK(last_mark(one_group) >= one_group.products[0].end);
  CHECK(none.total[std::size_t(WarpState::products)] > one_group.total[std::size_t(WarpState::products)]);
}

TEST_CASE("a phase ends with the last arrival and the last announced byte, and not before") {
  const int bytes = 16384;
  const auto consumer = ended({one(Op::wait_phase, 1, 0)});
  const auto producer = [&](int boxes) {
    std::vector<SmInstruction> all{one(Op::arrive, 1, 0, bytes)};
    for (int b = 0; b < boxes; ++b) all.push_back(one(Op::box, 0, 0, bytes / 2));
    return ended(all);
  };
  const SmRun run = play(block_of({producer(2), consumer}, 1), 2);
  REQUIRE(run.boxes.size() == 2);
  const int there = std::max(run.boxes[0].end, run.boxes[1].end);
  CHECK(issue_of(run, 1, 1) == there + h200_table().units.wake);
  CHECK(run.state(1, there - 1) == WarpState::mbarrier);
  CHECK(run.state(1, there) == WarpState::mbarrier_over);  // until the warp knows
  // Two arrivals are needed and one comes; or a byte is missing: nobody goes on, and the run ends.
  for (const BlockProgram& block :
       {block_of({producer(2), consumer}, 1, 2), block_of({producer(1), consumer}, 1)}) {
    const SmRun stuck = play(block, 2);
    CHECK(stuck.cycles < 2000);
    CHECK(stuck.state(1, stuck.cycles - 1) == WarpState::mbarrier);
    CHECK(stuck.at(1, stuck.cycles - 1) == 1);
  }
}

TEST_CASE("a wait for boxes is another state than one for warps that have to arrive") {
  const int bytes = 16384;
  // Warp 0 brings a box by barrier 0 once warp 1 has given its buffer back by barrier 1.
  std::vector<SmInstruction> fetches{one(Op::wait_phase, 1, 1), one(Op::arrive, 1, 0, bytes),
                                     one(Op::box, 0, 0, bytes)};
  std::vector<SmInstruction> uses(40, one(Op::integer));
  uses.push_back(one(Op::arrive, 1, 1)), uses.push_back(one(Op::wait_phase, 1, 0));
  const SmRun run = play(block_of({ended(fetches), ended(uses)}, 2), 2);
  const int given_back = issue_of(run, 1, 40), asked = issue_of(run, 1, 41), there = run.boxes[0].end;
  CHECK(run.state(0, given_back) == WarpState::mbarrier_warps);
  for (int c = asked + 1; c < there; ++c) REQUIRE(run.state(1, c) == WarpState::mbarrier);
  for (int c = 0; c < run.cycles; ++c) {
    CHECK(run.state(0, c) != WarpState::mbarrier);
    CHECK(run.state(1, c) != WarpState::mbarrier_warps);
  }
}

TEST_CASE("the copy engine brings boxes one after another: 128 bytes more are 1.2 cycles more") {
  const auto until = [](int boxes, int bytes) {
    std::vector<SmInstruction> all;
    for (int b = 0; b < boxes; ++b) all.push_back(one(Op::box, 0, 0, bytes));
    BlockProgram block;
    block.programs = {ended(all)};
    return play(block, 1).boxes.back().end;
  };
  CHECK(until(1, 32768) - until(1, 16384) == doctest::Approx(128 * 1.2).epsilon(0.02));
  CHECK(until(4, 32768) - until(1, 32768) == doctest::Approx(3 * 256 * 1.2).epsilon(0.02));
}

TEST_CASE("a warpgroup goes past its fence together") {
  std::vector<SmInstruction> late(20, one(Op::integer)), early;
  add_group(late, 1, 64, 0), add_group(early, 1, 64, 0);
  const SmRun run = play(block_of({ended(early), ended(early), ended(early), ended(late)}, 0), 4);
  CHECK(issue_of(run, 0, 1) > issue_of(run, 3, 20));
  CHECK(run.state(0, 10) == WarpState::gmma);
}

TEST_CASE("arithmetic takes longer while the tensor core of its sub-core works") {
  const std::vector<SmInstruction> powers(256, one(Op::special));
  std::vector<SmInstruction> products;
  for (int k = 0; k < 8; ++k) add_group(products, 4, 256, 1);
  const WarpProgram calculates = ended(powers), multiplies = ended(products);
  const auto cycles = [&](const WarpProgram& others) {
    BlockProgram block;
    block.programs = {calculates, others};
    block.role = {0, 0, 0, 0, 1, 1, 1, 1};
    return issue_of(play(block, 8), 0, 256);
  };
  // An H200: 8.2 cycles each alone, 10.4 to 10.9 beside one or two warpgroups that multiply.
  CHECK(cycles(ended({})) / 256.0 == doctest::Approx(8.2).epsilon(0.05));
  CHECK(cycles(multiplies) / 256.0 == doctest::Approx(10.6).epsilon(0.06));
}

TEST_CASE("random programs of units: every warp is in one state in every cycle, and what is stuck ends") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const int warps = 1 + int(random() % 12);
    std::vector<WarpProgram> programs;
    for (int w = 0; w < warps; ++w) {
      std::vector<SmInstruction> all;
      for (int k = 0, count = 1 + int(random() % 40); k < count; ++k) {
        all.push_back(
            one(Op(random() % kOps), int(random() % 4), int(random() % 5), int(random() % 4) * 4096));
        all.back().ends_group = random() % 2;
      }
      programs.push_back(ended(std::move(all)));
    }
    const SmRun run = play(block_of(std::move(programs), 4, 1 + int(random() % 3)), warps);
    std::int64_t all = 0;
    for (const std::int64_t total : run.total) all += total;
    CHECK(all == std::int64_t(run.cycles) * warps);
    CHECK(run.cycles < 1 << 19);
  }
}
