// How does a matrix turn over without wasting a byte?
// Step from rung to rung: the naive one writes 32 sectors for 32 floats; the tile in shared memory mends that
// and runs into its banks; padding or swizzling mends those; 16-byte accesses do the rest. Try n = 100 (edge
// tiles), follow another block by clicking into a matrix, and compare the bytes on each level of the tower.
#include <algorithm>
#include <array>
#include <bit>

#include "app/draw/address_map.hpp"
#include "app/draw/bank_map.hpp"
#include "app/draw/language.hpp"
#include "app/draw/matrix.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/tower.hpp"
#include "app/labs/lab.hpp"
#include "app/labs/story.hpp"
#include "app/model/progress.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

const Step* step_at(const StepAxis& axis, int step) {
  return step >= 0 && step < int(axis.steps.size()) ? &axis.steps[std::size_t(step)] : nullptr;
}

std::string view_name(const Run& run, const Step& step) {
  const ViewInfo* view = run.launches.at(std::size_t(step.launch)).view(step.instruction.view);
  return view ? view->name : "?";
}

// --- stage: plain data from (run, axis, step)
// ------------------------------------------------------------------

CellState cell_state(const ElementState& e, bool input) {
  if (e.now != ElementState::Now::no)
    return e.now == ElementState::Now::reads ? CellState::reads_now : CellState::writes_now;
  return (input ? e.reads : e.writes) ? CellState::done : CellState::untouched;
}

MatrixPicture matrix_picture(const StageInput& in, const ViewInfo& view, bool input) {
  MatrixPicture p;
  p.id = "stage/" + view.name;
  p.rows = std::int64_t(view.shape.at(0)), p.cols = std::int64_t(view.shape.at(1));
  const Region region = region_touched(in.axis, 0, view);
  p.first_row = region.row, p.first_col = region.col, p.shown_rows = region.rows, p.shown_cols = region.cols;
  for (const ElementState& e : elements_until(in.axis, in.step, view, region))
    p.cells.push_back(cell_state(e, input));
  p.color = color::hbm;
  p.title = view.name + "  " + n(p.rows) + " × " + n(p.cols);
  p.subtitle = tr("rows {0}–{1}, columns {2}–{3}", {n(region.row), n(region.row + region.rows - 1),
                                                    n(region.col), n(region.col + region.cols - 1)});
  if (in.pinned && in.pinned->first == view.id) p.pinned = in.pinned->second;
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
BankPicture bank_picture(const StageInput& in, const ViewInfo& tile) {
  BankPicture p;
  p.id = "stage/banks";
  const std::uint64_t words = tile.shape.at(0) * tile.shape.at(1) * tile.element_bytes / 4;
  const ViewInfo as_words{tile.id, tile.name, Space::shared, "float", 4, {words / 32, 32}, 32};
  const Region all{0, 0, std::int64_t((words + 31) / 32), 32};
  const auto now = elements_until(in.axis, in.step, as_words, all);
  const auto ever = elements_until(in.axis, int(in.axis.steps.size()) - 1, as_words, all);
  for (std::uint64_t w = 0; w < words; ++w) {
    CellState state = cell_state(now[w], false);
    if (!ever[w].writes && !ever[w].reads) state = CellState::padding;
    p.words.push_back(state);
  }
  p.title = tr("{0} in shared memory: rows of 32 banks", {tile.name});
  const std::int64_t unused = std::count(p.words.begin(), p.words.end(), CellState::padding);
  p.subtitle = unused ? tr("{0} bytes, {1} of them hold nothing",
                           {grouped(std::int64_t(words) * 4), grouped(unused * 4)})
                      : tr("{0} bytes, a word of 4 bytes per cell", {grouped(std::int64_t(words) * 4)});
  const Step* step = step_at(in.axis, in.step);
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

AddressPicture address_picture(const StageInput& in) {
  AddressPicture p;
  p.id = "stage/addresses";
  const Step* step = step_at(in.axis, in.step);
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
    p.title = tr("Lanes of warp {0} → banks", {n(i.warp)});
    p.subtitle = tr("wavefronts: {0} = {1} wanted + {2} by conflicts",
                    {n(step->wavefronts), n(wanted), n(step->wavefronts - wanted)});
  } else {
    p.title = tr("Lanes of warp {0} → sectors of 32 bytes", {n(i.warp)});
    p.subtitle = tr("sectors: {0} = {1} bytes moved for {2} bytes of use",
                    {n(step->sectors), grouped(step->sectors * 32), grouped(asked)});
  }
  return p;
}

// 32 cells of a level for this step: its lanes, its banks, its sectors.
std::vector<CellState> level_cells(const Step* step, bool shared_level, bool global_level) {
  std::vector<CellState> cells(32, CellState::untouched);
  if (!step || step->barrier) return cells;
  const WarpInstruction& i = step->instruction;
  const bool shared = i.view >= kFirstSharedView;
  if (!shared_level && !global_level) {
    for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1)
      cells[std::size_t(std::countr_zero(rest))] = CellState::done;
  } else if (shared_level && shared) {
    std::array<std::vector<std::uint32_t>, 32> words;
    for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1)
      for (std::uint32_t b = 0; b < i.width; b += 4) {
        const std::uint32_t word = (i.offset[std::size_t(std::countr_zero(rest))] + b) / 4;
        auto& list = words[word % 32];
        if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
      }
    for (std::size_t bank = 0; bank < 32; ++bank)
      if (!words[bank].empty())
        cells[bank] = words[bank].size() > std::size_t(i.width / 4) ? CellState::trouble : CellState::done;
  } else if (global_level && !shared) {
    for (int s = 0; s < std::min(32, step->sectors); ++s) cells[std::size_t(s)] = CellState::done;
  }
  return cells;
}

