// The chip from above: its SMs with the blocks that they run at this moment, L2, memory; and the card.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

// Boxes of SMs that were seen to share a GPC; the last one has those that were in no cluster.
struct Boxes {
  std::vector<std::vector<int>> of_gpcs;
  std::vector<int> rest;
  std::size_t count() const { return of_gpcs.size() + !rest.empty(); }
};

Boxes boxes_of(const ArchitectureScene& scene) {
  Boxes boxes;
  std::vector<bool> known(std::size_t(scene.at.gpu.multiprocessors));
  for (const auto& group : scene.groups.groups) {
    std::vector<int> box;
    for (const int sm : group)
      if (sm < scene.at.gpu.multiprocessors) box.push_back(sm), known[std::size_t(sm)] = true;
    if (!box.empty()) boxes.of_gpcs.push_back(std::move(box));
  }
  for (int sm = 0; sm < scene.at.gpu.multiprocessors; ++sm)
    if (!known[std::size_t(sm)]) boxes.rest.push_back(sm);
  return boxes;
}

// So many cells of about this shape in a rectangle.
struct Cells {
  int columns = 1, rows = 1;
};
Cells cells_in(int count, float w, float h, float shape) {
  Cells best;
  float largest = -1;
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    const float cell = std::min(w / float(columns), h / float(rows) * shape);
    if (cell > largest) largest = cell, best = {columns, rows};
  }
  return best;
}

struct SmState {
  std::vector<int> blocks;  // that run there
};

std::vector<SmState> states_at(const ArchitectureScene& scene, std::int64_t ns) {
  std::vector<SmState> sms(std::size_t(scene.at.gpu.multiprocessors));
  if (!scene.shown()) return sms;
  const auto& blocks = scene.shown()->placement.blocks;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].at(ns)) sms[std::size_t(blocks[b].sm)].blocks.push_back(int(b));
  return sms;
}

int places_of(const ArchitectureScene& scene) {
  return scene.shown() ? std::max(1, int(scene.shown()->figures.most_on_one_sm)) : 1;
}

// A stripe per place: of the colour of its block's wave, or empty.
void draw_places(Canvas& canvas, const Theme& theme, Rect cell, const ArchitectureScene& scene,
                 const SmState& sm, bool numbers) {
  const int places = places_of(scene);
  canvas.fill_rect(cell, theme.soft, 2);
  for (const int block : sm.blocks) {
    const Seat& seat = scene.shown()->seats[std::size_t(block)];
    const float w = cell.w / float(places);
    const Rect stripe{cell.x + w * float(seat.place), cell.y, places > 1 ? w - 1 : w, cell.h};
    const Color fill = wave_color(theme, seat.wave);
    canvas.fill_rect(stripe, fill, 2);
    const TextStyle style{Font::mono, 10 * theme.type, Theme::on(fill), Align::center};
    const std::string text = number_text(block);
    if (numbers && stripe.h >= 13 * theme.type && canvas.measure(text, style) <= stripe.w - 3)
      canvas.text(stripe.center(), text, style);
  }
}

std::string hint_of(int sm, const SmState& state) {
  std::string text = "SM " + number_text(sm);
  if (state.blocks.empty()) return text + "\n" + tr("no block at this moment");
  std::string blocks;
  for (std::size_t i = 0; i < std::min<std::size_t>(state.blocks.size(), 8); ++i)
    blocks += (i ? ", " : "") + number_text(state.blocks[i]);
  return text + "\n" + tr("blocks {0}", {blocks + (state.blocks.size() > 8 ? " …" : "")});
}

void draw_box(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
              const std::vector<int>& sms, const std::vector<SmState>& states, StageEvents& events) {
  const Cells cells = cells_in(int(sms.size()), r.w, r.h, 0.6f);
  const float w = r.w / float(cells.columns), h = r.h / float(cells.rows);
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const int sm = sms[i], column = int(i) % cells.columns, row = int(i) / cells.columns;
    const Rect cell{r.x + float(column) * w + 1.5f, r.y + float(row) * h + 1.5f, w - 3, h - 3};
    draw_places(canvas, in.theme, cell, scene, states[std::size_t(sm)], true);
    const Hit hit = canvas.hit("stage/sm/" + std::to_string(sm), {cell.x - 1.5f, cell.y - 1.5f, w, h});
    if (hit.hovered) {
      canvas.stroke_rect(cell, in.theme.ink, 1.5f, 2);
      canvas.tooltip(hint_of(sm, states[std::size_t(sm)]));
    }
    if (hit.clicked) events.settings = going_to(Part::sm, sm);
  }
}

