// A worker whose engines do what the request says: the tests of the worker pool and of the window's runner
// start it.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <thread>

#include "app/engine/worker.hpp"
#include "engine_sample.hpp"

namespace {

using namespace lockstep;

// The window asks for labs and rungs that there are; for the others the lab is the order itself.
std::string order_of(const Request& request) {
  static const std::map<std::string, std::string> of_rung{
      {"naive", "lose"}, {"tiled", "crash"}, {"padded", "no driver"}, {"swizzled", "hang"}};
  if (request.lab != "transpose") return request.lab;
  const auto found = of_rung.find(request.rung);
  return found == of_rung.end() ? "answer" : found->second;
}

class FakeEngine : public Engine {
 public:
  EngineKind kind() const override { return EngineKind::emulator; }
  Status can_run(const Request&) override { return Unit{}; }
  Health health() override { return {true, {"fake", {}}, {}}; }
  Result<Run> run(const Request& request, const Report& report) override {
    const std::string what = order_of(request);
    if (what == "refuse") return bad_input("no {0} today", {"bananas"});
    if (what == "crash") std::signal(SIGSEGV, SIG_DFL), std::raise(SIGSEGV);  // no sanitizer's handler
    if (what == "exit") std::_Exit(7);
    if (what == "throw") throw std::runtime_error("a surprise");
    if (what == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (what == "hog") eat();
    if (what == "print") std::puts("{\"id\":1,\"done\":{\"bytes\":5}}"), std::fflush(stdout);
    if (what == "slow" || what == "slow and large") go_slowly(report);
    return what == "slow and large" ? large_run() : test::sample_run();
  }

 private:
  // Static, since the compiler may leave out an allocation that it sees to be of no use.
  static void eat() {
    static std::vector<char> hog;
    hog.resize(std::size_t{1} << 36, 'x');
  }
  static void go_slowly(const Report& report) {
    for (int i = 0; i <= 20; ++i) {
      report({i / 20.0, {"step {0} of {1}", {std::to_string(i), "20"}}});
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  // Handing it over takes some milliseconds.
  static Run large_run() {
    Run run = test::sample_run();
    constexpr std::uint64_t n = 2048;
    static_assert(n * n / 4 <= kMaxKeptElements);
    run.launches[0].views[0].shape = {n / 2, n / 2};
    run.buffers[0].bytes.assign(n * n / 4 * sizeof(float), 1);
    run.touches.erase(run.touches.begin());
    return run;
  }
};

// A GPU that gets lost: its process answers no request any more, as after a sticky CUDA error.
class FakeGpu : public FakeEngine {
 public:
  EngineKind kind() const override { return EngineKind::cuda; }
  Status can_run(const Request& request) override {
    if (order_of(request) != "no driver") return Unit{};
    return unavailable("no NVIDIA driver was found, or it is older than CUDA {0}", {"13.0"});
  }
  Result<Run> run(const Request& request, const Report& report) override {
    lost_ |= order_of(request) == "lose";
    if (lost_) return worker_error("the GPU reported an error: {0}", {"an illegal memory access"});
    return FakeEngine::run(request, report);
  }

 private:
  bool lost_ = false;
};

}  // namespace

int main() {
  Engines engines;
  engines.emulator = std::make_unique<FakeEngine>();
  engines.cuda = std::make_unique<FakeGpu>();
  return worker_main(engines);
}
