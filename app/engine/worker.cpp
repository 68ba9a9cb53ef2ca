// The client's side of worker.hpp: child processes, their pipes and the time-out on one libuv loop.
#include "worker.hpp"

#include <uv.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <csignal>
#include <new>
#include <vector>

#include "app/platform/process.hpp"
#include "app/platform/ranges.hpp"
#include "app/platform/shared_block.hpp"
#include "damaged.hpp"
#include "kernels/simt/workers.hpp"
#include "run_file.hpp"
#include "worker_protocol.hpp"

namespace lockstep {
namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;
constexpr std::chrono::milliseconds kShutDownTime{3000};

Error died(std::int64_t exit_code, int signal) {
  if (signal != 0)
    return worker_error("the worker was killed by signal {0} ({1}) during the run; start the run again",
                        {std::to_string(signal), signal_name(signal)});
  return worker_error("the worker ended with exit code {0} during the run; start the run again",
                      {std::to_string(exit_code)});
}

Error too_slow(double seconds) {
  return worker_error(
      "the run took longer than {0} s and was ended; give it more time or choose a smaller size",
      {to_string(Value{seconds})});
}

Error unreadable(const std::string& why) {
  return worker_error("the worker's answer cannot be read: {0}; start the run again", {why});
}

std::uint64_t milliseconds(double seconds) {
  return std::uint64_t(std::clamp(std::ceil(seconds * 1000), 1.0, 1e12));
}

template <class Handle>
uv_handle_t* handle_of(Handle& handle) {
  return reinterpret_cast<uv_handle_t*>(&handle);
}

}  // namespace

struct WorkerPool::Impl {
  // One worker process. Lives until the system has reported its end and libuv has closed its three handles.
  struct Child {
    Impl* pool = nullptr;
    uv_process_t process{};
    uv_pipe_t to{}, from{};
    std::string text;   // received, not yet a whole line
    std::string block;  // of the order it has; removed when the process is gone and can no longer create it
    int open_handles = 0;
    bool exited = false, drained = false;
    bool unread = false;  // it had waited for the order that it has, and has not said yet that it read it
    std::int64_t exit_code = 0;
    int signal = 0;
    char chunk[65536];
  };

  // The run that was asked for last, until its outcome is there.
  struct Current {
    std::int64_t id = 0;
    Request request;
    Progress progress;
    bool again = false;  // given out once more, since its worker was dead before it could read the order
  };

  struct Write {
    uv_write_t request{};
    std::string line;
  };

  // A result on its way from bytes to a Run, off the caller's thread.
  struct Decode {
    uv_work_t work{};
    Impl* pool = nullptr;
    std::int64_t id = 0;
    std::string block;
    std::uint64_t bytes = 0;
    std::optional<Result<Run>> run;
    LooseRange range;  // begins with the caller's thread, ends with one of libuv's
  };

  explicit Impl(WorkerOptions given);
  bool shut_down();
  void start(const Request& request);
  void finish(Result<Run> run);
  template <class Done>
  bool run_until(std::chrono::milliseconds limit, Done done);

  Result<Child*> spawn();
  Status ensure_active();
  Status give_out();
  void send(Child& child, const WorkOrder& order);
  void abandon(Child& child);
  void ended(Child& child);
  void receive(Child& child, std::size_t count);
  void take_answer(Child& child, std::string_view line);
  void decode(Child& child, std::uint64_t bytes);

  static void close(Child& child, uv_handle_t* handle);
  static void on_closed(uv_handle_t* handle);
  static void on_exit(uv_process_t* process, std::int64_t exit_code, int signal);
  static void on_chunk(uv_handle_t* handle, std::size_t, uv_buf_t* chunk);
  static void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t*);
  static void on_written(uv_write_t* request, int);
  static void on_time_out(uv_timer_t* timer);
  static void on_limit(uv_timer_t* timer);
  static void do_decode(uv_work_t* work);
  static void on_decoded(uv_work_t* work, int);

  WorkerOptions options;
  uv_loop_t loop{};
  uv_timer_t time_out{}, limit{};
  bool limit_passed = false;
  std::vector<std::unique_ptr<Child>> children;
  Child *active = nullptr, *spare = nullptr;
  std::optional<Current> current;
  bool working = false;  // the active worker has an order that it has not answered
  std::optional<Outcome> outcome;
  std::int64_t last_id = 0;
};

