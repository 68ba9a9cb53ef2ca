// The parent's side of a reader's program: compile, start the worker, and make of its records what is shown.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "app/devices/gpus.hpp"
#include "app/platform/confined_process.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "app/platform/process.hpp"
#include "assemble_run.hpp"
#include "program_run.hpp"
#include "runtime/worker.hpp"
#include "source/compile.hpp"

namespace lockstep::reader {
namespace fs = std::filesystem;

namespace {

constexpr double kGrace = 3;  // seconds that the worker has to write down what it did, on top of the limit
constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::uintmax_t kMostRecords = std::uintmax_t{2} << 30;

std::vector<std::uint8_t> bytes_of(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error || size > kMostRecords) return {};
  std::vector<std::uint8_t> bytes(size);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(size));
  bytes.resize(std::size_t(file.gcount()));
  return bytes;
}

WorkOrder order_for(const ProgramRequest& request, const Compiled& compiled, const fs::path& records,
                    const fs::path& scratch) {
  WorkOrder order;
  order.program = compiled.program.string(), order.traced = compiled.traced.string();
  order.name = request.file.string(), order.arguments = request.arguments;
  order.records = records.string(), order.scratch = scratch.string();
  std::error_code error;
  order.here = fs::current_path(error).string();
  const fs::path beside = fs::absolute(request.file, error).parent_path();
  order.readable = {beside.string(), compiled.folder.string()};
  // What the reader names may be read.
  for (const std::string& argument : request.arguments)
    if (const fs::path named = fs::absolute(argument, error); fs::is_regular_file(named, error))
      order.readable.push_back(named.string());
  order.all = request.all, order.trust = request.trust;
  order.launch = request.launch.value_or(-1), order.threads = request.threads, order.block = request.block;
  order.timeout_s = request.timeout_s, order.memory_limit_bytes = request.memory_limit_bytes;
  return order;
}

}  // namespace

std::uint64_t program_memory_limit() {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  return std::clamp(machine_memory() / 2, 4 * kGiB, 8 * kGiB);
}

Result<ProgramRun> run_program_file(const ProgramRequest& request, const ProgramReport& report) {
  ProgramRun run;
  run.program = request.file.string();
  const auto cancelled = [] { return worker_error("the run was cancelled"); };
  if (report && !report({N_("compiling"), {}})) return cancelled();
  CompileRequest wanted;
  wanted.file = request.file, wanted.further_sources = request.further_sources, wanted.trust = request.trust;
  wanted.include_folders = request.include_folders, wanted.defines = request.defines;
  wanted.text = request.text;
  if (report) wanted.goes_on = [&report] { return report({N_("compiling"), {}}); };
  auto compiled = compile(wanted);
  if (!compiled) return compiled.error();
  run.sources = std::move(compiled->sources), run.diagnostics = std::move(compiled->diagnostics);
  run.tables = std::move(compiled->tables), run.compile_seconds = compiled->seconds;
  run.compiled = compiled->ok();
  if (!run.compiled) return run;
  if (report && !report({N_("running"), {}})) return cancelled();
  const ScratchFolder orders("lockstep-run"), scratch("lockstep-run");
  if (orders.path().empty() || scratch.path().empty())
    return bad_input("no folder for temporary files can be made in {0}",
                     {fs::temp_directory_path().string()});
  WorkOrder order = order_for(request, *compiled, orders.path() / "records", scratch.path());
  if (!request.input.empty()) {
    order.input = (orders.path() / "input").string();
    std::ofstream(order.input) << request.input;
  }
  std::ofstream(orders.path() / "order") << line_of(order);
  ConfinedProgram worker;
  worker.program = request.worker.empty() ? program_path().string() : request.worker.string();
  worker.arguments = {"worker-program", (orders.path() / "order").string()};
  worker.folder = scratch.path(), worker.most_output = kMostOutput + 1;
  worker.seconds = request.timeout_s + kGrace;
  if (report) worker.goes_on = [&] { return report({N_("running"), {}}); };
  const auto begin = std::chrono::steady_clock::now();
  const auto ended = run_confined(worker);
  run.run_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!ended) return ended.error();
  if (ended->cancelled) return cancelled();
  run.output = ended->output.substr(0, kMostOutput), run.output_cut = ended->output.size() > kMostOutput;
  const auto bytes = bytes_of(order.records);
  assemble(run, read_records(bytes), *ended, *compiled, request);
  return run;
}

}  // namespace lockstep::reader
