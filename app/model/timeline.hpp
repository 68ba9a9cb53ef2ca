// Spans of time in lanes: API calls of a CPU thread, kernels of a stream, ranges of NVTX. Times in ns on one
// axis.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lockstep {

struct TimelineSpan {
  std::int64_t start_ns = 0, end_ns = 0;  // end >= start
  std::uint32_t name = 0;                 // into Timeline::names
  std::uint16_t kind = 0;   // colour and meaning are the lab's: api call, kernel, gap, range, mark …
  std::uint16_t depth = 0;  // nesting within its lane (set by `nest`)
  std::uint32_t id = 0;     // unique in the timeline, for edges and selection
  std::int64_t length_ns() const { return end_ns - start_ns; }
};

// The spans of one depth of a lane: they do not overlap, so that starts and ends both rise.
struct TimelineRow {
  std::vector<std::uint32_t> spans;  // indices into the lane's spans
  // [block * kinds.size() + kind] ns (and one per span) of each kind in the spans before this block of
  // kRowBlock, so that the commonest kind of any stretch is found without visiting its spans.
  std::vector<std::uint16_t> kinds;  // in use, rising
  std::vector<std::int64_t> weight_before;
};
constexpr std::size_t kRowBlock = 64;

struct TimelineLane {
  std::uint32_t name = 0;
  std::string group;
  std::vector<TimelineSpan> spans;  // sorted by start
  std::vector<TimelineRow> rows;    // by depth; made by `nest`
};

struct TimelineEdge {
  std::uint32_t from = 0, to = 0;  // span ids: dependency, launch → kernel
  std::uint16_t kind = 0;
};

// A range of positions in a row.
struct RowRange {
  std::size_t first = 0, end = 0;
  std::size_t count() const { return end - first; }
};

// Sorts the lane's spans by start (the longer first where two start together), sets their depths by
// containment and makes the rows. A span that overlaps another without lying in it goes to the next free row.
// Spans that end before they start are given length 0.
void nest(TimelineLane& lane);

// The positions of a row whose spans touch [t0, t1]: two binary searches.
RowRange spans_in(const TimelineLane& lane, std::size_t row, std::int64_t t0, std::int64_t t1);
// The same over all rows, as indices into the lane's spans, sorted by start.
std::vector<std::uint32_t> spans_in(const TimelineLane& lane, std::int64_t t0, std::int64_t t1);
// The kind that most of the time of these spans belongs to; the range is not empty.
std::uint16_t commonest_kind(const TimelineLane& lane, std::size_t row, RowRange range);

// What is drawn of a row: one span, or several that lie too close to be told apart.
struct TimelineBar {
  std::int64_t start_ns = 0, end_ns = 0;  // of the first and of the last of them
  std::uint16_t kind = 0;                 // of several: the commonest
  RowRange spans;                         // positions in the row
};
// The bars of what touches [t0, t1]: a span of at least `least_ns` is a bar of its own; shorter ones that
// begin in the same cell of `least_ns` are one bar. The cells are counted from time 0, so that bars do not
// change while a picture moves. Cost: a search per bar, whatever the number of spans.
std::vector<TimelineBar> fold(const TimelineLane& lane, std::size_t row, std::int64_t t0, std::int64_t t1,
                              double least_ns);

struct Timeline {
  std::vector<std::string> names;
  std::vector<TimelineLane> lanes;
  std::vector<TimelineEdge> edges;
  std::vector<std::string> kinds, edge_kinds;  // what files call the kinds: "kernel", "launch"; may be short

  std::uint32_t intern(std::string_view name);
  // A new lane at the end; the reference holds until the next one is added.
  TimelineLane& add_lane(std::string_view name, std::string_view group = "");
  // Adds a span with an id of its own, which is returned. Call `nest` when the lane is complete.
  std::uint32_t add(TimelineLane& lane, std::string_view name, std::int64_t start_ns, std::int64_t end_ns,
                    std::uint16_t kind = 0);
  // `nest` for every lane, and the index that `find` and `edges_of` need.
  void nest();

  struct Place {
    std::uint32_t lane = 0, span = 0;  // index into lanes, into the lane's spans
    bool operator==(const Place&) const = default;
  };
  // Where the span of this id is, since the last `nest()`; nothing where there is none.
  std::optional<Place> find(std::uint32_t id) const;
  const TimelineSpan& at(Place place) const { return lanes[place.lane].spans[place.span]; }
  // Edges that begin or end at this span, as indices into `edges`, since the last `nest()`.
  std::span<const std::uint32_t> edges_of(std::uint32_t id) const;

  // Of all spans, since the last `nest()`; 0 where there are none.
  std::int64_t first_ns() const;
  std::int64_t last_ns() const;
  std::size_t span_count() const;

 private:
  std::unordered_map<std::string, std::uint32_t> name_index_;
  std::size_t indexed_ = 0;  // of the names
  struct Indexed {
    Place place;
    std::uint32_t first_edge = 0, edges = 0;
  };
  std::unordered_map<std::uint32_t, Indexed> places_;
  std::vector<std::uint32_t> edge_index_;
  std::uint32_t next_id_ = 1;
};

}  // namespace lockstep
