#include "scene.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/labs/work_lines.hpp"

namespace lockstep {
namespace {

constexpr std::uint16_t kLoad = name_id("load"), kMax = name_id("max"), kSum = name_id("sum"),
                        kTile = name_id("tile"), kMerge = name_id("merge"), kDivide = name_id("divide");

constexpr const char* kMarkNames[] = {"load", "max", "sum", "tile", "merge", "divide"};

// The lines of a step whose source is not known are those from its first access to its last one: its
// arithmetic stands between them.
MarkedAxis steps_of(const Run& run) {
  MarkedAxis axis(run.launches, kMarkNames);
  constexpr std::uint32_t kMost = 60;
  for (MarkedStep& step : axis.marked) {
    if (step.lines.empty()) continue;
    const std::uint32_t first = step.lines.front(),
                        last = std::min<std::uint32_t>(step.lines.back(), first + kMost);
    step.lines.clear();
    for (std::uint32_t line = first; line <= last; ++line) step.lines.push_back(std::uint16_t(line));
  }
  take_work_lines(axis, run);
  return axis;
}

SoftmaxWay way_of(const MarkedAxis& steps) {
  const auto names = [&](std::uint16_t mark) {
    return std::any_of(steps.marked.begin(), steps.marked.end(),
                       [&](const MarkedStep& step) { return step.mark == mark; });
  };
  SoftmaxWay way;
  way.tiled = !names(kLoad);
  way.one_pass = names(kTile), way.merges_warps = names(kMerge);
  way.maximum = names(kMax) || way.one_pass || way.merges_warps;
  way.maximum_first = way.tiled && names(kMax);
  for (int s = 0; s < steps.count(); ++s)
    for (const Step& part : steps.parts_of(s))
      way.row_in_shared |= steps.marked[std::size_t(s)].mark == kLoad && !part.barrier &&
                           part.instruction.view >= kFirstSharedView && !reads(part.instruction.kind);
  return way;
}

// The setting, where a run has a sensible one.
std::int64_t tile_setting(const Run& run, std::int64_t otherwise) {
  const auto at = run.request.params.find("tile");
  const auto* tile = at == run.request.params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return tile && *tile > 0 ? *tile : otherwise;
}

}  // namespace

SoftmaxScene::SoftmaxScene(std::shared_ptr<const Run> shared_run)
    : LabScene(std::move(shared_run)), steps(steps_of(run())), progress(steps), way(way_of(steps)) {}

std::vector<double> row_of(const Run& run, const ViewInfo& view, std::int64_t row) {
  const Buffer* buffer = buffer_of(run, view.id);
  if (!buffer) return {};
  const std::uint64_t cols = view.shape[1], first = std::uint64_t(row) * cols;
  std::vector<double> values(cols);
  if (view.type == "float" && (first + cols) * sizeof(float) <= buffer->bytes.size()) {
    std::vector<float> floats(cols);
    std::memcpy(floats.data(), buffer->bytes.data() + first * sizeof(float), cols * sizeof(float));
    std::copy(floats.begin(), floats.end(), values.begin());
  } else {
    for (std::uint64_t c = 0; c < cols; ++c) values[c] = element(view, *buffer, first + c);
  }
  return values;
}

SoftmaxPart softmax_part(std::uint16_t mark) {
  switch (mark) {
    case kLoad:
      return SoftmaxPart::load;
    case kMax:
      return SoftmaxPart::max;
    case kSum:
      return SoftmaxPart::sum;
    case kTile:
      return SoftmaxPart::tile;
    case kMerge:
      return SoftmaxPart::merge;
    case kDivide:
      return SoftmaxPart::divide;
  }
  return SoftmaxPart::other;
}

std::string columns_text(Span cols) {
  return cols.count == 1 ? number_text(cols.first) : number_text(cols.first) + "–" + number_text(cols.last());
}

std::optional<double> SoftmaxStep::shown(const char* name, std::int64_t at, int when) const {
  const auto value = scene.steps.shown.at(name_id(name), std::uint32_t(at), when);
  return value ? std::optional<double>(*value) : std::nullopt;
}

std::int64_t SoftmaxStep::written() const { return part == SoftmaxPart::divide ? now.first + now.count : 0; }

std::int64_t SoftmaxStep::chunk() const { return 32 * (16 / std::max(1u, x_view.element_bytes)); }

std::int64_t SoftmaxStep::warp_of(std::int64_t col) const {
  return col / chunk() % std::max<std::int64_t>(1, run().launches[0].threads() / 32);
}

std::int64_t first_column(const SoftmaxStep& s, std::int64_t index) {
  return index > s.cols / s.tile ? s.cols : std::min(index * s.tile, s.cols);
}

std::optional<SoftmaxStep> softmax_step(const SoftmaxScene& scene, int step, std::int64_t warp) {
  const Run& run = scene.run();
  if (run.launches.empty() || step < 0 || step >= scene.steps.count()) return {};
  const Launch& launch = run.launches.front();
  const ViewInfo *x = launch.view(0), *p = launch.view(1);
  if (!x || !p || x->shape.size() != 2 || x->shape != p->shape || x->elements() == 0) return {};
  SoftmaxStep s{scene, step, scene.way, *x, *p, std::int64_t(x->shape[0]), std::int64_t(x->shape[1])};
  s.rows_per_block = s.tiled() ? std::max<std::int64_t>(1, launch.threads() / 32) : 1;
  const std::int64_t first = launch.trace.block * s.rows_per_block;
  if (first < 0 || first >= s.rows) return {};
  s.warp = s.tiled() ? std::clamp<std::int64_t>(warp, 0, std::min(s.rows_per_block, s.rows - first) - 1) : 0;
  s.row = first + s.warp;
  s.tile = s.tiled() ? std::min(tile_setting(run, s.cols), s.cols) : s.cols;
  const MarkedStep& marked = scene.steps.marked[std::size_t(step)];
  s.part = softmax_part(marked.mark);
  s.index = s.tiled() ? std::int64_t(marked.index) : 0;
  const std::int64_t from = first_column(s, s.index);
  s.now = {from, std::min(s.tile, s.cols - from)};
  s.x = row_of(run, *x, s.row), s.p = row_of(run, *p, s.row);
  for (auto [values, when] : {std::pair{&s.after, step}, {&s.before, step - 1}}) {
    values->m = s.shown("m", s.row, when), values->l = s.shown("l", s.row, when);
    values->m_tile = s.shown("m_j", s.row, when), values->l_tile = s.shown("l_j", s.row, when);
    values->factor = s.shown("factor", s.row, when);
  }
  return s;
}

// One pass: where the maximum moves for the last time but not at the very end; without a maximum: where l
// stops being a number; a row in shared memory: where it is summed; else a step past the middle.
int SoftmaxScene::opening_step(std::int64_t warp) const {
  const int last = std::max(0, steps.count() - 1);
  const auto at_end = softmax_step(*this, last, warp);
  if (!at_end) return last;
  const auto of_row = [&](const char* name) {
    return steps.shown.history(name_id(name), std::uint32_t(at_end->row));
  };
  if (!way.maximum)
    for (const auto& entry : of_row("l"))
      if (!std::isfinite(entry.value)) return entry.step;
  if (way.one_pass) {
    const auto m = of_row("m");
    int best = m.empty() ? 0 : m.front().step;
    for (std::size_t i = 1; i < m.size(); ++i)
      if (m[i].value > m[i - 1].value && (i * 4 <= m.size() * 3 || best == m.front().step)) best = m[i].step;
    return best;
  }
  if (way.merges_warps)
    if (const int merge = find_marked(steps, name_id("merge"), 0); merge >= 0) return merge;
  if (way.row_in_shared)
    if (const int sum = find_marked(steps, name_id("sum"), 0); sum >= 0) return sum;
  return last * 5 / 10;
}

std::vector<NumberRow> SoftmaxScene::numbers() const {
  const Run& run = this->run();
  std::vector<NumberRow> rows;
  if (const auto reads = real_metric(run, "reads_per_element"))
    rows.push_back({msg("reads of x"), figure_text(*reads), "metrics.reads_per_element"});
  if (const auto bad = whole_metric(run, "rows_not_finite"))
    rows.push_back({msg("rows with NaN or inf"), grouped(*bad), "metrics.rows_not_finite"});
  if (run.counts) {
    rows.push_back(
        {msg("sectors, load"), grouped(run.counts->global_load_sectors), "counts.global_load_sectors"});
    rows.push_back(
        {msg("sectors, store"), grouped(run.counts->global_store_sectors), "counts.global_store_sectors"});
    rows.push_back(
        {msg("requests, load"), grouped(run.counts->global_load_requests), "counts.global_load_requests"});
  }
  rows.push_back({msg("largest error"), figure_text(run.check.max_error), "check"});
  if (const auto hbm = whole_metric(run, "models.hbm_load_bytes"))
    rows.push_back({msg("bytes from HBM"), bytes_text(double(*hbm)), "metrics.models.hbm_load_bytes"});
  add_time_rows(run, Work::bytes, true, rows);
  if (const auto library = real_metric(run, "libraries.pytorch_ms"); library && run.time)
    rows.push_back({msg("of {0}", {"PyTorch"}), percent_text(*library / run.time->median_ms),
                    "metrics.libraries.pytorch_ms"});
  return rows;
}

}  // namespace lockstep
