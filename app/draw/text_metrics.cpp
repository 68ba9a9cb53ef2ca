#include "text_metrics.hpp"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <unordered_map>

#include "app/model/portable.hpp"
#include "app/platform/paths.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> font_folders() {
  std::vector<fs::path> folders;
  if (const char* given = std::getenv("LOCKSTEP_FONTS")) folders.emplace_back(given);
  folders.push_back(assets_folder() / "fonts");
  const char* const system[] = {"opentype/inter", "truetype/jetbrains-mono", "truetype/wqy",
                                "opentype/noto",  "truetype/dejavu",         "truetype/liberation"};
  for (const fs::path& base : system_font_folders())
    for (const char* folder : system) folders.push_back(base / folder);
  return folders;
}

fs::path find_file(std::initializer_list<const char*> names) {
  static const auto folders = font_folders();
  for (const char* name : names)
    for (const fs::path& folder : folders) {
      std::error_code ignored;
      if (fs::exists(folder / name, ignored)) return folder / name;
    }
  return {};
}

FontFiles find_fonts() {
  FontFiles found;
  found.files[int(Font::words)] =
      find_file({"Inter-Regular.otf", "Inter-Regular.ttf", "DejaVuSans.ttf", "LiberationSans-Regular.ttf"});
  found.files[int(Font::words_semibold)] = find_file(
      {"Inter-SemiBold.otf", "Inter-SemiBold.ttf", "DejaVuSans-Bold.ttf", "LiberationSans-Bold.ttf"});
  found.files[int(Font::mono)] =
      find_file({"JetBrainsMono-Regular.ttf", "DejaVuSansMono.ttf", "LiberationMono-Regular.ttf"});
  found.files[int(Font::mono_semibold)] = find_file({"JetBrainsMono-SemiBold.ttf", "JetBrainsMono-Bold.ttf",
                                                     "DejaVuSansMono-Bold.ttf", "LiberationMono-Bold.ttf"});
  found.cjk = find_file({"wqy-microhei.ttc", "NotoSansCJK-Regular.ttc", "NotoSansSC-Regular.otf"});
  if (found.cjk.filename() == "NotoSansCJK-Regular.ttc") found.cjk_index = 2;  // Simplified Chinese
  const auto miss = [&](const fs::path& file, const char* name, const char* package) {
    if (file.empty())
      found.missing.push_back(
          {"the font {0} was not found: install {1}, or name its folder in LOCKSTEP_FONTS", {name, package}});
  };
  miss(found.files[0], "Inter", "fonts-inter");
  miss(found.files[2], "JetBrains Mono", "fonts-jetbrains-mono");
  miss(found.cjk, "WenQuanYi Micro Hei", "fonts-wqy-microhei");
  return found;
}

// A glyph's curves as the d of an SVG path.
class OutlinePath {
 public:
  explicit OutlinePath(double scale) : scale_(scale) {}
  std::string of(FT_Outline& outline) {
    const FT_Outline_Funcs functions{
        [](const FT_Vector* to, void* path) { return self(path).move(*to); },
        [](const FT_Vector* to, void* path) { return self(path).add('L', {to}); },
        [](const FT_Vector* by, const FT_Vector* to, void* path) {
          return self(path).add('Q', {by, to});
        },
        [](const FT_Vector* a, const FT_Vector* b, const FT_Vector* to, void* path) {
          return self(path).add('C', {a, b, to});
        },
        0,
        0};
    FT_Outline_Decompose(&outline, &functions, this);
    return d_.empty() ? "" : d_ + "z";
  }

 private:
  static OutlinePath& self(void* path) { return *static_cast<OutlinePath*>(path); }
  int move(const FT_Vector& to) {
    if (!d_.empty()) d_ += "z";
    return add('M', {&to});
  }
  int add(char command, std::initializer_list<const FT_Vector*> points) {
    d_ += command;
    for (const FT_Vector* p : points)
      d_ += number(double(p->x)) + " " + number(-double(p->y)) + (p == *(points.end() - 1) ? "" : " ");
    return 0;
  }
  std::string number(double units) const {  // to a tenth of a thousandth of an em
    const double rounded = std::round(units * scale_ * 10) / 10;
    return fixed_text(rounded == 0 ? 0.0 : rounded);
  }
  double scale_;
  std::string d_;
};

