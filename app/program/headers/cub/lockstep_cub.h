// CUB (its documentation): the collectives of a block and of a warp through shared memory, and the algorithms of a
// device by the host's plain loops, whose accesses are not traced.
#pragma once
#pragma clang system_header
#ifndef LOCKSTEP_DEVICE_H
#include "lockstep_device.h"
#endif
#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

namespace cub {

struct Sum {
  template <class A, class B>
  LOCKSTEP_INLINE auto operator()(const A& a, const B& b) const { return a + b; }
};
struct Difference {
  template <class A, class B>
  LOCKSTEP_INLINE auto operator()(const A& a, const B& b) const { return a - b; }
};
struct Max {
  template <class T>
  LOCKSTEP_INLINE T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
struct Min {
  template <class T>
  LOCKSTEP_INLINE T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
struct Equality {
  template <class A, class B>
  LOCKSTEP_INLINE bool operator()(const A& a, const B& b) const { return a == b; }
};
template <class K, class V>
struct KeyValuePair {
  K key;
  V value;
};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE
};

LOCKSTEP_INLINE unsigned lockstep_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

template <class T, int X, int Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce {
 public:
  struct TempStorage {
    T values[X * Y * Z];
  };
  LOCKSTEP_INLINE explicit BlockReduce(TempStorage& room) : room_(room) {}
  // The block's result, in thread 0.
  template <class F>
  __attribute__((noinline)) T Reduce(T x, F f, int valid = X * Y * Z) {
    const int rank = int(lockstep_rank());
    room_.values[rank] = x;
    lockstep_syncthreads();
    for (int step = 1; step < X * Y * Z; step *= 2) {
      if (rank % (2 * step) == 0 && rank + step < valid)
        room_.values[rank] = f(room_.values[rank], room_.values[rank + step]);
      lockstep_syncthreads();
    }
    return room_.values[0];
  }
  template <class F, int N>
  LOCKSTEP_INLINE T Reduce(T (&x)[N], F f) {
    T sum = x[0];
    for (int i = 1; i < N; ++i) sum = f(sum, x[i]);
    return Reduce(sum, f);
  }
  LOCKSTEP_INLINE T Sum(T x, int valid = X * Y * Z) { return Reduce(x, cub::Sum(), valid); }
  template <int N>
  LOCKSTEP_INLINE T Sum(T (&x)[N]) { return Reduce(x, cub::Sum()); }

 private:
  TempStorage& room_;
};

template <class T, int X, int Algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
 public:
  struct TempStorage {
    T values[2 * X * Y * Z];
  };
  LOCKSTEP_INLINE explicit BlockScan(TempStorage& room) : room_(room) {}
  template <class F>
  LOCKSTEP_INLINE void InclusiveScan(T in, T& out, F f) { out = scanned(in, f); }
  template <class F>
  LOCKSTEP_INLINE void InclusiveScan(T in, T& out, F f, T& all) { out = scanned(in, f), all = last(); }
  template <class F>
  LOCKSTEP_INLINE void ExclusiveScan(T in, T& out, T first, F f) {
    scanned(in, f);
    out = before(first, f);
  }
  template <class F>
  LOCKSTEP_INLINE void ExclusiveScan(T in, T& out, T first, F f, T& all) {
    ExclusiveScan(in, out, first, f);
    all = last();
  }
  LOCKSTEP_INLINE void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  LOCKSTEP_INLINE void InclusiveSum(T in, T& out, T& all) { InclusiveScan(in, out, cub::Sum(), all); }
  LOCKSTEP_INLINE void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  LOCKSTEP_INLINE void ExclusiveSum(T in, T& out, T& all) { ExclusiveScan(in, out, T(), cub::Sum(), all); }
  template <int N>
  LOCKSTEP_INLINE void InclusiveSum(T (&in)[N], T (&out)[N]) { several(in, out, true); }
  template <int N>
  LOCKSTEP_INLINE void ExclusiveSum(T (&in)[N], T (&out)[N]) { several(in, out, false); }
  template <int N>
  LOCKSTEP_INLINE void ExclusiveSum(T (&in)[N], T (&out)[N], T& all) { several(in, out, false), all = last(); }

