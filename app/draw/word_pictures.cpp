#include "word_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace lockstep {
namespace {

struct Pen {
  Canvas& canvas;
  const Theme& theme;
  std::string_view word;
  Rect r;

  Color pale(Color c) const { return mix(theme.panel, c, 0.35f); }
  // Words are names of the machine's, the same in every language.
  void label(Vec2 at, std::string_view text, Align align = Align::center, bool dim = true) const {
    canvas.text(at, text, {Font::mono, 9.5f * theme.type, dim ? theme.dim : theme.ink, align});
  }
  void box(Rect b, Color c, bool full = true) const { canvas.fill_rect(b, full ? c : pale(c), 2); }
  // Cell i of n side by side over the width of `b`.
  static Rect cell(Rect b, int i, int n, float gap = 2) {
    const float w = b.w / float(n);
    return {b.x + float(i) * w + gap / 2, b.y, w - gap, b.h};
  }
  Rect row(int i, int n, float gap = 4) const {
    const float h = r.h / float(n);
    return {r.x, r.y + float(i) * h + gap / 2, r.w, h - gap};
  }
  void arrow(Vec2 from, Vec2 to, Color c) const {
    canvas.line(from, to, c, 1.5f);
    const float dx = to.x - from.x, dy = to.y - from.y, d = std::max(1.f, std::sqrt(dx * dx + dy * dy));
    const Vec2 u{dx / d, dy / d};
    const Vec2 head[] = {to,
                         {to.x - 6 * u.x - 3 * u.y, to.y - 6 * u.y + 3 * u.x},
                         {to.x - 6 * u.x + 3 * u.y, to.y - 6 * u.y - 3 * u.x}};
    canvas.fill_polygon(head, c);
  }
  // A strip of lanes, those of `lit` in full colour.
  template <class Lit>
  void lanes(Rect at, int n, Color c, Lit lit) const {
    for (int i = 0; i < n; ++i) box(cell(at, i, n), c, lit(i));
  }
};

constexpr int kLanes = 32, kDrawn = 16;  // drawn: of a warp where 32 would be dust

// 32 lanes of a warp: one of them, a part of them, two branches, or one that reads another.
void draw_lanes(const Pen& p) {
  const Rect middle{p.r.x, p.r.y + p.r.h * 0.38f, p.r.w, p.r.h * 0.26f};
  const auto strip = [&](Rect at, auto lit) { p.lanes(at, kLanes, color::registers, lit); };
  if (p.word == "divergence") {
    strip({p.r.x, p.r.y + p.r.h * 0.14f, p.r.w, p.r.h * 0.26f}, [](int i) { return i < 12; });
    strip({p.r.x, p.r.y + p.r.h * 0.58f, p.r.w, p.r.h * 0.26f}, [](int i) { return i >= 12; });
    p.label({p.r.x, p.r.y + 4}, "if", Align::left),
        p.label({p.r.x, p.r.y + p.r.h * 0.5f}, "else", Align::left);
    return;
  }
  const bool one = p.word == "lane", masked = p.word == "predicate";
  strip(middle, [&](int i) { return one ? i == 11 : !masked || i < 23; });
  p.label({middle.x, middle.bottom() + 10}, "0", Align::left);
  p.label({middle.right(), middle.bottom() + 10}, "31", Align::right);
  if (one) p.label({Pen::cell(middle, 11, kLanes).center().x, middle.y - 9}, "11", Align::center, false);
  if (p.word == "shuffle") {
    const Vec2 from{Pen::cell(middle, 24, kLanes).center().x, middle.y},
        to{Pen::cell(middle, 8, kLanes).center().x, middle.y};
    p.canvas.curve(from, {from.x, p.r.y - 4}, {to.x, p.r.y - 4}, to, p.theme.ink, 1.5f);
    p.arrow({to.x, to.y - 7}, to, p.theme.ink);
  }
}

// Blocks of a grid; of one its threads; or a grid that strides over the data.
void draw_grid(const Pen& p) {
  if (p.word == "grid-stride loop") {
    for (int pass = 0; pass < 3; ++pass) {
      const float w = p.r.w / 3;
      p.lanes({p.r.x + float(pass) * w, p.r.y + p.r.h * 0.5f, w - 4, p.r.h * 0.24f}, 8, color::l2,
              [](int i) { return i == 2; });
      if (pass == 2) continue;
      const float x = p.r.x + float(pass) * w + w * 0.31f, y = p.r.y + p.r.h * 0.46f;
      p.canvas.curve({x, y}, {x, y - 26}, {x + w, y - 26}, {x + w, y}, p.theme.ink, 1.5f);
      p.arrow({x + w, y - 7}, {x + w, y}, p.theme.ink);
    }
    return;
  }
  constexpr int kColumns = 6, kRows = 3;
  for (int row = 0; row < kRows; ++row)
    for (int col = 0; col < kColumns; ++col) {
      const Rect b = Pen::cell(p.row(row, kRows), col, kColumns, 5);
      const bool lit = p.word == "grid" || (row == 1 && col == 2);
      p.box(b, color::l2, lit);
      if (!lit || p.word == "grid") continue;
      for (int t = 0; t < 8; ++t)  // its threads
        p.box(Pen::cell({b.x + 3, b.center().y - 4, b.w - 6, 8}, t, 8, 1.5f), p.theme.panel);
    }
}

// The levels one above the other, the wider the larger; the word's own in full.
void draw_levels(const Pen& p) {
  struct Level {
    const char* name;
    Color color;
    float share;
  };
  constexpr std::array<Level, 6> kLevels{{{"FMA", color::tensor, 0.26f},
                                          {"registers", color::registers, 0.4f},
                                          {"shared", color::shared, 0.54f},
                                          {"L1", color::l1, 0.54f},
                                          {"L2", color::l2, 0.78f},
                                          {"HBM", color::hbm, 1}}};
  const auto is_meant = [&](std::string_view level) {
    if (p.word == "SM") return level != "L2" && level != "HBM";
    if (p.word == "register") return level == "registers";
    if (p.word == "shared memory") return level == "shared";
    if (p.word == "global memory") return level == "HBM";
    if (p.word == "tensor core") return level == "FMA";
    return p.word == level;
  };
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    const Rect all = p.row(int(i), int(kLevels.size()), 2);
    const bool meant = is_meant(kLevels[i].name);
    const float w = all.w * kLevels[i].share;
    const Rect b{all.center().x - w / 2, all.y, w, all.h};
    p.box(b, kLevels[i].color, meant);
    const Color ink = meant ? Theme::on(kLevels[i].color) : p.theme.dim;
    const bool tensor = i == 0 && p.word == "tensor core";
    p.canvas.text(b.center(), tensor ? "mma" : kLevels[i].name,
                  {Font::mono, 9.5f * p.theme.type, ink, Align::center});
  }
}

