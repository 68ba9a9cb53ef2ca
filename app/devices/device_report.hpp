// What a driver says of its device, in groups, with a few words on each, beside what assets/gpus.json says of
// the same.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/model/gpu.hpp"

namespace lockstep {

// The words are of the program's own language: who shows them translates them.
struct DeviceRow {
  std::string name;                 // CUDA's, without cudaDevAttr: "L2CacheSize"
  std::string meaning;              // "" where the group's says it all
  std::string value;                // "60.0 MB", "yes"
  std::optional<std::string> file;  // what the file says, where it says anything
  bool differs = false;
};
struct DeviceGroup {
  std::string title;
  std::vector<DeviceRow> rows;
};

// Of the attributes (app/model/device_evidence.hpp); `gpu` may be nullptr. Those that this program has no
// words for come last.
std::vector<DeviceGroup> device_report(const std::map<std::string, std::int64_t>& attributes, const Gpu* gpu);
// Without a driver: the file's figures under the same names.
std::vector<DeviceGroup> device_report(const Gpu& gpu);

}  // namespace lockstep
