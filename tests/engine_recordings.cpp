// The recording engine, `auto`, and what run_request adds.
#include <doctest/doctest.h>

#include <set>

#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "app/engine/run_index.hpp"
#include "app/platform/files.hpp"
#include "engine_sample.hpp"
#include "engine_support.hpp"
#include "kernels/ladder.hpp"
#include "places.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

std::string copy_source_hash() {
  const LabInfo& lab = find_ladder("transpose")->info;
  return source_hash(lab.rungs[std::size_t(lab.rung_index("copy"))].file);
}

Run recording_of(std::int64_t n, std::int64_t block = 0) {
  Run run = sample_run();
  run.request.params = {{"n", n}};
  run.request.block = run.launches[0].trace.block = block;
  for (ViewInfo& view : run.launches[0].views)
    if (view.space == Space::global) view.shape = {std::uint64_t(n), std::uint64_t(n)};
  run.buffers.clear(), run.touches.clear();
  run.source_hash = copy_source_hash();
  return run;
}

void put(const TemporaryFolder& folder, const std::string& name, const Run& run) {
  std::filesystem::create_directories(folder / "h200");
  const Status saved = save_run(run, folder / ("h200/" + name));
  REQUIRE_MESSAGE(saved, saved.error().text());
}

Request request_for(std::int64_t n, EngineKind engine = EngineKind::recording) {
  Request request;
  request.lab = "transpose";
  request.rung = "copy";
  request.params = {{"n", n}};
  request.engine = engine;
  return request;
}

Run times_only(std::int64_t n) {
  Run run = recording_of(n);
  run.launches.clear();
  run.buffers.clear();
  run.touches.clear();
  return run;
}

// An engine that can do everything or nothing.
class Stand : public Engine {
 public:
  Stand(EngineKind kind, std::optional<Error> refusal) : kind_(kind), refusal_(std::move(refusal)) {}
  EngineKind kind() const override { return kind_; }
  Status can_run(const Request&) override { return refusal_ ? Status(*refusal_) : Status(Unit{}); }
  Health health() override { return {!refusal_, {}, {}}; }
  Result<Run> run(const Request&, const Report&) override {
    Run run = sample_run();
    run.time.reset();
    run.provenance.clear();
    return run;
  }

 private:
  EngineKind kind_;
  std::optional<Error> refusal_;
};

Engines engines_with(std::optional<Error> cuda, std::optional<Error> emulator,
                     const TemporaryFolder& recordings) {
  return {std::make_unique<Stand>(EngineKind::cuda, std::move(cuda)),
          std::make_unique<Stand>(EngineKind::emulator, std::move(emulator)),
          make_recording_engine({recordings.path()})};
}

const Error kNoGpu = unavailable("no GPU");

}  // namespace

TEST_CASE("a recording answers what was recorded, in recorded words") {
  const TemporaryFolder folder;
  put(folder, "transpose_copy.npz", recording_of(128));
  const auto engine = make_recording_engine({folder.path()});
  const auto run = engine->run(request_for(128), kSilent);
  REQUIRE_MESSAGE(run, run.error().text());
  CHECK(run->engine == EngineKind::recording);
  CHECK_FALSE(run->stale);
  CHECK(provenance_of(*run, "counts") == "recorded: NVIDIA H200, 2026-11-21");
  CHECK(provenance_of(*run, "time.median_ms") == "recorded: NVIDIA H200, 2026-11-21");
  CHECK(provenance_of(*run, "metrics.models.error") == "modelled, error 4 %");
  CHECK(recorded_positions(*engine, "transpose", "copy") == std::vector<Params>{{{"n", std::int64_t{128}}}});
}

TEST_CASE("what was not recorded is refused with the nearest settings") {
  const TemporaryFolder folder;
  put(folder, "a.npz", recording_of(128));
  put(folder, "b.npz", recording_of(1000));
  put(folder, "c.npz", recording_of(128, 1));
  const auto engine = make_recording_engine({folder.path()});
  const Status far = engine->can_run(request_for(900));
  REQUIRE_FALSE(far);
  CHECK(far.error().exit == Exit::bad_input);
  CHECK(
      far.error().text() ==
      "transpose/copy with n=900 block 0 was not recorded; the nearest recorded settings are n=1000 block 0");
  Request block = request_for(128);
  block.block = 1;
  CHECK(engine->can_run(block));
  block.block = 5;
  CHECK(engine->can_run(block).error().text().find("n=128 block 0") != std::string::npos);
  Request other = request_for(128);
  other.rung = "naive";
  CHECK(engine->can_run(other).error().exit == Exit::unavailable);
}

