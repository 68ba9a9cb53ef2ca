// The program itself: bad input, the JSON contract, saved runs, and workers that are killed.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/engine/run_file.hpp"
#include "app/platform/files.hpp"
#include "engine_sample.hpp"
#include "engine_support.hpp"
#include "kernels/ladder.hpp"
#include "places.hpp"
#include "process_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using Json = nlohmann::ordered_json;

namespace {

using Words = std::vector<std::string>;

// Exit code as given, nothing on stdout, one line on stderr that names what was given and what is possible.
void check_refused(const Words& words, const std::string& given, const std::string& possible, int exit = 2) {
  const ProgramResult result = run_program(words);
  std::string typed;
  for (const std::string& word : words) typed += word + " ";
  CAPTURE(typed);
  CAPTURE(result.err);
  CHECK(result.exit == exit);
  CHECK(result.out == "");
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK(result.err.starts_with("lockstep: "));
  CHECK(result.err.find(given) != std::string::npos);
  CHECK(result.err.find(possible) != std::string::npos);
}

Words keys_of(const Json& object) {
  Words keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

Words emulated(const Words& more) {
  Words words{"run", "transpose", "--engine", "emulator"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A program at work in the background; its run takes some seconds.
class Background {
 public:
  Background() {
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      if (!std::freopen((folder_ / "out").c_str(), "w", stdout)) ::_exit(9);
      if (!std::freopen((folder_ / "err").c_str(), "w", stderr)) ::_exit(9);
      ::execl(kProgram, "lockstep", "run", "transpose", "--rung", "naive", "--set", "n=16384", "--engine",
              "emulator", nullptr);
      ::_exit(9);
    }
  }
  ~Background() {
    if (!ended_) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
  }
  int pid() const { return pid_; }
  int worker() const {
    for (int i = 0; i < 500; ++i) {
      const auto children = children_of(pid_);
      // Its second program: until exec has happened the child is still this test.
      if (!children.empty() &&
          text_of("/proc/" + std::to_string(children[0]) + "/cmdline").find("worker") != std::string::npos)
        return children[0];
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return 0;
  }
  ProgramResult wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended_ = true;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder_ / "out"), text_of(folder_ / "err")};
  }

 private:
  TemporaryFolder folder_;
  int pid_ = 0;
  bool ended_ = false;
};

}  // namespace

TEST_CASE("every bad input ends in exit 2 with one line that names the value and what is possible") {
  check_refused({"rnu"}, "'rnu'", "did you mean 'run'");
  check_refused({"run"}, "no lab", "lockstep list");
  check_refused({"run", ""}, "''", "transpose");
  check_refused({"run", "transpos"}, "'transpos'", "did you mean 'transpose'");
  check_refused({"run", "quantum"}, "'quantum'", "transpose");
  check_refused({"run", "transpose", "--rung", "naiv"}, "'naiv'", "did you mean 'naive'");
  check_refused({"run", "transpose", "--rung", ""}, "''", "naive");
  check_refused({"run", "transpose", "--engine", "cude"}, "'cude'", "did you mean 'cuda'");
  check_refused({"run", "transpose", "--set", "m=3"}, "'m'", "n");
  check_refused({"run", "transpose", "--set", "n"}, "'n'", "name=value");
  for (const std::string wrong :
       {"1e3", "", "12x", "99999999999999999999", "-5", "nan", "0", "0x10", " 1", "16385"})
    check_refused({"run", "transpose", "--set", "n=" + wrong}, wrong, "1 to 16384");
  for (const std::string wrong : {"-1", "x", "1,2,", "1,2,3,4", "1,,2", "1e3", "99999999999999999999", ""})
    check_refused(emulated({"--block", wrong}), "'" + wrong + "'", "--block takes");
  check_refused(emulated({"--block", "9999"}), "9999", "0 to 15");
  check_refused(emulated({"--block", "0,4,0"}), "0,4,0", "4 x 4 x 1");
  check_refused(emulated({"--warp", "32"}), "'32'", "0 to 31");
  check_refused(emulated({"--warp", "31"}), "31", "0 to 7");
  for (const std::string wrong : {"nan", "0", "-1", "inf", "1e9", "soon", ""})
    check_refused(emulated({"--timeout", wrong}), "'" + wrong + "'", "0.001 to");
  for (const std::string wrong : {"0", "257", "-1", "two", ""})
    check_refused(emulated({"--threads", wrong}), "'" + wrong + "'", "1 to 256");
  check_refused(emulated({"--save", "run.txt"}), "'run.txt'", ".npz or .json");
  check_refused(emulated({"--save", "/nonexistent/run.npz"}), "/nonexistent/run.npz", "no folder");
  check_refused(emulated({"--recordings", "/nonexistent"}), "/nonexistent", "folder");
  check_refused(emulated({"--bogus"}), "--bogus", "lockstep run --help");
  check_refused(emulated({"more"}), "more", "lockstep run --help");
  check_refused({"run", "transpose", "--rung"}, "--rung", "lockstep run --help");
  check_refused({"run", "transpose", "--rung", "copy", "--rung", "naive"}, "--rung", "lockstep run --help");
  check_refused({"--bogus"}, "--bogus", "--help");
}

