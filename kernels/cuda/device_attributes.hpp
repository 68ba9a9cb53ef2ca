// What the CUDA runtime tells of the first device.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace lockstep::cuda {

// By CUDA's names without their prefix: "L2CacheSize" of cudaDevAttrL2CacheSize; and "TotalGlobalMemory".
// What the driver does not know is left out; where a card sits in its machine is left out as well.
std::map<std::string, std::int64_t> device_attributes();

}  // namespace lockstep::cuda
