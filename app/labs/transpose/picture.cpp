// The transpose's stage: both matrices, the tile by banks, the warp's addresses, the river.
#include <algorithm>
#include <array>
#include <bit>

#include "app/draw/address_map.hpp"
#include "app/draw/bank_map.hpp"
#include "app/draw/flights.hpp"
#include "app/draw/language.hpp"
#include "app/draw/matrix.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_river.hpp"
#include "app/labs/turns.hpp"
#include "scene.hpp"
#include "travel.hpp"

namespace lockstep {
namespace {

CellState cell_state(const ElementState& e, bool input) {
  if (e.now != ElementState::Now::no)
    return e.now == ElementState::Now::reads ? CellState::reads_now : CellState::writes_now;
  return (input ? e.reads : e.writes) ? CellState::done : CellState::untouched;
}

// Of an access under way, what of its lanes' words is where they are bound for.
struct Arrivals {
  const Step* step = nullptr;  // the access
  Turns turns;
  float motion = 1;
  bool arrived(int lane) const {
    return flight_progress(turns.of_lane[std::size_t(lane)], turns.count, motion) >= 1;
  }
};

Arrivals arrivals_of(const Step* step, float motion) {
  if (!step || step->barrier) return {};
  return {step, turns_of(*step), motion};
}

// Calls f(word, lane) for the 4-byte words of the lanes of `i`; the lanes of `now` say what has arrived.
template <class F>
void for_words(const WarpInstruction& i, F&& f) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!(i.lanes >> lane & 1)) continue;
    const LaneWords words = words_of_lane(i, lane);
    for (int w = 0; w < words.count; ++w) f(words.first + std::uint64_t(w), lane);
  }
}

// What is on its way into `view` in this step. A load: the words that have arrived in registers and will be
// put down there. A store: those that have not arrived yet still are in registers.
template <class StateOfWord>
void mark_travelling(const Arrivals& now, const Step* target, std::uint16_t view, StateOfWord&& state_of) {
  if (!now.step || !target || target->instruction.view != view) return;
  const bool load = reads(now.step->instruction.kind);
  for_words(target->instruction, [&](std::uint64_t word, int lane) {
    if (now.arrived(lane) != load) return;
    if (CellState* state = state_of(word)) *state = CellState::held;
  });
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
  p.subtitle = tr("rows {0}–{1} of {2}",
                  {number_text(region.row), number_text(region.row + region.rows - 1), number_text(p.rows)});
  if (at.pinned && at.pinned->first == view.id) p.pinned = at.pinned->second;
  p.next = scene.next_parts(view);
  return p;
}