// A scheduler's warps over cycles: waiting, ready, issuing.
void draw_scheduler(const Pen& p) {
  constexpr int kWarps = 4, kCycles = 18;
  const bool short_wait = p.word == "short scoreboard";
  const Color wait = short_wait ? Color::hex(0x66B99A) : color::hbm, ready = Color::hex(0x9AD3BF);
  for (int w = 0; w < kWarps; ++w)
    for (int c = 0; c < kCycles; ++c) {
      const int phase = (c + 5 * w) % 10;
      const bool issues = phase == 0, eligible = phase == 9 || phase == 1;
      const Color state = issues ? color::shared : eligible ? ready : wait;
      const bool asked = p.word == "eligible"                              ? eligible
                         : p.word == "issue slot" || p.word == "scheduler" ? issues
                                                                           : !issues && !eligible;
      p.box(Pen::cell(p.row(w, kWarps, 5), c, kCycles, 1.5f), state, asked);
    }
}

// Lanes above the sectors that they touch.
void draw_sectors(const Pen& p) {
  constexpr int kSectors = 8;
  const Rect lanes{p.r.x, p.r.y, p.r.w, p.r.h * 0.18f},
      below{p.r.x, p.r.y + p.r.h * 0.62f, p.r.w, p.r.h * 0.24f};
  const bool coalesced = p.word == "coalescing", line = p.word == "cache line";
  const auto fetched = [&](int s) { return line ? s >= 4 : coalesced ? s >= 2 && s < 6 : s == 3; };
  for (int s = 0; s < kSectors; ++s) p.box(Pen::cell(below, s, kSectors, 3), color::l2, fetched(s));
  if (line)
    p.canvas.stroke_rect({below.center().x, below.y - 3, below.w / 2, below.h + 6}, p.theme.ink, 1.5f, 3);
  p.label({p.r.x, below.bottom() + 9}, "32 B", Align::left);
  if (line) p.label({p.r.right(), below.bottom() + 9}, "128 B", Align::right);
  if (line) return;
  const int used = coalesced ? kDrawn : 4;
  const float from = coalesced ? p.r.w * 0.25f : p.r.w * 0.375f,
              span = coalesced ? p.r.w * 0.5f : p.r.w * 0.125f;
  p.lanes(lanes, kDrawn, color::registers, [&](int i) { return coalesced || (i >= 6 && i < 10); });
  for (int i = 0; i < used; ++i) {
    const int lane = coalesced ? i : 6 + i;
    const float to = p.r.x + from + span * (float(i) + 0.5f) / float(used);
    p.canvas.line({Pen::cell(lanes, lane, kDrawn).center().x, lanes.bottom() + 2}, {to, below.y - 2},
                  p.theme.dim, 1);
  }
}

