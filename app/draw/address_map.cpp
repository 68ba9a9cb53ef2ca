#include "address_map.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "flights.hpp"

namespace lockstep {
namespace {

constexpr int kLanes = 32, kBanks = 32, kSectorBytes = 32;
constexpr float kBend = 0.45f;  // of the curves from lanes to their targets

struct Sector {
  float x = 0;             // centre
  std::uint32_t used = 0;  // a bit per byte
};

bool active(const AddressPicture& p, int lane) { return p.lanes >> lane & 1; }

float lane_x(Rect r, int lane) { return r.x + r.w * (float(lane) + 0.5f) / kLanes; }

// Every how many of 32 columns a number is written.
int label_step(const Canvas& canvas, const TextStyle& style, float column) {
  const float widest = canvas.measure("28", style) + 4;
  return 4 * column >= widest ? 4 : 8 * column >= widest ? 8 : 16;
}

// The lanes as a row of squares, some numbered; gives the hovered one.
std::optional<int> draw_lanes(Canvas& canvas, const Theme& theme, Rect r, const AddressPicture& p,
                              Color level) {
  const float w = r.w / kLanes, type = theme.type;
  const TextStyle number{Font::mono, 9.5f * type, theme.dim, Align::center};
  const int every = label_step(canvas, number, w);
  for (int lane = 0; lane < kLanes; ++lane) {
    const Rect square{lane_x(r, lane) - w / 2 + 1, r.y, w - 2, r.h};
    canvas.fill_rect(square, active(p, lane) ? level : theme.soft, 2);
    if (lane % every == 0) canvas.text({lane_x(r, lane), r.y - 8 * type}, std::to_string(lane), number);
  }
  if (const Hit hit = canvas.hit(p.id + "/lanes", r); hit.hovered)
    return std::clamp(int((hit.pointer.x - r.x) / w), 0, kLanes - 1);
  return {};
}

void connect(Canvas& canvas, Vec2 from, Vec2 to, Color color, float width) {
  const float bend = (to.y - from.y) * kBend;
  canvas.curve(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to, color, width);
}

// 32 banks with one bar per bank: as tall as there are different words wanted from it.
void draw_bank_targets(Canvas& canvas, const Theme& theme, Rect r, const AddressPicture& p,
                       std::map<int, std::vector<std::uint32_t>>& words) {
  const float w = r.w / kBanks, type = theme.type;
  const TextStyle number{Font::mono, 9.5f * type, theme.dim, Align::center};
  const int every = label_step(canvas, number, w);
  std::size_t most = 1;
  for (auto& [bank, list] : words) most = std::max(most, list.size());
  const float unit = std::min(7.f * type, (r.h - 22 * type) / float(most));
  const float numbers_y = std::min(r.bottom() - 7 * type, r.y + 7 + float(most) * unit + 10 * type);
  for (int bank = 0; bank < kBanks; ++bank) {
    const float x = r.x + (float(bank) + 0.5f) * w;
    canvas.fill_rect({x - w / 2 + 1, r.y, w - 2, 5}, theme.soft,
                     1);  // the bank; below it what is wanted of it
    if (bank % every == 0) canvas.text({x, numbers_y}, std::to_string(bank), number);
    if (!words.contains(bank)) continue;
    for (std::size_t k = 0; k < words[bank].size(); ++k)
      canvas.fill_rect({x - w / 2 + 1, r.y + 7 + float(k) * unit, w - 2, std::max(1.f, unit - 1)},
                       int(k) < p.wanted ? color::shared : color::trouble, 1);
  }
}

void draw_sector_targets(Canvas& canvas, const Theme& theme, Rect r,
                         const std::map<std::uint32_t, Sector>& sectors, float w) {
  for (const auto& [number, sector] : sectors) {
    const Rect box{sector.x - w / 2 + 1, r.y, std::max(2.f, w - 2), 16 * theme.type};
    canvas.fill_rect(box, theme.soft, 2);
    for (int first = 0; first < kSectorBytes;) {  // each stretch of used bytes where it is
      const int length = std::countr_one(sector.used >> first);
      if (length > 0)
        canvas.fill_rect({box.x + box.w * float(first) / kSectorBytes, box.y,
                          box.w * (float(length) / kSectorBytes), box.h},
                         color::hbm, 2);
      first += std::max(1, length);
    }
    canvas.stroke_rect(box, ~sector.used ? color::trouble : color::hbm, 1, 2);
  }
}

// Beside each other where there is room, else below; returns the height.
float draw_titles(Canvas& canvas, const Theme& theme, Rect r, const AddressPicture& p) {
  const float type = theme.type;
  const TextStyle title{Font::words_semibold, 13.5f * type, theme.ink},
      subtitle{Font::words, 11.5f * type, theme.dim};
  canvas.text_fit({r.x, r.y + 10 * type}, p.title, title, r.w);
  const float x = canvas.measure(p.title, title) + 14 * type;
  if (x + canvas.measure(p.subtitle, subtitle) <= r.w) {
    canvas.text({r.x + x, r.y + 10 * type}, p.subtitle, subtitle);
    return 20 * type;
  }
  canvas.text_fit({r.x, r.y + 28 * type}, p.subtitle, subtitle, r.w);
  return 36 * type;
}

}  // namespace

std::optional<int> draw_addresses(Canvas& canvas, const Theme& theme, Rect r, const AddressPicture& p) {
  canvas.landmark(p.shared ? "lanes to banks" : "lanes to sectors", r);
  const float type = theme.type;
  const float top = r.y + draw_titles(canvas, theme, r, p) + 24 * type;
  if (!p.lanes || r.bottom() - top < 56 * type) return {};
  const Rect lanes{r.x, top, r.w, 12 * type};
  const float span = std::min(r.bottom() - lanes.bottom(), 250 * type);
  const Rect targets{r.x, lanes.bottom() + span * 0.45f, r.w, span * 0.55f};
  const Color level = p.shared ? color::shared : color::hbm;
  std::map<std::uint32_t, Sector> sectors;
  std::map<int, std::vector<std::uint32_t>> words;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!active(p, lane)) continue;
    if (p.shared) {
      for (int b = 0; b < p.width; b += 4) {
        auto& list = words[int(p.offset[lane] + b) / 4 % kBanks];
        const std::uint32_t word = (p.offset[lane] + std::uint32_t(b)) / 4;
        if (p.one_by_one || std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
      }
    } else {
      for (std::uint32_t b = p.offset[lane]; b < p.offset[lane] + std::uint32_t(p.width); ++b)
        sectors[b / kSectorBytes].used |= 1u << b % kSectorBytes;
    }
  }
  const float sector_w = sectors.empty() ? 0 : std::min(r.w / float(sectors.size()), r.w / 4);
  float x = r.x + r.w / 2 - sector_w * float(sectors.size()) / 2 + sector_w / 2;
  for (auto& [sector, t] : sectors) t.x = x, x += sector_w;

