// export: a rung as a program of its own.
#include <array>
#include <fstream>
#include <iostream>

#include "app/engine/export_program.hpp"
#include "app/verbs.hpp"
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
  Params given;
  for (const std::string& typed : settings) {
    auto setting = parse_setting(lab, typed);
    if (!setting) return setting.error();
    given[setting->first] = setting->second;
  }
  auto params = complete_params(lab, name.rung, given);
  if (!params) return params.error();
  request.params = std::move(*params);
  return request;
}

}  // namespace

Outcome export_rung(const ShotArguments& arguments) {
  const auto name = rung_of(arguments.lab);
  if (!name) return name.error();
  const auto request = request_of(*name, arguments.settings);
  if (!request) return request.error();
  if (arguments.output)
    if (Status writable = check_output("-o", *arguments.output, kProgramEndings); !writable) return writable.error();
  std::string command = "lockstep export " + *arguments.lab;
  for (const std::string& setting : arguments.settings) command += " --set " + setting;
  const auto program = exported_program(*request, command);
  if (!program) return program.error();
  if (!arguments.output) return std::cout << *program, Exit::done;
  std::ofstream file(*arguments.output, std::ios::binary);
  if (!(file << *program).flush())
    return bad_input("-o {0} cannot be written; is the disk full?", {*arguments.output});
  return Exit::done;
}

}  // namespace lockstep
