// What the plain text of a kernel (plain_cuda.hpp) may call, as ordinary CUDA. A program that is exported holds the
// functions that its kernels use.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/multiply.cuh"

// The bits of a bf16: kernels hand them on to the tensor core.
using bf16 = unsigned short;
// Those of an FP8 number: a sign, 4 bits of exponent, 3 of fraction.
using e4m3 = unsigned char;

__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

__device__ void put4(float* to, float4 x) { to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w; }
__device__ float4 get4(const float* from) { return make_float4(from[0], from[1], from[2], from[3]); }

// Vectors of words: the first one; the sum of the others; all of them alike.
__device__ int first_word(int v) { return v; }
__device__ int first_word(int2 v) { return v.x; }
__device__ int first_word(int4 v) { return v.x; }
__device__ int other_words(int) { return 0; }
__device__ int other_words(int2 v) { return v.y; }
__device__ int other_words(int4 v) { return v.y + v.z + v.w; }
template <class T>
__device__ T splat(int x) {
  if constexpr (sizeof(T) == 4) return x;
  else if constexpr (sizeof(T) == 8) return make_int2(x, x);
  else return make_int4(x, x, x, x);
}

// The element where the condition is true, else zero, and nothing is read.
template <class T>
__device__ T load_or_zero(bool condition, const T& element) {
  return condition ? element : T{};
}

// The rows of a tile as wider elements.
template <class Wide, class T, int kPitch>
__device__ auto rows_as(T (*rows)[kPitch]) {
  return reinterpret_cast<Wide (*)[kPitch * sizeof(T) / sizeof(Wide)]>(rows);
}

// The same of elements without rows, wherever they lie.
template <class Wide, class T>
__device__ Wide* rows_as(T* elements) {
  return reinterpret_cast<Wide*>(elements);
}

// Element (row, col) is in column kSwizzle::column(row, col).
template <class T, int kPitch, class kSwizzle>
struct SwizzledTile {
  T* data;
  struct Row {
    T* data;
    int row;
    __device__ T& operator[](int col) const { return data[row * kPitch + kSwizzle::column(row, col)]; }
  };
  __device__ Row operator[](int row) const { return {data, row}; }
};

// The column is XORed with bits of the row.
template <int kMask, int kRowShift = 0>
struct XorSwizzle {
  __host__ __device__ static constexpr int column(int row, int col) { return col ^ ((row >> kRowShift) & kMask); }
};

// cp.async: 4, 8 or 16 bytes from global to shared memory, past the registers; zeros, and nothing is read, where the
// condition is false. 16 bytes go around L1.
template <class T>
__device__ void cp_async_if(bool condition, T* to, const T* from) {
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = condition ? int(sizeof(T)) : 0;
  if constexpr (sizeof(T) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(from), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(from), "n"(sizeof(T)), "r"(bytes)
                 : "memory");
}
template <class T>
__device__ void cp_async(T* to, const T* from) {
  cp_async_if(true, to, from);
}
__device__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until all but the newest kPending groups have arrived.
template <int kPending>
__device__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// c[4] += A (16 x 16, 4 registers of two numbers of 16 bits) times B (16 x 8, 2 registers): half, else bf16.
template <class T = bf16>
__device__ void mma_m16n8k16(float* c, const unsigned* a, const unsigned* b) {
  if constexpr (std::is_same_v<T, __half>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Two numbers of 16 bits in a register, x the lower one, rounded to nearest even.
template <class T = bf16>
__device__ unsigned pack(float x, float y) {
  unsigned both;
  if constexpr (std::is_same_v<T, __half>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
  return both;
}

// Four numbers of 8 bits (e4m3) in a register, x the lowest one, rounded to nearest even; beyond 448 they become 448.
__device__ unsigned pack_e4m3(float x, float y, float z, float w) {
  unsigned all;
  asm("{\n.reg .b16 low, high;\n"
      "cvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n"
      "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\n"
      "mov.b32 %0, {low, high};\n}"
      : "=r"(all)
      : "f"(x), "f"(y), "f"(z), "f"(w));
  return all;
}

// Four matrices of 8 x 8 numbers of 16 bits: lane i names row i % 8 of matrix i / 8, 16 bytes of shared memory.
template <class Unit>
__device__ void ldmatrix_x4(unsigned* r, const Unit* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}
template <class Unit>
__device__ void ldmatrix_x4_trans(unsigned* r, const Unit* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// 2^x within 2 units of the last place; results below 2^-126 are zero.
__device__ float fast_exp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Barriers in shared memory (mbarrier): a phase ends when so many have arrived and all announced bytes have come.
__device__ void init_barrier(std::uint64_t& barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}
__device__ void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void arrive(std::uint64_t& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}
// One arrival at the barrier that stands there in block `rank` of the cluster.
__device__ void arrive(std::uint64_t& barrier, unsigned rank) {
  asm volatile(
      "{\n.reg .b32 far;\nmapa.shared::cluster.u32 far, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [far];\n}" ::"r"(shared_address(&barrier)),
      "r"(rank)
      : "memory");
}
__device__ void arrive_expecting(std::uint64_t& barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
               : "memory");
}
__device__ void wait_phase(std::uint64_t& barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred ended;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@ended bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}

// The copy engine brings the box whose first element is (row, col), and counts its bytes at the barrier.
template <class T>
__device__ void copy_box(T& target, const CUtensorMap& from, int row, int col, std::uint64_t& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
          shared_address(&target)),
      "l"(&from), "r"(shared_address(&barrier)), "r"(col), "r"(row)
      : "memory");
}

// The same for several blocks of the cluster, a bit each: to the same place in each of them.
template <class T>
__device__ void copy_box(T& target, const CUtensorMap& from, int row, int col, std::uint64_t& barrier, unsigned blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(&target)),
      "l"(&from), "r"(shared_address(&barrier)), "r"(col), "r"(row), "h"(static_cast<unsigned short>(blocks))
      : "memory");
}