// What stands above the SMs: who is beside whom, and whose word that is.
float draw_head(Canvas& canvas, const Theme& theme, Rect r, const ArchitectureScene& scene,
                const Boxes& boxes) {
  const float type = theme.type, y = r.y + 9 * type;
  const TextStyle strong{Font::words_semibold, 13.5f * type, theme.ink};
  const std::string words = scene.groups.groups.empty() ? "" : scene.groups.provenance;
  const float badge = words.empty() ? 0 : badge_width(canvas, theme, words) + 10;
  const std::string sms = grouped(scene.at.gpu.multiprocessors),
                    rest = grouped(std::int64_t(boxes.rest.size()));
  const std::string title =
      boxes.of_gpcs.empty() ? tr("{0} SMs in the order of their numbers", {sms})
      : boxes.rest.empty()  ? tr("{0} SMs; a frame: seen in one cluster, so in one of {1} GPCs",
                                 {sms, grouped(scene.at.gpu.gpcs)})
                           : tr("{0} SMs; a frame: seen in one cluster; {1} were in no cluster", {sms, rest});
  canvas.text_brief({r.x, y}, title, strong, r.w - badge);
  if (!words.empty()) draw_badge(canvas, theme, {r.right(), y}, words);
  return 22 * type;
}

// L2 and memory, as wide as the chip.
void draw_memories(Canvas& canvas, const Theme& theme, Rect r, const ArchitectureScene& scene) {
  const Gpu& gpu = scene.at.gpu;
  const float h = (r.h - 5) / 2;
  const auto bar = [&](Rect at, Color fill, const std::string& text) {
    canvas.fill_rect(at, fill, 3);
    canvas.text_fit({at.x + 10, at.center().y}, text, {Font::words, 12 * theme.type, Theme::on(fill)},
                    at.w - 20);
  };
  bar({r.x, r.y, r.w, h}, color::l2, tr("L2: {0}, shared by all SMs", {bytes_text(double(gpu.l2_bytes))}));
  bar({r.x, r.y + h + 5, r.w, h}, color::hbm,
      tr("{0}: {1}, {2}",
         {gpu.memory_kind, bytes_text(double(gpu.memory_bytes)), rate_text(gpu.memory_bandwidth)}));
  draw_lit(canvas, scene, Station::l2, {r.x, r.y, r.w, h});
  draw_lit(canvas, scene, Station::memory, {r.x, r.y + h + 5, r.w, h});
}

}  // namespace

void draw_chip(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
               StageEvents& events) {
  const float type = in.theme.type, memories = std::min(r.h * 0.22f, 54 * type);
  const auto boxes = boxes_of(scene);
  const float head = draw_head(canvas, in.theme, r, scene, boxes);
  const Rect area{r.x, r.y + head, r.w, r.h - head - memories - 8};
  const auto states = states_at(scene, scene.ns_at(in.view.step));
  if (boxes.of_gpcs.empty()) {
    draw_box(canvas, in, scene, area, boxes.rest, states, events);
  } else {
    const Cells cells = cells_in(int(boxes.count()), area.w, area.h, 0.75f);
    const float w = area.w / float(cells.columns), h = area.h / float(cells.rows);
    for (std::size_t i = 0; i < boxes.count(); ++i) {
      const Rect box{area.x + float(int(i) % cells.columns) * w + 2,
                     area.y + float(int(i) / cells.columns) * h + 2, w - 4, h - 4};
      const bool framed = i < boxes.of_gpcs.size();
      if (framed) canvas.stroke_rect(box, in.theme.dim, 1, 4);
      draw_box(canvas, in, scene, box.inset(4), framed ? boxes.of_gpcs[i] : boxes.rest, states, events);
    }
  }
  draw_memories(canvas, in.theme, {r.x, r.bottom() - memories, r.w, memories}, scene);
}

void ArchitectureScene::card(Canvas& canvas, const StageInput& in) const {
  const Rect r = in.area;
  const auto states = states_at(*this, ns_at(in.view.step));
  const float band = r.h * 0.13f, h = r.h - 2 * (band + 4);
  const Cells cells = cells_in(at.gpu.multiprocessors, r.w, h, 0.6f);
  const float w = r.w / float(cells.columns), row_h = h / float(cells.rows);
  for (int sm = 0; sm < at.gpu.multiprocessors; ++sm)
    draw_places(
        canvas, in.theme,
        {r.x + float(sm % cells.columns) * w, r.y + float(sm / cells.columns) * row_h, w - 2, row_h - 2},
        *this, states[std::size_t(sm)], false);
  canvas.fill_rect({r.x, r.y + h + 3, r.w - 2, band}, color::l2, 2);
  canvas.fill_rect({r.x, r.bottom() - band, r.w - 2, band}, color::hbm, 2);
}

}  // namespace lockstep
