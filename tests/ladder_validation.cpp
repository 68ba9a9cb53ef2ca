// The committed records (assets/recordings/*/validation.json) against the kernels as they stand: a stale
// entry is named, a contradiction fails.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/devices/gpus.hpp"
#include "app/engine/engine.hpp"
#include "app/engine/rung_lookup.hpp"
#include "app/model/gpu.hpp"
#include "app/model/occupancy.hpp"
#include "kernels/attention/traffic.hpp"
#include "kernels/simt/emulate.hpp"
#include "places.hpp"

using namespace lockstep;
using Json = nlohmann::json;

namespace {

// The H200's, which the models were fitted to.
Json record() {
  std::ifstream file(in_source("assets/recordings/h200/validation.json"));
  return Json::parse(file);
}

// Those of all devices.
std::vector<Json> records() {
  std::vector<Json> all;
  for (const auto& device : std::filesystem::directory_iterator(in_source("assets/recordings")))
    if (std::ifstream file(device.path() / "validation.json"); file) all.push_back(Json::parse(file));
  return all;
}

Params params_of(const Json& object) {
  Params params;
  for (const auto& [name, value] : object.items())
    if (value.is_string())
      params[name] = value.get<std::string>();
    else if (value.is_number_float())
      params[name] = value.get<double>();
    else
      params[name] = value.get<std::int64_t>();
  return params;
}

// What several claims ask about an entry.
struct EmulatedEntry {
  Json counts;
  std::uint64_t l2_load_bytes = 0, hbm_load_bytes = 0, first_buffer_bytes = 0;
  std::int64_t threads = 0;  // of a block of the first launch
};

EmulatedEntry emulated_anew(const Json& row) {
  const Ladder& ladder = *find_ladder(row.at("lab").get<std::string>());
  const Params params = params_of(row.at("params"));
  simt::ProblemBuffers buffers(ladder, params, row.at("rung").get<std::string>());
  simt::EmulationOptions options;
  options.machine.checks = false;  // counts are all that is asked for; every rung's tests look for faults
  const auto emulation =
      simt::emulate(ladder, row.at("file").get<std::string>(), params, buffers.spans(), options);
  EmulatedEntry entry{{},
                      emulation.l2_load_bytes,
                      emulation.hbm_load_bytes,
                      buffers.specs()[0].bytes(),
                      std::int64_t(emulation.launches.at(0).threads())};
  for (const CountField& field : kCountFields) entry.counts[field.name] = emulation.counts.*field.member;
  return entry;
}

// Once for all claims: it takes most of this program's time.
const EmulatedEntry& emulated(const Json& row) {
  static std::map<std::string, EmulatedEntry> known;
  const std::string name = row.at("file").dump() + row.at("params").dump();
  const auto at = known.find(name);
  return at != known.end() ? at->second : known.emplace(name, emulated_anew(row)).first->second;
}

// The twenty largest rows are half of the work, and smaller ones of the same rungs say the same: they are
// emulated anew where LOCKSTEP_LARGE is set, and compared as they were recorded everywhere.
bool is_small(const Json& row) {
  static const bool all = std::getenv("LOCKSTEP_LARGE") != nullptr;
  std::int64_t accesses = 0;
  for (const auto& count : row.at("emulator").items())
    if (count.key().ends_with("_requests") || count.key().ends_with("_wavefronts"))
      accesses += count.value().get<std::int64_t>();
  return all || accesses <= 300'000;
}

bool fresh(const Json& row) {
  return source_hash(row.at("file").get<std::string>()) == row.at("hash").get<std::string>();
}

// Whether a row's settings are those of its ladder. Drawn ones are often smaller or narrower than what the
// models were fitted to: how far the models are from the counters there stands in the record.
bool is_fixed(const Json& row) {
  const Ladder& ladder = *find_ladder(row.at("lab").get<std::string>());
  const Params own = params_of(row.at("params"));
  const auto is_of = [&](const Params& fixed) {
    Params known;
    for (const auto& [name, value] : fixed)
      if (own.contains(name)) known[name] = value;
    const auto complete = complete_params(ladder.info, row.at("rung").get<std::string>(), known);
    return complete && *complete == own;
  };
  const auto fixed = ladder.validated_at(row.at("rung").get<std::string>());
  return std::any_of(fixed.begin(), fixed.end(), is_of);
}

std::string name_of(const Json& row) {
  return row.at("lab").get<std::string>() + "/" + row.at("rung").get<std::string>() + " " +
         row.at("params").dump();
}

}  // namespace

