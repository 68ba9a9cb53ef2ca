#include "two_themes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace lockstep {
namespace {

// <name a="1" b="2"/> or </name>, and the text behind it. Values are as they stand in the file.
struct SvgTag {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  bool empty = false;  // ends in "/>"
  std::string_view text;
};

SvgTag tag_from(std::string_view inside, std::string_view text) {
  SvgTag tag;
  tag.text = text;
  if (inside.ends_with('/')) tag.empty = true, inside.remove_suffix(1);
  std::size_t at = std::min(inside.find(' '), inside.size());
  tag.name = inside.substr(0, at);
  while (at < inside.size()) {
    const std::size_t equals = inside.find("=\"", at);
    if (equals == inside.npos) break;
    const std::size_t close = inside.find('"', equals + 2);
    tag.attributes.emplace_back(inside.substr(at + 1, equals - at - 1),
                                inside.substr(equals + 2, close - equals - 2));
    at = close + 1;
  }
  return tag;
}

std::vector<SvgTag> tags_of(std::string_view svg) {
  std::vector<SvgTag> tags;
  for (std::size_t open = svg.find('<'); open != svg.npos;) {
    const std::size_t close = svg.find('>', open);
    const std::size_t next = std::min(svg.find('<', close), svg.size());
    tags.push_back(tag_from(svg.substr(open + 1, close - open - 1), svg.substr(close + 1, next - close - 1)));
    open = next == svg.size() ? svg.npos : next;
  }
  return tags;
}

bool is_paint(std::string_view name) {
  return name == "fill" || name == "stroke" || name == "fill-opacity" || name == "stroke-opacity";
}

// Only paints tell them apart.
bool same_shape(const SvgTag& a, const SvgTag& b) {
  if (a.name != b.name || a.empty != b.empty || (a.text != b.text && a.name != "style") ||
      a.attributes.size() != b.attributes.size())
    return false;
  for (std::size_t i = 0; i < a.attributes.size(); ++i) {
    const auto& [name, value] = a.attributes[i];
    if (name != b.attributes[i].first || (value != b.attributes[i].second && !is_paint(name))) return false;
  }
  return true;
}

bool same_shape(const std::vector<SvgTag>& a, const std::vector<SvgTag>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SvgTag& x, const SvgTag& y) { return same_shape(x, y); });
}

// Declarations that many elements share, each a class.
class Classes {
 public:
  std::string of(const std::string& declarations) {
    const auto [at, added] = names_.try_emplace(declarations, prefix_ + std::to_string(names_.size()));
    if (added) order_.push_back(&*at);
    return at->second;
  }
  std::string rules() const {
    std::string css;
    for (const auto* one : order_) css += "." + one->second + "{" + one->first + "}\n";
    return css;
  }
  explicit Classes(std::string prefix) : prefix_(std::move(prefix)) {}

 private:
  const std::string prefix_;
  std::map<std::string, std::string> names_;
  std::vector<const std::pair<const std::string, std::string>*> order_;
};

constexpr std::string_view kDarkOnly = "@media (prefers-color-scheme:dark)";

class ThemeWriter {
 public:
  // `dark` is nullptr where the drawing at hand is one theme's alone.
  void write(const SvgTag& tag, const SvgTag* dark, std::string& out) {
    std::string classes, paints;
    out += "<" + std::string(tag.name);
    for (std::size_t i = 0; i < tag.attributes.size(); ++i) {
      const auto& [name, value] = tag.attributes[i];
      if (name == "xml:space") continue;  // stands at the root
      if (name == "font-family") {
        classes += (classes.empty() ? "" : " ") + families_.of("font-family:" + plain(value));
        continue;
      }
      out += " " + std::string(name) + "=\"" + std::string(value) + "\"";
      if (dark && dark->attributes[i].second != value)
        paints +=
            (paints.empty() ? "" : ";") + std::string(name) + ":" + std::string(dark->attributes[i].second);
    }
    if (!paints.empty()) classes += (classes.empty() ? "" : " ") + paints_.of(paints);
    if (!classes.empty()) out += " class=\"" + classes + "\"";
    out += (tag.empty ? "/>" : ">") + std::string(tag.text);
  }
  std::string rules(bool two_bodies) const {
    std::string css = families_.rules();
    if (two_bodies) css += ".d{display:none}\n";
    std::string dark = paints_.rules();
    if (two_bodies) dark += ".l{display:none}.d{display:inline}\n";
    return dark.empty() ? css : css + std::string(kDarkOnly) + "{\n" + dark + "}\n";
  }

 private:
  // Names of fonts with commas between them; in a style sheet those with a space want quotes.
  static std::string plain(std::string_view families) {
    std::string css;
    for (std::size_t begin = 0; begin < families.size();) {
      const std::size_t comma = std::min(families.find(", ", begin), families.size());
      const std::string one(families.substr(begin, comma - begin));
      const bool generic = one == "sans-serif" || one == "monospace";
      css += (css.empty() ? "" : ",") + (generic ? one : "\"" + one + "\"");
      begin = comma + 2;
    }
    return css;
  }

  Classes families_{"f"}, paints_{"p"};
};

// "clip0" of the second drawing would be the first one's.
std::string with_own_ids(std::string body) {
  for (const std::string id : {"id=\"clip", "url(#clip"})
    for (std::size_t at = body.find(id); at != body.npos; at = body.find(id, at + id.size() + 1))
      body.insert(at + id.size() - 4, "d");
  return body;
}

bool is_style(const SvgTag& tag) { return tag.name == "style" || tag.name == "/style"; }

// Everything between the root's tags but the style.
std::string body_of(const std::vector<SvgTag>& tags, const std::vector<SvgTag>* dark, ThemeWriter& writer) {
  std::string body;
  for (std::size_t i = 1; i + 1 < tags.size(); ++i)
    if (!is_style(tags[i])) writer.write(tags[i], dark ? &(*dark)[i] : nullptr, body);
  return body;
}

std::string_view style_of(const std::vector<SvgTag>& tags) {
  for (const SvgTag& tag : tags)
    if (tag.name == "style") return tag.text;
  return "";
}

}  // namespace

std::string two_themes(std::string_view light, std::string_view dark) {
  const auto light_tags = tags_of(light), dark_tags = tags_of(dark);
  const bool parallel = same_shape(light_tags, dark_tags);
  ThemeWriter writer;
  std::string body = body_of(light_tags, parallel ? &dark_tags : nullptr, writer);
  if (!parallel)
    body = "<g class=\"l\">" + body + "</g>\n<g class=\"d\">" +
           with_own_ids(body_of(dark_tags, nullptr, writer)) + "</g>\n";
  std::string out = "<svg xml:space=\"preserve\"";
  for (const auto& [name, value] : light_tags.front().attributes)
    out += " " + std::string(name) + "=\"" + std::string(value) + "\"";
  return out + ">\n<style>" + std::string(style_of(light_tags)) + writer.rules(!parallel) + "</style>\n" +
         body + "</svg>\n";
}

}  // namespace lockstep
