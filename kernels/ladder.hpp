// A ladder: the rungs of one lab with the problem that all of them solve. Plain C++: no CUDA, no emulator.
// The catalogue drives the command line, the labs, the tests and the README.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "app/model/run.hpp"
#include "app/model/step_arithmetic.hpp"
#include "app/model/transfer.hpp"

namespace lockstep {

struct BufferSpec {
  std::string name;                  // "in"
  std::vector<std::uint64_t> shape;  // rows, cols
  bool input = false;                // filled by fill(); else poisoned with NaN before the run
  std::string type = "float";
  std::uint32_t element_bytes = 4;
  bool changed = false;  // an input that the kernel writes as well: as filled at the start of each run
  MemoryKind memory = MemoryKind::device;  // mapped: a GPU's kernel reads it where the host has it
  bool in_host() const { return memory == MemoryKind::mapped; }
  std::uint64_t elements() const {
    std::uint64_t n = 1;
    for (auto extent : shape) n *= extent;
    return n;
  }
  std::uint64_t bytes() const { return elements() * element_bytes; }
};

using Bytes = std::span<std::uint8_t>;
using ConstBytes = std::span<const std::uint8_t>;

// Settings at which a recording keeps times and metrics, without events.
struct RecordedSetting {
  std::string rung;
  Params params;
};

struct RungName {
  std::string lab, rung;
};

struct ExperimentPlan;  // kernels/experiments.hpp

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
  std::vector<std::string> fp8_rungs;     // and of them those whose inputs have 8 bits
  // Rungs that are kept for their race: what they give is left to chance, and the emulator finds it.
  std::vector<std::string> racy_rungs;
  // Rungs in which the order of the blocks decides which of them goes on when the others end: the accesses of
  // one block are the same on every device as far as all blocks go.
  std::vector<std::string> order_rungs;
  // Rungs whose blocks wait for one another: how often they ask, and so how far they look, is left to
  // chance.
  std::vector<std::string> waiting_rungs;
  // Rungs whose blocks form clusters and read each other's shared memory: compute capability 9.0.
  std::vector<std::string> cluster_rungs;
  // Rungs whose tiles are brought by the copy engine.
  std::vector<std::string> unit_rungs;
  // By how much the SM model's cycles of a trip around the rung's loop are off an H200's, in percent: over
  // the settings that were measured, on average and at worst. A test holds them.
  struct SmError {
    int mean = 0, worst = 0;
  };
  std::map<std::string, SmError> sm_errors;
  // What the source of a rung says of the arithmetic between its units' work, step by step; null: nothing.
  std::function<std::vector<StepArithmetic>(const Params&, std::string_view rung)> step_arithmetic;
  static bool among(const std::vector<std::string>& rungs, std::string_view rung) {
    return std::find(rungs.begin(), rungs.end(), rung) != rungs.end();
  }
  // What the arithmetic of a rung is done by; each has a peak of its own.
  enum class Pipe : std::uint8_t { fp32, tensor, tensor_fp8 };
  Pipe pipe_of(std::string_view rung) const {
    return among(fp8_rungs, rung) ? Pipe::tensor_fp8 : among(tensor_rungs, rung) ? Pipe::tensor : Pipe::fp32;
  }
  bool racy(std::string_view rung) const { return among(racy_rungs, rung); }
  bool decided_by_order(std::string_view rung) const { return among(order_rungs, rung); }
  bool waits(std::string_view rung) const { return among(waiting_rungs, rung); }
  // Whether its blocks hang on one another: no one of them can be looked at alone.
  bool together(std::string_view rung) const { return waits(rung) || among(cluster_rungs, rung); }
  bool by_units(std::string_view rung) const { return among(unit_rungs, rung); }
  // Parameters that choose which compiled kernel runs, beside the sets: registers hang on them.
  std::vector<std::string> compiled_params;
  // What a run's events say beyond the counts, as figures.
  std::function<Metrics(const Run&)> figures;
  // What is measured or modelled besides a run of the kernel.
  std::vector<std::shared_ptr<const ExperimentPlan>> experiments;
  // What a vendor's library or copy does for the same problem; "" if there is none. The cuda engine times it.
  std::string reference;
  std::map<std::string, std::string> rung_references;  // of rungs that do more, or less
  const std::string& reference_of(const std::string& rung) const {
    const auto own = rung_references.find(rung);
    return own == rung_references.end() ? reference : own->second;
  }
  // Settings used by `bench` and for timing recordings.
  std::function<Params(std::string_view rung)> bench_params = [](std::string_view) { return Params{}; };
  // Settings at which every rung is validated on a GPU against emulator and hardware counters.
  // Parameters that a rung does not have are left out.
  std::vector<Params> validation_params;
  std::vector<RecordedSetting> rung_validation_params;  // of one rung alone, beside those
  std::vector<Params> validated_at(std::string_view rung) const {
    std::vector<Params> all = validation_params;
    for (const RecordedSetting& own : rung_validation_params)
      if (own.rung == rung) all.push_back(own.params);
    return all;
  }
  std::vector<RecordedSetting> recorded_params;
  // Settings whose picture is the most work to draw: `bench ui` draws it. None: the defaults are.
  Params heaviest_params;
};

// Ladders by slug. This program's own come from the table in ladder.cpp; more can be made while it runs. A
// choice of rungs (ExperimentPlan::rung_choice) has those of all ladders in the table, or of all that are in
// place when a ladder is added later.
class Catalogue {
 public:
  // Refused where a ladder of that slug is there, or this one cannot be run; the message says what is
  // missing.
  Status add(std::shared_ptr<const Ladder> ladder);
  // What find() gave before points nowhere then. False: there was none.
  bool remove(std::string_view slug);
  const Ladder* find(std::string_view slug) const;  // nullptr: there is none
  std::vector<const Ladder*> ladders() const;       // in the order of the menus

 private:
  mutable std::shared_mutex mutex_;
  std::vector<std::shared_ptr<const Ladder>> ladders_;
};
Catalogue& catalogue();

std::vector<const Ladder*> ladders();
// The name of a file of this build by its file_id(), "gemm/sums.cuh"; "" of none.
std::string_view source_name(std::uint16_t id);
const Ladder* find_ladder(std::string_view slug);
// The rung that the program measures itself with: how fast it emulates, starts, draws.
RungName yardstick();
// "gemm/shared"; nothing where the text names no rung.
std::optional<RungName> rung_named(std::string_view text);

// A whole-number parameter that complete_params() has put there.
std::int64_t int_param(const Params& params, const char* name);

// The larger of two errors; one that is no number counts as infinite.
double larger_error(double largest, double error);

// The text of a kernel file as compiled ("transpose/02_naive.cuh"); "" if there is none.
std::string_view kernel_source(std::string_view file);
std::string_view kernel_source(const RungInfo& rung);
// The files of its ladder that a kernel's file includes: "gemm/sums.cuh".
std::vector<std::string> included_kernels(std::string_view file);
// source_hash_of() its text and that of the files of its folder that it includes: a harness that all rungs of
// a ladder share is part of each.
std::string source_hash(const RungInfo& rung);
std::string source_hash(std::string_view file);

}  // namespace lockstep
