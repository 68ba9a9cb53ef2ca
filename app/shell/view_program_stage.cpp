// The stage of a reader's program: where the lanes of this step's access go, every array that the launch saw,
// and the way of the bytes.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/draw/address_map.hpp"
#include "app/draw/array_map.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/lane_map.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/river.hpp"
#include "app/draw/text_field.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_river.hpp"
#include "app/labs/turns.hpp"
#include "app/model/cache.hpp"
#include "stage_parts.hpp"
#include "view_program.hpp"

namespace lockstep {

std::string nothing_to_show(const ProgramDesk& desk) {
  if (!desk.run()) {
    if (desk.failure() && !desk.busy()) return tr(*desk.failure());
    if (desk.busy()) {
      const Message progress = desk.progress_text();
      return progress.id.empty() ? tr("Compiling and running…") : tr(progress);
    }
    if (reader::has_error(desk.diagnostics())) return tr("The picture comes once this text compiles.");
    return desk.runner() ? tr("Press Run (R) to run this program.") : tr("There is no run to show.");
  }
  if (desk.run()->launches.empty()) return tr("This program launched no kernel.");
  const reader::ProgramLaunch& launch = desk.run()->launches[std::size_t(desk.launch())];
  if (!launch.refused.id.empty()) return tr(launch.refused);
  if (desk.stopped(desk.launch()))
    return tr("This launch stopped at a finding, before there was anything to draw.");
  if (!launch.traced()) return tr("This launch ran, but was not traced.");
  if (!desk.has_steps()) return tr("Nothing in the followed block moved data.");
  return "";
}

namespace {

constexpr float kStagePad = 24, kSectorsBelow = 62;  // the sectors below their lanes

bool touches_shared(const Step& step) { return step.instruction.view >= kFirstSharedView; }

void draw_middle(Canvas& canvas, Rect r, const std::string& text, const Theme& theme) {
  const TextStyle style{Font::words, 15 * theme.type, theme.dim};
  const float width = std::min(r.w - 40, 460 * theme.type), step = 22 * theme.type;
  const float one_line = canvas.measure(text, style), lines = float(canvas.count_lines(text, style, width));
  const float left = r.center().x - std::min(one_line, width) / 2;
  canvas.text_wrap({left, r.center().y - lines * step / 2}, text, style, width, step);
}

// Under the words, for a launch that ran without being watched.
void draw_trace_button(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme) {
  if (!desk.runner() || desk.busy() || !desk.scene()) return;
  if (desk.scene()->launch().traced() || !desk.scene()->launch().refused.id.empty()) return;
  if (desk.stopped(desk.launch())) return;
  const std::string label = tr("Trace this launch");
  const float type = theme.type, width = canvas.measure(label, {Font::words, 12.5f * type, {}}) + 32 * type;
  if (draw_button(canvas, theme, "program/trace",
                  {r.center().x - width / 2, r.center().y + 28 * type, width, 30 * type}, label,
                  ButtonLook::filled)
          .clicked)
    desk.trace_launch();
}

// --- lanes

std::array<int, 32> turns_of_lanes(const Step& step, int* count) {
  const Turns turns = turns_of(step);
  *count = turns.count;
  std::array<int, 32> of_lane{};
  for (std::size_t lane = 0; lane < 32; ++lane) of_lane[lane] = turns.of_lane[lane];
  return of_lane;
}

// The wavefronts of an access, as boxes with a sentence; what lies above the fewest in trouble's colour.
void draw_wavefront_row(Canvas& canvas, const Step& step, Rect r, const Theme& theme) {
  const WarpInstruction& i = step.instruction;
  const float type = theme.type, box = 19 * type, gap = 3 * type;
  const int fewest = std::min(step.wavefronts, fewest_wavefronts(i.lanes, i.width, !reads(i.kind)));
  const TextStyle head{Font::words_semibold, 12.5f * type, theme.ink},
      words{Font::words, 11.5f * type, theme.dim};
  const std::string title = tr("Wavefronts"),
                    text = step.wavefronts > fewest
                               ? tr("{0} would do, {1} because lanes take turns",
                                    {number_text(fewest), number_text(step.wavefronts)})
                               : tr("{0}, and no fewer would do", {number_text(step.wavefronts)});
  canvas.text({r.x, r.center().y}, title, head);
  float x = r.x + canvas.measure(title, head) + 16 * type;
  const float room = r.right() - x - canvas.measure(text, words) - 12 * type;
  const float w = std::min(box, std::max(2.f, room / float(std::max(1, step.wavefronts)) - gap));
  for (int f = 0; f < step.wavefronts; ++f, x += w + gap)
    canvas.fill_rect({x, r.center().y - 8 * type, w, 16 * type}, f < fewest ? color::shared : color::trouble,
                     3);
  canvas.text_fit({x + 9 * type, r.center().y}, text, words, r.right() - x - 9 * type);
}

float lanes_height(const Step& step, const Theme& theme, bool low) {
  if (step.barrier) return 48 * theme.type;
  if (!touches_shared(step)) return (78 + (low ? 40 : kSectorsBelow)) * theme.type + 24;
  const bool wavefronts = !is_atomic(step.instruction.kind);
  return ((low ? 146 : 172) + (wavefronts ? 26.f : 0.f)) * theme.type;
}

// --- arrays

// As C++ writes it.
std::string type_text(const std::string& type) {
  static constexpr std::pair<std::string_view, const char*> kWords[] = {
      {"uchar", "unsigned char"}, {"ushort", "unsigned short"}, {"u64", "unsigned long"}, {"i64", "long"}};
  for (const auto& [word, text] : kWords)
    if (type == word) return text;
  return type;
}

std::string extents_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t extent : shape)
    text += (text.empty() ? "" : " × ") + grouped(std::int64_t(extent));
  return text;
}

