#include "pages.hpp"

#include <sys/mman.h>

namespace lockstep {
namespace {

void* map(std::uint64_t bytes, int access) {
  void* at = ::mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

}  // namespace

std::uintptr_t reserve_pages(std::uint64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(map(bytes, PROT_NONE));
}

bool open_pages(std::uintptr_t at, std::uint64_t bytes) {
  return ::mprotect(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE) == 0;
}

void empty_pages(std::uintptr_t at, std::uint64_t bytes) {
  ::madvise(reinterpret_cast<void*>(at), bytes, MADV_DONTNEED);
}

void* new_pages(std::uint64_t bytes) { return map(bytes, PROT_READ | PROT_WRITE); }

void free_pages(void* at, std::uint64_t bytes) { ::munmap(at, bytes); }

}  // namespace lockstep
