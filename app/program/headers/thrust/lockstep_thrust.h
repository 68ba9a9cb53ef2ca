// The part of Thrust that single-file programs use. Its algorithms run on the host, over memory that both sides see;
// their accesses are not traced.
#pragma once
#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <vector>

#include "../lockstep_device.h"

namespace thrust {

template <class T>
class device_ptr {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  device_ptr() = default;
  explicit device_ptr(T* at) : at_(at) {}
  T* get() const { return at_; }
  T& operator*() const { return *at_; }
  T* operator->() const { return at_; }
  T& operator[](std::ptrdiff_t i) const { return at_[i]; }
  device_ptr& operator++() { return ++at_, *this; }
  device_ptr operator++(int) { return device_ptr(at_++); }
  device_ptr& operator--() { return --at_, *this; }
  device_ptr operator--(int) { return device_ptr(at_--); }
  device_ptr& operator+=(std::ptrdiff_t n) { return at_ += n, *this; }
  device_ptr& operator-=(std::ptrdiff_t n) { return at_ -= n, *this; }
  device_ptr operator+(std::ptrdiff_t n) const { return device_ptr(at_ + n); }
  device_ptr operator-(std::ptrdiff_t n) const { return device_ptr(at_ - n); }
  std::ptrdiff_t operator-(device_ptr other) const { return at_ - other.at_; }
  bool operator==(device_ptr other) const { return at_ == other.at_; }
  bool operator!=(device_ptr other) const { return at_ != other.at_; }
  bool operator<(device_ptr other) const { return at_ < other.at_; }

 private:
  T* at_ = nullptr;
};
template <class T>
device_ptr<T> device_pointer_cast(T* at) { return device_ptr<T>(at); }
template <class T>
T* raw_pointer_cast(device_ptr<T> p) { return p.get(); }
template <class T>
T* raw_pointer_cast(T* p) { return p; }

// Memory that kernels may use, from the device's allocator.
template <class T>
struct lockstep_device_memory {
  using value_type = T;
  lockstep_device_memory() = default;
  template <class U>
  lockstep_device_memory(const lockstep_device_memory<U>&) {}
  T* allocate(std::size_t n) {
    void* at = nullptr;
    if (cudaMallocManaged(&at, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t) { cudaFree(at); }
  bool operator==(const lockstep_device_memory&) const { return true; }
  bool operator!=(const lockstep_device_memory&) const { return false; }
};

template <class T>
class host_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  host_vector() = default;
  template <class A>
  host_vector(const std::vector<T, A>& other) : std::vector<T>(other.begin(), other.end()) {}
};
template <class T>
class device_vector : public std::vector<T, lockstep_device_memory<T>> {
  using Base = std::vector<T, lockstep_device_memory<T>>;

 public:
  using Base::Base;
  using iterator = device_ptr<T>;
  device_vector() = default;
  template <class A>
  device_vector(const std::vector<T, A>& other) : Base(other.begin(), other.end()) {}
  template <class A>
  device_vector& operator=(const std::vector<T, A>& other) {
    this->assign(other.begin(), other.end());
    return *this;
  }
  device_ptr<T> data() { return device_ptr<T>(Base::data()); }
  device_ptr<const T> data() const { return device_ptr<const T>(Base::data()); }
  device_ptr<T> begin() { return data(); }
  device_ptr<T> end() { return data() + std::ptrdiff_t(this->size()); }
  device_ptr<const T> begin() const { return data(); }
  device_ptr<const T> end() const { return data() + std::ptrdiff_t(this->size()); }
};

template <class T>
class counting_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;
  explicit counting_iterator(T at = T()) : at_(at) {}
  T operator*() const { return at_; }
  T operator[](std::ptrdiff_t n) const { return T(at_ + n); }
  counting_iterator& operator++() { return ++at_, *this; }
  counting_iterator operator++(int) { return counting_iterator(at_++); }
  counting_iterator& operator--() { return --at_, *this; }
  counting_iterator& operator+=(std::ptrdiff_t n) { return at_ = T(at_ + n), *this; }
  counting_iterator operator+(std::ptrdiff_t n) const { return counting_iterator(T(at_ + n)); }
  std::ptrdiff_t operator-(counting_iterator other) const { return std::ptrdiff_t(at_) - std::ptrdiff_t(other.at_); }
  bool operator==(counting_iterator other) const { return at_ == other.at_; }
  bool operator!=(counting_iterator other) const { return at_ != other.at_; }

