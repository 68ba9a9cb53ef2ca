// The dialect of lab.cuh for timing: nothing of it remains. Included by lab.cuh alone.
#pragma once
#include <cuda_runtime.h>

#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/launcher.cuh"

namespace lab {

template <class T>
struct CleanView2 {
  T* __restrict__ data;
  int cols;
  LAB_DEVICE T* operator[](int row) const { return data + row * cols; }
};

struct Clean {
  template <class T>
  using view = T* __restrict__;
  template <class T>
  using view2 = CleanView2<T>;
};

template <class T, class P>
using View = typename P::template view<T>;
template <class T, class P>
using View2 = typename P::template view2<T>;

template <class V, class T>
__host__ LAB_DEVICE V* as(T* elements) {  // launchers call it, too
  return reinterpret_cast<V*>(elements);
}

// A tile whose columns are permuted row by row.
template <class T, int kPitch, class Swizzle>
struct SwizzledTile {
  T* data;
  struct Row {
    T* data;
    int row;
    LAB_DEVICE T& operator[](int col) const { return data[row * kPitch + Swizzle::column(row, col)]; }
  };
  LAB_DEVICE Row operator[](int row) const { return {data, row}; }
};

template <class V, class T, int kPitch>
LAB_DEVICE auto as(T (*rows)[kPitch]) {
  static_assert(kPitch * sizeof(T) % sizeof(V) == 0, "a row must hold a whole number of the wider elements");
  return reinterpret_cast<V(*)[kPitch * sizeof(T) / sizeof(V)]>(rows);
}

template <class T>
LAB_DEVICE unsigned shared_address(const T& element) {
  return static_cast<unsigned>(__cvta_generic_to_shared(&element));
}

template <class T>
LAB_DEVICE T load_if(bool condition, const T& source) {
  return condition ? source : T{};
}

// cp.async of one element (4, 8 or 16 bytes; 16 go around L1), zeros where the condition is false; a plain
// copy before compute capability 8.0.
template <class T, class U>
LAB_DEVICE void copy_async_if(bool condition, T& target, const U& source) {
  static_assert(sizeof(T) == sizeof(U) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16));
#if __CUDA_ARCH__ >= 800
  issue_copy_async<sizeof(T)>(shared_address(target), &source, condition ? int(sizeof(T)) : 0);
#else
  if (condition)
    target = source;
  else
    target = T{};
#endif
}
template <class T, class U>
LAB_DEVICE void copy_async(T& target, const U& source) {
  copy_async_if(true, target, source);
}
LAB_DEVICE void copy_async_commit() { commit_copy_async(); }
template <int kPending>
LAB_DEVICE void copy_async_wait() {
  wait_copy_async<kPending>();
}

}  // namespace lab
#ifdef LAB_STAMPED
#include "kernels/cuda/stamped.cuh"
#else
#include "kernels/cuda/unstamped.cuh"
#endif
namespace lab {

// What the traced builds note down; nothing here.
LAB_DEVICE void show(const char*, int, float) {}
LAB_DEVICE void show(const char*, int, int) {}
LAB_DEVICE void show_if(bool, const char*, int, float) {}
LAB_DEVICE void arithmetic(int) {}

struct Binding : DeviceBinding {
  template <class P, class T>
  T* view(int id) const {
    return static_cast<T*>(buffers[id].data);
  }
};

template <class P>
class Launcher {
 public:
  explicit Launcher(LaunchLog& log) : log_(log) {}
  template <class... Parameters, class... Arguments>
  void launch(const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
              Arguments... arguments) {
    launch_shared(name, kernel, grid, block, 0, arguments...);
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
    run({}, name, kernel, grid, block, bytes, arguments...);
  }
  // Begins as soon as every block of the launch before has ended or said launch_dependents()
  // (dependents.cuh).
  template <class... Parameters, class... Arguments>
  void launch_dependent(const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
                        Arguments... arguments) {
    const auto* function = reinterpret_cast<const void*>(kernel);
    if (log_.collects()) return launch(name, kernel, grid, block, arguments...);
    if (!log_.before(name, function, grid, block, 0)) return;
    cudaLaunchAttribute overlaps{};
    overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlaps.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(grid.x, grid.y, grid.z), config.blockDim = dim3(block.x, block.y, block.z);
    config.stream = static_cast<cudaStream_t>(log_.stream({}));
    config.attrs = &overlaps, config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
    log_.after();
  }
  // On a stream of the program's own.
  template <class... Parameters, class... Arguments>
  void launch_on(Stream stream, const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
                 Arguments... arguments) {
    run(stream, name, kernel, grid, block, 0, arguments...);
  }

