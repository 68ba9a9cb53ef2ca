// A text file with its name, so that an error can say where: "transpose.md:12:8: ...".
#pragma once
#include <string>
#include <string_view>

#include "app/model/expression.hpp"
#include "app/model/result.hpp"

namespace lockstep {

class SourceText {
 public:
  // `text` is UTF-8 without control characters (check_text) and outlives this.
  SourceText(std::string_view text, std::string name) : text(text), name(std::move(name)) {}

  TextPlace place(std::size_t offset) const;
  Error error(std::size_t offset, Message what) const;
  // "line:column: what" of an expression, with the file in front.
  Error in_file(const Error& error) const;
  // Shortened by spaces at both ends: begin and end are moved.
  void trim(std::size_t& begin, std::size_t& end) const;
  std::string_view slice(std::size_t begin, std::size_t end) const { return text.substr(begin, end - begin); }

  const std::string_view text;
  const std::string name;
};

// The bytes of a file as text, line ends as "\n". An error names the line of what is no UTF-8 or a control
// character.
Result<std::string> check_text(std::string_view bytes, const std::string& name);

}  // namespace lockstep
