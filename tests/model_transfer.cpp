// What a copy costs by its size, and what a row of copies and kernels does on three engines.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "app/model/transfer.hpp"
#include "app/model/transfer_evidence.hpp"

using namespace lockstep;

namespace {

Operation operation(OperationKind kind, int stream, std::uint64_t bytes, bool waits = false) {
  Operation o;
  o.kind = kind, o.stream = stream, o.waits = waits;
  if (kind == OperationKind::kernel)
    o.name = "work", o.threads = 256;
  else
    o.bytes = bytes;
  return o;
}

// So many chunks of a megabyte, dealt to the streams: in, kernel, out.
std::vector<Operation> chunks(int count, int streams, std::uint64_t bytes = 1 << 20) {
  std::vector<Operation> all;
  for (int k = 0; k < count; ++k)
    for (const OperationKind kind : {OperationKind::copy_in, OperationKind::kernel, OperationKind::copy_out})
      all.push_back(operation(kind, 1 + k % streams, bytes));
  return all;
}

TransferCosts free_calls() {
  TransferCosts costs = known_transfer_costs();
  costs.calls = LaunchCosts{};
  costs.pinned_in = costs.pinned_out = 50;
  return costs;
}
constexpr double kMegabyte_us = (1 << 20) / 50e3;

std::vector<CopyTime> on_a_line(double alpha_us, double gb_per_s) {
  std::vector<CopyTime> copies;
  for (double bytes = 4; bytes < 2e9; bytes *= 4)
    copies.push_back({bytes, CopyCost{alpha_us, gb_per_s}.us(bytes)});
  return copies;
}

double worst(const std::vector<CopyTime>& copies, const CopyCost& cost) {
  double most = 0;
  for (const CopyTime& c : copies) most = std::max(most, std::abs(cost.us(c.bytes) / c.us - 1));
  return most;
}

}  // namespace

TEST_CASE("copies on a line give the line back") {
  for (const double alpha : {0.5, 8.0, 40.0})
    for (const double rate : {3.0, 55.0, 450.0}) {
      const auto fit = fit_copies(on_a_line(alpha, rate));
      REQUIRE(fit.has_value());
      CHECK(fit->cost.alpha_us == doctest::Approx(alpha).epsilon(1e-6));
      CHECK(fit->cost.gb_per_s == doctest::Approx(rate).epsilon(1e-6));
      CHECK(fit->worst_error < 1e-9);
    }
}

TEST_CASE("no other line errs less at its worst size") {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    auto copies = on_a_line(8, 55);
    for (CopyTime& c : copies) c.us *= 0.85 + 0.3 * double(random() % 1000) / 1000;
    const auto fit = fit_copies(copies);
    REQUIRE(fit.has_value());
    CHECK(fit->worst_error == doctest::Approx(worst(copies, fit->cost)));
    for (double alpha = 4; alpha < 14; alpha += 0.05)
      for (double rate = 40; rate < 70; rate += 0.25)
        CHECK(worst(copies, {alpha, rate}) >= fit->worst_error * (1 - 1e-9));
  }
}

TEST_CASE("what is no time is left out of a fit, and two sizes make none") {
  auto copies = on_a_line(8, 55);
  copies.push_back({1e6, std::nan("")}), copies.push_back({1e6, -1}), copies.push_back({INFINITY, 3});
  REQUIRE(fit_copies(copies).has_value());
  CHECK(fit_copies(copies)->cost.alpha_us == doctest::Approx(8));
  CHECK_FALSE(fit_copies({{4, 8}, {1e6, 30}}).has_value());
  CHECK_FALSE(fit_copies({}).has_value());
  CHECK_FALSE(fit_copies({{4, 8}, {4, 9}, {4, 10}}).has_value());
}

TEST_CASE("in one stream nothing overlaps; in three the engines work side by side") {
  const auto costs = free_calls();
  const double kernels_us = 16 * kMegabyte_us;
  const auto one = modelled_operations(chunks(16, 1), kernels_us, costs);
  CHECK(saved_by_overlap(one) == doctest::Approx(0).epsilon(1e-3));
  CHECK(one.total_us() == doctest::Approx(48 * kMegabyte_us).epsilon(1e-3));
  const auto three = modelled_operations(chunks(16, 3), kernels_us, costs);
  CHECK(three.total_us() == doctest::Approx(18 * kMegabyte_us).epsilon(1e-3));
  CHECK(busy_us(three) == doctest::Approx(busy_us(one)));
  CHECK(saved_by_overlap(three) == doctest::Approx(1 - 18.0 / 48).epsilon(1e-3));
  const auto eight = modelled_operations(chunks(16, 8), kernels_us, costs);  // and no more than three of them
  CHECK(eight.total_us() == doctest::Approx(18 * kMegabyte_us).epsilon(1e-3));
  CHECK(running_with(three, 3 * 8 + 1) == 3);
  CHECK(running_with(one, 3 * 8 + 1) == 1);
}

