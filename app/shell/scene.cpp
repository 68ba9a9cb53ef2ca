#include "scene.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/platform/files.hpp"
#include "scene_link.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMaxSceneBytes = 1 << 20;
constexpr double kMostNs = 1e18;

struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string named(const char* key, const char* what) { return std::string("'") + key + "' " + what; }

void require(bool condition, const std::string& what) {
  if (!condition) throw Unreadable(what);
}

std::string text_in(const Json& scene, const char* key) {
  require(scene.contains(key), named(key, "is missing"));
  require(scene[key].is_string(), named(key, "is not a text"));
  return scene[key].get<std::string>();
}

std::int64_t whole(const Json& value, const char* key, std::int64_t max) {
  require(value.is_number_integer(), named(key, "is not a whole number"));
  const double size = value.get<double>();
  require(size >= 0 && size <= double(max), named(key, "is outside 0 to ") + std::to_string(max));
  return value.get<std::int64_t>();
}

std::int64_t whole_or(const Json& scene, const char* key, std::int64_t max, std::int64_t otherwise) {
  return scene.contains(key) ? whole(scene[key], key, max) : otherwise;
}

std::optional<bool> switch_in(const Json& scene, const char* key) {
  if (!scene.contains(key)) return {};
  require(scene[key].is_boolean(), named(key, "is not true or false"));
  return scene[key].get<bool>();
}

std::string setting(const std::string& name, const Json& value) {
  require(value.is_number() || value.is_string(),
          named("params", "holds something else than numbers and words"));
  if (value.is_string()) return name + "=" + value.get<std::string>();
  return name + "=" +
         to_string(value.is_number_integer() ? Value{value.get<std::int64_t>()} : Value{value.get<double>()});
}

void read_settings(const Json& json, SceneFile& scene) {
  if (!json.contains("params")) return;
  require(json["params"].is_object(), named("params", "is not an object"));
  for (const auto& [name, value] : json["params"].items()) scene.settings.push_back(setting(name, value));
}

TimeRange read_times(const Json& json, const char* key) {
  require(json.is_array() && json.size() == 2 && json[0].is_number() && json[1].is_number(),
          named(key, "is not two times in ns"));
  const TimeRange range{json[0].get<double>(), json[1].get<double>()};
  require(std::abs(range.start_ns) <= kMostNs && std::abs(range.end_ns) <= kMostNs,
          named(key, "is too long ago or too far ahead"));
  return range;
}

TimelineView read_timeline(const Json& json) {
  require(json.is_object(), named("timeline", "is not an object"));
  TimelineView view;
  if (json.contains("shown")) {
    view.shown = read_times(json["shown"], "shown");
    require(view.shown->end_ns > view.shown->start_ns, named("shown", "ends before it starts"));
  }
  if (json.contains("brush")) view.brush = read_times(json["brush"], "brush");
  if (json.contains("search")) view.search = text_in(json, "search");
  view.selected = std::uint32_t(whole_or(json, "selected", UINT32_MAX, 0));
  view.first_lane = int(whole_or(json, "first_lane", INT32_MAX, 0));
  return view;
}

void read_view(const Json& json, SceneFile& scene) {
  if (json.contains("timeline")) scene.timeline = read_timeline(json["timeline"]);
  if (json.contains("compare")) scene.compare = text_in(json, "compare");
  scene.dark = switch_in(json, "dark"), scene.projector = switch_in(json, "projector");
  if (json.contains("language")) {
    const std::string language = text_in(json, "language");
    require(language == "en" || language == "zh", named("language", "is neither en nor zh"));
    scene.language = language == "zh" ? Language::chinese : Language::english;
  }
  if (!json.contains("pinned")) return;
  const Json& pinned = json["pinned"];
  require(pinned.is_array() && pinned.size() == 2, named("pinned", "is not a view and an element"));
  scene.pinned = {std::uint16_t(whole(pinned[0], "pinned", UINT16_MAX)),
                  std::uint64_t(whole(pinned[1], "pinned", std::int64_t{1} << 53))};
}

