#include "symbols.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>

namespace lockstep {

std::string function_name(const void* function) {
  Dl_info info{};
  if (!dladdr(function, &info) || !info.dli_sname || info.dli_saddr != function) return "";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : "";
}

}  // namespace lockstep
