// The transpose's stage: both matrices, the tile by banks, the warp's addresses, the river.
#include <algorithm>
#include <array>
#include <bit>

#include "app/draw/address_map.hpp"
#include "app/draw/bank_map.hpp"
#include "app/draw/language.hpp"
#include "app/draw/matrix.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_river.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

CellState cell_state(const ElementState& e, bool input) {
  if (e.now != ElementState::Now::no)
    return e.now == ElementState::Now::reads ? CellState::reads_now : CellState::writes_now;
  return (input ? e.reads : e.writes) ? CellState::done : CellState::untouched;
}

MatrixPicture matrix_picture(const TransposeScene& scene, const LabView& at, const ViewInfo& view,
                             bool input) {
  MatrixPicture p;
  p.id = "stage/" + view.name;
  p.rows = std::int64_t(view.shape.at(0)), p.cols = std::int64_t(view.shape.at(1));
  const Region region = scene.progress.region_touched(0, view);
  p.first_row = region.row, p.first_col = region.col, p.shown_rows = region.rows, p.shown_cols = region.cols;
  for (const ElementState& e : scene.progress.elements_until(at.step, view, region))
    p.cells.push_back(cell_state(e, input));
  p.color = color::hbm;
  p.title = view.name + "  " + number_text(p.rows) + " × " + number_text(p.cols);
  p.subtitle = tr("rows {0}–{1}, columns {2}–{3}",
                  {number_text(region.row), number_text(region.row + region.rows - 1),
                   number_text(region.col), number_text(region.col + region.cols - 1)});
  if (at.pinned && at.pinned->first == view.id) p.pinned = at.pinned->second;
  return p;
}

// The tile; a run file of a stranger may hold one of another form, which is not drawn.
const ViewInfo* shared_view(const Run& run) {
  for (const ViewInfo& view : run.launches.at(0).views)
    if (view.space == Space::shared && view.shape.size() == 2) return &view;
  return nullptr;
}

// Every word of the tile: what this step does to it, whether it holds data, or whether the block never uses
// it.
BankPicture bank_picture(const TransposeScene& scene, int at_step, const ViewInfo& tile) {
  BankPicture p;
  p.id = "stage/banks";
  const std::uint64_t words = tile.shape.at(0) * tile.shape.at(1) * tile.element_bytes / 4;
  const ViewInfo as_words{tile.id, tile.name, Space::shared, "float", 4, {words / 32, 32}, 32};
  const Region all{0, 0, std::int64_t((words + 31) / 32), 32};
  const auto now = scene.progress.elements_until(at_step, as_words, all);
  const auto ever = scene.progress.elements_until(scene.steps.count() - 1, as_words, all);
  for (std::uint64_t w = 0; w < words; ++w) {
    CellState state = cell_state(now[w], false);
    if (!ever[w].writes && !ever[w].reads) state = CellState::padding;
    p.words.push_back(state);
  }
  p.title = tr("{0}  in shared memory", {tile.name});
  const std::int64_t unused = std::count(p.words.begin(), p.words.end(), CellState::padding);
  p.subtitle = unused ? tr("{0} bytes, {1} of them hold nothing",
                           {grouped(std::int64_t(words) * 4), grouped(unused * 4)})
                      : tr("{0} bytes, rows of 32 banks", {grouped(std::int64_t(words) * 4)});
  const Step* step = scene.steps.at(at_step);
  if (step && !step->barrier && step->instruction.view == tile.id && step->instruction.width == 4) {
    p.load_of_bank.assign(32, 0);
    std::vector<std::uint32_t> seen;
    for (std::uint32_t rest = step->instruction.lanes; rest; rest &= rest - 1) {
      const std::uint32_t word = step->instruction.offset[std::size_t(std::countr_zero(rest))] / 4;
      if (std::find(seen.begin(), seen.end(), word) != seen.end()) continue;
      seen.push_back(word);
      ++p.load_of_bank[word % 32];
    }
  }
  return p;
}

