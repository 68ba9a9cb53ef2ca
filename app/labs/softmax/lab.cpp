// How can a softmax start before it has seen the whole row?
// A row is eaten tile by tile; m, l and the factors are the numbers that the kernel itself held. Step through
// online: where the maximum moves, everything summed so far shrinks. Compare how often each rung reads the
// row, raise the scale to 100 and see naive overflow, set input to `one` or `none`, double the tile.
#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

// --- steps: what the kernel does with the row, or with a tile of it

Color SoftmaxScene::phase_color(const Phase& phase) const {
  switch (softmax_part(steps.marked[std::size_t(phase.first)].mark)) {
    case SoftmaxPart::load:
      return color::hbm;
    case SoftmaxPart::max:
      return way.maximum_first ? color::hbm : color::shared;
    case SoftmaxPart::sum:
      return way.row_in_shared ? color::shared : way.merges_warps ? color::registers : color::hbm;
    case SoftmaxPart::tile:
      return color::hbm;
    case SoftmaxPart::merge:
      return color::shared;
    default:
      return color::registers;
  }
}

Message SoftmaxScene::phase_name(const Phase& phase) const {
  switch (softmax_part(steps.marked[std::size_t(phase.first)].mark)) {
    case SoftmaxPart::load:
      return msg("load the row");
    case SoftmaxPart::max:
      return msg("find the maximum");
    case SoftmaxPart::sum:
      return msg("sum");
    case SoftmaxPart::tile:
      return msg("maximum and sum together");
    case SoftmaxPart::merge:
      return msg("merge the warps' sums");
    case SoftmaxPart::divide:
      return msg("divide and write");
    case SoftmaxPart::other:
      break;
  }
  return msg("before the first step");
}

Message SoftmaxScene::step_title(const LabView& view) const {
  const auto s = softmax_step(*this, view.step, view.warp);
  if (!s) return msg("no step");
  const std::string cols = columns_text(s->now);
  switch (s->part) {
    case SoftmaxPart::load:
      return msg("load the row");
    case SoftmaxPart::max:
      return s->tiled() ? msg("maximum of x[{0}]", {cols}) : msg("maximum of the row");
    case SoftmaxPart::tile:
      return msg("maximum and sum of x[{0}]", {cols});
    case SoftmaxPart::sum:
      return s->tiled()            ? msg("sum over x[{0}]", {cols})
             : s->way.merges_warps ? msg("maximum and sum of each warp")
                                   : msg("sum over the row");
    case SoftmaxPart::merge:
      return msg("merge the warps' sums");
    case SoftmaxPart::divide:
      return s->tiled() ? msg("divide, p[{0}]", {cols}) : msg("divide and write the row");
    case SoftmaxPart::other:
      break;
  }
  return msg("before the first step");
}

// --- sentence

