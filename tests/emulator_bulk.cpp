// Boxes, barriers in shared memory and products of warpgroups as the emulator runs them: right where the
// kernel is, and every planted mistake is named with its line.
#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <set>
#include <vector>

#include "app/model/e4m3.hpp"
#include "app/model/portable.hpp"
#include "bulk_cases.hpp"
#include "bulk_kernels.cuh"
#include "kernels/simt/machine.hpp"

using namespace lab;
namespace simt = lockstep::simt;
using bulk_test::Mistake;

namespace {

std::uint16_t bf16_of(float x) { return std::uint16_t(lockstep::bit_cast<std::uint32_t>(x) >> 16); }
float float_of(std::uint16_t x) { return lockstep::bit_cast<float>(std::uint32_t(x) << 16); }

std::vector<std::uint16_t> random_bf16(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint16_t> all(count);
  for (auto& x : all) x = bf16_of(float(random() >> 8) * 0x1p-23f - 1);
  return all;
}

template <class T, class U>
GlobalView<T> view_of(std::vector<U>& data, std::uint16_t id) {
  return {reinterpret_cast<T*>(data.data()), std::int64_t(data.size()), id};
}

struct Outcome {
  double worst = 0;  // |c - reference|; infinite where an element is no number
  std::vector<lockstep::Finding> findings;
  std::set<std::string> kinds;
};

template <int kBN, int kStages, Mistake kWrong>
Outcome product(int m, int n, int k) {
  auto a = random_bf16(std::size_t(m) * k, 1), b = random_bf16(std::size_t(k) * n, 2);
  std::vector<float> c(std::size_t(m) * n, std::numeric_limits<float>::quiet_NaN());
  const auto boxed_a = boxes(view_of<const bf16>(a, 0), m, k, 128);
  const auto boxed_b = boxes(view_of<const bf16>(b, 1), k, n, 64);
  const auto out = view_of<float>(c, 2);
  simt::Machine machine{{}};
  const Extents grid{(n + kBN - 1) / kBN, (m + 127) / 128};
  machine.launch(
      {"specialized", grid, {384}, bulk_test::boxed_bytes<kBN>(kStages)},
      [&] { bulk_test::specialized<kBN, kStages, kWrong, Emulated>(boxed_a, boxed_b, out, m, n, k); },
      [](auto...) { return true; });
  Outcome all;
  all.findings = machine.findings();
  for (const auto& finding : all.findings) all.kinds.insert(finding.kind);
  for (int y = 0; y < m; ++y)
    for (int x = 0; x < n; ++x) {
      double want = 0;
      for (int p = 0; p < k; ++p)
        want += double(float_of(a[std::size_t(y) * k + p])) * float_of(b[std::size_t(p) * n + x]);
      const double error = std::abs(c[std::size_t(y) * n + x] - want);
      all.worst = std::max(all.worst, error == error ? error : std::numeric_limits<double>::infinity());
    }
  return all;
}

// The kinds of what is found for a mistake, at a size that fills its buffers twice.
template <Mistake kWrong>
Outcome with() {
  return product<64, 3, kWrong>(128, 64, 448);
}

void say(const Outcome& outcome) {
  for (const auto& finding : outcome.findings) MESSAGE(finding.kind << ": " << finding.what.text());
}

}  // namespace

TEST_CASE("a product of boxes is right at awkward sizes, with nothing found") {
  const auto right = [](const Outcome& outcome) {
    say(outcome);
    CHECK(outcome.findings.empty());
    CHECK(outcome.worst < 1e-4);
  };
  right(product<64, 2, Mistake::none>(128, 64, 64));
  right(product<128, 3, Mistake::none>(128, 128, 320));
  right(product<64, 2, Mistake::none>(129, 72, 200));
  right(product<128, 4, Mistake::none>(33, 136, 8));
}

TEST_CASE("e4m3 is what its specification says, and the nearest number is found") {
  using lockstep::nearest_e4m3, lockstep::value_of_e4m3;
  CHECK(value_of_e4m3(0x00) == 0);
  CHECK(value_of_e4m3(0x01) == 0x1p-9);  // the smallest
  CHECK(value_of_e4m3(0x07) == 7 * 0x1p-9);
  CHECK(value_of_e4m3(0x08) == 0x1p-6);  // the smallest with a hidden bit
  CHECK(value_of_e4m3(0x38) == 1);
  CHECK(value_of_e4m3(0xb9) == -1.125);
  CHECK(value_of_e4m3(0x7e) == 448);  // the largest
  CHECK(std::isnan(value_of_e4m3(0x7f)));
  CHECK(nearest_e4m3(1e9) == 0x7e);
  CHECK(nearest_e4m3(-1e9) == 0xfe);
  CHECK(nearest_e4m3(1.0625) == 0x38);  // half way: the even one
  CHECK(nearest_e4m3(1.1875) == 0x3a);
  CHECK(nearest_e4m3(0x1p-10) == 0);
  CHECK(nearest_e4m3(0.9999) == 0x38);
  for (int i = 0; i < 256; ++i)
    if (i % 128 != 127) CHECK(nearest_e4m3(value_of_e4m3(std::uint8_t(i))) == i);
  for (int i = 0; i < 126; ++i) {
    const double low = value_of_e4m3(std::uint8_t(i)), high = value_of_e4m3(std::uint8_t(i + 1));
    CHECK(nearest_e4m3(low + 0.49 * (high - low)) == i);
    CHECK(nearest_e4m3(low + 0.51 * (high - low)) == i + 1);
  }
}

