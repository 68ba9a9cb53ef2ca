// The SM with its blocks, and the limits beside it.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "filled_sm.hpp"

namespace lockstep {

namespace {

bool limits(const FilledSm& s, SmResource resource) {
  return blocks_by(s.resident, resource) == s.resident.blocks;
}

// Neighbouring blocks differ in strength, so that they can be counted.
Color color_of_block(const Theme& theme, Color resource, int block) {
  return mix(theme.panel, resource, block % 2 ? 0.45f : 0.8f);
}

constexpr float kHead = 22, kGap = 12;

// The name of a resource, and how much of it is in use; where it refuses a block, why.
void draw_head(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& s, SmResource resource) {
  const ResourceUse use = use_of(s, resource);
  const bool refuses = s.refused && limits(s, resource);
  const float y = r.y + kHead * theme.type / 2 - 2, name_w = std::min(r.w * 0.45f, 130 * theme.type);
  canvas.text_fit({r.x, y}, name_of(resource), {Font::words, 12.5f * theme.type, theme.ink}, name_w);
  const bool bytes = resource == SmResource::shared;
  std::string text = bytes ? tr("{0} of {1}", {bytes_text(double(use.taken)), bytes_text(double(use.all))})
                           : tr("{0} of {1}", {grouped(use.taken), grouped(use.all)});
  TextStyle style{Font::mono, 11.5f * theme.type, theme.dim, Align::right};
  if (refuses)
    text = room_text(s, resource), style.color = theme.readable(color::trouble), style.font = Font::words;
  if (refuses && canvas.measure(text, style) > r.w - name_w - 8) text = tr("no room left");
  canvas.text_fit({r.right(), y}, text, style, r.w - name_w - 8);
}

// The block that holds piece `index`, where each block takes `per_block` of them; -1 = free.
int block_at(const FilledSm& s, int index, int per_block) {
  const int block = per_block > 0 ? index / per_block : 0;
  return block < s.placed ? block : -1;
}

void draw_cell(Canvas& canvas, const Theme& theme, Rect cell, const FilledSm& s, Color resource, int block) {
  const float radius = std::min(2.f, cell.w / 4);
  if (block < 0) {
    canvas.fill_rect(cell, theme.soft, radius);
    return;
  }
  canvas.fill_rect(cell, color_of_block(theme, resource, block), radius);
  if (block == s.placed - 1 && !s.refused) canvas.stroke_rect(cell, color::current, 1.5f, radius);
}

// Warp slots: a row per sub-core; a block's warps go to the sub-cores in turn.
void draw_warp_slots(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& s) {
  const int rows = s.gpu.warp_granularity, columns = s.gpu.max_warps_per_sm / rows;
  const float w = r.w / float(columns), h = r.h / float(rows);
  for (int slot = 0; slot < rows * columns; ++slot) {
    const Rect cell{r.x + float(slot / rows) * w + 1, r.y + float(slot % rows) * h + 1, w - 2, h - 2};
    const int block = block_at(s, slot, warps_of_block(s));
    draw_cell(canvas, theme, cell, s, color_of(SmResource::warps), block);
    if (block >= 0 && slot % warps_of_block(s) == 0 && w > 15 * theme.type && h > 14 * theme.type)
      canvas.text(cell.center(), std::to_string(block + 1),
                  {Font::mono, 10.5f * theme.type,
                   Theme::on(color_of_block(theme, color_of(SmResource::warps), block)), Align::center});
  }
}

// A bar per sub-core, a stretch of it per warp.
void draw_registers(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& s) {
  const int rows = s.gpu.warp_granularity;
  const float h = r.h / float(rows);
  const double of_sub_core = double(s.gpu.registers_per_sm) / rows;
  const float w = float(r.w * double(registers_of_warp(s)) / of_sub_core);
  for (int row = 0; row < rows; ++row) {
    const Rect bar{r.x, r.y + float(row) * h + 1, r.w, h - 2};
    canvas.fill_rect(bar, theme.soft, 2);
    for (int warp = row; warp < s.placed * warps_of_block(s); warp += rows) {
      const float x = r.x + float(warp / rows) * w;
      draw_cell(canvas, theme, {x, bar.y, std::max(1.f, w - 1), bar.h}, s, color::registers,
                block_at(s, warp, warps_of_block(s)));
    }
  }
}

// One bar; what is reserved of each block's stretch is paler.
void draw_shared(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& s) {
  canvas.fill_rect(r, theme.soft, 2);
  const float scale = r.w / float(s.gpu.shared_bytes_per_sm), w = scale * float(shared_bytes_of_block(s));
  const float reserved = scale * float(s.gpu.reserved_shared_bytes);
  for (int block = 0; block < s.placed && w > 0; ++block) {
    const Rect part{r.x + float(block) * w, r.y, std::max(1.f, w - 1), r.h};
    draw_cell(canvas, theme, part, s, color::shared, block);
    if (reserved >= 1) canvas.fill_rect({part.x, part.y, reserved, part.h}, theme.dim, 1);
    if (w > 22 * theme.type && r.h > 14 * theme.type)
      canvas.text(part.center(), std::to_string(block + 1),
                  {Font::mono, 10.5f * theme.type, Theme::on(color_of_block(theme, color::shared, block)),
                   Align::center});
  }
}

void draw_block_slots(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& s) {
  const float w = r.w / float(s.gpu.max_blocks_per_sm);
  for (int slot = 0; slot < s.gpu.max_blocks_per_sm; ++slot)
    draw_cell(canvas, theme, {r.x + float(slot) * w + 1, r.y, w - 2, r.h}, s, color_of(SmResource::warps),
              block_at(s, slot, 1));
}

// Rows of cells that each resource is drawn with.
int rows_of(SmResource resource) {
  return resource == SmResource::warps || resource == SmResource::registers ? 4 : 1;
}

std::string hint_of(const FilledSm& s, SmResource resource) {
  const std::string head = name_of(resource) + ": " + limit_text(s, resource);
  if (resource == SmResource::registers)
    return head + "\n" + tr("four sub-cores, each with registers of its own: a warp stays in one");
  if (resource == SmResource::shared && s.gpu.reserved_shared_bytes > 0)
    return head + "\n" +
           tr("dark: the {0} bytes that the system reserves per block",
              {grouped(s.gpu.reserved_shared_bytes)});
  return head;
}

}  // namespace

float sm_height(const Theme& theme) { return (28 + 4 * kHead + 3 * kGap + 10 * 13) * theme.type; }

void draw_sm(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& s, int columns) {
  canvas.landmark("SM", r);
  const float type = theme.type;
  const std::string share = percent_text(double(s.placed) * warps_of_block(s) / s.gpu.max_warps_per_sm);
  const TextStyle strong{Font::words_semibold, 13.5f * type, theme.ink};
  const std::string title = tr("One SM of the {0}", {s.gpu.word});
  const float title_w = std::min(canvas.measure(title, strong) + 2, r.w * 0.6f);
  canvas.text_fit({r.x, r.y + 10 * type}, title, strong, title_w);
  const TextStyle plain{Font::words, 12.5f * type, theme.ink, Align::right};
  const float room = r.w - title_w - 12;
  const std::string state = tr("blocks: {0}, occupancy {1}", {grouped(s.placed), share});
  canvas.text_fit({r.right(), r.y + 10 * type}, canvas.measure(state, plain) <= room ? state : share, plain,
                  room);
  const float per_column = float(std::size(kSmResources)) / float(columns), gap = 30 * type;
  const float unit = std::min(
      90 * type, (r.h - (28 + per_column * kHead + (per_column - 1) * kGap) * type) * float(columns) / 10);
  const float width = (r.w - gap * float(columns - 1)) / float(columns);
  float y = r.y + 28 * type;
  int placed = 0;
  for (SmResource resource : kSmResources) {
    if (placed == int(per_column)) r.x += width + gap, y = r.y + 28 * type, placed = 0;
    ++placed;
    draw_head(canvas, theme, {r.x, y, width, kHead * type}, s, resource);
    const Rect box{r.x, y + kHead * type, width, unit * float(rows_of(resource))};
    if (resource == SmResource::warps) draw_warp_slots(canvas, theme, box, s);
    if (resource == SmResource::blocks) draw_block_slots(canvas, theme, box, s);
    if (resource == SmResource::registers) draw_registers(canvas, theme, box, s);
    if (resource == SmResource::shared) draw_shared(canvas, theme, box, s);
    if (s.refused && limits(s, resource)) canvas.stroke_rect(box, color::trouble, 1.5f, 3);
    if (canvas.hit("stage/" + std::to_string(int(resource)), box).hovered)
      canvas.tooltip(hint_of(s, resource));
    y = box.bottom() + kGap * type;
  }
}

// --- the limits

constexpr float kLimitHead = 30, kLimitRow = 52;  // a name with its bar, two lines of reasons

float limits_height(const Theme& theme) { return (kLimitHead + 4 * kLimitRow - 6) * theme.type; }

namespace {

void draw_limit(Canvas& canvas, const Theme& theme, Rect row, const FilledSm& s, SmResource resource) {
  const float type = theme.type, middle = row.y + 10 * type;
  const float label_w = std::min(124 * type, row.w * 0.53f), figure_w = 40 * type;
  const int blocks = blocks_by(s.resident, resource);
  const bool binds = limits(s, resource);
  canvas.text_fit({row.x, middle}, name_of(resource),
                  {binds ? Font::words_semibold : Font::words, 12.5f * type, theme.ink}, label_w - 8);
  const Rect bar{row.x + label_w, middle - 5 * type, row.w - label_w - figure_w, 10 * type};
  canvas.fill_rect(bar, theme.soft, 3);
  const float share = std::min(1.f, float(blocks) / float(s.gpu.max_blocks_per_sm));
  if (blocks > 0)
    canvas.fill_rect({bar.x, bar.y, std::max(3.f, bar.w * share), bar.h},
                     binds ? color_of(resource) : mix(theme.panel, color_of(resource), 0.45f), 3);
  canvas.text_fit({row.right(), middle}, blocks == kNoLimit ? "∞" : grouped(blocks),
                  {binds ? Font::mono_semibold : Font::mono, 12.5f * type, theme.ink, Align::right},
                  figure_w - 6);
  if (row.h < (kLimitRow - 1) * type) return;  // no room for the reasons
  canvas.text_wrap({row.x, middle + 10 * type}, limit_text(s, resource),
                   {Font::words, 11.5f * type, binds ? theme.ink : theme.dim}, row.w, 15 * type);
}

}  // namespace

void draw_limits(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& s) {
  const float type = theme.type;
  const std::string title = s.loaded.empty() ? tr("How many blocks each resource allows")
                                             : tr("How many blocks of {0} each resource allows", {s.loaded});
  const TextStyle strong{Font::words_semibold, 13.5f * type, theme.ink};
  canvas.text_fit({r.x, r.y + 10 * type},
                  canvas.measure(title, strong) <= r.w ? title : tr("Blocks that fit"), strong, r.w);
  const float step = std::min(110 * type, (r.h - kLimitHead * type + 6 * type) / 4);
  float y = r.y + kLimitHead * type;
  for (SmResource resource : kSmResources) {
    draw_limit(canvas, theme, {r.x, y, r.w, step}, s, resource);
    y += step;
  }
}

}  // namespace lockstep
