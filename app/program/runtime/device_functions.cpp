// What kernels call: where they are, barriers, warp collectives, atomics, shared memory, printf, assert.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "blocks_together.hpp"
#include "device_functions.hpp"
#include "runtime.hpp"

namespace simt = lockstep::simt;
using lockstep::reader::BlocksTogether;
using lockstep::reader::RawFinding;
using lockstep::reader::runtime;
using lockstep::reader::site_here;
using lockstep::reader::tracer;

namespace {

#define LOCKSTEP_HERE __builtin_return_address(0)

template <class T>
std::uint64_t changed(int op, std::uint64_t old_bits, std::uint64_t value_bits, std::uint64_t compare,
                      bool unsigned_) {
  T old, x;
  std::memcpy(&old, &old_bits, sizeof old), std::memcpy(&x, &value_bits, sizeof x);
  T now = old;
  (void)unsigned_;
  switch (op) {
    case '+':
      now = T(old + x);
      break;
    case '-':
      now = T(old - x);
      break;
    case '<':
      now = x < old ? x : old;
      break;
    case '>':
      now = old < x ? x : old;
      break;
    case '=':
      now = x;
      break;
    case 'i':
      now = old >= x ? T(0) : T(old + T(1));
      break;
    case 'd':
      now = old == T(0) || old > x ? x : T(old - T(1));
      break;
    case 'c':
      now = std::memcmp(&old_bits, &compare, sizeof old) == 0 ? x : old;
      break;
    default:
      if constexpr (std::is_integral_v<T>) {
        if (op == '&') now = old & x;
        if (op == '|') now = old | x;
        if (op == '^') now = old ^ x;
      }
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, &now, sizeof now);
  return bits;
}

std::uint64_t changed_of(int bytes, int op, int type, std::uint64_t old, std::uint64_t x,
                         std::uint64_t compare) {
  if (bytes == 8)
    return type == 'f'   ? changed<double>(op, old, x, compare, false)
           : type == 'i' ? changed<std::int64_t>(op, old, x, compare, false)
                         : changed<std::uint64_t>(op, old, x, compare, true);
  if (bytes == 2) return changed<std::uint16_t>(op, old, x, compare, true);
  if (bytes == 1) return changed<std::uint8_t>(op, old, x, compare, true);
  return type == 'f'   ? changed<float>(op, old, x, compare, false)
         : type == 'i' ? changed<std::int32_t>(op, old, x, compare, false)
                       : changed<std::uint32_t>(op, old, x, compare, true);
}

void barrier(void* here) {
  simt::Machine& m = *simt::machine;
  if (tracer().machine) {
    tracer().settle();
    const std::uint32_t me = simt::current->linear;
    m.barrier("", int(site_here(here)));
    tracer().passed_barrier(me);
  } else {
    m.barrier("", 0);
  }
}

}  // namespace

