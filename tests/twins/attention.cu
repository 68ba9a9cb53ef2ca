// Plain CUDA twins of kernels/attention: the same kernels without the dialect. tests/registers.py compiles both and compares
// registers and shared bytes: the dialect must cost nothing. One namespace per rung.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
__device__ __forceinline__ T value_if(bool inside, const T* at) {
  return inside ? *at : T{};
}

__device__ __forceinline__ float warp_max(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, lanes));
  return x;
}
__device__ __forceinline__ float warp_sum(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(~0u, x, lanes);
  return x;
}
__device__ __forceinline__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ __forceinline__ float4 plus(float4 x, float a, float4 b) {
  return make_float4(x.x + a * b.x, x.y + a * b.y, x.z + a * b.z, x.w + a * b.w);
}
template <class V, class T, int kPitch>
__device__ __forceinline__ auto rows_of(T (*tile)[kPitch]) {
  return reinterpret_cast<V(*)[kPitch * sizeof(T) / sizeof(V)]>(tile);
}
__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

namespace standard {
template <int kTile, class T>
__global__ void scores(const T* __restrict__ q, const T* __restrict__ k, float* __restrict__ s, int seq, int d, float scale, bool causal) {
  __shared__ alignas(16) float q_tile[kTile][kTile + 1];
  __shared__ alignas(16) float k_tile[kTile][kTile + 1];          // one more per row: no two lanes share a bank
  const int x = threadIdx.x, y = threadIdx.y, head = blockIdx.z * seq;
  const int row = blockIdx.y * kTile + y, col0 = blockIdx.x * kTile, col = col0 + x;
  float sum = 0;
  for (int p0 = 0; p0 < d; p0 += kTile) {
    q_tile[y][x] = float(value_if(row < seq, &q[(head + row) * d + p0 + x]));
    k_tile[y][x] = float(value_if(col0 + y < seq, &k[(head + col0 + y) * d + p0 + x]));

    __syncthreads();

    for (int p = 0; p < kTile; ++p) sum += q_tile[y][p] * k_tile[x][p];

    __syncthreads();
  }
  sum = causal && col > row ? -INFINITY : sum * scale;
  if (row < seq && col < seq) s[(head + row) * seq + col] = sum;
}

template <int kTile, class T>
__global__ void softmax(float* __restrict__ s, T* __restrict__ p, float* __restrict__ l, int seq) {
  const int lane = threadIdx.x, row = blockIdx.x * kTile + threadIdx.y, head = blockIdx.y * seq;
  if (row >= seq) return;
  float m = -INFINITY, sum = 0;
  for (int col = lane; col < seq; col += 32) m = fmaxf(m, s[(head + row) * seq + col]);
  m = warp_max(m);
  for (int col = lane; col < seq; col += 32) sum += expf(s[(head + row) * seq + col] - m);
  sum = warp_sum(sum);
  for (int col = lane; col < seq; col += 32) p[(head + row) * seq + col] = T(expf(s[(head + row) * seq + col] - m) / sum);
  if (lane == 0) l[head + row] = m + logf(sum);
}

template <int kTile, class T>
__global__ void product(T* __restrict__ p, const T* __restrict__ v, float* __restrict__ o, int seq, int d) {
  __shared__ alignas(16) float p_tile[kTile][kTile + 1];
  __shared__ alignas(16) float v_tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y, head = blockIdx.z * seq;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x, tiles = ceil_div(seq, kTile);
  float sum = 0;
  for (int j = 0; j < tiles; ++j) {
    p_tile[y][x] = float(value_if(row < seq && j * kTile + x < seq, &p[(head + row) * seq + j * kTile + x]));
    v_tile[y][x] = float(value_if(j * kTile + y < seq, &v[(head + j * kTile + y) * d + col]));

    __syncthreads();

    for (int i = 0; i < kTile; ++i) sum += p_tile[y][i] * v_tile[i][x];

    __syncthreads();
  }
  if (row < seq) o[(head + row) * d + col] = sum;
}
template __global__ void scores<32, float>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, float, bool);
template __global__ void softmax<32, float>(float* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void product<32, float>(float* __restrict__, const float* __restrict__, float* __restrict__, int, int);
template __global__ void scores<32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, int, int, float, bool);
template __global__ void softmax<32, __nv_bfloat16>(float* __restrict__, __nv_bfloat16* __restrict__, float* __restrict__, int);
template __global__ void product<32, __nv_bfloat16>(__nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, int, int);
template __global__ void scores<32, __half>(const __half* __restrict__, const __half* __restrict__, float* __restrict__, int, int, float, bool);
template __global__ void softmax<32, __half>(float* __restrict__, __half* __restrict__, float* __restrict__, int);
template __global__ void product<32, __half>(__half* __restrict__, const __half* __restrict__, float* __restrict__, int, int);
}  // namespace standard

