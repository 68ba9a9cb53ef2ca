#include "settings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <system_error>

#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"

namespace lockstep {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path settings_path() {
  const fs::path folder = user_config_folder();
  return folder.empty() ? fs::path() : folder / "settings.json";
}

namespace {

// Takes a value where it has the right type; other types leave the default.
template <class T>
void take(Json& json, const char* name, T& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  const bool fits = std::is_same_v<T, bool>   ? found->is_boolean()
                    : std::is_arithmetic_v<T> ? found->is_number()
                                              : found->is_string();
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (fits)
      value =
          T(std::clamp(found->template get<double>(), -1e9, 1e9));  // what does not fit an int is not meant
  } else if (fits) {
    value = found->template get<T>();
  }
  json.erase(name);
}

// Replies by story. What is no such thing is left out.
void take(Json& json, const char* name, std::map<std::string, std::vector<std::string>>& value) {
  constexpr std::size_t kMostStories = 200, kMostReplies = 40, kLongest = 400;
  const auto found = json.find(name);
  if (found == json.end()) return;
  if (found->is_object())
    for (const auto& [story, replies] : found->items()) {
      if (!replies.is_array() || value.size() >= kMostStories) continue;
      for (const Json& reply : replies)
        if (auto& kept = value[story]; kept.size() < kMostReplies)
          kept.push_back(reply.is_string() ? reply.get<std::string>().substr(0, kLongest) : "");
    }
  json.erase(name);
}

// Names of files. What is none is left out.
void take(Json& json, const char* name, std::vector<std::string>& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  if (found->is_array())
    for (const Json& one : *found)
      if (one.is_string() && value.size() < kMostPrograms) value.push_back(one.get<std::string>());
  json.erase(name);
}

template <class F>
void each_field(F&& f, auto& s) {
  f("dark", s.dark), f("motion", s.motion), f("language", s.language);
  f("rail_width", s.rail_width), f("lesson_width", s.lesson_width);
  f("card_share", s.card_share), f("card_folded", s.card_folded);
  f("window_width", s.window_width), f("window_height", s.window_height);
  f("place", s.place), f("place_step", s.place_step), f("place_steps", s.place_steps);
  f("place_story_scene", s.place_story_scene), f("place_book", s.place_book);
  f("typed_field", s.typed_field), f("typed_text", s.typed_text);
  f("stories", s.stories), f("tries", s.tries), f("claims", s.claims), f("student_code", s.student_code),
      f("programs", s.programs);
  f("program_fields", s.program_fields);
}

Status not_kept(const fs::path& path, std::error_code cause) {
  return bad_input("the settings could not be kept in {0}: {1}", {path.string(), cause.message()});
}

template <class T>
T within(T value, T least, T most) {
  return value < least ? least : value > most ? most : value;
}

}  // namespace

Settings load_settings(const fs::path& path, std::optional<Message>* notice) {
  Settings settings;
  std::ifstream file(path, std::ios::binary);
  if (!file) return settings;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    const fs::path kept = path.string() + ".bad";
    std::error_code failed;
    fs::rename(path, kept, failed);
    if (notice)
      *notice = Message{"the settings could not be read; defaults are used, the old file is kept as {0}",
                        {(failed ? path : kept).string()}};
    return settings;
  }
  each_field([&](const char* name, auto& value) { take(json, name, value); }, settings);
  settings.rail_width = within(settings.rail_width, kLeastRailWidth, kMostRailWidth);
  settings.lesson_width = within(settings.lesson_width, kLeastLessonWidth, kMostLessonWidth);
  if (settings.card_share != 0)
    settings.card_share = within(settings.card_share, kLeastCardShare, kMostCardShare);
  settings.window_width = within(settings.window_width, 640, 7680),
  settings.window_height = within(settings.window_height, 480, 4320);
  if (settings.language != "zh") settings.language = "en";
  settings.unknown = json.dump();
  return settings;
}

Status save_settings(const Settings& settings, const fs::path& path) {
  if (path.empty()) return bad_input("there is no home folder to keep the settings in", {});
  Json json = Json::parse(settings.unknown, nullptr, false);
  if (!json.is_object()) json = Json::object();
  each_field([&](const char* name, const auto& value) { json[name] = value; }, settings);
  std::error_code failed;
  if (!fs::create_directories(path.parent_path(), failed) && failed) return not_kept(path, failed);
  static const std::string own = "." + std::to_string(std::random_device{}()) + ".new";
  const fs::path temporary =
      path.string() + own;  // two windows that write at once do not write into one file
  std::ofstream file(temporary, std::ios::binary);
  errno = 0;
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (!(file << text << std::flush)) {
    failed = {errno, std::generic_category()};
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return not_kept(path, failed);
  }
  fs::rename(temporary, path, failed);
  if (failed) return not_kept(path, failed);
  tell_written(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return Unit{};
}

}  // namespace lockstep
