// The device by its driver, beside what the data sheets say: a card of the right column.
#include "app/devices/device_report.hpp"
#include "app/devices/gpus.hpp"
#include "app/draw/language.hpp"
#include "app/model/device_evidence.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

constexpr float kRow = 18, kTitle = 24;

float rows_of(const DeviceRow& row) { return row.differs ? 2 : 1; }

// The value at the right, and below it what the file says where that is another one; the meaning as a hint.
void draw_row(Canvas& canvas, const Theme& theme, Rect r, const DeviceRow& row) {
  const float type = theme.type, y = r.y + kRow * type / 2;
  const TextStyle value{Font::mono, 11.5f * type, theme.ink, Align::right};
  const std::string text = tr(row.value);
  const float w = canvas.measure(text, value);
  canvas.text_fit({r.x, y}, row.name, {Font::mono, 11.5f * type, theme.dim}, r.w - w - 10);
  canvas.text({r.right(), y}, text, value);
  if (row.differs)
    canvas.text_fit({r.right(), y + kRow * type}, tr("data sheet: {0}", {tr(row.file.value_or(""))}),
                    {Font::words, 11.5f * type, theme.readable(color::trouble), Align::right}, r.w);
  if (!row.meaning.empty()) canvas.hint(r, tr(row.meaning));
}

void draw_report(Canvas& canvas, const Theme& theme, Rect r, const std::vector<DeviceGroup>& report) {
  float y = r.y;
  for (const DeviceGroup& group : report) {
    canvas.text_fit({r.x, y + kTitle * theme.type * 0.6f}, tr(group.title),
                    {Font::words_semibold, 12.5f * theme.type, theme.ink}, r.w);
    y += kTitle * theme.type;
    for (const DeviceRow& row : group.rows) {
      const float h = kRow * theme.type * rows_of(row);
      draw_row(canvas, theme, {r.x, y, r.w, h}, row);
      y += h;
    }
  }
}

float height_of(const std::vector<DeviceGroup>& report) {
  float height = 8;
  for (const DeviceGroup& group : report) {
    height += kTitle;
    for (const DeviceRow& row : group.rows) height += kRow * rows_of(row);
  }
  return height;
}

}  // namespace

std::vector<LabPanel> ArchitectureScene::panels(Rect, const Theme&) const {
  const auto* said = run().evidence.find<DeviceEvidence>();
  if (!said || said->attributes.empty()) return {};
  auto report = device_report(said->attributes, &at.gpu);
  const float height = height_of(report);
  return {{msg("WHAT THE DRIVER SAYS OF IT"), provenance_of(run(), "metrics.api").words(), height,
           [report = std::move(report)](Canvas& canvas, const Theme& theme, Rect r) {
             draw_report(canvas, theme, r, report);
           },
           "driver"}};
}

}  // namespace lockstep
