// Experiments and the catalogue: nothing hangs on a ladder's name, and ladders can be made while the program
// runs.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/engine/experiment.hpp"
#include "app/engine/run_file.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/memory_evidence.hpp"
#include "app/model/occupancy_evidence.hpp"
#include "app/model/ranges_record.hpp"
#include "app/model/sm_evidence.hpp"
#include "engine_support.hpp"
#include "kernels/lab.cuh"
#include "kernels/rung_code.hpp"
#include "places.hpp"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

const std::string kRecordings = in_source("assets/recordings");

// In the catalogue as long as it lives.
class Added {
 public:
  explicit Added(Ladder ladder) : slug_(ladder.info.slug) {
    const Status added = catalogue().add(std::make_shared<const Ladder>(std::move(ladder)));
    REQUIRE_MESSAGE(added, added.error().text());
  }
  ~Added() { catalogue().remove(slug_); }
  const std::string& slug() const { return slug_; }

 private:
  std::string slug_;
};

Ladder renamed(const std::string& slug, const std::string& to) {
  Ladder ladder = *find_ladder(slug);
  ladder.info.slug = to;
  return ladder;
}

Run answered(const std::string& lab, const std::string& rung, const Params& given, EngineKind engine,
             const fs::path& recordings) {
  Engines engines{nullptr, make_emulator_engine(), make_recording_engine({recordings})};
  Request request;
  request.lab = lab, request.rung = rung, request.engine = engine;
  request.params = *complete_params(find_ladder(lab)->info, rung, given);
  auto run = run_request(engines, request, kSilent);
  REQUIRE_MESSAGE(run, run.error().text());
  return std::move(*run);
}

// All that is printed of a run but its lab and what the program itself took.
Json told_of(Run run) {
  run.evidence.drop<RangesEvidence>();
  Json object = Json::parse(run_to_json(run));
  object.erase("lab");
  return object;
}

// The recordings of a lab whose names hold `part`, as runs of another one.
void copy_recordings(const std::string& lab, const std::string& part, const std::string& to,
                     const fs::path& folder) {
  fs::create_directories(folder / "h200");
  for (const auto& file : fs::directory_iterator(kRecordings + "/h200")) {
    const std::string name = file.path().filename();
    if (!name.starts_with(lab + "_") || !name.ends_with(".npz") || name.find(part) == name.npos) continue;
    auto run = load_run(file.path());
    REQUIRE(run);
    run->request.lab = to;
    REQUIRE(save_run(*run, folder / "h200" / (to + name.substr(lab.size()))));
  }
}

struct Setting {
  const char *lab, *rung;
  Params params;
  const char* part;  // of the names of the recordings that matter
};

}  // namespace

TEST_CASE("under another slug every experiment answers the same, emulated and recorded") {
  const Params played{{"program", std::string("transpose/padded")}};
  for (const Setting& s :
       {Setting{"graphs", "chain", {}, "chain.npz"}, Setting{"timing", "scale", {}, "scale.npz"},
        Setting{"occupancy", "fma", {}, "occupancy"},
        Setting{"occupancy", "stream", {{"kernel", std::string("gemm/ldmatrix")}}, "stream"},
        Setting{"scheduler", "chain", {}, "chain"}, Setting{"scheduler", "chain", played, "chain"},
        Setting{"banks", "strided", {}, "strided.npz"}}) {
    const TemporaryFolder ours, theirs;
    const Added other(renamed(s.lab, std::string("my_") + s.lab));
    copy_recordings(s.lab, s.part, s.lab, ours.path());
    copy_recordings(s.lab, s.part, other.slug(), theirs.path());
    for (const TemporaryFolder* folder : {&ours, &theirs})  // whose kernel is loaded
      copy_recordings("gemm", "ldmatrix.npz", "gemm", folder->path());
    for (const EngineKind engine : {EngineKind::emulator, EngineKind::recording}) {
      CAPTURE(s.lab);
      CAPTURE(s.rung);
      CAPTURE(name_of(engine));
      const Run named = answered(s.lab, s.rung, s.params, engine, ours.path());
      const Run unnamed = answered(other.slug(), s.rung, s.params, engine, theirs.path());
      Json expected = told_of(named), got = told_of(unnamed);
      for (Json* told : {&expected, &got}) (*told)["warnings"] = (*told)["warnings"].size();
      CHECK(got == expected);
      CHECK(read_ranges(unnamed).has_value());
    }
  }
}