namespace flash1 {
template <int kRows, int kD, class Tile, class Rows>
__device__ __forceinline__ void load_tile(Tile tile, Rows from, int first, int left, float scale = 1) {
  for (int e = threadIdx.x; e < kRows * kD; e += 128)
    tile[e / kD][e % kD] = scale * float(value_if(e < left * kD, &from[first * kD + e]));
}

template <int kD, class Part>
__device__ __forceinline__ void rescale(float* __restrict__ o, Part part, float keep, float share, int head, int row0, int seq, bool known) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r = 8 * warp; r < 8 * warp + 8; ++r) {
    const float old_part = __shfl_sync(~0u, keep, r), new_part = __shfl_sync(~0u, share, r);
    for (int p = lane; p < kD; p += 32) {
      const int at = (head + row0 + r) * kD + p;
      float x = old_part * value_if(known && row0 + r < seq, &o[at]);
      for (int w = 0; w < 4; ++w) x += new_part * part[32 * w + r][p];
      if (row0 + r < seq) o[at] = x;
    }
  }
}

template <int kTileK, int kD, class T>
__global__ void __launch_bounds__(128) flash1(const T* __restrict__ q, const T* __restrict__ k, const T* __restrict__ v, float* __restrict__ o, float* __restrict__ l, float* __restrict__ m, float* __restrict__ sum, int seq, float scale, bool causal) {
  constexpr int kTileQ = 32, kCols = kTileK / 4, kPitch = 4 * (kD + 4);    // columns of a warp; bytes per row
  extern __shared__ __align__(16) unsigned char flash1_bytes[];
  const auto q_tile = reinterpret_cast<float(*)[kD + 4]>(flash1_bytes + (0));
  const auto k_tile = reinterpret_cast<float(*)[kD + 4]>(flash1_bytes + (kTileQ * kPitch));
  const auto v_tile = reinterpret_cast<float(*)[kD + 4]>(flash1_bytes + ((kTileQ + kTileK) * kPitch));
  const auto part = reinterpret_cast<float(*)[kD + 4]>(flash1_bytes + ((kTileQ + 2 * kTileK) * kPitch));
  const auto of_warp = reinterpret_cast<float(*)[kTileQ]>(flash1_bytes + ((5 * kTileQ + 2 * kTileK) * kPitch));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, head = blockIdx.x * seq, tiles = ceil_div(seq, kTileK);
  for (int j = 0; j < tiles; ++j) {
    load_tile<kTileK, kD>(k_tile, k, head + j * kTileK, seq - j * kTileK);
    load_tile<kTileK, kD>(v_tile, v, head + j * kTileK, seq - j * kTileK);
    for (int i = causal ? j * kTileK / kTileQ : 0; i * kTileQ < seq; ++i) {
      const int row0 = i * kTileQ, row = row0 + lane, known = j > 0 && row < seq;         // a lane owns a row
      load_tile<kTileQ, kD>(q_tile, q, head + row0, seq - row0, scale);
      const float m_old = known ? float(m[head + row]) : -INFINITY, sum_old = value_if(known, &sum[head + row]);

      __syncthreads();

      float s[kCols] = {}, top = -INFINITY;
      for (int p = 0; p < kD / 4; ++p) {
        const float4 q_value = rows_of<float4>(q_tile)[lane][p];
        for (int c = 0; c < kCols; ++c) s[c] += dot(q_value, rows_of<float4>(k_tile)[warp * kCols + c][p]);
      }
      for (int c = 0, col = j * kTileK + warp * kCols; c < kCols; ++c, ++col) {
        if (col >= seq || (causal && col > row)) s[c] = -INFINITY;
        top = fmaxf(top, s[c]);
      }
      of_warp[warp][lane] = top;

      __syncthreads();

      float m_new = m_old;
      for (int w = 0; w < 4; ++w) m_new = fmaxf(m_new, of_warp[w][lane]);
      float factor = expf(m_old - m_new), total = 0;
      for (int c = 0; c < kCols; ++c) total += s[c] = expf(s[c] - m_new);
      of_warp[4 + warp][lane] = total;
      for (int p = 0; p < kD / 4; ++p) {
        float4 x = {};
        for (int c = 0; c < kCols; ++c) x = plus(x, s[c], rows_of<float4>(v_tile)[warp * kCols + c][p]);
        rows_of<float4>(part)[warp * kTileQ + lane][p] = x;
      }

      __syncthreads();

      total = sum_old * factor;
      for (int w = 4; w < 8; ++w) total += of_warp[w][lane];
      if (warp == 0 && row < seq) m[head + row] = m_new, sum[head + row] = total;
      rescale<kD>(o, part, sum_old * factor / total, 1 / total, head, row0, seq, j > 0);
      __syncthreads();
    }
  }
  for (int row = head + threadIdx.x; row < head + seq; row += 128) l[row] = m[row] + logf(sum[row]);
}
template __global__ void flash1<32, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<64, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<128, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<256, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<32, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<64, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<128, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<256, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<32, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<64, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<128, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<32, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<64, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<128, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<256, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<32, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<64, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<128, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<256, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<32, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<64, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<128, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<32, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<64, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<128, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<256, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<32, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<64, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<128, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<256, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<32, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<64, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash1<128, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
}  // namespace flash1

