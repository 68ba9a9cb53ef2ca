// How many rows and columns a program's arrays have: as a comment says, `// lockstep: in[n][m]`, else as
// their indexing suggests.
#pragma once
#include "program_run.hpp"

namespace lockstep::reader {

// Fills in ProgramArray::shape, of arrays and of the launches' views. A hint that does not fit is a warning
// at its line.
void find_shapes(ProgramRun& run);

}  // namespace lockstep::reader
