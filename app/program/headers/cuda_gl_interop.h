// Drawing with what a kernel wrote is not supported: only the header is there, for programs that do not draw.
#pragma once
#ifndef LOCKSTEP_DEVICE_H
#include "lockstep_device.h"
#endif
