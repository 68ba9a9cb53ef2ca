// C functions that the rewritten text calls; their declarations for readers stand in app/program/headers.
#pragma once

extern "C" {
struct LockstepOldValue {
  unsigned long long bits;
  long long event;
};
unsigned lockstep_thread_x();
unsigned lockstep_thread_y();
unsigned lockstep_thread_z();
unsigned lockstep_block_x();
unsigned lockstep_block_y();
unsigned lockstep_block_z();
unsigned lockstep_block_dim_x();
unsigned lockstep_block_dim_y();
unsigned lockstep_block_dim_z();
unsigned lockstep_grid_dim_x();
unsigned lockstep_grid_dim_y();
unsigned lockstep_grid_dim_z();
void lockstep_syncthreads();
int lockstep_syncthreads_reduced(int op, int value);
unsigned long long lockstep_collective(int op, const char* name, unsigned mask, unsigned long long value,
                                       int argument, int width);
unsigned lockstep_active_mask();
LockstepOldValue lockstep_atomic(void* at, int bytes, int op, int type, unsigned long long value,
                                 unsigned long long compare);
unsigned long long lockstep_atomic_result(unsigned long long bits, long long event);
void lockstep_fence(int scope);
void lockstep_shared_described(void* at, unsigned long bytes, const char* name, const char* type, int line,
                               unsigned element_bytes, unsigned long rows, unsigned long cols);
void* lockstep_dynamic_shared(const char* name, const char* type, unsigned long element_bytes, int line);
long long lockstep_clock();
long lockstep_clock_of_caller();
void lockstep_nanosleep(unsigned);
void lockstep_grid_sync();
void lockstep_trap();
int lockstep_printf(const char* format, ...);
int lockstep_puts(const char* text);
int lockstep_system(const char* command);
void* lockstep_popen(const char* command, const char* mode);
void* lockstep_malloc(unsigned long bytes);
void lockstep_free(void* at);
void lockstep_assert_fail(const char* expression, const char* file, unsigned line, const char* function);
}
