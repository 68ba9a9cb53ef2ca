// Claims put to the test: popular statements that a run refutes or refines. One file each,
// assets/claims/{en,zh}/NAME.md: above it `lab`, `title` (the claim) and `verdict` (holds, depends, wrong);
// then sections of fixed names: "# claim" with its `scene` block, "# model", one of "# measured",
// "# recorded" and "# emulated" at least, "# verdict". Read into a story of one scene that asks whether the
// claim holds; what follows the answer is labelled by its section.
#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "story.hpp"

namespace lockstep {

Result<Story> read_claim(std::string_view bytes, const std::string& name);
// Those beside folders of stories: FOLDER/../claims/<language>/*.md and right in FOLDER/../claims. The first
// of a name wins; one that is not there in this language is taken in English. In the order of the labs.
std::vector<Story> load_claims(const std::vector<std::filesystem::path>& story_folders,
                               std::string_view language, std::vector<Error>& faults);

}  // namespace lockstep
