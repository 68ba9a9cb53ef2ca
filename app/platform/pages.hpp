// Memory by pages: address space that is reserved first and filled later.
#pragma once
#include <cstdint>

namespace lockstep {

// Address space alone; 0 where there is not as much.
std::uintptr_t reserve_pages(std::uint64_t bytes);
// From now on these pages of a reservation hold what is written; zeroes until then. False for lack of memory.
bool open_pages(std::uintptr_t at, std::uint64_t bytes);
// They may be read still, as zeroes, and take no memory.
void empty_pages(std::uintptr_t at, std::uint64_t bytes);

// Zeroes that take memory where they are written; null where there is no room.
void* new_pages(std::uint64_t bytes);
void free_pages(void* at, std::uint64_t bytes);

}  // namespace lockstep
