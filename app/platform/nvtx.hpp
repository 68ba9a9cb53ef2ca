// NVTX: named stretches that a profiler beside the program shows. The header-only NVTX3 of the
// toolkit, where that is found: without a profiler a call is a look at a null pointer; without the header it
// is nothing.
#pragma once
#include <cstdint>

namespace lockstep {

// Ranges of one thread nest: each pop ends the last push.
void nvtx_push(const char* name);
void nvtx_pop();
// A range that may end on another thread, in any order.
std::uint64_t nvtx_start(const char* name);
void nvtx_end(std::uint64_t range);
void nvtx_mark(const char* name);
void nvtx_name_thread(const char* name);

}  // namespace lockstep
