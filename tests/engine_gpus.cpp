// assets/gpus.json as the program carries it.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

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

int fp32_lanes(const Gpu& gpu) { return gpu.compute_capability <= 80 ? 64 : 128; }

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
    const double flops = 2.0 * gpu.multiprocessors * fp32_lanes(gpu) * gpu.fp32.clock_hz;
    CHECK(std::abs(flops - gpu.fp32.flops) <= 0.02 * gpu.fp32.flops);
  }
}

TEST_CASE("each tensor peak is a power of two of FMAs per SM and clock, within 2 %") {
  for (const Gpu& gpu : known_gpus()) {
    CAPTURE(gpu.name);
    const double fmas = gpu.tensor.flops / 2 / gpu.multiprocessors / gpu.tensor.clock_hz;
    CHECK(std::abs(std::log2(fmas) - std::round(std::log2(fmas))) <= 0.03);
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
    CHECK(std::is_sorted(gpu.shared_capacities.begin(), gpu.shared_capacities.end()));
  }
}
