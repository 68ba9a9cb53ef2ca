// record and bench: every rung on this machine's GPU.

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/cli/print.hpp"
#include "app/cli/session.hpp"
#include "app/cli/verbs.hpp"
#include "app/cli/window_runner.hpp"
#include "app/engine/bench.hpp"
#include "app/engine/experiment.hpp"
#include "app/engine/run_file.hpp"
#include "app/labs/lab.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/ranges_record.hpp"
#include "app/model/recorded_beside.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "app/platform/process.hpp"
#include "app/shell/app.hpp"
#include "app/shell/shell.hpp"
#include "kernels/experiments.hpp"

namespace lockstep {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr const char* kDefaultFolder = "assets/recordings";

// Ladders that were asked for; all without a name.
Result<std::vector<const Ladder*>> chosen_ladders(const RunArguments& arguments) {
  if (!arguments.lab) return ladders();
  if (const Ladder* ladder = find_ladder(*arguments.lab)) return std::vector<const Ladder*>{ladder};
  auto lab = lab_named(*arguments.lab);
  if (!lab) return lab.error();
  return bad_input("the lab {0} has no kernels to measure; choose another", {(*lab)->slug});
}

// One rung may be named; all without a name.
bool asked_for(const RunArguments& arguments, const std::string& rung) {
  return !arguments.rung || *arguments.rung == rung;
}

// A request on the GPU for one rung; `given` are parameters, defaults fill the rest.
Result<Request> gpu_request(const RunArguments& arguments, const Ladder& ladder, const RungInfo& rung,
                            Params given) {
  if (!lab_named(ladder.info.slug)) {  // microbenchmarks
    auto params = complete_params(ladder.info, rung.slug, given);
    if (!params) return params.error();
    Request request;
    request.lab = ladder.info.slug, request.rung = rung.slug, request.params = std::move(*params);
    request.engine = EngineKind::cuda;
    return request;
  }
  RunArguments typed = arguments;
  typed.lab = ladder.info.slug;
  typed.rung = rung.slug;
  typed.engine = "cuda";
  auto request = make_request(typed);
  if (!request) return request;
  for (auto& [name, value] : given) request->params[name] = std::move(value);
  return request_for_rung(*request, rung.slug);
}

// "NVIDIA GeForce RTX 4090" -> "geforce-rtx-4090".
std::string device_slug(std::string name) {
  constexpr std::string_view kVendor = "NVIDIA ";
  if (name.starts_with(kVendor)) name.erase(0, kVendor.size());
  std::string slug;
  for (unsigned char c : name) {
    if (std::isalnum(c))
      slug += char(std::tolower(c));
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug.empty() ? "device" : slug;
}

// The bundled recordings are 48 MB in all, for 25 labs and two devices: a scene that takes more than this,
// deflated, keeps its times and counts.
constexpr std::uintmax_t kLargestScene = 800'000;

void keep_times_only(Run& run) {
  run.launches.clear();
  run.buffers.clear();
  run.touches.clear();
}

// A validation record: what the profiler counted of the compiled kernels, what libraries take.
Result<Json> read_counters(const std::optional<std::string>& path) {
  if (!path) return Json::object();
  constexpr std::uint64_t kMostBytes = 64 << 20;
  auto bytes = read_file(*path, kMostBytes);
  if (!bytes) return bytes.error();
  Json record = Json::parse(bytes->begin(), bytes->end(), nullptr, false);
  if (!record.is_object() || !record.contains("rows"))
    return bad_input("{0} is not a validation record: make one with scripts/validate.py", {*path});
  return record;
}

// The entries of a list of the record that are of this run.
std::vector<Json> entries_of(const Json& record, const char* list, const Run& run) {
  const Json params = Json::parse(run_to_json(run))["params"];
  std::vector<Json> found;
  if (record.contains(list))
    for (const Json& row : record[list])
      if (row.at("lab") == run.request.lab && row.at("rung") == run.request.rung &&
          row.at("params") == params)
        found.push_back(row);
  return found;
}

// Where the compiled kernel counts otherwise than the source says, both are kept.
void add_compiled_counts(Run& run, const Json& record) {
  CompiledEvidence compiled;
  for (const Json& row : entries_of(record, "rows", run))
    for (const Json& name : row.at("differences"))
      compiled.counts[name.get<std::string>()] =
          row.at("hardware").at(name.get<std::string>()).get<std::int64_t>();
  run.evidence.merge(compiled.flat());
}

// What the profiler counted of the same launch at its real size, of which no trace is kept.
void add_counted(Run& run, const Json& record) {
  CountedEvidence counted;
  for (const Json& row : entries_of(record, "large", run))
    for (const auto& [name, count] : row.at("hardware").items())
      counted.counts[name] = count.get<std::int64_t>();
  run.evidence.merge(counted.flat());
}

// What other people's libraries took for the same problem on the same GPU. The first one named is the run's
// reference, where it has none of its own.
void add_libraries(Run& run, const Json& record) {
  if (!run.time) return;
  LibrariesEvidence libraries;
  for (const Json& row : entries_of(record, "libraries", run)) {
    const auto ms = row.at("median_ms").get<double>();
    libraries.ms[row.at("slug").get<std::string>()] = ms;
    if (run.time->reference_ms == 0)
      run.time->reference = row.at("name").get<std::string>(), run.time->reference_ms = ms;
  }
  run.evidence.merge(libraries.flat());
}

class Recorder {
 public:
  Recorder(const RunArguments& arguments, fs::path folder, Json counters)
      : arguments_(arguments), folder_(std::move(folder)), counters_(std::move(counters)), session_({}) {}

  Outcome record(const Ladder& ladder) {
    for (const RungInfo& rung : ladder.info.rungs) {
      if (!asked_for(arguments_, rung.slug)) continue;
      auto scene = gpu_request(arguments_, ladder, rung, {});
      if (!scene) return scene.error();
      if (const Lab* lab = find_lab(ladder.info.slug)) {
        const Followed followed = lab->opens_at(rung.slug, scene->params);
        scene->block = followed.block, scene->warp = followed.warp;
      }
      auto bench = gpu_request(arguments_, ladder, rung, ladder.bench_params(rung.slug));
      if (!bench) return bench.error();
      if (Status recorded = one(*scene, "", false); !recorded) return recorded.error();
      if (bench->params != scene->params)
        if (Status recorded = one(*bench, "_bench", true); !recorded) return recorded.error();
    }
    for (const RecordedSetting& setting : ladder.recorded_params)
      if (!asked_for(arguments_, setting.rung))
        continue;
      else if (Status recorded = times_at(ladder, setting); !recorded)
        return recorded.error();
    return failed_ ? Exit::check_failed : Exit::done;
  }

 private:
  Status times_at(const Ladder& ladder, const RecordedSetting& setting) {
    auto request =
        gpu_request(arguments_, ladder,
                    ladder.info.rungs.at(std::size_t(ladder.info.rung_index(setting.rung))), setting.params);
    if (!request) return request.error();
    std::string suffix;
    for (const auto& [name, value] : setting.params) suffix += "_" + name + to_string(value);
    return one(*request, suffix, true);
  }

  // A wrong result is not recorded. Of times alone no trace is needed where the sizes tell the rest.
  Status one(Request request, const std::string& suffix, bool times_only) {
    const Ladder& ladder = *find_ladder(request.lab);
    if (times_only) {
      request.trace = !ladder.asked_bytes;
      prepare_for(Purpose::record_times, ladder, request);
    }
    auto run = session_.run(request);
    if (!run) return run.error();
    const std::string name = request.lab + "_" + request.rung + suffix + ".npz";
    if (!run->check.pass) {
      failed_ = true;
      std::cerr << "lockstep: " << request.lab << "/" << request.rung
                << " failed its check and was not recorded\n";
      return Unit{};
    }
    forget_recorded(*run);
    // What the program did for a run is a subject of the labs about launching alone.
    if (!keeps_ranges(ladder)) forget(*run, RangesEvidence::kind);
    add_compiled_counts(*run, counters_);
    add_counted(*run, counters_);
    add_libraries(*run, counters_);
    if (times_only) keep_times_only(*run);
    const fs::path device = folder_ / device_slug(run->device.name);
    if (Status made = make_output_folder(device); !made) return made;
    if (Status saved = save_run(*run, device / name, Packing::deflated); !saved) return saved;
    if (!times_only && fs::file_size(device / name) > kLargestScene) {
      keep_times_only(*run);
      if (Status saved = save_run(*run, device / name, Packing::deflated); !saved) return saved;
    }
    std::cout << (device / name).string() << std::endl;
    return Unit{};
  }

  const RunArguments& arguments_;
  fs::path folder_;
  Json counters_;
  Session session_;
  bool failed_ = false;
};

// --- bench
// ----------------------------------------------------------------------------------------------------

struct BenchRow {
  Run run;
  double gigabytes_per_s = 0, teraflops = 0;
  double of_reference = 0;  // 1 = as fast as the vendor's; 0 = no reference
};

BenchRow bench_row(const Ladder& ladder, Run run) {
  BenchRow row{std::move(run)};
  if (!row.run.time || row.run.time->median_ms <= 0) return row;
  const Request& request = row.run.request;
  row.gigabytes_per_s = ladder.bytes(request.params, request.rung) / row.run.time->median_ms / 1e6;
  row.teraflops = ladder.flops(request.params, request.rung) / row.run.time->median_ms / 1e9;
  row.of_reference = row.run.time->reference_ms / row.run.time->median_ms;
  return row;
}

// Beside a time.
bool holds_own_measurement(const Run& run) {
  const auto kinds = evidence_kinds();
  return std::any_of(kinds.begin(), kinds.end(), [&](const EvidenceKind* kind) {
    return kind->of_a_gpu && !run.evidence.of(*kind).empty();
  });
}

Json row_json(const BenchRow& row) {
  Json object{{"rung", row.run.request.rung}, {"pass", row.run.check.pass}};
  const Json run = Json::parse(run_to_json(row.run));
  object["time"] = run["time"];
  object["params"] = run["params"];
  const Json& metrics = run["metrics"];
  if (holds_own_measurement(row.run)) {
    object["metrics"] = metrics;
    object["metrics"].erase("map");
    for (Json& group : object["metrics"])  // every call and kernel: a recording's matter
      if (group.is_object()) group.erase("record");
    object["metrics"].erase("ranges");
  }
  object["gigabytes_per_s"] = row.gigabytes_per_s;
  if (row.teraflops > 0) object["teraflops"] = row.teraflops;
  object["fraction_of_reference"] = row.of_reference > 0 ? Json(row.of_reference) : Json(nullptr);
  return object;
}

Json ladder_json(const Ladder& ladder, const std::vector<BenchRow>& rows) {
  Json object{{"lab", ladder.info.slug}, {"reference", ladder.reference}};
  object["device"] = rows.empty() ? Json(nullptr) : Json::parse(run_to_json(rows.front().run))["device"];
  object["provenance"] = "measured";
  object["rungs"] = Json::array();
  for (const BenchRow& row : rows) object["rungs"].push_back(row_json(row));
  return object;
}

std::string metric_text(const Run& run, const std::string& name) {
  const auto at = run.metrics().find(name);
  if (at == run.metrics().end()) return "-";
  if (const auto* real = std::get_if<double>(&at->second)) return rounded(*real);
  return to_string(at->second);
}

// Every number below measured, without its spread and what is kept as text.
std::vector<std::string> measured_names(const std::vector<BenchRow>& rows) {
  std::set<std::string> names;
  for (const BenchRow& row : rows)
    for (const auto& [name, value] : row.run.metrics())
      if (name.starts_with("measured.") && !name.ends_with("_min") && !name.ends_with("_max") &&
          !name.ends_with("_p95") && !std::holds_alternative<std::string>(value))
        names.insert(name);
  return {names.begin(), names.end()};
}

// Columns of what is measured in place of a time: the experiments' own, else every number.
std::vector<BenchColumn> columns_of(const Ladder& ladder, const std::vector<BenchRow>& rows) {
  for (const auto& plan : ladder.experiments)
    if (auto columns = plan->bench_columns(); !columns.empty()) return columns;
  std::vector<BenchColumn> columns;
  constexpr std::size_t kGroup = sizeof "measured." - 1;
  for (const std::string& name : measured_names(rows)) columns.push_back({name.substr(kGroup), name});
  return columns;
}

// A ladder that has experiments in place of a time.
std::string experiment_text(const Ladder& ladder, const std::vector<BenchRow>& rows) {
  const auto columns = columns_of(ladder, rows);
  std::vector<std::vector<std::string>> cells{{"rung", "check"}};
  for (const BenchColumn& column : columns) cells[0].push_back(column.title);
  for (const BenchRow& row : rows) {
    cells.push_back({row.run.request.rung, row.run.check.pass ? "pass" : "FAIL"});
    for (const BenchColumn& column : columns) cells.back().push_back(metric_text(row.run, column.figure));
  }
  const auto* measured = plan_of<MeasurementPlan>(ladder);
  const std::string unit = measured && !measured->unit.empty() ? ", " + measured->unit : "";
  return ladder.info.slug + "  " + (rows.empty() ? "" : rows.front().run.device.name + "  measured" + unit) +
         "\n" + table(cells);
}

std::string ladder_text(const Ladder& ladder, const std::vector<BenchRow>& rows) {
  const bool computes = !rows.empty() && rows.front().teraflops > 0;
  std::vector<std::vector<std::string>> cells{{"rung", "check", "median ms", "min ms", "p95 ms",
                                               computes ? "TFLOP/s" : "GB/s", "reference ms",
                                               "of reference"}};
  for (const BenchRow& row : rows) {
    const Timing time = row.run.time.value_or(Timing{});
    cells.push_back({row.run.request.rung, row.run.check.pass ? "pass" : "FAIL", rounded(time.median_ms),
                     rounded(time.min_ms), rounded(time.p95_ms),
                     rounded(computes ? row.teraflops : row.gigabytes_per_s),
                     row.of_reference > 0 ? rounded(time.reference_ms) : "-",
                     row.of_reference > 0 ? rounded(row.of_reference * 100) + " %" : "-"});
  }
  std::string title = ladder.info.slug;
  if (!rows.empty()) {
    for (const auto& [name, value] : rows.front().run.request.params)
      title += "  " + name + "=" + to_string(value);
    title += "  " + rows.front().run.device.name + "  measured";
    if (!ladder.reference.empty()) title += "  reference " + ladder.reference;
  }
  return title + "\n" + table(cells);
}

Result<std::vector<BenchRow>> bench_ladder(const RunArguments& arguments, const Ladder& ladder,
                                           Session& session) {
  std::vector<BenchRow> rows;
  for (const RungInfo& rung : ladder.info.rungs) {
    if (!asked_for(arguments, rung.slug)) continue;
    auto request = gpu_request(arguments, ladder, rung, ladder.bench_params(rung.slug));
    if (!request) return request.error();
    request->trace = false;  // times alone
    prepare_for(Purpose::bench, ladder, *request);
    auto run = session.run(*request);
    if (!run) return run.error();
    rows.push_back(bench_row(ladder, std::move(*run)));
  }
  return rows;
}

Outcome bench_rungs(const RunArguments& arguments) {
  auto chosen = chosen_ladders(arguments);
  if (!chosen) return chosen.error();
  Session session({});
  Json all = Json::array();
  bool pass = true;
  for (const Ladder* ladder : *chosen) {
    auto rows = bench_ladder(arguments, *ladder, session);
    if (!rows) return rows.error();
    pass &= std::all_of(rows->begin(), rows->end(), [](const BenchRow& row) { return row.run.check.pass; });
    if (arguments.json)
      all.push_back(ladder_json(*ladder, *rows));
    else
      std::cout << (replaces_time(*ladder) ? experiment_text(*ladder, *rows) : ladder_text(*ladder, *rows))
                << std::flush;
  }
  if (arguments.json) std::cout << Json{{"ladders", std::move(all)}}.dump(2) << std::endl;
  return pass ? Exit::done : Exit::check_failed;
}

void print_lines(const std::vector<BenchLine>& lines, bool json) {
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const BenchLine& line : lines) {
    list.push_back({{"name", line.name}, {"value", line.value}, {"unit", line.unit}, {"note", line.note}});
    rows.push_back({line.name, rounded(line.value) + " " + line.unit, line.note});
  }
  if (json)
    std::cout << Json{{"lines", std::move(list)}}.dump(2) << std::endl;
  else
    std::cout << table(rows) << std::flush;
}

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Lets time pass as the window does, 1 ms a tick, until nothing is due and no run goes on.
void settle(App& app) {
  for (auto last = Clock::now(); app.wants_frames();) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto now = Clock::now();
    app.tick(std::chrono::duration<double>(now - last).count());
    last = now;
  }
}

