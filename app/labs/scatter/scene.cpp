#include "scene.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "app/labs/story.hpp"

namespace lockstep {
namespace {

const Launch* widest(const Run& run) {
  const Launch* most = nullptr;
  for (const Launch& launch : run.launches)
    if (!most || launch.trace.events.size() > most->trace.events.size()) most = &launch;
  return most;
}

const ViewInfo* view_named(const Run& run, std::string_view name) {
  const Launch* launch = widest(run);
  if (!launch) return nullptr;
  for (const ViewInfo& view : launch->views)
    if (view.name == name && view.space == Space::global) return &view;
  return nullptr;
}

// A stranger's run may hold any number: those that are no node of the graph are left out.
std::vector<std::int32_t> ints_of(const Run& run, std::string_view name, std::int64_t below) {
  const ViewInfo* view = view_named(run, name);
  const Buffer* buffer = view ? buffer_of(run, view->id) : nullptr;
  std::vector<std::int32_t> all;
  if (!buffer || view->type != "int") return all;
  for (std::uint64_t i = 0; i < view->elements(); ++i) {
    const double x = element(*view, *buffer, i);
    if (!(x >= 0 && x < double(below))) return {};
    all.push_back(std::int32_t(x));
  }
  return all;
}

EdgeList edges_of(const Run& run) {
  EdgeList list;
  const ViewInfo* x = view_named(run, "x");
  if (!x || x->shape.size() != 2) return list;
  list.nodes = std::int64_t(x->shape[0]), list.width = std::max<std::int64_t>(1, std::int64_t(x->shape[1]));
  list.source = ints_of(run, "source", list.nodes);
  list.target = ints_of(run, "target", list.nodes);
  const auto first = ints_of(run, "first", std::int64_t(list.source.size()) + 1);
  if (list.target.empty() && std::int64_t(first.size()) == list.nodes + 1 &&
      std::is_sorted(first.begin(), first.end()))
    for (std::int64_t i = 0; i < list.nodes; ++i)
      list.target.resize(std::size_t(first[std::size_t(i) + 1]), std::int32_t(i));
  if (list.target.size() != list.source.size()) list.source.clear(), list.target.clear();
  list.degree.assign(std::size_t(list.nodes), 0);
  for (const std::int32_t to : list.target) ++list.degree[std::size_t(to)];
  return list;
}

enum class Array : std::uint8_t { other, x, out, source, target, first, degree };

constexpr std::pair<std::string_view, Array> kNames[] = {
    {"x", Array::x},           {"out", Array::out},     {"source", Array::source},
    {"target", Array::target}, {"first", Array::first}, {"degree", Array::degree}};

Array array_of(const Launch& launch, std::uint16_t id) {
  const ViewInfo* view = launch.view(id);
  for (const auto& [name, array] : kNames)
    if (view && view->name == name) return array;
  return Array::other;
}

ScatterPart part_of(const Launch& launch, const ProgramPlace& place) {
  if (is_atomic(place.kind)) return ScatterPart::add;
  if (!reads(place.kind)) return ScatterPart::store;
  return array_of(launch, place.view) == Array::x ? ScatterPart::fetch : ScatterPart::index;
}

// Whether each of the warp's atomics carries one message, and not what a lane has added up of several.
bool carry_one(const Launch& launch, const WarpIssue& warp) {
  std::int64_t fetched = 0, added = 0;
  for (const IssueStep& step : warp.steps) {
    const Array array =
        step.instruction.view < kFirstSharedView ? array_of(launch, step.instruction.view) : Array::other;
    fetched += array == Array::x ? step.lanes() : 0;
    added += array == Array::out && is_atomic(step.instruction.kind) ? step.lanes() : 0;
  }
  return fetched == added;
}

// Follows each lane from the edge whose ends it loads to what it does with them.
std::vector<std::vector<LaneUse>> uses_of(const Launch& launch, const WarpIssue& warp,
                                          const EdgeList& edges) {
  std::vector<std::vector<LaneUse>> all;
  std::array<std::int32_t, 32> edge;
  edge.fill(-1);
  const bool carries_one = carry_one(launch, warp);
  const auto count = std::int64_t(edges.source.size());
  for (const IssueStep& step : warp.steps) {
    const WarpInstruction& i = step.instruction;
    std::vector<LaneUse> uses;
    const Array array = i.view < kFirstSharedView ? array_of(launch, i.view) : Array::other;
    for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      const std::int64_t index = i.offset[std::size_t(l)] / 4, node = index / edges.width;
      std::int32_t& mine = edge[std::size_t(l)];
      LaneUse use;
      use.lane = std::int8_t(l);
      if ((array == Array::source || array == Array::target) && index < count) {
        mine = use.edge = std::int32_t(index);
        use.from = edges.source[std::size_t(index)], use.to = edges.target[std::size_t(index)];
      } else if (array == Array::x && node < edges.nodes) {
        use.from = std::int32_t(node);
        if (mine >= 0 && edges.source[std::size_t(mine)] == use.from)
          use.edge = mine, use.to = edges.target[std::size_t(mine)];
      } else if (array == Array::out && node < edges.nodes) {
        use.to = std::int32_t(node);
        if (mine >= 0 && is_atomic(i.kind) && carries_one) use.edge = mine;
      } else if (array == Array::degree && index < edges.nodes) {
        (reads(i.kind) && !is_atomic(i.kind) ? use.from : use.to) = std::int32_t(index);
        if (is_atomic(i.kind)) use.edge = mine;
      } else if (array == Array::first) {
        use.to = std::int32_t(std::min(index, edges.nodes - 1));
      }
      uses.push_back(use);
    }
    all.push_back(std::move(uses));
  }
  return all;
}

constexpr std::size_t kMostSteps = 20000;  // of one launch; what is longer has no picture of its steps

std::vector<LaunchUses> launches_of(const Run& run, const EdgeList& edges) {
  std::vector<LaunchUses> all;
  for (const Launch& launch : run.launches) {
    LaunchUses& one = all.emplace_back();
    one.warps = issue_of(launch);
    std::size_t steps = 0;
    for (const WarpIssue& warp : one.warps) steps += warp.steps.size();
    if (steps > kMostSteps) one.warps.clear();
    for (const WarpIssue& warp : one.warps) one.uses.push_back(uses_of(launch, warp, edges));
  }
  return all;
}

std::vector<ScatterStep> program_of(const Run& run, const std::vector<LaunchUses>& launches) {
  std::vector<ScatterStep> all;
  for (std::size_t l = 0; l < launches.size(); ++l)
    for (ProgramPlace& place : program_places(launches[l].warps)) {
      if (!moves_data(place.kind)) continue;
      const ScatterPart part = part_of(run.launches[l], place);
      all.push_back({int(l), part, std::move(place)});
    }
  return all;
}

const char* words_of(ScatterPart part) {
  switch (part) {
    case ScatterPart::index:
      return "read edge";
    case ScatterPart::fetch:
      return "fetch";
    case ScatterPart::add:
      return "add";
    case ScatterPart::store:
      return "store";
  }
  return "";
}

// A phase: a trip of the loop; where there is none, a part.
ListAxis axis_of(const std::vector<ScatterStep>& program) {
  ListAxis axis;
  std::optional<std::tuple<int, ScatterPart>> phase;
  for (const ScatterStep& step : program) {
    const std::tuple now(step.launch, step.part);
    if (now != phase) axis.next_phase();
    phase = now;
    axis.add(words_of(step.part), {step.place.line}, {}, step.launch, step.place.file);
  }
  return axis;
}

}  // namespace

