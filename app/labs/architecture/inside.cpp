// Inside the chip: a GPC, a TPC, an SM with the blocks that it holds at this moment, one of its sub-cores.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "kernels/ladder.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

constexpr Color kUnit = Color::hex(0x8D959C);  // units that compute are no memory

// What a picture of the inside is drawn from.
struct Inside {
  Canvas& canvas;
  const Theme& theme;
  const ArchitectureScene& scene;
  std::vector<int> blocks;  // that the SM holds
  int warps_per_block = 1;

  int sub_cores() const { return std::max(1, scene.at.gpu.sub_cores); }
};

Inside inside_of(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene) {
  Inside inside{canvas, in.theme, scene, {}, 1};
  if (scene.at.sm >= 0) inside.blocks = scene.blocks_on(scene.at.sm, scene.ns_at(in.view.step));
  const auto threads = scene.run().request.params.find("threads");
  if (const auto* n =
          threads == scene.run().request.params.end() ? nullptr : std::get_if<std::int64_t>(&threads->second))
    inside.warps_per_block = std::max(1, int((*n + 31) / 32));
  return inside;
}

void draw_bar(const Inside& in, Rect r, Color fill, const std::string& text) {
  in.canvas.fill_rect(r, fill, 3);
  if (r.h >= 13 * in.theme.type)
    in.canvas.text_fit({r.x + 7, r.center().y}, text,
                       {Font::words, std::min(12.f, r.h * 0.7f) * in.theme.type, Theme::on(fill)}, r.w - 14);
}

// So many equal cells in one row or more.
void draw_units(const Inside& in, Rect r, int count, int columns, Color fill) {
  columns = std::max(1, std::min(columns, count));
  const int rows = (count + columns - 1) / columns;
  const float w = r.w / float(columns), h = r.h / float(std::max(1, rows));
  for (int i = 0; i < count; ++i)
    in.canvas.fill_rect({r.x + float(i % columns) * w, r.y + float(i / columns) * h, std::max(1.f, w - 1.5f),
                         std::max(1.f, h - 1.5f)},
                        fill, 1.5f);
}

// The sub-core's warp slots: warp w of the SM belongs to sub-core w % 4.
void draw_slots(const Inside& in, Rect r, int sub_core) {
  const int slots = in.scene.at.gpu.max_warps_per_sm / in.sub_cores();
  const float w = r.w / float(std::max(1, slots));
  for (int slot = 0; slot < slots; ++slot) {
    const std::size_t held = std::size_t(slot * in.sub_cores() + sub_core) / std::size_t(in.warps_per_block);
    const bool taken = held < in.blocks.size();
    const Color fill = taken
                           ? wave_color(in.theme, in.scene.shown()->seats[std::size_t(in.blocks[held])].wave)
                           : in.theme.soft;
    in.canvas.fill_rect({r.x + float(slot) * w, r.y, std::max(1.f, w - 1.5f), r.h}, fill, 2);
  }
}

struct Row {
  float share;
  int what;
};

// Top down: scheduler, warp slots, registers, the units.
void draw_sub_core(const Inside& in, Rect r, int sub_core) {
  const Gpu& g = in.scene.at.gpu;
  const int n = in.sub_cores();
  const float type = in.theme.type, gap = std::min(5.f, r.h * 0.03f), label = 14 * type;
  in.canvas.stroke_rect(r, in.theme.line, 1.5f, 5);
  Rect p = r.inset(std::min(8.f, r.h * 0.05f));
  const bool labels = p.h >= 150 * type && p.w >= 150 * type;
  const float rest = p.h - 5 * gap - (labels ? 3 * label : 0);
  const auto next = [&](float share) {
    const Rect row{p.x, p.y, p.w, rest * share};
    p.y += row.h + gap;
    return row;
  };
  const auto heading = [&](const std::string& text) {
    if (!labels) return;
    in.canvas.text_fit({p.x, p.y + label / 2 - 1}, text, {Font::words, 11 * type, in.theme.dim}, p.w);
    p.y += label;
  };
  draw_bar(in, next(0.14f), in.theme.soft, "");
  const Rect scheduler{p.x, p.y - gap - rest * 0.14f, p.w, rest * 0.14f};
  in.canvas.text_fit({scheduler.x + 7, scheduler.center().y}, tr("warp scheduler"),
                     {Font::words, 11.5f * type, in.theme.ink}, scheduler.w - 14);
  heading(tr("{0} warp slots", {grouped(g.max_warps_per_sm / n)}));
  draw_slots(in, next(0.14f), sub_core);
  const Rect registers = next(0.16f);
  draw_bar(in, registers, color::registers, tr("{0} registers", {grouped(g.registers_per_sm / n)}));
  draw_lit(in.canvas, in.scene, Station::registers, registers);
  heading(tr("{0} FP32 lanes", {grouped(g.fp32_lanes_per_sm / n)}));
  draw_units(in, next(0.2f), g.fp32_lanes_per_sm / n, 16, kUnit);
  heading(tr("tensor cores: {0}; lanes for sin, exp, 1/x: {1}",
             {grouped(g.tensor_cores_per_sm / n), grouped(g.special_units_per_sm / n)}));
  const Rect low = next(0.36f);
  const Rect tensor{low.x, low.y, low.w * 0.74f, low.h};
  draw_units(in, tensor, g.tensor_cores_per_sm / n, 2, color::tensor);
  draw_lit(in.canvas, in.scene, Station::units, tensor);
  draw_units(in, {low.x + low.w * 0.76f, low.y, low.w * 0.24f, low.h}, g.special_units_per_sm / n, 1,
             mix(in.theme.panel, kUnit, 0.55f));
}

