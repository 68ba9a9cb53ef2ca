// The runtime API that a reader's host code calls (CUDA Runtime API reference manual): memory, copies,
// errors, streams and events. Everything happens at once and in order; no time is measured.
#include <cmath>
#include <cstring>
#include <string>

#include "app/platform/program_objects.hpp"
#include "child_launches.hpp"
#include "graphs.hpp"
#include "host_functions.hpp"
#include "host_turn.hpp"
#include "runtime.hpp"

using lockstep::reader::Allocation;
using lockstep::reader::GraphNode;
using lockstep::reader::graphs;
using lockstep::reader::HostTurn;
using lockstep::reader::LaunchCall;
using lockstep::reader::OutOfTurn;
using lockstep::reader::ProgramArray;
using lockstep::reader::RawArgument;
using lockstep::reader::RawFinding;
using lockstep::reader::runtime;
using lockstep::reader::tracer;
using lockstep::reader::value_text;

namespace {

enum : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kNoMemory = 2,
  kInvalidPitch = 12,
  kInvalidSymbol = 13,
  kInvalidDirection = 21,
  kInvalidDevice = 101,
  kInvalidHandle = 400
};
constexpr int kHostToHost = 0, kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kDefault = 4;
constexpr unsigned long kPitch = 512;
constexpr unsigned kNonBlocking = 1;

#define LOCKSTEP_HERE __builtin_return_address(0)

thread_local std::string pending_name;  // of the allocation that comes next

// Of a __device__ or __constant__ variable that is named by a text, as CUDA allowed until its version 5.
Allocation* variable_named(const char* name) {
  constexpr std::size_t kLongest = 100;
  const std::string wanted(name, strnlen(name, kLongest));
  for (const auto& a : tracer().memory.all())
    if (a->array.memory >= ProgramArray::Memory::variable && a->array.name == wanted) return a.get();
  return nullptr;
}

int done() { return runtime().sticky ? runtime().error : kSuccess; }

void found(const char* kind, void* here, const Allocation* a = nullptr, const std::string& text = "",
           std::int64_t element = -1) {
  RawFinding f;
  f.kind = kind, f.text = text, f.element = element;
  f.site = runtime().graph_site ? runtime().graph_site : tracer().site(here);
  if (a) {
    f.array = tracer().memory.index_of(*a);
    f.elements = std::int64_t(a->region.bytes() / std::max(1u, a->array.element_bytes));
  }
  f.thread = -1;
  tracer().find(std::move(f));
}

Allocation* at(const void* p) { return tracer().memory.find(reinterpret_cast<std::uintptr_t>(p)); }
bool device_address(const void* p) { return tracer().memory.holds(reinterpret_cast<std::uintptr_t>(p)); }

