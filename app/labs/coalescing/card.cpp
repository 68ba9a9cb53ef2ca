// The card: a warp's lanes, and the bytes of the lines that they touch; what is fetched unused stays pale.
#include <algorithm>
#include <array>
#include <bit>

#include "scene.hpp"

namespace lockstep {
namespace {

constexpr int kWords = 32, kWordBytes = 4, kSectorWords = 8;
enum Word : std::uint8_t { kLeft, kFetched, kUsed };

std::vector<std::uint8_t> words_of(const TouchedLine& line) {
  std::vector<std::uint8_t> words;
  for (int w = 0; w < kWords; ++w) {
    const std::uint32_t used = line.used[std::size_t(w / kSectorWords)];
    const bool here = used >> (w % kSectorWords * kWordBytes) & 0xf;
    words.push_back(here ? kUsed : used ? kFetched : kLeft);
  }
  return words;
}

}  // namespace

void CoalescingScene::card(Canvas& canvas, const StageInput& in) const {
  const Step* step = steps.at(in.view.step);
  if (!step || step->barrier) return;
  const GlobalAccess access = access_of(step->instruction);
  auto lines = touched_lines(access);
  if (lines.empty()) return;
  constexpr std::size_t kMostLines = 12;
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  const Rect r = in.area;
  const float lane_h = 10, w = r.w / kWords;
  const float row_h = std::min(18.f, (r.h - lane_h - 26) / float(lines.size()));
  const float top = r.bottom() - row_h * float(lines.size());
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!(access.lanes >> lane & 1)) continue;
    const float x = r.x + (float(lane) + 0.5f) * w;
    canvas.fill_rect({x - w / 2 + 1, r.y, w - 2, lane_h}, color::registers, 2);
    const std::uint32_t byte = access.offset[std::size_t(lane)], bytes = kWords * kWordBytes;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (byte / bytes != lines[i].first_byte / bytes) continue;
      const float to_x = r.x + (float(byte % bytes) / kWordBytes + 0.5f) * w, to_y = top + float(i) * row_h;
      const float bend = (to_y - r.y - lane_h) * 0.5f;
      canvas.curve({x, r.y + lane_h + 1}, {x, r.y + lane_h + bend}, {to_x, to_y - bend}, {to_x, to_y},
                   color::hbm.with_alpha(0.55f), 1);
    }
  }
  std::array<Color, 256> colors;
  colors.fill(in.theme.soft);
  colors[kFetched] = mix(in.theme.panel, color::hbm, in.theme.dark ? 0.34f : 0.22f);
  colors[kUsed] = color::hbm;
  std::vector<std::uint8_t> values;
  for (const TouchedLine& line : lines)
    for (const std::uint8_t word : words_of(line)) values.push_back(word);
  canvas.grid("lines", {r.x, top, r.w, r.bottom() - top}, kWords, int(lines.size()), values, colors, 1.5f);
}

}  // namespace lockstep
