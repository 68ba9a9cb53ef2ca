#include <random>

#include "primitives.cuh"

namespace primitives {
namespace {

std::vector<std::string>& found() {
  static std::vector<std::string> kinds;
  return kinds;
}

using Kernel = void (*)(lab::View<const unsigned, lab::BuildProbe>, lab::View<unsigned, lab::BuildProbe>);
struct Row {
  const char* name;
  Kernel kernel;
};
const std::vector<Row>& table() {
  using namespace lab::tested;
  using lab::BuildProbe;
#define LAB_ROW(name, ...) {#name, &__VA_ARGS__},
  static const std::vector<Row> rows{LAB_PRIMITIVES(LAB_ROW)};
#undef LAB_ROW
  return rows;
}

}  // namespace

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list;
    for (const Row& row : table()) list.push_back(row.name);
    return list;
  }();
  return all;
}

Words inputs(const std::string& name) {
  std::uint32_t seed = 2166136261u;
  for (unsigned char c : name) seed = (seed ^ c) * 16777619u;
  std::mt19937 random(seed);
  Words in(std::size_t(kCases) * kWordsIn);
  for (auto& word : in) word = std::uint32_t(random());
  for (std::size_t k = 0; k < kCases; ++k) {
    std::uint32_t& mask = in[k * kWordsIn + kMaskWord];
    if (k % 3 == 0) mask = ~0u;
    if (k % 3 == 1 && mask == 0) mask = 1;
    if (k % 3 == 2) mask = ~0u >> (mask % 32);
  }
  return in;
}

Words emulated(int primitive, const Words& in) {
  using namespace lockstep;
  Words out(std::size_t(kCases) * kWordsOut, 0);
  simt::Machine machine({});
  const lab::GlobalView<const unsigned> from{in.data(), std::int64_t(in.size()), 0};
  const lab::GlobalView<unsigned> to{out.data(), std::int64_t(out.size()), 1};
  const Kernel kernel = table().at(std::size_t(primitive)).kernel;
  machine.launch(
      {"primitive", {kCases}, {32}, 0}, [&] { kernel(from, to); }, [](auto...) { return true; });
  found().clear();
  for (const Finding& finding : machine.findings()) found().push_back(finding.kind);
  return out;
}

const std::vector<std::string>& findings() { return found(); }

std::uint64_t hash_of(const Words& words) {
  std::uint64_t hash = 14695981039346656037ull;
  for (std::uint32_t word : words) hash = (hash ^ word) * 1099511628211ull;
  return hash;
}

}  // namespace primitives
