// The twin of kernels/attention/04_flash2_mma.cuh. Included by attention.cu alone.
namespace flash2_mma {
__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void cp_async(bool inside, void* target, const uint4* source) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(target)), "l"(source), "r"(inside ? 16 : 0) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}
__device__ __forceinline__ void mma_16816(float* c, const unsigned* a, const unsigned* b, __nv_bfloat16) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mma_16816(float* c, const unsigned* a, const unsigned* b, __half) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ unsigned pack(float x, float y, __nv_bfloat16) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
  return both;
}
__device__ __forceinline__ unsigned pack(float x, float y, __half) {
  unsigned both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
  return both;
}
__device__ __forceinline__ void ldsm(unsigned* r, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}
__device__ __forceinline__ void ldsm_trans(unsigned* r, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}
__device__ __forceinline__ float fast_exp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}


// Where unit `unit` (16 bytes) of a row of kUnits units stands.
template <int kUnits>
__device__ __forceinline__ int swizzled(unsigned row, int unit) {
  constexpr int kMixed = kUnits < 8 ? kUnits : 8;   // units that fill, with the rows beside them, all 32 banks
  return unit ^ (row / (8 / kMixed) % kMixed);
}

// Of a value in each of the four lanes that share a row.
__device__ __forceinline__ float max_of_quad(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float sum_of_quad(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

// kRows rows into shared memory, 16 bytes a copy; zeros from row `left` on.
template <int kRows, int kUnits, int kThreads, class Tile, class Rows>
__device__ __forceinline__ void fetch_tile(Tile tile, int to, Rows from, int first, int left) {
  for (int i = 0; i < kRows; i += kThreads / kUnits) {
    const int row = i + threadIdx.x / kUnits, u = threadIdx.x % kUnits;
    cp_async(row < left, &tile[to + row][swizzled<kUnits>(row, u)], &from[(first + row) * kUnits + u]);
  }
}

// S += Q K^T: a warp's rows of Q from row y on, 16 at a time, with the tile of K from row `use` on, 8 rows at a time.
template <class T, int kUnits, int kM, int kN, class Tile>
__device__ __forceinline__ void add_scores(float (&s)[kM][kN][4], Tile q_tile, int y, Tile k_tile, int use) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int d = 0; d < kUnits; d += 2) {
    unsigned a[kM][4], b[4];
    for (int i = 0; i < kM; ++i) {
      const int row = y + 16 * i + lane % 16;
      ldsm(a[i], &q_tile[row][swizzled<kUnits>(row, d + lane / 16)]);
    }
    for (int n = 0; n < kN; n += 2) {               // 16 rows of K are 16 columns: two operands
      const int row = use + 8 * n + lane / 16 * 8 + lane % 8;
      ldsm(b, &k_tile[row][swizzled<kUnits>(row, d + lane / 8 % 2)]);
      for (int i = 0; i < kM; ++i) mma_16816(s[i][n], a[i], b, T()), mma_16816(s[i][n + 1], a[i], b + 2, T());
    }
  }
}

// O += P V: where the first product left two neighbours of P, the second one wants them, in one register.
template <class T, int kM, int kN, int kUnits, class Tile>
__device__ __forceinline__ void add_output(float (&out)[kM][kUnits][4], const float (&p)[kM][kN][4], Tile v_tile, int use) {
#pragma unroll
  for (int n = 0; n < kN; n += 2) {
    unsigned a[kM][4], b[4];
    for (int i = 0; i < kM; ++i)
      for (int r = 0; r < 4; ++r) a[i][r] = pack(p[i][n + r / 2][r % 2 * 2], p[i][n + r / 2][r % 2 * 2 + 1], T());
    for (int d = 0; d < kUnits; d += 2) {
      const int row = use + 8 * n + threadIdx.x % 16;
      ldsm_trans(b, &v_tile[row][swizzled<kUnits>(row, d + threadIdx.x % 32 / 16)]);
      for (int i = 0; i < kM; ++i) mma_16816(out[i][d], a[i], b, T()), mma_16816(out[i][d + 1], a[i], b + 2, T());
    }
  }
}

// f(sum, row, col) for this lane's share of sums whose first one is (row, col): two neighbours of each eighth row.
template <int kM, int kN, class F>
__device__ __forceinline__ void each(float (&sums)[kM][kN][4], int row, int col, F f) {
  for (int i = 0; i < kM; ++i)
    for (int n = 0; n < kN; ++n)
      for (int e = 0; e < 4; ++e)
        f(sums[i][n][e], row + 16 * i + e / 2 * 8 + threadIdx.x % 32 / 4, col + 8 * n + threadIdx.x % 4 * 2 + e % 2);
}

constexpr float kLn2 = 0.693147181f;                // scale holds 1 / kLn2, so that 2^x does for e^x

