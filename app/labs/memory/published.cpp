// The measured figures beside those that others have published.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/curves_evidence.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

double ratio_of(double measured, const Between& published) {
  if (measured < published.low) return measured / published.low;
  return measured > published.high ? measured / published.high : 1;
}

// Of the L2's rate: what it is at the smallest and at the largest footprint that the L2 holds.
std::string rate_reason(const Run& run) {
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  const auto* reads = recorded ? recorded->find({"read", "footprint", "gb_per_s"}) : nullptr;
  if (!reads || reads->empty()) return "";
  const auto [least, rate] = *reads->begin();
  return tr(
      "It hangs on the footprint: {0} at {1}, where many SMs ask for the same lines at once, and less the "
      "more "
      "there is to read.",
      {rate_text(rate * 1e9), bytes_text(1024.0 * double(least))});
}

// Of the walk through memory: its latency at the largest footprint.
std::string growth_reason(const Run& run) {
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  const auto* walk = recorded ? recorded->find({"chase", "footprint", "cycles"}) : nullptr;
  if (!walk || walk->empty()) return "";
  const auto [most, cycles] = *walk->rbegin();
  return tr("It grows with the footprint, up to {0} cycles at {1}.",
            {cycles_per_load_text(cycles), bytes_text(1024.0 * double(most))});
}

std::string reason_for(const Run& run, MemoryLevel level, bool rate) {
  if (level == MemoryLevel::l2 && rate) return rate_reason(run);
  if (level == MemoryLevel::l2)
    return tr(
        "No load's own time, but what the walk's mean says between half of the L2 and all of it: where the "
        "near "
        "half does not have a line, the other one answers.");
  if (level == MemoryLevel::hbm) return growth_reason(run);
  return tr("The time of a load is taken with the arithmetic of its address.");
}

Comparison compared(const Run& run, const LevelFigures& f, const std::string& name, double measured,
                    const Between& published, bool rate) {
  Comparison c{name, rate ? rate_text(measured) : tr("{0} cycles", {cycles_per_load_text(measured)}),
               published_text(published, rate), ratio_of(measured, published), ""};
  if (c.differs()) c.reason = reason_for(run, f.level, rate);
  return c;
}

float line_height(const Theme& theme) { return 17 * theme.type; }

// What the translation of addresses costs: a walk with a place in every page that an L2 has room for.
std::string pages_text(const Run& run, const LevelFigures& l2) {
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  const auto* walk = recorded ? recorded->find({"chase", "stride65536", "cycles"}) : nullptr;
  if (!walk || walk->empty() || !l2.cycles) return "";
  const auto [most, cycles] = *walk->rbegin();
  const std::vector<std::string> args{bytes_text(1024.0 * double(most)), cycles_per_load_text(cycles),
                                      cycles_per_load_text(*l2.cycles)};
  return cycles < 1.1 * *l2.cycles ? tr("In steps of 64 KB through {0}: {1} cycles, and L2 takes {2}. "
                                        "Translating the addresses (TLB) does "
                                        "not show.",
                                        args)
                                   : tr("In steps of 64 KB through {0}: {1} cycles, where L2 takes {2}. The "
                                        "rest is the translation of "
                                        "addresses (TLB).",
                                        args);
}

void draw_comparisons(Canvas& canvas, const Theme& theme, Rect r, const std::vector<Comparison>& all,
                      const std::string& pages) {
  const float type = theme.type, line = line_height(theme);
  float y = r.y;
  for (const Comparison& c : all) {
    canvas.text_fit({r.x, y + line / 2}, tr("{0}: {1}; published {2}", {c.name, c.measured, c.published}),
                    {Font::words, 12.5f * type, theme.ink}, r.w);
    y += line;
    if (!c.reason.empty())
      y += canvas.text_wrap({r.x + 12, y}, c.reason, {Font::words, 11.5f * type, theme.dim}, r.w - 12,
                            15 * type);
    y += 4 * type;
  }
  if (!pages.empty())
    y += canvas.text_wrap({r.x, y}, pages, {Font::words, 12.5f * type, theme.ink}, r.w, line) + 4 * type;
  canvas.text_wrap({r.x, y},
                   tr("Published: microbenchmarks of Hopper; about them: {0}", {published_source()}),
                   {Font::words, 10.5f * type, theme.dim}, r.w, 14 * type);
}

}  // namespace

const char* published_source() {
  return "Luo et al., arXiv:2402.13499, arXiv:2501.12084; chipsandcheese.com, 2023-07-02";
}

std::vector<Comparison> beside_published(const Run& run, const std::vector<LevelFigures>& levels) {
  std::vector<Comparison> all;
  for (const LevelFigures& f : levels) {
    const std::string name = name_of(f.level);
    if (f.published_cycles && f.cycles && f.far_cycles) {  // their two figures are the two halves'
      const auto [near, far] = *f.published_cycles;
      all.push_back(compared(run, f, tr("{0}, near", {name}), *f.cycles, {near, near}, false));
      all.push_back(compared(run, f, tr("{0}, far", {name}), *f.far_cycles, {far, far}, false));
    } else if (f.published_cycles && f.cycles) {
      all.push_back(compared(run, f, name, *f.cycles, *f.published_cycles, false));
    }
    if (f.published_bytes_per_s && f.bytes_per_s)
      all.push_back(compared(run, f, name, *f.bytes_per_s, *f.published_bytes_per_s, true));
  }
  return all;
}

std::vector<LabPanel> MemoryScene::panels(Rect, const Theme&) const {
  const auto all = beside_published(run(), levels);
  if (all.empty()) return {};
  constexpr float kLine = 21, kReason = 48, kSource = 34;
  const std::string pages = pages_text(run(), figures_of(MemoryLevel::l2));
  float height = kSource + (pages.empty() ? 0 : 40);
  for (const Comparison& c : all) height += kLine + (c.reason.empty() ? 0 : kReason);
  return {{msg("BESIDE WHAT OTHERS MEASURED"), stairs_provenance(), height,
           [all, pages](Canvas& canvas, const Theme& theme, Rect r) {
             draw_comparisons(canvas, theme, r, all, pages);
           },
           "published"}};
}

}  // namespace lockstep
