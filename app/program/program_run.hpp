// What a reader's own CUDA program did on the emulator: its launches with the same records that a lab's
// kernels leave (Launch, Counts, Touch), its arrays, what was found in it, and what it printed. Everything
// that is drawn or printed of a program comes from here.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/line_costs.hpp"
#include "app/model/run.hpp"
#include "on_gpu/gpu_run.hpp"
#include "source/diagnostic.hpp"
#include "source/rewrite.hpp"

namespace lockstep::reader {

// What the source line cost all traced blocks of a launch.
struct ProgramLine {
  std::string file;
  int line = 0;
  LineCost cost;
  // Of the accesses to shared memory at this line, in bytes: 0 none, else the widest. Another compiler may
  // choose another width.
  int shared_width = 0, global_width = 0;
};

struct ProgramArgument {
  std::string text;       // as the launch has it: "d_in + 1"
  std::string parameter;  // the kernel's name for it; "" if unknown
  std::string value;      // of a number, as C++ writes it; "" of a pointer or anything else
  int array = -1;         // into ProgramRun::arrays, of a pointer into one
};

struct ProgramLaunch {
  // Kernel, grid, block, views (global arrays go by ProgramArray::view) and the followed block's events.
  // Lines in it are of the files below; a file's id is that of ProgramRun::files.
  Launch launch;
  std::string kernel;  // as written: "tiled<32>"
  std::string file;
  int line = 0;        // of the launch
  std::string stream;  // "" is the default one
  int graph = 0;       // which launch of a graph made it, from 1; 0: none did
  std::vector<ProgramArgument> arguments;
  std::int64_t shared_bytes = 0;  // static and dynamic, of a block
  std::int64_t blocks = 0, traced_blocks = 0;
  // Of the traced blocks, as compiled by clang; the whole grid's where traced_blocks == blocks.
  Counts counts;
  std::vector<ProgramLine> lines;  // by file and line; those that moved data
  std::vector<Touch> touches;      // of the traced blocks; ProgramRun::arrays by view
  std::vector<Buffer> buffers;     // arrays it was given or touched, as it left them, as far as there is room
  std::uint64_t accesses = 0;      // traced
  // Of the traced blocks: distinct sectors of global memory that were read before they were written, and that
  // were written. However large the L2 is, so much comes from HBM once and has to go there once: no less.
  std::uint64_t compulsory_load_sectors = 0, compulsory_store_sectors = 0;
  Message refused;  // why it could not be launched; empty where it ran
  bool traced() const { return traced_blocks > 0; }
  bool counts_complete() const { return traced_blocks == blocks; }
};

// Device memory, or managed, or the host's that the device sees. Of two that lived one after another in the
// same place both stand here.
struct ProgramArray {
  std::string name;  // of the variable given to cudaMalloc: "d_in"
  std::string type = "float";
  std::uint32_t element_bytes = 4;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> shape;  // guessed from the indexing; the hint's, where the reader gave one
  bool shape_given = false;
  std::uint16_t view = 0;  // of it in Launch::views, Touch and Buffer
  std::string file;
  int line = 0;                  // where it was allocated
  int first_launch = 0;          // the first that could see it
  int freed_before_launch = -1;  // -1: never
  enum class Memory : std::uint8_t { device, managed, pinned, variable, constant } memory = Memory::device;
  bool alive_at(int launch) const {
    return launch >= first_launch && (freed_before_launch < 0 || launch < freed_before_launch);
  }
};

struct ProgramFinding {
  std::string kind;  // race, out_of_bounds, uninitialised, misaligned, ...
  int launch = -1;   // into ProgramRun::launches; -1 = host code
  std::int64_t block = 0, thread = -1;
  std::int64_t other_block = -1, other_thread = -1;  // the other side of a race
  std::string file, other_file;
  int line = 0, other_line = 0;  // 0 = unknown
  std::string view;              // the array's name; "" = none
  int array = -1;                // into ProgramRun::arrays
  std::int64_t element = -1;     // of it
  Message message;               // one sentence
  std::int64_t times = 1;
};

struct ProgramRun {
  std::string program;                         // the file, as it was given
  std::map<std::string, std::string> sources;  // the reader's own files by their names, as they were run
  std::vector<Diagnostic> diagnostics;
  SourceTables tables;
  bool compiled = false;  // false: nothing below is there
  std::vector<ProgramLaunch> launches;
  std::int64_t launches_dropped = 0;  // more than are kept
  std::vector<ProgramArray> arrays;
  std::vector<ProgramFinding> findings;
  std::int64_t findings_dropped = 0;
  std::vector<SourceFile> files;  // what events call the files
  std::string output;             // standard output and error, as far as kept
  bool output_cut = false;
  int exit_code = 0;
  // How it ended where it did not by itself: out of time, a signal, out of memory; empty where it did.
  Message ended;
  std::vector<Message> notes;  // "times are not measured here", "launches 4 to 100 were not traced", ...
  Device device;               // that the program was told it has
  double compile_seconds = 0, run_seconds = 0;  // of this machine, not of a GPU
  std::map<std::string, Provenance> provenance;
  std::shared_ptr<const GpuRun> gpu;  // the same file on this machine's GPU, where that was asked for
};

// Half of this machine's memory, between 4 and 8 GiB.
std::uint64_t program_memory_limit();

struct ProgramRequest {
  std::filesystem::path file;
  std::vector<std::filesystem::path> further_sources;
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::string> defines;  // NAME or NAME=VALUE
  std::vector<std::string> arguments;
  std::string input;          // for its standard input
  bool all = false;           // trace every block of every launch
  std::optional<int> launch;  // trace all blocks of this one
  std::int64_t block = 0;     // followed in every launch that has it
  bool trust = false;         // no sandbox
  bool on_gpu = false;        // and there too, built by nvcc, outside the sandbox
  double timeout_s = 20;      // of the program, not of compiling
  std::uint64_t memory_limit_bytes = program_memory_limit();
  int threads = 0;                    // of the host; 0 = one per core
  std::filesystem::path worker;       // the lockstep executable; "" = the running one
  std::optional<std::string> text{};  // runs in the place of the file's own: what an editor holds
  bool operator==(const ProgramRequest&) const = default;
};

// Told what goes on ("compiling", "running") at least ten times a second, on the caller's thread; false
// cancels.
using ProgramReport = std::function<bool(const Message& what)>;

// Compiles, runs in a process of its own, and reads what that left. A program that does not compile, crashes
// or runs out of time is no error: the run says so.
Result<ProgramRun> run_program_file(const ProgramRequest& request, const ProgramReport& report);

// The same file on this machine's GPU, beside the emulator's run of it. What is missing for that stands in
// it.
Result<GpuRun> measure_program(const ProgramRequest& request, const ProgramRun& emulated,
                               const ProgramReport& report);
// Both, where the request asks for it and the program compiles.
Result<ProgramRun> run_program(const ProgramRequest& request, const ProgramReport& report);

// DESIGN.md, "A program's result", as one JSON object.
std::string program_to_json(const ProgramRun& run);
// For people.
std::string describe(const ProgramRun& run);
// 0 right, 1 findings or an exit code of its own, 2 does not compile, 4 out of time or died.
Exit exit_of(const ProgramRun& run);

}  // namespace lockstep::reader
