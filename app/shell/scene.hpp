// A scene: lab, rung, parameters, followed block and warp, step, and what else belongs to a view, as text.
// And the command line that draws the same picture.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app.hpp"

namespace lockstep {

struct SceneFile {
  std::string lab, rung;
  std::vector<std::string> settings;  // "n=256", as --set takes them
  std::int64_t block = 0, warp = 0;
  int step = -1;              // -1 = where the lab opens
  std::optional<StepKey> at;  // the same by name, whatever its number in this run; goes before it
  // What a scene may leave open.
  std::string compare;  // a rung
  std::optional<bool> dark, projector;
  std::optional<Language> language;
  std::optional<std::pair<std::uint16_t, std::uint64_t>> pinned;  // view, element
  std::optional<TimelineView> timeline;
};

// {"schema":1,"lab":"transpose","rung":"naive","params":{"n":256},"block":0,"warp":0,"at":"write out, warp
// 4"}; all but schema, lab and rung may be left out, "step":12 may be there instead of "at", and
// "compare":"padded", "pinned":[1,513], "dark":true, "projector":true, "language":"zh" and
// "timeline":{"shown":[0,12000],"brush":[500,900],"search":"norm", "selected":7,"first_lane":2} (ns; each may
// be left out) may be there. Values are checked for their type; whether there is such a lab, rung or value is
// asked later. `name` is what the error calls the text.
Result<SceneFile> parse_scene(std::string_view text, const std::string& name);
// From a file; a link to a scene (scene_link.hpp) may stand in its name's place.
Result<SceneFile> load_scene(const std::filesystem::path& path);

// The scene on screen as text; a view that is as usual (light, English, no projector) is left out, so that
// the one who opens it keeps their own. `moment`: the step's key as text; where it is "" the number stands,
// and without one (-1) the scene opens where the lab opens.
std::string scene_text(const AppState& state, const std::string& moment = "");
// lockstep-transpose-padded.json
std::string default_file_name(const AppState& state, std::string_view ending);

// What a scene holds under "timeline": "" where all of it is shown; and back.
std::string timeline_text(const TimelineView& view);
Result<TimelineView> parse_timeline(std::string_view text, const std::string& name);

// `lockstep shot ... -o output`, quoted for a shell.
struct PictureSize {
  int width = 1600, height = 900;
  float scale = 1;
};
std::string shot_command(const AppState& state, PictureSize size, const std::string& output);
// The same with flags of its own in place of a window's size.
std::string figure_command(const AppState& state, const std::vector<std::string>& flags,
                           const std::string& output);

}  // namespace lockstep