// Lanes above banks: one each, several on one, or all on one word.
void draw_banks_of(const Pen& p) {
  const Rect lanes{p.r.x, p.r.y, p.r.w, p.r.h * 0.18f},
      banks{p.r.x, p.r.y + p.r.h * 0.66f, p.r.w, p.r.h * 0.2f};
  const bool conflict = p.word == "bank conflict", broadcast = p.word == "broadcast";
  const Color hot = conflict ? color::trouble : color::shared;
  const auto bank_of = [&](int lane) { return broadcast ? 5 : conflict && lane < 4 ? 5 : lane; };
  p.lanes(lanes, kDrawn, color::registers, [](int) { return true; });
  for (int b = 0; b < kDrawn; ++b) {
    const bool meant = conflict || broadcast ? b == 5 : p.word != "bank" || b == 5;
    p.box(Pen::cell(banks, b, kDrawn), meant ? hot : color::shared, meant);
  }
  for (int i = 0; i < kDrawn; ++i) {
    if (conflict && i >= 4 && i % 2) continue;
    const bool bad = conflict && i < 4;
    p.canvas.line({Pen::cell(lanes, i, kDrawn).center().x, lanes.bottom() + 2},
                  {Pen::cell(banks, bank_of(i), kDrawn).center().x, banks.y - 2}, bad ? hot : p.theme.dim, 1);
  }
  p.label({p.r.x, banks.bottom() + 9}, "bank 0", Align::left);
  p.label({p.r.right(), banks.bottom() + 9}, "15", Align::right);
}

// A tile's rows over the banks, with the elements of one column lit: below each other, moved on by a pad, or
// by XOR.
void draw_rows_in_banks(const Pen& p, bool pads) {
  constexpr int kRows = 8, kBanks = 8, kColumn = 2, kPitch = 9;  // of a padded row, in words
  const float side = std::min(p.r.h / kRows, p.r.w / (kBanks + 1));
  const float x = p.r.center().x - side * kBanks / 2;
  for (int row = 0; row < kRows; ++row)
    for (int bank = 0; bank < kBanks; ++bank) {
      const int in_row = pads ? (row * kBanks + bank) % kPitch : bank ^ row;
      const bool pad = pads && in_row == kPitch - 1;
      const Rect b{x + float(bank) * side, p.r.y + float(row) * side, side - 2, side - 2};
      p.canvas.fill_rect(b,
                         in_row == kColumn ? color::shared
                         : pad             ? p.theme.line
                                           : p.pale(color::shared),
                         1.5f);
    }
}

// A matrix and the piece of it that is close at hand.
void draw_tile(const Pen& p) {
  const float side = p.r.h;
  const Rect whole{p.r.x + p.r.w * 0.12f, p.r.y, side, side};
  constexpr int kTiles = 4;
  for (int i = 0; i < kTiles * kTiles; ++i) {
    const float s = side / kTiles;
    p.box({whole.x + float(i % kTiles) * s, whole.y + float(i / kTiles) * s, s - 2, s - 2}, color::hbm,
          i == 6);
  }
  const Rect near{p.r.right() - p.r.w * 0.12f - side * 0.6f, p.r.y + side * 0.2f, side * 0.6f, side * 0.6f};
  p.box(near, color::shared);
  p.arrow({whole.right() + 6, near.center().y}, {near.x - 6, near.center().y}, p.theme.ink);
}

// Warps that come to a barrier, and go on together.
void draw_barrier(const Pen& p) {
  constexpr std::array<float, 4> kArrives{0.3f, 0.5f, 0.22f, 0.42f};
  const float at = p.r.x + p.r.w * 0.58f;
  for (int i = 0; i < int(kArrives.size()); ++i) {
    const Rect row = p.row(i, int(kArrives.size()), 8);
    const float arrives = p.r.x + p.r.w * kArrives[std::size_t(i)];
    p.box({p.r.x, row.y, arrives - p.r.x, row.h}, color::shared);
    p.box({arrives, row.y, at - arrives - 2, row.h}, color::barrier, false);
    p.box({at + 3, row.y, p.r.right() - at - 3, row.h}, color::shared);
  }
  p.canvas.line({at, p.r.y}, {at, p.r.bottom()}, color::barrier, 2.5f);
}

