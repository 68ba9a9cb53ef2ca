// Why does FlashAttention move so much less?
// Step through the tiles: the scores of a tile exist on chip only, the row's maximum and sum run along, and O
// is put right whenever the maximum moves. Standard attention writes every score to memory and reads it back.
// Compare flash1 with flash2: the order of the two loops decides how often O travels, the warps' shares
// whether they have to talk.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

namespace step_of = attention_step;

// --- steps: what the kernel says that it does with a tile

namespace {

std::string rows_text(Span rows) {
  return rows.count == 1 ? number_text(rows.first) : number_text(rows.first) + "–" + number_text(rows.last());
}

// The tiles of a step in words.
struct TileWords {
  AttentionSizes sizes;
  AttentionTile tile;
  std::string q, k;  // "16–31"
};
std::optional<TileWords> tile_words(const AttentionScene& scene, int step) {
  const auto& sizes = scene.sizes;
  if (!sizes || step < 0 || step >= scene.steps.count()) return {};
  TileWords t{*sizes, scene.tiles[std::size_t(step)], "?", "?"};
  if (t.tile.q.count > 0) t.q = rows_text(t.tile.q);
  if (t.tile.k.count > 0) t.k = rows_text(t.tile.k);
  return t;
}

Message name_of_mark(std::uint16_t mark) {
  switch (mark) {
    case step_of::load_q:
      return msg("load a tile of Q");
    case step_of::load_kv:
      return msg("load a tile of K and V");
    case step_of::scores:
      return msg("scores");
    case step_of::exchange:
      return msg("warps exchange maxima and sums");
    case step_of::softmax:
      return msg("new maximum and sum");
    case step_of::output:
      return msg("rescale O, add P·V");
    case step_of::product:
      return msg("O = P·V");
    case step_of::finish:
      return msg("divide and store");
    case step_of::recompute:
      return msg("recompute the probabilities");
    case step_of::rowsum:
      return msg("row sums of dO · O");
    case step_of::turn:
      return msg("transpose V");
    case step_of::gradient_v:
      return msg("add to dV");
    case step_of::gradient_p:
      return msg("dP = dO·Vᵀ");
    case step_of::gradient_s:
      return msg("dS = P · (dP − D)");
    case step_of::gradient_k:
      return msg("add to dK");
    case step_of::gradient_q:
      return msg("add to dQ");
    default:
      return msg("before the first step");
  }
}

}  // namespace

Color AttentionScene::phase_color(const Phase& phase) const {
  switch (steps.marked[std::size_t(phase.first)].mark) {
    case step_of::load_q:
    case step_of::load_kv:
      return color::hbm;
    case step_of::exchange:
      return color::barrier;
    case step_of::softmax:
    case step_of::gradient_s:
    case step_of::rowsum:
      return color::registers;
    case step_of::finish:
    case step_of::turn:
      return color::l2;
    default:
      return color::shared;
  }
}

Message AttentionScene::phase_name(const Phase& phase) const {
  const MarkedStep& first = steps.marked[std::size_t(phase.first)];
  return msg(first.lines.size() == 1 ? N_("{0}, line {1}") : N_("{0}, lines {1}"),
             {tr(name_of_mark(first.mark)), lines_text(first.lines)});
}

Message AttentionScene::step_title(const LabView& view) const {
  const auto t = tile_words(*this, view.step);
  if (!t) return msg("no step");
  const bool gradients = t->tile.mark == step_of::finish && makes_gradients(view.step);
  const std::string what = gradients                    ? tr("store the gradients")
                           : asks_for_output(view.step) ? tr("ask for P·V")
                                                        : tr(name_of_mark(t->tile.mark));
  if (t->tile.mark == step_of::turn && t->tile.j >= 0)
    return msg("{0}: V tile {1}", {what, number_text(t->tile.j)});
  if (t->tile.i < 0) return msg("{0}", {what});
  return msg("{0}: Q tile {1}, K tile {2}", {what, number_text(t->tile.i), number_text(t->tile.j)});
}

// --- sentence

