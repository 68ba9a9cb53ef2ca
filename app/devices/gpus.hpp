// The devices of assets/gpus.json, carried inside the program: no file and no network is needed at run time.
#pragma once
#include <string_view>
#include <vector>

#include "app/model/gpu.hpp"

namespace lockstep {

// In the order of the file.
const std::vector<Gpu>& known_gpus();
// By the name that cudaDeviceProp gives ("NVIDIA H200", "NVIDIA H100 80GB HBM3"); nullptr for an unknown one.
const Gpu* find_gpu(std::string_view device_name);

}  // namespace lockstep