std::vector<CellState> sector_cells(std::uint32_t sectors) {
  std::vector<CellState> cells(32, CellState::untouched);
  std::fill_n(cells.begin(), std::min<std::uint32_t>(32, sectors), CellState::done);
  return cells;
}

std::vector<TowerLevel> tower_levels(const Traffic& t, const Run& run, const Step* step) {
  const auto words = [](std::int64_t bytes) { return bytes_text(double(bytes)); };
  const ViewInfo* tile = shared_view(run);
  const auto global_cells = level_cells(step, false, true);
  TowerLevel registers{tr("registers"),
                       color::registers,
                       {tr("lanes: {0} in, {1} out", {words(t.load.lane_bytes), words(t.store.lane_bytes)})},
                       level_cells(step, false, false),
                       tr("32 lanes")};
  TowerLevel shared{tr("shared memory"), color::shared, {tr("not used by this rung")}, {}, ""};
  if (tile) {
    const std::int64_t wavefronts = t.shared_load.wavefronts + t.shared_store.wavefronts;
    shared.lines = {
        tr("wavefronts: {0}, by conflicts: {1}",
           {grouped(wavefronts), grouped(wavefronts - t.shared_load.wanted - t.shared_store.wanted)})};
    shared.cells = level_cells(step, true, false), shared.cells_are = tr("32 banks");
  }
  TowerLevel l1{"L1",
                color::l1,
                {tr("sectors: {0} in, {1} out", {grouped(t.load.sectors), grouped(t.store.sectors)})},
                global_cells,
                tr("sectors")};
  TowerLevel l2{"L2",
                color::l2,
                {tr("a model of the L1 says so")},
                sector_cells(step ? step->l2_sectors : 0),
                tr("sectors")};
  TowerLevel hbm{"HBM",
                 color::hbm,
                 {tr("a model of the L2 says so")},
                 sector_cells(step ? step->hbm_sectors : 0),
                 tr("sectors")};
  return {registers, shared, l1, l2, hbm};
}

