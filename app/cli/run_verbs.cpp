// list, run, launch, worker, doctor.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/print.hpp"
#include "app/cli/say.hpp"
#include "app/cli/session.hpp"
#include "app/cli/verbs.hpp"
#include "app/draw/text_metrics.hpp"
#include "app/engine/cuda_engine.hpp"
#include "app/engine/run_file.hpp"
#include "app/engine/trace_events.hpp"
#include "app/labs/lab.hpp"
#include "app/labs/ranges_scene.hpp"
#include "app/platform/display.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "app/platform/sandbox.hpp"
#include "app/program/on_gpu/gpu_tools.hpp"
#include "app/program/source/compiler.hpp"
#include "app/shell/offscreen.hpp"
#include "app/shell/shell.hpp"

namespace lockstep {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::string_view, 2> kRunEndings{".npz", ".json"};

Json value_json(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json parameter_json(const Parameter& p) {
  const bool whole = p.type == "int";
  const auto bound = [&](double x) { return whole ? Json(std::int64_t(x)) : Json(x); };
  const bool choice = p.type == "choice" || p.type == "text";
  return {{"name", p.name},
          {"type", p.type},
          {"min", choice ? Json(nullptr) : bound(p.min)},
          {"max", choice ? Json(nullptr) : bound(p.max)},
          {"multiple", p.multiple},
          {"default", value_json(p.default_value)},
          {"unit", p.unit},
          {"title", title_of(p)},
          {"choices", p.choices},
          {"rungs", p.rungs},
          {"model_only", p.model_only},
          {"help", p.help}};
}

Json lab_json(const LabInfo& lab) {
  Json object{{"slug", lab.slug}, {"title", lab.title}, {"chapter", lab.chapter}};
  object["rungs"] = Json::array();
  for (const RungInfo& rung : lab.rungs)
    object["rungs"].push_back({{"slug", rung.slug}, {"idea", rung.idea}});
  object["parameters"] = Json::array();
  for (const Parameter& p : lab.parameters) object["parameters"].push_back(parameter_json(p));
  return object;
}

std::string range_text(const Parameter& p) {
  if (p.type == "text") return "text";
  if (!p.choices.empty()) {
    std::string text;
    for (const std::string& choice : p.choices) text += (text.empty() ? "" : " | ") + choice;
    return text;
  }
  const auto bound = [&](double x) { return p.type == "int" ? std::to_string(std::int64_t(x)) : rounded(x); };
  std::string text = bound(p.min) + " to " + bound(p.max);
  if (p.multiple > 1) text += ", multiples of " + std::to_string(p.multiple);
  if (!p.multiple_of.empty() && p.choice_multiples.empty()) text += ", multiples of " + p.multiple_of + "/4";
  return p.unit.empty() ? text : text + " " + p.unit;
}

std::string lab_text(const LabInfo& lab) {
  std::vector<std::vector<std::string>> rows;
  for (const RungInfo& rung : lab.rungs) rows.push_back({"  " + rung.slug, rung.idea});
  for (const Parameter& p : lab.parameters)
    rows.push_back({"  --set " + p.name + "=" + to_string(p.default_value),
                    range_text(p) + (p.help.empty() ? "" : ": " + p.help)});
  for (const RungInfo& rung : lab.rungs)
    if (const auto sets = lab.sets.find(rung.slug); sets != lab.sets.end()) {
      std::string all;
      for (const Params& set : sets->second) {
        if (!all.empty()) all += " | ";
        bool first = true;
        for (const auto& [name, value] : set)
          all += (first ? "" : " ") + name + "=" + to_string(value), first = false;
      }
      rows.push_back({"  " + rung.slug + " has", all});
    }
  return lab.slug + ": " + lab.title + "\n" + table(rows);
}

Exit verdict(const Run& run) {
  return run.check.pass && run.findings.empty() ? Exit::done : Exit::check_failed;
}

void print_run(const Run& run, bool json) {
  if (json)
    std::cout << run_to_json(run) << std::endl;
  else
    std::cout << describe(run) << std::flush;
}

// As JSON, a run holds its ranges as trace events too, and those of the lab's timeline where it has one.
Status save(const Run& run, const std::string& path) {
  const auto scene = path.ends_with(".json") ? open_run(run) : nullptr;
  const auto timeline = scene ? timeline_with_ranges(*scene) : std::nullopt;
  if (!timeline) return save_run(run, path);
  const std::string text = trace_file(*timeline, run_to_json(run));
  return write_file_atomically(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// --- doctor
// ---------------------------------------------------------------------------------------------------

using Rows = std::vector<std::vector<std::string>>;

bool add_engines(const Engines& engines, Rows& rows) {
  bool any = false;
  for (EngineKind kind : {EngineKind::cuda, EngineKind::emulator, EngineKind::recording}) {
    const Engine::Health health = engines.get(kind)->health();
    rows.push_back(
        {"engine " + std::string(name_of(kind)), health.ok ? "works" : "no", one_line(health.what.text())});
    any |= health.ok;
  }
  return any;
}

void add_pictures(Rows& rows) {
  const FontFiles& fonts = font_files();
  if (fonts.missing.empty()) rows.push_back({"fonts", "works", ""});
  for (const Message& missing : fonts.missing) rows.push_back({"fonts", "missing", one_line(missing.text())});
  const Result<std::string> renderer = offscreen_renderer();
  rows.push_back(
      {"pictures", renderer ? "works" : "no", one_line(renderer ? *renderer : renderer.error().text())});
  const bool display = display_available();
  rows.push_back({"display", display ? "works" : "no",
                  display ? "`lockstep` opens a window" : "`lockstep tour` writes pictures instead"});
}

// Readers' own programs: what compiles them, and what holds them back.
void add_programs(Rows& rows) {
  const Result<std::string> compiler = reader::compiler_version();
  rows.push_back({"programs", compiler ? "works" : "no",
                  one_line(compiler ? "compiled by " + *compiler : compiler.error().text())});
  const auto gpu = reader::find_gpu_tools();
  rows.push_back(
      {"on a GPU", gpu ? "works" : "no",
       one_line(gpu ? gpu->device.name + ", compiled by " + gpu->version +
                          (gpu->ncu.empty() ? "; without counters: ncu is not installed" : ", counted by ncu")
                    : gpu.error().text())});
  const SandboxReport sandbox = sandbox_here();
  if (sandbox.complete())
    rows.push_back(
        {"sandbox", "works",
         "a program reads its own folder and the system's headers and libraries, writes in a scratch "
         "folder, and has neither network nor further processes"});
  for (const SandboxPart& part : sandbox.parts)
    if (!part.enforced) rows.push_back({"sandbox", "partly", one_line(part.words.text())});
}

// One run per lab, as a reader's first look at it: in a worker, on the emulator, held against its check.
bool add_labs(const std::vector<std::filesystem::path>& folders, Rows& rows) {
  Session session(folders);
  bool all = true;
  for (const LabInfo* lab : lab_infos()) {
    RunArguments arguments;
    arguments.lab = lab->slug, arguments.engine = "emulator";
    const auto request = make_request(arguments);
    const Result<Run> run = request ? session.run(*request) : request.error();
    const bool right = run && verdict(*run) == Exit::done;
    const std::string said = !run              ? run.error().text()
                             : right           ? ""
                             : run->check.pass ? "its kernel has findings"
                                               : "its result is not what it should be";
    rows.push_back({"lab " + lab->slug, right ? "works" : "no", one_line(said)});
    all &= right;
  }
  return all;
}

}  // namespace

Outcome list_labs(bool json) {
  if (!json) {
    for (const LabInfo* lab : lab_infos()) std::cout << lab_text(*lab);
    return Exit::done;
  }
  Json all = Json::array();
  for (const LabInfo* lab : lab_infos()) all.push_back(lab_json(*lab));
  std::cout << Json{{"labs", std::move(all)}}.dump(2) << std::endl;
  return Exit::done;
}

Outcome run_lab(const RunArguments& arguments) {
  if (arguments.save)
    if (Status writable = check_output("--save", *arguments.save, kRunEndings); !writable)
      return writable.error();
  if (arguments.say && arguments.json)
    return bad_input("--say and --json are two ways to print one run: give one of them");
  const auto language = parse_language(arguments);
  if (!language) return language.error();
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  Session session(std::move(*folders));
  const Result<Run> run = session.obtain(arguments);
  if (!run) return run.error();
  if (arguments.say) {
    if (Status used = use_language(*language, assets_folder() / "locale"); !used) return used.error();
    say_steps(*run, std::cout);
    std::cout.flush();
  } else {
    print_run(*run, arguments.json);
  }
  if (arguments.save)
    if (Status saved = save(*run, *arguments.save); !saved) return saved.error();
  return verdict(*run);
}

Outcome launch_lab(const RunArguments& arguments) {
  auto request = make_request(arguments);
  if (!request) return request.error();
  const Result<Run> run = launch_clean(*request);
  if (!run) return run.error();
  print_run(*run, arguments.json);
  return verdict(*run);
}

Outcome work(const RunArguments& arguments) {
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  return Exit(worker_main(make_engines(*folders)));
}

Outcome doctor(const RunArguments& arguments, bool test) {
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  Rows rows;
  const bool any = add_engines(make_engines(*folders), rows);
  for (const auto& folder : *folders) rows.push_back({"recordings", "found", folder.string()});
  add_pictures(rows);
  add_programs(rows);
  const bool right = !test || add_labs(*folders, rows);
  std::cout << table(rows) << std::flush;
  if (!right) return Exit::check_failed;
  return any ? Exit::done : Exit::unavailable;
}

}  // namespace lockstep