ScatterScene::ScatterScene(std::shared_ptr<const Run> shared_run)
    : LabScene(std::move(shared_run)),
      edges(edges_of(run())),
      launches(launches_of(run(), edges)),
      program(program_of(run(), launches)),
      steps(axis_of(program)),
      graph(lay_out(run(), edges, launches)) {}

const ScatterStep* ScatterScene::step_of(int step) const {
  return step >= 0 && step < int(program.size()) ? &program[std::size_t(step)] : nullptr;
}

const IssueStep* ScatterScene::issued(int step, std::int64_t warp) const {
  const ScatterStep* at = step_of(step);
  if (!at || warp < 0 || warp >= std::int64_t(at->place.of_warp.size())) return nullptr;
  const int own = at->place.of_warp[std::size_t(warp)];
  return own < 0 ? nullptr
                 : &launches[std::size_t(at->launch)].warps[std::size_t(warp)].steps[std::size_t(own)];
}

const std::vector<LaneUse>& ScatterScene::uses(int step, std::int64_t warp) const {
  if (!issued(step, warp)) return none_;
  const ScatterStep& at = program[std::size_t(step)];
  return launches[std::size_t(at.launch)]
      .uses[std::size_t(warp)][std::size_t(at.place.of_warp[std::size_t(warp)])];
}

