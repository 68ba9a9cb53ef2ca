// How do lanes talk without memory?
// A shuffle is one instruction: every lane of a warp gets what another one has in a register. The stage shows
// the numbers: a row for each round, a line for each number that goes from lane to lane. `shared` and `down`
// do the same with and without memory; `butterfly` needs no handing out; `scan` gives each lane what stands
// before it. A block has no shuffle across its warps, and a grid none across its blocks: `look_back` is how
// blocks talk all the same.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/labs/work_lines.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

// --- steps: a load, a round, a look back, a store

Color ShuffleScene::phase_color(const Phase& phase) const {
  switch (shuffle_part(*this, phase.first)) {
    case ShufflePart::load:
      return color::hbm;
    case ShufflePart::add:
    case ShufflePart::left:
    case ShufflePart::read:
    case ShufflePart::share:
      return color::shared;
    case ShufflePart::draw:
    case ShufflePart::tell:
    case ShufflePart::look:
    case ShufflePart::store:
      return color::l2;
    default:
      return color::registers;
  }
}

Message ShuffleScene::phase_name(const Phase& phase) const {
  switch (shuffle_part(*this, phase.first)) {
    case ShufflePart::draw:
      return msg("draw a tile");
    case ShufflePart::load:
      return msg("load");
    case ShufflePart::add:
    case ShufflePart::left:
      return msg("hand on through shared memory");
    case ShufflePart::read:
      return msg("read the sum");
    case ShufflePart::down:
    case ShufflePart::up:
      return msg("hand on from lane to lane");
    case ShufflePart::exchange:
      return msg("swap with a partner");
    case ShufflePart::broadcast:
      return msg("hand out the sum");
    case ShufflePart::share:
      return msg("leave the warps' sums");
    case ShufflePart::across:
      return msg("scan the warps' sums");
    case ShufflePart::join:
      return msg("add what stands before");
    case ShufflePart::tree:
      return msg("scan the block");
    case ShufflePart::tell:
      return msg("tell the tile's sum");
    case ShufflePart::look:
      return msg("look back");
    case ShufflePart::store:
      return msg("store");
    case ShufflePart::other:
      break;
  }
  return msg("before the first step");
}

Message ShuffleScene::step_title(const LabView& view) const {
  if (view.step < 0 || view.step >= steps.count()) return msg("no step");
  const std::string s = number_text(std::int64_t(steps.marked[std::size_t(view.step)].index));
  switch (shuffle_part(*this, view.step)) {
    case ShufflePart::add:
    case ShufflePart::left:
      return msg("through shared memory, {0} apart", {s});
    case ShufflePart::down:
      return msg("shuffle down by {0}", {s});
    case ShufflePart::exchange:
      return msg("swap with lane xor {0}", {s});
    case ShufflePart::up:
      return msg("shuffle up by {0}", {s});
    case ShufflePart::across:
      return msg("warps' sums, up by {0}", {s});
    default:
      return phase_name({view.step, 1});
  }
}

// --- sentence

