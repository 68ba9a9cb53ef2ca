// The figures of a run, a step and a device by the names that expressions have for them: a run's are those of
// `run --json`.
#pragma once
#include <string_view>

#include "app/model/gpu.hpp"
#include "app/model/run.hpp"
#include "story.hpp"

namespace lockstep {

// "counts.shared_load_wavefronts", "time.median_ms", "occupancy.fraction", "params.n", "device.name",
// "metrics.models.hbm_load_bytes", "rung", "findings" (how many). Exit::unavailable where this run has no
// such figure (a time without a GPU), else the name is wrong.
Result<Value> run_figure(const Run& run, std::string_view path);
// "sm_count", "memory_bandwidth", "shared_bytes_per_sm" ...: bytes, bytes per second, FLOP per second, Hz.
Result<Value> device_figure(const Gpu& gpu, std::string_view name);

// The request that a scene makes, complete, of `lab` or of the one that it names; the engine is left open
// where the scene does.
Result<Request> scene_request(const std::string& lab, const SceneSetup& setup);
// The request for `rung` ("padded", "gemm/shared", "" for the scene's own) with `settings` in place of those
// of `scene`; of another lab the defaults.
Result<Request> request_beside(const Request& scene, const std::string& rung, const Params& settings);

}  // namespace lockstep
