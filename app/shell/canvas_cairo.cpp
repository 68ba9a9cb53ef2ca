#include "canvas_cairo.hpp"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/draw/text_metrics.hpp"

namespace lockstep {
namespace {

// The files of text_metrics as cairo's fonts. Made once: cairo keeps what it has read of them.
class Fonts {
 public:
  Fonts() {
    if (FT_Init_FreeType(&library_)) return;
    for (int i = 0; i <= kCjkFace; ++i) {
      const bool cjk = i == kCjkFace;
      const auto& file = cjk ? font_files().cjk : font_files().files[i];
      FT_Face face = nullptr;
      if (file.empty() || FT_New_Face(library_, file.c_str(), cjk ? font_files().cjk_index : 0, &face))
        continue;
      faces_[std::size_t(i)] = cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING);
    }
  }
  cairo_font_face_t* face(int number) const { return number < 0 ? nullptr : faces_[std::size_t(number)]; }

 private:
  FT_Library library_ = nullptr;
  std::array<cairo_font_face_t*, kCjkFace + 1> faces_{};
};

const Fonts& fonts() {
  static const Fonts all;
  return all;
}

cairo_status_t append(void* out, const unsigned char* data, unsigned length) {
  auto* bytes = static_cast<std::vector<std::uint8_t>*>(out);
  bytes->insert(bytes->end(), data, data + length);
  return CAIRO_STATUS_SUCCESS;
}

Error not_drawn(cairo_status_t status) {
  return bad_input("the figure could not be drawn: {0}", {cairo_status_to_string(status)});
}

}  // namespace

struct CairoCanvas::Page {
  std::vector<std::uint8_t> bytes;  // of the PDF
  cairo_surface_t* surface = nullptr;
  cairo_t* cairo = nullptr;
  bool outlines = false, pixels = false;
  ~Page() {
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
  }

  void set_color(Color c) const {
    cairo_set_source_rgba(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
  }
  void path(Rect r, float radius) const {
    const double round = std::min({double(radius), double(r.w) / 2, double(r.h) / 2});
    if (round <= 0) return cairo_rectangle(cairo, r.x, r.y, std::max(0.f, r.w), std::max(0.f, r.h));
    constexpr double quarter = std::numbers::pi / 2;
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, r.right() - round, r.y + round, round, -quarter, 0);
    cairo_arc(cairo, r.right() - round, r.bottom() - round, round, 0, quarter);
    cairo_arc(cairo, r.x + round, r.bottom() - round, round, quarter, 2 * quarter);
    cairo_arc(cairo, r.x + round, r.y + round, round, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo);
  }
  void path(std::span<const Vec2> points) const {
    for (const Vec2 p : points) cairo_line_to(cairo, p.x, p.y);
  }
};

CairoCanvas::CairoCanvas(std::unique_ptr<Page> page) : page_(std::move(page)) {}
CairoCanvas::~CairoCanvas() = default;
CairoCanvas::CairoCanvas(CairoCanvas&&) noexcept = default;

CairoCanvas CairoCanvas::pdf(float width, float height, double scale, Color ground, bool outlines,
                             const std::string& title) {
  auto page = std::make_unique<Page>();
  page->surface = cairo_pdf_surface_create_for_stream(append, &page->bytes, width * scale, height * scale);
  cairo_pdf_surface_restrict_to_version(page->surface, CAIRO_PDF_VERSION_1_4);
  cairo_pdf_surface_set_metadata(page->surface, CAIRO_PDF_METADATA_TITLE, title.c_str());
  cairo_pdf_surface_set_metadata(page->surface, CAIRO_PDF_METADATA_CREATOR, "Lockstep");
  // Without a date: the same command gives the same bytes.
  cairo_pdf_surface_set_metadata(page->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
  page->cairo = cairo_create(page->surface);
  page->outlines = outlines;
  cairo_scale(page->cairo, scale, scale);
  CairoCanvas canvas(std::move(page));
  canvas.fill_rect({0, 0, width, height}, ground, 0);
  return canvas;
}

CairoCanvas CairoCanvas::png(float width, float height, double scale, Color ground) {
  auto page = std::make_unique<Page>();
  page->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, int(std::lround(width * scale)),
                                             int(std::lround(height * scale)));
  page->cairo = cairo_create(page->surface);
  page->pixels = true;
  cairo_scale(page->cairo, scale, scale);
  CairoCanvas canvas(std::move(page));
  canvas.fill_rect({-1, -1, width + 2, height + 2}, ground, 0);  // to the last, perhaps half, pixel
  return canvas;
}

