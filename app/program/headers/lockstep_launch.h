// kernel<<<grid, block, shared, stream>>>(arguments), as the rewritten text says it, and what a kernel's body says of
// its shared memory. The kernel that is called here is the untraced twin; which one runs is the emulator's choice.
#pragma once
#pragma clang system_header
#include "lockstep_records.h"

struct lockstep_stream;
typedef lockstep_stream* cudaStream_t;

struct lockstep_config {
  dim3 grid, block;
  unsigned long shared;
  cudaStream_t stream;
  lockstep_config(dim3 grid_, dim3 block_, unsigned long shared_ = 0, cudaStream_t stream_ = nullptr)
      : grid(grid_), block(block_), shared(shared_), stream(stream_) {}
};

// An argument as the kernel gets it. kind: 'p' pointer, 'i' and 'u' whole number, 'f' real, 'b' bool, '?' other.
using lockstep_argument = LockstepArgument;

struct lockstep_launch_info {
  int line;
  const char *file, *name, *texts;
  lockstep_config config;
  const void* function;               // the twin, or a call of it
  void (*invoke)(const void* function, void* state);
  void* state;
  unsigned long state_bytes;
  const lockstep_argument* arguments;
  int argument_count;
  int cooperative = 0;
  void* (*keep)(const void* state, void* old) = nullptr;
};
static_assert(sizeof(lockstep_launch_info) == sizeof(LockstepLaunchInfo) &&
              __builtin_offsetof(lockstep_launch_info, function) == __builtin_offsetof(LockstepLaunchInfo, function) &&
              __builtin_offsetof(lockstep_launch_info, keep) == __builtin_offsetof(LockstepLaunchInfo, keep));

extern "C" {
void lockstep_launch(const lockstep_launch_info*);
void lockstep_shared_described(void* at, unsigned long bytes, const char* name, const char* type, int line,
                               unsigned element_bytes, unsigned long rows, unsigned long cols);
void* lockstep_dynamic_shared(const char* name, const char* type, unsigned long element_bytes, int line);
void lockstep_variable(void* at, unsigned long bytes, const char* name, const char* kind, int line);
void lockstep_named(const char* name);
}

template <class T>
constexpr const char* lockstep_type_name() {
  if (std::is_same<T, float>::value) return "float";
  if (std::is_same<T, double>::value) return "double";
  if (std::is_same<T, int>::value) return "int";
  if (std::is_same<T, unsigned>::value) return "unsigned";
  if (std::is_same<T, unsigned long>::value || std::is_same<T, unsigned long long>::value) return "u64";
  if (std::is_same<T, long>::value || std::is_same<T, long long>::value) return "i64";
  if (std::is_same<T, char>::value || std::is_same<T, signed char>::value) return "char";
  if (std::is_same<T, unsigned char>::value) return "uchar";
  if (std::is_same<T, bool>::value) return "bool";
  if (std::is_same<T, short>::value) return "short";
  if (std::is_same<T, unsigned short>::value) return "ushort";
  if (std::is_same<T, float2>::value) return "float2";
  if (std::is_same<T, float3>::value) return "float3";
  if (std::is_same<T, float4>::value) return "float4";
  if (std::is_same<T, double2>::value) return "double2";
  if (std::is_same<T, int2>::value) return "int2";
  if (std::is_same<T, int4>::value) return "int4";
  if (std::is_same<T, uint4>::value) return "uint4";
  if (std::is_same<T, uchar4>::value) return "uchar4";
  return "bytes";
}
struct __half;
struct __nv_bfloat16;
template <>
constexpr const char* lockstep_type_name<__half>() { return "half"; }
template <>
constexpr const char* lockstep_type_name<__nv_bfloat16>() { return "bf16"; }
template <class T, class = void>
struct lockstep_size_of { static constexpr unsigned value = 0; };
template <class T>
struct lockstep_size_of<T, decltype(void(sizeof(T)))> {
  static constexpr unsigned value = unsigned(sizeof(T));
};

// A shared variable as a thread passes its declaration.
template <class T>
LOCKSTEP_INLINE void lockstep_shared_seen(T* at, unsigned long bytes, const char* name, const char*, int line) {
  using Element = typename std::remove_cv<typename std::remove_all_extents<T>::type>::type;
  constexpr unsigned long last = std::extent<T, 1>::value;
  lockstep_shared_described((void*)at, bytes, name, lockstep_type_name<Element>(), line, unsigned(sizeof(Element)),
                            last ? bytes / sizeof(Element) / last : 1, last ? last : bytes / sizeof(Element));
}

template <class T>
lockstep_argument lockstep_describe(const T& x) {
  using Pointee = typename std::remove_cv<typename std::remove_pointer<T>::type>::type;
  const char kind = std::is_pointer<T>::value          ? 'p'
                    : std::is_same<T, bool>::value     ? 'b'
                    : std::is_floating_point<T>::value ? 'f'
                    : std::is_integral<T>::value ? std::is_signed<T>::value ? 'i' : 'u'
                    : std::is_enum<T>::value     ? 'i'
                                                 : '?';
  return {&x, unsigned(sizeof x), std::is_pointer<T>::value ? lockstep_size_of<Pointee>::value : 0u, kind,
          std::is_pointer<T>::value ? lockstep_type_name<Pointee>() : ""};
}

template <class... P, std::size_t... I>
LOCKSTEP_UNTRACED void lockstep_go(lockstep_launch_info info, std::tuple<P...>& values,
                                   std::index_sequence<I...>) {
  const lockstep_argument arguments[sizeof...(P) + 1] = {lockstep_describe(std::get<I>(values))...};
  info.arguments = arguments, info.argument_count = int(sizeof...(P));
  lockstep_launch(&info);
}

