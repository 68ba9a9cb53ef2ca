#include "picture.hpp"

#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/model/progress.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }
std::string of(Span span) { return span.count == 1 ? n(span.first) : n(span.first) + "–" + n(span.last()); }

bool is_matrix(const ViewInfo* view) {
  return view && view->shape.size() == 2 && view->shape[0] > 0 && view->shape[1] > 0;
}

ProductCell cell_of(TripState state) {
  switch (state) {
    case TripState::ahead:
      return ProductCell::idle;
    case TripState::loading:
      return ProductCell::loading;
    case TripState::resident:
      return ProductCell::resident;
    case TripState::in_use:
      return ProductCell::in_use;
    case TripState::used:
      return ProductCell::used;
  }
  return ProductCell::idle;
}

// Where the data of each k of a stretch are.
std::vector<ProductCell> cells_of_k(const StageInput& in, Span k) {
  std::vector<ProductCell> cells(std::size_t(k.count), ProductCell::idle);
  for (const Trip& trip : in.axis.trips) {
    const std::int64_t first = std::max(trip.k.first, k.first), last = std::min(trip.k.last(), k.last());
    for (std::int64_t i = first; i <= last; ++i)
      cells[std::size_t(i - k.first)] = cell_of(state_of(in.axis, trip, in.step));
  }
  return cells;
}

ProductMatrix empty_matrix(const char* name, const ViewInfo& view, Span rows, Span cols) {
  ProductMatrix m;
  m.all_rows = std::int64_t(view.shape[0]), m.all_cols = std::int64_t(view.shape[1]);
  m.title = name + std::string("  ") + n(m.all_rows) + " × " + n(m.all_cols);
  m.rows = rows, m.cols = cols;
  m.cells.assign(std::size_t(rows.count * cols.count), ProductCell::idle);
  return m;
}

// The block's rows of A, or its columns of B, by where their k are.
void fill_operand(ProductMatrix& m, const std::vector<ProductCell>& by_k, Span block, bool k_across) {
  for (std::int64_t r = 0; r < m.rows.count; ++r)
    for (std::int64_t c = 0; c < m.cols.count; ++c)
      if (block.holds(k_across ? m.rows.first + r : m.cols.first + c))
        m.cells[std::size_t(r * m.cols.count + c)] = by_k[std::size_t(k_across ? c : r)];
}

void fill_sums(ProductMatrix& m, const GemmScene& scene) {
  for (std::int64_t r = 0; r < m.rows.count; ++r)
    for (std::int64_t c = 0; c < m.cols.count; ++c) {
      const std::int32_t owner = scene.owners.of(m.rows.first + r, m.cols.first + c);
      if (owner < 0) continue;
      m.cells[std::size_t(r * m.cols.count + c)] = owner == scene.thread             ? ProductCell::thread
                                                   : owner / kWarpSize == scene.warp ? ProductCell::warp
                                                                                     : ProductCell::block;
    }
}

// What this step touches: of A and B the k of its trip, of C what it stores.
std::vector<ProductBox> step_boxes(const GemmScene& scene) {
  const StepGroup& group = scene.group();
  std::vector<ProductBox> boxes{{2, scene.rows, scene.cols, scene.in.theme.ink, 2}};
  if (group.role == Role::store) boxes.push_back({2, scene.rows, scene.cols, color::current, 3});
  const Trip* trip = scene.trip(group.trip);
  if (!trip || group.role == Role::wait) return boxes;
  boxes.push_back({0, scene.rows, trip->k, color::current, 2});
  boxes.push_back({1, trip->k, scene.cols, color::current, 2});
  return boxes;
}

// Rows (or columns) of C per block: the first one stands at a multiple.
std::int64_t block_edge(Span span, std::int64_t index) { return index > 0 ? span.first / index : span.count; }

// The loads of one thread from shared and from global memory.
struct Loads {
  std::int64_t shared = 0, global = 0;
};
Loads loads_of(const BlockTrace& trace, std::int32_t thread) {
  Loads loads;
  if (thread < 0 || std::size_t(thread) + 1 >= trace.begin.size()) return loads;
  for (auto e = trace.begin[std::size_t(thread)]; e < trace.begin[std::size_t(thread) + 1]; ++e)
    if (const Access& access = trace.events[e]; access.kind == Kind::load)
      ++(access.view < kFirstSharedView ? loads.global : loads.shared);
  return loads;
}

