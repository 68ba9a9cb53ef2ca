#include "scene.hpp"

#include <algorithm>
#include <bit>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/curves_evidence.hpp"
#include "kernels/threads/curves.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

Extent3 extents(const std::array<std::int64_t, 3>& given) { return {given[0], given[1], given[2]}; }

bool sound(const Extent3& e) {
  return e.x > 0 && e.y > 0 && e.z > 0 && e.x < kMost && e.y < kMost && e.z < kMost;
}

const ViewInfo* out_of(const Run& run) {
  if (run.launches.empty()) return nullptr;
  for (const ViewInfo& view : run.launches[0].views)
    if (view.name == "out" && view.space == Space::global) return &view;
  return nullptr;
}

// Rows, columns and slices of what is written; none of a run that has another form than the ladder's.
int dimensions_of(const Run& run) {
  const ViewInfo* out = out_of(run);
  if (!out || out->element_bytes == 0) return 0;
  const Extent3 block = extents(run.launches[0].block), grid = extents(run.launches[0].grid);
  if (out->shape.empty() || out->shape.size() > 3 || !sound(block) || !sound(grid) || block.count() > 1024)
    return 0;
  for (const std::uint64_t extent : out->shape)
    if (extent == 0 || extent > (1u << 30)) return 0;
  return int(out->shape.size());
}

IndexMap map_of(const Run& run) {
  IndexMap m;
  const int dimensions = dimensions_of(run);
  if (dimensions == 0) return m;
  const auto& shape = out_of(run)->shape;
  const auto from_last = [&](int k) {
    return k < dimensions ? std::int64_t(shape[std::size_t(dimensions - 1 - k)]) : 1;
  };
  m.grid = extents(run.launches[0].grid), m.block = extents(run.launches[0].block);
  m.problem = {from_last(0), from_last(1), from_last(2)};
  m.grid_stride = run.request.params.contains("blocks");  // only such a rung chooses its grid
  return m;
}

constexpr const char* kAxes[] = {"x", "y", "z"};
constexpr const char* kIndices[] = {"col", "row", "slice"};
constexpr const char* kExtents[] = {"width", "height", "depth"};

std::int64_t part(const Extent3& e, int axis) { return axis == 0 ? e.x : axis == 1 ? e.y : e.z; }

std::string sum_text(std::int64_t a, std::int64_t b, std::int64_t c) {
  return number_text(a) + " * " + number_text(b) + " + " + number_text(c);
}

