// Random numbers inside kernels.
#pragma once
#include "lockstep_random.h"
