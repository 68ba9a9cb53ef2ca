// The headers that stand in for CUDA's, as they are built in (app/program/headers).
#pragma once
#include "app/model/embedded.hpp"

namespace lockstep {
extern const EmbeddedFile embedded_reader_headers[];
extern const int embedded_reader_headers_count;
}  // namespace lockstep
