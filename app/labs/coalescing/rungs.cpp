#include "rungs.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/curves_evidence.hpp"
#include "kernels/coalescing/places.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

std::optional<double> recorded(const CurvesEvidence* evidence, const std::string& rung, const Params& params,
                               const std::string& quantity) {
  if (!evidence) return {};
  for (const coalescing::CurveAxis& axis : coalescing::curve_axes(rung)) {
    const auto* curve =
        coalescing::lies_on(params, axis) ? evidence->find({rung, axis.parameter, quantity}) : nullptr;
    if (!curve) continue;
    const auto at = curve->find(coalescing::setting(params, axis.parameter, 0));
    if (at != curve->end()) return at->second;
  }
  // A rung whose cost no parameter changes.
  const auto* only = coalescing::curve_axes(rung).empty() ? evidence->find({rung, "n", quantity}) : nullptr;
  return only && !only->empty() ? std::optional(only->begin()->second) : std::nullopt;
}

}  // namespace

std::vector<RungCost> rung_costs(const Run& run) {
  const LabInfo& lab = find_ladder("coalescing")->info;
  const auto* evidence = run.evidence.find<CurvesEvidence>();
  std::vector<RungCost> all;
  for (const RungInfo& rung : lab.rungs) {
    RungCost cost{int(all.size()) + 1, rung.slug, rung.idea, 0, 0, rung.slug == run.request.rung, {}};
    const auto params = complete_params(lab, rung.slug, cost.here ? run.request.params : Params{});
    if (!params) return {};
    cost.sectors = coalescing::sectors_per_load(rung.slug, *params);
    if (!(cost.sectors > 0))
      cost.sectors = recorded(evidence, rung.slug, *params, "sectors_per_request").value_or(0);
    cost.fewest = double(coalescing::floats_per_access(rung.slug, *params) * coalescing::kWarp /
                         coalescing::kSectorFloats);
    cost.gb_per_s = recorded(evidence, rung.slug, *params, "gb_per_s");
    all.push_back(std::move(cost));
  }
  return all;
}

// --- drawing

namespace {

constexpr float kRow = 22, kHead = 40;  // px

// Where the columns of the table stand; without room an idea is read by pointing at its rung.
struct Columns {
  float name = 0, idea = 0, sectors = 0, figure = 0, rate = 0;
  float idea_w = 0, sectors_w = 0, rate_w = 0;
};
Columns columns_of(Rect r, float type, bool rates) {
  constexpr float kIdeaFrom = 820;
  Columns c;
  c.name = r.x + 8 * type;
  const float names = 100 * type, figures = 54 * type, gap = 16 * type;
  const float free = r.w - names - figures - gap;
  c.idea_w = r.w >= kIdeaFrom * type ? free * 0.45f : 0;
  c.rate_w = rates ? free * (c.idea_w > 0 ? 0.22f : 0.38f) : 0;
  c.sectors_w = free - c.idea_w - c.rate_w - (rates ? gap : 0);
  c.idea = c.name + names;
  c.sectors = c.idea + c.idea_w;
  c.figure = c.sectors + c.sectors_w + 6 * type;
  c.rate = c.figure + figures;
  return c;
}

void draw_head(Canvas& canvas, const Theme& theme, Rect r, const Columns& c, const std::string& recorded) {
  const float type = theme.type;
  const TextStyle small{Font::words, 11 * type, theme.dim};
  canvas.text_fit({r.x, r.y + 8 * type}, tr("What one load of a warp asks for, rung by rung"),
                  {Font::words_semibold, 13.5f * type, theme.ink}, r.w);
  const float y = r.y + 28 * type;
  if (c.idea_w > 0)
    canvas.text_fit({c.idea, y}, tr("this rung as it is set, the others at their defaults"), small,
                    c.idea_w - 8 * type);
  canvas.text_fit({c.sectors, y}, tr("sectors per load; filled: what its bytes need"), small,
                  c.rate - c.sectors);
  if (c.rate_w <= 0) return;
  draw_badge(canvas, theme, {c.rate + c.rate_w, y}, recorded);
  canvas.text_fit({c.rate, y}, tr("GB/s"), small, c.rate_w - badge_width(canvas, theme, recorded) - 8 * type);
}

void draw_row(Canvas& canvas, const Theme& theme, Rect r, const Columns& c, const RungCost& cost,
              double most) {
  constexpr double kMostSectors = 32;
  const float type = theme.type, y = r.center().y, bar = 10 * type;
  if (cost.here) canvas.fill_rect(r, theme.panel, 4), canvas.stroke_rect(r, theme.ink, 1.5f, 4);
  const TextStyle words{cost.here ? Font::words_semibold : Font::words, 11.5f * type, theme.ink};
  canvas.text({c.name, y}, number_text(cost.number), {Font::mono, 10.5f * type, theme.dim});
  canvas.text_fit({c.name + 16 * type, y}, cost.slug, words, c.idea - c.name - 20 * type);
  if (c.idea_w > 0)
    canvas.text_fit({c.idea, y}, tr(cost.idea), {Font::words, 11.5f * type, theme.dim}, c.idea_w - 12 * type);
  const auto width = [&](double sectors) {
    return c.sectors_w * float(std::min(1.0, sectors / kMostSectors));
  };
  const Rect asked{c.sectors, y - bar / 2, width(cost.sectors), bar};
  canvas.fill_rect(asked, mix(theme.panel, color::hbm, theme.dark ? 0.34f : 0.16f), 2);
  canvas.stroke_rect(asked, color::hbm, 1, 2);
  canvas.fill_rect({asked.x, asked.y, width(std::min(cost.fewest, cost.sectors)), bar}, color::hbm, 2);
  canvas.text_fit({c.figure, y}, figure_text(cost.sectors), {Font::mono, 10.5f * type, theme.ink},
                  c.rate - c.figure - 6 * type);
  if (c.rate_w <= 0 || !cost.gb_per_s) return;
  const float number = 40 * type;
  canvas.fill_rect({c.rate, y - bar / 2, (c.rate_w - number) * float(*cost.gb_per_s / most), bar},
                   cost.here ? theme.ink : mix(theme.panel, theme.dim, 0.6f), 2);
  canvas.text({c.rate + c.rate_w, y}, grouped(std::llround(*cost.gb_per_s)),
              {Font::mono, 10.5f * type, theme.ink, Align::right});
}

std::string row_hint(const RungCost& cost) {
  const std::string sectors =
      tr("{0} sectors per load, {1} would do", {figure_text(cost.sectors), figure_text(cost.fewest)});
  return cost.slug + ": " + tr(cost.idea) + "\n" + sectors;
}

}  // namespace

float rungs_height(const Theme& theme, std::size_t count) {
  return (kHead + kRow * float(count)) * theme.type;
}

void draw_rungs(Canvas& canvas, const Theme& theme, Rect r, const std::vector<RungCost>& costs,
                const std::string& recorded) {
  double most = 0;
  for (const RungCost& cost : costs) most = std::max(most, cost.gb_per_s.value_or(0));
  const Columns columns = columns_of(r, theme.type, most > 0);
  draw_head(canvas, theme, r, columns, recorded);
  float y = r.y + kHead * theme.type;
  for (const RungCost& cost : costs) {
    const Rect row{r.x, y, r.w, kRow * theme.type};
    draw_row(canvas, theme, row, columns, cost, most);
    if (canvas.hit("stage/rungs/" + cost.slug, row).hovered) canvas.tooltip(row_hint(cost));
    y += row.h;
  }
}

}  // namespace lockstep
