// What goes wrong outside: workers that are killed at every moment, that hang or babble, GPUs that get lost,
// memory and disks that are short. Each ends in an answer, and the next run is right.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <random>

#include "app/engine/worker.hpp"
#include "app/platform/files.hpp"
#include "app/platform/process.hpp"
#include "engine_sample.hpp"
#include "engine_support.hpp"
#include "process_support.hpp"
#include "worker_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

bool is_right(const Result<Run>& run) {
  return run && run->launches.at(0).trace.events == sample_run().launches[0].trace.events;
}

// Mounts a disk of 16 KB on the folder, runs the program, and lists what it has left there.
std::vector<std::string> with_small_disk(const std::filesystem::path& folder) {
  return {"unshare",
          "-rm",
          "sh",
          "-c",
          "mount -t tmpfs -o size=16k none \"$0\" || exit 77; \"$@\"; code=$?; ls -A \"$0\" >\"$0.left\"; "
          "exit $code",
          folder};
}

enum class Moment { starting, running, answering };

// Serves the pool until the run has come to the moment, and then some more, by chance.
void wait_for(WorkerPool& pool, Moment moment, std::mt19937& random) {
  const double wanted = moment == Moment::starting ? 0 : moment == Moment::running ? 0.5 : 0.9;
  while (pool.busy() && pool.progress().fraction < wanted) (void)pool.wait_for(1ms);
  for (auto more = random() % (moment == Moment::starting ? 8 : 40); more > 0 && pool.busy(); --more)
    (void)pool.wait_for(1ms);
}

}  // namespace

TEST_CASE(
    "100 of 100 workers killed while starting, running or answering: an answer, and the next run is right") {
  WorkerPool pool(fake_options());
  std::mt19937 random(3);
  int killed = 0, died = 0;
  for (int trial = 0; killed < 100; ++trial) {
    REQUIRE(trial < 1000);
    pool.start(request_for("slow and large"));
    wait_for(pool, Moment(trial % 3), random);
    const int pid = pool.worker_pid();
    if (pid == 0) {  // it had answered before
      if (pool.busy()) (void)pool.wait();
      continue;
    }
    ::kill(pid, SIGKILL);
    ++killed;
    const auto outcome = pool.wait();
    died += !outcome.run;
    if (!outcome.run) check_died(outcome.run, "killed by signal 9");
    REQUIRE(is_right(answer(pool, request_for("answer"))));
  }
  CHECK(died > 60);  // the others had said the answer just before
  CHECK(blocks_in_shared_memory() == 0);
}

TEST_CASE("a worker that is stopped is ended at the time-out") {
  WorkerPool pool(fake_options());
  Request request = request_for("slow");
  request.timeout_s = 0.3;
  pool.start(request);
  const int pid = pool.worker_pid();
  ::kill(pid, SIGSTOP);
  check_died(pool.wait().run, "longer than 0.3 s");
  CHECK(is_right(answer(pool, request_for("answer"))));
  CHECK(gone(pid));
}

TEST_CASE("a worker that talks without an end is ended, and that is an answer") {
  const TemporaryFolder folder;
  std::ofstream(folder / "babble") << "#!/bin/sh\nexec tr '\\0' x </dev/zero\n";
  std::filesystem::permissions(folder / "babble", std::filesystem::perms::owner_all);
  WorkerOptions options = fake_options();
  options.program = folder / "babble";
  options.spare = false;
  WorkerPool pool(options);
  check_died(answer(pool, request_for("answer")), "cannot be read");
}

TEST_CASE("a GPU that gets lost spoils its process alone: the next run is right") {
  WorkerPool pool(fake_options());
  check_died(answer(pool, request_for("lose", EngineKind::cuda)), "the GPU reported an error");
  const auto next = answer(pool, request_for("answer", EngineKind::cuda));
  REQUIRE_MESSAGE(next, next.error().text());
  CHECK(next->engine == EngineKind::cuda);
}

TEST_CASE("a driver that does not fit: auto emulates, cuda says why") {
  WorkerPool pool(fake_options());
  const auto emulated = answer(pool, request_for("no driver", EngineKind::automatic));
  REQUIRE_MESSAGE(emulated, emulated.error().text());
  CHECK(emulated->engine == EngineKind::emulator);
  const auto refused = answer(pool, request_for("no driver", EngineKind::cuda));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().exit == Exit::unavailable);
  CHECK(refused.error().text().find("older than CUDA 13.0") != std::string::npos);
}

