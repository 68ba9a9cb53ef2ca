// Plain CUDA twins of kernels/gemm: the same kernels without the dialect. tests/registers.py compiles both and compares
// registers and shared bytes: the dialect must cost nothing. One namespace per rung.
using bf16 = unsigned short;

__device__ __forceinline__ void put4(float* to, float4 x) { to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w; }
__device__ __forceinline__ float4 get4(const float* from) { return make_float4(from[0], from[1], from[2], from[3]); }

template <class T>
__device__ __forceinline__ T value_if(bool inside, const T* at) {
  return inside ? *at : T{};
}

template <class V, class T, int kPitch>
__device__ __forceinline__ auto rows_of(T (*tile)[kPitch]) {
  return reinterpret_cast<V(*)[kPitch * sizeof(T) / sizeof(V)]>(tile);
}

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
template <class T>
__device__ __forceinline__ void cp_async(bool inside, void* target, const T* source) {
  if constexpr (sizeof(T) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(target)), "l"(source), "r"(inside ? 16 : 0) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(target)), "l"(source), "r"(inside ? 4 : 0) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

__device__ __forceinline__ void mma_16816(float* c, const unsigned* a, const unsigned* b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void ldsm(unsigned* r, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
}
__device__ __forceinline__ void ldsm_trans(unsigned* r, const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
}

namespace naive {
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  const int row = blockIdx.y * 32 + threadIdx.x;
  const int col = blockIdx.x * 8 + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}
}  // namespace naive

namespace coalesced {
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int col = blockIdx.x * 32 + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}
}  // namespace coalesced

namespace shared {
template <int kTile>
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ alignas(16) float a_tile[kTile][kTile];
  __shared__ alignas(16) float b_tile[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    a_tile[y][x] = value_if(row < m && k0 + x < k, &a[row * k + k0 + x]);
    b_tile[y][x] = value_if(k0 + y < k && col < n, &b[(k0 + y) * n + col]);

    __syncthreads();

    for (int p = 0; p < kTile; ++p) sum += a_tile[y][p] * b_tile[p][x];

    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
template __global__ void gemm<16>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<32>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
}  // namespace shared

namespace reg1d {
template <int kBM, int kBN, int kBK, int kTM>
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  constexpr int kThreads = kBM * kBN / kTM;
  __shared__ alignas(16) float a_tile[kBM][kBK];
  __shared__ alignas(16) float b_tile[kBK][kBN];
  const int tid = threadIdx.x, x = tid % kBN, y = tid / kBN * kTM;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kTM] = {};
  for (int k0 = 0; k0 < k; k0 += kBK) {
    for (int e = tid; e < kBM * kBK; e += kThreads) {
      const int row = e / kBK, p = e % kBK;
      a_tile[row][p] = value_if(row0 + row < m && k0 + p < k, &a[(row0 + row) * k + k0 + p]);
    }
    for (int e = tid; e < kBK * kBN; e += kThreads) {
      const int p = e / kBN, col = e % kBN;
      b_tile[p][col] = value_if(k0 + p < k && col0 + col < n, &b[(k0 + p) * n + col0 + col]);
    }

    __syncthreads();

    for (int p = 0; p < kBK; ++p) {
      const float b_value = b_tile[p][x];
      for (int i = 0; i < kTM; ++i) sum[i] += a_tile[y + i][p] * b_value;
    }

    __syncthreads();
  }
  for (int i = 0; i < kTM; ++i)
    if (row0 + y + i < m && col0 + x < n) c[(row0 + y + i) * n + col0 + x] = sum[i];
}
template __global__ void gemm<32, 32, 8, 4>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<64, 64, 8, 8>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
}  // namespace reg1d

namespace reg2d {
template <int kBM, int kBN, int kBK, int kT>
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  constexpr int kThreads = kBM * kBN / (kT * kT);
  __shared__ alignas(16) float a_tile[kBM][kBK];
  __shared__ alignas(16) float b_tile[kBK][kBN];
  const int tid = threadIdx.x, x = tid % (kBN / kT) * kT, y = tid / (kBN / kT) * kT;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kT][kT] = {};
  for (int k0 = 0; k0 < k; k0 += kBK) {
    for (int e = tid; e < kBM * kBK; e += kThreads) {
      const int row = e / kBK, p = e % kBK;
      a_tile[row][p] = value_if(row0 + row < m && k0 + p < k, &a[(row0 + row) * k + k0 + p]);
    }
    for (int e = tid; e < kBK * kBN; e += kThreads) {
      const int p = e / kBN, col = e % kBN;
      b_tile[p][col] = value_if(k0 + p < k && col0 + col < n, &b[(k0 + p) * n + col0 + col]);
    }

    __syncthreads();

    for (int p = 0; p < kBK; ++p) {
      float a_value[kT], b_value[kT];
      for (int i = 0; i < kT; ++i) a_value[i] = a_tile[y + i][p];
      for (int j = 0; j < kT; ++j) b_value[j] = b_tile[p][x + j];
      for (int i = 0; i < kT; ++i)
        for (int j = 0; j < kT; ++j) sum[i][j] += a_value[i] * b_value[j];
    }

    __syncthreads();
  }
  for (int i = 0; i < kT; ++i)
    for (int j = 0; j < kT; ++j)
      if (row0 + y + i < m && col0 + x + j < n) c[(row0 + y + i) * n + col0 + x + j] = sum[i][j];
}
template __global__ void gemm<32, 32, 8, 4>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<64, 64, 8, 8>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<128, 128, 8, 8>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
}  // namespace reg2d

