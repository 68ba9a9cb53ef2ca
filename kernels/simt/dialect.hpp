// The dialect of lab.cuh on the CPU emulator. Included by lab.cuh alone.
#pragma once
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "app/model/portable.hpp"
#include "kernels/binding.hpp"
#include "machine.hpp"

namespace lab {

using std::max, std::min;

// An index that knows the line it stands in.
struct At {
  std::int64_t i;
  const char* file;
  int line;
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
  At(I i_, int line_ = __builtin_LINE(), const char* file_ = __builtin_FILE())
      : i(static_cast<int>(i_)), file(file_), line(line_) {}
};

namespace detail {
using namespace lockstep;

inline void record(const At& at, std::uint32_t offset, std::uint16_t view, std::uint32_t width, Kind kind) {
  simt::Machine& m = *simt::machine;
  if (m.options().trace)
    m.record({offset, 0, 0, m.file_id_of(at.file), std::uint16_t(at.line), view, std::uint8_t(width), kind});
}

// What an atomic on global memory gives. One whose result nobody asks for is a reduction (RED), which is
// counted apart: asking is converting this to a value, as in `int old = atomicAdd(&in[i], 1)`.
template <class T>
class AtomicResult {
 public:
  AtomicResult(T old, std::ptrdiff_t event) : old_(old), event_(event) {}
  operator T() const {
    simt::machine->atomic_result_used(event_);
    return old_;
  }

