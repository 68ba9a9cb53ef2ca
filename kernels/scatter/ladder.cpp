// out[i] = the sum of x[j] over the edges from j to i: message passing on a graph.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace lockstep {

const Ladder& scatter_ladder();

namespace {

constexpr std::int64_t kMostNodes = 1 << 21, kMostDegree = 32, kMostGraphs = 1024, kMostSeed = 999;

std::int64_t of(const Params& params, const char* name, std::int64_t otherwise = 1) {
  return params.contains(name) ? int_param(params, name) : otherwise;
}
std::int64_t graphs_of(const Params& params) { return of(params, "graphs"); }
std::int64_t nodes_of(const Params& params) { return of(params, "nodes") * graphs_of(params); }
std::int64_t width_of(const Params& params) { return of(params, "width"); }
const std::string& kind_of(const Params& params) { return std::get<std::string>(params.at("graph")); }

struct Edges {
  std::vector<std::int32_t> source, target;
  void add(std::int64_t from, std::int64_t to) {
    source.push_back(std::int32_t(from)), target.push_back(std::int32_t(to));
  }
  std::int64_t count() const { return std::int64_t(source.size()); }
};

// A number below `end`, from 24 random bits; `skew` 1: all alike, 3: small ones far more often.
std::int64_t below(std::int64_t end, std::mt19937& random, int skew = 1) {
  const double u = double(random() >> 8) * 0x1p-24;
  double x = u;
  for (int k = 1; k < skew; ++k) x *= u;
  return std::min(end - 1, std::int64_t(double(end) * x));
}

// Both ways between neighbours, but for random graphs. A node alone is its own neighbour.
void add_graph(const std::string& kind, std::int64_t nodes, std::int64_t degree, std::int64_t node0,
               std::mt19937& random, Edges& edges) {
  const auto both = [&](std::int64_t a, std::int64_t b) {
    edges.add(node0 + a, node0 + b), edges.add(node0 + b, node0 + a);
  };
  if (nodes == 1) return edges.add(node0, node0);
  if (kind == "ring")
    for (std::int64_t i = 0; i < nodes; ++i) both(i, (i + 1) % nodes);
  else if (kind == "star")
    for (std::int64_t i = 1; i < nodes; ++i) both(0, i);
  else if (kind == "grid") {
    const auto columns = std::int64_t(std::ceil(std::sqrt(double(nodes))));
    for (std::int64_t i = 0; i < nodes; ++i) {
      if ((i + 1) % columns != 0 && i + 1 < nodes) both(i, i + 1);
      if (i + columns < nodes) both(i, i + columns);
    }
  } else {
    for (std::int64_t e = 0; e < nodes * degree; ++e) {
      const std::int64_t to = below(nodes, random, kind == "power_law" ? 3 : 1);
      const std::int64_t from = below(nodes, random);
      edges.add(node0 + (from == to ? (from + 1) % nodes : from), node0 + to);
    }
  }
}

bool sorted(std::string_view rung) { return rung != "edges" && rung != "lanes"; }
bool by_first(std::string_view rung) { return rung == "gather" || rung == "one_by_one" || rung == "batch"; }

// In no order, as a list of edges comes; or by target.
Edges edges_of(const Params& params, std::string_view rung) {
  std::mt19937 random(std::uint32_t(20261128 + of(params, "seed") - 1));
  Edges all;
  for (std::int64_t g = 0; g < graphs_of(params); ++g)
    add_graph(kind_of(params), of(params, "nodes"), of(params, "degree"), g * of(params, "nodes"), random,
              all);
  if (!sorted(rung)) {
    for (std::int64_t k = all.count(); k > 1; --k) {
      const auto other = std::size_t(below(k, random));
      std::swap(all.source[std::size_t(k) - 1], all.source[other]);
      std::swap(all.target[std::size_t(k) - 1], all.target[other]);
    }
    return all;
  }
  std::vector<std::int32_t> order(all.source.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return all.target[std::size_t(a)] < all.target[std::size_t(b)];
  });
  Edges by_target;
  for (const std::int32_t e : order) by_target.add(all.source[std::size_t(e)], all.target[std::size_t(e)]);
  return by_target;
}

