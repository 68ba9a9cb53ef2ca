// Text for people: one-line errors and aligned tables.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/run.hpp"

namespace lockstep {

// Control characters (a line break in a file name) become spaces: an error is one line.
std::string one_line(std::string_view text);

// Columns as wide as their widest cell, two spaces between; the last one is not padded.
std::string table(const std::vector<std::vector<std::string>>& rows);

std::string rounded(double number);  // four significant digits

// A run: settings, numbers with the words of their provenance, then warnings and findings.
std::string describe(const Run& run);

}  // namespace lockstep
