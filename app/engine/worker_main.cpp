// The worker's side of worker.hpp.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <mutex>
#include <new>
#include <thread>

#include "app/platform/process.hpp"
#include "app/platform/ranges.hpp"
#include "app/platform/shared_block.hpp"
#include "damaged.hpp"
#include "kernels/simt/workers.hpp"
#include "run_file.hpp"
#include "worker.hpp"
#include "worker_protocol.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressEvery = std::chrono::milliseconds(30);
constexpr auto kWarmUpAfter = std::chrono::milliseconds(300);

// Lines of the standard input, read by a thread of their own, so that a closed input is noticed during a run.
class Inbox {
 public:
  Inbox() : reader_([this] { read(); }) {}
  ~Inbox() { reader_.join(); }
  // The next line; nothing once the input has closed or, with a limit, when the limit has passed.
  std::optional<std::string> next(std::optional<Clock::duration> limit = {}) {
    std::unique_lock lock(mutex_);
    working_ = false;
    const auto ready = [this] { return closed_ || !lines_.empty(); };
    if (limit)
      changed_.wait_for(lock, *limit, ready);
    else
      changed_.wait(lock, ready);
    if (closed_ || lines_.empty()) return {};
    working_ = true;
    std::string line = std::move(lines_.front().line);
    lines_.pop_front();
    return line;
  }

 private:
  void read() {
    name_this_thread("orders");
    for (std::string line; std::getline(std::cin, line);) {
      const std::lock_guard lock(mutex_);
      lines_.push_back({std::move(line), LooseRange("an order waits")});
      changed_.notify_one();
    }
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (working_) std::_Exit(0);  // nobody waits for the run any more
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  struct Order {
    std::string line;
    LooseRange waits;  // until it is taken
  };
  std::deque<Order> lines_;
  bool closed_ = false, working_ = false;
  std::thread reader_;
};

Error out_of_memory(std::uint64_t limit_bytes) {
  (void)limit_memory(0);  // the message needs some as well
  if (limit_bytes == 0) return worker_error("the run needs more memory than there is; choose a smaller size");
  return worker_error("the run needs more than the {0} MB of memory allowed; choose a smaller size",
                      {std::to_string(limit_bytes >> 20)});
}

// Runs the order and leaves the result in its block; the answer is `done` or `error`.
WorkerAnswer carry_out(const Engines& engines, const WorkOrder& order, const Report& report) {
  WorkerAnswer answer;
  answer.id = order.id;
  answer.type = WorkerAnswer::Type::error;
  const std::uint64_t limit_bytes = limit_memory(order.memory_limit_bytes);
  try {
    const Result<Run> run = run_request(engines, order.request, report);
    if (!run) return answer.error = run.error(), answer;
    const auto archive = encode_run(*run);
    if (!archive) return answer.error = archive.error(), answer;
    if (const Status written = write_block(order.block, *archive); !written)
      return answer.error = written.error(), answer;
    answer.type = WorkerAnswer::Type::done;
    answer.bytes = archive->size();
  } catch (const std::bad_alloc&) {
    answer.error = out_of_memory(limit_bytes);
  } catch (const std::exception& fault) {
    answer.error = worker_error("the run failed: {0}; start it again", {fault.what()});
  }
  return answer;
}

void serve(const Engines& engines, int protocol, const std::string& line) {
  const WorkOrder order = parse_order(line);
  simt::choose_threads(order.threads);
  auto last = Clock::time_point::min();
  const Report report = [&](const Progress& progress) {
    const auto now = Clock::now();
    if (last != Clock::time_point::min() && now - last < kProgressEvery) return true;
    last = now;
    WorkerAnswer answer;
    answer.id = order.id;
    answer.progress = progress;
    return write_to(protocol, line_of(answer));
  };
  report({});  // the order is read: what becomes of it from here on is the run's own doing
  last = Clock::time_point::min();
  const WorkerAnswer answer = carry_out(engines, order, report);
  std::fflush(stdout);
  write_to(protocol, line_of(answer));
}

}  // namespace

int worker_main(const Engines& engines) {
  const int protocol = become_worker();
  if (protocol < 0) return int(Exit::worker_died);
  name_this_thread("worker");
  Inbox inbox;
  auto line = inbox.next(kWarmUpAfter);
  if (!line) {
    // Nothing to do yet: wake the driver, so that the first run need not wait for it.
    if (engines.cuda) (void)engines.cuda->health();
    line = inbox.next();
  }
  for (; line; line = inbox.next()) {
    try {
      serve(engines, protocol, *line);
    } catch (const DamagedFile& fault) {
      std::cerr << "lockstep worker: an order that cannot be read: " << fault.what() << std::endl;
      std::_Exit(int(Exit::bad_input));
    }
  }
  return int(Exit::done);
}

}  // namespace lockstep