// Of one function.
template <class... P>
struct lockstep_kernel {
  lockstep_launch_info info;
  void operator()(P... arguments) const {
    std::tuple<P...> values(static_cast<P&&>(arguments)...);
    lockstep_launch_info mine = info;
    mine.invoke = [](const void* function, void* state) {
      std::apply(reinterpret_cast<void (*)(P...)>(const_cast<void*>(function)),
                 *static_cast<std::tuple<P...>*>(state));
    };
    mine.keep = &keep;
    mine.state = &values, mine.state_bytes = sizeof values;
    lockstep_go(mine, values, std::index_sequence_for<P...>());
  }
  LOCKSTEP_UNTRACED static void* keep(const void* state, void* old) {
    delete static_cast<std::tuple<P...>*>(old);
    return state ? new std::tuple<P...>(*static_cast<const std::tuple<P...>*>(state)) : nullptr;
  }
};

// Of a template whose arguments are deduced, or of several functions of one name: F calls it.
template <class F, class... A>
struct lockstep_deduced_call {
  F* call;
  std::tuple<A...>* values;
  template <std::size_t... I>
  LOCKSTEP_UNTRACED void apply(std::index_sequence<I...>) {
    (*call)(std::get<I>(*values)...);
  }
  __attribute__((noinline, used)) LOCKSTEP_UNTRACED static void run(void* self) {
    static_cast<lockstep_deduced_call*>(self)->apply(std::index_sequence_for<A...>());
  }
};
// A call with the copies that it goes to, in the place of a launch that is gone by then.
template <class F, class... A>
struct lockstep_kept_call {
  lockstep_deduced_call<F, A...> call;
  F function;
  std::tuple<A...> values;
  LOCKSTEP_UNTRACED explicit lockstep_kept_call(const lockstep_deduced_call<F, A...>& from)
      : call{&function, &values}, function(*from.call), values(*from.values) {}
  LOCKSTEP_UNTRACED static void* keep(const void* state, void* old) {
    delete static_cast<lockstep_kept_call*>(old);
    return state ? new lockstep_kept_call(*static_cast<const lockstep_deduced_call<F, A...>*>(state)) : nullptr;
  }
};
template <class F>
struct lockstep_deduced {
  lockstep_launch_info info;
  F call;
  template <class... A>
  void operator()(A&&... arguments) {
    using Call = lockstep_deduced_call<F, std::decay_t<A>...>;
    std::tuple<std::decay_t<A>...> values(static_cast<A&&>(arguments)...);
    Call closure{&call, &values};
    lockstep_launch_info mine = info;
    mine.function = reinterpret_cast<const void*>(&Call::run);
    mine.invoke = [](const void* function, void* state) {
      reinterpret_cast<void (*)(void*)>(const_cast<void*>(function))(state);
    };
    mine.keep = &lockstep_kept_call<F, std::decay_t<A>...>::keep;
    mine.state = &closure, mine.state_bytes = sizeof closure;
    lockstep_go(mine, values, std::index_sequence_for<A...>());
  }
};

struct lockstep_launcher {
  lockstep_launch_info info;
  template <class... P>
  lockstep_kernel<P...> of(void (*function)(P...)) const {
    lockstep_kernel<P...> kernel{info};
    kernel.info.function = reinterpret_cast<const void*>(function);
    return kernel;
  }
  template <class F>
  lockstep_deduced<F> deduced(F call) const {
    return {info, call};
  }
};

// A kernel whose address becomes a plain pointer: what its parameters are is kept with it.
extern "C" void lockstep_kernel_known(const void* function, const char* name, LockstepLaunchFromPointers launch);
template <class... P, std::size_t... I>
LOCKSTEP_UNTRACED void lockstep_from_pointers(const LockstepLaunchInfo* how, void (*function)(P...), void** arguments,
                                              std::index_sequence<I...>) {
  const dim3 grid(how->grid[0], how->grid[1], how->grid[2]), block(how->block[0], how->block[1], how->block[2]);
  lockstep_launcher launcher{{how->line, how->file, how->name, how->texts,
                              {grid, block, how->shared, static_cast<cudaStream_t>(how->stream)},
                              nullptr, nullptr, nullptr, 0, nullptr, 0, how->cooperative}};
  launcher.of(function)(*static_cast<typename std::remove_reference<P>::type*>(arguments[I])...);
}
template <class... P>
auto lockstep_known(void (*function)(P...), const char* name) -> void (*)(P...) {
  lockstep_kernel_known(reinterpret_cast<const void*>(function), name,
                        [](const LockstepLaunchInfo* how, const void* erased, void** arguments) {
                          lockstep_from_pointers(how, reinterpret_cast<void (*)(P...)>(const_cast<void*>(erased)), arguments,
                                                 std::index_sequence_for<P...>());
                        });
  return function;
}

#define LOCKSTEP_LAUNCHER(line_, name_, texts_, config_)                                                   \
  lockstep_launcher {                                                                                      \
    {line_, __FILE__, name_, texts_, lockstep_config config_, nullptr, nullptr, nullptr, 0, nullptr, 0, 0} \
  }
#define LOCKSTEP_LAUNCH(line_, name_, texts_, kernel_, config_) \
  LOCKSTEP_LAUNCHER(line_, name_, texts_, config_).of(kernel_)
#define LOCKSTEP_LAUNCH_DEDUCED(line_, name_, texts_, kernel_, config_) \
  LOCKSTEP_LAUNCHER(line_, name_, texts_, config_)                      \
      .deduced([&](auto&... lockstep_a) LOCKSTEP_UNTRACED { kernel_(lockstep_a...); })