// How many edges there are, without making them.
std::int64_t edge_count(const Params& params) {
  const std::int64_t n = of(params, "nodes"), graphs = graphs_of(params);
  const std::string& kind = kind_of(params);
  if (n == 1) return graphs;
  if (kind == "ring") return 2 * n * graphs;
  if (kind == "star") return 2 * (n - 1) * graphs;
  if (kind != "grid") return n * of(params, "degree") * graphs;
  const auto columns = std::int64_t(std::ceil(std::sqrt(double(n))));
  const std::int64_t beside = n - (n + columns - 1) / columns,
                     below_it = std::max<std::int64_t>(0, n - columns);
  return 2 * (beside + below_it) * graphs;
}

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const auto nodes = std::uint64_t(nodes_of(params)), width = std::uint64_t(width_of(params)),
             edges = std::uint64_t(edge_count(params));
  std::vector<BufferSpec> all{
      {"x", {nodes, width}, true}, {"out", {nodes, width}, false}, {"source", {edges}, true, "int"}};
  if (!by_first(rung)) all.push_back({"target", {edges}, true, "int"});
  if (by_first(rung) || rung == "normalized") all.push_back({"first", {nodes + 1}, true, "int"});
  if (rung == "normalized") all.push_back({"degree", {nodes}, false, "int"});
  return all;
}

