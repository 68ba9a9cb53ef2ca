#include "places.hpp"

namespace lockstep {

const char kSourceFolder[] = LOCKSTEP_SOURCE_DIR;
const char kProgram[] = LOCKSTEP_PROGRAM;
const char kFakeWorker[] = LOCKSTEP_FAKE_WORKER;

}  // namespace lockstep
