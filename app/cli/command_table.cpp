#include "app/cli/command_table.hpp"

#include <CLI/CLI.hpp>

namespace lockstep {
namespace {

CommandOption option_of(const CLI::Option& option) {
  CommandOption flag;
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  const bool takes_value = option.get_type_size() != 0;
  if (option.get_positional())
    flag.value = option.get_name(true);
  else if (takes_value)
    flag.value = option.get_type_name();
  flag.help = option.get_description();
  flag.repeats = takes_value && option.get_items_expected_max() > 1;
  return flag;
}

}  // namespace

CommandInfo described(const CLI::App& app) {
  CommandInfo command{app.get_name(), app.get_description(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? command.words : command.flags).push_back(option_of(*option));
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!verb->get_group().empty()) command.verbs.push_back(described(*verb));
  return command;
}

}  // namespace lockstep