namespace {

Message softmax_sentence(const TileWords& t, const MarkedAxis& axis, int index, const std::string& lines) {
  const RowChanges changes = changes_of(t.sizes, axis, index);
  if (changes.moved > 0)
    return msg(
        "{0}: of {1} rows {2} find a larger score than before: their sum and their O so far are worth "
        "e^(m − m') of what they were, least of all in row {3}: {4}.",
        {lines, number_text(changes.rows), number_text(changes.moved), number_text(changes.least_row),
         figure_text(changes.least_factor)});
  return msg(
      "{0}: the largest scores of rows {1} stay (or are the first): nothing that was summed has to "
      "change.",
      {lines, t.q});
}

Message scores_sentence(const TileWords& t, const Traffic& now, const std::string& lines) {
  return now.store.lane_bytes > 0
             ? msg("{0}: queries {1} against keys {2}: {3} scores, and all of them are written to "
                   "global memory: {4}.",
                   {lines, t.q, t.k, grouped(t.sizes.pairs(t.tile.q, t.tile.k)),
                    bytes_text(double(now.store.lane_bytes))})
             : msg("{0}: queries {1} against keys {2}: {3} scores of {4} products each. They stay "
                   "on the chip.",
                   {lines, t.q, t.k, grouped(t.sizes.pairs(t.tile.q, t.tile.k)),
                    number_text(t.sizes.head_dim)});
}

Message load_sentence(const TileWords& t, const Traffic& now, const std::string& lines, bool transposed) {
  const std::vector<std::string> args{lines, t.q, t.k, bytes_text(double(now.load.lane_bytes)),
                                      grouped(now.load.sectors)};
  return t.tile.mark == step_of::load_q ? msg("{0}: rows {1} of Q, and what the kernel keeps of them, "
                                              "come from global memory: {3} in {4} "
                                              "sectors.",
                                              args)
         : transposed                   ? msg("{0}: rows {2} of K and the same keys of the transposed V come "
                                                                "from global memory: {3} in {4} sectors.",
                                              args)
                                        : msg("{0}: rows {2} of K and of V come from global memory: {3} "
                                                                "in {4} sectors. Every further tile of Q "
                                                                "reads them again, from the L2 where they still are there.",
                                              args);
}

Message output_sentence(const TileWords& t, const Traffic& now, const std::string& lines) {
  if (now.store.lane_bytes > 0)
    return msg(
        "{0}: O of rows {1} is put right, P·V of this tile added, and all of it goes back to global "
        "memory: "
        "{2} out, {3} in.",
        {lines, t.q, bytes_text(double(now.store.lane_bytes)), bytes_text(double(now.load.lane_bytes))});
  return msg(
      "{0}: O of rows {1} is multiplied by each row's factor, and P·V of keys {2} is added. O stays in "
      "registers; nothing is divided yet.",
      {lines, t.q, t.k});
}

// Where P V runs while the next scores are weighed.
Message late_output_sentence(const TileWords& t, const std::string& lines, bool asked) {
  return asked
             ? msg("{0}: P·V of keys {2} is asked for. It runs on the tensor cores while the next scores are "
                   "weighed, and O has it when that is done.",
                   {lines, t.q, t.k})
             : msg("{0}: the last P·V, of keys {2}, is added to O of rows {1}. Nothing is divided yet.",
                   {lines, t.q, t.k});
}

// What a step of the backward pass adds to what.
Message gradient_sentence(const TileWords& t, const Traffic& now, const std::string& lines) {
  const std::vector<std::string> args{lines, t.q, t.k, bytes_text(double(now.load.lane_bytes))};
  switch (t.tile.mark) {
    case step_of::rowsum:
      return msg(
          "{0}: dO and O of each of the rows {1} are multiplied and summed to D, which the softmax's "
          "gradient subtracts from every dP of the row. {3} in.",
          args);
    case step_of::gradient_v:
      return msg("{0}: dV of keys {2} grows: queries {1} add their dO, each weighted with its P.", args);
    case step_of::gradient_p:
      return msg("{0}: dP = dO·Vᵀ of queries {1} and keys {2}: how the loss changes with each P.", args);
    case step_of::gradient_s:
      return msg("{0}: dS = P · (dP − D) of queries {1} and keys {2}: how the loss changes with each score.",
                 args);
    case step_of::gradient_k:
      return msg("{0}: dK of keys {2} grows: queries {1} add their Q, each weighted with its dS.", args);
    default:
      return msg("{0}: dQ of queries {1} grows: keys {2} add their K, each weighted with its dS.", args);
  }
}

}  // namespace