 private:
  T old_;
  std::ptrdiff_t event_;  // in the thread's stream
};

// What a refused load gives: all bits set, a NaN as float.
template <class T>
T poison() {
  std::remove_const_t<T> x;
  std::memset(static_cast<void*>(&x), 0xff, sizeof x);
  return x;
}

// The arithmetic that every reference has on top of load and store.
template <class Self, class T>
struct Assignable {
  using Value = std::remove_const_t<T>;
  Value get() const { return static_cast<const Self*>(this)->load(); }
  operator Value() const { return get(); }
  const Self& set(Value x) const {
    static_cast<const Self*>(this)->store(x);
    return *static_cast<const Self*>(this);
  }
  template <class U>
  const Self& operator+=(const U& x) const {
    return set(Value(get() + x));
  }
  template <class U>
  const Self& operator-=(const U& x) const {
    return set(Value(get() - x));
  }
  template <class U>
  const Self& operator*=(const U& x) const {
    return set(Value(get() * x));
  }
};

// What &in[i] gives: atomics, __ldg and __stcs take it.
template <class Ref>
struct Pointer {
  Ref ref;
};

template <class T>
struct GlobalRef : Assignable<GlobalRef<T>, T> {
  T* data;
  std::int64_t size;
  std::uint16_t view;
  At at;
  GlobalRef(T* d, std::int64_t s, std::uint16_t v, At a) : data(d), size(s), view(v), at(a) {}
  GlobalRef(const GlobalRef&) = default;
  bool allowed(bool store) const {
    simt::Machine& m = *simt::machine;
    m.meet_others();
    return !m.options().checks || m.check_global(at.i, size, sizeof(T), data + at.i, at.file, at.line, store);
  }
  // What stands there for the running block.
  std::remove_const_t<T> value() const {
    simt::Machine& m = *simt::machine;
    if (!m.reads_aside(view)) return data[at.i];
    std::remove_const_t<T> x;
    m.aside()->read(data + at.i, static_cast<void*>(&x), sizeof x);
    return x;
  }
  std::remove_const_t<T> load(Kind kind = Kind::load) const {
    if (!allowed(false)) return poison<T>();
    record(at, std::uint32_t(at.i * std::int64_t(sizeof(T))), view, sizeof(T), kind);
    return value();
  }
  void store(std::remove_const_t<T> x) const {
    static_assert(!std::is_const_v<T>, "a view of const elements cannot be written");
    if (!allowed(true)) return;
    record(at, std::uint32_t(at.i * std::int64_t(sizeof(T))), view, sizeof(T), Kind::store);
    if (simt::SetAside* aside = simt::machine->aside())
      aside->store(view, data + at.i, x);
    else
      data[at.i] = x;
  }
  // What others are waited for with.
  std::remove_const_t<T> ask() const {
    if (!allowed(false)) return poison<T>();
    if (!simt::machine->asks_again(data + at.i))
      record(at, std::uint32_t(at.i * std::int64_t(sizeof(T))), view, sizeof(T), Kind::load_l2);
    return value();
  }
  // Reads, changes and writes in one; gives what stood there.
  template <class F>
  AtomicResult<T> exchange(F change) const {
    static_assert(!std::is_const_v<T>, "a view of const elements cannot be written");
    if (!allowed(true)) return {poison<T>(), -1};
    simt::Machine& m = *simt::machine;
    record(at, std::uint32_t(at.i * std::int64_t(sizeof(T))), view, sizeof(T), Kind::reduction);
    const T old = value();
    if (simt::SetAside* aside = m.aside())
      aside->exchange(view, data + at.i, change);
    else
      data[at.i] = change(old);
    return {old, m.last_event()};
  }
  Pointer<GlobalRef> operator&() const { return {*this}; }
  const GlobalRef& operator=(std::remove_const_t<T> x) const { return this->set(x); }
  const GlobalRef& operator=(const GlobalRef& other) const { return this->set(other.load()); }
};

template <class T>
struct SharedRef : Assignable<SharedRef<T>, T> {
  simt::SharedArray* array;
  std::int64_t offset;  // bytes from the array's start
  At at;
  SharedRef(simt::SharedArray* s, std::int64_t o, At a) : array(s), offset(o), at(a) {}
  SharedRef(const SharedRef&) = default;
  std::uint8_t* address() const { return array->data + offset; }
  bool allowed(Kind kind, const T* value = nullptr) const {
    simt::Machine& m = *simt::machine;
    if (kind != Kind::load) m.meet_others();
    return !m.options().checks ||
           m.check_shared(*array, offset, sizeof(T), m.file_id_of(at.file), at.line, kind, value);
  }
  T load() const {
    if (!allowed(Kind::load)) return poison<T>();
    record(at, std::uint32_t(offset), array->id, sizeof(T), Kind::load);
    T x;
    std::memcpy(static_cast<void*>(&x), address(), sizeof x);
    return x;
  }
  void store(T x) const {
    if (!allowed(Kind::store, &x)) return;
    record(at, std::uint32_t(offset), array->id, sizeof(T), Kind::store);
    std::memcpy(address(), static_cast<const void*>(&x), sizeof x);
  }
  template <class F>
  T exchange(F change) const {
    if (!allowed(Kind::atomic)) return poison<T>();
    record(at, std::uint32_t(offset), array->id, sizeof(T), Kind::atomic);
    T old;
    std::memcpy(static_cast<void*>(&old), address(), sizeof old);
    const T now = change(old);
    std::memcpy(address(), static_cast<const void*>(&now), sizeof now);
    return old;
  }
  Pointer<SharedRef> operator&() const { return {*this}; }
  const SharedRef& operator=(T x) const { return this->set(x); }
  const SharedRef& operator=(const SharedRef& other) const { return this->set(other.load()); }
};

}  // namespace detail

// A kernel argument: `size` elements in global memory.
template <class T>
struct GlobalView {
  T* data = nullptr;
  std::int64_t size = 0;
  std::uint16_t view = 0;
  detail::GlobalRef<T> operator[](At at) const { return {data, size, view, at}; }
  template <class U, class = std::enable_if_t<std::is_same_v<U, T> && !std::is_const_v<T>>>
  operator GlobalView<const U>() const {
    return {data, size, view};
  }
};

// The same of elements that other blocks write meanwhile: they are waited for by it.
template <class T>
struct VolatileView {
  GlobalView<T> view;
  struct Ref {
    detail::GlobalRef<T> ref;
    operator T() const { return ref.ask(); }
    const Ref& operator=(T x) const { return ref.store(x), *this; }
  };
  Ref operator[](At at) const { return {view[at]}; }
};

// An address in a global array, as the host names it: in + first.
struct HostAddress {
  std::uint8_t* array = nullptr;  // nullptr where there is no memory behind it
  std::int64_t size = 0, byte = 0;
  int buffer = -1;
  template <class T>
  HostAddress(const GlobalView<T>& view)
      : array(reinterpret_cast<std::uint8_t*>(const_cast<std::remove_const_t<T>*>(view.data))),
        size(view.size * std::int64_t(sizeof(T))),
        buffer(view.view) {}
  bool holds(std::int64_t bytes) const { return byte >= 0 && bytes >= 0 && byte + bytes <= size; }
};
template <class T>
HostAddress operator+(const GlobalView<T>& view, std::int64_t elements) {
  HostAddress address = view;
  address.byte = elements * std::int64_t(sizeof(T));
  return address;
}
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

template <class T>
struct GlobalView2 {
  GlobalView<T> flat;
  int cols = 0;
  struct Row {
    GlobalView<T> flat;
    std::int64_t first;
    detail::GlobalRef<T> operator[](At at) const {
      at.i += first;
      return {flat.data, flat.size, flat.view, at};
    }
  };
  Row operator[](std::int64_t row) const { return {flat, row * cols}; }
};

// Shared memory as rows of kPitch elements.
template <class T, int kPitch, class Swizzle>
struct Tile {
  lockstep::simt::SharedArray* array;
  struct Row {
    lockstep::simt::SharedArray* array;
    int row;
    detail::SharedRef<T> operator[](At at) const {
      return {array, (std::int64_t(row) * kPitch + Swizzle::column(row, int(at.i))) * std::int64_t(sizeof(T)),
              at};
    }
  };
  Row operator[](int row) const { return {array, row}; }
};
template <class T>
struct SharedRow {
  lockstep::simt::SharedArray* array;
  detail::SharedRef<T> operator[](At at) const { return {array, at.i * std::int64_t(sizeof(T)), at}; }
};

// The same bytes as wider elements.
template <class V, class T>
requires(!std::is_volatile_v<V>) GlobalView<V> as(GlobalView<T> view) {
  return {reinterpret_cast<V*>(view.data), view.size * std::int64_t(sizeof(T)) / std::int64_t(sizeof(V)),
          view.view};
}
template <class V, class T>
requires std::is_volatile_v<V> VolatileView<std::remove_volatile_t<V>> as(GlobalView<T> view) {
  return {as<std::remove_volatile_t<V>>(view)};
}
template <class V, class T>
SharedRow<std::remove_volatile_t<V>> as(SharedRow<T> view) {  // nothing is kept in a register here anyway
  return {view.array};
}
template <class V, class T, int kPitch>
auto as(Tile<T, kPitch, NoSwizzle> tile) {
  static_assert(kPitch * sizeof(T) % sizeof(V) == 0, "a row must hold a whole number of the wider elements");
  return Tile<V, kPitch * sizeof(T) / sizeof(V), NoSwizzle>{tile.array};
}

// in[i] where the condition is true, else zero and no access.
template <class Ref>
typename Ref::Value load_if(bool condition, const Ref& source) {
  return condition ? source.load() : typename Ref::Value{};
}

// The emulator states no time.
inline int clock() { return 0; }

// The probe of this build.
struct Emulated {
  template <class T>
  using view = GlobalView<T>;
  template <class T>
  using view2 = GlobalView2<T>;
};
using BuildProbe = Emulated;

// One buffer of the run as the launcher hands it over.
struct Buffer {
  void* data = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t cols = 0;
};
struct Binding : SettingsBinding {
  std::vector<Buffer> buffers;
  template <class P, class T>
  GlobalView<T> view(std::uint16_t id) const {
    const Buffer& b = buffers.at(id);
    return {static_cast<T*>(b.data), std::int64_t(b.bytes / sizeof(T)), id};
  }
};

namespace detail {
using simt::LaunchArgument;
template <class T>
LaunchArgument argument(const GlobalView<T>& view) {
  return {int(view.view), ""};
}
// A matrix that is fetched in boxes (bulk.hpp).
template <class Boxed>
requires requires(const Boxed& boxed) { boxed.flat, boxed.box_rows; }
LaunchArgument argument(const Boxed& boxed) {
  std::string made = "boxes({0}";
  for (const int extent : {boxed.rows, boxed.cols, boxed.box_rows}) made += ", " + std::to_string(extent);
  return {int(boxed.flat.view), "", made + ")"};
}
template <class T>
requires std::is_arithmetic_v<T> LaunchArgument argument(T x) { return {-1, simt::number_text(x)}; }
}  // namespace detail

// Runs launches on a machine, one Launch record each.
template <class P>
class Launcher {
 public:
  using OnLaunch = std::function<bool(const lockstep::simt::Config&, const std::function<void()>& kernel)>;
  using OnHost = std::function<void(const lockstep::simt::HostOperation&)>;
  explicit Launcher(OnLaunch on_launch, OnHost on_host = {})
      : on_launch_(std::move(on_launch)), on_host_(std::move(on_host)) {}
  template <class... Parameters, class... Arguments>
  void launch(const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
              Arguments... arguments) {
    launch_shared(name, kernel, grid, block, 0, arguments...);
  }
  // With `bytes` of dynamic shared memory.
  template <class... Parameters, class... Arguments>
  void launch_shared(const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
                     std::int64_t bytes, Arguments... arguments) {
    run({name, grid, block, bytes, reinterpret_cast<const void*>(kernel)}, kernel, arguments...);
  }
  // One after another here; what its kernel waits for (dependents.cuh) has ended.
  template <class... Parameters, class... Arguments>
  void launch_dependent(const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
                        Arguments... arguments) {
    launch(name, kernel, grid, block, arguments...);
  }
  // Of a kernel with __cluster_dims__(blocks, 1, 1).
  template <class... Parameters, class... Arguments>
  void launch_cluster(int blocks, const char* name, void (*kernel)(Parameters...), Extents grid,
                      Extents block, Arguments... arguments) {
    launch_cluster_shared(blocks, name, kernel, grid, block, 0, arguments...);
  }
  template <class... Parameters, class... Arguments>
  void launch_cluster_shared(int blocks, const char* name, void (*kernel)(Parameters...), Extents grid,
                             Extents block, std::int64_t bytes, Arguments... arguments) {
    lockstep::simt::Config config{name, grid, block, bytes, reinterpret_cast<const void*>(kernel)};
    config.cluster = blocks;
    run(config, kernel, arguments...);
  }
  // On a stream of the program's own.
  template <class... Parameters, class... Arguments>
  void launch_on(Stream stream, const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
                 Arguments... arguments) {
    run({name, grid, block, 0, reinterpret_cast<const void*>(kernel), {}, stream.index}, kernel,
        arguments...);
  }

