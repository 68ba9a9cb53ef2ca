// new: a small CUDA program to start from.
#include <iostream>

#include "app/cli/verbs.hpp"
#include "app/program/templates.hpp"

namespace lockstep {

std::string template_names() {
  std::string names;
  for (const auto& each : reader::program_templates())
    names += names.empty() ? each.name + " (else this one)" : ", " + each.name;
  return names;
}

Outcome new_program(const std::optional<std::string>& name, const std::optional<std::string>& from) {
  if (!name) return bad_input("new needs a name for the program, as in `lockstep new my_kernel`");
  const auto& all = reader::program_templates();
  const reader::ProgramTemplate* chosen = from ? reader::find_program_template(*from) : &all.front();
  if (!chosen) {
    std::vector<std::string> names;
    for (const auto& each : all) names.push_back(each.name);
    return unknown_word("template", *from, names);
  }
  const auto path = reader::write_new_program(*name, *chosen);
  if (!path) return path.error();
  std::cout << path->string() << std::endl;
  return Exit::done;
}

}  // namespace lockstep
