#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/labs/story.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

Color part_color(ScatterPart part) {
  switch (part) {
    case ScatterPart::index:
      return color::l1;
    case ScatterPart::fetch:
      return color::hbm;
    default:
      return color::l2;
  }
}

struct GraphGeometry {
  const GraphPicture& graph;
  Rect r;
  float type = 1;
  Vec2 at(int place) const {
    const Vec2 p = graph.at[std::size_t(place)];
    return {r.x + p.x * r.w, r.y + p.y * r.h};
  }
  float radius(const EdgeList& edges, std::int32_t node) const {
    const float most = edges.degree.empty()
                           ? 1.f
                           : float(std::max(1, *std::max_element(edges.degree.begin(), edges.degree.end())));
    const float room = std::sqrt(r.w * r.h / float(std::max<std::size_t>(1, graph.nodes.size())));
    const float share = std::sqrt(float(edges.degree[std::size_t(node)]) / most);
    return std::clamp(room * (0.1f + 0.13f * share), 4.f, 30 * type);
  }
};

// An edge is bent to its right, so that two ways lie side by side. From border to border of its nodes.
struct Bow {
  Vec2 from, bend, to;
};
Bow bow_of(const GraphGeometry& g, const EdgeList& edges, std::int32_t e) {
  const std::int32_t source = edges.source[std::size_t(e)], target = edges.target[std::size_t(e)];
  Vec2 a = g.at(g.graph.place_of(source)), b = g.at(g.graph.place_of(target));
  const float ra = g.radius(edges, source), rb = g.radius(edges, target);
  if (source == target) return {{a.x - ra, a.y}, {a.x, a.y - 4 * ra}, {a.x + ra, a.y}};
  const float length = std::max(1.f, std::hypot(b.x - a.x, b.y - a.y));
  const Vec2 d{(b.x - a.x) / length, (b.y - a.y) / length};
  const float side = std::min(14.f, 0.12f * length);
  a = {a.x + d.x * ra, a.y + d.y * ra}, b = {b.x - d.x * (rb + 2), b.y - d.y * (rb + 2)};
  return {a, {(a.x + b.x) / 2 - d.y * side, (a.y + b.y) / 2 + d.x * side}, b};
}
Vec2 on_bow(const Bow& w, float t) {
  const float u = 1 - t;
  return {u * u * w.from.x + 2 * u * t * w.bend.x + t * t * w.to.x,
          u * u * w.from.y + 2 * u * t * w.bend.y + t * t * w.to.y};
}

void draw_bow(Canvas& canvas, const Bow& w, Color color, float width, bool head) {
  const auto third = [&](Vec2 p) {
    return Vec2{p.x + (w.bend.x - p.x) * 2 / 3, p.y + (w.bend.y - p.y) * 2 / 3};
  };
  canvas.curve(w.from, third(w.from), third(w.to), w.to, color, width);
  if (!head) return;
  const Vec2 before = on_bow(w, 0.93f);
  const float length = std::max(0.01f, std::hypot(w.to.x - before.x, w.to.y - before.y));
  const Vec2 d{(w.to.x - before.x) / length, (w.to.y - before.y) / length};
  const float size = 3 + 1.5f * width;
  const Vec2 tip[] = {w.to,
                      {w.to.x - d.x * size - d.y * size * 0.5f, w.to.y - d.y * size + d.x * size * 0.5f},
                      {w.to.x - d.x * size + d.y * size * 0.5f, w.to.y - d.y * size - d.x * size * 0.5f}};
  canvas.fill_polygon(tip, color);
}

// Edges that lanes work on in this step: how many lanes of the followed warp, and of the others.
struct EdgeWork {
  int own = 0, others = 0;
};
std::vector<EdgeWork> work_of(const ScatterScene& scene, const LabView& view) {
  std::vector<EdgeWork> all(scene.edges.source.size());
  const ScatterStep* step = scene.step_of(view.step);
  if (!step) return all;
  const std::int64_t own = warp_of(scene, view);
  for (std::size_t w = 0; w < step->place.of_warp.size(); ++w)
    for (const LaneUse& use : scene.uses(view.step, std::int64_t(w)))
      if (use.edge >= 0)
        ++(std::int64_t(w) == own ? all[std::size_t(use.edge)].own : all[std::size_t(use.edge)].others);
  return all;
}

// A colour half way between light and dark takes neither dark nor light words: a little off it.
Color to_write_on(Color fill) {
  for (int k = 0; k < 20 && contrast(Theme::on(fill), fill) < 4.6; ++k) {
    const bool light_words = contrast(Theme::on(fill), Color::hex(0)) > 10;
    fill = mix(fill, Color::hex(light_words ? 0x000000 : 0xffffff), 0.05f);
  }
  return fill;
}