// The same for bytes as they stand: a multiple of 16, from and to multiples of 16; of 128 where it is to be fast.
template <class T>
__device__ void copy_bulk(T& target, const T& source, int bytes, std::uint64_t& barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(&target)),
               "l"(&source), "r"(bytes), "r"(shared_address(&barrier))
               : "memory");
}

// Lets the units see what this thread has stored in shared memory.
__device__ void store_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The box that stands at `source` goes to (row, col) of the matrix; what would lie outside is left out.
template <class T>
__device__ void store_box(const CUtensorMap& to, int row, int col, const T& source) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&to),
               "r"(shared_address(&source)), "r"(col), "r"(row)
               : "memory");
}
__device__ void stores_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until at most so many groups of this thread are still read from shared memory.
template <int kPending>
__device__ void stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}
// Until at most so many groups of this thread are still to be written.
template <int kPending>
__device__ void stores_written() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}

// Operands of wgmma as they stand in shared memory: descriptors, 128-byte swizzle.
template <bool kByColumns, int kElementBytes>
struct Operand {
  std::uint64_t bits;
};
template <bool kByColumns, int kElementBytes>
__device__ Operand<kByColumns, kElementBytes> operand(const void* first, int leading) {
  constexpr std::uint64_t kStride = 1024;
  return {static_cast<std::uint64_t>((shared_address(first) & 0x3ffff) >> 4) |
          static_cast<std::uint64_t>(leading >> 4) << 16 | kStride >> 4 << 32 | std::uint64_t{1} << 62};
}
template <class T>
__device__ Operand<false, sizeof(T)> rows_of(const T& first) {
  return operand<false, sizeof(T)>(&first, 16);
}
template <class T>
__device__ Operand<true, 2> columns_of(const T& first, int next_64_columns) {
  return operand<true, 2>(&first, next_64_columns);
}
__device__ void sums_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// float sum[kN / 2] of each of 128 threads (+)= A 64 x 16 times B 16 x kN of bf16, or 64 x 32 times 32 x kN of e4m3.
template <int kN, bool kByColumns, int kElementBytes>
__device__ void multiply(float* sum, Operand<false, kElementBytes> a, Operand<kByColumns, kElementBytes> b, bool keep) {
  Multiply<kN, kElementBytes>::template run<kByColumns>(sum, a.bits, b.bits, keep);
}
// A in registers: two bf16 in each of four, by the thread's lane as mma.m16n8k16 has them; or four e4m3.
template <int kN, bool kByColumns, int kElementBytes>
__device__ void multiply(float* sum, const unsigned (&a)[4], Operand<kByColumns, kElementBytes> b, bool keep) {
  Multiply<kN, kElementBytes>::template run<kByColumns>(sum, a, b.bits, keep);
}
__device__ void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
__device__ void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
template <int kRegisters>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