TEST_CASE("a block that was given up with boxes on their way leaves nothing of them to the next one") {
  constexpr int kM = 128, kN = 64, kK = 448;
  auto a = random_bf16(kM * kK, 1), b = random_bf16(kK * kN, 2);
  std::vector<float> c(kM * kN);
  const auto boxed_a = boxes(view_of<const bf16>(a, 0), kM, kK, 128);
  const auto boxed_b = boxes(view_of<const bf16>(b, 1), kK, kN, 64);
  const auto out = view_of<float>(c, 2);
  simt::Machine machine{{}};
  const std::function<void()> kernel = [&] {
    bulk_test::specialized<64, 3, Mistake::none, Emulated>(boxed_a, boxed_b, out, kM, kN, kK);
  };
  REQUIRE(machine.begin_launch({"specialized", {1}, {384}, bulk_test::boxed_bytes<64>(3)}, kernel));
  int given_up = 0;
  for (std::uint64_t most = 384 * 64; most < 400'000; most += 4096) {
    given_up += !machine.run(0, true, most);
    machine.take_notes();
    REQUIRE(machine.run(0));
    CHECK(machine.take_notes().findings.empty());
  }
  CHECK(given_up > 0);
}

TEST_CASE("every mistake in waiting and releasing is found, with its line") {
  const auto found = [](const Outcome& outcome, const std::string& kind) {
    say(outcome);
    CHECK(outcome.kinds.count(kind) == 1);
    for (const auto& finding : outcome.findings) CHECK(finding.line > 0);
  };
  found(with<Mistake::no_publish>(), "missing_fence");
  found(with<Mistake::no_sync_after_init>(), "race");
  found(with<Mistake::full_parity>(), "copy_not_awaited");
  found(with<Mistake::empty_parity>(), "deadlock");
  found(with<Mistake::never_waits_full>(), "copy_not_awaited");
  found(with<Mistake::never_waits_empty>(), "copy_not_awaited");
  found(with<Mistake::released_early>(), "released_early");
  found(with<Mistake::one_group_releases>(), "released_early");
  found(with<Mistake::too_many_releases>(), "released_early");
  found(with<Mistake::too_few_bytes>(), "race");
  found(with<Mistake::too_many_bytes>(), "deadlock");
  found(with<Mistake::arrives_without_bytes>(), "copy_not_awaited");
  found(with<Mistake::never_releases>(), "deadlock");
  found(with<Mistake::no_sums_fence>(), "missing_fence");
  found(with<Mistake::no_products_wait>(), "product_not_awaited");
  found(with<Mistake::half_a_warpgroup>(), "deadlock");
  found(with<Mistake::next_buffer>(), "copy_not_awaited");
  found(with<Mistake::waits_other_barrier>(), "race");
  found(with<Mistake::exits_early>(), "copy_not_awaited");
  found(product<128, 3, Mistake::half_of_b>(128, 128, 448), "uninitialised");
  found(with<Mistake::consumer_keeps_phase>(), "copy_not_awaited");
  found(with<Mistake::producer_keeps_phase>(), "copy_not_awaited");
  found(with<Mistake::two_producers>(), "too_many_arrivals");
  found(with<Mistake::beyond_the_tile>(), "out_of_bounds");
  found(with<Mistake::no_init>(), "uninitialised");
  found(with<Mistake::no_arrivals>(), "barrier_count");
  found(with<Mistake::releases_full>(), "deadlock");
  found(with<Mistake::peeks>(), "copy_not_awaited");
  found(with<Mistake::scribbles>(), "race");
  found(with<Mistake::stores_unfenced>(), "missing_fence");
  found(with<Mistake::touches_sums>(), "product_not_awaited");
  found(with<Mistake::between_units>(), "misaligned");
  found(with<Mistake::between_rows>(), "misaligned");
  found(with<Mistake::waits_for_one_less>(), "product_not_awaited");
}

