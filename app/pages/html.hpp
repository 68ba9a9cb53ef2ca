// Pieces of HTML. What comes from a text is escaped here and nowhere else.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Text as it stands between tags and in an attribute's quotes.
std::string html_text(std::string_view text);
// `code` as <code>; the rest escaped.
std::string html_with_code(std::string_view text);
// As it stands in a URL's fragment or query.
std::string url_text(std::string_view text);
// <a href="...">: `content` is HTML.
std::string html_link(std::string_view url, std::string_view content, std::string_view classes = "");
std::string html_element(std::string_view tag, std::string_view content, std::string_view classes = "");
// Folded away until it is asked for.
std::string html_details(std::string_view summary, std::string_view content, std::string_view classes = "");
// Rows of cells that are HTML; the first row is the heads. It scrolls by itself where it is wider than the
// page.
std::string html_table(const std::vector<std::vector<std::string>>& rows, std::string_view label);
std::string html_command(std::string_view command);

// From one page of a site to another place in it: "../../style.css".
std::string relative_url(std::string_view from, std::string_view to);

}  // namespace lockstep