namespace vectorized {
template <int kBM, int kBN, int kBK, int kT>
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  constexpr int kX = kBN / kT, kY = kBM / kT, kThreads = kX * kY;
  __shared__ alignas(16) float a_tile[kBK][kBM + 4];              // turned over; 4 more per row: no two lanes share a bank
  __shared__ alignas(16) float4 b_tile[kBK][kBN / 4];
  const int tid = threadIdx.x, x = tid % kX, y = tid / kX;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kT][kT] = {};
  for (int k0 = 0; k0 < k; k0 += kBK) {
    for (int e = tid; e < kBM * kBK / 4; e += kThreads) {
      const int row = e / (kBK / 4), p = e % (kBK / 4) * 4;
      const float4 v = value_if(row0 + row < m && k0 + p < k, &reinterpret_cast<const float4*>(a)[((row0 + row) * k + k0 + p) / 4]);
      a_tile[p][row] = v.x;
      a_tile[p + 1][row] = v.y;
      a_tile[p + 2][row] = v.z;
      a_tile[p + 3][row] = v.w;
    }
    for (int e = tid; e < kBK * kBN / 4; e += kThreads) {
      const int p = e / (kBN / 4), q = e % (kBN / 4);
      b_tile[p][q] = value_if(k0 + p < k && col0 + 4 * q < n, &reinterpret_cast<const float4*>(b)[(k0 + p) * (n / 4) + col0 / 4 + q]);
    }

    __syncthreads();

    for (int p = 0; p < kBK; ++p) {
      float a_value[kT], b_value[kT];
      for (int i = 0; i < kT; i += 4) put4(&a_value[i], rows_of<float4>(a_tile)[p][i / 4 * kY + y]);
      for (int j = 0; j < kT; j += 4) put4(&b_value[j], b_tile[p][j / 4 * kX + x]);
      for (int i = 0; i < kT; ++i)
        for (int j = 0; j < kT; ++j) sum[i][j] += a_value[i] * b_value[j];
    }

    __syncthreads();
  }
  for (int i = 0; i < kT; ++i)
    for (int j = 0; j < kT; j += 4) {
      const int row = row0 + (i / 4 * kY + y) * 4 + i % 4, col = col0 + (j / 4 * kX + x) * 4;
      if (row < m && col < n) reinterpret_cast<float4*>(c)[(row * n + col) / 4] = get4(&sum[i][j]);
    }
}
template __global__ void gemm<32, 32, 8, 4>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<64, 64, 8, 8>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<128, 128, 8, 8>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
}  // namespace vectorized

