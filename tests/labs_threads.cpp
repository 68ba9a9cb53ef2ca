// The lab threads on the emulator's runs: the arithmetic in words, what is picked, and what a click asks for.
#include <doctest/doctest.h>

#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/threads/scene.hpp"
#include "app/model/curves_evidence.hpp"
#include "kernels/threads/curves.hpp"

using namespace lockstep;

namespace {

Run emulated(const std::string& rung, const Params& params = {}, std::int64_t block = 0) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "threads", request.rung = rung, request.engine = EngineKind::emulator, request.block = block;
  request.params = *complete_params(find_lab("threads")->info(), rung, params);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

ThreadsScene scene_of(const std::string& rung, const Params& params = {}, std::int64_t block = 0) {
  return ThreadsScene(std::make_shared<const Run>(emulated(rung, params, block)));
}

Value whole(std::int64_t x) { return x; }

std::string text(const std::vector<IndexLine>& lines) {
  std::string all;
  for (const IndexLine& line : lines)
    all += line.formula + (line.compares ? ": " : " = ") + line.numbers + "\n";
  return all;
}

// With the pointer at a part of an area's width and height.
StageEvents clicked(const ThreadsScene& scene, const LabView& view, const std::string& area, float across,
                    float down) {
  const StageInput in{view, {0, 0, 960, 660}, light_theme(), 1};
  StageEvents events;
  SvgCanvas first(960, 660, Color{});
  scene.stage(first, in, events);
  for (const auto& hit : first.hits())
    if (hit.id == area) {
      SvgCanvas canvas(960, 660, Color{});
      canvas.put_pointer({{hit.rect.x + hit.rect.w * across, hit.rect.y + hit.rect.h * down}, true},
                         first.hits());
      events = {};
      scene.stage(canvas, in, events);
      return events;
    }
  FAIL("no area ", area);
  return {};
}

}  // namespace

TEST_CASE("an element's thread, line by line with its numbers") {
  const auto scene = scene_of("two_d", {}, 7);
  LabView view;
  view.pinned = {1, 18 * 60 + 53};
  const Pick pick = scene.pick(view);
  CHECK(text(scene.element_lines(pick)) ==
        "col = blockIdx.x * blockDim.x + threadIdx.x = 3 * 16 + 5 = 53\n"
        "row = blockIdx.y * blockDim.y + threadIdx.y = 1 * 16 + 2 = 18\n"
        "row < height && col < width: 18 < 40 && 53 < 60: true\n"
        "i = row * width + col = 18 * 60 + 53 = 1133\n");
  CHECK(text(scene.lane_lines(pick)) ==
        "t = threadIdx.y * blockDim.x + threadIdx.x = 2 * 16 + 5 = 37\n"
        "warp = t / 32 = 37 / 32 = 1\n"
        "lane = t % 32 = 37 % 32 = 5\n");
  CHECK(scene.element_name(*pick.element) == "out[18][53]");
}

TEST_CASE("a masked thread says why it has no element") {
  const auto scene = scene_of("one_d", {{"width", whole(250)}});
  CHECK(text(scene.element_lines(scene.pick_of_thread({{3}, {60}}))) ==
        "i = blockIdx.x * blockDim.x + threadIdx.x = 3 * 64 + 60 = 252\n"
        "i < n: 252 < 250: false, masked\n");
}

TEST_CASE(
    "a thread of a grid-stride loop names all its elements, and the trip that leads to the picked one") {
  const auto scene = scene_of("grid_stride");
  LabView view;
  view.pinned = {1, 517};
  CHECK(text(scene.element_lines(scene.pick(view))) ==
        "i = blockIdx.x * blockDim.x + threadIdx.x + trip * threads = 0 * 64 + 5 + 2 * 256 = 517\n"
        "i < n: 517 < 900: true\n"
        "all elements of this thread = 5, 261, 517, 773\n");
}

TEST_CASE("the picked thread is the one that the emulator saw write the element, in every rung") {
  for (const RungInfo& rung : find_lab("threads")->info().rungs) {
    const auto scene = scene_of(rung.slug);
    for (const Touch& touch : scene.run().touches) {
      if (touch.view != scene.out_view()) continue;
      REQUIRE(touch.writer_block.size() == std::size_t(scene.map.problem.count()));
      for (std::size_t e = 0; e < touch.writer_block.size(); ++e) {
        const Pick pick = scene.pick_of_element(scene.map.problem.at(std::int64_t(e)));
        REQUIRE(touch.writer_block[e] == scene.map.grid.linear(pick.thread.block));
        REQUIRE(touch.writer_thread[e] == scene.map.linear_thread(pick.thread));
      }
    }
  }
}

