#include "model_functions.hpp"

#include <array>

#include "app/devices/gpus.hpp"
#include "app/model/fold.hpp"
#include "app/model/occupancy.hpp"
#include "app/model/roofline.hpp"
#include "counted_operations.hpp"
#include "run_figures.hpp"

namespace lockstep {
namespace {

Result<std::int64_t> whole_in(const Value& value, const char* name, std::int64_t least, std::int64_t most) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (!whole || *whole < least || *whole > most)
    return bad_input("{0} = {1} is not possible: whole numbers from {2} to {3} are",
                     {name, to_string(value), std::to_string(least), std::to_string(most)});
  return *whole;
}

// "H200", or a device's full name.
Result<const Gpu*> gpu_in(const Value& value) {
  const auto* name = std::get_if<std::string>(&value);
  const Gpu* gpu = name ? gpu_by_word(*name) : nullptr;
  if (name && !gpu) gpu = find_gpu(*name);
  if (gpu) return gpu;
  std::string all;
  for (const Gpu& known : known_gpus()) all += (all.empty() ? "" : ", ") + known.word;
  return bad_input("expected a device in quotes, one of {0}", {all});
}

// Lane i reads `width` bytes from word i * stride on, as in banks/strided.
Result<Value> wavefronts(std::span<const Value> given) {
  const auto stride = whole_in(given[0], "stride", 0, 1024), width = whole_in(given[1], "width", 4, 16);
  if (!stride) return stride.error();
  if (!width) return width.error();
  if (*width != 4 && *width != 8 && *width != 16) return bad_input("width is 4, 8 or 16 bytes");
  std::array<std::uint32_t, kWarpSize> offset;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane)
    offset[lane] = std::uint32_t(4 * lane) * std::uint32_t(*stride);
  return Value{std::int64_t(shared_wavefronts(~0u, offset, int(*width), false))};
}

Result<std::pair<const Gpu*, ResidentBlocks>> resident(std::span<const Value> given) {
  const auto gpu = gpu_in(given[3]);
  if (!gpu) return gpu.error();
  const auto threads = whole_in(given[0], "threads", 1, (*gpu)->max_threads_per_block);
  const auto registers = whole_in(given[1], "registers", 0, (*gpu)->max_registers_per_thread);
  const auto shared = whole_in(given[2], "shared_bytes", 0, (*gpu)->shared_bytes_per_block);
  if (!threads) return threads.error();
  if (!registers) return registers.error();
  if (!shared) return shared.error();
  return std::pair{*gpu, resident_blocks(**gpu, {int(*threads), int(*registers), *shared})};
}

Result<Value> occupancy(std::span<const Value> given) {
  const auto found = resident(given);
  return found ? Result<Value>(Value{found->second.fraction}) : found.error();
}
Result<Value> warps(std::span<const Value> given) {
  const auto found = resident(given);
  return found ? Result<Value>(Value{std::int64_t(found->second.warps)}) : found.error();
}
Result<Value> blocks(std::span<const Value> given) {
  const auto found = resident(given);
  return found ? Result<Value>(Value{std::int64_t(found->second.blocks)}) : found.error();
}

// FLOP per second that the device allows a kernel of this arithmetic (FP32) and these bytes.
Result<Value> roofline(std::span<const Value> given) {
  const auto gpu = gpu_in(given[2]);
  if (!gpu) return gpu.error();
  const double flop = number_of(given[0]), bytes = number_of(given[1]);
  if (!(flop > 0) || !(bytes > 0)) return bad_input("flop and bytes are numbers above 0");
  return Value{attainable((*gpu)->fp32.flops, (*gpu)->memory_bandwidth, flop / bytes)};
}

// A figure of a device's data sheet, by the name that device.NAME has.
Result<Value> spec(std::span<const Value> given) {
  const auto gpu = gpu_in(given[0]);
  if (!gpu) return gpu.error();
  const auto* name = std::get_if<std::string>(&given[1]);
  return name ? device_figure(**gpu, *name) : bad_input("expected the name of a figure in quotes");
}

// FLOP per byte from which on the tensor cores limit and not the memory.
Result<Value> ridge_of(std::span<const Value> given) {
  const auto gpu = gpu_in(given[0]);
  if (!gpu) return gpu.error();
  return Value{ridge((*gpu)->tensor.flops, (*gpu)->memory_bandwidth)};
}

// Which operation, and of how many elements.
Result<lab::CountedWork> counted(std::span<const Value> given) {
  const auto* name = std::get_if<std::string>(&given[0]);
  const bool row = name && *name != "vector_add" && *name != "relu";
  const auto n = whole_in(given[1], "n", 1, row ? kMostCountedRow : kMostCountedElements);
  if (!n) return n.error();
  const auto work = name ? counted_operation(*name, *n) : std::nullopt;
  if (!work) return bad_input("expected an operation in quotes, one of {0}", {kCountedOperations});
  return *work;
}
Result<Value> counted_flop(std::span<const Value> given) {
  const auto work = counted(given);
  return work ? Result<Value>(Value{std::int64_t(work->flop())}) : work.error();
}
Result<Value> counted_bytes(std::span<const Value> given) {
  const auto work = counted(given);
  return work ? Result<Value>(Value{std::int64_t(work->bytes())}) : work.error();
}

// "additions" of an operation: the counting, kind by kind.
Result<Value> counted_kind(std::span<const Value> given) {
  const auto work = counted(given);
  if (!work) return work.error();
  const std::pair<std::string_view, std::uint64_t> kinds[] = {
      {"additions", work->additions},        {"multiplications", work->multiplications},
      {"divisions", work->divisions},        {"comparisons", work->comparisons},
      {"functions", work->functions},        {"bytes_read", work->bytes_read},
      {"bytes_written", work->bytes_written}};
  const auto* name = std::get_if<std::string>(&given[2]);
  std::string all;
  for (const auto& [kind, count] : kinds) {
    if (name && *name == kind) return Value{std::int64_t(count)};
    all += (all.empty() ? "" : ", ") + std::string(kind);
  }
  return bad_input("expected what is counted in quotes, one of {0}", {all});
}

constexpr std::string_view kBlockArguments = "threads, registers, shared_bytes, device";
constexpr ExpressionFunction kFunctions[] = {{"wavefronts", "stride, width", 2, wavefronts},
                                             {"occupancy", kBlockArguments, 4, occupancy},
                                             {"resident_warps", kBlockArguments, 4, warps},
                                             {"resident_blocks", kBlockArguments, 4, blocks},
                                             {"roofline", "flop, bytes, device", 3, roofline},
                                             {"spec", "device, figure", 2, spec},
                                             {"ridge", "device", 1, ridge_of},
                                             {"counted", "operation, n, kind", 3, counted_kind},
                                             {"counted_flop", "operation, n", 2, counted_flop},
                                             {"counted_bytes", "operation, n", 2, counted_bytes}};

}  // namespace

std::span<const ExpressionFunction> model_functions() { return kFunctions; }

}  // namespace lockstep
