// A small run with something in every field.
#pragma once
#include <cstring>

#include "app/model/run.hpp"

namespace lockstep::test {

// 4 threads copy a 2 x 2 matrix through a shared tile.
inline Launch sample_launch() {
  Launch launch;
  launch.kernel = "copy";
  launch.grid = {2, 1, 1};
  launch.block = {4, 1, 1};
  launch.views = {{0, "in", Space::global, "float", 4, {2, 2}, 0},
                  {1, "out", Space::global, "float", 4, {2, 2}, 0},
                  {kFirstSharedView + 7, "tile", Space::shared, "float", 4, {2, 2}, 3}};
  BlockTrace& trace = launch.trace;
  trace.block = 1;
  trace.begin = {0};
  trace.copy_begin = {0};
  for (std::uint32_t t = 0; t < 4; ++t) {
    trace.events.push_back({4 * t, 15, 100 + t, 77, 12, 0, 4, Kind::load});
    trace.events.push_back({4 * t, 15, 200 + t, 77, 13, kFirstSharedView + 7, 4, Kind::store});
    trace.events.push_back({0, 15, 300, 77, 14, 0, 0, Kind::barrier});
    trace.events.push_back({4 * t, 15, 400 + t, 77, 15, 1, 4, Kind::store});
    trace.begin.push_back(trace.events.size());
    trace.copies.push_back({4 * t, 4 * t, 4, 0, 1, 2, 3, 0, kFirstSharedView + 7, 77, 16});
    trace.copy_begin.push_back(trace.copies.size());
  }
  trace.l2_sectors = {1, 0};
  trace.hbm_sectors = {1, 1};
  return launch;
}

inline Run sample_run() {
  Run run;
  run.request = {"transpose", "copy", {{"n", std::int64_t{2}}}, EngineKind::automatic, 1, 0, 2.5,
                 true,        false};
  run.engine = EngineKind::cuda;
  run.date = "2026-11-21";
  run.device = {"NVIDIA H200", 90, 132, 1980, "580.159.04", "13.0"};
  run.check = {true, 1e-7, 1e-5};
  run.counts = Counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  run.time = Timing{0.5, 0.4, 0.6, 20, 1.5, 0.45, "cudaMemcpy"};
  run.occupancy = Occupancy{256, 16, 4224, 8, 64, 1.0};
  run.evidence = Evidence(
      {{"models.hbm_load_bytes", std::int64_t{65536}}, {"models.error", 0.04}, {"note", std::string("ok")}});
  run.provenance = {{"counts", "measured"}, {"metrics.models", "modelled, error 4 %"}};
  run.warnings = {{"block {0} of {1}", {"1", "2"}}};
  run.findings = {{"race", 1, 3, 2, 12, 13, "transpose/01_copy.cuh", {"thread {0} races", {"3"}}}};
  run.launches = {sample_launch()};
  const float values[4] = {1, 2, 3, 4};
  for (std::uint16_t view : {0, 1}) {
    Buffer buffer{view, std::vector<std::uint8_t>(sizeof values)};
    std::memcpy(buffer.bytes.data(), values, sizeof values);
    run.buffers.push_back(buffer);
    run.touches.push_back({view,
                           {0, 1, 0, 1},
                           {1, 1, 1, Touch::kNobody},
                           {0, 1, 2, 3},
                           {15, 15, 15, 15},
                           {0, 1, 2, 0},
                           {12, 12, 12, 0},
                           {1, 1, 1, 0},
                           {0, 0, 0, 0},
                           {0, 0, 0, 0}});
  }
  run.source_hash = "0123456789abcdef";
  return run;
}

}  // namespace lockstep::test
