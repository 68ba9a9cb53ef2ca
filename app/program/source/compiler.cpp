#include "compiler.hpp"

#include <chrono>
#include <fstream>
#include <mutex>

#include "app/platform/files.hpp"
#include "app/platform/run_program.hpp"
#include "gpu_shifts.hpp"
#include "reader_headers.hpp"
#include "struct_copies.hpp"
#include "text_hash.hpp"

namespace lockstep::reader {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view kDeviceHeader = "lockstep_device.h";
constexpr std::uint64_t kCompilerMemory = std::uint64_t{3} << 30;
constexpr std::uint64_t kLargestOutput = std::uint64_t{1} << 30;
constexpr double kHeaderSeconds = 120;

// Debian's clang++, or one that is named with its version.
std::optional<std::string> clang_on_path() {
  if (auto plain = program_on_path("clang++")) return plain;
  for (int version = 22; version >= 14; --version)
    if (auto named = program_on_path("clang++-" + std::to_string(version))) return named;
  return {};
}

Error no_clang() {
  return unavailable(
      "your own CUDA programs need clang, which is not installed here: sudo apt install clang, or ask for "
      "the "
      "package clang of your system");
}

// A file of this path, size and date is the same compiler.
std::string stamp(const std::string& program) {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  return real.string() + " " + std::to_string(fs::file_size(real, error)) + " " +
         std::to_string(fs::last_write_time(real, error).time_since_epoch().count());
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word + '\n';
  return all;
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Status write_headers(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "complete", error)) return Unit{};
  for (int i = 0; i < embedded_reader_headers_count; ++i) {
    const fs::path file = folder / embedded_reader_headers[i].name;
    if (Status made = make_output_folder(file.parent_path()); !made) return made;
    if (Status written = write_file_atomically(file, bytes_of(embedded_reader_headers[i].text)); !written)
      return written;
  }
  return write_file_atomically(folder / "complete", {});
}

const char* name_of(Variant variant) { return variant == Variant::traced ? "traced" : "program"; }

}  // namespace

std::vector<std::string> Compiler::flags(Variant variant, Standard standard) const {
  std::vector<std::string> words{standard == Standard::cxx17 ? "-std=gnu++17" : "-std=gnu++20", "-fPIC",
                                 "-g1", "-gdwarf-4", "-fno-strict-aliasing",
                                 // A frame larger than the guard page of a thread's stack must touch it.
                                 "-fstack-clash-protection",
                                 "-fno-strict-return",  // bool f() {} ends, as it does with nvcc
                                 "-fdeclspec", "-pthread", "-fdebug-compilation-dir=/lockstep", "-w",
                                 "-Wno-c++11-narrowing", "-Wno-register",
                                 "-Wno-reserved-user-defined-literal", "-fno-color-diagnostics",
                                 "-fno-caret-diagnostics", "-ferror-limit=40", "-fmacro-backtrace-limit=4",
                                 "-ftemplate-backtrace-limit=4"};
  const std::vector<std::string> traced{
      "-O1", "-finline-functions",  // as nvcc does
      "-fsanitize=thread", "-fno-vectorize", "-fno-slp-vectorize", "-fno-builtin",
      "-fno-optimize-sibling-calls", "-DLOCKSTEP_TRACED=1", "-mllvm", "-tsan-instrument-func-entry-exit=0",
      "-mllvm", "-tsan-instrument-read-before-write=1", "-mllvm", "-tsan-distinguish-volatile=1",
      // It takes a load of four numbers apart into four.
      "-mllvm", "-disable-vector-combine",
      // What two lines of a program store, two instructions store.
      "-mllvm", "-simplifycfg-sink-common=false", "-mllvm", "-enable-tail-merge=0",
      // nvcc unrolls a loop whose trips are counted at run time by four, as far as 75 instructions, and runs
      // what is left over first: lanes with other numbers of trips then meet at other instructions. LLVM does
      // so for NVIDIA's GPUs and not for this machine's processor.
      "-funroll-loops", "-mllvm", "-unroll-runtime", "-mllvm", "-unroll-max-count=4", "-mllvm",
      "-unroll-partial-threshold=75", "-mllvm", "-unroll-runtime-epilog=false", "-mllvm",
      "-unroll-allow-partial=false", "-mllvm", "-unroll-full-max-count=1", "-mllvm",
      "-scev-cheap-expansion-budget=16",
      // It reckons a sum of ints in 64 bits where one is read from memory; a GPU's wraps around in 32.
      "-mllvm", "-disable-cgp-ext-ld-promotion"};
  // Threads meet in functions: none may be copied into both branches of an `if`.
  words.insert(words.end(), {"-Xclang", "-fconvergent-functions"});
  words.push_back("-fno-math-errno");  // else expf(x) makes the next read of x another one
  if (variant == Variant::traced)
    words.insert(words.end(), traced.begin(), traced.end());
  else  // ints wrap around, as on a GPU and as gcc leaves them, which compiles the host's part for nvcc
    words.insert(words.end(), {"-O2", "-fwrapv"});
  return words;
}

