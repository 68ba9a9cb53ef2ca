#include "fragments.hpp"

#include "app/draw/fragment_map.hpp"
#include "app/draw/language.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

// The lane that the card speaks of: of the pinned element of C, or of the one that is told of by itself.
std::optional<int> told_lane(const StageInput& in) {
  const auto scene = gemm_scene(in);
  return scene && scene->thread >= 0 ? std::optional(int(scene->thread % 32)) : std::nullopt;
}

bool is_ldmatrix(const StageInput& in, const Step& part) {
  const WarpInstruction& i = part.instruction;
  return !part.barrier && i.kind == Kind::load && i.view >= kFirstSharedView && i.width == 16 &&
         i.lanes == ~0u && std::int64_t(i.warp) == in.warp;
}

// The first one of the followed warp in this step, else in the next step that has one, else in any. On its
// way to C a warp reads shared memory by ordinary loads.
const Step* ldmatrix_near(const StageInput& in) {
  const int steps = int(in.axis.steps.size());
  for (int k = 0; k < steps; ++k) {
    const int step = (std::max(0, in.step) + k) % steps;
    if (in.axis.groups[std::size_t(step)].role != Role::multiply) continue;
    for (const Step& part : in.axis.parts_of(step))
      if (is_ldmatrix(in, part)) return &part;
  }
  return nullptr;
}

void draw_loads(Canvas& canvas, const StageInput& in, Rect r) {
  const Step* part = ldmatrix_near(in);
  if (!part) return;
  const WarpInstruction& i = part->instruction;
  const ViewInfo* tile = in.run.launches.at(0).view(i.view);
  LdmatrixPicture picture;
  picture.id = "stage/ldmatrix";
  picture.transposed = tile && tile->name == "b_tile";
  picture.title = tr("ldmatrix.x4 of warp {0} in {1}, line {2}",
                     {std::to_string(i.warp), tile ? tile->name : "?", std::to_string(i.line)});
  picture.row_bytes = i.offset;
  picture.pinned = told_lane(in);
  draw_ldmatrix(canvas, in.theme, r, picture);
}

}  // namespace

void draw_fragments(Canvas& canvas, const StageInput& in, Rect r, StageEvents&) {
  if (in.run.request.rung == "ldmatrix") return draw_loads(canvas, in, r);
  FragmentPicture picture;
  picture.id = "stage/fragments";
  picture.title = tr("mma.sync m16n8k16: 16 × 8 of C from one warp instruction");
  picture.pinned = told_lane(in);
  draw_fragments(canvas, in.theme, r, picture);
}

}  // namespace lockstep
