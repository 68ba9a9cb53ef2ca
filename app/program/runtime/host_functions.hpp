// The C functions of the runtime API as the emulator has them; types are as wide as those that readers see in
// app/program/headers/lockstep_api.h and lockstep_launch.h.
#pragma once

extern "C" {
struct LockstepArgument {
  const void* at;
  unsigned bytes, element_bytes;
  char kind;
  const char* type;
};
struct LockstepLaunchInfo {
  int line;
  const char *file, *name, *texts;
  unsigned grid[3], block[3];
  unsigned long shared;
  void* stream;
  const void* function;
  void (*invoke)(const void* function, void* state);
  void* state;
  unsigned long state_bytes;
  const LockstepArgument* arguments;
  int argument_count, cooperative;
};
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
