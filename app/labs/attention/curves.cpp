// Curves of the attention lab: bytes by the model of the rungs' traffic, over the sequence and over the
// tiles.
#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/plot.hpp"
#include "app/model/gpu.hpp"
#include "kernels/attention/traffic.hpp"
#include "kernels/ladder.hpp"
#include "turns.hpp"

namespace lockstep {
namespace {

AttentionShape shape_of(const Run& run, const AttentionSizes& s) {
  const ViewInfo* q = run.launches.front().view(0);
  return {s.seq, s.head_dim, s.heads, s.tile_q, s.tile_k, q ? std::int64_t(q->element_bytes) : 4, s.causal};
}

// Of an element of a rung whose inputs have a type of their own; the others take that of the settings.
std::optional<std::int64_t> own_bytes(const std::string& rung) {
  const Ladder& ladder = *find_ladder("attention");
  const Params timed = ladder.bench_params(rung);
  if (timed.contains("dtype")) return {};
  return std::int64_t(ladder.buffers(timed, rung).front().element_bytes);
}
// The problem with inputs that the rung takes.
AttentionShape taken_by(const std::string& rung, AttentionShape shape) {
  constexpr std::int64_t kBf16 = 2;
  shape.element_bytes = own_bytes(rung).value_or(std::max(kBf16, shape.element_bytes));
  return shape;
}

PlotAxis bytes_axis(double least, double most) {
  return {tr("bytes"), std::pow(10, std::floor(std::log10(least))), std::pow(10, std::ceil(std::log10(most))),
          true};
}

// Every rung over the sequence length, at the current tiles.
Plot plot_over_seq(const Theme& theme, const std::string& rung, const AttentionShape& now, const char* id,
                   const std::function<double(std::string_view, const AttentionShape&)>& bytes, bool least) {
  constexpr double kFirst = 64, kLast = 131072;
  Plot plot{id, {tr("sequence length"), kFirst, kLast, true}, {}, {}, double(now.seq)};
  double low = INFINITY, high = 0;
  const auto curve = [&](const auto& value) {  // empty where the model does not speak of a length
    std::vector<double> ys;
    for (double seq = kFirst; seq <= kLast; seq *= 2) {
      AttentionShape shape = now;
      shape.seq = std::int64_t(seq);
      if (const double y = value(shape); y > 0)
        ys.push_back(y);
      else
        return std::vector<double>{};
    }
    return ys;
  };
  const auto add = [&](const std::string& name, Color color, PlotMark mark, const std::vector<double>& ys) {
    if (ys.empty()) return;
    PlotSeries series{name, {}, color, mark};
    double seq = kFirst;
    for (const double y : ys) {
      series.points.push_back({seq, y, ""}), low = std::min(low, y), high = std::max(high, y);
      seq *= 2;
    }
    plot.series.push_back(std::move(series));
  };
  if (least)
    add(tr("every input once"), theme.dim, PlotMark::dashed,
        curve([](const AttentionShape& s) { return attention_least_bytes(s); }));
  const auto of_rung = [&](const std::string& slug) {
    return curve([&](const AttentionShape& s) { return bytes(slug, taken_by(slug, s)); });
  };
  const std::vector<double> own = of_rung(rung);
  std::vector<std::vector<double>> drawn;  // rungs that move the same share a curve
  for (const RungInfo& other : find_ladder("attention")->info.rungs) {
    const std::vector<double> ys = other.slug == rung ? own : of_rung(other.slug);
    const bool twice = std::find(drawn.begin(), drawn.end(), ys) != drawn.end();
    if (other.slug != rung && (ys == own || twice)) continue;
    drawn.push_back(ys);
    add(other.slug, other.slug == rung ? color::l2 : mix(theme.panel, color::l2, 0.5f), PlotMark::line, ys);
  }
  if (high <= 0) low = 1, high = 10;
  plot.y = bytes_axis(low, high);
  return plot;
}

std::string rung_that_loads_least(const AttentionShape& shape) {
  std::string least;
  double bytes = INFINITY;
  for (const RungInfo& rung : find_ladder("attention")->info.rungs)
    if (const double b = attention_load_bytes(rung.slug, shape);
        taken_by(rung.slug, shape).element_bytes == shape.element_bytes && b > 0 && b < bytes)
      bytes = b, least = rung.slug;
  return least;
}

// Square tiles from 16 to 256 at the current sequence length, beside N^2 d^2 / M.
Plot plot_over_chip(const Theme& theme, const AttentionShape& now) {
  const std::string rung = rung_that_loads_least(now);
  PlotSeries counted{rung, {}, color::l2, PlotMark::line}, law{"N²d²/M", {}, theme.dim, PlotMark::dashed};
  const auto square = [&](std::int64_t tile) {
    AttentionShape shape = now;
    shape.tile_q = shape.tile_k = tile;
    return shape;
  };
  double low = INFINITY, high = 0;
  const AttentionShape middle = square(64);
  const double scale = attention_load_bytes(rung, middle) * attention_chip_bytes(middle);
  for (std::int64_t tile = 16; tile <= 256; tile *= 2) {
    const double m = attention_chip_bytes(square(tile)), y = attention_load_bytes(rung, square(tile));
    counted.points.push_back({m, y, ""}), law.points.push_back({m, scale / m, ""});
    low = std::min({low, y, scale / m}), high = std::max({high, y, scale / m});
  }
  AttentionShape here = now;
  here.tile_q = std::max<std::int64_t>(1, now.tile_q), here.tile_k = std::max<std::int64_t>(1, now.tile_k);
  return {"panel/chip",
          {tr("bytes of tiles on the chip (M)"), attention_chip_bytes(square(16)),
           attention_chip_bytes(square(256)), true},
          bytes_axis(low, high),
          {law, counted},
          attention_chip_bytes(here)};
}

}  // namespace

std::vector<LabPanel> attention_panels(const Run& run, const AttentionSizes& sizes) {
  const AttentionShape shape = shape_of(run, sizes);
  const std::string rung = run.request.rung;
  const auto panel = [](const char* id, Message title, std::function<Plot(const Theme&)> plot,
                        const char* said = "modelled, equal to the counts where tiles are whole") {
    return LabPanel{std::move(title), said, 190,
                    [plot](Canvas& canvas, const Theme& theme, Rect r) {
                      draw_plot(canvas, theme, {r.x - 6, r.y, r.w + 10, r.h}, plot(theme));
                    },
                    id};
  };
  return {panel("loads", msg("LOADED BY THE SMS"),
                [=](const Theme& theme) {
                  return plot_over_seq(theme, rung, shape, "panel/loads", attention_load_bytes, true);
                }),
          panel(
              "hbm", msg("FROM AND TO HBM, H200"),
              [=](const Theme& theme) {
                const auto bytes = [l2 = Gpu{}.l2_bytes](std::string_view other, const AttentionShape& s) {
                  return attention_memory_bytes(other, s, l2);
                };
                return plot_over_seq(theme, rung, shape, "panel/memory", bytes, true);
              },
              "modelled, error 15 % where the L2 is far too small for all; K and V of a head must fit"),
          panel("tiles", msg("LOADED, BY TILE SIZE"),
                [=](const Theme& theme) { return plot_over_chip(theme, shape); }),
          panel("memory", msg("MEMORY BESIDE Q, K, V, O"), [=](const Theme& theme) {
            return plot_over_seq(theme, rung, shape, "panel/kept", attention_kept_bytes, false);
          })};
}

std::vector<LabPanel> AttentionScene::panels(Rect, const Theme&) const {
  if (!sizes) return {};
  std::vector<LabPanel> panels = attention_panels(run(), *sizes);
  if (auto turns = turns_panel(run())) panels.insert(panels.begin(), std::move(*turns));
  return panels;
}

}  // namespace lockstep