// The element of a warp that is nearest to the middle of them all.
std::optional<std::pair<std::int64_t, std::int64_t>> middle_of_warp(const Owners& owners, std::int64_t warp) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  std::int64_t rows = 0, cols = 0;
  for (std::int64_t i = 0; i < std::int64_t(owners.thread.size()); ++i) {
    const std::int32_t owner = owners.thread[std::size_t(i)];
    if (owner < 0 || owner / kWarpSize != warp) continue;
    all.emplace_back(owners.region.row + i / owners.region.cols, owners.region.col + i % owners.region.cols);
    rows += all.back().first, cols += all.back().second;
  }
  if (all.empty()) return {};
  const auto count = std::int64_t(all.size());
  const auto distance = [&](const auto& e) {
    return std::abs(e.first * count - rows) + std::abs(e.second * count - cols);
  };
  return *std::min_element(all.begin(), all.end(),
                           [&](const auto& x, const auto& y) { return distance(x) < distance(y); });
}

Card card_of_other_block(const GemmScene& scene, Card card, std::uint64_t e) {
  for (const Touch& t : scene.in.run.touches) {
    if (t.view != scene.c.id || e >= t.writer_block.size() || t.writer_block[e] == Touch::kNobody) continue;
    card.lines = {tr("block {0} · warp {1} · lane {2}",
                     {block_text(scene.launch, t.writer_block[e]), n(t.writer_thread[e] / kWarpSize),
                      n(t.writer_thread[e] % kWarpSize)}),
                  tr("written by another block, line {0}", {n(t.writer_line[e])})};
    card.action = tr("click: follow its block");
    return card;
  }
  card.lines = {tr("written by another block")};
  return card;
}

}  // namespace

std::string k_text(Span k) { return k.count == 1 ? n(k.first) : n(k.first) + ".." + n(k.last()); }

Span k_of(const StepAxis& axis, Span trips) {
  if (trips.count <= 0 || trips.last() >= std::int64_t(axis.trips.size())) return {};
  const Span first = axis.trips[std::size_t(trips.first)].k, last = axis.trips[std::size_t(trips.last())].k;
  return {first.first, last.last() - first.first + 1};
}

bool GemmScene::straight() const {
  return in.axis.trips.empty() || in.axis.trips.front().load_step == in.axis.trips.front().multiply_step;
}

std::optional<GemmScene> gemm_scene(const StageInput& in) {
  if (in.run.launches.empty() || !in.axis.grouped() || in.step < 0 || in.step >= int(in.axis.groups.size()))
    return {};
  const Launch& launch = in.run.launches.front();
  const ViewInfo *a = launch.view(0), *b = launch.view(1), *c = launch.view(2);
  if (!is_matrix(a) || !is_matrix(b) || !is_matrix(c)) return {};
  if (a->shape[0] != c->shape[0] || a->shape[1] != b->shape[0] || b->shape[1] != c->shape[1]) return {};
  GemmScene scene{in, launch, *a, *b, *c, owners_of(in.axis, *c), {}, {}, 0, 0, {}, false};
  const Region& region = scene.owners.region;
  scene.rows = {region.row, region.rows}, scene.cols = {region.col, region.cols};
  scene.tensor_cores = a->type == "bf16";
  const std::int64_t warps = (launch.threads() + kWarpSize - 1) / kWarpSize;
  scene.warp = std::clamp<std::int64_t>(in.warp, 0, warps - 1);
  scene.thread = std::int32_t(scene.warp * kWarpSize);
  const std::int64_t cols = std::int64_t(c->shape[1]);
  if (in.pinned && in.pinned->first == c->id && in.pinned->second < c->shape[0] * c->shape[1]) {
    scene.element = {std::int64_t(in.pinned->second) / cols, std::int64_t(in.pinned->second) % cols};
    if (const std::int32_t owner = scene.owners.of(scene.element->first, scene.element->second); owner >= 0)
      scene.thread = owner, scene.warp = owner / kWarpSize;
    return scene;
  }
  scene.element = middle_of_warp(scene.owners, scene.warp);
  if (scene.element) scene.thread = scene.owners.of(scene.element->first, scene.element->second);
  return scene;
}