TEST_CASE("a step says how many lanes idle, and whether for the mask or for want of a thread") {
  const auto scene = scene_of("one_d", {{"width", whole(60)}, {"block_x", whole(33)}}, 1);
  const int last = scene.opening_step(0);
  CHECK(
      scene.sentence({last, 0}).text() ==
      "Line 11, warp 0 of block 1: 27 of 32 lanes write an element of out; 5 are masked, 0 have no thread.");
  const auto first = scene_of("one_d", {{"width", whole(60)}, {"block_x", whole(33)}});
  CHECK(
      first.sentence({first.opening_step(1), 1}).text() ==
      "Line 11, warp 1 of block 0: 1 of 32 lanes write an element of out; 0 are masked, 31 have no thread.");
}

TEST_CASE("a click on an element pins it and follows its block; one on a lane picks that thread") {
  const auto scene = scene_of("two_d");
  const StageEvents element = clicked(scene, {}, "stage/plane0", 53.5f / 64, 18.5f / 48);
  CHECK(element.pin == std::pair{std::uint16_t{1}, std::uint64_t{18 * 60 + 53}});
  CHECK(element.follow_block == 7);
  const StageEvents lane = clicked(scene, {}, "stage/warps", 5.5f / 32, 1.5f / 8);
  CHECK(lane.pin == std::pair{std::uint16_t{1}, std::uint64_t{2 * 60 + 5}});
  CHECK(lane.follow_warp == 1);
}

TEST_CASE("nothing on the stage leaves it, at any size, and a large problem is shown in part") {
  for (const auto& shown : std::vector<std::pair<std::string, Params>>{
           {"one_d", {}},
           {"two_d",
            {{"width", whole(2000)}, {"height", whole(700)}, {"block_x", whole(32)}, {"block_y", whole(32)}}},
           {"three_d", {}},
           {"grid_stride", {}},
           {"one_d", {{"block_x", whole(7)}}}}) {
    const std::string& rung = shown.first;
    const auto scene = scene_of(rung, shown.second);
    for (const Rect area : {Rect{0, 0, 760, 540}, Rect{0, 0, 1060, 720}, Rect{0, 0, 500, 600}}) {
      SvgCanvas canvas(area.w, area.h, Color{});
      StageEvents events;
      scene.stage(canvas, {{scene.opening_step(0), 0}, area, light_theme(), 1}, events);
      for (const auto& drawn : canvas.texts()) {
        CAPTURE(rung);
        CAPTURE(drawn.text);
        CHECK(drawn.rect.x >= 0);
        CHECK(drawn.rect.right() <= area.w);
        CHECK(drawn.rect.bottom() <= area.h);
      }
    }
  }
}

TEST_CASE("a block that no warp ends with opens at its last one, which has lanes without a thread") {
  const Lab& lab = *find_lab("threads");
  const auto warp = [&](const char* rung, const Params& params) {
    return lab.opens_at(rung, *complete_params(lab.info(), rung, params)).warp;
  };
  CHECK(warp("one_d", {{"block_x", whole(64)}}) == 0);
  CHECK(warp("one_d", {{"block_x", whole(33)}}) == 1);
  CHECK(warp("two_d", {{"block_x", whole(17)}, {"block_y", whole(15)}}) == 7);
  const auto scene = scene_of("one_d", {{"block_x", whole(33)}});
  const auto figures = scene.headline({scene.opening_step(1), 1});
  REQUIRE(figures.size() == 3);
  CHECK(figures[1].value == "lane 0");
  CHECK(figures[1].note == "warp 1, thread 32");
}

TEST_CASE("a stranger's run of another form opens, and is not drawn") {
  Run run = emulated("two_d");
  run.launches[0].views[1].shape = {1, 2, 3, 4};
  const ThreadsScene scene(std::make_shared<const Run>(std::move(run)));
  CHECK(scene.dimensions == 0);
  SvgCanvas canvas(900, 600, Color{});
  StageEvents events;
  scene.stage(canvas, {{0, 0}, {0, 0, 900, 600}, light_theme(), 1}, events);
  CHECK(canvas.texts().empty());
}

TEST_CASE("recorded times stand in the order of the block's width, and the run's own shape is marked") {
  Run run = emulated("two_d", {{"block_x", whole(17)}, {"block_y", whole(15)}});
  CurvesEvidence recorded;
  recorded.curves[{"two_d", width_curve(1), "ms"}][256] = 0.13;
  recorded.curves[{"two_d", width_curve(15), "ms"}][17] = 0.25;
  recorded.curves[{"two_d", width_curve(64), "ms"}][4] = 0.3;
  run.evidence.put(recorded);
  const ThreadsScene scene(std::make_shared<const Run>(std::move(run)));
  REQUIRE(scene.times.size() == 3);
  CHECK(scene.times[0].shape == "4 × 64");
  CHECK(scene.times[1].shape == "17 × 15");
  CHECK(scene.times[1].here);
  CHECK(scene.times[2].shape == "256");
}