std::vector<std::int32_t> first_edges(const Edges& edges, std::int64_t nodes) {
  std::vector<std::int32_t> first(std::size_t(nodes) + 1, 0);
  for (const std::int32_t to : edges.target) ++first[std::size_t(to) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

void fill(const Params& params, std::string_view rung, std::span<const Bytes> buffers) {
  std::mt19937 random(20261129);
  auto* x = reinterpret_cast<float*>(buffers[0].data());
  for (std::size_t i = 0; i < buffers[0].size() / sizeof(float); ++i)
    x[i] = float(random() >> 8) * 0x1p-23f - 1;  // from -1 to 1
  const Edges edges = edges_of(params, rung);
  const auto put = [&](std::size_t buffer, const std::vector<std::int32_t>& from) {
    std::copy(from.begin(), from.end(), reinterpret_cast<std::int32_t*>(buffers[buffer].data()));
  };
  put(2, edges.source);
  if (!by_first(rung)) put(3, edges.target);
  if (by_first(rung) || rung == "normalized")
    put(rung == "normalized" ? 4 : 3, first_edges(edges, nodes_of(params)));
}

// Every number, in double. An error is measured by the sum of the magnitudes; each of a node's additions
// rounds by half a unit at most, in any order (Higham, Accuracy and Stability of Numerical Algorithms, 4.2),
// and so do its division and root.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const auto* x = reinterpret_cast<const float*>(buffers[0].data());
  const auto* out = reinterpret_cast<const float*>(buffers[1].data());
  const auto nodes = std::size_t(nodes_of(params)), width = std::size_t(width_of(params));
  const bool normalized = rung == "normalized";
  const Edges edges = edges_of(params, rung);
  std::vector<int> degree(nodes, 1);
  for (const std::int32_t to : edges.target) ++degree[std::size_t(to)];
  std::vector<double> sum(nodes * width, 0), magnitude(nodes * width, 0);
  const auto add = [&](std::size_t from, std::size_t to, double weight) {
    for (std::size_t f = 0; f < width; ++f) {
      const double message = weight * double(x[from * width + f]);
      sum[to * width + f] += message, magnitude[to * width + f] += std::abs(message);
    }
  };
  for (std::size_t e = 0; e < edges.source.size(); ++e) {
    const auto from = std::size_t(edges.source[e]), to = std::size_t(edges.target[e]);
    add(from, to, normalized ? 1 / std::sqrt(double(degree[from]) * double(degree[to])) : 1);
  }
  if (normalized)
    for (std::size_t i = 0; i < nodes; ++i) add(i, i, 1 / double(degree[i]));
  Check result{true, 0, 0};
  for (std::size_t i = 0; i < nodes * width; ++i) {
    const double error = std::abs(sum[i] - double(out[i])) / std::max(magnitude[i], 0x1p-126);
    result.max_error = larger_error(result.max_error, error);
    result.tolerance = std::max(result.tolerance, double(degree[i / width] + 6) * 0x1p-24);
    result.pass &= error <= double(degree[i / width] + 6) * 0x1p-24;
  }
  return result;
}

// Of all edges: how many end in the node with the most.
Metrics figures(const Run& run) {
  const RungInfo* rung = nullptr;
  for (const RungInfo& one : scatter_ladder().info.rungs)
    if (one.slug == run.request.rung) rung = &one;
  if (!rung || nodes_of(run.request.params) > (1 << 17)) return {};
  const Edges edges = edges_of(run.request.params, rung->slug);
  std::vector<std::int64_t> degree(std::size_t(nodes_of(run.request.params)), 0);
  for (const std::int32_t to : edges.target) ++degree[std::size_t(to)];
  Metrics all;
  all["edges"] = edges.count(), all["largest_degree"] = *std::max_element(degree.begin(), degree.end());
  return all;
}

// --- the table ---------------------------------------------------------------------------------------------

Parameter whole(const char* name, std::int64_t max, std::int64_t start, const char* unit, const char* help) {
  Parameter p;
  p.name = name, p.min = 1, p.max = double(max), p.default_value = start, p.unit = unit, p.help = help;
  return p;
}

std::vector<Parameter> parameters() {
  Parameter graph;
  graph.name = "graph", graph.type = "choice",
  graph.choices = {"ring", "star", "grid", "random", "power_law"};
  graph.default_value = std::string("power_law");
  graph.rung_defaults = {{"one_by_one", Value{std::string("ring")}}, {"batch", Value{std::string("ring")}}};
  graph.help = N_("Which nodes have edges between them.");
  Parameter nodes = whole("nodes", kMostNodes, 16, N_("nodes"), N_("Nodes of a graph."));
  nodes.rung_defaults = {{"one_by_one", Value{std::int64_t{6}}}, {"batch", Value{std::int64_t{6}}}};
  Parameter degree = whole("degree", kMostDegree, 3, N_("edges"),
                           N_("Edges per node, on average: of random and power-law graphs."));
  Parameter width = whole("width", 128, 8, N_("numbers"), N_("Numbers of a node's row."));
  width.choices = {"1", "2", "4", "8", "16", "32", "64", "128"};
  Parameter threads = whole("threads", 1024, 64, "", N_("Threads of a block."));
  threads.min = 32, threads.choices = {"32", "64", "128", "256", "512", "1024"};
  Parameter run = whole("run", 1024, 4, N_("edges"), N_("Edges that a group of lanes takes in a row."));
  run.rungs = {"segments"};
  Parameter graphs = whole("graphs", kMostGraphs, 4, "", N_("Graphs, all alike in kind and size."));
  graphs.rungs = {"one_by_one", "batch"};
  const Parameter seed = whole("seed", kMostSeed, 1, "",
                               N_("Another one draws random and power-law graphs anew, and in which "
                                  "order edges come that are not sorted."));
  return {graph, nodes, degree, width, threads, run, graphs, seed};
}

// Kernels count numbers of messages and of rows in an int, threads beyond the end among them.
Status rule(std::string_view, const Params& params) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1024;
  const std::int64_t edges = edge_count(params), nodes = nodes_of(params), width = width_of(params);
  if (std::max(edges, nodes) * width <= most) return Unit{};
  return bad_input(
      "{0} edges and {1} nodes with {2} numbers each are too many: the kernels count at most {3} numbers in "
      "all; choose a smaller graph or a shorter row",
      {std::to_string(edges), std::to_string(nodes), std::to_string(width), std::to_string(most)});
}

