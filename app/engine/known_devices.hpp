// Devices whose drivers have been asked: this machine's, and those of the recordings.
#pragma once
#include <map>

#include "engine.hpp"

namespace lockstep {

struct KnownDevice {
  Device device;
  std::map<std::string, std::int64_t> attributes;
  Provenance provenance;
};
// This GPU, where there is one; else one entry per recorded device.
std::vector<KnownDevice> known_devices(const Engines& engines);

}  // namespace lockstep