// Metrics "curve.<rung>.<x>x<y>.ms", in the order of x.
std::vector<ShapeTime> times_of(const Run& run) {
  const auto own = [&](const char* name) {
    const auto at = run.request.params.find(name);
    const auto* value = at == run.request.params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
    return value ? *value : 1;
  };
  const bool grids = run.request.params.contains("blocks");
  std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, ShapeTime>> found;
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  if (!recorded) return {};
  for (const auto& [name, curve] : recorded->curves) {
    if (name.rung != run.request.rung || name.quantity != "ms") continue;
    const std::int64_t y = grids ? 1 : height_of(name.setting);
    if (y <= 0) continue;
    for (const auto& [x, ms] : curve) {
      const bool here = grids ? own("blocks") == x : own("block_x") == x && own("block_y") == y;
      found.push_back({{x, y}, {number_text(x) + (y > 1 ? " × " + number_text(y) : ""), ms, here}});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ShapeTime> times;
  for (auto& [key, time] : found) times.push_back(std::move(time));
  return times;
}

// "5, 261, 517, 773", the first few.
constexpr std::size_t kMostNamed = 6;
std::string elements_text(const std::vector<Extent3>& elements) {
  std::string text;
  for (std::size_t i = 0; i < std::min(elements.size(), kMostNamed); ++i)
    text += (i ? ", " : "") + number_text(elements[i].x);
  return text + (elements.size() > kMostNamed ? ", …" : "");
}

}  // namespace

ThreadsScene::ThreadsScene(std::shared_ptr<const Run> given)
    : LabScene(std::move(given)),
      steps(run().launches),
      map(map_of(run())),
      times(times_of(run())),
      dimensions(dimensions_of(run())) {}

std::vector<std::int64_t> ThreadsScene::elements_of_step(int step) const {
  std::vector<std::int64_t> elements;
  const Step* at = steps.at(step);
  if (!at || dimensions == 0) return elements;
  for (std::uint32_t rest = at->instruction.lanes; rest; rest &= rest - 1)
    if (const auto element = element_of_lane(at->instruction, std::countr_zero(rest)))
      elements.push_back(*element);
  std::sort(elements.begin(), elements.end());
  return elements;
}

// An array of another shape than `out` has elements of its own: there it is the one that the lane computes.
std::optional<std::int64_t> ThreadsScene::element_of_lane(const WarpInstruction& i, int lane) const {
  const ViewInfo *view = run().launches[0].view(i.view), *out = out_of(run());
  if (!view || !out || view->element_bytes == 0) return {};
  if (view->shape == out->shape) return std::int64_t(i.offset[std::size_t(lane)] / view->element_bytes);
  const std::int64_t thread = std::int64_t(i.warp) * kLanes + lane;
  if (thread >= map.block.count()) return {};
  const Extent3 first = map.first_of({map.grid.at(followed_block()), map.block.at(thread)});
  if (!map.problem.holds(first)) return {};
  return map.problem.linear(first);
}

std::uint16_t ThreadsScene::out_view() const {
  const ViewInfo* out = out_of(run());
  return out ? out->id : 0;
}

// Also an input of the same shape: what is picked of it has the same place.
bool ThreadsScene::is_of_problem(std::uint16_t view) const {
  const ViewInfo *given = run().launches.empty() ? nullptr : run().launches[0].view(view),
                 *out = out_of(run());
  return given && out && given->shape == out->shape;
}

Pick ThreadsScene::pick_of_element(const Extent3& element) const {
  const auto thread = map.thread_of(element);
  return {thread.value_or(ThreadPlace{}),
          thread && map.problem.holds(element) ? std::optional(element) : std::nullopt};
}

Pick ThreadsScene::pick_of_thread(const ThreadPlace& thread) const {
  const auto elements = map.elements_of(thread, 1);
  return {thread, elements.empty() ? std::nullopt : std::optional(elements.front())};
}

// Of a step lane 5, or its last one: lane 0 of the first warp would have nothing but zeros to show.
Pick ThreadsScene::pick(const LabView& view) const {
  if (view.pinned && is_of_problem(view.pinned->first) &&
      view.pinned->second < std::uint64_t(map.problem.count()))
    return pick_of_element(map.problem.at(std::int64_t(view.pinned->second)));
  const auto elements = elements_of_step(view.step);
  constexpr std::size_t kShown = 5;
  if (elements.empty()) return pick_of_thread({map.grid.at(followed_block()), {0, 0, 0}});
  return pick_of_element(
      map.problem.at(std::min(elements[std::min(kShown, elements.size() - 1)], map.problem.count() - 1)));
}

std::string ThreadsScene::element_name(const Extent3& e) const {
  std::string name = "out";
  for (int axis = dimensions; axis-- > 0;) name += "[" + number_text(part(e, axis)) + "]";
  return name;
}

std::string ThreadsScene::place_text(const Extent3& index) const {
  std::string text = number_text(index.x);
  if (dimensions > 1) text += ", " + number_text(index.y);
  if (dimensions > 2) text += ", " + number_text(index.z);
  return dimensions > 1 ? "(" + text + ")" : text;
}

// "row < height && col < width" with both numbers of each.
IndexLine ThreadsScene::mask_line(const Extent3& at) const {
  IndexLine mask;
  for (int axis = dimensions; axis-- > 0;) {
    const std::string also = axis == 0 ? "" : " && ";
    mask.formula += std::string(dimensions == 1 ? "i" : kIndices[axis]) + " < " +
                    (dimensions == 1 ? "n" : kExtents[axis]) + also;
    mask.numbers += number_text(part(at, axis)) + " < " + number_text(part(map.problem, axis)) + also;
  }
  mask.numbers += ": " + (map.problem.holds(at) ? tr("true") : tr("false, masked"));
  mask.compares = true;
  return mask;
}

std::vector<IndexLine> ThreadsScene::element_lines(const Pick& pick) const {
  std::vector<IndexLine> lines;
  const ThreadPlace& t = pick.thread;
  const Extent3 first = map.first_of(t), at = pick.element.value_or(first);
  for (int axis = 0; axis < dimensions; ++axis) {
    const std::string a = kAxes[axis], name = dimensions == 1 ? "i" : kIndices[axis];
    IndexLine line{name + " = blockIdx." + a + " * blockDim." + a + " + threadIdx." + a,
                   sum_text(part(t.block, axis), part(map.block, axis), part(t.thread, axis))};
    if (map.grid_stride) {
      const std::int64_t threads = map.threads().x, trip = (at.x - first.x) / threads;
      line.formula += " + " + tr("trip") + " * threads",
          line.numbers += " + " + number_text(trip) + " * " + number_text(threads);
    }
    line.numbers += " = " + number_text(part(at, axis));
    lines.push_back(std::move(line));
  }
  lines.push_back(mask_line(at));
  if (!pick.element) return lines;
  if (dimensions == 2)
    lines.push_back({"i = row * width + col",
                     sum_text(at.y, map.problem.x, at.x) + " = " + number_text(map.problem.linear(at))});
  if (dimensions == 3)
    lines.push_back({"i = (slice * height + row) * width + col",
                     "(" + sum_text(at.z, map.problem.y, at.y) + ") * " + number_text(map.problem.x) + " + " +
                         number_text(at.x) + " = " + number_text(map.problem.linear(at))});
  if (map.grid_stride)
    lines.push_back(
        {tr("all elements of this thread"), elements_text(map.elements_of(pick.thread, kMostNamed + 1))});
  return lines;
}

std::vector<IndexLine> ThreadsScene::lane_lines(const Pick& pick) const {
  const Extent3& t = pick.thread.thread;
  const std::string thread = number_text(map.linear_thread(pick.thread));
  IndexLine linear;
  if (dimensions <= 1) linear.formula = "t = threadIdx.x", linear.numbers = thread;
  if (dimensions == 2)
    linear = {"t = threadIdx.y * blockDim.x + threadIdx.x", sum_text(t.y, map.block.x, t.x) + " = " + thread};
  if (dimensions == 3)
    linear = {"t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x",
              "(" + sum_text(t.z, map.block.y, t.y) + ") * " + number_text(map.block.x) + " + " +
                  number_text(t.x) + " = " + thread};
  return {linear,
          {"warp = t / 32", thread + " / 32 = " + number_text(map.warp_of(pick.thread))},
          {"lane = t % 32", thread + " % 32 = " + number_text(map.lane_of(pick.thread))}};
}

}  // namespace lockstep
