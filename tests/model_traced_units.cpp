// Programs of the SM model that were derived from a traced block whose work units do.
#include <doctest/doctest.h>

#include "app/model/traced_program.hpp"
#include "app/model/units.hpp"

using namespace lockstep;

namespace {

constexpr std::uint16_t kFull = kFirstSharedView + 1, kEmpty = kFirstSharedView + 2,
                        kTile = kFirstSharedView + 3;

Access event(Kind kind, std::uint16_t view, int line, std::uint32_t offset = 0, int width = 8,
             std::uint32_t mask = 0) {
  Access a;
  a.kind = kind, a.view = view, a.line = std::uint16_t(line), a.offset = offset;
  a.width = std::uint8_t(width), a.mask = mask;
  return a;
}

// Streams of each thread of a block.
struct Block {
  std::vector<std::vector<Access>> threads;
  explicit Block(int warps) : threads(std::size_t(warps) * 32) {
    for (auto& t : threads) t.push_back(event(Kind::barrier, 0, 1));
  }
  void warp(int w, const Access& a) {
    for (int lane = 0; lane < 32; ++lane) threads[std::size_t(w * 32 + lane)].push_back(a);
  }
  void lane0(int w, const Access& a) { threads[std::size_t(w * 32)].push_back(a); }
  Launch launch() const {
    Launch launch;
    launch.block = {std::int64_t(threads.size()), 1, 1};
    BlockTrace& t = launch.trace;
    t.begin.push_back(0), t.copy_begin.push_back(0);
    for (const auto& thread : threads) {
      t.events.insert(t.events.end(), thread.begin(), thread.end());
      t.begin.push_back(t.events.size()), t.copy_begin.push_back(0);
    }
    return launch;
  }
};

constexpr int kProducer = 4;
// That warp brings `trips` boxes of 64 rows into two buffers, the four warps before it multiply twice each.
Block pipelined(int trips) {
  Block b(5);
  const std::uint32_t columns = 64 / 8;
  for (int k = 0; k < trips; ++k) {
    const std::uint32_t use = std::uint32_t(k) % 2, parity = std::uint32_t(k) / 2 % 2;
    b.lane0(kProducer, event(Kind::await_phase, kEmpty, 10, use * 8 + (parity ^ 1)));
    b.lane0(kProducer, event(Kind::arrive, kFull, 11, use * 8));
    b.lane0(kProducer, event(Kind::box_source, 0, 12, 0, 8, 8u << 12 | 64));
    b.lane0(kProducer, event(Kind::box_target, kTile, 12, use * 8192, 0, 64));
    for (int w = 0; w < kProducer; ++w) {
      b.warp(w, event(Kind::await_phase, kFull, 20, use * 8 + parity));
      for (int p = 0; p < 2; ++p) {
        b.warp(w, event(Kind::product_a, kTile, 21));
        b.warp(w, event(Kind::product_b, kTile, 21, 0, int(columns)));
      }
      b.warp(w, event(Kind::await_products, 0, 22, 0));
      b.lane0(w, event(Kind::arrive, kEmpty, 23, use * 8));
    }
  }
  return b;
}

std::string ops_of(const WarpProgram& program) {
  std::string text;
  for (const SmInstruction& i : program.instructions)
    text += (text.empty() ? "" : " ") + std::string(name_of(i.op));
  return text;
}

}  // namespace

TEST_CASE("each warp of a block with units has its program, and warps that do the same share one") {
  const TracedProgram t = traced_program(pipelined(2).launch(), 0, {});
  REQUIRE(t.block.programs.size() == 2);
  CHECK(t.block.role == std::vector<std::uint8_t>{0, 0, 0, 0, 1});
  CHECK(ops_of(t.block.of(kProducer)) ==
        "BAR SYNCS.PHASECHK SYNCS.ARRIVE UTMALDG SYNCS.PHASECHK SYNCS.ARRIVE UTMALDG");
  CHECK(ops_of(t.block.of(1)) ==
        "BAR SYNCS.PHASECHK WARPGROUP.ARRIVE R2UR HGMMA R2UR HGMMA WARPGROUP.DEPBAR SYNCS.ARRIVE "
        "SYNCS.PHASECHK WARPGROUP.ARRIVE R2UR HGMMA R2UR HGMMA WARPGROUP.DEPBAR SYNCS.ARRIVE");
  const auto& consumer = t.block.of(1).instructions;
  CHECK(consumer[4].count == 64);
  CHECK(!consumer[4].ends_group);
  CHECK(consumer[6].ends_group);
  CHECK(!consumer[6].from_registers);
  CHECK(read_program(program_text(t.block)) == t.block);
}

TEST_CASE("the bytes of a box are announced by the arrival before it, at whose barrier they are waited for") {
  const TracedProgram t = traced_program(pipelined(3).launch(), 0, {});
  const auto& producer = t.block.of(kProducer).instructions;
  CHECK(producer[2].bytes == 64 * 128);
  CHECK(producer[3].bytes == 64 * 128);
  CHECK(producer[3].barrier == producer[2].barrier);
  CHECK(producer[3].count == 0);  // its lane is alone
  CHECK(producer[5].barrier != producer[2].barrier);
}

