// What a program has done between the host and its GPU: copies, prefetches, kernels, and what the CPU reads
// itself, in the order of the calls. What a copy of n bytes takes (α + n/β) and what a row of such operations
// does on a machine that copies in, computes and copies out at the same time. Times of a record are ns on one
// axis, costs us, rates 10^9 bytes per second.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline.hpp"
#include "result.hpp"

namespace lockstep {

// Whose memory an array lies in, and how the program asked for it.
enum class MemoryKind : std::uint8_t {
  device,    // cudaMalloc
  pageable,  // malloc: the driver copies it once more on the way
  pinned,    // cudaHostAlloc: pages that stay where they are
  mapped,    // the same, and the kernel itself reads and writes there
  managed    // cudaMallocManaged: pages go where they are touched
};
constexpr int kMemoryKinds = 5;
const char* name_of(MemoryKind kind);

enum class OperationKind : std::uint8_t { copy_in, copy_out, kernel, prefetch_in, prefetch_out, host_read };
constexpr int kOperationKinds = 6;

struct Operation {
  OperationKind kind = OperationKind::kernel;
  std::string name;                         // of a kernel; "" of anything else
  int stream = 0;                           // 0 is the default stream
  bool waits = false;                       // the call returns once it is done
  int line = 0;                             // of the launcher's source
  MemoryKind memory = MemoryKind::pinned;   // of the host's side
  std::uint64_t first_byte = 0, bytes = 0;  // of the array: copied, prefetched, read; none of a kernel
  std::uint64_t threads = 0;                // of a kernel
  std::uint64_t link_in = 0, link_out = 0;  // bytes that it moves over the link by its own accesses
  bool operator==(const Operation&) const = default;
};
// Bytes that cross the link in either direction, whoever moves them. What the CPU reads may lie there
// already: `link_in` and `link_out` say so of it as of a kernel.
std::uint64_t link_bytes(const Operation& operation);

// As one line of text, and back. Text may be a stranger's.
std::string to_text(std::span<const Operation> operations);
Result<std::vector<Operation>> parse_operations(std::string_view text);

// Where an operation is done.
enum class OperationLane : std::uint8_t { host, in, compute, out };
constexpr int kOperationLanes = 4;
OperationLane lane_of(const Operation& operation);

// --- what was seen of them

// By events before and behind each operation in its stream, one seems to begin as soon as its stream comes to
// it, although its engine may still be busy with another stream's. An engine does one thing at a time
// (kernels that fill the GPU, too): each begins when the one that ended before it in the same lane has ended.
PipelineRecord in_turn(PipelineRecord record, std::span<const Operation> operations);
// Each operation's span in a record, one after the other, as if nothing overlapped; and the time from the
// first one's start to the last one's end.
double busy_us(const PipelineRecord& record);
double span_us(const PipelineRecord& record);
// The share of busy_us() that overlap saved: 0 where no two operations ran at the same time.
double saved_by_overlap(const PipelineRecord& record);
// How many operations run at this one's middle, itself among them.
int running_with(const PipelineRecord& record, std::size_t operation);

// --- the models

// us for n bytes: alpha + n / beta.
struct CopyCost {
  double alpha_us = 0, gb_per_s = 1;
  double us(double bytes) const { return alpha_us + bytes / gb_per_s / 1e3; }
};
struct CopyTime {
  double bytes = 0, us = 0;
};
struct CopyFit {
  CopyCost cost;
  double worst_error = 0;  // the largest |model / measured - 1|
  double mean_error = 0;   // and the mean of them
  double worst_bytes = 0;  // where that is
};
// The line whose worst relative error over these copies is the smallest possible. Such a line errs by that
// much at three of them, with alternating signs (Chebyshev); of all triples it is the one whose line errs
// most. Nothing for fewer than three sizes, or where no line with alpha >= 0 and beta > 0 does it.
std::optional<CopyFit> fit_copies(std::vector<CopyTime> copies);

struct TransferCosts {
  LaunchCosts calls;  // what a call costs the CPU, how long an operation takes to begin
  double pinned_in = 0, pinned_out = 0, pageable_in = 0, pageable_out = 0,
         mapped = 0;  // 10^9 bytes per second
};
// Of an H100 and its host; and the launch costs of known_launch_costs().
TransferCosts known_transfer_costs();

// What these calls do, one engine for each direction and one for kernels, when all kernels together take
// `kernels_us`, shared out by their threads. A kernel that reaches over the link takes at least as long as
// its bytes do there. Pages that move when they are touched are taken to cross the link as fast as a copy:
// what a fault costs is not in it, and the total is a lower bound.
PipelineRecord modelled_operations(std::span<const Operation> operations, double kernels_us,
                                   const TransferCosts& costs);
// Whether that lower bound is all that it is.
bool leaves_out_faults(std::span<const Operation> operations);

}  // namespace lockstep
