// What is asked of a GPU and of the emulator alike: boxes of tensors as they land in shared memory and as
// they go back, stored or reduced, and products of fp16 and e5m2.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "app/model/event.hpp"
#include "app/model/tensor_box.hpp"
#include "bulk_cases.hpp"

namespace bulk_test {

using lockstep::BoxPlace, lockstep::BoxSwizzle, lockstep::Reduction, lockstep::TensorBox;

struct TensorCase {
  int dimensions, element_bytes;
  int extent[5], box[5], place[5];
  BoxSwizzle swizzle;

  TensorBox tensor() const {
    TensorBox t;
    t.dimensions = dimensions, t.element_bytes = element_bytes, t.swizzle = swizzle;
    for (int d = 0; d < dimensions; ++d) t.extent[d] = extent[d], t.box[d] = box[d];
    return t;
  }
  BoxPlace at(bool stored = false) const {  // what is stored begins inside
    BoxPlace p;
    for (int d = 0; d < 5; ++d) p.at[d] = stored && place[d] < 0 ? 0 : place[d];
    return p;
  }
  int tile_elements() const { return tensor().rows() * tensor().row_pitch() / element_bytes; }
  std::size_t elements() const {
    std::size_t n = 1;
    for (int d = 0; d < dimensions; ++d) n *= std::size_t(extent[d]);
    return n;
  }
};

inline std::vector<TensorCase> tensor_cases() {
  using enum BoxSwizzle;
  return {
      // one dimension: whole, at the end, before the begin, a cut unit, the last unit, far outside
      {1, 4, {1000}, {256}, {0}, none},
      {1, 4, {1001}, {256}, {900}, none},
      {1, 4, {1000}, {64}, {-20}, none},
      {1, 2, {999}, {64}, {408}, none},
      {1, 1, {4000}, {256}, {3984}, none},
      {1, 4, {100}, {32}, {200}, none},
      {1, 4, {512}, {32}, {96}, bytes_128},
      // two
      {2, 4, {64, 40}, {8, 16}, {8, 4}, bytes_32},
      {2, 4, {64, 40}, {16, 32}, {16, 8}, bytes_64},
      {2, 4, {64, 40}, {32, 64}, {32, -3}, bytes_128},
      {2, 2, {72, 33}, {16, 9}, {64, 30}, bytes_32},
      {2, 2, {72, 33}, {32, 33}, {-8, 0}, bytes_64},
      {2, 1, {208, 20}, {128, 20}, {144, 1}, bytes_128},
      {2, 1, {208, 20}, {32, 21}, {-16, -1}, bytes_32},
      {2, 4, {100, 30}, {100, 7}, {4, 25}, none},
      {2, 2, {264, 12}, {200, 5}, {104, 8}, none},
      // three to five
      {3, 4, {20, 10, 6}, {8, 4, 3}, {16, 8, 4}, bytes_32},
      {3, 2, {64, 9, 7}, {32, 5, 4}, {32, -2, 5}, bytes_64},
      {3, 2, {64, 9, 7}, {64, 4, 4}, {0, 7, -1}, bytes_128},
      {3, 1, {48, 5, 9}, {48, 3, 2}, {-16, 3, 8}, none},
      {4, 4, {12, 5, 4, 6}, {8, 2, 3, 2}, {4, 4, 2, -1}, bytes_32},
      {4, 2, {32, 6, 5, 4}, {32, 4, 2, 3}, {0, 3, 4, 2}, bytes_64},
      {4, 1, {128, 3, 4, 5}, {128, 2, 2, 4}, {0, 2, -1, 3}, bytes_128},
      {4, 2, {40, 6, 5, 4}, {24, 4, 2, 3}, {24, -1, 3, 1}, none},
      {5, 4, {8, 5, 4, 3, 6}, {8, 2, 3, 2, 2}, {0, 4, 2, -1, 5}, bytes_32},
      {5, 2, {24, 4, 3, 5, 3}, {32, 3, 2, 2, 2}, {8, -1, 2, 4, 1}, bytes_64},
      {5, 1, {160, 3, 3, 2, 4}, {128, 2, 2, 2, 2}, {48, 1, -1, 1, 2}, bytes_128},
      {5, 4, {12, 3, 4, 2, 3}, {12, 2, 2, 2, 3}, {-4, 2, 3, 0, 1}, none},
      // rows shorter than the span
      {2, 4, {64, 40}, {8, 16}, {8, 4}, bytes_128},
      {3, 2, {40, 9, 7}, {8, 5, 4}, {32, 5, 3}, bytes_64},
      {2, 1, {208, 20}, {48, 20}, {176, 1}, bytes_128},
      {1, 4, {100}, {4}, {96}, bytes_32},
  };
}

// What an H200 refuses, each for one reason.
struct RefusedCase {
  TensorCase box;
  bool stored;
  int first_word;    // of the tile
  const char* kind;  // of the emulator's finding
};
inline std::vector<RefusedCase> refused_cases() {
  using enum BoxSwizzle;
  return {
      {{1, 2, {999}, {64}, {403}, none}, false, 0, "misaligned"},
      {{2, 4, {64, 40}, {8, 8}, {2, 0}, none}, false, 0, "misaligned"},
      {{2, 4, {64, 40}, {8, 8}, {0, 0}, none}, false, 4, "misaligned"},
      {{2, 4, {64, 40}, {8, 8}, {0, 0}, none}, false, 16, "misaligned"},
      {{1, 4, {1000}, {64}, {-20}, none}, true, 0, "out_of_bounds"},
      {{2, 4, {64, 40}, {32, 64}, {32, -3}, bytes_128}, true, 0, "out_of_bounds"},
      {{3, 2, {64, 9, 7}, {64, 4, 4}, {0, 7, -1}, bytes_128}, true, 0, "out_of_bounds"},
      {{2, 4, {64, 40}, {16, 8}, {0, 0}, bytes_32}, false, 0, "tensor_map"},
      {{2, 4, {64, 40}, {64, 8}, {0, 0}, bytes_128}, false, 0, "tensor_map"},
      {{2, 4, {63, 40}, {8, 8}, {0, 0}, none}, false, 0, "tensor_map"},
      {{2, 4, {64, 400}, {4, 257}, {0, 0}, none}, false, 0, "tensor_map"},
      {{1, 4, {64}, {7}, {0}, none}, false, 0, "tensor_map"},
      {{1, 4, {0}, {8}, {0}, none}, false, 0, "tensor_map"},
  };
}

constexpr int kTileBytes = 32 * 1024;  // of shared memory, all of which is looked at

inline std::vector<std::uint32_t> numbered_words(std::size_t bytes) {
  std::vector<std::uint32_t> all((bytes + 3) / 4);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::uint32_t(i) * 2654435761u + 17;
  return all;
}

// Reductions: `blocks` blocks bring the same box, each with values of its own, none of whose sums is rounded.
enum class Element { f32, f16, bf16, s32, u32 };
struct ReductionCase {
  Element element;
  Reduction how;
  int box;  // which of tensor_cases(), of the element's size
  int blocks;
};

inline std::vector<ReductionCase> reduction_cases() {
  using enum Reduction;
  return {{Element::f32, add, 0, 3},     {Element::f32, add, 9, 3},    {Element::f32, add, 24, 4},
          {Element::f16, add, 10, 3},    {Element::f16, min, 17, 3},   {Element::f16, max, 25, 3},
          {Element::bf16, add, 11, 3},   {Element::bf16, min, 18, 3},  {Element::bf16, max, 21, 3},
          {Element::s32, add, 8, 4},     {Element::s32, min, 16, 4},   {Element::s32, max, 20, 4},
          {Element::u32, add, 7, 3},     {Element::u32, min, 27, 3},   {Element::u32, max, 1, 3},
          {Element::s32, bit_and, 9, 2}, {Element::s32, bit_or, 2, 3}, {Element::u32, bit_xor, 24, 3}};
}

// Small whole numbers as the element has them; of whole numbers all bits.
inline std::uint32_t bits_of_small(Element element, int x) {
  if (element == Element::s32 || element == Element::u32) return std::uint32_t(x) * 40503u;
  const float f = float(x);
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  if (element == Element::f32) return bits;
  if (element == Element::bf16) return bits >> 16;
  if (x == 0) return 0;
  const int exponent = int(bits >> 23 & 255) - 127;
  return (bits >> 31) << 15 | std::uint32_t(exponent + 15) << 10 | (bits >> 13 & 1023);
}
inline int bytes_of(Element element) { return element == Element::f16 || element == Element::bf16 ? 2 : 4; }

// `count` elements, -16 to 15, each the `salt`-th draw, in words.
inline std::vector<std::uint32_t> small_values(Element element, std::size_t count, unsigned salt) {
  const std::size_t bytes = std::size_t(bytes_of(element));
  std::vector<std::uint32_t> all((count * bytes + 3) / 4);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned draw = (unsigned(i) + 977 * salt) * 2654435761u;
    const std::uint32_t bits = bits_of_small(element, int(draw >> 27) - 16);
    std::memcpy(reinterpret_cast<char*>(all.data()) + i * bytes, &bits, bytes);
  }
  return all;
}