Result<Compiler> Compiler::find(const fs::path& cache) {
  const auto clang = clang_on_path();
  if (!clang) return no_clang();
  Compiler found;
  found.clang_ = *clang;
  found.has_lld_ = program_on_path("ld.lld").has_value();
  TextHash hash;
  hash.add(stamp(*clang));
  for (const Variant variant : {Variant::program, Variant::traced})
    hash.add(joined(found.flags(variant, Standard::cxx17))), hash.add(joined(found.link_words(variant)));
  for (int i = 0; i < embedded_reader_headers_count; ++i) {
    hash.add(embedded_reader_headers[i].name);
    hash.add(embedded_reader_headers[i].text);
  }
  found.name_ = hash.text();
  found.headers_ = cache / ("headers-" + found.name_);
  if (Status written = write_headers(found.headers_); !written) return written.error();
  return found;
}

fs::path Compiler::precompiled(Variant variant, Standard standard) const {
  return headers_ / (std::string(name_of(variant)) + (standard == Standard::cxx17 ? "17.pch" : "20.pch"));
}

Result<ProgramEnd> Compiler::run(std::vector<std::string> arguments, const fs::path& folder, bool trust,
                                 const StepLimits& limits) const {
  ConfinedProgram what;
  what.program = clang_, what.arguments = std::move(arguments), what.folder = folder;
  what.seconds = limits.seconds, what.goes_on = limits.goes_on;
  if (!trust) {
    SandboxRules rules;
    rules.read = system_headers_and_libraries();
    rules.read.push_back(headers_);
    rules.run = system_programs();
    rules.run.push_back(fs::path(clang_).parent_path());
    rules.write = {folder};
    rules.processes = true;
    rules.memory_bytes = kCompilerMemory;
    rules.file_bytes = kLargestOutput;
    what.rules = std::move(rules);
  }
  return run_confined(what);
}

Status Compiler::prepare(Variant variant, Standard standard, bool trust) const {
  static std::mutex one_at_a_time;
  const fs::path wanted = precompiled(variant, standard);
  std::error_code error;
  if (fs::exists(wanted, error)) return Unit{};
  const std::lock_guard lock(one_at_a_time);
  if (fs::exists(wanted, error)) return Unit{};
  // Made under another name: two programs may do this at once.
  fs::path temporary = wanted;
  temporary += "." + std::to_string(Clock::now().time_since_epoch().count());
  std::vector<std::string> words = flags(variant, standard);
  words.insert(words.end(),
               {"-I" + headers_.string(), "-x", "c++-header", (headers_ / kDeviceHeader).string(), "-Xclang",
                "-fno-pch-timestamp", "-fpch-instantiate-templates", "-o", temporary.string()});
  const auto end = run(std::move(words), headers_, trust, {kHeaderSeconds, nullptr});
  if (!end) return end.error();
  if (!end->done()) {
    fs::remove(temporary, error);
    return unavailable("clang cannot compile Lockstep's own headers: {0}", {end->output.substr(0, 2000)});
  }
  fs::rename(temporary, wanted, error);
  return Unit{};
}

