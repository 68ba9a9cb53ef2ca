// The settings of a launch, as a rung's bind.cuh asks for them. Host code.
#pragma once
#include <string>

#include "app/model/run.hpp"

namespace lab {

struct SettingsBinding {
  const lockstep::Params* params = nullptr;
  std::int64_t param(const char* name) const { return std::get<std::int64_t>(params->at(name)); }
  // A setting that not every rung has.
  std::int64_t param_or(const char* name, std::int64_t otherwise) const {
    return params->contains(name) ? param(name) : otherwise;
  }
  bool chosen(const char* name, const char* choice) const {
    const auto at = params->find(name);
    return at != params->end() && at->second == lockstep::Value{std::string(choice)};
  }
};

}  // namespace lab
