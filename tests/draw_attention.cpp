// The picture of attention, drawn without a screen.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "app/draw/attention_grid.hpp"
#include "app/draw/canvas_svg.hpp"

using namespace lockstep;

namespace {

AttentionPicture picture(bool rows = true, bool output = true) {
  AttentionPicture p;
  p.id = "a", p.title = "scores, 64 × 64";
  p.seq = 64, p.head_dim = 32, p.cells = 64, p.tile_q = 16, p.tile_k = 16;
  p.values.assign(64 * 64, attention_cell::ahead);
  p.block_rows = {16, 16}, p.q_tile = {16, 16}, p.k_tile = {32, 16};
  for (int w = 0; w < 4; ++w) p.shares.push_back({"warp " + std::to_string(w), {16 + 4 * w, 4}, {32, 16}});
  if (rows) p.rows.assign(64, {1.f, 2.f, 0.5f, true});
  if (output) p.outputs.push_back({"O", "what comes out", {16, 16}, std::vector<float>(16 * 32, 0.25f)});
  p.focus = 17;
  return p;
}

struct Drawn {
  Drawn(const AttentionPicture& p, Rect room, float type = 1)
      : canvas(room.right() + 20, room.bottom() + 20, {}) {
    Theme theme = light_theme();
    theme.type = type;
    hit = draw_attention(canvas, theme, room, p);
  }
  int count(std::string_view text) const {
    return int(std::count_if(canvas.texts().begin(), canvas.texts().end(),
                             [&](const auto& drawn) { return drawn.text == text; }));
  }
  SvgCanvas canvas;
  AttentionHit hit;
};

bool overlap(Rect a, Rect b) {
  constexpr float kTouch = 1.5f;
  return std::min(a.right(), b.right()) - std::max(a.x, b.x) > kTouch &&
         std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y) > kTouch;
}

}  // namespace

TEST_CASE("Q, K, V, the scores, the rows and O are named, and no name lies on another or outside") {
  for (const Rect room : {Rect{20, 20, 700, 520}, Rect{20, 20, 460, 420}, Rect{20, 20, 1100, 800}})
    for (const float type : {1.f, 1.5f}) {
      CAPTURE(room.w);
      CAPTURE(type);
      const Drawn drawn(picture(), room, type);
      for (const char* name : {"Q", "K", "V", "O"}) CHECK(drawn.count(name) == 1);
      const auto& texts = drawn.canvas.texts();
      for (std::size_t i = 0; i < texts.size(); ++i) {
        CAPTURE(texts[i].text);
        CHECK(texts[i].rect.x >= room.x - 1);
        CHECK(texts[i].rect.right() <= room.right() + 1);
        CHECK(texts[i].rect.bottom() <= room.bottom() + 1);
        for (std::size_t j = i + 1; j < texts.size(); ++j) {
          CAPTURE(texts[j].text);
          CHECK_FALSE(overlap(texts[i].rect, texts[j].rect));
        }
      }
    }
}

TEST_CASE("what the kernel does not hold is not drawn") {
  const Drawn bare(picture(false, false), {20, 20, 700, 520});
  CHECK(bare.count("m") == 0);
  CHECK(bare.count("O") == 0);
  const Drawn whole(picture(), {20, 20, 700, 520});
  CHECK(whole.count("m") == 1);
  CHECK(whole.count("O") == 1);
}

TEST_CASE(
    "gradients of keys stand below the scores, those of queries beside them, and no name lies on another") {
  AttentionPicture p = picture(true, false);
  for (const char* name : {"dV", "dK"})
    p.outputs.push_back({name, "", {32, 16}, std::vector<float>(16 * 32, 0.5f), true});
  p.columns = {{{"l", "", false}, {"D", "", false}, {"", "", false}}};
  const Drawn keys(p, {20, 20, 700, 620});
  for (const char* name : {"dV", "dK", "l", "D"}) CHECK(keys.count(name) == 1);
  for (const char* name : {"O", "m", "factor"}) CHECK(keys.count(name) == 0);
  for (std::size_t i = 0; i < keys.canvas.texts().size(); ++i)
    for (std::size_t j = i + 1; j < keys.canvas.texts().size(); ++j)
      CHECK_FALSE(overlap(keys.canvas.texts()[i].rect, keys.canvas.texts()[j].rect));
  CHECK(keys.hit.below.y > 20 + 22 + 2 * 24);
}

TEST_CASE("a probability has a colour of its own: 0, small and 1 can be told apart in both themes") {
  for (const Theme* theme : {&light_theme(), &dark_theme()}) {
    const Color zero = attention_color(*theme, attention_cell::score(0)),
                small = attention_color(*theme, attention_cell::score(0.02)),
                one = attention_color(*theme, attention_cell::score(1)),
                ahead = attention_color(*theme, attention_cell::ahead),
                hidden = attention_color(*theme, attention_cell::hidden);
    const auto apart = [](Color a, Color b) {
      return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b);
    };
    CHECK(apart(zero, ahead) > 10);
    CHECK(apart(zero, small) > 10);
    CHECK(apart(small, one) > 40);
    CHECK(apart(hidden, ahead) > 25);
    CHECK(one == color::registers);
  }
  CHECK(attention_cell::score(NAN) == attention_cell::score(0));
  CHECK(attention_cell::score(INFINITY) == attention_cell::score(1));
}

TEST_CASE("values of any kind are drawn: NaN, infinities, a picture without rows or sizes") {
  AttentionPicture p = picture();
  p.rows[17].m = INFINITY, p.rows[18].l = NAN, p.outputs[0].values[3] = NAN;
  p.outputs[0].values[4] = -INFINITY;
  CHECK(Drawn(p, {20, 20, 700, 520}).canvas.texts().size() > 8);
  CHECK(Drawn(AttentionPicture{}, {20, 20, 700, 520}).canvas.texts().empty());
  p.values.clear(), p.cells = 7;
  CHECK(Drawn(p, {20, 20, 50, 30}).canvas.texts().size() > 0);
}