// One side of a copy: whether `bytes` from `p` on may be touched.
int check_side(const void* p, unsigned long bytes, bool device, void* here) {
  Allocation* a = at(p);
  if (!p) return kInvalidValue;
  if (!a && device_address(p)) {
    found("out_of_bounds", here, tracer().memory.below(reinterpret_cast<std::uintptr_t>(p)), "copy");
    return kInvalidValue;
  }
  if (!a) return device ? kInvalidValue : kSuccess;
  if (!a->live) {
    found("use_after_free", here, a, "copy");
    return kInvalidValue;
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(p);
  if (begin + bytes > a->region.end) {
    found("out_of_bounds", here, a, "copy",
          std::int64_t((begin + bytes - a->region.begin - 1) / std::max(1u, a->array.element_bytes)));
    return kInvalidValue;
  }
  return kSuccess;
}

bool on_device(const void* p) {
  const Allocation* a = at(p);
  return device_address(p) && (!a || a->array.memory != ProgramArray::Memory::pinned);
}

int check_copy(void* to, const void* from, unsigned long bytes, int kind, void* here) {
  if (kind < kHostToHost || kind > kDefault) return kInvalidDirection;
  const bool to_device = kind == kHostToDevice || kind == kDeviceToDevice;
  const bool from_device = kind == kDeviceToHost || kind == kDeviceToDevice;
  if (kind != kDefault) {
    const auto wrong = [&](const void* p, bool device) {
      const Allocation* a = at(p);
      const bool variable = a && !device_address(p);
      if (device) return !device_address(p) && !variable;
      return on_device(p) && a && a->array.memory == ProgramArray::Memory::device;
    };
    if (wrong(to, to_device) || wrong(from, from_device)) {
      found("copy_direction", here, nullptr, wrong(to, to_device) ? "to" : "from");
      return kInvalidValue;
    }
  }
  if (const int error = check_side(to, bytes, to_device, here)) return error;
  return check_side(from, bytes, from_device, here);
}

void copied(void* to, const void* from) {
  if (Allocation* a = at(from); a && !device_address(to))
    a->fetched = true;
  else if (a && at(to) && at(to)->array.memory != ProgramArray::Memory::device)
    a->fetched = true;
  else if (a)
    a->read = true;
}

int copy(void* to, const void* from, unsigned long bytes, int kind, void* here) {
  if (const int error = done()) return error;
  if (bytes == 0) return kSuccess;
  if (const int error = check_copy(to, from, bytes, kind, here)) return runtime().fail(error);
  std::memmove(to, from, bytes);
  copied(to, from);
  return kSuccess;
}

int copy_rows(void* to, unsigned long to_pitch, const void* from, unsigned long from_pitch,
              unsigned long width, unsigned long height, int kind, void* here) {
  if (const int error = done()) return error;
  if (width > to_pitch || width > from_pitch) return runtime().fail(kInvalidPitch);
  if (width == 0 || height == 0) return kSuccess;
  const auto span = [&](unsigned long pitch) { return pitch * (height - 1) + width; };
  if (kind != kDefault) {
    if (const int error = check_copy(to, from, 1, kind, here)) return runtime().fail(error);
  }
  if (const int error = check_side(to, span(to_pitch), false, here)) return runtime().fail(error);
  if (const int error = check_side(from, span(from_pitch), false, here)) return runtime().fail(error);
  for (unsigned long row = 0; row < height; ++row)
    std::memmove(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                 width);
  copied(to, from);
  return kSuccess;
}

int set(void* to, int value, unsigned long bytes, void* here) {
  if (const int error = done()) return error;
  if (bytes == 0) return kSuccess;
  if (!at(to)) {
    if (device_address(to))
      found("out_of_bounds", here, nullptr, "copy");
    else
      found("copy_direction", here, nullptr, "to");
    return runtime().fail(kInvalidValue);
  }
  if (const int error = check_side(to, bytes, true, here)) return runtime().fail(error);
  std::memset(to, value, bytes);
  return kSuccess;
}

int free_memory(void* p, void* here) {
  if (const int error = done()) return error;
  if (!p) return kSuccess;
  Allocation* a = at(p);
  if (!a || a->region.begin != reinterpret_cast<std::uintptr_t>(p) || !device_address(p)) {
    found("bad_free", here, a);
    return runtime().fail(kInvalidValue);
  }
  if (!a->live) {
    found("double_free", here, a);
    return runtime().fail(kInvalidValue);
  }
  a->array.freed_before_launch = runtime().launches();
  tracer().memory.free(*a);
  return kSuccess;
}

// Now, or into the graph that the stream records.
int in_order(void* stream, GraphNode::Kind kind, void* here, std::function<int()> run) {
  return graphs().in_order(stream, kind, tracer().site(here), std::move(run));
}

// Nobody can wait for what is only being recorded.
int waited(void* stream) {
  if (const int error = graphs().not_while_capturing(stream)) return runtime().fail(error);
  return done();
}

}  // namespace

namespace lockstep::reader {

std::string value_text(const RawArgument& a) {
  const void* at = &a.bits;
  char text[40] = "";
  if (a.kind == 'f' && a.bytes == 4) {
    float x;
    std::memcpy(&x, at, 4);
    std::snprintf(text, sizeof text, "%.9g", double(x));
  } else if (a.kind == 'f') {
    double x;
    std::memcpy(&x, at, 8);
    std::snprintf(text, sizeof text, "%.9g", x);
  } else if (a.kind == 'b') {
    return a.bits & 1 ? "true" : "false";
  } else if (a.kind == 'u') {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(a.bits));
  } else if (a.kind == 'i') {
    const int unused = 64 - 8 * int(std::min(8u, a.bytes));
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(a.bits << unused) >> unused);
  }
  return text;
}

std::shared_ptr<void> kept_state(const LaunchCall& call) {
  void* (*const keep)(const void*, void*) = call.keep;
  return {keep(call.state, nullptr), [keep](void* old) { keep(nullptr, old); }};
}

}  // namespace lockstep::reader

