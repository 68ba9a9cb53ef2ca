// assets/gpus.json as the program carries it.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "app/devices/device_report.hpp"
#include "app/devices/gpus.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

nlohmann::json file() {
  std::ifstream in(in_source("assets/gpus.json"));
  return nlohmann::json::parse(in);
}

const Gpu& named(std::string_view device_name) {
  const Gpu* gpu = find_gpu(device_name);
  REQUIRE(gpu);
  return *gpu;
}

}  // namespace

TEST_CASE("a device is found by the name that CUDA gives it, and an unknown one is not") {
  CHECK(named("NVIDIA H200").name == "H200 SXM");
  CHECK(named("NVIDIA H100 80GB HBM3").name == "H100 SXM5");
  CHECK(named("NVIDIA A100-SXM4-80GB").l2_bytes == 40 << 20);
  CHECK(find_gpu("NVIDIA H100 PCIe") == nullptr);
  CHECK(find_gpu("") == nullptr);
  std::set<std::string> names;
  for (const Gpu& gpu : known_gpus())
    for (const std::string& name : gpu.device_names) CHECK(names.insert(name).second);
  CHECK(known_gpus().size() == 11);
}

TEST_CASE("a setting names a device by one word, and each word is one device") {
  std::set<std::string> words;
  for (const Gpu& gpu : known_gpus()) {
    CHECK(words.insert(gpu.word).second);
    CHECK(gpu_by_word(gpu.word) == &gpu);
    CHECK(gpu.name.starts_with(gpu.word));
  }
  CHECK(words == std::set<std::string>{"V100", "T4", "A100", "RTX 3090", "RTX 4090", "L4", "H100", "H200",
                                       "B200", "RTX PRO 6000", "RTX 5090"});
  CHECK(gpu_by_word("H20") == nullptr);
}

TEST_CASE("the values that the models start from are the H200's of the file") {
  CHECK(named("NVIDIA H200") == Gpu{});
}

TEST_CASE("every figure names a source of the list, and every source is used") {
  const auto json = file();
  std::set<std::string> used;
  for (const auto& gpu : json.at("gpus"))
    for (const auto& item : gpu.at("figures").items()) {
      const std::string name = item.key();
      const auto& figure = item.value();
      CAPTURE(name);
      REQUIRE(figure.size() == 2);
      CHECK(json.at("sources").contains(figure.at(1).get<std::string>()));
      used.insert(figure.at(1).get<std::string>());
    }
  CHECK(used.size() == json.at("sources").size());
  CHECK(json.at("gpus").at(7).at("figures").at("l2_ways").at(1) == "assumption");
}

TEST_CASE("each FP32 peak is what the SMs' lanes do at the clock beside it, within 2 %") {
  for (const Gpu& gpu : known_gpus()) {
    CAPTURE(gpu.name);
    const double flops = 2.0 * gpu.multiprocessors * gpu.fp32_lanes_per_sm * gpu.fp32.clock_hz;
    CHECK(std::abs(flops - gpu.fp32.flops) <= 0.02 * gpu.fp32.flops);
  }
}

TEST_CASE("each tensor peak is what the SMs' tensor cores do at the clock beside it, within 2 %") {
  for (const Gpu& gpu : known_gpus()) {
    CAPTURE(gpu.name);
    const double flops = 2.0 * gpu.multiprocessors * gpu.tensor_fmas_per_sm * gpu.tensor.clock_hz;
    CHECK(std::abs(flops - gpu.tensor.flops) <= 0.02 * gpu.tensor.flops);
  }
  const Gpu& h100 = named("NVIDIA H100 80GB HBM3");  // 512 FP16 FMA per tensor core, 4 of them
  CHECK(h100.tensor.flops == doctest::Approx(132 * 4 * 512 * 2 * 1.83e9).epsilon(0.001));
}

TEST_CASE("limits agree with one another on every device") {
  for (const Gpu& gpu : known_gpus()) {
    CAPTURE(gpu.name);
    CHECK(gpu.max_threads_per_sm == gpu.max_warps_per_sm * 32);
    CHECK(gpu.shared_bytes_per_block + gpu.reserved_shared_bytes == gpu.shared_bytes_per_sm);
    CHECK(gpu.shared_capacities.back() == gpu.shared_bytes_per_sm);
    CHECK(gpu.shared_bytes_per_sm < gpu.l1_shared_bytes);
    CHECK(gpu.registers_per_sm == 64 * 1024);
    CHECK(gpu.fp32_lanes_per_sm % gpu.sub_cores == 0);
    CHECK(gpu.tensor_cores_per_sm % gpu.sub_cores == 0);
    CHECK(gpu.max_warps_per_sm % gpu.sub_cores == 0);
    CHECK(gpu.sub_cores == gpu.warp_granularity);
    if (gpu.tpcs > 0) CHECK(gpu.tpcs * 2 == gpu.multiprocessors);
    CHECK((gpu.gpcs == 0 || gpu.tpcs >= gpu.gpcs));
    CHECK(std::is_sorted(gpu.shared_capacities.begin(), gpu.shared_capacities.end()));
  }
}

TEST_CASE("a figure's source can be asked for, and of every figure of every device there is one") {
  const auto json = file();
  for (const auto& entry : json.at("gpus")) {
    const Gpu* gpu = gpu_by_word(entry.at("word").get<std::string>());
    REQUIRE(gpu);
    for (const auto& item : entry.at("figures").items()) CHECK_FALSE(source_of(*gpu, item.key()).empty());
  }
  CHECK(source_of(*gpu_by_word("H200"), "memory_bandwidth")
            .starts_with("NVIDIA H200 Tensor Core GPU data sheet"));
  CHECK(source_of(*gpu_by_word("H200"), "moons").empty());
}

TEST_CASE("a driver's words stand beside the file's, and a difference is one: L2 50 MB and 60 MB") {
  const Gpu& h200 = *gpu_by_word("H200");
  const std::map<std::string, std::int64_t> said{
      {"L2CacheSize", 60 << 20},
      {"MultiProcessorCount", 132},
      {"TotalGlobalMemory", std::int64_t{150} * 1000 * 1000 * 1000},
      {"ClockRate", 1980000},
      {"ClusterLaunch", 1},
      {"MaxTexture1DWidth", 131072},
      {"SomethingNew", 7}};
  std::map<std::string, DeviceRow> rows;
  for (const DeviceGroup& group : device_report(said, &h200))
    for (const DeviceRow& row : group.rows) rows[row.name] = row;
  CHECK(rows.size() == said.size());
  CHECK(rows["L2CacheSize"].value == "60 MB");
  CHECK(rows["L2CacheSize"].file == "50 MB");
  CHECK(rows["L2CacheSize"].differs);
  for (const char* same : {"MultiProcessorCount", "TotalGlobalMemory", "ClockRate"}) {
    CAPTURE(same);
    CHECK(rows[same].file);
    CHECK_FALSE(rows[same].differs);
  }
  CHECK(rows["ClusterLaunch"].value == "yes");
  CHECK_FALSE(rows["ClusterLaunch"].file);
  CHECK(rows["SomethingNew"].value == "7");
  CHECK_FALSE(device_report(said, nullptr).front().rows.front().file);
  for (const DeviceGroup& group : device_report(h200))
    for (const DeviceRow& row : group.rows) CHECK_FALSE(row.meaning.empty());
}
