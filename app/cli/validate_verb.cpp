// validate: what scripts/validate.py runs under the profiler and the sanitizers.
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/validate_settings.hpp"
#include "app/cli/verbs.hpp"
#include "app/engine/cuda_engine.hpp"
#include "app/engine/rung_lookup.hpp"
#include "app/platform/files.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/emulate.hpp"

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

// How many a plan's row will have, as the launcher says without any.
Result<Json> planned_launches(const Request& request) {
  const RungRef found = find_rung(request);
  return Json{{"launches", simt::launches_of(*found.ladder, found.rung->file, request.params).size()}};
}

Result<Json> worked(const Request& request, ValidateArguments::Work work) {
  switch (work) {
    case ValidateArguments::Work::clean:
      return launched(request);
    case ValidateArguments::Work::streams:
      return compared(request);
    case ValidateArguments::Work::unchecked:
      if (Status done = launch_unchecked(request); !done) return done.error();
      break;
    case ValidateArguments::Work::plan:
      return planned_launches(request);
  }
  return Json::object();
}

struct Row {
  Request request;
  std::string file;
  bool drawn = false;
};

Row row_of(const Ladder& ladder, const RungInfo& rung, Params params, bool drawn) {
  Row row{{}, rung.file, drawn};
  row.request.lab = ladder.info.slug, row.request.rung = rung.slug;
  row.request.params = std::move(params);
  return row;
}

// Of each rung asked for: the settings of its ladder, then those drawn.
Result<std::vector<Row>> planned(const RunArguments& arguments, const ValidateArguments& how) {
  if (arguments.lab && !find_ladder(*arguments.lab))
    return bad_input("the lab {0} has no kernels to validate", {*arguments.lab});
  std::vector<Row> rows;
  for (const Ladder* ladder : ladders()) {
    if (arguments.lab && ladder->info.slug != *arguments.lab) continue;
    for (const RungInfo& rung : ladder->info.rungs) {
      if (arguments.rung && *arguments.rung != rung.slug) continue;
      std::vector<Params> fixed;
      for (const Params& params : ladder->validated_at(rung.slug))
        fixed.push_back(carried_params(ladder->info, rung.slug, params));
      for (const Params& params : fixed) rows.push_back(row_of(*ladder, rung, params, false));
      for (Params& params : drawn_settings(*ladder, rung, how.drawn, how.seed, fixed))
        rows.push_back(row_of(*ladder, rung, std::move(params), true));
    }
  }
  return rows;
}

Params params_of(const Json& object) {
  Params params;
  for (const auto& [name, value] : object.items())
    if (value.is_string())
      params[name] = value.get<std::string>();
    else if (value.is_number_float())
      params[name] = value.get<double>();
    else
      params[name] = value.get<std::int64_t>();
  return params;
}

Result<std::vector<Row>> rows_of_file(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 64 << 20;
  const auto bytes = read_file(path, kMostBytes);
  if (!bytes) return bytes.error();
  std::vector<Row> rows;
  try {
    for (const Json& object : Json::parse(bytes->begin(), bytes->end())) {
      const Ladder* ladder = find_ladder(object.at("lab").get<std::string>());
      const int rung = ladder ? ladder->info.rung_index(object.at("rung").get<std::string>()) : -1;
      if (rung < 0) return bad_input("{0} names a rung that this program does not have", {path});
      const RungInfo& info = ladder->info.rungs[std::size_t(rung)];
      auto params = complete_params(ladder->info, info.slug, params_of(object.at("params")));
      if (!params) return params.error();
      rows.push_back(row_of(*ladder, info, std::move(*params), object.value("drawn", false)));
    }
  } catch (const Json::exception&) {
    return bad_input("{0} is not a list of settings: [{\"lab\", \"rung\", \"params\"}]", {path});
  }
  return rows;
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

Outcome validate_labs(const RunArguments& arguments, const ValidateArguments& how) {
  auto rows = how.settings ? rows_of_file(*how.settings) : planned(arguments, how);
  if (!rows) return rows.error();
  Json all = Json::array();
  for (const Row& row : *rows) {
    Json object{{"lab", row.request.lab},
                {"rung", row.request.rung},
                {"file", row.file},
                {"hash", source_hash(row.file)},
                {"params", params_json(row.request.params)}};
    if (row.drawn) object["drawn"] = true;
    if (find_ladder(row.request.lab)->racy(row.request.rung)) object["racy"] = true;
    if (find_ladder(row.request.lab)->waits(row.request.rung)) object["waits"] = true;
    const auto result = worked(row.request, how.work);
    object.update(result ? *result : Json{{"error", result.error().text()}});
    all.push_back(std::move(object));
  }
  std::cout << all.dump() << std::endl;
  return Exit::done;
}

}  // namespace lockstep
