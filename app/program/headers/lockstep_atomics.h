// Atomics. In the traced object each is one call; whether anybody asks for what stood there shows in whether the
// compiler keeps lockstep_atomic_result(), which has no effect but that. In the twin they are the host's.
#pragma once
#pragma clang system_header

struct lockstep_old_value {
  unsigned long long bits;
  long long event;
};
// op: '+' '-' '<' '>' '&' '|' '^' '=' exchange, 'i' increment, 'd' decrement, 'c' compare and swap.
// type: 'i' signed, 'u' unsigned, 'f' real
extern "C" {
lockstep_old_value lockstep_atomic(void* at, int bytes, int op, int type, unsigned long long value,
                                   unsigned long long compare);
LOCKSTEP_CONST unsigned long long lockstep_atomic_result(unsigned long long bits, long long event);
void lockstep_fence(int scope);
}

template <class T>
LOCKSTEP_INLINE unsigned long long lockstep_to_word(T x) {
  unsigned long long word = 0;
  __builtin_memcpy(&word, &x, sizeof x);
  return word;
}
template <class T>
LOCKSTEP_INLINE T lockstep_from_word(unsigned long long word) {
  T x;
  __builtin_memcpy(&x, &word, sizeof x);
  return x;
}

template <class T>
LOCKSTEP_INLINE T lockstep_changed(int op, T old, T x, T compare) {
  switch (op) {
    case '+': return T(old + x);
    case '-': return T(old - x);
    case '<': return x < old ? x : old;
    case '>': return old < x ? x : old;
    case '=': return x;
    case 'c': return __builtin_memcmp(&old, &compare, sizeof old) == 0 ? x : old;
    case 'i': return old >= x ? T(0) : T(old + T(1));
    case 'd': return old == T(0) || old > x ? x : T(old - T(1));
  }
  if constexpr (std::is_integral<T>::value) {
    if (op == '&') return old & x;
    if (op == '|') return old | x;
    if (op == '^') return old ^ x;
  }
  return old;
}

template <class T>
LOCKSTEP_INLINE T lockstep_atomic_of(T* at, int op, T x, T compare = T()) {
#ifdef LOCKSTEP_TRACED
  const int type = std::is_floating_point<T>::value ? 'f' : std::is_signed<T>::value ? 'i' : 'u';
  const lockstep_old_value old =
      lockstep_atomic(at, int(sizeof(T)), op, type, lockstep_to_word(x), lockstep_to_word(compare));
  return lockstep_from_word<T>(lockstep_atomic_result(old.bits, old.event));
#else
  if constexpr (std::is_integral<T>::value) {
    if (op == '+') return __atomic_fetch_add(at, x, __ATOMIC_RELAXED);
    if (op == '-') return __atomic_fetch_sub(at, x, __ATOMIC_RELAXED);
    if (op == '=') return __atomic_exchange_n(at, x, __ATOMIC_RELAXED);
    if (op == '&') return __atomic_fetch_and(at, x, __ATOMIC_RELAXED);
    if (op == '|') return __atomic_fetch_or(at, x, __ATOMIC_RELAXED);
    if (op == '^') return __atomic_fetch_xor(at, x, __ATOMIC_RELAXED);
  }
  T old;
  __atomic_load(at, &old, __ATOMIC_RELAXED);
  for (;;) {
    T now = lockstep_changed(op, old, x, compare);
    if (__atomic_compare_exchange(at, &old, &now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
#endif
}

template <class T>
struct lockstep_same {
  typedef T type;
};
#define LOCKSTEP_ATOMIC(name, op)                                                     \
  template <class T>                                                                  \
  LOCKSTEP_INLINE T name(T* at, typename lockstep_same<T>::type x) {                  \
    return lockstep_atomic_of<T>(at, op, x);                                          \
  }                                                                                   \
  template <class T>                                                                  \
  LOCKSTEP_INLINE T name##_block(T* at, typename lockstep_same<T>::type x) {          \
    return lockstep_atomic_of<T>(at, op, x);                                          \
  }                                                                                   \
  template <class T>                                                                  \
  LOCKSTEP_INLINE T name##_system(T* at, typename lockstep_same<T>::type x) {         \
    return lockstep_atomic_of<T>(at, op, x);                                          \
  }
LOCKSTEP_ATOMIC(atomicAdd, '+')
LOCKSTEP_ATOMIC(atomicSub, '-')
LOCKSTEP_ATOMIC(atomicMin, '<')
LOCKSTEP_ATOMIC(atomicMax, '>')
LOCKSTEP_ATOMIC(atomicExch, '=')
LOCKSTEP_ATOMIC(atomicInc, 'i')
LOCKSTEP_ATOMIC(atomicDec, 'd')
LOCKSTEP_ATOMIC(atomicAnd, '&')
LOCKSTEP_ATOMIC(atomicOr, '|')
LOCKSTEP_ATOMIC(atomicXor, '^')
#define LOCKSTEP_CAS(name)                                                                                 \
  template <class T>                                                                                       \
  LOCKSTEP_INLINE T name(T* at, typename lockstep_same<T>::type compare, typename lockstep_same<T>::type x) { \
    return lockstep_atomic_of<T>(at, 'c', x, compare);                                                     \
  }
LOCKSTEP_CAS(atomicCAS)
LOCKSTEP_CAS(atomicCAS_block)
LOCKSTEP_CAS(atomicCAS_system)

LOCKSTEP_INLINE void __threadfence_block() { lockstep_fence(0); }
LOCKSTEP_INLINE void __threadfence() { lockstep_fence(1); }
LOCKSTEP_INLINE void __threadfence_system() { lockstep_fence(2); }
