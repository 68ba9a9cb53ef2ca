// The graph functions of the runtime API; readers see them in app/program/headers/lockstep_graph.h.
#pragma once
#include "../headers/lockstep_records.h"

extern "C" {
const char* lockstep_kernel_name(const void* function);
void lockstep_kernel_known(const void* function, const char* name, LockstepLaunchFromPointers launch);
int lockstep_launch_known(const void* function, const LockstepPointerLaunch* how, void* stream,
                          int cooperative);
int lockstep_cudaStreamBeginCapture(void* stream, int mode);
}