 private:
  static constexpr int kThreads = X * Y * Z;
  template <class F>
  __attribute__((noinline)) T scanned(T x, F f) {
    const int rank = int(lockstep_rank());
    T *from = room_.values, *to = room_.values + kThreads;
    from[rank] = x;
    lockstep_syncthreads();
    for (int step = 1; step < kThreads; step *= 2) {
      to[rank] = rank >= step ? f(from[rank - step], from[rank]) : from[rank];
      std::swap(from, to);
      lockstep_syncthreads();
    }
    at_ = from;
    return from[rank];
  }
  LOCKSTEP_INLINE T last() const { return at_[kThreads - 1]; }
  template <class F>
  LOCKSTEP_INLINE T before(T first, F f) const {
    return lockstep_rank() == 0 ? first : T(f(first, at_[lockstep_rank() - 1]));
  }
  template <int N>
  LOCKSTEP_INLINE void several(T (&in)[N], T (&out)[N], bool inclusive) {
    T sum = T();
    for (int i = 0; i < N; ++i) sum = sum + in[i];
    scanned(sum, cub::Sum());
    T running = before(T(), cub::Sum());
    for (int i = 0; i < N; ++i) {
      const T x = in[i];
      out[i] = inclusive ? running + x : running;
      running = running + x;
    }
  }
  TempStorage& room_;
  T* at_ = nullptr;
};

template <class T, int Threads = 32, int = 0>
class WarpReduce {
 public:
  struct TempStorage {
    char unused;
  };
  LOCKSTEP_INLINE explicit WarpReduce(TempStorage&) {}
  template <class F>
  LOCKSTEP_INLINE T Reduce(T x, F f, int valid = Threads) {
    const int lane = int(lockstep_rank()) % Threads;
    for (int step = 1; step < Threads; step *= 2) {
      const T other = __shfl_down_sync(__activemask(), x, step, Threads);
      if (lane + step < valid) x = f(x, other);
    }
    return x;
  }
  LOCKSTEP_INLINE T Sum(T x, int valid = Threads) { return Reduce(x, cub::Sum(), valid); }
};
template <class T, int Threads = 32, int = 0>
class WarpScan {
 public:
  struct TempStorage {
    char unused;
  };
  LOCKSTEP_INLINE explicit WarpScan(TempStorage&) {}
  LOCKSTEP_INLINE void InclusiveSum(T in, T& out) {
    const int lane = int(lockstep_rank()) % Threads;
    for (int step = 1; step < Threads; step *= 2) {
      const T other = __shfl_up_sync(__activemask(), in, step, Threads);
      if (lane >= step) in = in + other;
    }
    out = in;
  }
  LOCKSTEP_INLINE void ExclusiveSum(T in, T& out) {
    T sum;
    InclusiveSum(in, sum);
    out = sum - in;
  }
};

template <class T, int X, int N, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockLoad {
 public:
  struct TempStorage {
    char unused;
  };
  LOCKSTEP_INLINE BlockLoad() {}
  LOCKSTEP_INLINE explicit BlockLoad(TempStorage&) {}
  template <class I>
  LOCKSTEP_INLINE void Load(I from, T (&to)[N]) {
    for (int i = 0; i < N; ++i) to[i] = from[place(i)];
  }
  template <class I>
  LOCKSTEP_INLINE void Load(I from, T (&to)[N], int valid) {
    for (int i = 0; i < N; ++i)
      if (place(i) < valid) to[i] = from[place(i)];
  }
  template <class I, class D>
  LOCKSTEP_INLINE void Load(I from, T (&to)[N], int valid, D otherwise) {
    for (int i = 0; i < N; ++i) to[i] = place(i) < valid ? T(from[place(i)]) : T(otherwise);
  }

 private:
  static LOCKSTEP_INLINE int place(int i) {
    const int rank = int(lockstep_rank());
    return Algorithm == BLOCK_LOAD_STRIPED ? i * X * Y * Z + rank : rank * N + i;
  }
};
template <class T, int X, int N, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockStore {
 public:
  struct TempStorage {
    char unused;
  };
  LOCKSTEP_INLINE BlockStore() {}
  LOCKSTEP_INLINE explicit BlockStore(TempStorage&) {}
  template <class O>
  LOCKSTEP_INLINE void Store(O to, T (&from)[N], int valid = 0x7fffffff) {
    for (int i = 0; i < N; ++i) {
      const int rank = int(lockstep_rank());
      const int place = Algorithm == BLOCK_STORE_STRIPED ? i * X * Y * Z + rank : rank * N + i;
      if (place < valid) to[place] = from[i];
    }
  }
};

// Sorted by the ranks that its keys have, thread after thread.
template <class K, int X, int N, class V = char, int = 4>
class BlockRadixSort {
 public:
  struct TempStorage {
    K keys[X * N];
    V values[X * N];
  };
  LOCKSTEP_INLINE explicit BlockRadixSort(TempStorage& room) : room_(room) {}
  LOCKSTEP_INLINE void Sort(K (&keys)[N], int = 0, int = 0) { sort(keys, nullptr, false); }
  LOCKSTEP_INLINE void SortDescending(K (&keys)[N], int = 0, int = 0) { sort(keys, nullptr, true); }
  LOCKSTEP_INLINE void Sort(K (&keys)[N], V (&values)[N], int = 0, int = 0) { sort(keys, values, false); }
  LOCKSTEP_INLINE void SortDescending(K (&keys)[N], V (&values)[N], int = 0, int = 0) { sort(keys, values, true); }