namespace async {
template <int kBM, int kBN, int kBK, int kT>
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  constexpr int kX = kBN / kT, kY = kBM / kT, kThreads = kX * kY;
  __shared__ alignas(16) float a_tile[2 * kBK][kBM + 4];          // two buffers, one above the other
  __shared__ alignas(16) float4 b_tile[2 * kBK][kBN / 4];
  const int tid = threadIdx.x, x = tid % kX, y = tid / kX;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kT][kT] = {};
  const auto fetch = [&](int k0, int buffer) {
    for (int i = 0; i < kBM * kBK / kThreads; ++i) {
      const int row = tid / kBK + i * (kThreads / kBK), p = tid % kBK;
      cp_async(row0 + row < m && k0 + p < k, &a_tile[buffer + p][row], &a[(row0 + row) * k + k0 + p]);
    }
    for (int i = 0; i < kBK * kBN / 4 / kThreads; ++i) {
      const int p = (tid + i * kThreads) / (kBN / 4), q = tid % (kBN / 4);
      cp_async(k0 + p < k && col0 + 4 * q < n, &b_tile[buffer + p][q], &reinterpret_cast<const float4*>(b)[(k0 + p) * (n / 4) + col0 / 4 + q]);
    }
  };
  fetch(0, 0);
  cp_async_commit();
  for (int k0 = 0, use = 0; k0 < k; k0 += kBK, use ^= kBK) {
    if (k0 + kBK < k) fetch(k0 + kBK, use ^ kBK);
    cp_async_commit();
    cp_async_wait<1>();                           // all but the newest group: this tile is here

    __syncthreads();

    for (int p = use; p < use + kBK; ++p) {
      float a_value[kT], b_value[kT];
      for (int i = 0; i < kT; i += 4) put4(&a_value[i], rows_of<float4>(a_tile)[p][i / 4 * kY + y]);
      for (int j = 0; j < kT; j += 4) put4(&b_value[j], b_tile[p][j / 4 * kX + x]);
      for (int i = 0; i < kT; ++i)
        for (int j = 0; j < kT; ++j) sum[i][j] += a_value[i] * b_value[j];
    }

    __syncthreads();
  }
  for (int i = 0; i < kT; ++i)
    for (int j = 0; j < kT; j += 4) {
      const int row = row0 + (i / 4 * kY + y) * 4 + i % 4, col = col0 + (j / 4 * kX + x) * 4;
      if (row < m && col < n) reinterpret_cast<float4*>(c)[(row * n + col) / 4] = get4(&sum[i][j]);
    }
}
template __global__ void gemm<32, 32, 8, 4>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<64, 64, 8, 8>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<128, 128, 8, 8>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
}  // namespace async

namespace warptile {
template <int kBM, int kBN, int kBK, int kT>
__global__ void __launch_bounds__(kBM * kBN / (kT * kT), 2) gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  constexpr int kWM = 4 * kT, kWN = 8 * kT;         // a warp's rectangle: 4 x 8 lanes
  constexpr int kThreads = kBM / kWM * (kBN / kWN) * 32;
  extern __shared__ __align__(16) unsigned char warptile_bytes[];
  const auto a_tile = reinterpret_cast<float(*)[kBM + 4]>(warptile_bytes + (0));
  const auto b_tile = reinterpret_cast<float4(*)[kBN / 4]>(warptile_bytes + (2 * kBK * (kBM + 4) * 4));  // starts at this byte
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int x = warp % (kBN / kWN) * (kWN / 4) + lane / 2 % 8;              // in units of 4 columns
  const int y = warp / (kBN / kWN) * (kWM / 4) + lane % 2 + lane / 16 * 2;  // in units of 4 rows
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kT][kT] = {};
  const bool inside = row0 + kBM <= m && col0 + kBN <= n;
  const auto copy = [&](int k0, int buffer, auto whole) {                   // of a whole tile nothing need be asked
    for (int i = 0; i < kBM * kBK / kThreads; ++i) {
      const int row = tid / kBK + i * (kThreads / kBK), p = tid % kBK;
      cp_async(whole || (row0 + row < m && k0 + p < k), &a_tile[buffer * kBK + p][row], &a[(row0 + row) * k + k0 + p]);
    }
    for (int i = 0; i < kBK * kBN / 4 / kThreads; ++i) {
      const int p = (tid + i * kThreads) / (kBN / 4), q = tid % (kBN / 4);
      cp_async(whole || (k0 + p < k && col0 + 4 * q < n), &b_tile[buffer * kBK + p][q], &reinterpret_cast<const float4*>(b)[(k0 + p) * (n / 4) + col0 / 4 + q]);
    }
  };
  const auto fetch = [&](int tile, int buffer) {
    if (inside && (tile + 1) * kBK <= k) copy(tile * kBK, buffer, std::true_type{});
    else copy(tile * kBK, buffer, std::false_type{});
  };
  fetch(0, 0);
  cp_async_commit();
  for (int tile = 0, use = 0; tile * kBK < k; ++tile, use = 1 - use) {
    cp_async_wait<0>();

    __syncthreads();

    if ((tile + 1) * kBK < k) fetch(tile + 1, 1 - use);
    cp_async_commit();
#pragma unroll
    for (int p = 0; p < kBK; ++p) {
      float a_value[kT], b_value[kT];
      for (int i = 0; i < kT; i += 4) put4(&a_value[i], rows_of<float4>(a_tile)[use * kBK + p][y + i]);
      for (int j = 0; j < kT; j += 4) put4(&b_value[j], b_tile[use * kBK + p][x + j * 2]);
      for (int j = 0; j < kT; ++j)
        for (int t = 0; t < kT; ++t) {
          const int i = j % 2 ? kT - 1 - t : t;     // there and back
          sum[i][j] += a_value[i] * b_value[j];
        }
    }
  }
  for (int i = 0; i < kT; ++i)
    for (int j = 0; j < kT; ++j) {
      const int row = row0 + (y + i / 4 * 4) * 4 + i % 4, col = col0 + (x + j / 4 * 8) * 4 + j % 4;
      if (inside || (row < m && col < n)) c[row * n + col] = sum[i][j];
    }
}
template __global__ void gemm<32, 32, 8, 4>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<64, 64, 8, 8>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<128, 128, 32, 8>(const float* __restrict__, const float* __restrict__, float* __restrict__, int, int, int);
}  // namespace warptile