extern "C" {

int lockstep_malloc_device(void** at_, unsigned long bytes, int kind, unsigned element_bytes,
                           const char* type) {
  const HostTurn turn;
  if (const int error = done()) return error;
  const std::string name = std::exchange(pending_name, "");
  if (!at_) return runtime().fail(kInvalidValue);
  *at_ = nullptr;
  if (bytes == 0) return kSuccess;
  if (tracer().memory.live_bytes() + bytes > std::uint64_t(runtime().gpu.memory_bytes))
    return runtime().fail(kNoMemory);
  Allocation* a = tracer().memory.allocate(bytes, kind != 0);
  if (!a) return runtime().fail(kNoMemory);
  a->site = tracer().site(LOCKSTEP_HERE);
  a->array.name = name.empty() ? "array " + std::to_string(tracer().memory.index_of(*a) + 1) : name;
  a->array.type = *type ? type : "bytes", a->array.element_bytes = element_bytes;
  a->array.first_launch = runtime().launches();
  a->array.memory = kind == 0   ? ProgramArray::Memory::device
                    : kind == 1 ? ProgramArray::Memory::managed
                                : ProgramArray::Memory::pinned;
  *at_ = reinterpret_cast<void*>(a->region.begin);
  return kSuccess;
}

void lockstep_named(const char* name) { pending_name = name; }

void lockstep_variable(void* at_, unsigned long bytes, const char* name, const char* kind, int line) {
  const HostTurn turn;
  Allocation* a = tracer().memory.adopt(at_, bytes);
  a->array.name = name, a->array.type = "bytes", a->array.line = line;
  a->array.memory = kind[0] == 'c' ? ProgramArray::Memory::constant : ProgramArray::Memory::variable;
  a->region.quiet = kind[0] == 'c';
}

int lockstep_symbol_copy(void* symbol, void* other, unsigned long bytes, unsigned long offset,
                         int to_symbol) {
  const HostTurn turn;
  if (const int error = done()) return error;
  Allocation* a = at(symbol);
  if (!a && (a = variable_named(static_cast<const char*>(symbol))))
    symbol = reinterpret_cast<void*>(a->region.begin);
  void* inside = static_cast<char*>(symbol) + offset;
  if (!a || a->region.begin != reinterpret_cast<std::uintptr_t>(symbol))
    return runtime().fail(kInvalidSymbol);
  if (offset + bytes > a->region.bytes()) return runtime().fail(kInvalidValue);
  std::memmove(to_symbol ? inside : other, to_symbol ? other : inside, bytes);
  if (!to_symbol) a->fetched = true;
  return kSuccess;
}

void lockstep_launch(const LockstepLaunchInfo* info) {
  const HostTurn turn;
  if (runtime().in_kernel()) return lockstep::reader::launch_child(*info);
  LaunchCall call;
  call.file = info->file, call.line = info->line, call.name = info->name, call.texts = info->texts;
  call.site = info->line ? tracer().sites.of_line(info->file, info->line) : 0;
  call.grid = {int(info->grid[0]), int(info->grid[1]), int(info->grid[2])};
  call.block = {int(info->block[0]), int(info->block[1]), int(info->block[2])};
  call.shared = std::int64_t(info->shared), call.stream = info->stream;
  call.function = info->function, call.invoke = info->invoke;
  call.state = info->state, call.state_bytes = info->state_bytes, call.cooperative = info->cooperative != 0;
  call.keep = info->keep;
  for (int i = 0; i < info->argument_count; ++i) {
    const LockstepArgument& given = info->arguments[i];
    RawArgument a;
    a.kind = given.kind, a.bytes = given.bytes, a.element_bytes = given.element_bytes, a.type = given.type;
    if (given.bytes <= 8) std::memcpy(&a.bits, given.at, given.bytes);
    a.value = value_text(a);
    const auto offset = static_cast<const char*>(given.at) - static_cast<const char*>(info->state);
    if (offset >= 0 && std::uint64_t(offset) + given.bytes <= info->state_bytes) a.offset = offset;
    call.arguments.push_back(std::move(a));
  }
  if (graphs().take_launch(call)) return;
  if (const int error = graphs().not_while_capturing(call.stream))
    runtime().fail(error);
  else
    runtime().launch(std::move(call));
}

int lockstep_cudaFree(void* p) {
  const HostTurn turn;
  return free_memory(p, LOCKSTEP_HERE);
}
int lockstep_cudaFreeHost(void* p) {
  const HostTurn turn;
  return free_memory(p, LOCKSTEP_HERE);
}
int lockstep_cudaFreeAsync(void* p, void*) {
  const HostTurn turn;
  return free_memory(p, LOCKSTEP_HERE);
}
int lockstep_cudaMallocPitch(void** p, unsigned long* pitch, unsigned long width, unsigned long height) {
  const HostTurn turn;
  if (!pitch) return runtime().fail(kInvalidValue);
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return lockstep_malloc_device(p, *pitch * height, 0, 0, "");
}
int lockstep_cudaMalloc3D(LockstepPitched* p, LockstepExtent e) {
  const HostTurn turn;
  p->pitch = (e.width + kPitch - 1) / kPitch * kPitch, p->xsize = e.width, p->ysize = e.height;
  return lockstep_malloc_device(&p->ptr, p->pitch * e.height * e.depth, 0, 0, "");
}
int lockstep_cudaHostRegister(void* p, unsigned long bytes, unsigned) {
  const HostTurn turn;
  if (!p) return runtime().fail(kInvalidValue);
  Allocation* a = tracer().memory.adopt(p, bytes);
  a->array.name = "registered", a->array.memory = ProgramArray::Memory::pinned;
  return kSuccess;
}
int lockstep_cudaHostUnregister(void* p) {
  const HostTurn turn;
  Allocation* a = at(p);
  if (!a) return runtime().fail(713);
  a->live = false;
  return kSuccess;
}
int lockstep_cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  const HostTurn turn;
  return *device = host, kSuccess;
}

