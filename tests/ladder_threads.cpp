// Which thread computes which element: the lab's arithmetic against an enumeration of all threads, and
// against the events of the kernels on the emulator.
#include <doctest/doctest.h>

#include <random>

#include "kernels/simt/emulate.hpp"
#include "kernels/threads/index_map.hpp"

using namespace lockstep;

namespace {

// All threads of a grid, one after the other, as CUDA numbers them; `element_of` gives what the kernel's text
// gives.
struct Enumerated {
  std::vector<std::vector<std::int64_t>> elements_of;  // by linear block * threads per block + linear thread
  std::vector<std::int64_t> thread_of;                 // by element; -1 where there is none
  std::vector<LaneUse> of_block;
};

void enumerate_thread(const IndexMap& m, const Extent3& b, const Extent3& t,
                      std::vector<std::int64_t>& found) {
  const std::int64_t col = b.x * m.block.x + t.x, row = b.y * m.block.y + t.y, slice = b.z * m.block.z + t.z;
  if (m.grid_stride) {
    for (std::int64_t i = col; i < m.problem.x; i += m.grid.x * m.block.x) found.push_back(i);
  } else if (slice < m.problem.z && row < m.problem.y && col < m.problem.x) {
    found.push_back((slice * m.problem.y + row) * m.problem.x + col);
  }
}

Enumerated enumerate(const IndexMap& m) {
  Enumerated all;
  all.thread_of.assign(std::size_t(m.problem.count()), -1);
  for (std::int64_t bz = 0; bz < m.grid.z; ++bz)
    for (std::int64_t by = 0; by < m.grid.y; ++by)
      for (std::int64_t bx = 0; bx < m.grid.x; ++bx) {
        LaneUse use;
        std::int64_t lanes = 0;
        for (std::int64_t tz = 0; tz < m.block.z; ++tz)
          for (std::int64_t ty = 0; ty < m.block.y; ++ty)
            for (std::int64_t tx = 0; tx < m.block.x; ++tx) {
              auto& found = all.elements_of.emplace_back();
              enumerate_thread(m, {bx, by, bz}, {tx, ty, tz}, found);
              for (std::int64_t e : found)
                all.thread_of[std::size_t(e)] = std::int64_t(all.elements_of.size()) - 1;
              ++(found.empty() ? use.masked : use.working), ++lanes;
            }
        while (lanes++ % 32) ++use.absent;
        all.of_block.push_back(use);
      }
  return all;
}

ThreadPlace place(const IndexMap& m, std::int64_t linear) {
  return {m.grid.at(linear / m.block.count()), m.block.at(linear % m.block.count())};
}

bool elements_agree(const IndexMap& m, const Enumerated& all) {
  for (std::int64_t e = 0; e < m.problem.count(); ++e) {
    const auto thread = m.thread_of(m.problem.at(e));
    const std::int64_t want = all.thread_of[std::size_t(e)];
    if (thread.has_value() != (want >= 0) || (thread && *thread != place(m, want))) return false;
  }
  return true;
}

bool threads_agree(const IndexMap& m, const Enumerated& all) {
  for (std::size_t t = 0; t < all.elements_of.size(); ++t) {
    std::vector<std::int64_t> found;
    for (const Extent3& e : m.elements_of(place(m, std::int64_t(t)))) found.push_back(m.problem.linear(e));
    if (found != all.elements_of[t]) return false;
  }
  return true;
}

bool lanes_agree(const IndexMap& m, const Enumerated& all) {
  LaneUse sum;
  for (std::size_t b = 0; b < all.of_block.size(); ++b) {
    if (m.of_block(m.grid.at(std::int64_t(b))) != all.of_block[b]) return false;
    sum.working += all.of_block[b].working, sum.masked += all.of_block[b].masked;
    sum.absent += all.of_block[b].absent;
  }
  return m.of_grid() == sum && m.left_out() == std::count(all.thread_of.begin(), all.thread_of.end(), -1);
}

// Grids too small, too large and just right; blocks of 1 to 100 threads.
IndexMap random_map(std::mt19937& random) {
  const auto below = [&](std::int64_t most) { return std::int64_t(random() % std::uint32_t(most)) + 1; };
  const auto covering = [&](std::int64_t problem, std::int64_t block) {
    return random() % 2 ? (problem + block - 1) / block : below(4);
  };
  IndexMap m;
  const auto dimensions = random() % 4;  // 3: grid-stride
  if (dimensions == 0 || dimensions == 3) {
    m.grid_stride = dimensions == 3;
    m.block.x = below(100), m.problem.x = below(700);
    m.grid.x = covering(m.problem.x, m.block.x);
    return m;
  }
  m.block = {below(20), below(5), dimensions == 2 ? below(3) : 1};
  m.problem = {below(30), below(12), dimensions == 2 ? below(6) : 1};
  m.grid = {covering(m.problem.x, m.block.x), covering(m.problem.y, m.block.y),
            dimensions == 2 ? covering(m.problem.z, m.block.z) : 1};
  return m;
}

struct Emulated {
  IndexMap map;
  simt::Emulation emulation;
  Check check;
};

Emulated emulated(const std::string& rung, const Params& given, std::int64_t followed = 0) {
  const Ladder& ladder = *find_ladder("threads");
  Params own;
  for (const Parameter& p : ladder.info.parameters)
    if (given.contains(p.name) &&
        (p.rungs.empty() || std::find(p.rungs.begin(), p.rungs.end(), rung) != p.rungs.end()))
      own[p.name] = given.at(p.name);
  const Params params = *complete_params(ladder.info, rung, own);
  simt::ProblemBuffers buffers(ladder, params, rung);
  simt::EmulationOptions options;
  options.followed_block = followed;
  const auto& info = ladder.info.rungs.at(std::size_t(ladder.info.rung_index(rung)));
  Emulated e{{}, simt::emulate(ladder, info.file, params, buffers.spans(), options), {}};
  e.check = ladder.check(params, rung, buffers.contents());
  const auto extent = [&](const char* name) { return params.contains(name) ? int_param(params, name) : 1; };
  const auto& launch = e.emulation.launches.at(0);
  e.map.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  e.map.block = {launch.block[0], launch.block[1], launch.block[2]};
  e.map.problem = {extent("width"), extent("height"), extent("depth")};
  e.map.grid_stride = rung == "grid_stride";
  return e;
}

}  // namespace

