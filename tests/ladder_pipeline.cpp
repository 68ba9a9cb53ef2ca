// The kernels of the lab graphs on the emulator: right in every form of the pipeline, and every kernel
// counts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/experiments.hpp"
#include "kernels/graphs/nodes.hpp"
#include "kernels/graphs/sizes.hpp"
#include "kernels/simt/dialect.hpp"
#include "kernels/simt/emulate.hpp"
#include "kernels/simt/rung_code.hpp"
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

using namespace lockstep;

namespace {

const Ladder& ladder() { return *find_ladder("graphs"); }
const RungInfo& rung_named(const char* slug) {
  return ladder().info.rungs[std::size_t(ladder().info.rung_index(slug))];
}

struct Outcome {
  Check check;
  simt::Emulation emulation;
  std::vector<float> out;  // the last buffer but the stamps
};
Outcome emulated(const RungInfo& rung, const Params& params, float padding = 0) {
  simt::ProblemBuffers buffers(ladder(), params, rung.slug);
  if (rung.slug == "decode")  // rows beyond the batch, of x and of the cache
    for (const auto& [id, row] : {std::pair{0, kHidden}, {7, 2 * kCached * kHidden}}) {
      const auto bytes = buffers.spans()[std::size_t(id)];
      auto* x = reinterpret_cast<float*>(bytes.data());
      for (std::size_t i = std::size_t(int_param(params, "batch") * row); i < bytes.size() / sizeof(float);
           ++i)
        x[i] = padding;
    }
  Outcome outcome{{}, simt::emulate(ladder(), rung.file, params, buffers.spans(), {}), {}};
  outcome.check = ladder().check(params, rung.slug, buffers.contents());
  const auto bytes = buffers.contents()[buffers.contents().size() - 2];
  outcome.out.resize(bytes.size() / sizeof(float));
  std::memcpy(outcome.out.data(), bytes.data(), bytes.size());
  return outcome;
}

// Runs a rung's kernels in the order given, on buffers that nothing has touched; whether the result is right.
bool right_in_order(const RungInfo& rung, const Params& params, const std::vector<int>& order) {
  simt::ProblemBuffers buffers(ladder(), params, rung.slug);
  lab::Binding binding;
  binding.params = &params;
  for (std::size_t i = 0; i < buffers.specs().size(); ++i)
    binding.buffers.push_back({buffers.spans()[i].data(), buffers.specs()[i].bytes(), 0});
  std::vector<std::pair<simt::Config, std::function<void()>>> kernels;
  lab::Launcher<lab::Emulated> launcher([&](const simt::Config& config, const std::function<void()>& kernel) {
    kernels.push_back({config, kernel});
    return true;
  });
  for (const simt::RungCode* const* code = simt::emulated_rungs; *code; ++code)
    if (rung.file == (*code)->file) (*code)->run(launcher, binding);
  simt::Machine machine(simt::Options{});
  for (const int k : order)
    machine.launch(kernels.at(std::size_t(k)).first, kernels.at(std::size_t(k)).second,
                   [](auto, auto, auto) { return true; });
  return ladder().check(params, rung.slug, buffers.contents()).pass;
}

Params pipeline(std::int64_t kernels, std::int64_t branches = 1) {
  return {{"kernels", kernels}, {"branches", branches}};
}

}  // namespace

TEST_CASE("a chain and its branches give the right numbers, to the bit, and the emulator finds nothing" *
          doctest::test_suite("slow")) {
  for (const char* slug : {"chain", "fork_join"})
    for (const std::int64_t kernels : {1, 2, 3, 9, 300, 1000})
      for (const std::int64_t branches : {1, 2, 4, 8}) {
        if (slug == std::string("chain") && branches > 1) continue;
        for (const std::int64_t rounds : {0, 1, 16, 37}) {
          if (kernels >= 300 && rounds != 16) continue;
          CAPTURE(slug);
          CAPTURE(kernels);
          CAPTURE(branches);
          CAPTURE(rounds);
          Params params = pipeline(kernels, branches);
          params["rounds"] = rounds;
          const Outcome outcome = emulated(rung_named(slug), params);
          CHECK(outcome.check.pass);
          CHECK(outcome.emulation.findings.empty());
        }
      }
}

TEST_CASE("a kernel more or less, or a round, is seen in the result") {
  for (const char* slug : {"chain", "fork_join"}) {
    const Params run = pipeline(9, 4);
    simt::ProblemBuffers buffers(ladder(), run, slug);
    (void)simt::emulate(ladder(), rung_named(slug).file, run, buffers.spans(), {});
    CHECK(ladder().check(run, slug, buffers.contents()).pass);
    for (const std::int64_t kernels : {8, 10})
      CHECK_FALSE(ladder().check(pipeline(kernels, 4), slug, buffers.contents()).pass);
    Params longer = run;
    longer["rounds"] = std::int64_t{kRounds + 1};
    CHECK_FALSE(ladder().check(longer, slug, buffers.contents()).pass);
  }
}