TEST_CASE("bad input for pictures is refused before anything runs") {
  const auto shot = [](const Words& more) {
    Words words{"shot", "transpose", "--engine", "emulator"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  check_refused(shot({}), "-o", ".png");
  check_refused(shot({"-o", "a.gif"}), "'a.gif'", ".png or .svg");
  check_refused(shot({"-o", "/nonexistent/a.png"}), "/nonexistent/a.png", "no folder");
  for (const std::string wrong : {"10x10", "320", "x", "7681x4320", "1e3x500", "-320x240", "320x240x3", ""})
    check_refused(shot({"-o", "a.png", "--size", wrong}), "'" + wrong + "'", "320x240 to 7680x4320");
  for (const std::string wrong : {"0.4", "4.1", "nan", "", "2x"})
    check_refused(shot({"-o", "a.png", "--scale", wrong}), "'" + wrong + "'", "0.5 to 4");
  for (const std::string wrong : {"-1", "1.5", "nan", ""})
    check_refused(shot({"-o", "a.png", "--step", wrong}), "'" + wrong + "'", "from 0");
  check_refused(shot({"-o", "/tmp/a.png", "--step", "99999"}), "99999", "steps 0 to ");
  check_refused(shot({"-o", "a.png", "--theme", "blue"}), "'blue'", "light or dark");
  check_refused(shot({"-o", "a.png", "--lang", "fr"}), "'fr'", "en or zh");
  check_refused(shot({"-o", "/tmp/a.png", "--compare", "naiv"}), "'naiv'", "did you mean 'naive'");
  check_refused(shot({"-o", "a.png", "--scene", "/nonexistent"}), "/nonexistent", "no file");
}

TEST_CASE("run files that are missing, damaged or of something else are refused") {
  const TemporaryFolder folder;
  check_refused({"run", "--run", folder / "none.npz"}, "none.npz", "no file");
  check_refused({"run", "--run", folder.path()}, folder.path(), "not a file");
  REQUIRE(save_run(sample_run(), folder / "run.npz"));
  auto bytes = *read_file(folder / "run.npz", 1 << 20);
  bytes.resize(bytes.size() / 2);
  REQUIRE(write_file_atomically(folder / "cut.npz", bytes));
  check_refused({"run", "--run", folder / "cut.npz"}, "cut.npz", "save or record the run again");
  check_refused({"run", "transpose", "--rung", "naive", "--run", folder / "run.npz"}, "run.npz",
                "transpose/copy");
  check_refused({"run", "--set", "n=3", "--run", folder / "run.npz"}, "run.npz", "leave them out");
  Run stranger = sample_run();
  stranger.request.lab = "alchemy";
  REQUIRE(save_run(stranger, folder / "stranger.npz"));
  check_refused({"run", "--run", folder / "stranger.npz"}, "'alchemy'", "transpose");
}

TEST_CASE("without a display the window says so, names the tour and ends in exit 3") {
  check_refused({}, "display", "lockstep tour", 3);
}

TEST_CASE("what was not recorded is refused with the way to go on") {
  const ProgramResult result = run_program({"run", "transpose", "--engine", "recording", "--set", "n=77"});
  CHECK((result.exit == 2 || result.exit == 3));  // 2 where other settings of the rung are recorded
  CHECK(result.err.find("transpose/copy") != std::string::npos);
  CHECK(result.err.find("record") != std::string::npos);
}

TEST_CASE("a run with findings is exit 1, and names them") {
  const TemporaryFolder folder;
  REQUIRE(save_run(sample_run(), folder / "run.npz"));
  const ProgramResult result = run_program({"run", "--run", folder / "run.npz"});
  CHECK(result.exit == 1);
  CHECK(result.out.find("found: race in block 1, thread 3, transpose/01_copy.cuh:12: thread 3 races") !=
        std::string::npos);
  CHECK(result.out.find("recorded: NVIDIA H200, 2026-11-21") != std::string::npos);
}

TEST_CASE("a scene file stands for its flags, and is checked like them") {
  const TemporaryFolder folder;
  const auto shot_of = [&](const std::string& scene) {
    REQUIRE(write_file_atomically(folder / "scene",
                                  {reinterpret_cast<const std::uint8_t*>(scene.data()), scene.size()}));
    return Words{"shot", "--engine", "emulator", "--scene", folder / "scene", "-o", folder / "a.svg"};
  };
  check_refused(shot_of("{"), "scene", "not a scene");
  check_refused(shot_of(R"({"schema":1,"lab":"transpose"})"), "scene", "'rung' is missing");
  check_refused(shot_of(R"({"schema":1,"lab":"transpose","rung":"naiv"})"), "'naiv'", "did you mean 'naive'");
  check_refused(shot_of(R"({"schema":1,"lab":"transpose","rung":"naive","params":{"n":0}})"), "n = 0",
                "1 to");
  check_refused(shot_of(R"({"schema":1,"lab":"transpose","rung":"naive","step":100000})"), "100000",
                "steps 0 to");
}

TEST_CASE(
    "settings drawn for validation are legal, few, none of the fixed ones, and the same for the same seed" *
    doctest::test_suite("slow")) {
  const auto plan = [](const std::string& lab, const std::string& drawn, const std::string& seed) {
    const auto result = run_program({"validate", lab, "--plan", "--draw", drawn, "--seed", seed});
    REQUIRE_MESSAGE(result.exit == 0, result.err);
    return Json::parse(result.out);
  };
  for (const std::string lab : {"gemm", "softmax", "banks"}) {
    CAPTURE(lab);
    const Json fixed = plan(lab, "0", "1"), rows = plan(lab, "3", "1");
    CHECK(plan(lab, "3", "1") == rows);
    CHECK(plan(lab, "3", "2") != rows);
    const std::size_t rungs = find_ladder(lab)->info.rungs.size();
    CHECK(rows.size() == fixed.size() + 3 * rungs);
    std::set<std::string> names;
    for (const Json& row : rows) names.insert(row.at("rung").dump() + row.at("params").dump());
    std::set<std::string> of_fixed;
    for (const Json& row : fixed) of_fixed.insert(row.at("rung").dump() + row.at("params").dump());
    CHECK(names.size() == of_fixed.size() + 3 * rungs);
    const TemporaryFolder folder;
    const std::string text = rows.dump();
    REQUIRE(write_file_atomically(folder / "rows.json", std::vector<std::uint8_t>(text.begin(), text.end())));
    const auto again =
        run_program({"validate", "--plan", "--settings", folder / "rows.json"});  // legal, every one
    CHECK_MESSAGE(again.exit == 0, again.err);
    CHECK(Json::parse(again.out) == rows);
  }
}

TEST_CASE("list --json has the fields of the contract") {
  const ProgramResult result = run_program({"list", "--json"});
  CHECK(result.exit == 0);
  const Json labs = Json::parse(result.out)["labs"];
  REQUIRE(labs.size() >= 1);
  for (const Json& lab : labs) {
    CHECK(keys_of(lab) == Words{"slug", "title", "chapter", "rungs", "parameters"});
    for (const Json& rung : lab["rungs"]) CHECK(keys_of(rung) == Words{"slug", "idea"});
    for (const Json& parameter : lab["parameters"])
      CHECK(keys_of(parameter) == Words{"name", "type", "min", "max", "multiple", "default", "unit", "title",
                                        "choices", "rungs", "model_only", "help"});
  }
  CHECK(labs[0]["slug"] == "threads");
  const auto coalescing = [](const Json& lab) { return lab["slug"] == "coalescing"; };
  CHECK(std::count_if(labs.begin(), labs.end(), coalescing) == 1);
}

TEST_CASE("run --json prints one object with the fields of the contract") {
  const ProgramResult result = run_program(emulated({"--rung", "padded", "--set", "n=256", "--json"}));
  CHECK(result.exit == 0);
  CHECK(result.err == "");
  const Json run = Json::parse(result.out);
  CHECK(keys_of(run) == Words{"lab", "rung", "engine", "provenance", "params", "device", "check", "counts",
                              "time", "occupancy", "metrics", "warnings", "findings"});
  CHECK(keys_of(run["check"]) == Words{"pass", "max_error", "tolerance"});
  CHECK(keys_of(run["counts"]) ==
        Words{"shared_load_wavefronts", "shared_store_wavefronts", "shared_async_wavefronts",
              "shared_load_conflicts", "shared_store_conflicts", "global_load_requests",
              "global_load_sectors", "global_store_requests", "global_store_sectors",
              "global_reduction_sectors", "global_atomic_sectors", "shared_atomic_instructions", "barriers",
              "cluster_load_sectors", "box_sectors", "box_store_sectors", "products"});
  CHECK(run["engine"] == "emulator");
  CHECK(run["provenance"]["counts"] == "emulated");
  CHECK(run["params"]["n"] == 256);
  CHECK(run["counts"]["shared_load_wavefronts"] == 2048);
  CHECK(run["counts"]["global_load_sectors"] == 8192);
}

TEST_CASE("what the emulator says does not depend on its threads") {
  const auto said_by = [](const std::string& threads) {
    const ProgramResult result = run_program(emulated({"--set", "n=300", "--json", "--threads", threads}));
    CHECK(result.exit == 0);
    Json run = Json::parse(result.out);
    run["metrics"].erase("ranges");  // how long the program itself took
    return run.dump();
  };
  const std::string alone = said_by("1");
  for (const std::string threads : {"2", "3", "8"}) CHECK(said_by(threads) == alone);
}

TEST_CASE("a saved run reads the same later, for people and as JSON") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.npz";
  const ProgramResult made =
      run_program(emulated({"--rung", "naive", "--block", "1,1,0", "--json", "--save", file}));
  CHECK(made.exit == 0);
  const ProgramResult shown = run_program({"run", "--run", file, "--json"});
  CHECK(shown.exit == 0);
  CHECK(Json::parse(shown.out)["counts"] == Json::parse(made.out)["counts"]);
  const ProgramResult table = run_program({"run", "transpose", "--run", file});
  CHECK(table.out.find("global load sectors") != std::string::npos);
  CHECK(table.out.find("emulated") != std::string::npos);
  CHECK(load_run(file)->request.block == 5);
}

TEST_CASE("a full disk is said after the run, and costs exit 2") {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "full.npz");
  const ProgramResult result = run_program(emulated({"--json", "--save", folder / "full.npz"}));
  CHECK(result.exit == 2);
  CHECK(result.err.find("the disk is full") != std::string::npos);
}

