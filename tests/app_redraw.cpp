// What of a frame is drawn anew: around what has changed, and nothing but that, to the same pixels as all of
// it.
#include <doctest/doctest.h>
#include <imgui.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "app/draw/controls.hpp"
#include "app/shell/canvas_imgui.hpp"
#include "app/shell/changed_tiles.hpp"
#include "app/shell/compat.hpp"
#include "app/shell/fonts.hpp"
#include "app/shell/frame_painter.hpp"
#include "app/shell/gl.hpp"
#include "app/shell/offscreen.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr PixelBox kWindow{0, 0, 1600, 900};
const std::vector<PixelBox> kEverything{kWindow}, kNothing;

bool covers(const std::vector<PixelBox>& boxes, Rect r) {
  for (const PixelBox& box : boxes)
    if (float(box.left) <= r.x && float(box.top) <= r.y && float(box.right) >= r.right() &&
        float(box.bottom) >= r.bottom())
      return true;
  return false;
}

std::int64_t area_of(const std::vector<PixelBox>& boxes) {
  std::int64_t sum = 0;
  for (const PixelBox& box : boxes) sum += box.area();
  return sum;
}

bool apart(const std::vector<PixelBox>& boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (!common(boxes[i], boxes[k]).empty()) return false;
  return true;
}

// A page that a test draws, and what has changed of it.
class ChangingPage {
 public:
  explicit ChangingPage(std::function<void(Canvas&)> page) : page_(std::move(page)) {
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr, io.DeltaTime = 1.f / 60;
    io.DisplaySize = {float(kWindow.right), float(kWindow.bottom)};
    build_fonts(1, "");
  }
  ~ChangingPage() { ImGui::DestroyContext(context_); }
  ChangingPage(const ChangingPage&) = delete;
  ChangingPage& operator=(const ChangingPage&) = delete;

  std::vector<PixelBox> draw() {
    ImGui::NewFrame();
    {
      ImGuiCanvas canvas(1, interaction_, nullptr);
      page_(canvas);
    }
    if (behind) behind(*ImGui::GetBackgroundDrawList());
    ImGui::Render();
    return tiles.update(*ImGui::GetDrawData());
  }
  std::function<void(ImDrawList&)> behind;  // what is drawn last, past the canvas
  ChangedTiles tiles;

 private:
  std::function<void(Canvas&)> page_;
  Interaction interaction_;
  ImGuiContext* context_ = nullptr;
};

}  // namespace

TEST_CASE(
    "a frame like the one before has changed nowhere; the first, one of another size, and one that "
    "shall be drawn anew, everywhere") {
  ChangingPage page([](Canvas& canvas) { canvas.fill_rect({100, 100, 50, 50}, Color::hex(0x0072B2)); });
  CHECK(page.draw() == kEverything);
  CHECK(page.draw() == kNothing);
  page.tiles.forget();
  CHECK(page.draw() == kEverything);
  ImGui::GetIO().DisplaySize.x -= 1;
  CHECK(page.draw() == std::vector<PixelBox>{{0, 0, 1599, 900}});
}

TEST_CASE("a slider on the left and a number on the right are two boxes, and the stage between is in none") {
  float position = 0.3f;
  std::string number = "65,536";
  const Rect slider{20, 200, 180, 20}, stage{400, 100, 900, 700};
  ChangingPage page([&](Canvas& canvas) {
    canvas.fill_rect({0, 0, 1600, 900}, Color::hex(0xF4F4F1));
    (void)draw_slider(canvas, Theme{}, "slider", slider, position);
    canvas.fill_rect(stage, Color::hex(0x0072B2));
    for (int i = 0; i < 200; ++i) canvas.fill_circle({450 + 4.f * float(i), 400}, 20, Color::hex(0x009E73));
    canvas.text({1450, 300}, number, {Font::words, 13.5f, Color::hex(0x1E2124)});
  });
  (void)page.draw();
  position = 0.6f, number = "131,072";
  const auto boxes = page.draw();
  CHECK(boxes.size() == 2);
  CHECK(covers(boxes, {20 + 180 * 0.3f, 200, 180 * 0.3f, 20}));  // from where the knob was to where it is
  CHECK(covers(boxes, {1450, 290, 50, 20}));
  for (const PixelBox& box : boxes)
    CHECK(common(box, {int(stage.x), int(stage.y), int(stage.right()), int(stage.bottom())}).empty());
  CHECK(page.draw() == kNothing);
}

