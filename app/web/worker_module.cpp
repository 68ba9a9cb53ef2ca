// The worker of the page: engines and emulator, asked with the lines of worker_protocol.hpp. Answers go out
// by two functions of the page: Module.tell(line) for progress and errors, Module.handOver(line, bytes) for a
// run, as the bytes of a run file.
#include <emscripten.h>

#include <chrono>
#include <cstdint>

#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "app/engine/worker_protocol.hpp"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProgressEvery = std::chrono::milliseconds(100);
constexpr const char* kRecordings = "/recordings";

EM_JS(void, tell, (const char* line), { Module['tell'](UTF8ToString(line)); });
EM_JS(void, hand_over, (const char* line, const std::uint8_t* bytes, std::size_t count),
      { Module['handOver'](UTF8ToString(line), HEAPU8.slice(bytes, bytes + count)); });

const Engines& engines() {
  static const Engines all{make_cuda_engine(), make_emulator_engine(), make_recording_engine({kRecordings})};
  return all;
}

Report report_to_page(std::int64_t id) {
  return [id, last = Clock::time_point::min()](const Progress& progress) mutable {
    const auto now = Clock::now();
    if (last != Clock::time_point::min() && now - last < kProgressEvery) return true;
    last = now;
    WorkerAnswer answer;
    answer.id = id, answer.progress = progress;
    tell(line_of(answer).c_str());
    return true;  // the page ends a worker that is to stop
  };
}

void serve(const WorkOrder& order) {
  WorkerAnswer answer;
  answer.id = order.id;
  const auto fail = [&](const Error& error) {
    answer.type = WorkerAnswer::Type::error, answer.error = error;
    tell(line_of(answer).c_str());
  };
  const Result<Run> run = run_request(engines(), order.request, report_to_page(order.id));
  if (!run) return fail(run.error());
  const auto archive = encode_run(*run);
  if (!archive) return fail(archive.error());
  answer.type = WorkerAnswer::Type::done, answer.bytes = archive->size();
  hand_over(line_of(answer).c_str(), archive->data(), archive->size());
}

}  // namespace
}  // namespace lockstep

extern "C" EMSCRIPTEN_KEEPALIVE void lockstep_serve(const char* order) {
  lockstep::serve(lockstep::parse_order(order));
}
int main() {}
