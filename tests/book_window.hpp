// What is told in the window in place of a lab's story, in all four looks.
#pragma once
#include "drawn_texts.hpp"
#include "story_window.hpp"

namespace lockstep::test {

inline void check_look(App& app, float width, float height) {
  SvgCanvas canvas(width, height, app.theme().ground);
  draw_app(canvas, app, {0, 0, width, height});
  const auto texts = canvas.texts();
  const auto faults = faults_of(texts);
  const std::string first = faults.empty() ? "" : faults.front();
  CAPTURE(width);
  CAPTURE(app.state().projector);
  CAPTURE(first);
  CHECK(faults.size() == 0);
  CHECK(texts.size() > 2);
  const float least =
      app.state().projector && !app.state().home ? 18 * app.presentation_scale() - 0.01f : 9.5f;
  CHECK(std::all_of(texts.begin(), texts.end(), [&](const auto& t) { return t.rect.h >= least; }));
}

// Light and dark, window and presentation, small and large; the state is as before.
inline void check_looks(App& app) {
  const float scrolled = app.right_scroll;
  const bool dark = app.state().dark, reply = app.shows_reply;
  for (const bool presented : {false, true})
    for (const auto& [width, height] : {std::pair{1280.f, 720.f}, {1600.f, 900.f}, {3840.f, 2160.f}}) {
      if (kSanitized && (width == 3840.f || presented == (width == 1280.f))) continue;  // one of each
      app.set_projector(presented);
      app.set_dark(width == 1600.f ? !dark : dark);  // where it stands does not depend on its colours
      check_look(app, width, height);
      app.right_scroll = scrolled;
    }
  app.set_projector(false), app.set_dark(dark);
  app.shows_reply = reply;
}

}  // namespace lockstep::test
