#include "sites.hpp"

namespace lockstep::reader {

std::uint32_t Sites::add(Site site) {
  if (all_.size() > kMost) return 0;
  all_.push_back(std::move(site));
  return std::uint32_t(all_.size() - 1);
}

std::uint32_t Sites::of_address(const void* address, std::uint32_t piece) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const auto [known, fresh] = by_address_.try_emplace(at * 64 + piece % 64, 0);
  if (fresh) known->second = add({at, piece, "", 0});
  return known->second;
}

std::uint32_t Sites::of_line(const std::string& file, int line) {
  const auto [known, fresh] = by_line_.try_emplace(file + ":" + std::to_string(line), 0);
  if (fresh) known->second = add({0, 0, file, line});
  return known->second;
}

}  // namespace lockstep::reader