std::vector<TowerLink> tower_links(const Traffic& t, const Step* step) {
  const auto text = [](std::int64_t bytes) { return bytes ? bytes_text(double(bytes)) : std::string("0"); };
  const Traffic now = step ? traffic_of(*step) : Traffic{};
  const auto squares = [](std::int64_t sectors) { return sectors == 0 ? 0 : sectors < 8 ? 2 : 4; };
  TowerLink shared{0,
                   1,
                   text(t.shared_store.lane_bytes),
                   text(t.shared_load.lane_bytes),
                   false,
                   now.shared_store.instructions ? 3 : 0,
                   now.shared_load.instructions ? 3 : 0};
  TowerLink direct{0,
                   2,
                   text(t.store.lane_bytes),
                   text(t.load.lane_bytes),
                   false,
                   squares(now.store.sectors),
                   squares(now.load.sectors)};
  TowerLink l2{2,
               3,
               text(t.store.l2_bytes()),
               text(t.load.l2_bytes()),
               true,
               squares(now.store.l2_sectors),
               squares(now.load.l2_sectors)};
  TowerLink hbm{3,
                4,
                text(t.store.hbm_bytes()),
                text(t.load.hbm_bytes()),
                true,
                squares(now.store.hbm_sectors),
                squares(now.load.hbm_sectors)};
  return {shared, direct, l2, hbm};
}

// --- who wrote it, who read it
// ------------------------------------------------------------------------------------

void tell_word(Canvas& canvas, const StageInput& in, const ViewInfo& tile, const BankHit& hit,
               StageEvents& events) {
  if (!hit.hovered) return;
  const std::uint64_t e = *hit.hovered * 4 / tile.element_bytes;
  const std::uint64_t cols = tile.shape.at(1);
  std::string text = tr("{0}: word {1}, bank {2}",
                        {tile.name + "[" + n(std::int64_t(e / cols)) + "][" + n(std::int64_t(e % cols)) + "]",
                         n(std::int64_t(*hit.hovered)), n(std::int64_t(*hit.hovered % 32))});
  const Toucher writer = writer_of(in.axis, tile.id, 4, *hit.hovered),
                reader = reader_of(in.axis, tile.id, 4, *hit.hovered);
  const std::int64_t block = in.run.launches.at(0).trace.block;
  const auto line = [&](int step) { return int(in.axis.steps[std::size_t(step)].instruction.line); };
  if (writer.step >= 0)
    text += "\n" + tr("written by {0}", {who(in, 0, block, writer.thread, line(writer.step), writer.step)});
  if (reader.step >= 0)
    text += "\n" + tr("read by {0}", {who(in, 0, block, reader.thread, line(reader.step), reader.step)});
  if (writer.step < 0 && reader.step < 0)
    text += "\n" + tr("never used: it only shifts the rows to other banks");
  canvas.tooltip(text);
  if (hit.clicked && writer.step >= 0) events.go_to_step = writer.step;
}

// --- the lab
// ------------------------------------------------------------------------------------------------------

class TransposeLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("transpose")->info; }
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  Message step_title(const Run& run, const StepAxis& axis, int step) const override;
  Message sentence(const Run& run, const StepAxis& axis, int step) const override;
  Color phase_color(const Run& run, const Phase& phase) const override;
  Message phase_name(const Run& run, const Phase& phase) const override;
  std::vector<NumberRow> numbers(const Run& run) const override;
  std::vector<Message> things_to_try() const override;
};

