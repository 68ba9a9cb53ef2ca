#include "gpu_tools.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "app/platform/confined_process.hpp"
#include "app/platform/files.hpp"
#include "app/platform/run_program.hpp"

namespace lockstep::reader {
namespace fs = std::filesystem;

namespace {

constexpr double kAnswerSeconds = 20;  // the first look at a device loads its driver

std::string trimmed(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && blank(text.back())) text.pop_back();
  std::size_t begin = 0;
  while (begin < text.size() && blank(text[begin])) ++begin;
  return text.substr(begin);
}

Result<ProgramEnd> ask(const std::string& program, std::vector<std::string> arguments) {
  ConfinedProgram what;
  what.program = program, what.arguments = std::move(arguments), what.seconds = kAnswerSeconds;
  what.our_environment = true;
  return run_confined(what);
}

// "Cuda compilation tools, release 13.0, V13.0.88" -> "nvcc 13.0"
std::string version_in(const std::string& text) {
  constexpr std::string_view kBefore = "release ";
  const std::size_t at = text.find(kBefore);
  if (at == text.npos) return "nvcc";
  const std::size_t begin = at + kBefore.size();
  return "nvcc " + text.substr(begin, text.find_first_of(",\n", begin) - begin);
}

// "NVIDIA H200, 580.159.04, 9.0": of the first device.
bool read_device(const std::string& line, Device& device) {
  std::istringstream fields(line);
  std::string name, driver, capability;
  if (!std::getline(fields, name, ',') || !std::getline(fields, driver, ',') ||
      !std::getline(fields, capability))
    return false;
  device.name = trimmed(name), device.driver = trimmed(driver);
  int major = 0, minor = 0;
  char point = 0;
  std::istringstream number(capability);
  if (!(number >> major >> point >> minor) || point != '.') return false;
  device.compute_capability = major * 10 + minor;
  return true;
}

Result<Device> find_device() {
  const auto smi = program_on_path("nvidia-smi");
  if (!smi)
    return unavailable("there is no NVIDIA GPU here: nvidia-smi, which comes with its driver, was not found");
  const auto end = ask(*smi, {"--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"});
  if (!end) return end.error();
  Device device;
  if (end->done() && read_device(end->output.substr(0, end->output.find('\n')), device)) return device;
  return unavailable("no GPU can be used here: nvidia-smi says '{0}'", {trimmed(end->output).substr(0, 300)});
}

}  // namespace

std::string find_nvcc() {
  if (const char* named = std::getenv("LOCKSTEP_NVCC"); named && *named)
    return is_executable(named) ? named : "";
  if (const auto found = program_on_path("nvcc")) return *found;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(name); folder && *folder)
      if (const fs::path file = fs::path(folder) / "bin/nvcc"; is_executable(file)) return file.string();
  constexpr const char* kInstalled = "/usr/local/cuda/bin/nvcc";
  return is_executable(kInstalled) ? kInstalled : "";
}

Result<GpuTools> find_gpu_tools() {
  GpuTools tools;
  tools.nvcc = find_nvcc();
  if (tools.nvcc.empty())
    return unavailable("nvcc was not found here: install the CUDA toolkit, or add its folder bin to PATH");
  std::error_code ignored;
  tools.folder = fs::canonical(tools.nvcc, ignored).parent_path().parent_path().string();
  auto device = find_device();
  if (!device) return device.error();
  tools.device = *device;
  const auto version = ask(tools.nvcc, {"--version"});
  if (!version) return version.error();
  if (!version->done())
    return unavailable("nvcc does not work here: {0}", {trimmed(version->output).substr(0, 300)});
  tools.version = version_in(version->output);
  tools.ncu = program_on_path("ncu").value_or("");
  if (const std::string beside = tools.folder + "/bin/ncu"; tools.ncu.empty() && is_executable(beside))
    tools.ncu = beside;
  return tools;
}

}  // namespace lockstep::reader
