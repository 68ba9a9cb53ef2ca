#include "app/cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>

#include "app/cli/command_table.hpp"
#include "app/cli/print.hpp"
#include "app/cli/tour_verbs.hpp"
#include "app/cli/typed.hpp"
#include "app/cli/verbs.hpp"
#include "app/platform/process.hpp"
#include "app/shell/scene_link.hpp"
#include "kernels/ladder.hpp"
#include "kernels/simt/workers.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kMostThreads = 256;
constexpr const char* kWhatItIs =
    N_("Lockstep runs real CUDA kernels one step at a time and shows where every byte goes.");

bool is_file(std::string_view word, std::string_view ending) { return word.ends_with(ending); }

// What a word opens as a link: one from the page's address, or a lab as it is called there, with or without
// its rung and what follows ("transpose", "transpose/padded?n=128").
std::optional<std::string> link_of(std::string_view word) {
  if (looks_like_link(word)) return std::string(word);
  const std::string_view path = word.substr(0, word.find('?')), lab = path.substr(0, path.find('/'));
  const Ladder* ladder = find_ladder(lab);
  if (!ladder) return {};
  if (lab.size() < path.size()) return "#" + std::string(word);
  return "#" + std::string(lab) + "/" + ladder->info.rungs.front().slug +
         std::string(word.substr(lab.size()));
}

ValidateArguments validation_asked(const Typed& typed) {
  using Work = ValidateArguments::Work;
  ValidateArguments how = typed.validate;
  how.work = typed.plan        ? Work::plan
             : typed.unchecked ? Work::unchecked
             : typed.streams   ? Work::streams
                               : Work::clean;
  return how;
}

Outcome dispatch(const CLI::App& app, const Typed& typed) {
  const ShotArguments& arguments = typed.arguments;
  if (arguments.threads) {
    const auto threads = parse_whole("--threads", *arguments.threads, 1, kMostThreads);
    if (!threads) return threads.error();
    simt::choose_threads(int(*threads));
  }
  if (app.got_subcommand("list")) return list_labs(arguments.json);
  if (app.got_subcommand("worker-program")) return work_on_program(typed.file.value_or(""));
  if (app.got_subcommand("run"))
    return names_program(arguments.lab) ? run_program_verb(arguments) : run_lab(arguments);
  if (app.got_subcommand("shot")) return shoot(arguments);
  if (app.got_subcommand("clip")) return clip(arguments);
  if (app.got_subcommand("tour")) return tour(arguments);
  if (app.got_subcommand("handout")) return write_handout(arguments);
  if (app.got_subcommand("export")) return export_rung(arguments);
  if (app.got_subcommand("new")) return new_program(arguments.output, typed.from);
  if (app.got_subcommand("story")) return tell_story(typed.story);
  if (app.got_subcommand("words")) return list_words(typed.story);
  if (app.got_subcommand("pages")) return write_pages(typed.pages, described(app));
  if (app.got_subcommand("complete")) return complete_words(typed.complete_what, typed.complete_of);
  if (app.got_subcommand("exercise")) return work_on_exercises(typed.exercise);
  if (app.got_subcommand("bench")) return bench(arguments);
  if (app.got_subcommand("record")) return record_labs(arguments, typed.folder);
  if (app.got_subcommand("doctor"))
    return typed.device ? doctor_device(arguments) : doctor(arguments, typed.test);
  if (app.got_subcommand("worker")) return work(arguments);
  if (app.got_subcommand("launch")) return launch_lab(arguments);
  if (app.got_subcommand("validate"))
    return typed.driver ? validate_occupancy() : validate_labs(arguments, validation_asked(typed));
  ShotArguments window = arguments;
  if (typed.file && is_file(*typed.file, ".cu"))
    window.reader_program = typed.file;
  else if (typed.file && is_file(*typed.file, ".md"))
    return window.lab = typed.file, tour(window);
  else if (const auto link = typed.file ? link_of(*typed.file) : std::nullopt)
    window.scene = link;
  else if (typed.file)
    (is_file(*typed.file, ".npz") ? window.run_file : window.scene) = typed.file;
  return show_window(window, {});
}

int complain(const Error& error) {
  std::cerr << "lockstep: " << one_line(error.text()) << std::endl;
  return int(error.exit);
}

// A first word that is no verb deserves better than "was not expected".
std::optional<Error> unknown_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  if (is_file(argv[1], ".md") || is_file(argv[1], ".json") || is_file(argv[1], ".npz") ||
      is_file(argv[1], ".cu") || link_of(argv[1]))
    return {};
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == argv[1]) return {};
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
  }
  return unknown_word("command", argv[1], verbs);
}

// What CLI11 itself refuses: unknown flags, missing values, too many words.
int refuse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const auto used = app.get_subcommands();
  const std::string help = "lockstep " + (used.empty() ? "" : used.front()->get_name() + " ") + "--help";
  return complain(bad_input("{0}; see `{1}`", {error.what(), help}));
}

}  // namespace

int command_line(int argc, char** argv) {
  ignore_file_limit();
  keep_time_zone();
  Typed typed;
  CLI::App app{kWhatItIs, "lockstep"};
  define_commands(app, typed);
  if (auto error = unknown_verb(app, argc, argv)) return complain(*error);
  try {
    app.parse(argc, argv);
    const Outcome outcome = dispatch(app, typed);
    if (!outcome) return complain(outcome.error());
    if (!std::cout.flush())
      return complain(bad_input("the standard output cannot be written; is the disk full?"));
    return int(*outcome);
  } catch (const CLI::ParseError& error) {
    return refuse(app, error);
  } catch (const std::exception& fault) {
    return complain({Exit::worker_died, {"the program failed: {0}", {fault.what()}}});
  }
}

}  // namespace lockstep
