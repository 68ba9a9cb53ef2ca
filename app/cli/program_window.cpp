#include "program_window.hpp"

#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

#include "app/platform/files.hpp"
#include "app/platform/process.hpp"
#include "app/program/on_gpu/gpu_tools.hpp"
#include "app/program/templates.hpp"
#include "app/shell/program_desk.hpp"

namespace lockstep {
namespace {

constexpr std::uint64_t kMostSource = std::uint64_t{4} << 20;  // bytes, as the editor holds

// One run. Its thread writes under the lock; the window polls. A run that nobody waits for any more goes to
// its end on a thread of its own, so that neither the next run nor closing the window waits for it.
struct Job {
  explicit Job(reader::ProgramRequest asked) : request(std::move(asked)) {}
  static std::shared_ptr<Job> begin(const reader::ProgramRequest& asked) {
    auto job = std::make_shared<Job>(asked);
    std::thread([job] { job->work(); }).detach();
    return job;
  }

  void work() {
    const reader::ProgramReport report = [&](const Message& what) {
      const std::lock_guard hold(lock);
      progress = what;
      return !stop.load();
    };
    auto run = reader::run_program_file(request, report);
    const bool measure = request.on_gpu && run && run->compiled;
    if (measure) {
      answer(run, false);
      if (auto gpu = reader::measure_program(request, *run, report))
        run->gpu = std::make_shared<const reader::GpuRun>(std::move(*gpu));
    }
    answer(std::move(run), true);
  }
  void answer(Result<reader::ProgramRun> run, bool last) {
    const std::lock_guard hold(lock);
    result = std::move(run);
    done = last;
  }

  const reader::ProgramRequest request;
  std::atomic<bool> stop = false;
  std::mutex lock;
  bool done = false;
  Message progress;
  std::optional<Result<reader::ProgramRun>> result;
};

class ProgramWorker final : public ProgramRunner {
 public:
  void start(const reader::ProgramRequest& request) override {
    cancel();
    job_ = Job::begin(request);
  }
  void cancel() override {
    if (job_) job_->stop = true;
    job_.reset();
  }
  bool busy() const override { return job_ != nullptr; }
  Message progress_text() const override {
    if (!job_) return {};
    const std::lock_guard hold(job_->lock);
    return job_->progress;
  }
  std::optional<Result<reader::ProgramRun>> poll() override {
    if (!job_) return {};
    const auto job = job_;  // as long as its lock is held
    const std::lock_guard hold(job->lock);
    if (job->done) job_.reset();
    return std::exchange(job->result, std::nullopt);
  }
  bool has_nvcc() const override { return has_nvcc_; }
  std::vector<std::pair<std::string, Message>> templates() const override {
    std::vector<std::pair<std::string, Message>> all;
    for (const reader::ProgramTemplate& one : reader::program_templates())
      all.emplace_back(one.name, Message{one.title, {}});
    return all;
  }
  Result<std::string> template_text(const std::string& name) const override {
    const reader::ProgramTemplate* one = reader::find_program_template(name);
    if (!one) return ProgramRunner::template_text(name);
    return std::string(one->text);
  }

 private:
  std::shared_ptr<Job> job_;
  const bool has_nvcc_ = !reader::find_nvcc().empty();
};

Status place(const ShotArguments& arguments, ShotOptions& options) {
  const auto& launches = options.program->launches;
  if (arguments.launch) {
    const auto launch = parse_whole("--launch", *arguments.launch, 1,
                                    std::max<std::int64_t>(1, std::int64_t(launches.size())));
    if (!launch) return launch.error();
    options.launch = int(*launch) - 1;
  }
  if (!arguments.line) return Unit{};
  const auto lines = 1 + std::count(options.program_text.begin(), options.program_text.end(), '\n');
  const auto line = parse_whole("--line", *arguments.line, 1, lines);
  if (!line) return line.error();
  options.line = int(*line);
  return Unit{};
}

}  // namespace

std::unique_ptr<ProgramRunner> make_program_runner() { return std::make_unique<ProgramWorker>(); }

Outcome shoot_program(const ShotArguments& arguments, ShotOptions options) {
  reader::ProgramRequest request;
  request.file = *arguments.lab;
  if (arguments.program_arguments) request.arguments = words_of(*arguments.program_arguments);
  request.on_gpu = arguments.engine == "cuda";
  if (arguments.block) {
    const auto block = parse_whole("--block", *arguments.block, 0, INT64_MAX);
    if (!block) return block.error();
    request.block = *block;
  }
  if (arguments.launch) {  // all of its blocks are watched, as `run` does
    const auto launch = parse_whole("--launch", *arguments.launch, 1, 1000000);
    if (!launch) return launch.error();
    request.launch = int(*launch) - 1;
  }
  const auto bytes = read_file(request.file, kMostSource);
  if (!bytes) return bytes.error();
  options.program_file = request.file, options.program_text = {bytes->begin(), bytes->end()};
  watch_interrupts();
  auto run = reader::run_program(request, [](const Message&) { return !interrupted(); });
  if (!run) return run.error();
  options.program = std::make_shared<const reader::ProgramRun>(std::move(*run));
  if (Status placed = place(arguments, options); !placed) return placed.error();
  if (Status written = render_shot(options); !written) return written.error();
  return Exit::done;
}

}  // namespace lockstep