LabInfo info() {
  LabInfo lab{
      "scatter", N_("scatter"), N_("How do thousands of edges add into few nodes?"), N_("Moving bytes"), {},
      {}};
  lab.rungs = {
      {"edges", N_("a thread per edge, an atomic per number"), "scatter/01_edges.cuh"},
      {"lanes", N_("lanes side by side carry one row"), "scatter/02_lanes.cuh"},
      {"gather", N_("sorted by target: each node fetches what is its own"), "scatter/03_gather.cuh"},
      {"segments", N_("sorted, shared out by edges: an atomic where the target changes"),
       "scatter/04_segments.cuh"},
      {"normalized", N_("as in a graph convolution: degrees counted, edges weighted"),
       "scatter/05_normalized.cuh"},
      {"one_by_one", N_("many small graphs, a launch for each"), "scatter/06_one_by_one.cuh"},
      {"batch", N_("many small graphs as one: a matrix of blocks on its diagonal"), "scatter/07_batch.cuh"},
  };
  lab.parameters = parameters();
  lab.rule = rule;
  lab.set_titles({{"graph", N_("graph")},
                  {"nodes", N_("number of nodes")},
                  {"degree", N_("edges per node")},
                  {"width", N_("row width")},
                  {"threads", N_("threads per block")},
                  {"run", N_("edges in a row")},
                  {"graphs", N_("number of graphs")},
                  {"seed", N_("seed")}});
  lab.set_choice_titles("graph", {{"ring", N_("ring")},
                                  {"star", N_("star")},
                                  {"grid", N_("grid of nodes")},
                                  {"random", N_("random")},
                                  {"power_law", N_("power law")}});
  lab.set_adds({{"edges", N_("a thread per edge")},
                {"lanes", N_("+ rows side by side")},
                {"gather", N_("sorted: no atomics")},
                {"segments", N_("+ edges shared out")},
                {"normalized", N_("weighted edges")},
                {"one_by_one", N_("a launch per graph")},
                {"batch", N_("+ one launch for all")}});
  return lab;
}

Params graph_of(const char* kind, std::int64_t nodes, std::int64_t degree, std::int64_t width,
                std::int64_t threads = 256) {
  return {{"graph", std::string(kind)},
          {"nodes", nodes},
          {"degree", degree},
          {"width", width},
          {"threads", threads}};
}

bool has_graphs(std::string_view rung) { return rung == "one_by_one" || rung == "batch"; }

// A million edges; or 256 graphs of thirty nodes.
Params timed(std::string_view rung, const char* kind = "power_law") {
  if (!has_graphs(rung)) {
    Params params = graph_of(kind, 1 << 17, 8, 32);
    if (rung == "segments") params["run"] = std::int64_t{32};
    return params;
  }
  Params params = graph_of("random", 30, 4, 32);
  params["graphs"] = std::int64_t{256};
  return params;
}

// Times over the kind of the graph, by its place in the list, and over the edges per node.
CurvesEvidence curves(std::span<const Run> recordings) {
  CurvesEvidence all;
  for (const Run& run : recordings) {
    const Params& p = run.request.params;
    if (!run.time || run.time->median_ms <= 0 || has_graphs(run.request.rung)) continue;
    if (of(p, "nodes") != 1 << 17 || width_of(p) != 32 || of(p, "seed") != 1) continue;
    if (of(p, "degree") == 8)
      all.curves[{run.request.rung, "graph " + kind_of(p), "ms"}][8] = run.time->median_ms;
    all.curves[{run.request.rung, "degree " + kind_of(p), "ms"}][of(p, "degree")] = run.time->median_ms;
  }
  return all;
}

}  // namespace

const Ladder& scatter_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.figures = figures;
    // Rows in and out, and the edges, once.
    l.bytes = [](const Params& params, std::string_view) {
      return 8.0 * double(nodes_of(params) * width_of(params)) + 8.0 * double(edge_count(params));
    };
    l.flops = [](const Params&, std::string_view) { return 0.0; };
    l.bench_params = [](std::string_view rung) { return timed(rung); };
    for (const RungInfo& rung : l.info.rungs) {
      if (has_graphs(rung.slug)) continue;
      for (const char* kind : {"ring", "star", "grid", "random"})
        l.recorded_params.push_back({rung.slug, timed(rung.slug, kind)});
      for (const std::int64_t degree : {1, 2, 4, 16, 32}) {
        Params params = timed(rung.slug);
        params["degree"] = degree;
        l.recorded_params.push_back({rung.slug, params});
      }
    }
    auto recorded_curves = std::make_shared<CurvesPlan>();
    recorded_curves->curves = curves;
    l.experiments = {recorded_curves};
    l.l1_errors = {{"lanes", 0.07}, {"normalized", 0.09}};  // the blocks of an SM share what they gather
    l.validation_params = {graph_of("ring", 1, 1, 1, 32),      graph_of("star", 31, 2, 4, 64),
                           graph_of("grid", 33, 3, 8, 128),    graph_of("random", 1000, 4, 16, 256),
                           graph_of("power_law", 1000, 8, 32), graph_of("power_law", 4099, 5, 1, 1024)};
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
