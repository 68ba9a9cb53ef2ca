#include "background_runs.hpp"

#include <chrono>
#include <utility>

#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "app/model/source_hash.hpp"
#include "app/platform/files.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr double kTimeoutSeconds = 60;  // a lab that hangs does not keep the next ones waiting for ever

bool same_question(const Request& a, const Request& b) {
  return a.lab == b.lab && a.rung == b.rung && a.params == b.params && a.block == b.block && a.warp == b.warp;
}

// A file that cannot be read, or that answers something else, goes; so it is made again.
std::optional<Run> read_kept(const fs::path& path, const Request& request) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  auto run = load_recording(path);
  if (run && !run->stale && same_question(run->request, request)) return std::move(*run);
  fs::remove(path, error);
  return {};
}

// One file for each lab: those of older kernels go.
void write_kept(const fs::path& folder, const Run& run) {
  if (!make_output_folder(folder)) return;
  const std::string name = kept_run_name(run.request), lab = run.request.lab + "-";
  const auto bytes = encode_run(run);
  if (!bytes || !write_file_atomically(folder / name, *bytes)) return;
  std::error_code error;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string other = entry.path().filename().string();
    if (other.starts_with(lab) && other.ends_with(".npz") && other != name) old.push_back(entry.path());
  }
  for (const fs::path& path : old) fs::remove(path, error);
}

template <class T>
bool ready(const std::future<T>& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

std::string kept_run_name(const Request& request) {
  const Ladder* ladder = find_ladder(request.lab);
  const int rung = ladder ? ladder->info.rung_index(request.rung) : -1;
  std::string what = rung < 0 ? "" : source_hash(ladder->info.rungs[std::size_t(rung)]);
  for (const auto& [name, value] : request.params) what += "\n" + name + " " + to_string(value);
  what += "\n" + std::to_string(request.block) + " " + std::to_string(request.warp);
  return request.lab + "-" + request.rung + "-" + source_hash_of(what) + ".npz";
}

BackgroundRuns::BackgroundRuns(WorkerOptions options, fs::path folder)
    : options_(std::move(options)), folder_(std::move(folder)) {
  options_.spare = false;
}

void BackgroundRuns::start(std::vector<Request> requests) {
  for (Request& request : requests) {
    request.timeout_s = kTimeoutSeconds;
    waiting_.push_back({std::move(request), true});
  }
}

void BackgroundRuns::start_soon(std::vector<Request> requests) {
  std::size_t at = waiting_.empty() || work_ == Work::none ? 0 : 1;  // the first one is under way
  while (at < waiting_.size() && !waiting_[at].kept) ++at;           // those asked for before go first
  for (Request& request : requests) {
    request.timeout_s = kTimeoutSeconds;
    waiting_.insert(waiting_.begin() + std::ptrdiff_t(at++), {std::move(request), false});
  }
}

void BackgroundRuns::hold(bool on) {
  if (on == held_) return;
  held_ = on;
  if (!on || work_ != Work::running) return;
  pool_->cancel();
  (void)pool_->poll();  // that it was cancelled
  work_ = Work::none;
}

void BackgroundRuns::begin() {
  work_ = Work::reading;
  const fs::path path = folder_.empty() ? fs::path() : folder_ / kept_run_name(waiting_.front().request);
  reading_ = std::async(std::launch::async, read_kept, path, waiting_.front().request);
}

void BackgroundRuns::run_front() {
  work_ = Work::running;
  if (!pool_) pool_ = std::make_unique<WorkerPool>(options_);
  pool_->start(waiting_.front().request);
}

// In a thread: a long row of bytes, and a disk.
void BackgroundRuns::keep(const Run& run) {
  if (folder_.empty()) return;
  if (keeping_.valid()) keeping_.wait();
  keeping_ = std::async(std::launch::async, [folder = folder_, run] { write_kept(folder, run); });
}

std::optional<Runner::Outcome> BackgroundRuns::read_through() {
  if (!ready(reading_)) return {};
  auto run = reading_.get();
  work_ = Work::none;
  if (!run) return run_front(), std::nullopt;
  Runner::Outcome outcome{std::move(waiting_.front().request), std::move(*run)};
  waiting_.pop_front();
  return outcome;
}

std::optional<Runner::Outcome> BackgroundRuns::poll() {
  if (waiting_.empty() || held_) return {};
  if (work_ == Work::none) begin();
  if (work_ == Work::reading) return read_through();
  if (keeping_.valid() && !ready(keeping_)) return {};  // the run before is still on its way to the disk
  auto outcome = pool_->poll();
  if (!outcome) return {};
  work_ = Work::none;
  const bool kept = waiting_.front().kept;
  waiting_.pop_front();
  if (outcome->run && kept) keep(*outcome->run);
  if (waiting_.empty()) pool_.reset();  // its worker holds memory that nobody needs any more
  return Runner::Outcome{std::move(outcome->request), std::move(outcome->run)};
}

}  // namespace lockstep