// Where the pictures stand. In half a stage there is no room for the tower, nor for the tile beside the
// lanes.
struct StageRects {
  Rect in, out, banks, addresses, tower;
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

StageRects stage_rects(Rect r, float type, bool tile) {
  const float pad = 28, gap = 32, narrow = std::max(620.f, 460 * type);
  const Rect area{r.x + pad, r.y + 22, r.w - 2 * pad, r.h - 36};
  if (area.w < narrow) return narrow_rects(area, type);
  const float tower_w = std::clamp(area.w * 0.28f, 210.f, 300.f * type);
  const float left_w = area.w - tower_w - gap * 1.2f, half = (left_w - gap) / 2;
  const float top_h = std::min(half + 82 * type, area.h * 0.56f);
  const float low_y = area.y + top_h + 26, low_h = area.bottom() - low_y;
  const Rect low_left{area.x, low_y, half, low_h}, low_right{area.x + half + gap, low_y, half, low_h};
  return {{area.x, area.y, half, top_h},
          {area.x + half + gap, area.y, half, top_h},
          tile ? low_left : Rect{},
          tile ? low_right : Rect{area.x, low_y, left_w, low_h},
          {area.right() - tower_w, area.y, tower_w, area.h}};
}

void TransposeLab::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const Launch& launch = in.run.launches.at(0);
  const ViewInfo *input = launch.view(0), *output = launch.view(1), *tile = shared_view(in.run);
  if (!input || !output) return;
  const StageRects at = stage_rects(in.area, in.theme.type, tile != nullptr);
  if (at.in.w > 0) {
    const MatrixHit from = draw_matrix(canvas, in.theme, at.in, matrix_picture(in, *input, true));
    tell(canvas, in, *input, from.hovered, from.clicked, events);
    const MatrixHit to = draw_matrix(canvas, in.theme, at.out, matrix_picture(in, *output, false));
    tell(canvas, in, *output, to.hovered, to.clicked, events);
  }
  if (at.banks.w > 0)
    tell_word(canvas, in, *tile, draw_banks(canvas, in.theme, at.banks, bank_picture(in, *tile)), events);
  const AddressPicture addresses = address_picture(in);
  if (const auto lane = draw_addresses(canvas, in.theme, at.addresses, addresses);
      lane && (addresses.lanes >> *lane & 1))
    canvas.tooltip(tr("lane {0}: bytes {1} to {2}",
                      {n(*lane), grouped(addresses.offset[std::size_t(*lane)]),
                       grouped(std::int64_t(addresses.offset[std::size_t(*lane)]) + addresses.width - 1)}));
  if (at.tower.w <= 0) return;
  const Traffic traffic = traffic_until(in.axis, in.step);
  draw_tower(canvas, in.theme, at.tower,
             tr("Bytes so far, block {0}", {block_text(launch, launch.trace.block)}),
             tower_levels(traffic, in.run, step_at(in.axis, in.step)),
             tower_links(traffic, step_at(in.axis, in.step)), in.motion);
}

Message TransposeLab::step_title(const Run& run, const StepAxis& axis, int index) const {
  const Step* step = step_at(axis, index);
  if (!step) return msg("no step");
  if (step->barrier) return msg("all warps wait at the barrier");
  const std::string warp = n(step->instruction.warp), view = view_name(run, *step);
  return reads(step->instruction.kind) ? msg("warp {0} reads {1}", {warp, view})
                                       : msg("warp {0} writes {1}", {warp, view});
}

// Whole sentences per direction, so that every language can order its words.
Message shared_sentence(const Step& step, const std::vector<std::string>& args) {
  const WarpInstruction& i = step.instruction;
  const bool load = reads(i.kind);
  if (step.wavefronts > fewest_wavefronts(i.lanes, i.width, !load))
    return load ? msg("Line {0}: {2} lanes of warp {1} read {3}, {4} bytes each; up to {5} different words "
                      "stand in one bank, so it takes {5} wavefronts.",
                      args)
                : msg("Line {0}: {2} lanes of warp {1} write {3}, {4} bytes each; up to {5} different words "
                      "stand in one bank, so it takes {5} wavefronts.",
                      args);
  return load
             ? msg("Line {0}: {2} lanes of warp {1} read {3}, {4} bytes each; wavefronts: {5}, no conflict.",
                   args)
             : msg("Line {0}: {2} lanes of warp {1} write {3}, {4} bytes each; wavefronts: {5}, no conflict.",
                   args);
}

