#include "paths.hpp"

#include <algorithm>
#include <cstdlib>

namespace lockstep {
namespace fs = std::filesystem;

namespace {

// Below the folder that `variable` names (the standard wants it absolute), or below HOME; empty without both.
fs::path user_folder(const char* variable, const char* below_home) {
  const char* named = std::getenv(variable);
  if (named && *named == '/') return fs::path(named) / "lockstep";
  const char* home = std::getenv("HOME");
  return home && *home ? fs::path(home) / below_home / "lockstep" : fs::path();
}

fs::path user_data_folder() { return user_folder("XDG_DATA_HOME", ".local/share"); }

void add_once(std::vector<fs::path>& folders, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error || !fs::is_directory(real, error)) return;
  if (std::find(folders.begin(), folders.end(), real) == folders.end()) folders.push_back(real);
}

}  // namespace

fs::path program_path() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

fs::path assets_folder() {
  const fs::path folder = program_path().parent_path();
  std::error_code ignored;
  const fs::path installed = folder.parent_path() / "share" / "lockstep";
  if (!fs::exists(folder / "assets", ignored) && fs::exists(installed, ignored)) return installed;
  return folder / "assets";
}

fs::path home_folder() {
  const char* home = std::getenv("HOME");
  return home && *home ? fs::path(home) : fs::path();
}

fs::path typed_path(const std::string& text) {
  const fs::path home = home_folder();
  return !home.empty() && text.starts_with("~/") ? home / text.substr(2) : fs::path(text);
}

std::vector<fs::path> system_font_folders() { return {"/usr/share/fonts"}; }

fs::path user_config_folder() { return user_folder("XDG_CONFIG_HOME", ".config"); }

fs::path user_cache_folder() { return user_folder("XDG_CACHE_HOME", ".cache"); }

namespace {

// Of this name: those given, the user's, the one that somebody put beside the program, and the program's own.
std::vector<fs::path> data_folders(const std::vector<fs::path>& given, const char* name) {
  std::vector<fs::path> folders;
  for (const fs::path& folder : given) add_once(folders, folder);
  if (const fs::path data = user_data_folder(); !data.empty()) add_once(folders, data / name);
  add_once(folders, program_path().parent_path() / name);
  add_once(folders, assets_folder() / name);
  return folders;
}

}  // namespace

std::vector<fs::path> recording_folders(const std::vector<fs::path>& given) {
  return data_folders(given, "recordings");
}

std::vector<fs::path> tour_folders(const std::vector<fs::path>& given) {
  return data_folders(given, "tours");
}

std::vector<fs::path> story_folders(const std::vector<fs::path>& given) {
  return data_folders(given, "stories");
}

std::vector<fs::path> exercise_folders(const std::vector<fs::path>& given) {
  return data_folders(given, "exercises");
}

fs::path user_pages_folder() {
  const fs::path data = user_data_folder();
  return data.empty() ? fs::path() : data / "pages";
}

fs::path pages_folder() {
  std::error_code ignored;
  for (const fs::path& folder : data_folders({}, "pages"))
    if (fs::exists(folder / "index.html", ignored)) return folder;
  return {};
}

fs::path user_answers_folder() {
  const fs::path data = user_data_folder();
  return data.empty() ? fs::path() : data / "answers";
}

}  // namespace lockstep
