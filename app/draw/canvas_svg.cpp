#include "canvas_svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/model/portable.hpp"
#include "text_metrics.hpp"

namespace lockstep {
namespace {

// At most two decimals, no trailing zeros, the same on every machine.
void put_number(std::string& out, float x) {
  const double rounded = std::round(double(x) * 100) / 100;
  out += fixed_text(rounded == 0 ? 0.0 : rounded);
}

void put_attribute(std::string& out, const char* name, float value) {
  (out += ' ').append(name) += "=\"";
  put_number(out, value);
  out += '"';
}

void put_paint(std::string& out, const char* name, Color c) {
  constexpr char kDigits[] = "0123456789abcdef";
  (out += ' ').append(name) += "=\"#";
  for (const std::uint8_t part : {c.r, c.g, c.b}) (out += kDigits[part >> 4]) += kDigits[part & 15];
  out += '"';
  if (c.a == 255) return;
  (out += ' ').append(name) += "-opacity=\"";
  put_number(out, float(c.a) / 255);
  out += '"';
}

void put_point(std::string& out, Vec2 p, char between) {
  put_number(out, p.x);
  out += between;
  put_number(out, p.y);
}

// XML forbids control characters, and a reader refuses the whole file over one damaged byte.
bool allowed_in_xml(char32_t c, std::string_view bytes) {
  if (c == 0xfffd) return bytes == "\xEF\xBF\xBD";  // written so, not the mark of a damaged sequence
  return c >= 0x20 && c != 0x7f && c != 0xfffe && c != 0xffff;
}

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::string_view rest = text;
    const char32_t c = take_code_point(rest);
    const std::string_view bytes = text.substr(0, text.size() - rest.size());
    text = rest;
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += allowed_in_xml(c, bytes) ? bytes : c < 0x20 ? " " : "\xEF\xBF\xBD";
    }
  }
  return out;
}

const char* family(Font font) {
  return font >= Font::mono ? "JetBrains Mono, DejaVu Sans Mono, WenQuanYi Micro Hei Mono, monospace"
                            : "Inter, Noto Sans CJK SC, WenQuanYi Micro Hei, DejaVu Sans, sans-serif";
}

}  // namespace

const char* SvgCanvas::own_family(int face) {
  if (face == kCjkFace) return "Lockstep CJK";
  return Font(face) >= Font::mono ? "Lockstep Mono" : "Lockstep Words";
}

namespace {

void put_geometry(std::string& out, Rect r, float radius) {
  put_attribute(out, "x", r.x), put_attribute(out, "y", r.y);
  put_attribute(out, "width", std::max(0.f, r.w)), put_attribute(out, "height", std::max(0.f, r.h));
  if (radius > 0) put_attribute(out, "rx", radius);
}

void put_stroke(std::string& out, Color color, float width, float dash = 0) {
  put_paint(out, "stroke", color);
  put_attribute(out, "stroke-width", width);
  if (dash > 0) put_attribute(out, "stroke-dasharray", dash);
}

}  // namespace

SvgCanvas::SvgCanvas(float width, float height, Color ground, TextAs text_as)
    : width_(width), height_(height), text_as_(text_as), clip_stack_{{0, 0, width, height}} {
  SvgCanvas::fill_rect({0, 0, width, height}, ground, 0);
}

void SvgCanvas::set_paper_size(std::string width, std::string height) {
  paper_width_ = std::move(width), paper_height_ = std::move(height);
}

std::string SvgCanvas::finish(const std::string& style) const {
  Document d;
  for (const Piece& piece : pieces_) piece(*this, d);
  std::string w, h, out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  put_number(w, width_), put_number(h, height_);
  if (text_as_ == TextAs::outlines) out += " xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
  out += " width=\"" + (paper_width_.empty() ? w : paper_width_) + "\" height=\"" +
         (paper_height_.empty() ? h : paper_height_) + "\" viewBox=\"0 0 " + w + " " + h + "\">\n";
  if (!style.empty()) out += "<style>\n" + style + "</style>\n";
  if (!d.definitions.empty()) out += "<defs>\n" + d.definitions + "</defs>\n";
  return out + d.body + "</svg>\n";
}

template <class F>
void SvgCanvas::write(F piece) {
  pieces_.emplace_back([piece = std::move(piece)](const SvgCanvas&, Document& d) { piece(d.body); });
}

void SvgCanvas::fill_rect(Rect r, Color color, float radius) {
  if (!color.a) return;
  write([=](std::string& out) {
    out += "<rect";
    put_geometry(out, r, radius);
    put_paint(out, "fill", color);
    out += "/>\n";
  });
}

void SvgCanvas::stroke_rect(Rect r, Color color, float width, float radius) {
  write([=](std::string& out) {
    out += "<rect";
    put_geometry(out, r, radius);
    out += " fill=\"none\"";
    put_stroke(out, color, width);
    out += "/>\n";
  });
}

