// The small part of a run file, for looking through many of them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/model/run.hpp"

namespace lockstep {

// The text of a run file's manifest; reads the archive's directory and that entry only.
Result<std::string> load_manifest_text(const std::filesystem::path& path);
// The texts of a folder's run files in one file, as scripts/web_site.py packs them: hundreds of files take a
// browser half a second. For each a line "NAME BYTES" (the run file's path below the folder), the text, a
// line end.
struct ManifestText {
  std::filesystem::path path;  // of the run file
  std::string text;
};
inline constexpr const char* kManifestsFile = "manifests";
Result<std::vector<ManifestText>> load_manifest_texts(const std::filesystem::path& folder);
// Whose it is, much sooner than by all of it.
Result<Device> device_of_manifest(std::string_view text, const std::string& name);
// What such a text says: a run with empty columns. `name` is for the error.
Result<Run> run_of_manifest(std::string_view text, const std::string& name);

}  // namespace lockstep