  // What the host does besides, in its order. Copies really copy, in the order of the calls: a kernel that is
  // launched before its numbers have been brought finds none.
  static Stream stream(int which) { return {which + 1}; }
  void cudaMemcpy(HostAddress to, HostAddress from, std::size_t bytes, cudaMemcpyKind kind,
                  int line = __builtin_LINE()) {
    copy(to, from, bytes, kind, {}, true, line);
  }
  void cudaMemcpyAsync(HostAddress to, HostAddress from, std::size_t bytes, cudaMemcpyKind kind,
                       Stream stream, int line = __builtin_LINE()) {
    copy(to, from, bytes, kind, stream, false, line);
  }
  // Of managed memory: its pages go there before anybody asks for them.
  void prefetch_to_device(HostAddress data, std::size_t bytes, int line = __builtin_LINE()) {
    look(lockstep::OperationKind::prefetch_in, data, bytes, line);
  }
  void prefetch_to_host(HostAddress data, std::size_t bytes, int line = __builtin_LINE()) {
    look(lockstep::OperationKind::prefetch_out, data, bytes, line);
  }
  // The CPU waits for the GPU and reads what lies there, a number of every page.
  void read_on_host(HostAddress data, std::size_t bytes, int line = __builtin_LINE()) {
    look(lockstep::OperationKind::host_read, data, bytes, line);
  }

