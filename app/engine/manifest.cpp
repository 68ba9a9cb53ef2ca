#include "manifest.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "damaged.hpp"
#include "run_file.hpp"
#include "run_json.hpp"

namespace lockstep {

using nlohmann::json;

namespace {

constexpr std::int64_t kMaxGridX = INT32_MAX, kMaxGridYZ = 65535, kMaxThreads = 1024;
constexpr std::size_t kMaxLaunches = 1024, kMaxViews = 4096, kMaxExtents = 8;
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 40;
constexpr double kMaxViewBytes = 281474976710656.0;  // 2^48
constexpr double kMaxSharedBytes = 1 << 20;          // a block has 227 KB on compute capability 9.0

// --- writing
// ------------------------------------------------------------------------------------------------

json device_json(const Device& d) {
  return {{"name", d.name},       {"compute_capability", d.compute_capability},
          {"driver", d.driver},   {"multiprocessors", d.multiprocessors},
          {"runtime", d.runtime}, {"clock_mhz", d.clock_mhz}};
}

json counts_json(const std::optional<Counts>& counts) {
  if (!counts) return nullptr;
  json object;
  for (const CountField& field : kCountFields) object[field.name] = *counts.*field.member;
  return object;
}

json time_json(const std::optional<Timing>& t) {
  if (!t) return nullptr;
  return {{"median_ms", json_of(t->median_ms)},
          {"min_ms", json_of(t->min_ms)},
          {"p95_ms", json_of(t->p95_ms)},
          {"traced_ms", json_of(t->traced_ms)},
          {"runs", t->runs},
          {"reference_ms", json_of(t->reference_ms)},
          {"reference", t->reference}};
}

json occupancy_json(const std::optional<Occupancy>& o) {
  if (!o) return nullptr;
  return {{"threads_per_block", o->threads_per_block}, {"registers", o->registers},
          {"shared_bytes", o->shared_bytes},           {"blocks_per_sm", o->blocks_per_sm},
          {"warps_per_sm", o->warps_per_sm},           {"fraction", json_of(o->fraction)}};
}

json finding_json(const Finding& f) {
  return {
      {"kind", f.kind}, {"block", f.block},           {"thread", f.thread}, {"other_thread", f.other_thread},
      {"line", f.line}, {"other_line", f.other_line}, {"file", f.file},     {"what", json_of(f.what)}};
}

json view_json(const ViewInfo& v) {
  return {{"id", v.id},
          {"name", v.name},
          {"space", v.space == Space::shared ? "shared" : "global"},
          {"type", v.type},
          {"element_bytes", v.element_bytes},
          {"shape", v.shape},
          {"pitch", v.pitch}};
}

json launch_json(const Launch& launch) {
  json views = json::array();
  for (const ViewInfo& v : launch.views) views.push_back(view_json(v));
  return {{"kernel", launch.kernel},        {"grid", launch.grid},
          {"block", launch.block},          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"views", std::move(views)},      {"followed_block", launch.trace.block},
          {"dropped", launch.trace.dropped}};
}

template <class T, class F>
json list_json(const std::vector<T>& items, F&& one) {
  json list = json::array();
  for (const T& item : items) list.push_back(one(item));
  return list;
}

// --- reading
// ------------------------------------------------------------------------------------------------

int read_int(const json& object, const char* key) {
  return int(read_integer(object, key, INT32_MIN, INT32_MAX));
}

Device read_device(const json& d) {
  Device device;
  device.name = read_text(d, "name");
  device.compute_capability = read_int(d, "compute_capability");
  device.multiprocessors = read_int(d, "multiprocessors");
  device.clock_mhz = read_int(d, "clock_mhz");
  device.driver = read_text(d, "driver");
  device.runtime = read_text(d, "runtime");
  return device;
}

bool came_later(const CountField& field) {
  return field.member == &Counts::cluster_load_sectors || field.member == &Counts::box_sectors ||
         field.member == &Counts::box_store_sectors || field.member == &Counts::products ||
         field.member == &Counts::global_reduction_sectors ||
         field.member == &Counts::global_atomic_sectors ||
         field.member == &Counts::shared_atomic_instructions;
}

std::optional<Counts> read_counts(const json& manifest) {
  if (read_member(manifest, "counts").is_null()) return {};
  const json& object = read_object(manifest, "counts");
  Counts counts;
  for (const CountField& field : kCountFields)
    if (object.contains(field.name) || !came_later(field))  // older files do not have those
      counts.*field.member = read_integer(object, field.name, 0, INT64_MAX);
  return counts;
}

std::optional<Timing> read_time(const json& manifest) {
  if (read_member(manifest, "time").is_null()) return {};
  const json& t = read_object(manifest, "time");
  Timing time;
  time.median_ms = read_number(t, "median_ms");
  time.min_ms = read_number(t, "min_ms");
  time.p95_ms = read_number(t, "p95_ms");
  time.runs = read_int(t, "runs");
  time.traced_ms = read_number(t, "traced_ms");
  time.reference_ms = read_number(t, "reference_ms");
  time.reference = read_text(t, "reference");
  return time;
}

std::optional<Occupancy> read_occupancy(const json& manifest) {
  if (read_member(manifest, "occupancy").is_null()) return {};
  const json& o = read_object(manifest, "occupancy");
  Occupancy occupancy;
  constexpr std::int64_t kMost = 1 << 20;  // far above any device's
  occupancy.threads_per_block = int(read_integer(o, "threads_per_block", 1, kMost));
  occupancy.registers = int(read_integer(o, "registers", 0, 255));
  occupancy.shared_bytes = read_integer(o, "shared_bytes", 0, kMost);
  occupancy.blocks_per_sm = int(read_integer(o, "blocks_per_sm", 0, kMost));
  occupancy.warps_per_sm = int(read_integer(o, "warps_per_sm", 0, kMost));
  occupancy.fraction = read_number(o, "fraction");
  return occupancy;
}

Finding read_finding(const json& f) {
  Finding finding;
  finding.kind = read_text(f, "kind");
  finding.block = read_integer(f, "block", 0, INT64_MAX);
  finding.thread = read_integer(f, "thread", 0, INT64_MAX);
  finding.other_thread = read_integer(f, "other_thread", -1, INT64_MAX);
  finding.line = read_int(f, "line");
  finding.other_line = read_int(f, "other_line");
  finding.file = read_text(f, "file");
  finding.what = read_message(read_object(f, "what"));
  return finding;
}

ViewInfo read_view(const json& v) {
  ViewInfo view;
  view.id = std::uint16_t(read_integer(v, "id", 0, UINT16_MAX));
  view.name = read_text(v, "name");
  const std::string space = read_text(v, "space");
  require(space == "global" || space == "shared", "a view is neither global nor shared");
  view.space = space == "shared" ? Space::shared : Space::global;
  require((view.id >= kFirstSharedView) == (view.space == Space::shared),
          "a view's id does not fit its space");
  view.type = read_text(v, "type");
  view.element_bytes = std::uint32_t(read_integer(v, "element_bytes", 1, 65536));
  view.pitch = std::uint32_t(read_integer(v, "pitch", 0, UINT32_MAX));
  double bytes = view.element_bytes;
  for (const json& extent : read_array(v, "shape", kMaxExtents)) {
    require(extent.is_number_integer(), "a view's shape is not made of whole numbers");
    require(extent >= 1 && extent <= kMaxExtent, "a view's shape is out of range");
    view.shape.push_back(extent.get<std::uint64_t>());
    bytes *= std::max(1.0, double(view.shape.back()));
  }
  if (!view.shape.empty())  // rows of `pitch` elements
    bytes *= std::max(1.0, double(view.pitch) / double(view.shape.back()));
  require(bytes <= kMaxViewBytes, "a view is larger than 2^48 bytes");
  require(view.space == Space::global || bytes <= kMaxSharedBytes, "a shared view is larger than 1 MiB");
  return view;
}

std::array<std::int64_t, 3> read_dim3(const json& launch, const char* key, std::int64_t max_x,
                                      std::int64_t max_yz) {
  const json& list = read_array(launch, key, 3);
  require(list.size() == 3, std::string("'") + key + "' does not have three numbers");
  std::array<std::int64_t, 3> extents;
  for (std::size_t i = 0; i < 3; ++i) {
    require(list[i].is_number_integer() && list[i] >= 1 && list[i] <= (i == 0 ? max_x : max_yz),
            std::string("'") + key + "' is out of range");
    extents[i] = list[i].get<std::int64_t>();
  }
  return extents;
}

Launch read_launch(const json& l) {
  Launch launch;
  launch.kernel = read_text(l, "kernel");
  launch.grid = read_dim3(l, "grid", kMaxGridX, kMaxGridYZ);
  launch.block = read_dim3(l, "block", kMaxThreads, kMaxThreads);
  require(launch.threads() <= kMaxThreads, "a block has more than 1024 threads");
  launch.dynamic_shared_bytes = read_integer(l, "dynamic_shared_bytes", 0, 1 << 30);
  for (const json& v : read_array(l, "views", kMaxViews)) {
    ViewInfo view = read_view(v);
    require(!launch.view(view.id), "a view's id is there twice");
    launch.views.push_back(std::move(view));
  }
  launch.trace.block = read_integer(l, "followed_block", 0, launch.blocks() - 1);
  launch.trace.dropped = read_integer(l, "dropped", 0, INT64_MAX);
  return launch;
}

template <class T>
std::vector<T> read_columns_of_views(const json& manifest, const char* key) {
  std::vector<T> columns;
  for (const json& id : read_array(manifest, key, kMaxViews)) {
    require(id.is_number_integer() && id >= 0 && id < kFirstSharedView,
            std::string("'") + key + "' is out of range");
    columns.push_back({});
    columns.back().view = id.get<std::uint16_t>();
    const auto same = [&](const T& other) { return other.view == columns.back().view; };
    require(std::none_of(columns.begin(), columns.end() - 1, same),
            std::string("'") + key + "' names a view twice");
  }
  return columns;
}

// "2026-11-21", or nothing.
bool is_day(const std::string& date) {
  if (date.empty()) return true;
  if (date.size() != 10) return false;
  for (std::size_t i = 0; i < date.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? date[i] != '-' : date[i] < '0' || date[i] > '9') return false;
  }
  return true;
}