 private:
  __attribute__((noinline)) void sort(K* keys, V* values, bool falling) {
    const int first = int(lockstep_rank()) * N;
    for (int i = 0; i < N; ++i) room_.keys[first + i] = keys[i];
    lockstep_syncthreads();
    int places[N];
    for (int i = 0; i < N; ++i) {
      places[i] = 0;
      for (int j = 0; j < X * N; ++j) {
        const K other = room_.keys[j];
        places[i] += falling ? keys[i] < other : other < keys[i];
        places[i] += !(other < keys[i]) && !(keys[i] < other) && j < first + i;
      }
    }
    lockstep_syncthreads();
    for (int i = 0; i < N; ++i) {
      room_.keys[places[i]] = keys[i];
      if (values) room_.values[places[i]] = values[i];
    }
    lockstep_syncthreads();
    for (int i = 0; i < N; ++i) {
      keys[i] = room_.keys[first + i];
      if (values) values[i] = room_.values[first + i];
    }
    lockstep_syncthreads();
  }
  TempStorage& room_;
};

// Results go the way of copies, so that the memory counts as written.
template <class O, class V>
inline void lockstep_put(O to, const std::vector<V>& values) {
  using T = typename std::iterator_traits<O>::value_type;
  std::vector<T> own(values.begin(), values.end());
  if constexpr (std::is_pointer<O>::value)
    cudaMemcpy(to, own.data(), own.size() * sizeof(T), cudaMemcpyDefault);
  else
    std::copy(own.begin(), own.end(), to);
}
// The first call of two asks how much room is needed.
inline bool lockstep_asks(void* room, unsigned long& bytes) {
  if (room) return false;
  bytes = 256;
  return true;
}
template <class I>
using lockstep_value = typename std::remove_cv<typename std::iterator_traits<I>::value_type>::type;

struct DeviceReduce {
  template <class I, class O, class F, class T, class N>
  static cudaError_t Reduce(void* room, unsigned long& bytes, I in, O out, N n, F f, T first, cudaStream_t = 0, bool = false) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    T sum = first;
    for (N i = 0; i < n; ++i) sum = f(sum, in[i]);
    lockstep_put(out, std::vector<T>{sum});
    return cudaGetLastError();
  }
  // As it was called before it took the first value.
  template <class I, class O, class F, class N>
  static cudaError_t Reduce(void* room, unsigned long& bytes, I in, O out, N n, F f, cudaStream_t = 0, bool = false) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    lockstep_value<I> sum{};
    if (n > 0) sum = in[0];
    for (N i = 1; i < n; ++i) sum = f(sum, in[i]);
    lockstep_put(out, std::vector<lockstep_value<I>>{sum});
    return cudaGetLastError();
  }
  template <class I, class O, class N>
  static cudaError_t Sum(void* room, unsigned long& bytes, I in, O out, N n, cudaStream_t = 0, bool = false) {
    return Reduce(room, bytes, in, out, n, cub::Sum(), lockstep_value<I>());
  }
  template <class I, class O, class N>
  static cudaError_t Min(void* room, unsigned long& bytes, I in, O out, N n, cudaStream_t = 0, bool = false) {
    return Reduce(room, bytes, in, out, n, cub::Min(), std::numeric_limits<lockstep_value<I>>::max());
  }
  template <class I, class O, class N>
  static cudaError_t Max(void* room, unsigned long& bytes, I in, O out, N n, cudaStream_t = 0, bool = false) {
    return Reduce(room, bytes, in, out, n, cub::Max(), std::numeric_limits<lockstep_value<I>>::lowest());
  }
  template <class I, class O, class N>
  static cudaError_t ArgMax(void* room, unsigned long& bytes, I in, O out, N n, cudaStream_t = 0, bool = false) {
    return arg(room, bytes, in, out, n, [](const auto& a, const auto& b) { return b < a; });
  }
  template <class I, class O, class N>
  static cudaError_t ArgMin(void* room, unsigned long& bytes, I in, O out, N n, cudaStream_t = 0, bool = false) {
    return arg(room, bytes, in, out, n, [](const auto& a, const auto& b) { return a < b; });
  }

 private:
  template <class I, class O, class N, class F>
  static cudaError_t arg(void* room, unsigned long& bytes, I in, O out, N n, F better) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    using Pair = typename std::iterator_traits<O>::value_type;
    Pair best{0, in[0]};
    for (N i = 1; i < n; ++i)
      if (better(in[i], best.value)) best.key = int(i), best.value = in[i];
    lockstep_put(out, std::vector<Pair>{best});
    return cudaGetLastError();
  }
};

