// A tour: scenes in the order in which they are shown, each with notes for the one who speaks. It is a story
// whose scenes each name their lab (Story::lab stays empty), read from a file of the stories' form: what a
// teacher has learned there holds here, and a scene of a lab's story can be taken as it is.
//
//   ---
//   title: Where do the bytes go?
//   minutes: 45
//   ---
//   # Rows in, columns out
//   ```scene
//   story: transpose, 2        (or lab, rung, settings, at, frame, as in a story)
//   ```
//   ```notes
//   Let them vote before you press Enter.
//   ```
//
// A scene that is taken from a story keeps its text and its question where the tour has none of its own.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "story.hpp"

namespace lockstep {

// A tour from its text; `name` is what errors call it. `stories` are those whose scenes it may take.
Result<Story> read_tour(std::string_view bytes, const std::string& name, std::span<const Story> stories);
Result<Story> load_tour(const std::filesystem::path& file, std::span<const Story> stories);

// The file of a tour: as it was typed where there is such a file, else the tour of this name in the first
// folder that has it (FOLDER/<language>/NAME.md, FOLDER/NAME.md, FOLDER/en/NAME.md).
Result<std::filesystem::path> find_tour(const std::string& typed,
                                        const std::vector<std::filesystem::path>& folders,
                                        std::string_view language);
// The same tour in another language, where it lies beside the folder of this one; else the file itself.
std::filesystem::path tour_in_language(const std::filesystem::path& file, std::string_view language);
// What `lockstep tour NAME` may name, by name.
std::vector<std::string> tour_names(const std::vector<std::filesystem::path>& folders);

}  // namespace lockstep
