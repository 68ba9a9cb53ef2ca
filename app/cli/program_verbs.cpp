// run FILE.cu, worker-program.
#include <array>
#include <iostream>
#include <sstream>

#include "app/cli/print.hpp"
#include "app/cli/verbs.hpp"
#include "app/platform/files.hpp"
#include "app/program/on_gpu/gpu_tools.hpp"
#include "app/program/program_run.hpp"
#include "app/program/runtime/worker.hpp"

namespace lockstep {
namespace {

constexpr std::uint64_t kMostInput = std::uint64_t{64} << 20;

// "a 'b c' d" as three words.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool any = false;
  for (const char c : text) {
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c, any = true;
    } else if (!quote && (c == ' ' || c == '\t')) {
      if (any || !word.empty()) words.push_back(std::exchange(word, ""));
      any = false;
    } else {
      word += c;
    }
  }
  if (any || !word.empty()) words.push_back(word);
  return words;
}

}  // namespace

bool names_program(const std::optional<std::string>& lab) {
  if (!lab) return false;
  for (const char* ending : {".cu", ".cuh", ".cpp", ".cc", ".c"})
    if (lab->ends_with(ending)) return true;
  return false;
}

static Result<reader::ProgramRequest> program_request(const ShotArguments& arguments) {
  reader::ProgramRequest request;
  request.file = *arguments.lab;
  if (arguments.program_arguments) request.arguments = words_of(*arguments.program_arguments);
  for (const std::string& source : arguments.sources) request.further_sources.push_back(source);
  for (const std::string& folder : arguments.include_folders) request.include_folders.push_back(folder);
  request.defines = arguments.defines;
  request.all = arguments.all_blocks, request.trust = arguments.trust;
  if (arguments.engine) {
    static constexpr std::array<std::string_view, 3> kEngines{"auto", "emulator", "cuda"};
    const auto engine = parse_word("--engine, for a program,", *arguments.engine, kEngines);
    if (!engine) return engine.error();
    request.on_gpu = *engine == 2;
  }
  if (arguments.input) {
    const auto bytes = read_file(*arguments.input, kMostInput);
    if (!bytes) return bytes.error();
    request.input.assign(bytes->begin(), bytes->end());
  }
  if (arguments.launch) {
    const auto launch = parse_whole("--launch", *arguments.launch, 1, 1000000);
    if (!launch) return launch.error();
    request.launch = int(*launch) - 1;
  }
  if (arguments.block) {
    const auto block = parse_whole("--block", *arguments.block, 0, INT64_MAX);
    if (!block) return block.error();
    request.block = *block;
  }
  if (arguments.timeout) {
    const auto timeout = parse_number("--timeout", *arguments.timeout, 0.1, 86400);
    if (!timeout) return timeout.error();
    request.timeout_s = *timeout;
  }
  if (arguments.threads) {
    const auto threads = parse_whole("--threads", *arguments.threads, 1, 256);
    if (!threads) return threads.error();
    request.threads = int(*threads);
  }
  return request;
}

Outcome run_program_verb(const ShotArguments& arguments) {
  const auto request = program_request(arguments);
  if (!request) return request.error();
  if (request->on_gpu)  // what is missing is said before the emulator works for nothing
    if (const auto tools = reader::find_gpu_tools(); !tools) return tools.error();
  const auto run = reader::run_program(*request, {});
  if (!run) return run.error();
  if (arguments.json)
    std::cout << reader::program_to_json(*run) << std::endl;
  else
    std::cout << reader::describe(*run) << std::flush;
  return reader::exit_of(*run);
}

Outcome work_on_program(const std::string& order_file) {
  return Exit(reader::program_worker_main(order_file));
}

}  // namespace lockstep
