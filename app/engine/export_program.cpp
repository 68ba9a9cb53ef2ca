#include "export_program.hpp"

#include <algorithm>
#include <set>

#include "app/platform/symbols.hpp"
#include "kernels/simt/emulate.hpp"
#include "program_sources.hpp"
#include "rung_lookup.hpp"

namespace lockstep {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// What stands between commas at no depth of brackets.
std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> all;
  int depth = 0;
  std::string now;
  for (const char c : list) {
    depth += c == '<' || c == '(';
    depth -= c == '>' || c == ')';
    if (c == ',' && depth == 0) {
      all.push_back(std::exchange(now, {}));
    } else if (c != ' ' || !now.empty()) {
      now += c;
    }
  }
  if (!now.empty()) all.push_back(now);
  return all;
}

// The instance of a kernel that a launch names, read from the function's name in this program.
struct Instance {
  std::string kernel;                  // "gemm"
  std::string name;                    // "gemm<16>"
  std::vector<std::string> types;      // of the elements behind each parameter; "" of a number
  std::vector<std::string> arguments;  // of the template: "16", "Sum"
};

// "void lab::gemm_ladder::rung_gemm_03_shared::gemm<16, lab::Emulated>(lab::GlobalView<float const>, int)"
std::optional<Instance> instance_of(const void* function) {
  std::string name = function_name(function);
  constexpr std::string_view kLadder = "_ladder::";
  const std::size_t lab = name.find("lab::"), in = name.find(kLadder), rung = name.find("::rung_");
  if (lab == name.npos || in == name.npos || lab + 5 > in) return {};
  const std::size_t end = in + kLadder.size();
  // A kernel that the rungs share stands in none of them.
  const std::size_t scope = rung == name.npos ? end - 2 : name.find("::", rung + 2);
  if (scope == name.npos) return {};
  const std::string ladder = name.substr(lab + 5, end - (lab + 5));  // "gemm_ladder::"
  name.erase(0, scope + 2);
  replace_all(name, "lab::detail::Narrow<11, 5>", "half");  // the emulator's types by CUDA's names
  replace_all(name, "lab::detail::Narrow<8, 8>", "nv_bfloat16");
  replace_all(name, "lab::", "");
  replace_all(name, ladder.c_str(), "");
  int depth = 0;
  std::size_t open = 0;
  while (open < name.size() && (name[open] != '(' || depth > 0))
    depth += name[open] == '<' ? 1 : name[open] == '>' ? -1 : 0, ++open;
  if (open == name.size()) return {};
  Instance instance;
  std::string callee = name.substr(0, open);
  const std::size_t angle = callee.find('<');
  instance.kernel = callee.substr(0, angle);
  std::vector<std::string> arguments;
  if (angle != callee.npos) arguments = split_list(callee.substr(angle + 1, callee.rfind('>') - angle - 1));
  std::erase(arguments, "Emulated");
  for (const std::string& argument : arguments) {
    instance.arguments.push_back(
        argument.substr(argument.find("::") == argument.npos ? 0 : argument.rfind("::") + 2));
    instance.name += (instance.name.empty() ? "<" : ", ") + instance.arguments.back();
  }
  instance.name = instance.kernel + instance.name + (instance.name.empty() ? "" : ">");
  for (std::string type : split_list(name.substr(open + 1, name.rfind(')') - open - 1))) {
    const std::size_t angle = type.find('<');  // Emulated::view<float const>; numbers have none
    type = angle == type.npos ? "" : type.substr(angle + 1, type.rfind('>') - angle - 1);
    replace_all(type, " const", "");
    while (type.ends_with(' ')) type.pop_back();
    instance.types.push_back(type);
  }
  return instance;
}

std::string extents_text(const lab::Extents& e) {
  const auto n = [](int x) { return std::to_string(x); };
  if (e.z > 1) return "dim3(" + n(e.x) + ", " + n(e.y) + ", " + n(e.z) + ")";
  return e.y > 1 ? "dim3(" + n(e.x) + ", " + n(e.y) + ")" : n(e.x);
}

// Everything that main() needs to know of the rung.
struct Program {
  const Ladder& ladder;
  const Request& request;
  std::vector<BufferSpec> buffers;
  std::vector<simt::HostStep> steps;  // launches, and what the host does besides
  std::vector<simt::Config> launches;
  std::vector<Instance> instances;  // of the launches
  std::vector<std::string> types;   // of the buffers' elements, "" where nobody takes it

