// Boxes of tensors of one to five dimensions and reductions of the copy engine, as the emulator runs them:
// byte for byte as an H200 does, and what that refuses is named.
#include <deque>
#include <type_traits>

#include "tensor_kernels.cuh"
//
#include "emulated.hpp"

using namespace lab;
using namespace bulk_test;
using namespace emulated;
namespace simt = lockstep::simt;

namespace {

Kinds expected;  // of what is found in the kernels that run next

template <class T, int kDimensions>
std::vector<std::uint32_t> landed(const TensorCase& c, int bytes, int first) {
  auto source = numbered_words(std::max<std::size_t>(1, c.elements()) * sizeof(T));
  std::vector<std::uint32_t> words(kTileBytes / 4);
  const auto data = view_of<const T>(source, 0);
  const auto out = view_of<unsigned>(words, 1);
  const auto t = tensor<const T, kDimensions>(data, shape_of<kDimensions>(c.extent),
                                              shape_of<kDimensions>(c.box), c.swizzle);
  CHECK(kinds_of({"land_tensor", {1}, {128}, kTileBytes},
                 [&] { land_tensor<T, kDimensions, Emulated>(t, out, c.at(), bytes, first); }) == expected);
  return words;
}
template <class T, int kDimensions, Reduction kHow>
std::vector<std::uint32_t> sent(const TensorCase& c, std::vector<std::uint32_t> values,
                                std::vector<std::uint32_t> there, int count, int blocks, BoxPlace place) {
  const auto from = view_of<const T>(values, 0);
  const auto to = view_of<T>(there, 1);
  const auto t =
      tensor<T, kDimensions>(to, shape_of<kDimensions>(c.extent), shape_of<kDimensions>(c.box), c.swizzle);
  CHECK(kinds_of({"send_tensor", {blocks}, {128}, kTileBytes},
                 [&] { send_tensor<T, kDimensions, kHow, Emulated>(t, from, place, count); }) == expected);
  return there;
}

#include "tensor_dispatch.inl"

template <class T, Reduction kHow>
std::uint64_t bytes_sent(Element element) {
  constexpr int kCount = 1024, kBlocks = 3;
  auto values = small_values(element, kCount * kBlocks, 5),
       there = small_values(element, kCount * kBlocks, 6);
  const auto from = view_of<const T>(values, 0);
  const auto to = view_of<T>(there, 1);
  CHECK(kinds_of({"send_bytes", {kBlocks}, {128}, kTileBytes},
                 [&] { send_bytes<T, kHow, Emulated>(from, to, kCount); }) == Kinds{});
  return hash_of(there);
}

template <class T>
std::vector<std::uint32_t> rounded(std::vector<std::uint32_t> there, std::vector<std::uint32_t> added,
                                   bool as_tensor) {
  const auto from = view_of<const T>(added, 0);
  const auto to = view_of<T>(there, 1);
  const int count = int(there.size() * 4 / sizeof(T));
  const auto t = tensor<T, 1>(to, shape(count), shape(count), BoxSwizzle::none);
  CHECK(kinds_of({"rounded", {1}, {128}, kTileBytes}, [&] {
          if (as_tensor)
            send_tensor<T, 1, Reduction::add, Emulated>(t, from, BoxPlace{}, count);
          else
            send_bytes<T, Reduction::add, Emulated>(from, to, count);
        }) == Kinds{});
  return there;
}

// The first of `words` again and again, as small_floats() and the others are.
std::vector<std::uint32_t> repeated(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint32_t> all;
  while (all.size() < 64) all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

TEST_CASE("boxes of tensors land byte for byte as on an H200") {
  std::vector<std::uint64_t> here;
  for (const TensorCase& c : tensor_cases()) here.push_back(hash_of(land_case(c, int(c.tensor().bytes()))));
  CHECK(here == landed_on_h200());
}

TEST_CASE("boxes of tensors are stored byte for byte as on an H200") {
  std::vector<std::uint64_t> here;
  for (const TensorCase& c : tensor_cases()) here.push_back(hash_of(store_case(c, c.at(true))));
  CHECK(here == stored_on_h200());
}

TEST_CASE("boxes of several blocks are added, compared and combined as on an H200") {
  std::vector<std::uint64_t> here;
  for (const ReductionCase& r : reduction_cases()) here.push_back(hash_of(reduce_case(r)));
  CHECK(here == reduced_on_h200());
}

TEST_CASE("blocks beside each other reduce as blocks in turn do") {
  for (const ReductionCase& r : reduction_cases()) {
    if (r.element != Element::f32) continue;
    const TensorCase c = tensor_cases()[std::size_t(r.box)];
    const int count = c.tile_elements();
    auto values = small_values(r.element, std::size_t(count * r.blocks), 1);
    std::vector<std::vector<std::uint32_t>> both;
    for (const int threads : {1, 3}) {
      auto there = small_values(r.element, c.elements(), 2);
      const auto from = view_of<const float>(values, 0);
      const auto to = view_of<float>(there, 1);
      simt::Grid grid({}, threads);
      const auto run = [&](auto d) {
        const auto t = tensor<float, d()>(to, shape_of<d()>(c.extent), shape_of<d()>(c.box), c.swizzle);
        CHECK(grid.launch(
            {"send_tensor", {r.blocks}, {128}, kTileBytes},
            [&] { send_tensor<float, d(), Reduction::add, Emulated>(t, from, c.at(true), count); }, nullptr,
            [] { return true; }));
        return std::vector<std::uint32_t>{};
      };
      by_dimensions<float>(c.dimensions, run);
      both.push_back(there);
    }
    CHECK(both[0] == both[1]);
  }
}

TEST_CASE("bytes that are no tensor are stored and reduced as on an H200") {
  CHECK(bytes_sent<float, Reduction::none>(Element::f32) == 0x3cfc6a2511d57b82);
  CHECK(bytes_sent<float, Reduction::add>(Element::f32) == 0x97419841cbb1beb2);
  CHECK(bytes_sent<bf16, Reduction::add>(Element::bf16) == 0x0c82f2e2587beeea);
  CHECK(bytes_sent<half, Reduction::max>(Element::f16) == 0xb249c962e248f4b7);
  CHECK(bytes_sent<int, Reduction::min>(Element::s32) == 0x76ee86c4521731ba);
  CHECK(bytes_sent<unsigned, Reduction::bit_xor>(Element::u32) == 0x42c2bb90f16ebb24);
}

TEST_CASE("sums are rounded to the nearest even number, and small ones kept, as on an H200") {
  for (const bool as_tensor : {true, false}) {
    CHECK(rounded<float>(small_floats(0), small_floats(1), as_tensor) ==
          repeated({0x3f800000, 0x3f800002, 0x00000002, 0x00800000, 0x00400000, 0x00000001, 0x80000000,
                    0x80000001, 0x3f800000, 0x7f800000, 0x7f800000, 0x00000000, 0x4b800000, 0x4b800002,
                    0x00800000, 0x807fffff}));
    CHECK(rounded<half>(small_halves(0), small_halves(1), as_tensor) ==
          repeated({0x3c023c00, 0x04000002, 0x00010200, 0x7c008000}));
    CHECK(rounded<bf16>(small_bf16(0), small_bf16(1), as_tensor) ==
          repeated({0x3f823f80, 0x00800002, 0x00010040, 0x7f808000}));
  }
}

TEST_CASE("what an H200 refuses of boxes is named with its reason") {
  for (const RefusedCase& r : refused_cases()) {
    const std::string kind = r.kind;
    CAPTURE(kind);
    expected = {kind};
    if (!r.stored) expected.insert("deadlock");  // who waits for it waits in vain
    if (r.stored)
      store_case(r.box, r.box.at());
    else
      land_case(r.box, int(r.box.tensor().bytes()), r.first_word);
  }
  expected = {};
}

TEST_CASE("a tensor larger than its array, or within the 16 bytes that it may begin at, is named") {
  std::vector<float> small(64), out(64);
  const auto land = [&](GlobalView<const float> data, int x) {
    const auto t = tensor<const float, 1>(data, shape(x), shape(32), BoxSwizzle::none);
    const auto words = view_of<unsigned>(out, 1);
    simt::Grid grid({}, 1);
    grid.launch(
        {"land_tensor", {1}, {128}, kTileBytes},
        [&] { land_tensor<float, 1, Emulated>(t, words, BoxPlace{}, 128, 0); }, nullptr, [] { return true; });
    Kinds kinds;
    for (const auto& finding : grid.told().findings()) kinds.insert(finding.kind);
    return kinds;
  };
  const auto whole = view_of<const float>(small, 0);
  CHECK(land(whole, 65).contains("out_of_bounds"));
  CHECK(land({whole.data + 1, 63, 0}, 32).contains("misaligned"));
}

// --- events ---

namespace {

using Probe = Emulated;
std::deque<std::vector<std::uint8_t>> memory;

template <class T, class U>
GlobalView<T> on_device(const std::vector<U>& data, std::uint16_t id) {
  memory.emplace_back(data.size() * sizeof(U));
  std::memcpy(memory.back().data(), data.data(), memory.back().size());
  return view_of<T>(memory.back(), id);
}
template <class... Parameters, class... Arguments>
EventHash traced(int blocks, int shared_bytes, void (*kernel)(Parameters...), Arguments... arguments) {
  simt::Machine machine{{}};
  EventHash all;
  machine.launch(
      {"traced", {blocks}, {128}, shared_bytes}, [&] { kernel(arguments...); },
      [&](std::int64_t, std::span<const std::span<const lockstep::Access>> threads, auto) {
        for (const auto& events : threads) all.add(events.data(), events.data() + events.size());
        return true;
      });
  CHECK(machine.findings().empty());
  return all;
}

#include "traced_cases.inl"

}  // namespace

TEST_CASE("the events of the new words are those that the traced kernels leave on an H200") {
  const auto here = traced_cases();
  const auto there = traced_on_h200();
  REQUIRE(here.size() == there.size());
  for (std::size_t i = 0; i < here.size(); ++i)
    CHECK_MESSAGE(here[i].events.hash() == there[i], here[i].name);
}
