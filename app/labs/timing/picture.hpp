// One kernel and what each stopwatch takes of it; many runs; products from too small to full.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/draw/plot.hpp"
#include "app/labs/lab.hpp"
#include "app/model/pipeline.hpp"
#include "app/model/stopwatch.hpp"
#include "app/model/timeline.hpp"

namespace lockstep {

struct TimingScene {
  bool modelled = false;  // no GPU's times: the models' costs and a length that stands for one
  std::vector<std::optional<StopwatchRuns>> runs;  // by stopwatch
  std::vector<ProductTime> products;
  PipelineRecord record;           // one launch and one wait
  std::vector<double> says_us;     // what each stopwatch says of it
  Timeline timeline;               // the record, and a lane for each stopwatch
  std::vector<std::uint32_t> ids;  // of the stopwatches' spans
};
std::shared_ptr<const TimingScene> timing_scene(const Run& run);

// In words, for people.
std::string label_of(Stopwatch stopwatch);
std::string label_of(Regime regime);
std::string stopwatch_provenance(const Run& run, const TimingScene& scene);

// TFLOP/s against n, one series for each regime.
Plot products_plot(const Run& run, const TimingScene& scene);
void draw_timing(Canvas& canvas, const StageInput& in, StageEvents& events);

}  // namespace lockstep
