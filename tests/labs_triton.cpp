// Triton's programs beside the rungs of the lab threads: what was recorded of them holds together, and the
// element that is picked is found in both.
#include <doctest/doctest.h>

#include <regex>
#include <set>

#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/threads/triton_stage.hpp"

using namespace lockstep;

namespace {

constexpr const char* kRungs[] = {"vector_add", "tile_product"};

ThreadsScene scene_of(const std::string& rung, const Params& params = {}) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "threads", request.rung = rung, request.engine = EngineKind::emulator;
  request.params = *complete_params(find_lab("threads")->info(), rung, params);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  CHECK(run->check.pass);
  return ThreadsScene(std::make_shared<const Run>(std::move(*run)));
}

// Calls `f` with every element of the block.
template <class F>
void every_element(const std::vector<int>& block, F&& f) {
  std::vector<int> at(block.size());
  for (;;) {
    f(at);
    std::size_t d = block.size();
    while (d > 0 && ++at[d - 1] == block[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

std::string text(const std::vector<IndexLine>& lines) {
  std::string all;
  for (const IndexLine& line : lines) all += line.formula + " = " + line.numbers + "\n";
  return all;
}

}  // namespace

TEST_CASE("every recorded layout gives each element of a block a thread's register of its own") {
  for (const char* rung : kRungs) {
    REQUIRE_FALSE(triton_records(rung).empty());
    for (const TritonRecord& record : triton_records(rung)) {
      CHECK_FALSE(record.builds.empty());
      for (const TritonBuild& build : record.builds) {
        CAPTURE(build.layout_text);
        REQUIRE(build.layout.sound());
        std::set<std::tuple<int, int, int>> seats;
        int elements = 0, registers = 0;
        every_element(build.block, [&](const std::vector<int>& at) {
          const TritonSeat seat = seat_of(build.layout, build.block, at);
          CHECK(seat.warp < build.warps);
          CHECK(seat.lane < 32);
          seats.insert({seat.warp, seat.lane, seat.reg});
          registers = std::max(registers, seat.reg + 1), ++elements;
        });
        CHECK(int(seats.size()) == elements);
        CHECK(registers * build.warps * 32 >= elements);
      }
    }
  }
}

TEST_CASE("the recorded loads are as wide as the layout says, and as many as a thread's elements need") {
  const auto& lines = triton_lines("vector_add");
  for (const TritonRecord& record : triton_records("vector_add"))
    for (const TritonBuild& build : record.builds) {
      CAPTURE(build.block.front());
      const int wide = build.layout.per_thread.front();
      int loads = 0;
      for (const auto& [line, instructions] : build.ptx) {
        if (lines.at(std::size_t(line) - 1).find("tl.load(a ") == std::string::npos) continue;
        for (const std::string& instruction : instructions) {
          std::smatch width;
          REQUIRE(std::regex_search(instruction, width, std::regex(R"(ld\.global(\.v(\d))?\.b32)")));
          CHECK((width[2].matched ? std::stoi(width[2]) : 1) == wide);
          ++loads;
        }
      }
      CHECK(loads * wide * build.warps * 32 == build.block.front());
    }
}

TEST_CASE("of 1,024 elements a thread holds four neighbours, and four more half a block further") {
  const TritonLayout layout{{4}, {32}, {4}, {0}};
  const int block[] = {1024};
  const auto seat = [&](int element) { return seat_of(layout, block, std::span(&element, 1)); };
  CHECK(seat(0) == TritonSeat{0, 0, 0});
  CHECK(seat(3) == TritonSeat{0, 0, 3});
  CHECK(seat(4) == TritonSeat{0, 1, 0});
  CHECK(seat(127) == TritonSeat{0, 31, 3});
  CHECK(seat(128) == TritonSeat{1, 0, 0});
  CHECK(seat(512) == TritonSeat{0, 0, 4});
  CHECK(seat(600) == TritonSeat{0, 22, 4});
}

TEST_CASE("a layout that makes no sense is known as such") {
  CHECK_FALSE(TritonLayout{}.sound());
  CHECK_FALSE(TritonLayout{{4}, {32}, {4}, {1}}.sound());
  CHECK_FALSE(TritonLayout{{0}, {32}, {4}, {0}}.sound());
  CHECK_FALSE(TritonLayout{{1, 1}, {2, 16}, {4, 1}, {0, 0}}.sound());
  CHECK(TritonLayout{{1, 1}, {2, 16}, {4, 1}, {1, 0}}.sound());
}

TEST_CASE("each step of the kernel has the line of the program that does the same") {
  for (const char* rung : kRungs) {
    const auto scene = scene_of(rung);
    std::set<std::string> seen;
    for (int step = 0; step < scene.axis().count(); ++step) {
      const int line = triton_line(scene, step);
      REQUIRE(line > 0);
      const WarpInstruction& i = scene.steps.at(step)->instruction;
      const std::string& program = triton_lines(rung).at(std::size_t(line) - 1);
      CHECK((program.find("tl.store(") != std::string::npos) == !reads(i.kind));
      seen.insert(program);
    }
    CHECK(seen.size() == 3);  // two loads, one store
  }
}

TEST_CASE("the element that is picked has its block and lane here, and its program and lane there") {
  const auto sum = scene_of("vector_add", {{"width", std::int64_t{10000}}});
  const Pick pick = sum.pick_of_element({5000, 0, 0});
  CHECK(text(sum.element_lines(pick)).find("19 * 256 + 136 = 5000") != std::string::npos);
  const std::string there = text(triton_seat_lines(sum, pick));
  CHECK(there.find("5000 / 1024 = 4, rest 904") != std::string::npos);  // 904 - 512 = 392 = 3 * 128 + 8
  CHECK(there.find("warp 3 of 4, lane 2, its element 4") != std::string::npos);
  const auto tile = scene_of("tile_product");
  const std::string in_tile = text(triton_seat_lines(tile, tile.pick_of_element({37, 21, 0})));
  CHECK(in_tile.find("21 / 16 = 1, rest 5") != std::string::npos);
  CHECK(in_tile.find("37 / 16 = 2, rest 5") != std::string::npos);
  CHECK(in_tile.find("warp 2 of 4, lane 21, its element 0") != std::string::npos);
}

TEST_CASE("a product's loads mark the elements of out whose threads do them") {
  const auto scene = scene_of("tile_product");
  for (int step = 0; step < scene.axis().count(); ++step) {
    const auto elements = scene.elements_of_step(step);
    CHECK(elements.size() == 32);  // the followed block lies inside
    for (const std::int64_t e : elements) CHECK(e < scene.map.problem.count());
  }
}
