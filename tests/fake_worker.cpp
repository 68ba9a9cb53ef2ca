// A worker whose engine does what the request's lab says: the tests of the worker pool start it.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "app/engine/worker.hpp"
#include "engine_sample.hpp"

namespace {

using namespace lockstep;

class FakeEngine : public Engine {
 public:
  EngineKind kind() const override { return EngineKind::emulator; }
  Status can_run(const Request&) override { return Unit{}; }
  Health health() override { return {true, {"fake", {}}, {}}; }
  Result<Run> run(const Request& request, const Report& report) override {
    const std::string& what = request.lab;
    if (what == "refuse") return bad_input("no {0} today", {"bananas"});
    if (what == "crash") std::signal(SIGSEGV, SIG_DFL), std::raise(SIGSEGV);  // no sanitizer's handler
    if (what == "exit") std::_Exit(7);
    if (what == "throw") throw std::runtime_error("a surprise");
    if (what == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (what == "hog") eat();
    if (what == "print") std::puts("{\"id\":1,\"done\":{\"bytes\":5}}"), std::fflush(stdout);
    if (what == "slow") go_slowly(report);
    return test::sample_run();
  }

 private:
  // The compiler may not see that nobody looks at the bytes, and leave them out.
  static void eat() {
    const std::vector<char> hog(std::size_t{1} << 36, 'x');
    std::fputc(hog[hog.size() / 2], stderr);
  }
  static void go_slowly(const Report& report) {
    for (int i = 0; i <= 20; ++i) {
      report({i / 20.0, {"step {0} of {1}", {std::to_string(i), "20"}}});
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
};

}  // namespace

int main() {
  Engines engines;
  engines.emulator = std::make_unique<FakeEngine>();
  return worker_main(engines);
}
