#pragma once
#include "../lockstep_thrust.h"
