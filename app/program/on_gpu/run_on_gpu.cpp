#include "run_on_gpu.hpp"

#include <cxxabi.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "app/model/embedded.hpp"
#include "app/platform/confined_process.hpp"
#include "app/platform/files.hpp"
#include "profiler_table.hpp"

namespace lockstep {
extern const EmbeddedFile embedded_kernel_times[];
extern const int embedded_kernel_times_count;
}  // namespace lockstep

namespace lockstep::reader {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kBuildSeconds = 240;    // nvcc and thrust take a minute
constexpr double kProfileSeconds = 120;  // every launch runs several times under the profiler
constexpr int kMostKernels = 512;        // that the profiler counts
constexpr std::size_t kMostGpuOutput = std::size_t{1} << 20;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string last_words(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \r\n\t");
  if (end == text.npos) return "";
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == text.npos ? 0 : begin + 1, end - (begin == text.npos ? 0 : begin + 1) + 1);
}

// As a shell takes it.
std::string command_text(const std::string& program, const std::vector<std::string>& arguments) {
  std::string text = program;
  for (const std::string& word : arguments)
    text += word.find_first_of(" '\"$") == word.npos ? " " + word : " '" + word + "'";
  return text;
}

class GpuJob {
 public:
  GpuJob(const ProgramRequest& request, const GpuTools& tools, const ProgramReport& report)
      : request_(request), tools_(tools), report_(report) {
    out_.device = tools.device, out_.compiler = tools.version;
  }
  Result<GpuRun> run();
  Result<GpuRun> registers(const ProgramRun& emulated);

 private:
  Result<ProgramEnd> start(const Message& what, const std::string& program,
                           std::vector<std::string> arguments, double seconds,
                           std::vector<std::string> variables = {});
  std::vector<std::string> build_words(const fs::path& source) const;
  fs::path source_file();
  Status build();
  Status build_recorder();
  Status run_once();
  Status profile();
  void take_times();
  bool failed(Exit exit, Message why) {
    out_.exit = exit, out_.problem = std::move(why);
    return false;
  }

  const ProgramRequest& request_;
  const GpuTools& tools_;
  const ProgramReport& report_;
  const ScratchFolder scratch_{"lockstep-gpu"};
  fs::path input_;
  GpuRun out_;
};

Result<ProgramEnd> GpuJob::start(const Message& what, const std::string& program,
                                 std::vector<std::string> arguments, double seconds,
                                 std::vector<std::string> variables) {
  ConfinedProgram child;
  child.program = program, child.arguments = std::move(arguments), child.seconds = seconds;
  child.our_environment = true, child.variables = std::move(variables);
  child.most_output = kMostGpuOutput, child.input = input_;
  if (report_) child.goes_on = [&] { return report_(what); };
  auto end = run_confined(child);
  if (end && end->cancelled) return worker_error("the run was cancelled");
  return end;
}

// The reader's file itself where it holds this text; includes are found beside it either way.
std::vector<std::string> GpuJob::build_words(const fs::path& source) const {
  const auto& capability = tools_.device.compute_capability;
  std::vector<std::string> words{"-O3",
                                 "-lineinfo",
                                 "-arch=sm_" + std::to_string(capability),
                                 "-o",
                                 (scratch_.path() / "program").string(),
                                 source.string()};
  for (const fs::path& further : request_.further_sources) words.push_back(further.string());
  std::error_code ignored;
  words.push_back("-I" + fs::absolute(request_.file, ignored).parent_path().string());
  const std::string text = text_of_file(source);
  constexpr std::pair<const char*, const char*> kLibraries[] = {
      {"cublas", "-lcublas"}, {"curand.h", "-lcurand"}, {"cufft", "-lcufft"}};
  for (const auto& [mention, library] : kLibraries)
    if (text.find(mention) != text.npos) words.push_back(library);
  return words;
}

fs::path GpuJob::source_file() {
  if (!request_.text || *request_.text == text_of_file(request_.file)) return request_.file;
  const fs::path source = scratch_.path() / request_.file.filename();
  std::ofstream(source, std::ios::binary) << *request_.text;
  return source;
}