void read_lists(const json& manifest, Run& run) {
  for (const auto& [path, words] : read_object(manifest, "provenance").items()) {
    require(words.is_string(), "'provenance' holds something that is not a text");
    run.provenance[path] = words.get<std::string>();
  }
  for (const json& m : read_array(manifest, "warnings", kMaxListItems))
    run.warnings.push_back(read_message(m));
  for (const json& f : read_array(manifest, "findings", kMaxListItems))
    run.findings.push_back(read_finding(f));
  for (const json& l : read_array(manifest, "launches", kMaxLaunches)) run.launches.push_back(read_launch(l));
  run.buffers = read_columns_of_views<Buffer>(manifest, "buffers");
  run.touches = read_columns_of_views<Touch>(manifest, "touches");
}

}  // namespace

std::string manifest_of(const Run& run) {
  const json manifest{{"schema", kRunSchema},
                      {"request", json_of(run.request)},
                      {"engine", name_of(run.engine)},
                      {"date", run.date},
                      {"device", device_json(run.device)},
                      {"check",
                       {{"pass", run.check.pass},
                        {"max_error", json_of(run.check.max_error)},
                        {"tolerance", json_of(run.check.tolerance)}}},
                      {"counts", counts_json(run.counts)},
                      {"time", time_json(run.time)},
                      {"occupancy", occupancy_json(run.occupancy)},
                      {"metrics", json_of(run.metrics())},
                      {"provenance", provenance_words(run)},
                      {"warnings", list_json(run.warnings, [](const Message& m) { return json_of(m); })},
                      {"findings", list_json(run.findings, finding_json)},
                      {"launches", list_json(run.launches, launch_json)},
                      {"buffers", list_json(run.buffers, [](const Buffer& b) { return json(b.view); })},
                      {"touches", list_json(run.touches, [](const Touch& t) { return json(t.view); })},
                      {"source_hash", run.source_hash},
                      {"stale", run.stale}};
  return dump(manifest);
}