namespace {

Message look_sentence(const BlockScan& block, const std::string& lines) {
  if (*block.tile == 0)
    return msg("{0}: tile 0 has nothing before it. Its sum is already the sum of all up to itself.", {lines});
  std::int64_t own = 0, left_out = 0;
  for (const SeenTile& seen : block.seen) own += !seen.up_to && !seen.left_out, left_out += seen.left_out;
  const std::vector<std::string> args{lines, number_text(*block.tile), number_text(own),
                                      grouped(block.before), number_text(std::int64_t(block.seen.size()))};
  if (left_out > 0 && own == 1)
    return msg(
        "{0}: a warp looks at {4} tiles at once. The nearest one knows only its own sum; the next one knows "
        "the sum of all up to itself, and what lies further back is not needed. Together {3} stands before "
        "tile {1}.",
        args);
  if (left_out > 0 && own > 0)
    return msg(
        "{0}: a warp looks at {4} tiles at once. The nearest {2} know only their own sum; the next one knows "
        "the sum of all up to itself, and what lies further back is not needed. Together {3} stands before "
        "tile {1}.",
        args);
  if (own == 1)
    return msg(
        "{0}: the tile before this one knows only its own sum yet; the one before that knows the sum of all "
        "up "
        "to itself. Together {3} stands before tile {1}.",
        args);
  if (own == 0)
    return msg(
        "{0}: the tile before this one knows the sum of all up to itself already: one look, and {3} stands "
        "before tile {1}.",
        args);
  return msg(
      "{0}: {2} tiles before tile {1} know only their own sum yet; the next one knows the sum of all up to "
      "itself. Together {3} stands before tile {1}.",
      args);
}

Message store_sentence(const ShuffleScene& scene, int step, const std::string& lines) {
  const std::size_t launches = scene.run().launches.size();
  const int launch = scene.steps.launch_of(step);
  if (launches == 3 && launch == 0)
    return msg("{0}: thread 0 stores the block's sum: launch 2 scans these, launch 3 reads all of in again.",
               {lines});
  if (launches == 3 && launch == 1)
    return msg("{0}: in place of each block's sum now stands the sum of all blocks before it.", {lines});
  return msg("{0}: the block stores {1}: what its lanes hold.",
             {lines, bytes_text(double(traffic_of(scene.steps, step).store.lane_bytes))});
}

Message tell_sentence(const BlockScan& block, const std::string& lines) {
  return block.tile && *block.tile == 0
             ? msg("{0}: thread 0 tells the others the sum of tile 0, which is that of all up to it.",
                   {lines})
             : msg("{0}: thread 0 tells the others the sum of this tile alone, at once, before it knows "
                   "more.",
                   {lines});
}

// What a round does: {0} lines, {1} distance, {2} lanes that get something, {3} wavefronts.
std::optional<Message> round_sentence(ShufflePart part, const std::vector<std::string>& args) {
  switch (part) {
    case ShufflePart::add:
      return msg(
          "{0}: {2} lanes add what lies {1} further on in shared memory, and put it back for the next round: "
          "{3} wavefronts of this warp.",
          args);
    case ShufflePart::left:
      return msg(
          "{0}: {2} lanes read what lies {1} before their own, all add, all put it back: {3} wavefronts of "
          "this warp, and two __syncwarp() to keep reading and writing apart.",
          args);
    case ShufflePart::read:
      return msg("{0}: all lanes read one word of shared memory: the sum.", args);
    case ShufflePart::down:
      return msg(
          "{0}: one instruction hands every lane what the lane {1} further on has in a register. The sum in "
          "lane 0 hangs on {2} of these; no memory is touched.",
          args);
    case ShufflePart::exchange:
      return msg(
          "{0}: lane l gets what lane l xor {1} holds, and that one gets l's: both have the same sum now. No "
          "lane ends up with nothing.",
          args);
    case ShufflePart::up:
      return msg(
          "{0}: each lane gets what the lane {1} before it holds. The first {1} lanes have nobody there: "
          "they get their own number back and leave it.",
          args);
    case ShufflePart::broadcast:
      return msg("{0}: one more shuffle: all lanes ask lane 0.", args);
    case ShufflePart::share:
      return msg(
          "{0}: registers end at the warp. The last lane of each warp leaves its sum in shared memory; past "
          "the barrier every warp reads all of them.",
          args);
    case ShufflePart::across:
      if (args[2] == "0")
        return msg(
            "{0}: each warp scans the warps' sums for itself, {1} apart; to the followed one nothing that "
            "it needs comes from there.",
            args);
      return msg("{0}: each warp scans the warps' sums for itself, by the same shuffles, {1} apart.", args);
    default:
      return {};
  }
}

}  // namespace

Message ShuffleScene::sentence(const LabView& view) const {
  const BlockScan* block = block_of(*this, view.step);
  if (!block) return msg("This run has no steps.");
  const std::string lines = lines_words(steps.marked[std::size_t(view.step)].lines);
  const LaneRow* row = row_of(*this, view);
  const ShufflePart part = shuffle_part(*this, view.step);
  if (const auto round = round_sentence(
          part, {lines, number_text(row ? row->distance : 0), number_text(row ? receivers(*row) : 0),
                 number_text(row ? row->wavefronts : 0)}))
    return *round;
  const bool several = run().launches.size() > 1;
  switch (part) {
    case ShufflePart::load:
      return msg("{0}: the block loads {1} into registers.",
                 {lines, bytes_text(double(traffic_of(steps, view.step).load.lane_bytes))});
    case ShufflePart::join:
      if (block->tile) return msg("{0}: every lane adds the sum of all tiles before this one.", {lines});
      return several ? msg("{0}: every lane adds the sum of all blocks before this one.", {lines})
                     : msg("{0}: every lane adds the sum of the warps before its own.", {lines});
    case ShufflePart::tree:
      return msg("{0}: a scan over the block, as in the rung block: shuffles, a word per warp, shuffles.",
                 {lines});
    case ShufflePart::draw:
      return msg(
          "{0}: thread 0 draws the next tile. CUDA says nothing of the order in which blocks begin; who drew "
          "a smaller number is under way for certain.",
          {lines});
    case ShufflePart::tell:
      return tell_sentence(*block, lines);
    case ShufflePart::look:
      return look_sentence(*block, lines);
    case ShufflePart::store:
      return store_sentence(*this, view.step, lines);
    default:
      return several && block->launch == 0 ? msg("{0}: what the tiles are going to tell is cleared.", {lines})
                                           : msg("{0}: before the kernel's first step.", {lines});
  }
}