  // For these settings there is no kernel: nothing is launched, and the run says why.
  void refuse(const std::string& why) {
    if (go_on_) refusal_ = why;
    go_on_ = false;
  }
  const std::string& refusal() const { return refusal_; }

  // Where the next launch stands among streams; here all run one after another.
  void place(int, const std::vector<int>&) {}

 private:
  template <class... Parameters, class... Arguments>
  void run(lockstep::simt::Config config, void (*kernel)(Parameters...), Arguments... arguments) {
    if (!go_on_) return;
    config.arguments = {detail::argument(static_cast<Parameters>(arguments))...};
    go_on_ = on_launch_(config, [=] { kernel(arguments...); });
  }
  void copy(const HostAddress& to, const HostAddress& from, std::size_t size, cudaMemcpyKind kind,
            Stream stream, bool waits, int line) {
    const auto bytes = std::int64_t(size);
    if (!go_on_) return;
    if (!to.holds(bytes) || !from.holds(bytes))
      return refuse("the copy in line " + std::to_string(line) + " leaves its array");
    if (to.array && from.array) std::memcpy(to.array + to.byte, from.array + from.byte, size);
    const bool in = kind == cudaMemcpyHostToDevice;
    tell({in ? lockstep::OperationKind::copy_in : lockstep::OperationKind::copy_out, stream.index, waits,
          line, to.buffer, from.buffer, to.byte, from.byte, bytes});
  }
  void look(lockstep::OperationKind kind, const HostAddress& data, std::size_t size, int line) {
    const auto bytes = std::int64_t(size);
    if (!go_on_) return;
    if (!data.holds(bytes)) return refuse("what line " + std::to_string(line) + " asks for leaves its array");
    tell({kind, 0, kind == lockstep::OperationKind::host_read, line, -1, data.buffer, 0, data.byte, bytes});
  }
  void tell(const lockstep::simt::HostOperation& operation) {
    if (on_host_) on_host_(operation);
  }
  OnLaunch on_launch_;
  OnHost on_host_;
  std::string refusal_;
  bool go_on_ = true;
};

template <class T, class P>
using View = typename P::template view<T>;
template <class T, class P>
using View2 = typename P::template view2<T>;

template <class T>
constexpr const char* type_name() {
  return "bytes";
}
template <>
constexpr const char* type_name<float>() {
  return "float";
}
template <>
constexpr const char* type_name<float2>() {
  return "float2";
}
template <>
constexpr const char* type_name<float4>() {
  return "float4";
}
template <>
constexpr const char* type_name<int>() {
  return "int";
}
template <>
constexpr const char* type_name<unsigned>() {
  return "unsigned";
}
template <>
constexpr const char* type_name<std::uint16_t>() {
  return "bf16";
}
template <>
constexpr const char* type_name<uint4>() {
  return "uint4";
}

template <class T, int kRows, int kPitch, class Swizzle = NoSwizzle>
Tile<T, kPitch, Swizzle> shared_tile(const char* name, int line, const char* file,
                                     std::int64_t dynamic_byte = -1) {
  auto& m = *lockstep::simt::machine;
  return {m.shared_array(
      {name, type_name<T>(), m.file_id_of(file), line, sizeof(T), kRows, kPitch, true, dynamic_byte})};
}
template <class T, int kSize>
SharedRow<T> shared_row(const char* name, int line, const char* file) {
  auto& m = *lockstep::simt::machine;
  return {m.shared_array({name, type_name<T>(), m.file_id_of(file), line, sizeof(T), kSize, 1, false})};
}

// cp.async of one element (4, 8 or 16 bytes) from global to shared memory; zeros where the condition is
// false.
template <class T, class U>
void copy_async_if(bool condition, const detail::SharedRef<T>& target, const detail::GlobalRef<U>& source) {
  static_assert(sizeof(T) == sizeof(U) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16));
  using namespace lockstep;
  simt::Machine& m = *simt::machine;
  if ((condition && !source.allowed(false)) || !target.allowed(Kind::copy_issue)) return;
  simt::PendingCopy copy;
  copy.event.target_offset = std::uint32_t(target.offset);
  copy.event.bytes = sizeof(T);
  copy.event.source_view = kZeros, copy.event.target_view = target.array->id;
  copy.event.file = m.file_id_of(target.at.file), copy.event.line = std::uint16_t(target.at.line);
  if (condition) {
    copy.event.source_offset = std::uint32_t(source.at.i * std::int64_t(sizeof(U)));
    copy.event.source_view = source.view;
    copy.source = reinterpret_cast<const std::uint8_t*>(source.data + source.at.i);
  }
  copy.target = target.address();
  copy.array = target.array;
  m.copy_async(copy);
}
template <class T, class U>
void copy_async(const detail::SharedRef<T>& target, const detail::GlobalRef<U>& source) {
  copy_async_if(true, target, source);
}
inline void copy_async_commit() { lockstep::simt::machine->copy_commit(); }
template <int kPending>
void copy_async_wait() {
  lockstep::simt::machine->copy_wait(kPending);
}