struct DeviceScan {
  template <class I, class O, class F, class N>
  static cudaError_t InclusiveScan(void* room, unsigned long& bytes, I in, O out, F f, N n, cudaStream_t = 0, bool = false) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    std::vector<lockstep_value<I>> all(in, in + n);
    std::partial_sum(all.begin(), all.end(), all.begin(), f);
    lockstep_put(out, all);
    return cudaGetLastError();
  }
  template <class I, class O, class F, class T, class N>
  static cudaError_t ExclusiveScan(void* room, unsigned long& bytes, I in, O out, F f, T first, N n, cudaStream_t = 0, bool = false) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    std::vector<T> all;
    for (N i = 0; i < n; ++i) all.push_back(first), first = f(first, in[i]);
    lockstep_put(out, all);
    return cudaGetLastError();
  }
  template <class I, class O, class N>
  static cudaError_t InclusiveSum(void* room, unsigned long& bytes, I in, O out, N n, cudaStream_t = 0, bool = false) {
    return InclusiveScan(room, bytes, in, out, cub::Sum(), n);
  }
  template <class I, class O, class N>
  static cudaError_t ExclusiveSum(void* room, unsigned long& bytes, I in, O out, N n, cudaStream_t = 0, bool = false) {
    return ExclusiveScan(room, bytes, in, out, cub::Sum(), lockstep_value<I>(), n);
  }
};

template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;
  DoubleBuffer() = default;
  DoubleBuffer(T* now, T* other) : d_buffers{now, other} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[1 - selector]; }
};

struct DeviceRadixSort {
  template <class K, class N>
  static cudaError_t SortKeys(void* room, unsigned long& bytes, const K* in, K* out, N n, int = 0, int = 0, cudaStream_t = 0) {
    return keys(room, bytes, in, out, n, std::less<K>());
  }
  template <class K, class N>
  static cudaError_t SortKeysDescending(void* room, unsigned long& bytes, const K* in, K* out, N n, int = 0, int = 0,
                                        cudaStream_t = 0) {
    return keys(room, bytes, in, out, n, std::greater<K>());
  }
  template <class K, class N>
  static cudaError_t SortKeys(void* room, unsigned long& bytes, DoubleBuffer<K>& b, N n, int = 0, int = 0, cudaStream_t = 0) {
    return keys(room, bytes, b.Current(), b.Current(), n, std::less<K>());
  }
  template <class K, class V, class N>
  static cudaError_t SortPairs(void* room, unsigned long& bytes, const K* k, K* k_out, const V* v, V* v_out, N n, int = 0,
                               int = 0, cudaStream_t = 0) {
    return pairs(room, bytes, k, k_out, v, v_out, n, std::less<K>());
  }
  template <class K, class V, class N>
  static cudaError_t SortPairsDescending(void* room, unsigned long& bytes, const K* k, K* k_out, const V* v, V* v_out, N n,
                                         int = 0, int = 0, cudaStream_t = 0) {
    return pairs(room, bytes, k, k_out, v, v_out, n, std::greater<K>());
  }
  template <class K, class V, class N>
  static cudaError_t SortPairs(void* room, unsigned long& bytes, DoubleBuffer<K>& k, DoubleBuffer<V>& v, N n, int = 0, int = 0,
                               cudaStream_t = 0) {
    return pairs(room, bytes, k.Current(), k.Current(), v.Current(), v.Current(), n, std::less<K>());
  }