// "64 × 64 × float, shared · block (0, 0)"
std::string about_array(const ProgramDesk& desk, const StageArray& array,
                        const std::vector<std::uint64_t>& shape) {
  std::string text = extents_text(shape) + " × ";
  const bool is_struct = array.view->type == "bytes" && array.view->element_bytes > 1;
  text += is_struct ? tr("{0} bytes", {number_text(array.view->element_bytes)}) : type_text(array.view->type);
  if (array.shared())
    return text + " · " +
           tr("shared, block {0} so far",
              {block_text(desk.scene()->launch().launch, desk.scene()->launch().launch.trace.block)});
  if (array.written) return text + " · " + (array.read ? tr("read and written") : tr("only written"));
  return array.read ? text + " · " + tr("only read") : text;
}

Color color_of(const StageArray& array) {
  return array.shared() ? color::shared : array.written ? color::l2 : color::hbm;
}

// In the place of what is said of the array while its shape is typed.
void draw_shape_field(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme) {
  const float type = theme.type;
  FieldLook look;
  look.font = Font::mono, look.size = 11.4f, look.wrong = desk.bar_missed;
  const Rect field{r.x, r.y - 2 * type, std::min(r.w, 130 * type), 22 * type};
  desk.bar_area = field;
  draw_text_field(canvas, theme, "program/shape", field, desk.bar_edit, look);
  const std::string said =
      desk.bar_missed ? tr("it has another number of elements") : tr("arrow keys: other shapes · Enter");
  canvas.text_fit({field.right() + 10 * type, field.center().y}, said,
                  {Font::words, 11 * type, desk.bar_missed ? theme.readable(color::trouble) : theme.dim},
                  r.right() - field.right() - 10 * type);
}