namespace flash2 {
template <int kRows, int kD, class Tile, class Rows>
__device__ __forceinline__ void load_tile(Tile tile, Rows from, int first, int left, float scale = 1) {
  for (int e = threadIdx.x; e < kRows * kD; e += 128)
    tile[e / kD][e % kD] = scale * float(value_if(e < left * kD, &from[first * kD + e]));
}

template <int kTileQ, int kD, class T>
__global__ void __launch_bounds__(128) flash2(const T* __restrict__ q, const T* __restrict__ k, const T* __restrict__ v, float* __restrict__ o, float* __restrict__ l,
                               int seq, float scale, bool causal) {
  constexpr int kTileK = 32, kRows = kTileQ / 4, kOut = kD / 32;   // a lane owns a column of S; rows of a warp; columns of O
  extern __shared__ __align__(16) unsigned char flash2_bytes[];
  const auto q_tile = reinterpret_cast<float(*)[kD + 4]>(flash2_bytes + (0));
  const auto k_tile = reinterpret_cast<float(*)[kD + 4]>(flash2_bytes + (4 * kTileQ * (kD + 4)));
  const auto v_tile = reinterpret_cast<float(*)[kD + 4]>(flash2_bytes + (4 * (kTileQ + kTileK) * (kD + 4)));
  const int lane = threadIdx.x % 32, y = threadIdx.x / 32 * kRows, row0 = blockIdx.x * kTileQ, head = blockIdx.y * seq;
  float m[kRows], sum[kRows] = {}, out[kRows][kOut] = {};
  for (int r = 0; r < kRows; ++r) m[r] = -INFINITY;
  int step = blockIdx.x * ceil_div(seq, kTileK);
  load_tile<kTileQ, kD>(q_tile, q, head + row0, seq - row0, scale);
  for (int col0 = 0; col0 < seq && (!causal || col0 < row0 + kTileQ); col0 += kTileK, ++step) {
    load_tile<kTileK, kD>(k_tile, k, head + col0, seq - col0);
    load_tile<kTileK, kD>(v_tile, v, head + col0, seq - col0);

    __syncthreads();

    float s[kRows] = {};
    for (int p = 0; p < kD / 4; ++p) {
      const float4 k_value = rows_of<float4>(k_tile)[lane][p];
      for (int r = 0; r < kRows; ++r) s[r] += dot(rows_of<float4>(q_tile)[y + r][p], k_value);
    }
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row) {
      if (col0 + lane >= seq || (causal && col0 + lane > row)) s[r] = -INFINITY;
    }
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row) {
      const float top = fmaxf(m[r], warp_max(s[r])), factor = expf(m[r] - top);
      s[r] = expf(s[r] - top);
      m[r] = top, sum[r] = sum[r] * factor + warp_sum(s[r]);
      for (int c = 0; c < kOut; ++c) out[r][c] *= factor;
    }
    for (int j = 0; j < kTileK; ++j) {
      float v_value[kOut];
      for (int c = 0; c < kOut; ++c) v_value[c] = v_tile[j][32 * c + lane];
      for (int r = 0; r < kRows; ++r) {
        const float p = __shfl_sync(~0u, s[r], j);
        for (int c = 0; c < kOut; ++c) out[r][c] += p * v_value[c];
      }
    }