TEST_CASE("a rung that was validated was so at four sizes or more; others and stale entries are named") {
  std::set<std::string> stale, validated;
  for (const Json& all : records()) {
    std::map<std::string, int> sizes;
    for (const Json& row : all.at("rows")) {
      ++sizes[row.at("file").get<std::string>()];
      if (!fresh(row)) stale.insert(row.at("file").get<std::string>());
    }
    for (const auto& validated_file : sizes) {
      CAPTURE(validated_file.first);
      CHECK(validated_file.second >= 4);
      validated.insert(validated_file.first);
    }
  }
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs)
      if (!validated.contains(rung.file))
        MESSAGE("not validated yet: ", rung.file, " has not run under a GPU's profiler");
  for (const std::string& file : stale)
    MESSAGE("stale: ", file, " has changed since it was validated on the GPU");
}

namespace {

// How often blocks ask that wait for one another is left to chance: these counts, and who asks beside whom.
bool left_to_chance(const Json& row, const std::string& quantity) {
  return row.value("waits", false) &&
         (quantity == "global_load_requests" || quantity == "global_load_sectors");
}

void check_agreement(const Json& row, const Json& reasons) {
  CAPTURE(name_of(row));
  if (!row.value("racy", false))
    CHECK(row.at("pass") == row.at("emulator_pass"));  // a rung may be wrong on purpose
  CHECK(row.at("streams_equal") == true);
  const bool apart = reasons.contains(row.at("lab").get<std::string>() + "/" +
                                      row.at("rung").get<std::string>() + "/mask_differences");
  if (!row.value("waits", false) && !apart) CHECK(row.at("mask_differences") == 0);
  for (const auto& count : row.at("emulator").items()) {
    CAPTURE(count.key());
    if (!left_to_chance(row, count.key())) CHECK(count.value() == row.at("gpu_trace").at(count.key()));
  }
  if (is_small(row)) {
    Json ours;
    for (const auto& [name, count] : emulated(row).counts.items())  // the record may be older than some
      if (row.at("emulator").contains(name)) ours[name] = count;
    CHECK(row.at("emulator") == ours);
  }
  for (const auto& [quantity, value] : row.at("hardware").items()) {
    if (!row.at("emulator").contains(quantity))
      continue;  // DRAM bytes and L2 sectors stand beside the models, not beside a count
    const std::string reason =
        row.at("lab").get<std::string>() + "/" + row.at("rung").get<std::string>() + "/" + quantity;
    CAPTURE(reason);
    const auto written = row.at("emulator").at(quantity).get<std::int64_t>();
    const auto counted = value.get<std::int64_t>();
    if (written == counted || left_to_chance(row, quantity)) continue;
    REQUIRE(reasons.contains(reason));
    CHECK((counted < written) == reasons.at(reason).at("fewer"));
    if (reasons.at(reason).contains("most"))
      CHECK(double(std::abs(counted - written)) <=
            reasons.at(reason).at("most").get<double>() * double(counted));
  }
}

}  // namespace

TEST_CASE("the emulator, the GPU trace and the hardware counters agree on every fresh entry" *
          doctest::test_suite("slow")) {
  for (const Json& all : records())
    for (const Json& row : all.at("rows"))
      if (fresh(row)) check_agreement(row, all.at("reasons"));
}