// Draws it, and answers the pointer on it.
void draw_array(Canvas& canvas, ProgramDesk& desk, const StageArray& array, Rect r, const Theme& theme) {
  const ProgramScene& scene = *desk.scene();
  const auto shape = desk.shape_of(array);
  const auto strength = scene.strength(array, desk.step());
  const auto now = scene.touched(scene.steps.steps[std::size_t(desk.step())], array);
  ArrayPicture p;
  p.id = "program/array/" + std::to_string(array.view->id);
  p.title = array.view->name, p.about = about_array(desk, array, shape), p.brief = extents_text(shape);
  const bool shaping = desk.bar == ProgramDesk::Bar::shape && desk.shaped_array == array.view->name;
  const float name_w =
      canvas.measure(p.title, {Font::mono_semibold, 12.5f * theme.type, {}}) + 14 * theme.type;
  if (shaping) p.about = p.brief = "";
  p.elements = array.view->elements(), p.cols = shape.size() > 1 ? shape.back() : 0;
  p.strength = strength, p.now = now, p.color = color_of(array);
  if (desk.pinned && desk.pinned->first == array.view->id) p.pinned = desk.pinned->second;
  const ArrayHit hit = draw_array_map(canvas, theme, r, p);
  if (hit.title_clicked && !shaping) desk.open_shape(array);
  if (shaping) draw_shape_field(canvas, desk, {r.x + name_w, r.y, r.w - name_w, 22 * theme.type}, theme);
  if (!hit.element) return;
  canvas.tooltip(scene.element_text(array, shape, *hit.element));
  if (hit.clicked) {
    const bool again =
        desk.pinned && desk.pinned->first == array.view->id && desk.pinned->second == *hit.element;
    desk.pinned = again ? std::nullopt : std::optional(std::pair(array.view->id, *hit.element));
    const Toucher writer = writer_of(scene.steps, array.view->id, array.view->element_bytes, *hit.element),
                  reader = reader_of(scene.steps, array.view->id, array.view->element_bytes, *hit.element);
    if (const int step = reader.step >= 0 ? reader.step : writer.step; step >= 0) desk.go_to(step);
  }
}

constexpr float kBetweenArrays = 24;

// Arrays that stand beside each other: matrices do, a flat one has the whole width.
struct ArrayRow {
  std::vector<std::size_t> arrays;
  float height = 0;
};

// As many matrices in a row as make them largest.
std::size_t matrices_beside(const ProgramDesk& desk, Rect r) {
  const auto& arrays = desk.scene()->arrays();
  const auto matrices = std::size_t(std::count_if(arrays.begin(), arrays.end(), [&](const StageArray& array) {
    return desk.shape_of(array).size() > 1;
  }));
  std::size_t best = 2;
  float largest = 0;
  for (std::size_t beside = 2; beside <= 6; ++beside) {
    const auto rows = float((matrices + beside - 1) / beside + arrays.size() - matrices);
    const float side =
        std::min((r.w + kBetweenArrays) / float(beside) - kBetweenArrays, r.h / std::max(1.f, rows) - 28);
    if (side > largest + 1) largest = side, best = beside;
  }
  return best;
}

std::vector<ArrayRow> rows_of_arrays(const ProgramDesk& desk, Rect r) {
  const std::size_t most_beside = matrices_beside(desk, r);
  std::vector<ArrayRow> rows;
  bool matrices = false;
  const auto& arrays = desk.scene()->arrays();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const bool matrix = desk.shape_of(arrays[i]).size() > 1;
    if (!matrix || !matrices || rows.back().arrays.size() == most_beside) rows.emplace_back();
    rows.back().arrays.push_back(i), matrices = matrix;
  }
  return rows;
}

float array_width(const ArrayRow& row, float width) {
  const auto n = float(std::max<std::size_t>(2, row.arrays.size()));  // a matrix alone leaves a half free
  return row.arrays.size() == 1 && n == 2 ? width : (width - (n - 1) * kBetweenArrays) / n;
}

float row_needs(const ProgramDesk& desk, const ArrayRow& row, float width, float most, const Theme& theme) {
  float height = 0;
  for (const std::size_t i : row.arrays) {
    const StageArray& array = desk.scene()->arrays()[i];
    const auto shape = desk.shape_of(array);
    ArrayPicture p;
    p.elements = array.view->elements(), p.cols = shape.size() > 1 ? shape.back() : 0;
    height = std::max(height, array_map_height(theme, array_width(row, width), most, p));
  }
  return height;
}

// What one row does not need of its share, the others may have.
void share_heights(const ProgramDesk& desk, std::vector<ArrayRow>& rows, Rect r, float share, float gap,
                   const Theme& theme) {
  for (ArrayRow& row : rows) row.height = share;
  for (int round = 0; round < 3; ++round) {
    float spare = r.h + gap - 0.5f;
    int wanting = 0;
    std::vector<bool> wants;
    for (ArrayRow& row : rows) {
      row.height = row_needs(desk, row, r.w, row.height, theme);
      wants.push_back(row_needs(desk, row, r.w, r.h, theme) > row.height + 1);
      wanting += wants.back(), spare -= row.height + gap;
    }
    if (wanting == 0 || spare <= 0) return;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (wants[i]) rows[i].height += spare / float(wanting);
  }
}