// Operands of products: rows of 128 bytes of half or e5m2. `exact`: no sum is rounded; every fourth row has
// subnormal numbers, every fourth an infinity.
inline std::uint16_t half_of_eighths(int eighths, int scale) {  // eighths * 2^(scale - 3), by its bits
  if (eighths == 0) return 0;
  const unsigned sign = eighths < 0 ? 0x8000u : 0u;
  unsigned size = unsigned(eighths < 0 ? -eighths : eighths);
  int exponent = scale - 3;  // of the unit
  while (size < 1024 && exponent > -24) size <<= 1, --exponent;
  while (exponent < -24) size >>= 1, ++exponent;
  return std::uint16_t(sign | (size < 1024 ? size : unsigned(exponent + 25) << 10 | (size & 1023)));
}
inline std::vector<std::uint8_t> operand(int element_bytes, int rows, int cols, bool first, bool exact,
                                         unsigned salt) {
  std::vector<std::uint8_t> all(std::size_t(rows) * std::size_t(cols) * std::size_t(element_bytes));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      const unsigned draw = (unsigned(r * cols + c) + 31337 * salt) * 2654435761u;
      std::uint16_t bits;
      if (exact) {
        const int whole = int(draw >> 29) % 3 + 1, x = draw >> 28 & 1 ? -whole : whole;
        bits = half_of_eighths(8 * x, first && r % 4 == 1 ? -16 : 0);
        if (first && r % 4 == 3 && c == r) bits = 0x7c00;
      } else {
        bits = half_of_eighths(int(draw >> 20) - 2048, -8);
      }
      const std::size_t at = std::size_t(r * cols + c) * std::size_t(element_bytes);
      if (element_bytes == 2)
        std::memcpy(&all[at], &bits, 2);
      else
        all[at] = std::uint8_t(bits >> 8);  // e5m2 is the upper half of fp16
    }
  return all;
}

