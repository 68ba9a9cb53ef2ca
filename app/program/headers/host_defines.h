// All of it is there before the first line.
#pragma once
#include "lockstep_device.h"
