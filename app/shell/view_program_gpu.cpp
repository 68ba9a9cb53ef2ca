// What the same file does on a GPU, beside the emulator's counts; and the list in which a GPU is asked for.
#include <algorithm>
#include <utility>
#include <vector>

#include "app.hpp"
#include "app/devices/gpus.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/occupancy.hpp"
#include "app/program/on_gpu/gpu_words.hpp"
#include "view_program.hpp"

namespace lockstep {
namespace {

using reader::GpuKernel;
using reader::GpuRun;

std::string short_name(const Device& device) {
  const std::string maker = "NVIDIA ";
  return device.name.starts_with(maker) ? device.name.substr(maker.size()) : device.name;
}

// "24 registers a thread: 8 blocks on an SM, 100 % of its warps"
std::string occupancy_text(const GpuRun& gpu, const GpuKernel& kernel) {
  if (kernel.registers <= 0) return "";
  // Compiled where there is no GPU, it is for an H200.
  const Gpu* known = find_gpu(gpu.device.name.empty() ? "NVIDIA H200" : gpu.device.name);
  BlockNeeds needs;
  needs.threads = int(kernel.block[0] * kernel.block[1] * kernel.block[2]);
  needs.registers = kernel.registers, needs.shared_bytes = kernel.shared_bytes;
  if (!known) return tr("registers per thread: {0}", {number_text(kernel.registers)});
  const ResidentBlocks fit = resident_blocks(*known, needs);
  return tr("registers per thread: {0} · blocks per SM of {3}: {1} ({2} % of its warps)",
            {number_text(kernel.registers), number_text(fit.blocks),
             number_text(int(fit.fraction * 100 + 0.5)), known->word});
}

// A quantity that both have counted.
struct Counted {
  std::string title;
  std::int64_t there = 0, here = 0;
};

std::vector<Counted> counted_of(const GpuKernel& kernel, const reader::ProgramLaunch& launch) {
  static constexpr std::pair<const char*, std::int64_t Counts::*> kShown[] = {
      {"global_load_sectors", &Counts::global_load_sectors},
      {"global_store_sectors", &Counts::global_store_sectors},
      {"shared_load_wavefronts", &Counts::shared_load_wavefronts},
      {"shared_store_wavefronts", &Counts::shared_store_wavefronts}};
  static constexpr const char* kTitles[] = {N_("sectors read"), N_("sectors written"), N_("wavefronts read"),
                                            N_("wavefronts written")};
  std::vector<Counted> all;
  for (std::size_t i = 0; i < std::size(kShown); ++i) {
    const auto value = kernel.counters.find(kShown[i].first);
    if (value == kernel.counters.end()) continue;
    const std::int64_t here = launch.counts.*kShown[i].second;
    if (value->second != 0 || here != 0) all.push_back({tr(kTitles[i]), value->second, here});
  }
  return all;
}

// Side by side: what it is, then the profiler's number and the emulator's, each with its badge's sign.
void draw_counted(Canvas& canvas, const Theme& theme, Rect r, const std::vector<Counted>& all,
                  bool complete) {
  const float type = theme.type, width = r.w / float(std::max<std::size_t>(1, all.size()));
  const TextStyle words{Font::words, 10.5f * type, theme.dim};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Counted& one = all[i];
    float x = r.x + float(i) * width;
    canvas.text_fit({x, r.y + 7 * type}, one.title, words, width - 8);
    const float sign = badge_symbol_width(theme), y = r.y + 23 * type;
    const auto number = [&](std::int64_t value, const Provenance& provenance, Color ink) {
      draw_badge_symbol(canvas, theme, {x + sign / 2, y}, provenance);
      const TextStyle style{Font::mono, 11.5f * type, ink};
      const std::string text = grouped(value);
      canvas.text({x + sign + 5 * type, y}, text, style);
      x += sign + 5 * type + canvas.measure(text, style) + 12 * type;
    };
    number(one.there, Provenance::measured(), theme.ink);
    if (complete) number(one.here, Provenance::emulated(), theme.dim);
  }
}

struct GpuBox {
  std::string head;
  std::vector<std::string> lines;
  std::vector<Counted> counted;
  bool measured = false, trouble = false, complete = true;
};

// Before it was asked: where times would come from.
GpuBox box_without_run(const ProgramDesk& desk) {
  GpuBox box{tr("The same file on a GPU"), {}, {}};
  if (desk.measuring())
    box.lines = {tr(desk.progress_text())};
  else if (desk.can_ask_gpu())
    box.lines = {
        tr("nvcc is installed: choose the GPU above (E) for times, registers and the profiler's counters.")};
  else
    box.lines = {tr("Times and occupancy come from nvcc and a GPU: --engine cuda")};
  return box;
}

GpuBox box_of(const ProgramDesk& desk) {
  const GpuRun* gpu = desk.run() ? desk.run()->gpu.get() : nullptr;
  if (!gpu) return box_without_run(desk);
  GpuBox box;
  const std::string name = short_name(gpu->device);
  box.head = name.empty() ? tr("The same file on a GPU") : tr("The same file on this GPU: {0}", {name});
  if (!gpu->problem.id.empty())
    box.lines.push_back(tr(gpu->problem)), box.trouble = gpu->exit != Exit::unavailable;
  const GpuKernel* kernel = gpu->kernel_of(desk.launch());
  if (kernel) {
    std::string text =
        kernel->time_us >= 0 ? tr("This launch took {0}", {reader::gpu_time_text(kernel->time_us)}) : "";
    const std::string fits = occupancy_text(*gpu, *kernel);
    if (!fits.empty()) text += (text.empty() ? "" : " · ") + fits;
    if (!text.empty()) box.lines.push_back(text);
    const reader::ProgramLaunch& launch = desk.scene()->launch();
    box.counted = counted_of(*kernel, launch), box.complete = launch.counts_complete();
    box.measured = kernel->time_us >= 0 || !kernel->counters.empty();
  } else if (gpu->problem.id.empty()) {
    box.lines.push_back(tr("No kernel on the GPU matches this launch."));
  }
  if (!gpu->no_times.id.empty()) box.lines.push_back(tr(gpu->no_times));
  if (!gpu->no_counters.id.empty()) box.lines.push_back(tr(gpu->no_counters));
  if (gpu->match != reader::OutputMatch::unknown) box.lines.push_back(tr(reader::output_sentence(*gpu)));
  return box;
}

}  // namespace

