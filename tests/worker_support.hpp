// What the tests of the worker pool share: requests that the fake worker answers, and a run that died.
#pragma once
#include <doctest/doctest.h>

#include <string>

#include "app/engine/worker.hpp"
#include "places.hpp"

namespace lockstep {

inline WorkerOptions fake_options() {
  WorkerOptions options;
  options.program = kFakeWorker;
  return options;
}

inline Request request_for(const std::string& what, EngineKind engine = EngineKind::emulator) {
  Request request;
  request.lab = what;
  request.engine = engine;
  return request;
}

inline Result<Run> answer(WorkerPool& pool, const Request& request) {
  pool.start(request);
  return pool.wait().run;
}

inline void check_died(const Result<Run>& run, const std::string& why) {
  REQUIRE_FALSE(run);
  CHECK(run.error().exit == Exit::worker_died);
  CHECK_MESSAGE(run.error().text().find(why) != std::string::npos, run.error().text());
}

}  // namespace lockstep
