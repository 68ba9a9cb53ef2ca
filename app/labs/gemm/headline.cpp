// The large numbers of the gemm lab: what this step moves of A and B, and what its arithmetic would need.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/gpu.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

constexpr const char* kDataSheet = "modelled: the data sheet's peak over 128 bytes per clock and SM";

// "8.2" and "KB fetched".
HeadFigure bytes_figure(double bytes, const std::string& words, std::string note, std::string provenance,
                        bool trouble) {
  const std::string text = bytes_text(bytes);
  const std::size_t space = text.find(' ');
  return {text.substr(0, space), text.substr(space + 1) + " " + words, std::move(note), std::move(provenance),
          trouble};
}

// FLOP per byte of L1 or shared memory that keep the arithmetic of an H200 busy: its peak over 128 bytes per
// clock and SM.
double busy_intensity(const GemmScene& scene) {
  const Gpu gpu;
  const Peak& peak = !scene.tensor_cores           ? gpu.fp32
                     : scene.a->element_bytes == 1 ? gpu.tensor_fp8
                                                   : gpu.tensor;
  return peak.flops / (128.0 * gpu.multiprocessors * gpu.fp32.clock_hz);
}

struct StepBytes {
  double moved = 0, least = 0, flop = 0;
};

std::vector<HeadFigure> fetch_figures(const StepBytes& s, std::string note, const std::string& counts) {
  return {bytes_figure(s.moved, tr("fetched"), std::move(note), counts, s.moved > 1.25 * s.least),
          bytes_figure(s.least, tr("would do"), tr("each element once"), "", false)};
}

std::vector<HeadFigure> reuse_figures(const GemmScene& scene, const StepBytes& s, const std::string& counts) {
  const double reuse = s.moved > 0 ? s.flop / s.moved : 0, busy = busy_intensity(scene);
  return {{intensity_text(reuse), tr("FLOP per byte"), tr("{0} from shared memory", {bytes_text(s.moved)}),
           counts, reuse < busy},
          {intensity_text(busy), tr("would do"),
           scene.tensor_cores ? tr("to keep tensor cores busy") : tr("to keep FMA pipes busy"), kDataSheet,
           false}};
}

}  // namespace

std::vector<HeadFigure> GemmScene::headline(const LabView& view) const {
  const StepGroup* group = this->group(view.step);
  if (!group || !c) return {};
  const std::string counts(provenance_of(run(), "counts"));
  const Traffic now = traffic_of(steps, view.step);
  const Trip* trip = this->trip(group->trip);
  const Span k = trip ? trip->k : Span{};
  const Span rows = tile_of(*group, view.step).rows, cols = tile_of(*group, view.step).cols;
  StepBytes s;
  s.flop = 2.0 * double(rows.count) * double(cols.count) * double(k.count);
  s.least = double(rows.count + cols.count) * double(k.count) * double(a->element_bytes);
  switch (group->role) {
    case Role::load:
      if (multicast)  // half of B comes from the other block
        s.least = double(2 * rows.count + cols.count) / 2 * double(k.count) * double(a->element_bytes);
      s.moved = double(now.load.sector_bytes());
      return fetch_figures(s, tr("into shared memory"), counts);
    case Role::multiply:
      if (straight()) {
        s.moved = double(now.load.sector_bytes());
        return fetch_figures(s, tr("{0} FLOP per byte", {intensity_text(s.moved > 0 ? s.flop / s.moved : 0)}),
                             counts);
      }
      s.moved = double(now.shared_load.lane_bytes);
      return reuse_figures(*this, s, counts);
    case Role::wait: {
      const Traffic until = progress.traffic_until(view.step);
      const double flop = flop_until(view.step), bytes = double(until.load.sector_bytes());
      const std::string waits = group->freed >= 0           ? tr("the producer has waited for a free buffer")
                                : boxed && group->trip >= 0 ? tr("the warps wait for the TMA unit")
                                                            : tr("the warps wait for each other");
      return {{"0", tr("bytes"), waits, counts, false},
              {intensity_text(bytes > 0 ? flop / bytes : 0), tr("FLOP per byte"),
               tr("fetched from global memory so far"), counts, false}};
    }
    case Role::store:
      break;
  }
  s.least = double(rows.count * cols.count) * double(c->element_bytes);
  s.moved = double(now.store.sector_bytes());
  return {bytes_figure(s.moved, tr("written"), tr("to C, {0} sectors", {grouped(now.store.sectors)}), counts,
                       s.moved > 1.25 * s.least),
          bytes_figure(s.least, tr("would do"), tr("each sum of the block once"), "", false)};
}

}  // namespace lockstep
