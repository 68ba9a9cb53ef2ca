#include "font_subset.hpp"

#include <hb-subset.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "app/draw/text_metrics.hpp"

namespace lockstep {
namespace {

template <auto destroy>
struct Destroy {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};
using Blob = std::unique_ptr<hb_blob_t, Destroy<hb_blob_destroy>>;
using Face = std::unique_ptr<hb_face_t, Destroy<hb_face_destroy>>;
using SubsetInput = std::unique_ptr<hb_subset_input_t, Destroy<hb_subset_input_destroy>>;

// The characters' glyphs alone, without kerning and ligatures: the text stands where it was measured to
// stand. Empty where the file cannot be read.
std::vector<std::uint8_t> subset_of(const std::filesystem::path& file, int index,
                                    const std::set<char32_t>& characters) {
  const Blob whole(hb_blob_create_from_file(file.c_str()));
  const Face face(hb_face_create(whole.get(), unsigned(index)));
  const SubsetInput input(hb_subset_input_create_or_fail());
  if (!input) return {};
  for (const char32_t c : characters) hb_set_add(hb_subset_input_unicode_set(input.get()), c);
  hb_set_clear(hb_subset_input_set(input.get(), HB_SUBSET_SETS_LAYOUT_FEATURE_TAG));
  hb_set_add(hb_subset_input_set(input.get(), HB_SUBSET_SETS_DROP_TABLE_TAG), HB_TAG('k', 'e', 'r', 'n'));
  const Face subset(hb_subset_or_fail(face.get(), input.get()));
  if (!subset) return {};
  const Blob bytes(hb_face_reference_blob(subset.get()));
  unsigned length = 0;
  const char* data = hb_blob_get_data(bytes.get(), &length);
  return {data, data + length};
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) { return at < bytes.size() ? std::uint32_t(bytes[at]) : 0u; };
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace

bool has_cff_outlines(const std::vector<std::uint8_t>& font) { return !font.empty() && font[0] == 'O'; }

std::vector<std::uint8_t> font_with(Font face, const std::set<char32_t>& characters) {
  const auto& file = font_files().files[int(face)];
  return file.empty() ? std::vector<std::uint8_t>{} : subset_of(file, 0, characters);
}

std::string own_fonts_css(const SvgCanvas::Characters& characters) {
  std::string css;
  for (const auto& [face, used] : characters) {
    if (face < 0) continue;
    const bool cjk = face == kCjkFace;
    const auto& file = cjk ? font_files().cjk : font_files().files[face];
    const auto bytes = subset_of(file, cjk ? font_files().cjk_index : 0, used);
    if (bytes.empty()) continue;
    const bool semibold = !cjk && is_semibold(Font(face));
    const bool outlines_are_cff = has_cff_outlines(bytes);
    css += std::string("@font-face { font-family: \"") + SvgCanvas::own_family(face) + "\"; font-weight: " +
           (semibold ? "600" : "400") +  // a browser makes Chinese semibold of its one weight
           "; src: url(data:font/" + (outlines_are_cff ? "otf" : "ttf") + ";base64," + base64(bytes) +
           ") format(\"" + (outlines_are_cff ? "opentype" : "truetype") + "\"); }\n";
  }
  return css;
}

}  // namespace lockstep