CellState* cell_of_word(MatrixPicture& p, std::uint64_t word) {
  const std::int64_t row = std::int64_t(word) / p.cols - p.first_row,
                     col = std::int64_t(word) % p.cols - p.first_col;
  if (row < 0 || col < 0 || row >= p.shown_rows || col >= p.shown_cols) return nullptr;
  return &p.cells[std::size_t(row * p.shown_cols + col)];
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
  p.title = tr("shared {0}", {tile.name + "[" + number_text(std::int64_t(tile.shape.at(0))) + "][" +
                              number_text(std::int64_t(tile.shape.at(1))) + "]"});
  const std::int64_t unused = std::count(p.words.begin(), p.words.end(), CellState::padding);
  p.subtitle = unused ? tr("{0} bytes hold nothing", {grouped(unused * 4)}) : tr("a column is one bank");
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

std::string wavefronts_text(const Step& step, const Arrivals& now) {
  const WarpInstruction& i = step.instruction;
  const int lanes = std::popcount(i.lanes),
            wanted = std::min(step.wavefronts, fewest_wavefronts(i.lanes, i.width, !reads(i.kind)));
  const int arrived = turns_arrived(now.turns.count, now.motion);
  if (now.motion < 1 && step.wavefronts > 1)
    return tr("{0} lanes take turns: wavefront {1} of {2} done",
              {number_text(lanes), number_text(arrived), number_text(step.wavefronts)});
  return tr("wavefronts: {0} = {1} wanted + {2} by conflicts",
            {number_text(step.wavefronts), number_text(wanted), number_text(step.wavefronts - wanted)});
}

// What a store touches is not what it moves: the L2 puts neighbours' words together.
std::string sectors_text(const Step& step) {
  const WarpInstruction& i = step.instruction;
  const std::int64_t asked = std::int64_t(std::popcount(i.lanes)) * i.width;
  if (reads(i.kind))
    return tr("sectors: {0} = {1} bytes moved for {2} that are needed",
              {number_text(step.sectors), grouped(step.sectors * 32), grouped(asked)});
  return tr("sectors touched: {0}; bytes written: {1}", {number_text(step.sectors), grouped(asked)});
}

AddressPicture address_picture(const Step* step, const Arrivals& now) {
  AddressPicture p;
  p.id = "stage/addresses";
  if (!step || step->barrier) {
    p.title = tr("The warp's 32 addresses");
    p.subtitle = tr("a barrier moves no data");
    return p;
  }
  const WarpInstruction& i = step->instruction;
  p.lanes = i.lanes, p.offset = i.offset, p.width = i.width, p.shared = i.view >= kFirstSharedView;
  p.turn = now.turns.of_lane, p.turns = now.turns.count, p.motion = now.motion, p.loads = reads(i.kind);
  if (p.shared) {
    p.wanted = std::max(1, i.width / 4);
    p.title = tr("Lanes of warp {0} → banks", {number_text(i.warp)});
    p.subtitle = wavefronts_text(*step, now);
  } else {
    p.title = tr("Lanes of warp {0} → sectors of 32 bytes", {number_text(i.warp)});
    p.subtitle = sectors_text(*step);
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
  if (step && !step->barrier)
    use.registers_note = tr("{0} per lane", {number_text(std::max(1, step->instruction.width / 4))});
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

// Where the pictures stand: the matrices with the tile between them, or, in a rung without one, the warp's
// registers; the lanes; the river. In half a stage there is no room for what is between, nor for the river
// where it is low.
struct StageRects {
  Rect in, out, banks, registers, addresses, river;
};

StageRects narrow_rects(Rect area, float type) {
  const float gap = 20, half = (area.w - gap) / 2;
  const float lanes_h = 130 * type, matrix_h = 110 * type;  // below that there is nothing to be seen of them
  StageRects at;
  at.addresses = area;  // the lanes say most
  if (area.h < matrix_h + 18 + lanes_h) return at;
  const float most = std::min(area.h * 0.52f, area.h - 18 - lanes_h);
  const float top_h = std::min(half + kCellsBelow * type, most), low_y = area.y + top_h + 18;
  at.in = {area.x, area.y, half, top_h}, at.out = {area.x + half + gap, area.y, half, top_h};
  at.addresses = {area.x, low_y, area.w, area.bottom() - low_y};
  return at;
}

constexpr float kPad = 28;

// For a room of people: the matrices with the tile between them, and beside them what the step takes; beside
// another run the latter alone.
StageRects presentation_rects(Rect r, float type, bool tile) {
  const float gap = (tile ? 14 : 34) * type;
  const Rect area{r.x + kPad, r.y + 12, r.w - 2 * kPad, r.h - 20};
  StageRects at;
  at.addresses = area;
  if (area.w < 460 * type) return at;
  const int pictures = tile ? 3 : 2;
  const float lanes = area.w * (tile ? 0.19f : 0.33f);
  const float each = std::min((area.w - lanes) / float(pictures) - gap, area.h * 0.95f);
  const auto column = [&](int i) { return Rect{area.x + float(i) * (each + gap), area.y, each, area.h}; };
  const float x = column(pictures).x;
  at.in = column(0), at.out = column(tile ? 2 : 1);
  if (tile) at.banks = column(1);
  at.addresses = {x, area.y, area.right() - x, area.h};
  return at;
}

// Three columns of one width, as high as their cells are square, as far as the rest leaves room.
StageRects stage_rects(Rect r, float type, bool tile, bool river_fits) {
  const float gap = 22 * type, lanes_h = 108 * type, river_h = kRiverHeight * type;
  const Rect area{r.x + kPad, r.y + 14, r.w - 2 * kPad, r.h - 24};
  if (area.w < 460 * type || area.h < 340 * type) return narrow_rects(area, type);
  const float each = (area.w - 2 * gap) / 3, square = each + (kCellsBelow - 20) * type;
  const bool river = river_fits && area.h - lanes_h - river_h - 2 * gap >= 170 * type;
  const float below = (river ? river_h + gap : 0) + lanes_h + gap;
  const float top_h = std::min(square, area.h - below);
  const auto column = [&](int i) { return Rect{area.x + float(i) * (each + gap), area.y, each, top_h}; };
  const float low_y = area.y + top_h + gap;
  // What is left over goes to the lanes, within limits.
  const float lanes = std::min(area.h - top_h - below + lanes_h, 220 * type);
  StageRects at;
  at.in = column(0), at.out = column(2);
  (tile ? at.banks : at.registers) = column(1);
  at.addresses = {area.x, low_y, area.w, lanes};
  if (river) at.river = {area.x, at.addresses.bottom() + gap, area.w, river_h};
  return at;
}

// --- the registers of the step's warp

// As high as the matrices' cells beside it.
Rect lanes_area(const Theme& theme, Rect r, int lanes) {
  const float top = kCellsBelow * theme.type, h = std::min(r.h - top, r.w - 22 * theme.type) / float(lanes);
  const float w = std::min(64 * theme.type, r.w * 0.4f);
  return {r.center().x - w / 2, r.y + top, w, h * float(lanes)};
}

void draw_registers(Canvas& canvas, const Theme& theme, Rect r, const Arrivals& now) {
  const float type = theme.type;
  const WarpInstruction* i = now.step ? &now.step->instruction : nullptr;
  const TextStyle title{Font::words_semibold, 13.5f * type, theme.ink, Align::center},
      dim{Font::words, 11.5f * type, theme.dim, Align::center};
  canvas.text_fit({r.center().x, r.y + 10 * type},
                  i ? tr("registers of warp {0}", {number_text(i->warp)}) : tr("registers"), title, r.w);
  canvas.text_fit({r.center().x, r.y + 28 * type}, tr("one word per lane"), dim, r.w);
  const Rect lanes = lanes_area(theme, r, kWarpSize);
  const float h = lanes.h / kWarpSize;
  const bool load = i && reads(i->kind);
  TextStyle number{Font::mono, 9.5f * type, theme.dim, Align::right};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Rect cell{lanes.x, lanes.y + float(lane) * h, lanes.w, std::max(1.f, h - 1)};
    const bool holds = i && i->lanes >> lane & 1 && (!load || now.arrived(lane));
    canvas.fill_rect(cell, holds ? color::registers : theme.soft, 1);
    if (lane % 4 == 0)
      canvas.text_fit({lanes.x - 5, cell.center().y}, lane ? number_text(lane) : tr("lane {0}", {"0"}),
                      number, lanes.x - r.x);
  }
}

// --- what flies from where to where

std::optional<Vec2> place_of(const Theme& theme, Rect r, const MatrixPicture& p, std::uint64_t word) {
  const auto cell = cell_rect(theme, r, p, std::int64_t(word) / p.cols, std::int64_t(word) % p.cols);
  return cell ? std::optional(cell->center()) : std::nullopt;
}

// The pictures of one step, and where they stand.
struct Drawn {
  MatrixPicture in, out;
  std::optional<BankPicture> banks;
};

std::optional<Vec2> place_in(const Theme& theme, const StageRects& at, const Drawn& drawn, std::uint16_t view,
                             std::uint64_t word) {
  if (view == 0) return place_of(theme, at.in, drawn.in, word);
  if (view == 1) return place_of(theme, at.out, drawn.out, word);
  if (!drawn.banks || at.banks.w <= 0) return {};
  const auto cell = word_rect(theme, at.banks, *drawn.banks, word);
  return cell ? std::optional(cell->center()) : std::nullopt;
}

// A load's words fly to where they are bound for, or to the registers where those are drawn; a store's come
// from there.
Flights flights_of(const Theme& theme, const StageRects& at, const Drawn& drawn, const Arrivals& now,
                   const Step* target) {
  Flights flights;
  flights.color = color::registers, flights.turns = now.turns.count;
  flights.top = at.in.y + kCellsBelow * theme.type;
  if (!now.step || at.in.w <= 0) return flights;
  const WarpInstruction& i = now.step->instruction;
  const Rect lanes = lanes_area(theme, at.registers, kWarpSize);
  const bool registers = at.registers.w > 0, load = reads(i.kind);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (!(i.lanes >> lane & 1)) continue;
    const auto here = place_in(theme, at, drawn, i.view, words_of_lane(i, lane).first);
    std::optional<Vec2> there;
    if (registers)
      there = Vec2{load ? lanes.x : lanes.right(), lanes.y + (float(lane) + 0.5f) * lanes.h / kWarpSize};
    else if (load && target)
      there = place_in(theme, at, drawn, target->instruction.view,
                       words_of_lane(target->instruction, lane).first);
    if (!here || !there) continue;
    const int turn = now.turns.of_lane[std::size_t(lane)];
    flights.all.push_back(load ? Flight{*here, *there, turn} : Flight{*there, *here, turn});
  }
  return flights;
}

// What orange cells say, below the name of what they stand in.
void note_held(Drawn& drawn) {
  const auto holds = [](const std::vector<CellState>& cells) {
    return std::find(cells.begin(), cells.end(), CellState::held) != cells.end();
  };
  const std::string words = tr("orange: registers");
  if (holds(drawn.out.cells)) drawn.out.subtitle = words;
  if (drawn.banks && holds(drawn.banks->words)) drawn.banks->subtitle = words;
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
  const Arrivals now = arrivals_of(step, in.motion);
  const River river =
      river_of(progress.traffic_until(at_step), step, tile, block_text(launch, launch.trace.block));
  const StageRects at = in.presentation
                            ? presentation_rects(in.area, in.theme.type, tile != nullptr)
                            : stage_rects(in.area, in.theme.type, tile != nullptr,
                                          river_fits(canvas, in.theme, in.area.w - 2 * kPad, river));
  if (at.in.w > 0) {
    const Step* stored = now.step && reads(now.step->instruction.kind) ? store_of(steps, at_step) : now.step;
    const Step* target = at.registers.w > 0 && stored != now.step ? nullptr : stored;
    Drawn drawn{matrix_picture(*this, in.view, *input, true), matrix_picture(*this, in.view, *output, false),
                at.banks.w > 0 ? std::optional(bank_picture(*this, at_step, *tile)) : std::nullopt};
    mark_travelling(now, target, output->id, [&](std::uint64_t w) { return cell_of_word(drawn.out, w); });
    if (drawn.banks)
      mark_travelling(now, target, tile->id, [&](std::uint64_t w) {
        return w < drawn.banks->words.size() ? &drawn.banks->words[w] : nullptr;
      });
    note_held(drawn);
    const auto draw = [&](Rect r, const MatrixPicture& picture, const ViewInfo& view) {
      const MatrixHit hit = draw_matrix(canvas, in.theme, r, picture);
      show_element_story(canvas, run(), steps, view, hit.hovered, hit.clicked, events,
                         hit.in_overview && !picture.next.empty()
                             ? tr("dark: this block's part; pale: those of the blocks that start next")
                             : "");
    };
    draw(at.in, drawn.in, *input);
    draw(at.out, drawn.out, *output);
    if (drawn.banks)
      show_word_story(canvas, *this, *tile, draw_banks(canvas, in.theme, at.banks, *drawn.banks), events);
    if (at.registers.w > 0) draw_registers(canvas, in.theme, at.registers, now);
    draw_flights(canvas, flights_of(in.theme, at, drawn, now, target), in.motion);
  }
  AddressPicture addresses = address_picture(step, now);
  if (in.presentation && step && !step->barrier) {  // in large type; the sentence says the rest
    addresses.title = addresses.shared ? tr("Lanes → banks") : tr("Lanes → sectors");
    addresses.subtitle.clear();
  }
  show_lane_bytes(canvas, in.theme, at.addresses, addresses);
  if (at.river.w > 0) draw_river(canvas, in.theme, at.river, river, in.motion);
}

}  // namespace lockstep
