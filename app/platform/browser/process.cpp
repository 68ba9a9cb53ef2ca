// A page is told nothing of the processor it runs on.
#include "app/platform/process.hpp"

namespace lockstep {

std::string cpu_name() { return "this CPU"; }

}  // namespace lockstep