void CairoCanvas::next_page(float width, float height, Color ground) {
  cairo_show_page(page_->cairo);
  fill_rect({0, 0, width, height}, ground, 0);
}

Result<std::vector<std::uint8_t>> CairoCanvas::finish_pdf() {
  cairo_show_page(page_->cairo);
  const cairo_status_t drawn = cairo_status(page_->cairo);
  cairo_surface_finish(page_->surface);
  if (drawn != CAIRO_STATUS_SUCCESS) return not_drawn(drawn);
  return std::move(page_->bytes);
}

Result<Image> CairoCanvas::finish_image() {
  cairo_surface_flush(page_->surface);
  if (const cairo_status_t drawn = cairo_status(page_->cairo); drawn != CAIRO_STATUS_SUCCESS)
    return not_drawn(drawn);
  const int width = cairo_image_surface_get_width(page_->surface),
            height = cairo_image_surface_get_height(page_->surface),
            stride = cairo_image_surface_get_stride(page_->surface);
  Image image{width, height, {}, "cairo"};
  image.rgba.reserve(std::size_t(width) * std::size_t(height) * 4);
  const unsigned char* rows = cairo_image_surface_get_data(page_->surface);
  for (int y = 0; y < height; ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(rows + std::ptrdiff_t(y) * stride);
    for (int x = 0; x < width; ++x)
      for (const int shift : {16, 8, 0, -1})
        image.rgba.push_back(shift < 0 ? 255 : std::uint8_t(row[x] >> shift));
  }
  return image;
}

void CairoCanvas::stroke(Color color, float width, float dash) {
  page_->set_color(color);
  cairo_set_line_width(page_->cairo, width);
  cairo_set_line_join(page_->cairo, CAIRO_LINE_JOIN_ROUND);
  const double on_off = dash;
  cairo_set_dash(page_->cairo, &on_off, dash > 0 ? 1 : 0, 0);
  cairo_stroke(page_->cairo);
}

void CairoCanvas::fill_rect(Rect r, Color color, float radius) {
  page_->set_color(color);
  page_->path(r, radius);
  cairo_fill(page_->cairo);
}

void CairoCanvas::stroke_rect(Rect r, Color color, float width, float radius) {
  page_->path(r, radius);
  stroke(color, width, 0);
}

void CairoCanvas::line(Vec2 a, Vec2 b, Color color, float width, float dash) {
  cairo_move_to(page_->cairo, a.x, a.y);
  cairo_line_to(page_->cairo, b.x, b.y);
  stroke(color, width, dash);
}

void CairoCanvas::polyline(std::span<const Vec2> points, Color color, float width) {
  page_->path(points);
  stroke(color, width, 0);
}

void CairoCanvas::fill_polygon(std::span<const Vec2> points, Color color) {
  page_->set_color(color);
  page_->path(points);
  cairo_fill(page_->cairo);
}

void CairoCanvas::curve(Vec2 a, Vec2 c, Vec2 d, Vec2 b, Color color, float width) {
  cairo_move_to(page_->cairo, a.x, a.y);
  cairo_curve_to(page_->cairo, c.x, c.y, d.x, d.y, b.x, b.y);
  stroke(color, width, 0);
}

