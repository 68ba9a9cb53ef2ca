// Programs of the SM model that were derived from a traced block.
#include "app/model/traced_program.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace lockstep;

namespace {

constexpr std::uint16_t kTile = kFirstSharedView + 7;

Access access(Kind kind, std::uint16_t view, int line, std::uint32_t offset) {
  Access a;
  a.kind = kind, a.view = view, a.line = std::uint16_t(line), a.offset = offset, a.width = 4;
  return a;
}

// One warp whose lanes all do the same: `events` of lane 0, with `stride` bytes from lane to lane.
struct Writer {
  std::vector<Access> events;
  std::vector<std::uint32_t> strides;
  std::vector<Copy> copies;
  void add(Kind kind, std::uint16_t view, int line, std::uint32_t stride = 4) {
    events.push_back(access(kind, view, line, 0)), strides.push_back(stride);
  }
  std::uint32_t here() const { return std::uint32_t(events.size()); }
  void copy(int line) {
    Copy c;
    c.issue = here(), c.line = std::uint16_t(line), c.source_view = 0, c.target_view = kTile, c.bytes = 4;
    add(Kind::copy_issue, 0, line), add(Kind::copy_target, kTile, line);
    copies.push_back(c);
  }
  void wait_for_copies() {
    for (Copy& c : copies)
      if (!c.wait) c.wait = here();
  }
  Launch launch() const {
    Launch launch;
    launch.block = {32, 1, 1};
    BlockTrace& t = launch.trace;
    t.begin.push_back(0), t.copy_begin.push_back(0);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::size_t k = 0; k < events.size(); ++k) {
        t.events.push_back(events[k]);
        t.events.back().offset = lane * strides[k];
      }
      t.begin.push_back(t.events.size());
      t.copies.insert(t.copies.end(), copies.begin(), copies.end());
      t.copy_begin.push_back(t.copies.size());
    }
    return launch;
  }
};

std::string ops_of(const WarpProgram& program) {
  std::string text;
  for (const SmInstruction& i : program.instructions)
    text += (text.empty() ? "" : " ") + std::string(name_of(i.op));
  return text;
}

// A tiled loop: global to shared, barrier, `inner` loads of the tile, barrier.
Writer tiled(int trips, int inner, std::uint32_t stride = 4) {
  Writer w;
  for (int trip = 0; trip < trips; ++trip) {
    w.add(Kind::load, 0, 10), w.add(Kind::store, kTile, 10);
    w.add(Kind::barrier, 0, 11);
    for (int k = 0; k < inner; ++k) w.add(Kind::load, kTile, 12, stride);
    w.add(Kind::barrier, 0, 13);
  }
  w.add(Kind::store, 1, 14);
  return w;
}

std::int64_t cycles_in(const SmRun& run, WarpState state) { return run.total[std::size_t(state)]; }

}  // namespace

TEST_CASE("memory instructions keep their order, and FMAs stand where loads from shared memory are used") {
  const TracedProgram t = traced_program(tiled(1, 4).launch(), 0, {2, 4});
  CHECK(ops_of(t.program()) == "LDG STS BAR LDS LDS FFMA LDS FFMA LDS FFMA FFMA BAR STG");
  CHECK(t.fmas == 4);
  CHECK(t.instructions == 9);
  CHECK(t.taken == t.instructions);
  CHECK(t.warps_per_block == 1);
  CHECK(t.program().instructions[1].needs_loads);  // stores and barriers take what was loaded
  CHECK(t.program().instructions[2].needs_loads);
  CHECK(t.program().instructions[5].needs[0] == 2);  // the first of two loads under way
  CHECK(traced_program(tiled(1, 4).launch(), 0, {4, 4}).program().instructions[6].op == Op::shared_load);
}

TEST_CASE(
    "a load from shared memory is waited for on the short scoreboard, one from global on the long one") {
  const auto played = [](std::uint32_t stride) {
    const TracedProgram t = traced_program(tiled(3, 8, stride).launch(), 0, {2, 0});
    return run_sm(h200_table(), t.block, {1, 1, Policy::greedy_youngest});
  };
  const SmRun straight = played(4), conflicts = played(128);
  CHECK(cycles_in(straight, WarpState::long_scoreboard) > 600);  // three times the way to L2
  CHECK(cycles_in(straight, WarpState::short_scoreboard) > 3 * 3 * 20);
  // 32 wavefronts each: 31 more of them, 2 cycles each, on every load that is waited for.
  CHECK(cycles_in(conflicts, WarpState::short_scoreboard) >
        3 * cycles_in(straight, WarpState::short_scoreboard));
  CHECK(cycles_in(conflicts, WarpState::long_scoreboard) == cycles_in(straight, WarpState::long_scoreboard));
}

