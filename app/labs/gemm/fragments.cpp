#include "fragments.hpp"

#include <algorithm>

#include "app/draw/fragment_map.hpp"
#include "app/draw/language.hpp"
#include "picture.hpp"
#include "pipeline.hpp"

namespace lockstep {
namespace {

// The lane of the element of C that the card describes.
std::optional<int> outlined_lane(const GemmPicture& shown) {
  return shown.thread >= 0 ? std::optional(int(shown.thread % 32)) : std::nullopt;
}

// The first one of the followed warp in this step, else in the next step that has one, else in any. On its
// way to C a warp reads shared memory by ordinary loads.
const Step* ldmatrix_near(const GemmPicture& shown) {
  const LoopAxis& axis = shown.scene.steps;
  const int steps = axis.count();
  for (int k = 0; k < steps; ++k) {
    const int step = (shown.step() + k) % steps;
    if (axis.groups[std::size_t(step)].role != Role::multiply) continue;
    for (const Step& part : axis.parts_of(step))
      if (is_ldmatrix(part) && std::int64_t(part.instruction.warp) == shown.in.view.warp) return &part;
  }
  return nullptr;
}

void draw_loads(Canvas& canvas, const GemmPicture& shown, Rect r) {
  const Step* part = ldmatrix_near(shown);
  if (!part) return;
  const WarpInstruction& i = part->instruction;
  const ViewInfo* tile = shown.scene.launch->view(i.view);
  LdmatrixPicture picture;
  picture.id = "stage/ldmatrix";
  picture.transposed = tile && tile->name == "b_tile";
  picture.title = tr("ldmatrix.x4 of warp {0} in {1}, line {2}",
                     {std::to_string(i.warp), tile ? tile->name : "?", std::to_string(i.line)});
  picture.row_bytes = i.offset;
  picture.pinned = outlined_lane(shown);
  draw_ldmatrix(canvas, shown.in.theme, r, picture);
}

}  // namespace

void draw_fragments(Canvas& canvas, const GemmPicture& shown, Rect r) {
  if (shown.scene.boxed) {
    const float lanes = pipeline_height(shown, shown.in.theme), least_of_loads = 150 * shown.in.theme.type;
    draw_pipeline(canvas, shown, {r.x, r.y, r.w, std::min(r.h, lanes)});
    const float top = lanes + 10 * shown.in.theme.type;  // a frame around the one ends above the other
    const Rect below{r.x, r.y + top, r.w, r.h - top};
    if (!shown.scene.loads_matrices) return draw_swizzle(canvas, shown, below);
    if (below.h >= least_of_loads) draw_loads(canvas, shown, below);
    return;
  }
  if (shown.scene.loads_matrices) return draw_loads(canvas, shown, r);
  FragmentPicture picture;
  picture.id = "stage/fragments";
  picture.title = tr("One mma.sync of a warp: 16 × 8 of C");
  picture.pinned = outlined_lane(shown);
  draw_fragments(canvas, shown.in.theme, r, picture);
}

}  // namespace lockstep
