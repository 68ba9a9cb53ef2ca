// The large numbers of the attention lab: bytes from and to HBM at the size at which the ladder is timed,
// where the scores no longer fit into the L2. By the model of the rungs' traffic, loads and stores.
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/gpu.hpp"
#include "kernels/attention/traffic.hpp"
#include "kernels/ladder.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

constexpr const char* kModelled =
    "modelled, error 15 % where the L2 is far too small for all; K and V of a head must fit";

// The problem of the ladder's first rung, the same for every rung, with the tiles that this one is timed
// with.
AttentionShape real_shape(const std::string& rung) {
  const Ladder& ladder = *find_ladder("attention");
  Params own = ladder.bench_params(rung);
  const Params problem = ladder.bench_params(ladder.info.rungs.front().slug);
  const auto whole = [](const Params& from, const char* name, std::int64_t otherwise) {
    const auto at = from.find(name);
    const auto* value = at == from.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
    return value ? *value : otherwise;
  };
  const std::uint32_t element_bytes = ladder.buffers(own, rung).front().element_bytes;  // of q
  return {whole(problem, "seq", 4096),
          whole(problem, "head_dim", 128),
          whole(problem, "heads", 16),
          whole(own, "tile_q", 32),
          whole(own, "tile_k", 32),
          std::int64_t(element_bytes),
          false};
}

double memory_bytes(const std::string& rung) {
  return attention_memory_bytes(rung, real_shape(rung), Gpu{}.l2_bytes);
}

// Every input once and the output once: flash2's bytes at this size, by the same model.
double least_bytes(const std::string& rung) {
  return attention_memory_bytes("flash2", real_shape(rung), Gpu{}.l2_bytes);
}

HeadFigure bytes_figure(double bytes, const std::string& words, std::string note, bool trouble) {
  const std::string text = bytes_text(bytes);
  const std::size_t space = text.find(' ');
  const std::string unit = text.substr(space + 1);
  return {text.substr(0, space), words.empty() ? unit : unit + " " + words, std::move(note), kModelled,
          trouble};
}

// The backward pass has no model of its traffic; what it saves is what the forward pass need not keep.
std::vector<HeadFigure> backward_figures(const std::string& rung) {
  const AttentionShape s = real_shape(rung);
  const double rows = double(s.heads) * double(s.seq);
  HeadFigure all = bytes_figure(rows * double(s.seq) * double(s.element_bytes), tr("not kept"),
                                tr("of P at N = {0}", {grouped(s.seq)}), false),
             kept = bytes_figure(rows * 4, tr("kept"), tr("one l per row"), false);
  all.provenance = kept.provenance = "modelled";
  return {all, kept};
}

}  // namespace

std::vector<HeadFigure> AttentionScene::headline(const LabView&) const {
  const std::string& rung = run().request.rung;
  const AttentionShape shape = real_shape(rung);
  const double bytes = memory_bytes(rung), least = least_bytes(rung);
  if (bytes <= 0) return backward_figures(rung);
  const bool more = bytes > 1.5 * least;
  HeadFigure moved = bytes_figure(bytes, "", tr("HBM, N = {0}", {grouped(shape.seq)}), more);
  if (more) {
    HeadFigure enough = bytes_figure(least, tr("would do"), tr("Q, K, V in and O out, once"), false);
    enough.provenance.clear();
    return {moved, enough};
  }
  HeadFigure standard =
      bytes_figure(memory_bytes(find_ladder("attention")->info.rungs.front().slug), "",
                   tr("by {0}: N × N scores", {find_ladder("attention")->info.rungs.front().slug}), false);
  return {moved, standard};
}

AmountBars memory_bars(const AttentionScene& scene) {
  const std::string& rung = scene.run().request.rung;
  const AttentionShape shape = real_shape(rung);
  AmountBars bars;
  bars.title = memory_bytes(rung) <= 0 ? tr("To and from HBM, forward pass") : tr("To and from HBM");
  bars.about = tr("N = {0}, {1} heads; loads and stores", {grouped(shape.seq), number_text(shape.heads)});
  bars.provenance = kModelled, bars.color = color::hbm;
  for (const RungInfo& other : find_ladder("attention")->info.rungs)
    if (const double bytes = memory_bytes(other.slug); bytes > 0)
      bars.bars.push_back({other.slug, bytes_text(bytes), bytes, other.slug == rung});
  return bars;
}

}  // namespace lockstep
