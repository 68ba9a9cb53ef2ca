// The dialect of lab.cuh that records: every access of every thread goes to the thread's own slots in global
// memory. One writer per slot, no atomics; what finds no slot is counted. Included by lab.cuh alone. The grid
// is launched in windows of blocks: blockIdx and gridDim are those of the whole grid.
#pragma once
#include <cuda_runtime.h>

#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/name.cuh"
#include "kernels/cuda/trace_state.cuh"

namespace lab {

using lockstep::Access;
using lockstep::Kind;

static __constant__ lockstep::cuda::TraceState trace_state;

LAB_DEVICE uint3 window_block() { return blockIdx; }
LAB_DEVICE uint3 grid_block() {
  const unsigned long long b = trace_state.first_block + window_block().x;
  const unsigned x = trace_state.grid_x, y = trace_state.grid_y;
  return {unsigned(b % x), unsigned(b / x % y), unsigned(b / x / y)};
}
LAB_DEVICE uint3 grid_extents() { return {trace_state.grid_x, trace_state.grid_y, trace_state.grid_z}; }

LAB_DEVICE unsigned linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
LAB_DEVICE std::uint64_t thread_slot() {
  return std::uint64_t(window_block().x) * (blockDim.x * blockDim.y * blockDim.z) + linear_thread();
}

consteval std::uint16_t site_file(const char* path) { return lockstep::file_id(path); }

// An index that knows the line it stands in.
struct At {
  int i;
  std::uint16_t line, file;
  LAB_DEVICE At(int i_, int line_ = __builtin_LINE(), std::uint16_t file_ = site_file(__builtin_FILE()))
      : i(i_), line(std::uint16_t(line_)), file(file_) {}
};

// Returns the thread's slot with the event; nullptr where there was none left.
LAB_DEVICE Access* record(std::uint32_t offset, std::uint16_t file, std::uint16_t line, std::uint16_t view,
                          int width, Kind kind) {
  const std::uint64_t t = thread_slot();
  const std::uint32_t k = trace_state.counts[t]++;
  if (k >= trace_state.capacity) return nullptr;
  Access* const slot = &trace_state.slots[t * trace_state.capacity + k];
  *slot = {offset, __activemask(), std::uint32_t(clock()), file, line, view, std::uint8_t(width), kind};
  return slot;
}
LAB_DEVICE Access* record(const At& at, std::uint16_t view, std::uint32_t offset, int width, Kind kind) {
  return record(offset, at.file, at.line, view, width, kind);
}

// Whether the thread's last event was this one.
LAB_DEVICE bool is_last_event(std::uint16_t view, std::uint32_t offset, Kind kind) {
  const std::uint64_t t = thread_slot();
  const std::uint32_t k = trace_state.counts[t];
  if (k == 0 || k > trace_state.capacity) return false;
  const Access& last = trace_state.slots[t * trace_state.capacity + k - 1];
  return last.view == view && last.offset == offset && last.kind == kind;
}

// The view of a shared array, by the place of its declaration.
LAB_DEVICE std::uint16_t shared_view(std::uint16_t file, int line) {
  for (unsigned i = 0; i < trace_state.renamed_count; ++i)
    if (trace_state.renamed[i].file == file && trace_state.renamed[i].line == line)
      return trace_state.renamed[i].view;
  return std::uint16_t(lockstep::kFirstSharedView + line);
}

LAB_DEVICE void traced_barrier(std::uint16_t file, int line) {
  record(0, file, std::uint16_t(line), 0, 0, Kind::barrier);
  __syncthreads();
}

// What &in[i] gives: atomics, __ldg and __stcs take it.
template <class Ref>
struct TracedPointer {
  Ref ref;
};

template <class T>
struct TracedRef {
  using Value = std::remove_cv_t<T>;
  T* address;
  std::uint32_t offset;
  std::uint16_t view;
  At at;
  LAB_DEVICE TracedRef(T* a, std::uint32_t o, std::uint16_t v, At site)
      : address(a), offset(o), view(v), at(site) {}
  TracedRef(const TracedRef&) = default;
  LAB_DEVICE Value load(Kind kind = Kind::load) const {
    record(at, view, offset, sizeof(T), kind);
    return *address;
  }
  // What others are waited for with: asked again and again, it is one event.
  LAB_DEVICE Value ask() const {
    if (!is_last_event(view, offset, Kind::load_l2)) record(at, view, offset, sizeof(T), Kind::load_l2);
    return *const_cast<const volatile Value*>(address);
  }
  LAB_DEVICE void tell(Value x) const {
    record(at, view, offset, sizeof(T), Kind::store);
    *const_cast<volatile Value*>(address) = x;
  }
  LAB_DEVICE void store(Value x) const {
    record(at, view, offset, sizeof(T), Kind::store);
    *address = x;
  }
  LAB_DEVICE operator Value() const { return load(); }
  LAB_DEVICE TracedPointer<TracedRef> operator&() const { return {*this}; }
  LAB_DEVICE const TracedRef& operator=(Value x) const { return store(x), *this; }
  LAB_DEVICE const TracedRef& operator=(const TracedRef& other) const { return store(other.load()), *this; }
  template <class U>
  LAB_DEVICE const TracedRef& operator+=(const U& x) const {
    return store(Value(load() + x)), *this;
  }
  template <class U>
  LAB_DEVICE const TracedRef& operator-=(const U& x) const {
    return store(Value(load() - x)), *this;
  }
  template <class U>
  LAB_DEVICE const TracedRef& operator*=(const U& x) const {
    return store(Value(load() * x)), *this;
  }
};

template <class T>
struct TracedView {
  T* data;
  std::uint16_t view;
  LAB_DEVICE TracedRef<T> operator[](At at) const {
    return {data + at.i, std::uint32_t(std::int64_t(at.i) * std::int64_t(sizeof(T))), view, at};
  }
  template <class U, class = std::enable_if_t<std::is_same_v<U, T> && !std::is_const_v<T>>>
  operator TracedView<const U>() const {
    return {data, view};
  }
};

// An address in a global array, as the host names it: in + first.
struct HostAddress {
  void* data;
  template <class T>
  HostAddress(const TracedView<T>& view) : data(const_cast<std::remove_const_t<T>*>(view.data)) {}
};
template <class T>
HostAddress operator+(TracedView<T> view, std::int64_t elements) {
  view.data += elements;
  return view;
}

template <class T>
struct TracedView2 {
  TracedView<T> flat;
  int cols;
  struct Row {
    TracedView<T> flat;
    int first;
    LAB_DEVICE TracedRef<T> operator[](At at) const {
      at.i += first;
      return flat[at];
    }
  };
  LAB_DEVICE Row operator[](int row) const { return {flat, row * cols}; }
};

struct Traced {
  template <class T>
  using view = TracedView<T>;
  template <class T>
  using view2 = TracedView2<T>;
};
using BuildProbe = Traced;

template <class T, class P>
using View = typename P::template view<T>;
template <class T, class P>
using View2 = typename P::template view2<T>;

// Of elements that other blocks write meanwhile.
template <class T>
struct VolatileView {
  TracedView<T> view;
  struct Ref {
    TracedRef<T> ref;
    LAB_DEVICE operator T() const { return ref.ask(); }
    LAB_DEVICE const Ref& operator=(T x) const { return ref.tell(x), *this; }
  };
  LAB_DEVICE Ref operator[](At at) const { return {view[at]}; }
};
template <class V, class T>
requires std::is_volatile_v<V> LAB_DEVICE VolatileView<std::remove_volatile_t<V>> as(TracedView<T> v) {
  return {{reinterpret_cast<std::remove_volatile_t<V>*>(v.data), v.view}};
}
template <class V, class T>
requires(!std::is_volatile_v<V>) __host__ LAB_DEVICE TracedView<V> as(TracedView<T> v) {  // launchers, too
  return {reinterpret_cast<V*>(v.data), v.view};
}

template <class T, int kPitch, class Swizzle>
struct TracedTile {
  T* data;
  std::uint16_t view;
  struct Row {
    T* data;
    std::uint16_t view;
    int row;
    LAB_DEVICE TracedRef<T> operator[](At at) const {
      at.i = row * kPitch + Swizzle::column(row, at.i);
      return TracedView<T>{data, view}[at];
    }
  };
  LAB_DEVICE Row operator[](int row) const { return {data, view, row}; }
};

// The same bytes as wider elements.
template <class V, class T, int kPitch>
LAB_DEVICE auto as(const TracedTile<T, kPitch, NoSwizzle>& tile) {
  static_assert(kPitch * sizeof(T) % sizeof(V) == 0, "a row must hold a whole number of the wider elements");
  return TracedTile<V, kPitch * sizeof(T) / sizeof(V), NoSwizzle>{reinterpret_cast<V*>(tile.data), tile.view};
}

template <class T>
LAB_DEVICE typename TracedRef<T>::Value load_if(bool condition, const TracedRef<T>& source) {
  return condition ? source.load() : typename TracedRef<T>::Value{};
}

// What ldmatrix takes; the lane reads the element.
template <class T>
LAB_DEVICE unsigned shared_address(const TracedRef<T>& element) {
  record(element.at, element.view, element.offset, sizeof(T), Kind::load);
  return static_cast<unsigned>(__cvta_generic_to_shared(element.address));
}

// Copies are recorded at their issue; the hardware completes them before the wait returns. Where the
// condition is false nothing is read.
template <class T, class U>
LAB_DEVICE void copy_async_if(bool condition, const TracedRef<T>& target, const TracedRef<U>& source) {
  static_assert(sizeof(T) == sizeof(U) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16));
  const std::uint32_t issue = trace_state.counts[thread_slot()];
  if (condition) record(target.at, source.view, source.offset, sizeof(T), Kind::copy_issue);
  record(target.at, target.view, target.offset, sizeof(T), Kind::copy_target);
  lockstep::cuda::issue_copy(
      trace_state, thread_slot(),
      {condition ? source.offset : 0, target.offset, sizeof(T), 0, issue, 0, 0,
       condition ? source.view : lockstep::kZeros, target.view, target.at.file, target.at.line});
#if __CUDA_ARCH__ >= 800
  issue_copy_async<sizeof(T)>(static_cast<unsigned>(__cvta_generic_to_shared(target.address)), source.address,
                              condition ? int(sizeof(T)) : 0);
#else
  if (condition)
    *target.address = *source.address;
  else
    *target.address = T{};
#endif
}
template <class T, class U>
LAB_DEVICE void copy_async(const TracedRef<T>& target, const TracedRef<U>& source) {
  copy_async_if(true, target, source);
}
LAB_DEVICE void copy_async_commit() {
  lockstep::cuda::commit_copies(trace_state, thread_slot());
  commit_copy_async();
}
template <int kPending>
LAB_DEVICE void copy_async_wait() {
  lockstep::cuda::wait_copies(trace_state, thread_slot(), kPending);
  wait_copy_async<kPending>();
}