TEST_CASE("a recording of changed source is stale, and says so") {
  const TemporaryFolder folder;
  Run run = recording_of(128);
  run.source_hash = "fedcba9876543210";
  put(folder, "a.npz", run);
  const auto answer = make_recording_engine({folder.path()})->run(request_for(128), kSilent);
  REQUIRE(answer);
  CHECK(answer->stale);
  CHECK(answer->warnings.back().text().find("has changed since") != std::string::npos);
}

TEST_CASE("damaged recordings are left out with a warning") {
  const TemporaryFolder folder;
  put(folder, "b.npz", recording_of(128));
  const auto sound = *read_file(folder / "h200/b.npz", 1 << 20);
  REQUIRE(write_file_atomically(folder / "h200/a.npz", std::span(sound).first(sound.size() / 2)));
  const auto engine = make_recording_engine({folder.path()});
  const auto run = engine->run(request_for(128), kSilent);
  REQUIRE_MESSAGE(run, run.error().text());
  CHECK(run->warnings.back().text().find("a.npz") != std::string::npos);
}

TEST_CASE("a recording whose manifest is sound but whose columns are not gives way to the next") {
  const TemporaryFolder folder;
  put(folder, "b.npz", recording_of(128));
  auto damaged = *read_file(folder / "h200/b.npz", 1 << 20);
  const std::string column = "launch0/access_mask.npy";
  const auto at = std::search(damaged.begin(), damaged.end(), column.begin(), column.end());
  REQUIRE(at != damaged.end());
  *(at + 200) ^= 1;
  REQUIRE(write_file_atomically(folder / "h200/a.npz", damaged));
  const auto engine = make_recording_engine({folder.path()});
  const auto run = engine->run(request_for(128), kSilent);
  REQUIRE_MESSAGE(run, run.error().text());
  CHECK(run->warnings.back().text().find("a.npz") != std::string::npos);
  std::filesystem::remove(folder / "h200/b.npz");
  CHECK(make_recording_engine({folder.path()})->run(request_for(128), kSilent).error().exit ==
        Exit::bad_input);
}

TEST_CASE("a recording of times alone comes after one with events") {
  const TemporaryFolder folder;
  put(folder, "a_bench.npz", times_only(128));
  put(folder, "b.npz", recording_of(128));
  put(folder, "c_bench.npz", times_only(16384));
  const auto engine = make_recording_engine({folder.path()});
  CHECK(engine->run(request_for(128), kSilent)->launches.size() == 1);
  CHECK(engine->run(request_for(16384), kSilent)->launches.empty());
  CHECK(recorded_positions(*engine, "transpose", "copy").size() == 1);
}

// As scripts/web_site.py packs them.
std::string packed_entry(const TemporaryFolder& folder, const std::string& name) {
  const auto text = load_manifest_text(folder / name);
  REQUIRE_MESSAGE(text, text.error().text());
  return name + " " + std::to_string(text->size()) + "\n" + *text + "\n";
}

void pack(const TemporaryFolder& folder, const std::string& text) {
  REQUIRE(write_file_atomically(folder / kManifestsFile,
                                std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())));
}

TEST_CASE("packed manifests stand for the files that they are of, which are asked for when one is shown") {
  const TemporaryFolder folder;
  put(folder, "a.npz", recording_of(64));
  put(folder, "b.npz", recording_of(128));
  const std::string packed = packed_entry(folder, "h200/a.npz") + packed_entry(folder, "h200/b.npz");
  pack(folder, packed);
  std::filesystem::remove(folder / "h200/a.npz");
  const auto engine = make_recording_engine({folder.path()});
  CHECK(engine->can_run(request_for(64)).ok());
  CHECK(recorded_positions(*engine, "transpose", "copy").size() == 2);
  CHECK(engine->run(request_for(128), kSilent)->launches.size() == 1);
  CHECK_FALSE(engine->run(request_for(64), kSilent).ok());
  // Cut off anywhere, it is refused as a whole and the program goes on without.
  for (std::size_t bytes = 1; bytes < packed.size(); bytes += packed.size() / 40) {
    pack(folder, packed.substr(0, bytes));
    const bool whole = bytes == packed_entry(folder, "h200/b.npz").size();
    CHECK(load_manifest_texts(folder.path()).ok() == whole);
  }
  pack(folder, "h200/a.npz 18446744073709551615\n{}\n");
  CHECK_FALSE(load_manifest_texts(folder.path()).ok());
  pack(folder, packed.substr(0, packed.size() / 3));
  const auto health = make_recording_engine({folder.path()})->health();
  CHECK_FALSE(health.ok);
}

