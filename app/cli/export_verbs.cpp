// export: a rung as a program of its own.
#include <array>
#include <fstream>
#include <iostream>

#include "app/cli/verbs.hpp"
#include "app/engine/export_program.hpp"
#include "app/platform/files.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

constexpr std::array<std::string_view, 1> kProgramEndings{".cu"};

// LAB/RUNG; every ladder has rungs to export, those of no lab too.
Result<RungName> rung_of(const std::optional<std::string>& typed) {
  const auto name = rung_named(typed.value_or(""));
  if (!name) return bad_input("export needs a kernel: LAB/RUNG, as in transpose/padded");
  std::vector<std::string> labs, rungs;
  for (const Ladder* ladder : ladders()) labs.push_back(ladder->info.slug);
  const Ladder* ladder = find_ladder(name->lab);
  if (!ladder) return unknown_word("lab", name->lab, labs);
  for (const RungInfo& rung : ladder->info.rungs) rungs.push_back(rung.slug);
  if (ladder->info.rung_index(name->rung) < 0) return unknown_word("rung", name->rung, rungs);
  return *name;
}

Result<Request> request_of(const RungName& name, const std::vector<std::string>& settings) {
  Request request;
  request.lab = name.lab, request.rung = name.rung;
  const LabInfo& lab = find_ladder(name.lab)->info;
  const auto given = parse_settings(lab, settings);
  if (!given) return given.error();
  auto params = complete_params(lab, name.rung, *given);
  if (!params) return params.error();
  request.params = std::move(*params);
  return request;
}

Result<std::string> program_text(const RungName& name, const std::vector<std::string>& settings) {
  const auto request = request_of(name, settings);
  if (!request) return request.error();
  std::string command = "lockstep export " + name.lab + "/" + name.rung;
  for (const std::string& setting : settings) command += " --set '" + setting + "'";
  return exported_program(*request, command);
}

Status write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text).flush()) return bad_input("-o {0} cannot be written; is the disk full?", {path});
  return Unit{};
}

// Every rung at its default settings, as FOLDER/LAB_RUNG.cu.
Outcome export_all(const std::string& folder) {
  if (Status made = make_output_folder(folder); !made) return made.error();
  for (const Ladder* ladder : ladders())
    for (const RungInfo& rung : ladder->info.rungs) {
      const auto program = program_text({ladder->info.slug, rung.slug}, {});
      if (!program) return program.error();
      const std::string path = folder + "/" + ladder->info.slug + "_" + rung.slug + ".cu";
      if (Status written = write_text(path, *program); !written) return written.error();
      std::cout << path << std::endl;
    }
  return Exit::done;
}

}  // namespace

Outcome export_rung(const ShotArguments& arguments) {
  if (arguments.lab == "all" && arguments.settings.empty())
    return export_all(arguments.output.value_or("lockstep-kernels"));
  const auto name = rung_of(arguments.lab);
  if (!name) return name.error();
  if (arguments.output)
    if (Status writable = check_output("-o", *arguments.output, kProgramEndings); !writable)
      return writable.error();
  const auto program = program_text(*name, arguments.settings);
  if (!program) return program.error();
  if (!arguments.output) return std::cout << *program, Exit::done;
  if (Status written = write_text(*arguments.output, *program); !written) return written.error();
  return Exit::done;
}

}  // namespace lockstep
