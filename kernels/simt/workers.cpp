#include "workers.hpp"

#include <algorithm>

#ifndef LOCKSTEP_NO_THREADS
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace lockstep::simt {
namespace {

int chosen = 0;

void one_after_another(int items, const std::function<void(int, int)>& job) {
  for (int item = 0; item < items; ++item) job(0, item);
}

}  // namespace

void choose_threads(int threads) { chosen = threads; }
int chosen_threads() { return chosen; }

#ifdef LOCKSTEP_NO_THREADS

int threads_to_use() { return 1; }

void for_each_item(int items, int, const std::function<void(int, int)>& job) {
  one_after_another(items, job);
}

#else

namespace {

// Threads that wait for work as long as the program runs: to start one takes longer than many launches.
class Workers {
 public:
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    called_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  // One call at a time: who comes meanwhile does without.
  bool try_run(int items, int threads, const std::function<void(int, int)>& job) {
    const std::unique_lock mine(running_, std::try_to_lock);
    if (!mine) return false;
    {
      const std::lock_guard lock(mutex_);
      while (int(threads_.size()) < threads - 1)
        threads_.emplace_back([this, worker = int(threads_.size()) + 1] { serve(worker); });
      job_ = &job, items_ = items, next_ = 1, helpers_ = threads - 1;
      ++call_;
    }
    called_.notify_all();
    job(0, 0);
    take_items(0, job, items);
    std::unique_lock lock(mutex_);
    job_ = nullptr;  // a thread that wakes up only now has nothing left to do
    done_.wait(lock, [this] { return busy_ == 0; });
    return true;
  }

 private:
  void take_items(int worker, const std::function<void(int, int)>& job, int items) {
    for (int item = next_++; item < items; item = next_++) job(worker, item);
  }
  void serve(int worker) {
    for (std::uint64_t served = 0;;) {
      const std::function<void(int, int)>* job = nullptr;
      int items = 0;
      {
        std::unique_lock lock(mutex_);
        called_.wait(lock, [&] { return ending_ || (job_ && call_ != served && worker <= helpers_); });
        if (ending_) return;
        served = call_, job = job_, items = items_, ++busy_;
      }
      take_items(worker, *job, items);
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex running_, mutex_;
  std::condition_variable called_, done_;
  std::vector<std::thread> threads_;
  const std::function<void(int, int)>* job_ = nullptr;
  std::atomic<int> next_{0};
  int items_ = 0, helpers_ = 0, busy_ = 0;
  std::uint64_t call_ = 0;
  bool ending_ = false;
};

}  // namespace

int threads_to_use() { return std::max(1, chosen ? chosen : int(std::thread::hardware_concurrency())); }

void for_each_item(int items, int threads, const std::function<void(int, int)>& job) {
  static Workers workers;
  threads = std::min(threads, items);
  if (threads <= 1 || !workers.try_run(items, threads, job)) one_after_another(items, job);
}

#endif

}  // namespace lockstep::simt