  // The array that kernels take: "d_in" where the host has an "in", too.
  std::string device(int buffer) const {
    const BufferSpec& spec = buffers[std::size_t(buffer)];
    return spec.memory != MemoryKind::device || spec.name.starts_with("d_") ? spec.name : "d_" + spec.name;
  }
};

Result<Program> program_of(const RungRef& rung, const Request& request) {
  const auto specs = rung.ladder->buffers(request.params, request.rung);
  Program p{*rung.ladder, request, specs, simt::host_steps_of(*rung.ladder, rung.rung->file, request.params),
            {},           {},      {}};
  for (const simt::HostStep& step : p.steps)
    if (step.launch) p.launches.push_back(*step.launch);
  p.types.resize(specs.size());
  for (const simt::Config& launch : p.launches) {
    auto instance = instance_of(launch.function);
    if (!instance || instance->types.size() != launch.arguments.size())
      return unavailable("{0}/{1} cannot be exported: this program does not know the name of its kernel {2}",
                         {request.lab, request.rung, launch.name});
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
      if (const int buffer = launch.arguments[i].buffer; buffer >= 0 && p.types[std::size_t(buffer)].empty())
        p.types[std::size_t(buffer)] = instance->types[i];
    p.instances.push_back(std::move(*instance));
  }
  for (const simt::HostStep& step : p.steps)
    for (const int buffer : {step.operation.to, step.operation.from})
      if (!step.launch && buffer >= 0 && p.types[std::size_t(buffer)].empty())
        p.types[std::size_t(buffer)] = specs[std::size_t(buffer)].type;
  return p;
}

std::string value_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::string escaped;
    for (const char c : *text) escaped += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return "std::string(\"" + escaped + "\")";
  }
  const bool whole = std::holds_alternative<std::int64_t>(value);
  return (whole ? "std::int64_t{" : "double{") + to_string(value) + "}";
}

std::string stream_text(int stream) { return "streams[" + std::to_string(stream - 1) + "]"; }

// An address in a buffer, by its elements.
std::string address_text(const Program& p, int buffer, std::int64_t byte) {
  const std::int64_t element = byte / std::int64_t(p.buffers[std::size_t(buffer)].element_bytes);
  return p.device(buffer) + (element ? " + " + std::to_string(element) : "");
}

std::string operation_text(const Program& p, const simt::HostOperation& o) {
  const std::string bytes = std::to_string(o.bytes), from = address_text(p, o.from, o.from_byte);
  using enum OperationKind;
  if (o.kind == prefetch_in) return "prefetch_to_device(" + from + ", " + bytes + ");";
  if (o.kind == prefetch_out) return "prefetch_to_host(" + from + ", " + bytes + ");";
  if (o.kind == host_read) return "read_on_host(" + from + ", " + bytes + ");";
  const std::string list = address_text(p, o.to, o.to_byte) + ", " + from + ", " + bytes + ", " +
                           (o.kind == copy_in ? "cudaMemcpyHostToDevice" : "cudaMemcpyDeviceToHost");
  if (o.waits) return "require(cudaMemcpy(" + list + "));";
  return "require(cudaMemcpyAsync(" + list + (o.stream > 0 ? ", " + stream_text(o.stream) : "") + "));";
}

// How many streams of its own the program has.
int streams_of(const Program& p) {
  int streams = 0;
  for (const simt::HostStep& step : p.steps)
    streams = std::max(streams, step.launch ? step.launch->stream : step.operation.stream);
  return streams;
}

// What makes an array of that memory of a HostBuffer, and what gives it back.
const char* maker_of(MemoryKind memory) {
  if (memory == MemoryKind::pageable) return "in_pageable";
  if (memory == MemoryKind::pinned || memory == MemoryKind::mapped) return "in_pinned";
  return memory == MemoryKind::managed ? "in_managed" : "to_device";
}
std::string freed(const std::string& name, MemoryKind memory) {
  if (memory == MemoryKind::pageable) return "  std::free(" + name + ");\n";
  const bool pinned = memory == MemoryKind::pinned || memory == MemoryKind::mapped;
  return "  require(" + std::string(pinned ? "cudaFreeHost" : "cudaFree") + "(" + name + "));\n";
}

