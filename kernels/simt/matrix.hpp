// Warp matrix operations of the emulated dialect, by the fragment layouts of the PTX ISA ("Matrix Fragments
// for mma.m16n8k16", "ldmatrix"). Included by kernels/matrix.cuh alone.
#pragma once
#include <cstring>

#include "app/model/e4m3.hpp"
#include "app/model/portable.hpp"
#include "kernels/host_half.hpp"
#include "kernels/lab.cuh"

namespace lab {
namespace detail {

// T is half, or bf16 under either of its names.
template <class T>
float widened(std::uint32_t bits) {
  if constexpr (std::is_same_v<T, half>)
    return half::of_bits(std::uint16_t(bits));
  else
    return lockstep::bit_cast<float>(bits << 16);
}

struct MmaLane {
  float* c;
  const unsigned *a, *b;
};

// C += A B for one 16 x 8 tile. The hardware states no order of the 16 sums of products: here they are exact
// and rounded once.
template <class T>
void mma_m16n8k16(void* const lanes[32]) {
  float a[16][16], b[16][8];
  for (int lane = 0; lane < 32; ++lane) {
    const auto& mine = *static_cast<const MmaLane*>(lanes[lane]);
    const int group = lane / 4, pair = lane % 4 * 2;
    for (int half = 0; half < 2; ++half) {
      for (int r = 0; r < 4; ++r)
        a[group + r % 2 * 8][pair + r / 2 * 8 + half] = widened<T>(mine.a[r] >> (16 * half) & 0xffff);
      for (int r = 0; r < 2; ++r)
        b[pair + r * 8 + half][group] = widened<T>(mine.b[r] >> (16 * half) & 0xffff);
    }
  }
  for (int lane = 0; lane < 32; ++lane)
    for (int r = 0; r < 4; ++r) {
      const int row = lane / 4 + r / 2 * 8, col = lane % 4 * 2 + r % 2;
      float& c = static_cast<const MmaLane*>(lanes[lane])->c[r];
      double sum = c;
      for (int p = 0; p < 16; ++p) sum += double(a[row][p]) * double(b[p][col]);
      c = float(sum);
    }
}

struct LdmatrixLane {
  unsigned* r;
  std::uint16_t row[8];  // of matrix lane / 8, row lane % 8
};

template <bool kTransposed>
void ldmatrix_x4(void* const lanes[32]) {
  for (int lane = 0; lane < 32; ++lane)
    for (int q = 0; q < 4; ++q) {
      const auto element = [&](int row, int col) {
        return unsigned(static_cast<const LdmatrixLane*>(lanes[q * 8 + row])->row[col]);
      };
      const int i = lane / 4, j = lane % 4 * 2;
      static_cast<LdmatrixLane*>(lanes[lane])->r[q] =
          kTransposed ? element(j, i) | element(j + 1, i) << 16 : element(i, j) | element(i, j + 1) << 16;
    }
}

inline void meet_for(const char* name, void* data, void (*combine)(void* const lanes[32]), int line,
                     const char* file) {
  simt::Collective c;
  c.op = Op::matrix, c.name = name, c.data = data, c.combine = combine, c.line = line, c.file = file;
  simt::machine->collective(c);
}

template <bool kTransposed, class Ref>
void load_matrix(unsigned* r, const Ref& row, const char* name) {
  static_assert(sizeof(typename Ref::Value) == 16, "a row of 8 x 8 is 16 bytes");
  LdmatrixLane mine{r, {}};
  const typename Ref::Value unit = row.load();
  std::memcpy(mine.row, &unit, sizeof mine.row);
  meet_for(name, &mine, ldmatrix_x4<kTransposed>, row.at.line, row.at.file);
}

}  // namespace detail

template <class T = bf16>
void mma_m16n8k16(float* c, const unsigned* a, const unsigned* b, int line = __builtin_LINE(),
                  const char* file = __builtin_FILE()) {
  detail::MmaLane mine{c, a, b};
  detail::meet_for("mma_m16n8k16", &mine, detail::mma_m16n8k16<T>, line, file);
}
template <class T = bf16>
unsigned pack(float x, float y) {
  using Narrow = std::conditional_t<std::is_same_v<T, half>, half, nv_bfloat16>;
  return Narrow(x).bits | unsigned(Narrow(y).bits) << 16;
}
inline unsigned pack_e4m3(float x, float y, float z, float w) {
  using lockstep::nearest_e4m3;
  return nearest_e4m3(x) | unsigned(nearest_e4m3(y)) << 8 | unsigned(nearest_e4m3(z)) << 16 |
         unsigned(nearest_e4m3(w)) << 24;
}
template <class Ref>
void load_matrix_x4(unsigned* r, const Ref& row) {
  detail::load_matrix<false>(r, row, "load_matrix_x4");
}
template <class Ref>
void load_matrix_x4_trans(unsigned* r, const Ref& row) {
  detail::load_matrix<true>(r, row, "load_matrix_x4_trans");
}

}  // namespace lab