TEST_CASE("what is gone has changed, where it was; what lies in a clip, inside of the clip alone") {
  bool shown = true;
  ChangingPage page([&](Canvas& canvas) {
    canvas.push_clip({640, 320, 64, 64});
    if (shown) canvas.fill_rect({0, 0, 1600, 900}, Color::hex(0x0072B2));
    canvas.pop_clip();
  });
  (void)page.draw();
  shown = false;
  CHECK(page.draw() == std::vector<PixelBox>{{640, 320, 704, 384}});
}

TEST_CASE("two that change places, one over the other, have changed") {
  bool first_below = true;
  ChangingPage page([&](Canvas& canvas) {
    const Color blue = Color::hex(0x0072B2), green = Color::hex(0x009E73);
    canvas.fill_rect({320, 320, 32, 32}, first_below ? blue : green);
    canvas.fill_rect({320, 320, 32, 32}, first_below ? green : blue);
  });
  (void)page.draw();
  first_below = false;
  CHECK(page.draw() == std::vector<PixelBox>{{320, 320, 352, 352}});
}

TEST_CASE("changes all over the window become a few boxes, none over another, and all are in one of them") {
  Color color = Color::hex(0x0072B2);
  std::vector<Rect> places;
  for (int i = 0; i < 40; ++i)
    places.push_back({32.f * float(i * 17 % 50), 32.f * float(i * 11 % 28), 30, 30});
  ChangingPage page([&](Canvas& canvas) {
    for (const Rect& place : places) canvas.fill_rect(place, color);
  });
  (void)page.draw();
  color = Color::hex(0x009E73);
  const auto boxes = page.draw();
  CHECK(boxes.size() <= 6);
  CHECK(apart(boxes));
  for (const Rect& place : places) CHECK(covers(boxes, place));
}

TEST_CASE("a texture that is not the font's, and a callback that is not a grid's, change with every frame") {
  ChangingPage page([](Canvas& canvas) { canvas.fill_rect({0, 0, 1600, 900}, Color::hex(0xF4F4F1)); });
  page.behind = [](ImDrawList& list) { list.AddImage(compat::texture_id(7), {64, 64}, {128, 128}); };
  (void)page.draw();
  CHECK(page.draw() == std::vector<PixelBox>{{64, 64, 128, 128}});
  page.behind = [](ImDrawList& list) {
    list.PushClipRect({640, 64}, {704, 128});
    list.AddCallback([](const ImDrawList*, const ImDrawCmd*) {}, nullptr);
    list.PopClipRect();
  };
  (void)page.draw();
  CHECK(page.draw() == std::vector<PixelBox>{{640, 64, 704, 128}});
}

TEST_CASE("a pill under the pointer is drawn anew, not the stage") {
  TiledWindow f;
  ChangedTiles tiles;
  const auto look = [&] { return f.screen.frame(), tiles.update(*ImGui::GetDrawData()); };
  (void)look();
  CHECK(look() == kNothing);
  const Rect pill = f.screen.area("rung/padded");
  f.screen.move(pill.center());
  const auto boxes = look();
  CHECK(covers(boxes, pill));
  CHECK(area_of(boxes) < kWindow.area() / 20);
}

