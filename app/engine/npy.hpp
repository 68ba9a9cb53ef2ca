// NumPy's .npy, version 1.0: a magic, a header padded to 64 bytes, little-endian elements in C order.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "damaged.hpp"

namespace lockstep {

static_assert(std::endian::native == std::endian::little, "columns are written as they lie in memory");

using Shape = std::vector<std::uint64_t>;

// dtype of a column of unsigned integers: "|u1", "<u2", "<u4", "<u8".
template <class T>
constexpr const char* descr_of() {
  static_assert(std::is_unsigned_v<T>);
  return sizeof(T) == 1 ? "|u1" : sizeof(T) == 2 ? "<u2" : sizeof(T) == 4 ? "<u4" : "<u8";
}

// A whole .npy file.
std::vector<std::uint8_t> encode_npy(const std::string& descr, const Shape& shape,
                                     std::span<const std::uint8_t> data);

// What a .npy file says about itself; `data` points into the file.
struct NpyView {
  std::string descr;
  Shape shape;
  std::uint64_t item_bytes = 0;
  std::span<const std::uint8_t> data;
};

// Checks magic, version, header and that the data fills the shape exactly. Throws DamagedFile.
NpyView parse_npy(std::span<const std::uint8_t> file, const std::string& name);

template <class T>
std::vector<std::uint8_t> encode_column(const std::vector<T>& column) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(column.data());
  return encode_npy(descr_of<T>(), {column.size()}, {bytes, column.size() * sizeof(T)});
}

// A 1-D column of exactly this type. Throws DamagedFile.
template <class T>
std::vector<T> decode_column(std::span<const std::uint8_t> file, const std::string& name) {
  const NpyView array = parse_npy(file, name);
  require(array.descr == descr_of<T>(), name + " has dtype " + array.descr + ", expected " + descr_of<T>());
  require(array.shape.size() == 1,
          name + " has " + std::to_string(array.shape.size()) + " dimensions, expected 1");
  std::vector<T> column(array.shape[0]);
  if (!column.empty()) std::memcpy(column.data(), array.data.data(), array.data.size());
  return column;
}

}  // namespace lockstep
