#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "app/engine/run_file.hpp"
#include "app/engine/worker.hpp"
#include "engine_sample.hpp"
#include "engine_support.hpp"
#include "process_support.hpp"
#include "worker_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

TEST_CASE("a run comes back from the worker whole") {
  WorkerPool pool(fake_options());
  CHECK_FALSE(pool.busy());
  const auto run = answer(pool, request_for("answer"));
  REQUIRE_MESSAGE(run, run.error().text());
  CHECK(run->launches[0].trace.events == sample_run().launches[0].trace.events);
  CHECK(provenance_of(*run, "check") == "emulated");
  CHECK_FALSE(pool.busy());
  CHECK(blocks_in_shared_memory() == 0);
}

TEST_CASE("an engine's refusal and a thrown surprise are answers, and the next run works") {
  WorkerPool pool(fake_options());
  const auto refused = answer(pool, request_for("refuse"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().exit == Exit::bad_input);
  CHECK(refused.error().text() == "no bananas today");
  check_died(answer(pool, request_for("throw")), "a surprise");
  CHECK(answer(pool, request_for("answer")));
}

TEST_CASE("a worker that crashes or exits is an answer that says how, and the next run works") {
  WorkerPool pool(fake_options());
  check_died(answer(pool, request_for("crash")), "killed by signal");
  CHECK(answer(pool, request_for("answer")));
  check_died(answer(pool, request_for("exit")), "exit code 7");
  CHECK(answer(pool, request_for("answer")));
  CHECK(blocks_in_shared_memory() == 0);
}

TEST_CASE(
    "an order that its worker had no time to read is given out once more; a second death is the answer") {
  WorkerPool pool(fake_options());
  const auto stop_all = [] {
    for (int pid : children_of(::getpid())) ::kill(pid, SIGSTOP);
  };
  // Serves the loop until another process than `before` has the order.
  const auto next_pid = [&](int before) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (pool.worker_pid() == before && std::chrono::steady_clock::now() < end)
      if (pool.wait_for(5ms)) return 0;
    return pool.worker_pid();
  };
  const auto finish = [&] {
    std::optional<WorkerPool::Outcome> outcome = pool.wait_for(20s);
    REQUIRE(outcome);
    return std::move(outcome->run);
  };
  REQUIRE(answer(pool, request_for("answer")));
  stop_all();
  pool.start(request_for("answer"));
  const int first = pool.worker_pid();
  REQUIRE(first != 0);
  ::kill(first, SIGKILL);
  const int second = next_pid(first);  // the spare, stopped as well
  REQUIRE(second != 0);
  SUBCASE("the next one answers") {
    ::kill(second, SIGCONT);
    CHECK(finish());
  }
  SUBCASE("the next one dies, too") {
    ::kill(second, SIGKILL);
    check_died(finish(), "killed by signal 9");
  }
}

TEST_CASE("what a kernel prints does not reach the protocol") {
  WorkerPool pool(fake_options());
  CHECK(answer(pool, request_for("print")));
}

TEST_CASE("progress arrives while the run goes on") {
  WorkerPool pool(fake_options());
  pool.start(request_for("slow"));
  double last = -1;
  int steps = 0;
  std::optional<WorkerPool::Outcome> outcome;
  while (!(outcome = pool.wait_for(5ms))) {
    const Progress progress = pool.progress();
    CHECK(progress.fraction >= last);
    steps += progress.fraction > last;
    last = progress.fraction;
  }
  CHECK(outcome->run);
  CHECK(steps >= 3);
  CHECK(last > 0.3);
}

TEST_CASE("a hanging run ends with its time-out") {
  WorkerPool pool(fake_options());
  Request request = request_for("hang");
  request.timeout_s = 0.2;
  check_died(answer(pool, request), "longer than 0.2 s");
  CHECK(answer(pool, request_for("answer")));
}

TEST_CASE("cancelling answers at once; cancelling nothing does nothing") {
  WorkerPool pool(fake_options());
  pool.cancel();
  CHECK_FALSE(pool.poll().has_value());
  pool.start(request_for("hang"));
  CHECK(pool.busy());
  pool.cancel();
  const auto outcome = pool.poll();
  REQUIRE(outcome.has_value());
  check_died(outcome->run, kCancelled);
  CHECK_FALSE(pool.poll().has_value());
}

TEST_CASE("a run that is started during another replaces it; only its outcome arrives") {
  WorkerPool pool(fake_options());
  for (int i = 0; i < 5; ++i) pool.start(request_for("hang"));
  pool.start(request_for("answer"));
  const auto outcome = pool.wait();
  CHECK(outcome.request.lab == "answer");
  CHECK(outcome.run);
  CHECK_FALSE(pool.wait_for(50ms).has_value());
}

TEST_CASE("a pool that goes away in the middle of a run leaves nothing behind") {
  int pid = 0;
  {
    WorkerPool pool(fake_options());
    pool.start(request_for("slow"));
    (void)pool.wait_for(20ms);
    pid = pool.worker_pid();
    REQUIRE(pid > 0);
  }
  CHECK(::kill(pid, 0) != 0);
  CHECK(blocks_in_shared_memory() == 0);
}

#ifndef __SANITIZE_ADDRESS__  // whose own address space is above every limit
TEST_CASE("a run that wants more memory than allowed is told so") {
  WorkerOptions limited = fake_options();
  limited.memory_limit_bytes = std::uint64_t{1} << 30;
  WorkerPool pool(limited);
  check_died(answer(pool, request_for("hog")), "1024 MB");
  CHECK(answer(pool, request_for("answer")));
}
#endif

TEST_CASE("a program that cannot be started, or is no worker, is an answer") {
  WorkerOptions wrong = fake_options();
  wrong.program = "/nonexistent/lockstep";
  WorkerPool pool(wrong);
  check_died(answer(pool, request_for("answer")), "/nonexistent/lockstep");
  wrong.program = "/bin/echo";
  WorkerPool talker(wrong);
  check_died(answer(talker, request_for("answer")), "start the run again");
}
