// A name in a kernel ("scores") as the 16 bits that events have of it, made while compiling.
#pragma once
#include "app/model/event.hpp"

namespace lab {
struct Name {
  std::uint16_t id;
  consteval Name(const char* name) : id(lockstep::name_id(name)) {}
};
}  // namespace lab
