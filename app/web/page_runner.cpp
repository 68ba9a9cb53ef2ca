#include "page_runner.hpp"

#include <emscripten.h>

#include "app/draw/language.hpp"
#include "app/engine/damaged.hpp"
#include "app/engine/run_file.hpp"
#include "app/engine/worker_protocol.hpp"
#include "app/program/program_run.hpp"

namespace lockstep {

std::uint64_t reader::program_memory_limit() { return 0; }  // a page compiles none, and so runs none

namespace {

constexpr int kOwn = 0, kBackground = 1;

EM_JS(void, order_from, (int lane, const char* line), { Module['order'](lane, UTF8ToString(line)); });
EM_JS(void, end_worker, (int lane), { Module['endWorker'](lane); });

}  // namespace

PageRunner::PageRunner(std::filesystem::path recordings)
    : recordings_(make_recording_engine({std::move(recordings)})) {}

void PageRunner::order(int lane, const Request& request) {
  Lane& at = lane == kOwn ? own_ : background_;
  at.id = ++last_id_, at.request = request, at.outcome.reset();
  WorkOrder order;
  order.id = at.id, order.request = request, order.threads = 1;
  order_from(lane, line_of(order).c_str());
}

void PageRunner::start(const Request& request) {
  if (own_.id) end_worker(kOwn);
  if (background_.id) {  // one core may be all that there is; begun again later
    end_worker(kBackground);
    waiting_.push_front(background_.request), background_.id = 0;
  }
  progress_ = {};
  order(kOwn, request);
}

void PageRunner::cancel() {
  if (!own_.id) return;
  end_worker(kOwn);
  finish(own_, worker_error("the run was cancelled"));
}

PageRunner::Lane* PageRunner::lane_of(std::int64_t id) {
  if (id == own_.id) return &own_;
  return id == background_.id ? &background_ : nullptr;
}

void PageRunner::finish(Lane& lane, Result<Run> run) {
  lane.outcome = Outcome{lane.request, std::move(run)};
  lane.id = 0;
}

void PageRunner::take_line(const std::string& line, std::span<const std::uint8_t> run) {
  try {
    const WorkerAnswer answer = parse_answer(line);
    Lane* const lane = lane_of(answer.id);
    if (!lane || answer.id == 0) return;  // of an order that was taken back
    if (answer.type == WorkerAnswer::Type::progress) {
      if (lane == &own_) progress_ = answer.progress;
    } else if (answer.type == WorkerAnswer::Type::error) {
      finish(*lane, answer.error);
    } else {
      finish(*lane, decode_run(run, "the worker's run"));
    }
  } catch (const DamagedFile& fault) {
    worker_ended(kOwn, fault.what());
  }
}

void PageRunner::worker_ended(int lane, const std::string& why) {
  Lane& at = lane == kOwn ? own_ : background_;
  if (at.id)
    finish(at, worker_error("the run ended early: {0}; choose a smaller size, or start it again", {why}));
}

std::optional<Runner::Outcome> PageRunner::poll() { return std::exchange(own_.outcome, std::nullopt); }

void PageRunner::start_background(std::vector<Request> requests) {
  waiting_.insert(waiting_.end(), requests.begin(), requests.end());
  next_in_background();
}

void PageRunner::start_soon(std::vector<Request> requests) {
  waiting_.insert(waiting_.begin(), requests.begin(), requests.end());
  next_in_background();
}

void PageRunner::next_in_background() {
  if (own_.id || background_.id || background_.outcome || waiting_.empty()) return;
  const Request next = std::move(waiting_.front());
  waiting_.pop_front();
  order(kBackground, next);
}

std::optional<Runner::Outcome> PageRunner::poll_background() {
  auto outcome = std::exchange(background_.outcome, std::nullopt);
  next_in_background();
  return outcome;
}

std::vector<Runner::EngineState> PageRunner::engines() {
  const auto found = recordings_->health();
  return {
      {EngineKind::cuda, false,
       msg("a page in a browser reaches no GPU for this; the program on your machine does"), "", 0, 0},
      {EngineKind::emulator, true, msg("the CPU emulator works everywhere: {0}", {"WebAssembly"}),
       "WebAssembly", 0, 1},
      {EngineKind::recording, found.ok, found.what, found.device.name, found.device.compute_capability, 0}};
}

std::vector<Params> PageRunner::recorded(const std::string& lab, const std::string& rung) {
  const auto [known, fresh] = recorded_.try_emplace(lab + "/" + rung);
  if (fresh) known->second = recorded_positions(*recordings_, lab, rung);
  return known->second;
}

const std::vector<Run>& PageRunner::timed(const std::string& lab) {
  const auto [known, fresh] = timed_.try_emplace(lab);
  if (fresh) known->second = timed_recordings(*recordings_, lab);
  return known->second;
}

std::vector<Run> PageRunner::recorded_runs(const std::string& lab, const std::string& rung) {
  return recordings_->recorded(lab, rung);
}
std::vector<Run> PageRunner::recorded_everywhere(const std::string& lab, const std::string& rung) {
  return recordings_->recorded_everywhere(lab, rung);
}

}  // namespace lockstep
