#include "device_memory.hpp"

#include <algorithm>
#include <bit>

#include "app/platform/pages.hpp"

namespace lockstep::reader {
namespace {

constexpr std::uint64_t kReserve = std::uint64_t{256} << 30, kPage = 4096;
constexpr std::uint64_t kRedZone = 64 * 1024, kGap = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostPoisoned = std::uint64_t{256} << 20;  // of one allocation: to fill it takes time
constexpr std::uint64_t kMostWatched = std::uint64_t{512} << 20;   // bytes of cells, over all
constexpr std::uint64_t kMostViews = kFirstSharedView - 1;

std::uint64_t up_to_page(std::uint64_t x) { return (x + kPage - 1) / kPage * kPage; }

void poison(std::uintptr_t at, std::uint64_t bytes) {
  auto* words = reinterpret_cast<std::uint32_t*>(at);
  std::fill(words, words + bytes / 4, kPoison);
}

}  // namespace

DeviceMemory::DeviceMemory() {
  for (reserved_ = kReserve; reserved_ >= kGap; reserved_ /= 2) {
    base_ = next_ = reserve_pages(reserved_);
    if (base_) return;
  }
  reserved_ = 0;
}

std::uint16_t DeviceMemory::free_view() const {
  if (all_.size() < kMostViews) return std::uint16_t(all_.size());
  std::vector<bool> taken(kMostViews);
  for (const auto& a : all_)
    if (a->live && a->region.view < kMostViews) taken[a->region.view] = true;
  const auto free = std::find(taken.begin(), taken.end(), false);
  return std::uint16_t(free == taken.end() ? kMostViews - 1 : std::uint64_t(free - taken.begin()));
}

Allocation* DeviceMemory::allocate(std::uint64_t bytes, bool zeroed) {
  const std::uint64_t room = up_to_page(bytes) + kRedZone;
  if (bytes > reserved_ || next_ - base_ + room + kGap + kPage > reserved_) return nullptr;
  const std::uintptr_t begin = next_ + kGap;
  if (!open_pages(begin - kPage, room + kPage)) return nullptr;
  next_ = begin + room;
  if (!zeroed && bytes <= kMostPoisoned) poison(begin, (bytes + 3) / 4 * 4);
  poison(begin - kPage, kPage);
  poison(begin + (bytes + 3) / 4 * 4, kPage);
  Allocation* made = adopt(reinterpret_cast<void*>(begin), bytes);
  live_bytes_ += bytes;
  return made;
}

Allocation* DeviceMemory::adopt(void* at, std::uint64_t bytes) {
  auto made = std::make_unique<Allocation>();
  made->region.begin = reinterpret_cast<std::uintptr_t>(at), made->region.end = made->region.begin + bytes;
  made->region.view = made->array.view = free_view();
  made->array.bytes = bytes;
  by_begin_[made->region.begin] = made.get();
  all_.push_back(std::move(made));
  return all_.back().get();
}

void DeviceMemory::free(Allocation& a) {
  a.live = false;
  live_bytes_ -= a.region.bytes();
  empty_pages(a.region.begin, up_to_page(a.region.bytes()));
  if (!a.region.cells) return;
  const std::uint64_t cells = (a.region.bytes() / a.region.cell_bytes + 1) * sizeof(Cell);
  free_pages(a.region.cells, cells);
  watched_bytes_ -= cells, a.region.cells = nullptr;
}

Allocation* DeviceMemory::below(std::uintptr_t address) {
  auto after = by_begin_.upper_bound(address);
  return after == by_begin_.begin() ? nullptr : std::prev(after)->second;
}

Allocation* DeviceMemory::find(std::uintptr_t address) {
  Allocation* a = below(address);
  return a && address < a->region.end ? a : nullptr;
}

int DeviceMemory::index_of(const Allocation& allocation) const {
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].get() == &allocation) return int(i);
  return -1;
}

void DeviceMemory::watch(Allocation& a, std::uint32_t cell_bytes) {
  cell_bytes = std::bit_floor(std::clamp(cell_bytes, 1u, 4u));
  if (a.region.cells && a.region.cell_bytes <= cell_bytes) return;
  const auto bytes_of = [&](std::uint32_t of) { return (a.region.bytes() / of + 1) * sizeof(Cell); };
  if (a.region.cells) {
    free_pages(a.region.cells, bytes_of(a.region.cell_bytes));
    watched_bytes_ -= bytes_of(a.region.cell_bytes), a.region.cells = nullptr;
  }
  a.region.cell_bytes = cell_bytes, a.region.cell_shift = std::uint32_t(std::countr_zero(cell_bytes));
  if (watched_bytes_ + bytes_of(cell_bytes) > kMostWatched) return;
  a.region.cells = static_cast<Cell*>(new_pages(bytes_of(cell_bytes)));
  if (!a.region.cells) return;
  watched_bytes_ += bytes_of(cell_bytes);
}

}  // namespace lockstep::reader