// The places of an SM, and how many are taken.
void draw_occupancy_of(const Pen& p) {
  constexpr int kColumns = 16, kRows = 4, kTaken = 40;
  for (int i = 0; i < kColumns * kRows; ++i) {
    const Rect b = Pen::cell(p.row(i / kColumns, kRows, 4), i % kColumns, kColumns, 3);
    const bool one = p.word == "resident warp" && i == 21;
    p.canvas.fill_rect(b, i < kTaken ? color::l2 : p.theme.soft, 2);
    if (one) p.canvas.stroke_rect(b.inset(-1.5f), p.theme.ink, 1.5f, 3);
  }
}

void draw_roof(const Pen& p) {
  const Vec2 origin{p.r.x + 10, p.r.bottom() - 8}, ridge{p.r.x + p.r.w * 0.48f, p.r.y + 14};
  p.canvas.line({origin.x, p.r.y}, origin, p.theme.dim, 1),
      p.canvas.line(origin, {p.r.right(), origin.y}, p.theme.dim, 1);
  p.canvas.line(origin, ridge, color::hbm, 2.5f);
  p.canvas.line(ridge, {p.r.right(), ridge.y}, color::tensor, 2.5f);
  const Vec2 kernel{p.r.x + p.r.w * 0.32f, p.r.y + p.r.h * 0.62f};
  p.canvas.fill_circle(kernel, 4, p.theme.ink);
  if (p.word == "arithmetic intensity") p.canvas.line(kernel, {kernel.x, origin.y}, p.theme.ink, 1, 3);
  p.label({p.r.right(), origin.y - 9}, "FLOP/B", Align::right);
  p.label({origin.x + 6, p.r.y + 5}, "FLOP/s", Align::left);
}

// An 8 x 8 piece of a matrix: what lane 5 holds of it, one pair of 32.
void draw_fragment(const Pen& p) {
  constexpr int kSide = 8, kLane = 5;
  const float side = p.r.h / kSide, x = p.r.center().x - p.r.h / 2;
  for (int row = 0; row < kSide; ++row)
    for (int col = 0; col < kSide; ++col) {
      const bool whole_row = p.word == "ldmatrix" && row == 1, all = p.word == "mma";
      const bool held = row * 4 + col / 2 == kLane;
      const Rect b{x + float(col) * side, p.r.y + float(row) * side, side - 2, side - 2};
      p.box(b, held && !all ? color::registers : color::tensor, held || whole_row || all);
    }
  if (p.word == "fragment") p.label({x + p.r.h + 12, p.r.y + 1.5f * side}, "lane 5", Align::left);
}

// Two buffers: one is filled while the other is used.
void draw_pipeline(const Pen& p) {
  for (int buffer = 0; buffer < 2; ++buffer) {
    const Rect row = p.row(buffer, 2, 14);
    for (int i = 0; i < 6; ++i)
      p.box(Pen::cell(row, i, 6, 4), (i + buffer) % 2 ? color::shared : color::hbm, true);
  }
}

// Kernels in queues; of a graph, what waits for what.
void draw_streams(const Pen& p) {
  if (p.word == "CUDA graph") {
    const Rect a{p.r.x, p.r.center().y - 10, p.r.w * 0.2f, 20}, d{p.r.right() - p.r.w * 0.2f, a.y, a.w, a.h};
    for (const float y : {p.r.y + 4, p.r.bottom() - 24}) {
      const Rect b{p.r.center().x - a.w / 2, y, a.w, 20};
      p.arrow({a.right(), a.center().y}, {b.x - 2, b.center().y}, p.theme.dim);
      p.arrow({b.right(), b.center().y}, {d.x - 2, d.center().y}, p.theme.dim);
      p.box(b, color::l2);
    }
    return p.box(a, color::l2), p.box(d, color::l2);
  }
  for (int stream = 0; stream < 2; ++stream) {
    const Rect row = p.row(stream, 2, 18);
    p.canvas.line({row.x, row.center().y}, {row.right(), row.center().y}, p.theme.line, 2);
    for (int i = 0; i < 3; ++i)
      p.box({row.x + p.r.w * (0.04f + 0.3f * float(i) + 0.1f * float(stream)), row.y, p.r.w * 0.22f, row.h},
            stream ? color::registers : color::l2);
  }
}

