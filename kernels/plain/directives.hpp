// Resolves what the three builds of a kernel tell apart by the preprocessor: as nvcc sees the clean build.
#pragma once
#include "edited_text.hpp"

namespace lockstep {

void resolve_directives(EditedText& code);

// "settings.cuh" of `#include "settings.cuh"`, in any spelling; "" of any other directive.
std::string_view included_file(std::string_view directive);

}  // namespace lockstep
