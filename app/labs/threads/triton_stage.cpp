#include "triton_stage.hpp"

#include <algorithm>

#include "app/devices/triton.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/threads/arithmetic.hpp"

namespace lockstep {
namespace {

constexpr float kCodeRow = 14, kCodeTitle = 22;
constexpr int kMostPtx = 2;         // instructions of the line at hand
constexpr std::int64_t kTile = 16;  // of tile_product.py, either way

TextStyle code(const Theme& theme, Color color) { return {Font::mono, 10.5f * theme.type, color}; }

// The function alone, without what is imported: its first line, from 0.
std::size_t first_shown(const std::vector<std::string>& lines) {
  const auto at = std::find(lines.begin(), lines.end(), "@triton.jit");
  return at == lines.end() ? 0 : std::size_t(at - lines.begin()) + 1;
}

// Rows and columns of a program's block: 1024, or 16 and 16.
std::vector<int> block_of(const ThreadsScene& scene) {
  if (scene.dimensions == 2) return {int(kTile), int(kTile)};
  const auto& params = scene.run().request.params;
  const auto at = params.find("program");
  const auto* elements = at == params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return {elements ? int(*elements) : 0};
}

const TritonRecord* record_of(const ThreadsScene& scene) {
  const auto& records = triton_records(scene.run().request.rung);
  return records.empty() ? nullptr : &records.front();
}

const TritonBuild* build_of(const ThreadsScene& scene) {
  const TritonRecord* record = record_of(scene);
  return record ? record->build_of(block_of(scene)) : nullptr;
}

std::string list_text(const std::vector<int>& numbers) {
  std::string text;
  for (const int n : numbers) text += (text.empty() ? "" : ", ") + number_text(n);
  return "[" + text + "]";
}

IndexLine layout_line(const TritonBuild& build) {
  return {tr("per thread, lanes, warps"), list_text(build.layout.per_thread) + ", " +
                                              list_text(build.layout.threads) + ", " +
                                              list_text(build.layout.warps)};
}

// "{ %r1, %r2 }, [ %rd1 + 0 ]" as "{%r1,%r2}, [%rd1]".
std::string narrow(std::string_view instruction) {
  std::string text;
  int lists = 0;
  for (const char c : instruction) {
    lists += (c == '{') - (c == '}');
    const bool opened = !text.empty() && (text.back() == '[' || text.back() == '{');
    if (c == ' ' && (opened || lists > 0)) continue;
    if ((c == ']' || c == '}') && !text.empty() && text.back() == ' ') text.pop_back();
    if (c == ']' && text.ends_with(" + 0")) text.resize(text.size() - 4);
    text += c;
  }
  return text;
}

std::vector<std::string> ptx_at(const ThreadsScene& scene, int line) {
  const TritonBuild* build = build_of(scene);
  if (!build || !build->ptx.contains(line)) return {};
  std::vector<std::string> shown;
  for (const std::string& instruction : build->ptx.at(line))
    if (shown.size() < std::size_t(kMostPtx)) shown.push_back(narrow(instruction));
  return shown;
}

}  // namespace

int triton_line(const ThreadsScene& scene, int step) {
  const Step* at = scene.steps.at(step);
  if (!at) return 0;
  const ViewInfo* view = scene.run().launches.at(0).view(at->instruction.view);
  if (!view) return 0;
  const std::string wanted = (reads(at->instruction.kind) ? "tl.load(" : "tl.store(") + view->name;
  const auto& lines = triton_lines(scene.run().request.rung);
  for (std::size_t l = 0; l < lines.size(); ++l)
    if (const auto found = lines[l].find(wanted); found != lines[l].npos) {
      const char after = lines[l][found + wanted.size()];  // "a + i", "a_tile, ...": not "ab"
      if (after == ' ' || after == '_') return int(l) + 1;
    }
  return 0;
}

std::vector<IndexLine> triton_seat_lines(const ThreadsScene& scene, const Pick& pick) {
  const std::vector<int> block = block_of(scene);
  const bool plane = scene.dimensions == 2;
  if (!pick.element || block.front() < 1) return {};
  const Extent3& e = *pick.element;
  const auto divided = [](const char* of, std::int64_t value, std::int64_t by) {
    return IndexLine{std::string(of) + " / " + number_text(by),
                     number_text(value) + " / " + number_text(by) + " = " + number_text(value / by) + ", " +
                         tr("rest {0}", {number_text(value % by)})};
  };
  std::vector<IndexLine> lines;
  std::vector<int> at;
  if (plane) lines.push_back(divided("program_id(1) = row", e.y, kTile)), at.push_back(int(e.y % kTile));
  lines.push_back(plane ? divided("program_id(0) = col", e.x, kTile)
                        : divided("program_id(0) = i", e.x, block.front()));
  at.push_back(int(e.x % block.back()));
  const TritonBuild* build = build_of(scene);
  if (!build || build->layout.order.size() != at.size()) return lines;
  const TritonSeat seat = seat_of(build->layout, build->block, at);
  lines.push_back(layout_line(*build));
  lines.push_back({tr("held by"), tr("warp {0} of {1}, lane {2}, its element {3}",
                                     {number_text(seat.warp), number_text(build->warps),
                                      number_text(seat.lane), number_text(seat.reg)})});
  return lines;
}

std::string triton_provenance(const TritonRecord& record) {
  return "recorded: " + record.device + ", " + record.date;
}

float triton_text_height(const Theme& theme, const ThreadsScene& scene) {
  const auto& lines = triton_lines(scene.run().request.rung);
  if (lines.empty() || scene.dimensions == 0) return 0;
  return (kCodeTitle + kCodeRow * float(lines.size() - first_shown(lines))) * theme.type;
}

float triton_height(const Canvas& canvas, const Theme& theme, const ThreadsScene& scene, float width) {
  const auto& lines = triton_lines(scene.run().request.rung);
  if (lines.empty() || scene.dimensions == 0) return 0;
  const TritonBuild* build = build_of(scene);
  std::size_t ptx = 0;
  if (build)
    for (const auto& [line, text] : build->ptx) ptx = std::max(ptx, text.size());
  const Extent3& all = scene.map.problem;  // the numbers of the last element are the longest
  const Pick last = scene.pick_of_element({all.x - 1, all.y - 1, all.z - 1});
  return triton_text_height(theme, scene) + 8 * theme.type +
         kCodeRow * theme.type * float(std::min<std::size_t>(ptx, kMostPtx)) +
         lines_height(canvas, theme, triton_seat_lines(scene, last), width);
}

void draw_triton(Canvas& canvas, const Theme& theme, Rect r, const ThreadsScene& scene, const LabView& view,
                 const Pick& pick) {
  const float type = theme.type, row = kCodeRow * type;
  canvas.hit("stage/triton", r);  // program text, where words are looked for
  const auto& lines = triton_lines(scene.run().request.rung);
  const TritonRecord* record = record_of(scene);
  const std::string words = record ? triton_provenance(*record) : "";
  const float badge = record ? badge_width(canvas, theme, words) + 10 : 0;
  canvas.text_fit({r.x, r.y + 9 * type}, tr("The same as a Triton program"),
                  {Font::words_semibold, 12.5f * type, theme.ink}, r.w - badge);
  if (record) draw_badge(canvas, theme, {r.right(), r.y + 9 * type}, words);
  float y = r.y + kCodeTitle * type;
  const int current = triton_line(scene, view.step);
  const bool with_ptx = r.h >= triton_height(canvas, theme, scene, r.w) - 1;
  for (std::size_t l = first_shown(lines); l < lines.size() && y + row <= r.bottom() + 1; ++l, y += row) {
    if (int(l) + 1 == current) canvas.fill_rect({r.x - 4, y, r.w + 4, row}, theme.highlight, 2);
    canvas.text_fit({r.x, y + row / 2}, lines[l], code(theme, theme.ink), r.w);
    if (int(l) + 1 != current || !with_ptx) continue;
    for (const std::string& instruction : ptx_at(scene, current)) {
      y += row;
      canvas.text_brief({r.x + 30 * type, y + row / 2}, instruction, code(theme, theme.dim), r.w - 30 * type);
    }
  }
  y += 8 * type;
  if (const auto seat = triton_seat_lines(scene, pick);
      !seat.empty() && y + lines_height(canvas, theme, seat, r.w) <= r.bottom() + 1)
    draw_lines(canvas, theme, {r.x, y, r.w, r.bottom() - y}, tr("The element in that program"), seat);
}

}  // namespace lockstep
