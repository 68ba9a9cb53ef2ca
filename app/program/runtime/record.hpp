// What the worker tells its parent, as it happens, so that a program that is ended leaves what it had done:
// records in a file. The parent trusts nothing in it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/model/line_costs.hpp"
#include "app/model/run.hpp"
#include "app/program/program_run.hpp"
#include "raw_finding.hpp"

namespace lockstep::reader {

struct RawArgument {
  char kind = '?';
  std::uint64_t bits = 0;  // of a pointer or a number
  std::uint32_t bytes = 0, element_bytes = 0;
  std::string type, value;
  int array = -1;
  std::int64_t offset = -1;  // in the launch's state; -1: elsewhere. Not recorded
};

struct RawSite {
  std::uint32_t object = 0;  // CodePlace::Object
  std::uint64_t offset = 0;  // in it; of a stated line 0
  std::string file;
  int line = 0;
};

struct SiteCost {
  LineCost cost;
  int shared_width = 0, global_width = 0;
};

// A launch as the worker leaves it: lines in it are sites.
struct LaunchRecord {
  std::string name, file, texts, stream;
  int line = 0;
  std::vector<RawArgument> arguments;
  Launch launch;
  int graph = 0;
  std::int64_t shared_bytes = 0, blocks = 0, traced_blocks = 0;
  std::uint64_t accesses = 0, compulsory_load_sectors = 0, compulsory_store_sectors = 0;
  Counts counts;
  std::map<std::uint32_t, SiteCost> costs;
  std::vector<Touch> touches;
  std::vector<Buffer> buffers;
  std::string refused;
};

struct ArrayRecord {
  ProgramArray array;
  std::uint32_t site = 0;
};

// Everything that was recorded.
struct Records {
  std::vector<LaunchRecord> launches;
  std::vector<ArrayRecord> arrays;  // as they were at the end
  std::vector<RawSite> sites;
  std::vector<RawFinding> findings;
  std::int64_t findings_dropped = 0;
  std::vector<std::string> notes;
  std::string begun;  // a kernel that was launched and never ended
  std::optional<int> exit_code;
  int signal = 0;  // that ended it; 0 = none
  std::string
      ended;  // "time", "memory", "signal", "stack", "not allowed: socket", "load: ..."; "" = by itself
  std::uint32_t ended_object = 0;
  std::uint64_t ended_offset = 0;
  std::int64_t ended_block = -1, ended_thread = -1;
};

class RecordWriter {
 public:
  explicit RecordWriter(int descriptor) : descriptor_(descriptor) {}
  void begin_launch(const std::string& name, int launch);
  void launch(const LaunchRecord& record);
  // Tables that grow: the last one stands.
  void arrays(const std::vector<ArrayRecord>& all);
  void sites(const std::vector<RawSite>& fresh);  // those since the last call
  void findings(const std::vector<RawFinding>& all, std::int64_t dropped);
  void note(const std::string& text);
  void exit_code(int code);
  // Callable from a signal handler.
  void ended(const char* how, int signal, std::uint32_t object, std::uint64_t offset, std::int64_t block,
             std::int64_t thread);

 private:
  void put(char type, const std::vector<std::uint8_t>& bytes);
  int descriptor_;
};

// What can be read of a file of records; a damaged end is left out.
Records read_records(std::span<const std::uint8_t> bytes);

}  // namespace lockstep::reader