    __syncthreads();
  }
  for (int r = 0, row = row0 + y; r < kRows && row < seq; ++r, ++row) {
    for (int c = 0; c < kOut; ++c) o[(head + row) * kD + 32 * c + lane] = out[r][c] / sum[r];
    if (lane == 0) l[head + row] = m[r] + logf(sum[r]);
  }
}
template __global__ void flash2<32, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<16, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<64, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<32, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<16, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<64, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<32, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<16, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<64, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<32, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<16, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<64, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<32, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<16, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<64, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<32, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<16, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<64, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<32, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<16, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<64, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<32, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<16, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<64, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<32, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<16, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void flash2<64, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
}  // namespace flash2

#include "attention_mma.cuh"

namespace backward {
using flash2::load_tile;
// Products of the rows y, y + 1, ... of `own` with all rows of `other`; a lane has those with rows lane, lane + 32, ...
template <int kD, int kRows, int kCols, class Tile>
__device__ __forceinline__ void multiply_rows(float (&products)[kRows][kCols], Tile own, int y, Tile other) {
  for (int p = 0; p < kD / 4; ++p)
    for (int x = 0; x < kCols; ++x) {
      const float4 value = rows_of<float4>(other)[32 * x + threadIdx.x % 32][p];
      for (int r = 0; r < kRows; ++r) products[r][x] += dot(rows_of<float4>(own)[y + r][p], value);
    }
}

// Adds to each sum all rows of `other`, each with its weight, which the lane of that number has.
template <int kRows, int kOut, int kCols, class Tile>
__device__ __forceinline__ void add_rows(float (&sums)[kRows][kOut], const float (&weights)[kRows][kCols], Tile other) {
  for (int x = 0; x < kCols; ++x)
    for (int j = 0; j < 32; ++j) {
      float value[kOut];
      for (int c = 0; c < kOut; ++c) value[c] = other[32 * x + j][32 * c + threadIdx.x % 32];
      for (int r = 0; r < kRows; ++r) {
        const float weight = __shfl_sync(~0u, weights[r][x], j);
        for (int c = 0; c < kOut; ++c) sums[r][c] += weight * value[c];
      }
    }
}

// d = the sum of dO O along each row: what the softmax takes from all gradients of the row. A warp per row.
template <int kTileQ, int kTileK, int kD, class T>
__global__ void __launch_bounds__(128) rowsum(const T* __restrict__ d_o, float* __restrict__ o, float* __restrict__ d, int seq) {
  for (int r = threadIdx.x / 32; r < kTileQ; r += 4) {
    const int lane = threadIdx.x % 32, row = blockIdx.x * kTileQ + r, first = (blockIdx.y * seq + row) * kD;
    float sum = 0;
    for (int c = lane; c < kD; c += 32) sum += float(value_if(row < seq, &d_o[first + c])) * value_if(row < seq, &o[first + c]);
    sum = warp_sum(sum);
    if (row < seq && lane == 0) d[blockIdx.y * seq + row] = sum;
  }
}

// dV = P^T dO and dK = dS^T Q: a warp has rows of K, a lane rows of Q.
template <int kTileQ, int kTileK, int kD, class T>
__global__ void __launch_bounds__(128) gradient_kv(const T* __restrict__ q, const T* __restrict__ k, const T* __restrict__ v, const T* __restrict__ d_o, float* __restrict__ l, float* __restrict__ d,
                                    float* __restrict__ d_k, float* __restrict__ d_v, int seq, float scale, bool causal) {
  constexpr int kRows = kTileK / 4, kCols = kTileQ / 32, kOut = kD / 32;
  extern __shared__ __align__(16) unsigned char backward_bytes[];
  const auto q_tile = reinterpret_cast<float(*)[kD + 4]>(backward_bytes + (0));
  const auto do_tile = reinterpret_cast<float(*)[kD + 4]>(backward_bytes + (4 * kTileQ * (kD + 4)));
  const auto k_tile = reinterpret_cast<float(*)[kD + 4]>(backward_bytes + (8 * kTileQ * (kD + 4)));
  const auto v_tile = reinterpret_cast<float(*)[kD + 4]>(backward_bytes + (4 * (2 * kTileQ + kTileK) * (kD + 4)));
  const int lane = threadIdx.x % 32, y = threadIdx.x / 32 * kRows, col0 = blockIdx.x * kTileK, head = blockIdx.y * seq;
  const int row_begin = causal ? col0 / kTileQ * kTileQ : 0;               // the rows above see nothing of this tile
  load_tile<kTileK, kD>(k_tile, k, head + col0, seq - col0);
  load_tile<kTileK, kD>(v_tile, v, head + col0, seq - col0);
  float k_sum[kRows][kOut] = {}, v_sum[kRows][kOut] = {};
  for (int row0 = row_begin; row0 < seq; row0 += kTileQ) {
    load_tile<kTileQ, kD>(q_tile, q, head + row0, seq - row0, scale);
    load_tile<kTileQ, kD>(do_tile, d_o, head + row0, seq - row0);

    __syncthreads();

    float p[kRows][kCols] = {}, ds[kRows][kCols] = {};
    multiply_rows<kD>(p, k_tile, y, q_tile);
    for (int x = 0, row = row0 + lane; x < kCols; ++x, row += 32) {
      const float l_row = value_if(row < seq, &l[head + row]);
      for (int r = 0, col = col0 + y; r < kRows; ++r, ++col) {
        p[r][x] = row < seq && col < seq && (!causal || col <= row) ? expf(p[r][x] - l_row) : 0;
      }
    }
    add_rows(v_sum, p, do_tile);
    multiply_rows<kD>(ds, v_tile, y, do_tile);
    for (int x = 0, row = row0 + lane; x < kCols; ++x, row += 32) {
      const float d_row = value_if(row < seq, &d[head + row]);
      for (int r = 0, col = col0 + y; r < kRows; ++r, ++col) {
        ds[r][x] = p[r][x] * (ds[r][x] - d_row);
      }
    }
    add_rows(k_sum, ds, q_tile);

    __syncthreads();
  }
  for (int r = 0, row = col0 + y; r < kRows && row < seq; ++r, ++row)
    for (int c = 0; c < kOut; ++c) {
      d_k[(head + row) * kD + 32 * c + lane] = k_sum[r][c];
      d_v[(head + row) * kD + 32 * c + lane] = v_sum[r][c];
    }
}

// dQ = dS K: a warp has rows of Q, a lane rows of K.
template <int kTileQ, int kTileK, int kD, class T>
__global__ void __launch_bounds__(128) gradient_q(const T* __restrict__ q, const T* __restrict__ k, const T* __restrict__ v, const T* __restrict__ d_o, float* __restrict__ l, float* __restrict__ d,
                                   float* __restrict__ d_q, int seq, float scale, bool causal) {
  constexpr int kRows = kTileQ / 4, kCols = kTileK / 32, kOut = kD / 32;
  extern __shared__ __align__(16) unsigned char backward_bytes[];
  const auto q_tile = reinterpret_cast<float(*)[kD + 4]>(backward_bytes + (0));
  const auto do_tile = reinterpret_cast<float(*)[kD + 4]>(backward_bytes + (4 * kTileQ * (kD + 4)));
  const auto k_tile = reinterpret_cast<float(*)[kD + 4]>(backward_bytes + (8 * kTileQ * (kD + 4)));
  const auto v_tile = reinterpret_cast<float(*)[kD + 4]>(backward_bytes + (4 * (2 * kTileQ + kTileK) * (kD + 4)));
  const int lane = threadIdx.x % 32, y = threadIdx.x / 32 * kRows, row0 = blockIdx.x * kTileQ, head = blockIdx.y * seq;
  load_tile<kTileQ, kD>(q_tile, q, head + row0, seq - row0, scale);
  load_tile<kTileQ, kD>(do_tile, d_o, head + row0, seq - row0);
  float l_row[kRows], d_row[kRows], q_sum[kRows][kOut] = {};
  for (int r = 0, row = row0 + y; r < kRows; ++r, ++row) {
    l_row[r] = value_if(row < seq, &l[head + row]);
    d_row[r] = value_if(row < seq, &d[head + row]);
  }
  for (int col0 = 0; col0 < seq && (!causal || col0 < row0 + kTileQ); col0 += kTileK) {
    load_tile<kTileK, kD>(k_tile, k, head + col0, seq - col0);
    load_tile<kTileK, kD>(v_tile, v, head + col0, seq - col0);

    __syncthreads();

    float p[kRows][kCols] = {}, ds[kRows][kCols] = {};
    multiply_rows<kD>(p, q_tile, y, k_tile);
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row)
      for (int x = 0, col = col0 + lane; x < kCols; ++x, col += 32) {
        p[r][x] = row < seq && col < seq && (!causal || col <= row) ? expf(p[r][x] - l_row[r]) : 0;
      }
    multiply_rows<kD>(ds, do_tile, y, v_tile);
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row)
      for (int x = 0, col = col0 + lane; x < kCols; ++x, col += 32) {
        ds[r][x] = p[r][x] * (ds[r][x] - d_row[r]);
      }
    add_rows(q_sum, ds, k_tile);

