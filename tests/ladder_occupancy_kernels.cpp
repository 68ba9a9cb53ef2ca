// The kernels of the lab occupancy on the emulator, and what its settings refuse.
#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "app/devices/gpus.hpp"
#include "app/engine/engine.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

const Ladder& ladder() { return *find_ladder("occupancy"); }

Params settings(std::int64_t threads, std::int64_t shared_bytes) {
  return {{"threads", threads}, {"shared_bytes", shared_bytes}};
}

struct Outcome {
  Check check;
  simt::Emulation emulation;
};
Outcome emulated(const RungInfo& rung, Params params) {
  simt::ProblemBuffers buffers(ladder(), params, rung.slug);
  Outcome outcome{{}, simt::emulate(ladder(), rung.file, params, buffers.spans(), {})};
  outcome.check = ladder().check(params, rung.slug, buffers.contents());
  return outcome;
}

Result<Params> complete(const std::string& rung, Params given) {
  return complete_params(ladder().info, rung, std::move(given));
}

}  // namespace

TEST_CASE("every rung is right for any block size and number of elements, and the emulator finds nothing") {
  for (const RungInfo& rung : ladder().info.rungs)
    for (std::int64_t threads : {1, 31, 32, 33, 100, 256, 512, 1024})
      for (std::int64_t elements : {4, 124, 132, 4100, 16384}) {
        if ((rung.slug == "fma" && threads > 512) || (threads < 31 && elements > 4100)) continue;
        CAPTURE(rung.slug);
        CAPTURE(threads);
        CAPTURE(elements);
        Params params = settings(threads, 1000);
        params["elements"] = elements;
        const Outcome outcome = emulated(rung, params);
        CHECK(outcome.check.pass);
        CHECK(outcome.emulation.findings.empty());
      }
}

TEST_CASE("a copy reads and writes 16 bytes per element of four, once") {
  for (const char* slug : {"stream", "unrolled"}) {
    const RungInfo& rung = ladder().info.rungs[std::size_t(ladder().info.rung_index(slug))];
    const Counts counts = emulated(rung, settings(128, 0)).emulation.counts;
    CHECK(counts.global_load_sectors == 8192 * 4 / 32);
    CHECK(counts.global_store_sectors == 8192 * 4 / 32);
    CHECK(counts.global_load_requests == 8192 / 4 / 32);
  }
}

TEST_CASE("a wrong, a missing or a NaN result fails the check") {
  for (const RungInfo& rung : ladder().info.rungs) {
    const Params params = settings(128, 0);
    simt::ProblemBuffers buffers(ladder(), params, rung.slug);
    CHECK_FALSE(ladder().check(params, rung.slug, buffers.contents()).pass);  // poisoned with NaN
    simt::emulate(ladder(), rung.file, params, buffers.spans(), {});
    CHECK(ladder().check(params, rung.slug, buffers.contents()).pass);
    float last;
    std::uint8_t* end = buffers.spans()[1].data() + buffers.spans()[1].size() - sizeof last;
    std::memcpy(&last, end, sizeof last);
    last *= 1.001f;
    std::memcpy(end, &last, sizeof last);
    CHECK_FALSE(ladder().check(params, rung.slug, buffers.contents()).pass);
  }
}

TEST_CASE(
    "of 1000 random launches each runs or is refused, and the refusal names the setting and its limit") {
  std::mt19937 random(20261122);
  const auto below = [&](std::int64_t end) { return std::int64_t(random() % std::uint64_t(end)); };
  int refused = 0, launched = 0;
  for (int i = 0; i < 1000; ++i) {
    const RungInfo& rung = ladder().info.rungs[std::size_t(below(4))];
    const Gpu& gpu = known_gpus()[std::size_t(below(11))];
    Params given = settings(below(20) == 0 ? 0 : below(1100), below(300) * 1024);
    given["registers"] = below(280), given["device"] = gpu.word;
    const std::int64_t threads = int_param(given, "threads"), shared = int_param(given, "shared_bytes"),
                       registers = int_param(given, "registers");
    const bool too_many = rung.slug == "fma" && threads > 512;
    const bool legal = threads >= 1 && threads <= 1024 && registers >= 1 && registers <= 255 &&
                       shared <= gpu.shared_bytes_per_block && !too_many;
    const auto params = complete(rung.slug, given);
    CAPTURE(to_string(given["threads"]) + " " + to_string(given["shared_bytes"]) + " " + gpu.word);
    CHECK(params.ok() == legal);
    if (!params) {
      const std::string text = params.error().text();
      CHECK(params.error().exit == Exit::bad_input);
      const bool named = text.find("threads = " + std::to_string(threads)) == 0 ||
                         text.find("shared_bytes = " + std::to_string(shared)) == 0 ||
                         text.find("registers = " + std::to_string(registers)) == 0;
      CHECK(named);
      const bool says_limit = text.find("1024") != text.npos || text.find("512") != text.npos ||
                              text.find("255") != text.npos || text.find("232448") != text.npos ||
                              text.find(std::to_string(gpu.shared_bytes_per_block)) != text.npos;
      CHECK(says_limit);
      ++refused;
      continue;
    }
    ++launched;
    if (launched % 16 != 0) continue;
    Params small = *params;
    small["elements"] = std::int64_t{1024};
    CHECK(emulated(rung, small).check.pass);
  }
  CHECK(refused > 200);
  CHECK(launched > 200);
}

TEST_CASE("the registers that the sliders start from are those that the kernels were recorded with") {
  const auto engine = make_recording_engine({in_source("assets/recordings")});
  for (const RungInfo& rung : ladder().info.rungs) {
    const Params params = *complete(rung.slug, {});
    int compared = 0;
    for (const Run& run : engine->recorded("occupancy", rung.slug)) {
      const auto registers = whole_metric(run, "driver.registers");
      if (run.stale || !registers) continue;
      CHECK(*registers == int_param(params, "registers"));
      ++compared;
    }
    if (!compared) MESSAGE("not recorded: occupancy/", rung.slug, " has not run on a GPU yet");
  }
}
