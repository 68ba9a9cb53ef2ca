#include "canvas_svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/model/portable.hpp"
#include "text_metrics.hpp"

namespace lockstep {
namespace {

// At most two decimals, no trailing zeros, the same on every machine.
std::string number(float x) {
  const double rounded = std::round(double(x) * 100) / 100;
  return fixed_text(rounded == 0 ? 0.0 : rounded);
}

std::string hex(Color c) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", c.r, c.g, c.b);
  return text;
}

std::string paint(const char* attribute, Color c) {
  std::string out = std::string(" ") + attribute + "=\"" + hex(c) + "\"";
  if (c.a != 255) out += std::string(" ") + attribute + "-opacity=\"" + number(float(c.a) / 255) + "\"";
  return out;
}

std::string attribute(const char* name, float value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
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

std::string geometry(Rect r, float radius) {
  std::string out = attribute("x", r.x) + attribute("y", r.y) + attribute("width", std::max(0.f, r.w)) +
                    attribute("height", std::max(0.f, r.h));
  if (radius > 0) out += attribute("rx", radius);
  return out;
}

}  // namespace

SvgCanvas::SvgCanvas(float width, float height, Color ground, TextAs text_as)
    : width_(width), height_(height), text_as_(text_as), clip_stack_{{0, 0, width, height}} {
  SvgCanvas::fill_rect({0, 0, width, height}, ground, 0);
}

void SvgCanvas::set_paper_size(std::string width, std::string height) {
  paper_width_ = std::move(width), paper_height_ = std::move(height);
}

std::string SvgCanvas::finish(const std::string& style) {
  const std::string w = number(width_), h = number(height_);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  if (text_as_ == TextAs::outlines) out += " xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
  out += " width=\"" + (paper_width_.empty() ? w : paper_width_) + "\" height=\"" +
         (paper_height_.empty() ? h : paper_height_) + "\" viewBox=\"0 0 " + w + " " + h + "\">\n";
  if (!style.empty()) out += "<style>\n" + style + "</style>\n";
  if (!definitions_.empty()) out += "<defs>\n" + definitions_ + "</defs>\n";
  return out + body_ + "</svg>\n";
}

void SvgCanvas::fill_rect(Rect r, Color color, float radius) {
  if (color.a) body_ += "<rect" + geometry(r, radius) + paint("fill", color) + "/>\n";
}

void SvgCanvas::stroke_rect(Rect r, Color color, float width, float radius) {
  body_ += "<rect" + geometry(r, radius) + " fill=\"none\"" + paint("stroke", color) +
           attribute("stroke-width", width) + "/>\n";
}

void SvgCanvas::line(Vec2 a, Vec2 b, Color color, float width, float dash) {
  body_ += "<line" + attribute("x1", a.x) + attribute("y1", a.y) + attribute("x2", b.x) +
           attribute("y2", b.y) + paint("stroke", color) + attribute("stroke-width", width);
  if (dash > 0) body_ += attribute("stroke-dasharray", dash);
  body_ += "/>\n";
}

void SvgCanvas::points(std::string_view element, std::span<const Vec2> list, const std::string& attributes) {
  body_ += "<" + std::string(element) + " points=\"";
  for (std::size_t i = 0; i < list.size(); ++i)
    body_ += (i ? " " : "") + number(list[i].x) + "," + number(list[i].y);
  body_ += "\"" + attributes + "/>\n";
}

void SvgCanvas::polyline(std::span<const Vec2> list, Color color, float width) {
  points(
      "polyline", list,
      " fill=\"none\" stroke-linejoin=\"round\"" + paint("stroke", color) + attribute("stroke-width", width));
}

void SvgCanvas::fill_polygon(std::span<const Vec2> list, Color color) {
  points("polygon", list, paint("fill", color));
}

void SvgCanvas::curve(Vec2 a, Vec2 c, Vec2 d, Vec2 b, Color color, float width) {
  const auto pair = [](Vec2 p) { return number(p.x) + " " + number(p.y); };
  body_ += "<path d=\"M" + pair(a) + " C" + pair(c) + " " + pair(d) + " " + pair(b) + "\" fill=\"none\"" +
           paint("stroke", color) + attribute("stroke-width", width) + "/>\n";
}

void SvgCanvas::fill_circle(Vec2 c, float radius, Color color) {
  body_ += "<circle" + attribute("cx", c.x) + attribute("cy", c.y) + attribute("r", radius) +
           paint("fill", color) + "/>\n";
}

void SvgCanvas::stroke_circle(Vec2 c, float radius, Color color, float width, float dash) {
  body_ += "<circle" + attribute("cx", c.x) + attribute("cy", c.y) + attribute("r", radius) +
           " fill=\"none\"" + paint("stroke", color) + attribute("stroke-width", width);
  if (dash > 0) body_ += attribute("stroke-dasharray", dash);
  body_ += "/>\n";
}

void SvgCanvas::text(Vec2 at, std::string_view utf8, const TextStyle& asked) {
  if (utf8.empty()) return;
  const TextStyle style = in_scale(asked);
  const float width = measure(utf8, style);
  const float left = style.align == Align::left     ? at.x
                     : style.align == Align::center ? at.x - width / 2
                                                    : at.x - width;
  texts_.push_back({std::string(utf8), {left, at.y - style.size / 2, width, style.size}, clip_stack_.back()});
  const float baseline = at.y + style.size * kHalfCapital;
  text_as_ == TextAs::outlines ? draw_outlines({left, baseline}, utf8, style)
                               : draw_text({at.x, baseline}, utf8, style);
}

void SvgCanvas::draw_text(Vec2 at, std::string_view utf8, const TextStyle& style) {
  const char* const anchor[] = {"start", "middle", "end"};
  body_ += "<text" + attribute("x", at.x) + attribute("y", at.y) + " font-family=\"";
  if (text_as_ == TextAs::text_in_own_fonts) {
    for (std::string_view rest = utf8; !rest.empty();) {
      const char32_t c = take_code_point(rest);
      characters_[glyph_of(style.font, c).face].insert(c);
    }
    body_ += std::string(own_family(int(style.font))) + ", " + own_family(kCjkFace) + ", ";
  }
  body_ += std::string(family(style.font)) + "\"" + attribute("font-size", style.size);
  if (is_semibold(style.font)) body_ += " font-weight=\"600\"";
  if (style.align != Align::left) body_ += std::string(" text-anchor=\"") + anchor[int(style.align)] + "\"";
  body_ += paint("fill", style.color) + " xml:space=\"preserve\">" + escaped(utf8) + "</text>\n";
}

// A glyph stands once among the definitions, in thousandths of an em.
void SvgCanvas::draw_outlines(Vec2 at, std::string_view utf8, const TextStyle& style) {
  constexpr float kUnits = 1000;
  char scale[32];
  std::snprintf(scale, sizeof scale, "%.5f", double(style.size / kUnits));
  body_ += "<g role=\"img\" aria-label=\"" + escaped(utf8) + "\" transform=\"translate(" + number(at.x) +
           " " + number(at.y) + ") scale(" + scale + ")\"" + paint("fill", style.color) + ">";
  float x = 0;
  while (!utf8.empty()) {
    const Glyph glyph = glyph_of(style.font, take_code_point(utf8));
    const std::string id = "glyph" + std::to_string(glyph.face) + "-" + std::to_string(glyph.index);
    const std::string outline = glyph_outline(glyph.face, glyph.index);
    if (!outline.empty() && outlined_.insert({glyph.face, glyph.index}).second)
      definitions_ += "<path id=\"" + id + "\" d=\"" + outline + "\"/>\n";
    if (!outline.empty()) body_ += "<use xlink:href=\"#" + id + "\"" + attribute("x", x);
    if (!outline.empty() && glyph.face == kCjkFace && is_semibold(style.font))
      body_ += paint("stroke", style.color) + attribute("stroke-width", kCjkSemiboldStroke * kUnits);
    if (!outline.empty()) body_ += "/>";
    x += glyph.advance * kUnits;
  }
  body_ += "</g>\n";
}

// Cells of one colour become one path; neighbours in a row without a gap become one rectangle.
void SvgCanvas::grid(std::string_view, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
                     Colormap colors, float gap) {
  if (columns <= 0 || rows <= 0 || values.size() < std::size_t(columns) * std::size_t(rows)) return;
  const float w = r.w / float(columns), h = r.h / float(rows);
  if (w < 4 || h < 4) gap = 0;
  std::map<std::uint8_t, std::string> paths;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < columns;) {
      const std::uint8_t value = values[std::size_t(row) * std::size_t(columns) + std::size_t(col)];
      int end = col + 1;
      while (gap == 0 && end < columns &&
             values[std::size_t(row) * std::size_t(columns) + std::size_t(end)] == value)
        ++end;
      const float x = r.x + float(col) * w, y = r.y + float(row) * h, wide = float(end - col) * w - gap,
                  high = h - gap;
      paths[value] += "M" + number(x) + " " + number(y) + "h" + number(wide) + "v" + number(high) + "h" +
                      number(-wide) + "z";
      col = end;
    }
  for (const auto& [value, path] : paths)
    if (colors[value].a)
      body_ += "<path d=\"" + path + "\"" + paint("fill", colors[value]) +
               (gap == 0 ? " shape-rendering=\"crispEdges\"/>\n" : "/>\n");
}

void SvgCanvas::push_clip(Rect r) {
  const Rect outer = clip_stack_.back();
  const float x = std::max(r.x, outer.x), y = std::max(r.y, outer.y);
  clip_stack_.push_back({x, y, std::max(0.f, std::min(r.right(), outer.right()) - x),
                         std::max(0.f, std::min(r.bottom(), outer.bottom()) - y)});
  const std::string id = "clip" + std::to_string(clip_count_++);
  definitions_ += "<clipPath id=\"" + id + "\"><rect" + geometry(clip_stack_.back(), 0) + "/></clipPath>\n";
  body_ += "<g clip-path=\"url(#" + id + ")\">\n";
}

void SvgCanvas::pop_clip() {
  clip_stack_.pop_back();
  body_ += "</g>\n";
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