TEST_CASE("output that goes nowhere is exit 2") {
  const int status = std::system((quoted(kProgram) + " list --json >/dev/full 2>/dev/null").c_str());
  CHECK(WEXITSTATUS(status) == 2);
}

TEST_CASE("a killed worker is exit 4 with the signal's name") {
  Background program;
  const int worker = program.worker();
  REQUIRE(worker > 0);
  ::kill(worker, SIGKILL);
  const ProgramResult result = program.wait();
  CHECK(result.exit == 4);
  CHECK(result.err.find("killed by signal 9") != std::string::npos);
}

TEST_CASE("Ctrl+C ends the run and its worker with exit 4") {
  Background program;
  const int worker = program.worker();
  REQUIRE(worker > 0);
  ::kill(program.pid(), SIGINT);
  const ProgramResult result = program.wait();
  CHECK(result.exit == 4);
  CHECK(result.err.find("cancelled") != std::string::npos);
  CHECK(gone(worker));
}

TEST_CASE("a worker does not outlive a program that was killed") {
  Background program;
  const int worker = program.worker();
  REQUIRE(worker > 0);
  ::kill(program.pid(), SIGKILL);
  (void)program.wait();
  CHECK(gone(worker));
}

TEST_CASE("a run that takes too long is exit 4") {
  const ProgramResult result =
      run_program(emulated({"--rung", "naive", "--set", "n=16384", "--timeout", "0.2"}));
  CHECK(result.exit == 4);
  CHECK(result.err.find("longer than 0.2 s") != std::string::npos);
}

