// What the runtime API answers about the device.
#pragma once
#include "../headers/lockstep_records.h"

extern "C" {
int lockstep_cudaGetDeviceProperties(LockstepDeviceProperties* to, int device);
}