SceneFile scene_from(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  require(json.is_object(), "the text is not a JSON object");
  require(json.contains("schema") && json["schema"] == 1, "its schema is not 1");
  SceneFile scene;
  scene.lab = text_in(json, "lab"), scene.rung = text_in(json, "rung");
  read_settings(json, scene);
  scene.block = whole_or(json, "block", std::int64_t{1} << 53, 0);
  scene.warp = whole_or(json, "warp", std::int64_t{1} << 53, 0);
  scene.step = int(whole_or(json, "step", INT32_MAX, -1));
  if (json.contains("at")) {
    scene.at = parse_step_key(text_in(json, "at"));
    require(scene.at.has_value(), named("at", "is not the name of a step, as in \"write out, warp 4\""));
  }
  read_view(json, scene);
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
  if (looks_like_link(path.string())) {
    auto link = parse_scene_link(path.string());
    if (!link) return link.error();
    if (!link->scene) return bad_input("the link {0} leads to no lab; open it in a browser", {path.string()});
    return std::move(*link->scene);
  }
  auto bytes = read_file(path, kMaxSceneBytes);
  if (!bytes) return bytes.error();
  return parse_scene({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path.string());
}

namespace {

nlohmann::ordered_json timeline_json(const TimelineView& view) {
  auto json = nlohmann::ordered_json::object();
  if (view.shown) json["shown"] = {view.shown->start_ns, view.shown->end_ns};
  if (view.brush) json["brush"] = {view.brush->start_ns, view.brush->end_ns};
  if (!view.search.empty()) json["search"] = view.search;
  if (view.selected) json["selected"] = view.selected;
  if (view.first_lane) json["first_lane"] = view.first_lane;
  return json;
}

}  // namespace

std::string timeline_text(const TimelineView& view) {
  const auto json = timeline_json(view);
  return json.empty() ? "" : json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<TimelineView> parse_timeline(std::string_view text, const std::string& name) {
  try {
    return read_timeline(Json::parse(text, nullptr, false));
  } catch (const std::exception& fault) {
    return bad_input("{0} is not a view of a timeline: {1}", {name, fault.what()});
  }
}

std::string scene_text(const AppState& state, const std::string& moment) {
  nlohmann::ordered_json json{{"schema", 1}, {"lab", state.lab}, {"rung", state.rung}};
  json["params"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : state.params)
    std::visit([&, key = name](const auto& v) { json["params"][key] = v; }, value);
  json["block"] = state.block, json["warp"] = state.warp;
  if (!moment.empty())
    json["at"] = moment;
  else if (state.step >= 0)
    json["step"] = state.step;
  if (!state.compare.empty() && !names_saved_run(state.compare))
    json["compare"] = state.compare;  // a file may be gone
  if (state.pinned) json["pinned"] = {state.pinned->first, state.pinned->second};
  if (const auto timeline = timeline_json(state.timeline); !timeline.empty()) json["timeline"] = timeline;
  if (state.dark) json["dark"] = true;
  if (state.projector) json["projector"] = true;
  if (state.language == Language::chinese) json["language"] = "zh";
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string default_file_name(const AppState& state, std::string_view ending) {
  return "lockstep-" + state.lab + "-" + state.rung + std::string(ending);
}

namespace {

// Single quotes around whatever a shell might read as something else.
std::string for_shell(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Which run: a saved one, or lab, rung and settings.
std::vector<std::string> run_words(const AppState& state) {
  if (!state.saved.empty()) return {"--run", state.saved};
  std::vector<std::string> words{state.lab, "--rung", state.rung};
  for (const auto& [name, value] : state.params)
    words.insert(words.end(), {"--set", name + "=" + to_string(value)});
  if (state.engine != EngineKind::automatic)
    words.insert(words.end(), {"--engine", std::string(name_of(state.engine))});
  const Lab* lab = find_lab(state.lab);
  const Followed usual = lab ? lab->opens_at(state.rung, state.params) : Followed{};
  const bool unlike =
      !state.block && (usual.block || (!state.warp && usual.warp));  // says so, else they are usual
  if (state.block || unlike) words.insert(words.end(), {"--block", std::to_string(state.block)});
  return words;
}

std::vector<std::string> view_words(const AppState& state) {
  std::vector<std::string> words;
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (state.warp) add({"--warp", std::to_string(state.warp)});
  add({"--step", std::to_string(state.step)});
  if (!state.compare.empty()) add({"--compare", state.compare});
  if (state.pinned)
    add({"--pin", std::to_string(state.pinned->first) + "," + std::to_string(state.pinned->second)});
  if (const std::string view = timeline_text(state.timeline); !view.empty()) add({"--timeline", view});
  if (state.dark) add({"--theme", "dark"});
  if (state.language == Language::chinese) add({"--lang", "zh"});
  if (state.projector) add({"--projector"});
  return words;
}

}  // namespace

std::string shot_command(const AppState& state, PictureSize size, const std::string& output) {
  std::vector<std::string> flags{"--size", std::to_string(size.width) + "x" + std::to_string(size.height)};
  char scale[16];
  std::snprintf(scale, sizeof scale, "%g", double(size.scale));
  if (size.scale != 1) flags.insert(flags.end(), {"--scale", scale});
  return figure_command(state, flags, output);
}

std::string figure_command(const AppState& state, const std::vector<std::string>& flags,
                           const std::string& output) {
  std::string text = "lockstep shot";
  for (const auto& words : {run_words(state), view_words(state), flags})
    for (const std::string& word : words) text += " " + for_shell(word);
  return text + " -o " + for_shell(output);
}

}  // namespace lockstep