void SvgCanvas::line(Vec2 a, Vec2 b, Color color, float width, float dash) {
  write([=](std::string& out) {
    out += "<line";
    put_attribute(out, "x1", a.x), put_attribute(out, "y1", a.y);
    put_attribute(out, "x2", b.x), put_attribute(out, "y2", b.y);
    put_stroke(out, color, width, dash);
    out += "/>\n";
  });
}

namespace {

void put_points(std::string& out, const char* element, const std::vector<Vec2>& points) {
  (out += '<').append(element) += " points=\"";
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i) out += ' ';
    put_point(out, points[i], ',');
  }
  out += '"';
}

}  // namespace

void SvgCanvas::polyline(std::span<const Vec2> list, Color color, float width) {
  write([=, points = std::vector(list.begin(), list.end())](std::string& out) {
    put_points(out, "polyline", points);
    out += " fill=\"none\" stroke-linejoin=\"round\"";
    put_stroke(out, color, width);
    out += "/>\n";
  });
}

void SvgCanvas::fill_polygon(std::span<const Vec2> list, Color color) {
  write([=, points = std::vector(list.begin(), list.end())](std::string& out) {
    put_points(out, "polygon", points);
    put_paint(out, "fill", color);
    out += "/>\n";
  });
}

void SvgCanvas::curve(Vec2 a, Vec2 c, Vec2 d, Vec2 b, Color color, float width) {
  write([=](std::string& out) {
    out += "<path d=\"M";
    put_point(out, a, ' ');
    out += " C";
    put_point(out, c, ' ');
    out += ' ';
    put_point(out, d, ' ');
    out += ' ';
    put_point(out, b, ' ');
    out += "\" fill=\"none\"";
    put_stroke(out, color, width);
    out += "/>\n";
  });
}

void SvgCanvas::fill_circle(Vec2 c, float radius, Color color) {
  write([=](std::string& out) {
    out += "<circle";
    put_attribute(out, "cx", c.x), put_attribute(out, "cy", c.y), put_attribute(out, "r", radius);
    put_paint(out, "fill", color);
    out += "/>\n";
  });
}

void SvgCanvas::stroke_circle(Vec2 c, float radius, Color color, float width, float dash) {
  write([=](std::string& out) {
    out += "<circle";
    put_attribute(out, "cx", c.x), put_attribute(out, "cy", c.y), put_attribute(out, "r", radius);
    out += " fill=\"none\"";
    put_stroke(out, color, width, dash);
    out += "/>\n";
  });
}

void SvgCanvas::text(Vec2 at, std::string_view utf8, const TextStyle& asked) {
  if (utf8.empty()) return;
  const TextStyle style = in_scale(asked);
  const float width = measure(utf8, style);
  const float left = style.align == Align::left     ? at.x
                     : style.align == Align::center ? at.x - width / 2
                                                    : at.x - width;
  texts_.push_back({std::string(utf8), {left, at.y - style.size / 2, width, style.size}, clip_stack_.back()});
  if (text_as_ == TextAs::text_in_own_fonts)
    for (std::string_view rest = utf8; !rest.empty();) {
      const char32_t c = take_code_point(rest);
      characters_[glyph_of(style.font, c).face].insert(c);
    }
  const float baseline = at.y + style.size * kHalfCapital;
  const bool outlines = text_as_ == TextAs::outlines;
  pieces_.emplace_back(
      [=, x = outlines ? left : at.x, i = texts_.size() - 1](const SvgCanvas& drawn, Document& d) {
        const std::string& words = drawn.texts_[i].text;
        outlines ? put_outlines(d, {x, baseline}, words, style)
                 : drawn.put_text(d.body, {x, baseline}, words, style);
      });
}

void SvgCanvas::put_text(std::string& out, Vec2 at, std::string_view utf8, const TextStyle& style) const {
  const char* const anchor[] = {"start", "middle", "end"};
  out += "<text";
  put_attribute(out, "x", at.x), put_attribute(out, "y", at.y);
  out += " font-family=\"";
  if (text_as_ == TextAs::text_in_own_fonts)
    out += std::string(own_family(int(style.font))) + ", " + own_family(kCjkFace) + ", ";
  (out += family(style.font)) += '"';
  put_attribute(out, "font-size", style.size);
  if (is_semibold(style.font)) out += " font-weight=\"600\"";
  if (style.align != Align::left) ((out += " text-anchor=\"") += anchor[int(style.align)]) += '"';
  put_paint(out, "fill", style.color);
  out += " xml:space=\"preserve\">" + escaped(utf8) + "</text>\n";
}