Message global_sentence(const Step& step, const std::vector<std::string>& args) {
  return reads(step.instruction.kind) ? msg("Line {0}: {2} lanes of warp {1} read {3}, {4} bytes each; "
                                            "sectors touched: {5}, so {7} bytes move for {6} bytes of use.",
                                            args)
                                      : msg("Line {0}: {2} lanes of warp {1} write {3}, {4} bytes each; "
                                            "sectors touched: {5}, so {7} bytes move for {6} bytes of use.",
                                            args);
}

Message TransposeLab::sentence(const Run& run, const StepAxis& axis, int index) const {
  const Step* step = step_at(axis, index);
  if (!step) return msg("This run has no steps.");
  const WarpInstruction& i = step->instruction;
  if (step->barrier)
    return msg(
        "Line {0}: no warp goes on before all warps of the block have arrived; what they wrote into shared "
        "memory can now be read.",
        {n(i.line)});
  const bool shared = i.view >= kFirstSharedView;
  const std::vector<std::string> args{n(i.line),
                                      n(i.warp),
                                      n(std::popcount(i.lanes)),
                                      view_name(run, *step),
                                      n(i.width),
                                      n(shared ? step->wavefronts : step->sectors),
                                      n(std::int64_t(std::popcount(i.lanes)) * i.width),
                                      n(step->sectors * 32)};
  return shared ? shared_sentence(*step, args) : global_sentence(*step, args);
}

Color TransposeLab::phase_color(const Run&, const Phase& phase) const {
  if (phase.barrier) return color::barrier;
  return phase.view >= kFirstSharedView ? color::shared : color::hbm;
}

Message TransposeLab::phase_name(const Run& run, const Phase& phase) const {
  if (phase.barrier) return msg("barrier, line {0}", {n(phase.line)});
  const ViewInfo* view = run.launches.at(0).view(phase.view);
  const std::string name = view ? view->name : "?";
  return reads(phase.kind) ? msg("read {0}, line {1}", {name, n(phase.line)})
                           : msg("write {0}, line {1}", {name, n(phase.line)});
}

std::vector<NumberRow> TransposeLab::numbers(const Run& run) const {
  std::vector<NumberRow> rows;
  const auto count = [&](Message label, std::int64_t value, const char* path) {
    rows.push_back({std::move(label), grouped(value), path});
  };
  if (run.counts) {
    count(msg("sectors, load"), run.counts->global_load_sectors, "counts.global_load_sectors");
    count(msg("sectors, store"), run.counts->global_store_sectors, "counts.global_store_sectors");
    count(msg("wavefronts, load"), run.counts->shared_load_wavefronts, "counts.shared_load_wavefronts");
    count(msg("wavefronts, store"), run.counts->shared_store_wavefronts, "counts.shared_store_wavefronts");
    count(msg("conflicts"), run.counts->shared_load_conflicts + run.counts->shared_store_conflicts,
          "counts.shared_load_conflicts");
  }
  if (const auto hbm = whole_metric(run, "models.hbm_load_bytes"))
    rows.push_back({msg("bytes from HBM"), bytes_text(double(*hbm)), "metrics.models.hbm_load_bytes"});
  add_time_rows(run, Work::bytes, true, rows);
  return rows;
}

std::vector<Message> TransposeLab::things_to_try() const {
  return {msg("Go from tiled to padded. Which number falls, and by how much?"),
          msg("Set n to 100: which lanes are idle at the edge?"),
          msg("Predict first: how many sectors does one naive write touch?"),
          msg("Why does swizzled need 128 bytes less than padded?")};
}

}  // namespace

const Lab& transpose_lab() {
  static const TransposeLab lab;
  return lab;
}

}  // namespace lockstep