// The kernel's own words: the step that begins, a number that it holds.
LAB_DEVICE void remark(Name name, std::uint32_t index, std::uint32_t bits, Kind kind, int line,
                       std::uint16_t file) {
  const std::uint64_t t = thread_slot();
  const std::uint32_t k = trace_state.counts[t]++;
  if (k >= trace_state.capacity) return;
  trace_state.slots[t * trace_state.capacity + k] = {
      index, bits, std::uint32_t(clock()), file, std::uint16_t(line), name.id, 0, kind};
}
LAB_DEVICE void begin_step(Name name, int index, int line = __builtin_LINE(),
                           std::uint16_t file = site_file(__builtin_FILE())) {
  remark(name, std::uint32_t(index), 0, Kind::mark, line, file);
}
LAB_DEVICE void show(Name name, int index, float x, int line = __builtin_LINE(),
                     std::uint16_t file = site_file(__builtin_FILE())) {
  remark(name, std::uint32_t(index), __float_as_uint(x), Kind::value, line, file);
}
LAB_DEVICE void show(Name name, int index, int x, int line = __builtin_LINE(),
                     std::uint16_t file = site_file(__builtin_FILE())) {
  remark(name, std::uint32_t(index), std::uint32_t(x), Kind::value, line, file);
}
LAB_DEVICE void arithmetic(int instructions, int line = __builtin_LINE(),
                           std::uint16_t file = site_file(__builtin_FILE())) {
  record(std::uint32_t(instructions), file, std::uint16_t(line), 0, 0, Kind::arithmetic);
}
LAB_DEVICE void show_if(bool condition, Name name, int index, float x, int line = __builtin_LINE(),
                        std::uint16_t file = site_file(__builtin_FILE())) {
  remark(name, condition ? std::uint32_t(index) : lockstep::kNotShown, __float_as_uint(x), Kind::value, line,
         file);
}