namespace mma {
template <int kBM, int kBN, int kBK, int kWM, int kWN>
__global__ void gemm(const bf16* __restrict__ a, const bf16* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  constexpr int kThreads = kBM / kWM * (kBN / kWN) * 32;
  __shared__ alignas(16) bf16 a_tile[2 * kBM][kBK + 8];
  __shared__ alignas(16) bf16 b_tile[2 * kBK][kBN + 8];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const int y = warp / (kBN / kWN) * kWM + lane / 4;  // this lane's first row and column in the block's tile
  const int x = warp % (kBN / kWN) * kWN, t = lane % 4;
  float sum[kWM / 16][kWN / 8][4] = {};
  const auto fetch = [&](int k0, int buffer) {
    for (int e = tid; e < kBM * kBK / 8; e += kThreads) {
      const int row = e / (kBK / 8), u = e % (kBK / 8);
      cp_async(row0 + row < m && k0 + 8 * u < k, &rows_of<uint4>(a_tile)[buffer * kBM + row][u], &reinterpret_cast<const uint4*>(a)[(row0 + row) * (k / 8) + k0 / 8 + u]);
    }
    for (int e = tid; e < kBK * kBN / 8; e += kThreads) {
      const int p = e / (kBN / 8), u = e % (kBN / 8);
      cp_async(k0 + p < k && col0 + 8 * u < n, &rows_of<uint4>(b_tile)[buffer * kBK + p][u], &reinterpret_cast<const uint4*>(b)[(k0 + p) * (n / 8) + col0 / 8 + u]);
    }
  };
  fetch(0, 0);
  cp_async_commit();
  for (int k0 = 0, use = 0; k0 < k; k0 += kBK, use ^= 1) {
    if (k0 + kBK < k) fetch(k0 + kBK, use ^ 1);
    cp_async_commit();
    cp_async_wait<1>();

    __syncthreads();

    for (int p = 0; p < kBK; p += 16) {
      unsigned a_value[kWM / 16][4], b_value[kWN / 8][2];
      for (int i = 0; i < kWM / 16; ++i)
        for (int r = 0; r < 4; ++r)                 // rows y and y + 8, columns 2t and 2t + 8 with their neighbours
          a_value[i][r] = rows_of<unsigned>(a_tile)[use * kBM + y + 16 * i + r % 2 * 8][p / 2 + t + r / 2 * 4];
      for (int j = 0; j < kWN / 8; ++j)
        for (int r = 0; r < 2; ++r) {               // rows 2t and 2t + 1, then 8 below
          const unsigned low = b_tile[use * kBK + p + 2 * t + 8 * r][x + 8 * j + lane / 4];
          const unsigned high = b_tile[use * kBK + p + 2 * t + 8 * r + 1][x + 8 * j + lane / 4];
          b_value[j][r] = low | high << 16;
        }
      for (int i = 0; i < kWM / 16; ++i)
        for (int j = 0; j < kWN / 8; ++j) mma_16816(sum[i][j], a_value[i], b_value[j]);
    }

    __syncthreads();
  }
  for (int i = 0; i < kWM / 16; ++i)
    for (int j = 0; j < kWN / 8; ++j)
      for (int r = 0; r < 2; ++r) {
        const int row = row0 + y + 16 * i + 8 * r, col = col0 + x + 8 * j + 2 * t;
        if (row < m && col < n) reinterpret_cast<float2*>(c)[(row * n + col) / 2] = make_float2(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
      }
}
template __global__ void gemm<32, 32, 16, 16, 32>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<128, 128, 32, 64, 32>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
}  // namespace mma

namespace swizzle {
// Where unit `unit` of a row of kUnits units stands: 8 units fill the 32 banks,
// so the rows of a group of 8 (of 4, of 2 where rows are shorter) mix theirs.
template <int kUnits>
__device__ __forceinline__ int swizzled(int row, int unit) {
  constexpr int kMixed = kUnits < 8 ? kUnits : 8;
  return unit ^ (row / (8 / kMixed) % kMixed);
}

// Copies the tile at (row0, col0) of a rows x cols matrix to the rows of `tile`
// from `first` on: in units of 16 bytes, swizzled, zeros beyond the edge.
template <int kRows, int kUnits, int kThreads, class Tile>
__device__ __forceinline__ void fetch_tile(Tile tile, int first, const uint4* from,
                           int row0, int col0, int rows, int cols) {
  const int tid = threadIdx.x, unit = tid % kUnits;
  for (int i = 0; i < kRows * kUnits / kThreads; ++i) {
    const int row = (tid + i * kThreads) / kUnits;
    cp_async(row0 + row < rows && col0 + 8 * unit < cols, &tile[first + row][swizzled<kUnits>(row, unit)], &from[(row0 + row) * (cols / 8) + col0 / 8 + unit]);
  }
}

template <int kBM, int kBN, int kBK, int kWM, int kWN>
__global__ void gemm(const bf16* __restrict__ a, const bf16* __restrict__ b,
                     float* __restrict__ c, int m, int n, int k) {
  constexpr int kAcross = kBN / kWN, kThreads = kBM / kWM * kAcross * 32;
  constexpr int kA = kBK / 8, kB = kBN / 8;         // units of 16 bytes per row
  __shared__ alignas(16) uint4 a_tile[2 * kBM][kA];
  __shared__ alignas(16) uint4 b_tile[2 * kBK][kB];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const int y = warp / kAcross * kWM + lane / 4;     // this lane's first row
  const int x = warp % kAcross * kWN, t = lane % 4;
  float sum[kWM / 16][kWN / 8][4] = {};
  const auto fetch = [&](int k0, int use) {
    fetch_tile<kBM, kA, kThreads>(a_tile, use * kBM, reinterpret_cast<const uint4*>(a),
                                  row0, k0, m, k);
    fetch_tile<kBK, kB, kThreads>(b_tile, use * kBK, reinterpret_cast<const uint4*>(b),
                                  k0, col0, k, n);
  };
  fetch(0, 0);
  cp_async_commit();
  for (int k0 = 0, use = 0; k0 < k; k0 += kBK, use ^= 1) {
    if (k0 + kBK < k) fetch(k0 + kBK, use ^ 1);
    cp_async_commit();
    cp_async_wait<1>();

    __syncthreads();

    for (int p = 0; p < kBK; p += 16) {
      unsigned a_value[kWM / 16][4], b_value[kWN / 8][2];
      for (int i = 0; i < kWM / 16; ++i)
        for (int r = 0; r < 4; ++r) {                // 8 rows, 8 columns on
          const int row = use * kBM + y + 16 * i + r % 2 * 8;
          const int unit = swizzled<kA>(row, p / 8 + r / 2);
          a_value[i][r] = rows_of<unsigned>(a_tile)[row][4 * unit + t];
        }
      for (int j = 0; j < kWN / 8; ++j)
        for (int r = 0; r < 2; ++r) {
          const int row = use * kBK + p + 2 * t + 8 * r;
          const int unit = swizzled<kB>(row, x / 8 + j);
          const int below = swizzled<kB>(row + 1, x / 8 + j);
          const unsigned low = rows_of<bf16>(b_tile)[row][8 * unit + lane / 4];
          const unsigned high = rows_of<bf16>(b_tile)[row + 1][8 * below + lane / 4];
          b_value[j][r] = low | high << 16;
        }
      for (int i = 0; i < kWM / 16; ++i)
        for (int j = 0; j < kWN / 8; ++j)
          mma_16816(sum[i][j], a_value[i], b_value[j]);
    }

    __syncthreads();
  }
  for (int i = 0; i < kWM / 16; ++i)
    for (int j = 0; j < kWN / 8; ++j)
      for (int r = 0; r < 2; ++r) {
        const int row = row0 + y + 16 * i + 8 * r;
        const int col = col0 + x + 8 * j + 2 * t;
        if (row < m && col < n)
          reinterpret_cast<float2*>(c)[(row * n + col) / 2] =
              make_float2(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
      }
}
template __global__ void gemm<32, 32, 16, 16, 32>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<128, 128, 32, 64, 32>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
}  // namespace swizzle

namespace ldmatrix {
// Where unit `unit` of a row of kUnits units stands: 8 units fill the 32 banks,
// so the rows of a group of 8 (of 4, of 2 where rows are shorter) mix theirs.
template <int kUnits>
__device__ __forceinline__ int swizzled(int row, int unit) {
  constexpr int kMixed = kUnits < 8 ? kUnits : 8;
  return unit ^ (row / (8 / kMixed) % kMixed);
}

// Copies the tile at (row0, col0) of a rows x cols matrix to the rows of `tile`
// from `first` on: in units of 16 bytes, swizzled, zeros beyond the edge.
template <int kRows, int kUnits, int kThreads, class Tile>
__device__ __forceinline__ void fetch_tile(Tile tile, int first, const uint4* from,
                           int row0, int col0, int rows, int cols) {
  const int tid = threadIdx.x, unit = tid % kUnits;
  for (int i = 0; i < kRows * kUnits / kThreads; ++i) {
    const int row = (tid + i * kThreads) / kUnits;
    cp_async(row0 + row < rows && col0 + 8 * unit < cols, &tile[first + row][swizzled<kUnits>(row, unit)], &from[(row0 + row) * (cols / 8) + col0 / 8 + unit]);
  }
}

template <int kBM, int kBN, int kBK, int kWM, int kWN>
__global__ void gemm(const bf16* __restrict__ a, const bf16* __restrict__ b,
                     float* __restrict__ c, int m, int n, int k) {
  constexpr int kAcross = kBN / kWN, kThreads = kBM / kWM * kAcross * 32;
  constexpr int kA = kBK / 8, kB = kBN / 8;         // units of 16 bytes per row
  __shared__ alignas(16) uint4 a_tile[2 * kBM][kA];
  __shared__ alignas(16) uint4 b_tile[2 * kBK][kB];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const int y = warp / kAcross * kWM, x = warp % kAcross * kWN;
  float sum[kWM / 16][kWN / 8][4] = {};
  const auto fetch = [&](int k0, int use) {
    fetch_tile<kBM, kA, kThreads>(a_tile, use * kBM, reinterpret_cast<const uint4*>(a),
                                  row0, k0, m, k);
    fetch_tile<kBK, kB, kThreads>(b_tile, use * kBK, reinterpret_cast<const uint4*>(b),
                                  k0, col0, k, n);
  };
  fetch(0, 0);
  cp_async_commit();
  for (int k0 = 0, use = 0; k0 < k; k0 += kBK, use ^= 1) {
    if (k0 + kBK < k) fetch(k0 + kBK, use ^ 1);
    cp_async_commit();
    cp_async_wait<1>();

    __syncthreads();

    for (int p = 0; p < kBK; p += 16) {
      unsigned a_value[kWM / 16][4], b_value[kWN / 16][4];
      for (int i = 0; i < kWM / 16; ++i) {
        const int row = y + 16 * i + lane % 16;
        const int unit = swizzled<kA>(row, p / 8 + lane / 16);
        ldsm(a_value[i], &a_tile[use * kBM + row][unit]);
      }
      for (int j = 0; j < kWN / 16; ++j) {          // of B two operands at once
        const int row = p + lane % 16;
        const int unit = swizzled<kB>(row, x / 8 + 2 * j + lane / 16);
        ldsm_trans(b_value[j], &b_tile[use * kBK + row][unit]);
      }
      for (int i = 0; i < kWM / 16; ++i)
        for (int j = 0; j < kWN / 8; ++j)
          mma_16816(sum[i][j], a_value[i], b_value[j / 2] + j % 2 * 2);
    }

    __syncthreads();
  }
  for (int i = 0; i < kWM / 16; ++i)
    for (int j = 0; j < kWN / 8; ++j)
      for (int r = 0; r < 2; ++r) {
        const int row = row0 + y + 16 * i + 8 * r + lane / 4;
        const int col = col0 + x + 8 * j + lane % 4 * 2;
        if (row < m && col < n)
          reinterpret_cast<float2*>(c)[(row * n + col) / 2] =
              make_float2(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
      }
}
template __global__ void gemm<32, 32, 16, 16, 32>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<128, 128, 32, 64, 32>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
}  // namespace ldmatrix

namespace stages {
// Where unit `unit` of a row of kUnits units stands: 8 units fill the 32 banks,
// so the rows of a group of 8 (of 4, of 2 where rows are shorter) mix theirs.
template <int kUnits>
__device__ __forceinline__ int swizzled(int row, int unit) {
  constexpr int kMixed = kUnits < 8 ? kUnits : 8;
  return unit ^ (row / (8 / kMixed) % kMixed);
}

// Copies the tile at (row0, col0) of a rows x cols matrix to the rows of `tile`
// from `first` on: in units of 16 bytes, swizzled, zeros beyond the edge.
template <int kRows, int kUnits, int kThreads, class Tile>
__device__ __forceinline__ void fetch_tile(Tile tile, int first, const uint4* from,
                           int row0, int col0, int rows, int cols) {
  const int tid = threadIdx.x, unit = tid % kUnits;
  for (int i = 0; i < kRows * kUnits / kThreads; ++i) {
    const int row = (tid + i * kThreads) / kUnits;
    cp_async(row0 + row < rows && col0 + 8 * unit < cols, &tile[first + row][swizzled<kUnits>(row, unit)], &from[(row0 + row) * (cols / 8) + col0 / 8 + unit]);
  }
}

template <int kBM, int kBN, int kBK, int kWM, int kWN, int kStages>
__global__ void __launch_bounds__(kBM / kWM * (kBN / kWN) * 32, 2) gemm(const bf16* __restrict__ a, const bf16* __restrict__ b, float* __restrict__ c,
          int m, int n, int k) {
  constexpr int kAcross = kBN / kWN, kThreads = kBM / kWM * kAcross * 32;
  constexpr int kA = kBK / 8, kB = kBN / 8;         // units of 16 bytes per row
  __shared__ alignas(16) uint4 a_tile[kStages * kBM][kA];
  __shared__ alignas(16) uint4 b_tile[kStages * kBK][kB];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const int y = warp / kAcross * kWM, x = warp % kAcross * kWN;
  float sum[kWM / 16][kWN / 8][4] = {};
  const auto fetch = [&](int k0, int use) {
    fetch_tile<kBM, kA, kThreads>(a_tile, use * kBM, reinterpret_cast<const uint4*>(a),
                                  row0, k0, m, k);
    fetch_tile<kBK, kB, kThreads>(b_tile, use * kBK, reinterpret_cast<const uint4*>(b),
                                  k0, col0, k, n);
  };
  for (int tile = 0; tile < kStages - 1; ++tile) {
    if (tile * kBK < k) fetch(tile * kBK, tile);
    cp_async_commit();
  }
  int use = 0, fill = kStages - 1;
  for (int k0 = 0; k0 < k; k0 += kBK) {
    cp_async_wait<kStages - 2>();     // all but the newest: this tile is here
    __syncthreads();

    if (k0 + (kStages - 1) * kBK < k) fetch(k0 + (kStages - 1) * kBK, fill);
    cp_async_commit();
    for (int p = 0; p < kBK; p += 16) {
      unsigned a_value[kWM / 16][4], b_value[kWN / 16][4];
      for (int i = 0; i < kWM / 16; ++i) {
        const int row = y + 16 * i + lane % 16;
        const int unit = swizzled<kA>(row, p / 8 + lane / 16);
        ldsm(a_value[i], &a_tile[use * kBM + row][unit]);
      }
      for (int j = 0; j < kWN / 16; ++j) {          // of B two operands at once
        const int row = p + lane % 16;
        const int unit = swizzled<kB>(row, x / 8 + 2 * j + lane / 16);
        ldsm_trans(b_value[j], &b_tile[use * kBK + row][unit]);
      }
      for (int j = 0; j < kWN / 8; j += 2)
        for (int s = 0; s < kWM / 16; ++s) {
          const int i = j % 4 ? kWM / 16 - 1 - s : s;          // there and back
          mma_16816(sum[i][j], a_value[i], b_value[j / 2]);
          mma_16816(sum[i][j + 1], a_value[i], b_value[j / 2] + 2);
        }
    }
    fill = use;
    use = use + 1 < kStages ? use + 1 : 0;
  }
  for (int i = 0; i < kWM / 16; ++i)
    for (int j = 0; j < kWN / 8; ++j)
      for (int r = 0; r < 2; ++r) {
        const int row = row0 + y + 16 * i + 8 * r + lane / 4;
        const int col = col0 + x + 8 * j + lane % 4 * 2;
        if (row < m && col < n)
          reinterpret_cast<float2*>(c)[(row * n + col) / 2] =
              make_float2(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
      }
}
template __global__ void gemm<32, 32, 16, 16, 32, 3>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<128, 128, 32, 64, 64, 3>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
}  // namespace stages

namespace stores {
// Where unit `unit` of a row of kUnits units stands: 8 units fill the 32 banks,
// so the rows of a group of 8 (of 4, of 2 where rows are shorter) mix theirs.
template <int kUnits>
__device__ __forceinline__ int swizzled(int row, int unit) {
  constexpr int kMixed = kUnits < 8 ? kUnits : 8;
  return unit ^ (row / (8 / kMixed) % kMixed);
}

// Copies the tile at (row0, col0) of a rows x cols matrix to the rows of `tile`
// from `first` on: in units of 16 bytes, swizzled, zeros beyond the edge.
template <int kRows, int kUnits, int kThreads, class Tile>
__device__ __forceinline__ void fetch_tile(Tile tile, int first, const uint4* from,
                           int row0, int col0, int rows, int cols) {
  const int tid = threadIdx.x, unit = tid % kUnits;
  for (int i = 0; i < kRows * kUnits / kThreads; ++i) {
    const int row = (tid + i * kThreads) / kUnits;
    cp_async(row0 + row < rows && col0 + 8 * unit < cols, &tile[first + row][swizzled<kUnits>(row, unit)], &from[(row0 + row) * (cols / 8) + col0 / 8 + unit]);
  }
}

// Stores 16 rows of a warp's rectangle to C, from (row0, col0) on: first to the
// warp's own rows of the tile, as the lanes hold them, then on in whole lines.
template <class Tile, int kN>
__device__ __forceinline__ void store_rows(float* __restrict__ c, Tile c_tile,
                           const float (&sum)[kN][4], int row0, int col0,
                           int m, int n) {
  constexpr int kUnits = 2 * kN;                    // of 4 columns
  const int tid = threadIdx.x, lane = tid % 32, first = tid / 32 * 16;
  for (int j = 0; j < kN; ++j)
    for (int r = 0; r < 2; ++r)
      rows_of<float2>(c_tile)[first + 8 * r + lane / 4][4 * j + lane % 4] =
          make_float2(sum[j][2 * r], sum[j][2 * r + 1]);
  __syncwarp();
  for (int e = lane; e < 16 * kUnits; e += 32) {
    const int p = e / kUnits, unit = e % kUnits;
    const int row = row0 + p, col = col0 + 4 * unit;
    if (row < m && col < n)
      __stcs(&reinterpret_cast<float4*>(c)[(row * n + col) / 4], c_tile[first + p][unit]);
  }
  __syncwarp();
}

template <int kBM, int kBN, int kBK, int kWM, int kWN, int kStages>
__global__ void __launch_bounds__(kBM / kWM * (kBN / kWN) * 32, 2) gemm(const bf16* __restrict__ a, const bf16* __restrict__ b, float* __restrict__ c,
          int m, int n, int k) {
  constexpr int kAcross = kBN / kWN, kThreads = kBM / kWM * kAcross * 32;
  constexpr int kA = kBK / 8, kB = kBN / 8;         // units of 16 bytes per row
  extern __shared__ __align__(16) unsigned char stores_bytes[];
  const auto a_tile = reinterpret_cast<uint4(*)[kA]>(stores_bytes + 0);
  const auto b_tile = reinterpret_cast<uint4(*)[kB]>(stores_bytes + kStages * kBM * kA * 16);
  const auto c_tile = reinterpret_cast<float4(*)[kWN / 4 + 2]>(stores_bytes + 0);     // over both
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const int y = warp / kAcross * kWM, x = warp % kAcross * kWN;
  float sum[kWM / 16][kWN / 8][4] = {};
  const auto fetch = [&](int k0, int use) {
    fetch_tile<kBM, kA, kThreads>(a_tile, use * kBM, reinterpret_cast<const uint4*>(a),
                                  row0, k0, m, k);
    fetch_tile<kBK, kB, kThreads>(b_tile, use * kBK, reinterpret_cast<const uint4*>(b),
                                  k0, col0, k, n);
  };
  for (int tile = 0; tile < kStages - 1; ++tile) {
    if (tile * kBK < k) fetch(tile * kBK, tile);
    cp_async_commit();
  }
  int use = 0, fill = kStages - 1;
  for (int k0 = 0; k0 < k; k0 += kBK) {
    cp_async_wait<kStages - 2>();     // all but the newest: this tile is here
    __syncthreads();

    if (k0 + (kStages - 1) * kBK < k) fetch(k0 + (kStages - 1) * kBK, fill);
    cp_async_commit();
    for (int p = 0; p < kBK; p += 16) {
      unsigned a_value[kWM / 16][4], b_value[kWN / 16][4];
      for (int i = 0; i < kWM / 16; ++i) {
        const int row = y + 16 * i + lane % 16;
        const int unit = swizzled<kA>(row, p / 8 + lane / 16);
        ldsm(a_value[i], &a_tile[use * kBM + row][unit]);
      }
      for (int j = 0; j < kWN / 16; ++j) {          // of B two operands at once
        const int row = p + lane % 16;
        const int unit = swizzled<kB>(row, x / 8 + 2 * j + lane / 16);
        ldsm_trans(b_value[j], &b_tile[use * kBK + row][unit]);
      }
      for (int j = 0; j < kWN / 8; j += 2)
        for (int s = 0; s < kWM / 16; ++s) {
          const int i = j % 4 ? kWM / 16 - 1 - s : s;          // there and back
          mma_16816(sum[i][j], a_value[i], b_value[j / 2]);
          mma_16816(sum[i][j + 1], a_value[i], b_value[j / 2] + 2);
        }
    }
    fill = use;
    use = use + 1 < kStages ? use + 1 : 0;
  }
  __syncthreads();                           // C takes the place of the tiles

  for (int i = 0; i < kWM / 16; ++i)
    store_rows(c, c_tile, sum[i], row0 + y + 16 * i, col0 + x, m, n);
}
template __global__ void gemm<32, 32, 16, 16, 32, 3>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
template __global__ void gemm<128, 128, 32, 64, 64, 3>(const bf16* __restrict__, const bf16* __restrict__, float* __restrict__, int, int, int);
}  // namespace stores
