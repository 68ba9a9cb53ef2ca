// Who wrote an element of a global view and who read it, in words: the same in every lab.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "app/model/progress.hpp"
#include "lab.hpp"

namespace lockstep {

std::string block_text(const Launch& launch, std::int64_t block);  // "(2, 1)"
// "block (2, 1) · warp 3 · lane 21 · line 14 · step 87", the step only where the block is the followed one.
std::string thread_place_text(const Launch& launch, std::int64_t block, int thread, int line, int step);
// "out[3][4]", with its value where the run keeps the buffer.
std::string element_text(const Run& run, const ViewInfo& view, std::uint64_t element);

// Lines of the source: "16", "24–27", "26–28, 91"; a helper of the kernel may stand far from its call.
std::string lines_text(const std::vector<std::uint16_t>& lines);
std::string lines_words(const std::vector<std::uint16_t>& lines);  // "Line 16", "Lines 24–27"
// With the file's name where it is another one than the rung's: "Line 16 of sums.cuh".
std::string lines_words(const SourceLines& at, const Request& request);

// The view's elements as the kernel left them; nullptr where the run does not keep them.
const Buffer* buffer_of(const Run& run, std::uint16_t view);

// Time, throughput, share of the reference and time while traced, of a run that was timed. `work` is in bytes
// or FLOP. Without `share` the reference is left out: where the launch is most of the time it would teach the
// wrong thing.
enum class Work : std::uint8_t { bytes, flop };
void add_time_rows(const Run& run, Work work, bool share, std::vector<NumberRow>& rows);

struct ElementStory {
  std::string text;
  std::optional<std::int64_t> block;  // the one to follow
  std::optional<int> step;
};
ElementStory element_story(const Run& run, const AccessAxis& axis, const ViewInfo& view,
                           std::uint64_t element);

// The story as a tooltip. A click follows the element's block; where that is the followed one already, it
// pins the element and goes to its step. `note`: a last line of the tooltip.
void show_element_story(Canvas& canvas, const Run& run, const AccessAxis& axis, const ViewInfo& view,
                        std::optional<std::uint64_t> element, bool clicked, StageEvents& events,
                        const std::string& note = "");

}  // namespace lockstep
