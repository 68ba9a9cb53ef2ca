#include "npy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace lockstep {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};
constexpr std::size_t kPrefixBytes = 10;  // magic, version, 16-bit header length
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMaxDimensions = 8;

// "(3, 4)", "(5,)", "()" as Python writes tuples.
std::string tuple_text(const Shape& shape) {
  std::string text = "(";
  for (std::uint64_t extent : shape) text += std::to_string(extent) + ", ";
  if (shape.size() == 1) text.pop_back();
  if (shape.size() > 1) text.resize(text.size() - 2);
  return text + ")";
}

// Bytes of one element; 0 for a dtype that run files do not use.
std::uint64_t item_bytes_of(std::string_view descr) {
  constexpr std::array<std::string_view, 9> known{"|u1", "<u2", "<u4", "<u8", "<i4",
                                                  "<i8", "<f2", "<f4", "<f8"};
  if (std::find(known.begin(), known.end(), descr) != known.end()) return std::uint64_t(descr[2] - '0');
  std::uint64_t width = 0;  // "|S12": byte strings
  if (descr.size() < 3 || descr.substr(0, 2) != "|S") return 0;
  const auto [stop, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), width);
  const bool whole = error == std::errc{} && stop == descr.data() + descr.size();
  return whole && width <= 65536 ? width : 0;
}

// Reads the header's dictionary in the order in which NumPy writes it.
class HeaderScanner {
 public:
  HeaderScanner(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  void expect(std::string_view token) {
    skip_spaces();
    require(rest_.starts_with(token), name_ + " has a damaged header");
    rest_.remove_prefix(token.size());
  }
  std::string quoted() {
    expect("'");
    const std::size_t end = rest_.find('\'');
    require(end != rest_.npos, name_ + " has a damaged header");
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return word;
  }
  Shape shape() {
    Shape extents;
    expect("(");
    while (!next_is(')')) {
      require(extents.size() < kMaxDimensions, name_ + " has more than 8 dimensions");
      extents.push_back(number());
      if (!next_is(')')) expect(",");
    }
    expect(")");
    return extents;
  }

 private:
  void skip_spaces() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool next_is(char c) {
    skip_spaces();
    return rest_.starts_with(c);
  }
  std::uint64_t number() {
    skip_spaces();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    require(error == std::errc{}, name_ + " has a damaged shape");
    rest_.remove_prefix(std::size_t(stop - rest_.data()));
    return value;
  }

  std::string_view rest_;
  const std::string& name_;
};

NpyView parse_header(std::string_view text, const std::string& name) {
  NpyView array;
  HeaderScanner scan(text, name);
  scan.expect("{'descr':");
  array.descr = scan.quoted();
  scan.expect(", 'fortran_order':");
  scan.expect("False");
  scan.expect(", 'shape':");
  array.shape = scan.shape();
  scan.expect(", }");
  array.item_bytes = item_bytes_of(array.descr);
  require(array.item_bytes > 0, name + " has the dtype " + array.descr + ", which run files do not use");
  return array;
}

// True where the shape holds exactly `bytes`; no product overflows.
bool fills(const NpyView& array, std::uint64_t bytes) {
  std::uint64_t total = array.item_bytes;
  for (std::uint64_t extent : array.shape) {
    if (extent == 0) return bytes == 0;
    if (total > bytes / extent) return false;
    total *= extent;
  }
  return total == bytes;
}

}  // namespace

std::vector<std::uint8_t> encode_npy(const std::string& descr, const Shape& shape,
                                     std::span<const std::uint8_t> data) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + tuple_text(shape) + ", }";
  const std::size_t used = kPrefixBytes + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ').push_back('\n');
  std::vector<std::uint8_t> file(kPrefixBytes + header.size() + data.size());
  std::uint8_t* at = std::copy(kMagic.begin(), kMagic.end(), file.data());
  *at++ = std::uint8_t(header.size() & 0xff);
  *at++ = std::uint8_t(header.size() >> 8);
  at = std::copy(header.begin(), header.end(), at);
  std::copy(data.begin(), data.end(), at);
  return file;
}

NpyView parse_npy(std::span<const std::uint8_t> file, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  require(text.size() >= kPrefixBytes && text.starts_with(kMagic),
          name + " is not a .npy array of version 1.0");
  const std::size_t header_bytes = file[8] | std::size_t(file[9]) << 8;
  require(text.size() >= kPrefixBytes + header_bytes, name + " ends within its header");
  NpyView array = parse_header(text.substr(kPrefixBytes, header_bytes), name);
  array.data = file.subspan(kPrefixBytes + header_bytes);
  require(fills(array, array.data.size()), name + " does not hold what its shape says");
  return array;
}

}  // namespace lockstep
