// CUPTI is loaded where it is, and its absence or refusal is a sentence and nothing more. The libraries are
// tests/fake_cupti.cpp.
#ifdef LOCKSTEP_FAKE_CUPTI
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "kernels/cuda/cupti_activity.hpp"

using namespace lockstep;
using cuda::CuptiTrace;

namespace {

const std::string kWorks = LOCKSTEP_FAKE_CUPTI, kRefuses = LOCKSTEP_FAKE_CUPTI_REFUSES,
                  kLacks = LOCKSTEP_FAKE_CUPTI_LACKS, kAttached = LOCKSTEP_FAKE_CUPTI_ATTACHED;

template <class F>
F* told(const std::string& file, const char* name) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  void* const function = dlsym(library, name);
  REQUIRE(function != nullptr);
  return reinterpret_cast<F*>(function);
}

struct Fake {
  void (*kernel)(std::uint64_t, std::uint64_t, std::uint32_t, std::uint64_t) =
      told<void(std::uint64_t, std::uint64_t, std::uint32_t, std::uint64_t)>(kWorks, "fake_kernel");
  void (*call)(std::uint32_t) = told<void(std::uint32_t)>(kWorks, "fake_call");
  void (*loss)(std::size_t) = told<void(std::size_t)>(kWorks, "fake_loss");
  void (*clone)(void*, void*) = told<void(void*, void*)>(kWorks, "fake_clone");
  std::uint32_t (*enabled)() = told<std::uint32_t()>(kWorks, "fake_enabled");
  bool (*subscribed)() = told<bool()>(kWorks, "fake_subscribed");
  int (*finalized)() = told<int()>(kWorks, "fake_finalized");
};

void* node(std::uintptr_t id) { return reinterpret_cast<void*>(id); }

template <class Time>
std::int64_t now_ns(Time clock) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock.time_since_epoch()).count();
}

}  // namespace

TEST_CASE("CUPTI that is not there is named, with what to do") {
  CuptiTrace trace;
  const auto problem = trace.start({"/nowhere/libcupti.so.13", "/nowhere/libcupti.so"});
  CHECK(is_absent(problem));
  CHECK(message_of(problem).text().find("/nowhere/libcupti.so.13 was not found") == 0);
  CHECK(message_of(problem).text().find("LOCKSTEP_CUPTI") != std::string::npos);
  ActivityPass pass;
  CHECK(trace.take(pass, 0).any());
}

TEST_CASE("a file that the user names is the only one that is tried") {
  const auto files = cuda::cupti_files();
  CHECK(files.size() == 6);
  CHECK(files.front().find("libcupti.so.") == 0);
  setenv("LOCKSTEP_CUPTI", "/nowhere/mine.so", 1);
  CHECK(cuda::cupti_files() == std::vector<std::string>{"/nowhere/mine.so"});
  CuptiTrace trace;
  const auto problem = trace.start();
  unsetenv("LOCKSTEP_CUPTI");
  CHECK(problem.reason == "named_library");
  CHECK(message_of(problem).text().find("LOCKSTEP_CUPTI names /nowhere/mine.so") == 0);
}

TEST_CASE("a library that lacks a function is named with it") {
  CuptiTrace trace;
  const auto problem = trace.start({kLacks});
  CHECK(problem == ActivityProblem{"no_symbol", "cuptiGetGraphNodeId", kLacks});
  CHECK(is_absent(problem));
}

