// What `lockstep shot` draws, as SVG, asked without a page: so tests hold this module against the desktop's
// program.
#include <emscripten.h>

#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "app/shell/shot_app.hpp"

namespace lockstep {
namespace {

std::string picture(const std::string& file, int width, int height, bool dark, bool chinese, bool figure) {
  auto run = load_recording(file);
  if (!run) return "error: " + run.error().text();
  static const auto recordings = make_recording_engine({"/recordings"});
  ShotOptions options;
  options.request = run->request;
  options.timed = timed_recordings(*recordings, run->request.lab);
  options.run = std::move(*run), options.run_name = file;
  options.width = width, options.height = height;
  options.dark = dark, options.language = chinese ? Language::chinese : Language::english;
  options.output = "picture.svg";
  App app = app_for(options);
  if (Status there = go_there(app, options); !there) return "error: " + there.error().text();
  if (!figure) return svg_of_window(app, options);
  const auto drawn = draw_figure(app, usual_figure(app, options), options.output);
  return drawn ? std::string(drawn->bytes.begin(), drawn->bytes.end()) : "error: " + drawn.error().text();
}

}  // namespace
}  // namespace lockstep

// `file`: a run file in the module's file system. The text holds until the next call.
extern "C" EMSCRIPTEN_KEEPALIVE const char* lockstep_picture(const char* file, int width, int height,
                                                             int dark, int chinese, int figure) {
  static std::string text;
  text = lockstep::picture(file, width, height, dark, chinese, figure);
  return text.c_str();
}