Status GpuJob::build() {
  const auto words = build_words(source_file());
  out_.command = command_text("nvcc", words);
  const auto begin = Clock::now();
  const auto end = start({N_("nvcc compiles"), {}}, tools_.nvcc, words, kBuildSeconds);
  if (!end) return end.error();
  out_.compile_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  out_.diagnostics = end->output;
  std::error_code ignored;
  if (end->out_of_time)
    failed(Exit::worker_died,
           {"nvcc took longer than {0} s and was ended", {std::to_string(int(kBuildSeconds))}});
  else if (!end->done() || !fs::exists(scratch_.path() / "program", ignored))
    failed(Exit::bad_input, {"nvcc does not compile it: {0}", {last_words(end->output)}});
  return Unit{};
}

// Without CUPTI's headers there are no times from it; the profiler's may do.
Status GpuJob::build_recorder() {
  const fs::path source = scratch_.path() / "kernel_times.cc";
  std::ofstream(source, std::ios::binary) << embedded_kernel_times[0].text;
  std::vector<std::string> words{
      "-O2",          "-shared", "-cudart", "none",
      "-Xcompiler",   "-fPIC",   "-o",      (scratch_.path() / "kernel_times.so").string(),
      source.string()};
  for (const char* folder : {"/extras/CUPTI/include", "/include"})
    words.push_back("-I" + tools_.folder + folder);
  for (const char* folder : {"/extras/CUPTI/lib64", "/lib64", "/lib"})
    for (const std::string& word :
         {"-L" + tools_.folder + folder, std::string("-Xlinker"), "-rpath=" + tools_.folder + folder})
      words.push_back(word);
  words.push_back("-lcupti");
  const auto end = start({N_("nvcc compiles"), {}}, tools_.nvcc, words, kBuildSeconds);
  if (!end) return end.error();
  if (!end->done())
    out_.no_times = {"CUPTI, which times kernels, is not here: {0}", {last_words(end->output)}};
  return Unit{};
}

Status GpuJob::run_once() {
  std::vector<std::string> variables;
  if (out_.no_times.id.empty())
    variables = {"CUDA_INJECTION64_PATH=" + (scratch_.path() / "kernel_times.so").string(),
                 "LOCKSTEP_KERNEL_TIMES=" + (scratch_.path() / "times").string()};
  const auto end = start({N_("running on the GPU"), {}}, (scratch_.path() / "program").string(),
                         request_.arguments, request_.timeout_s, variables);
  if (!end) return end.error();
  out_.output = end->output, out_.exit_code = end->exit_code;
  if (end->out_of_time)
    failed(Exit::worker_died,
           {"on the GPU it did not end within {0} s", {std::to_string(int(request_.timeout_s))}});
  else if (end->signal)
    failed(Exit::check_failed, {"on the GPU it was ended by signal {0}", {std::to_string(end->signal)}});
  else if (end->exit_code != 0)
    failed(Exit::check_failed, {"on the GPU it ended with exit code {0}", {std::to_string(end->exit_code)}});
  if (out_.no_times.id.empty()) take_times();
  return Unit{};
}

void GpuJob::take_times() {
  std::string refused;
  out_.kernels = read_kernel_times(text_of_file(scratch_.path() / "times"), &refused);
  if (!refused.empty())
    out_.no_times = {"CUPTI, which times kernels, refused: {0}", {refused}};
  else if (out_.kernels.empty())
    out_.no_times = {"CUPTI recorded no kernel of it", {}};
  else
    out_.provenance["time"] = Provenance::measured();
}

// ERR_NVGPUCTRPERM is what the driver answers where counters are for administrators.
Message why_not_counted(const std::string& said) {
  if (said.find("ERR_NVGPUCTRPERM") != said.npos)
    return {"only administrators may read the profiler's counters here (ERR_NVGPUCTRPERM)", {}};
  std::istringstream lines(said);
  std::string line, error;
  while (std::getline(lines, line))
    if (line.find("==ERROR==") != line.npos && error.empty()) error = line.substr(line.find("==ERROR==") + 9);
  if (error.empty()) error = last_words(said);
  const std::size_t begin = error.find_first_not_of(' ');
  return {"the profiler counted nothing: {0}", {begin == error.npos ? "" : error.substr(begin)}};
}

