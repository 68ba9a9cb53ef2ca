#include "gpu_text.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "gpu_words.hpp"

namespace lockstep::reader {

using Json = nlohmann::ordered_json;

namespace {

const char* match_word(OutputMatch match) {
  switch (match) {
    case OutputMatch::same:
      return "same";
    case OutputMatch::rounding:
      return "same but for rounding";
    case OutputMatch::different:
      return "different";
    case OutputMatch::unknown:
      break;
  }
  return "not compared";
}

Json sentence_or_null(const Message& message) {
  return message.id.empty() ? Json(nullptr) : Json(message.text());
}

Json kernel_json(const GpuKernel& k) {
  Json object{{"kernel", k.name}, {"grid", k.grid}, {"block", k.block}};
  object["launch"] = k.launch >= 0 ? Json(k.launch) : Json(nullptr);
  object["time_us"] = k.time_us >= 0 ? Json(k.time_us) : Json(nullptr);
  object["registers"] = k.registers > 0 ? Json(k.registers) : Json(nullptr);
  object["shared_bytes"] = k.shared_bytes;
  object["counters"] = k.counters.empty() ? Json(nullptr) : Json(k.counters);
  return object;
}

void describe_counters(std::ostringstream& text, const GpuKernel& k, const ProgramRun& run) {
  for (const auto& [name, value] : k.counters) {
    if (value == 0 && k.launch < 0) continue;
    const ProgramLaunch* launch = k.launch < 0 ? nullptr : &run.launches[std::size_t(k.launch)];
    for (const CountField& field : kCountFields) {
      if (name != field.name) continue;
      const std::int64_t here = launch && launch->traced() ? launch->counts.*field.member : -1;
      if (value == 0 && here <= 0) continue;
      text << "     " << name << ": measured " << value;
      if (here >= 0)
        text << ", emulated " << here << (launch->counts_complete() ? "" : " of part of the grid");
      text << "\n";
    }
  }
}

}  // namespace

Json gpu_to_json(const GpuRun& gpu) {
  Json object{{"device", gpu.device.name},
              {"driver", gpu.device.driver},
              {"compute_capability", gpu.device.compute_capability},
              {"compiler", gpu.compiler},
              {"command", gpu.command},
              {"compile_seconds", gpu.compile_seconds},
              {"problem", sentence_or_null(gpu.problem)},
              {"diagnostics", gpu.diagnostics},
              {"output", gpu.output},
              {"output_match", match_word(gpu.match)},
              {"exit_code", gpu.exit_code}};
  if (gpu.match == OutputMatch::different)
    object["first_difference"] = {
        {"line", gpu.different_line}, {"gpu", gpu.line_there}, {"emulated", gpu.line_here}};
  object["kernels"] = Json::array();
  for (const GpuKernel& kernel : gpu.kernels) object["kernels"].push_back(kernel_json(kernel));
  object["no_times"] = sentence_or_null(gpu.no_times),
  object["no_counters"] = sentence_or_null(gpu.no_counters);
  object["provenance"] = Json::object();
  for (const auto& [what, provenance] : gpu.provenance) object["provenance"][what] = provenance.words();
  return object;
}

std::string describe_gpu(const GpuRun& gpu, const ProgramRun& run) {
  std::ostringstream text;
  text << "\non a GPU";
  if (!gpu.device.name.empty())
    text << ": " << gpu.device.name << ", driver " << gpu.device.driver << ", " << gpu.compiler;
  text << "\n";
  if (!gpu.command.empty()) text << "  " << gpu.command << "\n";
  if (!gpu.problem.id.empty()) text << "  " << gpu.problem.text() << "\n";
  if (gpu.exit == Exit::bad_input) text << gpu.diagnostics;
  if (gpu.match != OutputMatch::unknown) text << "  " << output_sentence(gpu).text() << "\n";
  for (const GpuKernel& k : gpu.kernels) {
    text << "  " << (k.launch >= 0 ? std::to_string(k.launch + 1) : "-") << "  " << k.name;
    if (k.time_us >= 0) text << "  " << gpu_time_text(k.time_us) << " (measured)";
    if (k.registers > 0) text << "  registers " << k.registers;
    text << "\n";
    describe_counters(text, k, run);
  }
  if (!gpu.no_times.id.empty()) text << "  no times: " << gpu.no_times.text() << "\n";
  if (!gpu.no_counters.id.empty()) text << "  no counters: " << gpu.no_counters.text() << "\n";
  return text.str();
}

}  // namespace lockstep::reader
