// The maker of figures on paper: PDF with its fonts inside, and PNG at any resolution. The only part of the
// program that knows cairo.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/model/result.hpp"
#include "offscreen.hpp"

namespace lockstep {

class CairoCanvas final : public Canvas {
 public:
  // A page of width x height logical pixels, each `scale` points (PDF) or pixels (PNG) large.
  static CairoCanvas pdf(float width, float height, double scale, Color ground, bool outlines,
                         const std::string& title);
  static CairoCanvas png(float width, float height, double scale, Color ground);
  ~CairoCanvas() override;
  CairoCanvas(CairoCanvas&&) noexcept;

  void next_page(float width, float height, Color ground);  // of a PDF; the one before is done
  Result<std::vector<std::uint8_t>> finish_pdf();
  Result<Image> finish_image();

  void fill_rect(Rect r, Color color, float radius) override;
  void stroke_rect(Rect r, Color color, float width, float radius) override;
  void line(Vec2 a, Vec2 b, Color color, float width, float dash) override;
  void polyline(std::span<const Vec2> points, Color color, float width) override;
  void fill_polygon(std::span<const Vec2> points, Color color) override;
  void curve(Vec2 a, Vec2 control_a, Vec2 control_b, Vec2 b, Color color, float width) override;
  void fill_circle(Vec2 center, float radius, Color color) override;
  void stroke_circle(Vec2 center, float radius, Color color, float width, float dash) override;
  void text(Vec2 at, std::string_view utf8, const TextStyle& style) override;
  void grid(std::string_view key, Rect r, int columns, int rows, std::span<const std::uint8_t> values,
            Colormap colors, float gap) override;
  void push_clip(Rect r) override;
  void pop_clip() override;
  Hit hit(std::string_view, Rect, bool) override { return {}; }
  void tooltip(std::string_view) override {}

 private:
  struct Page;
  explicit CairoCanvas(std::unique_ptr<Page> page);
  void stroke(Color color, float width, float dash);
  void cells(Rect r, int columns, int rows, std::span<const std::uint8_t> values, Colormap colors, float gap);
  void image(Rect r, int columns, int rows, std::span<const std::uint8_t> values, Colormap colors);

  std::unique_ptr<Page> page_;
};

}  // namespace lockstep
