// The ImGui maker of pictures: text as wide as measured, hit areas, keyboard focus, and pixels where there is
// GL.
#include <doctest/doctest.h>
#include <imgui.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/draw/controls.hpp"
#include "app/draw/text_metrics.hpp"
#include "app/shell/canvas_imgui.hpp"
#include "app/shell/compat.hpp"
#include "app/shell/fonts.hpp"
#include "app/shell/offscreen.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

// Frames without GL, drawn by `page`.
class Frames {
 public:
  explicit Frames(std::function<void(Canvas&)> page, float scale = 1)
      : page_(std::move(page)), scale_(scale) {
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr, io.DisplaySize = {800 * scale, 600 * scale}, io.DeltaTime = 1.f / 60;
    build_fonts(scale, "线程束读取", "线程束");
    draw();
  }
  ~Frames() { ImGui::DestroyContext(context_); }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  void draw() {
    ImGui::NewFrame();
    ImGuiCanvas canvas(scale_, interaction, nullptr);
    page_(canvas);
    canvas.finish({}, {}, {}, 1, {0, 0, 800, 600});
    ImGui::Render();
  }
  void move(float x, float y) {
    compat::mouse_position(ImGui::GetIO(), x * scale_, y * scale_);
    draw();
  }
  void press(bool down) {
    compat::mouse_button(ImGui::GetIO(), 0, down);
    draw();
  }
  Interaction interaction;

 private:
  std::function<void(Canvas&)> page_;
  float scale_;
  ImGuiContext* context_ = nullptr;
};

Color pixel(const Image& image, int x, int y) {
  const std::uint8_t* p = &image.rgba[(std::size_t(y) * std::size_t(image.width) + std::size_t(x)) * 4];
  return {p[0], p[1], p[2], p[3]};
}

Result<Image> picture(int width, int height, const std::function<void(Canvas&)>& page) {
  return render_offscreen(
      width, height, [] { build_fonts(1, ""); },
      [&](GridRenderer& grids) {
        Interaction interaction;
        ImGuiCanvas canvas(1, interaction, &grids);
        page(canvas);
      });
}

// Every "Font::words, 12.5f" of a source file.
std::set<std::pair<Font, float>> sizes_in(const std::string& text) {
  const std::pair<const char*, Font> fonts[] = {{"Font::words, ", Font::words},
                                                {"Font::words_semibold, ", Font::words_semibold},
                                                {"Font::mono, ", Font::mono},
                                                {"Font::mono_semibold, ", Font::mono_semibold}};
  std::set<std::pair<Font, float>> sizes;
  for (const auto& [name, font] : fonts)
    for (std::size_t at = 0; (at = text.find(name, at)) != text.npos;) {
      at += std::strlen(name);
      if (const float size = std::strtof(text.c_str() + at, nullptr); size > 0) sizes.insert({font, size});
    }
  return sizes;
}

}  // namespace

TEST_CASE("text drawn by ImGui is as wide as measured, to half a pixel") {
  Frames frames([](Canvas&) {});
  for (Font font : {Font::words, Font::words_semibold, Font::mono, Font::mono_semibold})
    for (float size : {10.5f, 12.5f, 13.5f, 18.f})
      for (const char* text :
           {"Where the bytes are", "65,536 wavefronts", "AVATAR µs × →", "for (int k = 0; k < K; ++k)"}) {
        float em_px = 0;
        ImFont* face = font_for(font, size, &em_px);
        const float drawn = face->CalcTextSizeA(face->FontSize * size / em_px, 1e6f, 0, text).x;
        CAPTURE(text);
        CAPTURE(size);
        CHECK(std::abs(drawn - text_width(text, font, size)) < 0.5f);
      }
}

TEST_CASE("every size written in the program has a face of its own, at every scale") {
  std::set<std::pair<Font, float>> sizes;
  for (const auto& file : std::filesystem::recursive_directory_iterator(in_source("app"))) {
    if (file.path().extension() != ".cpp") continue;
    std::ifstream stream(file.path());
    sizes.merge(sizes_in({std::istreambuf_iterator<char>(stream), {}}));
  }
  CHECK(sizes.size() > 10);
  for (float scale : {1.f, 1.5f, 2.f}) {
    Frames frames([](Canvas&) {}, scale);
    for (const auto& used : sizes) {
      float em_px = 0;
      font_for(used.first, used.second * scale, &em_px);
      CAPTURE(int(used.first));
      CAPTURE(used.second);
      CHECK(em_px == doctest::Approx(used.second * scale).epsilon(0.07));  // whole pixels by FreeType
    }
  }
}

