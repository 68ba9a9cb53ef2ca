// Run files of strangers, drawn as the window draws them.
#include "app/engine/engine.hpp"
#include "app/labs/lab.hpp"
#include "app/model/pipeline.hpp"
#include "app/model/stopwatch.hpp"
#include "app/shell/shell.hpp"
#include "fuzz_parts.hpp"
#include "kernels/experiments.hpp"

using namespace lockstep;

namespace {

Run small_run(const char* lab, const char* rung, std::map<std::string, std::int64_t> sizes = {}) {
  Request request;
  request.lab = lab, request.rung = rung;
  request.params = *complete_params(find_lab(lab)->info(), rung, {sizes.begin(), sizes.end()});
  auto run = make_emulator_engine()->run(request, [](const Progress&) { return true; });
  fuzz::promise(run.ok(), "the emulator runs");
  run->findings.push_back(
      {"out_of_bounds", 0, 0, -1, 1, 0, "", {"beyond", {}}});  // so that offsets may be anything
  return std::move(*run);
}

// What a GPU would have added to these: times of every call and kernel, of every stopwatch's runs.
Run timed_pipeline() {
  Run run = small_run("graphs", "fork_join", {{"kernels", 5}, {"branches", 2}});
  const auto nodes =
      plan_of<PipelinePlan>(*find_ladder("graphs"))->nodes(run.request.params, run.request.rung);
  const std::vector<double> lengths(nodes.size(), 3);
  const LaunchCosts costs = known_launch_costs();
  run.evidence.merge(
      record_metrics("stream", nodes, modelled_stream(nodes, lengths, costs), stream_starts(costs)));
  run.evidence.merge(
      record_metrics("graph", nodes, modelled_graph(nodes, lengths, costs), graph_starts(costs)));
  run.evidence.merge(cost_metrics(costs));
  return run;
}
Run timed_kernel() {
  Run run = small_run("timing", "scale", {{"elements", 40}});
  Stopwatches all;
  for (StopwatchRuns& one : all) one = {90, {5, 6, 7}};
  run.evidence.merge(stopwatch_metrics(all));
  run.evidence.merge(product_metrics({{32, 1, 5}, {4096, 1024, 330}}));
  return run;
}

// One lab or another, by the length of the input.
constexpr std::size_t kLabs = 8;
const fuzz::Parts& parts(std::size_t size) {
  static const fuzz::Parts all[kLabs] = {
      fuzz::Parts(small_run("transpose", "padded")),
      fuzz::Parts(small_run("banks", "layout")),
      fuzz::Parts(small_run("gemm", "ldmatrix", {{"m", 32}, {"n", 32}, {"k", 32}})),
      fuzz::Parts(small_run("softmax", "online", {{"rows", 2}, {"cols", 33}})),
      fuzz::Parts(small_run("attention", "flash1", {{"seq", 33}})),
      fuzz::Parts(small_run("attention", "standard", {{"seq", 9}})),
      fuzz::Parts(timed_pipeline()),
      fuzz::Parts(timed_kernel())};
  return all[size % kLabs];
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::vector<std::string> seeds;
  for (std::size_t lab = 0; lab < kLabs; ++lab)
    for (std::string& seed : parts(lab).seeds()) seeds.push_back(std::move(seed));
  fuzz::write_seeds(seeds);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto read = decode_run(parts(size).archive_from({data, size}), "input");
  if (!read) return 0;
  auto run = as_recording(std::move(*read), "input");
  if (!run) return 0;
  ShotOptions options;
  options.run = std::move(*run);
  options.request = options.run->request;
  options.output = "picture.svg";
  fuzz::promise(shot_bytes(options).ok(), "a run that was read can be drawn");
  return 0;
}
