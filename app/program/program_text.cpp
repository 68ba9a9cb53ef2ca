// A program's result as JSON (DESIGN.md, "A program's result") and as text for people.
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/model/cache.hpp"
#include "on_gpu/gpu_text.hpp"
#include "program_run.hpp"

namespace lockstep::reader {

using Json = nlohmann::ordered_json;

namespace {

Json counts_json(const Counts& counts) {
  Json object;
  for (const CountField& field : kCountFields) object[field.name] = counts.*field.member;
  return object;
}

Json finding_json(const ProgramFinding& f) {
  Json object{{"kind", f.kind},     {"launch", f.launch},   {"block", f.block},
              {"thread", f.thread}, {"file", f.file},       {"line", f.line},
              {"view", f.view},     {"element", f.element}, {"message", f.message.text()},
              {"times", f.times}};
  if (f.other_line)
    object["other_line"] = f.other_line, object["other_thread"] = f.other_thread,
    object["other_block"] = f.other_block;
  return object;
}

Json lines_json(const ProgramLaunch& launch) {
  Json rows = Json::array();
  for (const ProgramLine& l : launch.lines)
    rows.push_back({{"file", l.file},
                    {"line", l.line},
                    {"times", l.cost.times},
                    {"sectors", l.cost.sectors},
                    {"wavefronts", l.cost.wavefronts},
                    {"shared_width", l.shared_width},
                    {"global_width", l.global_width}});
  return rows;
}

Json launch_json(const ProgramRun& run, const ProgramLaunch& launch) {
  const int index = int(&launch - run.launches.data());
  Json object{{"kernel", launch.kernel},
              {"file", launch.file},
              {"line", launch.line},
              {"grid", launch.launch.grid},
              {"block", launch.launch.block},
              {"shared_bytes", launch.shared_bytes},
              {"blocks", launch.blocks},
              {"traced_blocks", launch.traced_blocks},
              {"counts_complete", launch.counts_complete()}};
  if (!launch.stream.empty()) object["stream"] = launch.stream;
  if (launch.graph) object["graph"] = launch.graph;
  object["counts"] = launch.traced() ? counts_json(launch.counts) : Json(nullptr);
  if (launch.traced())
    object["compulsory_bytes"] = {{"load", launch.compulsory_load_sectors * CacheShape::kSectorBytes},
                                  {"store", launch.compulsory_store_sectors * CacheShape::kSectorBytes}};
  object["lines"] = lines_json(launch);
  if (!launch.refused.id.empty()) object["refused"] = launch.refused.text();
  object["findings"] = Json::array();
  for (const ProgramFinding& f : run.findings)
    if (f.launch == index) object["findings"].push_back(finding_json(f));
  return object;
}

Json arrays_json(const ProgramRun& run) {
  Json rows = Json::array();
  for (const ProgramArray& a : run.arrays)
    rows.push_back(
        {{"name", a.name}, {"type", a.type}, {"bytes", a.bytes}, {"shape", a.shape}, {"line", a.line}});
  return rows;
}

Json diagnostics_json(const ProgramRun& run) {
  Json rows = Json::array();
  for (const Diagnostic& d : run.diagnostics)
    rows.push_back({{"file", d.file},
                    {"line", d.line},
                    {"column", d.column},
                    {"severity", d.severity == Severity::error ? "error" : "warning"},
                    {"message", d.message.text()},
                    {"compiler", d.compiler}});
  return rows;
}

void describe_launch(std::ostringstream& text, const ProgramLaunch& l, std::size_t number) {
  const auto& g = l.launch.grid;
  const auto& b = l.launch.block;
  text << number << "  " << l.kernel << "<<<" << g[0];
  if (g[1] * g[2] > 1) text << " x " << g[1];
  if (g[2] > 1) text << " x " << g[2];
  text << ", " << b[0];
  if (b[1] * b[2] > 1) text << " x " << b[1];
  if (b[2] > 1) text << " x " << b[2];
  text << ">>>  line " << l.line;
  if (l.graph) text << "  graph launch " << l.graph;
  if (!l.refused.id.empty()) {
    text << ": " << l.refused.text() << "\n";
    return;
  }
  if (!l.traced()) {
    text << "  not traced\n";
    return;
  }
  if (!l.counts_complete()) text << "  traced " << l.traced_blocks << " of " << l.blocks << " blocks";
  text << "\n";
  const Counts& c = l.counts;
  text << "   global sectors: load " << c.global_load_sectors << ", store " << c.global_store_sectors;
  if (c.shared_load_wavefronts + c.shared_store_wavefronts)
    text << "; shared wavefronts: load " << c.shared_load_wavefronts << ", store "
         << c.shared_store_wavefronts;
  text << "  (emulated, as compiled by clang)\n";
}

}  // namespace

std::string program_to_json(const ProgramRun& run) {
  Json object{{"program", run.program}, {"compiled", run.compiled}};
  object["provenance"] = Json::object();
  for (const auto& [path, provenance] : run.provenance) object["provenance"][path] = provenance.words();
  object["device"] = run.device.name;
  object["launches"] = Json::array();
  for (const ProgramLaunch& launch : run.launches) object["launches"].push_back(launch_json(run, launch));
  object["arrays"] = arrays_json(run);
  object["findings"] = Json::array();
  for (const ProgramFinding& f : run.findings) object["findings"].push_back(finding_json(f));
  object["diagnostics"] = diagnostics_json(run);
  object["notes"] = Json::array();
  for (const Message& note : run.notes) object["notes"].push_back(note.text());
  object["output"] = run.output, object["output_cut"] = run.output_cut;
  object["exit_code"] = run.exit_code;
  object["ended"] = run.ended.id.empty() ? Json(nullptr) : Json(run.ended.text());
  object["compile_seconds"] = run.compile_seconds, object["run_seconds"] = run.run_seconds;
  if (run.gpu) object["gpu"] = gpu_to_json(*run.gpu);
  return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string describe(const ProgramRun& run) {
  std::ostringstream text;
  for (const Diagnostic& d : run.diagnostics) {
    text << d.file << ":" << d.line << ":" << d.column << ": "
         << (d.severity == Severity::error ? "error: " : "warning: ") << d.message.text() << "\n";
    if (!d.compiler.empty() && d.compiler != d.message.text()) text << "    clang: " << d.compiler << "\n";
  }
  if (!run.compiled && run.gpu) {
    for (const Message& note : run.notes) text << note.text() << "\n";
    return text.str() + describe_gpu(*run.gpu, run);
  }
  if (!run.compiled) return text.str();
  text << run.output;
  if (!run.output.empty() && run.output.back() != '\n') text << "\n";
  text << "\n";
  for (std::size_t i = 0; i < run.launches.size(); ++i) describe_launch(text, run.launches[i], i + 1);
  for (const ProgramFinding& f : run.findings) {
    text << f.file << ":" << f.line << ": " << f.kind << ": " << f.message.text();
    if (f.times > 1) text << " (" << f.times << " times)";
    text << "\n";
  }
  if (run.findings_dropped) text << run.findings_dropped << " more findings\n";
  for (const Message& note : run.notes) text << note.text() << "\n";
  if (!run.ended.id.empty()) text << run.ended.text() << "\n";
  text << "exit code " << run.exit_code << "\n";
  if (run.gpu) text << describe_gpu(*run.gpu, run);
  return text.str();
}

Exit exit_of(const ProgramRun& run) {
  if (!run.compiled) return run.gpu ? run.gpu->exit : Exit::bad_input;
  if (!run.ended.id.empty()) return Exit::worker_died;
  if (run.gpu && run.gpu->exit != Exit::done) return run.gpu->exit;
  const bool as_there = !run.gpu || run.gpu->match != OutputMatch::different;
  return run.findings.empty() && run.exit_code == 0 && as_there ? Exit::done : Exit::check_failed;
}

}  // namespace lockstep::reader
