// A name for what was read: the same text gives the same name.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::reader {

// Two runs of FNV-1a with different beginnings, 128 bits in all. Nothing is trusted because of it: a reader
// who makes two of his own programs meet gets the wrong one of the two.
class TextHash {
 public:
  void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(256);  // "a", "b" is not "ab", ""
  }
  std::string text() const {
    std::string digits;
    for (const std::uint64_t part : {first_, second_})
      for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[part >> shift & 15];
    return digits;
  }

 private:
  void step(std::uint64_t value) {
    constexpr std::uint64_t kPrime = 0x100000001b3;
    first_ = (first_ ^ value) * kPrime;
    second_ = (second_ ^ (value + 0x9e37)) * kPrime;
  }
  std::uint64_t first_ = 0xcbf29ce484222325, second_ = 0x84222325cbf29ce4;
};

}  // namespace lockstep::reader