  const auto hovered = draw_lanes(canvas, theme, lanes, p, level);
  const auto target_of = [&](int lane) {
    return p.shared ? r.x + r.w * (float(p.offset[lane] / 4 % kBanks) + 0.5f) / kBanks
                    : sectors[p.offset[lane] / kSectorBytes].x +
                          (float(p.offset[lane] % kSectorBytes + std::uint32_t(p.width) / 2) / kSectorBytes -
                           0.5f) *
                              sector_w;
  };
  for (int lane = 0; lane < kLanes; ++lane)
    if (active(p, lane)) {
      const bool bad = p.shared && int(words[int(p.offset[lane] / 4) % kBanks].size()) > p.wanted;
      const bool strong = hovered == lane;
      const Vec2 from{lane_x(lanes, lane), lanes.bottom() + 2}, to{target_of(lane), targets.y - 2};
      const float come = flight_progress(p.turn[std::size_t(lane)], p.turns, p.motion);
      connect(canvas, from, to,
              strong ? theme.ink : (bad ? color::trouble : level).with_alpha(come < 1 ? 0.2f : 0.55f),
              strong ? 2.f : 1.f);
      if (come > 0 && come < 1)
        draw_falling_word(canvas, from, to, kBend, p.loads ? 1 - come : come, 6 * type);
    }
  if (p.shared)
    draw_bank_targets(canvas, theme, targets, p, words);
  else
    draw_sector_targets(canvas, theme, targets, sectors, sector_w);
  return hovered;
}

}  // namespace lockstep
