// What stories, claims and exercises share: the lines above a text, and the block that sets the lab.
#pragma once
#include <filesystem>
#include <vector>

#include "app/labs/lab.hpp"
#include "fields.hpp"

namespace lockstep {

// Lines between two "---": "key: value"; `body` becomes where the text begins.
Result<std::vector<Field>> read_front_matter(const SourceText& source, std::size_t& body);
Result<int> minutes_in(const SourceText& source, const Field& field);
// A `scene` block. Its words are those of `lab`, unless it names one of its own.
Result<SceneSetup> read_setup(const SourceText& source, const MarkdownBlock& block, const LabInfo& lab);
// One field of it; what is no field of every scene is a setting of the lab.
Status read_scene_field(const SourceText& source, const Field& field, SceneSetup& setup);
// Rung and settings are the lab's, and go together. `offset`: where what is missing would stand.
Status check_setup(const SourceText& source, const LabInfo& lab, const SceneSetup& setup, std::size_t offset);
// The Markdown files right in a folder, by name; words.md is the glossary and none of them.
std::vector<std::filesystem::path> markdown_files_in(const std::filesystem::path& folder);

}  // namespace lockstep
