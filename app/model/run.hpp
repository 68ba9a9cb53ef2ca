// What is asked of an engine (Request) and what it answers (Run). Plain data; engines, run files, the command
// line and the window all speak these types.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "event.hpp"
#include "evidence.hpp"
#include "provenance.hpp"
#include "result.hpp"
#include "value.hpp"

namespace lockstep {

// One knob of a lab. Numbers carry a range and a step; choices a list of words.
struct Parameter {
  std::string name;
  std::string type = "int";  // int | float | choice | text
  double min = 0, max = 0;
  std::int64_t multiple = 1;                           // legal values are multiples of this (int only)
  std::map<std::string, std::int64_t> rung_multiples;  // of rungs that ask for more
  // Name of another parameter: legal values are multiples of its value / 4 as well (words of an access).
  std::string multiple_of;
  // Where that one is a choice: what its words ask for, in the rungs that rung_multiples names.
  std::map<std::string, std::int64_t> choice_multiples;
  Value default_value = std::int64_t{0};
  std::map<std::string, Value> rung_defaults;  // rungs that start elsewhere
  std::string unit;                            // "elements", "words", "" for none
  std::vector<std::string> choices;            // the legal values, of an int as well
  std::vector<std::string> rungs;              // rungs that have it; empty = all
  bool model_only = false;                     // cannot change what a recording holds
  // By another parameter's name its value without which this one changes nothing that is shown.
  std::map<std::string, std::string> only_with;
  std::string help;
  std::string title;                                 // what a reader reads for the name: "FMAs per load"
  std::map<std::string, std::string> choice_titles;  // of the choices that are no words
};
// The other setting that leaves this one without effect; nullptr: it has one.
const Params::value_type* without_effect(const Parameter& parameter, const Params& params);
// On screen; the names, where there are no words for them.
const std::string& title_of(const Parameter& parameter);
const std::string& title_of(const Parameter& parameter, const std::string& choice);

struct RungCode;  // kernels/rung_code.hpp: what runs it

struct RungInfo {
  std::string slug;  // "naive"
  std::string idea;  // one line
  std::string file;  // "transpose/02_naive.cuh", below kernels/
  int compute_capability = 75;
  std::shared_ptr<const RungCode> code =
      nullptr;         // of a rung made at run time; else the build's, by its file
  std::string adds{};  // the idea in three or four words: "+ a tile in shared memory"
};

struct LabInfo {
  std::string slug, title, question, chapter;
  std::vector<RungInfo> rungs;
  std::vector<Parameter> parameters;
  // What complete parameters must fulfil together, where ranges cannot say it.
  Status (*rule)(std::string_view rung, const Params& complete) = nullptr;
  // Settings that a rung has together only (the tile shapes that it is compiled for); the first set is the
  // default. Sets of one rung name the same parameters, which have choices.
  std::map<std::string, std::vector<Params>> sets = {};
  int rung_index(std::string_view slug) const;  // -1 if there is none

