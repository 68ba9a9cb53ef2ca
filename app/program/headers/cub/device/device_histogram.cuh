#pragma once
#include "../lockstep_cub.h"