#include "kernels/cuda/traced_warp.inl"

struct Binding : DeviceBinding {
  template <class P, class T>
  TracedView<T> view(int id) const {
    return {static_cast<T*>(buffers[id].data), std::uint16_t(id)};
  }
};

// Of this translation unit alone: two rungs with the same signature must not share the code that fills
// trace_state.
namespace {
template <class P>
class Launcher {
 public:
  explicit Launcher(lockstep::cuda::TracedLaunches& launches) : launches_(launches) {}
  template <class... Parameters, class... Arguments>
  void launch(const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
              Arguments... arguments) {
    launch_shared(name, kernel, grid, block, 0, arguments...);
  }
  // One after another here; what its kernel waits for (dependents.cuh) has ended.
  template <class... Parameters, class... Arguments>
  void launch_dependent(const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
                        Arguments... arguments) {
    launch(name, kernel, grid, block, arguments...);
  }
  // Of a kernel with __cluster_dims__(blocks, 1, 1).
  template <class... Parameters, class... Arguments>
  void launch_cluster(int, const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
                      Arguments... arguments) {
    launch_shared(name, kernel, grid, block, 0, arguments...);
  }
  template <class... Parameters, class... Arguments>
  void launch_cluster_shared(int, const char* name, void (*kernel)(Parameters...), Extents grid,
                             Extents block, long bytes, Arguments... arguments) {
    launch_shared(name, kernel, grid, block, bytes, arguments...);
  }
  template <class... Parameters, class... Arguments>
  void launch_shared(const char* name, void (*kernel)(Parameters...), Extents grid, Extents block, long bytes,
                     Arguments... arguments) {
    const auto start = [&](const lockstep::cuda::TraceState& state, unsigned blocks) {
      int error = cudaMemcpyToSymbol(trace_state, &state, sizeof state);
      if (error) return error;
      kernel<<<blocks, dim3(block.x, block.y, block.z), bytes>>>(arguments...);
      return int(cudaGetLastError());
    };
    launches_.run(name, reinterpret_cast<const void*>(kernel), grid, block, bytes,
                  lockstep::cuda::StartWindow(start));
  }
  void refuse(const std::string& why) { launches_.refuse(why); }
  template <class... Parameters, class... Arguments>
  void launch_on(Stream, const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
                 Arguments... arguments) {
    launch(name, kernel, grid, block, arguments...);
  }