// From moving a slider to the new run on screen, through the worker, at the lab's default settings.
BenchLine slider_to_picture(const std::string& slug, EngineKind engine) {
  constexpr int kChanges = 41;
  const auto runner = make_window_runner(program_path(), {});
  AppState state;
  state.lab = slug, state.engine = engine;
  App app(state, runner.get());
  settle(app);
  const Parameter& p = app.info().parameters.front();
  const auto start = std::get<std::int64_t>(app.state().params.at(p.name));
  std::int64_t next = start + 1;
  for (std::size_t i = 0; i + 1 < p.choices.size(); ++i)
    if (p.choices[i] == std::to_string(start)) next = std::stoll(p.choices[i + 1]);
  std::vector<double> ms;
  for (int i = 0; i < kChanges; ++i) {
    const auto begin = Clock::now();
    app.set_param(p.name, Value{i % 2 ? start : next});
    settle(app);
    ms.push_back(ms_since(begin));
  }
  std::sort(ms.begin(), ms.end());
  const std::string on = engine == EngineKind::cuda ? ", launched and timed on the GPU" : "";
  return {"slider to new picture, " + slug + on, "ms", ms[ms.size() / 2],
          p.name + " " + std::to_string(start) + " and " + std::to_string(next) +
              ", with the wait for a slider that still moves; median of 41, slowest " + rounded(ms.back())};
}

