#include "kernels/binding.hpp"

#include <string>

#include "app/model/value.hpp"

namespace lab {
namespace {

const lockstep::Params& settings_of(const SettingsBinding& binding) {
  return *static_cast<const lockstep::Params*>(binding.params);
}

}  // namespace

std::int64_t SettingsBinding::param(const char* name) const {
  return std::get<std::int64_t>(settings_of(*this).at(name));
}

std::int64_t SettingsBinding::param_or(const char* name, std::int64_t otherwise) const {
  return settings_of(*this).contains(name) ? param(name) : otherwise;
}

bool SettingsBinding::chosen(const char* name, const char* choice) const {
  const auto at = settings_of(*this).find(name);
  return at != settings_of(*this).end() && at->second == lockstep::Value{std::string(choice)};
}

}  // namespace lab