TEST_CASE("an engine does one thing at a time, and a stream keeps its order") {
  const auto operations = chunks(40, 4, 300'000);
  const auto record = modelled_operations(operations, 300, free_calls());
  for (std::size_t i = 0; i < operations.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const bool same =
          operations[i].stream == operations[j].stream || lane_of(operations[i]) == lane_of(operations[j]);
      if (same) CHECK(record.kernels[j].end_ns <= record.kernels[i].start_ns);
    }
  for (const ApiCall& call : record.calls)
    if (call.node >= 0) CHECK(record.kernels[std::size_t(call.node)].start_ns >= call.start_ns);
  CHECK(std::int64_t(record.total_us() * 1e3) >= record.kernels.back().end_ns);
}

TEST_CASE("what events say of a busy engine is put in its turn") {
  const auto operations = chunks(12, 3);
  const auto record = modelled_operations(operations, 60 * kMegabyte_us, free_calls());
  PipelineRecord seen = record;  // an event is over when the stream's operation before is
  std::vector<std::int64_t> free(4, 0);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    std::int64_t& stream = free[std::size_t(operations[i].stream)];
    seen.kernels[i].start_ns = stream, stream = record.kernels[i].end_ns;
  }
  CHECK(busy_us(seen) > 1.5 * busy_us(record));  // three kernels at a time, it seems
  const auto turns = in_turn(seen, operations);
  CHECK(busy_us(turns) == doctest::Approx(busy_us(record)).epsilon(0.1));
  for (std::size_t i = 0; i < operations.size(); ++i) {
    CHECK(turns.kernels[i].end_ns == record.kernels[i].end_ns);
    CHECK(turns.kernels[i].start_ns <= record.kernels[i].start_ns);
    for (std::size_t j = 0; j < i; ++j)
      if (lane_of(operations[i]) == lane_of(operations[j]))
        CHECK(turns.kernels[j].end_ns <= turns.kernels[i].start_ns);
  }
  CHECK(in_turn(record, operations) == record);
}

TEST_CASE("small chunks wait for the CPU's calls") {
  const auto costs = known_transfer_costs();
  const auto record = modelled_operations(chunks(300, 3, 4096), 30, costs);
  CHECK(record.total_us() > 900 * costs.calls.launch);
  CHECK(record.total_us() < 900 * costs.calls.launch + 40);
}

TEST_CASE("a copy that the CPU waits for takes alpha and its bytes") {
  const auto costs = known_transfer_costs();
  const std::vector<Operation> one{operation(OperationKind::copy_in, 0, 64 << 20, true)};
  const double alpha = costs.calls.launch + costs.calls.latency + costs.calls.synchronize;
  const double us = alpha + (64 << 20) / costs.pinned_in / 1e3;
  CHECK(double(modelled_operations(one, 0, costs).calls.front().end_ns) / 1e3 ==
        doctest::Approx(us).epsilon(1e-4));
}

TEST_CASE("a kernel that reaches over the link takes as long as its bytes do there") {
  Operation kernel = operation(OperationKind::kernel, 0, 0);
  kernel.memory = MemoryKind::mapped, kernel.link_in = 64 << 20, kernel.link_out = 64 << 20;
  const auto costs = known_transfer_costs();
  const std::vector<Operation> one{kernel};
  CHECK(busy_us(modelled_operations(one, 10, costs)) == doctest::Approx((64 << 20) / costs.mapped / 1e3));
  CHECK(busy_us(modelled_operations(one, 1e5, costs)) == doctest::Approx(1e5));
  CHECK_FALSE(leaves_out_faults(one));
  kernel.memory = MemoryKind::managed;
  CHECK(leaves_out_faults(std::vector<Operation>{kernel}));
}

TEST_CASE("operations are the same as text and back, and damaged text is refused") {
  auto operations = chunks(3, 2);
  operations.front().first_byte = 12, operations.front().line = 27, operations.front().waits = true;
  operations[1].name = "a name: with, all", operations[1].memory = MemoryKind::managed;
  const std::string text = to_text(operations);
  const auto back = parse_operations(text);
  REQUIRE(back.ok());
  CHECK(*back == operations);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = '?';
    const auto read = parse_operations(damaged);
    if (read.ok()) CHECK(read->size() == operations.size());  // in a name
  }
  for (const char* bad :
       {"9 0 0 0 0 0 0 0 0 0 0:,", "0 0 0 0 0 0 0 0 0 0 400:,", "0 -1 0 0 0 0 0 0 0 0 0:,", "0 0"})
    CHECK_FALSE(parse_operations(bad).ok());
}

TEST_CASE("a measured record stands only beside operations that it can be of") {
  TransferEvidence evidence;
  evidence.operations = chunks(2, 1);
  evidence.record = modelled_operations(evidence.operations, 10, known_transfer_costs());
  evidence.modelled = evidence.record;
  evidence.plain = {1200.0, 1100.0, 1300.0};
  Metrics flat = evidence.flat();
  const auto read = TransferEvidence::read(flat);
  REQUIRE(read.has_value());
  CHECK(read->record == evidence.record);
  CHECK(read->plain.median == 1200.0);
  CHECK(std::get<double>(flat.at("operations.saved")) == doctest::Approx(0));
  flat["models.operations.list.record"] = to_text(chunks(3, 1));
  CHECK_FALSE(TransferEvidence::read(flat)->record.has_value());
}