  // Words beside names, in the tables' own language: {"fma_per_load", N_("FMAs per load")}. The names must be
  // there.
  using Words = std::initializer_list<std::pair<const char*, const char*>>;
  void set_titles(Words of_parameters);
  void set_choice_titles(std::string_view parameter, Words of_choices);
  void set_adds(Words of_rungs);
};

// The step of a parameter beside the others: the rung's own multiple, and the one that another parameter asks
// for.
std::int64_t multiple_beside(const Parameter& parameter, std::string_view rung, const Params& others);
// The choices of a parameter that this rung has.
std::vector<std::string> choices_in(const LabInfo& lab, std::string_view rung, const Parameter& parameter);
// `params` with every whole number moved up to the next multiple that is legal beside the others, and with
// the nearest of the rung's sets, one that keeps `changed` if there is any.
Params snapped(const LabInfo& lab, std::string_view rung, Params params, const std::string& changed = "");

// Checks names, types, ranges and multiples, fills in defaults. The error names the value and the legal
// range.
Result<Params> complete_params(const LabInfo& lab, std::string_view rung, const Params& given);
// The settings of another rung (or of an older scene) as far as this rung has them, moved to legal multiples;
// where they do not go together, the defaults.
Params carried_params(const LabInfo& lab, std::string_view rung, const Params& from);
// "k=v" as typed on the command line, checked against the lab's parameter of that name.
Result<std::pair<std::string, Value>> parse_setting(const LabInfo& lab, std::string_view text);

enum class EngineKind : std::uint8_t { automatic, cuda, emulator, recording };
std::string_view name_of(EngineKind kind);  // auto cuda emulator recording
std::optional<EngineKind> engine_named(std::string_view name);

struct Request {
  std::string lab, rung;
  Params params;  // complete
  EngineKind engine = EngineKind::automatic;
  std::int64_t block = 0;  // followed block, linear (x fastest)
  std::int64_t warp = 0;   // followed warp within the block
  double timeout_s = 0;    // 0 = none
  bool long_run = false;   // go on past the emulator's work limit
  bool time = true;        // clean timing wanted (cuda)
  bool trace = true;       // events and counts wanted (cuda)
  std::string device{};    // whose recording is asked for: "NVIDIA H200"; "" is any
  bool operator==(const Request&) const = default;
};

struct Device {
  std::string name;            // "NVIDIA H200", or the CPU's name for the emulator
  int compute_capability = 0;  // 90
  int multiprocessors = 0;
  int clock_mhz = 0;            // the SM clock printed beside timings; 0 = unknown
  std::string driver, runtime;  // "580.159.04", "13.0"
  bool operator==(const Device&) const = default;
};

struct Check {
  bool pass = false;
  double max_error = 0, tolerance = 0;
  bool operator==(const Check&) const = default;
};

// The profiler's quantities under plain names, for the whole grid. Sectors are 32 bytes.
struct Counts {
  std::int64_t shared_load_wavefronts = 0, shared_store_wavefronts = 0, shared_async_wavefronts = 0;
  std::int64_t shared_load_conflicts = 0, shared_store_conflicts = 0;
  std::int64_t global_load_requests = 0, global_load_sectors = 0;
  std::int64_t global_store_requests = 0, global_store_sectors = 0;
  // Atomics: those whose result nobody uses (RED), the others, and all on shared memory.
  std::int64_t global_reduction_sectors = 0, global_atomic_sectors = 0, shared_atomic_instructions = 0;
  std::int64_t barriers = 0;              // executed, per warp
  std::int64_t cluster_load_sectors = 0;  // of the shared memory of other blocks of the cluster
  std::int64_t box_sectors = 0;  // that come for the copy engine's boxes, also for what lies outside (TMA)
  std::int64_t box_store_sectors = 0;  // that the copy engine writes for boxes that leave (TMA)
  std::int64_t products = 0;           // of warpgroups (wgmma)
  bool operator==(const Counts&) const = default;
};
// Field names and members in the order of the JSON object.
struct CountField {
  const char* name;
  std::int64_t Counts::*member;
};
extern const std::array<CountField, 17> kCountFields;

struct Timing {
  double median_ms = 0, min_ms = 0, p95_ms = 0;
  int runs = 0;
  double traced_ms = 0;     // the traced kernel's time, so that nobody mistakes one for the other; 0 = none
  double reference_ms = 0;  // the vendor's library or copy in the same run; 0 = none
  std::string reference;    // its name: "cudaMemcpy"
  bool operator==(const Timing&) const = default;
};

struct Occupancy {
  int threads_per_block = 0, registers = 0;
  std::int64_t shared_bytes = 0;  // static + dynamic
  int blocks_per_sm = 0, warps_per_sm = 0;
  double fraction = 0;  // of the device's warps
  bool operator==(const Occupancy&) const = default;
};

// Something the emulator found that a GPU hides.
struct Finding {
  std::string kind;                // race, out_of_bounds, uninitialised, barrier_divergence, misaligned
  std::int64_t block = 0;          // linear
  std::int64_t thread = 0;         // linear within the block
  std::int64_t other_thread = -1;  // the other side of a race
  int line = 0, other_line = 0;
  std::string file;
  Message what;  // one sentence
  bool operator==(const Finding&) const = default;
};

// A global buffer of the run, as the kernel left it: the raw elements of the view with this id, row by row.
// Not kept above kMaxKeptElements elements.
struct Buffer {
  std::uint16_t view = 0;  // ViewInfo::id
  std::vector<std::uint8_t> bytes;
};
constexpr std::uint64_t kMaxKeptElements = std::uint64_t{1} << 20;
// Element `index` of a buffer whose ViewInfo::type is float, half, bf16, e4m3, int, unsigned or u64; NaN
// where it is not held.
double element(const ViewInfo& view, const Buffer& buffer, std::uint64_t index);

// Who touched an element of a global buffer last (writer) and first (reader), over the whole grid. Columns
// have one entry per element, or none where the buffer has more than kMaxKeptElements.
struct Touch {
  static constexpr std::uint32_t kNobody = 0xffffffffu;
  std::uint16_t view = 0;
  std::vector<std::uint32_t> writer_block, reader_block;
  std::vector<std::uint16_t> writer_thread, writer_line, reader_thread, reader_line, reads;
  // Of runs with several launches, else empty: the launch whose block it was.
  std::vector<std::uint8_t> writer_launch, reader_launch;
};
// Adds what a later launch touched: its writes stand above the earlier ones, first readers stay, reads add
// up. A run of more launches than a touch can name keeps none.
void merge_touches(std::vector<Touch>& touches, std::vector<Touch> later, std::size_t launch);

// The events of the followed block, thread after thread.
struct BlockTrace {
  std::int64_t block = 0;  // linear
  std::vector<Access> events;
  std::vector<std::uint64_t> begin;  // [threads + 1] positions in events
  std::vector<Copy> copies;
  std::vector<std::uint64_t> copy_begin;  // [threads + 1]
  std::int64_t dropped = 0;               // events that found no slot; shown when not 0
  // One entry per global warp instruction of this block, in canonical order: sectors that crossed between the
  // modelled L1 and the L2 (empty in older files: then all that were asked for), and those that the modelled
  // L2 had to fetch from (load) or will have to write to (store) HBM.
  std::vector<std::uint32_t> l2_sectors, hbm_sectors;
};

struct Launch {
  std::string kernel;
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
  std::vector<ViewInfo> views;
  BlockTrace trace;
  std::int64_t threads() const { return block[0] * block[1] * block[2]; }
  std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  const ViewInfo* view(std::uint16_t id) const;
};

// What the events of a run call a file of kernel source: file_id(), or another number where two files of the
// run would have had that one.
struct SourceFile {
  std::uint16_t id = 0;
  std::string name;  // "transpose/02_naive.cuh"
  bool operator==(const SourceFile&) const = default;
};

struct Run {
  Request request;
  EngineKind engine = EngineKind::emulator;  // the one that answered
  std::string date;                          // ISO day, of a recording or of this run
  Device device;
  Check check;
  std::optional<Counts> counts;
  std::optional<Timing> time;
  std::optional<Occupancy> occupancy;
  Evidence evidence;
  std::map<std::string, Provenance> provenance;  // by JSON path; the longest prefix wins
  std::vector<Message> warnings;
  std::vector<Finding> findings;
  std::vector<Launch> launches;
  std::vector<SourceFile> files;  // may lack files of this build: those go by file_id()
  std::vector<Buffer> buffers;
  std::vector<Touch> touches;
  std::string source_hash;  // of the rung's comment-stripped source and the dialect's version
  bool stale = false;       // set on loading: the source has changed since
  // Every figure of the evidence by its name in JSON: below "metrics".
  const Metrics& metrics() const { return evidence.flat(); }
};

// What the events of the run call this file (Access::file); 0 for none of theirs.
std::uint16_t source_id(const Run& run, std::string_view name);

// A metric of this name and type; nothing where there is none. Saved runs may hold anything under a name.
std::optional<std::int64_t> whole_metric(const Run& run, const std::string& name);
std::optional<double> real_metric(const Run& run, const std::string& name);

// Where the figure of a JSON path ("counts.global_load_sectors") comes from, by longest prefix; empty() if
// nothing says so.
const Provenance& provenance_of(const Run& run, std::string_view path);

}  // namespace lockstep
