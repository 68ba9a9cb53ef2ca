#include "sheet.hpp"

#include <cstdio>

#include "app/draw/theme.hpp"
#include "app/model/embedded.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_parts[];
extern const int embedded_parts_count;

namespace {

std::string css(Color color) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", color.r, color.g, color.b);
  return text;
}

// The theme's colours by their names there; words that are pressed or name trouble take the tints that read
// well.
std::string variables(const Theme& theme) {
  std::string out;
  const auto add = [&](const char* name, Color color) {
    out += std::string("--") + name + ":" + css(color) + ";";
  };
  add("ground", theme.ground), add("panel", theme.panel), add("line", theme.line), add("ink", theme.ink);
  add("dim", theme.dim), add("soft", theme.soft), add("highlight", theme.highlight),
      add("accent", theme.accent);
  add("on-accent", Theme::on(theme.accent)), add("link", theme.readable(color::hbm));
  add("trouble", theme.readable(color::trouble));
  return out;
}

std::string font_face(const WebFont& font) {
  return "@font-face{font-family:\"" + font.family + "\";font-weight:" + std::to_string(font.weight) +
         ";font-display:swap;src:url(" + font.file + ") format(\"" + (font.cff ? "opentype" : "truetype") +
         "\")}\n";
}

std::string fixed_part() {
  for (int i = 0; i < embedded_parts_count; ++i)
    if (embedded_parts[i].name == "site.css") return std::string(embedded_parts[i].text);
  return "";
}

}  // namespace

std::string style_sheet(const std::vector<WebFont>& fonts) {
  std::string sheet;
  for (const WebFont& font : fonts) sheet += font_face(font);
  constexpr const char* kChinese =
      "\"PingFang SC\",\"Noto Sans CJK SC\",\"Noto Sans SC\",\"Microsoft YaHei\",\"WenQuanYi Micro Hei\"";
  const std::string families =
      std::string("--words:\"Lockstep Words\",Inter,system-ui,") + kChinese +
      ",sans-serif;--mono:\"Lockstep Mono\",\"JetBrains Mono\",ui-monospace,monospace," + kChinese + ";";
  return sheet + ":root{" + variables(light_theme()) + families +
         "}\n@media (prefers-color-scheme:dark){:root{" + variables(dark_theme()) + "}}\n" + fixed_part();
}

}  // namespace lockstep
