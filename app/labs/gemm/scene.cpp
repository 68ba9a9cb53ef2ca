#include "scene.hpp"

#include <algorithm>

#include "app/draw/number_text.hpp"

namespace lockstep {
namespace {

bool is_matrix(const ViewInfo* view) {
  return view && view->shape.size() == 2 && view->shape[0] > 0 && view->shape[1] > 0;
}

}  // namespace

std::string k_text(Span k) {
  return k.count == 1 ? number_text(k.first) : number_text(k.first) + ".." + number_text(k.last());
}

Span k_of(const LoopAxis& axis, Span trips) {
  if (trips.count <= 0 || trips.last() >= std::int64_t(axis.trips.size())) return {};
  const Span first = axis.trips[std::size_t(trips.first)].k, last = axis.trips[std::size_t(trips.last())].k;
  return {first.first, last.last() - first.first + 1};
}

bool is_ldmatrix(const Step& part) {
  const WarpInstruction& i = part.instruction;
  return !part.barrier && i.kind == Kind::load && i.view >= kFirstSharedView && i.width == 16 &&
         i.lanes == ~0u;
}

GemmScene::GemmScene(std::shared_ptr<const Run> shared_run)
    : LabScene(std::move(shared_run)), steps(run().launches), progress(steps) {
  if (run().launches.empty()) return;
  launch = &run().launches.front();
  const ViewInfo *in_a = launch->view(0), *in_b = launch->view(1), *out = launch->view(2);
  if (!is_matrix(in_a) || !is_matrix(in_b) || !is_matrix(out)) return;
  if (in_a->shape[0] != out->shape[0] || in_a->shape[1] != in_b->shape[0] || in_b->shape[1] != out->shape[1])
    return;
  a = in_a, b = in_b, c = out;
  owners = owners_of(steps, progress, *c);
  rows = {owners.region.row, owners.region.rows}, cols = {owners.region.col, owners.region.cols};
  tensor_cores = a->type == "bf16";
  for (int s = 0; tensor_cores && s < steps.count(); ++s)
    if (const auto parts = steps.parts_of(s); steps.groups[std::size_t(s)].role == Role::multiply)
      loads_matrices |= std::any_of(parts.begin(), parts.end(), is_ldmatrix);
}

bool GemmScene::straight() const {
  return steps.trips.empty() || steps.trips.front().load_step == steps.trips.front().multiply_step;
}

}  // namespace lockstep
