// Products of fp16 and e5m2, as the emulator runs them: to the last bit an H200's where no sum is rounded.
#include <type_traits>

#include "app/model/e5m2.hpp"
#include "tensor_kernels.cuh"
//
#include "emulated.hpp"

using namespace lab;
using namespace bulk_test;
using namespace emulated;

namespace {

struct Product {
  std::uint64_t exact = 0;  // of the operands whose sums are
  double worst = 0;         // of others, |c - reference|
};
template <class T, int kN, bool kByColumns, bool kInRegisters>
Product product() {
  constexpr int kK = 128 / int(sizeof(T));
  Product all;
  for (const bool exact : {true, false}) {
    auto a = operand(sizeof(T), 64, kK, true, exact, 1);
    auto b = operand(sizeof(T), kByColumns ? kK : kN, kByColumns ? kN : kK, false, exact, 2);
    std::vector<std::uint32_t> c(64 * kN);
    const auto boxed_a = boxes(view_of<const T>(a, 0), 64, kK, 64);
    const auto b_view = view_of<const T>(b, 1);
    const auto boxed_b = kByColumns ? boxes(b_view, kK, kN, 64) : boxes(b_view, kN, kK, kN);
    const auto words = view_of<const unsigned>(a, 0);
    const auto out = view_of<float>(c, 2);
    CHECK(kinds_of({"product_of", {1}, {128}, (64 + kN) * 128}, [&] {
            product_of<T, kN, kByColumns, kInRegisters, Emulated>(boxed_a, boxed_b, words, out);
          }) == Kinds{});
    if (exact) all.exact = hash_of(c);
    for (int i = 0; i < 64 * kN && !exact; ++i) {
      const double error = std::abs(double(lockstep::bit_cast<float>(c[std::size_t(i)])) -
                                    product_element(sizeof(T), kByColumns, a, b, kN, i / kN, i % kN));
      all.worst = std::max(all.worst, error == error ? error : std::numeric_limits<double>::infinity());
    }
  }
  return all;
}

}  // namespace

// An H200's own rounded sums are off by 4.8e-6 at most here where they are of fp16, and by 0.0162 where they
// are of e5m2, whose products it adds with fewer digits; the emulator's are exact but for their last
// rounding.
TEST_CASE(
    "products of fp16 are an H200's, whether A stands in shared memory or in registers, B in rows or "
    "columns") {
  const Product rows = product<half, 64, false, false>(), columns = product<half, 64, true, false>(),
                wide = product<half, 128, true, true>(), registers = product<half, 64, false, true>();
  CHECK(rows.exact == 0x66133aa0a8f246fb);
  CHECK(columns.exact == 0xed3624b50bbbcc59);
  CHECK(wide.exact == 0x45c253b4d031dc46);
  CHECK(registers.exact == rows.exact);
  for (const Product& p : {rows, columns, wide, registers}) CHECK(p.worst < 5e-6);
}

TEST_CASE("products of e5m2 are an H200's, whether A stands in shared memory or in registers") {
  const Product rows = product<e5m2, 64, false, false>(), wide = product<e5m2, 128, false, false>(),
                registers = product<e5m2, 64, false, true>();
  CHECK(rows.exact == 0xe0fd24dbfcb192c3);
  CHECK(wide.exact == 0x9e9f635362e201cb);
  CHECK(registers.exact == rows.exact);
  for (const Product& p : {rows, wide, registers}) CHECK(p.worst < 5e-6);
}

TEST_CASE("e5m2 is what its specification says, and numbers become what an H200 makes of them") {
  using lockstep::nearest_e5m2, lockstep::value_of_e5m2;
  CHECK(value_of_e5m2(0x01) == 0x1p-16);  // the smallest
  CHECK(value_of_e5m2(0x04) == 0x1p-14);  // the smallest with a hidden bit
  CHECK(value_of_e5m2(0x3c) == 1);
  CHECK(value_of_e5m2(0xbd) == -1.25);
  CHECK(value_of_e5m2(0x7b) == 57344);  // the largest
  CHECK(std::isinf(value_of_e5m2(0x7c)));
  CHECK(std::isnan(value_of_e5m2(0x7d)));
  CHECK(nearest_e5m2(1e9) == 0x7b);
  CHECK(nearest_e5m2(1.125) == 0x3c);  // half way: the even one
  CHECK(nearest_e5m2(1.375) == 0x3e);
  for (int i = 0; i < 256; ++i)
    if (i % 128 < 0x7c) CHECK(nearest_e5m2(value_of_e5m2(std::uint8_t(i))) == i);
  auto in = floats_to_narrow();
  std::vector<std::uint32_t> out(in.size() / 4);
  const auto from = view_of<const float>(in, 0);
  const auto to = view_of<unsigned>(out, 1);
  CHECK(kinds_of({"narrow_e5m2", {int(out.size() + 127) / 128}, {128}},
                 [&] { narrow_e5m2<Emulated>(from, to, int(out.size())); }) == Kinds{});
  CHECK(hash_of(out) == 0xae22996abce28871);
}