AddressPicture address_picture(const Step* step) {
  AddressPicture p;
  p.id = "stage/addresses";
  if (!step || step->barrier) {
    p.title = tr("The warp's 32 addresses");
    p.subtitle = tr("a barrier moves no data");
    return p;
  }
  const WarpInstruction& i = step->instruction;
  p.lanes = i.lanes, p.offset = i.offset, p.width = i.width, p.shared = i.view >= kFirstSharedView;
  const std::int64_t asked = std::int64_t(std::popcount(i.lanes)) * i.width;
  if (p.shared) {
    const int wanted = std::min(step->wavefronts, fewest_wavefronts(i.lanes, i.width, !reads(i.kind)));
    p.wanted = std::max(1, i.width / 4);
    p.title = tr("Lanes of warp {0} → banks", {number_text(i.warp)});
    p.subtitle =
        tr("wavefronts: {0} = {1} wanted + {2} by conflicts",
           {number_text(step->wavefronts), number_text(wanted), number_text(step->wavefronts - wanted)});
  } else {
    p.title = tr("Lanes of warp {0} → sectors of 32 bytes", {number_text(i.warp)});
    p.subtitle = tr("sectors: {0} = {1} bytes moved for {2} bytes of use",
                    {number_text(step->sectors), grouped(step->sectors * 32), grouped(asked)});
  }
  return p;
}

River river_of(const Traffic& t, const Step* step, const ViewInfo* tile, const std::string& block) {
  RiverUse use;
  use.shared = tile != nullptr;
  if (tile) {
    const std::int64_t wavefronts = t.shared_load.wavefronts + t.shared_store.wavefronts,
                       extra = wavefronts - t.shared_load.wanted - t.shared_store.wanted;
    use.shared_note = extra ? tr("{0} wavefronts, {1} by conflicts", {grouped(wavefronts), grouped(extra)})
                            : tr("{0} wavefronts", {grouped(wavefronts)});
  }
  return traffic_river(t, step ? traffic_of(*step) : Traffic{}, use, block);
}

void show_word_story(Canvas& canvas, const TransposeScene& scene, const ViewInfo& tile, const BankHit& hit,
                     StageEvents& events) {
  if (!hit.hovered) return;
  const std::uint64_t e = *hit.hovered * 4 / tile.element_bytes;
  const std::uint64_t cols = tile.shape.at(1);
  std::string text = tr("{0}: word {1}, bank {2}", {tile.name + "[" + number_text(std::int64_t(e / cols)) +
                                                        "][" + number_text(std::int64_t(e % cols)) + "]",
                                                    number_text(std::int64_t(*hit.hovered)),
                                                    number_text(std::int64_t(*hit.hovered % 32))});
  const Toucher writer = writer_of(scene.steps, tile.id, 4, *hit.hovered),
                reader = reader_of(scene.steps, tile.id, 4, *hit.hovered);
  const std::int64_t block = scene.run().launches.at(0).trace.block;
  const auto line = [&](int step) { return int(scene.steps.steps[std::size_t(step)].instruction.line); };
  if (writer.step >= 0)
    text += "\n" + tr("written by {0}", {thread_place_text(scene.run().launches[0], block, writer.thread,
                                                           line(writer.step), writer.step)});
  if (reader.step >= 0)
    text += "\n" + tr("read by {0}", {thread_place_text(scene.run().launches[0], block, reader.thread,
                                                        line(reader.step), reader.step)});
  if (writer.step < 0 && reader.step < 0)
    text += "\n" + tr("never used: it only shifts the rows to other banks");
  canvas.tooltip(text);
  if (hit.clicked && writer.step >= 0) events.go_to_step = writer.step;
}

// Where the pictures stand: the matrices with the tile between them, the lanes, the river. In half a stage
// there is no room for the tile, nor for the river where it is low.
struct StageRects {
  Rect in, out, banks, addresses, river;
};

StageRects narrow_rects(Rect area, float type) {
  const float gap = 20, half = (area.w - gap) / 2;
  const float lanes_h = 130 * type, matrix_h = 110 * type;  // below that there is nothing to be seen of them
  if (area.h < matrix_h + 18 + lanes_h) return {{}, {}, {}, area, {}};  // the lanes say most
  const float most = std::min(area.h * 0.52f, area.h - 18 - lanes_h);
  const float top_h = std::min(half + 82 * type, most), low_y = area.y + top_h + 18;
  return {{area.x, area.y, half, top_h},
          {area.x + half + gap, area.y, half, top_h},
          {},
          {area.x, low_y, area.w, area.bottom() - low_y},
          {}};
}

constexpr float kPad = 28;