std::string launch_text(const Program& p, std::size_t i) {
  const simt::Config& launch = p.launches[i];
  std::string text =
      p.instances[i].name + "<<<" + extents_text(launch.grid) + ", " + extents_text(launch.block);
  if (launch.dynamic_shared_bytes > 0 || launch.stream > 0)
    text += ", " + std::to_string(launch.dynamic_shared_bytes);
  if (launch.stream > 0) text += ", " + stream_text(launch.stream);
  text += ">>>(";
  for (std::size_t a = 0; a < launch.arguments.size(); ++a) {
    const auto& argument = launch.arguments[a];
    std::string given = argument.buffer >= 0 ? p.device(argument.buffer) : argument.value;
    if (!argument.around.empty()) given = expand(argument.around, {given});
    text += (a ? ", " : "") + given;
  }
  return text + ");";
}

// Few whole numbers are written down; other inputs the program makes by the ladder's own fill.
enum class Inputs { none, written, filled };
Inputs inputs_of(const Program& p) {
  constexpr std::uint64_t kMostWrittenBytes = 256;
  std::uint64_t bytes = 0;
  bool whole = true;
  for (const BufferSpec& spec : p.buffers)
    if (spec.input) bytes += spec.bytes(), whole &= spec.type == "int";
  if (bytes == 0) return Inputs::none;
  return whole && bytes <= kMostWrittenBytes ? Inputs::written : Inputs::filled;
}

std::string written_inputs(const Program& p) {
  const simt::ProblemBuffers problem(p.ladder, p.request.params, p.request.rung);
  std::string text;
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    if (!p.buffers[i].input) continue;
    const std::string name = p.buffers[i].name + "_values";
    const auto* values = reinterpret_cast<const std::int32_t*>(problem.spans()[i].data());
    text += "  const std::int32_t " + name + "[]{";
    constexpr std::size_t kPerLine = 16;
    for (std::size_t v = 0; v < p.buffers[i].elements(); ++v)
      text += (v % kPerLine ? ", " : v ? ",\n      " : "\n      ") + std::to_string(values[v]);
    text += "};\n  std::memcpy(host[" + std::to_string(i) + "].data(), " + name + ", sizeof " + name + ");\n";
  }
  return text;
}

// Inputs and outputs on both sides.
std::string buffers_text(const Program& p) {
  std::string text = "  // Outputs start as NaN: what a kernel leaves out fails the check.\n";
  text += "  std::vector<HostBuffer> host{\n";
  std::vector<std::string> sizes;
  for (const BufferSpec& spec : p.buffers)
    sizes.push_back("HostBuffer(" + std::to_string(spec.bytes()) + (spec.input ? ")," : ", 0xff),"));
  std::size_t widest = 0;
  for (const std::string& size : sizes) widest = std::max(widest, size.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const BufferSpec& spec = p.buffers[i];
    std::string shape;
    for (const auto extent : spec.shape) shape += (shape.empty() ? "" : " x ") + std::to_string(extent);
    sizes[i].resize(widest, ' ');
    text += "      " + sizes[i] + "  // " + spec.name + ": " + shape + " of " + spec.type + "\n";
  }
  text += "  };\n";
  if (inputs_of(p) == Inputs::written) text += written_inputs(p);
  if (inputs_of(p) == Inputs::filled)
    text +=
        "  const std::vector<std::span<std::uint8_t>> inputs(host.begin(), host.end());\n"
        "  problem::fill(params, rung, inputs);\n";
  for (std::size_t i = 0; i < p.buffers.size(); ++i)
    if (!p.types[i].empty())
      text += "  auto* " + p.device(int(i)) + " = " + maker_of(p.buffers[i].memory) + "<" + p.types[i] +
              ">(host[" + std::to_string(i) + "]);\n";
  return text;
}