TEST_CASE("occupancy answers settings given one by one or parted by commas, and refuses by name") {
  const auto run = run_program({"run", "occupancy", "--engine", "emulator", "--set",
                                "threads=256,registers=64,shared_bytes=49152,device=T4", "--json"});
  REQUIRE(run.exit == 0);
  const Json answer = Json::parse(run.out);
  CHECK(answer.at("params").at("device") == "T4");
  CHECK(answer.at("occupancy").at("blocks_per_sm") == 1);
  CHECK(answer.at("occupancy").at("limiter") == "shared_bytes");
  CHECK(answer.at("occupancy").at("limits").at("registers") == 4);
  check_refused({"run", "occupancy", "--set", "threads=0"}, "threads = 0", "1 to 1024");
  check_refused({"run", "occupancy", "--set", "threads=1025"}, "threads = 1025", "1 to 1024");
  check_refused({"run", "occupancy", "--set", "shared_bytes=307200"}, "307200", "232448");
  check_refused({"run", "occupancy", "--set", "device=T4,shared_bytes=65537"}, "65537", "65536");
  check_refused({"run", "occupancy", "--rung", "fma", "--set", "threads=513"}, "threads = 513", "512");
  check_refused({"run", "occupancy", "--set", "kernel=gemm/none"}, "gemm/none", "gemm/ldmatrix");
}