namespace {

template <bulk_test::InRegisters kWrong>
Outcome from_registers() {
  std::vector<float> a(64 * 64), c(64 * 64, std::numeric_limits<float>::quiet_NaN());
  const auto random = random_bf16(a.size(), 3);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = float_of(random[i]);
  auto b = random_bf16(64 * 64, 4);
  const auto rows = view_of<const float>(a, 0);
  const auto boxed = boxes(view_of<const bf16>(b, 1), 64, 64, 64);
  const auto out = view_of<float>(c, 2);
  simt::Machine machine{{}};
  machine.launch(
      {"from_registers", {1}, {160}, 64 * 128},
      [&] { bulk_test::from_registers<kWrong, Emulated>(rows, boxed, out); }, [](auto...) { return true; });
  Outcome all;
  all.findings = machine.findings();
  for (const auto& finding : all.findings) all.kinds.insert(finding.kind);
  for (std::size_t i = 0; i < c.size(); ++i) {
    double want = 0;
    for (std::size_t p = 0; p < 64; ++p)
      want += 2 * double(a[i / 64 * 64 + p]) * float_of(b[p * 64 + i % 64]);
    const double error = std::abs(c[i] - want);
    all.worst = std::max(all.worst, error == error ? error : std::numeric_limits<double>::infinity());
  }
  return all;
}

}  // namespace

TEST_CASE(
    "a product whose first operand stands in registers is right, and what is done to them too early is "
    "found") {
  using bulk_test::InRegisters;
  const Outcome right = from_registers<InRegisters::right>();
  say(right);
  CHECK(right.findings.empty());
  CHECK(right.worst < 1e-4);
  const auto found = [](const Outcome& outcome, const std::string& kind) {
    say(outcome);
    CHECK(outcome.kinds.count(kind) == 1);
    for (const auto& finding : outcome.findings) CHECK(finding.line > 0);
  };
  found(from_registers<InRegisters::changed_early>(), "operand_changed");
  found(from_registers<InRegisters::unfenced>(), "missing_fence");
  found(from_registers<InRegisters::not_awaited>(), "product_not_awaited");
  found(from_registers<InRegisters::returned_early>(), "released_early");
  found(from_registers<InRegisters::between_units>(), "misaligned");
}

TEST_CASE("boxes land in shared memory byte for byte as on an H200, whatever of them lies outside") {
  std::vector<std::uint64_t> here;
  for (const bulk_test::Landing& l : bulk_test::landings()) {
    auto matrix = bulk_test::numbered(l);
    std::vector<std::uint32_t> words(std::size_t(l.box_rows) * 32);
    const auto boxed = boxes(view_of<const bf16>(matrix, 0), l.rows, l.cols, l.box_rows);
    const auto out = view_of<unsigned>(words, 1);
    simt::Machine machine{{}};
    machine.launch(
        {"land", {1}, {128}, 128 * 128},
        [&] { bulk_test::land<Emulated>(boxed, out, l.box_rows, l.row, l.col); },
        [](auto...) { return true; });
    CHECK(machine.findings().empty());
    here.push_back(bulk_test::hash_of(words));
  }
  CHECK(here == bulk_test::hashes_on_h200());
}

namespace {

template <bulk_test::Chunked kWrong>
std::set<std::string> in_chunks(bool& right) {
  std::vector<unsigned> in(128 * 5), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = unsigned(i * 2654435761u);
  const auto from = view_of<const unsigned>(in, 0);
  const auto to = view_of<unsigned>(out, 1);
  simt::Machine machine{{}};
  machine.launch(
      {"chunked", {1}, {128}, 2 * 512},
      [&] { bulk_test::chunked<kWrong, Emulated>(from, to, int(in.size())); }, [](auto...) { return true; });
  right = true;
  for (std::size_t i = 0; i < in.size(); ++i) right &= out[i] == 2 * in[i];
  std::set<std::string> kinds;
  for (const auto& finding : machine.findings()) {
    MESSAGE(finding.kind << ": " << finding.what.text());
    kinds.insert(finding.kind);
    CHECK(finding.line > 0);
  }
  return kinds;
}

}  // namespace

TEST_CASE("bytes that are no matrix come as they stand, and what is asked or read wrongly is found") {
  using bulk_test::Chunked;
  bool right = false;
  CHECK(in_chunks<Chunked::right>(right).empty());
  CHECK(right);
  CHECK(in_chunks<Chunked::not_awaited>(right).count("copy_not_awaited") == 1);
  CHECK(in_chunks<Chunked::filled_early>(right).count("copy_not_awaited") == 1);
  CHECK_FALSE(in_chunks<Chunked::fewer_bytes>(right).empty());
  CHECK(in_chunks<Chunked::beyond>(right).count("out_of_bounds") == 1);
  CHECK(in_chunks<Chunked::from_odd>(right).count("misaligned") == 1);
  CHECK(in_chunks<Chunked::to_odd>(right).count("misaligned") == 1);
  CHECK(in_chunks<Chunked::of_100_bytes>(right).count("misaligned") == 1);
}