// Its rows belong to the kernels that were timed, one to one, where both saw the same.
Status GpuJob::profile() {
  if (tools_.ncu.empty()) {
    out_.no_counters = {"the profiler ncu is not installed here", {}};
    return Unit{};
  }
  const fs::path log = scratch_.path() / "counters.csv";
  std::vector<std::string> words{"--csv",
                                 "--page",
                                 "raw",
                                 "--clock-control",
                                 "none",
                                 "--target-processes",
                                 "all",
                                 "--launch-count",
                                 std::to_string(kMostKernels),
                                 "--log-file",
                                 log.string(),
                                 "--metrics",
                                 profiler_metrics(),
                                 (scratch_.path() / "program").string()};
  words.insert(words.end(), request_.arguments.begin(), request_.arguments.end());
  const auto end = start({N_("counting on the GPU"), {}}, tools_.ncu, words, kProfileSeconds);
  if (!end) return end.error();
  const std::string table = text_of_file(log);
  std::vector<GpuKernel> counted = read_profiler_table(table.empty() ? end->output : table);
  if (counted.empty()) {
    out_.no_counters = end->out_of_time ? Message{"the profiler took longer than {0} s and was ended",
                                                  {std::to_string(int(kProfileSeconds))}}
                                        : why_not_counted(table + "\n" + end->output);
    return Unit{};
  }
  out_.provenance["counters"] = Provenance::measured();
  if (out_.kernels.empty()) {  // each by itself, with empty caches
    out_.kernels = std::move(counted);
    const bool timed = std::any_of(out_.kernels.begin(), out_.kernels.end(),
                                   [](const GpuKernel& kernel) { return kernel.time_us >= 0; });
    if (timed) out_.no_times = {}, out_.provenance["time"] = Provenance("measured by ncu, with empty caches");
    return Unit{};
  }
  for (std::size_t i = 0; i < std::min(counted.size(), out_.kernels.size()); ++i) {
    if (kernel_word(counted[i].name) != kernel_word(out_.kernels[i].name)) break;
    out_.kernels[i].counters = std::move(counted[i].counters);
  }
  return Unit{};
}

Result<GpuRun> GpuJob::run() {
  if (scratch_.path().empty()) {
    failed(Exit::bad_input, {"no folder for temporary files can be made", {}});
    return std::move(out_);
  }
  if (!request_.input.empty()) {
    input_ = scratch_.path() / "input";
    std::ofstream(input_, std::ios::binary) << request_.input;
  }
  for (const auto part : {&GpuJob::build, &GpuJob::build_recorder, &GpuJob::run_once, &GpuJob::profile}) {
    if (Status done = (this->*part)(); !done) return done.error();
    if (!out_.problem.id.empty()) break;
  }
  return std::move(out_);
}

// Registers decide how many blocks an SM holds; every launch of a kernel needs the same.
Result<GpuRun> GpuJob::registers(const ProgramRun& emulated) {
  const auto end =
      start({N_("nvcc compiles"), {}}, tools_.nvcc,
            {"-O3", "-arch=sm_90", "-Xptxas", "-v", "-c", "-o", (scratch_.path() / "program.o").string(),
             source_file().string(), "-I" + fs::absolute(request_.file).parent_path().string()},
            kBuildSeconds);
  if (!end) return end.error();
  const std::vector<GpuKernel> compiled =
      end->done() ? read_registers(end->output) : std::vector<GpuKernel>{};
  for (std::size_t l = 0; l < emulated.launches.size(); ++l) {
    const ProgramLaunch& launch = emulated.launches[l];
    for (const GpuKernel& one : compiled) {
      if (kernel_word(one.name) != kernel_word(launch.kernel)) continue;
      GpuKernel kernel = one;
      kernel.launch = int(l), kernel.grid = launch.launch.grid, kernel.block = launch.launch.block;
      kernel.shared_bytes = std::max(kernel.shared_bytes, launch.shared_bytes);
      out_.kernels.push_back(std::move(kernel));
      break;
    }
  }
  return std::move(out_);
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && plain ? plain.get() : name;
}

}  // namespace

