// How do a million threads agree on one sum?
// Two at a time, and then the sums two at a time: ten rounds for a block of 1024. The stage is that tree.
// Which thread adds which pair is the whole ladder: see how many warps still have work in `divergent`, what
// the banks say to `strided`, how little is left for the tree in `many`; let the emulator find the race in
// `historic`, and set the values to `mixed` to see what the order does to a float sum.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "kernels/ladder.hpp"
#include "picture.hpp"

namespace lockstep {

// --- steps: a load, a round of additions, a store

Color ReductionScene::phase_color(const Phase& phase) const {
  switch (reduction_part(steps.marked[std::size_t(phase.first)].mark)) {
    case ReductionPart::ask:
      return color::l2;
    case ReductionPart::load:
    case ReductionPart::rest:
    case ReductionPart::sums:
      return color::hbm;
    case ReductionPart::lanes:
    case ReductionPart::warps:
      return color::registers;
    case ReductionPart::store:
      return color::l2;
    default:
      return color::shared;
  }
}

Message ReductionScene::phase_name(const Phase& phase) const {
  switch (reduction_part(steps.marked[std::size_t(phase.first)].mark)) {
    case ReductionPart::ask:
      return msg("ask for the first chunks");
    case ReductionPart::load:
      return msg("load");
    case ReductionPart::rest:
      return msg("load what is left over");
    case ReductionPart::sums:
      return msg("load the blocks' sums");
    case ReductionPart::add:
      return msg("add in shared memory");
    case ReductionPart::lanes:
      return msg("add from lane to lane");
    case ReductionPart::share:
      return msg("hand over in shared memory");
    case ReductionPart::warps:
      return msg("add the warps' sums");
    case ReductionPart::tree:
      return msg("add up the block");
    case ReductionPart::store:
      return msg("hand on the block's result");
    case ReductionPart::other:
      break;
  }
  return msg("before the first step");
}

namespace {

std::int64_t index_of(const ReductionScene& scene, int step) {
  return step >= 0 && step < scene.steps.count() ? scene.steps.marked[std::size_t(step)].index : 0;
}

// "in[384–511]"
std::string loaded_text(const ReductionScene& scene, int step) {
  const Span span = loaded_by(scene, step);
  if (span.count == 0) return "";
  return span.count == 1 ? number_text(span.first) : number_text(span.first) + "–" + number_text(span.last());
}

bool atomic_store(const ReductionScene& scene, int step) {
  const auto parts = scene.steps.parts_of(step);
  return std::any_of(parts.begin(), parts.end(), [](const Step& part) {
    return !part.barrier && part.instruction.kind == Kind::reduction;
  });
}

}  // namespace

Message ReductionScene::step_title(const LabView& view) const {
  const Round* round = round_of(*this, view.step);
  if (!round) return msg("no step");
  const std::string index = number_text(index_of(*this, view.step));
  switch (reduction_part(steps.marked[std::size_t(view.step)].mark)) {
    case ReductionPart::ask:
      return msg("ask for the first chunks");
    case ReductionPart::load: {
      const std::string where = loaded_text(*this, view.step);
      if (where.empty()) return msg("load: nothing is left");
      return tree_of(*this, view.step)->chunks.empty() ? msg("load elements {0}", {where})
                                                       : msg("wait for elements {0}, add them", {where});
    }
    case ReductionPart::rest:
      return msg("load what is left over");
    case ReductionPart::sums:
      return msg("load the blocks' sums");
    case ReductionPart::add:
      return msg("add pairs {0} apart", {index});
    case ReductionPart::lanes:
      return msg("add lanes {0} apart", {index});
    case ReductionPart::share:
      return msg("hand over in shared memory");
    case ReductionPart::warps:
      return msg("add warps' sums {0} apart", {index});
    case ReductionPart::tree:
      return msg("add up the block");
    case ReductionPart::store:
      return msg("hand on the block's result");
    case ReductionPart::other:
      break;
  }
  return msg("before the first step");
}

// --- sentence

namespace {

Message add_sentence(const Round& round, const std::string& lines) {
  const std::int64_t fewest = std::max<std::int64_t>(1, (round.needed + 31) / 32);
  const std::vector<std::string> args{lines,
                                      number_text(round.lanes),
                                      number_text(round.distance),
                                      number_text(round.warps),
                                      number_text(round.needed),
                                      number_text(fewest),
                                      number_text(round.wavefronts),
                                      number_text(round.fewest_wavefronts)};
  if (round.wavefronts > round.fewest_wavefronts)
    return msg(
        "{0}: {1} threads add what lies {2} apart. They stand side by side, but several of their elements "
        "lie in one bank: {6} wavefronts where {7} would do.",
        args);
  if (round.warps > fewest)
    return msg(
        "{0}: {1} threads add what lies {2} apart, for {4} sums that are needed. They are spread over {3} "
        "warps, each of which takes its turn; side by side they would be {5}.",
        args);
  if (round.lanes > round.needed)
    return msg(
        "{0}: {1} lanes add what lies {2} apart, whether it is needed or not: the result hangs on {4} of "
        "these sums. A warp's other lanes cost nothing.",
        args);
  return msg(
      "{0}: {1} threads, side by side, add what lies {2} apart. Warps that have nothing to add are done at "
      "once.",
      args);
}

Message lanes_sentence(const Round& round, const std::string& lines) {
  const std::vector<std::string> args{lines, number_text(round.distance), number_text(round.warps),
                                      number_text(round.needed)};
  if (round.part == ReductionPart::warps)
    return msg(
        "{0}: the first warp alone adds what the lane {1} further on holds. Its lanes hold one sum per warp; "
        "{3} "
        "of these additions are needed.",
        args);
  return msg(
      "{0}: each lane of {2} warps adds what the lane {1} further on holds: a register is read by another "
      "lane, and "
      "no memory is touched.",
      args);
}

std::int64_t chunk_bytes(const Tree& tree) {
  return tree.chunks.empty() ? 0 : tree.chunks.front().elements.count * std::int64_t(sizeof(float));
}

Message ask_sentence(const Tree& tree, int step, const std::string& lines) {
  return tree.on_their_way(step) == 0
             ? msg("{0}: no chunk is whole that this block could ask for.", {lines})
             : msg("{0}: thread 0 asks for {1} chunks of {2}, an instruction each. The copy engine brings "
                   "them into shared memory; no thread waits yet, and no register holds a byte.",
                   {lines, number_text(tree.on_their_way(step)), bytes_text(double(chunk_bytes(tree)))});
}

// A trip of the loop where the copy engine brings the chunks.
Message chunk_sentence(const Tree& tree, int step, const std::string& lines, const std::string& loaded) {
  const std::string ahead = number_text(tree.on_their_way(step));
  const auto asked = std::find_if(tree.chunks.begin(), tree.chunks.end(),
                                  [&](const Chunk& chunk) { return chunk.asked == step; });
  if (asked == tree.chunks.end())
    return msg(
        "{0}: the block waits until elements {1} are in shared memory, and each thread adds 16 bytes of them "
        "to what it has in a register. No chunk is left to ask for; on their way: {2}.",
        {lines, loaded, ahead});
  const Span& next = asked->elements;
  return msg(
      "{0}: the block waits until elements {1} are in shared memory, and each thread adds 16 bytes of them "
      "to what it has in a register. Then thread 0 asks for elements {2}; chunks on their way: {3}.",
      {lines, loaded, number_text(next.first) + "–" + number_text(next.last()), ahead});
}

Message load_sentence(const ReductionScene& scene, int step, const std::string& lines) {
  const std::string where = loaded_text(scene, step);
  const std::int64_t trips = round_of(scene, step)->steps;
  const auto bytes = traffic_of(scene.steps, step).load.lane_bytes;
  const std::vector<std::string> args{lines, where, number_text(index_of(scene, step) + 1),
                                      bytes_text(double(bytes)), number_text(trips)};
  if (where.empty()) return msg("{0}: for this block nothing is left to load.", args);
  if (const Tree& tree = *tree_of(scene, step); !tree.chunks.empty())
    return chunk_sentence(tree, step, lines, where);
  if (trips > 1)
    return msg(
        "{0}: trip {2} of the loop. The block reads {3}, elements {1}; each thread adds its own to what it "
        "has in a "
        "register.",
        args);
  return msg("{0}: the block reads {3}, elements {1}.", args);
}

}  // namespace

Message ReductionScene::sentence(const LabView& view) const {
  const Round* round = round_of(*this, view.step);
  if (!round) return msg("This run has no steps.");
  const MarkedStep& marked = steps.marked[std::size_t(view.step)];
  const std::string lines = lines_words(marked.lines);
  const Tree& tree = *tree_of(*this, view.step);
  switch (reduction_part(marked.mark)) {
    case ReductionPart::ask:
      return ask_sentence(tree, view.step, lines);
    case ReductionPart::load:
      return load_sentence(*this, view.step, lines);
    case ReductionPart::rest:
      return loaded_by(*this, view.step).count == 0
                 ? msg("{0}: nothing is left over for this block.", {lines})
             : !tree.chunks.empty()
                 ? msg("{0}: what is left over fills no chunk: the first block takes it one by one.", {lines})
                 : msg("{0}: up to three elements do not fill 16 bytes: the first block takes them one by "
                       "one.",
                       {lines});
    case ReductionPart::sums:
      return msg("{0}: this block was the last one to draw a number: all sums are there, and it loads them.",
                 {lines});
    case ReductionPart::add:
      return add_sentence(*round, lines);
    case ReductionPart::lanes:
    case ReductionPart::warps:
      return lanes_sentence(*round, lines);
    case ReductionPart::share:
      return round->additions.empty() ? msg("{0}: each thread puts down what it has added up: {1} sums are "
                                            "left of all that was loaded.",
                                            {lines, number_text(tree.threads)})
                                      : msg("{0}: each warp leaves its sum in shared memory; past the one "
                                            "barrier the first warp takes them.",
                                            {lines});
    case ReductionPart::tree:
      return msg(
          "{0}: shuffles in each warp, one float per warp through shared memory, shuffles in the first warp.",
          {lines});
    case ReductionPart::store:
      return atomic_store(*this, view.step) ? msg("{0}: thread 0 has the L2 add the block's result to that "
                                                  "of the others, and does not wait for it.",
                                                  {lines})
                                            : msg("{0}: thread 0 writes the block's result.", {lines});
    case ReductionPart::other:
      break;
  }
  return run().launches.size() > 1 && tree.launch == 0
             ? msg("{0}: the result is cleared, for blocks to add to.", {lines})
             : msg("{0}: before the kernel's first step.", {lines});
}

// --- headline

std::vector<HeadFigure> ReductionScene::headline(const LabView& view) const {
  const Round* round = round_of(*this, view.step);
  if (!round) return {};
  const std::string counts(provenance_of(run(), "counts"));
  std::vector<HeadFigure> all;
  const ReductionPart part = reduction_part(steps.marked[std::size_t(view.step)].mark);
  if (part == ReductionPart::tree) {
    const Traffic traffic = traffic_of(steps, view.step);
    const std::int64_t wavefronts = traffic.shared_load.wavefronts + traffic.shared_store.wavefronts;
    all.push_back({number_text(wavefronts), wavefronts == 1 ? tr("wavefront") : tr("wavefronts"),
                   tr("one float per warp through shared memory"), counts, false});
    all.push_back({"1", tr("barrier"), tr("all else is shuffles"), counts, false});
    return all;
  }
  if (round->in_registers()) {
    all.push_back({number_text(round->lanes), tr("lanes add"),
                   tr("sums needed: {0}", {number_text(round->needed)}), counts, false});
    all.push_back({"0", tr("bytes of shared memory"), tr("from register to register"), "", false});
    return all;
  }
  if (part == ReductionPart::add) {
    const std::int64_t fewest = std::max<std::int64_t>(1, (round->needed + 31) / 32);
    all.push_back({number_text(round->warps), round->warps == 1 ? tr("warp at work") : tr("warps at work"),
                   tr("sums needed: {0}", {number_text(round->needed)}), counts, round->warps > fewest});
    all.push_back({number_text(fewest), tr("would do"), tr("32 side by side"), "", false});
    all.push_back({number_text(round->wavefronts),
                   round->wavefronts == 1 ? tr("wavefront") : tr("wavefronts"),
                   tr("{0} without conflicts", {number_text(round->fewest_wavefronts)}), counts,
                   round->wavefronts > round->fewest_wavefronts});
    return all;
  }
  const Tree& tree = *tree_of(*this, view.step);
  if (part == ReductionPart::ask || (part == ReductionPart::load && !tree.chunks.empty())) {
    const std::int64_t bytes = chunk_bytes(tree), chunks = tree.on_their_way(view.step);
    all.push_back({bytes_text(double(chunks * bytes)), tr("coming"), tr("of this block, in no register"),
                   counts, false});
    all.push_back({bytes_text(double(bytes)), tr("each"), tr("asked for by one instruction"), counts, false});
    return all;
  }
  if (part == ReductionPart::load || part == ReductionPart::rest || part == ReductionPart::sums) {
    const Traffic traffic = traffic_of(steps, view.step);
    if (traffic.load.instructions == 0) return {};
    all.push_back({bytes_text(double(traffic.load.lane_bytes)), tr("by the block"),
                   tr("load instructions of its warps: {0}", {grouped(traffic.load.instructions)}), counts,
                   false});
    all.push_back({grouped(traffic.load.sectors), traffic.load.sectors == 1 ? tr("sector") : tr("sectors"),
                   tr("{0} would do", {grouped((traffic.load.lane_bytes + 31) / 32)}), counts,
                   traffic.load.sectors > (traffic.load.lane_bytes + 31) / 32});
  }
  return all;
}

// --- numbers

std::vector<NumberRow> ReductionScene::numbers() const {
  std::vector<NumberRow> rows;
  rows.push_back({msg("launches"), number_text(std::int64_t(run().launches.size())), "counts"});
  if (const auto& counts = run().counts) {
    const auto count = [&](Message label, std::int64_t value, const char* path) {
      rows.push_back({std::move(label), grouped(value), path});
    };
    count(msg("requests, load"), counts->global_load_requests, "counts.global_load_requests");
    count(msg("sectors, load"), counts->global_load_sectors, "counts.global_load_sectors");
    count(msg("wavefronts, shared"), counts->shared_load_wavefronts + counts->shared_store_wavefronts,
          "counts.shared_load_wavefronts");
  }
  if (const auto sum = real_metric(run(), "sum"))
    rows.push_back({msg("sum"), figure_text(*sum), "metrics.sum"});
  rows.push_back({msg("its error, of the sum of |x|"), figure_text(run().check.max_error), "check"});
  if (const auto error = real_metric(run(), "error_in_order"))
    rows.push_back({msg("one thread, in order"), figure_text(*error), "metrics.error_in_order"});
  add_time_rows(run(), Work::bytes, true, rows);
  return rows;
}

// --- entry

namespace {

class ReductionLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("reduction")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<ReductionScene>(std::move(run));
  }
};

}  // namespace

const Lab& reduction_lab() {
  static const ReductionLab lab;
  return lab;
}

}  // namespace lockstep