 private:
  T at_;
};
template <class T>
counting_iterator<T> make_counting_iterator(T at) { return counting_iterator<T>(at); }

template <class T = void> struct plus : std::plus<T> {};
template <class T = void> struct minus : std::minus<T> {};
template <class T = void> struct multiplies : std::multiplies<T> {};
template <class T = void> struct divides : std::divides<T> {};
template <class T = void> struct negate : std::negate<T> {};
template <class T = void> struct less : std::less<T> {};
template <class T = void> struct greater : std::greater<T> {};
template <class T = void> struct equal_to : std::equal_to<T> {};
template <class T> struct maximum { T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
template <class T> struct minimum { T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
template <class T> struct square { T operator()(const T& a) const { return a * a; } };
template <class T> struct identity { const T& operator()(const T& a) const { return a; } };
template <class A, class B> using pair = std::pair<A, B>;
template <class... T> using tuple = std::tuple<T...>;
using std::get;
using std::make_pair;
using std::make_tuple;

struct lockstep_policy {
  template <class X>
  lockstep_policy on(X) const { return {}; }
};
static constexpr lockstep_policy device{}, host{}, seq{};
using default_random_engine = std::default_random_engine;
using minstd_rand = std::minstd_rand;
template <class T> using uniform_int_distribution = std::uniform_int_distribution<T>;
template <class T> using uniform_real_distribution = std::uniform_real_distribution<T>;
template <class T> using normal_distribution = std::normal_distribution<T>;

// Each with and without a policy in front.
#define LOCKSTEP_THRUST(name, call)                                                     \
  template <class... A>                                                                 \
  auto name(A... a) -> decltype(call(a...)) { return call(a...); }                      \
  template <class... A>                                                                 \
  auto name(lockstep_policy, A... a) -> decltype(call(a...)) { return call(a...); }
LOCKSTEP_THRUST(copy, std::copy)
LOCKSTEP_THRUST(copy_if, std::copy_if)
LOCKSTEP_THRUST(count, std::count)
LOCKSTEP_THRUST(count_if, std::count_if)
LOCKSTEP_THRUST(equal, std::equal)
LOCKSTEP_THRUST(fill, std::fill)
LOCKSTEP_THRUST(find, std::find)
LOCKSTEP_THRUST(for_each, std::for_each)
LOCKSTEP_THRUST(generate, std::generate)
LOCKSTEP_THRUST(inner_product, std::inner_product)
LOCKSTEP_THRUST(is_sorted, std::is_sorted)
LOCKSTEP_THRUST(lower_bound, std::lower_bound)
LOCKSTEP_THRUST(max_element, std::max_element)
LOCKSTEP_THRUST(min_element, std::min_element)
LOCKSTEP_THRUST(adjacent_difference, std::adjacent_difference)
LOCKSTEP_THRUST(remove, std::remove)
LOCKSTEP_THRUST(remove_if, std::remove_if)
LOCKSTEP_THRUST(replace, std::replace)
LOCKSTEP_THRUST(replace_if, std::replace_if)
LOCKSTEP_THRUST(reverse, std::reverse)
LOCKSTEP_THRUST(sort, std::sort)
LOCKSTEP_THRUST(stable_sort, std::stable_sort)
LOCKSTEP_THRUST(swap_ranges, std::swap_ranges)
LOCKSTEP_THRUST(transform, std::transform)
LOCKSTEP_THRUST(unique, std::unique)
LOCKSTEP_THRUST(inclusive_scan, std::partial_sum)
#undef LOCKSTEP_THRUST

template <class I, class T, class F>
T reduce(I first, I last, T initial, F f) {
  for (; first != last; ++first) initial = f(initial, *first);
  return initial;
}
template <class I, class T>
T reduce(I first, I last, T initial) { return thrust::reduce(first, last, initial, std::plus<>()); }
template <class I>
auto reduce(I first, I last) { return thrust::reduce(first, last, typename std::iterator_traits<I>::value_type()); }
template <class I, class... A>
auto reduce(lockstep_policy, I first, I last, A... a) { return thrust::reduce(first, last, a...); }
template <class I, class U, class T, class F>
T transform_reduce(I first, I last, U unary, T initial, F f) {
  for (; first != last; ++first) initial = f(initial, unary(*first));
  return initial;
}
template <class I, class U, class T, class F>
T transform_reduce(lockstep_policy, I first, I last, U unary, T initial, F f) {
  return thrust::transform_reduce(first, last, unary, initial, f);
}
template <class I, class O, class T, class F>
O exclusive_scan(I first, I last, O to, T initial, F f) {
  for (; first != last; ++first, ++to) {
    const T next = f(initial, *first);
    *to = initial;
    initial = next;
  }
  return to;
}
template <class I, class O, class T>
O exclusive_scan(I first, I last, O to, T initial) { return thrust::exclusive_scan(first, last, to, initial, std::plus<>()); }
template <class I, class O>
O exclusive_scan(I first, I last, O to) {
  return thrust::exclusive_scan(first, last, to, typename std::iterator_traits<I>::value_type());
}
template <class I, class... A>
auto exclusive_scan(lockstep_policy, I first, I last, A... a) { return thrust::exclusive_scan(first, last, a...); }
template <class I>
void sequence(I first, I last) { std::iota(first, last, typename std::iterator_traits<I>::value_type()); }
template <class I, class T>
void sequence(I first, I last, T initial) { std::iota(first, last, initial); }
template <class I, class T>
void sequence(I first, I last, T initial, T step) {
  for (; first != last; ++first, initial += step) *first = initial;
}
template <class I, class... A>
void sequence(lockstep_policy, I first, I last, A... a) { thrust::sequence(first, last, a...); }
template <class K, class V, class C>
void sort_by_key(K first, K last, V values, C less) {
  std::vector<std::pair<typename std::iterator_traits<K>::value_type, typename std::iterator_traits<V>::value_type>> all;
  V value = values;
  for (K key = first; key != last; ++key, ++value) all.emplace_back(*key, *value);
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return less(a.first, b.first); });
  for (const auto& one : all) *first = one.first, *values = one.second, ++first, ++values;
}
template <class K, class V>
void sort_by_key(K first, K last, V values) { thrust::sort_by_key(first, last, values, std::less<>()); }
template <class K, class V, class... A>
void sort_by_key(lockstep_policy, K first, K last, V values, A... a) { thrust::sort_by_key(first, last, values, a...); }

}  // namespace thrust
#include "lockstep_iterators.h"
