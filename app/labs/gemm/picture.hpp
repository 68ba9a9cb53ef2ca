// What the gemm lab draws, as plain data from (scene, view): the three matrices, the tower, the card.
#pragma once
#include "app/draw/legend.hpp"
#include "app/draw/product.hpp"
#include "app/draw/tower.hpp"
#include "scene.hpp"

namespace lockstep {

// What the pictures of one view are drawn from.
struct GemmPicture {
  const GemmScene& scene;
  const StageInput& in;
  std::int64_t warp = 0;
  std::int32_t thread = 0;  // within the block: the pinned element's, else one of the followed warp
  std::optional<std::pair<std::int64_t, std::int64_t>> element;  // of C that is told about

  int step() const { return in.view.step; }
  const StepGroup& group() const { return *scene.group(step()); }
  const BlockTile& tile() const { return scene.tile(step()); }
};
// Nothing for a run that is no product of three matrices.
std::optional<GemmPicture> gemm_picture(const GemmScene& scene, const StageInput& in);

// The whole stage of a presentation.
void draw_gemm_presentation(Canvas& canvas, const GemmPicture& shown);

// While the step is taken: how much of its turn a warp has had, 0 .. 1; which one has it now, and what its
// lanes have reached of A, B and C.
float part_of_turn(const GemmPicture& shown, std::int64_t warp);
std::optional<std::int64_t> warp_at_its_turn(const GemmPicture& shown);
std::vector<ProductLane> lanes_at_their_turn(const GemmPicture& shown);

ProductPicture product_picture(const GemmPicture& shown, Vec2 room);
// What travels in this step. `shared`, `memory`: where the tower shows those levels; nothing without a tower.
void add_pieces(const GemmPicture& shown, std::optional<Rect> shared, std::optional<Rect> memory,
                ProductPicture& picture);
std::vector<LegendItem> product_legend(const GemmPicture& shown);
Card element_card(const GemmPicture& shown, std::int64_t row, std::int64_t col);

std::vector<TowerLevel> gemm_levels(const GemmPicture& shown);
std::vector<TowerLink> gemm_links(const GemmPicture& shown);

}  // namespace lockstep