  // What the host does besides; here one after another.
  static Stream stream(int which) { return {which + 1}; }
  void cudaMemcpy(HostAddress to, HostAddress from, std::size_t bytes, cudaMemcpyKind kind) {
    const bool in = kind == cudaMemcpyHostToDevice;
    launches_.host(in ? LaunchLog::Host::copy_in : LaunchLog::Host::copy_out, to.data, from.data, bytes);
  }
  void cudaMemcpyAsync(HostAddress to, HostAddress from, std::size_t bytes, cudaMemcpyKind kind, Stream) {
    cudaMemcpy(to, from, bytes, kind);
  }
  void prefetch_to_device(HostAddress data, std::size_t bytes) {
    launches_.host(LaunchLog::Host::prefetch_in, nullptr, data.data, bytes);
  }
  void prefetch_to_host(HostAddress data, std::size_t bytes) {
    launches_.host(LaunchLog::Host::prefetch_out, nullptr, data.data, bytes);
  }
  void read_on_host(HostAddress data, std::size_t bytes) {
    launches_.host(LaunchLog::Host::read, nullptr, data.data, bytes);
  }

  // Where the next launch stands among streams; here all run one after another.
  void place(int, const std::vector<int>&) {}

 private:
  lockstep::cuda::TracedLaunches& launches_;
};
}  // namespace

}  // namespace lab

#define LAB_SHARED_3(T, name, size)              \
  __shared__ alignas(16) T name##_storage[size]; \
  const TracedView<T> name { name##_storage, ::lab::shared_view(::lab::site_file(__FILE__), __LINE__) }
#define LAB_SHARED_4(T, name, rows, pitch) LAB_SHARED_5(T, name, rows, pitch, NoSwizzle)
#define LAB_SHARED_5(T, name, rows, pitch, ...)                              \
  __shared__ alignas(16) T name##_storage[(rows) * (pitch)];                 \
  const TracedTile<T, pitch, __VA_ARGS__> name {                             \
    name##_storage, ::lab::shared_view(::lab::site_file(__FILE__), __LINE__) \
  }
#define LAB_PICK(_1, _2, _3, _4, _5, chosen, ...) chosen
#define SHARED(...) LAB_PICK(__VA_ARGS__, LAB_SHARED_5, LAB_SHARED_4, LAB_SHARED_3)(__VA_ARGS__)
#define DYNAMIC_SHARED(T, name, rows, pitch, first_byte)             \
  extern __shared__ __align__(16) unsigned char lab_dynamic_bytes[]; \
  const TracedTile<T, pitch, NoSwizzle> name {                       \
    reinterpret_cast<T*>(lab_dynamic_bytes + (first_byte)),          \
        ::lab::shared_view(::lab::site_file(__FILE__), __LINE__)     \
  }
#define LAB_ITERATION(k) record(std::uint32_t(k), ::lab::site_file(__FILE__), __LINE__, 0, 0, Kind::iteration)

#define blockIdx (::lab::grid_block())
#define gridDim (::lab::grid_extents())
#define __syncthreads() ::lab::traced_barrier(::lab::site_file(__FILE__), __LINE__)