// --- bytes

// No model of the caches was asked. What HBM must give at the least is counted, as is what the L1 is asked
// for; what really went between L2 and L1 lies between the two.
void put_bounds_in(River& river, const ProgramDesk& desk) {
  const ProgramScene& scene = *desk.scene();
  const CompulsoryBytes until = scene.compulsory.until(desk.step()), now = scene.compulsory.of(desk.step());
  for (RiverBand& band : river.bands) {
    if (band.from == 1) band.figure = RiverFigure::at_most;
    if (band.from != 0) continue;
    band.figure = RiverFigure::at_least;
    band.in = until.load, band.out = until.store, band.in_now = now.load, band.out_now = now.store;
    const reader::ProgramLaunch& launch = scene.launch();
    const auto bytes = [](std::uint64_t sectors) {
      return bytes_text(double(sectors * CacheShape::kSectorBytes));
    };
    band.hint = tr("all traced blocks of this launch together: at least {0} read, {1} written",
                   {bytes(launch.compulsory_load_sectors), bytes(launch.compulsory_store_sectors)});
  }
  river.places[0].note = tr("each sector once");
  river.places[1].note.clear();
}

River river_of(const ProgramDesk& desk) {
  const ProgramScene& scene = *desk.scene();
  RiverUse use;
  for (const StageArray& array : scene.arrays()) use.shared |= array.shared();
  const Launch& launch = scene.launch().launch;
  River river = traffic_river(scene.progress.traffic_until(desk.step()), traffic_of(scene.steps, desk.step()),
                              use, block_text(launch, launch.trace.block));
  if (launch.trace.hbm_sectors.empty()) put_bounds_in(river, desk);
  return river;
}

Theme dimmed(Theme theme) {
  theme.ink = mix(theme.ground, theme.ink, 0.6f);
  return theme;
}

}  // namespace

float step_lanes_height(const ProgramDesk& desk, const Theme& theme, bool low) {
  return lanes_height(desk.scene()->steps.steps[std::size_t(desk.step())], theme, low);
}

void draw_step_lanes(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme, bool worded) {
  const ProgramScene& scene = *desk.scene();
  const Step& step = scene.steps.steps[std::size_t(desk.step())];
  const float type = theme.type;
  const std::string title = tr(scene.access_title(step)), remark = tr(scene.access_remark(step));
  if (step.barrier) {
    canvas.text_fit({r.x, r.y + 10 * type}, title, {Font::words_semibold, 13.5f * type, theme.ink}, r.w);
    canvas.text_fit({r.x, r.y + 29 * type}, remark, {Font::words, 11.5f * type, theme.dim}, r.w);
    return;
  }
  const WarpInstruction& i = step.instruction;
  if (worded) {
    canvas.text_fit({r.x, r.y + 10 * type}, title, {Font::words_semibold, 13.5f * type, theme.ink}, r.w);
    canvas.text_fit({r.x, r.y + 29 * type}, remark, {Font::words, 11.5f * type, theme.dim}, r.w);
  } else {
    r.y -= kLaneWords * type;
  }
  const bool wavefronts = touches_shared(step) && !is_atomic(i.kind);
  const float under = wavefronts ? 26 * type : 0, above = 22 * type;
  AddressPicture p;
  p.id = "program/lanes", p.lanes = i.lanes, p.offset = i.offset, p.width = i.width,
  p.shared = touches_shared(step);
  p.loads = reads(i.kind) && !is_atomic(i.kind), p.motion = desk.motion;
  p.wanted = std::max(1, fewest_wavefronts(i.lanes, i.width, !reads(i.kind)));
  if (is_atomic(i.kind)) p.one_by_one = true, p.wanted = 1;
  p.turn = turns_of_lanes(step, &p.turns);
  // Sectors are one row: what the widget keeps below them for banks is not part of this.
  const float below = p.shared ? r.h - under - above : (56 * type) + (r.h - 24 - 78 * type) / 0.45f;
  const auto lane = draw_addresses(canvas, theme, {r.x, r.y + above, r.w, below}, p);
  if (lane && i.lanes >> *lane & 1) {
    const ViewInfo* view = scene.run().launches.front().view(i.view);
    const std::uint64_t element =
        i.offset[std::size_t(*lane)] / std::max(1u, view ? view->element_bytes : 4u);
    canvas.tooltip(
        tr("lane {0}: {1}",
           {number_text(*lane),
            scene.view_name(step) + index_text(view ? view->shape : std::vector<std::uint64_t>{}, element)}));
  }
  if (wavefronts) draw_wavefront_row(canvas, step, {r.x, r.bottom() - under, r.w, under}, theme);
}