// What the events of a kernel say, thread by thread, but for the clock and the mask that a GPU adds to them.
// Lines and views have the numbers in which they come, so that the kernel may stand elsewhere.
class EventHash {
 public:
  void add(const lockstep::Access* begin, const lockstep::Access* end) {
    std::vector<std::uint32_t> words;
    for (const lockstep::Access* e = begin; e != end; ++e) {
      words.push_back(e->offset);
      words.push_back(lockstep::is_unit_access(e->kind) ? e->mask : 0);
      words.push_back(number(lines_, e->line));
      words.push_back(number(views_, e->view) | std::uint32_t(e->width) << 16 | std::uint32_t(e->kind) << 24);
    }
    hash_ = hash_ * 1099511628211u + hash_of(words), events_ += words.size() / 4;
  }
  std::uint64_t hash() const { return hash_; }
  std::uint64_t events() const { return events_; }

 private:
  static std::uint32_t number(std::vector<std::uint16_t>& seen, std::uint16_t x) {
    const auto at = std::find(seen.begin(), seen.end(), x);
    if (at == seen.end()) return seen.push_back(x), std::uint32_t(seen.size() - 1);
    return std::uint32_t(at - seen.begin());
  }
  std::vector<std::uint16_t> lines_, views_;
  std::uint64_t hash_ = 0, events_ = 0;
};

