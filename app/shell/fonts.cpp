#include "fonts.hpp"

#include <imgui.h>

#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "app/draw/language.hpp"
#include "app/draw/text_metrics.hpp"

namespace lockstep {
namespace {

// Logical sizes per face: those that the program writes (tests/app_canvas.cpp compares), so that no glyph is
// stretched.
const std::vector<float>& sizes_of(Font font) {
  static const std::vector<float> words{10.5f, 11.f, 11.5f, 12.f, 12.5f, 13.5f, 15.f},
      semibold{10.5f, 12.5f, 13.5f, 15.f, 18.f, 26.f}, mono{9.5f, 10.f, 10.5f, 11.4f, 11.5f, 12.5f},
      mono_semibold{9.5f, 10.5f, 11.5f, 12.5f};
  const std::vector<float>* const all[] = {&words, &semibold, &mono, &mono_semibold};
  return *all[int(font)];
}
// One set of Chinese faces serves all four fonts: thousands of glyphs per size are what an atlas costs.
constexpr float kCjkSizes[] = {10.5f, 11.5f, 12.5f, 13.5f, 15.f};
constexpr float kLargeCjkSize = 26.f;         // of headlines
constexpr char32_t kFirstIdeograph = 0x2e80;  // with the wide punctuation among them

struct Built {
  float em_px;
  ImFont* face;
};
struct Faces {
  std::vector<Built> of[4], cjk;
  std::optional<Built> large_cjk;
};
// Of the atlas in use: each window has its own.
Faces& built() {
  static std::map<const ImFontAtlas*, Faces> all;
  return all[ImGui::GetIO().Fonts];
}

// A font file stays in memory: the atlas reads it again for each size and whenever the scale changes.
std::vector<char>& contents(const std::filesystem::path& path) {
  static std::map<std::filesystem::path, std::vector<char>> files;
  auto& bytes = files[path];
  if (bytes.empty()) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    bytes.resize(file ? std::size_t(file.tellg()) : 0);
    file.seekg(0).read(bytes.data(), std::streamsize(bytes.size()));
    if (!file) bytes.clear();
  }
  return bytes;
}

// The characters of `text` from `first` on, and the basic Latin ones where `latin` is set.
ImVector<ImWchar> ranges_of(const std::string& text, unsigned first, bool latin) {
  ImFontGlyphRangesBuilder builder;
  if (latin) builder.AddRanges(ImGui::GetIO().Fonts->GetGlyphRangesDefault());
  for (std::string_view rest = text; !rest.empty();)
    if (const char32_t c = take_code_point(rest); c >= first && c <= 0xffff) builder.AddChar(ImWchar(c));
  ImVector<ImWchar> ranges;
  builder.BuildRanges(&ranges);
  return ranges;
}

// A face whose em is em_px high; line_height is that of the font in ems. Without a file ImGui's own bitmap
// font.
Built add_face(const std::filesystem::path& path, int index, float em_px, float line_height, int oversample,
               const ImVector<ImWchar>& ranges) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  constexpr float kBitmapEm = 13;
  if (path.empty() || contents(path).empty()) return {kBitmapEm, atlas.AddFontDefault()};
  ImFontConfig config;
  config.FontNo = index;
  config.OversampleH = oversample, config.OversampleV = 1;
  config.PixelSnapH = false;  // advances stay those of text_metrics
  auto& bytes = contents(path);
  ImFont* face =
      atlas.AddFontFromMemoryTTF(bytes.data(), int(bytes.size()), em_px * line_height, &config, ranges.Data);
  // The bytes are ours. Said only now: the atlas copies what it is told not to own.
  atlas.ConfigData.back().FontDataOwnedByAtlas = false;
  return {em_px, face};
}

// ImGui's builder by FreeType makes whole pixels of a face's height: the size that its glyphs have is asked
// of one of them. Metrics differ by up to `slack` between builders that do not.
void take_drawn_size(Built& built, const std::string& sample, ImWchar code, float slack, Font font) {
  const ImFontGlyph* glyph = built.face->FindGlyphNoFallback(code);
  const float wanted = text_width(sample, font, built.em_px);
  if (!glyph || wanted <= 0) return;
  const float ratio = glyph->AdvanceX / wanted;
  if (std::abs(ratio - 1) > slack && std::abs(ratio - 1) < 0.2f) built.em_px *= ratio;
}