// All of them, as high as each may be; what has no room is scrolled to.
void draw_program_arrays(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& theme) {
  const auto& arrays = desk.scene()->arrays();
  if (arrays.empty() || r.h < 30) return;
  auto rows = rows_of_arrays(desk, r);
  const float gap = 8 * theme.type, least = 44 * theme.type;
  const float share = std::max(least, (r.h + gap) / float(rows.size()) - gap);
  canvas.push_clip({r.x - 4, r.y, r.w + 8, r.h});
  const Hit wheel = canvas.hit("program/arrays", r);
  desk.stage_scroll -= wheel.wheel * 40;
  const float all = (share + gap) * float(rows.size()) - gap;
  desk.stage_scroll = std::clamp(desk.stage_scroll, 0.f, std::max(0.f, all - r.h));
  share_heights(desk, rows, r, share, gap, theme);
  float y = r.y - desk.stage_scroll;
  for (const ArrayRow& row : rows) {
    const float width = array_width(row, r.w);
    for (std::size_t i = 0; i < row.arrays.size(); ++i)
      draw_array(canvas, desk, arrays[row.arrays[i]],
                 {r.x + float(i) * (width + kBetweenArrays), y, width, row.height}, theme);
    y += row.height + gap;
  }
  canvas.pop_clip();
}

// What the arrays would like to have of this room.
static float arrays_height(const ProgramDesk& desk, Rect r, const Theme& theme) {
  float height = 0;
  for (const ArrayRow& row : rows_of_arrays(desk, r))
    height += row_needs(desk, row, r.w, r.h, theme) + 8 * theme.type;
  return height;
}

void draw_program_stage(Canvas& canvas, ProgramDesk& desk, Rect r, const Theme& given) {
  const Theme theme = desk.pale() ? dimmed(given) : given;
  canvas.push_clip(r);
  const Rect inner{r.x + kStagePad, r.y + 12, r.w - 2 * kStagePad, r.h - 24};
  if (const std::string nothing = nothing_to_show(desk); !nothing.empty()) {
    draw_middle(canvas, inner, nothing, theme);
    draw_trace_button(canvas, desk, inner, theme);
    canvas.pop_clip();
    return;
  }
  const bool low = inner.h < 520 * theme.type;
  float bottom = inner.bottom(), y = inner.y;
  const float gpu_h = gpu_box_height(desk, theme);
  if (!low) bottom -= draw_gpu_box(canvas, desk, {inner.x, y, inner.w, bottom - y}, theme);
  const float lanes = step_lanes_height(desk, theme, low);
  draw_step_lanes(canvas, desk, {inner.x, y, inner.w, lanes}, theme);
  y += lanes + 14 * theme.type;
  const River river = river_of(desk);
  const float river_h = kRiverHeight * theme.type + 8;
  const float arrays =
      std::min(150 * theme.type, arrays_height(desk, {inner.x, y, inner.w, bottom - y}, theme));
  const bool flows =
      bottom - y > river_h + arrays + 10 * theme.type && river_fits(canvas, theme, inner.w, river);
  if (low && bottom - y > arrays + gpu_h + (flows ? river_h + 10 * theme.type : 0))
    bottom -= draw_gpu_box(canvas, desk, {inner.x, y, inner.w, bottom - y}, theme);
  if (flows) {
    bottom -= river_h;
    draw_river(canvas, theme, {inner.x, bottom, inner.w, river_h}, river, desk.motion);
    bottom -= 10 * theme.type;
  }
  draw_program_arrays(canvas, desk, {inner.x, y, inner.w, bottom - y}, theme);
  if (desk.pale())  // the picture of the run before stays, behind a veil
    canvas.fill_rect(r, given.ground.with_alpha(0.55f));
  canvas.pop_clip();
}

}  // namespace lockstep
