// The devices of assets/gpus.json, carried inside the program: no file and no network is needed at run time.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "app/model/gpu.hpp"
#include "app/model/run.hpp"

namespace lockstep {

// In the order of the file.
const std::vector<Gpu>& known_gpus();
// By the name that cudaDeviceProp gives ("NVIDIA H200", "NVIDIA H100 80GB HBM3"); nullptr for an unknown one.
const Gpu* find_gpu(std::string_view device_name);
// By Gpu::word ("H200", "RTX 4090"); nullptr for an unknown one.
const Gpu* gpu_by_word(std::string_view word);
// What a figure of a device ("l2_bytes") is taken from, in the file's words; "" where the file has none.
std::string source_of(const Gpu& gpu, std::string_view figure);
// The device that a run's occupancy speaks of: the one that its settings name, else that of the recording it
// has it from, else the one that it ran on; nullptr where that is none of the file's.
const Gpu* occupancy_gpu(const Run& run);

}  // namespace lockstep