TEST_CASE("the sanitizers found nothing") {
  for (const Json& all : records())
    for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
      CAPTURE(all.at("device").at("name").get<std::string>());
      CAPTURE(tool);
      CHECK(all.at("sanitizers").at(tool).at("clean") == true);
    }
}

TEST_CASE("the cache model's bytes from HBM are within the stated error of the DRAM counter" *
          doctest::test_suite("slow")) {
  // kCacheModelError holds for buffers that are large beside what the profiler itself moves.
  for (const Json all = record(); const Json& row : all.at("rows")) {
    if (!fresh(row) || !is_small(row)) continue;
    if (row.at("launches") > 1) continue;  // the profiler empties the caches before every launch
    const EmulatedEntry& emulation = emulated(row);
    if (emulation.first_buffer_bytes < kCacheModelErrorFromBytes) continue;
    const double counted = row.at("hardware").at("dram_read_bytes").get<double>();
    CAPTURE(name_of(row));
    const double missing = counted - double(emulation.hbm_load_bytes);
    CHECK(missing <= kCacheModelError * counted + double(kUnmodelledCodeBytes));
    CHECK(missing >= -kCacheModelError * counted);
  }
}

TEST_CASE(
    "a dependent chain takes 29 + 2 (w - 1) cycles per load, the pipe at full load w cycles, within 3 % "
    "(H200)") {
  const auto engine = make_recording_engine({in_source("assets/recordings")});
  int compared = 0, stale = 0;
  for (const Run& run : engine->recorded("banks", "strided")) {
    if (int_param(run.request.params, "width") != 4) continue;
    if (run.stale) {
      ++stale;
      continue;
    }
    CAPTURE(int_param(run.request.params, "stride"));
    const double w = double(std::get<std::int64_t>(run.metrics().at("wavefronts_per_instruction")));
    const double chain = std::get<double>(run.metrics().at("measured.chain_cycles"));
    const double full = std::get<double>(run.metrics().at("measured.throughput_cycles"));
    CHECK(std::abs(chain - (29 + 2 * (w - 1))) <= 0.03 * (29 + 2 * (w - 1)));
    CHECK(std::abs(full - w) <= 0.03 * w);
    ++compared;
  }
  CHECK(compared + stale >= 65);
  if (stale) MESSAGE("stale: ", stale, " settings have changed since they were measured");
}

TEST_CASE("the L1 model's bytes from L2 are within the stated error of what the L1s received" *
          doctest::test_suite("slow")) {
  int compared = 0;
  for (const Json all = record(); const Json& row : all.at("rows")) {
    const Json& hardware = row.at("hardware");
    const double counted = 32 * (hardware.at("l1_read_sectors").get<double>() -  // of them from L2
                                 hardware.value("cluster_load_sectors", 0.0));
    if (!fresh(row) || !is_small(row) || counted < 4096) continue;  // parameters and clocks of small kernels
    const Ladder& ladder = *find_ladder(row.at("lab").get<std::string>());
    if (ladder.by_units(row.at("rung").get<std::string>())) {
      // Boxes, and their rows outside of the matrix are counted, too: a count of its own. What threads load
      // besides, an element of the array or a block's sum, they load once.
      const std::int64_t by_threads = hardware.at("global_load_sectors").get<std::int64_t>() +
                                      hardware.at("global_atomic_sectors").get<std::int64_t>();
      const auto by_boxes = hardware.at("box_sectors").get<std::int64_t>(),
                 received = hardware.at("l1_read_sectors").get<std::int64_t>();
      // Four lanes of each warp ask for the same l and d, and all eight warps do: the L1 has them.
      if (row.at("rung") == "backward_wgmma")
        CHECK((received > by_boxes && received < by_boxes + by_threads));
      else
        CHECK(received == by_boxes + by_threads);
      continue;
    }
    const EmulatedEntry& emulation = emulated(row);
    CAPTURE(name_of(row));
    // Blocks below a warp: many share a sector in the L1 of their SM, and the model's L1 is a block's own.
    if (emulation.threads < 32) continue;
    // Spills come on top: they are the compiler's, and no emulator sees them.
    if (row.at("file") == "occupancy/04_spilled.cuh") {
      CHECK(counted > (1 - kL1ModelError) * double(emulation.l2_load_bytes));
      CHECK_FALSE(ladder.warnings(params_of(row.at("params")), "spilled", {}).empty());
      continue;
    }
    CHECK(std::abs(double(emulation.l2_load_bytes) - counted) <=
          l1_error(ladder, row.at("rung").get<std::string>()) * counted);
    if (row.at("lab") == "gemm" && is_fixed(row)) CHECK(double(emulation.l2_load_bytes) == counted);
    ++compared;
  }
  CHECK(compared >= 60);
}