// As manifest_of() writes it, the member begins with these characters, which no string holds (its quotes
// would be escaped); a request names its device by a string.
Device parse_device(std::string_view text) {
  constexpr std::string_view kDevice = "\"device\":";
  const std::size_t at = text.find("\"device\":{"), end = text.find('}', at);
  if (at != text.npos && end != text.npos) {
    const std::string_view device = text.substr(at + kDevice.size(), end + 1 - at - kDevice.size());
    if (json::accept(device)) return read_device(parse_object(device));
  }
  return parse_manifest(text).device;
}

Run parse_manifest(std::string_view text) {
  require(text.size() <= kMaxManifestBytes, "its manifest is too large");
  const json manifest = parse_object(text);
  const std::int64_t schema = read_integer(manifest, "schema", INT64_MIN, INT64_MAX);
  require(schema == kRunSchema, "it has schema " + std::to_string(schema) + ", this program reads schema 1");
  Run run;
  run.request = read_request(read_object(manifest, "request"));
  run.engine = read_engine(manifest, "engine");
  require(run.engine != EngineKind::automatic, "'engine' is not one that runs");
  run.date = read_text(manifest, "date");
  require(is_day(run.date), "'date' is not a day like 2026-11-21");
  run.device = read_device(read_object(manifest, "device"));
  const json& check = read_object(manifest, "check");
  run.check = {read_bool(check, "pass"), read_number(check, "max_error"), read_number(check, "tolerance")};
  run.counts = read_counts(manifest);
  run.time = read_time(manifest);
  run.occupancy = read_occupancy(manifest);
  run.evidence = Evidence(read_values(manifest, "metrics"));
  read_lists(manifest, run);
  run.source_hash = read_text(manifest, "source_hash");
  run.stale = read_bool(manifest, "stale");
  return run;
}

}  // namespace lockstep
