// What is wrong with a reader's program, at the reader's own line and column.
#pragma once
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep::reader {

enum class Severity { error, warning };

struct DiagnosticNote {
  std::string file;
  int line = 0, column = 0;
  std::string text;  // the compiler's words
};

struct Diagnostic {
  std::string file;          // as the reader names it
  int line = 0, column = 0;  // from 1, columns in bytes; 0 where there is none
  Severity severity = Severity::error;
  Message message;       // in plain words
  std::string compiler;  // what clang said; "" where it was not clang that found it
  std::vector<DiagnosticNote> notes;
};

inline bool has_error(const std::vector<Diagnostic>& all) {
  for (const Diagnostic& one : all)
    if (one.severity == Severity::error) return true;
  return false;
}

}  // namespace lockstep::reader