ProductPicture product_picture(const GemmScene& scene, Vec2 room) {
  const ProductSize all{std::int64_t(scene.c.shape[0]), std::int64_t(scene.c.shape[1]),
                        std::int64_t(scene.a.shape[1])};
  const std::int64_t trip_k = scene.in.axis.trips.empty() ? 1 : scene.in.axis.trips.front().k.count;
  const std::int64_t now = std::clamp<std::int64_t>(k_done(scene.in.axis, scene.in.step - 1), 0, all.k - 1);
  const ProductWindow w = product_window(room, all, scene.rows, scene.cols, trip_k, now);
  ProductPicture p;
  p.id = "stage/product";
  p.matrix = {empty_matrix("A", scene.a, w.m, w.k), empty_matrix("B", scene.b, w.k, w.n),
              empty_matrix("C = A·B", scene.c, w.m, w.n)};
  const auto by_k = cells_of_k(scene.in, w.k);
  fill_operand(p.matrix[0], by_k, scene.rows, true), fill_operand(p.matrix[1], by_k, scene.cols, false);
  fill_sums(p.matrix[2], scene);
  p.matrix[0].subtitle = tr("rows {0}", {of(scene.rows)});
  p.matrix[1].subtitle = tr("columns {0}", {of(scene.cols)});
  p.matrix[2].subtitle = tr("block {0}", {block_text(scene.launch, scene.launch.trace.block)});
  const std::int64_t block = scene.launch.trace.block,
                     across = std::max<std::int64_t>(1, scene.launch.grid[0]);
  p.tile_rows = block_edge(scene.rows, block / across % std::max<std::int64_t>(1, scene.launch.grid[1]));
  p.tile_cols = block_edge(scene.cols, block % across);
  p.tile_k = scene.straight() ? 0 : trip_k;
  p.in_use = scene.straight() ? color::hbm : color::shared;
  p.boxes = step_boxes(scene);
  p.element = scene.element;
  return p;
}

std::vector<LegendItem> product_legend(const GemmScene& scene) {
  const Theme& theme = scene.in.theme;
  const Color in_use = scene.straight() ? color::hbm : color::shared;
  const auto paint = [&](ProductCell cell) { return product_color(theme, in_use, cell); };
  std::vector<LegendItem> items;
  const bool async = !scene.in.axis.trips.empty() && scene.in.axis.trips.front().async;
  if (scene.straight()) {
    items = {{tr("read now"), paint(ProductCell::in_use)}};
  } else {
    items = {{tr("in use"), paint(ProductCell::in_use)},
             {async ? tr("copy in flight") : tr("being loaded"), paint(ProductCell::loading)},
             {tr("ready"), paint(ProductCell::resident)}};
  }
  items.push_back({tr("used"), paint(ProductCell::used)});
  items.push_back({tr("block of C"), paint(ProductCell::block)});
  items.push_back({tr("warp {0}", {n(scene.warp)}), paint(ProductCell::warp)});
  items.push_back({tr("its lane {0}", {n(scene.thread % kWarpSize)}), paint(ProductCell::thread)});
  items.push_back({tr("this step"), color::current, true});
  return items;
}

Card element_card(const GemmScene& scene, std::int64_t row, std::int64_t col) {
  const std::uint64_t e = std::uint64_t(row * std::int64_t(scene.c.shape[1]) + col);
  Card card;
  card.title = element_text(scene.in.run, scene.c, e);
  const std::int32_t owner = scene.owners.of(row, col);
  if (owner < 0) return card_of_other_block(scene, std::move(card), e);
  const std::string step = n(scene.owners.step + 1);
  const std::string line = n(scene.in.axis.steps[std::size_t(scene.owners.step)].instruction.line);
  const Region& region = scene.owners.region;
  const int writes = scene.owners.writes[std::size_t((row - region.row) * region.cols + col - region.col)];
  const Loads loads = loads_of(scene.launch.trace, owner);
  card.lines = {tr("block {0} · warp {1} · lane {2}", {block_text(scene.launch, scene.launch.trace.block),
                                                       n(owner / kWarpSize), n(owner % kWarpSize)}),
                writes == 1 ? tr("written once, step {0}, line {1}", {step, line})
                            : tr("written {0} times, step {1}, line {2}", {n(writes), step, line}),
                tr("needs {0} of A and {0} of B", {n(std::int64_t(scene.a.shape[1]))}),
                loads.shared ? tr("its thread: {0} loads from shared memory", {grouped(loads.shared)})
                             : tr("its thread: {0} loads from global memory", {grouped(loads.global)})};
  const bool pinned = scene.in.pinned && scene.in.pinned->first == scene.c.id && scene.in.pinned->second == e;
  card.action = pinned ? tr("pinned; Esc lets it go") : tr("click an element to pin it");
  return card;
}

}  // namespace lockstep
