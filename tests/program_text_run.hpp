// Runs a reader's program that a test has as text.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/platform/run_program.hpp"
#include "app/program/program_run.hpp"
#include "places.hpp"

namespace lockstep::test {

inline bool can_run_programs() { return program_on_path("clang++") && program_on_path("addr2line"); }

// Its worker is the lockstep that was built.
inline reader::ProgramRun run_text(const std::string& text, bool all = true, double timeout_s = 0) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("lockstep-test-" + std::to_string(std::hash<std::string>()(text)));
  fs::create_directories(folder);
  std::ofstream(folder / "program.cu") << text;
  reader::ProgramRequest request;
  request.file = folder / "program.cu", request.all = all, request.worker = kProgram;
  if (timeout_s > 0) request.timeout_s = timeout_s;
  auto run = reader::run_program_file(request, {});
  REQUIRE_MESSAGE(run.ok(), (run.ok() ? "" : run.error().text()));
  fs::remove_all(folder);
  for (const reader::Diagnostic& d : run->diagnostics) INFO(d.line << ": " << d.message.text());
  return std::move(*run);
}

inline const reader::ProgramFinding* found(const reader::ProgramRun& run, const std::string& kind) {
  const auto it = std::find_if(run.findings.begin(), run.findings.end(),
                               [&](const reader::ProgramFinding& f) { return f.kind == kind; });
  return it == run.findings.end() ? nullptr : &*it;
}

}  // namespace lockstep::test
