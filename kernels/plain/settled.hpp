// C++ text for one value of a word that it asks for: of a problem that several rungs share, the part of one.
#pragma once
#include <string>
#include <string_view>

namespace lockstep {

// Conditions of `name == "..."` and `!=`, joined by && and ||, are settled where the name holds this value:
// of an `if` without braces and of a ?: the branch that is taken stays. All else stays as it is, and is right
// as well.
std::string settled(std::string_view text, std::string_view name, std::string_view value);

}  // namespace lockstep
