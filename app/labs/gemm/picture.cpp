#include "picture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/travel.hpp"
#include "app/labs/story.hpp"
#include "app/model/progress.hpp"

namespace lockstep {
namespace {

std::string of(Span span) {
  if (span.count <= 0) return "-";
  return span.count == 1 ? number_text(span.first) : number_text(span.first) + "–" + number_text(span.last());
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
std::vector<ProductCell> cells_of_k(const GemmPicture& shown, Span k) {
  std::vector<ProductCell> cells(std::size_t(k.count), ProductCell::idle);
  const int tile = shown.scene.steps.tile_of_c(shown.step());
  for (const Trip& trip : shown.scene.steps.trips) {
    if (trip.tile_of_c != tile) continue;
    const std::int64_t first = std::max(trip.k.first, k.first), last = std::min(trip.k.last(), k.last());
    for (std::int64_t i = first; i <= last; ++i)
      cells[std::size_t(i - k.first)] = cell_of(state_of(shown.scene.steps, trip, shown.step()));
  }
  return cells;
}

ProductMatrix empty_matrix(const char* name, std::int64_t all_rows, std::int64_t all_cols, Span rows,
                           Span cols) {
  ProductMatrix m;
  m.all_rows = all_rows, m.all_cols = all_cols;
  m.title = name + std::string("  ") + number_text(m.all_rows) + " × " + number_text(m.all_cols);
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

// The sum of an element as it is while the step is taken: it grows when the warp that owns it has its turn.
// NaN where it is not known.
double sum_so_far(const GemmPicture& shown, std::int64_t row, std::int64_t col) {
  const PartialSums& sums = shown.tile().sums;
  const std::int64_t warp = shown.tile().owners.of(row, col) / kWarpSize;
  return value_between(sums.at(shown.step() - 1, row, col), sums.at(shown.step(), row, col),
                       part_of_turn(shown, warp));
}

// The smallest rectangle around the elements of C that `mine` says; nothing where others lie in it.
template <class Mine>
std::optional<std::pair<Span, Span>> rectangle_of(const Owners& owners, Mine mine) {
  std::int64_t top = INT64_MAX, left = INT64_MAX, bottom = -1, right = -1, count = 0;
  for (std::int64_t i = 0; i < std::int64_t(owners.thread.size()); ++i) {
    if (!mine(owners.thread[std::size_t(i)])) continue;
    const std::int64_t row = i / owners.region.cols, col = i % owners.region.cols;
    top = std::min(top, row), bottom = std::max(bottom, row);
    left = std::min(left, col), right = std::max(right, col), ++count;
  }
  if (count == 0 || count != (bottom - top + 1) * (right - left + 1)) return {};
  return std::pair{Span{owners.region.row + top, bottom - top + 1},
                   Span{owners.region.col + left, right - left + 1}};
}

std::optional<std::pair<Span, Span>> rectangle_of_warp(const GemmPicture& shown, std::int64_t warp) {
  return rectangle_of(shown.tile().owners,
                      [&](std::int32_t owner) { return owner >= 0 && owner / kWarpSize == warp; });
}

std::optional<std::pair<Span, Span>> rectangle_of_thread(const GemmPicture& shown) {
  return rectangle_of(shown.tile().owners, [&](std::int32_t owner) { return owner == shown.thread; });
}

// The block's cells: by how large their sums are so far. The followed thread's own are outlined, or stand out
// in its colour where they lie scattered.
void fill_sums(ProductMatrix& m, const GemmPicture& shown) {
  const PartialSums& sums = shown.tile().sums;
  if (sums.known()) m.sums.assign(m.cells.size(), 0);
  const bool scattered = !rectangle_of_thread(shown);
  for (std::int64_t r = 0; r < m.rows.count; ++r)
    for (std::int64_t c = 0; c < m.cols.count; ++c) {
      const std::int64_t row = m.rows.first + r, col = m.cols.first + c;
      const std::int32_t owner = shown.tile().owners.of(row, col);
      if (owner < 0) continue;
      const auto at = std::size_t(r * m.cols.count + c);
      m.cells[at] = owner == shown.thread             ? ProductCell::thread
                    : owner / kWarpSize == shown.warp ? ProductCell::warp
                                                      : ProductCell::block;
      if (sums.known() && scattered && owner == shown.thread)
        m.sums[at] = NAN;
      else if (sums.known() && sums.largest() > 0)
        m.sums[at] = float(std::abs(sum_so_far(shown, row, col)) / sums.largest());
    }
}

// Of a cluster's blocks each asks for a part of B, which comes to all of them.
bool asks_for_half(const GemmPicture& shown) {
  return shown.scene.multicast && shown.group().role == Role::load &&
         !shown.scene.for_next_tile(shown.group(), shown.step());
}

// The rows of B that this step's boxes bring: of a cluster's block a half of its trip's.
Span asked_of_b(const GemmPicture& shown, Span trip) {
  const ViewInfo& b = *shown.scene.b;
  std::int64_t first = INT64_MAX, last = -1;
  for (const Step& part : shown.scene.steps.parts_of(shown.step())) {
    const WarpInstruction& i = part.instruction;
    if (i.kind != Kind::box_source || i.view != b.id) continue;
    for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
      const std::uint64_t element = i.offset[std::size_t(std::countr_zero(rest))] / b.element_bytes;
      const auto row = std::int64_t(shown.scene.columns_of_b ? element % b.shape[1] : element / b.shape[1]);
      first = std::min(first, row), last = std::max(last, row);
    }
  }
  return last < 0 ? Span{trip.first, 0} : Span{first, last - first + 1};
}

// What this step touches: of A and B the k of its trip, of C what it stores.
std::vector<ProductBox> step_boxes(const GemmPicture& shown) {
  const StepGroup& group = shown.group();
  std::vector<ProductBox> boxes{{2, shown.tile().rows, shown.tile().cols, shown.in.theme.ink, 2}};
  if (const auto warp = rectangle_of_warp(shown, shown.warp))
    boxes.push_back({2, warp->first, warp->second, shown.in.theme.ink, 1});
  if (const auto thread = rectangle_of_thread(shown); thread && shown.tile().sums.known())
    boxes.push_back({2, thread->first, thread->second, shown.in.theme.ink, 2});
  if (const auto turn = warp_at_its_turn(shown); turn && group.role == Role::multiply)
    if (const auto sums = rectangle_of_warp(shown, *turn))
      boxes.push_back({2, sums->first, sums->second, color::current, 2});
  if (group.role == Role::store)
    boxes.push_back({2, shown.tile().rows, shown.tile().cols, color::current, 3});
  const Trip* trip = shown.scene.trip(group.trip);
  // What comes for the next tile of C stands elsewhere in A and in B.
  if (!trip || group.role == Role::wait || shown.scene.for_next_tile(group, shown.step())) return boxes;
  boxes.push_back({0, shown.tile().rows, trip->k, color::current, 2});
  const Span of_b = asks_for_half(shown) ? asked_of_b(shown, trip->k) : trip->k;
  const Span rest{of_b.first > trip->k.first ? trip->k.first : of_b.last() + 1, trip->k.count - of_b.count};
  if (rest.count > 0) boxes.push_back({1, rest, shown.tile().cols, color::barrier, 2});
  if (of_b.count > 0) boxes.push_back({1, of_b, shown.tile().cols, color::current, 2});
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

// An element that the block does not make now: in another tile of its own, or another block does.
Card card_of_other_tile(const GemmPicture& shown, Card card, std::uint64_t e) {
  const auto cols = std::uint64_t(shown.scene.c->shape[1]);
  for (std::size_t t = 0; t < shown.scene.tiles.size(); ++t) {
    const Owners& owners = shown.scene.tiles[t].owners;
    if (owners.of(std::int64_t(e / cols), std::int64_t(e % cols)) < 0) continue;
    card.lines = {tr("in tile {0} of this block: stored in step {1}",
                     {number_text(std::int64_t(t) + 1), number_text(owners.step + 1)})};
    return card;
  }
  for (const Touch& t : shown.scene.run().touches) {
    if (t.view != shown.scene.c->id || e >= t.writer_block.size() || t.writer_block[e] == Touch::kNobody)
      continue;
    card.lines = {tr("block {0} · warp {1} · lane {2}", {block_text(*shown.scene.launch, t.writer_block[e]),
                                                         number_text(t.writer_thread[e] / kWarpSize),
                                                         number_text(t.writer_thread[e] % kWarpSize)}),
                  tr("written by another block, line {0}", {number_text(t.writer_line[e])})};
    card.action = tr("click: follow its block");
    return card;
  }
  card.lines = {tr("written by another block")};
  return card;
}

}  // namespace

std::optional<GemmPicture> gemm_picture(const GemmScene& scene, const StageInput& in) {
  if (!scene.c || !scene.group(in.view.step)) return {};
  const std::int64_t warps = (scene.launch->threads() + kWarpSize - 1) / kWarpSize;
  GemmPicture shown{scene, in, std::clamp<std::int64_t>(in.view.warp, 0, warps - 1), 0, {}};
  shown.thread = std::int32_t(shown.warp * kWarpSize);
  const auto& pinned = in.view.pinned;
  const std::int64_t cols = std::int64_t(scene.c->shape[1]);
  if (pinned && pinned->first == scene.c->id && pinned->second < scene.c->shape[0] * scene.c->shape[1]) {
    shown.element = {std::int64_t(pinned->second) / cols, std::int64_t(pinned->second) % cols};
    const Owners& owners = shown.tile().owners;
    if (const std::int32_t owner = owners.of(shown.element->first, shown.element->second); owner >= 0)
      shown.thread = owner, shown.warp = owner / kWarpSize;
    return shown;
  }
  // A warp that only fetches has no element: the first one that has stands for it.
  for (std::int64_t w = 0; w < warps && !shown.element; ++w)
    if (const std::int64_t warp = (shown.warp + w) % warps;
        (shown.element = middle_of_warp(shown.tile().owners, warp)))
      shown.warp = warp;
  if (shown.element) shown.thread = shown.tile().owners.of(shown.element->first, shown.element->second);
  return shown;
}

ProductPicture product_picture(const GemmPicture& shown, Vec2 room) {
  const ProductSize all{std::int64_t(shown.scene.c->shape[0]), std::int64_t(shown.scene.c->shape[1]),
                        std::int64_t(shown.scene.a->shape[1])};
  const std::int64_t trip_k = shown.scene.steps.trips.empty() ? 1 : shown.scene.steps.trips.front().k.count;
  const LoopAxis& axis = shown.scene.steps;
  const int before = shown.step() - 1;
  const bool begins = axis.tile_of_c(before) != axis.tile_of_c(shown.step());
  const std::int64_t now = begins ? 0 : std::clamp<std::int64_t>(k_done(axis, before), 0, all.k - 1);
  ProductWindow w = product_window(room, all, shown.tile().rows, shown.tile().cols, trip_k, now);
  // Beside the fragments the block alone has the room.
  if (shown.scene.tensor_cores) w.m = shown.tile().rows, w.n = shown.tile().cols;
  ProductPicture p;
  p.id = "stage/product";
  p.matrix = {empty_matrix("A", all.m, all.k, w.m, w.k), empty_matrix("B", all.k, all.n, w.k, w.n),
              empty_matrix("C", all.m, all.n, w.m, w.n)};
  const auto by_k = cells_of_k(shown, w.k);
  fill_operand(p.matrix[0], by_k, shown.tile().rows, true),
      fill_operand(p.matrix[1], by_k, shown.tile().cols, false);
  fill_sums(p.matrix[2], shown);
  p.matrix[0].subtitle = tr("rows {0}", {of(shown.tile().rows)});
  p.matrix[1].subtitle = tr("columns {0}", {of(shown.tile().cols)});
  const std::string of_block = block_text(*shown.scene.launch, shown.scene.launch->trace.block);
  const std::int64_t tiles = axis.tiles_of_c(), tile = axis.tile_of_c(shown.step()) + 1;
  p.matrix[2].subtitle = tiles == 1 ? tr("= A·B, block {0}", {of_block})
                                    : tr("= A·B, block {0}, its tile {1} of {2}",
                                         {of_block, number_text(tile), number_text(tiles)});
  const std::int64_t block = shown.scene.launch->trace.block,
                     across = std::max<std::int64_t>(1, shown.scene.launch->grid[0]);
  p.tile_rows =
      block_edge(shown.tile().rows, block / across % std::max<std::int64_t>(1, shown.scene.launch->grid[1]));
  p.tile_cols = block_edge(shown.tile().cols, block % across);
  p.tile_k = shown.scene.straight() ? 0 : trip_k;
  p.in_use = shown.scene.straight() ? color::hbm : color::shared;
  constexpr std::int64_t kMmaRows = 16, kMmaCols = 8;  // of C, that one mma.sync makes
  if (shown.scene.tensor_cores) p.tile_rows = kMmaRows, p.tile_cols = kMmaCols;
  p.boxes = step_boxes(shown);
  p.element = shown.element;
  p.block_rows = shown.tile().rows, p.block_cols = shown.tile().cols;
  p.lanes = lanes_at_their_turn(shown);
  p.motion = shown.in.motion;
  return p;
}

void add_pieces(const GemmPicture& shown, std::optional<Rect> shared, std::optional<Rect> memory,
                ProductPicture& picture) {
  const GemmScene& scene = shown.scene;
  const StepGroup& group = shown.group();
  const Trip* trip = scene.trip(group.trip);
  if (group.role == Role::store && memory)
    picture.pieces = {{2, shown.tile().rows, shown.tile().cols, memory, color::registers, false}};
  if (!trip || group.role == Role::wait || group.role == Role::store) return;
  const bool loads = group.role == Role::load;
  if (loads && (!shared || scene.for_next_tile(group, shown.step())))
    return;  // the strips change their colour
  if (!loads && !scene.straight() && shared) {
    picture.pieces = {{2, shown.tile().rows, shown.tile().cols, shared, color::shared, true}};
    return;
  }
  const Color colour = loads || scene.straight() ? color::hbm : color::shared;
  const auto to = loads ? shared : std::nullopt;
  picture.pieces = {{0, shown.tile().rows, trip->k, to, colour, false},
                    {1, trip->k, shown.tile().cols, to, colour, false}};
}

std::vector<LegendItem> product_legend(const GemmPicture& shown) {
  const Theme& theme = shown.in.theme;
  const Color in_use = shown.scene.straight() ? color::hbm : color::shared;
  const auto paint = [&](ProductCell cell) { return product_color(theme, in_use, cell); };
  std::vector<LegendItem> items;
  const bool async = !shown.scene.steps.trips.empty() && shown.scene.steps.trips.front().async;
  if (shown.scene.straight()) {
    items = {{tr("read now"), paint(ProductCell::in_use)}};
  } else {
    items = {{tr("in use"), paint(ProductCell::in_use)},
             {async ? tr("copy in flight") : tr("being loaded"), paint(ProductCell::loading)},
             {tr("ready"), paint(ProductCell::resident)}};
  }
  items.push_back({tr("used"), paint(ProductCell::used)});
  if (shown.tile().sums.known()) {
    items.push_back({tr("a sum near 0 so far"), product_sum_color(theme, 0.05f)});
    items.push_back({tr("a large one"), product_sum_color(theme, 1)});
  } else {
    items.push_back({tr("block of C"), paint(ProductCell::block)});
    items.push_back(
        {tr("its lane {0}", {number_text(shown.thread % kWarpSize)}), paint(ProductCell::thread)});
  }
  if (rectangle_of_warp(shown, shown.warp))
    items.push_back({tr("warp {0}", {number_text(shown.warp)}), theme.ink, true});
  const bool outlined = rectangle_of_thread(shown) && shown.tile().sums.known();
  items.push_back({tr("its lane {0}", {number_text(shown.thread % kWarpSize)}),
                   outlined ? theme.ink : paint(ProductCell::thread), outlined});
  items.push_back({tr("this step"), color::current, true});
  if (asks_for_half(shown)) items.push_back({tr("asked for by the other block"), color::barrier, true});
  return items;
}

namespace {

// "c[15][0] = 0.4312"; how far it has come stands below.
std::string title_so_far(const GemmPicture& shown, std::int64_t row, std::int64_t col) {
  const std::string name = shown.scene.c->name + "[" + number_text(row) + "][" + number_text(col) + "]";
  const double sum = shown.tile().sums.at(shown.step(), row, col);
  return shown.tile().sums.known() ? name + " = " + figure_text(sum) : name;
}

}  // namespace

Card element_card(const GemmPicture& shown, std::int64_t row, std::int64_t col) {
  const std::uint64_t e = std::uint64_t(row * std::int64_t(shown.scene.c->shape[1]) + col);
  Card card;
  card.title = element_text(shown.scene.run(), *shown.scene.c, e);
  const std::int32_t owner = shown.tile().owners.of(row, col);
  if (owner >= 0 && shown.step() < shown.tile().owners.step) card.title = title_so_far(shown, row, col);
  if (owner < 0) return card_of_other_tile(shown, std::move(card), e);
  const std::string step = number_text(shown.tile().owners.step + 1);
  const std::string line =
      number_text(shown.scene.steps.steps[std::size_t(shown.tile().owners.step)].instruction.line);
  const Region& region = shown.tile().owners.region;
  const int writes =
      shown.tile().owners.writes[std::size_t((row - region.row) * region.cols + col - region.col)];
  const Loads loads = loads_of(shown.scene.launch->trace, owner);
  card.lines = {
      tr("block {0} · warp {1} · lane {2}", {block_text(*shown.scene.launch, shown.scene.launch->trace.block),
                                             number_text(owner / kWarpSize), number_text(owner % kWarpSize)}),
      writes == 1 ? tr("written once, step {0}, line {1}", {step, line})
                  : tr("written {0} times, step {1}, line {2}", {number_text(writes), step, line}),
      tr("{0} of {1} products so far", {number_text(k_done(shown.scene.steps, shown.step())),
                                        number_text(std::int64_t(shown.scene.a->shape[1]))}),
      loads.shared ? tr("its thread: {0} loads from shared memory", {grouped(loads.shared)})
                   : tr("its thread: {0} loads from global memory", {grouped(loads.global)})};
  const bool pinned = shown.in.view.pinned && shown.in.view.pinned->first == shown.scene.c->id &&
                      shown.in.view.pinned->second == e;
  card.action = pinned ? tr("pinned; Esc unpins it") : tr("click an element to pin it");
  return card;
}

}  // namespace lockstep
