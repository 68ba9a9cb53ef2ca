#include "warp_lanes.hpp"

#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"

namespace lockstep {

// A wait has the colour of what is waited for: a level of memory, the tensor cores. Barriers of threads are
// of the same hue as those, and darker: both stand side by side here.
Color state_color(WarpState state) {
  constexpr Color kColors[kWarpStates] = {color::shared,         // selected
                                          Color::hex(0x9AD3BF),  // not_selected
                                          color::hbm,            // long_scoreboard
                                          Color::hex(0x66B99A),  // short_scoreboard
                                          Color::hex(0xA34E82),  // barrier
                                          color::registers,      // math_throttle
                                          Color::hex(0xBFC4C8),  // wait
                                          color::l2,             // lsu_throttle
                                          Color::hex(0x7A828A),  // no_instruction
                                          Color::hex(0x7096C8),  // mbarrier
                                          Color::hex(0x3C5480),  // mbarrier_warps
                                          Color::hex(0xB9CDEA),  // mbarrier_over
                                          color::tensor,         // products
                                          Color::hex(0xB8A0D8),  // mio_throttle
                                          Color::hex(0xE8BFD6),  // gmma
                                          Color::hex(0x8A8F94, 40)};
  return kColors[std::size_t(state)];
}

Message state_label(WarpState state) {
  switch (state) {
    case WarpState::selected:
      return msg("selected");
    case WarpState::not_selected:
      return msg("not selected");
    case WarpState::long_scoreboard:
      return msg("long scoreboard");
    case WarpState::short_scoreboard:
      return msg("short scoreboard");
    case WarpState::barrier:
      return msg("barrier");
    case WarpState::math_throttle:
      return msg("math throttle");
    case WarpState::wait:
      return msg("wait");
    case WarpState::lsu_throttle:
      return msg("LSU throttle");
    case WarpState::no_instruction:
      return msg("no instruction");
    case WarpState::mbarrier:
    case WarpState::mbarrier_warps:
    case WarpState::mbarrier_over:
      return msg("long scoreboard, mbarrier");
    case WarpState::products:
      return msg("barrier, wgmma");
    case WarpState::mio_throttle:
      return msg("MIO throttle");
    case WarpState::gmma:
      return msg("gmma");
    case WarpState::done:
      return msg("done");
  }
  return msg("done");
}

Message state_meaning(WarpState state) {
  switch (state) {
    case WarpState::selected:
      return msg("issues");
    case WarpState::not_selected:
      return msg("could issue");
    case WarpState::long_scoreboard:
      return msg("waits for global memory");
    case WarpState::short_scoreboard:
      return msg("waits for shared memory");
    case WarpState::barrier:
      return msg("waits for its block");
    case WarpState::math_throttle:
      return msg("arithmetic units busy");
    case WarpState::wait:
      return msg("waits a fixed time");
    case WarpState::lsu_throttle:
      return msg("memory queue full");
    case WarpState::no_instruction:
      return msg("waits for its code");
    case WarpState::mbarrier:
      return msg("waits for boxes");
    case WarpState::mbarrier_warps:
      return msg("waits for other warps");
    case WarpState::mbarrier_over:
      return msg("learns that it may go on");
    case WarpState::products:
      return msg("waits for its products");
    case WarpState::mio_throttle:
      return msg("queue of a unit full");
    case WarpState::gmma:
      return msg("waits for its warpgroup");
    case WarpState::done:
      break;
  }
  return msg("has ended");
}

Message state_in_full(WarpState state) {
  switch (state) {
    case WarpState::selected:
      return msg("selected: issues");
    case WarpState::not_selected:
      return msg("not selected: could issue");
    case WarpState::long_scoreboard:
      return msg("long scoreboard: waits for global memory");
    case WarpState::short_scoreboard:
      return msg("short scoreboard: waits for shared memory");
    case WarpState::barrier:
      return msg("barrier: waits for its block");
    case WarpState::math_throttle:
      return msg("math throttle: arithmetic units busy");
    case WarpState::wait:
      return msg("wait: a fixed time, for its last instruction");
    case WarpState::lsu_throttle:
      return msg("LSU throttle: memory queue full");
    case WarpState::no_instruction:
      return msg("no instruction: waits for its code");
    case WarpState::mbarrier:
      return msg("long scoreboard, mbarrier: waits for boxes");
    case WarpState::mbarrier_warps:
      return msg("long scoreboard, mbarrier: waits for other warps");
    case WarpState::mbarrier_over:
      return msg("long scoreboard, mbarrier: learns that it may go on");
    case WarpState::products:
      return msg("barrier, wgmma: waits for its products");
    case WarpState::mio_throttle:
      return msg("MIO throttle: queue of a unit full");
    case WarpState::gmma:
      return msg("gmma: waits for its warpgroup");
    case WarpState::done:
      break;
  }
  return msg("done");
}

WarpState most_common(const SmRun& sm, int first_warp, int end_warp, CycleWindow window) {
  std::array<int, kWarpStates> count{};
  for (int w = first_warp; w < end_warp; ++w)
    for (int c = window.first; c < window.end; ++c) ++count[std::size_t(sm.state(w, c))];
  const auto done = std::size_t(WarpState::done);
  const auto most = std::max_element(count.begin(), count.begin() + std::ptrdiff_t(done));
  return *most ? WarpState(most - count.begin()) : WarpState::done;
}

const std::vector<std::uint8_t>& StateCells::of(const std::vector<int>& warps, CycleWindow window,
                                                int columns) const {
  if (warps_ == warps && window_ == window && columns_ == columns) return cells_;
  warps_ = warps, window_ = window, columns_ = columns;
  cells_.clear();
  cells_.reserve(warps.size() * std::size_t(columns));
  for (const int w : warps)
    for (int x = 0; x < columns; ++x)
      cells_.push_back(std::uint8_t(most_common(sm_, w, w + 1, window.part(x, columns))));
  return cells_;
}

void draw_state_cells(Canvas& canvas, const Theme& theme, const std::string& key, Rect r, int columns,
                      std::span<const std::uint8_t> cells) {
  std::array<Color, 256> colors;
  colors.fill(theme.soft);
  for (int s = 0; s < kWarpStates; ++s)
    if (WarpState(s) != WarpState::done) colors[std::size_t(s)] = state_color(WarpState(s));
  canvas.grid(key, r, columns, int(cells.size()) / columns, cells, colors);
}

void draw_cycles_axis(Canvas& canvas, const Theme& theme, Rect r, CycleWindow window) {
  const PlotAxis axis{"", double(window.first), double(window.end), false};
  const int most = std::max(2, int(r.w / (90 * theme.type)));
  float right = r.x - 100;
  for (const double tick : ticks_of(axis, most)) {
    const float x = r.x + r.w * float((tick - window.first) / window.count());
    const std::string text = grouped(std::int64_t(tick));
    const TextStyle style{Font::mono, 10.5f * theme.type, theme.dim, Align::center};
    const float half = canvas.measure(text, style) / 2;
    if (x - half < right + 6 || tick != std::floor(tick)) continue;
    canvas.text({std::clamp(x, r.x + half, r.right() - half), r.y + 8 * theme.type}, text, style);
    right = x + half;
  }
}

void draw_counts(Canvas& canvas, const Theme& theme, Rect r, std::span<const std::uint8_t> counts,
                 CycleWindow window, int full, Color color) {
  const int columns = window.columns(r.w);
  const float w = r.w / float(columns);
  int most = full;  // in a cycle of this stretch
  for (int c = window.first; c < window.end; ++c) most = std::max(most, int(counts[std::size_t(c)]));
  canvas.line({r.x, r.bottom()}, {r.right(), r.bottom()}, theme.line);
  for (int x = 0; x < columns; ++x) {
    const CycleWindow part = window.part(x, columns);
    int sum = 0;
    for (int c = part.first; c < part.end; ++c) sum += counts[std::size_t(c)];
    const float h = r.h * float(sum) / float(part.count()) / float(most);
    if (h > 0)
      canvas.fill_rect(
          {r.x + float(x) * w, r.bottom() - std::max(h, 1.f), std::max(1.f, w - 1), std::max(h, 1.f)}, color);
  }
}

void draw_slots(Canvas& canvas, const Theme& theme, const char* key, Rect r,
                const std::array<std::vector<std::uint8_t>, kSubCores>& used, CycleWindow window,
                Color color) {
  std::vector<std::uint8_t> values;
  const int columns = window.columns(r.w);
  for (const auto& slot : used)
    for (int x = 0; x < columns; ++x) {
      const CycleWindow part = window.part(x, columns);
      int sum = 0;
      for (int c = part.first; c < part.end; ++c) sum += slot[std::size_t(c)];
      values.push_back(std::uint8_t(255 * sum / part.count()));
    }
  std::array<Color, 256> shades;
  for (int v = 0; v < 256; ++v) shades[std::size_t(v)] = mix(theme.soft, color, float(v) / 255);
  canvas.grid(key, r, columns, kSubCores, values, shades);
}

void draw_iterations(Canvas& canvas, const Theme& theme, const char* key, Rect r,
                     const std::vector<std::vector<int>>& starts, int cycles) {
  const int columns = std::max(1, int(r.w / 2));
  std::vector<std::uint8_t> values;
  for (int s = 0; s < kSubCores; ++s)
    for (std::size_t w = std::size_t(s); w < starts.size(); w += kSubCores)
      for (int x = 0; x < columns; ++x) {
        const int cycle = int(std::int64_t(cycles) * x / columns);
        const auto at = std::upper_bound(starts[w].begin(), starts[w].end(), cycle) - starts[w].begin();
        const bool on = at > 0 && at < std::ptrdiff_t(starts[w].size());
        values.push_back(on ? std::uint8_t(1 + at % 2) : 0);
      }
  std::array<Color, 256> colors;
  colors.fill(theme.soft);
  colors[1] = mix(theme.soft, theme.ink, 0.55f), colors[2] = mix(theme.soft, theme.ink, 0.25f);
  canvas.grid(key, r, columns, int(starts.size()), values, colors, 0);
}

}  // namespace lockstep
