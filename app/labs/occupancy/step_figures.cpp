// What a step of the occupancy stage shows, for expressions: the SM with so many blocks in it.
#include "scene.hpp"

namespace lockstep {

std::string OccupancyScene::step_figure_names() const {
  return "blocks, resident_warps, occupancy, registers, shared_bytes, refused";
}

std::optional<double> OccupancyScene::step_figure(std::string_view name, const LabView& view) const {
  const auto filled = sm_at(view.step);
  if (!filled) return {};
  const FilledSm& s = *filled;
  const std::int64_t warps = std::int64_t(s.placed) * warps_of_block(s);
  if (name == "blocks") return s.placed;
  if (name == "resident_warps") return double(warps);
  if (name == "occupancy") return double(warps) / s.gpu.max_warps_per_sm;
  if (name == "registers") return double(use_of(s, SmResource::registers).taken);
  if (name == "shared_bytes") return double(use_of(s, SmResource::shared).taken);
  if (name == "refused") return s.refused ? 1 : 0;
  return {};
}

}  // namespace lockstep
