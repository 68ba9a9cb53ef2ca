// Shared memory and device variables, as the rewritten text declares them.
#pragma once
#pragma clang system_header

#define LOCKSTEP_SHARED(line_, variable_, name_, type_) \
  lockstep_shared_seen(&variable_, sizeof(variable_), name_, type_, line_)

template <class T>
using lockstep_open_array = T[];
#define LOCKSTEP_DYNAMIC_SHARED(line_, name_, ...)                                            \
  lockstep_open_array<__VA_ARGS__>& name_ = *reinterpret_cast<lockstep_open_array<__VA_ARGS__>*>( \
      lockstep_dynamic_shared(#name_, #__VA_ARGS__, sizeof(__VA_ARGS__), line_))

// At namespace scope: an object that is the block's memory wherever it is used.
template <class T>
struct lockstep_dynamic_array {
  const char *name, *type;
  int line;
  __attribute__((always_inline, no_sanitize("thread"))) operator T*() const {
    return static_cast<T*>(lockstep_dynamic_shared(name, type, sizeof(T), line));
  }
};
#define LOCKSTEP_DYNAMIC_SHARED_GLOBAL(line_, name_, ...) \
  __attribute__((unused)) static constexpr lockstep_dynamic_array<__VA_ARGS__> name_ { #name_, #__VA_ARGS__, line_ }

struct lockstep_known_variable {
  lockstep_known_variable(const volatile void* at, unsigned long bytes, const char* name, const char* kind, int line) {
    lockstep_variable(const_cast<void*>(at), bytes, name, kind, line);
  }
};
#ifdef LOCKSTEP_TRACED
#define LOCKSTEP_VARIABLE(line_, variable_, name_, kind_)
#else
#define LOCKSTEP_VARIABLE(line_, variable_, name_, kind_)                                   \
  static const lockstep_known_variable lockstep_known_##variable_{&variable_, sizeof(variable_), name_, #kind_, line_};
#endif