inline void iteration(std::int64_t k, int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  detail::record(At(0, line, file), std::uint32_t(k), 0, 0, lockstep::Kind::iteration);
}

// The kernel's own words: the step that begins, a number that it holds.
struct Name {
  std::uint16_t id;
  constexpr Name(const char* name) : id(lockstep::name_id(name)) {}
};
inline void remark(Name name, std::int64_t index, std::uint32_t bits, lockstep::Kind kind, int line,
                   const char* file) {
  lockstep::simt::Machine& m = *lockstep::simt::machine;
  if (m.options().trace)
    m.record({std::uint32_t(index), bits, 0, m.file_id_of(file), std::uint16_t(line), name.id, 0, kind});
}
inline void begin_step(Name name, int index, int line = __builtin_LINE(),
                       const char* file = __builtin_FILE()) {
  remark(name, index, 0, lockstep::Kind::mark, line, file);
}
inline void show(Name name, int index, float x, int line = __builtin_LINE(),
                 const char* file = __builtin_FILE()) {
  remark(name, index, lockstep::bit_cast<std::uint32_t>(x), lockstep::Kind::value, line, file);
}
inline void show(Name name, int index, int x, int line = __builtin_LINE(),
                 const char* file = __builtin_FILE()) {
  remark(name, index, std::uint32_t(x), lockstep::Kind::value, line, file);
}
inline void arithmetic(int instructions, int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  detail::record(At(0, line, file), std::uint32_t(instructions), 0, 0, lockstep::Kind::arithmetic);
}
inline void show_if(bool condition, Name name, int index, float x, int line = __builtin_LINE(),
                    const char* file = __builtin_FILE()) {
  remark(name, condition ? index : lockstep::kNotShown, lockstep::bit_cast<std::uint32_t>(x),
         lockstep::Kind::value, line, file);
}

}  // namespace lab

