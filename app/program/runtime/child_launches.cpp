#include "child_launches.hpp"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "kernels/simt/machine.hpp"
#include "runtime.hpp"

namespace lockstep::reader {
namespace {

constexpr int kMostDepth =
    24;  // of launches in launches (CUDA C++ Programming Guide, CUDA Dynamic Parallelism)
constexpr int kTooDeep = 65;  // cudaErrorLaunchMaxDepthExceeded
thread_local int depth = 0;

// A thread of the host for the launches of another one, which waits meanwhile: the child's grid has the
// thread's own machine, shared memory and stacks, and a child's child another thread. It lives as long as the
// process.
class ChildThread {
 public:
  // What the grid printed.
  std::string run(const LockstepLaunchInfo& info) {
    std::unique_lock lock(mutex_);
    if (!std::exchange(started_, true)) std::thread([this, level = depth + 1] { serve(level); }).detach();
    work_ = &info;
    changed_.notify_all();
    changed_.wait(lock, [&] { return work_ == nullptr; });
    return std::exchange(printed_, {});
  }

 private:
  void serve(int level) {
    depth = level;
    use_signal_stack();
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return work_ != nullptr; });
      run_grid(*work_);
      work_ = nullptr;
      changed_.notify_all();
    }
  }
  void run_grid(const LockstepLaunchInfo& info) {
    if (!machine_) {
      simt::Options options;
      options.trace = options.checks = false;
      machine_ = new simt::Machine(options);
    }
    simt::Config config;
    config.name = info.name;
    config.grid = {int(info.grid[0]), int(info.grid[1]), int(info.grid[2])};
    config.block = {int(info.block[0]), int(info.block[1]), int(info.block[2])};
    config.dynamic_shared_bytes = std::int64_t(info.shared);
    const std::function<void()> kernel = [&info] { info.invoke(info.function, info.state); };
    if (!machine_->begin_launch(config, kernel)) {
      runtime().fail(1);
      return;
    }
    const std::int64_t blocks = std::int64_t(info.grid[0]) * info.grid[1] * info.grid[2];
    for (std::int64_t block = 0; block < blocks; ++block) {
      (void)machine_->run(block);
      printed_ += machine_->take_notes().printed;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  const LockstepLaunchInfo* work_ = nullptr;
  std::string printed_;
  simt::Machine* machine_ = nullptr;
};

}  // namespace

void launch_child(const LockstepLaunchInfo& info) {
  if (depth >= kMostDepth) {
    runtime().fail(kTooDeep);
    return;
  }
  static std::once_flag told;
  std::call_once(told, [] { runtime().out->note("children"); });
  static thread_local ChildThread* child = nullptr;
  if (!child) child = new ChildThread;
  // Nothing that the child does is an access of the block that is traced here.
  simt::Machine* const traced = std::exchange(tracer().machine, nullptr);
  const std::string printed = child->run(info);
  tracer().machine = traced;
  if (!printed.empty()) simt::machine->print(printed);
}

}  // namespace lockstep::reader