// --- life of a worker
// -----------------------------------------------------------------------------------------

WorkerPool::Impl::Impl(WorkerOptions given) : options(std::move(given)) {
  ignore_broken_pipes();
  remove_abandoned_blocks();
  uv_loop_init(&loop);
  loop.data = this;
  uv_timer_init(&loop, &time_out);
  uv_timer_init(&loop, &limit);
  if (!options.spare) return;
  if (auto child = spawn()) spare = *child;
}

// False where a process does not end even when killed (a driver that hangs): then the memory must stay.
bool WorkerPool::Impl::shut_down() {
  uv_timer_stop(&time_out);
  for (auto& child : children) abandon(*child);
  if (!run_until(kShutDownTime, [this] { return children.empty(); })) return false;
  uv_close(handle_of(time_out), nullptr);
  uv_close(handle_of(limit), nullptr);
  uv_run(&loop, UV_RUN_DEFAULT);
  return uv_loop_close(&loop) == 0;
}

Result<WorkerPool::Impl::Child*> WorkerPool::Impl::spawn() {
  std::vector<std::string> words{options.program.string(), "worker"};
  for (const auto& folder : options.recordings) words.insert(words.end(), {"--recordings", folder.string()});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  auto child = std::make_unique<Child>();
  child->pool = this;
  child->process.data = child->to.data = child->from.data = child.get();
  uv_pipe_init(&loop, &child->to, 0);
  uv_pipe_init(&loop, &child->from, 0);
  uv_stdio_container_t stdio[3]{};
  stdio[0].flags = uv_stdio_flags(UV_CREATE_PIPE | UV_READABLE_PIPE);
  stdio[0].data.stream = reinterpret_cast<uv_stream_t*>(&child->to);
  stdio[1].flags = uv_stdio_flags(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
  stdio[1].data.stream = reinterpret_cast<uv_stream_t*>(&child->from);
  stdio[2].flags = UV_INHERIT_FD;
  stdio[2].data.fd = 2;
  uv_process_options_t how{};
  how.file = arguments[0];
  how.args = arguments.data();
  how.stdio = stdio;
  how.stdio_count = 3;
  how.exit_cb = on_exit;
  const int error = uv_spawn(&loop, &child->process, &how);
  child->open_handles = 3;
  Child& kept = *children.emplace_back(std::move(child));
  if (error != 0) {
    kept.exited = true;
    for (uv_handle_t* handle : {handle_of(kept.process), handle_of(kept.to), handle_of(kept.from)})
      close(kept, handle);
    return worker_error("the program {0} cannot be started as a worker: {1}", {words[0], uv_strerror(error)});
  }
  uv_read_start(reinterpret_cast<uv_stream_t*>(&kept.from), on_chunk, on_read);
  return &kept;
}

// Kills a worker and forgets it; on_closed follows when the system has reported its end.
void WorkerPool::Impl::abandon(Child& child) {
  if (&child == active) active = nullptr, working = false;
  if (&child == spare) spare = nullptr;
  if (!child.exited) uv_process_kill(&child.process, SIGKILL);
  close(child, handle_of(child.to));
  close(child, handle_of(child.from));
}

// The process is gone and all it has said is read. One that had ended while it waited (the system tells of
// that when it has cleared the memory away) is no reason to give the order up.
void WorkerPool::Impl::ended(Child& child) {
  const bool during_run = &child == active && working, unread = child.unread;
  const Error why = died(child.exit_code, child.signal);
  abandon(child);
  if (!during_run || !current) return;
  if (!unread || current->again) return finish(why);
  current->again = true;
  if (Status given = give_out(); !given) finish(given.error());
}

void WorkerPool::Impl::close(Child&, uv_handle_t* handle) {
  if (!uv_is_closing(handle)) uv_close(handle, on_closed);
}

void WorkerPool::Impl::on_closed(uv_handle_t* handle) {
  auto& child = *static_cast<Child*>(handle->data);
  if (--child.open_handles > 0) return;
  if (!child.block.empty()) remove_block(child.block);
  std::erase_if(child.pool->children, [&](const auto& other) { return other.get() == &child; });
}

void WorkerPool::Impl::on_exit(uv_process_t* process, std::int64_t exit_code, int signal) {
  auto& child = *static_cast<Child*>(process->data);
  child.exited = true;
  child.exit_code = exit_code;
  child.signal = signal;
  close(child, handle_of(child.process));
  if (child.drained) child.pool->ended(child);
}

// --- runs
// -----------------------------------------------------------------------------------------------------

Status WorkerPool::Impl::ensure_active() {
  if (!active) active = std::exchange(spare, nullptr);
  if (!active) {
    auto child = spawn();
    if (!child) return child.error();
    active = *child;
  }
  if (options.spare && !spare)
    if (auto child = spawn()) spare = *child;
  return Unit{};
}

void WorkerPool::Impl::start(const Request& request) {
  uv_run(&loop, UV_RUN_NOWAIT);  // learn of workers that died meanwhile
  if (working) abandon(*active);
  outcome.reset();
  current = Current{++last_id, request, {}};
  if (Status given = give_out(); !given) return finish(given.error());
  if (request.timeout_s > 0) {
    time_out.data = this;
    uv_timer_start(&time_out, on_time_out, milliseconds(request.timeout_s), 0);
  }
}

Status WorkerPool::Impl::give_out() {
  const bool waited = active || spare;
  if (Status ready = ensure_active(); !ready) return ready;
  active->unread = waited;
  send(*active,
       {current->id, new_block_name(), options.memory_limit_bytes, current->request, simt::chosen_threads()});
  return Unit{};
}

void WorkerPool::Impl::send(Child& child, const WorkOrder& order) {
  working = true;
  child.block = order.block;
  auto* write = new Write{{}, line_of(order)};
  write->request.data = write;
  uv_buf_t bytes = uv_buf_init(write->line.data(), unsigned(write->line.size()));
  // A worker that cannot be written to has ended: its exit is reported and becomes the outcome.
  if (uv_write(&write->request, reinterpret_cast<uv_stream_t*>(&child.to), &bytes, 1, on_written) != 0)
    delete write;
}

void WorkerPool::Impl::on_written(uv_write_t* request, int) { delete static_cast<Write*>(request->data); }

void WorkerPool::Impl::finish(Result<Run> run) {
  uv_timer_stop(&time_out);
  outcome = Outcome{current->request, std::move(run)};
  current.reset();
}

void WorkerPool::Impl::on_time_out(uv_timer_t* timer) {
  auto& pool = *static_cast<Impl*>(timer->data);
  if (!pool.current) return;
  if (pool.working) pool.abandon(*pool.active);
  pool.finish(too_slow(pool.current->request.timeout_s));
}

// --- answers
// --------------------------------------------------------------------------------------------------

void WorkerPool::Impl::on_chunk(uv_handle_t* handle, std::size_t, uv_buf_t* chunk) {
  auto& child = *static_cast<Child*>(handle->data);
  *chunk = uv_buf_init(child.chunk, sizeof child.chunk);
}

void WorkerPool::Impl::on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t*) {
  auto& child = *static_cast<Child*>(stream->data);
  if (count > 0) return child.pool->receive(child, std::size_t(count));
  if (count == 0) return;
  child.drained = true;
  close(child, handle_of(child.from));
  if (child.exited) child.pool->ended(child);
}