TEST_CASE("phases are counted from the parities that are waited for; arrivals from those who arrive") {
  const TracedProgram t = traced_program(pipelined(6).launch(), 0, {});
  std::vector<int> waits;
  for (const SmInstruction& i : t.block.of(kProducer).instructions)
    if (i.op == Op::wait_phase) waits.push_back(i.count);
  CHECK(waits == std::vector<int>{0, 0, 1, 1, 2, 2});  // at first both are empty
  waits.clear();
  for (const SmInstruction& i : t.block.of(2).instructions)
    if (i.op == Op::wait_phase) waits.push_back(i.count);
  CHECK(waits == std::vector<int>{1, 1, 2, 2, 3, 3});
  CHECK(t.block.arrivals == std::vector<std::uint16_t>{1, 1, 4, 4});  // full, empty
}

TEST_CASE("barriers have the names of their arrays, and keep them in a run's text") {
  Launch launch = pipelined(3).launch();
  CHECK(traced_program(launch, 0, {}).block.barriers.empty());
  ViewInfo full, empty;
  full.id = kFull, full.name = "full", empty.id = kEmpty, empty.name = "empty";
  launch.views = {full, empty};
  const BlockProgram block = traced_program(launch, 0, {}).block;
  CHECK(block.barriers == std::vector<std::string>{"full[0]", "full[1]", "empty[0]", "empty[1]"});
  const std::string text = program_text(block);
  CHECK(read_program(text) == block);
  const std::string names = text.substr(0, text.rfind('/') + 1);
  for (const std::string& damaged :
       {names, names + "a,b,c", names + "a,b,c,d,e", names + "a,b,c,", names + "a,b,c,d d",
        names + "a,b,c," + std::string(49, 'd'), text + "/"})
    CHECK_MESSAGE(!read_program(damaged), damaged);
  launch.views[1].name = "no name/|;";  // left out rather than a text that nobody reads
  CHECK(traced_program(launch, 0, {}).block.barriers.empty());
}

TEST_CASE("the arithmetic of a step stands in the line behind its mark") {
  Block b = pipelined(1);
  Access mark = event(Kind::mark, 7, 33);
  for (int w = 0; w < kProducer; ++w) b.warp(w, mark);
  TraceAssumptions assumptions;
  assumptions.steps = {{7, 0, 6, 6, 0}, {7, 0, 0, 0, 5, true}};  // the second one's stands before the mark
  const TracedProgram t = traced_program(b.launch(), 0, assumptions);
  int powers = 0, packs = 0;
  for (const SmInstruction& i : t.block.of(1).instructions) {
    if (i.op == Op::special || i.op == Op::fma) {
      CHECK(i.line == 34);
      ++powers;
    } else if (i.op == Op::pack) {
      CHECK(i.line == 23);  // where its buffer was given back
      ++packs;
    }
  }
  CHECK(powers == 12);
  CHECK(packs == 5);
}

TEST_CASE("the block is played to its end: nobody waits for what was not derived") {
  for (const int trips : {1, 2, 3, 8, 20}) {
    const TracedProgram t = traced_program(pipelined(trips).launch(), 0, {});
    const SmRun run = run_sm(h200_table(), t.block, {5, 5, Policy::greedy_youngest});
    CHECK(run.boxes.size() == std::size_t(trips));
    CHECK(run.products.size() == std::size_t(trips * 2 * 4));
    for (int w = 0; w < 5; ++w) {
      const auto size = int(t.block.of(w).instructions.size());
      CHECK(run.at(w, run.cycles) == size);
    }
  }
}

TEST_CASE("a step's arithmetic stands where the step begins, the powers behind what they are made of") {
  Block b = pipelined(1);
  b.warp(1, event(Kind::mark, name_id("softmax"), 30));
  b.warp(1, event(Kind::await_products, 0, 31, 0));
  TraceAssumptions assumptions;
  assumptions.steps = {{name_id("softmax"), 3, 8, 16, 2}, {name_id("other"), 9, 9, 9, 9}};
  const TracedProgram t = traced_program(b.launch(), 0, assumptions);
  const auto& all = t.block.of(1).instructions;
  const auto count = [&](Op op) {
    return std::count_if(all.begin(), all.end(), [&](const SmInstruction& i) { return i.op == op; });
  };
  CHECK(count(Op::minmax) == 3);
  CHECK(count(Op::special) == 8);
  CHECK(count(Op::fma) == 16);
  CHECK(count(Op::pack) == 2);
  CHECK(t.fmas == 29);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].op == Op::special) CHECK(all[i - 1].op == Op::fma);
  CHECK(std::count_if(t.block.of(2).instructions.begin(), t.block.of(2).instructions.end(),
                      [](const SmInstruction& i) { return i.op == Op::special; }) == 0);
}

TEST_CASE("damaged text of a block's programs is refused") {
  const std::string good = program_text(traced_program(pipelined(2).launch(), 0, {}).block);
  REQUIRE(read_program(good));
  for (const char* damaged : {"0 0 0 0 4 1 0;|0 0 0 0 4 1 0;", "0 0 0 0 4 1 0;/0", "0 0 0 0 4 1 0;/1/1",
                              "0 0 0 0 4 1 0;//1", "0 0 0 0 4 1 0;/0/70000", "20 0 0 0 4 1 0 0;/0/1",
                              "20 0 0 0 4 1 0 0 0 0 2 0;/0/1", "0 0 0 0 4 1 0;|/0/1", "/0/1", "|//"})
    CHECK_MESSAGE(!read_program(damaged), damaged);
}