int lockstep_cudaMemcpy(void* to, const void* from, unsigned long bytes, int kind) {
  const HostTurn turn;
  if (const int error = graphs().not_while_capturing(nullptr)) return runtime().fail(error);
  return copy(to, from, bytes, kind, LOCKSTEP_HERE);
}
int lockstep_cudaMemcpyAsync(void* to, const void* from, unsigned long bytes, int kind, void* stream) {
  const HostTurn turn;
  return in_order(stream, GraphNode::Kind::copy, LOCKSTEP_HERE,
                  [=, here = LOCKSTEP_HERE] { return copy(to, from, bytes, kind, here); });
}
int lockstep_cudaMemcpyPeer(void* to, int, const void* from, int, unsigned long bytes) {
  const HostTurn turn;
  return copy(to, from, bytes, kDeviceToDevice, LOCKSTEP_HERE);
}
int lockstep_cudaMemcpy2D(void* to, unsigned long to_pitch, const void* from, unsigned long from_pitch,
                          unsigned long width, unsigned long height, int kind) {
  const HostTurn turn;
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, LOCKSTEP_HERE);
}
int lockstep_cudaMemcpy2DAsync(void* to, unsigned long to_pitch, const void* from, unsigned long from_pitch,
                               unsigned long width, unsigned long height, int kind, void* stream) {
  const HostTurn turn;
  return in_order(stream, GraphNode::Kind::copy, LOCKSTEP_HERE, [=, here = LOCKSTEP_HERE] {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, here);
  });
}
int lockstep_cudaMemset(void* to, int value, unsigned long bytes) {
  const HostTurn turn;
  return set(to, value, bytes, LOCKSTEP_HERE);
}
int lockstep_cudaMemsetAsync(void* to, int value, unsigned long bytes, void* stream) {
  const HostTurn turn;
  return in_order(stream, GraphNode::Kind::set, LOCKSTEP_HERE,
                  [=, here = LOCKSTEP_HERE] { return set(to, value, bytes, here); });
}
// Rows of elements of 1, 2 or 4 bytes.
int lockstep_set_elements(void* to, unsigned long pitch, unsigned value, unsigned element_bytes,
                          unsigned long width, unsigned long height) {
  const HostTurn turn;
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4) return runtime().fail(kInvalidValue);
  for (unsigned long row = 0; row < height; ++row) {
    char* begin = static_cast<char*>(to) + row * pitch;
    if (const int error = set(begin, 0, width * element_bytes, LOCKSTEP_HERE)) return error;
    for (unsigned long i = 0; i < width; ++i) std::memcpy(begin + i * element_bytes, &value, element_bytes);
  }
  return kSuccess;
}
int lockstep_cudaMemset2D(void* to, unsigned long pitch, int value, unsigned long width,
                          unsigned long height) {
  const HostTurn turn;
  for (unsigned long row = 0; row < height; ++row)
    if (const int error = set(static_cast<char*>(to) + row * pitch, value, width, LOCKSTEP_HERE))
      return error;
  return kSuccess;
}
int lockstep_cudaMemGetInfo(unsigned long* free, unsigned long* total) {
  const HostTurn turn;
  *total = std::uint64_t(runtime().gpu.memory_bytes), *free = *total - tracer().memory.live_bytes();
  return kSuccess;
}
int lockstep_cudaMemPrefetchAsync(const void*, unsigned long, int, void*) { return done(); }
int lockstep_cudaMemAdvise(const void*, unsigned long, int, int) { return done(); }
int lockstep_cudaStreamAttachMemAsync(void*, void*, unsigned long, unsigned) { return done(); }
int lockstep_cudaPointerGetAttributes(LockstepPointerAttributes* to, const void* p) {
  const HostTurn turn;
  const Allocation* a = at(p);
  *to = {0, 0, nullptr, const_cast<void*>(p)};
  if (!a) return kSuccess;
  to->type = a->array.memory == ProgramArray::Memory::managed  ? 3
             : a->array.memory == ProgramArray::Memory::pinned ? 1
                                                               : 2;
  to->devicePointer = const_cast<void*>(p);
  if (to->type == 2) to->hostPointer = nullptr;
  return kSuccess;
}

