#include "html.hpp"

#include <algorithm>
#include <cctype>

namespace lockstep {

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string html_with_code(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == text.npos ? open : text.find('`', open + 1);
    if (close == text.npos) return out + html_text(text);
    out += html_text(text.substr(0, open)) + "<code>" + html_text(text.substr(open + 1, close - open - 1)) +
           "</code>";
    text.remove_prefix(close + 1);
  }
}

std::string url_text(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("-_.~").find(c) != std::string_view::npos)
      out += c;
    else
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

namespace {

std::string with_class(std::string_view classes) {
  return classes.empty() ? "" : " class=\"" + std::string(classes) + "\"";
}

}  // namespace

std::string html_link(std::string_view url, std::string_view content, std::string_view classes) {
  return "<a href=\"" + html_text(url) + "\"" + with_class(classes) + ">" + std::string(content) + "</a>";
}

std::string html_element(std::string_view tag, std::string_view content, std::string_view classes) {
  const std::string name(tag);
  return "<" + name + with_class(classes) + ">" + std::string(content) + "</" + name + ">\n";
}

std::string html_details(std::string_view summary, std::string_view content, std::string_view classes) {
  return "<details" + with_class(classes) + "><summary>" + std::string(summary) + "</summary>\n" +
         std::string(content) + "</details>\n";
}

std::string html_table(const std::vector<std::vector<std::string>>& rows, std::string_view label) {
  std::string out = "<div class=\"scrolls\" role=\"region\" tabindex=\"0\" aria-label=\"" + html_text(label) +
                    "\">\n<table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += i == 0 ? "<thead><tr>" : i == 1 ? "<tbody>\n<tr>" : "<tr>";
    for (const std::string& cell : rows[i])
      out += i == 0 ? "<th scope=\"col\">" + cell + "</th>" : "<td>" + cell + "</td>";
    out += i == 0 ? "</tr></thead>\n" : "</tr>\n";
  }
  return out + (rows.size() > 1 ? "</tbody>\n" : "") + "</table>\n</div>\n";
}

std::string html_command(std::string_view command) {
  return "<pre class=\"command\" tabindex=\"0\"><code>" + html_text(command) + "</code></pre>\n";
}

std::string relative_url(std::string_view from, std::string_view to) {
  std::size_t shared = 0;  // folders that both lie in
  for (std::size_t i = 0; i < std::min(from.size(), to.size()) && from[i] == to[i]; ++i)
    if (from[i] == '/') shared = i + 1;
  std::string url;
  for (std::size_t i = shared; i < from.size(); ++i)
    if (from[i] == '/') url += "../";
  return url + std::string(to.substr(shared));
}

}  // namespace lockstep