#define LAB_SHARED_3(T, name, size) const auto name = shared_row<T, size>(#name, __LINE__, __FILE__)
#define LAB_SHARED_4(T, name, rows, pitch) \
  const auto name = shared_tile<T, rows, pitch>(#name, __LINE__, __FILE__)
#define LAB_SHARED_5(T, name, rows, pitch, ...) \
  const auto name = shared_tile<T, rows, pitch, __VA_ARGS__>(#name, __LINE__, __FILE__)
#define LAB_PICK(_1, _2, _3, _4, _5, chosen, ...) chosen
#define SHARED(...) LAB_PICK(__VA_ARGS__, LAB_SHARED_5, LAB_SHARED_4, LAB_SHARED_3)(__VA_ARGS__)
#define DYNAMIC_SHARED(T, name, rows, pitch, first_byte) \
  const auto name = shared_tile<T, rows, pitch>(#name, __LINE__, __FILE__, first_byte)
#define LAB_ITERATION(k) iteration(k)

#include "warp.hpp"

#define threadIdx (lockstep::simt::current->index)
#define blockIdx (lockstep::simt::machine->block_index)
#define blockDim (lockstep::simt::machine->block_dim)
#define gridDim (lockstep::simt::machine->grid_dim)
#define __syncthreads() lockstep::simt::machine->barrier(__FILE__, __LINE__)
