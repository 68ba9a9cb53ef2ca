// A site as it lies on the disk, read once for all claims about it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine_support.hpp"

namespace lockstep::test {

using SiteFiles = std::map<std::string, std::string>;  // by path below the site's folder

inline SiteFiles files_below(const std::filesystem::path& folder) {
  SiteFiles files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[std::filesystem::relative(entry.path(), folder).generic_string()] = text_of(entry.path());
  return files;
}

inline SiteFiles written_site() {
  const TemporaryFolder folder;
  const ProgramResult made = run_program({"pages", "-o", folder.path()});
  if (made.exit != 0) throw std::runtime_error("pages: " + made.err);
  return files_below(folder.path());
}

// What `lockstep pages` writes by itself.
inline const SiteFiles& site() {
  static const SiteFiles files = written_site();
  return files;
}

inline bool is_page(const std::string& path) { return path.ends_with(".html"); }

// The values of an attribute in a page.
inline std::vector<std::string> attributes(const std::string& html, const std::string& name) {
  std::vector<std::string> values;
  const std::string open = " " + name + "=\"";
  for (std::size_t at = html.find(open); at != html.npos; at = html.find(open, at)) {
    at += open.size();
    values.push_back(html.substr(at, html.find('"', at) - at));
  }
  return values;
}

// What a reader reads: no tags, entities as characters.
inline std::string text_in(const std::string& html) {
  std::string text;
  bool in_tag = false;
  for (std::size_t i = html.find("<main"); i < html.size(); ++i) {
    const char c = html[i];
    if (c == '<' || c == '>')
      in_tag = c == '<';
    else if (!in_tag)
      text += c;
  }
  for (const auto& [entity, character] :
       std::map<std::string, std::string>{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    for (std::size_t at = text.find(entity); at != text.npos; at = text.find(entity, at + 1))
      text.replace(at, entity.size(), character);
  return text;
}

}  // namespace lockstep::test