Result<ProgramEnd> Compiler::compile(Variant variant, Standard standard, const CompileStep& step,
                                     const StepLimits& limits) const {
  std::vector<std::string> words;
  if (step.is_c) {
    words = {"-x",
             "c",
             "-Dmain=lockstep_reader_main",
             "-include",
             (headers_ / "lockstep_c.h").string(),
             "-fPIC",
             "-g1",
             "-O2",
             "-fwrapv",
             "-w",
             "-fno-color-diagnostics",
             "-fno-caret-diagnostics"};
  } else {
    words = flags(variant, standard);
    words.insert(words.end(), {"-Xclang", "-fno-pch-timestamp", "-include-pch",
                               precompiled(variant, standard).string(), "-x", "c++"});
  }
  for (const std::string& define : step.defines) words.push_back("-D" + define);
  words.push_back("-I" + headers_.string());
  if (!step.is_c) return compile_in_two_steps(variant, words, step, limits);
  words.insert(words.end(), {"-c", step.source.string(), "-o", step.object.string()});
  return run(std::move(words), step.object.parent_path(), step.trust, limits);
}

// Between them, what a GPU does otherwise than this machine is put in its place: shifts, and for the trace
// the width of copies of structs.
Result<ProgramEnd> Compiler::compile_in_two_steps(Variant variant, std::vector<std::string> words,
                                                  const CompileStep& step, const StepLimits& limits) const {
  const fs::path& object = step.object;
  const fs::path text = fs::path(object).replace_extension(".ll");
  words.insert(words.end(), {"-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", step.source.string(),
                             "-o", text.string()});
  auto end = run(std::move(words), object.parent_path(), step.trust, limits);
  if (!end || !end->done()) return end;
  std::ifstream file(text, std::ios::binary);
  const std::string before{std::istreambuf_iterator<char>(file), {}};
  std::string after = with_gpu_shifts(before);
  if (variant == Variant::traced) after = with_wide_struct_copies(after);
  if (Status written = write_file_atomically(text, bytes_of(after)); !written) return written.error();
  std::vector<std::string> lower = flags(variant, Standard::cxx17);
  lower.insert(lower.end(), {"-Qunused-arguments", "-x", "ir", "-c", text.string(), "-o", object.string()});
  end = run(std::move(lower), object.parent_path(), step.trust, limits);
  std::error_code ignored;
  fs::remove(text, ignored);
  return end;
}

std::vector<std::string> Compiler::link_words(Variant variant) const {
  std::vector<std::string> words{"-shared", "-Wl,-Bsymbolic-functions", "-Wl,--build-id=none"};
  if (variant == Variant::program) words.erase(words.begin() + 1);
  if (has_lld_) words.push_back("-fuse-ld=lld");
  words.push_back(
      "-Wl,--wrap=fopen,--wrap=fopen64,--wrap=open,--wrap=open64,--wrap=unlink,--wrap=remove,--wrap=rmdir,"
      "--wrap=system,--wrap=popen,--wrap=fork,--wrap=vfork");  // so that a refusal has a line
  if (variant == Variant::traced) words.push_back("-Wl,--wrap=memcpy,--wrap=memset,--wrap=memmove");
  return words;
}

Result<ProgramEnd> Compiler::link(Variant variant, const std::vector<fs::path>& objects,
                                  const fs::path& library, bool trust, const StepLimits& limits) const {
  std::vector<std::string> words = link_words(variant);
  for (const fs::path& object : objects) words.push_back(object.string());
  words.insert(words.end(), {"-o", library.string()});
  return run(std::move(words), library.parent_path(), trust, limits);
}

Result<std::string> compiler_version() {
  const auto clang = clang_on_path();
  if (!clang) return no_clang();
  ConfinedProgram what;
  what.program = *clang, what.arguments = {"--version"}, what.seconds = 10;
  const auto end = run_confined(what);
  if (!end) return end.error();
  return end->output.substr(0, end->output.find('\n'));
}

}  // namespace lockstep::reader