TEST_CASE("a chain of conflicts takes 29 cycles and 2 per wavefront above the first, as an H200 does") {
  for (const int ways : {1, 2, 4, 8, 16, 32}) {
    WarpProgram program;
    for (int k = 0; k < 16; ++k) {
      SmInstruction load;
      load.op = Op::shared_load, load.wavefronts = std::uint8_t(ways), load.needs[0] = k > 0;
      program.instructions.push_back(load);
    }
    program.marks = {0, 15};
    CHECK(run_sm(h200_table(), program, {1, 1, Policy::greedy_youngest}).cycles - 1 ==
          15 * (29 + 2 * (ways - 1)));
    for (SmInstruction& load : program.instructions) load.needs[0] = 0;
    // Full load: one wavefront of the SM per cycle.
    program.instructions.back().needs_loads = true;
    const int full = run_sm(h200_table(), program, {32, 32, Policy::greedy_youngest}).cycles;
    if (ways >= 4) CHECK(full == doctest::Approx(32 * 15 * ways).epsilon(0.15));
  }
}

TEST_CASE("an asynchronous copy is waited for where the kernel waits, not before") {
  Writer w;
  w.copy(20), w.copy(21);
  w.wait_for_copies();
  w.add(Kind::barrier, 0, 22);
  w.copy(23);
  w.add(Kind::load, kTile, 24);
  w.wait_for_copies();
  w.add(Kind::barrier, 0, 25);
  const TracedProgram t = traced_program(w.launch(), 0, {2, 0});
  CHECK(ops_of(t.program()) == "LDGSTS LDGSTS DEPBAR BAR LDGSTS LDS DEPBAR BAR");
  CHECK(t.program().instructions[2].needs[0] == 1);
  CHECK(t.program().instructions[6].needs[0] == 2);
  CHECK(t.instructions == 6);
  const SmRun run = run_sm(h200_table(), t.block, {1, 1, Policy::greedy_youngest});
  CHECK(run.issued[5] < run.issued[4] + 40);   // the load overtakes the copy under way
  CHECK(run.issued[6] > run.issued[4] + 200);  // which is waited for behind it
}

TEST_CASE("loads that L1 holds take its latency: none of their sectors comes from L2") {
  Writer w;
  w.add(Kind::load, 0, 30), w.add(Kind::store, 1, 31);
  Launch launch = w.launch();
  const auto cycles = [&] {
    return run_sm(h200_table(), traced_program(launch, 0, {}).block, {1, 1, Policy::greedy_youngest}).cycles;
  };
  const int from_l2 = cycles();
  launch.trace.l2_sectors = {0, 4};
  CHECK(traced_program(launch, 0, {}).program().instructions[0].sectors == 0);
  CHECK(cycles() < from_l2 / 4);
}

TEST_CASE("random traces: every warp is in one state in every cycle, and the text gives the program back") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Writer w;
    for (int k = 0, count = 1 + int(random() % 80); k < count; ++k) switch (random() % 6) {
        case 0:
          w.add(Kind::load, 0, 1 + int(random() % 3));
          break;
        case 1:
          w.add(Kind::store, random() % 2 ? 1 : kTile, 5);
          break;
        case 2:
          w.add(Kind::barrier, 0, 6);
          break;
        case 3:
          w.copy(7);
          break;
        case 4:
          w.wait_for_copies();
          break;
        default:
          w.add(Kind::load, kTile, 8 + int(random() % 3), 4u << random() % 6);
      }
    if (w.events.empty()) continue;
    const int in_flight = 1 + int(random() % 4);
    const TracedProgram t = traced_program(w.launch(), 0, {in_flight, double(random() % 200)});
    CHECK(read_program(program_text(t.block)) == t.block);
    const int warps = 1 + int(random() % 64);
    const SmRun run =
        run_sm(h200_table(), t.block, {warps, 1 + int(random() % 64), Policy(random() % kPolicies)});
    std::int64_t all = 0;
    for (const std::int64_t total : run.total) all += total;
    CHECK(all == std::int64_t(run.cycles) * warps);
    CHECK(run.instructions() == std::int64_t(t.program().instructions.size()) * warps);
  }
}

TEST_CASE("a long trace is cut, and says so; an empty one gives no program; damaged text is refused") {
  const TracedProgram t = traced_program(tiled(400, 16).launch(), 0, {2, 1e9});
  CHECK(t.taken < t.instructions);
  CHECK(int(t.program().instructions.size()) <= kMostTraced + kMoreThanTraced);
  CHECK(read_program(program_text(t.block)) == t.block);
  CHECK(traced_program(Launch{}, 0, {}).empty());
  for (const char* damaged : {"", "0", "0 0 0 0 4 1 0", "0 0 1 0 4 1 0;", "23 0 0 0 4 1 0;", "0 0 0 0 4 0 0;",
                              "0 0 0 0 256 1 0;", "0 0 0 0 4 1 2;", "0 0 0 0 4 1 0;x", "-1 0 0 0 4 1 0;"})
    CHECK_MESSAGE(!read_program(damaged), damaged);
}

TEST_CASE("an SM takes whole blocks") {
  CHECK(warps_in_blocks(1, 8) == 8);
  CHECK(warps_in_blocks(32, 8) == 32);
  CHECK(warps_in_blocks(33, 8) == 40);
  CHECK(warps_in_blocks(64, 24) == 48);
  CHECK(warps_in_blocks(5, 1) == 5);
}
