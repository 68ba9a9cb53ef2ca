// Records of a worker as what is shown: sites become lines, findings sentences, arrays get shapes.
#pragma once
#include "app/platform/confined_process.hpp"
#include "program_run.hpp"
#include "runtime/record.hpp"
#include "source/compile.hpp"

namespace lockstep::reader {

void assemble(ProgramRun& run, Records records, const ProgramEnd& ended, const Compiled& compiled,
              const ProgramRequest& request);

}  // namespace lockstep::reader