Message AttentionScene::sentence(const LabView& view) const {
  const auto t = tile_words(*this, view.step);
  if (!t) return msg("This run has no steps.");
  const std::string lines = lines_words(steps.marked[std::size_t(view.step)].lines);
  const Traffic now = traffic_of(steps, view.step);
  const std::string read = bytes_text(double(now.load.lane_bytes)),
                    written = bytes_text(double(now.store.lane_bytes));
  switch (t->tile.mark) {
    case step_of::load_q:
    case step_of::load_kv:
      return load_sentence(*t, now, lines, transposes);
    case step_of::scores:
      return scores_sentence(*t, now, lines);
    case step_of::exchange:
      return msg(
          "{0}: each warp knows a part of every row only, so the warps tell each other maxima and sums "
          "through shared memory: {1} in, {2} out. Split-Q needs none of this.",
          {lines, bytes_text(double(now.shared_store.lane_bytes)),
           bytes_text(double(now.shared_load.lane_bytes))});
    case step_of::softmax:
      return now.store.lane_bytes > 0
                 ? msg("{0}: the softmax reads the scores back, {1}, and writes probabilities, {2}.",
                       {lines, read, written})
                 : softmax_sentence(*t, steps, view.step, lines);
    case step_of::output:
      if (late_output) return late_output_sentence(*t, lines, asks_for_output(view.step));
      return output_sentence(*t, now, lines);
    case step_of::product:
      return msg("{0}: O of rows {1} is P·V; the probabilities come back from global memory: {2} in.",
                 {lines, t->q, read});
    case step_of::finish:
      if (makes_gradients(view.step))
        return msg("{0}: the block's gradients go from registers to global memory, each element once: {1}.",
                   {lines, written});
      if (transposes)
        return msg(
            "{0}: O is divided by 256, by which the weights were larger for the product, and by the row's "
            "sum; then O and l = m + log of the sum go to global memory: {1}.",
            {lines, written});
      return msg(
          "{0}: one division per element of O, then O and l = m + log of the sum go to global memory: "
          "{1}.",
          {lines, written});
    case step_of::recompute:
      return msg(
          "{0}: the probabilities of queries {1} and keys {2} are made again from Q, K and the stored "
          "l: {3} "
          "of them, none was kept.",
          {lines, t->q, t->k, grouped(t->sizes.pairs(t->tile.q, t->tile.k))});
    case step_of::turn:
      return msg(
          "{0}: V of keys {1} is transposed, {2} in and {3} out: a product of 8-bit numbers reads them along "
          "the dimension that it sums over, here the keys. Of every 16 keys those stand together whose "
          "weights one lane will hold.",
          {lines, t->k, read, written});
    case step_of::rowsum:
    case step_of::gradient_v:
    case step_of::gradient_p:
    case step_of::gradient_s:
    case step_of::gradient_k:
    case step_of::gradient_q:
      return gradient_sentence(*t, now, lines);
    default:
      return msg("{0}: {1}; {2} in, {3} out.", {lines, tr(name_of_mark(t->tile.mark)), read, written});
  }
}

// --- entry

namespace {

class AttentionLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("attention")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<AttentionScene>(std::move(run));
  }
  Message why_no_bar(std::string_view rung, std::span<const Run>) const override {
    const auto& sets = info().sets;
    const auto own = sets.find(std::string(rung));
    const bool masked = own != sets.end() && !own->second.empty() && own->second.front().contains("causal");
    return masked ? msg("masked: half the work") : Message{};
  }
};

}  // namespace

const Lab& attention_lab() {
  static const AttentionLab lab;
  return lab;
}

}  // namespace lockstep
