// The card: A times B gives C, with what this step's block has read, reads and owns.
#include <algorithm>
#include <array>

#include "picture.hpp"

namespace lockstep {
namespace {

void draw_operand(Canvas& canvas, const Theme& theme, Rect r, const char* key, const ProductPicture& p,
                  const ProductMatrix& m) {
  if (m.rows.count < 1 || m.cols.count < 1) return;
  std::array<Color, 256> colors;
  colors.fill(theme.panel);
  for (int i = 0; i < 8; ++i) colors[std::size_t(i)] = product_color(theme, p.in_use, ProductCell(i));
  colors[std::size_t(ProductCell::idle)] = theme.soft;
  std::vector<std::uint8_t> values(m.cells.size());
  std::transform(m.cells.begin(), m.cells.end(), values.begin(),
                 [](ProductCell cell) { return std::uint8_t(cell); });
  canvas.grid(key, r, int(m.cols.count), int(m.rows.count), values, colors, 0);
  canvas.stroke_rect(r, theme.line);
}

}  // namespace

void GemmScene::card(Canvas& canvas, const StageInput& in) const {
  const auto shown = gemm_picture(*this, in);
  if (!shown) return;
  const Rect r = in.area;
  const float gap = 30, w = (r.w - 2 * gap) / 3, h = std::min(r.h, 1.3f * w), y = r.y + (r.h - h) / 2;
  constexpr float kRoom = 72;  // for which the picture is the part around the block
  const ProductPicture p = product_picture(*shown, {kRoom, kRoom});
  const char* const keys[] = {"a", "b", "c"};
  for (int i = 0; i < 3; ++i)
    draw_operand(canvas, in.theme, {r.x + float(i) * (w + gap), y, w, h}, keys[i], p,
                 p.matrix[std::size_t(i)]);
  const TextStyle sign{Font::words_semibold, 18, in.theme.dim, Align::center};
  canvas.text({r.x + w + gap / 2, r.center().y}, "×", sign);
  canvas.text({r.x + 2 * w + gap * 1.5f, r.center().y}, "=", sign);
}

}  // namespace lockstep
