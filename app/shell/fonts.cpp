#include "fonts.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/draw/language.hpp"
#include "app/draw/text_metrics.hpp"

namespace lockstep {
namespace {

// Logical sizes per face, as LOOK has them.
const std::vector<float>& sizes_of(Font font) {
  static const std::vector<float> words{10.5f, 11.f, 11.5f, 12.5f, 13.5f, 15.f}, semibold{10.5f, 12.5f, 13.5f, 15.f, 18.f},
      mono{9.5f, 10.5f, 11.5f, 12.5f}, mono_semibold{9.5f, 11.5f, 12.5f};
  const std::vector<float>* const all[] = {&words, &semibold, &mono, &mono_semibold};
  return *all[int(font)];
}

struct Built {
  Font font;
  float em_px;
  ImFont* face;
};
std::vector<Built> built;

// Latin, the marks that the program draws, and the characters of the sentences in use.
ImVector<ImWchar> glyph_ranges(const std::string& extra, bool chinese) {
  ImFontGlyphRangesBuilder builder;
  builder.AddRanges(ImGui::GetIO().Fonts->GetGlyphRangesDefault());
  builder.AddText("…–—·×→←↑↓≤≥≈µ°²³±−“”‘’");
  builder.AddText("中文");
  if (chinese) builder.AddText(catalogue_text().c_str());
  builder.AddText(extra.c_str());
  ImVector<ImWchar> ranges;
  builder.BuildRanges(&ranges);
  return ranges;
}

ImFontConfig plain_config() {
  ImFontConfig config;
  config.OversampleH = 2, config.OversampleV = 1;
  config.PixelSnapH = false;
  return config;
}

}  // namespace

void build_fonts(float scale, const std::string& extra) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  built.clear();
  static ImVector<ImWchar> latin, chinese;  // the atlas keeps pointers to them until it is built
  const bool wants_chinese = language_in_use() == Language::chinese;
  constexpr float kSwitchSize = 12.5f;  // the language switch reads 中文 in English too
  latin = glyph_ranges(extra, false), chinese = glyph_ranges(extra, wants_chinese);
  const FontFiles& files = font_files();
  for (Font font : {Font::words, Font::words_semibold, Font::mono, Font::mono_semibold})
    for (float size : sizes_of(font)) {
      const float em_px = size * scale;
      ImFontConfig config = plain_config();
      const auto& file = files.files[int(font)];
      ImFont* face = file.empty() ? atlas.AddFontDefault() : atlas.AddFontFromFileTTF(file.c_str(), em_px * line_height_of(font), &config, latin.Data);
      built.push_back({font, em_px, face});
      if (files.cjk.empty() || (!wants_chinese && !(font == Font::words && size == kSwitchSize))) continue;
      config.MergeMode = true;
      config.FontNo = files.cjk_index;
      config.OversampleH = 1;
      atlas.AddFontFromFileTTF(files.cjk.c_str(), em_px * cjk_line_height(), &config, chinese.Data);
    }
  atlas.TexDesiredWidth = 1024;
  atlas.Build();
}

ImFont* font_for(Font font, float size_px, float* em_px) {
  const Built* best = nullptr;
  for (const Built& candidate : built)
    if (candidate.font == font && (!best || std::abs(candidate.em_px - size_px) < std::abs(best->em_px - size_px))) best = &candidate;
  *em_px = best ? best->em_px : size_px;
  return best ? best->face : ImGui::GetFont();
}

}  // namespace lockstep
