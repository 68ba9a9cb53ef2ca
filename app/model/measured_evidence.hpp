// What a GPU measured beside the time of the kernel's launch: by its own clock or by events (measured), what
// the profiler counts of the compiled kernel where the source says otherwise (compiled) and in all at a real
// size (counted), what other people's libraries take for the same problem (libraries).
#pragma once
#include <optional>

#include "evidence.hpp"

namespace lockstep {

// The median of several launches. Some are kept with a text of that launch ("cycles_text").
struct MeasuredFigure {
  Value value;
  std::optional<double> min, max, p95;
  std::optional<std::string> text;
};

struct MeasuredEvidence {
  static const EvidenceKind kind;  // "measured.chain_cycles", "measured.chain_cycles_min", …
  static std::optional<MeasuredEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::map<std::string, MeasuredFigure> figures;
  // A real number of this name; nothing where there is none.
  std::optional<double> real(const std::string& name) const;
};

struct CompiledEvidence {
  static const EvidenceKind kind;  // "compiled.shared_load_wavefronts", …
  static std::optional<CompiledEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::map<std::string, std::int64_t> counts;  // by the name of the count
};

// Where the block's events are too many to keep, these counts are what a story's cause stands on.
struct CountedEvidence {
  static const EvidenceKind kind;  // "counted.l2_write_sectors", "counted.dram_read_bytes", …
  static std::optional<CountedEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::map<std::string, std::int64_t> counts;  // by the name of the count, of one launch
};

struct LibrariesEvidence {
  static const EvidenceKind kind;  // "libraries.cudnn_ms", …
  static std::optional<LibrariesEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::map<std::string, double> ms;
};

}  // namespace lockstep
