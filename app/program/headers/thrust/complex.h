// Complex numbers, which the host's library has already.
#pragma once
#pragma clang system_header
#include <complex>
#include "lockstep_thrust.h"

namespace thrust {

template <class T>
struct complex : std::complex<T> {
  using std::complex<T>::complex;
  complex() = default;
  complex(const std::complex<T>& other) : std::complex<T>(other) {}
  template <class U>
  complex(const complex<U>& other) : std::complex<T>(T(other.real()), T(other.imag())) {}
};
// Of both parts at once, so that a program's own operators still win.
#define LOCKSTEP_COMPLEX_OPERATOR(op)                                                                     \
  template <class T>                                                                                      \
  LOCKSTEP_INLINE complex<T> operator op(const complex<T>& a, const complex<T>& b) {                      \
    return static_cast<const std::complex<T>&>(a) op static_cast<const std::complex<T>&>(b);              \
  }                                                                                                       \
  template <class T>                                                                                      \
  LOCKSTEP_INLINE complex<T> operator op(const complex<T>& a, const typename lockstep_same<T>::type& b) { \
    return static_cast<const std::complex<T>&>(a) op b;                                                   \
  }                                                                                                       \
  template <class T>                                                                                      \
  LOCKSTEP_INLINE complex<T> operator op(const typename lockstep_same<T>::type& a, const complex<T>& b) { \
    return a op static_cast<const std::complex<T>&>(b);                                                   \
  }
LOCKSTEP_COMPLEX_OPERATOR(+)
LOCKSTEP_COMPLEX_OPERATOR(-)
LOCKSTEP_COMPLEX_OPERATOR(*)
LOCKSTEP_COMPLEX_OPERATOR(/)
#undef LOCKSTEP_COMPLEX_OPERATOR
using std::abs;
using std::arg;
using std::conj;
using std::exp;
using std::log;
using std::norm;
using std::polar;
using std::pow;
using std::sqrt;

}  // namespace thrust
