// The same sum by Triton, by our kernel and by PyTorch: what each took, block by block, at the recorded
// sizes.
#include <array>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "triton_stage.hpp"

namespace lockstep {
namespace {

constexpr float kTimesRow = 18;

TextStyle figures(const Theme& theme, Color color) {
  return {Font::mono, 11.5f * theme.type, color, Align::right};
}

std::string spread_text(const TimedUs& us) {
  return us_text(us.median) + " (" + figure_text(us.low) + "–" + figure_text(us.high) + ")";
}

// A title for each size, below it a row for each block.
std::size_t rows_of(const std::vector<TritonTimes>& times) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    rows += i == 0 || times[i].elements != times[i - 1].elements ? 2 : 1;
  return rows;
}

void draw_row(Canvas& canvas, const Theme& theme, Rect r, const std::array<std::string, 4>& cells,
              Color color, bool title) {
  const float first = r.w * 0.16f, each = (r.w - first) / 3, y = r.center().y;
  const TextStyle words{Font::words, 11.5f * theme.type, color, Align::right};
  canvas.text_fit({r.x, y}, cells[0], {Font::words, 11.5f * theme.type, color}, first);
  for (int c = 0; c < 3; ++c)
    canvas.text_brief({r.x + first + each * float(c + 1), y}, cells[std::size_t(c) + 1],
                      title ? words : figures(theme, color), each - 6);
}

void draw_table(Canvas& canvas, const Theme& theme, Rect r, const TritonRecord& record) {
  const float row = kTimesRow * theme.type;
  float y = r.y;
  std::int64_t size = 0;
  for (const TritonTimes& t : record.times) {
    if (t.elements != size)
      draw_row(canvas, theme, {r.x, y, r.w, row},
               {grouped(t.elements), "Triton", tr("this kernel"), "PyTorch"}, theme.dim, true),
          y += row;
    size = t.elements;
    draw_row(canvas, theme, {r.x, y, r.w, row},
             {number_text(t.block), spread_text(t.triton), spread_text(t.ours), spread_text(t.torch)},
             theme.ink, false);
    y += row;
  }
  canvas.text_wrap(
      {r.x, y + 4 * theme.type},
      tr("Elements, and BLOCK_SIZE below them; this kernel with as many threads per block, but at "
         "most 1,024. Medians of runs in turn in one process, with the L2 overwritten between "
         "them; in brackets the middle 60 %. {0}.",
         {record.versions}),
      {Font::words, 10.5f * theme.type, theme.dim}, r.w, 14 * theme.type);
}

}  // namespace

std::vector<LabPanel> ThreadsScene::panels(Rect, const Theme&) const {
  const auto& records = triton_records(run().request.rung);
  if (records.empty() || records.front().times.empty()) return {};
  const TritonRecord& record = records.front();
  return {{msg("TRITON, THIS KERNEL AND PYTORCH"), triton_provenance(record),
           kTimesRow * float(rows_of(record.times)) + 64,
           [&record](Canvas& canvas, const Theme& theme, Rect r) { draw_table(canvas, theme, r, record); },
           "triton"}};
}

}  // namespace lockstep
