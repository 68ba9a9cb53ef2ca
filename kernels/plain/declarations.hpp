// C++ text as its declarations: which names each declares and uses, so that a program can take those that it
// needs.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct Declaration {
  std::string text;                // with the comment right above it
  std::vector<std::string> names;  // that it declares
  bool function = false;           // used only where it is called, or named with template arguments
  bool body = false;               // of a function: it is defined here
  std::vector<std::string> words;  // that it uses, whatever for; those of std as "std::vector"
  std::vector<std::string> calls;  // of them those followed by ( < {
  bool apart = false;              // from the declaration above it, by an empty line
};

struct DeclaredText {
  std::string header;  // the comment that the text begins with
  std::vector<Declaration> declarations;
  std::vector<std::string> includes;  // lines #include <...>
  std::vector<std::string> files;     // names in #include "..."
};

// Namespaces are left out and their declarations taken. What is defined behind its type's name (Type::member)
// has the name of the type: it is needed where the type is.
DeclaredText declarations_of(std::string_view text);

// The text without this qualifier: lab::x is x.
std::string without_qualifier(std::string_view text, std::string_view qualifier);

}  // namespace lockstep