TEST_CASE("a refusal is told with the call that met it and the way out") {
  CuptiTrace trace;
  const auto problem = trace.start({kRefuses});
  CHECK_FALSE(is_absent(problem));
  CHECK(problem == ActivityProblem{"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
                                   "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "cuptiSubscribe"});
  CuptiTrace second;
  const auto attached = second.start({kAttached});
  CHECK(attached.reason == "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED");
  CHECK(attached.what == "CUPTI_FAKE");  // by the library's own name for it
}

TEST_CASE("kernels and calls are recorded from start to end, and not afterwards") {
  const Fake fake;
  const int finalized = fake.finalized();
  {
    CuptiTrace trace;
    REQUIRE_FALSE(trace.start({kWorks}).any());
    CHECK(fake.subscribed());
    CHECK(fake.enabled() == (1u << 10 | 1u << 5));  // CONCURRENT_KERNEL and RUNTIME; no GRAPH_TRACE
    fake.call(41), fake.kernel(5000, 6000, 41, 0), fake.kernel(0, 0, 42, 0), fake.loss(2);
    ActivityPass pass;
    REQUIRE_FALSE(trace.take(pass, 0).any());
    REQUIRE(pass.records.size() == 1);
    CHECK(pass.records[0].end_ns - pass.records[0].start_ns == 1000);
    CHECK(pass.records[0].correlation == 41);
    CHECK(pass.records[0].stream == 7);
    CHECK(pass.records[0].name == "a_kernel");
    CHECK(pass.calls == std::vector<std::uint32_t>{41});
    CHECK(pass.lost == 3);  // two that found no room, one without times
    REQUIRE_FALSE(trace.take(pass, 0).any());
    CHECK(pass.records.empty());
    CHECK(pass.calls.empty());
    CHECK(pass.lost == 0);
    fake.kernel(5000, 6000, 43, 0);  // nobody takes it any more
  }
  CHECK(fake.enabled() == 0);
  CHECK_FALSE(fake.subscribed());
  CHECK(fake.finalized() == finalized + 1);  // nothing of it may slow later launches
  CuptiTrace again;
  REQUIRE_FALSE(again.start({kWorks}).any());
  ActivityPass pass;
  REQUIRE_FALSE(again.take(pass, 0).any());
  CHECK(pass.records.empty());
}

TEST_CASE("CUPTI's clock is brought to the CPU's monotonic one") {
  const Fake fake;
  CuptiTrace trace;
  CHECK(std::isinf(trace.clock_error_us()));
  REQUIRE_FALSE(trace.start({kWorks}).any());
  const std::int64_t real = now_ns(std::chrono::system_clock::now());
  const std::int64_t origin = now_ns(std::chrono::steady_clock::now());
  fake.call(1), fake.kernel(std::uint64_t(real + 1'000'000), std::uint64_t(real + 3'000'000), 1, 0);
  ActivityPass pass;
  REQUIRE_FALSE(trace.take(pass, origin).any());
  REQUIRE(pass.records.size() == 1);
  CHECK(double(pass.records[0].start_ns) / 1e6 == doctest::Approx(1).epsilon(0.2));  // both in ms
  CHECK(trace.clock_error_us() > 0);
  CHECK(trace.clock_error_us() < 200);
}

TEST_CASE("a graph's node and the copies that an instantiation makes of it are the same kernel's") {
  const Fake fake;
  CuptiTrace trace;
  REQUIRE_FALSE(trace.start({kWorks}).any());
  trace.name_node(node(100), 0), trace.name_node(node(101), 1);
  fake.clone(node(100), node(201)), fake.clone(node(101), node(200)), fake.clone(node(999), node(202));
  fake.clone(node(200), node(300));  // a copy of a copy
  fake.call(9), fake.kernel(9000, 9500, 9, 300), fake.kernel(5000, 6000, 9, 201);
  ActivityPass pass;
  REQUIRE_FALSE(trace.take(pass, 0).any());
  CHECK(pass.node_of == std::map<std::uint64_t, int>{{100, 0}, {101, 1}, {201, 0}, {200, 1}, {300, 1}});
  ActivityProblem problem;
  const auto spans = matched_records({{"a", 0, {}}, {"b", 0, {0}}}, pass, ActivityWay::graph, problem);
  CHECK_FALSE(problem.any());
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].end_ns - spans[0].start_ns == 1000);
  CHECK(spans[1].end_ns - spans[1].start_ns == 500);
}
#endif
