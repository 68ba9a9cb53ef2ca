// The C functions of the runtime API as the emulator has them; types are as wide as those that readers see in
// app/program/headers/lockstep_api.h and lockstep_launch.h.
#pragma once
#include <memory>
#include <string>

#include "../headers/lockstep_records.h"

namespace lockstep::reader {
struct RawArgument;
struct LaunchCall;
// A number as C++ writes it; "" of anything else.
std::string value_text(const RawArgument& argument);
// A state of its own for a launch that outlives the call.
std::shared_ptr<void> kept_state(const LaunchCall& call);
}  // namespace lockstep::reader

extern "C" {
struct LockstepPitched {
  void* ptr;
  unsigned long pitch, xsize, ysize;
};
struct LockstepExtent {
  unsigned long width, height, depth;
};
struct LockstepPointerAttributes {
  int type, device;
  void *devicePointer, *hostPointer;
};
int lockstep_malloc_device(void** at, unsigned long bytes, int kind, unsigned element_bytes,
                           const char* type);
void lockstep_named(const char* name);
void lockstep_variable(void* at, unsigned long bytes, const char* name, const char* kind, int line);
int lockstep_symbol_copy(void* symbol, void* other, unsigned long bytes, unsigned long offset, int to_symbol);
void lockstep_launch(const LockstepLaunchInfo* info);
int lockstep_cudaPeekAtLastError();
int lockstep_cudaStreamCreate(void** stream);
int lockstep_cudaEventCreate(void** event);
}