TEST_CASE("Chinese characters that were asked for are in the atlas, others are not") {
  Frames frames([](Canvas&) {});
  if (font_files().cjk.empty()) return;
  float em_px = 0;
  const ImFont* face = cjk_font_for(12.5f, "线", &em_px);
  REQUIRE(face);
  CHECK(face->FindGlyphNoFallback(0x7EBF));  // 线
  CHECK(face->FindGlyphNoFallback(0x4E2D));  // 中, for the language switch
  CHECK_FALSE(face->FindGlyphNoFallback(0x9F98));
  CHECK(face->FindGlyphNoFallback(0x7EBF)->AdvanceX ==
        doctest::Approx(text_width("线", Font::words, em_px)).epsilon(0.02));
}

TEST_CASE(
    "Chinese of a headline has a face of its size; what no headline holds comes from a smaller one, and is "
    "there") {
  for (const float scale : {1.f, 1.5f}) {
    Frames frames([](Canvas&) {}, scale);
    if (font_files().cjk.empty()) return;
    float em_px = 0;
    const ImFont* face = cjk_font_for(26 * scale, "线程束 0", &em_px);
    CHECK(em_px == doctest::Approx(26 * scale));
    CHECK(face->FindGlyphNoFallback(0x7EBF));
    face = cjk_font_for(26 * scale, "线程束读取", &em_px);
    CHECK(em_px == doctest::Approx(15 * scale).epsilon(0.07));
    CHECK(face->FindGlyphNoFallback(0x8BFB));
    CHECK(cjk_font_for(15 * scale, "线", &em_px));
    CHECK(em_px == doctest::Approx(15 * scale).epsilon(0.07));
  }
}

TEST_CASE("the area drawn last takes the click, and a click needs press and release on it") {
  int below = 0, above = 0;
  Frames frames([&](Canvas& canvas) {
    below += canvas.hit("below", {0, 0, 200, 200}).clicked;
    above += canvas.hit("above", {50, 50, 20, 20}).clicked;
  });
  frames.move(60, 60), frames.press(true), frames.press(false);
  CHECK(above == 1);
  CHECK(below == 0);
  frames.press(true), frames.move(150, 150), frames.press(false);  // let go elsewhere
  CHECK(above == 1);
  CHECK(below == 0);
  frames.press(true), frames.press(false);
  CHECK(below == 1);
}

TEST_CASE("a dragged area keeps the pointer outside of itself, in canvas coordinates") {
  Vec2 at;
  bool held = false;
  Frames frames(
      [&](Canvas& canvas) {
        const Hit hit = canvas.hit("knob", {10, 10, 20, 20});
        canvas.hit("elsewhere", {100, 0, 300, 300});
        held = hit.held, at = hit.pointer;
      },
      2);
  frames.move(15, 15), frames.press(true), frames.move(200, 40);
  CHECK(held);
  CHECK(at.x == 200);
  CHECK(at.y == 40);
}

TEST_CASE("an area under a clip reacts inside the clip alone") {
  bool hovered = false;
  Frames frames([&](Canvas& canvas) {
    canvas.push_clip({0, 0, 50, 50});
    hovered = canvas.hit("area", {0, 0, 200, 200}).hovered;
    canvas.pop_clip();
  });
  frames.move(100, 20), frames.draw();
  CHECK_FALSE(hovered);
  frames.move(20, 20), frames.draw();
  CHECK(hovered);
}

TEST_CASE("the wheel reaches a scrolling column through what lies on it") {
  float scrolled = 0;
  Frames frames([&](Canvas& canvas) {
    scrolled += canvas.hit("column", {0, 0, 200, 200}).wheel;
    canvas.hit("row", {0, 0, 200, 20});
  });
  frames.move(10, 10);
  compat::mouse_wheel(ImGui::GetIO(), 0, 1);
  frames.draw();
  CHECK(scrolled == 1);
}

TEST_CASE(
    "Tab goes through the focusable areas in order and round; Enter presses the one that has the focus") {
  int pressed = 0;
  Frames frames([&](Canvas& canvas) {
    canvas.hit("a", {0, 0, 10, 10}, true);
    canvas.hit("picture", {0, 20, 10, 10}, false);
    pressed += canvas.hit("b", {0, 40, 10, 10}, true).clicked;
  });
  frames.interaction.move_focus(1);
  CHECK(frames.interaction.focus() == "a");
  frames.interaction.move_focus(1);
  CHECK(frames.interaction.focus() == "b");
  frames.interaction.activate_focused();
  frames.draw(), frames.draw();
  CHECK(pressed == 1);
  frames.interaction.move_focus(1);
  CHECK(frames.interaction.focus() == "a");
  frames.interaction.move_focus(-1);
  CHECK(frames.interaction.focus() == "b");
}

