// A scene: lab, rung, parameters, followed block and warp, and step, as a small JSON file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

struct SceneFile {
  std::string lab, rung;
  std::vector<std::string> settings;  // "n=256", as --set takes them
  std::int64_t block = 0, warp = 0;
  int step = -1;  // -1 = the lab's default
};

// {"schema":1,"lab":"transpose","rung":"naive","params":{"n":256},"block":0,"warp":0,"step":12}; all but
// schema, lab and rung may be left out. The values are checked like flags, later.
Result<SceneFile> load_scene(const std::filesystem::path& path);
// The same from a file's text; `name` stands in the error.
Result<SceneFile> parse_scene(std::string_view text, const std::string& name);

}  // namespace lockstep
