#include "libraries.hpp"

#include <dlfcn.h>

namespace lockstep {

Library Library::open(const std::string& file) {
  Library library;
  library.handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle_)
    if (const char* why = ::dlerror()) library.error_ = why;
  return library;
}

Library Library::already_open(const std::string& file) {
  Library library;
  library.handle_ = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return library;
}

void* Library::find(const char* symbol) const { return handle_ ? ::dlsym(handle_, symbol) : nullptr; }

}  // namespace lockstep