// --- headline

namespace {

// What the lanes of the followed warp have added in this step.
std::optional<std::int64_t> joined(const ShuffleScene& scene, const LabView& view) {
  const LaneRow *now = row_of(scene, view), *before = nullptr;
  if (!now || now->part != ShufflePart::join) return {};
  for (const LaneRow& row : table_of(scene, view)->rows)
    if (row.step < now->step && !row.sums) before = &row;
  if (!before) return {};
  return std::int64_t(now->lanes[0].value) - before->lanes[0].value;
}

}  // namespace

std::vector<HeadFigure> ShuffleScene::headline(const LabView& view) const {
  const BlockScan* block = block_of(*this, view.step);
  if (!block) return {};
  const std::string counts(provenance_of(run(), "counts"));
  const ShufflePart part = shuffle_part(*this, view.step);
  std::vector<HeadFigure> all;
  if (part == ShufflePart::look) {
    all.push_back({number_text(std::int64_t(block->seen.size())),
                   block->seen.size() == 1 ? tr("tile looked at") : tr("tiles looked at"),
                   tr("of the {0} before it", {grouped(*block->tile)}), counts, false});
    all.push_back(
        {grouped(block->before), tr("stands before it"), tr("added to all of its elements"), counts, false});
    return all;
  }
  const LaneRow* row = row_of(*this, view);
  if (const auto before = joined(*this, view)) {
    all.push_back({grouped(*before), tr("stands before it"), tr("added by every lane"), counts, false});
    return all;
  }
  if (row && part == ShufflePart::share) {
    all.push_back({number_text(std::int64_t(block->warps.size())), tr("words in shared memory"),
                   tr("one for each warp"), counts, false});
    all.push_back({"1", tr("barrier"), tr("all else is shuffles"), counts, false});
    return all;
  }
  if (!row || part == ShufflePart::load || part == ShufflePart::tree || part == ShufflePart::join) return {};
  if (const std::int64_t count = receivers(*row))
    all.push_back({number_text(count), count == 1 ? tr("lane gets a number") : tr("lanes get a number"),
                   tr("that a result hangs on"), counts, false});
  all.push_back({number_text(row->wavefronts), row->wavefronts == 1 ? tr("wavefront") : tr("wavefronts"),
                 by_shuffle(part) ? tr("from register to register") : tr("of this warp, in shared memory"),
                 counts, false});
  return all;
}

// --- numbers

std::vector<NumberRow> ShuffleScene::numbers() const {
  std::vector<NumberRow> rows;
  rows.push_back({msg("launches"), number_text(std::int64_t(run().launches.size())), "counts"});
  if (const auto& counts = run().counts) {
    const auto count = [&](Message label, std::int64_t value, const char* path) {
      rows.push_back({std::move(label), grouped(value), path});
    };
    count(msg("sectors, load"), counts->global_load_sectors, "counts.global_load_sectors");
    count(msg("sectors, store"), counts->global_store_sectors, "counts.global_store_sectors");
    count(msg("wavefronts, shared"), counts->shared_load_wavefronts + counts->shared_store_wavefronts,
          "counts.shared_load_wavefronts");
    count(msg("barriers"), counts->barriers, "counts.barriers");
  }
  add_time_rows(run(), Work::bytes, true, rows);
  return rows;
}

// --- entry

namespace {

class ShuffleLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("shuffle")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<ShuffleScene>(std::move(run));
  }
  Message ladder_problem(const Run& timed) const override {
    return msg("{0} elements: sums and scans of each warp, of each block, of the whole array",
               {grouped(int_param(timed.request.params, "n"))});
  }
  // Of blocks that hang on others one with many before it, of warps the last.
  Followed opens_at(std::string_view rung, const Params& params) const override {
    const Ladder& ladder = *find_ladder("shuffle");
    if (rung == "block") return {0, (int_param(params, "threads") + 31) / 32 - 1};
    for (const BufferSpec& buffer : ladder.buffers(params, rung))
      if (buffer.name == "words" || buffer.name == "sums") {
        const auto tiles = std::int64_t(buffer.elements());
        return {tiles - tiles * 7 / 15, 0};
      }
    return {};
  }
};

}  // namespace

const Lab& shuffle_lab() {
  static const ShuffleLab lab;
  return lab;
}

}  // namespace lockstep