// Kernels that want more dynamic shared memory than every GPU gives.
std::string attributes_text(const Program& p) {
  // What a kernel declares itself counts as well, barriers for one: less than this is left for it.
  constexpr std::int64_t kGivenBytes = 48 * 1024 - 1024;
  std::set<std::string> lines;
  for (std::size_t i = 0; i < p.launches.size(); ++i)
    if (const auto bytes = p.launches[i].dynamic_shared_bytes; bytes > kGivenBytes)
      lines.insert("  require(cudaFuncSetAttribute(" + p.instances[i].name +
                   ", cudaFuncAttributeMaxDynamicSharedMemorySize, " + std::to_string(bytes) + "));\n");
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string main_text(const Program& p) {
  const std::string title = p.request.lab + "/" + p.request.rung;
  std::string text = "int main() {\n  const problem::Params params{";
  for (const auto& [name, value] : p.request.params)
    text += (text.ends_with("{") ? "" : ",\n                               ") +
            ("{\"" + name + "\", " + value_text(value) + "}");
  text += "};\n  const std::string_view rung = \"" + p.request.rung + "\";\n\n" + buffers_text(p) + "\n";
  const int streams = streams_of(p);
  if (streams > 0)
    text += "  cudaStream_t streams[" + std::to_string(streams) +
            "];\n  for (cudaStream_t& stream : streams) require(cudaStreamCreate(&stream));\n";
  text += attributes_text(p) + "  const auto launch = [&] {\n";
  std::size_t launches = 0;
  for (const simt::HostStep& step : p.steps)
    text += "    " + (step.launch ? launch_text(p, launches++) : operation_text(p, step.operation)) + "\n";
  text += "  };\n  launch();\n  require(cudaGetLastError()), require(cudaDeviceSynchronize());\n";
  for (std::size_t i = 0; i < p.buffers.size(); ++i)
    if (!p.buffers[i].input && !p.types[i].empty())
      text += "  to_host(host[" + std::to_string(i) + "], " + p.device(int(i)) + ");\n";
  text += "  const std::vector<std::span<const std::uint8_t>> results(host.begin(), host.end());\n";
  text += "  const problem::Check check = problem::check(params, rung, results);\n\n";
  text += "  const float ms = median_ms(launch);\n";
  text += "  std::printf(\"" + title + " %s: largest error %g of %g allowed, median %.4f ms\\n\",\n";
  text += "              check.pass ? \"ok\" : \"FAILED\", check.max_error, check.tolerance, ms);\n";
  for (std::size_t i = 0; i < p.buffers.size(); ++i)
    if (!p.types[i].empty()) text += freed(p.device(int(i)), p.buffers[i].memory);
  if (streams > 0)
    text += "  for (const cudaStream_t stream : streams) require(cudaStreamDestroy(stream));\n";
  return text + "  return check.pass ? 0 : 1;\n}\n";
}

}  // namespace

Result<std::string> exported_program(const Request& request, const std::string& command) {
  const RungRef rung = find_rung(request);
  if (!rung || !simt::has_rung(*rung.rung))
    return unavailable("there is no kernel of {0}/{1} to export", {request.lab, request.rung});
  const auto p = program_of(rung, request);
  if (!p) return p.error();
  ProgramSources sources(rung.rung->file, rung.rung->slug);
  std::vector<std::string> kernels;
  for (const Instance& instance : p->instances) {
    kernels.push_back(instance.kernel);
    kernels.insert(kernels.end(), instance.arguments.begin(), instance.arguments.end());
  }
  sources.use_in_kernels(kernels);
  sources.use_in_kernels(p->types);
  if (inputs_of(*p) == Inputs::filled) sources.use_on_host({"fill"});
  sources.use_on_host({"check", "Params", "HostBuffer", "require", "to_host", "median_ms"});
  for (const simt::Config& launch : p->launches)
    for (const simt::LaunchArgument& argument : launch.arguments)
      if (!argument.around.empty())
        sources.use_on_host({argument.around.substr(0, argument.around.find('('))});
  for (std::size_t i = 0; i < p->buffers.size(); ++i)
    if (!p->types[i].empty()) sources.use_on_host({maker_of(p->buffers[i].memory)});
  for (const simt::HostStep& step : p->steps) {
    using enum OperationKind;
    if (step.launch) continue;
    if (step.operation.kind == prefetch_in) sources.use_on_host({"prefetch_to_device"});
    if (step.operation.kind == prefetch_out) sources.use_on_host({"prefetch_to_host"});
    if (step.operation.kind == host_read) sources.use_on_host({"read_on_host"});
  }
  std::string made_by = command;  // on one line
  std::replace(made_by.begin(), made_by.end(), '\n', ' ');
  std::string text = sources.header() + "//\n// Made by `" + made_by + "`. Compile it with\n";
  // Of Hopper's own instructions sm_90 has none: they are those of sm_90a.
  const std::string architecture =
      rung.rung->compute_capability >= 90 ? "-gencode=arch=compute_90a,code=sm_90a" : "-arch=native";
  text += "//   nvcc -std=c++20 -O3 --expt-relaxed-constexpr " + architecture + " FILE.cu\n";
  text +=
      "// It checks its result against a reference on the CPU: exit code 0, 1 where that fails, 2 without a "
      "GPU.\n";
  const std::string body = sources.kernels() + "\n" + sources.host() +
                           "\n// The problem: inputs, and the check of the result.\nnamespace problem {\n\n" +
                           sources.problem() + "\n}  // namespace problem\n\n" + main_text(*p);
  return text + sources.includes(body) + "\n" + body;
}

}  // namespace lockstep