void CairoCanvas::fill_circle(Vec2 c, float radius, Color color) {
  page_->set_color(color);
  cairo_new_sub_path(page_->cairo);
  cairo_arc(page_->cairo, c.x, c.y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(page_->cairo);
}

void CairoCanvas::stroke_circle(Vec2 c, float radius, Color color, float width, float dash) {
  cairo_new_sub_path(page_->cairo);
  cairo_arc(page_->cairo, c.x, c.y, radius, 0, 2 * std::numbers::pi);
  stroke(color, width, dash);
}

// Each character where it was measured to stand; neighbours of one face together, so that a reader of the PDF
// can mark and copy them.
void CairoCanvas::text(Vec2 at, std::string_view utf8, const TextStyle& style) {
  float x = at.x;
  if (style.align != Align::left) x -= measure(utf8, style) / (style.align == Align::center ? 2 : 1);
  const double baseline = at.y + style.size * kHalfCapital;
  page_->set_color(style.color);
  while (!utf8.empty()) {
    int face = -2;
    std::vector<cairo_glyph_t> glyphs;
    std::vector<cairo_text_cluster_t> clusters;
    const std::string_view run = utf8;
    while (!utf8.empty()) {
      std::string_view rest = utf8;
      const Glyph glyph = glyph_of(style.font, take_code_point(rest));
      if (face != -2 && glyph.face != face) break;
      face = glyph.face;
      glyphs.push_back({glyph.index, x, baseline});
      clusters.push_back({int(utf8.size() - rest.size()), 1});
      x += glyph.advance * style.size;
      utf8 = rest;
    }
    if (!fonts().face(face)) continue;
    cairo_set_font_face(page_->cairo, fonts().face(face));
    cairo_set_font_size(page_->cairo, style.size);
    if (page_->outlines || page_->pixels) {
      cairo_glyph_path(page_->cairo, glyphs.data(), int(glyphs.size()));
      cairo_fill(page_->cairo);
    } else {
      cairo_show_text_glyphs(page_->cairo, run.data(), int(run.size() - utf8.size()), glyphs.data(),
                             int(glyphs.size()), clusters.data(), int(clusters.size()),
                             cairo_text_cluster_flags_t{});
    }
    if (face == kCjkFace && is_semibold(style.font)) {
      cairo_glyph_path(page_->cairo, glyphs.data(), int(glyphs.size()));
      stroke(style.color, style.size * kCjkSemiboldStroke, 0);
    }
  }
}

// One path per colour; neighbours in a row without a gap are one rectangle.
void CairoCanvas::cells(Rect r, int columns, int rows, std::span<const std::uint8_t> values, Colormap colors,
                        float gap) {
  const double w = double(r.w) / columns, h = double(r.h) / rows;
  std::array<bool, 256> used{};
  for (const std::uint8_t value : values.first(std::size_t(columns) * std::size_t(rows))) used[value] = true;
  const auto at = [&](int row, int col) {
    return values[std::size_t(row) * std::size_t(columns) + std::size_t(col)];
  };
  for (std::size_t value = 0; value < 256; ++value) {
    if (!used[value] || colors[value].a == 0) continue;
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < columns; ++col) {
        if (at(row, col) != value) continue;
        int end = col + 1;
        while (gap == 0 && end < columns && at(row, end) == value) ++end;
        cairo_rectangle(page_->cairo, r.x + col * w, r.y + row * h, (end - col) * w - gap, h - gap);
        col = end - 1;
      }
    page_->set_color(colors[value]);
    cairo_fill(page_->cairo);
  }
}

// A pixel per cell, never smoothed.
void CairoCanvas::image(Rect r, int columns, int rows, std::span<const std::uint8_t> values,
                        Colormap colors) {
  cairo_surface_t* picture = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows);
  if (cairo_surface_status(picture) == CAIRO_STATUS_SUCCESS) {
    const int stride = cairo_image_surface_get_stride(picture);
    unsigned char* data = cairo_image_surface_get_data(picture);
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < columns; ++col) {
        const Color c = colors[values[std::size_t(row) * std::size_t(columns) + std::size_t(col)]];
        const auto times_alpha = [&](std::uint8_t x) { return std::uint32_t(x) * c.a / 255; };
        reinterpret_cast<std::uint32_t*>(data + std::ptrdiff_t(row) * stride)[col] =
            std::uint32_t(c.a) << 24 | times_alpha(c.r) << 16 | times_alpha(c.g) << 8 | times_alpha(c.b);
      }
    cairo_surface_mark_dirty(picture);
    cairo_save(page_->cairo);
    cairo_translate(page_->cairo, r.x, r.y);
    cairo_scale(page_->cairo, double(r.w) / columns, double(r.h) / rows);
    cairo_set_source_surface(page_->cairo, picture, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(page_->cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(page_->cairo);
    cairo_restore(page_->cairo);
  }
  cairo_surface_destroy(picture);
}

void CairoCanvas::grid(std::string_view, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
                       Colormap colors, float gap) {
  if (columns <= 0 || rows <= 0 || values.size() < std::size_t(columns) * std::size_t(rows)) return;
  constexpr float kSmallCell = 4;
  if (r.w >= kSmallCell * float(columns) && r.h >= kSmallCell * float(rows))
    cells(r, columns, rows, values, colors, gap);
  else
    image(r, columns, rows, values, colors);
}

void CairoCanvas::push_clip(Rect r) {
  cairo_save(page_->cairo);
  cairo_rectangle(page_->cairo, r.x, r.y, std::max(0.f, r.w), std::max(0.f, r.h));
  cairo_clip(page_->cairo);
}

void CairoCanvas::pop_clip() { cairo_restore(page_->cairo); }

}  // namespace lockstep