TEST_CASE("what is measured, known and recorded of each of them is there") {
  const auto emulated = [](const char* lab, const char* rung) {
    return answered(lab, rung, {}, EngineKind::emulator, kRecordings);
  };
  CHECK(emulated("graphs", "chain").metrics().contains("stream.record"));
  CHECK(emulated("timing", "scale").metrics().contains("stopwatch.events.runs"));
  CHECK(emulated("banks", "strided").evidence.find<MeasuredEvidence>()->real("chain_cycles"));
  const Run occupancy = emulated("occupancy", "fma");
  CHECK(occupancy.evidence.find<DriverEvidence>()->blocks_per_sm);
  CHECK(occupancy.evidence.find<OccupancyEvidence>()->registers.more);
  CHECK(occupancy.evidence.find<CurvesEvidence>()->curves.size() == 4);
  CHECK(emulated("scheduler", "chain").evidence.find<SmEvidence>()->cycles);
}

TEST_CASE("the model's error is against the cycles that stand beside it") {
  for (const EngineKind engine : {EngineKind::emulator, EngineKind::recording}) {
    const Run run = answered("scheduler", "chain", {}, engine, kRecordings);
    const auto& sm = *run.evidence.find<SmEvidence>();
    const auto measured = run.evidence.find<MeasuredEvidence>()->real("cycles");
    REQUIRE(measured);
    CHECK(*measured != double(*sm.recorded_cycles));  // the one of the fit
    CHECK(*sm.error == doctest::Approx((double(*sm.cycles) - *measured) / *measured));
  }
  const Run alone =
      answered("scheduler", "chain", {{"warps", std::int64_t{8}}}, EngineKind::emulator, kRecordings);
  const auto& sm = *alone.evidence.find<SmEvidence>();
  CHECK(*sm.error == doctest::Approx(double(*sm.cycles) / double(*sm.recorded_cycles) - 1));
}

// Stories name these counts as the cause of a time.
TEST_CASE("what a recording holds as counted is the profiler's record of the same launch") {
  const auto engine = make_recording_engine({kRecordings});
  std::ifstream file(in_source("assets/recordings/h200/validation.json"));
  const auto record = nlohmann::json::parse(file);
  std::size_t launches = 0;
  for (const auto& row : record.at("large")) {
    std::size_t recordings = 0;
    const auto lab = row.at("lab").get<std::string>(), rung = row.at("rung").get<std::string>();
    CAPTURE(lab);
    CAPTURE(rung);
    for (const Run& run : engine->recorded(lab, rung)) {
      if (nlohmann::json::parse(run_to_json(run))["params"] != row.at("params")) continue;
      ++recordings;
      const auto* counted = run.evidence.find<CountedEvidence>();
      REQUIRE(counted);
      for (const auto& one : row.at("hardware").items())
        CHECK_MESSAGE(counted->counts.at(one.key()) == one.value().get<std::int64_t>(), one.key());
    }
    CHECK(recordings > 0);
    ++launches;
  }
  CHECK(launches > 40);
}

TEST_CASE("every recording's evidence reads back into the figures of its file") {
  const auto engine = make_recording_engine({kRecordings});
  std::size_t files = 0;
  const auto same = [](const Run& run, const EvidenceKind& kind, const Metrics& flat) {
    CHECK_MESSAGE(flat == run.evidence.of(kind), kind.name);
  };
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs)
      for (const Run& run : engine->recorded(ladder->info.slug, rung.slug)) {
        ++files;
        CAPTURE(rung.file);
        if (const auto* e = run.evidence.find<MemoryEvidence>()) same(run, MemoryEvidence::kind, e->flat());
        if (const auto* e = run.evidence.find<MeasuredEvidence>())
          same(run, MeasuredEvidence::kind, e->flat());
        if (const auto* e = run.evidence.find<CompiledEvidence>())
          same(run, CompiledEvidence::kind, e->flat());
        if (const auto* e = run.evidence.find<CountedEvidence>()) same(run, CountedEvidence::kind, e->flat());
        if (const auto* e = run.evidence.find<LibrariesEvidence>())
          same(run, LibrariesEvidence::kind, e->flat());
        if (const auto* e = run.evidence.find<DriverEvidence>()) same(run, DriverEvidence::kind, e->flat());
        if (const auto* e = run.evidence.find<OccupancyEvidence>())
          same(run, OccupancyEvidence::kind, e->flat());
        if (const auto* e = run.evidence.find<CurvesEvidence>()) same(run, CurvesEvidence::kind, e->flat());
        if (const auto* e = run.evidence.find<SmEvidence>()) same(run, SmEvidence::kind, e->flat());
        if (const auto* e = run.evidence.find<RangesEvidence>()) same(run, RangesEvidence::kind, e->flat());
      }
  CHECK(files > 400);
}