// A glyph stands once among the definitions, in thousandths of an em.
void SvgCanvas::put_outlines(Document& d, Vec2 at, std::string_view utf8, const TextStyle& style) {
  constexpr float kUnits = 1000;
  char scale[32];
  std::snprintf(scale, sizeof scale, "%.5f", double(style.size / kUnits));
  std::string& out = d.body;
  out += "<g role=\"img\" aria-label=\"" + escaped(utf8) + "\" transform=\"translate(";
  put_point(out, at, ' ');
  ((out += ") scale(") += scale) += ")\"";
  put_paint(out, "fill", style.color);
  out += '>';
  float x = 0;
  while (!utf8.empty()) {
    const Glyph glyph = glyph_of(style.font, take_code_point(utf8));
    const std::string id = "glyph" + std::to_string(glyph.face) + "-" + std::to_string(glyph.index);
    const std::string outline = glyph_outline(glyph.face, glyph.index);
    if (!outline.empty() && d.outlined.insert({glyph.face, glyph.index}).second)
      d.definitions += "<path id=\"" + id + "\" d=\"" + outline + "\"/>\n";
    if (!outline.empty()) {
      out += "<use xlink:href=\"#" + id + "\"";
      put_attribute(out, "x", x);
      if (glyph.face == kCjkFace && is_semibold(style.font))
        put_stroke(out, style.color, kCjkSemiboldStroke * kUnits);
      out += "/>";
    }
    x += glyph.advance * kUnits;
  }
  out += "</g>\n";
}

namespace {

struct Cells {
  Rect rect;
  int columns, rows;
  std::vector<std::uint8_t> values;
  std::array<Color, 256> colors;
  float gap;
};

// Cells of one colour become one path; neighbours in a row without a gap become one rectangle.
void put_cells(std::string& out, const Cells& cells) {
  const auto& [r, columns, rows, values, colors, gap] = cells;
  const float w = r.w / float(columns), h = r.h / float(rows);
  std::map<std::uint8_t, std::string> paths;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < columns;) {
      const std::uint8_t* const row_values = values.data() + std::size_t(row) * std::size_t(columns);
      const std::uint8_t value = row_values[col];
      int end = col + 1;
      while (gap == 0 && end < columns && row_values[end] == value) ++end;
      const float wide = float(end - col) * w - gap;
      std::string& path = paths[value];
      path += 'M';
      put_point(path, {r.x + float(col) * w, r.y + float(row) * h}, ' ');
      path += 'h';
      put_number(path, wide);
      path += 'v';
      put_number(path, h - gap);
      path += 'h';
      put_number(path, -wide);
      path += 'z';
      col = end;
    }
  for (const auto& [value, path] : paths) {
    if (!colors[value].a) continue;
    out += "<path d=\"" + path + "\"";
    put_paint(out, "fill", colors[value]);
    out += gap == 0 ? " shape-rendering=\"crispEdges\"/>\n" : "/>\n";
  }
}

}  // namespace

void SvgCanvas::grid(std::string_view, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
                     Colormap colors, float gap) {
  const auto count = std::size_t(std::max(0, columns)) * std::size_t(std::max(0, rows));
  if (count == 0 || values.size() < count) return;
  if (r.w / float(columns) < 4 || r.h / float(rows) < 4) gap = 0;
  Cells cells{r, columns, rows, {values.begin(), values.begin() + std::ptrdiff_t(count)}, {}, gap};
  std::copy(colors.begin(), colors.end(), cells.colors.begin());
  write([cells = std::move(cells)](std::string& out) { put_cells(out, cells); });
}

void SvgCanvas::push_clip(Rect r) {
  const Rect outer = clip_stack_.back();
  const float x = std::max(r.x, outer.x), y = std::max(r.y, outer.y);
  clip_stack_.push_back({x, y, std::max(0.f, std::min(r.right(), outer.right()) - x),
                         std::max(0.f, std::min(r.bottom(), outer.bottom()) - y)});
  pieces_.emplace_back([clip = clip_stack_.back()](const SvgCanvas&, Document& d) {
    const std::string id = "clip" + std::to_string(d.clips++);
    d.definitions += "<clipPath id=\"" + id + "\"><rect";
    put_geometry(d.definitions, clip, 0);
    d.definitions += "/></clipPath>\n";
    d.body += "<g clip-path=\"url(#" + id + ")\">\n";
  });
}

void SvgCanvas::pop_clip() {
  clip_stack_.pop_back();
  write([](std::string& out) { out += "</g>\n"; });
}

void SvgCanvas::put_pointer(const Pointer& pointer, const std::vector<DrawnHit>& areas) {
  pointer_ = pointer;
  for (const DrawnHit& area : areas)
    if (area.rect.contains(pointer.at)) hovered_id_ = area.id;
}

Hit SvgCanvas::hit(std::string_view id, Rect r, bool focusable) {
  hits_.push_back({std::string(id), r, focusable});
  Hit hit;
  if (!pointer_ || id != hovered_id_) return hit;
  hit.hovered = true, hit.clicked = hit.pressed = pointer_->clicked;
  hit.pointer = pointer_->at, hit.wheel = pointer_->wheel, hit.shift = pointer_->shift;
  hit.held = pointer_->held, hit.right_held = pointer_->right_held, hit.moved = pointer_->moved;
  hit.dragged = hit.held && (hit.moved.x != 0 || hit.moved.y != 0);
  return hit;
}

void SvgCanvas::tooltip(std::string_view utf8) { tooltips_.emplace_back(utf8); }

void SvgCanvas::hint(Rect, std::string_view utf8) { hints_.emplace_back(utf8); }

}  // namespace lockstep