void draw_graph(Canvas& canvas, const Theme& theme, const GraphGeometry& g, const ScatterScene& scene,
                const LabView& view, float motion, bool words) {
  const ScatterStep* step = scene.step_of(view.step);
  const EdgeList& edges = scene.edges;
  const auto work = work_of(scene, view);
  const Color base = step ? part_color(step->part) : theme.line;
  for (const std::int32_t e : scene.graph.edges)
    draw_bow(canvas, bow_of(g, edges, e), mix(theme.ground, theme.dim, 0.35f), 1, words);
  const bool travels = step && step->part != ScatterPart::index;
  for (const bool own : {false, true})
    for (const std::int32_t e : scene.graph.edges) {
      const EdgeWork& lanes = work[std::size_t(e)];
      if ((own ? lanes.own : lanes.others) == 0 || (!own && lanes.own > 0)) continue;
      const Bow bow = bow_of(g, edges, e);
      draw_bow(canvas, bow, own ? base : base.with_alpha(0.35f), own ? 2.4f : 1.4f, words);
      if (!own || !travels) continue;
      const Vec2 at = on_bow(bow, motion);
      canvas.fill_circle(at, 3 + 0.35f * float(std::min(lanes.own, 16)), base);
    }
  const auto arrived = scene.arrived(view.step);
  for (std::size_t i = 0; i < scene.graph.nodes.size(); ++i) {
    const std::int32_t node = scene.graph.nodes[i];
    const Vec2 at = g.at(int(i));
    const float radius = g.radius(edges, node);
    const double whole = std::max<double>(1, double(edges.degree[std::size_t(node)]) * double(edges.width));
    const auto share = float(std::min(1.0, double(arrived[std::size_t(node)]) / whole));
    const Color fill = to_write_on(mix(mix(theme.panel, color::l2, 0.12f), color::l2, share));
    canvas.fill_circle(at, radius, fill);
    canvas.stroke_circle(at, radius, mix(theme.ground, theme.ink, 0.55f), 1.2f);
    if (!words) continue;
    const std::string number = number_text(std::int64_t(node));
    const TextStyle style{Font::mono, 10.5f * theme.type, Theme::on(fill), Align::center};
    if (canvas.measure(number, style) + 3 <= 2 * radius && style.size + 1 <= 2 * radius)
      canvas.text(at, number, style);
  }
}

// --- the stage

struct StageRects {
  Rect title, graph, busy;
};

constexpr float kRow = 24;

StageRects stage_rects(Rect stage, const Theme& theme, bool presentation) {
  const float type = theme.type, pad = 26;
  const Rect area{stage.x + pad, stage.y + 12, stage.w - 2 * pad, stage.h - 24};
  StageRects at;
  at.title = {area.x, area.y, area.w, 20 * type};
  const float top = area.y + 30 * type, h = area.bottom() - top;
  const float side =
      presentation || area.w < 420 * type ? 0 : std::clamp(area.w * 0.36f, 150 * type, 260 * type);
  if (side > 0) at.busy = {area.right() - side, top, side, h};
  const float room = area.w - (side > 0 ? side + 24 : 0), margin = 22 * type;
  at.graph = {area.x + margin, top + margin, room - 2 * margin, h - 2 * margin};
  return at;
}

// Nodes by the edges that end in them, with what of it has arrived.
void draw_busy(Canvas& canvas, const Theme& theme, Rect r, const ScatterScene& scene, int step) {
  const EdgeList& edges = scene.edges;
  const float type = theme.type;
  canvas.text_fit({r.x, r.y + 6 * type}, tr("additions, so far and of all"),
                  {Font::words, 11.5f * type, theme.dim}, r.w);
  std::vector<std::int32_t> order(scene.graph.nodes);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return edges.degree[std::size_t(a)] > edges.degree[std::size_t(b)];
  });
  const auto rows = std::size_t(std::max(0.f, (r.h - 18 * type) / (kRow * type)));
  order.resize(std::min(order.size(), rows));
  if (order.empty()) return;
  const auto arrived = scene.arrived(step);
  const double most = std::max(1, edges.degree[std::size_t(order.front())]);
  const TextStyle name_style{Font::words, 11.5f * type, theme.ink},
      figure_style{Font::mono, 10.5f * type, theme.dim, Align::right};
  const auto name = [](std::int32_t node) { return tr("node {0}", {number_text(std::int64_t(node))}); };
  const auto additions = [&](std::int32_t node) {
    return tr("{0} of {1}", {number_text(arrived[std::size_t(node)]),
                             number_text(std::int64_t(edges.degree[std::size_t(node)]) * edges.width)});
  };
  float label = 0, figure = 0;  // as wide as the longest
  for (const std::int32_t node : order) {
    label = std::max(label, canvas.measure(name(node), name_style) + 8 * type);
    figure = std::max(figure, canvas.measure(additions(node), figure_style) + 8 * type);
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::int32_t node = order[k];
    const double degree = edges.degree[std::size_t(node)];
    const Rect row{r.x, r.y + 18 * type + float(k) * kRow * type, r.w, kRow * type};
    const float y = row.center().y, w = std::max(0.f, row.w - label - figure);
    canvas.text_fit({row.x, y}, name(node), name_style, label);
    const auto bar = [&](double additions_done, Color color) {
      if (additions_done > 0)
        canvas.fill_rect({row.x + label, y - 4 * type, w * float(additions_done / most), 8 * type}, color, 2);
    };
    bar(degree, mix(theme.soft, color::l2, 0.25f));
    bar(std::min(degree, double(arrived[std::size_t(node)]) / double(edges.width)), color::l2);
    canvas.text_fit({row.right(), y}, additions(node), figure_style, figure);
  }
}

