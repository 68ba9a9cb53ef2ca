// What every reader's program sees before its first line: CUDA C++ as the CUDA C++ Programming Guide and the runtime's
// reference manual describe it, for one that runs on the emulator. Names that begin with lockstep_ are the
// emulator's; the others are CUDA's.
#ifndef LOCKSTEP_DEVICE_H
#define LOCKSTEP_DEVICE_H
#ifndef __cplusplus
#include "lockstep_c.h"
#else
#pragma clang system_header
#include "lockstep_redirect.h"
// As nvcc says of itself when it compiles for the device that is described here.
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDA_ARCH__ 900
// The standard headers that nvcc brings along or that programs forget.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <math.h>
#include <tuple>
#include <type_traits>
#include <utility>

#define LOCKSTEP_INLINE inline __attribute__((always_inline, nodebug))
#define LOCKSTEP_UNTRACED __attribute__((no_sanitize("thread")))
#define LOCKSTEP_CONST __attribute__((const, nothrow))

#include "lockstep_types.h"
#include "lockstep_launch.h"
#include "lockstep_shared.h"
#include "lockstep_math.h"
#include "lockstep_atomics.h"
#include "lockstep_warp.h"
#include "lockstep_api.h"
#include "lockstep_asm.h"
#include "lockstep_asm_matrix.h"
#include "lockstep_more.h"
#include "lockstep_texture.h"
#include "lockstep_graph.h"
#include "lockstep_texture_references.h"
#endif
#endif
