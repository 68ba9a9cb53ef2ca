// A ladder: the rungs of one lab with the problem that all of them solve. Plain C++: no CUDA, no emulator.
// The table `ladders()` drives the command line, the labs, the tests and the README.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/model/pipeline.hpp"
#include "app/model/run.hpp"

namespace lockstep {

struct BufferSpec {
  std::string name;                  // "in"
  std::vector<std::uint64_t> shape;  // rows, cols
  bool input = false;                // filled by fill(); else poisoned with NaN before the run
  std::string type = "float";
  std::uint32_t element_bytes = 4;
  std::uint64_t elements() const {
    std::uint64_t n = 1;
    for (auto extent : shape) n *= extent;
    return n;
  }
  std::uint64_t bytes() const { return elements() * element_bytes; }
};

using Bytes = std::span<std::uint8_t>;
using ConstBytes = std::span<const std::uint8_t>;

// A number that is measured at settings of its own: by the clean kernel itself (by the SM's clock), or,
// without `value`, the time of its launch in ms, by CUDA events, L2 overwritten before each.
struct Measurement {
  std::string name;  // below metrics.measured: "chain_cycles"
  std::string rung;  // the rung that is run for it
  Params params;     // may hold settings beside the lab's own ("repeat")
  double (*value)(const Params& params, std::span<const ConstBytes> buffers) = nullptr;
  // What is kept as text of the launch that gave the median: metrics.measured.chain_cycles_text; may be null.
  std::string (*text)(const Params& params, std::span<const ConstBytes> buffers) = nullptr;
  // Of a timed launch: settings that change how it is launched, and neither the buffers nor what fills them
  // nor the right result. No launch writes an input. Between runs that differ in these alone the buffers are
  // kept.
  std::vector<std::string> of_launch = {};
};

// Settings at which a recording keeps times and metrics, without events.
struct RecordedSetting {
  std::string rung;
  Params params;
};

struct RungName {
  std::string lab, rung;
};

// A figure that stands without a run, with its provenance.
struct KnownMetric {
  Value value;
  std::string provenance;
};

struct Ladder;

// A launch of another lab's rung.
struct PlayedLaunch {
  const Ladder& ladder;
  RungName name;
  Params params;
  int launches = 1;  // of the run
  const Launch& launch;
};

struct PlayedFacts {
  std::map<std::string, KnownMetric> known;
  std::vector<Message> warnings;
};

struct Ladder {
  LabInfo info;
  // Buffers in the order of the view ids 0, 1, ...
  std::function<std::vector<BufferSpec>(const Params&, std::string_view rung)> buffers;
  // Fills the input buffers with reproducible random data.
  std::function<void(const Params&, std::string_view rung, std::span<const Bytes>)> fill;
  // Compares the outputs with a reference in double. NaN fails.
  std::function<Check(const Params&, std::string_view rung, std::span<const ConstBytes>)> check;
  // What a reader of the run should know of its data; none where the ladder has none to give.
  std::function<std::vector<Message>(const Params&, std::string_view rung, std::span<const ConstBytes>)>
      warnings;
  // Bytes that any correct kernel must move to and from memory; floating-point operations.
  std::function<double(const Params&, std::string_view rung)> bytes, flops;
  // Bytes that the threads load, where the sizes alone tell; 0 for a rung of which they do not. A ladder
  // without it needs the trace for them.
  std::function<double(const Params&, std::string_view rung)> asked_bytes;
  // Rungs of which the L1 model errs by more than elsewhere: by how much at most.
  std::map<std::string, double> l1_errors;
  std::vector<std::string> tensor_rungs;  // those that multiply on the tensor cores
  // Parameters that choose which compiled kernel runs, beside the sets: registers hang on them.
  std::vector<std::string> compiled_params;
  // Where the kernels take their own time, or are timed at another size than they are shown at: what is
  // measured on a GPU, medians over several launches. Such a ladder has no `time`.
  std::function<std::vector<Measurement>(std::string_view rung, const Params&)> measurements;
  // What a run's events say beyond the counts, as entries of `metrics`.
  std::function<std::map<std::string, Value>(const Run&)> metrics;
  // Where a model answers which blocks an SM holds, and not the launch; the launch's own answer then stands
  // in metrics.driver. `metrics` holds what that rung of another lab needs whose launch the settings name.
  std::function<std::optional<Occupancy>(const Run&)> occupancy;
  std::function<std::optional<RungName>(const Params&)> loaded;
  // What the recordings of this lab on one device say together, as entries of `metrics` below `curve`.
  std::function<std::map<std::string, Value>(std::span<const Run> recordings)> curves;
  // What is known of these settings whichever engine runs: what the lab's model says, and what was measured
  // once. Entries of `metrics`.
  std::function<std::map<std::string, KnownMetric>(const Params&)> known;
  // The kernels of a run with what each waits for, in the order of its launches: for ladders whose kernels
  // are launched by streams and as a graph. The last buffer then holds their stamps.
  std::function<std::vector<PipelineNode>(const Params&, std::string_view rung)> nodes;
  // Where the lab's model plays another lab's kernel in place of its own: which one the settings name. What
  // is then known in place of what `known` says, from that launch of its default run which does most, with
  // the emulator's trace of block 0.
  std::function<std::optional<RungName>(const Params&)> played;
  std::function<PlayedFacts(const Params&, const PlayedLaunch&)> known_of_played;
  // Whether several stopwatches are to be read for the same launches, and products of several sizes be timed.
  bool stopwatches = false;
  // What a vendor's library or copy does for the same problem; "" if there is none. The cuda engine times it.
  std::string reference;
  // Settings used by `bench` and for timing recordings.
  std::function<Params(std::string_view rung)> bench_params = [](std::string_view) { return Params{}; };
  // Settings at which every rung is validated on a GPU against emulator and hardware counters.
  // Parameters that a rung does not have are left out.
  std::vector<Params> validation_params;
  std::vector<RecordedSetting> recorded_params;
};

const std::vector<const Ladder*>& ladders();
const Ladder* find_ladder(std::string_view slug);
// "gemm/shared" for every rung of these ladders, and back; nothing where the text names none.
std::vector<std::string> rung_names(std::span<const Ladder* const> ladders);
std::optional<RungName> rung_named(std::string_view text);

// A whole-number parameter that complete_params() has put there.
std::int64_t int_param(const Params& params, const char* name);

// The larger of two errors; one that is no number counts as infinite.
double larger_error(double largest, double error);

// The text of a kernel file as compiled ("transpose/02_naive.cuh"); "" if there is none.
std::string_view kernel_source(std::string_view file);
// source_hash_of() its text and that of the files of its folder that it includes: a harness that all rungs of a
// ladder share is part of each.
std::string source_hash(std::string_view file);

}  // namespace lockstep
