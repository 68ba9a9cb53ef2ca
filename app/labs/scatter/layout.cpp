// Where a small graph's nodes are drawn. Always the same for the same graph.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "scene.hpp"

namespace lockstep {
namespace {

constexpr std::size_t kMostDrawn = 40;

std::string chosen(const Run& run, const char* name) {
  const auto at = run.request.params.find(name);
  const auto* words = at == run.request.params.end() ? nullptr : std::get_if<std::string>(&at->second);
  return words ? *words : "";
}

std::int64_t number(const Run& run, const char* name, std::int64_t otherwise) {
  const auto at = run.request.params.find(name);
  const auto* x = at == run.request.params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return x ? *x : otherwise;
}

// As near to the circle as the last digits of sines agree everywhere: what begins here must end the same.
std::vector<Vec2> circle(std::size_t count) {
  const auto rounded = [](float x) { return std::round(x * 1024) / 1024; };
  std::vector<Vec2> at;
  for (std::size_t i = 0; i < count; ++i) {
    const float turn = 2 * std::numbers::pi_v<float> * float(i) / float(std::max<std::size_t>(1, count));
    at.push_back({rounded(0.5f + 0.5f * std::sin(turn)), rounded(0.5f - 0.5f * std::cos(turn))});
  }
  return at;
}

float length_of(float x, float y) { return std::sqrt(x * x + y * y); }  // rounded alike everywhere

std::vector<Vec2> star(std::size_t count) {
  std::vector<Vec2> at{{0.5f, 0.5f}};
  if (count < 2) return at;
  for (const Vec2 p : circle(count - 1)) at.push_back(p);
  return at;
}

std::vector<Vec2> lattice(std::size_t count) {
  const auto columns = std::size_t(std::ceil(std::sqrt(double(count))));
  const std::size_t rows = (count + columns - 1) / columns;
  std::vector<Vec2> at;
  for (std::size_t i = 0; i < count; ++i)
    at.push_back({(float(i % columns) + 0.5f) / float(columns), (float(i / columns) + 0.5f) / float(rows)});
  return at;
}

// Nodes push each other away, edges pull their ends together (Fruchterman and Reingold, Graph Drawing by
// Force-directed Placement); scaled into the unit square.
std::vector<Vec2> by_forces(std::size_t count, const std::vector<std::pair<int, int>>& edges) {
  std::vector<Vec2> at = circle(count);
  const float ideal = 0.9f / std::sqrt(float(std::max<std::size_t>(1, count)));
  for (int round = 0; round < 220; ++round) {
    std::vector<Vec2> move(count);
    const auto push = [&](std::size_t a, std::size_t b, float force, Vec2 d) {
      move[a].x += d.x * force, move[a].y += d.y * force, move[b].x -= d.x * force, move[b].y -= d.y * force;
    };
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = a + 1; b < count; ++b) {
        const Vec2 d{at[a].x - at[b].x, at[a].y - at[b].y};
        const float length = std::max(0.01f, length_of(d.x, d.y));
        push(a, b, ideal * ideal / (length * length), d);
      }
    for (const auto& [a, b] : edges) {
      const Vec2 d{at[std::size_t(a)].x - at[std::size_t(b)].x, at[std::size_t(a)].y - at[std::size_t(b)].y};
      push(std::size_t(a), std::size_t(b), -length_of(d.x, d.y) / ideal * 0.35f, d);
    }
    const float most = 0.06f * (1 - float(round) / 220);
    for (std::size_t i = 0; i < count; ++i) {
      const float length = length_of(move[i].x, move[i].y), scale = length > most ? most / length : 1;
      at[i].x += move[i].x * scale, at[i].y += move[i].y * scale;
    }
  }
  Vec2 low{1e9f, 1e9f}, high{-1e9f, -1e9f};
  for (const Vec2 p : at)
    low = {std::min(low.x, p.x), std::min(low.y, p.y)}, high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  for (Vec2& p : at)
    p = {(p.x - low.x) / std::max(0.01f, high.x - low.x), (p.y - low.y) / std::max(0.01f, high.y - low.y)};
  return at;
}

// All of a small graph; of a large one the nodes that the followed block comes to first.
std::vector<std::int32_t> nodes_drawn(const EdgeList& edges, const std::vector<LaunchUses>& launches) {
  std::vector<std::int32_t> all;
  if (edges.nodes <= std::int64_t(kMostDrawn)) {
    for (std::int32_t i = 0; i < edges.nodes; ++i) all.push_back(i);
    return all;
  }
  std::set<std::int32_t> seen;
  for (const LaunchUses& launch : launches)
    for (const auto& warp : launch.uses)
      for (const auto& step : warp)
        for (const LaneUse& use : step) {
          if (use.edge < 0) continue;
          for (const std::int32_t node : {use.to, use.from})
            if (node >= 0 && seen.size() < kMostDrawn && seen.insert(node).second) all.push_back(node);
        }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

int GraphPicture::place_of(std::int32_t node) const {
  return node >= 0 && std::size_t(node) < places.size() ? places[std::size_t(node)] : -1;
}

GraphPicture lay_out(const Run& run, const EdgeList& edges, const std::vector<LaunchUses>& launches) {
  GraphPicture picture;
  picture.nodes = nodes_drawn(edges, launches);
  picture.places.assign(std::size_t(edges.nodes), -1);
  for (std::size_t i = 0; i < picture.nodes.size(); ++i)
    picture.places[std::size_t(picture.nodes[i])] = int(i);
  constexpr std::size_t kMostEdges = 400;
  for (std::size_t e = 0; e < edges.source.size() && picture.edges.size() < kMostEdges; ++e)
    if (picture.place_of(edges.source[e]) >= 0 && picture.place_of(edges.target[e]) >= 0)
      picture.edges.push_back(std::int32_t(e));
  const bool whole = std::int64_t(picture.nodes.size()) == edges.nodes;
  const std::int64_t graphs = whole ? std::max<std::int64_t>(1, number(run, "graphs", 1)) : 1;
  const std::size_t each = picture.nodes.size() / std::size_t(graphs);
  const std::string kind = whole ? chosen(run, "graph") : "";
  const auto columns = std::int64_t(std::ceil(std::sqrt(double(graphs)))),
             rows = (graphs + columns - 1) / columns;
  for (std::int64_t g = 0; g < graphs; ++g) {
    std::vector<std::pair<int, int>> own;
    for (const std::int32_t e : picture.edges) {
      const int a = picture.place_of(edges.source[std::size_t(e)]) - int(g) * int(each),
                b = picture.place_of(edges.target[std::size_t(e)]) - int(g) * int(each);
      if (a >= 0 && b >= 0 && a < int(each) && b < int(each) && a != b) own.emplace_back(a, b);
    }
    const std::vector<Vec2> at = kind == "ring"   ? circle(each)
                                 : kind == "star" ? star(each)
                                 : kind == "grid" ? lattice(each)
                                                  : by_forces(each, own);
    const float gap = graphs > 1 ? 0.16f : 0;
    for (const Vec2 p : at)
      picture.at.push_back({(float(g % columns) + gap + p.x * (1 - 2 * gap)) / float(columns),
                            (float(g / columns) + gap + p.y * (1 - 2 * gap)) / float(rows)});
  }
  picture.at.resize(picture.nodes.size(), {0.5f, 0.5f});
  return picture;
}

}  // namespace lockstep
