// The settings of a launch, as a rung's bind.cuh asks for them. Host code; every rung's compiler reads it for
// each architecture, so it includes next to nothing.
#pragma once
#include <cstdint>

namespace lab {

struct SettingsBinding {
  const void* params = nullptr;  // lockstep::Params
  std::int64_t param(const char* name) const;
  // A setting that not every rung has.
  std::int64_t param_or(const char* name, std::int64_t otherwise) const;
  bool chosen(const char* name, const char* choice) const;
};

// Where an operation of the host stands among others: the default stream, or one of the program's own.
struct Stream {
  int index = 0;  // 0: the default stream
};

}  // namespace lab