extern "C" {
unsigned lockstep_thread_x() { return simt::current ? simt::current->index.x : 0; }
unsigned lockstep_thread_y() { return simt::current ? simt::current->index.y : 0; }
unsigned lockstep_thread_z() { return simt::current ? simt::current->index.z : 0; }
unsigned lockstep_block_x() { return simt::machine ? simt::machine->block_index.x : 0; }
unsigned lockstep_block_y() { return simt::machine ? simt::machine->block_index.y : 0; }
unsigned lockstep_block_z() { return simt::machine ? simt::machine->block_index.z : 0; }
unsigned lockstep_block_dim_x() { return simt::machine ? simt::machine->block_dim.x : 1; }
unsigned lockstep_block_dim_y() { return simt::machine ? simt::machine->block_dim.y : 1; }
unsigned lockstep_block_dim_z() { return simt::machine ? simt::machine->block_dim.z : 1; }
unsigned lockstep_grid_dim_x() { return simt::machine ? simt::machine->grid_dim.x : 1; }
unsigned lockstep_grid_dim_y() { return simt::machine ? simt::machine->grid_dim.y : 1; }
unsigned lockstep_grid_dim_z() { return simt::machine ? simt::machine->grid_dim.z : 1; }

void lockstep_syncthreads() { barrier(LOCKSTEP_HERE); }

int lockstep_syncthreads_reduced(int op, int value) {
  thread_local int sum[2] = {0, 0};
  const std::uint32_t first = simt::current->linear;
  barrier(LOCKSTEP_HERE);
  if (first == 0) sum[0] = op == '&' ? 1 : 0;
  barrier(LOCKSTEP_HERE);
  sum[0] = op == 'c' ? sum[0] + (value != 0) : op == '&' ? sum[0] && value : sum[0] || value;
  barrier(LOCKSTEP_HERE);
  return sum[0];
}

unsigned long long lockstep_collective(int op, const char* name, unsigned mask, unsigned long long value,
                                       int argument, int width) {
  simt::Collective c;
  c.op = static_cast<simt::Collective::Op>(op), c.name = name, c.mask = mask, c.value = value;
  c.argument = argument, c.width = width, c.line = int(site_here(LOCKSTEP_HERE));
  const bool traced = tracer().machine != nullptr;
  if (traced) tracer().settle();
  const std::uint32_t me = simt::current->linear;
  const unsigned long long result = simt::machine->collective(c);
  if (traced && c.op == simt::Collective::Op::sync) tracer().passed_sync(me);
  return result;
}

unsigned lockstep_active_mask() { return simt::machine ? simt::machine->lanes_not_done() : 1; }

LockstepOldValue lockstep_atomic(void* at, int bytes, int op, int type, unsigned long long value,
                                 unsigned long long compare) {
  const std::ptrdiff_t event = tracer().atomic(at, std::uint32_t(bytes), LOCKSTEP_HERE);
  unsigned long long old = 0;
  std::memcpy(&old, at, std::size_t(bytes));
  const unsigned long long now = changed_of(bytes, op, type, old, value, compare);
  std::memcpy(at, &now, std::size_t(bytes));
  return {old, event};
}
unsigned long long lockstep_atomic_result(unsigned long long bits, long long event) {
  if (tracer().machine) tracer().machine->atomic_result_used(event);
  return bits;
}
void lockstep_fence(int scope) {
  if (tracer().machine && scope > 0) tracer().fence();
}

void lockstep_shared_described(void* at, unsigned long bytes, const char* name, const char* type, int line,
                               unsigned element_bytes, unsigned long rows, unsigned long cols) {
  if (BlocksTogether* together = BlocksTogether::running()) together->note_shared(at, bytes);
  if (tracer().machine)
    tracer().declare_shared(at, bytes, name, type, line, element_bytes, rows, cols, false);
}

void* lockstep_dynamic_shared(const char* name, const char* type, unsigned long element_bytes, int line) {
  void* at = lockstep::reader::dynamic_shared();
  if (!tracer().machine) return at;
  const std::uint64_t bytes = std::uint64_t(tracer().dynamic_bytes);
  if (bytes)
    tracer().declare_shared(at, bytes, name, type, line, unsigned(element_bytes), 1, bytes / element_bytes,
                            true);
  return at;
}

long long lockstep_clock() {
  static thread_local long long ticks = 0;
  return ticks += 64;
}
long lockstep_clock_of_caller() { return simt::machine ? long(lockstep_clock()) : long(std::clock()); }
void lockstep_nanosleep(unsigned) {}
// Blocks wait for one another in cooperative launches alone; elsewhere, but in a grid of one, the launch
// ends.
void lockstep_grid_sync() {
  const auto& grid = simt::machine->grid_dim;
  if (BlocksTogether* together = BlocksTogether::running()) {
    barrier(LOCKSTEP_HERE);
    return together->wait(tracer().site(LOCKSTEP_HERE));
  }
  if (grid.x * grid.y * grid.z == 1) return barrier(LOCKSTEP_HERE);
  RawFinding f;
  f.kind = "unsupported", f.site = tracer().site(LOCKSTEP_HERE);
  f.text = runtime().cooperative_launch ? "a barrier of a grid of more than " +
                                              std::to_string(BlocksTogether::kMostThreads) + " threads"
                                        : "a barrier of the whole grid without cudaLaunchCooperativeKernel";
  tracer().find(std::move(f));
  runtime().recover(801);
}
void shell_refused(void* here) {
  RawFinding f;
  f.kind = "not_allowed", f.site = tracer().site(here), f.text = "a shell", f.thread = -1;
  tracer().find(std::move(f));
  errno = EPERM;
}

void lockstep_trap() {
  RawFinding f;
  f.kind = "trap", f.site = site_here(LOCKSTEP_HERE);
  tracer().find(std::move(f));
  if (runtime().recover(715)) std::abort();
  std::abort();
}

int lockstep_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  int written;
  if (simt::machine) {
    char text[4096];
    written = std::vsnprintf(text, sizeof text, format, arguments);
    simt::machine->print(text);
  } else {
    written = std::vfprintf(stdout, format, arguments);
  }
  va_end(arguments);
  return written;
}
int lockstep_puts(const char* text) {
  if (!simt::machine) return std::puts(text);
  simt::machine->print(std::string(text) + "\n");
  return 1;
}

int lockstep_system(const char* command) {
  if (!runtime().confined) return std::system(command);
  return shell_refused(LOCKSTEP_HERE), -1;
}
void* lockstep_popen(const char* command, const char* mode) {
  if (!runtime().confined) return ::popen(command, mode);
  return shell_refused(LOCKSTEP_HERE), nullptr;
}

void* lockstep_malloc(unsigned long bytes) { return std::malloc(bytes); }
void lockstep_free(void* at) { std::free(at); }

void lockstep_assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  if (!simt::machine) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  RawFinding f;
  f.kind = "assert", f.site = tracer().sites.of_line(file, int(line)), f.text = expression;
  f.block = std::int64_t(simt::machine->block_index.x) +
            std::int64_t(simt::machine->grid_dim.x) *
                (simt::machine->block_index.y +
                 std::int64_t(simt::machine->grid_dim.y) * simt::machine->block_index.z);
  f.thread = simt::current->linear;
  std::fprintf(stderr, "%s:%u: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
               simt::machine->block_index.x, simt::machine->block_index.y, simt::machine->block_index.z,
               simt::current->index.x, simt::current->index.y, simt::current->index.z, expression);
  tracer().find(std::move(f));
  runtime().recover(710);
  std::abort();
}
}