// --- ladders made at run time

namespace {

template <class P>
void doubled(lab::View<const float, P> in, lab::View<float, P> out) {
  const int i = int(threadIdx.x);
  out[i] = 2 * in[i];
}

Ladder made_here(const char* slug) {
  auto code = std::make_shared<RungCode>();
  code->source = "out[i] = 2 * in[i];";
  code->emulated = [](lab::Launcher<lab::Emulated>& gpu, const lab::Binding& binding) {
    gpu.launch("doubled", doubled<lab::Emulated>, {1}, {64}, binding.view<lab::Emulated, const float>(0),
               binding.view<lab::Emulated, float>(1));
  };
  Ladder ladder;
  ladder.info.slug = slug;
  ladder.info.rungs = {{"twice", "twice what comes in", "mine/twice.cu"}};
  ladder.info.rungs[0].code = code;
  ladder.buffers = [](const Params&, std::string_view) {
    return std::vector<BufferSpec>{{"in", {64}, true}, {"out", {64}}};
  };
  ladder.fill = [](const Params&, std::string_view, std::span<const Bytes> buffers) {
    for (int i = 0; i < 64; ++i) reinterpret_cast<float*>(buffers[0].data())[i] = float(i);
  };
  ladder.check = [](const Params&, std::string_view, std::span<const ConstBytes> buffers) {
    Check check{true, 0, 0};
    for (int i = 0; i < 64; ++i)
      check.max_error = larger_error(
          check.max_error, std::abs(double(reinterpret_cast<const float*>(buffers[1].data())[i]) - 2 * i));
    check.pass = check.max_error <= 0;
    return check;
  };
  ladder.bytes = ladder.flops = [](const Params&, std::string_view) { return 512.0; };
  ladder.figures = [](const Run& run) {
    return Metrics{{"mine.launches", std::int64_t(run.launches.size())}};
  };
  return ladder;
}

}  // namespace

TEST_CASE("a ladder made at run time runs, is checked, says its own figures and comes back from its file") {
  const Added mine(made_here("mine"));
  const TemporaryFolder folder;
  const Run run = answered("mine", "twice", {}, EngineKind::emulator, folder.path());
  CHECK(run.check.pass);
  CHECK(run.counts->global_load_sectors == 8);
  CHECK(run.metrics().at("mine.launches") == Value{std::int64_t{1}});
  CHECK(!run.source_hash.empty());
  REQUIRE(save_run(run, folder / "mine.npz"));
  const auto back = load_recording(folder / "mine.npz");
  REQUIRE_MESSAGE(back, back.error().text());
  CHECK_FALSE(back->stale);
  CHECK(back->metrics() == run.metrics());
}

TEST_CASE("the catalogue refuses what could not be run, and a slug that is taken") {
  const std::size_t before = ladders().size();
  CHECK_FALSE(catalogue().add(std::make_shared<const Ladder>()));
  CHECK_FALSE(catalogue().add(std::make_shared<const Ladder>(renamed("gemm", "gemm"))));
  Ladder twice = made_here("twice");
  twice.info.rungs.push_back(twice.info.rungs[0]);
  CHECK_FALSE(catalogue().add(std::make_shared<const Ladder>(twice)));
  Ladder blind = made_here("blind");
  blind.check = nullptr;
  const Status refused = catalogue().add(std::make_shared<const Ladder>(blind));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text().find("check") != std::string::npos);
  {
    const Added mine(made_here("mine"));
    CHECK(ladders().size() == before + 1);
    CHECK(ladders().back() == find_ladder("mine"));
  }
  CHECK(ladders().size() == before);
  CHECK_FALSE(find_ladder("mine"));
}

TEST_CASE("a rung without code is refused by name") {
  Ladder empty = made_here("empty");
  empty.info.rungs[0].code = nullptr;
  const Added added(empty);
  Request request;
  request.lab = "empty", request.rung = "twice", request.engine = EngineKind::emulator;
  const auto run = run_request({nullptr, make_emulator_engine(), nullptr}, request, kSilent);
  REQUIRE_FALSE(run);
  CHECK(run.error().exit == Exit::unavailable);
}

