// A number that counts the arithmetic done with it, and the bytes that it is read from and written to. Put in
// place of float, it makes a textbook loop or an emulated kernel say its own FLOP: nobody counts by eye.
#pragma once
#include <cmath>
#include <cstdint>

namespace lab {

// What was done. FLOP are counted as vendors and papers do: one for each result, two for a fused
// multiply-add.
struct CountedWork {
  std::uint64_t additions = 0;  // and subtractions
  std::uint64_t multiplications = 0;
  std::uint64_t divisions = 0;
  std::uint64_t comparisons = 0;  // max and min
  std::uint64_t functions = 0;    // exp, sqrt, ...
  std::uint64_t bytes_read = 0, bytes_written = 0;

  std::uint64_t flop() const { return additions + multiplications + divisions + comparisons + functions; }
  std::uint64_t bytes() const { return bytes_read + bytes_written; }
  bool operator==(const CountedWork&) const = default;
};

namespace detail {
// Of this CPU thread; what is done while nobody counts is lost.
inline thread_local CountedWork* counted_work = nullptr;
}  // namespace detail

// While it lives, what this CPU thread does with counted numbers is added to `work`.
class Counting {
 public:
  explicit Counting(CountedWork& work) : before_(detail::counted_work) { detail::counted_work = &work; }
  ~Counting() { detail::counted_work = before_; }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  CountedWork* before_;
};

// Behaves as a float. What is written down (a literal, a conversion) costs nothing.
class Counted {
 public:
  Counted() = default;
  Counted(float x) : x_(x) {}
  Counted(double x) : x_(float(x)) {}
  Counted(int x) : x_(float(x)) {}
  float value() const { return x_; }

  friend Counted operator+(Counted a, Counted b) { return done(&CountedWork::additions, a.x_ + b.x_); }
  friend Counted operator-(Counted a, Counted b) { return done(&CountedWork::additions, a.x_ - b.x_); }
  friend Counted operator*(Counted a, Counted b) { return done(&CountedWork::multiplications, a.x_ * b.x_); }
  friend Counted operator/(Counted a, Counted b) { return done(&CountedWork::divisions, a.x_ / b.x_); }
  friend Counted operator-(Counted a) { return Counted(-a.x_); }  // a sign costs nothing: operands carry it
  Counted& operator+=(Counted b) { return *this = *this + b; }
  Counted& operator-=(Counted b) { return *this = *this - b; }
  Counted& operator*=(Counted b) { return *this = *this * b; }
  Counted& operator/=(Counted b) { return *this = *this / b; }

  friend Counted max(Counted a, Counted b) {
    return done(&CountedWork::comparisons, a.x_ > b.x_ ? a.x_ : b.x_);
  }
  friend Counted min(Counted a, Counted b) {
    return done(&CountedWork::comparisons, a.x_ < b.x_ ? a.x_ : b.x_);
  }
  friend Counted fma(Counted a, Counted b, Counted c) { return a * b + c; }
  friend Counted exp(Counted a) { return done(&CountedWork::functions, std::exp(a.x_)); }
  friend Counted sqrt(Counted a) { return done(&CountedWork::functions, std::sqrt(a.x_)); }

 private:
  static Counted done(std::uint64_t CountedWork::*kind, float x) {
    if (detail::counted_work) ++(detail::counted_work->*kind);
    return Counted(x);
  }
  float x_ = 0;
};

// An element in memory of `element_bytes`: each read and each write of it counts.
class CountedElement {
 public:
  CountedElement(float& x, int element_bytes) : x_(x), bytes_(element_bytes) {}
  operator Counted() const {
    if (detail::counted_work) detail::counted_work->bytes_read += std::uint64_t(bytes_);
    return Counted(x_);
  }
  CountedElement& operator=(Counted y) {
    if (detail::counted_work) detail::counted_work->bytes_written += std::uint64_t(bytes_);
    x_ = y.value();
    return *this;
  }
  CountedElement& operator=(const CountedElement& other) { return *this = Counted(other); }
  CountedElement(const CountedElement&) = default;

 private:
  float& x_;
  int bytes_;
};

}  // namespace lab
