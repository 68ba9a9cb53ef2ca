// The SVG maker: real text, clip paths, grids as one path per colour. Also the tests' eye: it keeps a list of
// what was drawn, and a test can put a pointer on it.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "canvas.hpp"

namespace lockstep {

class SvgCanvas final : public Canvas {
 public:
  // What was drawn, for tests. Rects are clipped to nothing smaller than themselves; `clip` is the area in
  // force.
  struct DrawnText {
    std::string text;
    Rect rect, clip;
  };
  struct DrawnHit {
    std::string id;
    Rect rect;
    bool focusable = false;
  };
  struct Pointer {
    Vec2 at;
    bool clicked = false;
    float wheel = 0;
    bool shift = false, held = false, right_held = false;
    Vec2 moved{};
  };

  // How text gets into the file: as text in the fonts that a reader has, as text in fonts that the file
  // brings (finish gets them), or as curves.
  enum class TextAs { text, text_in_own_fonts, outlines };
  // What own fonts must hold: per face of text_metrics.hpp its characters.
  using Characters = std::map<int, std::set<char32_t>>;

  SvgCanvas(float width, float height, Color ground, TextAs text_as = TextAs::text);
  // The size on paper, with its unit: "85mm". Else that in pixels.
  void set_paper_size(std::string width, std::string height);
  const Characters& characters() const { return characters_; }
  // The name by which a face that the file brings is called.
  static const char* own_family(int face);
  std::string finish(const std::string& style = "") const;  // the document; `style`: CSS

  const std::vector<DrawnText>& texts() const { return texts_; }
  const std::vector<DrawnHit>& hits() const { return hits_; }
  const std::vector<std::string>& tooltips() const { return tooltips_; }
  const std::vector<std::string>& hints() const { return hints_; }
  struct DrawnLandmark {
    std::string name;
    Rect rect;
  };
  const std::vector<DrawnLandmark>& landmarks() const { return landmarks_; }
  // The topmost area of the last drawing under this pointer answers as hovered.
  void put_pointer(const Pointer& pointer, const std::vector<DrawnHit>& areas_of_last_drawing);

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
  Hit hit(std::string_view id, Rect r, bool focusable) override;
  void tooltip(std::string_view utf8) override;
  void hint(Rect r, std::string_view utf8) override;
  void landmark(std::string_view name, Rect r) override { landmarks_.push_back({std::string(name), r}); }

 private:
  // What finish() writes. Most drawings are only looked at, and text of numbers takes longer than all else.
  struct Document {
    std::string body, definitions;
    int clips = 0;
    std::set<std::pair<int, std::uint32_t>> outlined;  // glyphs that stand among the definitions
  };
  using Piece = std::function<void(const SvgCanvas&, Document&)>;

  template <class F>
  void write(F piece);  // piece(std::string& body)
  void put_text(std::string& out, Vec2 baseline, std::string_view utf8, const TextStyle& style) const;
  static void put_outlines(Document& d, Vec2 baseline, std::string_view utf8, const TextStyle& style);

  float width_, height_;
  TextAs text_as_;
  std::string paper_width_, paper_height_;
  Characters characters_;
  std::vector<Piece> pieces_;
  std::vector<Rect> clip_stack_;
  std::vector<DrawnText> texts_;
  std::vector<DrawnHit> hits_;
  std::vector<std::string> tooltips_, hints_;
  std::vector<DrawnLandmark> landmarks_;
  std::optional<Pointer> pointer_;
  std::string hovered_id_;
};

}  // namespace lockstep