 private:
  template <class K, class N, class C>
  static cudaError_t keys(void* room, unsigned long& bytes, const K* in, K* out, N n, C before) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    std::vector<K> all(in, in + n);
    std::stable_sort(all.begin(), all.end(), before);
    lockstep_put(out, all);
    return cudaGetLastError();
  }
  template <class K, class V, class N, class C>
  static cudaError_t pairs(void* room, unsigned long& bytes, const K* k, K* k_out, const V* v, V* v_out, N n, C before) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    std::vector<std::pair<K, V>> all;
    for (N i = 0; i < n; ++i) all.emplace_back(k[i], v[i]);
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return before(a.first, b.first); });
    std::vector<K> sorted;
    std::vector<V> values;
    for (const auto& [key, value] : all) sorted.push_back(key), values.push_back(value);
    lockstep_put(k_out, sorted), lockstep_put(v_out, values);
    return cudaGetLastError();
  }
};

struct DeviceSelect {
  template <class I, class O, class M, class N, class F>
  static cudaError_t If(void* room, unsigned long& bytes, I in, O out, M count, N n, F f, cudaStream_t = 0, bool = false) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    std::vector<lockstep_value<I>> kept;
    for (N i = 0; i < n; ++i)
      if (f(in[i])) kept.push_back(in[i]);
    return done(out, count, kept);
  }
  template <class I, class G, class O, class M, class N>
  static cudaError_t Flagged(void* room, unsigned long& bytes, I in, G flags, O out, M count, N n, cudaStream_t = 0, bool = false) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    std::vector<lockstep_value<I>> kept;
    for (N i = 0; i < n; ++i)
      if (flags[i]) kept.push_back(in[i]);
    return done(out, count, kept);
  }
  template <class I, class O, class M, class N>
  static cudaError_t Unique(void* room, unsigned long& bytes, I in, O out, M count, N n, cudaStream_t = 0, bool = false) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    std::vector<lockstep_value<I>> kept(in, in + n);
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    return done(out, count, kept);
  }

 private:
  template <class O, class M, class V>
  static cudaError_t done(O out, M count, const V& kept) {
    lockstep_put(out, kept), lockstep_put(count, std::vector<int>{int(kept.size())});
    return cudaGetLastError();
  }
};

struct DeviceHistogram {
  template <class I, class C, class L, class N>
  static cudaError_t HistogramEven(void* room, unsigned long& bytes, I in, C* out, int levels, L lower, L upper, N n,
                                   cudaStream_t = 0, bool = false) {
    if (lockstep_asks(room, bytes)) return cudaSuccess;
    std::vector<C> bins(std::size_t(levels > 1 ? levels - 1 : 0));
    for (N i = 0; i < n; ++i) {
      const double place = (double(in[i]) - double(lower)) * double(bins.size()) / (double(upper) - double(lower));
      if (place >= 0 && place < double(bins.size())) ++bins[std::size_t(place)];
    }
    lockstep_put(out, bins);
    return cudaGetLastError();
  }
};

struct CachingDeviceAllocator {
  explicit CachingDeviceAllocator(bool = false) {}
  template <class T>
  cudaError_t DeviceAllocate(T** at, unsigned long bytes, cudaStream_t = 0) { return cudaMalloc(at, bytes); }
  cudaError_t DeviceFree(void* at) { return cudaFree(at); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub
#define CubDebugExit(call) (call)
#define CubDebug(call) (call)