TEST_CASE("a request that names a device is answered by that device's recording alone") {
  const TemporaryFolder folder;
  for (const char* device : {"NVIDIA A", "NVIDIA B"}) {
    auto run = load_run(kRecordings + "/h200/transpose_copy.npz");
    REQUIRE(run);
    run->device.name = device;
    fs::create_directories(folder / device);
    REQUIRE(save_run(*run, folder / device / "copy.npz"));
  }
  const auto engine = make_recording_engine({folder.path()});
  Request request;
  request.lab = "transpose", request.rung = "copy", request.engine = EngineKind::recording;
  request.params = *complete_params(find_ladder("transpose")->info, "copy", {});
  for (const char* device : {"NVIDIA B", "NVIDIA A"}) {
    request.device = device;
    const auto run = engine->run(request, kSilent);
    REQUIRE(run);
    CHECK(run->device.name == device);
    CHECK(recorded_time(*engine, request)->device.name == device);
  }
  request.device = "NVIDIA C";
  const auto none = engine->run(request, kSilent);
  REQUIRE_FALSE(none);
  CHECK(none.error().text().find("NVIDIA C") != std::string::npos);
  request.device = "";
  CHECK(engine->run(request, kSilent));
}

TEST_CASE("a choice is known whichever of its letters are capital") {
  const LabInfo& lab = find_ladder("occupancy")->info;
  CHECK(parse_setting(lab, "device=h200")->second == Value{std::string("H200")});
  CHECK(parse_setting(lab, "device=rtx 4090")->second == Value{std::string("RTX 4090")});
  CHECK_FALSE(parse_setting(lab, "device=h201"));
}

// --- no lab's name outside its folders

namespace {

// The texts between quotes of a line, without those of #include and comments.
std::vector<std::string> literals_of(const std::string& line) {
  std::vector<std::string> all;
  if (line.starts_with("#include")) return all;
  std::size_t behind = 0;
  for (std::size_t from = line.find('"'); from != line.npos;) {
    if (line.substr(behind, from - behind).find("//") != line.npos) break;
    std::size_t to = from + 1;
    while (to < line.size() && line[to] != '"') to += line[to] == '\\' ? 2 : 1;
    if (to >= line.size()) break;
    all.push_back(line.substr(from + 1, to - from - 1));
    behind = to + 1;
    from = line.find('"', to + 1);
  }
  return all;
}

bool names_lab(const std::string& literal, const std::string& slug) {
  return literal == slug || literal.starts_with(slug + "/");
}

// Words of other things that are spelt as a lab is.
bool allowed(const std::string& literal, const fs::path& file) {
  const std::string name = file.filename();
  // The occupancy of a run: its JSON key, its row, its kind of evidence and the experiment's name.
  if (literal == "occupancy") return true;
  if (literal == "threads") return true;  // the emulator's, and a block's
  if (literal == "memory")
    return name == "program_sources.cpp" || name == "memory_evidence.cpp";  // C++'s; a record's kind
  if (name == "word_pictures.cpp") return true;                             // terms of the glossary
  if (literal == "banks" && name == "bank_map.cpp") return true;            // those of shared memory
  // A kernel of a made-up timeline that `bench ui` draws.
  return literal == "attention" && name == "shot.cpp";
}

}  // namespace

TEST_CASE("no engine, verb, model, widget or window knows a lab by name") {
  std::vector<std::string> slugs;
  for (const Ladder* ladder : ladders()) slugs.push_back(ladder->info.slug);
  int files = 0;
  for (const char* folder : {"engine", "shell", "cli", "model", "draw"})
    for (const auto& file : fs::recursive_directory_iterator(in_source("app/") + std::string(folder))) {
      if (!file.is_regular_file()) continue;
      ++files;
      std::istringstream text(text_of(file.path()));
      for (std::string line; std::getline(text, line);)
        for (const std::string& slug : slugs) {
          const bool function =
              line.find(slug + "_ladder(") != line.npos || line.find(slug + "_lab(") != line.npos;
          CHECK_MESSAGE(!function, file.path().string() << ": " << line);
          for (const std::string& literal : literals_of(line))
            CHECK_MESSAGE((!names_lab(literal, slug) || allowed(literal, file.path())), file.path().string()
                                                                                            << ": " << line);
        }
    }
  CHECK(files > 150);
}
