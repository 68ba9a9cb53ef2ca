// Shared memory and device variables, as the rewritten text declares them.
#pragma once

// "float[32][33]" of a shared array: element type as written, extents as compiled.
template <class A>
__attribute__((no_sanitize("thread"))) inline const char* lockstep_shared_type(const char* element) {
  static char text[96];
  if (text[0]) return text;
  constexpr unsigned long extents[] = {std::extent<A, 0>::value, std::extent<A, 1>::value, std::extent<A, 2>::value,
                                       std::extent<A, 3>::value};
  char built[96];
  int at = std::snprintf(built, sizeof built, "%.40s", element);
  for (unsigned d = 0; d < std::rank<A>::value && d < 4 && at < 80; ++d)
    at += std::snprintf(built + at, sizeof built - at, "[%lu]", extents[d]);
  std::memcpy(text, built, sizeof text);
  return text;
}

#define LOCKSTEP_SHARED(line_, variable_, name_, type_)                      \
  lockstep_shared_seen(const_cast<void*>(reinterpret_cast<const volatile void*>(&variable_)), sizeof(variable_), name_, \
                       lockstep_shared_type<std::remove_reference_t<decltype(variable_)>>(type_), line_)

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