    __syncthreads();
  }
  for (int r = 0, row = row0 + y; r < kRows && row < seq; ++r, ++row)
    for (int c = 0; c < kOut; ++c) d_q[(head + row) * kD + 32 * c + lane] = scale * q_sum[r][c];
}
template __global__ void rowsum<32, 32, 32, float>(const float* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<32, 32, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<32, 32, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<32, 32, 64, float>(const float* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<32, 32, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<32, 32, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<32, 32, 128, float>(const float* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<32, 32, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<32, 32, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<64, 32, 32, float>(const float* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<64, 32, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<64, 32, 32, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<64, 32, 64, float>(const float* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<64, 32, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<64, 32, 64, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<64, 32, 128, float>(const float* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<64, 32, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<64, 32, 128, float>(const float* __restrict__, const float* __restrict__, const float* __restrict__, const float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<32, 32, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<32, 32, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<32, 32, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<32, 32, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<32, 32, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<32, 32, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<32, 32, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<32, 32, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<32, 32, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<64, 32, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<64, 32, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<64, 32, 32, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<64, 32, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<64, 32, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<64, 32, 64, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<64, 32, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<64, 32, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<64, 32, 128, __nv_bfloat16>(const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, const __nv_bfloat16* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<32, 32, 32, __half>(const __half* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<32, 32, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<32, 32, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<32, 32, 64, __half>(const __half* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<32, 32, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<32, 32, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<32, 32, 128, __half>(const __half* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<32, 32, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<32, 32, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<64, 32, 32, __half>(const __half* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<64, 32, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<64, 32, 32, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<64, 32, 64, __half>(const __half* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<64, 32, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<64, 32, 64, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void rowsum<64, 32, 128, __half>(const __half* __restrict__, float* __restrict__, float* __restrict__, int);
template __global__ void gradient_kv<64, 32, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
template __global__ void gradient_q<64, 32, 128, __half>(const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, const __half* __restrict__, float* __restrict__, float* __restrict__, float* __restrict__, int, float, bool);
}  // namespace backward
