// The card: from every lane to its bank, and the wavefronts that this takes.
#include <algorithm>
#include <array>

#include "scene.hpp"

namespace lockstep {

void BanksScene::card(Canvas& canvas, const StageInput& in) const {
  const Step* step = steps.at(in.view.step);
  if (!step || !is_shared_access(*step)) return;
  constexpr int kBanks = 32;
  const SharedAccess a = shared_access_of(*step, true);
  const bool conflict = a.wavefronts > a.fewest;
  const Rect r = in.area;
  const float w = r.w / kBanks, bank_y = r.y + r.h * 0.5f, cell_h = r.h * 0.17f;
  const Color level = conflict ? color::trouble : color::shared;
  std::array<bool, kBanks> wanted{};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!(a.lanes >> lane & 1)) continue;
    const std::size_t bank = a.offset[std::size_t(lane)] / 4 % kBanks;
    wanted[bank] = true;
    const float x = r.x + (float(lane) + 0.5f) * w, to = r.x + (float(bank) + 0.5f) * w, bend = r.h * 0.24f;
    const bool now = a.wavefront[std::size_t(lane)] == a.now;
    canvas.curve({x, r.y}, {x, r.y + bend}, {to, bank_y - bend}, {to, bank_y},
                 level.with_alpha(now ? 1 : 0.5f), now ? 2 : 1);
  }
  for (int bank = 0; bank < kBanks; ++bank)
    canvas.fill_rect({r.x + float(bank) * w + 0.5f, bank_y, w - 1.5f, cell_h},
                     wanted[std::size_t(bank)] ? level : in.theme.soft, 2);
  const int boxes = std::max(1, a.wavefronts);
  const float box_w = std::min(r.w / float(boxes), r.w / 16);
  for (int i = 0; i < boxes; ++i) {
    const Color cost = i < a.fewest ? color::shared : color::trouble;
    canvas.fill_rect({r.x + float(i) * box_w + 0.5f, r.bottom() - cell_h * 0.8f, box_w - 2, cell_h * 0.8f},
                     i <= a.now ? cost : mix(in.theme.panel, cost, 0.3f), 2);
  }
}

}  // namespace lockstep
