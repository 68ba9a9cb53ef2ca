// A matrix product of the host's for cuBLAS: panels that fit the registers, on all cores.
#pragma once
#pragma clang system_header
#include <thread>
#include <vector>

template <class S>
struct lockstep_panel {
  static constexpr int lanes = 32 / int(sizeof(S)), rows = 2 * lanes, columns = 6;
  typedef S Vector __attribute__((vector_size(32)));
  // sum[column][row] of `rows` rows of A and `columns` columns of B, both packed by steps of k.
  static inline __attribute__((always_inline)) void multiply(long k, const S* a, const S* b, S (*sum)[rows]) {
    Vector c[columns][2] = {};
    for (long l = 0; l < k; ++l, a += rows, b += columns) {
      Vector a0, a1;
      __builtin_memcpy(&a0, a, sizeof a0);
      __builtin_memcpy(&a1, a + lanes, sizeof a1);
#pragma clang loop unroll(full)
      for (int j = 0; j < columns; ++j) {
        c[j][0] += a0 * b[j];
        c[j][1] += a1 * b[j];
      }
    }
    __builtin_memcpy(sum, c, sizeof c);
  }
  static void plain(long k, const S* a, const S* b, S (*sum)[rows]) { multiply(k, a, b, sum); }
#if defined(__x86_64__)
  __attribute__((target("avx2,fma"))) static void wide(long k, const S* a, const S* b, S (*sum)[rows]) {
    multiply(k, a, b, sum);
  }
  static bool has_wide() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
  static void wide(long k, const S* a, const S* b, S (*sum)[rows]) { multiply(k, a, b, sum); }
  static bool has_wide() { return false; }
#endif
};

// product[j * m + i] = sum over l of a_at(i, l) * b_at(l, j)
template <class S, class A, class B>
inline std::vector<S> lockstep_product(long m, long n, long k, A a_at, B b_at) {
  using Panel = lockstep_panel<S>;
  constexpr long R = Panel::rows, C = Panel::columns;
  const long panels = (m + R - 1) / R, blocks = (n + C - 1) / C;
  std::vector<S> product(size_t(m) * size_t(n)), packed(size_t(panels * R) * size_t(k));
  for (long p = 0; p < panels; ++p)
    for (long l = 0; l < k; ++l)
      for (long i = 0; i < R && p * R + i < m; ++i) packed[size_t((p * k + l) * R + i)] = a_at(p * R + i, l);
  const auto multiply = Panel::has_wide() ? Panel::wide : Panel::plain;
  const auto some = [&](long first, long last) {
    std::vector<S> columns(size_t(C * k));
    S sum[C][R];
    for (long block = first; block < last; ++block) {
      for (long l = 0; l < k; ++l)
        for (long j = 0; j < C; ++j) columns[size_t(l * C + j)] = block * C + j < n ? b_at(l, block * C + j) : S(0);
      for (long p = 0; p < panels; ++p) {
        multiply(k, packed.data() + p * k * R, columns.data(), sum);
        for (long j = 0; j < C && block * C + j < n; ++j)
          for (long i = 0; i < R && p * R + i < m; ++i) product[size_t((block * C + j) * m + p * R + i)] = sum[j][i];
      }
    }
  };
  const long cores = double(m) * double(n) * double(k) > 2e7 ? long(std::thread::hardware_concurrency()) : 1;
  std::vector<std::thread> others;
  for (long c = 1; c < cores; ++c) others.emplace_back([&, c] { some(blocks * c / cores, blocks * (c + 1) / cores); });
  some(0, cores > 1 ? blocks / cores : blocks);
  for (std::thread& one : others) one.join();
  return product;
}