  // What the host does besides, in its order.
  static Stream stream(int which) { return {which + 1}; }
  void cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    log_.host(way(kind), to, from, bytes, {}, true);
  }
  void cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, Stream stream) {
    log_.host(way(kind), to, from, bytes, stream, false);
  }
  void prefetch_to_device(const void* data, std::size_t bytes) {
    log_.host(LaunchLog::Host::prefetch_in, nullptr, data, bytes, {}, false);
  }
  void prefetch_to_host(const void* data, std::size_t bytes) {
    log_.host(LaunchLog::Host::prefetch_out, nullptr, data, bytes, {}, false);
  }
  void read_on_host(const void* data, std::size_t bytes) {
    log_.host(LaunchLog::Host::read, nullptr, data, bytes, {}, true);
  }

  // For these settings there is no kernel: nothing is launched, and the run says why.
  void refuse(const std::string& why) { log_.refuse(why); }

  // The next launch goes on this stream and waits for these earlier ones. By itself each waits for the one
  // before.
  void place(int stream, const std::vector<int>& after) { log_.place(stream, after); }

 private:
  static LaunchLog::Host way(cudaMemcpyKind kind) {
    return kind == cudaMemcpyHostToDevice ? LaunchLog::Host::copy_in : LaunchLog::Host::copy_out;
  }
  template <class... Parameters, class... Arguments>
  void run(Stream stream, const char* name, void (*kernel)(Parameters...), Extents grid, Extents block,
           long bytes, Arguments... arguments) {
    const auto* function = reinterpret_cast<const void*>(kernel);
    if (!log_.before(name, function, grid, block, bytes)) return;
    if (log_.collects()) {
      log_.add(name, function, grid, block, bytes, {bytes_of<Parameters>(arguments)...}, stream.index);
      return;
    }
    kernel<<<dim3(grid.x, grid.y, grid.z), dim3(block.x, block.y, block.z), bytes,
             static_cast<cudaStream_t>(log_.stream(stream))>>>(arguments...);
    log_.after();
  }
  template <class T>
  static std::vector<std::uint8_t> bytes_of(T argument) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(&argument);
    return {first, first + sizeof argument};
  }
  LaunchLog& log_;
};

}  // namespace lab

#define LAB_SHARED_3(T, name, size) __shared__ alignas(16) T name[size]
#define LAB_SHARED_4(T, name, rows, pitch) __shared__ alignas(16) T name[rows][pitch]
#define LAB_SHARED_5(T, name, rows, pitch, ...)              \
  __shared__ alignas(16) T name##_storage[(rows) * (pitch)]; \
  const SwizzledTile<T, pitch, __VA_ARGS__> name { name##_storage }
#define LAB_PICK(_1, _2, _3, _4, _5, chosen, ...) chosen
#define SHARED(...) LAB_PICK(__VA_ARGS__, LAB_SHARED_5, LAB_SHARED_4, LAB_SHARED_3)(__VA_ARGS__)
#define DYNAMIC_SHARED(T, name, rows, pitch, first_byte)             \
  extern __shared__ __align__(16) unsigned char lab_dynamic_bytes[]; \
  const auto name = reinterpret_cast<T(*)[pitch]>(lab_dynamic_bytes + (first_byte))
#define LAB_ITERATION(k) (void)0