ImFont* nearest(const std::vector<Built>& faces, float size_px, float* em_px) {
  const Built* best = nullptr;
  for (const Built& candidate : faces)
    if (!best || std::abs(candidate.em_px - size_px) < std::abs(best->em_px - size_px)) best = &candidate;
  *em_px = best ? best->em_px : size_px;
  return best ? best->face : nullptr;
}

bool has_ideographs_of(const ImFont* face, std::string_view utf8) {
  while (!utf8.empty())
    if (const char32_t c = take_code_point(utf8);
        c >= kFirstIdeograph && (c > 0xffff || !face->FindGlyphNoFallback(ImWchar(c))))
      return false;
  return true;
}

}  // namespace

void build_fonts(float scale, const std::string& extra, const std::string& large,
                 const std::vector<float>& sizes) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  Faces& faces = built();
  atlas.Clear();
  // Marks that the program draws, and the language switch, which reads 中文 in English too.
  const std::string text = "…–—·×→←↑↓≤≥≈µ°²³±−∞ΔΣ✓“”‘’中文" + catalogue_text() + extra;
  static ImVector<ImWchar> words, cjk, large_cjk;  // the atlas keeps pointers to them until it is built
  constexpr unsigned kFirstCjk = 0x2000;           // with the punctuation that comes before the ideographs
  words = ranges_of(text, 0, true), cjk = ranges_of(text, kFirstCjk, false);
  large_cjk = ranges_of(large, kFirstIdeograph, false);
  const FontFiles& files = font_files();
  const int oversample = scale < 2 ? 2 : 1;  // glyphs stand at fractions of a pixel
  for (Font font : {Font::words, Font::words_semibold, Font::mono, Font::mono_semibold}) {
    faces.of[int(font)].clear();
    for (float size : sizes.empty() ? sizes_of(font) : sizes)
      faces.of[int(font)].push_back(
          add_face(files.files[int(font)], 0, size * scale, line_height_of(font), oversample, words));
  }
  faces.cjk.clear();
  // Chinese stands in all sizes of a short list but the last, which is a headline's.
  const std::vector<float> cjk_sizes = sizes.empty() ? std::vector(std::begin(kCjkSizes), std::end(kCjkSizes))
                                                     : std::vector(sizes.begin(), sizes.end() - 1);
  for (float size : cjk_sizes)
    if (!files.cjk.empty())
      faces.cjk.push_back(add_face(files.cjk, files.cjk_index, size * scale, cjk_line_height(), 1, cjk));
  faces.large_cjk.reset();
  if (large_cjk.Size > 1 && !files.cjk.empty())  // more than the end of the list
    faces.large_cjk =
        add_face(files.cjk, files.cjk_index, (sizes.empty() ? kLargeCjkSize : sizes.back()) * scale,
                 cjk_line_height(), 1, large_cjk);
  constexpr float kUsualLeast = 10.5f;  // of the window's sizes
  const float growth = sizes.empty() ? scale : scale * sizes.front() / kUsualLeast;
  atlas.TexDesiredWidth = growth < 1.5f ? 1024
                          : growth < 3  ? 2048
                                        : 4096;  // about square: no side may pass 16384
  atlas.Build();
  constexpr ImWchar kChinese = 0x4e2d;  // 中
  for (Font font : {Font::words, Font::words_semibold, Font::mono, Font::mono_semibold})
    for (Built& face : faces.of[int(font)]) take_drawn_size(face, "M", 'M', 0.003f, font);
  for (Built& face : faces.cjk) take_drawn_size(face, "中", kChinese, 0.025f, Font::words);
  if (faces.large_cjk) take_drawn_size(*faces.large_cjk, "中", kChinese, 0.025f, Font::words);
}

ImFont* font_for(Font font, float size_px, float* em_px) {
  ImFont* face = nearest(built().of[int(font)], size_px, em_px);
  return face ? face : ImGui::GetFont();
}

ImFont* cjk_font_for(float size_px, std::string_view utf8, float* em_px) {
  ImFont* small = nearest(built().cjk, size_px, em_px);
  const auto& large = built().large_cjk;
  if (!large || std::abs(large->em_px - size_px) >= std::abs(*em_px - size_px) ||
      !has_ideographs_of(large->face, utf8))
    return small;
  *em_px = large->em_px;
  return large->face;
}

}  // namespace lockstep
