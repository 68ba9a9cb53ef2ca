// Copies of whole structs in the compiler's intermediate text, before it is optimised. A GPU's compiler moves
// a struct in words as wide as the struct's alignment allows, up to 16 bytes; left to itself the host's one
// calls memcpy, which no longer knows the alignment.
#pragma once
#include <string>
#include <string_view>

namespace lockstep::reader {

// LLVM's text, with typed pointers or without, where every copy of at most 128 bytes between places that are
// both aligned to 8 or 16 bytes is that many loads and stores of 8 or 16 bytes.
std::string with_wide_struct_copies(std::string_view text);

}  // namespace lockstep::reader
