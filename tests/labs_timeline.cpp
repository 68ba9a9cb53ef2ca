// A timeline on a lab's stage: the view comes from the input and goes to the events.
#include <doctest/doctest.h>

#include "app/draw/canvas_svg.hpp"
#include "app/labs/lab.hpp"

using namespace lockstep;

TEST_CASE(
    "two timelines on one stage share the view; the first one answers the keys, either one the pointer") {
  Timeline t;
  for (int i = 0; i < 10; ++i) t.add(i ? t.lanes[0] : t.add_lane("stream"), "k", i * 100, i * 100 + 80);
  t.nest();
  const auto draw = [&](const TimelineView& view, std::span<const TimelineKey> keys,
                        const std::optional<SvgCanvas::Pointer>& pointer) {
    StageEvents events;
    for (const bool second : {false, true}) {  // once to know the areas
      SvgCanvas canvas(600, 200, light_theme().ground);
      static std::vector<SvgCanvas::DrawnHit> areas;
      if (second && pointer) canvas.put_pointer(*pointer, areas);
      StageInput in{{}, {0, 0, 600, 200}, light_theme()};
      in.view.timeline = view, in.timeline_keys = keys;
      events = {};
      for (int i = 0; i < 2; ++i) {
        TimelinePicture picture;
        picture.id = "stage/" + std::to_string(i), picture.timeline = &t;
        stage_timeline(canvas, in, events, {0, float(i) * 100, 600, 90}, picture);
      }
      areas = canvas.hits();
    }
    REQUIRE(events.timeline);
    return *events.timeline;
  };
  CHECK(draw({}, {}, {}) == TimelineView{});
  const std::vector<TimelineKey> keys{TimelineKey::zoom_in};
  const TimelineView closer = draw({}, keys, {});
  REQUIRE(closer.shown);
  CHECK(closer.shown->end_ns - closer.shown->start_ns == doctest::Approx(490));  // once, not twice
  for (const float y : {20.f, 120.f}) {
    const TimelineView zoomed = draw({}, {}, SvgCanvas::Pointer{{300, y}, false, 1});
    REQUIRE(zoomed.shown);
    CHECK(zoomed.shown->end_ns - zoomed.shown->start_ns == doctest::Approx(980 * 0.8));
  }
}
