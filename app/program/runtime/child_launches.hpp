#pragma once
#include "../headers/lockstep_records.h"

namespace lockstep::reader {

// A launch inside a kernel (dynamic parallelism). Its grid runs at once, untraced, to its end.
void launch_child(const LockstepLaunchInfo& info);

}  // namespace lockstep::reader