// Shared memory that the resident blocks have, beside what is left for L1.
void draw_array(const Inside& in, Rect r) {
  const Gpu& g = in.scene.at.gpu;
  draw_bar(in, r, color::l1, "");
  const auto bytes = in.scene.run().request.params.find("shared_bytes");
  const auto* each =
      bytes == in.scene.run().request.params.end() ? nullptr : std::get_if<std::int64_t>(&bytes->second);
  const double taken = each ? double(*each + g.reserved_shared_bytes) * double(in.blocks.size()) : 0;
  const float w = float(std::min(1.0, taken / double(g.l1_shared_bytes))) * r.w;
  if (w > 1) in.canvas.fill_rect({r.x, r.y, w, r.h}, color::shared, 3);
  in.canvas.text_fit({r.x + 8 + (w > r.w * 0.3f ? 0 : w), r.center().y},
                     tr("L1 and shared memory: {0}", {bytes_text(double(g.l1_shared_bytes))}),
                     {Font::words, 12 * in.theme.type, Theme::on(w > r.w * 0.3f ? color::shared : color::l1)},
                     r.w - 16 - (w > r.w * 0.3f ? 0 : w));
  draw_lit(in.canvas, in.scene, Station::array, r);
}

void draw_sm(const Inside& in, Rect r, StageEvents& events) {
  const float gap = 8, array = std::clamp(r.h * 0.11f, 18 * in.theme.type, 34 * in.theme.type);
  const int columns = 2, rows = (in.sub_cores() + 1) / 2;
  const float w = (r.w - gap) / columns, h = (r.h - array - gap * float(rows)) / float(rows);
  for (int s = 0; s < in.sub_cores(); ++s) {
    const Rect part{r.x + float(s % columns) * (w + gap), r.y + float(s / columns) * (h + gap), w, h};
    draw_sub_core(in, part, s);
    const Hit hit = in.canvas.hit("stage/sub_core/" + std::to_string(s), part);
    if (hit.hovered) in.canvas.stroke_rect(part, in.theme.ink, 1.5f, 5);
    if (hit.clicked) events.settings = going_to(Part::sub_core, in.scene.at.sm);
  }
  draw_array(in, {r.x, r.bottom() - array, r.w, array});
}

// A box with a name, which can be entered.
void draw_child(const Inside& in, Rect r, const std::string& id, const std::string& name, Params target,
                StageEvents& events) {
  in.canvas.fill_rect(r, in.theme.soft, 4);
  in.canvas.stroke_rect(r, in.theme.line, 1.5f, 4);
  in.canvas.text_fit({r.center().x, r.y + 11 * in.theme.type}, name,
                     {Font::words, 11.5f * in.theme.type, in.theme.ink, Align::center}, r.w - 8);
  const Hit hit = in.canvas.hit(id, r);
  if (hit.hovered) in.canvas.stroke_rect(r, in.theme.ink, 1.5f, 4);
  if (hit.clicked) events.settings = std::move(target);
}

const std::vector<int>* group_with(const ArchitectureScene& scene, int sm) {
  for (const auto& group : scene.groups.groups)
    if (std::find(group.begin(), group.end(), sm) != group.end()) return &group;
  return nullptr;
}

