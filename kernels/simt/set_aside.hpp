// What a block writes to global memory while it runs beside others: a list of writes, put in place when the
// block's turn comes. Until then the block itself, and nobody else, reads through it.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "app/model/event.hpp"

namespace lockstep::simt {

// Changes the value at an address; `how` holds what the change needs (a value to store, an operation's
// operands). An atomic whose result nobody asks for is such a change as well: put in place later, on whatever
// stands there then, it gives what it would have given in its turn.
struct Write {
  static constexpr std::size_t kMaxBytes = 16;
  using Change = void (*)(std::uint8_t* at, const std::uint8_t* how);
  std::uint8_t* at = nullptr;
  Change change = nullptr;
  alignas(8) std::array<std::uint8_t, kMaxBytes> how;
  std::uint8_t bytes = 0;  // of the value
};

inline void put_in_place(const std::vector<Write>& writes) {
  for (const Write& w : writes) w.change(w.at, w.how.data());
}

class SetAside {
 public:
  std::vector<Write> writes;
  bool holds(std::uint16_t view) const { return views_[view]; }
  void clear() {
    writes.clear(), views_.fill(false);
    units_.clear(), seen_ = 0;
  }
  template <class T>
  void store(std::uint16_t view, T* at, const T& x) {
    add(
        view, at, [](std::uint8_t* to, const std::uint8_t* how) { std::memcpy(to, how, sizeof(T)); }, x);
  }
  // `change` holds its operands and gives the new value for the old one.
  template <class T, class F>
  void exchange(std::uint16_t view, T* at, const F& change) {
    add(
        view, at,
        [](std::uint8_t* to, const std::uint8_t* how) {
          T x;
          std::memcpy(static_cast<void*>(&x), to, sizeof x);
          alignas(F) std::array<std::uint8_t, sizeof(F)> bytes;
          std::memcpy(bytes.data(), how, sizeof(F));
          x = (*reinterpret_cast<const F*>(bytes.data()))(x);
          std::memcpy(to, static_cast<const void*>(&x), sizeof x);
        },
        change);
  }
  // What stands at an address for this block.
  void read(const void* at, void* to, std::size_t bytes) {
    for (; seen_ < writes.size(); ++seen_) take_in(writes[seen_]);
    std::memcpy(to, at, bytes);
    lay_over(at, static_cast<std::uint8_t*>(to), bytes);
  }

 private:
  template <class T, class How>
  void add(std::uint16_t view, T* at, Write::Change change, const How& how) {
    static_assert(std::is_trivially_copyable_v<How> && sizeof(How) <= Write::kMaxBytes && sizeof(T) <= 16);
    Write& w = writes.emplace_back();
    w.at = reinterpret_cast<std::uint8_t*>(at), w.change = change, w.bytes = sizeof(T);
    std::memcpy(w.how.data(), static_cast<const void*>(&how), sizeof how);
    views_[view] = true;
  }
  // 16 bytes of memory with those that were written; made of `writes` when the block first reads them.
  struct Unit {
    std::array<std::uint8_t, 16> bytes{};
    std::uint32_t written = 0;  // a bit each
  };
  void take_in(const Write& w) {
    alignas(16) std::array<std::uint8_t, 16> value;
    std::memcpy(value.data(), w.at, w.bytes);
    lay_over(w.at, value.data(), w.bytes);
    w.change(value.data(), w.how.data());
    const auto first = reinterpret_cast<std::uintptr_t>(w.at);
    for (std::size_t i = 0; i < w.bytes; ++i) {
      Unit& unit = units_[(first + i) / 16];
      unit.bytes[(first + i) % 16] = value[i], unit.written |= 1u << (first + i) % 16;
    }
  }
  void lay_over(const void* at, std::uint8_t* to, std::size_t bytes) const {
    const auto first = reinterpret_cast<std::uintptr_t>(at);
    for (std::size_t i = 0; i < bytes; ++i) {
      const auto unit = units_.find((first + i) / 16);
      if (unit != units_.end() && unit->second.written >> (first + i) % 16 & 1)
        to[i] = unit->second.bytes[(first + i) % 16];
    }
  }

  std::array<bool, kFirstSharedView> views_{};
  std::unordered_map<std::uintptr_t, Unit> units_;
  std::size_t seen_ = 0;  // of writes
};

}  // namespace lockstep::simt
