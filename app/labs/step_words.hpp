// A step in words: for a screen reader, and beside a picture of it.
#pragma once
#include <string>
#include <vector>

#include "lab.hpp"

namespace lockstep {

// Its title, each number of the headline with its unit and provenance, and its sentence.
std::vector<std::string> step_in_words(const LabScene& scene, const LabView& view);

}  // namespace lockstep