TEST_CASE("a decode step is right for every batch, whatever the padding of its bucket holds") {
  for (std::int64_t batch = 1; batch <= 8; ++batch) {
    CAPTURE(batch);
    const Params params{{"batch", batch}};
    const Outcome zeros = emulated(rung_named("decode"), params);
    CHECK(zeros.check.pass);
    CHECK(zeros.check.max_error < 1e-5);
    CHECK(zeros.emulation.findings.empty());
    CHECK(zeros.out.size() == std::size_t(bucket_of(int(batch))) * kHidden);
    const Outcome others = emulated(rung_named("decode"), params, 3);
    CHECK(others.check.pass);
    CHECK(std::equal(zeros.out.begin(), zeros.out.begin() + batch * kHidden, others.out.begin()));
  }
}

TEST_CASE("a decode step that goes wrong in any kernel is noticed") {
  const Params params{{"batch", std::int64_t{2}}};
  simt::ProblemBuffers buffers(ladder(), params, "decode");
  (void)simt::emulate(ladder(), rung_named("decode").file, params, buffers.spans(), {});
  REQUIRE(ladder().check(params, "decode", buffers.contents()).pass);
  auto* out = reinterpret_cast<float*>(buffers.spans()[14].data());
  for (const int at : {0, kHidden - 1, 2 * kHidden - 1}) {
    const float was = out[at];
    out[at] = was + 1e-2f;
    CHECK_FALSE(ladder().check(params, "decode", buffers.contents()).pass);
    out[at] = std::nanf("");
    CHECK_FALSE(ladder().check(params, "decode", buffers.contents()).pass);
    out[at] = was;
  }
}

TEST_CASE("the launches are the nodes, in an order in which nobody waits for a later one") {
  for (const RungInfo& rung : ladder().info.rungs)
    for (const Params& given : ladder().validation_params) {
      const Params params = carried_params(ladder().info, rung.slug, given);
      const auto nodes = plan_of<PipelinePlan>(ladder())->nodes(params, rung.slug);
      const auto launches = emulated(rung, params).emulation.launches;
      REQUIRE(launches.size() == nodes.size());
      REQUIRE(nodes.front().stream == 0);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        CHECK(launches[i].kernel == nodes[i].name);
        CHECK((nodes[i].after.empty() == (i == 0)));  // a capture begins in the first kernel's stream
        for (const int before : nodes[i].after) CHECK(before < int(i));
      }
      // It ends there as well: everything comes together in the last kernel.
      std::vector<bool> waited(nodes.size(), false);
      for (const PipelineNode& node : nodes)
        for (const int before : node.after) waited[std::size_t(before)] = true;
      for (std::size_t i = 0; i + 1 < nodes.size(); ++i) CHECK(waited[i]);
      CHECK(nodes.back().stream == 0);
    }
}

TEST_CASE("a kernel left out, or one that does not wait for what it must, is seen in the result") {
  for (const RungInfo& rung : ladder().info.rungs) {
    CAPTURE(rung.slug);
    Params params = pipeline(9, 3);
    params["batch"] = std::int64_t{2};
    const auto nodes = plan_of<PipelinePlan>(ladder())->nodes(params, rung.slug);
    std::vector<int> all(nodes.size());
    for (int k = 0; k < int(nodes.size()); ++k) all[std::size_t(k)] = k;
    REQUIRE(right_in_order(rung, params, all));
    for (int k = 0; k < int(nodes.size()); ++k) {
      CAPTURE(k);
      auto order = all;
      order.erase(order.begin() + k);
      CHECK_FALSE(right_in_order(rung, params, order));
      for (const int before : nodes[std::size_t(k)].after) {
        CAPTURE(before);
        order = all;  // k right before what it should wait for
        std::rotate(order.begin() + before, order.begin() + k, order.begin() + k + 1);
        CHECK_FALSE(right_in_order(rung, params, order));
      }
    }
  }
}

TEST_CASE("kernels that wait for nothing of each other may run in any order") {
  const Params branched = pipeline(11, 3), one_row{{"batch", std::int64_t{1}}};
  CHECK(right_in_order(rung_named("fork_join"), branched, {0, 3, 6, 9, 2, 5, 8, 1, 4, 7, 10}));
  CHECK(right_in_order(rung_named("decode"), one_row, {0, 1, 2, 3, 4, 5, 7, 6, 8}));
}

TEST_CASE("branches wait for nothing of each other, and a kernel's place does not depend on its number") {
  const auto nodes = fork_join_nodes(11, 3);
  for (int i = 1; i < 10; ++i) {
    CHECK(nodes[std::size_t(i)].stream == (i - 1) % 3);
    REQUIRE(nodes[std::size_t(i)].after.size() == 1);
    CHECK(nodes[std::size_t(i)].after[0] == std::max(0, i - 3));
  }
  CHECK(nodes.back().after == std::vector<int>{7, 8, 9});
  CHECK(fork_join_nodes(1, 4).size() == 1);
  CHECK(fork_join_nodes(2, 4).back().after == std::vector<int>{0});
}

TEST_CASE("buckets are powers of two") {
  const int want[] = {1, 1, 2, 4, 4, 8, 8, 8, 8};
  for (int batch = 1; batch <= 8; ++batch) CHECK(bucket_of(batch) == want[batch]);
}