int lockstep_cudaPeekAtLastError() {
  const HostTurn turn;
  runtime().refused_site = 0;
  return runtime().error;
}
int lockstep_cudaGetLastError() {
  const HostTurn turn;
  const int error = lockstep_cudaPeekAtLastError();
  if (!runtime().sticky) runtime().error = kSuccess;
  return error;
}
int lockstep_cudaDeviceSynchronize() {
  const HostTurn turn;
  return waited(nullptr);
}
int lockstep_cudaThreadSynchronize() { return done(); }
int lockstep_cudaThreadExit() { return done(); }
int lockstep_cudaDeviceReset() {
  const HostTurn turn;
  for (const auto& a : tracer().memory.all())
    if (a->live && a->array.memory <= ProgramArray::Memory::pinned &&
        tracer().memory.holds(a->region.begin)) {
      a->array.freed_before_launch = runtime().launches();
      tracer().memory.free(*a);
    }
  return kSuccess;
}

int lockstep_cudaStreamCreate(void** stream) {
  const HostTurn turn;
  static std::uintptr_t next = lockstep::reader::kFirstStream;
  return *stream = reinterpret_cast<void*>(next++), kSuccess;
}
int lockstep_cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  const HostTurn turn;
  const int error = lockstep_cudaStreamCreate(stream);
  if (flags & kNonBlocking) graphs().set_nonblocking(*stream);
  return error;
}
int lockstep_cudaStreamCreateWithPriority(void** stream, unsigned flags, int) {
  const HostTurn turn;
  return lockstep_cudaStreamCreateWithFlags(stream, flags);
}
int lockstep_cudaStreamGetFlags(void* stream, unsigned* flags) {
  const HostTurn turn;
  return *flags = graphs().is_nonblocking(stream) ? kNonBlocking : 0, done();
}
int lockstep_cudaStreamGetPriority(void*, int* priority) { return *priority = 0, done(); }
int lockstep_cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  const HostTurn turn;
  return *least = 0, *greatest = -5, kSuccess;
}
int lockstep_cudaStreamDestroy(void*) { return done(); }
int lockstep_cudaStreamSynchronize(void* stream) {
  const HostTurn turn;
  return waited(stream);
}
int lockstep_cudaStreamQuery(void* stream) {
  const HostTurn turn;
  return waited(stream);
}
int lockstep_cudaStreamWaitEvent(void* stream, void* event, unsigned) {
  const HostTurn turn;
  return graphs().wait_event(stream, event), done();
}
int lockstep_cudaStreamAddCallback(void* stream, void (*function)(void*, int, void*), void* data, unsigned) {
  const HostTurn turn;
  const int error = done();
  const OutOfTurn others;
  return function(stream, error, data), kSuccess;
}
int lockstep_cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  const HostTurn turn;
  return in_order(stream, GraphNode::Kind::host, LOCKSTEP_HERE, [=] {
    const OutOfTurn others;
    return function(data), kSuccess;
  });
}
int lockstep_cudaEventCreate(void** event) {
  const HostTurn turn;
  static std::uintptr_t next = 16;
  return *event = reinterpret_cast<void*>(next++), kSuccess;
}
int lockstep_cudaEventCreateWithFlags(void** event, unsigned) { return lockstep_cudaEventCreate(event); }
int lockstep_cudaEventDestroy(void*) { return done(); }
int lockstep_cudaEventRecord(void* event, void* stream) {
  const HostTurn turn;
  return graphs().record_event(event, stream), done();
}
int lockstep_cudaEventRecordWithFlags(void* event, void* stream, unsigned) {
  const HostTurn turn;
  return lockstep_cudaEventRecord(event, stream);
}
int lockstep_cudaEventSynchronize(void*) { return done(); }
int lockstep_cudaEventQuery(void*) { return done(); }
int lockstep_cudaEventElapsedTime(float* ms, void*, void*) {
  const HostTurn turn;
  if (!ms) return runtime().fail(kInvalidValue);
  *ms = std::nanf("");
  static bool told = false;
  if (!told) runtime().out->note("times");
  told = true;
  return kSuccess;
}
}