std::vector<GpuKernel> read_kernel_times(std::string_view text, std::string* refused) {
  struct Timed {
    std::uint64_t begin;
    GpuKernel kernel;
  };
  std::vector<Timed> all;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("! ")) {
      *refused = line.substr(2);
      continue;
    }
    std::istringstream fields(line);
    std::uint64_t begin = 0, end = 0;
    GpuKernel k;
    if (!(fields >> begin >> end)) continue;
    for (auto& extent : k.grid) fields >> extent;
    for (auto& extent : k.block) fields >> extent;
    if (!(fields >> k.registers >> k.shared_bytes >> std::ws) || !std::getline(fields, k.name) || end < begin)
      continue;
    k.name = demangled(k.name), k.time_us = double(end - begin) / 1e3;
    all.push_back({begin, std::move(k)});
  }
  // Streams hand their records over one after the other.
  std::stable_sort(all.begin(), all.end(), [](const Timed& a, const Timed& b) { return a.begin < b.begin; });
  std::vector<GpuKernel> kernels;
  for (Timed& one : all) kernels.push_back(std::move(one.kernel));
  return kernels;
}

std::vector<GpuKernel> read_registers(std::string_view said) {
  std::vector<GpuKernel> kernels;
  std::istringstream lines{std::string(said)};
  const auto number_before = [](const std::string& line, const char* words) {
    const std::size_t at = line.find(words);
    if (at == line.npos || at == 0) return 0;
    const std::size_t begin = line.find_last_of(" ,", at - 1);
    return std::atoi(line.c_str() + (begin == line.npos ? 0 : begin + 1));
  };
  bool open = false;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kEntry = "Compiling entry function '";
    if (const std::size_t at = line.find(kEntry); at != line.npos) {
      const std::size_t begin = at + kEntry.size();
      kernels.push_back({}), open = true;
      kernels.back().name = demangled(line.substr(begin, line.find('\'', begin) - begin));
    } else if (open && line.find(" registers") != line.npos) {
      kernels.back().registers = number_before(line, " registers");
      kernels.back().shared_bytes = number_before(line, " bytes smem"), open = false;
    }
  }
  return kernels;
}

Result<GpuRun> compile_for_registers(const ProgramRequest& request, const ProgramRun& emulated,
                                     const ProgramReport& report) {
  GpuTools tools;
  tools.nvcc = find_nvcc();
  if (tools.nvcc.empty()) return GpuRun{};
  tools.device.compute_capability = 90;
  return GpuJob(request, tools, report).registers(emulated);
}

Result<GpuRun> run_on_gpu(const ProgramRequest& request, const GpuTools& tools, const ProgramReport& report) {
  return GpuJob(request, tools, report).run();
}

Result<GpuRun> measure_program(const ProgramRequest& request, const ProgramRun& emulated,
                               const ProgramReport& report) {
  if (report && !report({N_("looking for a GPU"), {}})) return worker_error("the run was cancelled");
  GpuRun measured;
  if (const auto tools = find_gpu_tools()) {
    auto gpu = run_on_gpu(request, *tools, report);
    if (!gpu) return gpu;
    measured = std::move(*gpu);
    compare_with_emulator(measured, emulated);
    return measured;
  } else {
    auto compiled = compile_for_registers(request, emulated, report);
    if (!compiled) return compiled;
    measured = std::move(*compiled);
    measured.problem = tools.error().message, measured.exit = tools.error().exit;
  }
  return measured;
}

Result<ProgramRun> run_program(const ProgramRequest& request, const ProgramReport& report) {
  auto run = run_program_file(request, report);
  if (!request.on_gpu || (run && !run->compiled)) return run;
  if (!run && run.error().exit != Exit::unavailable) return run;
  if (!run) {  // a GPU can do without clang
    ProgramRun without;
    without.program = request.file.string(), without.notes.push_back(run.error().message);
    run = std::move(without);
  }
  auto gpu = measure_program(request, *run, report);
  if (!gpu) return gpu.error();
  run->gpu = std::make_shared<const GpuRun>(std::move(*gpu));
  return run;
}

}  // namespace lockstep::reader
