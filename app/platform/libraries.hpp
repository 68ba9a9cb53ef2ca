// Shared libraries that may be absent, opened at run time.
#pragma once
#include <string>

namespace lockstep {

class Library {
 public:
  Library() = default;
  // By name, found as the system finds libraries, or by path. It stays open as long as the process.
  static Library open(const std::string& file);
  // Only where something else has opened it already.
  static Library already_open(const std::string& file);

  explicit operator bool() const { return handle_; }
  const std::string& error() const { return error_; }  // why it is not open, in the system's words
  void* find(const char* symbol) const;                // null where it is not there
  template <class Function>
  void find(const char* symbol, Function& function) const {
    function = reinterpret_cast<Function>(find(symbol));
  }

 private:
  void* handle_ = nullptr;
  std::string error_;
};

}  // namespace lockstep