TEST_CASE("the focus goes with its area, so that the keys work again") {
  bool there = true;
  Frames frames([&](Canvas& canvas) {
    if (there) canvas.hit("a", {0, 0, 10, 10}, true);
  });
  frames.interaction.move_focus(1);
  frames.draw();
  CHECK(frames.interaction.focus() == "a");
  there = false;
  frames.draw();
  CHECK(frames.interaction.focus().empty());
}

TEST_CASE("pictures without a display are the same to the last bit") {
  const auto page = [](Canvas& canvas) {
    canvas.fill_rect({0, 0, 200, 100}, Color::hex(0xF4F4F1));
    canvas.text({20, 50}, "step 4 of 9", {Font::words_semibold, 13.5f, Color::hex(0x1E2124)});
    canvas.curve({0, 0}, {50, 0}, {50, 90}, {190, 90}, Color::hex(0x0072B2), 1.5f);
  };
  const auto first = picture(200, 100, page), second = picture(200, 100, page);
  if (!first.ok()) {
    MESSAGE("no EGL here: " << first.error().text());
    return;
  }
  REQUIRE(second.ok());
  CHECK(first->rgba == second->rgba);
  CHECK_FALSE(first->renderer.empty());
  const auto png = encode_png(*first);
  REQUIRE(png.ok());
  CHECK(std::string(png->begin() + 1, png->begin() + 4) == "PNG");
}

TEST_CASE("a grid's cells have their colours, gaps show the ground, and the clip holds") {
  std::array<Color, 256> colors{};
  colors[1] = Color::hex(0x0072B2), colors[2] = Color::hex(0x009E73);
  const std::vector<std::uint8_t> values{1, 2, 2, 1};
  const Color ground = Color::hex(0xFFFFFF);
  const auto image = picture(60, 40, [&](Canvas& canvas) {
    canvas.fill_rect({0, 0, 60, 40}, ground);
    canvas.push_clip({0, 0, 30, 40});
    canvas.grid("g", {10, 10, 40, 20}, 2, 2, values, colors, 2);
    canvas.pop_clip();
    canvas.fill_rect({50, 30, 10, 10}, colors[2]);  // what follows is drawn as before
  });
  if (!image.ok()) return;
  CHECK(pixel(*image, 15, 12) == colors[1]);
  CHECK(pixel(*image, 15, 22) == colors[2]);
  CHECK(pixel(*image, 15, 19) == ground);  // gap below the first row
  CHECK(pixel(*image, 29, 12) == ground);  // gap behind the first column: 28, 29
  CHECK(pixel(*image, 27, 12) == colors[1]);
  CHECK(pixel(*image, 35, 15) == ground);  // clipped
  CHECK(pixel(*image, 55, 35) == colors[2]);
}

TEST_CASE("Chinese of a title is heavier than Chinese of a text") {
  if (font_files().cjk.empty()) return;
  for (const float size : {12.5f, 15.f, 26.f}) {
    const auto ink = [&](Font font) {
      long dark = 0;
      const auto image = picture(200, 60, [&](Canvas& canvas) {
        canvas.fill_rect({0, 0, 200, 60}, Color::hex(0xFFFFFF));
        canvas.text({10, 30}, "线程", {font, size, Color::hex(0x000000)});
      });
      if (!image.ok()) return dark;
      for (std::size_t i = 0; i < image->rgba.size(); i += 4) dark += 255 - image->rgba[i];
      return dark;
    };
    const long text = ink(Font::words), title = ink(Font::words_semibold);
    CAPTURE(size);
    CHECK(title >= text + text / 10);
  }
}

TEST_CASE("a picture that is too large is refused with the largest possible size") {
  const auto image = picture(2'000'000, 10, [](Canvas&) {});
  REQUIRE_FALSE(image.ok());
  CHECK_FALSE(image.error().text().empty());
}

TEST_CASE("a list that is longer than its view scrolls to what Tab reaches, downwards and upwards") {
  constexpr int kButtons = 30;
  const Rect view{10, 10, 200, 100};
  float scroll = 0;
  Frames frames([&](Canvas& canvas) {
    canvas.push_clip(view);
    scroll = std::clamp(scrolled_to_focus(canvas, view, scroll), 0.f, kButtons * 30.f - view.h);
    for (int i = 0; i < kButtons; ++i)
      canvas.hit("button/" + std::to_string(i), {20, view.y + float(i) * 30 - scroll, 100, 24}, true);
    canvas.pop_clip();
  });
  for (const int direction : {1, -1})
    for (int i = 0; i < kButtons; ++i) {
      frames.interaction.move_focus(direction);
      frames.draw(), frames.draw();
      for (const auto& area : frames.interaction.areas())
        if (area.id == frames.interaction.focus()) CHECK(area.rect.h == doctest::Approx(24));
    }
  scroll = 300;
  frames.draw();
  CHECK(scroll == 300);  // without a new focus nothing scrolls by itself
}
