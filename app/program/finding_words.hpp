// A finding of the worker in one sentence, once its sites are lines.
#pragma once
#include "program_run.hpp"
#include "runtime/raw_finding.hpp"

namespace lockstep::reader {

struct NamedPlaces {
  std::string array;  // of a shared array or of an allocation
  bool shared = false;
  int line = 0, other_line = 0;
};
Message words_of(const RawFinding& finding, const NamedPlaces& places);
// Why a launch was refused, of what the worker wrote down.
Message words_of_refusal(const std::string& refused);
// How a program ended that did not by itself.
Message words_of_end(const std::string& ended, int signal, double timeout_s, std::uint64_t memory_bytes, int line);

}  // namespace lockstep::reader