template <int kM, int kUnits, int kRowsOfLane>
__device__ __forceinline__ void store_rows(float* __restrict__ o, float* __restrict__ l, const float (&out)[kM][kUnits][4], const float (&m)[kRowsOfLane],
                                           const float (&sum)[kRowsOfLane], int head, int row0, int seq) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int r = 0; r < kRowsOfLane; ++r) {
    const int row = row0 + 8 * r + lane / 4, e = r % 2 * 2;
    const float inverse = 1 / sum[r];
    for (int d = 0; d < kUnits; ++d) {
      const float* two = &out[r / 2][d][e];
      if (row < seq) reinterpret_cast<float2*>(o)[(head + row) * (4 * kUnits) + 4 * d + lane % 4] = make_float2(two[0] * inverse, two[1] * inverse);
    }
    if (row < seq && lane % 4 == 0) l[head + row] = m[r] * kLn2 + logf(sum[r]);
  }
}

template <int kTileQ, int kTileK, int kD, int kRows, class T>
__global__ void __launch_bounds__(kTileQ / kRows * 32, 2) flash2_mma(const T* __restrict__ q, const T* __restrict__ k, const T* __restrict__ v, float* __restrict__ o, float* __restrict__ l,
                                                      int seq, float scale, bool causal) {
  constexpr int kThreads = kTileQ / kRows * 32, kUnits = kD / 8;
  extern __shared__ __align__(16) unsigned char flash2_mma_bytes[];
  const auto q_tile = reinterpret_cast<uint4(*)[kUnits]>(flash2_mma_bytes + (0));
  const auto k_tile = reinterpret_cast<uint4(*)[kUnits]>(flash2_mma_bytes + (kTileQ * kD * 2));                // starts at this byte
  const auto v_tile = reinterpret_cast<uint4(*)[kUnits]>(flash2_mma_bytes + ((kTileQ + 2 * kTileK) * kD * 2));
  const int lane = threadIdx.x % 32, y = threadIdx.x / 32 * kRows, q0 = blockIdx.x * kTileQ, row0 = q0 + y;
  const int head = blockIdx.y * seq, tiles = ceil_div(seq, kTileK);
  const int seen = causal ? min(tiles, ceil_div(q0 + kTileQ, kTileK)) : tiles;       // the mask hides the others
  const auto fetch = [&](int j) {                   // tile j goes where tile j - 2 stood
    fetch_tile<kTileK, kUnits, kThreads>(k_tile, j % 2 * kTileK, reinterpret_cast<const uint4*>(k), head + j * kTileK, seq - j * kTileK);
    fetch_tile<kTileK, kUnits, kThreads>(v_tile, j % 2 * kTileK, reinterpret_cast<const uint4*>(v), head + j * kTileK, seq - j * kTileK);
  };
  fetch_tile<kTileQ, kUnits, kThreads>(q_tile, 0, reinterpret_cast<const uint4*>(q), head + q0, seq - q0);
  fetch(0);
  float out[kRows / 16][kUnits][4] = {}, m[kRows / 8], sum[kRows / 8] = {};
  for (float& x : m) x = -INFINITY;                 // until tile 0, of which every row sees a column
  for (int j = 0, use = 0; j < seen; ++j, use ^= kTileK) {
    cp_async_commit();
    cp_async_wait<0>();

    __syncthreads();

    if (j + 1 < seen) fetch(j + 1);
    const int col0 = j * kTileK;
    float s[kRows / 16][kTileK / 8][4] = {};
    add_scores<T, kUnits>(s, q_tile, y, k_tile, use);
    if (col0 + kTileK > (causal ? min(seq, row0 + 1) : seq))                         // only at the diagonal and at the end
      each(s, row0, col0, [&](float& x, int row, int col) { if (col >= seq || (causal && col > row)) x = -INFINITY; });
#pragma unroll
    for (int r = 0; r < kRows / 8; ++r) {
      const int e = r % 2 * 2;                      // elements e and e + 1 of s[r / 2]
      float top = -INFINITY, part = 0;
      for (auto& x : s[r / 2]) top = fmaxf(top, fmaxf(x[e], x[e + 1]));
      top = fmaxf(m[r], max_of_quad(top) * scale);
      for (auto& x : s[r / 2]) part += (x[e] = fast_exp2(x[e] * scale - top)) + (x[e + 1] = fast_exp2(x[e + 1] * scale - top));
      const float factor = fast_exp2(m[r] - top);
      for (auto& x : out[r / 2]) x[e] *= factor, x[e + 1] *= factor;
      m[r] = top, sum[r] = sum[r] * factor + sum_of_quad(part);
    }
    add_output<T>(out, s, v_tile, use);
  }
  store_rows(o, l, out, m, sum, head, row0, seq);
}
template __global__ void flash2_mma<32, 32, 32, 16, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<32, 32, 64, 16, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<32, 32, 128, 16, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<64, 64, 32, 16, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<64, 64, 64, 16, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<64, 64, 128, 16, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<128, 64, 32, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<128, 64, 64, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<128, 64, 128, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<32, 32, 32, 16, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<32, 32, 64, 16, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<32, 32, 128, 16, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<64, 64, 32, 16, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<64, 64, 64, 16, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<64, 64, 128, 16, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<128, 64, 32, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<128, 64, 64, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2_mma<128, 64, 128, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
}  // namespace flash2_mma
