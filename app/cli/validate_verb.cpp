// validate: what scripts/validate.py runs under the profiler and the sanitizers.
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/verbs.hpp"
#include "app/engine/cuda_engine.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

Json params_json(const Params& params) {
  Json object = Json::object();
  for (const auto& [name, value] : params)
    std::visit([&, &key = name](const auto& held) { object[key] = held; }, value);
  return object;
}

Json counts_json(const Counts& counts) {
  Json object = Json::object();
  for (const CountField& field : kCountFields) object[field.name] = counts.*field.member;
  return object;
}

Result<Json> launched(const Request& request) {
  const auto run = launch_clean(request);
  if (!run) return run.error();
  Json object{{"pass", run->check.pass}, {"max_error", run->check.max_error}};
  if (run->occupancy) {
    object["registers"] = run->occupancy->registers;
    object["shared_bytes"] = run->occupancy->shared_bytes;
    object["blocks_per_sm"] = run->occupancy->blocks_per_sm;
  }
  object["device"] = {
      {"name", run->device.name}, {"driver", run->device.driver}, {"runtime", run->device.runtime}};
  return object;
}

Json models_json(const StreamComparison& streams) {
  return {{"l2_load_bytes", streams.l2_load_bytes},
          {"l2_store_bytes", streams.l2_store_bytes},
          {"hbm_load_bytes", streams.hbm_load_bytes},
          {"hbm_store_bytes", streams.hbm_store_bytes}};
}

Result<Json> compared(const Request& request) {
  const auto streams = compare_streams(request);
  if (!streams) return streams.error();
  return Json{{"streams_equal", streams->difference.empty()},
              {"difference", streams->difference},
              {"events_of_block", streams->events},
              {"launches", streams->launches},
              {"mask_differences", streams->mask_differences},
              {"emulator_pass", streams->emulated_pass},
              {"emulator", counts_json(streams->emulated)},
              {"gpu_trace", counts_json(streams->traced)},
              {"models", models_json(*streams)}};
}

constexpr int kPerKernel = 100;

}  // namespace

Outcome validate_occupancy() {
  const auto sweep = sweep_occupancy(kPerKernel);
  if (!sweep) return sweep.error();
  Json object{
      {"device",
       {{"name", sweep->device.name}, {"driver", sweep->device.driver}, {"runtime", sweep->device.runtime}}},
      {"compared", sweep->compared}};
  object["kernels"] = Json::array(), object["differences"] = Json::array();
  for (const auto& k : sweep->kernels)
    object["kernels"].push_back({{"file", k.file},
                                 {"registers", k.registers},
                                 {"static_shared_bytes", k.static_shared_bytes},
                                 {"max_threads", k.max_threads},
                                 {"answers", k.answers}});
  for (const auto& d : sweep->differences)
    object["differences"].push_back({{"file", d.file},
                                     {"registers", d.registers},
                                     {"threads", d.threads},
                                     {"shared_bytes", d.shared_bytes},
                                     {"driver", d.driver},
                                     {"model", d.model}});
  std::cout << object.dump() << std::endl;
  return sweep->differences.empty() ? Exit::done : Exit::check_failed;
}

Outcome validate_labs(const RunArguments& arguments, bool streams) {
  if (arguments.lab && !find_ladder(*arguments.lab))
    return bad_input("the lab {0} has no kernels to validate", {*arguments.lab});
  Json all = Json::array();
  for (const Ladder* ladder : ladders()) {
    if (arguments.lab && ladder->info.slug != *arguments.lab) continue;
    for (const RungInfo& rung : ladder->info.rungs)
      for (const Params& params : ladder->validation_params) {
        if (arguments.rung && *arguments.rung != rung.slug) continue;
        Request request;
        request.lab = ladder->info.slug, request.rung = rung.slug;
        request.params = carried_params(ladder->info, rung.slug, params);
        Json row{{"lab", request.lab},
                 {"rung", rung.slug},
                 {"file", rung.file},
                 {"hash", source_hash(rung.file)},
                 {"params", params_json(request.params)}};
        const auto result = streams ? compared(request) : launched(request);
        if (!result) return result.error();
        row.update(*result);
        all.push_back(std::move(row));
      }
  }
  std::cout << all.dump() << std::endl;
  return Exit::done;
}

}  // namespace lockstep
