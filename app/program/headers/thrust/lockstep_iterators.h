// Thrust's iterators over others: zipped, transformed, constant; and what works by keys.
#pragma once
#pragma clang system_header
#include <tuple>

namespace thrust {

template <class A, class R>
struct unary_function {
  using argument_type = A;
  using result_type = R;
};
template <class A, class B, class R>
struct binary_function {
  using first_argument_type = A;
  using second_argument_type = B;
  using result_type = R;
};

// What every random access iterator has, of one that can be moved by n, looked at and measured.
template <class Self, class Value, class Reference>
struct lockstep_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Reference;
  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }
  Reference operator*() const { return self().look(); }
  Reference operator[](std::ptrdiff_t n) const { return *(self() + n); }
  Self& operator++() { return self().move(1), self(); }
  Self& operator--() { return self().move(-1), self(); }
  Self operator++(int) {
    Self old = self();
    self().move(1);
    return old;
  }
  Self operator--(int) {
    Self old = self();
    self().move(-1);
    return old;
  }
  Self& operator+=(std::ptrdiff_t n) { return self().move(n), self(); }
  Self& operator-=(std::ptrdiff_t n) { return self().move(-n), self(); }
  Self operator+(std::ptrdiff_t n) const {
    Self moved = self();
    moved.move(n);
    return moved;
  }
  Self operator-(std::ptrdiff_t n) const { return self() + -n; }
  std::ptrdiff_t operator-(const Self& other) const { return self().distance_from(other); }
  bool operator==(const Self& other) const { return self().distance_from(other) == 0; }
  bool operator!=(const Self& other) const { return self().distance_from(other) != 0; }
  bool operator<(const Self& other) const { return self().distance_from(other) < 0; }
};

template <class Tuple>
class zip_iterator;
template <class... I>
class zip_iterator<std::tuple<I...>>
    : public lockstep_iterator<zip_iterator<std::tuple<I...>>, std::tuple<typename std::iterator_traits<I>::value_type...>,
                               std::tuple<typename std::iterator_traits<I>::reference...>> {
 public:
  zip_iterator() = default;
  zip_iterator(std::tuple<I...> at) : at_(at) {}
  const std::tuple<I...>& get_iterator_tuple() const { return at_; }
  std::tuple<typename std::iterator_traits<I>::reference...> look() const {
    return std::apply([](const I&... i) { return std::tuple<typename std::iterator_traits<I>::reference...>(*i...); }, at_);
  }
  void move(std::ptrdiff_t n) {
    std::apply([n](I&... i) { ((i += n), ...); }, at_);
  }
  std::ptrdiff_t distance_from(const zip_iterator& other) const { return std::get<0>(at_) - std::get<0>(other.at_); }

 private:
  std::tuple<I...> at_;
};
template <class... I>
zip_iterator<std::tuple<I...>> make_zip_iterator(std::tuple<I...> at) { return {at}; }
template <class... I>
zip_iterator<std::tuple<I...>> make_zip_iterator(I... at) { return {std::tuple<I...>(at...)}; }

template <class T>
class constant_iterator : public lockstep_iterator<constant_iterator<T>, T, T> {
 public:
  explicit constant_iterator(T value = T(), std::ptrdiff_t at = 0) : value_(value), at_(at) {}
  T look() const { return value_; }
  void move(std::ptrdiff_t n) { at_ += n; }
  std::ptrdiff_t distance_from(const constant_iterator& other) const { return at_ - other.at_; }

 private:
  T value_;
  std::ptrdiff_t at_;
};
template <class T>
constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }

template <class F, class I>
class transform_iterator
    : public lockstep_iterator<transform_iterator<F, I>, std::decay_t<decltype(std::declval<F>()(*std::declval<I>()))>,
                               decltype(std::declval<F>()(*std::declval<I>()))> {
 public:
  transform_iterator(I at, F f) : at_(at), f_(f) {}
  decltype(auto) look() const { return f_(*at_); }
  void move(std::ptrdiff_t n) { at_ += n; }
  std::ptrdiff_t distance_from(const transform_iterator& other) const { return at_ - other.at_; }

 private:
  I at_;
  F f_;
};
template <class I, class F>
transform_iterator<F, I> make_transform_iterator(I at, F f) { return {at, f}; }

template <class K, class V, class KO, class VO>
std::pair<KO, VO> reduce_by_key(K first, K last, V values, KO keys_out, VO values_out) {
  while (first != last) {
    const typename std::iterator_traits<K>::value_type key = *first;
    typename std::iterator_traits<V>::value_type sum = *values;
    for (++first, ++values; first != last && *first == key; ++first, ++values) sum = sum + *values;
    *keys_out = key, *values_out = sum;
    ++keys_out, ++values_out;
  }
  return {keys_out, values_out};
}
template <class K, class V, class KO, class VO>
std::pair<KO, VO> reduce_by_key(lockstep_policy, K first, K last, V values, KO keys_out, VO values_out) {
  return thrust::reduce_by_key(first, last, values, keys_out, values_out);
}
template <class M, class I, class O>
void gather(M first, M last, I from, O to) {
  for (; first != last; ++first, ++to) *to = from[*first];
}
template <class I, class M, class O>
void scatter(I first, I last, M places, O to) {
  for (; first != last; ++first, ++places) to[*places] = *first;
}
}  // namespace thrust