// The largest value and the sum so far, carried from tile to tile.
void draw_online(const Pen& p) {
  constexpr std::array<float, 12> kScores{0.3f, 0.5f,  0.4f, 0.2f, 0.45f, 0.7f,
                                          0.6f, 0.35f, 0.9f, 0.5f, 0.65f, 0.4f};
  float most = 0, before = p.r.x;
  for (int tile = 0; tile < 3; ++tile) {
    for (int i = 0; i < 4; ++i) {
      const float score = kScores[std::size_t(tile * 4 + i)];
      const Rect b = Pen::cell(p.r, tile * 4 + i, 12, 4);
      p.box({b.x, p.r.bottom() - p.r.h * score, b.w, p.r.h * score}, color::l2, tile == 2);
      most = std::max(most, score);
    }
    const float end = p.r.x + p.r.w * float(tile + 1) / 3, y = p.r.bottom() - p.r.h * most;
    p.canvas.line({before, y}, {end, y}, color::registers, 2);
    before = end;
  }
}

void draw_ladder_of(const Pen& p) {
  constexpr std::array<float, 4> kTimes{1, 0.62f, 0.3f, 0.2f};
  for (int i = 0; i < int(kTimes.size()); ++i) {
    const Rect row = p.row(i, int(kTimes.size()), 10);
    p.canvas.fill_rect(row, p.theme.soft, 3);
    const bool meant = p.word != "rung" || i == 2;
    p.canvas.fill_rect({row.x, row.y, row.w * kTimes[std::size_t(i)], row.h},
                       meant ? p.theme.ink : p.theme.line, 3);
  }
}

void draw_path(const Pen& p) {
  constexpr std::array<Color, 4> kPlaces{color::hbm, color::l2, color::shared, color::registers};
  constexpr std::array<float, 3> kBands{0.16f, 0.16f, 0.5f};
  const float w = p.r.w / 5.5f, step = (p.r.w - w) / 3;
  for (int i = 0; i < 3; ++i) {
    const float h = p.r.h * kBands[std::size_t(i)];
    p.canvas.fill_rect({p.r.x + float(i) * step + w, p.r.center().y - h / 2, step - w, h},
                       p.pale(kPlaces[std::size_t(i + 1)]));
  }
  for (int i = 0; i < 4; ++i)
    p.canvas.stroke_rect({p.r.x + float(i) * step, p.r.y + 6, w, p.r.h - 12}, kPlaces[std::size_t(i)], 2, 4);
}

struct Picture {
  std::string_view name;
  void (*draw)(const Pen& pen);
};
constexpr Picture kPictures[] = {{"lanes", draw_lanes},
                                 {"grid", draw_grid},
                                 {"tower", draw_levels},
                                 {"scheduler", draw_scheduler},
                                 {"sectors", draw_sectors},
                                 {"banks", draw_banks_of},
                                 {"padding", [](const Pen& p) { draw_rows_in_banks(p, true); }},
                                 {"swizzle", [](const Pen& p) { draw_rows_in_banks(p, false); }},
                                 {"tile", draw_tile},
                                 {"barrier", draw_barrier},
                                 {"occupancy", draw_occupancy_of},
                                 {"roofline", draw_roof},
                                 {"fragment", draw_fragment},
                                 {"pipeline", draw_pipeline},
                                 {"streams", draw_streams},
                                 {"online", draw_online},
                                 {"ladder", draw_ladder_of},
                                 {"river", draw_path}};

const Picture* picture_named(std::string_view name) {
  const auto at = std::find_if(std::begin(kPictures), std::end(kPictures),
                               [&](const Picture& one) { return one.name == name; });
  return at == std::end(kPictures) ? nullptr : at;
}

}  // namespace

std::span<const std::string_view> word_pictures() {
  static const auto names = [] {
    std::array<std::string_view, std::size(kPictures)> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kPictures[i].name;
    return all;
  }();
  return names;
}

bool has_word_picture(std::string_view picture) { return picture_named(picture) != nullptr; }

void draw_word_picture(Canvas& canvas, const Theme& theme, std::string_view picture, std::string_view word,
                       Rect r) {
  if (const Picture* one = picture_named(picture)) one->draw({canvas, theme, word, r});
}

}  // namespace lockstep
