// Boxes that arrive by themselves, barriers that tell when, and products of whole warpgroups: compute capability
// 9.0a (PTX ISA, "cp.async.bulk.tensor", "mbarrier", "wgmma"). The same text for the GPU and the emulator.
//
//   SHARED_BARRIERS(full, 4)             four barriers in shared memory
//   init_barrier(full[s], arrivals)      one thread; then publish_barriers() and __syncthreads()
//   arrive(full[s])                      one arrival; arrive_expecting(full[s], bytes): and so many bytes will come
//   wait_phase(full[s], parity)          until the phase of this parity, 0 at first and then 1, 0, 1 …, has ended
//   Boxes<const bf16, P> a               a kernel argument, made by boxes(view, rows, cols, box_rows): a matrix that
//                                        goes in boxes of box_rows x 128 bytes: 32 float, 64 bf16 or 128 e4m3; LAB_BOXES
//                                        in front of the parameter
//   DYNAMIC_BOXES(bf16, tile, r, 0)      r rows of 128 bytes in dynamic shared memory, from byte 0 (a multiple of 1024)
//                                        on
//   copy_box(tile[r][0], a, row, col, full[s])   one thread: the box whose first element is (row, col); zeros outside
//   copy_box(tile[r][0], a, row, col, full[s], 3)   and to the same place in the blocks 0 and 1 of the cluster (a bit
//                                        each), where it is counted at full[s] of each; groups.cuh has the cluster
//   arrive(empty[s], rank)               one arrival in block `rank` of the cluster
//   Tensor<const T, 3, P> t              the same of one to five dimensions, made by tensor(view, shape(x, y, z),
//                                        shape(16, 8, 4), BoxSwizzle::bytes_32): the extents of the tensor, whose first
//                                        dimension's elements are neighbours; those of a box; and within how many bytes
//                                        the 16-byte units of its rows change places: bytes_128, bytes_64, bytes_32,
//                                        each for rows as long (shorter ones stand as far apart), or none
//   copy_tensor(tile[0][0], t, {x, y, z}, full[s])   as copy_box; from element {x, y, z} on, x at a multiple of 16 B
//   store_tensor(t, {x, y, z}, tile[0][0])   as store_box; both begin at element 0 of each dimension or behind it
//   reduce_box<Reduction::add>(c, row, col, tile[r][0])   as store_box, but each element is added to what is there, in
//                                        one step: float, bf16, half, int, unsigned; min and max of all but float;
//                                        bit_and, bit_or and bit_xor of whole numbers. In which order is open
//   reduce_tensor<Reduction::add>(t, {x, y, z}, tile[0][0])   the same of a tensor
//   DYNAMIC_CHUNKS(float, ring, r, c, 0) float ring[r][c] in dynamic shared memory, from byte 0 (a multiple of 128) on
//   copy_bulk(ring[s][0], in[i], bytes, full[s])   one thread: bytes that are no matrix, as they stand; a multiple of
//                                        128, up to 32 KB, from and to multiples of 128 (an H200 takes multiples
//                                        of 16, and then five sectors for four)
//   store_bulk(out[i], ring[s][0], bytes)   the other way; reduce_bulk<Reduction::add>(out[i], ring[s][0], bytes), too
//   store_box(c, row, col, tile[r][0])   one thread: the box goes from there to (row, col) of a matrix that boxes()
//                                        describes; what would lie outside is left out. stores_commit() closes a group
//   stores_read<1>(); stores_written<0>()     the thread that asked: until at most one group is still read from shared
//                                        memory; until none is still to be written
//   store_fence()                        before the units read what this thread has stored in shared memory
//   rows_of(tile[r][k])                  an operand that stands row by row, k going along the rows
//   columns_of(tile[k][c], 8192)         one that stands k by k, with 8192 bytes from 64 columns to the next 64
//   sums_fence()                         before products read sums that the warpgroup's registers hold
//   multiply<N>(sum, a, b, keep)         float sum[N / 2] of 128 threads (+)= A 64 x 16 times B 16 x N, bf16; 64 x 32
//                                        times 32 x N of e4m3, both of them rows_of()
//   multiply<N>(sum, p, b, keep)         A in registers: unsigned p[4] of each thread, two bf16 each, as mma_m16n8k16 has
//                                        them; of e4m3 four: bytes 4 (lane % 4) and on of a row, p[2] and p[3] 16 further
//                                        Both of half as of bf16, and of e5m2 as of e4m3
//   pack_e5m2(x, y, z, w)                a register of four e5m2, x the lowest, each the nearest one, at most the largest
//   products_commit(); products_wait<1>()        closes a group; until at most one group is on its way
//   give_registers<40>(); take_registers<232>()  setmaxnreg
#pragma once
#include <type_traits>

#include "app/model/tensor_box.hpp"
#include "kernels/half.cuh"
#include "kernels/lab.cuh"

namespace lab {
using e4m3 = std::uint8_t;  // the bits of an FP8 number, as those of bf16
struct e5m2 {               // those of the other one
  std::uint8_t bits;
};

using lockstep::BoxSwizzle, lockstep::Reduction;
// Extents, first those along dimension 0.
template <int kDimensions>
struct Shape {
  int at[kDimensions];
};
template <class... Extents>
constexpr Shape<int(sizeof...(Extents))> shape(Extents... extents) {
  return {{int(extents)...}};
}
// PTX ISA, "cp.reduce.async.bulk".
template <class T>
constexpr bool reduces(Reduction how) {
  if (std::is_same_v<T, float>) return how == Reduction::add;
  if (sizeof(T) == 2) return how >= Reduction::add && how <= Reduction::max;
  return std::is_same_v<T, int> || std::is_same_v<T, unsigned>;
}
}  // namespace lab

#if defined(__CUDACC__) && defined(LAB_TRACED)
#include "kernels/cuda/traced_bulk.cuh"
#elif defined(__CUDACC__)
#include "kernels/cuda/bulk.cuh"
#else
#include "kernels/simt/bulk.hpp"
#endif