TEST_CASE("whose a recording is can be told without reading it, of all that are bundled") {
  int seen = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(in_source("assets/recordings"))) {
    if (file.path().extension() != ".npz") continue;
    const auto text = load_manifest_text(file.path());
    REQUIRE(text);
    const auto device = device_of_manifest(*text, "");
    REQUIRE(device);
    const auto run = run_of_manifest(*text, "");
    REQUIRE(run);
    CHECK(device->name == run->device.name);
    CHECK(device->multiprocessors == run->device.multiprocessors);
    ++seen;
  }
  CHECK(seen > 500);
  CHECK_FALSE(device_of_manifest(R"({"device":{"name":")", "").ok());
  CHECK_FALSE(device_of_manifest(R"({"device":{"name":3}})", "").ok());
}

TEST_CASE("the first folder wins") {
  const TemporaryFolder mine, bundled;
  Run run = recording_of(128);
  run.device.name = "NVIDIA RTX";
  put(mine, "a.npz", run);
  put(bundled, "a.npz", recording_of(128));
  const auto answer = make_recording_engine({mine.path(), bundled.path()})->run(request_for(128), kSilent);
  REQUIRE(answer);
  CHECK(answer->device.name == "NVIDIA RTX");
}

TEST_CASE("auto takes cuda, else the emulator, else a recording, else says why each does not work") {
  const TemporaryFolder folder, empty;
  put(folder, "a.npz", recording_of(128));
  const Request request = request_for(128, EngineKind::automatic);
  CHECK(*resolve_engine(engines_with({}, {}, folder), request) == EngineKind::cuda);
  CHECK(*resolve_engine(engines_with(kNoGpu, {}, folder), request) == EngineKind::emulator);
  CHECK(*resolve_engine(engines_with(kNoGpu, kNoGpu, folder), request) == EngineKind::recording);
  const auto nothing = resolve_engine(engines_with(kNoGpu, unavailable("no kernel"), empty), request);
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().exit == Exit::unavailable);
  CHECK(nothing.error().text().find("no GPU") != std::string::npos);
  CHECK(nothing.error().text().find("no kernel") != std::string::npos);
  CHECK(resolve_engine(engines_with(kNoGpu, {}, folder), request_for(128, EngineKind::cuda)).error().text() ==
        "no GPU");
}

TEST_CASE("emulated counts stand beside the time of a recording of the same settings") {
  const TemporaryFolder folder;
  put(folder, "a.npz", times_only(128));
  const Engines engines = engines_with(kNoGpu, {}, folder);
  const auto run = run_request(engines, request_for(128, EngineKind::automatic), kSilent);
  REQUIRE_MESSAGE(run, run.error().text());
  CHECK(run->engine == EngineKind::emulator);
  CHECK(provenance_of(*run, "counts") == "emulated");
  CHECK(provenance_of(*run, "time") == "recorded: NVIDIA H200, 2026-11-21");
  CHECK(run->time == times_only(128).time);
  const auto without = run_request(engines, request_for(64, EngineKind::automatic), kSilent);
  REQUIRE(without);
  CHECK_FALSE(without->time.has_value());
  CHECK(provenance_of(*without, "time") == "not measured");
}

TEST_CASE("a block or warp that the launch does not have is refused with the range") {
  const TemporaryFolder folder;
  const Engines engines = engines_with(kNoGpu, {}, folder);
  Request request = request_for(128, EngineKind::emulator);
  request.block = 2;
  CHECK(run_request(engines, request, kSilent).error().text() ==
        "there is no block 2: the grid has the blocks 0 to 1");
  request.block = 0;
  request.warp = 1;
  CHECK(run_request(engines, request, kSilent).error().text() ==
        "there is no warp 1: a block has the warps 0 to 0");
}

TEST_CASE("the bundled recordings leave room for 25 labs on two devices in 48 MB") {
  constexpr double kLimit = 48e6, kLabs = 25, kDevices = 2;
  std::set<std::string> labs, devices;
  double bytes = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(in_source("assets/recordings"))) {
    if (!file.is_regular_file()) continue;
    bytes += double(file.file_size());
    if (file.path().extension() != ".npz") continue;
    const std::string name = file.path().filename().string();
    labs.insert(name.substr(0, name.find('_')));
    devices.insert(file.path().parent_path().filename().string());
  }
  REQUIRE(labs.size() >= 9);
  CHECK(bytes < kLimit);
  CHECK(bytes / double(labs.size() * devices.size()) * kLabs * kDevices < kLimit);
}
