// What the gemm lab draws, as plain data from (run, axis, step): the three matrices, the tower, the card.
#pragma once
#include "app/draw/legend.hpp"
#include "app/draw/product.hpp"
#include "app/draw/tower.hpp"
#include "app/labs/lab.hpp"
#include "app/model/groups.hpp"

namespace lockstep {

// What the followed block of this run works on, found once per picture.
struct GemmScene {
  const StageInput& in;
  const Launch& launch;
  const ViewInfo &a, &b, &c;
  Owners owners;    // of the block's elements of C
  Span rows, cols;  // the block's part of C
  std::int64_t warp = 0;
  std::int32_t thread = 0;  // within the block: the pinned element's, else one of the followed warp
  std::optional<std::pair<std::int64_t, std::int64_t>> element;  // of C that is told about
  bool tensor_cores = false;

  const StepGroup& group() const { return in.axis.groups[std::size_t(in.step)]; }
  const Trip* trip(int index) const {
    return index >= 0 && index < int(in.axis.trips.size()) ? &in.axis.trips[std::size_t(index)] : nullptr;
  }
  bool straight() const;  // operands come from global memory every time
};
// Nothing for a run that is no product of three matrices.
std::optional<GemmScene> gemm_scene(const StageInput& in);

std::string k_text(Span k);  // "8..15", "5"
// The k of trips first .. last.
Span k_of(const StepAxis& axis, Span trips);

ProductPicture product_picture(const GemmScene& scene, Vec2 room);
std::vector<LegendItem> product_legend(const GemmScene& scene);
Card element_card(const GemmScene& scene, std::int64_t row, std::int64_t col);

std::vector<TowerLevel> gemm_levels(const GemmScene& scene);
std::vector<TowerLink> gemm_links(const GemmScene& scene);

}  // namespace lockstep