namespace {

std::string shown_text(const std::optional<double>& value) { return value ? figure_text(*value) : "?"; }

Message online_sentence(const SoftmaxStep& s, const std::string& lines) {
  const std::vector<std::string> args{lines,
                                      number_text(s.row),
                                      columns_text(s.now),
                                      shown_text(s.after.m_tile),
                                      shown_text(s.before.m),
                                      shown_text(s.after.m),
                                      shown_text(s.after.factor),
                                      shown_text(s.before.l),
                                      shown_text(s.after.l),
                                      shown_text(s.after.l_tile)};
  if (s.after.m && *s.after.m == -INFINITY)
    return msg("{0}: row {1} has held nothing but −∞ so far: m stays −∞, and l stays 0.", args);
  if (!s.before.m || *s.before.m == -INFINITY)
    return msg(
        "{0}: x[{2}] of row {1} has the maximum {3} and, below it, the sum {9}: they are the "
        "first m and l.",
        args);
  if (s.after.m && *s.after.m > *s.before.m)
    return msg(
        "{0}: x[{2}] of row {1} has the maximum {3}, above m = {4}. All that was summed so far "
        "shrinks by e^(m − m') = {6}, and the tile's own sum {9} is added: l goes from {7} to {8}.",
        args);
  return msg(
      "{0}: x[{2}] of row {1} has the maximum {3}, not above m = {4}: nothing is rescaled, and l "
      "goes from {7} to {8}.",
      args);
}

Message sum_sentence(const SoftmaxStep& s, const std::string& lines) {
  const bool first = s.index == 0;
  const std::vector<std::string> args{lines,
                                      number_text(s.row),
                                      columns_text(s.now),
                                      first ? "0" : shown_text(s.before.l),
                                      shown_text(s.after.l),
                                      shown_text(s.after.m)};
  if (s.way.merges_warps)
    return msg(
        "{0}: every warp sums what it holds in its registers below its own maximum, with nothing "
        "but shuffles; row {1} has no common maximum yet.",
        args);
  if (s.way.row_in_shared)
    return msg(
        "{0}: e^(x − m) with m = {5} for row {1} from shared memory and back into it; the warps "
        "add up to l = {4}.",
        args);
  if (s.way.maximum_first)
    return msg(
        "{0}: x[{2}] of row {1} is read again, now that m = {5} is known, and summed as "
        "e^(x − m): l goes from {3} to {4}.",
        args);
  if (s.after.l && !std::isfinite(*s.after.l))
    return msg(
        "{0}: among x[{2}] of row {1} there is a score above 88.7, and e^x of it is beyond the "
        "largest fp32: l goes from {3} to {4}.",
        args);
  return msg("{0}: e^x of x[{2}] of row {1} is added up: l goes from {3} to {4}.", args);
}

Message max_sentence(const SoftmaxStep& s, const std::string& lines) {
  const std::vector<std::string> args{lines, number_text(s.row), columns_text(s.now), shown_text(s.after.m)};
  return s.tiled() ? msg("{0}: x[{2}] of row {1} is read for its maximum alone; m is {3} so far.", args)
                   : msg("{0}: each warp reduces by shuffles and leaves its maximum in shared memory; "
                         "past the barrier all warps know m = {3} of row {1}.",
                         args);
}

Message divide_sentence(const SoftmaxStep& s, const std::string& lines, const Traffic& now) {
  const std::vector<std::string> args{lines,
                                      number_text(s.row),
                                      columns_text(s.now),
                                      shown_text(s.after.m),
                                      shown_text(s.after.l),
                                      bytes_text(double(now.load.lane_bytes)),
                                      bytes_text(double(now.store.lane_bytes))};
  if (!s.way.maximum)
    return s.after.l && !(std::isfinite(*s.after.l) && *s.after.l > 0)
               ? msg("{0}: x[{2}] of row {1} is read again and e^x divided by l = {4}: the result is "
                     "not a probability.",
                     args)
               : msg("{0}: x[{2}] of row {1} is read again, and e^x divided by l = {4}. The block "
                     "reads "
                     "{5} and writes {6}.",
                     args);
  if (s.tiled())
    return msg(
        "{0}: x[{2}] of row {1} is read once more: p = e^(x − m) / l with m = {3} and l = {4}. "
        "The block reads {5} and writes {6}.",
        args);
  return msg(
      "{0}: row {1} is still on chip: nothing is read, each value is divided by l = {4}, and "
      "{6} are written.",
      args);
}

}  // namespace

Message SoftmaxScene::sentence(const LabView& view) const {
  const auto s = softmax_step(*this, view.step, view.warp);
  if (!s) return msg("This run has no steps.");
  const std::string lines = lines_words(steps.marked[std::size_t(view.step)].lines);
  switch (s->part) {
    case SoftmaxPart::load:
      return s->way.row_in_shared
                 ? msg("{0}: the block reads row {1} once, {2}, and keeps it in shared memory as "
                       "floats.",
                       {lines, number_text(s->row),
                        bytes_text(double(traffic_of(steps, view.step).load.lane_bytes))})
                 : msg("{0}: the block reads row {1} once, {2} in accesses of 16 bytes, and keeps it "
                       "in "
                       "registers.",
                       {lines, number_text(s->row),
                        bytes_text(double(traffic_of(steps, view.step).load.lane_bytes))});
    case SoftmaxPart::max:
      return max_sentence(*s, lines);
    case SoftmaxPart::tile:
      return online_sentence(*s, lines);
    case SoftmaxPart::sum:
      return sum_sentence(*s, lines);
    case SoftmaxPart::merge:
      return msg(
          "{0}: past the one barrier, each warp's sum is multiplied by e^(m_w − m) and added: the "
          "row has m = {1} and l = {2}.",
          {lines, shown_text(s->after.m), shown_text(s->after.l)});
    case SoftmaxPart::divide:
      return divide_sentence(*s, lines, traffic_of(steps, view.step));
    case SoftmaxPart::other:
      break;
  }
  return msg("{0}: before the kernel's first step.", {lines});
}

// --- entry

namespace {

class SoftmaxLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("softmax")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<SoftmaxScene>(std::move(run));
  }
};

}  // namespace

const Lab& softmax_lab() {
  static const SoftmaxLab lab;
  return lab;
}

}  // namespace lockstep