// Advances of one face in ems; a second face for what the first does not have.
class Face {
 public:
  void open(FT_Library library, const fs::path& file, int index) {
    if (file.empty() || FT_New_Face(library, file.c_str(), index, &face_)) face_ = nullptr;
  }
  std::uint32_t index(char32_t c) const { return face_ ? FT_Get_Char_Index(face_, c) : 0; }
  bool has(char32_t c) const { return index(c) != 0; }
  float advance(char32_t c) const {
    if (!face_ || FT_Load_Char(face_, c, FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING)) return 0;
    return float(face_->glyph->advance.x) / float(face_->units_per_EM);
  }
  bool usable() const { return face_; }
  std::string outline(std::uint32_t glyph) const {
    if (!face_ || FT_Load_Glyph(face_, glyph, FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING)) return "";
    return OutlinePath(1000.0 / face_->units_per_EM).of(face_->glyph->outline);
  }
  float line_height() const {
    return face_ ? float(face_->ascender - face_->descender) / float(face_->units_per_EM) : 1.2f;
  }

 private:
  FT_Face face_ = nullptr;
};

class Metrics {
 public:
  Metrics() {
    if (FT_Init_FreeType(&library_)) return;
    for (int i = 0; i < 4; ++i) faces_[std::size_t(i)].open(library_, font_files().files[i], 0);
    cjk_.open(library_, font_files().cjk, font_files().cjk_index);
    for (std::size_t f = 0; f < 4; ++f)
      for (char32_t c = 0; c < 128; ++c) ascii_[f][c] = load(int(f), c);
  }
  float advance(Font font, char32_t c) {
    const auto f = std::size_t(font);
    if (c < 128) return ascii_[f][c];
    const auto [known, fresh] = others_[f].try_emplace(c, 0.f);
    if (fresh) known->second = load(int(f), c);
    return known->second;
  }
  Glyph glyph(Font font, char32_t c) {
    const float wide = advance(font, c);
    const int own = int(font);
    if (faces_[std::size_t(own)].has(c)) return {own, faces_[std::size_t(own)].index(c), wide};
    if (cjk_.has(c)) return {kCjkFace, cjk_.index(c), wide};
    return {faces_[std::size_t(own)].usable() ? own : -1, 0, wide};
  }
  std::string outline(int face, std::uint32_t glyph) const {
    if (face < 0) return "";
    return face == kCjkFace ? cjk_.outline(glyph) : faces_[std::size_t(face)].outline(glyph);
  }
  float line_height(Font font) const { return faces_[std::size_t(font)].line_height(); }
  float cjk_line_height() const { return cjk_.line_height(); }

 private:
  static constexpr float kWithoutFont = 7.f / 13;  // of ImGui's own font, which is drawn then
  float load(int font, char32_t c) const {
    const Face& face = faces_[std::size_t(font)];
    if (face.has(c)) return face.advance(c);
    if (cjk_.has(c)) return cjk_.advance(c);
    return face.usable() ? face.advance(c) : kWithoutFont;
  }
  FT_Library library_ = nullptr;
  std::array<Face, 4> faces_;
  Face cjk_;
  std::array<std::array<float, 128>, 4> ascii_{};
  std::array<std::unordered_map<char32_t, float>, 4> others_;
};

}  // namespace

const FontFiles& font_files() {
  static const FontFiles files = find_fonts();
  return files;
}

char32_t take_code_point(std::string_view& s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc0 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf8 ? 4
                                            : 0;
  if (length == 0 || length > s.size()) {
    s.remove_prefix(1);
    return 0xfffd;
  }
  char32_t c = length == 1 ? first : first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      s.remove_prefix(i);
      return 0xfffd;
    }
    c = c << 6 | (byte(i) & 0x3f);
  }
  s.remove_prefix(length);
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // by length; smaller ones are written too long
  const bool surrogate = c >= 0xd800 && c < 0xe000;
  return c < least[length] || surrogate || c > 0x10ffff ? 0xfffd : c;
}

std::string characters_beyond_ascii(std::string_view utf8) {
  std::set<std::string_view> characters;
  while (!utf8.empty()) {
    const std::string_view before = utf8;
    (void)take_code_point(utf8);
    if (static_cast<unsigned char>(before.front()) >= 0x80)
      characters.insert(before.substr(0, before.size() - utf8.size()));
  }
  std::string all;
  for (const std::string_view character : characters) all += character;
  return all;
}

static Metrics& metrics() {
  static Metrics all;
  return all;
}

float line_height_of(Font font) { return metrics().line_height(font); }
float cjk_line_height() { return metrics().cjk_line_height(); }

Glyph glyph_of(Font font, char32_t character) { return metrics().glyph(font, character); }
std::string glyph_outline(int face, std::uint32_t index) { return metrics().outline(face, index); }

float text_width(std::string_view utf8, Font font, float size) {
  Metrics& m = metrics();
  float width = 0;
  while (!utf8.empty()) width += m.advance(font, take_code_point(utf8));
  return width * size;
}

}  // namespace lockstep
