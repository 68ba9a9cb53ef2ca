#include "rewrite.hpp"

namespace lockstep::reader {

Rewritten rewrite(std::string_view text, const std::string&) {
  Rewritten out;
  out.text = text;
  return out;
}

}  // namespace lockstep::reader
