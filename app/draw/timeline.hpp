// A timeline: lanes of spans over one axis of time, with zoom, pan, a measuring brush and search. Plain data
// in, what the reader did out; what is looked at is the caller's.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/model/timeline.hpp"
#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

class TextEdit;

// A stretch of time in ns; of a brush, the end may lie before the start.
struct TimeRange {
  double start_ns = 0, end_ns = 0;
  bool operator==(const TimeRange&) const = default;
};

// What of a timeline is looked at.
struct TimelineView {
  std::optional<TimeRange> shown;  // nothing: all of it
  std::optional<TimeRange> brush;  // the stretch that is measured
  std::string search;              // spans whose name contains it stand out
  std::uint32_t selected = 0;      // id of a span; 0 = none
  int first_lane = 0;              // where not all lanes fit
  bool operator==(const TimelineView&) const = default;
};

// What the keyboard asks of a timeline.
enum class TimelineKey : std::uint8_t {
  zoom_in,  // around the selected span, the current time or the middle
  zoom_out,
  all,      // the whole time, every lane
  earlier,  // by a quarter of what is shown
  later,
  lane_up,
  lane_down,
  next,  // selects the next match of the search, else the next span of the lane
  previous,
  measure,  // from here; again: to here; a third time: no more
};

// How a kind of span looks.
struct TimelineKind {
  std::string name;  // for what several short ones are said to be: "kernel"
  Color color;
  bool gap = false;  // fills the row without a name, and is not counted as a span
};

struct TimelinePicture {
  std::string id;  // "stage/timeline"
  const Timeline* timeline = nullptr;
  std::vector<TimelineKind> kinds;       // by TimelineSpan::kind; the last one for all above
  std::optional<TimeRange> extent;       // of the axis; nothing: the timeline's own
  std::optional<double> now_ns;          // the current step's time
  std::vector<std::uint32_t> now_spans;  // what the current step does; neighbours of a row share a frame
  // By the timeline's names: what stands in a bar that is too short for its name ("launch"); "" = nothing.
  std::vector<std::string> short_names;
  TextEdit* search = nullptr;  // while it is being typed
  bool caret_shown = true;
  bool searchable = true;  // what is searched for stands below the names
  float label_width = 96;  // of the lanes' names, at type size 1
  // What is told beside the pointer; nothing: name, start and length.
  std::function<std::string(const TimelineSpan&)> tell;
};

struct TimelineHit {
  TimelineView view;                     // as the reader left it
  std::optional<std::uint32_t> hovered;  // id of the span under the pointer
  std::optional<std::uint32_t> chosen;   // clicked, or selected by a key
  std::optional<double> clicked_ns;      // where no span was
  bool wants_search = false;             // the search was clicked
  Rect search_area;
};

// The height of r that shows every lane at its full size.
float timeline_height(const Theme& theme, const TimelinePicture& picture);
float tallest_timeline(const Theme& theme, const TimelinePicture& picture);  // more stays empty
// Keys are those typed since the last frame.
TimelineHit draw_timeline(Canvas& canvas, const Theme& theme, Rect r, const TimelinePicture& picture,
                          const TimelineView& view, std::span<const TimelineKey> keys = {});

// --- what the widget is made of (timeline_view.cpp)

// The axis' extent, never empty; what of it the view shows, inside it.
TimeRange whole_range(const TimelinePicture& picture);
TimeRange shown_range(const TimelinePicture& picture, const TimelineView& view);
// The view with `factor` times as much time shown, `around_ns` in its place; moved by so many ns; showing
// this stretch.
TimelineView zoomed(const TimelinePicture& picture, TimelineView view, double around_ns, double factor);
TimelineView panned(const TimelinePicture& picture, TimelineView view, double by_ns);
TimelineView showing(const TimelinePicture& picture, TimelineView view, TimeRange range);
// What a key does to a view. A key that selects returns the id in *chosen.
TimelineView with_key(const TimelinePicture& picture, TimelineView view, TimelineKey key,
                      std::optional<std::uint32_t>* chosen = nullptr);
// [name] whether it contains the text, upper and lower case alike (of ASCII); none for an empty text.
std::vector<bool> matching_names(const Timeline& timeline, std::string_view text);

// What the brush measures: its length, the spans that it touches (gaps aside), and how much of their time
// lies in it, by kind.
struct Measure {
  double length_ns = 0;
  std::size_t spans = 0;
  std::vector<double> ns_by_kind;  // by TimelineSpan::kind, as many as there are kinds
};
Measure measure_of(const Timeline& timeline, TimeRange range, std::span<const TimelineKind> kinds);

// 850 ns, 12.4 µs, 3.06 ms; -12.4 µs.
std::string span_text(double ns);
// Round times inside the range, at most `most`, with their texts: "12.5 µs".
struct TimeTick {
  double ns = 0;
  std::string text;
};
std::vector<TimeTick> time_ticks(TimeRange range, int most);

}  // namespace lockstep