// A process of its own that draws one picture without a display: start, engine, run, fonts, GL, PNG.
BenchLine start_to_picture() {
  const fs::path picture =
      fs::temp_directory_path() / ("lockstep-bench-" + std::to_string(process_id()) + ".png");
  const std::string command =
      "'" + program_path().string() + "' shot " + yardstick().lab + " -o '" + picture.string() + "'";
  std::vector<double> ms;
  for (int i = 0; i < 7; ++i) {
    const auto begin = Clock::now();
    if (std::system(command.c_str()) != 0) return {"start to written picture", "ms", 0, "failed"};
    ms.push_back(ms_since(begin));
  }
  std::error_code error;
  fs::remove(picture, error);
  std::sort(ms.begin(), ms.end());
  return {"start to written picture", "ms", ms[ms.size() / 2],
          "lockstep shot " + yardstick().lab + ", 1600 x 900, median of 7"};
}

// The window's work per frame, on the default run of every rung of every lab.
Outcome bench_window(const RunArguments& arguments) {
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  Session session(std::move(*folders));
  std::vector<Run> runs;
  for (const LabInfo* lab : lab_infos())
    for (const RungInfo& rung : lab->rungs) {
      RunArguments one = arguments;
      one.lab = lab->slug;
      one.rung = rung.slug;
      auto run = session.obtain(one);
      if (!run) return run.error();
      runs.push_back(std::move(*run));
    }
  for (const Ladder* ladder : ladders()) {
    if (ladder->heaviest_params.empty()) continue;
    RunArguments heaviest = arguments;
    heaviest.lab = ladder->info.slug;
    for (const auto& [name, value] : ladder->heaviest_params)
      heaviest.settings.push_back(name + "=" + to_string(value));
    auto run = session.obtain(heaviest);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  auto lines = bench_ui(runs);
  for (BenchLine& line : bench_timeline()) lines.push_back(std::move(line));
  for (const LabInfo* lab : lab_infos()) lines.push_back(slider_to_picture(lab->slug, EngineKind::emulator));
  if (make_cuda_engine()->health().ok)
    for (const LabInfo* lab : lab_infos())
      if (plan_of<OccupancyPlan>(*find_ladder(lab->slug)))  // launched and timed while a slider moves
        lines.push_back(slider_to_picture(lab->slug, EngineKind::cuda));
  lines.push_back(start_to_picture());
  print_lines(lines, arguments.json);
  return Exit::done;
}

}  // namespace

Outcome record_labs(const RunArguments& arguments, const std::optional<std::string>& folder) {
  auto chosen = chosen_ladders(arguments);
  if (!chosen) return chosen.error();
  const fs::path target = folder.value_or(kDefaultFolder);
  if (const Engine::Health gpu = make_cuda_engine()->health(); !gpu.ok)
    return unavailable("recording needs a GPU: {0}", {gpu.what.text()});
  auto counters = read_counters(arguments.counters);
  if (!counters) return counters.error();
  if (Status made = make_output_folder(target); !made) return made.error();
  Recorder recorder(arguments, target, std::move(*counters));
  Exit worst = Exit::done;
  for (const Ladder* ladder : *chosen) {
    Outcome recorded = recorder.record(*ladder);
    if (!recorded) return recorded;
    worst = std::max(worst, *recorded);
  }
  std::cerr << "lockstep: a class shows these with: lockstep --recordings " << target.string() << std::endl;
  return worst;
}

Outcome bench(const RunArguments& arguments) {
  const std::string what = arguments.lab.value_or("");
  if (what == "emulator") return print_lines(bench_emulator(), arguments.json), Exit::done;
  if (what == "ui") return bench_window(arguments);
  return bench_rungs(arguments);
}

}  // namespace lockstep