namespace {

constexpr int kWide = 1200, kHigh = 760;

// What happens in a window, one frame after the other.
using Happening = std::function<void(App&, Interaction&)>;

Vec2 middle_of(const Interaction& interaction, const std::string& id) {
  for (const auto& area : interaction.areas())
    if (area.id == id) return area.rect.center();
  FAIL("there is no area " << id);
  return {};
}
Happening point_at(const std::string& id) {
  return [id](App&, Interaction& interaction) {
    const Vec2 at = middle_of(interaction, id);
    compat::mouse_position(ImGui::GetIO(), at.x, at.y);
  };
}
Happening press(bool down) {
  return [down](App&, Interaction&) { compat::mouse_button(ImGui::GetIO(), 0, down); };
}
Happening step_to(int step) {
  return [step](App& app, Interaction&) { app.go_to(step); };
}
void nothing(App&, Interaction&) {}

std::vector<std::uint8_t> pixels() {
  std::vector<std::uint8_t> rgba(std::size_t(kWide) * kHigh * 4);
  glReadPixels(0, 0, kWide, kHigh, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
  return rgba;
}

// The pixels behind each frame.
std::vector<std::vector<std::uint8_t>> play(const Run& run, const std::vector<Happening>& happenings,
                                            bool pixels_kept) {
  FakeRunner runner;
  AppState state;
  state.lab = run.request.lab, state.rung = run.request.rung, state.params = run.request.params;
  App app(state, &runner);
  app.show(run);
  std::vector<std::vector<std::uint8_t>> seen;
  (void)render_offscreen(
      kWide, kHigh, [&] { build_fonts(app.theme().type, ""); },
      [&](GridRenderer& grids) {
        Interaction interaction;
        FramePainter painter;
        for (std::size_t i = 0; i <= happenings.size(); ++i) {
          if (i > 0) happenings[i - 1](app, interaction);
          {
            ImGuiCanvas canvas(1, interaction, &grids);
            const Rect window{0, 0, float(kWide), float(kHigh)};
            const Theme theme = app.theme();
            draw_app(canvas, app, window);
            canvas.finish(theme.panel, theme.line, theme.ink, theme.type, window);
          }
          ImGui::Render();
          painter.paint(*ImGui::GetDrawData(), pixels_kept);
          seen.push_back(pixels());
          ImGui::NewFrame();
        }
      });
  return seen;
}

}  // namespace

TEST_CASE("a cell of a grid with another value, or another colour, changes around the grid") {
  std::array<Color, 256> colors{Color::hex(0xF4F4F1), Color::hex(0x0072B2)};
  std::vector<std::uint8_t> cells{0, 1, 1, 0};
  ChangedTiles tiles;
  std::vector<std::vector<PixelBox>> changed;
  const auto picture = render_offscreen(
      kWide, kHigh, [] { build_fonts(1, ""); },
      [&](GridRenderer& grids) {
        for (const auto& happens : std::vector<std::function<void()>>{
                 [] {}, [] {}, [&] { cells[2] = 0; }, [&] { colors[1] = Color::hex(0x009E73); }}) {
          happens();
          Interaction interaction;
          ImGuiCanvas(1, interaction, &grids).grid("cells", {64, 64, 64, 64}, 2, 2, cells, colors, 0);
          ImGui::Render();
          changed.push_back(tiles.update(*ImGui::GetDrawData()));
          ImGui::NewFrame();
        }
      });
  if (!picture.ok()) {
    MESSAGE("no EGL here");
    return;
  }
  const std::vector<PixelBox> grid{{64, 64, 128, 128}};
  CHECK(changed[1] == kNothing);
  CHECK(changed[2] == grid);
  CHECK(changed[3] == grid);
}

TEST_CASE("what is drawn over the frame before is to the last bit what is drawn all anew") {
  const std::vector<Happening> happenings = {point_at("engine"),
                                             nothing,
                                             press(true),
                                             press(false),
                                             nothing,
                                             point_at("compare"),
                                             press(true),
                                             press(false),
                                             nothing,
                                             step_to(3),
                                             nothing,
                                             step_to(40),
                                             nothing,
                                             [](App& app, Interaction&) { app.help = true; },
                                             nothing,
                                             [](App& app, Interaction&) { app.help = false; },
                                             nothing};
  const Params usual = *complete_params(find_lab("attention")->info(), "flash2", {});
  for (const Run* run : {&emulated("tiled", 128), &emulated_run("attention", "flash2", usual)}) {
    const auto over = play(*run, happenings, true), anew = play(*run, happenings, false);
    REQUIRE(over.size() == anew.size());
    for (std::size_t frame = 0; frame < anew.size(); ++frame) {
      CAPTURE(run->request.lab);
      CAPTURE(frame);
      CHECK(over[frame] == anew[frame]);
    }
  }
}