TEST_CASE("attention: what the SMs receive from the L2 is the count's, within 5 %") {
  int compared = 0;
  for (const Json all = record(); const Json& row : all.at("rows")) {
    const auto rung = row.at("rung").get<std::string>();
    if (row.at("lab") != "attention" || (rung != "standard" && !rung.starts_with("flash2"))) continue;
    CAPTURE(name_of(row));
    const double ours = row.at("models").at("l2_load_bytes").get<double>();
    const double counters = 32 * row.at("hardware").at("l1_read_sectors").get<double>();
    CHECK(std::abs(ours - counters) <= 0.05 * counters);
    ++compared;
  }
  CHECK(compared >= 24);
}

TEST_CASE("attention: far beyond the L2 the bytes from and to HBM are the model's, within 15 %") {
  int compared = 0;
  for (const Json all = record(); const Json& row : all.at("large")) {
    const auto rung = row.at("rung").get<std::string>();
    if (row.at("lab") != "attention" || rung.starts_with("backward")) continue;
    const Json& p = row.at("params");
    const bool bytes = rung == "fp8";
    const AttentionShape shape{p.at("seq"),    p.at("head_dim"), p.at("heads"),          p.at("tile_q"),
                               p.at("tile_k"), bytes ? 1 : 2,    p.at("causal") == "yes"};
    REQUIRE((bytes || p.at("dtype") == "bf16"));
    const std::int64_t l2 = Gpu{}.l2_bytes;
    const double modelled = attention_memory_bytes(rung, shape, l2);
    if (modelled < 4 * double(l2)) continue;  // part of the output never leaves the L2
    const Json& counters = row.at("hardware");
    const double counted =
        counters.at("dram_read_bytes").get<double>() + counters.at("dram_write_bytes").get<double>();
    CAPTURE(rung);
    CAPTURE(counted);
    CHECK(std::abs(modelled - counted) <= 0.15 * counted);
    ++compared;
  }
  CHECK(compared >= 3);
}

namespace {

void check_occupancy(const Json& sweep) {
  const Gpu* gpu = find_gpu(sweep.at("device").at("name").get<std::string>());
  REQUIRE(gpu);
  int compared = 0, different = 0;
  std::set<int> registers;
  for (const Json& kernel : sweep.at("kernels")) {
    std::istringstream answers(kernel.at("answers").get<std::string>());
    registers.insert(kernel.at("registers").get<int>());
    std::int64_t dynamic = 0;
    char comma = 0;
    for (int threads = 0, blocks = 0; answers >> threads >> dynamic >> blocks >> comma; ++compared) {
      const BlockNeeds needs{threads, kernel.at("registers").get<int>(),
                             kernel.at("static_shared_bytes").get<std::int64_t>() + dynamic};
      different += resident_blocks(*gpu, needs).blocks != blocks;
    }
  }
  CHECK(compared == sweep.at("compared").get<int>());
  CHECK(compared >= 2000);
  CHECK(registers.size() >= 12);
  CHECK(different == 0);
  CHECK(sweep.at("differences").empty());
}

}  // namespace

TEST_CASE(
    "the model's blocks per SM are the driver's, kernel by kernel, at random block sizes and shared bytes") {
  for (const Json& all : records()) check_occupancy(all.at("occupancy"));
}