// What tests/gpu/tensors.cu printed on an H200, CUDA 13.0.
constexpr std::uint64_t kNamedOnH200 = 0x4b73682fa98852c1, kDependentsOnH200 = 0x7a098d35d9b5b9f6;
inline std::vector<std::uint64_t> landed_on_h200() {
  return {0xdb4b6e0e6d62adf4, 0x598d6f80e8b2f106, 0x5f5838c5c86dfe6a, 0xc68016b0bb590898, 0xeab892e4fb2d72bf,
          0x46f3c79c97a7e9a5, 0xa638274ae187563a, 0x569b8ed48d5bac88, 0x53490a5fc8ecdf19, 0xc5ce688cc438eed2,
          0x970e9769e9b49115, 0xf9ce1dd9fa8a9c3b, 0x1c41e44b0ef585e3, 0xe7ed7f6ee2c523ba, 0x7f35628c1bb63c32,
          0x616eed8839a2679f, 0x4b7d68185e0eb1df, 0xeeb18e20fd6a1f53, 0x1da53112426f8339, 0xbb0e2aeebe948b76,
          0x4cac5ed8fd6e3f3d, 0x76ba240c3f605664, 0xfd0b3d38e7e309d9, 0x461d27c52af52b38, 0x88fb66a8ac257a43,
          0x9fda7024c87bcd1c, 0x68a3e0b034122d53, 0xb076d17b7f4373bb, 0x38024344897aa67c, 0xcb4a3390387edc5b,
          0xab02d72f82fdb2c2, 0x8209fbfa888956da};
}
inline std::vector<std::uint64_t> stored_on_h200() {
  return {0xfd93c51b53cd66b4, 0xa439889b054ec3ef, 0x8d58dd8b7053ba0d, 0xfbd2b6140b01ea8f, 0xcf73641975eadcf7,
          0x70e8f5f05b28a665, 0xe2ea3e4792ee0d4f, 0x7b4aa7b1ccb7d651, 0x0eaff4b995d86672, 0xf9822414872e90c2,
          0x39a55d3d1140b1cd, 0x6b7dcd3655b86979, 0x8e9ad645dc952277, 0xf08e577987437d4b, 0x12045a8e9b9d4992,
          0xff6f3e9394694151, 0xd53f5b8411437321, 0x746ffc8afd241bab, 0x0369e8cce5ab5bce, 0xf590faca63c04d66,
          0xc210366f1916100d, 0x6e48fcc513e53dc5, 0x6b26bc858063b6a8, 0x506706756d960547, 0x988b55e911c26f6d,
          0x1e6600299e2a08a5, 0x17df9b377a6232d7, 0x04f9fcc5e6d79eda, 0xee39455d43126d8a, 0x3d493c41a7bab858,
          0x78aa023a513c34b9, 0xd4964e4a78106c37};
}
inline std::vector<std::uint64_t> reduced_on_h200() {
  return {0x804a4c16325da4bb, 0x278401905b953ac1, 0x34e7f16d1efb4c2a, 0x25973be732c91fc3, 0x0c8d6daed1df9b95,
          0x1455459cfa681256, 0x56da085cb63ce999, 0xd5b373365cc77973, 0xd4ebbb43ba6d45e5, 0xbfa2dfd360b1988d,
          0x6c0d1f1fe2a907fa, 0x9aacc4d63cbbd1fe, 0x83dc81188eac39e5, 0xe5e0d56a8a3450ba, 0x53927c75395fc445,
          0x52680a96cbcb287e, 0xd9754c25e104156b, 0x0c36a0f44ac974b9};
}
// And tests/gpu/traced_tensors.cu, of the events in the order of traced_cases.inl.
inline std::vector<std::uint64_t> traced_on_h200() {
  return {0xb541e45082645c8f, 0xc8f0ee605c6af3e9, 0x6ca98211ca435eb1, 0x9e27e1517dd45000, 0xc93e3f1ba3465a66,
          0x5a58b4499d9b3b8b, 0x8e0b7736b244e099, 0x951614ac25c65dd4, 0x1eb01eb401761a1e, 0x6beb6a3572001ca0,
          0x545e683ecc49cc8f, 0x9722f870fca40224, 0x2a90149f8bf7b640, 0x0e28a8528aa4db94, 0x92f365a34e50e8ea,
          0x24988e5986995af2, 0x1b7ce910245d2c4a, 0x36bebdc7b2998faa, 0xbe36c5889f6302ad, 0x62ef71f4a4854b2d,
          0xfdcfee9454ec7a9d, 0x0d5cf9bc9dd4a43d, 0xa29f78b7eb091800, 0x0e7aa1b5b223f780, 0x945611400906a4b0};
}

