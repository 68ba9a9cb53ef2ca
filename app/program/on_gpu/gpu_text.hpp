// What a GPU said of a program, as JSON and for people.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "../program_run.hpp"

namespace lockstep::reader {

nlohmann::ordered_json gpu_to_json(const GpuRun& gpu);
std::string describe_gpu(const GpuRun& gpu, const ProgramRun& run);

}  // namespace lockstep::reader
