// What is known of a GPU before anything runs on it: the limits of its multiprocessors, its caches, its
// peaks. The figures of each device stand in assets/gpus.json with their sources (app/devices reads it); the
// values below are the H200's, and a test holds the two together.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

// A peak is only worth something with the clock that it assumes.
struct Peak {
  double flops = 0;  // per second
  double clock_hz = 0;
  bool operator==(const Peak&) const = default;
};

struct Gpu {
  std::string name = "H200 SXM", word = "H200";          // the word that a setting names it by
  std::vector<std::string> device_names{"NVIDIA H200"};  // as cudaDeviceProp::name gives it
  int compute_capability = 90;                           // 9.0
  int multiprocessors = 132;

  int gpcs = 8, tpcs = 66;  // of the product; 0 where nobody prints it
  int sub_cores = 4;        // of an SM: each has a scheduler and a quarter of the registers and units
  int fp32_lanes_per_sm = 128, fp64_lanes_per_sm = 64, special_units_per_sm = 16;  // results per clock
  int tensor_cores_per_sm = 4, tensor_fmas_per_sm = 2048;  // multiply-adds per clock, as `tensor`
  int shared_banks = 32;                                   // of 4 bytes

  std::int64_t memory_bytes = std::int64_t{141} << 30;
  std::string memory_kind = "HBM3e";
  double memory_bandwidth = 4.8e12;  // bytes per second
  std::int64_t l2_bytes = 50 << 20;
  int l2_ways = 16;

  std::int64_t l1_shared_bytes = 256 << 10;  // per SM: one array holds L1 and shared memory
  int l1_ways = 16;
  std::int64_t shared_bytes_per_sm = 228 << 10, shared_bytes_per_block = 227 << 10;
  // How much of the array can be set aside as shared memory, ascending; what is left is L1.
  std::vector<std::int64_t> shared_capacities{0,         8 << 10,   16 << 10,  32 << 10,  64 << 10,
                                              100 << 10, 132 << 10, 164 << 10, 196 << 10, 228 << 10};
  int shared_unit = 128;             // bytes: a block's shared memory is rounded up to it
  int reserved_shared_bytes = 1024;  // that each block takes on top

  int max_warps_per_sm = 64, max_threads_per_sm = 2048, max_blocks_per_sm = 32, max_threads_per_block = 1024;
  int registers_per_sm = 65536, max_registers_per_thread = 255;
  int register_unit = 256;   // a warp's registers are rounded up to it
  int warp_granularity = 4;  // sub-cores: each has its own quarter of the registers

  Peak fp32{67e12, 1.98e9};
  Peak tensor{989.4e12, 1.83e9};       // dense, 16-bit inputs
  Peak tensor_fp8{1978.9e12, 1.83e9};  // dense, 8-bit floating-point inputs; 0: it has none
  std::string tensor_types = "FP16, BF16";
  double nvlink_bandwidth = 900e9;  // bytes per second, both directions together; 0 = none

  bool operator==(const Gpu&) const = default;
};

}  // namespace lockstep