// Element (y, x) of the product of two operands, in double.
inline double value_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? std::numeric_limits<double>::infinity()
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}
inline double product_element(int element_bytes, bool by_columns, const std::vector<std::uint8_t>& a,
                              const std::vector<std::uint8_t>& b, int n, int y, int x) {
  const int depth = 128 / element_bytes;
  const auto value = [&](const std::vector<std::uint8_t>& of, int i) {
    std::uint16_t bits = std::uint16_t(of[std::size_t(i * element_bytes)]);
    if (element_bytes == 2) std::memcpy(&bits, &of[std::size_t(2 * i)], 2);
    return value_of_half(element_bytes == 2 ? bits : std::uint16_t(bits << 8));
  };
  double sum = 0;
  for (int k = 0; k < depth; ++k)
    sum += value(a, y * depth + k) * value(b, by_columns ? k * n + x : x * depth + k);
  return sum;
}

// Sums that are rounded, or that lose their hidden bit: with (which = 1) and to what (0) is added.
inline std::vector<std::uint32_t> small_floats(int which) {
  constexpr std::uint32_t kPairs[][2] = {
      {0x3f800000, 0x33800000}, {0x3f800001, 0x33800000}, {0x00000001, 0x00000001}, {0x00400000, 0x00400000},
      {0x00800000, 0x80400000}, {0x00800001, 0x80800000}, {0x80000000, 0x80000000}, {0x80000001, 0x00000000},
      {0x00000003, 0x3f800000}, {0x7f7fffff, 0x7f7fffff}, {0x7f800000, 0x3f800000}, {0x3f800000, 0xbf800000},
      {0x4b800000, 0x3f800000}, {0x4b800001, 0x3f800000}, {0x007fffff, 0x00000001}, {0x80800000, 0x00000001}};
  std::vector<std::uint32_t> all;
  for (int i = 0; i < 64; ++i) all.push_back(kPairs[i % 16][which]);
  return all;
}
inline std::vector<std::uint32_t> small_halves(int which) {
  constexpr std::uint16_t kPairs[][2] = {{0x3c00, 0x1000}, {0x3c01, 0x1000}, {0x0001, 0x0001},
                                         {0x0200, 0x0200}, {0x0400, 0x8200}, {0x0401, 0x8400},
                                         {0x8000, 0x8000}, {0x7bff, 0x7bff}};
  std::vector<std::uint32_t> all;
  for (int i = 0; i < 64; ++i)
    all.push_back(kPairs[2 * i % 8][which] | std::uint32_t(kPairs[(2 * i + 1) % 8][which]) << 16);
  return all;
}
inline std::vector<std::uint32_t> small_bf16(int which) {
  constexpr std::uint16_t kPairs[][2] = {{0x3f80, 0x3b80}, {0x3f81, 0x3b80}, {0x0001, 0x0001},
                                         {0x0040, 0x0040}, {0x0080, 0x8040}, {0x0081, 0x8080},
                                         {0x8000, 0x8000}, {0x7f7f, 0x7f7f}};
  std::vector<std::uint32_t> all;
  for (int i = 0; i < 64; ++i)
    all.push_back(kPairs[2 * i % 8][which] | std::uint32_t(kPairs[(2 * i + 1) % 8][which]) << 16);
  return all;
}

// Every 2^-6th between two neighbours of e5m2, what lies beyond its largest number, infinities; no NaN.
inline std::vector<float> floats_to_narrow() {
  std::vector<float> all;
  for (int i = 0; i < 31 * 4; ++i)
    for (int part = 0; part < 16; ++part) {
      const float low = float(value_of_half(std::uint16_t(i << 8))),
                  high = float(value_of_half(std::uint16_t((i + 1) << 8)));
      const float x = i == 31 * 4 - 1 ? low * float(1 + part) : low + (high - low) * float(part) / 16;
      all.push_back(x), all.push_back(-x);
    }
  for (int i = 0; i < 2; ++i)
    all.push_back(std::numeric_limits<float>::infinity()),
        all.push_back(-std::numeric_limits<float>::infinity());
  return all;
}

}  // namespace bulk_test