TEST_CASE("of 1000 runs started in a row the last one answers, and nothing leaks" *
          doctest::test_suite("slow")) {
  const Holdings before = holdings();
  {
    WorkerPool pool(fake_options());
    for (std::int64_t n = 1; n <= 1000; ++n) {
      Request request = request_for(n % 10 == 0 ? "hang" : "answer");
      request.params["n"] = n;
      pool.start(request);
      if (n % 7 == 0) (void)pool.poll();
    }
    Request last = request_for("answer");
    last.params["n"] = std::int64_t{1001};
    const auto run = answer(pool, last);
    REQUIRE_MESSAGE(run, run.error().text());
    CHECK(run->request.params == last.params);
    CHECK_FALSE(pool.poll().has_value());
    for (int i = 0; i < 500 && holdings().children > 2; ++i) (void)pool.wait_for(10ms);
    CHECK(holdings().children <= 2);  // one at work, one spare
    CHECK(holdings().blocks == 0);
  }
  CHECK(holdings() == before);
}

TEST_CASE("a run may use three quarters of the memory unless told otherwise") {
  const auto machine = std::uint64_t(::sysconf(_SC_PHYS_PAGES)) * std::uint64_t(::sysconf(_SC_PAGESIZE));
  CHECK(WorkerOptions{}.memory_limit_bytes > 0);
  CHECK(WorkerOptions{}.memory_limit_bytes <= machine / 4 * 3);
}

TEST_CASE("the limit counts data on top of what is held, and not address space") {
  rlimit before;
  REQUIRE(::getrlimit(RLIMIT_DATA, &before) == 0);
  CHECK(limit_memory(std::uint64_t{1} << 30) == std::uint64_t{1} << 30);
  rlimit address_space;
  REQUIRE(::getrlimit(RLIMIT_AS, &address_space) == 0);
  CHECK(address_space.rlim_cur == RLIM_INFINITY);
  CHECK(limit_memory(0) == 0);
  rlimit after;
  REQUIRE(::getrlimit(RLIMIT_DATA, &after) == 0);
  CHECK(after.rlim_cur == before.rlim_cur);
}

TEST_CASE("a file that finds no more room leaves the old one, and nothing beside it") {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> old(100, 'o'), large(100000, 'n');
  REQUIRE(write_file_atomically(folder / "a", old));
  {
    const FileLimit limit(4096);
    const Status written = write_file_atomically(folder / "a", large);
    REQUIRE_FALSE(written);
    CHECK(written.error().exit == Exit::bad_input);
    CHECK(written.error().text().find("File too large") != std::string::npos);
  }
  CHECK(text_of(folder / "a") == std::string(100, 'o'));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a disk that fills up while a file is written: exit 2 with the cause, and no half of a file") {
  const TemporaryFolder folder;
  const auto disk = folder / "disk";
  std::filesystem::create_directory(disk);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"run", "transpose", "--engine", "emulator", "--save", disk / "run.npz"},
           {"shot", "transpose", "--engine", "emulator", "-o", disk / "shot.svg"},
           {"shot", "transpose", "--engine", "emulator", "-o", disk / "shot.png"},
           {"tour", "--engine", "emulator", "-o", disk}}) {
    CAPTURE(words.front());
    CAPTURE(words.back());
    const ProgramResult result = run_program(words, with_small_disk(disk));
    if (result.exit == 77 || result.err.find("unshare") != std::string::npos) {
      MESSAGE("left out: no disk can be mounted here");
      return;
    }
    CHECK(result.exit == 2);
    CHECK_MESSAGE(result.err.find("the disk is full") != std::string::npos, result.err);
    CHECK(text_of(disk.string() + ".left") == "");
  }
}

TEST_CASE("without a home that can be written to everything but keeping works") {
  const std::vector<std::string> nowhere{"env", "HOME=/proc", "XDG_CONFIG_HOME=/proc", "XDG_CACHE_HOME=/proc",
                                         "XDG_DATA_HOME=/proc"};
  const TemporaryFolder folder;
  CHECK(run_program({"run", "transpose", "--engine", "emulator"}, nowhere).exit == 0);
  CHECK(run_program({"doctor"}, nowhere).exit == 0);
  CHECK(run_program({"shot", "transpose", "--engine", "emulator", "-o", folder / "a.svg"}, nowhere).exit ==
        0);
  const ProgramResult unkept = run_program({"tour", "--engine", "emulator", "-o", "/proc/tour"}, nowhere);
  CHECK(unkept.exit == 2);
  CHECK(unkept.err.find("/proc/tour") != std::string::npos);
}

#if !defined __SANITIZE_ADDRESS__  // which ends the process where memory is short
TEST_CASE("a run that finds too little memory is exit 4 and says how much it was") {
  const ProgramResult result =
      run_program({"run", "transpose", "--engine", "emulator", "--set", "n=8192", "--long"},
                  {"sh", "-c", "ulimit -d 200000; exec \"$@\"", "sh"});
  CHECK(result.exit == 4);
  CHECK(result.err.find("MB of memory allowed; choose a smaller size") != std::string::npos);
}
#endif