std::vector<std::int64_t> ScatterScene::arrived(int step) const {
  std::vector<std::int64_t> all(std::size_t(edges.nodes), 0);
  const ScatterStep* now = step_of(step);
  if (!now) return all;
  const auto each = [&](ScatterPart part, int last, auto f) {
    for (int s = 0; s <= last; ++s) {
      const ScatterStep& at = program[std::size_t(s)];
      for (std::size_t w = 0; at.launch == now->launch && at.part == part && w < at.place.of_warp.size(); ++w)
        for (const LaneUse& use : uses(s, std::int64_t(w)))
          if (use.edge >= 0 && use.to >= 0) f(use);
    }
  };
  bool message_by_message = false;  // each is an atomic of its own
  each(ScatterPart::add, int(program.size()) - 1, [&](const LaneUse&) { message_by_message = true; });
  each(message_by_message ? ScatterPart::add : ScatterPart::fetch, step,
       [&](const LaneUse& use) { ++all[std::size_t(use.to)]; });
  return all;
}

std::int64_t warp_of(const ScatterScene& scene, const LabView& view) {
  const ScatterStep* step = scene.step_of(view.step);
  const auto warps = step ? std::int64_t(step->place.of_warp.size()) : 1;
  return std::clamp<std::int64_t>(view.warp, 0, std::max<std::int64_t>(0, warps - 1));
}

Meeting meeting_of(const WarpInstruction& i) {
  Meeting all;
  std::map<std::uint32_t, int> lanes;
  for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1)
    all.most_on_one = std::max(all.most_on_one, ++lanes[i.offset[std::size_t(std::countr_zero(rest))]]);
  all.lanes = std::popcount(i.lanes), all.addresses = int(lanes.size());
  all.sectors = requested_sectors(i);
  return all;
}

// The followed warp's first addition, or its last fetch where it adds up in registers.
int ScatterScene::opening_step(std::int64_t warp) const {
  int fetch = 0;
  for (int s = 0; s < int(program.size()); ++s) {
    const auto& all = uses(s, warp);
    const bool any = std::any_of(all.begin(), all.end(), [](const LaneUse& use) { return use.edge >= 0; });
    if (!any) continue;
    if (program[std::size_t(s)].part == ScatterPart::add && program[std::size_t(s)].place.view == 1) return s;
    if (program[std::size_t(s)].part == ScatterPart::fetch && fetch == 0) fetch = s;
  }
  return fetch;
}

std::string ScatterScene::step_figure_names() const {
  return "lanes, most_on_one, addresses, sectors, edges, nodes, largest_degree, line, warp, "
         "lane0_weight";
}

std::optional<double> ScatterScene::step_figure(std::string_view name, const LabView& view) const {
  const std::int64_t warp = warp_of(*this, view);
  const IssueStep* step = issued(view.step, warp);
  const Meeting meeting = step ? meeting_of(step->instruction) : Meeting{};
  if (name == "lanes") return meeting.lanes;
  if (name == "most_on_one") return meeting.most_on_one;
  if (name == "addresses") return meeting.addresses;
  if (name == "sectors") return meeting.sectors;
  if (name == "edges") return double(edges.source.size());
  if (name == "nodes") return double(edges.nodes);
  if (name == "largest_degree")
    return edges.degree.empty() ? 0 : double(*std::max_element(edges.degree.begin(), edges.degree.end()));
  if (name == "lane0_weight")  // as a graph convolution weighs the edge that lane 0 works on
    for (const LaneUse& use : uses(view.step, warp))
      if (use.lane == 0 && use.from >= 0 && use.to >= 0)
        return 1 / std::sqrt(double(edges.degree[std::size_t(use.from)] + 1) *
                             double(edges.degree[std::size_t(use.to)] + 1));
  if (name == "line" && step) return step->instruction.line;
  if (name == "warp") return double(warp);
  return {};
}

}  // namespace lockstep
