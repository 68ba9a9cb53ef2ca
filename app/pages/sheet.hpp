// The site's one style sheet, with the program's colours in both themes.
#pragma once
#include <string>
#include <vector>

namespace lockstep {

struct WebFont {
  std::string family, file;  // "words", "fonts/words.otf"
  int weight = 400;
  bool cff = false;  // outlines of PostScript's kind: OpenType in the strict sense
};
std::string style_sheet(const std::vector<WebFont>& fonts);

}  // namespace lockstep
