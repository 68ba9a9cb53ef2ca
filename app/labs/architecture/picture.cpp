// The stage: the way down to the part that is looked at, the part, its facts, and the launch over time.
#include "picture.hpp"

#include <algorithm>

#include "app/devices/gpus.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {

Color wave_color(const Theme& theme, int wave) {
  constexpr float kStrength[] = {0.85f, 0.45f, 0.65f, 0.3f};
  return mix(theme.panel, color::registers, kStrength[std::size_t(std::max(0, wave)) % 4]);
}

Params going_to(Part part, int sm) {
  return {{"part", std::string(name_of(part))}, {"sm", std::int64_t{sm}}};
}

namespace {

constexpr float kCrumb = 26, kFactRow = 18;

// Chip › GPC › TPC › SM 17 › sub-core: the parts above the one that is looked at, and the ones below it.
// Where they end.
float draw_crumbs(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
                  StageEvents& events) {
  std::vector<Link> links;
  for (const Part part : kParts)
    links.push_back({std::string("stage/part/") + name_of(part),
                     title_of(part, scene.at.gpu, part >= Part::sm ? scene.at.sm : -1),
                     part == scene.at.part});
  float end = r.x;
  if (const auto clicked = draw_chain(canvas, in.theme, r, links, &end);
      clicked && !links[*clicked].current) {
    events.settings = going_to(kParts[*clicked], *clicked == 0 ? -1 : scene.at.sm);
    // Stations that are inside would lead back to where they are seen.
    if (*clicked == 0 && scene.at.station && part_with(*scene.at.station) != Part::chip)
      events.settings["way"] = std::string(name_of(Station::l2));
  }
  return end;
}

// The sources of a part's figures, each once, in the order of their figures.
std::vector<std::string> sources_of(const std::vector<PartFact>& facts, const Gpu& gpu) {
  std::vector<std::string> all;
  for (const PartFact& fact : facts)
    if (std::string source = source_of(gpu, fact.figure);
        std::find(all.begin(), all.end(), source) == all.end())
      all.push_back(std::move(source));
  return all;
}

// One figure: its name with the number of its source, and its value.
void draw_fact(Canvas& canvas, const Theme& theme, Rect r, const PartFact& fact, int source,
               const std::string& source_text) {
  const float type = theme.type, y = r.center().y;
  const TextStyle value{Font::mono, 11.5f * type, theme.ink, Align::right};
  const float w = std::min(canvas.measure(fact.value, value) + 1, r.w * 0.72f);
  const std::string mark = fact.derived ? tr("from {0}", {number_text(source)}) : number_text(source);
  canvas.line({r.x, r.y}, {r.right(), r.y}, theme.line, 1);
  const TextStyle dim{Font::words, 12 * type, theme.dim};
  const std::string source_mark = " [" + mark + "]";
  const float room = r.w - w - canvas.measure(source_mark, dim) - 8;
  canvas.text({r.x + canvas.text_brief({r.x, y}, tr(fact.label), dim, room), y}, source_mark, dim);
  canvas.text_fit({r.right(), y}, fact.value, value, w);
  canvas.hint(r, fact.derived ? tr("follows from: {0}", {source_text}) : source_text);
}

// What the part is, its figures, and below them the sources.
void draw_facts(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r) {
  const Theme& theme = in.theme;
  const float type = theme.type;
  float y = r.y;
  canvas.text_fit({r.x, y + 9 * type},
                  title_of(scene.at.part, scene.at.gpu, scene.at.part >= Part::sm ? scene.at.sm : -1),
                  {Font::words_semibold, 15 * type, theme.ink}, r.w);
  y += 22 * type;
  y += canvas.text_wrap({r.x, y}, tr(what_it_is(scene.at.part)), {Font::words, 12.5f * type, theme.ink}, r.w,
                        16 * type);
  y += 6 * type;
  const auto facts = facts_of(scene.at.part, scene.at.gpu);
  const auto sources = sources_of(facts, scene.at.gpu);
  for (const PartFact& fact : facts) {
    if (y + kFactRow * type > r.bottom()) return;
    const auto at = std::find(sources.begin(), sources.end(), source_of(scene.at.gpu, fact.figure));
    draw_fact(canvas, theme, {r.x, y, r.w, kFactRow * type}, fact, int(at - sources.begin()) + 1, *at);
    y += kFactRow * type;
  }
  y += 4 * type;
  for (std::size_t i = 0; i < sources.size() && y + 14 * type <= r.bottom(); ++i, y += 14 * type)
    canvas.text_brief({r.x, y + 7 * type}, "[" + number_text(std::int64_t(i) + 1) + "] " + sources[i],
                      {Font::words, 10.5f * type, theme.dim}, r.w);
}

struct Plan {
  Rect crumbs, way, part, facts, times;
  bool with_facts = false, with_times = false;
};

Plan plan_of(const Canvas& canvas, const StageInput& in, const ArchitectureScene& scene) {
  const bool placed = scene.shown() != nullptr;
  const float type = in.theme.type, pad = 28, gap = 16 * type;
  Plan p;
  Rect r{in.area.x + pad, in.area.y + 12, in.area.w - 2 * pad, in.area.h - 22};
  p.crumbs = {r.x, r.y, r.w, kCrumb * type};
  r.y += kCrumb * type + 10 * type, r.h -= kCrumb * type + 10 * type;
  if (scene.at.station) {
    p.way = {r.x, r.y, r.w, way_height(canvas, in.theme, scene, r.w)};
    r.y += p.way.h, r.h -= p.way.h;
  }
  const float least = 150 * type;
  const float times_h = std::min(r.h * 0.38f, 260 * type);
  p.with_times = placed && times_h >= 90 * type && r.h - times_h - gap >= least;
  if (p.with_times) p.times = {r.x, r.bottom() - times_h, r.w, times_h}, r.h -= times_h + gap;
  p.with_facts = !in.presentation && r.w >= 560 * type;
  const float facts_w = p.with_facts ? std::min(r.w * 0.38f, 380 * type) : 0;
  p.part = {r.x, r.y, r.w - facts_w - (p.with_facts ? 26 * type : 0), r.h};
  p.facts = {r.right() - facts_w, r.y, facts_w, r.h};
  return p;
}

}  // namespace

void ArchitectureScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const Plan p = plan_of(canvas, in, *this);
  const float end = draw_crumbs(canvas, in, *this, p.crumbs, events) + 12 * in.theme.type;
  draw_way_button(canvas, in, *this, {end, p.crumbs.y, p.crumbs.right() - end, p.crumbs.h}, events);
  if (at.station) draw_way(canvas, in, *this, p.way, events);
  canvas.landmark("blocks", p.part);
  if (at.part == Part::chip)
    draw_chip(canvas, in, *this, p.part, events);
  else
    draw_inside(canvas, in, *this, p.part, events);
  if (p.with_facts) draw_facts(canvas, in, *this, p.facts);
  if (!p.with_times) return;
  canvas.landmark("timeline", p.times);
  draw_over_time(canvas, in, *this, p.times, events);
}

}  // namespace lockstep
