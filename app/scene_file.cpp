#include "app/scene_file.hpp"

#include <nlohmann/json.hpp>

#include "app/engine/damaged.hpp"
#include "app/engine/run_file.hpp"
#include "app/engine/run_json.hpp"
#include "app/platform/files.hpp"

namespace lockstep {
namespace {

constexpr std::uint64_t kMaxSceneBytes = 1 << 20;

std::int64_t integer_or(const nlohmann::json& scene, const char* key, std::int64_t max,
                        std::int64_t otherwise) {
  return scene.contains(key) ? read_integer(scene, key, 0, max) : otherwise;
}

SceneFile scene_from(std::string_view text) {
  const nlohmann::json json = parse_object(text);
  require(read_integer(json, "schema", INT64_MIN, INT64_MAX) == 1, "its schema is not 1");
  SceneFile scene;
  scene.lab = read_text(json, "lab");
  scene.rung = read_text(json, "rung");
  if (json.contains("params"))
    for (const auto& [name, value] : read_values(json, "params"))
      scene.settings.push_back(name + "=" + to_string(value));
  scene.block = integer_or(json, "block", INT64_MAX, 0);
  scene.warp = integer_or(json, "warp", INT64_MAX, 0);
  scene.step = int(integer_or(json, "step", INT32_MAX, -1));
  return scene;
}

}  // namespace

Result<SceneFile> parse_scene(std::string_view text, const std::string& name) {
  try {
    return scene_from(text);
  } catch (const std::exception& fault) {
    return bad_input("{0} is not a scene that can be read: {1}", {name, fault.what()});
  }
}

Result<SceneFile> load_scene(const std::filesystem::path& path) {
  auto bytes = read_file(path, kMaxSceneBytes);
  if (!bytes) return bytes.error();
  return parse_scene({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path.string());
}

}  // namespace lockstep