// For a room of people: the matrices with the tile between them, and beside them what the step takes; beside
// another run the latter alone.
StageRects presentation_rects(Rect r, float type, bool tile) {
  const float gap = (tile ? 14 : 34) * type;
  const Rect area{r.x + kPad, r.y + 12, r.w - 2 * kPad, r.h - 20};
  if (area.w < 460 * type) return {{}, {}, {}, area, {}};
  const int pictures = tile ? 3 : 2;
  const float lanes = area.w * (tile ? 0.19f : 0.33f);
  const float each = std::min((area.w - lanes) / float(pictures) - gap, area.h * 0.95f);
  const auto column = [&](int i) { return Rect{area.x + float(i) * (each + gap), area.y, each, area.h}; };
  const float x = column(pictures).x;
  return {
      column(0), column(tile ? 2 : 1), tile ? column(1) : Rect{}, {x, area.y, area.right() - x, area.h}, {}};
}

StageRects stage_rects(Rect r, float type, bool tile, bool river_fits) {
  const float pad = kPad, gap = 24 * type, lanes_h = 120 * type, river_h = kRiverHeight * type;
  const Rect area{r.x + pad, r.y + 18, r.w - 2 * pad, r.h - 30};
  if (area.w < 460 * type || area.h < 380 * type) return narrow_rects(area, type);
  const float count = tile ? 3 : 2, each = std::min((area.w - gap * (count - 1)) / count, 300 * type);
  const float below = (river_fits ? river_h + gap : 0) + lanes_h + gap;
  const float top_h = std::min(each + 82 * type, std::max(area.h - below, area.h * 0.4f));
  const bool river = river_fits && area.h - top_h - lanes_h - 2 * gap >= river_h * 0.8f;
  const auto column = [&](int i) { return Rect{area.x + float(i) * (each + gap), area.y, each, top_h}; };
  const float low_y = area.y + top_h + gap, low_h = area.bottom() - low_y;
  // A river may be lower than it would like; lanes without their room are a title over nothing.
  const float lanes = river ? std::max(lanes_h, low_h - river_h - gap) : low_h;
  return {column(0),
          column(tile ? 2 : 1),
          tile ? column(1) : Rect{},
          {area.x, low_y, area.w, lanes},
          river ? Rect{area.x, low_y + lanes + gap, area.w, low_h - lanes - gap} : Rect{}};
}

// The addresses, and the bytes of the lane under the pointer.
void show_lane_bytes(Canvas& canvas, const Theme& theme, Rect r, const AddressPicture& picture) {
  const auto lane = draw_addresses(canvas, theme, r, picture);
  if (!lane || !(picture.lanes >> *lane & 1)) return;
  const std::int64_t first = picture.offset[std::size_t(*lane)];
  canvas.tooltip(tr("lane {0}: bytes {1} to {2}",
                    {number_text(*lane), grouped(first), grouped(first + picture.width - 1)}));
}

}  // namespace

void TransposeScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const Launch& launch = run().launches.at(0);
  const ViewInfo *input = launch.view(0), *output = launch.view(1), *tile = shared_view(run());
  if (!input || !output) return;
  const int at_step = in.view.step;
  const Step* step = steps.at(at_step);
  const River river =
      river_of(progress.traffic_until(at_step), step, tile, block_text(launch, launch.trace.block));
  const StageRects at = in.presentation
                            ? presentation_rects(in.area, in.theme.type, tile != nullptr)
                            : stage_rects(in.area, in.theme.type, tile != nullptr,
                                          river_fits(canvas, in.theme, in.area.w - 2 * kPad, river));
  if (at.in.w > 0) {
    const MatrixHit from = draw_matrix(canvas, in.theme, at.in, matrix_picture(*this, in.view, *input, true));
    show_element_story(canvas, run(), steps, *input, from.hovered, from.clicked, events);
    const MatrixHit to =
        draw_matrix(canvas, in.theme, at.out, matrix_picture(*this, in.view, *output, false));
    show_element_story(canvas, run(), steps, *output, to.hovered, to.clicked, events);
  }
  if (at.banks.w > 0)
    show_word_story(canvas, *this, *tile,
                    draw_banks(canvas, in.theme, at.banks, bank_picture(*this, at_step, *tile)), events);
  AddressPicture addresses = address_picture(step);
  if (in.presentation && step && !step->barrier) {  // in large type; the sentence says the rest
    addresses.title = addresses.shared ? tr("Lanes → banks") : tr("Lanes → sectors");
    addresses.subtitle.clear();
  }
  show_lane_bytes(canvas, in.theme, at.addresses, addresses);
  if (at.river.w > 0) draw_river(canvas, in.theme, at.river, river, in.motion);
}

}  // namespace lockstep