void WorkerPool::Impl::receive(Child& child, std::size_t count) {
  child.text.append(child.chunk, count);
  std::size_t begin = 0;
  for (std::size_t end; (end = child.text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (&child == active) take_answer(child, std::string_view(child.text).substr(begin, end - begin));
  child.text.erase(0, begin);
  if (child.text.size() <= kMaxLineBytes) return;
  const bool during_run = &child == active && working;
  abandon(child);
  if (during_run && current) finish(unreadable("a line without an end"));
}

void WorkerPool::Impl::take_answer(Child& child, std::string_view line) {
  WorkerAnswer answer;
  try {
    answer = parse_answer(line);
  } catch (const std::exception& fault) {
    abandon(child);
    if (current) finish(unreadable(fault.what()));
    return;
  }
  if (!current || answer.id != current->id) return;
  child.unread = false;
  if (answer.type == WorkerAnswer::Type::progress) {
    current->progress = answer.progress;
    return;
  }
  working = false;
  if (answer.type == WorkerAnswer::Type::done) return decode(child, answer.bytes);
  remove_block(std::exchange(child.block, {}));
  // A GPU's error stays with its process, and memory that ran out once is in pieces.
  if (answer.error.exit == Exit::worker_died) abandon(child);
  finish(answer.error);
}

void WorkerPool::Impl::decode(Child& child, std::uint64_t bytes) {
  auto* decode = new Decode{
      {}, this, current->id, std::exchange(child.block, {}), bytes, {}, LooseRange("read the answer")};
  decode->work.data = decode;
  uv_queue_work(&loop, &decode->work, do_decode, on_decoded);
}

// On a thread of libuv's.
void WorkerPool::Impl::do_decode(uv_work_t* work) {
  auto& decode = *static_cast<Decode*>(work->data);
  try {
    auto archive = read_block(decode.block, decode.bytes);
    if (archive)
      decode.run = decode_run(*archive, "the worker's answer");
    else
      decode.run = archive.error();
  } catch (const std::bad_alloc&) {
    decode.run = worker_error("the result does not fit into memory; choose a smaller size");
  }
  remove_block(decode.block);
  decode.range.end();
}

void WorkerPool::Impl::on_decoded(uv_work_t* work, int) {
  const std::unique_ptr<Decode> decode(static_cast<Decode*>(work->data));
  Impl& pool = *decode->pool;
  if (pool.current && pool.current->id == decode->id) pool.finish(std::move(*decode->run));
}

// --- waiting
// --------------------------------------------------------------------------------------------------

void WorkerPool::Impl::on_limit(uv_timer_t* timer) { static_cast<Impl*>(timer->data)->limit_passed = true; }

// Serves the loop until `done()` or the limit; says whether it is done.
template <class Done>
bool WorkerPool::Impl::run_until(std::chrono::milliseconds time, Done done) {
  limit_passed = false;
  limit.data = this;
  uv_update_time(&loop);
  uv_timer_start(&limit, on_limit, std::uint64_t(time.count()), 0);
  while (!done() && !limit_passed) uv_run(&loop, UV_RUN_ONCE);
  uv_timer_stop(&limit);
  return done();
}

// --- the public face
// ------------------------------------------------------------------------------------------

std::uint64_t default_memory_limit() {
  const std::uint64_t machine = uv_get_total_memory(), container = uv_get_constrained_memory();
  return (container == 0 ? machine : std::min(machine, container)) / 4 * 3;
}

WorkerPool::WorkerPool(WorkerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

WorkerPool::~WorkerPool() {
  if (!impl_->shut_down()) (void)impl_.release();
}

void WorkerPool::start(const Request& request) { impl_->start(request); }

void WorkerPool::cancel() {
  if (!impl_->current) return;
  if (impl_->working) impl_->abandon(*impl_->active);
  impl_->finish(worker_error(kCancelled));
}

bool WorkerPool::busy() const { return impl_->current.has_value(); }

Progress WorkerPool::progress() const { return impl_->current ? impl_->current->progress : Progress{}; }

std::optional<WorkerPool::Outcome> WorkerPool::poll() {
  uv_run(&impl_->loop, UV_RUN_NOWAIT);
  return std::exchange(impl_->outcome, std::nullopt);
}

WorkerPool::Outcome WorkerPool::wait() {
  assert(impl_->current || impl_->outcome);
  while (!impl_->outcome) uv_run(&impl_->loop, UV_RUN_ONCE);
  return *std::exchange(impl_->outcome, std::nullopt);
}

std::optional<WorkerPool::Outcome> WorkerPool::wait_for(std::chrono::milliseconds time) {
  impl_->run_until(time, [this] { return impl_->outcome.has_value(); });
  return std::exchange(impl_->outcome, std::nullopt);
}

int WorkerPool::worker_pid() const {
  return impl_->working && impl_->active ? uv_process_get_pid(&impl_->active->process) : 0;
}

}  // namespace lockstep