// A line above the picture: what is known of whose neighbour is who.
float draw_note(const Inside& in, Rect r, const std::string& text, const std::string& provenance) {
  const float type = in.theme.type;
  const float badge = provenance.empty() ? 0 : badge_width(in.canvas, in.theme, provenance) + 10;
  const float used = in.canvas.text_wrap({r.x, r.y + 2}, text, {Font::words, 12.5f * type, in.theme.ink},
                                         r.w - badge, 17 * type);
  if (!provenance.empty()) draw_badge(in.canvas, in.theme, {r.right(), r.y + 9 * type}, provenance);
  return used + 10 * type;
}

void draw_sms_of_gpc(const Inside& in, Rect r, const std::vector<int>& sms, StageEvents& events) {
  const int columns = std::max(1, std::min(6, int(sms.size()))),
            rows = (int(sms.size()) + columns - 1) / columns;
  const float w = r.w / float(columns), h = std::min(r.h / float(rows), w * 0.8f);
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const Rect box{r.x + float(int(i) % columns) * w + 3, r.y + float(int(i) / columns) * h + 3, w - 6,
                   h - 6};
    draw_child(in, box, "stage/sm/" + std::to_string(sms[i]), title_of(Part::sm, in.scene.at.gpu, sms[i]),
               going_to(Part::sm, sms[i]), events);
    if (sms[i] == in.scene.at.sm) in.canvas.stroke_rect(box, color::current, 3, 4);
  }
}

void draw_gpc(const Inside& in, Rect r, StageEvents& events) {
  const Gpu& g = in.scene.at.gpu;
  if (const auto* group = in.scene.at.sm >= 0 ? group_with(in.scene, in.scene.at.sm) : nullptr) {
    const float note =
        draw_note(in, r,
                  tr("{0} SMs were seen in clusters with SM {1}, or with one that was: they share a GPC.",
                     {grouped(std::int64_t(group->size()) - 1), number_text(in.scene.at.sm)}),
                  in.scene.groups.provenance);
    return draw_sms_of_gpc(in, {r.x, r.y + note, r.w, r.h - note}, *group, events);
  }
  if (g.gpcs < 1 || g.tpcs < 1) {
    draw_note(in, r, tr("How many GPCs this device has is not published."), "");
    return;
  }
  const int tpcs = (g.tpcs + g.gpcs - 1) / g.gpcs;
  const float note = draw_note(in, r,
                               tr("A GPC of {0} TPCs. Which SMs are in which GPC no interface tells; "
                                  "clusters show it (rung clusters).",
                                  {grouped(tpcs)}),
                               "");
  const int columns = std::min(3, tpcs), rows = (tpcs + columns - 1) / columns;
  const float w = r.w / float(columns), h = (r.h - note) / float(rows);
  for (int i = 0; i < tpcs; ++i)
    draw_child(in, {r.x + float(i % columns) * w + 3, r.y + note + float(i / columns) * h + 3, w - 6, h - 6},
               "stage/tpc/" + std::to_string(i), "TPC", going_to(Part::tpc, in.scene.at.sm), events);
}

void draw_tpc(const Inside& in, Rect r, StageEvents& events) {
  const Gpu& g = in.scene.at.gpu;
  if (g.tpcs < 1) {
    draw_note(in, r, tr("How many TPCs this device has is not published."), "");
    return;
  }
  const float note = draw_note(in, r, tr("Which SM is the other one's neighbour no interface tells."), "");
  const int sms = std::max(1, g.multiprocessors / g.tpcs);
  const float w = r.w / float(sms), h = r.h - note;
  for (int i = 0; i < sms; ++i) {
    const Rect box{r.x + float(i) * w + 3, r.y + note, w - 6, h};
    const int sm = i == 0 ? in.scene.at.sm : -1;
    draw_child(in, box, "stage/sm_of_tpc/" + std::to_string(i), title_of(Part::sm, g, sm),
               going_to(Part::sm, sm), events);
    const float top = 24 * in.theme.type;
    draw_units(in, {box.x + 10, box.y + top, box.w - 20, box.h - top - 10}, in.sub_cores(), 2,
               mix(in.theme.panel, kUnit, 0.35f));
  }
}

}  // namespace

void draw_inside(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
                 StageEvents& events) {
  const Inside inside = inside_of(canvas, in, scene);
  switch (scene.at.part) {
    case Part::gpc:
      return draw_gpc(inside, r, events);
    case Part::tpc:
      return draw_tpc(inside, r, events);
    case Part::sm:
      return draw_sm(inside, r, events);
    case Part::sub_core:
      return draw_sub_core(inside, r, 0);
    case Part::chip:
      break;
  }
}

}  // namespace lockstep