// The graph as a matrix: a dot in row i and column j for an edge from j to i. Several graphs are blocks on
// its diagonal.
void draw_matrix(Canvas& canvas, const Theme& theme, Rect r, const ScatterScene& scene, const LabView& view,
                 std::int64_t graphs) {
  const EdgeList& edges = scene.edges;
  const float type = theme.type;
  canvas.text_fit({r.x, r.y + 6 * type}, tr("as a matrix: row i, column j"),
                  {Font::words, 11.5f * type, theme.dim}, r.w);
  const float side = std::min(r.w, r.h - 24 * type), cell = side / float(edges.nodes);
  const Rect all{r.x, r.y + 20 * type, side, side};
  canvas.fill_rect(all, theme.panel);
  const float each = side / float(graphs);
  for (std::int64_t g = 0; g < graphs; ++g)
    canvas.fill_rect({all.x + float(g) * each, all.y + float(g) * each, each, each},
                     mix(theme.panel, color::l2, 0.16f));
  const auto work = work_of(scene, view);
  for (std::size_t e = 0; e < edges.source.size(); ++e) {
    const bool own = work[e].own > 0, any = own || work[e].others > 0;
    canvas.fill_rect({all.x + float(edges.source[e]) * cell, all.y + float(edges.target[e]) * cell,
                      std::max(1.f, cell - 0.6f), std::max(1.f, cell - 0.6f)},
                     own   ? color::hbm
                     : any ? mix(theme.panel, color::hbm, 0.55f)
                           : mix(theme.panel, theme.ink, 0.45f));
  }
  canvas.stroke_rect(all, theme.line, 1);
}

std::string node_story(const ScatterScene& scene, std::int32_t node, const LabView& view) {
  int lanes = 0;
  for (const LaneUse& use : scene.uses(view.step, warp_of(scene, view))) lanes += use.to == node;
  const std::vector<std::string> args{number_text(std::int64_t(node)),
                                      number_text(std::int64_t(scene.edges.degree[std::size_t(node)])),
                                      number_text(lanes)};
  return lanes ? tr("node {0}: {1} edges end here; {2} lanes of the followed warp are at work for it", args)
               : tr("node {0}: {1} edges end here", args);
}

}  // namespace

void ScatterScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  (void)events;
  const Theme& theme = in.theme;
  const StageRects at = stage_rects(in.area, theme, in.presentation);
  if (graph.nodes.empty() || edges.source.empty()) {
    canvas.text_fit({at.title.x, at.title.center().y},
                    tr("This run keeps no edges: there is no graph to draw."),
                    {Font::words, 12 * theme.type, theme.dim}, at.title.w);
    return;
  }
  const std::vector<std::string> args{grouped(std::int64_t(graph.nodes.size())), grouped(edges.nodes),
                                      grouped(std::int64_t(edges.source.size()))};
  canvas.text_fit({at.title.x, at.title.center().y},
                  std::int64_t(graph.nodes.size()) == edges.nodes
                      ? tr("{1} nodes, {2} edges; the larger a node, the more edges end in it", args)
                      : tr("{0} of {1} nodes: those that the block comes to first", args),
                  {Font::words, 12 * theme.type, theme.ink}, at.title.w);
  canvas.landmark("graph", {at.graph.x - 22 * theme.type, at.graph.y - 22 * theme.type,
                            at.graph.w + 44 * theme.type, at.graph.h + 44 * theme.type});
  const GraphGeometry g{graph, at.graph, theme.type};
  draw_graph(canvas, theme, g, *this, in.view, in.motion, true);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const float radius = g.radius(edges, graph.nodes[i]);
    const Vec2 p = g.at(int(i));
    const Hit hit = canvas.hit("stage/node/" + number_text(std::int64_t(graph.nodes[i])),
                               {p.x - radius, p.y - radius, 2 * radius, 2 * radius});
    if (hit.hovered) canvas.tooltip(node_story(*this, graph.nodes[i], in.view));
  }
  if (at.busy.w <= 0) return;
  const auto graphs = run().request.params.find("graphs");
  if (graphs != run().request.params.end() && edges.nodes <= 128) {
    const auto* count = std::get_if<std::int64_t>(&graphs->second);
    canvas.landmark("matrix", at.busy);
    return draw_matrix(canvas, theme, at.busy, *this, in.view, count ? std::max<std::int64_t>(1, *count) : 1);
  }
  canvas.landmark("busy", at.busy);
  draw_busy(canvas, theme, at.busy, *this, in.view.step);
}

void ScatterScene::card(Canvas& canvas, const StageInput& in) const {
  if (graph.nodes.empty() || edges.source.empty()) return;
  const float pad = 14;
  draw_graph(canvas, in.theme,
             {graph, {in.area.x + pad, in.area.y + pad, in.area.w - 2 * pad, in.area.h - 2 * pad}, 1}, *this,
             in.view, 0.6f, false);
}

}  // namespace lockstep