static float height_of(const GpuBox& box, const Theme& theme) {
  return (34 + 17 * float(box.lines.size()) + (box.counted.empty() ? 0 : 36)) * theme.type;
}

float gpu_box_height(const ProgramDesk& desk, const Theme& theme) {
  return height_of(box_of(desk), theme) + 12 * theme.type;
}

float draw_gpu_box(Canvas& canvas, const ProgramDesk& desk, Rect r, const Theme& theme) {
  const GpuBox box = box_of(desk);
  const float type = theme.type, line = 17 * type, counted = box.counted.empty() ? 0 : 36 * type;
  const float height = height_of(box, theme);
  const Rect area{r.x, r.bottom() - height, r.w, height};
  canvas.fill_rect(area, theme.soft, kCorner);
  const Provenance measured = Provenance::measured();
  const float badge = box.measured ? badge_width(canvas, theme, measured) : 0;
  canvas.text_fit({area.x + 14, area.y + 17 * type}, box.head,
                  {Font::words_semibold, 12.5f * type, theme.ink}, area.w - 28 - badge - 8);
  if (box.measured) draw_badge(canvas, theme, {area.right() - 14, area.y + 17 * type}, measured);
  float y = area.y + 28 * type;
  for (std::size_t i = 0; i < box.lines.size(); ++i, y += line) {
    const Color ink = box.trouble && i == 0 ? theme.readable(color::trouble) : theme.dim;
    canvas.text_fit({area.x + 14, y + line / 2}, box.lines[i], {Font::words, 11.5f * type, ink}, area.w - 28);
  }
  if (counted > 0)
    draw_counted(canvas, theme, {area.x + 14, y + 2 * type, area.w - 28, counted}, box.counted, box.complete);
  return height + 12 * type;
}

// --- what is asked

void draw_program_engines(Canvas& canvas, App& app, Rect chooser, const Theme& theme) {
  if (!app.chooser_open) return;
  ProgramDesk& desk = *app.program();
  const float type = theme.type, width = 360 * type, step = 15 * type;
  const TextStyle words{Font::words, 11 * type, theme.dim};
  struct Row {
    const char* id;
    std::string name, about;
    bool on = false, able = true;
  };
  const Row rows[] = {
      {"program/engine/emulator", tr("Emulator"), tr("this CPU: what every lane asks for, without a GPU"),
       !desk.on_gpu(), true},
      {"program/engine/cuda", tr("Emulator and GPU"),
       desk.can_ask_gpu()
           ? tr("also on this machine's GPU, built by nvcc, outside the sandbox: times, output, the "
                "profiler's "
                "counters")
           : tr("nvcc was not found here: install the CUDA toolkit, or add its folder bin to PATH"),
       desk.on_gpu(), desk.can_ask_gpu()}};
  float height = 12;
  for (const Row& row : rows)
    height += 32 * type + step * float(canvas.count_lines(row.about, words, width - 36));
  constexpr float kFar = 10000;  // whatever is clicked beside the list closes it
  if (canvas.hit("veil/engines", {-kFar, -kFar, 2 * kFar, 2 * kFar}).clicked) app.chooser_open = false;
  const Rect box{chooser.right() - width, chooser.bottom() + 12, width, height};
  canvas.fill_rect({box.x + 1, box.y + 3, box.w, box.h}, Color{0, 0, 0, 36}, 8);
  canvas.fill_rect(box, theme.panel, 8);
  canvas.stroke_rect(box, theme.line, 1, 8);
  float y = box.y + 6;
  for (const Row& row : rows) {
    const Rect r{box.x + 6, y, box.w - 12,
                 32 * type + step * float(canvas.count_lines(row.about, words, width - 36))};
    const Hit hit = canvas.hit(row.id, r, row.able);
    if (row.on || (hit.hovered && row.able)) canvas.fill_rect(r, theme.soft, 6);
    if (hit.focused) draw_focus_ring(canvas, theme, r);
    canvas.text_fit({r.x + 12, r.y + 14 * type}, row.name,
                    {Font::words_semibold, 12.5f * type, row.able ? theme.ink : theme.dim}, r.w - 24);
    canvas.text_wrap({r.x + 12, r.y + 24 * type}, row.about, words, r.w - 24, step);
    if (hit.clicked && row.able) app.chooser_open = false, desk.set_on_gpu(row.id == rows[1].id);
    y += r.h;
  }
}

}  // namespace lockstep
