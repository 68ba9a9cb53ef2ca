// Compares every primitive on this machine's GPU with the emulator, bit by bit, and writes the record that
// the test replays. usage: record_primitives OUT.json
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "kernels/cuda/gpu.hpp"
#include "primitives.hpp"

namespace {

// Words that differ; the first of them is told with its inputs.
std::size_t compare(const std::string& name, const primitives::Words& in, const primitives::Words& gpu,
                    const primitives::Words& cpu) {
  std::size_t words = 0, first = gpu.size();
  for (std::size_t w = 0; w < gpu.size(); ++w)
    if (gpu[w] != cpu[w]) ++words, first = std::min(first, w);
  if (!words) return 0;
  const std::size_t k = first / primitives::kWordsOut, lane = first % 32;
  const auto* x = in.data() + k * primitives::kWordsIn;
  std::cout << "DIFFERS " << name << ": " << words << " words, first in case " << k << ", word "
            << first % primitives::kWordsOut << std::hex << ": gpu " << gpu[first] << ", emulator "
            << cpu[first] << ", a " << x[lane] << " b " << x[32 + lane] << " c "
            << x[primitives::kUniformWord] << " d " << x[96 + lane] << " mask " << x[primitives::kMaskWord]
            << std::dec << "\n";
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: record_primitives OUT.json\n", 2;
  const auto device = lockstep::cuda::find_device();
  if (!device) return std::cerr << device.error().text() << "\n", 3;
  nlohmann::ordered_json record{{"schema", 1}, {"device", device->name}, {"cases", primitives::kCases}};
  int different = 0;
  for (int i = 0; i < int(primitives::names().size()); ++i) {
    const std::string& name = primitives::names()[std::size_t(i)];
    const auto in = primitives::inputs(name);
    std::string error;
    const auto gpu = primitives::on_gpu(i, in, error);
    if (!error.empty()) return std::cerr << name << ": " << error << "\n", 4;
    const std::size_t words = compare(name, in, gpu, primitives::emulated(i, in));
    record["primitives"][name] = {{"hash", primitives::hash_of(gpu)}, {"different_words", words}};
    different += words != 0;
  }
  std::ofstream(argv[1]) << record.dump(1) << "\n";
  std::cout << primitives::names().size() << " primitives, " << primitives::kCases << " inputs each, "
            << different << " differ\n";
  return different ? 1 : 0;
}
