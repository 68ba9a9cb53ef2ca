// What `run --json` prints: the contract of DESIGN.md, fields in its order.
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/devices/gpus.hpp"
#include "app/model/occupancy.hpp"
#include "run_file.hpp"
#include "run_json.hpp"

namespace lockstep {

using Json = nlohmann::ordered_json;

namespace {

// A number that is not finite has no form in JSON: null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json value_json(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return number(*real);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  return std::get<std::string>(value);
}

Json device_json(const Device& d) {
  return {{"name", d.name},
          {"compute_capability", d.compute_capability},
          {"multiprocessors", d.multiprocessors},
          {"clock_mhz", d.clock_mhz},
          {"driver", d.driver},
          {"runtime", d.runtime}};
}

Json counts_json(const std::optional<Counts>& counts) {
  if (!counts) return nullptr;
  Json object;
  for (const CountField& field : kCountFields) object[field.name] = *counts.*field.member;
  return object;
}

Json time_json(const std::optional<Timing>& t) {
  if (!t) return nullptr;
  Json object{{"median_ms", number(t->median_ms)},
              {"min_ms", number(t->min_ms)},
              {"p95_ms", number(t->p95_ms)},
              {"runs", t->runs}};
  if (t->traced_ms > 0) object["traced_ms"] = number(t->traced_ms);
  if (!t->reference.empty()) {
    object["reference"] = t->reference;
    object["reference_ms"] = number(t->reference_ms);
  }
  return object;
}

// What each resource allows, by the rules of the device that the occupancy speaks of; null where it sets no
// limit. `limiter` is the first of `limiters`.
void add_limits(Json& object, const Run& run) {
  const Gpu* gpu = occupancy_gpu(run);
  if (!gpu) return;
  const Occupancy& o = *run.occupancy;
  const ResidentBlocks r = resident_blocks(*gpu, {o.threads_per_block, o.registers, o.shared_bytes});
  Json limits, limiters = Json::array();
  const auto add = [&](const char* name, int blocks) {
    limits[name] = blocks == kNoLimit ? Json(nullptr) : Json(blocks);
    if (blocks == r.blocks) limiters.push_back(name);
  };
  add("registers", r.by_registers), add("shared_bytes", r.by_shared);
  add("warps", r.by_warps), add("blocks", r.by_blocks);
  object["device"] = gpu->word;
  object["limiter"] = limiters.front(), object["limiters"] = limiters, object["limits"] = limits;
}

Json occupancy_json(const Run& run) {
  if (!run.occupancy) return nullptr;
  const Occupancy& o = *run.occupancy;
  Json object{{"threads_per_block", o.threads_per_block}, {"registers", o.registers},
              {"shared_bytes", o.shared_bytes},           {"blocks_per_sm", o.blocks_per_sm},
              {"warps_per_sm", o.warps_per_sm},           {"fraction", number(o.fraction)},
              {"occupancy", number(o.fraction)}};
  add_limits(object, run);
  return object;
}

// "models.hbm" goes to {"models": {"hbm": ...}}; where "models" is a value already, the name stays whole.
void put_nested(Json& object, const std::string& name, Json value) {
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos && dot > 0) {
    Json& inner = object[name.substr(0, dot)];
    if (inner.is_null()) inner = Json::object();
    if (inner.is_object()) return put_nested(inner, name.substr(dot + 1), std::move(value));
  }
  object[name] = std::move(value);
}

Json metrics_json(const Metrics& metrics) {
  Json object = Json::object();
  for (const auto& [name, value] : metrics) put_nested(object, name, value_json(value));
  return object;
}

Json finding_json(const Finding& f) {
  Json object{{"kind", f.kind}, {"block", f.block}, {"thread", f.thread}, {"line", f.line}, {"file", f.file}};
  if (f.other_thread >= 0) {
    object["other_thread"] = f.other_thread;
    object["other_line"] = f.other_line;
  }
  object["what"] = f.what.text();
  return object;
}

}  // namespace

std::string run_to_json(const Run& run) {
  Json object;
  object["lab"] = run.request.lab;
  object["rung"] = run.request.rung;
  object["engine"] = name_of(run.engine);
  object["provenance"] = provenance_words(run);
  object["params"] = Json::object();
  for (const auto& [name, value] : run.request.params) object["params"][name] = value_json(value);
  object["device"] = device_json(run.device);
  object["check"] = {{"pass", run.check.pass},
                     {"max_error", number(run.check.max_error)},
                     {"tolerance", number(run.check.tolerance)}};
  object["counts"] = counts_json(run.counts);
  object["time"] = time_json(run.time);
  object["occupancy"] = occupancy_json(run);
  object["metrics"] = metrics_json(run.metrics());
  object["warnings"] = Json::array();
  for (const Message& warning : run.warnings) object["warnings"].push_back(warning.text());
  object["findings"] = Json::array();
  for (const Finding& finding : run.findings) object["findings"].push_back(finding_json(finding));
  return dump(object, 2);
}

}  // namespace lockstep
