#include "story.hpp"

#include <cstdio>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/progress.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {

std::string block_text(const Launch& launch, std::int64_t block) {
  return "(" + number_text(block % launch.grid[0]) + ", " +
         number_text(block / launch.grid[0] % launch.grid[1]) + ")";
}

std::string thread_place_text(const Launch& launch, std::int64_t block, int thread, int line, int step) {
  const std::string where =
      tr("block {0} · warp {1} · lane {2} · line {3}",
         {block_text(launch, block), number_text(thread / 32), number_text(thread % 32), number_text(line)});
  return block == launch.trace.block && step >= 0 ? tr("{0} · step {1}", {where, number_text(step + 1)})
                                                  : where;
}

std::string lines_text(const std::vector<std::uint16_t>& lines) {
  constexpr int kGap = 6;  // lines between two that still count as one stretch
  std::string text;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t last = i;
    while (last + 1 < lines.size() && lines[last + 1] - lines[last] <= kGap) ++last;
    text += (text.empty() ? "" : ", ") + number_text(lines[i]);
    if (last > i) text += "–" + number_text(lines[last]);
    i = last + 1;
  }
  return text.empty() ? "?" : text;
}

std::string lines_words(const std::vector<std::uint16_t>& lines) {
  const std::string text = lines_text(lines);
  return lines.size() > 1 ? tr("Lines {0}", {text}) : tr("Line {0}", {text});
}

std::string lines_words(const SourceLines& at, const Request& request) {
  const std::string words = lines_words(at.lines);
  const std::string name(source_name(at.file));
  for (const RungInfo& rung : find_ladder(request.lab)->info.rungs)
    if (rung.slug == request.rung && rung.file == name) return words;
  return name.empty() ? words : tr("{0} of {1}", {words, name.substr(name.rfind('/') + 1)});
}

const Buffer* buffer_of(const Run& run, std::uint16_t view) {
  for (const Buffer& buffer : run.buffers)
    if (buffer.view == view) return &buffer;
  return nullptr;
}

void add_time_rows(const Run& run, Work work, bool share, std::vector<NumberRow>& rows) {
  if (!run.time || run.time->median_ms <= 0) {
    rows.push_back({msg("time"),
                    run.engine == EngineKind::recording ? tr("not recorded at this size")
                                                        : tr("needs a GPU; not recorded at this size"),
                    ""});
    return;
  }
  const Ladder& ladder = *find_ladder(run.request.lab);
  const double ms = run.time->median_ms, seconds = ms * 1e-3;
  const auto amount = work == Work::bytes ? ladder.bytes : ladder.flops;
  const double rate = amount(run.request.params, run.request.rung) / seconds;
  rows.push_back({msg("time"), time_text(ms), "time.median_ms"});
  rows.push_back(
      {msg("throughput"), work == Work::bytes ? rate_text(rate) : flop_rate_text(rate), "time.median_ms"});
  if (share && run.time->reference_ms > 0)
    rows.push_back(
        {msg("of {0}", {run.time->reference}), percent_text(run.time->reference_ms / ms), "time.median_ms"});
  if (run.time->traced_ms > 0)
    rows.push_back({msg("time while traced"), time_text(run.time->traced_ms), "time.traced_ms"});
}

std::string element_text(const Run& run, const ViewInfo& view, std::uint64_t e) {
  const std::int64_t cols = std::int64_t(view.shape.at(1));
  std::string text = view.name + "[" + number_text(std::int64_t(e) / cols) + "][" +
                     number_text(std::int64_t(e) % cols) + "]";
  if (const Buffer* buffer = buffer_of(run, view.id)) {
    char value[32];
    std::snprintf(value, sizeof value, " = %.6g", element(view, *buffer, e));
    text += value;
  }
  return text;
}

ElementStory element_story(const Run& run, const AccessAxis& axis, const ViewInfo& view, std::uint64_t e) {
  ElementStory story;
  story.text = element_text(run, view, e);
  const Toucher writer = writer_of(axis, view.id, view.element_bytes, e);
  const Toucher reader = reader_of(axis, view.id, view.element_bytes, e);
  for (const Touch& t : run.touches) {
    if (t.view != view.id || e >= t.writer_block.size()) continue;
    const std::size_t writer_launch = e < t.writer_launch.size() ? t.writer_launch[e] : 0,
                      reader_launch = e < t.reader_launch.size() ? t.reader_launch[e] : 0;
    if (t.writer_block[e] != Touch::kNobody) {
      story.text +=
          "\n" + tr("written by {0}", {thread_place_text(run.launches.at(writer_launch), t.writer_block[e],
                                                         t.writer_thread[e], t.writer_line[e], writer.step)});
      story.block = t.writer_block[e];
    }
    if (t.reader_block[e] != Touch::kNobody) {
      // Of several blocks that read it the followed one is told.
      const std::int64_t followed = run.launches.at(reader_launch).trace.block;
      const bool ours = reader.step >= 0;
      story.block = ours ? followed : std::int64_t(t.reader_block[e]);
      const int thread = ours ? reader.thread : int(t.reader_thread[e]);
      story.text += "\n" + tr("read by {0}", {thread_place_text(run.launches.at(reader_launch), *story.block,
                                                                thread, t.reader_line[e], reader.step)});
      if (t.reads[e] > 1)
        story.text += "\n" + tr("read {0} times by the whole grid", {number_text(t.reads[e])});
    }
  }
  if (writer.step >= 0) story.step = writer.step;
  if (reader.step >= 0) story.step = reader.step;
  return story;
}

void show_element_story(Canvas& canvas, const Run& run, const AccessAxis& axis, const ViewInfo& view,
                        std::optional<std::uint64_t> element, bool clicked, StageEvents& events,
                        const std::string& note) {
  if (!element) return;
  const ElementStory story = element_story(run, axis, view, *element);
  const std::int64_t followed = run.launches.at(0).trace.block;
  const bool other = story.block && *story.block != followed;
  canvas.tooltip(story.text + "\n" +
                 (other ? tr("click: follow its block") : tr("click: pin it, and go to its step")) +
                 (note.empty() ? note : "\n" + note));
  if (!clicked) return;
  if (other) {
    events.follow_block = story.block;
  } else {
    events.pin = {view.id, *element};
    events.go_to_step = story.step;
  }
}

}  // namespace lockstep
