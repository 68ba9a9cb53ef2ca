// The documents in docs/ as HTML: CommonMark with tables. Raw HTML in them is text.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "app/model/result.hpp"

namespace lockstep {

struct DocumentHtml {
  std::string title;  // its first heading, as text
  std::string body;   // what follows
};
// `url` answers what a link points to ("exercises.md#hints").
DocumentHtml document_html(std::string_view markdown,
                           const std::function<std::string(const std::string&)>& url);

}  // namespace lockstep