TEST_CASE(
    "thread of an element, elements of a thread, lanes of a block: 10,000 launches, enumerated one by one") {
  std::mt19937 random(11);
  int left_out = 0, strided = 0;
  for (int i = 0; i < 10000; ++i) {
    const IndexMap m = random_map(random);
    CAPTURE(i);
    const Enumerated all = enumerate(m);
    REQUIRE(elements_agree(m, all));
    REQUIRE(threads_agree(m, all));
    REQUIRE(lanes_agree(m, all));
    left_out += m.left_out() > 0, strided += m.grid_stride;
  }
  CHECK(left_out > 1000);  // grids that are too small were among them
  CHECK(strided > 1000);
}

TEST_CASE("every rung is right at its own and the validated settings, and the emulator finds nothing") {
  const Ladder& ladder = *find_ladder("threads");
  for (const RungInfo& rung : ladder.info.rungs)
    for (const Params& params : ladder.validation_params) {
      CAPTURE(rung.slug);
      const Emulated e = emulated(rung.slug, params);
      CHECK(e.check.pass);
      CHECK(e.emulation.findings.empty());
      CHECK(e.map.left_out() == 0);
    }
}

TEST_CASE("the kernels' own accesses are where the arithmetic puts them") {
  const Ladder& ladder = *find_ladder("threads");
  for (const RungInfo& rung : ladder.info.rungs)
    for (const Params& params : ladder.validation_params) {
      const Emulated first = emulated(rung.slug, params);
      const std::int64_t last = first.map.grid.count() - 1;
      for (const std::int64_t block : {std::int64_t{0}, last / 2, last}) {
        CAPTURE(rung.slug);
        CAPTURE(block);
        const Emulated e = emulated(rung.slug, params, block);
        const BlockTrace& trace = e.emulation.launches[0].trace;
        for (std::int64_t t = 0; t < e.map.block.count(); ++t) {
          std::vector<std::int64_t> stored;
          for (auto i = trace.begin[std::size_t(t)]; i < trace.begin[std::size_t(t) + 1]; ++i)
            if (trace.events[i].kind == Kind::store) stored.push_back(trace.events[i].offset / 4);
          std::vector<std::int64_t> want;
          for (const Extent3& element : e.map.elements_of({e.map.grid.at(block), e.map.block.at(t)}))
            want.push_back(e.map.problem.linear(element));
          REQUIRE(stored == want);
        }
      }
    }
}

TEST_CASE(
    "a block 17 wide leaves 15 lanes of its one warp without a thread; one of 33 threads leaves 31 of two") {
  CHECK(IndexMap{{1}, {17}, {17}}.of_block({0, 0, 0}) == LaneUse{17, 0, 15});
  CHECK(IndexMap{{1}, {33}, {33}}.of_block({0, 0, 0}) == LaneUse{33, 0, 31});
  CHECK(IndexMap{{4}, {64}, {250}}.of_block({3, 0, 0}) == LaneUse{58, 6, 0});
}

TEST_CASE("a block has at most 1024 threads, and more is refused with its number") {
  const auto refused = complete_params(find_ladder("threads")->info, "two_d",
                                       {{"block_x", std::int64_t{64}}, {"block_y", std::int64_t{17}}});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text().find("1088") != std::string::npos);
}
